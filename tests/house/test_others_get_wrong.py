"""What other tools get wrong today."""

from __future__ import annotations

import numpy as np
import pytest
import sympy

import problems
import routh as rt
from routh import cos, ddt, norm2, rotation, sin, t, vector
from routh.language.walk import leaves
from routh.results import Coordinate
from sampling import assert_same


def test_pendulum_on_a_prescribed_base_is_driven_by_its_acceleration():
    """l theta'' + g theta = -x_b''."""
    theta, x_b = rt.coordinate("theta"), rt.input("x_b")
    m, l, g = rt.parameters("m l g")
    r = vector(x_b + l * sin(theta), -l * cos(theta))
    system = rt.System(kinetic=m / 2 * norm2(ddt(r)), potential=m * g * r[1])
    symbolic = rt.linear_equations(system, {theta: 0}, simplify=0)
    assert symbolic.inputs == (ddt(x_b, 2),)
    assert_same(symbolic.K / (m * l), sympy.Matrix([[g]]))
    assert_same(symbolic.M / (m * l), sympy.Matrix([[l]]))
    assert_same(symbolic.B / (m * l), sympy.Matrix([[-1]]))
    linear = rt.linearize(rt.equilibrium(system, {"m": 2, "l": 1.5, "g": 9.81}))
    assert linear.inputs == (ddt(x_b, 2),)
    np.testing.assert_allclose(linear.B, [[-3.0]], rtol=1e-14)
    np.testing.assert_allclose(linear.K, [[29.43]], rtol=1e-14)
    _, _, C, D = rt.state_space(linear, outputs=[x_b + l * sin(theta), ddt(theta, 2)])
    np.testing.assert_allclose(C, [[1.5, 0], [-9.81 / 1.5, 0]], rtol=1e-14)
    np.testing.assert_allclose(D, [[0, 1], [-1 / 1.5, 0]], rtol=1e-14)  # columns x_b'' and x_b


def test_base_with_constant_acceleration_leans():
    theta, x_b = rt.coordinate("theta"), rt.input("x_b")
    m, l, g = rt.parameters("m l g")
    r = vector(x_b + l * sin(theta), -l * cos(theta))
    system = rt.System(kinetic=m / 2 * norm2(ddt(r)), potential=m * g * r[1])
    values = {"m": 2, "l": 1.5, "g": 9.81}
    rest = rt.equilibrium(system, values, inputs={ddt(x_b, 2): 3.0})
    assert rest.q == pytest.approx([-np.arctan(3 / 9.81)], rel=1e-12)
    linear = rt.linearize(rest)
    np.testing.assert_allclose(linear.K, [[3.0 * np.hypot(9.81, 3)]], rtol=1e-12)


def test_massless_node_between_two_springs():
    """A massless node between equal springs: the mass sees k/2."""
    x, node = rt.coordinates("x node")
    m, k = rt.parameters("m k")
    system = rt.System(
        kinetic=m * ddt(x) ** 2 / 2, potential=[k * node**2 / 2, k * (x - node) ** 2 / 2]
    )
    modes = rt.modes(rt.linearize(rt.equilibrium(system, {"m": 2, "k": 30})))
    assert modes.frequencies == pytest.approx([np.sqrt(15 / 2)], rel=1e-13)
    assert modes.infinite == 2
    np.testing.assert_allclose(modes.shapes, [[1], [0.5]], rtol=1e-13)


@pytest.mark.parametrize(
    "make",
    [
        problems.double_pendulum,
        problems.rotating_table,
        problems.crane_hoist,
        problems.accelerated_pendulum,
    ],
)
def test_no_acceleration_or_velocity_survives_in_a_linear_model(make):
    p = make()
    linear = rt.linear_equations(p.system, dict.fromkeys(p.system.coordinates, 0), simplify=0)
    matrices = [linear.M, linear.D, linear.G, linear.K, linear.H, linear.B]
    assert not any(isinstance(s, Coordinate) for s in leaves(matrices))


@pytest.mark.parametrize("speed", [0.5, 1.0, 2.0, 3.0])
def test_isotropic_oscillator_seen_from_a_turning_frame_is_stable(speed):
    """Roots +-i (w0 + W), +-i (w0 - W): at W = 2 w0 a dropped d2L/dq dv calls it a saddle."""
    x, y = rt.coordinates("x y")
    m, k, W = rt.parameters("m k W")
    r = rotation(W * t) @ vector(x, y)
    system = rt.System(kinetic=m / 2 * norm2(ddt(r)), potential=k / 2 * norm2(r))
    w0 = 1.3
    modes = rt.modes(rt.linearize(rt.equilibrium(system, {"m": 2, "k": 2 * w0**2, "W": speed * w0})))
    expected = sorted([abs(1 - speed) * w0, (1 + speed) * w0])
    np.testing.assert_allclose(modes.frequencies, expected, rtol=1e-7, atol=1e-12)
    assert not modes.eigenvalues.real.any()
    if speed == 2.0:
        assert modes.stability.verdict is rt.Verdict.STABLE
        assert "yroscopic" in str(modes.stability)
        np.testing.assert_allclose(modes.frequencies, [w0, 3 * w0], rtol=1e-12)
