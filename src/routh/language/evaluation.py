"""Values of expressions with many digits, each branch of the graph once.

SymPy's `evalf` goes through an expression as a tree, and products of rotations are far larger as trees
than as graphs. Exponents have no bounds here, so that nothing small becomes zero. A number is told from
rounding by more digits: it stays, and rounding shrinks.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import sympy
from mpmath import MPContext

from routh.language.symbols import Let
from routh.language.walk import bottom_up, meant

Number = Any
"""An `mpf` of some context; mpmath ships no types."""

FAR = 64
"""Binary exponent of arguments beyond which a wave or an exponential takes too many digits."""

FEW, MANY = 100, 300
"""Digits of two evaluations that tell a number from rounding."""

SMALLER = 1e-60
"""Share that is left of rounding with many digits, at most; it is 1e-200 where nothing is divided."""

_PLAIN = {
    sympy.asin: "asin", sympy.acos: "acos", sympy.atan: "atan", sympy.atan2: "atan2",
    sympy.asinh: "asinh", sympy.acosh: "acosh", sympy.atanh: "atanh", sympy.log: "log",
    sympy.Abs: "fabs", sympy.sign: "sign", sympy.floor: "floor", sympy.ceiling: "ceil",
}  # fmt: skip

_NEAR = {
    sympy.sin: "sin", sympy.cos: "cos", sympy.tan: "tan", sympy.cot: "cot", sympy.sec: "sec",
    sympy.csc: "csc", sympy.exp: "exp", sympy.sinh: "sinh", sympy.cosh: "cosh", sympy.tanh: "tanh",
    sympy.coth: "coth", sympy.erf: "erf",
}  # fmt: skip
"""Functions that are taken of arguments of moderate size only."""


class _NoValue(Exception):
    """Something has no real, finite value here, or is a function that is not known."""


@lru_cache(maxsize=8)
def _context(digits: int) -> Any:
    """A context of mpmath of its own, which takes a while to make."""
    context = MPContext()
    context.dps = digits
    return context


class Evaluation:
    """Expressions at one point, with so many decimal digits.

    Arguments:
        values: a number for each symbol.
        digits: decimal digits that are carried.
        beyond: whether complex values on the way and at the end count.

    `absorbed` are terms of sums that are so small beside the largest that less than a third of their
    digits is left.
    """

    def __init__(self, values: Mapping[sympy.Basic, Any], digits: int, *, beyond: bool = False) -> None:
        self._beyond = beyond
        self.context = _context(digits)
        self._gap = 2 * self.context.prec // 3
        self._found: dict[sympy.Basic, Number] = {
            symbol: self.context.mpf(value) for symbol, value in values.items()
        }
        self.absorbed: list[sympy.Basic] = []

    def __call__(self, expression: sympy.Expr) -> Number | None:
        """The value, or None where there is no real and finite one."""
        try:
            return bottom_up(expression, self._checked, self._found, meant)
        except _NoValue:
            return None

    def _checked(self, node: sympy.Basic, parts: list[Number]) -> Number:
        try:
            value = self._value(node, parts)
        except (ArithmeticError, ValueError, TypeError):
            raise _NoValue from None
        unreal = isinstance(value, self.context.mpc) and not self._beyond
        if unreal or not self.context.isfinite(value):
            raise _NoValue
        return value

    def _value(self, node: sympy.Basic, parts: list[Number]) -> Number:
        if isinstance(node, Let):
            return parts[0]
        if node.is_Rational:
            return self.context.mpf(int(node.p)) / int(node.q)
        if node.is_Float:
            return self.context.mpf(node._mpf_)
        if node.is_Add:
            return self._sum(node, parts)
        if node.is_Mul:
            return self.context.fprod(parts)
        if node.is_Pow:
            return self._power(node, parts)
        if isinstance(node, (sympy.Max, sympy.Min)):
            return max(parts) if isinstance(node, sympy.Max) else min(parts)
        if isinstance(node, sympy.Integral):
            raise _NoValue
        return self._function(node, parts)

    def _sum(self, node: sympy.Basic, parts: list[Number]) -> Number:
        mag = self.context.mag
        largest = max((mag(part) for part in parts if part), default=0)
        self.absorbed += [
            term
            for term, part in zip(node.args, parts, strict=True)
            if part and largest - mag(part) > self._gap
        ]
        return self.context.fsum(parts)

    def _power(self, node: sympy.Basic, parts: list[Number]) -> Number:
        base, exponent = parts
        if node.exp.is_Integer:
            return base ** int(node.exp)
        if exponent and self.context.mag(exponent) > FAR:
            raise _NoValue
        return self.context.power(base, exponent)

    def _function(self, node: sympy.Basic, parts: list[Number]) -> Number:
        if node.func in _NEAR:
            if parts[0] and self.context.mag(parts[0]) > FAR:
                raise _NoValue
            return getattr(self.context, _NEAR[node.func])(parts[0])
        if node.func in _PLAIN:
            return getattr(self.context, _PLAIN[node.func])(*parts)
        if isinstance(node, sympy.Heaviside):
            return (1 + self.context.sign(parts[0])) / 2
        if node in (sympy.pi, sympy.E):
            return +(self.context.pi if node == sympy.pi else self.context.e)
        raise _NoValue


def is_zero_at(
    expression: sympy.Expr, values: Mapping[sympy.Basic, Any], *, beyond: bool = True
) -> bool | None:
    """Whether an expression vanishes at a point, to hundreds of digits; None where it has no value.

    The value may be complex if it may be `beyond`. One that contains a term which even those digits
    lose is not zero.
    """
    few, many = (Evaluation(values, digits, beyond=beyond) for digits in (FEW, MANY))
    a, b = few(expression), many(expression)
    if a is not None and b is not None and any(stays(few(term), many(term)) for term in many.absorbed):
        return False
    return _is_rounding(a, b)


def is_zero_near(expression: sympy.Expr, values: Mapping[sympy.Basic, Any]) -> bool | None:
    """The same of a real value that is told apart from what those digits lose; None where it is not."""
    few, many = (Evaluation(values, digits) for digits in (FEW, MANY))
    a, b = few(expression), many(expression)
    return None if many.absorbed else _is_rounding(a, b)


def _is_rounding(few: Number | None, many: Number | None) -> bool | None:
    if few is None or many is None:
        return None
    if stays(few, many):
        return False
    return True if shrinks(few, many) else None  # rounding that was divided by rounding is no value


def shrinks(few: Number, many: Number) -> bool:
    """Whether values with few and with many digits are roundings of zero."""
    return bool(abs(many) <= SMALLER * abs(few) or (few == 0 and abs(many) <= SMALLER))


def stays(few: Number | None, many: Number | None) -> bool:
    """Whether values with few and with many digits are those of one number, and no rounding of zero."""
    if few is None or many is None:
        return True
    return bool(many != 0 and abs(few - many) <= abs(many) / 1000)
