"""The functions of a graph with many digits and without bounds on exponents.

Doubles lose what is smaller than 1e-308 and what is larger than 1e308, and they absorb a term that is
1e-16 of another one. Where a claim hangs on a number being exactly zero, the instructions of the graph
are carried out once more by mpmath. What even its digits absorb is noted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import casadi
from mpmath import MPContext

from routh.kernels.engine import Number, Unsupported
from routh.kernels.instructions.carried_out import Instructions

FAR = 64
"""Binary exponent of arguments above which a sine or an exponential takes too many digits."""


class ManyDigits:
    """A CasADi function carried out with a number of decimal digits.

    `absorbed` says whether, since it was last set to False, a term of a sum was so small beside the
    other that it left no trace: by as many digits as are carried, or by `gap` digits.
    """

    def __init__(self, function: Any, digits: int, gap: int | None = None) -> None:
        self._instructions = Instructions(function)
        self._context = MPContext()
        self._context.dps = digits
        self._gap = (gap or digits) * self._context.prec // digits
        self._rules = _rules(self._context, self._sum, self._saturating)
        self.absorbed = False

    def number(self, value: Any) -> Number:
        """A number of any kind that mpmath takes."""
        return self._context.mpf(value)

    @property
    def matrix(self) -> Any:
        """What makes matrices of rows of numbers."""
        return self._context.matrix

    def solved(self, A: Any, b: Any) -> list[Number]:
        """The solution x of A x = b.

        Raises:
            ZeroDivisionError: A is singular.
        """
        return list(self._context.lu_solve(A, b))

    def __call__(self, arguments: Sequence[Sequence[Number]]) -> list[list[list[Number]]]:
        """Each output as rows of numbers.

        Raises:
            Unsupported: a function has no value here, or is not known.
        """
        zero, number = self._context.zero, self._context.mpf
        shapes = self._instructions.shapes
        results = [[[zero] * columns for _ in range(rows)] for rows, columns in shapes]
        for output, row, column, value in self._instructions.carried_out(
            constant=number,
            argument=lambda k, entry: number(arguments[k][entry]),
            operation=self._operation,
        ):
            if not self._context.isfinite(value):
                raise Unsupported
            results[output][row][column] = value
        return results

    def _operation(self, code: int, operands: list[Number]) -> Number:
        """The result, NaN where there is none: a branch that is not taken may have none."""
        rule = self._rules.get(code)
        if rule is None:
            raise Unsupported
        if not all(self._context.isfinite(x) for x in operands) and code not in _CHOOSING:
            return self._context.nan
        try:
            value = rule(*operands)
        except (ArithmeticError, ValueError, Unsupported):
            return self._context.nan
        return self._context.nan if isinstance(value, self._context.mpc) else self._context.mpf(value)

    def _sum(self, x: Number, y: Number) -> Number:
        if x and y and abs(self._context.mag(x) - self._context.mag(y)) > self._gap:
            self.absorbed = True
        return x + y

    def _saturating(self, function: Callable[[Number], Number]) -> Callable[[Number], Number]:
        """A function that comes close to 1, which absorbs what it lacks."""

        def saturating(x: Number) -> Number:
            value = function(x)
            if abs(value) == 1:
                self.absorbed = True
            return value

        return saturating


_CHOOSING = (casadi.OP_IF_ELSE_ZERO,)


def _rules(
    context: Any,
    add: Callable[[Number, Number], Number],
    saturating: Callable[[Callable[[Number], Number]], Callable[[Number], Number]],
) -> dict[int, Callable[..., Number]]:
    """What each instruction does."""

    def near(function: Callable[[Number], Number]) -> Callable[[Number], Number]:
        def guarded(x: Number) -> Number:
            if x and context.mag(x) > FAR:
                raise Unsupported
            return function(x)

        return guarded

    def power(x: Number, y: Number) -> Number:
        if y and context.mag(y) > FAR:
            raise Unsupported
        return x**y

    waves = {"SIN": "sin", "COS": "cos", "TAN": "tan", "EXP": "exp", "SINH": "sinh", "COSH": "cosh",
             "EXPM1": "expm1"}  # fmt: skip
    others = {"ASIN": "asin", "ACOS": "acos", "ATAN": "atan", "ASINH": "asinh", "ACOSH": "acosh",
              "ATANH": "atanh", "ATAN2": "atan2", "SQRT": "sqrt", "LOG": "log", "LOG1P": "log1p",
              "FLOOR": "floor", "CEIL": "ceil", "SIGN": "sign"}  # fmt: skip
    return {
        casadi.OP_ASSIGN: lambda x: x,
        casadi.OP_ADD: add,
        casadi.OP_SUB: lambda x, y: add(x, -y),
        casadi.OP_MUL: lambda x, y: x * y,
        casadi.OP_DIV: lambda x, y: x / y,
        casadi.OP_NEG: lambda x: -x,
        casadi.OP_SQ: lambda x: x * x,
        casadi.OP_TWICE: lambda x: 2 * x,
        casadi.OP_INV: lambda x: 1 / x,
        casadi.OP_POW: power,
        casadi.OP_CONSTPOW: power,
        casadi.OP_TANH: saturating(near(context.tanh)),
        casadi.OP_ERF: saturating(near(context.erf)),
        casadi.OP_FABS: abs,
        casadi.OP_FMIN: min,
        casadi.OP_FMAX: max,
        casadi.OP_LT: lambda x, y: x < y,
        casadi.OP_LE: lambda x, y: x <= y,
        casadi.OP_EQ: lambda x, y: x == y,
        casadi.OP_NE: lambda x, y: x != y,
        casadi.OP_NOT: lambda x: not x,
        casadi.OP_AND: lambda x, y: bool(x) and bool(y),
        casadi.OP_OR: lambda x, y: bool(x) or bool(y),
        casadi.OP_IF_ELSE_ZERO: lambda x, y: y if x else context.zero,
        **{getattr(casadi, f"OP_{code}"): near(getattr(context, name)) for code, name in waves.items()},
        **{getattr(casadi, f"OP_{code}"): getattr(context, name) for code, name in others.items()},
    }
