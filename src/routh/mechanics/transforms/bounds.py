"""Bounds of expressions over intervals, also unbounded ones, with every rounding enclosed.

mpmath's intervals, each branch of the graph once. What has no real value anywhere in an interval, like
the logarithm of negative numbers, is told apart from what has bounds.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sympy
from mpmath.ctx_iv import MPIntervalContext

from routh.language.symbols import Let
from routh.language.walk import bottom_up, meant

Interval = Any
"""An interval of mpmath, which ships no types."""

INTERVALS = MPIntervalContext()
INTERVALS.dps = 20

EVERYWHERE = INTERVALS.mpf(["-inf", "inf"])
POSITIVE = INTERVALS.mpf([0, "inf"])

_PLAIN = {sympy.sin: "sin", sympy.cos: "cos", sympy.tan: "tan", sympy.exp: "exp"}


class Outside(Exception):
    """The expression has no real value anywhere in the interval."""


class Unbounded(Exception):
    """No bounds are known: some of the interval has no value, or a function is not known."""


def bounds(expression: sympy.Expr, values: Mapping[sympy.Basic, Interval]) -> Interval:
    """Bounds of an expression for symbols within intervals.

    Raises:
        Outside: it has no real value there.
        Unbounded: bounds are not known.
    """
    return bottom_up(expression, _bounds, dict(values), meant)


def _bounds(node: sympy.Basic, parts: list[Interval]) -> Interval:
    if isinstance(node, Let):
        return parts[0]
    if node.is_Rational:
        return INTERVALS.mpf(int(node.p)) / int(node.q)
    if node.is_Float:
        return INTERVALS.mpf(INTERVALS.make_mpf((node._mpf_, node._mpf_)))
    if node is sympy.pi or node is sympy.E:
        return INTERVALS.pi + 0 if node is sympy.pi else INTERVALS.e + 0
    if node.is_Add:
        return sum(parts[1:], parts[0])
    if node.is_Mul:
        total = parts[0]
        for part in parts[1:]:
            total = total * part
        return total
    if node.is_Pow:
        return _power(node, parts[0])
    return _function(node, parts)


def _power(node: sympy.Basic, base: Interval) -> Interval:
    exponent = node.exp
    if exponent.is_Integer:
        n = abs(int(exponent))
        power = base**n
        if exponent > 0:
            return power
        if n % 2 == 0 or base.a >= 0 or base.b <= 0:
            return 1 / power
        return EVERYWHERE
    if not exponent.is_Rational:
        raise Unbounded
    if base.b < 0:
        raise Outside
    if base.a < 0:
        raise Unbounded
    ends = [_root(end, abs(exponent)) for end in (base.a, base.b)]
    power = INTERVALS.mpf([ends[0].a, ends[1].b])
    return power if exponent > 0 else 1 / power


def _root(end: Interval, exponent: sympy.Rational) -> Interval:
    if end in (0, INTERVALS.inf):
        return end
    return INTERVALS.exp(INTERVALS.log(end) * int(exponent.p) / int(exponent.q))


def _function(node: sympy.Basic, parts: list[Interval]) -> Interval:
    if not parts:
        raise Unbounded
    x = parts[0]
    if node.func in _PLAIN:
        return getattr(INTERVALS, _PLAIN[node.func])(x)
    if isinstance(node, sympy.log):
        if x.b <= 0:
            raise Outside
        if x.a < 0:
            raise Unbounded
        return INTERVALS.log(x)
    if isinstance(node, sympy.Abs):
        return abs(x)
    if isinstance(node, sympy.sign):
        return INTERVALS.mpf([1 if x.a > 0 else -1, -1 if x.b < 0 else 1])
    if isinstance(node, sympy.cosh):
        low, high = (_cosh(end) for end in (x.a, x.b))
        top = low if low.b > high.b else high
        least = INTERVALS.mpf(1) if x.a <= 0 <= x.b else (low if low.a < high.a else high)
        return INTERVALS.mpf([least.a, top.b])
    if isinstance(node, sympy.sinh):
        return INTERVALS.mpf([_sinh(x.a).a, _sinh(x.b).b])
    if isinstance(node, sympy.tanh):
        return INTERVALS.mpf([_tanh(x.a).a, _tanh(x.b).b])
    raise Unbounded


def _cosh(end: Interval) -> Interval:
    return (INTERVALS.exp(end) + INTERVALS.exp(-end)) / 2


def _sinh(end: Interval) -> Interval:
    return (INTERVALS.exp(end) - INTERVALS.exp(-end)) / 2


def _tanh(end: Interval) -> Interval:
    return 1 - 2 / (INTERVALS.exp(2 * end) + 1)
