"""Integrals over places as sums over Gauss points, where no rule closes them.

The places are brought to a unit cell, and factors that do not vary along it are taken out. What is left
must be without symbols: no number of points would serve all values of theirs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import sympy

from routh.language.matter.dividing import evaluator, sum_over_parts
from routh.language.walk import leaves

Limits = tuple[sympy.Symbol, sympy.Expr, sympy.Expr]


def unit_cell(limits: Sequence[Limits]) -> tuple[dict[sympy.Basic, sympy.Expr], list[sympy.Dummy]]:
    """The places as functions of a cell of ranges from 0 to 1, and its sides; inner ones first."""
    cell = [sympy.Dummy(u.name, nonnegative=True) for u, _, _ in limits]
    places: dict[sympy.Basic, sympy.Expr] = {}
    for x, (u, start, end) in reversed(list(zip(cell, limits, strict=True))):
        a, b = (bound.xreplace(places) for bound in (start, end))
        places[u] = a + (b - a) * x
    return places, cell


def separated(
    density: sympy.Expr, limits: Sequence[Limits]
) -> tuple[list[tuple[sympy.Expr, sympy.Expr]], list[sympy.Dummy]]:
    """Factors that do not vary times functions of a unit cell, which add up to a density; its sides."""
    places, cell = unit_cell(limits)
    whole = sympy.Mul(density, *(end - start for _, start, end in limits))
    spread = sympy.factor_terms(whole.xreplace(places), radical=True)
    constant, rest = spread.as_independent(*cell, as_Add=False)
    if not leaves([rest]) - set(cell):
        return [(constant, rest)], cell
    terms = (x.as_independent(*cell, as_Add=False) for x in sympy.Add.make_args(_opened(rest)))
    return [(constant * factor, function) for factor, function in terms], cell


def _opened(rest: sympy.Expr) -> sympy.Expr:
    """Products of sums multiplied out; nothing is done inside of functions."""
    return sympy.expand(rest, deep=False)


def cubature(density: sympy.Expr, limits: Sequence[Limits]) -> sympy.Expr | None:
    """The integral as a sum over Gauss points; None if that does not settle, or symbols stand in it."""
    parts, cell = separated(density, limits)
    found = []
    for factor, function in parts:
        value = None if leaves([function]) - set(cell) else sum_over_parts(function, cell)
        if value is None:
            return None
        found.append(factor * sympy.Float(value, 17))
    return sympy.Add(*found)


def sampled(
    value: sympy.Expr,
    cell: Sequence[sympy.Symbol],
    points: Iterable[Sequence[float]],
    values: Mapping[sympy.Symbol, float],
) -> list[float]:
    """The value at points of a cell, with numbers for all other symbols; NaN where it is not real."""
    real = evaluator(value, [*cell, *values])
    return [real((*point, *values.values())) for point in points]
