"""Sizes of what is added up, which bound rounding, against 60 digits."""

from __future__ import annotations

import casadi
import mpmath
import numpy as np
import pytest

from routh.kernels.instructions.sizes import Sizes

EPS = np.finfo(float).eps

x, y = casadi.SX.sym("x"), casadi.SX.sym("y")

CASES = {
    "difference of near ones": (x - y, lambda x, y: x - y),
    "spring": (1e16 * (x - y), lambda x, y: mpmath.mpf(1e16) * (x - y)),
    "spring written out": (1e16 * x - 1e16 * y, lambda x, y: mpmath.mpf(1e16) * (x - y)),
    "cosines": (casadi.cos(x) ** 2 + casadi.sin(x) ** 2 - 1, lambda x, y: mpmath.mpf(0)),
    "quotient": (
        casadi.exp(x) / (casadi.sqrt(y) - 1.25),
        lambda x, y: mpmath.exp(x) / (mpmath.sqrt(y) - 1.25),
    ),
    "powers": (x**3.5 - casadi.log(y) ** 2, lambda x, y: x**3.5 - mpmath.log(y) ** 2),
    "angle": (casadi.atan2(y, x) - casadi.atan(y / x), lambda x, y: mpmath.mpf(0)),
    "hyperbolic": (
        casadi.cosh(x) ** 2 - casadi.sinh(x) ** 2 - casadi.tanh(y),
        lambda x, y: 1 - mpmath.tanh(y),
    ),
}


def rounding(function, stacks, errors):
    own = {k: error / EPS for k, error in enumerate(errors)}
    return [EPS * size[..., 0] for size in Sizes(function)(stacks, own)]


@pytest.mark.parametrize("name", CASES)
def test_values_are_within_their_bounds(name):
    expression, exact = CASES[name]
    function = casadi.Function("f", [x, y], [expression])
    generator = np.random.default_rng(5)
    a = generator.uniform(1.6, 3, 300)
    b = a + generator.choice([0.0, 1e-16, 1e-9, 0.3], 300) * a
    stacks = [a[:, None], b[:, None]]
    (bound,) = rounding(function, stacks, [np.zeros_like(s) for s in stacks])
    with mpmath.workdps(60):
        for p, q, e in zip(a, b, bound[:, 0], strict=True):
            value = float(function(p, q))
            assert abs(mpmath.mpf(value) - exact(mpmath.mpf(p), mpmath.mpf(q))) <= e + 1e-300, (
                name,
                p,
                q,
            )


def test_a_spring_along_its_free_motion_has_no_error():
    spring = casadi.Function("f", [x, y], [1e16 * (x - y)])
    written_out = casadi.Function("f", [x, y], [1e16 * x - 1e16 * y])
    one = [np.full((1, 1), 0.7), np.full((1, 1), 0.7)]
    none = [np.zeros((1, 1)), np.zeros((1, 1))]
    assert rounding(spring, one, none)[0][0, 0] == 0
    assert rounding(written_out, one, none)[0][0, 0] > 1


def test_errors_of_arguments_are_handed_on():
    f = casadi.Function("f", [x, y], [casadi.sin(x) * y])
    bound = rounding(f, [np.array([[0.3]]), np.array([[2.0]])], [np.array([[1e-6]]), np.zeros((1, 1))])
    assert bound[0][0, 0] == pytest.approx(2e-6 * np.cos(0.3), rel=1e-6)
