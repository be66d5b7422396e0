"""Derivatives of rests and steady motions, by hand and against differences."""

from __future__ import annotations

import numpy as np
import pytest
import sympy

import routh as rt
from routh import ddt


def loaded_rod():
    """A bob on a rod in a spring's pull: the rod is a constraint."""
    x, y = rt.coordinates("x y")
    k, F, m, l = rt.parameters("k F m l")
    return rt.System(
        kinetic=m * (ddt(x) ** 2 + ddt(y) ** 2) / 2,
        potential=k * x**2 / 2 - F * x + m * 9.81 * y,
        constraints=[(x**2 + y**2 - l**2) / 2],
    )


def test_positions_multipliers_and_expressions_against_differences():
    system, values = loaded_rod(), {"k": 2.0, "F": 4.0, "m": 1.0, "l": 1.0}
    x, y = system.coordinates
    near = {"x": 0.3, "y": -0.9}
    rest = rt.equilibrium(system, values, guess=near)
    found = rest.sensitivity()
    read = x * y * system.parameters[0] + x**2
    h = 1e-5
    for k, p in enumerate(found.parameters):
        up, down = (
            rt.equilibrium(system, {**values, p.name: values[p.name] + step}, guess=near)
            for step in (h, -h)
        )
        for own, both in (
            (found.q[:, k], (up.q, down.q)),
            (found.multipliers[:, k], (up.multipliers, down.multipliers)),
            (found[read][k], (up[read], down[read])),
        ):
            np.testing.assert_allclose(own, (both[0] - both[1]) / (2 * h), rtol=1e-7, atol=1e-8)
    assert found["x"].tolist() == found.q[0].tolist()
    assert str(found).startswith("Derivatives of the equilibrium of the system by F, k, l, m.\ndx: ")


def test_inputs_are_parameters_too():
    """k x = u and, with the base raised, nothing else: dx/du = 1/k."""
    x, u, k = rt.coordinate("x"), rt.input("u"), rt.parameter("k")
    system = rt.System(kinetic=ddt(x) ** 2 / 2, potential=k * x**2 / 2, forces={x: u})
    rest = rt.equilibrium(system, {"k": 4.0}, inputs={"u": 2.0})
    assert rest.sensitivity("u", "k").q[0] == pytest.approx([0.25, -0.125])
    assert rest.sensitivity("u")[u * x] == pytest.approx([0.5 + 2.0 * 0.25])


def test_a_constant_acceleration_of_the_base_is_one():
    """A pendulum on a base that accelerates by a hangs at tan(theta) = -a/g."""
    theta, base, (g, l) = rt.coordinate("theta"), rt.input("b"), rt.parameters("g l")
    r = rt.vector(base + l * rt.sin(theta), -l * rt.cos(theta))
    system = rt.System(kinetic=rt.norm2(ddt(r)) / 2, potential=g * r[1])
    second = ddt(base, 2)
    rest = rt.equilibrium(system, {"g": 9.0, "l": 1.0}, inputs={second: 3.0})
    found = rest.sensitivity(second, "g")
    assert rest.q[0] == pytest.approx(-np.arctan(1 / 3))
    assert found.q[0] == pytest.approx(np.array([-9.0, 3.0]) / 90.0)


