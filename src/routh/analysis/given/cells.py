"""Cells of quadrature as fine as coefficients ask for, with the values of the parameters known.

Places where coefficients have jumps and kinks become ends of cells. Each cell is then divided until a
bound of the error of Gauss's rule on it is small: for a function bounded by M on the ellipse of
Bernstein with the sum rho of its half axes, n points err by (64/15) M rho**(-2n) / (1 - rho**-2)
(Trefethen, Is Gauss quadrature better than Clenshaw-Curtis?, 2008, theorem 4.5). M comes from bounds
over the ellipse, not from samples, so that nothing is too narrow to be seen.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import sympy
from numpy.typing import NDArray

from routh.analysis.time.enclosure import enclosed
from routh.arrays import Array
from routh.errors import DerivationError, capital, listed, shortened
from routh.language.fields import Space
from routh.language.symbols import Parameter
from routh.language.system import System
from routh.mechanics.fields.coefficients import switches
from routh.numerics.enclosed_zeros import Index, Intervals, joined, zeros
from routh.numerics.intervals import Strip

RESOLVED = 1e-9
"""Share of the integral of a coefficient over a cell by which Gauss's rule may miss it there.

The bound is a hundred times too large or more, and `points.ENOUGH` is what matrices are held to.
"""

NEGLIGIBLE = 1e-14
"""Share of the integral over the whole space below which the error on one cell does not count."""

FINEST = 2.0**-50
"""Length of a cell (the space having two) at which a place is known as well as doubles can."""

MOST_CELLS = 1500
"""Cells that one density may ask for."""

MANY = 400
"""Intervals in which a sign is not known, beyond which it is not looked for further."""

RHO = (1.03, 1.1, 1.25, 1.6, 2.3, 3.5, 6.0, 11.0, 25.0)
"""Sums of the half axes of the ellipses that are tried."""


@dataclass(frozen=True, eq=False)
class Part:
    """A coefficient, as an expression of the place or of xi.

    Where it moves, with time, coordinates or a parameter, its size is the largest that it may have.
    """

    value: sympy.Expr
    variable: sympy.Symbol
    moves: bool = False


@dataclass(frozen=True, eq=False)
class Along:
    """A space with numbers: its coefficients for every point of a batch."""

    space: Space
    parts: tuple[Part, ...]
    parameters: tuple[Parameter, ...]
    p: Array
    """(N, parameters), without repetition"""
    to: Array
    """The same; parameters move from the one to the other."""
    degree: int
    """That of the polynomials which multiply coefficients, between two ends of `cells`."""
    cells: tuple[float, ...]
    power: int
    """Twice the points in a cell, or their number where integrals run."""

    def leaves(self, part: Part, member: Index, xi: Strip) -> dict[sympy.Basic, Strip]:
        """The bounds of the symbols on sets of xi."""
        lo, hi = np.minimum(self.p, self.to)[member], np.maximum(self.p, self.to)[member]
        zero = np.zeros(len(member))
        found: dict[sympy.Basic, Strip] = {
            each: Strip(lo[:, k], hi[:, k], zero) for k, each in enumerate(self.parameters)
        }
        if part.variable != self.space:
            return {**found, part.variable: xi}
        share = sympy.Dummy("share", real=True)
        place = self.space.bounds[0] + self.space.length * share
        half, one = (Strip(zero + x, zero + x, zero) for x in (0.5, 1.0))
        inner = {**found, share: (one + xi) * half}
        return {**found, self.space: enclosed(place, inner)[place]}

    def real(self, part: Part, value: sympy.Expr, member: Index, a: Array, b: Array) -> Strip:
        """The bounds of an expression from a to b."""
        found = enclosed(value, self.leaves(part, member, Strip(a, b, np.zeros(len(a)))))[value]
        assert isinstance(found, Strip)
        return found


Clusters = list[Intervals]
"""For each point of a batch the intervals, as short as rounding allows, that hold a jump or a kink."""


def jumps_of(along: Along) -> Clusters:
    """Where the coefficients of a space have jumps and kinks, for each point of a batch."""
    found: Clusters = [[] for _ in along.p]
    for part in along.parts:
        signs, wholes = switches(part.value, part.variable)
        for values, whole in ((signs, False), (wholes, True)):
            for value in values:
                for own, new in zip(found, _zeros(along, part, value, whole), strict=True):
                    own.extend(new)
    # those that stayed long say nothing of a place and are left out
    return [
        [(lo, hi) for lo, hi in joined(own, lambda _: 2 * FINEST) if hi - lo < 1e-6] for own in found
    ]


def _zeros(along: Along, part: Part, value: sympy.Expr, whole: bool) -> Clusters:
    """Intervals of xi on which an expression may be zero (a whole number), by bisection."""
    one = np.ones(len(along.p))
    return zeros(
        lambda member, a, b: along.real(part, value, member, a, b),
        -one,
        one,
        lambda member, _: np.full(len(member), FINEST),
        MANY,
        whole,
    )


class Division:
    """The cells of all points of a batch, with the error that may be made on each."""

    def __init__(self, along: Along, jumps: Clusters) -> None:
        self._along = along
        starts: list[tuple[int, float, float, float]] = []
        for member, found in enumerate(jumps):
            starts += [(member, *cell) for cell in _first_cells(along.cells, found)]
        table = np.array(starts)
        self._member = table[:, 0].astype(np.intp)
        self._a, self._b, self._parent = table[:, 1], table[:, 2], table[:, 3].astype(np.intp)
        self._error, self._size = self._judged(self._member, self._a, self._b, self._parent)

    @property
    def ends(self) -> Array:
        """Where cells end, of all points of the batch."""
        order = np.lexsort((self._a, self._member))
        member, a, b = self._member[order], self._a[order], self._b[order]
        same = member[1:] == member[:-1]
        return np.asarray(((b[:-1] + a[1:]) / 2)[same])

    @property
    def most(self) -> int:
        """The cells of the point that has most of them."""
        return int(np.bincount(self._member).max())

    def _open(self) -> NDArray[np.bool_]:
        """(cells, parts): where the error is not small yet."""
        total = np.zeros((len(self._along.p), self._size.shape[1]))
        np.add.at(total, self._member, self._size)
        small = (
            (self._error <= RESOLVED * self._size)
            | (self._error <= NEGLIGIBLE * total[self._member])
            | (self._error <= 1e-290)
        )
        return ~small

    def divide(self) -> bool:
        """Halve the cells with the largest errors; whether there were any."""
        waiting = self._open()
        if not waiting.any():
            return False
        error = np.where(waiting, self._error, 0.0)
        most = np.zeros((len(self._along.p), error.shape[1]))
        np.maximum.at(most, self._member, error)
        worst = (waiting & (error >= 0.01 * most[self._member])).any(axis=1)
        chosen = worst & (self._b - self._a > 8 * FINEST)
        counts = np.bincount(self._member, minlength=len(self._along.p))
        if not chosen.any() or (worst & ~chosen).any() or counts.max() > MOST_CELLS:
            return False
        member, parent = (np.tile(x[chosen], 2) for x in (self._member, self._parent))
        middle = (self._a[chosen] + self._b[chosen]) / 2
        a = np.concatenate([self._a[chosen], middle])
        b = np.concatenate([middle, self._b[chosen]])
        error, size = self._judged(member, a, b, parent)
        self._member = np.concatenate([self._member[~chosen], member])
        self._parent = np.concatenate([self._parent[~chosen], parent])
        self._a, self._b = (np.concatenate([x[~chosen], y]) for x, y in ((self._a, a), (self._b, b)))
        self._error = np.concatenate([self._error[~chosen], error])
        self._size = np.concatenate([self._size[~chosen], size])
        return True

    def _judged(self, member: Index, a: Array, b: Array, parent: Index) -> tuple[Array, Array]:
        """(cells, parts): bounds of the error, and of the integral from below."""
        columns = [self._judged_part(part, member, a, b, parent) for part in self._along.parts]
        error, size = (np.stack(column, axis=1) for column in zip(*columns, strict=True))
        return error, size

    def _judged_part(
        self, part: Part, member: Index, a: Array, b: Array, parent: Index
    ) -> tuple[Array, Array]:
        along = self._along
        real = enclosed(part.value, along.leaves(part, member, Strip(a, b, np.zeros(len(a)))))
        axis = real[part.value]
        ends = np.array(along.cells)
        left, right = ends[parent], ends[parent + 1]
        half, middle = (b - a) / 2, (a + b) / 2
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            center = np.where(np.isfinite(axis.lo + axis.hi), (axis.lo + axis.hi) / 2, 0.0)
            error = 2 * half * (axis.hi - axis.lo)
            for rho in RHO:
                wide, high = half * (rho + 1 / rho) / 2, half * (rho - 1 / rho) / 2
                xi = Strip(middle - wide, middle + wide, high)
                found = enclosed(part.value, along.leaves(part, member, xi), real)[part.value]
                off = np.maximum(found.hi - center, center - found.lo)
                M = np.hypot(off, found.im) * _growth(xi, left, right) ** along.degree
                bound = 64 / 15 * half * M * rho ** float(-along.power) / (1 - rho**-2)
                error = np.fmin(error, np.where(np.isnan(bound), np.inf, bound))
        size = axis.mag if part.moves else axis.mig
        return np.where(np.isnan(error), np.inf, error), 2 * half * size

    def refuse(self, system: System) -> None:
        """Refuse where cells cannot be made fine enough."""
        waiting = self._open()
        if not waiting.any():
            return
        along = self._along
        k, which = np.argwhere(waiting & (self._error == np.where(waiting, self._error, -1).max()))[0]
        part, xi = along.parts[which], (self._a[k] + self._b[k]) / 2
        zero = np.zeros(1)
        place = along.space.bounds[0] + along.space.length * (1 + sympy.Float(xi)) / 2
        member = self._member[k : k + 1]
        at = along.real(Part(place, along.space), place, member, zero, zero)
        swept = (along.p[self._member[k]] != along.to[self._member[k]]).tolist()
        fixed = [s for s, moved in zip(along.parameters, swept, strict=True) if not moved]
        moving = part.value.atoms(sympy.Symbol) - {part.variable, along.space, *fixed}
        why = (
            f"it may be anywhere, as it moves with {listed(sorted(moving, key=str))}"
            if moving
            else f"near {along.space} = {float(at.lo[0]):.6g} it jumps, grows without bound or changes"
            f" within less than {MOST_CELLS} cells can follow"
        )
        raise DerivationError(
            f"{capital(system.title)} contains `{shortened(part.value, 80)}`, which quadrature along"
            f" `{along.space}` does not resolve: {why}. Write it smoother or wider, or give what is"
            " concentrated at a place as a value there, with the space divided into two that meet."
        )


def _first_cells(cells: tuple[float, ...], jumps: Intervals) -> list[tuple[float, float, float]]:
    """From one jump, kink or end of a cell to the next, and in which cell that is."""
    walls = joined([*((x, x) for x in cells), *jumps], lambda _: 4 * FINEST)
    found = []
    for (_, a), (b, _) in pairwise(walls):
        if b > a:
            parent = int(np.clip(np.searchsorted(cells, (a + b) / 2) - 1, 0, len(cells) - 2))
            found.append((a, b, float(parent)))
    return found


def _growth(xi: Strip, left: Array, right: Array) -> Array:
    """How large a polynomial may become, per degree, that is at most 1 from left to right."""
    half = (right - left) / 2
    corners = [
        np.hypot(x - left, xi.im) + np.hypot(x - right, xi.im) for x in (xi.lo, xi.hi)
    ]  # a convex function: largest at a corner
    sum_ = np.maximum(np.maximum(*corners) / (2 * half), 1.0)
    return np.asarray(sum_ + np.sqrt(sum_**2 - 1))
