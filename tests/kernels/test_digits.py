"""Graphs carried out with many digits, and forces that vanish in doubles alone."""

from __future__ import annotations

import casadi
import mpmath
import numpy as np
import pytest
import sympy

import routh as rt
from routh import ddt, exp
from routh.kernels.engine import Unsupported
from routh.kernels.instructions.digits import ManyDigits


def one(expression, digits=40):
    x = casadi.SX.sym("x")
    return ManyDigits(casadi.Function("f", [x], [expression(x)]), digits)


@pytest.mark.parametrize(
    ("expression", "exact"),
    [
        (lambda x: casadi.exp(-x * x), lambda x: mpmath.exp(-x * x)),
        (lambda x: casadi.tanh(x) / casadi.sqrt(1 + x), lambda x: mpmath.tanh(x) / mpmath.sqrt(1 + x)),
        (lambda x: casadi.erf(x) - casadi.atan2(x, 2), lambda x: mpmath.erf(x) - mpmath.atan2(x, 2)),
        (lambda x: casadi.if_else(x > 100, casadi.sqrt(-x), x**3), lambda x: x**3),
    ],
)
def test_numbers_agree_with_mpmath(expression, exact):
    function = one(expression)
    with mpmath.workdps(40):
        for x in (0.3, 7.1, 90.0):
            value = function([[function.number(x)]])[0][0][0]
            assert abs(value - exact(mpmath.mpf(x))) <= abs(value) * mpmath.mpf("1e-38")


def test_what_is_absorbed_is_noted():
    function = one(lambda x: 1 + casadi.exp(-x * x))
    function([[2.0]])
    assert not function.absorbed
    function([[90.0]])
    assert function.absorbed


def test_what_has_no_value_says_so():
    with pytest.raises(Unsupported):
        one(casadi.log)([[-1.0]])
    with pytest.raises(Unsupported):
        one(lambda x: casadi.exp(casadi.exp(x)))([[1000.0]])


def well(potential):
    x = rt.coordinate("x")
    return x, rt.System(kinetic=ddt(x) ** 2 / 2, potential=potential(x))


@pytest.mark.parametrize("far", [28.0, 90.0, -1e3])
def test_no_rest_where_the_force_underflows(far):
    x, system = well(lambda x: -exp(-(x**2)))
    with pytest.raises(rt.SolveError, match="too small for floating-point"):
        rt.equilibrium(system, {}, guess={x: far})


@pytest.mark.parametrize(
    ("potential", "width"),
    [
        (lambda x: -exp(-(x**2)), 30),
        (lambda x: exp(x**2), 100),
        (lambda x: exp(x**2), 26.6),
        (lambda x: (x**2 + 1) ** 100, 300),
        (sympy.cosh, 800),
    ],
)
def test_one_rest_whatever_over_or_underflows_in_the_box(potential, width):
    x, system = well(potential)
    found = rt.equilibria(system, {}, within={x: (-width, width)})
    assert found.q.shape == (1, 1)
    assert abs(found.q[0, 0]) < 1e-6


def test_parts_of_the_box_without_numbers_are_told():
    x, system = well(lambda x: exp(x**2))
    assert "nothing is claimed there" in str(rt.equilibria(system, {}, within={x: (-100, 100)}))
    assert "nothing is claimed" not in str(rt.equilibria(system, {}, within={x: (-2, 2)}))


def test_a_force_that_is_zero_by_structure_is_one():
    """Between two stops a mass may rest anywhere, and where nothing acts on x at all."""
    x, gap = well(lambda x: sympy.Max(0, x - 1) ** 2 + sympy.Max(0, -1 - x) ** 2)
    assert rt.equilibrium(gap, {}, guess={x: 0.3}).q.tolist() == [0.3]
    x, y = rt.coordinates("x y")
    deep = rt.System(kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2, potential=x**2 * exp(-5000 * y) + y**2)
    rest = rt.equilibrium(deep, {}, guess={x: 0.0, y: 1.0})
    np.testing.assert_allclose(rest.q, 0, atol=1e-12)


@pytest.mark.parametrize("far", [8.0, 13.0, 18.0, 25.0, 40.0, 70.0])
def test_a_force_absorbed_beside_a_spring_is_one(far):
    """One of two masses on a spring is in a well: far out, exp(-x^2) is nothing beside the spring."""
    x, y = rt.coordinates("x y")
    T = (ddt(x) ** 2 + ddt(y) ** 2) / 2
    held = rt.System(kinetic=T, potential=(x - y) ** 2 / 2 - exp(-(x**2)))
    with pytest.raises(rt.SolveError, match="too small for floating-point"):
        rt.equilibrium(held, {}, guess={x: far, y: far})
    free = rt.System(kinetic=T, potential=(x - y) ** 2 / 2)
    assert rt.equilibrium(free, {}, guess={x: far, y: far}).converged


@pytest.mark.parametrize(
    "potential",
    [
        lambda x, y, z: (y - sympy.sin(5 * x)) ** 2 + z**2,
        lambda x, y, z: sympy.sqrt(1 + (y - sympy.sin(x)) ** 2) + z**2,
        lambda x, y, z: 1 - exp(-((y - sympy.sin(x)) ** 2)) + z**2,
        lambda x, y, z: (x**2 + 2 * y**2 - 1) ** 2 + z**2 / 2 + exp(-((z - 30) ** 2)),
        lambda x, y, z: (0.1 * x + 0.2 * y - 0.3) ** 2 + (0.3 * x + 0.6 * y - 0.9) ** 2 + z**2,
    ],
)
def test_families_stand_the_second_look(potential):
    x, y, z = rt.coordinates("x y z")
    T = (ddt(x) ** 2 + ddt(y) ** 2 + ddt(z) ** 2) / 2
    system = rt.System(kinetic=T, potential=potential(x, y, z))
    found = rt.equilibria(system, {}, within={x: (-3, 3), y: (-3, 3), z: (-2, 2)})
    assert sorted(found.dimension.tolist()) in ([1], [0, 1])
