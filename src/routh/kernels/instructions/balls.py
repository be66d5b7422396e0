"""Compiled functions in ball arithmetic, by Arb (python-flint): every result encloses the exact one."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

import casadi
import sympy
from flint import arb, fmpq

from routh.errors import DerivationError, OutsideError
from routh.kernels.instructions.carried_out import Instructions

Ball = Any
"""An `arb`; python-flint ships no types."""

SHORT = 2**20
"""Whole numbers and halves up to this size are exact in all that CasADi does with them."""

LONGEST = 26
"""Bits that a constant of a graph may have: longer ones may have been rounded when folded."""


class Program:
    """The instructions of a CasADi function, carried out on balls.

    Only one argument varies, that for which `fixed` holds None. What does not depend on it is computed
    once, and what is multiplied by an exact zero is left out.
    """

    def __init__(self, function: Any, fixed: Sequence[Sequence[Ball] | None]) -> None:
        instructions = Instructions(function)
        self._shapes = instructions.shapes
        self._fixed = fixed
        self._values: list[Ball | None] = []
        """For each result of an instruction its ball, None if it varies."""
        self._reads: list[tuple[int, int]] = []
        """Results that are entries of the argument, and which."""
        self._all: dict[int, tuple[Callable[..., Ball], list[int]]] = {}
        """The steps to results that vary: rules, and the results they take."""
        self._outputs = list(
            instructions.carried_out(
                constant=lambda value: self._known(_short(value)),
                argument=self._argument,
                operation=self._operation,
            )
        )
        self._steps = self._needed()

    def _known(self, value: Ball | None) -> int:
        self._values.append(value)
        return len(self._values) - 1

    def _argument(self, k: int, place: int) -> int:
        given = self._fixed[k]
        if given is not None:
            return self._known(given[place])
        number = self._known(None)
        self._reads.append((number, place))
        return number

    def _operation(self, code: int, operands: list[int]) -> int:
        """The result of an instruction: known, another one, or a step to be taken."""
        if code not in _RULES:
            raise DerivationError(
                "A proof works with smooth functions: + - * / **, roots, trigonometric and hyperbolic"
                " functions and their inverses, exp, log, erf. The equations contain another, like Abs,"
                " Max or Piecewise."
            )
        values = [self._values[x] for x in operands]
        if all(value is not None for value in values):
            return self._known(_RULES[code](*values))
        zero = [value is not None and value.is_zero() for value in values]
        if any(zero) and code == casadi.OP_MUL:
            return self._known(arb(0))
        if any(zero) and code == casadi.OP_ADD:
            return operands[1] if zero[0] else operands[0]
        if code == casadi.OP_SUB and zero[1]:
            return operands[0]
        number = self._known(None)
        self._all[number] = (_RULES[code], operands)
        return number

    def _needed(self) -> list[tuple[int, Callable[..., Ball], list[int]]]:
        """The steps that outputs depend on, in order."""
        needed = set()
        stack = [source for *_, source in self._outputs]
        while stack:
            number = stack.pop()
            if number in self._all and number not in needed:
                needed.add(number)
                stack.extend(self._all[number][1])
        return [(number, *self._all[number]) for number in sorted(needed)]

    def __call__(self, argument: Sequence[Ball]) -> list[list[list[Ball]]]:
        """Each output as rows of balls."""
        work = list(self._values)
        for number, place in self._reads:
            work[number] = argument[place]
        for number, rule, operands in self._steps:
            if len(operands) == 2:
                work[number] = rule(work[operands[0]], work[operands[1]])
            else:
                work[number] = rule(work[operands[0]])
        zero = arb(0)
        results = [[[zero] * columns for _ in range(rows)] for rows, columns in self._shapes]
        for output, row, column, source in self._outputs:
            results[output][row][column] = work[source]
        return results


def _short(value: float) -> Ball:
    """A constant of the graph that cannot have been rounded: it has few digits."""
    numerator, _ = value.as_integer_ratio()
    if abs(numerator).bit_length() > LONGEST:
        raise DerivationError(
            f"No proof: the constant {value!r} of the equations may have been rounded. Write it as a"
            " parameter."
        )
    return arb(value)


def ball_of(number: sympy.Basic) -> Ball:
    """A number of the model, or an expression of numbers alone, as a ball."""
    if number.is_Rational:
        return arb(fmpq(int(number.p), int(number.q)))
    if number.is_Float:
        exact = sympy.Rational(number)
        return arb(fmpq(int(exact.p), int(exact.q)))
    if number in _CONSTANTS:
        return _CONSTANTS[number]()
    if number.is_Add or number.is_Mul:
        parts = [ball_of(part) for part in number.args]
        return reduce(operator.add if number.is_Add else operator.mul, parts)
    if number.is_Pow:
        if number.exp == sympy.S.Half:
            return ball_of(number.base).sqrt()
        return _power(ball_of(number.base), ball_of(number.exp))
    if number.func in _FUNCTIONS:
        return getattr(arb, _FUNCTIONS[number.func])(*(ball_of(part) for part in number.args))
    raise DerivationError(f"No proof: the number {number} of the model has no enclosure.")


_CONSTANTS: dict[sympy.Basic, Callable[[], Ball]] = {
    sympy.pi: arb.pi, sympy.E: arb.const_e, sympy.EulerGamma: arb.const_euler
}  # fmt: skip

_FUNCTIONS = {
    getattr(sympy, name): name
    for name in (
        "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh",
        "atanh", "exp", "log", "erf",
    )
}  # fmt: skip


def _atan2(y: Ball, x: Ball) -> Ball:
    """Not finite where the values jump."""
    return arb.nan() if y.contains(0) and not x > 0 else arb.atan2(y, x)


def _square(x: Ball) -> Ball:
    """Never negative, also around zero, where Arb's own power gives up."""
    top: Ball = x.abs_upper()
    return arb(0).union(top * top) if x.contains(0) else x * x


