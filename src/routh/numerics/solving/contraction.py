"""The Krawczyk operator on balls: whether a box holds no root, exactly one, or may hold some.

    K(X) = m - Y f(m) + (I - Y J(X)) (X - m),   m the midpoint of X, Y an approximate inverse of J(X)

All roots in X are in K(X). K(X) inside X proves one root in X and no second one; K(X) beside X proves
that there is none (Krawczyk, 1969; Neumaier, *Interval Methods for Systems of Equations*, 1990,
chapter 5). Equations beyond the n first can exclude, but where they do not vanish identically nothing
proves that they hold at a root of the others.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np
from flint import arb

from routh.arrays import Array
from routh.errors import OutsideError

Balls = list[Any]
Function = Callable[[Balls], Balls]
Slopes = Callable[[Balls], list[Balls]]

TRIES = 120
"""Halvings of the box around a known root until the test succeeds."""

POLISH = 8
"""Steps of Newton's method to the centre of such a box."""

TIGHT = 1e-12
"""Size, as a share of the box in which a root is alone, of one small enough to tell it apart."""

SLOW = 0.9
"""A box that keeps this share of its size in all directions is narrowed too slowly."""

SETTLED = 1e-15
"""Share of the unknowns below which a step of Newton's method is the last."""

NEAR = 0.1
"""Share of the box in which a root is alone within which a point must be to stand for the root."""


class Outcome(Enum):
    """What the operator says of a box."""

    NONE = "no root"
    ONE = "exactly one root"
    OPEN = "open"


@dataclass(frozen=True, eq=False)
class Checked:
    """The outcome over a box, with what a search goes on with.

    Attributes:
        outcome: what is proven.
        K: holds all roots of the box, None if it was not computed.
        defined: whether the equations are finite over the whole box.
        smooth: whether their slopes are, too.
        smear: (n,) the largest slope in each direction, zero if it is not known.
    """

    outcome: Outcome
    K: Balls | None
    defined: bool
    smooth: bool
    smear: Array


@dataclass(frozen=True, eq=False)
class Root:
    """A root proven: the only one in the box `alone`, and within the small box `place`."""

    alone: Balls
    place: Balls

    def stands_at(self, point: Array) -> bool:
        """Whether a point is near, compared with the box in which the root is alone."""
        triples = zip(point, self.place, self.alone, strict=True)
        return all(abs(arb(float(x)) - p) < NEAR * a.rad() for x, p, a in triples)


