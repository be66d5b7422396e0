"""Curves of solutions of m equations in m + 1 unknowns, through folds: pseudo-arclength continuation.

A step goes along the tangent and comes back to the curve across it (H. B. Keller, 1977). Unknowns are
measured by how large they have become, so that metres and radians count alike.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from routh.errors import Status
from routh.numerics.newton import newton

Array = NDArray[np.float64]
Function = Callable[[Array], Array]

FIRST = 0.01
"""First step, as a share of the range of the last unknown."""

LARGEST = 0.03
"""Longest step along the curve, in the same measure: some thirty points or more for a branch."""

SMALLEST = 1e-8
"""Shortest step, below which the curve counts as lost."""

TURN = 0.97
"""Cosine of the largest angle by which the tangent may turn in a step."""

FAR = 1e7
"""How much larger than at the start an unknown may become."""

FEW = 4
"""Corrections up to which the next step may be longer."""

CORRECTIONS = 12
"""Newton steps that a correction may take; from a good guess it needs three or four."""

LEVELS = 4
PARTS = 4
"""A crossing is believed if it is seen again with steps 4, 16, 64 and 256 times smaller."""


@dataclass(frozen=True, eq=False)
class Place:
    """A point y (m + 1,) of a curve with its unit tangent, measured in `scale`.

    `rows` (m,) are the sizes of the equations there, `cross` the signed smallest singular value of
    the slopes bordered by the tangent, which passes through zero where another curve crosses, and
    `stiffness` the slopes by the first m unknowns in these scales if they are symmetric, else None.
    """

    y: Array
    tangent: Array
    scale: Array
    rows: Array
    cross: float
    stiffness: Array | None

    @cached_property
    def modes(self) -> tuple[Array, Array] | None:
        """Eigenvalues and vectors of the symmetric slopes."""
        if self.stiffness is None:
            return None
        values, vectors = np.linalg.eigh(self.stiffness)
        return values, vectors

    @property
    def eigenvalues(self) -> Array | None:
        """The eigenvalues of the symmetric slopes, ascending."""
        return None if self.modes is None else self.modes[0]

    @property
    def negative(self) -> int | None:
        """The number of negative eigenvalues."""
        return None if self.eigenvalues is None else int(np.sum(self.eigenvalues < 0))

    @property
    def turn(self) -> float:
        """How fast the last unknown changes; it passes through zero at a fold."""
        return float(self.tangent[-1])


class End(Enum):
    """Why a curve ends where it does."""

    RANGE = "It reached the end of the range."
    CLOSED = "It closed on itself."
    LOST = "It stopped: no further point of the branch was found."
    AWAY = "It stopped: the unknowns grow without bound."
    LONG = "It stopped after the largest number of steps."
    NOT_FINITE = "It stopped: the equations are not finite further on."


@dataclass(frozen=True, eq=False)
class Curve:
    """Places one after the other, and why it ends at the last one."""

    places: tuple[Place, ...]
    end: End


class Tracer:
    """Walks along the solutions of `function(y) = 0`.

    Arguments:
        function: of y (m + 1,), gives (m,).
        slopes: of y, gives (m, m + 1).
        low: where the last unknown may go, lower end.
        high: upper end.
        largest: the longest step, as a share of the range.
        alike: makes scales (m + 1,) equal for unknowns of one kind.
    """

    def __init__(
        self,
        function: Function,
        slopes: Function,
        low: float,
        high: float,
        largest: float | None = None,
        alike: Function = np.copy,
    ) -> None:
        self._function = function
        self._slopes = slopes
        self._alike = alike
        self._largest = LARGEST if largest is None else largest
        self.low, self.high = low, high

    def start(self, y: Array) -> Place:
        """The place of a point of a curve that is not known yet, pointing to larger y[-1]."""
        rounding = 1e-14 * np.abs(y[:-1]).max(initial=0)
        size = np.where(np.abs(y) > rounding, np.abs(y), 1.0)
        size[-1] = self.high - self.low
        first = self.place(y, None, size, np.zeros(len(y) - 1))
        slope = np.abs(first.tangent * size)
        if abs(first.turn) > 1e-6:
            guess = slope / abs(first.tangent[-1] * size[-1]) * (self.high - self.low)
            moved = guess > rounding
            size = np.where((np.abs(y) <= rounding) & moved, np.minimum(guess, 1.0), size)
        size = self._alike(size)
        size[-1] = self.high - self.low
        return self.place(y, None, size, np.zeros(len(y) - 1))

    def place(self, y: Array, along: Array | None, scale: Array, rows: Array) -> Place:
        """A point with what is known of it; pointing along a tangent, or to larger y[-1].

        The equations are measured by the largest size that they have had so far, since at the
        crossing of two curves one of them may vanish.
        """
        J = self._slopes(y) * scale
        if not np.isfinite(J).all():
            raise NotFiniteError
        rows = np.maximum(rows, np.abs(J).max(axis=1))
        unit = J / _nonzero(rows)[:, None]
        if along is None:
            tangent = np.linalg.svd(unit)[2][-1]
            tangent = tangent if tangent[-1] >= 0 else -tangent
        else:
            bordered = np.concatenate([unit, along[None]])
            tangent = np.linalg.lstsq(bordered, np.eye(len(y))[-1], rcond=1e-13)[0]
            tangent = tangent / np.linalg.norm(tangent)
        bordered = np.concatenate([unit, tangent[None]])
        cross = float(np.linalg.slogdet(bordered)[0] * np.linalg.svd(bordered, compute_uv=False)[-1])
        return Place(y, tangent, scale, rows, cross, _symmetric(J[:, :-1] * scale[:-1, None]))

    def corrected(self, guess: Array, across: Array, scale: Array) -> tuple[Array, int] | None:
        """The solution in a plane through a guess, and how many corrections it took."""

        def equations(z: Array, _index: object) -> Array:
            inside = self._function(z[0] * scale)
            return np.append(inside, across @ (z[0] - guess / scale))[None]

        def slopes(z: Array, _index: object) -> Array:
            return np.concatenate([self._slopes(z[0] * scale) * scale, across[None]])[None]

        found = newton(equations, slopes, (guess / scale)[None], max_steps=CORRECTIONS)
        good = found.status[0] in (Status.CONVERGED, Status.DEGENERATE)
        return (found.x[0] * scale, len(found.history)) if good else None

    def misses(self, y: Array, near: Place) -> float:
        """By which share of their sizes the equations fail to hold at a point."""
        return float(np.max(np.abs(self._function(y)) / _nonzero(near.rows), initial=0))

    def slopes_at(self, here: Place) -> Array:
        """(m, m + 1): the slopes at a place, in its scales and over the sizes of the equations."""
        return np.asarray(self._slopes(here.y) * here.scale / _nonzero(here.rows)[:, None])

    def beside(self, a: Place, b: Place, share: float) -> Place | None:
        """The place of a curve at a share of the way between two of its places."""
        return self.near(a, a.y + share * (b.y - a.y), (b.y - a.y) / a.scale)

    def near(self, here: Place, guess: Array, chord: Array) -> Place | None:
        """The place across a chord from a guess, None if it is further off than the chord is long."""
        length = np.linalg.norm(chord)
        found = self.corrected(guess, chord / length, here.scale)
        if found is None or np.linalg.norm((found[0] - guess) / here.scale) > length:
            return None
        return self.place(found[0], here.tangent, here.scale, here.rows)

    def walk(self, start: Place, most: int) -> Curve:
        """From a place along its tangent until the last unknown leaves its range, or it closes."""
        places = [start]
        step = min(FIRST, self._largest)
        end = End.LONG
        while len(places) < most:
            here = places[-1]
            try:
                found = self.ahead(here, step)
            except NotFiniteError:
                found = None
            if found is not None and here.cross * found[0].cross < 0 and not self._crosses(here, step):
                found = None  # it has jumped onto a neighbouring curve
            if found is None:
                step /= 2
                if step < SMALLEST:
                    end = End.LOST
                    break
                continue
            there, corrections = found
            if not self.low <= there.y[-1] <= self.high:
                places.append(self._at_end(here, there))
                end = End.RANGE
                break
            places.append(self._rescaled(there))
            if (np.abs(there.y) > FAR * start.scale).any():
                end = End.AWAY
                break
            if self._closed(places, step):
                end = End.CLOSED
                break
            step = min(step * 1.5, self._largest) if corrections <= FEW else step
        return Curve(tuple(places), end)

    def ahead(self, here: Place, step: float) -> tuple[Place, int] | None:
        """The place a step further, or None if it is not surely on the same curve."""
        found = self.corrected(here.y + step * here.tangent * here.scale, here.tangent, here.scale)
        if found is None:
            return None
        there, corrections = found
        place = self.place(there, here.tangent, here.scale, here.rows)
        off = np.linalg.norm((there - here.y) / here.scale - step * here.tangent)
        if place.tangent @ here.tangent < TURN or off > abs(step) / 4:
            return None
        return place, corrections

    def _crosses(self, here: Place, step: float) -> bool:
        """Whether a curve is crossed within a step: also smaller and smaller steps see it."""
        for _ in range(LEVELS):
            step /= PARTS
            for _ in range(PARTS + 1):
                found = self.ahead(here, step)
                if found is None:
                    return False
                if here.cross * found[0].cross < 0:
                    break
                here = found[0]
            else:
                return False
        return True

    def _rescaled(self, there: Place) -> Place:
        """The same place, measured by the unknowns as large as they have become."""
        scale = np.maximum(there.scale, np.abs(there.y))
        scale[-1] = there.scale[-1]
        along = there.tangent * there.scale / scale
        return self.place(there.y, along, scale, there.rows)

    def _at_end(self, here: Place, beyond: Place) -> Place:
        """The place where the range ends, from places on both sides."""
        end = self.high if beyond.y[-1] > self.high else self.low
        share = (end - here.y[-1]) / (beyond.y[-1] - here.y[-1])
        guess = here.y + share * (beyond.y - here.y)
        found = self.corrected(guess, np.eye(len(guess))[-1], here.scale)
        y = beyond.y if found is None else found[0]
        if found is not None:
            y[-1] = end
        return self.place(y, here.tangent, here.scale, here.rows)

    def _closed(self, places: list[Place], step: float) -> bool:
        """Whether the walk has come back to where it began, in the same direction."""
        if len(places) < 8:
            return False
        first, last = places[0], places[-1]
        near = np.linalg.norm((last.y - first.y) / last.scale) < step
        return bool(near and last.tangent @ (first.tangent * first.scale / last.scale) > 0)


def _nonzero(sizes: Array) -> Array:
    return np.where(sizes == 0, 1.0, sizes)


class NotFiniteError(ArithmeticError):
    """The slopes of the equations are not finite at a point."""


def _symmetric(A: Array) -> Array | None:
    """A matrix without rounding if it is symmetric, else None."""
    if np.abs(A - A.T).max(initial=0) > 1e-9 * np.abs(A).max(initial=0):
        return None
    return np.asarray((A + A.T) / 2)


def crossing(function: Callable[[float], float], a: float, b: float, fa: float, fb: float) -> float:
    """Where a function changes sign between a and b (Illinois variant of regula falsi)."""
    width, last, side = abs(b - a), a, 0
    for _ in range(100):
        c = (a * fb - b * fa) / (fb - fa)
        fc = function(c)
        if not np.isfinite(fc):
            return float("nan")
        if fc == 0 or abs(c - last) <= 1e-15 * width or abs(b - a) <= 1e-15 * width:
            return c
        if (fc > 0) == (fb > 0):
            b, fb = c, fc
            fa = fa / 2 if side == -1 else fa
            side = -1
        else:
            a, fa = c, fc
            fb = fb / 2 if side == 1 else fb
            side = 1
        last = c
    return last
