"""Expressions over whole intervals of their symbols: bounds instead of samples.

A first pass over real intervals decides which branch of each function put together of pieces holds; a
second one over strips of the complex plane bounds that branch where it is continued.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
import sympy
from sympy.functions.elementary.piecewise import ExprCondPair

from routh.arrays import Array, Mask
from routh.language.walk import bottom_up
from routh.numerics.intervals import Strip, constant, hull, interval, whole


@dataclass(frozen=True, eq=False)
class Truth:
    """Where a condition surely holds, and where it surely does not."""

    yes: Mask
    no: Mask


Values = dict[sympy.Basic, Any]
"""A `Strip`, or for a condition a `Truth`, for each node of an expression."""


def enclosed(
    expression: sympy.Basic, leaves: Mapping[sympy.Basic, Strip], real: Values | None = None
) -> Values:
    """The bounds of every node of an expression, from those of its symbols.

    Symbols without bounds may be any real number. With strips for symbols `real` is the answer for the
    real intervals that they surround.
    """
    like = next(iter(leaves.values())).lo
    found: Values = dict(leaves)
    bottom_up(
        expression,
        lambda node, parts: _node(node, parts, real, like),
        found,
        lambda node: () if isinstance(node, sympy.Integral) else tuple(node.args),
    )
    return found


def _node(node: sympy.Basic, parts: list[Any], real: Values | None, like: Array) -> Any:
    if node.is_number and not node.args:
        return _number(node, like)
    if node in (sympy.true, sympy.false):
        yes = np.full(like.shape, node is sympy.true)
        return Truth(yes, ~yes)
    if not node.args or isinstance(node, sympy.Integral):
        return interval(-np.inf, np.inf, like)
    decided = parts if real is None else [real[part] for part in node.args]
    if node.is_Add or node.is_Mul:
        return reduce(lambda x, y: x + y if node.is_Add else x * y, parts)
    if node.is_Pow:
        return _power(node, parts)
    if node.func in _SMOOTH:
        return _SMOOTH[node.func](*parts)
    if node.func in _SWITCHED:
        found_here, undecided = _SWITCHED[node.func](parts, decided)
        # beside the axis a function that switches is none: its branches are, one at a time
        return found_here if real is None else found_here.where(~undecided, whole(like))
    if isinstance(node, ExprCondPair):
        return parts[0], decided[1]
    if node.func in _CONDITIONS:
        return _CONDITIONS[node.func](decided)
    return whole(like)


def _number(node: sympy.Basic, like: Array) -> Strip:
    value = float(node)
    if node.is_Float or sympy.Rational(value) == node:
        return constant(value, like)
    return interval(float(np.nextafter(value, -np.inf)), float(np.nextafter(value, np.inf)), like)


def _power(node: sympy.Basic, parts: list[Strip]) -> Strip:
    base, exponent = parts
    if node.exp.is_Integer:
        return base.power(int(node.exp))
    if node.exp.is_number and bool((exponent.lo == exponent.hi).all()):
        return base.real_power(exponent.lo)
    return (exponent * base.log()).exp()


def _angle(y: Strip, x: Strip) -> Strip:
    """atan2, where the real part of x is positive or that of y has a sign."""
    quarter = interval(np.pi / 2, np.nextafter(np.pi / 2, 2), x.lo)
    beside = -(x * y.reciprocal()).atan()
    found = (beside + quarter).where(y.lo > 0, (beside - quarter).where(y.hi < 0, whole(x.lo)))
    return (y * x.reciprocal()).atan().where(x.lo > 0, found)


_SMOOTH: dict[Any, Callable[..., Strip]] = {
    sympy.sin: Strip.sin,
    sympy.cos: Strip.cos,
    sympy.tan: Strip.tan,
    sympy.cot: lambda x: x.tan().reciprocal(),
    sympy.sec: lambda x: x.cos().reciprocal(),
    sympy.csc: lambda x: x.sin().reciprocal(),
    sympy.asin: Strip.asin,
    sympy.acos: Strip.acos,
    sympy.atan: Strip.atan,
    sympy.acot: lambda x: x.reciprocal().atan(),
    sympy.atan2: _angle,
    sympy.sinh: Strip.sinh,
    sympy.cosh: Strip.cosh,
    sympy.tanh: Strip.tanh,
    sympy.coth: lambda x: x.tanh().reciprocal(),
    sympy.asinh: Strip.asinh,
    sympy.acosh: Strip.acosh,
    sympy.atanh: Strip.atanh,
    sympy.exp: Strip.exp,
    sympy.log: lambda x, base=None: x.log() if base is None else x.log() * base.log().reciprocal(),
    sympy.sinc: Strip.sinc,
    sympy.erf: Strip.erf,
}


def _zeros(x: Strip) -> Mask:
    return np.asarray((x.lo == 0) & (x.hi == 0))


def _undecided(x: Strip) -> Mask:
    """Where a number may be on either side of zero."""
    return np.asarray((x.lo <= 0) & (x.hi >= 0) & ~_zeros(x))


Switched = tuple[Strip, Mask]
"""The bounds of a function that switches, and where it is not known on which side it is."""


def _step(below: float, decided: Strip, at_zero: Strip) -> Switched:
    """One above zero."""
    sides = [constant(x, decided.lo) for x in (below, 1.0)]
    either = hull(hull(*sides), at_zero)
    found = sides[1].where(decided.lo > 0, sides[0].where(decided.hi < 0, either))
    return at_zero.where(_zeros(decided), found), _undecided(decided)


def _sign(parts: list[Any], decided: list[Any]) -> Switched:
    return _step(-1.0, decided[0], constant(0.0, parts[0].lo))


def _heaviside(parts: list[Any], decided: list[Any]) -> Switched:
    at_zero = parts[1] if len(parts) > 1 else constant(0.5, parts[0].lo)
    return _step(0.0, decided[0], at_zero)


def _absolute(parts: list[Any], decided: list[Any]) -> Switched:
    x, y = parts[0], decided[0]
    both = Strip(np.zeros_like(x.lo), x.mag, x.im)
    return x.where(y.lo >= 0, (-x).where(y.hi <= 0, both)), (y.lo < 0) & (y.hi > 0)


def _extreme(parts: list[Any], decided: list[Any], sign: int) -> Switched:
    """The largest (sign 1) or the smallest (-1) of several."""
    x, y = parts[0], decided[0]
    pick = np.maximum if sign > 0 else np.minimum
    undecided = np.zeros(x.lo.shape, dtype=bool)
    for other, known in zip(parts[1:], decided[1:], strict=True):
        first = (y.lo >= known.hi) if sign > 0 else (y.hi <= known.lo)
        second = (known.lo >= y.hi) if sign > 0 else (known.hi <= y.lo)
        mixed = Strip(pick(x.lo, other.lo), pick(x.hi, other.hi), np.maximum(x.im, other.im))
        x = x.where(first, other.where(second, mixed))
        y = Strip(pick(y.lo, known.lo), pick(y.hi, known.hi), np.zeros_like(y.lo))
        undecided = (undecided & ~second) | ~(first | second)
    return x, undecided


def _rounded(function: Callable[[Array], Array]) -> Callable[[list[Any], list[Any]], Switched]:
    def rounded(_: list[Any], decided: list[Any]) -> Switched:
        lo, hi = function(decided[0].lo), function(decided[0].hi)
        return Strip(lo, hi, np.zeros_like(lo)), lo != hi

    return rounded


def _remainder(parts: list[Any], decided: list[Any]) -> Switched:
    turns = decided[0] * decided[1].reciprocal()
    whole_turns, undecided = _rounded(np.floor)([], [turns])
    return parts[0] - parts[1] * whole_turns, undecided


def _piecewise(parts: list[Any], decided: list[Any]) -> Switched:
    """The hull of the branches that may hold."""
    like = parts[0][0].lo
    found = whole(like)
    count, left = np.zeros(like.shape), np.ones(like.shape, dtype=bool)
    for (value, _), (_, truth) in zip(parts, decided, strict=True):
        possible = left & ~truth.no
        found = hull(found, value).where(possible & (count > 0), value.where(possible, found))
        count = count + possible
        left = left & ~truth.yes
    return found, count != 1


_SWITCHED: dict[Any, Callable[[list[Any], list[Any]], Switched]] = {
    sympy.sign: _sign,
    sympy.Heaviside: _heaviside,
    sympy.Abs: _absolute,
    sympy.Max: lambda parts, decided: _extreme(parts, decided, 1),
    sympy.Min: lambda parts, decided: _extreme(parts, decided, -1),
    sympy.floor: _rounded(np.floor),
    sympy.ceiling: _rounded(np.ceil),
    sympy.Mod: _remainder,
    sympy.Piecewise: _piecewise,
}


def _above(x: Strip, y: Strip) -> Truth:
    return Truth(x.lo > y.hi, x.hi <= y.lo)


def _same(x: Strip, y: Strip) -> Truth:
    equal = (x.lo == x.hi) & (y.lo == y.hi) & (x.lo == y.lo)
    return Truth(equal, (x.lo > y.hi) | (x.hi < y.lo))


def _not(x: Truth) -> Truth:
    return Truth(x.no, x.yes)


def _every(parts: list[Truth]) -> Truth:
    return Truth(
        np.logical_and.reduce([x.yes for x in parts]), np.logical_or.reduce([x.no for x in parts])
    )


_CONDITIONS: dict[Any, Callable[[list[Any]], Any]] = {
    sympy.Gt: lambda parts: _above(*parts),
    sympy.Lt: lambda parts: _above(*reversed(parts)),
    sympy.Le: lambda parts: _not(_above(*parts)),
    sympy.Ge: lambda parts: _not(_above(*reversed(parts))),
    sympy.Eq: lambda parts: _same(*parts),
    sympy.Ne: lambda parts: _not(_same(*parts)),
    sympy.And: _every,
    sympy.Or: lambda parts: _not(_every([_not(x) for x in parts])),
    sympy.Not: lambda parts: _not(parts[0]),
}