class Krawczyk:
    """The test for a function of n balls with m >= n values, and the n rows of its first slopes."""

    def __init__(self, function: Function, slopes: Slopes) -> None:
        self._function = function
        self._slopes = slopes

    def check(self, X: Balls) -> Checked:
        """What is proven of a box."""
        n = len(X)
        unknown = np.zeros(n)
        try:
            over = self._function(X)
        except OutsideError:
            return Checked(Outcome.NONE, None, True, True, unknown)
        defined = all(value.is_finite() for value in over)
        if any(value.is_finite() and not value.contains(0) for value in over):
            return Checked(Outcome.NONE, None, defined, True, unknown)
        J = self._finite_slopes(X)
        if J is None or not defined:
            return Checked(Outcome.OPEN, None, defined, False, unknown)
        size = np.array([[float(abs(x).upper()) for x in row] for row in J]).reshape(n, n)
        smear = size.max(axis=0, initial=0.0)
        K = self._operator(X, J)
        if K is None:
            return Checked(Outcome.OPEN, None, True, True, smear)
        if not all(k.overlaps(x) for k, x in zip(K, X, strict=True)):
            return Checked(Outcome.NONE, None, True, True, smear)
        one = _interior(K, X) and all(value.is_zero() for value in over[n:])
        return Checked(Outcome.ONE if one else Outcome.OPEN, K, True, True, smear)

    def _finite_slopes(self, X: Balls) -> list[Balls] | None:
        try:
            J = self._slopes(X)
        except OutsideError:
            return None
        return J if all(x.is_finite() for row in J for x in row) else None

    def _operator(self, X: Balls, J: list[Balls]) -> Balls | None:
        """K(X), None if it cannot be formed."""
        n = len(X)
        Y = _inverse(J)
        m = [x.mid() for x in X]
        f = self._function(m)[:n]
        if Y is None or not all(value.is_finite() for value in f):
            return None
        K = []
        for i in range(n):
            total = m[i]
            for k in range(n):
                total -= Y[i][k] * f[k]
            for j in range(n):
                slope = arb(1 if i == j else 0)
                for k in range(n):
                    slope -= Y[i][k] * J[k][j]
                total += slope * (X[j] - m[j])
            K.append(total)
        return K if all(k.is_finite() for k in K) else None

    def vanishes(self, point: Array) -> bool:
        """Whether all equations are finite at a point, and may be zero."""
        try:
            values = self._function([arb(x) for x in point.tolist()])
        except OutsideError:
            return False
        return all(value.is_finite() and value.contains(0) for value in values)

    def narrowed(self, X: Balls, alone: Balls, tight: float = TIGHT) -> Balls:
        """A box with one root made smaller, as long as that works and it is not tight."""
        size = [tight * a.rad() for a in alone]
        for _ in range(TRIES):
            if all(x.rad() <= s for x, s in zip(X, size, strict=True)):
                return X
            K = self.check(X).K
            if K is None:
                return X
            smaller = [k.intersection(x) for k, x in zip(K, X, strict=True)]
            if all(s.rad() > SLOW * x.rad() for s, x in zip(smaller, X, strict=True)):
                inner = self._inner(smaller)
                if inner is None:
                    return smaller
                smaller = inner
            X = smaller
        return X

    def _inner(self, X: Balls) -> Balls | None:
        """A much smaller box inside one with a single root that has it, found by Newton's method."""
        radius = np.array([float(x.rad()) for x in X])
        centre = self.settled(np.array([float(x.mid()) for x in X]), radius)
        if centre is None:
            return None
        inner = [arb(c, r) for c, r in zip(centre.tolist(), (radius / 8).tolist(), strict=True)]
        one = _contains(X, inner) and self.check(inner).outcome is Outcome.ONE
        return inner if one else None

    def settled(self, point: Array, reach: Array) -> Array | None:
        """A point moved towards the root next to it by Newton's method, None if that leads too far.

        Whole steps with more digits than doubles have: `damping` compares residuals in doubles.
        """
        x = [arb(value) for value in point.tolist()]
        moved = point
        for _ in range(POLISH):
            steps = self._newton_step(x)
            if steps is None:
                return None
            x = [(value - step).mid() for value, step in zip(x, steps, strict=True)]
            moved = np.array([float(value) for value in x])
            if not (np.abs(moved - point) <= reach).all():
                return None
            if all(abs(s) <= SETTLED * abs(value) for s, value in zip(steps, x, strict=True)):
                break
        return moved

    def _newton_step(self, x: Balls) -> Balls | None:
        try:
            f, J = self._function(x)[: len(x)], self._finite_slopes(x)
        except OutsideError:
            return None
        Y = None if J is None else _inverse(J)
        if Y is None:
            return None
        steps = [sum((y * v for y, v in zip(row, f, strict=True)), arb(0)) for row in Y]
        return steps if all(step.is_finite() for step in steps) else None

    def around(self, point: Array, width: Array, tight: float = TIGHT) -> Root | None:
        """The root near a point, alone in the largest box tried."""
        radius = width / 4
        for _ in range(TRIES):
            X = [arb(float(x), float(r)) for x, r in zip(point, radius, strict=True)]
            outcome = self.check(X).outcome
            if outcome is Outcome.ONE:
                return Root(X, self.narrowed(X, X, tight))
            if outcome is Outcome.NONE or not (radius > np.spacing(np.abs(point))).any():
                return None
            radius = radius / 2
        return None

    def same(self, a: Root, b: Root) -> bool | None:
        """Whether two roots proven are one; None if that stays open.

        Small boxes that overlap say nothing: two roots may be that near.
        """
        if not all(x.overlaps(y) for x, y in zip(a.place, b.place, strict=True)):
            return False
        if _contains(b.alone, a.place) or _contains(a.alone, b.place):
            return True
        hull = [x.union(y) for x, y in zip(a.place, b.place, strict=True)]
        return True if self.check(hull).outcome is Outcome.ONE else None


def _inverse(J: list[Balls]) -> list[Balls] | None:
    """An approximate inverse of the midpoints; any matrix would do, but few prove anything."""
    centre = np.array([[float(x.mid()) for x in row] for row in J]).reshape(len(J), len(J))
    try:
        Y = np.linalg.inv(centre)
    except np.linalg.LinAlgError:
        return None
    return [[arb(y) for y in row] for row in Y.tolist()] if np.isfinite(Y).all() else None


def _interior(inner: Balls, outer: Balls) -> bool:
    return all(o.contains_interior(i) for o, i in zip(outer, inner, strict=True))


def _contains(outer: Balls, inner: Balls) -> bool:
    return all(o.contains(i) for o, i in zip(outer, inner, strict=True))
