"""Where functions of one variable may be zero, by bisection of bounds over whole intervals.

Nothing is sampled: an interval is left out only if bounds show that there is no zero in it.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from routh.arrays import Array
from routh.numerics.intervals import Strip

Index = NDArray[np.intp]
Intervals = list[tuple[float, float]]

Bounds = Callable[[Index, Array, Array], Strip]
"""Of members of a batch and intervals from a to b: the bounds of their functions there."""


def zeros(
    bounds: Bounds,
    start: Array,
    end: Array,
    least: Callable[[Index, Array], Array],
    most: int,
    whole: bool = False,
) -> list[Intervals]:
    """For each member of a batch the intervals from `start` to `end` on which it may be zero.

    With `whole` those on which it may be a whole number. They are halved down to the `least` length of
    members at places of that size, or until a member has more than `most` of them; where a function is
    zero all along there is none.
    """
    found: list[Intervals] = [[] for _ in start]
    member, a, b = np.arange(len(start)), start.astype(float), end.astype(float)
    while len(a):
        value = bounds(member, a, b)
        with np.errstate(invalid="ignore"):
            inside = (
                np.ceil(value.lo) <= np.floor(value.hi) if whole else (value.lo <= 0) & (value.hi >= 0)
            )
        inside &= ~((value.lo == value.hi) & (value.lo == 0))
        member, a, b = member[inside], a[inside], b[inside]
        short = b - a <= least(member, np.maximum(np.abs(a), np.abs(b)))
        if len(a) and np.bincount(member).max() > most:
            short[:] = True
        for k, lo, hi in zip(*(x[short].tolist() for x in (member, a, b)), strict=True):
            found[k].append((lo, hi))
        member, a, b = member[~short], a[~short], b[~short]
        middle = (a + b) / 2
        member, a, b = np.tile(member, 2), np.append(a, middle), np.append(middle, b)
    return found


def joined(intervals: Intervals, gap: Callable[[float], float]) -> Intervals:
    """Intervals in order, neighbours made one; `gap` is how far they may be apart, at an end."""
    found: Intervals = []
    for lo, hi in sorted(intervals):
        if found and lo <= found[-1][1] + gap(hi):
            found[-1] = found[-1][0], max(hi, found[-1][1])
        else:
            found.append((lo, hi))
    return found
