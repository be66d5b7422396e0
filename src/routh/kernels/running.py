"""Bounds of the rounding in a CasADi function, to first order, beside its values.

Running error analysis (J. H. Wilkinson, *Rounding Errors in Algebraic Processes*, 1963): an instruction
hands on the errors of its operands and adds its own. So k (x - y) along x = y has no error, whereas the
same spring written out, k x - k y, has that of both products.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import casadi
import numpy as np
from scipy import special

from routh.kernels.batch import Array

EPS = float(np.finfo(float).eps)

EXACT_BITS = 26
"""Constants with so few bits are meant as they are; longer ones were rounded when they were written."""

Unary = tuple[Callable[..., Any], Callable[..., Any]]
Pair = tuple[Array, Array]
"""Values and bounds of their errors."""


def _whole(x: Array) -> Array:
    return np.zeros_like(x)


_ONE: dict[int, Unary] = {
    casadi.OP_SQRT: (np.sqrt, lambda x: 0.5 / np.sqrt(x)),
    casadi.OP_SQ: (np.square, lambda x: 2 * x),
    casadi.OP_INV: (lambda x: 1 / x, lambda x: 1 / x**2),
    casadi.OP_EXP: (np.exp, np.exp),
    casadi.OP_EXPM1: (np.expm1, np.exp),
    casadi.OP_LOG: (np.log, lambda x: 1 / x),
    casadi.OP_LOG1P: (np.log1p, lambda x: 1 / (1 + x)),
    casadi.OP_SIN: (np.sin, np.cos),
    casadi.OP_COS: (np.cos, np.sin),
    casadi.OP_TAN: (np.tan, lambda x: 1 + np.tan(x) ** 2),
    casadi.OP_ASIN: (np.arcsin, lambda x: 1 / np.sqrt(1 - x**2)),
    casadi.OP_ACOS: (np.arccos, lambda x: 1 / np.sqrt(1 - x**2)),
    casadi.OP_ATAN: (np.arctan, lambda x: 1 / (1 + x**2)),
    casadi.OP_SINH: (np.sinh, np.cosh),
    casadi.OP_COSH: (np.cosh, np.sinh),
    casadi.OP_TANH: (np.tanh, lambda x: 1 / np.cosh(x) ** 2),
    casadi.OP_ASINH: (np.arcsinh, lambda x: 1 / np.sqrt(1 + x**2)),
    casadi.OP_ACOSH: (np.arccosh, lambda x: 1 / np.sqrt(x**2 - 1)),
    casadi.OP_ATANH: (np.arctanh, lambda x: 1 / (1 - x**2)),
    casadi.OP_ERF: (special.erf, lambda x: 1.13 * np.exp(-(x**2))),
    casadi.OP_SIGN: (np.sign, _whole),
    casadi.OP_FLOOR: (np.floor, _whole),
    casadi.OP_CEIL: (np.ceil, _whole),
    casadi.OP_NOT: (lambda x: (x == 0).astype(float), _whole),
}
"""Functions of one operand with their slopes, which round their result."""

_PLAIN: dict[int, Callable[[Array], Array]] = {
    casadi.OP_ASSIGN: lambda x: x,
    casadi.OP_NEG: lambda x: -x,
    casadi.OP_TWICE: lambda x: 2 * x,
    casadi.OP_FABS: np.abs,
}
"""Functions of one operand that round nothing."""


def _power(x: Pair, y: Pair) -> Pair:
    value = x[0] ** y[0]
    by_base = np.where(x[1] > 0, y[0] * x[0] ** (y[0] - 1), 0.0)
    by_exponent = np.where(y[1] > 0, value * np.log(np.abs(x[0])), 0.0)
    return value, np.abs(by_base) * x[1] + np.abs(by_exponent) * y[1] + 4 * EPS * np.abs(value)


def _sum(sign: float) -> Callable[[Pair, Pair], Pair]:
    def rule(x: Pair, y: Pair) -> Pair:
        value = x[0] + sign * y[0]
        # doubles between half and twice each other are subtracted without error (Sterbenz)
        exact = (sign * y[0] * x[0] <= 0) & (np.abs(y[0]) <= 2 * np.abs(x[0]))
        exact = exact & (np.abs(x[0]) <= 2 * np.abs(y[0]))
        return value, x[1] + y[1] + np.where(exact, 0.0, EPS * np.abs(value))

    return rule


def _product(x: Pair, y: Pair) -> Pair:
    value = x[0] * y[0]
    return value, np.abs(x[0]) * y[1] + np.abs(y[0]) * x[1] + EPS * np.abs(value)


def _quotient(x: Pair, y: Pair) -> Pair:
    value = x[0] / y[0]
    return value, (x[1] + np.abs(value) * y[1]) / np.abs(y[0]) + EPS * np.abs(value)


def _angle(y: Pair, x: Pair) -> Pair:
    value, size = np.arctan2(y[0], x[0]), np.hypot(x[0], y[0])
    return value, (x[1] + y[1]) / size + EPS * np.abs(value)


def _chosen(pick: Callable[..., Array]) -> Callable[[Pair, Pair], Pair]:
    return lambda x, y: (pick(x[0], y[0]), np.maximum(x[1], y[1]))


def _test(compare: Callable[..., Any]) -> Callable[[Pair, Pair], Pair]:
    def rule(x: Pair, y: Pair) -> Pair:
        value = np.asarray(compare(x[0], y[0]), dtype=float)
        return value, np.zeros_like(value)

    return rule


_TWO: dict[int, Callable[[Pair, Pair], Pair]] = {
    casadi.OP_ADD: _sum(1.0),
    casadi.OP_SUB: _sum(-1.0),
    casadi.OP_MUL: _product,
    casadi.OP_DIV: _quotient,
    casadi.OP_POW: _power,
    casadi.OP_CONSTPOW: _power,
    casadi.OP_ATAN2: _angle,
    casadi.OP_FMIN: _chosen(np.minimum),
    casadi.OP_FMAX: _chosen(np.maximum),
    casadi.OP_FMOD: _chosen(np.fmod),
    casadi.OP_COPYSIGN: _chosen(np.copysign),
    casadi.OP_HYPOT: lambda x, y: (np.hypot(x[0], y[0]), x[1] + y[1] + EPS * np.hypot(x[0], y[0])),
    casadi.OP_IF_ELSE_ZERO: lambda x, y: (
        np.where(x[0] != 0, y[0], 0.0),
        np.where(x[0] != 0, y[1], 0.0),
    ),
    casadi.OP_LT: _test(np.less),
    casadi.OP_LE: _test(np.less_equal),
    casadi.OP_EQ: _test(np.equal),
    casadi.OP_NE: _test(np.not_equal),
    casadi.OP_AND: _test(np.logical_and),
    casadi.OP_OR: _test(np.logical_or),
}


def rounding(function: Any, arguments: Sequence[Array], errors: Sequence[Array]) -> list[Array]:
    """(N, rows) for each output, a column: bounds of what rounding leaves in it.

    Arguments are stacks (N, size), with bounds of their own errors.
    """
    count = len(arguments[0])
    found = [np.zeros((count, function.numel_out(k))) for k in range(function.n_out())]
    places = [function.sparsity_out(k).row() for k in range(function.n_out())]
    work: dict[int, Pair] = {}
    with np.errstate(all="ignore"):
        for k in range(function.n_instructions()):
            code = function.instruction_id(k)
            i, o = function.instruction_input(k), function.instruction_output(k)
            if code == casadi.OP_OUTPUT:
                found[o[0]][:, places[o[0]][o[1]]] = work[i[0]][1]
            elif code == casadi.OP_CONST:
                work[o[0]] = _constant(function.instruction_constant(k))
            elif code == casadi.OP_INPUT:
                work[o[0]] = arguments[i[0]][:, i[1]], errors[i[0]][:, i[1]]
            elif len(i) == 1:
                work[o[0]] = _of_one(code, work[i[0]])
            else:
                work[o[0]] = _TWO[code](work[i[0]], work[i[1]])
    return found


def _of_one(code: int, x: Pair) -> Pair:
    if code in _PLAIN:
        return _PLAIN[code](x[0]), np.abs(_PLAIN[code](x[1]))
    function, slope = _ONE[code]
    value = function(x[0])
    spread = np.where(x[1] > 0, np.abs(slope(x[0])) * x[1], 0.0)
    return value, spread + EPS * np.abs(value)


def _constant(value: float) -> Pair:
    numerator = int(value.as_integer_ratio()[0]) if np.isfinite(value) else 0
    exact = abs(numerator).bit_length() <= EXACT_BITS
    return np.array(value), np.array(0.0 if exact else EPS * abs(value))
