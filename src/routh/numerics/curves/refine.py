"""Curves of solutions with places inserted where test functions dip through zero between two others.

Test functions are eigenvalues of the slopes, the turn of the parameter, real parts, squared distances
of frequencies. A place inside becomes a point of the branch, and signs do the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from routh.arrays import Array, Complex
from routh.numerics.curves.continuation import STRAIGHT, Tracer
from routh.numerics.curves.curve import Curve, Place
from routh.numerics.curves.dips import AHEAD, DRIFT, Sample, Sampled, Test, dips, sampled

ALONG = 0.8
"""Cosine of the largest angle between a short piece of a curve and its chord."""

PIECES = 6
"""How often a piece of an interval is divided again."""


class Interval:
    """The part of a curve between two neighbouring places, in the scales of the first."""

    def __init__(self, tracer: Tracer, first: Place, last: Place) -> None:
        self._tracer = tracer
        self.first = first
        alike = np.array_equal(last.scale, first.scale)
        self.last = last if alike else tracer.place(last.y, first.tangent, first.scale, first.rows)
        self._chord = (last.y - first.y) / first.scale
        self._known: dict[float, tuple[Place, Place]] = {}

    def at(self, share: float) -> Place | None:
        """The place at a share of the way, None where it is not surely on this curve.

        Next to a crossing corrections may lead onto the other curve, which goes elsewhere.
        """
        if share in (0.0, 1.0):
            return self.last if share else self.first
        place = self._tracer.beside(self.first, self.last, share)
        if place is None:
            return None
        length = np.linalg.norm(self._chord)
        off = (place.y - self.first.y) / place.scale - share * self._chord
        aligned = place.tangent @ self._chord > ALONG * length
        return place if aligned and np.linalg.norm(off) <= STRAIGHT * length else None

    def both(self, share: float) -> tuple[Place, Place] | None:
        """The places at a share of the way, and ahead of it by AHEAD."""
        if share not in self._known:
            place = self.at(share)
            if place is None:
                return None
            there = self.ahead(place)
            further = self._tracer.place(there, place.tangent, place.scale, place.rows)
            self._known[share] = place, further
        return self._known[share]

    def ahead(self, place: Place) -> Array:
        """The point of the curve further on by the share AHEAD, along the tangent."""
        rate = (self._chord @ self._chord) / (place.tangent @ self._chord)
        return np.asarray(place.y + AHEAD * rate * place.tangent * place.scale)


def refined(tracer: Tracer, curve: Curve, more: Sequence[Callable[[Place], Complex]] = ()) -> Curve:
    """The curve with a place between every two crossings or folds that a step has passed over.

    And between every two zeros of real parts of `more` functions of the places.
    """
    places = [curve.places[0]]
    for first, last in zip(curve.places[:-1], curve.places[1:], strict=True):
        interval = Interval(tracer, first, last)
        kinds: list[Callable[[Place], Complex]] = [partial(_stiffness, tracer.doubt), _turn, *more]
        samples: list[Sample] = [_Signs(interval, kind) for kind in kinds]
        shares = pieces([(sample, DRIFT) for sample in samples])
        between = [interval.at(share) for share in shares]
        places += [place for place in between if place is not None] + [last]
    return Curve(tuple(places), curve.end)


def pieces(tests: list[tuple[Sample, Test]]) -> list[float]:
    """Shares at which to divide an interval, so that no test dips through zero within a part of it."""
    inserted: list[float] = []
    todo = [(0.0, 1.0, 0)]
    while todo:
        low, high, depth = todo.pop()
        share = _first_dip(tests, low, high)
        if share is not None and depth < PIECES:
            inserted.append(share)
            todo += [(low, share, depth + 1), (share, high, depth + 1)]
    return sorted(inserted)


def _first_dip(tests: list[tuple[Sample, Test]], low: float, high: float) -> float | None:
    for sample, test in tests:
        a, b = sample(low), sample(high)
        if a is not None and b is not None:
            for share in dips(sample, a, b, test):
                return share
    return None


class _Signs:
    """What changes its sign along an interval, as a function of the share."""

    def __init__(self, interval: Interval, kind: Callable[[Place], Complex]) -> None:
        self._interval, self._kind = interval, kind

    def __call__(self, share: float) -> Sampled | None:
        both = self._interval.both(share)
        return None if both is None else sampled(share, *map(self._kind, both))


def _stiffness(doubt: float, place: Place) -> Complex:
    """The eigenvalues of symmetric slopes, or the test function of a crossing where it is no noise."""
    if place.eigenvalues is not None:
        return place.eigenvalues.astype(complex)
    return np.array([place.cross if abs(place.cross) >= doubt else 0.0], dtype=complex)


def _turn(place: Place) -> Complex:
    return np.array([place.turn], dtype=complex)
