"""Hamilton's equations with constraints: multipliers push the momenta, and both forms move alike."""

from __future__ import annotations

import numpy as np
import pytest
import sympy

import routh as rt
from routh import ddt

x, y, z = rt.coordinates("x y z")


def bob(**more):
    """A pendulum in its Cartesian coordinates."""
    energies = {"kinetic": (ddt(x) ** 2 + ddt(y) ** 2) / 2, "potential": 10 * y}
    return rt.System(**energies, constraints=[x**2 + y**2 - 1], **more)


def sleigh():
    """A knife edge on a tilted plane: it holds a velocity (Bloch 2003, section 1.6)."""
    a = rt.coordinate("a")
    return rt.System(
        kinetic=(ddt(x) ** 2 + ddt(y) ** 2 + ddt(a) ** 2) / 2,
        potential=-x,
        constraints=[ddt(x) * sympy.sin(a) - ddt(y) * sympy.cos(a)],
    )


def on_a_growing_ring():
    """A bead on a ring whose radius grows: the constraint moves, and works."""
    ring = x**2 + y**2 - (1 + sympy.Rational(1, 5) * rt.t) ** 2
    return rt.System(kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2, potential=3 * y, constraints=[ring])


def held_twice():
    """The pendulum with its constraint written twice: the multipliers are those of least norm."""
    return rt.System(
        kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2,
        potential=10 * y,
        constraints=[x**2 + y**2 - 1, 2 * (x**2 + y**2 - 1)],
    )


def relativistic():
    """A fast mass on a circle: its momenta are not linear in its velocities."""
    return rt.System(
        kinetic=1 - rt.sqrt(1 - (ddt(x) ** 2 + ddt(y) ** 2) / 4),
        potential=y,
        constraints=[x**2 + y**2 - 1],
    )


CASES = {
    "pendulum": (bob, {"x": 1.0}, {}),
    "pendulum, damped": (
        lambda: bob(dissipation=(ddt(x) ** 2 + ddt(y) ** 2) / 5), {"x": 1.0}, {}),
    "pendulum by Baumgarte": (bob, {"x": 1.0}, {"stabilize": (5, 5)}),
    "pendulum by Radau": (bob, {"x": 1.0}, {"method": "Radau"}),
    "knife edge": (sleigh, {"a": 0.3, "a'": 1.0}, {}),
    "growing ring": (on_a_growing_ring, {"x": 1.0, "x'": 0.2, "y'": 0.5}, {}),
    "held twice": (held_twice, {"x": 1.0}, {}),
    "relativistic": (relativistic, {"x": 1.0, "y'": 0.8}, {}),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_both_forms_move_alike_under_constraints(name):
    made, start, more = CASES[name]
    times = np.linspace(0, 2, 11)
    by = {
        form: rt.simulate(made(), {}, start, times, form=form, **({"method": "DOP853"} | more))
        for form in ("lagrange", "hamilton")
    }
    one, other = by["lagrange"], by["hamilton"]
    assert other.completed
    assert other.q == pytest.approx(one.q, abs=1e-6)
    assert other.v == pytest.approx(one.v, abs=1e-5)
    assert other.multipliers == pytest.approx(one.multipliers, abs=1e-4)
    assert other.energy_error < 1e-6
    if "stabilize" not in more:
        assert other.constraint_error < 1e-13
        assert other.constraint_rate_error < 1e-12


def test_a_knife_edge_that_turns_does_not_slide_down():
    """Turning at omega it comes back after each half turn: x = g sin(omega t)^2 / (2 omega^2)."""
    times = np.linspace(0, 3, 31)
    motion = rt.simulate(sleigh(), {}, {"a'": 2.0}, times, form="hamilton", rtol=1e-10)
    expected = np.sin(2 * times) ** 2 / 8
    assert motion.q[:, 0] == pytest.approx(expected, abs=1e-8)
    assert motion.energy == pytest.approx(np.full(31, 2.0), abs=1e-8)


def test_numbers_at_a_point_have_the_multipliers():
    """At the lowest point v^2 / l + g pulls: 2 lambda y = -(g + v^2) with y = -1."""
    found = rt.hamiltonian(bob(), simplify=0)
    here = found({}, {y: -1.0}, {x: 2.0})
    assert pytest.approx(2.0 - 10.0) == here.H
    assert here.multipliers == pytest.approx([(10 + 4) / 2])
    assert here.p_rate == pytest.approx([0.0, 4.0])
    many = found({}, {x: [0.0, 0.6, 0.6], y: [-1.0, -0.8, -0.9]}, {x: [2.0, 0.0, 0.0]})
    assert many.multipliers[:, 0] == pytest.approx([7.0, 4.0, np.nan], nan_ok=True)
    assert np.isnan(many.H).tolist() == [False, False, True]
    twice = rt.hamiltonian(held_twice(), simplify=0)({}, {y: -1.0}, {x: 2.0})
    assert twice.p_rate == pytest.approx([0.0, 4.0])


def test_points_off_the_constraints_are_refused_in_words():
    found = rt.hamiltonian(bob(), simplify=0)
    with pytest.raises(
        rt.DeclarationError, match=r"coordinates violate constraint 1, .*: -0.75 is left"
    ):
        found({}, {y: -0.5}, {})
    with pytest.raises(
        rt.DeclarationError, match="velocities of these momenta do not keep constraint 1"
    ):
        found({}, {y: -1.0}, {y: 1.0})


def test_a_mass_matrix_that_constraints_complete_has_no_momenta():
    e = rt.quaternion("e")
    omega = rt.angular_velocity(e)
    body = rt.System(
        kinetic=(omega[0] ** 2 + 2 * omega[1] ** 2 + 3 * omega[2] ** 2) / 2, constraints=e.constraints
    )
    start = e.start(spin=(0.1, 1, 0.2))
    with pytest.raises(rt.SolveError, match='Leave out form="hamilton"'):
        rt.simulate(body, {}, start, [0, 1], form="hamilton")


def test_multipliers_of_redundant_constraints_are_of_least_norm_in_every_way():
    """One constraint is twice the other: 2 lambda2 + lambda1 = 1 is nearest to zero at (0.2, 0.4)."""
    round_ = x**2 + y**2 - 1
    system = rt.System(
        kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2, potential=y, constraints=[round_ / 2, round_]
    )
    found = rt.hamiltonian(system, simplify=0)({}, {x: 1.0}, {y: 1.0})
    np.testing.assert_allclose(found.multipliers, [0.2, 0.4], rtol=1e-12)
    np.testing.assert_allclose(found.p_rate, [-1, -1], rtol=1e-12)
    for form in ("lagrange", "hamilton"):
        run = rt.simulate(system, {}, {x: 1.0, ddt(y): 1.0}, [0, 0.1], form=form)
        np.testing.assert_allclose(run.multipliers[0], found.multipliers, rtol=1e-9)


def test_zero_has_no_minus():
    found = rt.hamiltonian(rt.System(kinetic=ddt(x) ** 2 / 2, potential=x**2), simplify=0)
    assert not np.signbit(found({}, {}, {x: 1.0}).p_rate).any()


def test_what_has_no_mass_has_no_momentum(capfd):
    held = rt.System(kinetic=ddt(x) ** 2 / 2, potential=y, constraints=[(x**2 + y**2 - 1) / 2])
    with pytest.raises(rt.SolveError, match="do not determine the velocity of `y`"):
        rt.simulate(held, {}, {x: 0.6, y: -0.8}, [0, 0.1], form="hamilton")
    assert "WARNING" not in "".join(capfd.readouterr())