def test_speeds_follow_from_momenta():
    """A bead at radius r of a wheel of moment J: p = (J + r^2) w; dr/dJ and dw/dJ hold p."""
    r, phi = rt.coordinates("r phi")
    k, J = rt.parameters("k J")
    kinetic = (ddt(r) ** 2 + (J + r**2) * ddt(phi) ** 2) / 2
    system = rt.System(kinetic=kinetic, potential=k * (r - 1) ** 2 / 2)
    given = {"guess": {"r": 1.1}, "momenta": {"phi": 2.0}}
    rest = rt.equilibrium(system, {"k": 9.0, "J": 1.0}, **given)
    found = rest.sensitivity("J")
    up, down = (rt.equilibrium(system, {"k": 9.0, "J": 1.0 + step}, **given) for step in (1e-5, -1e-5))
    np.testing.assert_allclose(found.q[:, 0], (up.q - down.q) / 2e-5, rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(found.v[:, 0], (up.v - down.v) / 2e-5, rtol=1e-8, atol=1e-9)


def test_a_batch_has_nan_where_there_is_no_rest():
    x, a = rt.coordinate("x"), rt.parameter("a")
    system = rt.System(kinetic=ddt(x) ** 2 / 2, potential=x**3 / 3 - a * x)
    rest = rt.equilibrium(system, {"a": np.array([-1.0, 4.0, 9.0])}, guess={"x": 1.5}, raises=False)
    found = rest.sensitivity("a")
    assert np.isnan(found.q[0]).all()
    np.testing.assert_allclose(found.q[1:, 0, 0], [1 / 4, 1 / 6], rtol=1e-12)
    assert "in a batch of shape (3,)" in str(found)


def test_a_family_stays_where_it_is():
    """Two masses on a line, a spring between: dl moves them apart, and nothing moves both."""
    x, y = rt.coordinates("x y")
    k, l = rt.parameters("k l")
    system = rt.System(kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2, potential=k * (y - x - l) ** 2 / 2)
    rest = rt.equilibrium(system, {"k": 2.0, "l": 1.0}, guess={"x": 0.0, "y": 1.0})
    found = rest.sensitivity("l")
    np.testing.assert_allclose(found.q[:, 0], [-0.5, 0.5], rtol=1e-12)
    assert "leave some direction of the rest free" in found.remark


def test_a_fold_is_refused():
    """V = x^3/3 - a x turns back at a = 0; beside the fold b is asked for, which does not matter."""
    x, (a, b) = rt.coordinate("x"), rt.parameters("a b")
    system = rt.System(kinetic=b * ddt(x) ** 2 / 2, potential=x**3 / 3 - a * x)
    rest = rt.equilibrium(system, {"a": 0.0, "b": 1.0}, raises=False)
    with pytest.raises((rt.DerivationError, rt.SolveError), match=r"fold|degenerate"):
        rest.sensitivity("a")


def test_what_was_not_found_is_refused():
    x, a = rt.coordinate("x"), rt.parameter("a")
    system = rt.System(kinetic=ddt(x) ** 2 / 2, potential=x**3 / 3 - a * x)
    rest = rt.equilibrium(system, {"a": -1.0}, guess={"x": 1.0}, raises=False)
    with pytest.raises(rt.SolveError, match="needs an equilibrium that was found"):
        rest.sensitivity()


def test_a_drive_that_would_leave_no_rest_has_no_derivative():
    """At e = 0 the mass rests; with e it is shaken, and there is no rest to follow."""
    x, (k, e) = rt.coordinate("x"), rt.parameters("k e")
    system = rt.System(kinetic=ddt(x) ** 2 / 2, potential=k * (x - 1) ** 2 / 2 - e * x * rt.sin(rt.t))
    rest = rt.equilibrium(system, {"k": 4.0, "e": 0.0})
    found = rest.sensitivity("k", "e")
    assert found.q[0, 0] == pytest.approx(0.0, abs=1e-14)
    assert np.isnan(found.q[0, 1])
    assert "no derivative by `e`" in found.remark
    with pytest.raises(rt.DerivationError, match="no derivative by `e`"):
        rest.sensitivity("e")


def test_kinks_of_what_is_read_are_refused():
    x, k = rt.coordinate("x"), rt.parameter("k")
    system = rt.System(kinetic=ddt(x) ** 2 / 2, potential=k * x**2 / 2)
    found = rt.equilibrium(system, {"k": 4.0}).sensitivity("k")
    with pytest.raises(rt.DerivationError, match="has a kink there"):
        found[sympy.Abs(x)]
    with pytest.raises(rt.DeclarationError, match="What is read of a sensitivity"):
        found[rt.coordinate("z")]
