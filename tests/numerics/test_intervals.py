"""Bounds over intervals and strips contain every value, and get narrow with their argument."""

import mpmath
import numpy as np
import pytest
import sympy

from depth import draws
from routh.analysis.time.enclosure import enclosed
from routh.numerics.intervals import Strip

x = sympy.Symbol("x", real=True)
FUNCTIONS = [
    sympy.sin(x), sympy.cos(3 * x), sympy.tan(x), sympy.exp(-(x**2)), 1 / (1 + x**2),
    sympy.tanh(5 * x), sympy.atan(3 * x), sympy.asinh(x), sympy.sqrt(x), sympy.log(x),
    sympy.cbrt(x), x ** sympy.Rational(-3, 2), sympy.erf(x), sympy.sinc(x), sympy.asin(x / 3),
    sympy.acos(x / 3), sympy.atanh(x / 4), sympy.acosh(x), sympy.cosh(x), sympy.sinh(x), x**7, x**-3,
    sympy.cot(x), sympy.sec(x), sympy.csc(x), sympy.coth(x), sympy.exp(sympy.sin(x)) * x, x**x,
    1 / sympy.cosh(9 * x), 1 / (1 + sympy.exp(9 * x)), (2 + sympy.sinh(3 * x)) ** -2,
]  # fmt: skip
PIECES = [
    sympy.Abs(x), sympy.sign(x), sympy.Heaviside(x), sympy.Max(x, x**2, 1), sympy.Min(0, x),
    sympy.floor(3 * x), sympy.ceiling(x), sympy.Mod(x, sympy.Rational(2, 3)),
    sympy.Piecewise((x, x < 0), (2, sympy.And(x > 1, x <= 2)), (x**2, True)),
    sympy.Piecewise((1, sympy.Or(x < -1, x >= 1)), (0, True)),
]  # fmt: skip


def strip(lo, hi, im):
    return Strip(np.array([lo]), np.array([hi]), np.array([im]))


def bounds(f, middle, radius, im):
    real = enclosed(f, {x: strip(middle - radius, middle + radius, 0.0)})
    if not im:
        return real[f]
    return enclosed(f, {x: strip(middle - radius, middle + radius, im)}, real)[f]


def check(f, count, seed):
    random = np.random.default_rng(seed)
    exact = sympy.lambdify(x, f, "mpmath")
    for _ in range(count):
        middle, radius = random.uniform(-3, 3), 10 ** random.uniform(-6, 0.5)
        im = 0.0 if random.random() < 0.3 else 10 ** random.uniform(-6, 0.5)
        found = bounds(f, middle, radius, im)
        for _ in range(4):
            share, up = random.choice([-1, 1, random.uniform(-1, 1)]), random.uniform(-1, 1)
            z = mpmath.mpc(middle + radius * share, im * up)
            try:
                with mpmath.workdps(40):
                    value = mpmath.mpc(exact(z if im else z.real))
            except (ZeroDivisionError, ValueError):
                continue
            if im == 0 and value.imag != 0:
                continue  # not defined there
            assert found.lo[0] <= value.real <= found.hi[0], (f, middle, radius, im)
            assert abs(value.imag) <= found.im[0], (f, middle, radius, im)


@pytest.mark.parametrize("f", FUNCTIONS, ids=str)
def test_bounds_contain_every_value(f):
    check(f, 40, seed=1)


@pytest.mark.slow
@pytest.mark.parametrize("f", FUNCTIONS, ids=str)
def test_bounds_contain_every_value_of_thousands(f):
    check(f, 2000, seed=2)


@pytest.mark.parametrize("f", PIECES, ids=str)
def test_bounds_of_functions_made_of_pieces(f):
    random = np.random.default_rng(3)
    for _ in range(draws(50, 200)):
        middle, radius = random.uniform(-3, 3), 10 ** random.uniform(-3, 0.5)
        found = bounds(f, middle, radius, 0.0)
        for share in (-1, 1, random.uniform(-1, 1)):
            value = float(f.subs(x, sympy.Float(middle + radius * share, 40)))
            assert found.lo[0] - 1e-14 <= value <= found.hi[0] + 1e-14


@pytest.mark.parametrize("f", [*FUNCTIONS, *PIECES], ids=str)
def test_bounds_of_a_short_interval_are_narrow(f):
    found = bounds(f, 1.3137, 1e-7, 1e-7)
    value = complex(sympy.N(f.subs(x, sympy.Float(1.3137, 30))))
    assert found.hi[0] - found.lo[0] < 1e-4
    assert found.im[0] < 1e-4
    assert found.lo[0] - 1e-12 <= value.real <= found.hi[0] + 1e-12


@pytest.mark.parametrize(
    "f", [sympy.Abs(x), sympy.Heaviside(x), sympy.Piecewise((1, x < 0), (2, True))]
)
def test_a_function_that_switches_is_not_bounded_beside_the_axis(f):
    assert np.isfinite(bounds(f, 0.0, 0.1, 0.0).hi[0])
    assert not np.isfinite(bounds(f, 0.0, 0.1, 0.01).hi[0])
    assert np.isfinite(bounds(f, 0.2, 0.1, 0.5).hi[0])  # one branch alone, continued


def test_the_modulus_is_no_smaller_than_any_value():
    zero = np.zeros(1)
    strip = Strip(np.array([-3.0]), np.array([1.0]), np.array([4.0]))
    assert strip.modulus >= 5
    assert Strip(np.array([-3.0]), np.array([1.0]), zero).modulus >= 3
