"""The range of an expression over a cell, by intervals: what no points between points can leave.

Ranges of parts give those of sums, products, powers and functions. They are wider than the true ones,
less so on small cells. Rounding is not looked after: they tell where points may have missed something,
and prove nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import NamedTuple

import sympy

from routh.language.walk import bottom_up


class Hull(NamedTuple):
    """All values between two numbers."""

    low: float
    high: float


EVERYTHING = Hull(-math.inf, math.inf)

_RISING: dict[object, Callable[[float], float]] = {
    sympy.exp: math.exp,
    sympy.log: math.log,
    sympy.sinh: math.sinh,
    sympy.tanh: math.tanh,
    sympy.asinh: math.asinh,
    sympy.atan: math.atan,
    sympy.asin: math.asin,
    sympy.erf: math.erf,
}


def hull(value: sympy.Expr, cell: Mapping[sympy.Basic, Hull]) -> Hull:
    """The range of an expression in the symbols of a cell; everything where that is not known."""
    found: dict[sympy.Basic, Hull] = dict(cell)
    try:
        return bottom_up(value, _of_node, found)
    except (ArithmeticError, ValueError):  # a pole, or a root of something below zero
        return EVERYTHING


def _of_node(node: sympy.Basic, parts: list[Hull]) -> Hull:
    if node.is_number:
        number = float(node)
        return Hull(number, number)
    if node.is_Add:
        return Hull(sum(p.low for p in parts), sum(p.high for p in parts))
    if node.is_Mul:
        found = parts[0]
        for part in parts[1:]:
            found = _product(found, part)
        return found
    if node.is_Pow:
        return _power(parts[0], parts[1])
    if node.func in _RISING:
        rising = _RISING[node.func]
        return Hull(rising(parts[0].low), rising(parts[0].high))
    if isinstance(node, sympy.acos):
        return Hull(math.acos(parts[0].high), math.acos(parts[0].low))
    if isinstance(node, (sympy.cos, sympy.sin)):
        turn = math.pi / 2 if isinstance(node, sympy.sin) else 0.0
        return _cosine(parts[0].low - turn, parts[0].high - turn)
    if isinstance(node, (sympy.Abs, sympy.cosh)):
        of = abs if isinstance(node, sympy.Abs) else math.cosh
        ends = [of(parts[0].low), of(parts[0].high)]
        return Hull(of(0.0) if parts[0].low < 0 < parts[0].high else min(ends), max(ends))
    return EVERYTHING


def _product(a: Hull, b: Hull) -> Hull:
    every = [0.0 if 0.0 in (x, y) else x * y for x in a for y in b]
    return Hull(min(every), max(every))


def _power(base: Hull, exponent: Hull) -> Hull:
    if exponent.low != exponent.high:
        log = Hull(math.log(base.low), math.log(base.high))
        return Hull(*map(math.exp, _product(log, exponent)))
    p = exponent.low
    passes = base.low <= 0 <= base.high
    if passes and p < 0:
        return EVERYTHING
    ends = [base.low**p, base.high**p]
    if not all(isinstance(x, float) for x in ends):  # complex: a root of something below zero
        return EVERYTHING
    return Hull(0.0 if passes and p % 2 != 1 else min(ends), max(ends))


def _cosine(low: float, high: float) -> Hull:
    if not high - low < 2 * math.pi:
        return Hull(-1.0, 1.0)
    ends = [math.cos(low), math.cos(high)]
    top = math.floor(high / (2 * math.pi)) > math.ceil(low / (2 * math.pi)) - 1
    bottom = (
        math.floor((high - math.pi) / (2 * math.pi)) > math.ceil((low - math.pi) / (2 * math.pi)) - 1
    )
    return Hull(-1.0 if bottom else min(ends), 1.0 if top else max(ends))