def _whole_power(x: Ball, n: int) -> Ball:
    if n < 0:
        return 1 / _whole_power(x, -n)
    if n < 2:
        return x if n else arb(1)
    return x * _whole_power(x, n - 1) if n % 2 else _square(_whole_power(x, n // 2))


def _power(base: Ball, exponent: Ball) -> Ball:
    if exponent.is_exact() and exponent.is_integer() and abs(exponent) <= SHORT:
        return _whole_power(base, int(exponent.unique_fmpz()))
    if base < 0 and exponent.is_finite() and not exponent.contains_integer():
        raise OutsideError
    return base**exponent


def _root(x: Ball) -> Ball:
    if x < 0:
        raise OutsideError
    return x.sqrt()


def _logarithm(x: Ball) -> Ball:
    if x <= 0:
        raise OutsideError
    return x.log()


def _up_to_one(name: str) -> Callable[[Ball], Ball]:
    """An inverse function of numbers from -1 to 1."""
    function = _method(name)

    def inverse(x: Ball) -> Ball:
        if abs(x) > 1:
            raise OutsideError
        return function(x)

    return inverse


def _acosh(x: Ball) -> Ball:
    if x < 1:
        raise OutsideError
    return x.acosh()


def _method(name: str) -> Callable[[Ball], Ball]:
    function: Callable[[Ball], Ball] = getattr(arb, name)
    return function


_RULES: dict[int, Callable[..., Ball]] = {
    casadi.OP_ASSIGN: lambda x: x,
    casadi.OP_ADD: lambda x, y: x + y,
    casadi.OP_SUB: lambda x, y: x - y,
    casadi.OP_MUL: lambda x, y: x * y,
    casadi.OP_DIV: lambda x, y: x / y,
    casadi.OP_NEG: lambda x: -x,
    casadi.OP_SQ: _square,
    casadi.OP_TWICE: lambda x: 2 * x,
    casadi.OP_INV: lambda x: 1 / x,
    casadi.OP_POW: _power,
    casadi.OP_CONSTPOW: _power,
    casadi.OP_ATAN2: _atan2,
    casadi.OP_SQRT: _root,
    casadi.OP_LOG: _logarithm,
    casadi.OP_ACOSH: _acosh,
    **{
        code: _up_to_one(name)
        for code, name in {
            casadi.OP_ASIN: "asin",
            casadi.OP_ACOS: "acos",
            casadi.OP_ATANH: "atanh",
        }.items()
    },
    **{
        code: _method(name)
        for code, name in {
            casadi.OP_SIN: "sin",
            casadi.OP_COS: "cos",
            casadi.OP_TAN: "tan",
            casadi.OP_ATAN: "atan",
            casadi.OP_SINH: "sinh",
            casadi.OP_COSH: "cosh",
            casadi.OP_TANH: "tanh",
            casadi.OP_ASINH: "asinh",
            casadi.OP_EXP: "exp",
            casadi.OP_EXPM1: "expm1",
            casadi.OP_LOG1P: "log1p",
            casadi.OP_ERF: "erf",
        }.items()
    },
}
