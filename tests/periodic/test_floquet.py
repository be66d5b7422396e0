"""Floquet multipliers: Mathieu's curves, shaken pendulums, shafts, and what has no period."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import mathieu_a, mathieu_b

import routh as rt


def mathieu():
    x, (a, q) = rt.coordinate("x"), rt.parameters("a q")
    return rt.System(kinetic=x.rate**2 / 2, potential=(a - 2 * q * rt.cos(2 * rt.t)) * x**2 / 2)


CURVES = [
    ("a0", mathieu_a, 0, 2),
    ("b1", mathieu_b, 1, -2),
    ("a1", mathieu_a, 1, -2),
    ("b2", mathieu_b, 2, 2),
]


@pytest.mark.parametrize("q", [0.1, 0.5, 1, 5])
def test_transition_curves_of_mathieu(q):
    system = mathieu()

    def trace(a):
        return float(np.trace(rt.floquet(system, {"a": a, "q": q}, np.pi).monodromy))

    for _, exact, m, target in CURVES:
        e = float(exact(m, q))
        gap = min(0.01, 0.4 * float(mathieu_a(m, q) - mathieu_b(m, q))) if m else 0.01
        found = brentq(lambda a, target=target: trace(a) - target, e - gap, e + gap, xtol=1e-13)
        assert found == pytest.approx(e, abs=1e-10)


def test_conservative_systems_have_determinant_one():
    a, q = np.meshgrid(np.linspace(-1, 5, 13), np.linspace(0, 3, 7))
    found = rt.floquet(mathieu(), {"a": a, "q": q}, np.pi)
    assert found.multipliers.shape == (7, 13, 2)
    size = np.abs(found.monodromy).max(axis=(-1, -2))
    assert np.abs(found.determinant - 1).max() < 1e-12 * size.max() ** 2
    stable = found.verdict == rt.Verdict.STABLE
    assert 0.3 < stable.mean() < 0.9
    assert np.abs(found.multipliers[stable]) == pytest.approx(1, abs=1e-7)


def shaken_pendulum():
    theta = rt.coordinate("theta")
    l, g, A, w = rt.parameters("l g A w")
    r = rt.vector(l * rt.sin(theta), -l * rt.cos(theta) + A * rt.cos(w * rt.t))
    return rt.System(kinetic=rt.norm2(rt.ddt(r)) / 2, potential=g * r[1]), theta


def test_a_pendulum_shaken_vertically_stands_upside_down():
    system, theta = shaken_pendulum()
    w = 120.0
    values = {"l": 1.0, "g": 9.81, "w": w}
    critical = np.sqrt(2 * 9.81) / w  # Kapitza: A w > sqrt(2 g l)
    A = np.array([0.9, 1.1]) * critical
    up = rt.floquet(system, values | {"A": A}, 2 * np.pi / w, guess={theta: np.pi})
    assert [str(v) for v in up.verdict] == ["unstable", "stable"]
    down = rt.floquet(system, values | {"A": A}, 2 * np.pi / w)
    assert [str(v) for v in down.verdict] == ["stable", "stable"]
    # parametric resonance at twice the natural frequency: period doubling
    w0 = np.sqrt(9.81)
    twice = rt.floquet(system, values | {"A": 0.05, "w": 2 * w0}, 2 * np.pi / (2 * w0))
    assert twice.verdict is rt.Verdict.UNSTABLE
    assert twice.near == "period doubling"
    with pytest.raises(rt.DerivationError, match=r"floquet\(system, values, period\)"):
        rt.linearize(rt.equilibrium(system, values | {"A": 0.05}))


def test_a_shaft_with_unequal_stiffness_in_turning_and_in_space_axes():
    """In axes that turn along the matrices are constant: both ways give the same growth."""
    x, y = rt.coordinates("x y")
    m, k1, k2, W, c = rt.parameters("m k1 k2 W c")
    along = rt.vector(
        x * rt.cos(W * rt.t) + y * rt.sin(W * rt.t), -x * rt.sin(W * rt.t) + y * rt.cos(W * rt.t)
    )
    shaft = rt.System(
        kinetic=m * (x.rate**2 + y.rate**2) / 2,
        potential=(k1 * along[0] ** 2 + k2 * along[1] ** 2) / 2,
        dissipation=c * (x.rate**2 + y.rate**2) / 2,
    )
    turning = rt.System(
        kinetic=m * ((x.rate - W * y) ** 2 + (y.rate + W * x) ** 2) / 2,
        potential=(k1 * x**2 + k2 * y**2) / 2,
        dissipation=c * ((x.rate - W * y) ** 2 + (y.rate + W * x) ** 2) / 2,
    )
    speeds = np.array([2.0, 3.3, 4.5])
    values = {"m": 1.0, "k1": 9.0, "k2": 13.0, "W": speeds, "c": 0.05}
    found = rt.floquet(shaft, values, np.pi / speeds)
    other = rt.modes(rt.linearize(rt.equilibrium(turning, values)))
    assert found.growth == pytest.approx(other.eigenvalues.real.max(axis=-1), abs=1e-9)
    assert [str(v) for v in found.verdict] == [
        "asymptotically stable", "unstable", "asymptotically stable"]  # fmt: skip


def test_an_input_drives_it_too():
    theta, u = rt.coordinate("theta"), rt.input("u")
    l, g = rt.parameters("l g")
    r = rt.vector(l * rt.sin(theta), -l * rt.cos(theta) + u)
    system = rt.System(kinetic=rt.norm2(rt.ddt(r)) / 2, potential=g * r[1])
    other, _ = shaken_pendulum()
    values = {"l": 1.0, "g": 9.81}
    one = rt.floquet(system, values, 2 * np.pi / 20, inputs={u: 0.1 * rt.cos(20 * rt.t)})
    two = rt.floquet(other, values | {"A": 0.1, "w": 20.0}, 2 * np.pi / 20)
    assert one.multipliers == pytest.approx(two.multipliers, abs=1e-10)


def test_periods_that_are_none():
    system = mathieu()
    with pytest.raises(
        rt.DeclarationError, match=r"`cos\(2\*t\)`, which is not seen to have the period 3"
    ):
        rt.floquet(system, {"a": 1.0, "q": 0.5}, 3.0)
    with pytest.raises(rt.DeclarationError, match="must be a positive number"):
        rt.floquet(system, {"a": 1.0, "q": 0.5}, -1.0)
    x, y = rt.coordinates("x y")
    held = rt.System(kinetic=x.rate**2 + y.rate**2, potential=y, constraints=[x**2 + y**2 - 1])
    with pytest.raises(rt.DerivationError, match="without constraints"):
        rt.floquet(held, {}, 1.0)


def test_a_short_pulse_of_the_drive_is_seen():
    x = rt.coordinate("x")
    k = 0.81 + 20 * rt.exp(-3000 * (1 - rt.cos(rt.t - 0.6)))
    system = rt.System(kinetic=x.rate**2 / 2, dissipation=0.01 * x.rate**2, potential=k * x**2 / 2)
    found = rt.floquet(system, {}, 2 * np.pi)
    assert found.multipliers.real == pytest.approx([1.47906, 0.59627], abs=1e-4)
    assert found.verdict is rt.Verdict.UNSTABLE


def test_points_of_a_chart_without_a_rest_are_undecided():
    x, a = rt.coordinate("x"), rt.parameter("a")
    system = rt.System(
        kinetic=x.rate**2 / 2,
        potential=x**3 / 3 - a * x + 0.1 * rt.cos(rt.t) * (x**2 - a) ** 2,
        dissipation=0.1 * x.rate**2,
    )
    found = rt.floquet(system, {"a": np.array([1.0, -1.0, 2.0])}, 2 * np.pi, guess={x: 1.0})
    assert np.isnan(found.multipliers[1]).all()
    assert found.verdict[1] is rt.Verdict.UNDECIDED
    assert "1 undecided" in str(found)


def test_exponents_are_logarithms_over_the_period():
    """Mathieu's equation with damping c: both exponents have the real part -c/2 (Liouville)."""
    x = rt.coordinate("x")
    system = rt.System(
        kinetic=rt.ddt(x) ** 2 / 2,
        potential=(3 + rt.cos(4 * rt.t) / 10) * x**2 / 2,
        dissipation=rt.ddt(x) ** 2 / 10,
    )
    found = rt.floquet(system, {}, np.pi / 2)
    assert found.exponents.real == pytest.approx([-0.1, -0.1], rel=1e-9)
