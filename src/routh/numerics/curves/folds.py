"""Folds and crossings of a curve of solutions, located between its places."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from operator import attrgetter

import numpy as np

from routh.arrays import Array
from routh.numerics.curves.continuation import Tracer
from routh.numerics.curves.curve import Curve, Place
from routh.numerics.solving.crossing import crossing

HALVINGS = 14
"""How often an interval is halved in which several curves cross."""

ASIDE = 0.05
"""Share of an interval at which a curve is sampled around a crossing: not closer, where corrections
may lead onto the other curve."""

NEARER = 0.05
"""Share of an interval to both sides of a crossing, between which it is looked at again."""

NOTHING = 1e-12
"""A test function below this is zero: the crossing is at the place itself."""

FLAT = 1e-9
"""Share of a tangent below which the last unknown does not change."""

HOLDS = 1e-7
"""Share of the size of the equations up to which they hold at a point that was located."""


@dataclass(frozen=True, eq=False)
class Event:
    """A fold (`crosses` False) or a crossing with other curves, `multiplicity` of them.

    `at` is the number of the place before it plus the share of the way to the next.
    """

    place: Place
    at: float
    crosses: bool
    multiplicity: int = 1


def events(tracer: Tracer, curve: Curve) -> Iterator[Event]:
    """All folds and crossings that change a sign, or the number of negative eigenvalues."""
    places = _with_signs(curve.places, max(NOTHING, tracer.doubt))
    for k in range(len(places) - 1):
        finder = _Finder(tracer, places[k], places[k + 1], k)
        yield from finder.between(places[k], places[k + 1], 0.0, 1.0, HALVINGS)
    yield from _at_the_end(curve.places)


def closer(tracer: Tracer, curve: Curve, event: Event) -> Event:
    """The same crossing, located again between two places near to it.

    Interpolation is of the sixth order, so a tenth of the width leaves a millionth of the error.
    """
    k = min(int(event.at), len(curve.places) - 2)
    shares = [event.at - k - NEARER, event.at - k + NEARER]
    if not event.crosses or not 0 < shares[0] < shares[1] < 1:
        return event
    ends = [tracer.beside(curve.places[k], curve.places[k + 1], share) for share in shares]
    a, b = ends
    if a is None or b is None:
        return event
    found = [again for again in events(tracer, Curve((a, b), curve.end)) if again.crosses]
    if len(found) != 1:
        return event
    at = k + shares[0] + found[0].at * (shares[1] - shares[0])
    return replace(found[0], at=at)


def zeros(tracer: Tracer, curve: Curve, test: Callable[[Place], float]) -> Iterator[Event]:
    """Where a function of the places changes its sign, located between two of them."""
    values = [test(place) for place in curve.places]
    for k, (fa, fb) in enumerate(pairwise(values)):
        if fa * fb < 0:
            finder = _Finder(tracer, curve.places[k], curve.places[k + 1], k)
            yield from finder.zero(test, fa, fb)


def _at_the_end(places: tuple[Place, ...]) -> Iterator[Event]:
    """A crossing at the very last place, where no sign has changed yet."""
    last = places[-1]
    if len(places) < 2 or last.eigenvalues is None or not len(last.eigenvalues):
        return
    before = np.abs(places[-2].eigenvalues).max() if places[-2].eigenvalues is not None else 0.0
    zeros = int(np.sum(np.abs(last.eigenvalues) <= NOTHING * before))
    if zeros:
        yield Event(last, float(len(places) - 1), True, zeros)


def _with_signs(places: tuple[Place, ...], nothing: float) -> list[Place]:
    """The places with zeros of the test function replaced by the sign they come from."""
    found: list[Place] = []
    for place in places:
        zero = abs(place.cross) < nothing and found
        sign = float(np.copysign(NOTHING, found[-1].cross)) if zero else place.cross
        found.append(replace(place, cross=sign))
    return found


def _flips(a: Place, b: Place) -> int:
    """How many eigenvalues change sign, each followed by its vector."""
    if a.modes is None or b.modes is None:
        return 0
    (first, V), (last, W) = a.modes, b.modes
    alike = np.abs(V.T @ W)
    flips = 0
    for _ in range(len(first)):
        i, j = np.unravel_index(np.argmax(alike), alike.shape)
        flips += int((first[i] < 0) != (last[j] < 0))
        alike[i, :], alike[:, j] = -1.0, -1.0
    return flips


def _eigenvalue(which: int, place: Place) -> float:
    return float("nan") if place.eigenvalues is None else float(place.eigenvalues[which])


class _Finder:
    """Looks at one interval, between two places of a curve."""

    def __init__(self, tracer: Tracer, first: Place, last: Place, number: int) -> None:
        self._tracer = tracer
        self._first, self._last = first, last
        self._number = number
        self._chord = (last.y - first.y) / first.scale

    def at(self, share: float) -> Place | None:
        """The place of the curve at a share of the interval."""
        return self._tracer.beside(self._first, self._last, share)

    def between(self, a: Place, b: Place, low: float, high: float, depth: int) -> Iterator[Event]:
        """The events of a part of the interval."""
        change = None
        if a.negative is not None and b.negative is not None:
            change = abs(b.negative - a.negative)
        crosses = a.cross * b.cross < 0
        turns = (a.turn > 0) != (b.turn > 0) and max(abs(a.turn), abs(b.turn)) > FLAT
        flips = _flips(a, b)
        several = change is not None and (
            change > 1 or flips > change or (change == 0 and crosses != turns)
        )
        if several and depth:
            middle = (low + high) / 2
            place = self.at(middle)
            if place is not None:
                yield from self.between(a, place, low, middle, depth - 1)
                yield from self.between(place, b, middle, high, depth - 1)
                return
        if change == 0 and flips > 1 and not depth:  # one up and one down, at the same place
            place = self.at((low + high) / 2)
            if place is not None:
                yield Event(place, self._number + (low + high) / 2, True, flips)
        elif change is not None and change > 0 and not (turns and not crosses):
            yield from self._vanishing(a, b, low, high, change)
        elif crosses and (change is None or turns):
            yield from self._crossing(a, b, low, high)
        elif turns:
            yield from self._fold(a, b, low, high)

    def _vanishing(self, a: Place, b: Place, low: float, high: float, change: int) -> Iterator[Event]:
        """Crossings with one curve or several: where an eigenvalue vanishes along this one."""
        which = min(a.negative or 0, b.negative or 0)

        def test(share: float) -> float:
            place = self.at(share)
            return float("nan") if place is None else _eigenvalue(which, place)

        share = crossing(test, low, high, ends=(_eigenvalue(which, a), _eigenvalue(which, b)))
        place = None
        if np.isfinite(share):
            place = self._tracer.between(self._first, self._last, share)
        if place is not None:
            yield Event(replace(place, tangent=self._direction), self._number + share, True, change)

    def _fold(self, a: Place, b: Place, low: float, high: float) -> Iterator[Event]:
        return self.zero(attrgetter("turn"), a.turn, b.turn, low, high)

    def zero(
        self, test: Callable[[Place], float], fa: float, fb: float, low: float = 0.0, high: float = 1.0
    ) -> Iterator[Event]:
        """Where a function of the places vanishes between two of them."""

        def at(share: float) -> float:
            place = self.at(share)
            return float("nan") if place is None else test(place)

        share = crossing(at, low, high, ends=(fa, fb))
        place = self.at(share) if np.isfinite(share) else None
        if place is not None and self._holds(place.y):
            yield Event(place, self._number + share, False)

    @property
    def _direction(self) -> Array:
        """The direction of the curve, where the slopes do not tell it from that of another."""
        return np.asarray(self._chord / np.linalg.norm(self._chord))

    def _crossing(self, a: Place, b: Place, low: float, high: float) -> Iterator[Event]:
        """By interpolation between points aside of the crossing."""
        if abs(a.cross) <= NOTHING:
            yield Event(replace(a, tangent=self._direction), self._number + low, True)
            return
        share = low + (high - low) * a.cross / (a.cross - b.cross)
        y = self._first.y + share * (self._last.y - self._first.y)
        for _ in range(3):
            found = self._interpolated(y, ASIDE * (high - low))
            if found is None:
                return
            y = found
        if not self._holds(y):
            return
        place = self._tracer.place(y, self._first.tangent, self._first.scale, self._first.rows)
        way = float((y - self._first.y) / self._first.scale @ self._chord)
        share = way / float(self._chord @ self._chord)
        yield Event(replace(place, tangent=self._direction), self._number + share, True)

    def _interpolated(self, y: Array, width: float) -> Array | None:
        """The zero of the test function, from a polynomial through six points around y."""
        offsets = width * np.array([-3.0, -2.0, -1.0, 1.0, 2.0, 3.0])
        places = [
            self._tracer.near(self._first, y + h * (self._last.y - self._first.y), self._chord)
            for h in offsets
        ]
        known = [(h, p) for h, p in zip(offsets / width, places, strict=True) if p is not None]
        if len(known) < 4:
            return None
        h = np.array([x for x, _ in known])
        values = np.array([[*p.y, p.cross] for _, p in known])
        powers = np.vander(h, increasing=True)
        coefficients = np.linalg.solve(powers, values)
        slope = np.polynomial.polynomial.Polynomial(coefficients[:, -1])
        zero = 0.0
        for _ in range(20):
            rate = slope.deriv()(zero)
            if rate == 0:
                return None
            zero -= slope(zero) / rate
        if not abs(zero) <= 3 / ASIDE:
            return None
        return np.asarray(coefficients[:, :-1].T @ zero ** np.arange(len(h)))

    def _holds(self, y: Array) -> bool:
        """Whether the equations hold at a point that was located."""
        return self._tracer.misses(y, self._first) <= HOLDS
