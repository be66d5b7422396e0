"""Curves of solutions of m equations in m + 1 unknowns, through folds: pseudo-arclength continuation.

A step goes along the tangent and comes back to the curve across it (H. B. Keller, 1977). Unknowns are
measured by how large they have become, so that metres and radians count alike.

Branches do not jump. Where signs change within a step without a fold, the curve between its ends is
halved again and again. It goes on through a crossing down to rounding; where it bends away before
that there is a gap, and the walk goes on from its edge in steps as wide as it. The size of an
equation is the largest it has had so far, since at a crossing one of them may vanish.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from operator import attrgetter
from typing import Any

import numpy as np

from routh.arrays import Array
from routh.errors import Status
from routh.numerics.curves.curve import Curve, End, NotFiniteError, Place
from routh.numerics.curves.lengths import even, lengths
from routh.numerics.solving.damping import HALVINGS as SHARES_TRIED
from routh.numerics.solving.newton import newton
from routh.numerics.solving.settled import LEFT_OVER

Function = Callable[[Array], Array]
Until = Callable[[Place, Place], bool]

EPS = float(np.finfo(float).eps)

FIRST = 0.01
"""First step, as a share of the range of the last unknown."""

LARGEST = 0.03
"""Longest step along the curve, in the same measure: some thirty points or more for a branch."""

SMALLEST = 1e-13
"""Shortest step, below which the curve counts as lost."""

SHORT = 1e-7
CRAWLING = 100
"""So many steps in a row that are shorter than SHORT lead nowhere: round a bend they grow again."""

BEYOND = (1e-9, 1e-6, 1e-3)
"""How far ahead of the end of a curve the equations are looked at."""

TURN = 0.97
"""Cosine of the largest angle by which the tangent may turn in a step."""

FAR = 1e7
"""How many of its lengths an unknown may move."""

FEW = 4
"""Corrections up to which the next step may be longer."""

CORRECTIONS = 12
"""Newton steps that a correction may take; from a good guess it needs three or four."""

SINGULAR = 1e-10
"""Below this share singular values tell nothing: corrections leave such directions alone."""

MET = 1e3 * EPS
"""Share of the forces around within which equations hold at a crossing of curves, where Newton's method
converges slowly; a curve that only passes close by does not come so near."""

HALVINGS = 60
"""A crossing is looked at closer and closer, down to the last bits."""

SHARES = (0.5, 0.38, 0.63)
"""Where an interval is divided; elsewhere if the first share hits the crossing itself."""

STRAIGHT = 0.25
"""Share of a chord by which a curve may lie beside its middle."""

QUICK = (8, 1)
"""Corrections, and shares of each that are tried, where each look at the equations is an integration: a
shorter step along the curve costs less."""

NOISY = 1e3
"""Times their noise that singular values of noisy slopes may be off: it grows along a run."""

REMEMBERED = 8
"""Points whose slopes are remembered."""

DOUBT = 10.0
"""Distances below so many times the rounding of a place are none."""


class Tracer:
    """Walks along the solutions of `function(y) = 0`.

    Arguments:
        function: of y (m + 1,), gives (m,).
        slopes: of points (k, m + 1), gives (k, m, m + 1).
        low: where the last unknown may go, lower end.
        high: upper end.
        largest: the longest step, as a share of the range.
        alike: makes scales (m + 1,) equal for unknowns of one kind.
        index: counts of a place what changes by one at a fold, and else where another curve crosses.
        noise: the relative error of the equations, where they are no formulas: that of an integration.
        sizes: of y (m + 1,), gives (m,): the sums of what is added up in the equations, where known.
    """

    def __init__(
        self,
        function: Function,
        slopes: Function,
        low: float,
        high: float,
        largest: float | None = None,
        alike: Function = np.copy,
        index: Callable[[Place], int] = attrgetter("below"),
        noise: float = EPS,
        sizes: Function | None = None,
    ) -> None:
        self._function = function
        self._slopes = slopes
        self._known = lru_cache(REMEMBERED)(self._new_slopes)
        self._alike = alike
        self._index = index
        self._noise = noise
        self._sizes = sizes
        self._largest = LARGEST if largest is None else largest
        self.low, self.high = low, high
        self._base: Array = np.zeros(1)

    def __getstate__(self) -> dict[str, Any]:
        """It is sent without the slopes that it remembers."""
        return {name: own for name, own in self.__dict__.items() if name != "_known"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._known = lru_cache(REMEMBERED)(self._new_slopes)

    @property
    def doubt(self) -> float:
        """Test functions of a crossing below this are the noise of the equations."""
        return 0.0 if self._noise <= EPS else NOISY * self._noise

    def start(self, y: Array, scale: Array | None = None) -> Place:
        """The place of a point of a curve that is not known yet, pointing to larger y[-1].

        Unknowns are measured in `scale`; where it is not given, by how far the slopes stay the same.
        """
        self._base = y.copy()
        size = self._lengths(y) if scale is None else scale
        return self.place(y, None, size, np.zeros(len(y) - 1))

    def _slopes_of(self, y: Array) -> Array:
        """(m, m + 1) at one point; a place is looked at where the correction to it has just been."""
        return self._known(y.tobytes())

    def _new_slopes(self, y: bytes) -> Array:
        found: Array = self._slopes(np.frombuffer(y)[None])[0]
        return found

    def _lengths(self, y: Array) -> Array:
        """(m + 1,): lengths of the unknowns at a point."""
        span = self.high - self.low
        slopes = self._slopes_of(y)
        if not np.isfinite(slopes).all():
            raise NotFiniteError
        moved = np.zeros(len(y) - 1)
        unit = even(slopes[:, :-1])
        J = slopes[:, :-1] * np.outer(unit, unit)
        if len(J) and np.linalg.svd(J, compute_uv=False)[-1] > SINGULAR:
            moved = np.abs(unit * np.linalg.solve(J, unit * slopes[:, -1])) * span
        size = self._alike(np.append(lengths(self._slopes, y, moved), span))
        size[-1] = span
        return size

    def place(self, y: Array, along: Array | None, scale: Array, rows: Array) -> Place:
        """A point with what is known of it; pointing along a tangent, or to larger y[-1].

        The equations are measured by the largest size that they have had so far, since at the
        crossing of two curves one of them may vanish.
        """
        J = self._slopes_of(y) * scale
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
        return Place(y, tangent, scale, rows, cross, J[:, :-1] * scale[:-1, None])

    def corrected(self, guess: Array, across: Array, scale: Array) -> tuple[Array, int] | None:
        """The solution in a plane through a guess, and how many corrections it took."""

        def equations(z: Array, _index: object) -> Array:
            inside = self._function(z[0] * scale)
            return np.append(inside, across @ (z[0] - guess / scale))[None]

        def slopes(z: Array, _index: object) -> Array:
            return np.concatenate([self._slopes_of(z[0] * scale) * scale, across[None]])[None]

        most, shares = (CORRECTIONS, SHARES_TRIED) if self._noise <= EPS else QUICK
        noise = self._noise if self._noise > EPS else 0.0
        first = (guess / scale)[None]
        found = newton(equations, slopes, first, max_steps=most, halvings=shares, noise=noise)
        y = found.x[0] * scale
        good = found.status[0] is Status.CONVERGED
        if not good and self._rounded(guess):  # at a crossing Newton's method leads astray
            return guess, 1
        if found.status[0] is Status.DEGENERATE:  # a crossing, or a curve that passes close by
            around = np.abs(self._slopes_of(y)) @ np.maximum(np.abs(y), scale)
            met = MET * max(1.0, self._noise / EPS)
            good = bool((np.abs(self._function(y)) <= met * around).all())
        good = good or (found.status[0] is Status.STALLED and self._rounded(y))
        return (y, len(found.history)) if good else None

    def _rounded(self, y: Array) -> bool:
        """Whether the equations hold but for the rounding of what is added up in them."""
        if self._sizes is None:
            return False
        return bool((np.abs(self._function(y)) <= LEFT_OVER * self._sizes(y)).all())

    def misses(self, y: Array, near: Place) -> float:
        """By which share of their sizes the equations fail to hold at a point."""
        return float(np.max(np.abs(self._function(y)) / _nonzero(near.rows), initial=0))

    def slopes_at(self, here: Place) -> Array:
        """(m, m + 1): the slopes at a place, in its scales and over the sizes of the equations."""
        return np.asarray(self._slopes_of(here.y) * here.scale / _nonzero(here.rows)[:, None])

    def beside(self, a: Place, b: Place, share: float) -> Place | None:
        """The place of a curve at a share of the way between two of its places."""
        return self.near(a, a.y + share * (b.y - a.y), (b.y - a.y) / a.scale)

    def between(self, a: Place, b: Place, share: float) -> Place | None:
        """The same at a crossing, where equations tell little: on the chord, if that is the curve."""
        guess = a.y + share * (b.y - a.y)
        if not self._rounded(guess):
            return self.beside(a, b, share)
        return self.place(guess, a.tangent, a.scale, a.rows)

    def near(self, here: Place, guess: Array, chord: Array) -> Place | None:
        """The place across a chord from a guess, None if it is further off than the chord is long."""
        length = np.linalg.norm(chord)
        found = self.corrected(guess, chord / length, here.scale)
        if found is None or np.linalg.norm((found[0] - guess) / here.scale) > length:
            return None
        try:
            return self.place(found[0], here.tangent, here.scale, here.rows)
        except NotFiniteError:
            return None

    def walk(self, start: Place, most: int, until: Until | None = None) -> Curve:
        """From a place along its tangent until the last unknown leaves its range, or it closes.

        Or `until` a place and the next one say that the curve ends at the latter.
        """
        places, short = [start], 0
        step = min(FIRST, self._largest)
        smallest = SMALLEST if self._noise <= EPS else np.sqrt(self._noise)  # slopes know no more
        while len(places) < most:
            here = places[-1]
            if step < smallest or short > CRAWLING:
                return self._lost(places[: len(places) - short])
            found = self.ahead(here, step)
            if found is None:
                step /= 2
                continue
            there, corrections = found
            gap = self._gap(here, there)
            if gap is not None:  # it has jumped onto a neighbouring curve
                places += [gap[0]] if gap[0] is not here else []
                step = min(gap[1], step) / 2
                continue
            if not self.low <= there.y[-1] <= self.high:
                last = self._at_end(here, there)
                if last is not None:
                    return Curve((*places, last), End.RANGE)
                step /= 2
                continue
            places.append(self._rescaled(there))
            if (np.abs(there.y - self._base) / FAR > start.scale).any():
                return Curve(tuple(places), End.AWAY)
            if until is not None and until(here, there):
                return Curve(tuple(places), End.STOPPED)
            if self._closed(places, step):
                return Curve(tuple(places), End.CLOSED)
            short = short + 1 if step < SHORT else 0
            step = min(step * 1.5, self._largest) if corrections <= FEW else step
        return Curve(tuple(places), End.LONG)

    def _lost(self, places: list[Place]) -> Curve:
        """A curve that could not be followed further, with the reason."""
        last = places[-1]
        with np.errstate(all="ignore"):
            further = [self._function(last.y + h * last.tangent * last.scale) for h in BEYOND]
        finite = all(np.isfinite(each).all() for each in further)
        return Curve(tuple(places), End.LOST if finite else End.NOT_FINITE)

    def ahead(self, here: Place, step: float) -> tuple[Place, int] | None:
        """The place a step further, or None if it is not surely on the same curve."""
        found = self.corrected(here.y + step * here.tangent * here.scale, here.tangent, here.scale)
        if found is None:
            return None
        there, corrections = found
        try:
            place = self.place(there, here.tangent, here.scale, here.rows)
        except NotFiniteError:
            return None
        off = np.linalg.norm((there - here.y) / here.scale - step * here.tangent)
        if place.tangent @ here.tangent < TURN or off > abs(step) / 4:
            return None
        return place, corrections

    def _gap(self, a: Place, b: Place) -> tuple[Place, float] | None:
        """Where a step leaves its curve: the last place on it, and how wide the gap is. None: nowhere.

        Where signs change without a fold another curve crosses, or passes close by. Then the curve is
        looked at closer and closer: it goes on through a crossing, and bends away before a gap. Both
        look alike only where rounding is larger than the distance.
        """
        for _ in range(HALVINGS):
            if not self._differ(a, b):
                return None
            width = float(np.linalg.norm((b.y - a.y) / a.scale))
            middle = next(filter(None, (self._between(a, b, share) for share in SHARES)), None)
            if middle is None:
                seen = width * STRAIGHT > DOUBT * max(self._rounding(a), self._rounding(b))
                return (a, width) if seen and min(abs(a.cross), abs(b.cross)) > SINGULAR else None
            a, b = (a, middle) if self._differ(a, middle) else (middle, b)
        return None

    def _differ(self, a: Place, b: Place) -> bool:
        """Whether signs differ by more than a fold between two places explains."""
        turns = (a.turn > 0) != (b.turn > 0)
        crosses = a.cross * b.cross < 0 and min(abs(a.cross), abs(b.cross)) >= self.doubt
        return crosses or abs(self._index(a) - self._index(b)) > int(turns)

    def _between(self, a: Place, b: Place, share: float) -> Place | None:
        """The place at a share of a short piece of a curve, None if it is not nearly straight there."""
        chord = b.y - a.y
        place = self.beside(a, b, share)
        if place is None:
            return None
        off = np.linalg.norm((place.y - a.y - share * chord) / a.scale)
        return place if off <= STRAIGHT * np.linalg.norm(chord / a.scale) else None

    def _rounding(self, here: Place) -> float:
        """How far rounding may move a place across its curve, in its scales."""
        J = self._slopes_of(here.y)
        added = np.abs(J) @ np.abs(here.y)
        if self._sizes is not None:  # lengths of springs that cancel, where unknowns are zero
            added = np.maximum(added, self._sizes(here.y))
        forces = added * self._noise + np.abs(self._function(here.y))
        bordered = np.concatenate([J * here.scale / _nonzero(here.rows)[:, None], here.tangent[None]])
        inverse = np.abs(np.linalg.pinv(bordered, rcond=EPS))[:, :-1]
        moved = inverse @ (forces / _nonzero(here.rows)) + EPS * np.abs(here.y) / here.scale
        return float(np.max(moved))

    def _rescaled(self, there: Place) -> Place:
        """The same place, measured by the unknowns as large as they have become."""
        scale = np.maximum(there.scale, np.abs(there.y - self._base))
        scale[-1] = there.scale[-1]
        along = there.tangent * there.scale / scale
        return self.place(there.y, along, scale, there.rows)

    def _at_end(self, here: Place, beyond: Place) -> Place | None:
        """The place where the range ends, from places on both sides; None where none is found."""
        end = self.high if beyond.y[-1] > self.high else self.low
        share = (end - here.y[-1]) / (beyond.y[-1] - here.y[-1])
        guess = here.y + share * (beyond.y - here.y)
        found = self.corrected(guess, np.eye(len(guess))[-1], here.scale)
        if found is None:
            return None
        y = found[0]
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
