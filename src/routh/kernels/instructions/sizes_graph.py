"""The size of what was added up in the results of a function, as a function like it (see `sizes`)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import casadi

from routh.kernels.engine import Unsupported
from routh.kernels.instructions.carried_out import Instructions
from routh.kernels.instructions.sizes import doubtful

Pair = tuple[Any, Any]
"""A value and its size, as graphs."""

_SLOPES: dict[int, Callable[[Any, Any], Any]] = {
    casadi.OP_ASSIGN: lambda *_: 1.0,
    casadi.OP_NEG: lambda *_: 1.0,
    casadi.OP_TWICE: lambda *_: 2.0,
    casadi.OP_FABS: lambda *_: 1.0,
    casadi.OP_SQ: lambda x, _y: 2 * x,
    casadi.OP_INV: lambda _x, y: y * y,
    casadi.OP_SQRT: lambda _x, y: 0.5 / y,
    casadi.OP_SIN: lambda x, _y: casadi.cos(x),
    casadi.OP_COS: lambda x, _y: casadi.sin(x),
    casadi.OP_TAN: lambda _x, y: 1 + y * y,
    casadi.OP_ASIN: lambda _x, y: 1 / casadi.cos(y),
    casadi.OP_ACOS: lambda _x, y: 1 / casadi.sin(y),
    casadi.OP_ATAN: lambda x, _y: 1 / (1 + x * x),
    casadi.OP_SINH: lambda x, _y: casadi.cosh(x),
    casadi.OP_COSH: lambda x, _y: casadi.sinh(x),
    casadi.OP_TANH: lambda _x, y: 1 - y * y,
    casadi.OP_ASINH: lambda _x, y: 1 / casadi.cosh(y),
    casadi.OP_EXP: lambda _x, y: y,
    casadi.OP_LOG: lambda x, _y: 1 / x,
}
"""Slopes of functions of one argument, of it and of the value."""

_EXACT = (casadi.OP_ASSIGN, casadi.OP_NEG, casadi.OP_TWICE, casadi.OP_FABS)

_VALUES: dict[int, Callable[..., Any]] = {
    casadi.OP_ASSIGN: lambda x: x,
    casadi.OP_NEG: lambda x: -x,
    casadi.OP_TWICE: lambda x: 2 * x,
    casadi.OP_FABS: casadi.fabs,
    casadi.OP_SQ: lambda x: x * x,
    casadi.OP_INV: lambda x: 1 / x,
    casadi.OP_SQRT: casadi.sqrt,
    casadi.OP_SIN: casadi.sin,
    casadi.OP_COS: casadi.cos,
    casadi.OP_TAN: casadi.tan,
    casadi.OP_ASIN: casadi.asin,
    casadi.OP_ACOS: casadi.acos,
    casadi.OP_ATAN: casadi.atan,
    casadi.OP_SINH: casadi.sinh,
    casadi.OP_COSH: casadi.cosh,
    casadi.OP_TANH: casadi.tanh,
    casadi.OP_ASINH: casadi.asinh,
    casadi.OP_EXP: casadi.exp,
    casadi.OP_LOG: casadi.log,
}

_OF_TWO: dict[int, Callable[[Any, Any], tuple[Any, Any, Any]]] = {
    casadi.OP_ADD: lambda a, b: (a + b, 1.0, 1.0),
    casadi.OP_SUB: lambda a, b: (a - b, 1.0, 1.0),
    casadi.OP_MUL: lambda a, b: (a * b, b, a),
    casadi.OP_DIV: lambda a, b: (a / b, 1 / b, a / b / b),
    casadi.OP_POW: lambda a, b: (a**b, b * a ** (b - 1), a**b * casadi.log(casadi.fabs(a))),
    casadi.OP_CONSTPOW: lambda a, b: (a**b, b * a ** (b - 1), a**b * casadi.log(casadi.fabs(a))),
}


def sizes_function(function: Any) -> Any:
    """A function of the same arguments whose results are sizes, (rows, columns) each, dense.

    Raises:
        Unsupported: it contains something else than sums, products, powers and common functions.
    """
    read = Instructions(function)
    arguments = [casadi.SX.sym(f"a{k}", function.nnz_in(k)) for k in range(function.n_in())]
    results = [casadi.SX.zeros(*shape) for shape in read.shapes]
    for output, row, column, (_, size) in read.carried_out(
        constant=lambda value: (casadi.SX(value), casadi.SX(doubtful(value))),
        argument=lambda k, entry: (arguments[k][entry], casadi.fabs(arguments[k][entry])),
        operation=_operation,
    ):
        results[output][row, column] = size
    return casadi.Function("sizes", arguments, [casadi.densify(x) for x in results], {"cse": True})


def _operation(code: int, operands: list[Pair]) -> Pair:
    a, size_a = operands[0]
    if code in _SLOPES:
        value = _VALUES[code](a)
        rounded = 0.0 if code in _EXACT else casadi.fabs(value)
        return value, _times(_SLOPES[code](a, value), size_a) + rounded
    if code not in _OF_TWO:
        raise Unsupported("a function whose rounding is not written out")
    b, size_b = operands[1]
    value, by_a, by_b = _OF_TWO[code](a, b)
    rounded = casadi.fabs(value)
    if code in (casadi.OP_ADD, casadi.OP_SUB):
        other = b if code == casadi.OP_SUB else -b
        near = casadi.logic_and(
            casadi.fabs(a) <= 2 * casadi.fabs(b), casadi.fabs(b) <= 2 * casadi.fabs(a)
        )
        rounded = casadi.if_else(casadi.logic_and(a * other >= 0, near), 0.0, rounded)
    return value, _times(by_a, size_a) + _times(by_b, size_b) + rounded


def _times(slope: Any, size: Any) -> Any:
    """Their product, nothing where there is nothing: a branch not taken may have no slope."""
    if size.is_constant() and math.isclose(float(size), 0.0, abs_tol=0.0):
        return casadi.SX(0.0)
    return casadi.if_else(size == 0, 0.0, casadi.fabs(slope) * size)
