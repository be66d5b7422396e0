"""The size of what was added up in the results of a graph: eps times it bounds their rounding.

A running error analysis (Wilkinson 1963; Higham 2002, section 3.3) to first order, instruction by
instruction: every operation rounds its result, and every argument is rounded itself, unless it is said
to be exact. Where large terms cancel, the size is that of the terms and not of what is left of them. It
changes with the units as the result does. So k (x - y) along x = y has no size where x and y are exact,
whereas the same spring written out, k x - k y, has that of both products.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import casadi
import numpy as np
import scipy

from routh.arrays import Array
from routh.kernels.instructions.carried_out import Instructions

Unary = tuple[Callable[[Any], Any], Callable[[Any, Any], Any]]
"""A function, and the size of its slope, of its argument and its value."""


class Sizes:
    """A CasADi function whose results come as sizes, for stacks of arguments (N, size) each."""

    def __init__(self, function: Any) -> None:
        self._instructions = Instructions(function)

    def __call__(self, arguments: Sequence[Array], own: dict[int, Array] | None = None) -> list[Array]:
        """The sizes, (N, rows, columns) each; `own` has those of some arguments, else their values."""
        count = len(arguments[0])
        given = {k: np.abs(x) for k, x in enumerate(arguments)} | (own or {})
        results = [np.zeros((count, *shape)) for shape in self._instructions.shapes]
        with np.errstate(all="ignore"):
            for output, row, column, (_, size) in self._instructions.carried_out(
                constant=lambda value: (np.asarray(value), np.asarray(doubtful(value))),
                argument=lambda k, entry: (arguments[k][:, entry], given[k][:, entry]),
                operation=_operation,
            ):
                results[output][:, row, column] = size
        return results


EXACT_BITS = 26
"""Constants with so few bits are meant as they are; longer ones were rounded when they were written."""


def doubtful(constant: float) -> float:
    """The size of a constant that may have been rounded, or zero."""
    numerator = int(constant.as_integer_ratio()[0]) if np.isfinite(constant) else 0
    return 0.0 if abs(numerator).bit_length() <= EXACT_BITS else abs(constant)


def _operation(code: int, operands: list[tuple[Array, Array]]) -> tuple[Array, Array]:
    """The value of one operation, and the size of it."""
    a, size_a = operands[0]
    if code in _UNARY:
        function, slope = _UNARY[code]
        value = function(a)
        return value, _times(slope(a, value), size_a) + (0.0 if code in _EXACT else np.abs(value))
    if code in _STEPS:
        value = np.asarray(_STEPS[code](*(x for x, _ in operands)), dtype=float)
        return value, np.zeros_like(value)
    b, size_b = operands[1]
    value, by_a, by_b = _BINARY[code](a, b)
    rounded = np.where(_is_exact_difference(code, a, b), 0.0, np.abs(value))
    return value, _times(by_a, size_a) + _times(by_b, size_b) + rounded


def _is_exact_difference(code: int, a: Array, b: Array) -> Any:
    """Doubles between half and twice each other are subtracted without rounding (Sterbenz)."""
    if code not in (casadi.OP_ADD, casadi.OP_SUB):
        return False
    other = b if code == casadi.OP_SUB else -b
    return (a * other >= 0) & (np.abs(a) <= 2 * np.abs(b)) & (np.abs(b) <= 2 * np.abs(a))


def _times(slope: Array, size: Array) -> Array:
    """Their product, nothing where there is nothing: a branch not taken may have no slope."""
    return np.where(size == 0, 0.0, np.abs(slope) * size)


def _power(a: Array, b: Array) -> tuple[Array, Array, Array]:
    value = np.power(a, b)
    return value, b * np.power(a, b - 1), value * np.log(np.abs(a))


def _atan2(y: Array, x: Array) -> tuple[Array, Array, Array]:
    square = x * x + y * y
    return np.arctan2(y, x), x / square, y / square


_BINARY: dict[int, Callable[[Array, Array], tuple[Any, Any, Any]]] = {
    casadi.OP_ADD: lambda a, b: (a + b, 1.0, 1.0),
    casadi.OP_SUB: lambda a, b: (a - b, 1.0, 1.0),
    casadi.OP_MUL: lambda a, b: (a * b, b, a),
    casadi.OP_DIV: lambda a, b: (a / b, 1 / b, a / b / b),
    casadi.OP_POW: _power,
    casadi.OP_CONSTPOW: _power,
    casadi.OP_ATAN2: _atan2,
    casadi.OP_HYPOT: lambda a, b: (np.hypot(a, b), a / np.hypot(a, b), b / np.hypot(a, b)),
    casadi.OP_FMIN: lambda a, b: (np.minimum(a, b), 1.0 * (a <= b), 1.0 * (b < a)),
    casadi.OP_FMAX: lambda a, b: (np.maximum(a, b), 1.0 * (a >= b), 1.0 * (b > a)),
    casadi.OP_COPYSIGN: lambda a, b: (np.copysign(a, b), 1.0, 0.0),
    casadi.OP_FMOD: lambda a, b: (np.fmod(a, b), 1.0, np.trunc(a / b)),
    casadi.OP_REMAINDER: lambda a, b: (a - b * np.round(a / b), 1.0, np.round(a / b)),
    casadi.OP_IF_ELSE_ZERO: lambda a, b: (np.where(a != 0, b, 0.0), 0.0, 1.0 * (a != 0)),
}
"""Values and slopes by both arguments."""

_STEPS: dict[int, Callable[..., Any]] = {
    casadi.OP_SIGN: np.sign,
    casadi.OP_FLOOR: np.floor,
    casadi.OP_CEIL: np.ceil,
    casadi.OP_NOT: np.logical_not,
    casadi.OP_LT: np.less,
    casadi.OP_LE: np.less_equal,
    casadi.OP_EQ: np.equal,
    casadi.OP_NE: np.not_equal,
    casadi.OP_AND: np.logical_and,
    casadi.OP_OR: np.logical_or,
}
"""What has no slope and is not rounded."""

_EXACT = (casadi.OP_ASSIGN, casadi.OP_NEG, casadi.OP_TWICE, casadi.OP_FABS)
"""What rounds nothing."""


def _error_function(x: Any) -> Any:
    return scipy.special.erf(x)


_UNARY: dict[int, Unary] = {
    casadi.OP_ASSIGN: (lambda x: x, lambda *_: 1.0),
    casadi.OP_NEG: (np.negative, lambda *_: 1.0),
    casadi.OP_TWICE: (lambda x: 2 * x, lambda *_: 2.0),
    casadi.OP_FABS: (np.abs, lambda *_: 1.0),
    casadi.OP_SQ: (np.square, lambda x, _y: 2 * x),
    casadi.OP_INV: (lambda x: 1 / x, lambda _x, y: y * y),
    casadi.OP_SQRT: (np.sqrt, lambda _x, y: 0.5 / y),
    casadi.OP_SIN: (np.sin, lambda x, _y: np.cos(x)),
    casadi.OP_COS: (np.cos, lambda x, _y: np.sin(x)),
    casadi.OP_TAN: (np.tan, lambda _x, y: 1 + y * y),
    casadi.OP_ASIN: (np.arcsin, lambda _x, y: 1 / np.cos(y)),
    casadi.OP_ACOS: (np.arccos, lambda _x, y: 1 / np.sin(y)),
    casadi.OP_ATAN: (np.arctan, lambda x, _y: 1 / (1 + x * x)),
    casadi.OP_SINH: (np.sinh, lambda x, _y: np.cosh(x)),
    casadi.OP_COSH: (np.cosh, lambda x, _y: np.sinh(x)),
    casadi.OP_TANH: (np.tanh, lambda _x, y: 1 - y * y),
    casadi.OP_ASINH: (np.arcsinh, lambda _x, y: 1 / np.cosh(y)),
    casadi.OP_ACOSH: (np.arccosh, lambda _x, y: 1 / np.sinh(y)),
    casadi.OP_ATANH: (np.arctanh, lambda x, _y: 1 / (1 - x * x)),
    casadi.OP_EXP: (np.exp, lambda _x, y: y),
    casadi.OP_EXPM1: (np.expm1, lambda _x, y: y + 1),
    casadi.OP_LOG: (np.log, lambda x, _y: 1 / x),
    casadi.OP_LOG1P: (np.log1p, lambda x, _y: 1 / (1 + x)),
    casadi.OP_ERF: (_error_function, lambda x, _y: np.exp(-x * x) * 2 / np.sqrt(np.pi)),
}
