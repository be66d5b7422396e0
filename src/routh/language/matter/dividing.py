"""Integrals of functions over a unit cell, which is divided where the error is largest.

In each part two sums of different numbers of Gauss points are compared, and the values at the points
with those that the function could have by intervals: so a spike between points is found. In plain
numbers, since the language is used without arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from math import cos, fsum, inf, isfinite, nan, pi, prod

import sympy

from routh.language.matter.hulls import Hull, hull

POINTS = {1: (12, 15), 2: (7, 9), 3: (4, 5)}
"""Points along each side of a part, of the two sums, by the number of sides."""

MOST_PARTS = 2000
"""Parts of the cell: more of them would help only where the function has a kink or is infinite."""

SMALLEST = 2.0**-44
"""Of a part that is divided: near a pole there is no end to it."""

SETTLED = 1e-11
"""Largest error, relative to the integral of the size."""

UNSEEN = 0.01
"""Values may be so far off those at points, beside their spread; in units of the mean size."""

Corner = tuple[float, ...]


@dataclass(frozen=True)
class _Part:
    """A part of the cell with its integral.

    Attributes:
        corner, sides: where it begins, and how long it is.
        total, size: the integral of the function and of its size.
        off: how far two sums differ.
        gap: how far values could be, by intervals, off those at points.
    """

    corner: Corner
    sides: Corner
    total: float
    size: float
    off: float
    gap: float

    def error(self, mean: float) -> float:
        """What may be missing."""
        unseen = self.gap * prod(self.sides) if self.gap > UNSEEN * mean else 0.0
        return self.off + unseen

    def halves(self) -> list[tuple[Corner, Corner]]:
        """Corners and sides of its halves across its longest side."""
        k = self.sides.index(max(self.sides))
        short = tuple(h / 2 if i == k else h for i, h in enumerate(self.sides))
        along = tuple(a + short[k] if i == k else a for i, a in enumerate(self.corner))
        return [(self.corner, short), (along, short)]


def sum_over_parts(function: sympy.Expr, cell: Sequence[sympy.Dummy]) -> float | None:
    """The integral over the unit cell of what has no other symbols; None if it does not settle."""
    n = len(cell)
    look = _Looking(function, tuple(cell))
    parts = [look.part((0.0,) * n, (1.0,) * n)]
    while True:
        size = fsum(part.size for part in parts if isfinite(part.size))
        errors = [part.error(size) for part in parts]
        if sum(errors) <= SETTLED * size:
            return fsum(part.total for part in parts)
        least = SETTLED * size / len(parts)
        rough = [part for part, error in zip(parts, errors, strict=True) if error > least]
        fine = [part for part, error in zip(parts, errors, strict=True) if not error > least]
        small = min(min(part.sides) for part in rough) < SMALLEST
        if small or len(parts) + len(rough) > MOST_PARTS:
            return None
        parts = [*fine, *(look.part(*half) for part in rough for half in part.halves())]


class _Looking:
    """A function of a cell, made ready to be looked at in parts of it."""

    def __init__(self, function: sympy.Expr, cell: tuple[sympy.Dummy, ...]) -> None:
        self.function, self.cell = function, cell
        self.slopes = [function.diff(x) for x in cell]
        self.at = evaluator(function, cell)
        self.few, self.many = (_points(n, len(cell)) for n in POINTS[len(cell)])

    def part(self, corner: Corner, sides: Corner) -> _Part:
        """The integral over a part, and what is known of its error."""
        volume = prod(sides)

        def place(unit: Corner) -> Corner:
            return tuple(a + h * x for a, h, x in zip(corner, sides, unit, strict=True))

        few, many = ([(w, self.at(place(x))) for x, w in rule] for rule in (self.few, self.many))
        values = [y for _, y in (*few, *many)]
        if not all(map(isfinite, values)):
            return _Part(corner, sides, 0.0, 0.0, inf, inf)
        total, rough = (volume * fsum(w * y for w, y in rule) for rule in (many, few))
        size = volume * fsum(w * abs(y) for w, y in many)
        low, high = self._range(corner, sides, self.at(place((0.5,) * len(corner))))
        least, most = min(values), max(values)
        gap = max(least - low, high - most, 0.0) - (most - least)
        return _Part(corner, sides, total, size, abs(total - rough), max(gap, 0.0))

    def _range(self, corner: Corner, sides: Corner, middle: float) -> tuple[float, float]:
        """Between which numbers the function is: by itself, and by its slopes from the middle on."""
        box: dict[sympy.Basic, Hull] = {
            x: Hull(a, a + h) for x, a, h in zip(self.cell, corner, sides, strict=True)
        }
        own = hull(self.function, box)
        steep = [max(map(abs, hull(slope, box))) for slope in self.slopes]
        reach = sum(g * h / 2 for g, h in zip(steep, sides, strict=True))
        if not isfinite(reach) or not isfinite(middle):
            return own
        return max(own.low, middle - reach), min(own.high, middle + reach)


def evaluator(value: sympy.Expr, symbols: Sequence[sympy.Symbol]) -> Callable[[Corner], float]:
    """A function of numbers for all symbols of an expression; NaN where it is not real."""
    function = sympy.lambdify(list(symbols), value, modules="math", cse=True)

    def real(point: Corner) -> float:
        try:
            found = function(*point)
        except (ArithmeticError, ValueError):  # a pole, or the root of a number below zero
            return nan
        return nan if isinstance(found, complex) else float(found)

    return real


@cache
def _points(count: int, sides: int) -> list[tuple[Corner, float]]:
    """Gauss points of the unit cell and their weights."""
    every = product(_gauss(count), repeat=sides)
    return [(tuple(x for x, _ in each), prod(w for _, w in each)) for each in every]


@cache
def _gauss(count: int) -> list[tuple[float, float]]:
    """Points from 0 to 1 and weights: zeros of Legendre's polynomial by Newton's method."""
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
