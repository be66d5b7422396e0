"""Integrals over places by Gauss points, where no rule closes them.

The places are brought to a unit cell. There the points are doubled until the sum changes no more when
the sides of the cell are divided and each part has as many points. Where symbols are left in the
density the sum is an expression in them, and that it is settled is looked at for a few values of
theirs: numbers far from 1 may need more points.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import pairwise

import numpy as np
import sympy

from routh.arrays import Array
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


def on_unit_cell(density: sympy.Expr, limits: Sequence[Limits]) -> tuple[sympy.Expr, list[sympy.Dummy]]:
    """The density over a cell of ranges from 0 to 1, and the places there; inner ranges come first."""
    cell = [sympy.Dummy(u.name, nonnegative=True) for u, _, _ in limits]
    places: dict[sympy.Basic, sympy.Expr] = {}
    lengths = []
    for x, (u, start, end) in reversed(list(zip(cell, limits, strict=True))):
        a, b = (bound.xreplace(places) for bound in (start, end))
        places[u] = a + (b - a) * x
        lengths.append(b - a)
    return sympy.Mul(density.xreplace(places), *lengths), cell


def cubature(density: sympy.Expr, limits: Sequence[Limits]) -> sympy.Expr | None:
    """The integral as a sum over Gauss points; None if that does not settle."""
    whole, cell = on_unit_cell(density, limits)
    spread = sympy.factor_terms(whole, radical=True)
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
    terms = sampled(rest, cell, points, dict(zip(others, values, strict=True))) * weights
    return float(terms.sum()), float(np.abs(terms).sum())


def sampled(
    value: sympy.Expr, cell: Sequence[sympy.Symbol], points: Array, values: dict[sympy.Symbol, float]
) -> Array:
    """The value at points (N, cell), with numbers for all other symbols; NaN where it is not real."""
    function = sympy.lambdify([list(cell), list(values)], value, modules="numpy", cse=True)
    with np.errstate(all="ignore"):
        found = np.asarray(function(points.T, list(values.values())), dtype=complex)
    found = np.broadcast_to(found, points.shape[:1])
    return np.where(np.abs(found.imag) <= 1e-12 * np.abs(found), found.real, np.nan)


DIVIDED = (0.0, 0.3819, 1.0)
"""Where sides are divided to look at a sum a second time: in halves what is odd would cancel twice."""


@cache
def _points(count: int, sides: int, parts: int = 1) -> tuple[Array, Array]:
    """Gauss points (N, sides) of the unit cell whose sides are in 1 or 2 parts, and weights (N,)."""
    x, w = np.polynomial.legendre.leggauss(count)
    edges = DIVIDED if parts == 2 else (0.0, 1.0)
    spans = [(a, b - a) for a, b in pairwise(edges)]
    x = np.concatenate([a + length * (x + 1) / 2 for a, length in spans])
    w = np.concatenate([length * w / 2 for _, length in spans])
    points = np.stack(np.meshgrid(*[x] * sides, indexing="ij"), axis=-1).reshape(-1, sides)
    weights = np.stack(np.meshgrid(*[w] * sides, indexing="ij"), axis=-1).reshape(-1, sides).prod(1)
    return points, weights
