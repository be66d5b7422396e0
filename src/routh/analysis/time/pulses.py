"""Where in time prescribed functions change: their jumps and kinks, and cells that show all the rest.

Bounds over whole intervals decide, not samples. Signs that choose branches are bisected until the place
is known to the last bits. Between these places a cell of time is halved until Gauss's rule with four
points errs on it by a thousandth of what five samples show to change there, by a bound over an ellipse
of the complex plane (see `cells`), or by nothing beside the integral over the whole time. So a function
has no feature within a cell that its samples do not show, however narrow.

What is narrow shows itself by being large beside the real axis. Rounding of time limits what a kick
of 1e-9 of the period is known to, so edges are moved by their last bits to see it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import sympy
from numpy.typing import NDArray

from routh.analysis.time.enclosure import Values, enclosed
from routh.arrays import Array
from routh.language.symbols import t
from routh.mechanics.fields.coefficients import switches
from routh.mechanics.forms.one_piece import PIECED
from routh.numerics.enclosed_zeros import Index, Intervals, joined, zeros
from routh.numerics.intervals import Strip

SEEN = 1e-3
"""Share of the change that samples show by which the rule may err on a cell: later halvings show it."""

NEGLIGIBLE = 1e-13
"""Share of the integral over the whole time that does not count on one cell."""

FINEST, LATEST = 2.0**-52, 2.0**-80
"""Share of a time within which a place is one, as well as doubles can; of the latest, near zero."""

LONG = 1e-6
"""Share of the time beyond which a place that could not be located is none."""

MANY = 20_000
"""Intervals of one point in which a sign is not known, beyond which it is not looked for further."""

RHO = (3.0, 6.0, 14.0, 40.0)
"""Sums of the half axes of the ellipses that are tried, in units of half a cell."""

PLACES = (0.0, 0.25, 0.5, 0.75, 1.0)
"""Where in a cell samples are taken."""


@dataclass(frozen=True, eq=False)
class Span:
    """Stretches of time, one for each row of numbers of the parameters."""

    parameters: tuple[sympy.Symbol, ...]
    p: Array
    """(N, parameters)"""
    start: Array
    """(N,)"""
    end: Array

    @property
    def latest(self) -> Array:
        """(N,) the largest times."""
        return np.maximum(np.abs(self.start), np.abs(self.end))

    def least(self, member: Index, time: Array) -> Array:
        """Within which places of some members at these times are one."""
        return np.maximum(FINEST * np.abs(time), LATEST * self.latest[member])

    def leaves(self, member: Index, time: Strip) -> dict[sympy.Basic, Strip]:
        """The bounds of the symbols on sets of times of some members."""
        zero = np.zeros(len(member))
        own = self.p[member]
        found: dict[sympy.Basic, Strip] = {
            each: Strip(own[:, k], own[:, k], zero) for k, each in enumerate(self.parameters)
        }
        return {**found, t: time}


Clusters = list[Intervals]
"""For each member the intervals, as short as rounding allows, that hold a jump or a kink."""


def breaks(functions: Sequence[sympy.Basic], span: Span) -> Clusters:
    """Where functions of time have jumps and kinks; what could not be located is a long interval."""
    found: Clusters = [[] for _ in span.p]
    signs: dict[sympy.Expr, None] = {}
    wholes: dict[sympy.Expr, None] = {}
    for function in functions:
        for table, own in zip((signs, wholes), switches(function, t), strict=True):
            table.update(dict.fromkeys(own))
    for values, whole in ((signs, False), (wholes, True)):
        for value in values:
            for own, new in zip(found, _zeros(value, span, whole), strict=True):
                own.extend(new)
    return [_merged(each, float(latest)) for each, latest in zip(found, span.latest, strict=True)]


def _zeros(value: sympy.Expr, span: Span, whole: bool) -> Clusters:
    """Intervals on which an expression may be zero (a whole number), by bisection."""

    def bounds(member: Index, a: Array, b: Array) -> Strip:
        found: Strip = enclosed(value, span.leaves(member, Strip(a, b, np.zeros(len(a)))))[value]
        return found

    return zeros(bounds, span.start, span.end, span.least, MANY, whole)


def _merged(intervals: Intervals, latest: float) -> Intervals:
    """Neighbours joined."""
    return joined(intervals, lambda hi: 4 * max(FINEST * abs(hi), LATEST * latest))


@dataclass(frozen=True, eq=False)
class Cells:
    """Cells of time on which a function is resolved, or not."""

    member: Index
    a: Array
    b: Array
    value: Array
    """The function in the middle."""
    change: Array
    """A bound of how much it changes on the cell."""
    is_open: NDArray[np.bool_]
    """Whether it is not resolved there."""
    total: Array
    """(N,) a lower bound of the integral of its size, for each member."""

    @property
    def is_quiet(self) -> NDArray[np.bool_]:
        """Whether the function stays what it is on a cell, but for what does not count."""
        with np.errstate(invalid="ignore"):
            return np.asarray(
                ~self.is_open
                & (self.change * (self.b - self.a) <= NEGLIGIBLE * self.total[self.member])
            )


def pieces(span: Span, jumps: Clusters) -> tuple[Index, Array, Array]:
    """Member, start and end of what lies between jumps."""
    rows: list[tuple[float, float, float]] = []
    for k, own in enumerate(jumps):
        walls = [(span.start[k], span.start[k]), *own, (span.end[k], span.end[k])]
        rows += [(k, float(left[1]), float(right[0])) for left, right in pairwise(walls)]
    table = np.array(rows).reshape(-1, 3)
    member, a, b = table[:, 0].astype(np.intp), table[:, 1], table[:, 2]
    kept = b - a > span.least(member, np.maximum(np.abs(a), np.abs(b)))
    return member[kept], a[kept], b[kept]


def cells(function: sympy.Expr, span: Span, jumps: Clusters, most: int) -> Cells:
    """Cells that resolve a function of time between its jumps, at most so many of a member."""
    member, a, b = pieces(span, jumps)
    middle = (a + b) / 2
    state: list[Any] = [member, a, b, middle, *_judged(function, span, member, a, b, middle)]
    while True:
        member, a, b, middle, value, change, shown, error, size = state
        total = np.bincount(member, size, minlength=len(span.p)).astype(float)
        with np.errstate(invalid="ignore"):
            waiting = ~((error <= SEEN * shown) | (error <= NEGLIGIBLE * total[member]))
        waiting &= error > 1e-290
        counts = np.bincount(member, minlength=len(span.p))
        wide = b - a > 32 * span.least(member, np.maximum(np.abs(a), np.abs(b)))
        chosen = waiting & wide & (counts[member] <= most)
        if not chosen.any():
            k = np.lexsort((a, member))
            return Cells(member[k], a[k], b[k], value[k], change[k], waiting[k], total)
        half = (a[chosen] + b[chosen]) / 2
        new: list[Any] = [
            np.tile(member[chosen], 2),
            np.append(a[chosen], half),
            np.append(half, b[chosen]),
            np.tile(middle[chosen], 2),
        ]
        new += _judged(function, span, *new)
        state = [np.concatenate([x[~chosen], y]) for x, y in zip(state, new, strict=True)]


def _judged(
    function: sympy.Expr, span: Span, member: Index, a: Array, b: Array, middle: Array
) -> list[Array]:
    """On each cell the value in its middle, a bound of the change, what samples show of it, a bound of
    the error of Gauss's rule, and of the integral of the size from below; the last three over a cell.

    Branches are those in the middle of the piece, which has no switch inside.
    """
    count, half, center = len(a), (b - a) / 2, (a + b) / 2
    samples = np.concatenate([a + share * (b - a) for share in PLACES])
    wide = np.concatenate([half * (rho + 1 / rho) / 2 for rho in RHO])
    high = np.concatenate([half * (rho - 1 / rho) / 2 for rho in RHO])
    about = np.tile(center, len(RHO))
    time = Strip(
        np.concatenate([samples, a, about - wide]),
        np.concatenate([samples, b, about + wide]),
        np.concatenate([np.zeros(len(samples) + count), high]),
    )
    sets = len(PLACES) + 1 + len(RHO)
    every = np.tile(member, sets)
    decided: Values | None = None
    if function.has(*PIECED):
        where = np.tile(middle, sets)
        decided = enclosed(function, span.leaves(every, Strip(where, where, np.zeros(len(where)))))
    found = enclosed(function, span.leaves(every, time), decided)[function]
    lo, hi, im = (x.reshape(sets, count) for x in (found.lo, found.hi, found.im))
    with np.errstate(over="ignore", invalid="ignore"):
        values = (lo[: len(PLACES)] + hi[: len(PLACES)]) / 2
        value = values[len(PLACES) // 2]
        change = hi[len(PLACES)] - lo[len(PLACES)]
        error = np.full(count, np.inf)
        for k, rho in enumerate(RHO, len(PLACES) + 1):
            M = np.hypot(np.maximum(hi[k] - value, value - lo[k]), im[k])
            bound = 64 / 15 * half * M * rho**-8.0 / (1 - rho**-2)
            error = np.fmin(error, np.where(np.isnan(bound), np.inf, bound))
        error = np.fmin(error, 2 * half * np.where(np.isnan(change), np.inf, change))
        shown = np.ptp(values, axis=0) * half
        below = np.maximum(np.maximum(lo[len(PLACES)], -hi[len(PLACES)]), 0.0)
    return [value, change, np.nan_to_num(shown), error, 2 * half * np.where(below < np.inf, below, 0.0)]
