"""Every function a person writes becomes the same function of numbers."""

from __future__ import annotations

import casadi
import mpmath
import numpy as np
import pytest
import sympy

import routh as rt
from routh.kernels.graphs.lower import lower

x, y = rt.coordinates("x y")
points = [(0.3, 0.6), (0.7, 0.2), (-0.4, 0.5), (0.5, -0.8), (-0.2, -0.3)]

FUNCTIONS = [
    sympy.sin(x) + sympy.cos(y) * sympy.tan(x),
    sympy.cot(x) + sympy.sec(y) + sympy.csc(x),
    sympy.asin(x) + sympy.acos(y) + sympy.atan(x),
    sympy.acot(x) * sympy.atan2(y, x),
    sympy.sinh(x) + sympy.cosh(y) + sympy.tanh(x) + sympy.coth(y),
    sympy.asinh(x) + sympy.acosh(2 + y) + sympy.atanh(x),
    sympy.exp(x) * sympy.log(2 + y) + sympy.log(3 + x, 2),
    sympy.sqrt(1 + x**2) / sympy.sqrt(2 + y) + 1 / (2 + x) + (2 + y) ** -3,
    (2 + x) ** y + (1 + x**2) ** sympy.Rational(5, 3) + x**17 + x**5 + 2**x,
    sympy.Abs(x) + sympy.sign(y) * x**2,
    sympy.Min(x, y, x * y) + sympy.Max(x, y**2),
    sympy.Piecewise((x**2, x > 0.2), (y, sympy.And(x < 0, y < 0)), (x * y, True)),
    sympy.Piecewise((1, sympy.Or(x >= 0.5, sympy.Not(y <= 0.1))), (2, True)),
    sympy.Piecewise((x, sympy.Eq(y, sympy.Rational(1, 2))), (y, sympy.Ne(x, y))),
    sympy.floor(3 * x) + sympy.ceiling(4 * y) + sympy.Mod(x, sympy.Rational(2, 7)),
    sympy.Heaviside(x) + sympy.erf(y) + sympy.sinc(x),
    sympy.pi * x + sympy.E * y + sympy.Rational(1, 3) + sympy.Float("0.1"),
    sympy.hypot(x, y) if hasattr(sympy, "hypot") else sympy.sqrt(x**2 + y**2),
]


@pytest.mark.parametrize("expression", FUNCTIONS, ids=str)
def test_value_agrees_with_sympy(expression):
    sx = casadi.SX.sym("x"), casadi.SX.sym("y")
    (lowered,) = lower([expression], dict(zip((x, y), sx, strict=True)))
    function = casadi.Function("f", list(sx), [lowered])
    for a, b in points:
        expected = complex(expression.subs({x: sympy.Float(a, 20), y: sympy.Float(b, 20)}).evalf())
        if abs(expected.imag) < 1e-12:
            assert float(function(a, b)) == pytest.approx(expected.real, rel=1e-13, abs=1e-14)


def test_shared_branches_are_lowered_once():
    shared = sympy.sin(x) * sympy.cos(y)
    sx = casadi.SX.sym("x"), casadi.SX.sym("y")
    terms = [shared + k for k in range(1, 20)]
    lowered = lower(terms, dict(zip((x, y), sx, strict=True)))
    nodes = casadi.Function("f", list(sx), lowered).n_instructions()
    assert nodes == 2 + 3 + 3 * len(terms)  # inputs, sin cos *, then constant, + and output each


def test_imaginary_numbers_are_refused():
    with pytest.raises(rt.DerivationError, match="finite real number"):
        lower([sympy.I * x], {x: casadi.SX.sym("x")})


def test_piecewise_energy_has_the_right_slopes():
    """A stop: stiffness only on one side of zero."""
    m, k = rt.parameters("m k")
    system = rt.System(
        kinetic=m * rt.ddt(x) ** 2 / 2,
        potential=[k * x**2 / 2, sympy.Piecewise((9 * k * x**2 / 2, x > 0), (0, True)), -m * x],
    )
    rest = rt.equilibrium(system, {"m": 2, "k": 10})
    assert rest.q == pytest.approx([2 / 100], rel=1e-14)
    np.testing.assert_allclose(rt.linearize(rest).K, [[100]], rtol=1e-14)


def _slopes(count):
    """sinc and its first derivatives as one function of x, by algorithmic differentiation."""
    own = casadi.SX.sym("x")
    found = [lower([sympy.sinc(x)], {x: own})[0]]
    for _ in range(count):
        found.append(casadi.gradient(found[-1], own))
    return casadi.Function("slopes", [own], found)


def test_every_term_of_the_series_of_sinc_counts():
    """The n-th derivative of sin(x)/x at zero is (-1)^(n/2)/(n + 1), so each term is seen alone."""
    for n, slope in enumerate(_slopes(8)(0.0)):
        exact = 0 if n % 2 else (-1) ** (n // 2) / (n + 1)
        assert float(slope) == pytest.approx(exact, rel=1e-13, abs=0 if exact else 1e-300)


@pytest.mark.parametrize("at", [1e-9, 0.003, 0.02, 0.05, 0.08, 0.0999, 0.1, 0.1001, -0.07])
def test_sinc_and_its_slopes_between_zero_and_a_tenth(at):
    """Against the integral of cos(s x) over s from 0 to 1, differentiated under it, with 30 digits."""
    for n, slope in enumerate(_slopes(4)(at)):
        with mpmath.workdps(30):
            exact = mpmath.quad(
                lambda s, n=n: s**n * mpmath.cos(s * mpmath.mpf(at) + n * mpmath.pi / 2), [0, 1]
            )
        # the series leaves out x^10/11!; beyond it each derivative of the quotient loses a factor 1/x
        left_out = float(mpmath.ff(10, n) / mpmath.factorial(11)) * abs(at) ** (10 - n)
        lost = 1.0 if abs(at) < 0.1 else float(mpmath.factorial(n)) / abs(at) ** n
        assert abs(float(slope) - float(exact)) <= 2 * left_out + 4e-16 * lost
