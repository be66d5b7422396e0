"""An exact account of what became of a box: every part of it is excluded, proven or left.

Volumes are whole numbers of 2^-1074 and must add up to the box: forgetting a part is found out.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import prod

import numpy as np

from routh.arrays import Array

Cell = tuple[Array, Array]
"""Lower and upper ends of a box, doubles."""

FINEST = 1074
"""Every double is a whole multiple of 2^-1074: volumes in this unit are whole numbers."""


@dataclass
class Account:
    """Volumes of a box and of the cells that were closed, as whole numbers without any rounding.

    A cell of a search is closed as `excluded` (no root in it), `proven` (inside a box with exactly one
    root) or `left` (undecided or undefined). Cells have disjoint interiors and positive volume, so they
    cover the box if and only if their volumes add up to its own: a search that forgets a part of the
    box, however small, is found out.
    """

    whole: int
    excluded: int = 0
    proven: int = 0
    left: int = 0

    @property
    def closes(self) -> bool:
        """Whether the parts add up to the whole."""
        return self.excluded + self.proven + self.left == self.whole

    @property
    def missing(self) -> Fraction:
        """The share of the box that no part accounts for; zero if the account closes."""
        return 1 - Fraction(self.excluded + self.proven + self.left, self.whole)


def volume(low: Array, high: Array) -> int:
    """The volume of a box in units of 2^-1074 in each direction."""
    return prod(_whole(b) - _whole(a) for a, b in zip(low.tolist(), high.tolist(), strict=True))


def _whole(x: float) -> int:
    numerator, denominator = x.as_integer_ratio()
    return numerator << (FINEST + 1 - denominator.bit_length())


def common(a: Cell, b: Cell) -> Cell | None:
    """What two boxes share, None if they share no volume."""
    low, high = np.maximum(a[0], b[0]), np.minimum(a[1], b[1])
    return (low, high) if (low < high).all() else None


def beside(cell: Cell, core: Cell) -> list[Cell]:
    """The cells that are left when a core is cut out of a cell: slabs, two a direction at most."""
    slabs = []
    low, high = cell[0].copy(), cell[1].copy()
    for k in range(len(low)):
        if low[k] < core[0][k]:
            end = high.copy()
            end[k] = core[0][k]
            slabs.append((low.copy(), end))
            low[k] = core[0][k]
        if core[1][k] < high[k]:
            start = low.copy()
            start[k] = core[1][k]
            slabs.append((start, high.copy()))
            high[k] = core[1][k]
    return slabs
