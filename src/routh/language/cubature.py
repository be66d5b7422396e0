"""Integrals over places by Gauss points, where no rule closes them.

The places are brought to a unit cell. There the points are doubled until the sum changes no more when
the sides of the cell are divided and each part has as many points. Where symbols are left in the
density the sum is an expression in them, and that it is settled is looked at for a few values of
theirs: numbers far from 1 may need more points.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import pairwise, product
from math import cos, fsum, nan, pi, prod

import sympy

from routh.language.walk import leaves

MOST_POINTS = 2**15
"""Points of a sum of numbers."""

MOST_ASIDE = 256
"""Points along one side: more of them would help only where the density has a kink or is infinite."""

MOST_WRITTEN = 64
"""Points of a sum that is an expression."""

SETTLED = 1e-11
"""Largest change, relative to the sum of sizes, when the sides of the cell are divided."""

_DRAWS = (1.0, 0.6, 1.7)

Limits = tuple[sympy.Symbol, sympy.Expr, sympy.Expr]


def unit_cell(limits: Sequence[Limits]) -> tuple[dict[sympy.Basic, sympy.Expr], list[sympy.Dummy]]:
    """The places as functions of a cell of ranges from 0 to 1, and its sides; inner ones first."""
    cell = [sympy.Dummy(u.name, nonnegative=True) for u, _, _ in limits]
    places: dict[sympy.Basic, sympy.Expr] = {}
    for x, (u, start, end) in reversed(list(zip(cell, limits, strict=True))):
        a, b = (bound.xreplace(places) for bound in (start, end))
        places[u] = a + (b - a) * x
    return places, cell


def cubature(density: sympy.Expr, limits: Sequence[Limits]) -> sympy.Expr | None:
    """The integral as a sum over Gauss points; None if that does not settle."""
    places, cell = unit_cell(limits)
    whole = sympy.Mul(density, *(end - start for _, start, end in limits))
    spread = sympy.factor_terms(whole.xreplace(places), radical=True)
    constant, rest = spread.as_independent(*cell, as_Add=False)
    others = sorted(leaves([rest]) - set(cell), key=str)
    count = _settled(rest, cell, others)
    if count is None:
        return None
    if not others:
        return constant * sympy.Float(_sum(rest, cell, [], [], count, parts=2)[0], 17)
    points, weights = _points(count, len(cell))
    terms = (
        sympy.Float(w, 17)
        * rest.xreplace(dict(zip(cell, (sympy.Float(x, 17) for x in at), strict=True)))
        for at, w in zip(points, weights, strict=True)
    )
    return constant * sympy.Add(*terms)


def _settled(rest: sympy.Expr, cell: list[sympy.Dummy], others: Sequence[sympy.Symbol]) -> int | None:
    """Points along each side from which on more change nothing, for a few values of the others."""
    most = MOST_WRITTEN if others else MOST_POINTS
    draws = [
        [draw * (1 + 0.1 * k / (k + 1)) for k in range(len(others))]
        for draw in (_DRAWS if others else (1.0,))
    ]
    count = 4
    while count <= MOST_ASIDE and count ** len(cell) <= most:
        pairs = [(_sum(rest, cell, others, each, count), _sum(rest, cell, others, each, count, parts=2))
                 for each in draws]  # fmt: skip
        if all(abs(a[0] - b[0]) <= SETTLED * b[1] for a, b in pairs):
            return count
        count *= 2
    return None


def _sum(
    rest: sympy.Expr,
    cell: list[sympy.Dummy],
    others: Sequence[sympy.Symbol],
    values: Sequence[float],
    count: int,
    parts: int = 1,
) -> tuple[float, float]:
    """The sum, and that of the sizes of its terms."""
    points, weights = _points(count, len(cell), parts)
    found = sampled(rest, cell, points, dict(zip(others, values, strict=True)))
    terms = [w * value for w, value in zip(weights, found, strict=True)]
    return fsum(terms), fsum(map(abs, terms))


def sampled(
    value: sympy.Expr,
    cell: Sequence[sympy.Symbol],
    points: Iterable[Sequence[float]],
    values: Mapping[sympy.Symbol, float],
) -> list[float]:
    """The value at points of a cell, with numbers for all other symbols; NaN where it is not real."""
    function = sympy.lambdify([*cell, *values], value, modules="math", cse=True)

    def real(point: Sequence[float]) -> float:
        try:
            found = function(*point, *values.values())
        except (ArithmeticError, ValueError):  # a pole, or the root of a number below zero
            return nan
        return nan if isinstance(found, complex) else float(found)

    return [real(point) for point in points]


DIVIDED = (0.0, 0.3819, 1.0)
"""Where sides are divided to look at a sum a second time: in halves what is odd would cancel twice."""

_Points = tuple[list[tuple[float, ...]], list[float]]


@cache
def _points(count: int, sides: int, parts: int = 1) -> _Points:
    """Gauss points of the unit cell whose sides are in 1 or 2 parts, and their weights."""
    spans = [(a, b - a) for a, b in pairwise(DIVIDED if parts == 2 else (0.0, 1.0))]
    line = [(a + length * x, length * w) for a, length in spans for x, w in _gauss(count)]
    every = list(product(line, repeat=sides))
    return [tuple(x for x, _ in each) for each in every], [prod(w for _, w in each) for each in every]


@cache
def _gauss(count: int) -> list[tuple[float, float]]:
    """Points from 0 to 1 and weights: zeros of Legendre's polynomial by Newton's method.

    In plain numbers, since the language is used without arrays.
    """
    found = []
    for k in range(count):
        x = cos(pi * (k + 0.75) / (count + 0.5))
        for _ in range(MOST_NEWTON):
            value, slope = _legendre(count, x)
            x -= value / slope
            if abs(value) < 1e-15 * abs(slope):
                break
        _, slope = _legendre(count, x)
        found.append(((1 + x) / 2, 1 / ((1 - x * x) * slope**2)))
    return found


MOST_NEWTON = 10
"""Steps to a zero; three do from the guess of Tricomi."""


def _legendre(n: int, x: float) -> tuple[float, float]:
    """Legendre's polynomial of degree n and its slope."""
    before, value = 1.0, x
    for k in range(2, n + 1):
        before, value = value, ((2 * k - 1) * x * value - (k - 1) * before) / k
    return value, n * (x * value - before) / (x * x - 1)
