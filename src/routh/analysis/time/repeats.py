"""Whether a function of time repeats, shown by its structure, not by samples.

A period later every node is the same, or has changed its sign, or has grown by a constant: time by the
period, a sum by the sum of what its terms have grown by, a sine of what has grown by whole turns not at
all. Where none of these is found nothing is known.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
import sympy

from routh.analysis.time.enclosure import enclosed
from routh.arrays import Array, Mask
from routh.language.derivation import explicit_rate
from routh.language.symbols import t
from routh.language.walk import contains_time
from routh.numerics.intervals import Strip

WHOLE = 1e-9
"""Distance from a whole number of turns that is rounding of the period and of frequencies."""

MULTIPLES = 12
"""Multiples of the longest turn of a function that may be its period."""

ODD = (sympy.sin, sympy.tan, sympy.sinh, sympy.tanh, sympy.asin, sympy.atan, sympy.asinh, sympy.atanh,
       sympy.erf, sympy.sign)  # fmt: skip
EVEN = (sympy.cos, sympy.cosh, sympy.Abs, sympy.sinc)


@dataclass(frozen=True, eq=False)
class After:
    """What a node is a period later, for every row: it has grown by `by`, or changed its sign."""

    by: Array
    """NaN where it has not grown by a constant."""
    flips: Mask

    @property
    def same(self) -> Mask:
        """Where it is the same."""
        return np.asarray(self.by == 0)


def repeats(function: sympy.Basic, parameters: Sequence[sympy.Symbol], p: Array, period: Array) -> Mask:
    """(N,) where a function of time is shown to be the same, or of other sign, a period later."""
    found = _later(function, parameters, p, period)[function]
    return np.asarray(found.same | found.flips)


def same_after(
    function: sympy.Basic, parameters: Sequence[sympy.Symbol], p: Array, period: Array
) -> Mask:
    """(N,) where a function of time is shown to be the same a period later."""
    return _later(function, parameters, p, period)[function].same


def period_of(function: sympy.Basic, parameters: Sequence[sympy.Symbol], p: Array) -> float:
    """A period of a function of time for one row of numbers; infinity if none is shown."""
    turns = []
    for node in sympy.preorder_traversal(function):
        if isinstance(node, (sympy.sin, sympy.cos, sympy.tan, sympy.floor, sympy.ceiling, sympy.Mod)):
            rate = explicit_rate(node.args[0])
            if rate == 0 or contains_time(rate):
                continue
            turn = {sympy.tan: sympy.pi, sympy.Mod: node.args[-1]}.get(node.func, 2 * sympy.pi)
            turn = sympy.S.One if isinstance(node, (sympy.floor, sympy.ceiling)) else turn
            turns.append(abs(float(_number(turn / rate, parameters, p)[0])))
    for longest in sorted({x for x in turns if np.isfinite(x) and x > 0}, reverse=True)[:1]:
        for k in range(1, MULTIPLES + 1):
            if repeats(function, parameters, p, np.full(1, k * longest))[0]:
                return k * longest
    return np.inf


def _number(value: sympy.Expr, parameters: Sequence[sympy.Symbol], p: Array) -> Array:
    """(N,) an expression of parameters."""
    zero = np.zeros(len(p))
    table: dict[sympy.Basic, Strip] = {t: Strip(zero, zero, zero)}
    table |= {each: Strip(p[:, k], p[:, k], zero) for k, each in enumerate(parameters)}
    found = enclosed(value, table)[value]
    with np.errstate(invalid="ignore"):
        return np.asarray((found.lo + found.hi) / 2)


def _later(
    function: sympy.Basic, parameters: Sequence[sympy.Symbol], p: Array, period: Array
) -> dict[sympy.Basic, After]:
    zero, never = np.zeros(len(p)), np.zeros(len(p), dtype=bool)
    found: dict[sympy.Basic, After] = {t: After(np.asarray(period, dtype=float), never)}
    for node in sympy.postorder_traversal(function):
        if node in found:
            continue
        if not contains_time(node):
            found[node] = After(zero, never)
            continue
        own = [found[part] for part in node.args]
        with np.errstate(invalid="ignore"):
            found[node] = _node(node, own, lambda value: _number(value, parameters, p))
    return found


def _node(node: sympy.Basic, own: list[After], number: Callable[[sympy.Expr], Array]) -> After:
    every = np.logical_and.reduce([x.same for x in own])
    same = After(np.where(every, 0.0, np.nan), np.zeros_like(every))
    more = _grown(node, own, number)
    if more is None:
        return same
    return After(np.where(every, 0.0, more.by), more.flips & ~every)


def _grown(node: Any, own: list[After], number: Callable[[sympy.Expr], Array]) -> After | None:
    """What a node is later whose parts are not all the same; None where nothing is known."""
    flips = own[0].flips
    none = np.full(flips.shape, np.nan)
    if node.is_Add:
        by, size = (np.sum([f(x.by) for x in own], axis=0) for f in (np.asarray, np.abs))
        by = np.where(np.abs(by) <= WHOLE * size, 0.0, by)
        return After(by, np.logical_and.reduce([x.flips for x in own]))
    if node.is_Mul:
        odd = reduce(np.logical_xor, [x.flips for x in own])
        known = np.logical_and.reduce([x.same | x.flips for x in own])
        moving = [k for k, part in enumerate(node.args) if contains_time(part)]
        by = np.where(known & ~odd, 0.0, np.nan)
        if len(moving) == 1:
            others = sympy.Mul(*(part for k, part in enumerate(node.args) if k != moving[0]))
            by = np.where(known, by, own[moving[0]].by * number(others))
        return After(by, known & odd)
    if node.is_Pow and node.exp.is_Integer:
        even = int(node.exp) % 2 == 0
        return After(np.where(flips & even, 0.0, np.nan), flips & (not even))
    if isinstance(node, (sympy.sin, sympy.cos, sympy.tan)):
        turns = own[0].by / np.pi
        whole = np.abs(turns - np.round(turns)) <= WHOLE * np.maximum(1.0, np.abs(turns))
        odd = whole & (np.round(turns) % 2 == 1) & (not isinstance(node, sympy.tan))
        back = flips & isinstance(node, sympy.cos)
        turned = flips & isinstance(node, (sympy.sin, sympy.tan))
        return After(np.where((whole & ~odd) | back, 0.0, np.nan), odd | turned)
    if isinstance(node, (sympy.floor, sympy.ceiling)):
        steps = np.round(own[0].by)
        whole = np.abs(own[0].by - steps) <= WHOLE * np.maximum(1.0, np.abs(steps))
        return After(np.where(whole, steps, np.nan), flips & False)
    if isinstance(node, sympy.Mod):
        turns = own[0].by / number(node.args[1])
        whole = np.abs(turns - np.round(turns)) <= WHOLE * np.maximum(1.0, np.abs(turns))
        return After(np.where(whole & own[1].same, 0.0, np.nan), flips & False)
    if isinstance(node, EVEN):
        return After(np.where(flips, 0.0, np.nan), flips & False)
    if isinstance(node, ODD):
        return After(none, flips)
    return None
