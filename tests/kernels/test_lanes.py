"""Numbers side by side: each has the digits that it has alone, and sines are right to their last digit."""

from __future__ import annotations

import casadi
import mpmath
import numpy as np
import pytest

from routh.kernels.native.compiler import compiler
from routh.kernels.native.program import Program
from routh.kernels.native.written import SIDE_BY_SIDE, c_function, entry, runtime

pytestmark = pytest.mark.skipif(compiler() is None, reason="no compiler of C on this machine")


def results(function, x, lanes):
    """A function of one number at (N,) places, LANES of them at a time; N is a multiple of LANES."""
    count = function.nnz_out(0)
    body = f"""
    lanes a, r[{count}];
    EACH_LANE LANE(a, j) = X[id * LANES + j];
    f(&a, r);
    for (int k = 0; k < {count}; k++) EACH_LANE R[(id * LANES + j) * {count} + k] = LANE(r[k], j);
    """
    parts = [f"#define LANES {lanes}", runtime("lanes"), c_function(function, "f", SIDE_BY_SIDE)]
    source = "\n".join(parts) + entry("stack", ["const double *X", "double *R"], body)
    found = np.empty((len(x), count))
    Program(source).run("stack", len(x) // lanes, [np.ascontiguousarray(x), found])
    return found


def waves():
    x = casadi.SX.sym("x")
    return casadi.Function("f", [x], [casadi.vertcat(casadi.sin(x), casadi.cos(x))])


def test_sines_and_cosines_to_the_last_digit():
    random = np.random.default_rng(0)
    quarters = np.arange(-400, 400) * np.pi / 2
    x = np.concatenate([random.uniform(-7, 7, 1500), random.uniform(-1e5, 1e5, 1500), quarters])
    x = np.concatenate([x, 10.0 ** random.uniform(-300, 300, 200), [0.0, -0.0, 1e5, -1e5] * 2])
    found = results(waves(), x, 8)
    with mpmath.workprec(1200):
        exact = [[mpmath.sin(each), mpmath.cos(each)] for each in x.tolist()]
        off = [
            float(abs(mpmath.mpf(a) - b)) / np.spacing(abs(float(b)))
            for row, true in zip(found.tolist(), exact, strict=True)
            for a, b in zip(row, true, strict=True)
        ]
    assert max(off) < 0.9
    assert np.isnan(results(waves(), np.array([np.inf, -np.inf, np.nan, 1.0] * 2), 8)[:3]).all()
    assert np.signbit(results(waves(), np.full(8, -0.0), 8)[:, 0]).all()


def everything():
    """All instructions that are written in C."""
    x = casadi.SX.sym("x")
    y = 0.4 + 0.5 * casadi.sin(x)  # between -0.1 and 0.9
    z = 1.5 + casadi.fabs(y)
    of_y = [
        casadi.exp, casadi.tan, casadi.asin, casadi.acos, casadi.atan, casadi.sinh, casadi.cosh,
        casadi.tanh, casadi.asinh, casadi.atanh, casadi.floor, casadi.ceil, casadi.erf, casadi.expm1,
        casadi.log1p, casadi.sign, casadi.fabs, casadi.logic_not,
    ]  # fmt: skip
    found = [of(y) for of in of_y] + [of(z) for of in (casadi.log, casadi.sqrt, casadi.acosh)]
    two = [
        casadi.fmin, casadi.fmax, casadi.atan2, casadi.fmod, casadi.copysign, casadi.hypot, casadi.lt,
        casadi.le, casadi.eq, casadi.ne, casadi.logic_and, casadi.logic_or,
    ]  # fmt: skip
    found += [of(y, x / 20) for of in two] + [z**x, z**0.3, 1 / y, -y, 2 * y, y * y, y - x]
    found.append(casadi.if_else(y > 0.3, x, y))
    return casadi.Function("f", [x], [casadi.vertcat(*found)])


def test_one_of_several_has_the_digits_that_it_has_alone():
    x = np.random.default_rng(1).uniform(-20, 20, 64)
    x[:4] = 0.0, -0.0, 2.5, 1e7
    together, alone = results(everything(), x, 8), results(everything(), x, 1)
    np.testing.assert_array_equal(together, alone)
    theirs = np.array(everything().map(len(x))(x[None])).T
    np.testing.assert_allclose(together, theirs, rtol=1e-13, atol=1e-15)
    assert together.shape == (64, everything().nnz_out(0))


def test_what_stands_twice_is_computed_once():
    x = casadi.SX.sym("x", 2)
    products = [x[0] * x[1] for _ in range(3)]
    text = c_function(casadi.Function("f", [x], [casadi.vertcat(*products)]), "f")
    assert text.count("*") == 1 + 2
