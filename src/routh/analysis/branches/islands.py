"""Oscillations that begin and cease again between two places of a branch."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from routh.analysis.branches.special_points import is_conservative
from routh.analysis.linear.linear_model import LinearModel
from routh.analysis.linear.linearize import linearize
from routh.analysis.linear.spectrum import linear_spectrum
from routh.analysis.rest.result import Equilibrium
from routh.arrays import Array, Complex
from routh.numerics.curves.continuation import Tracer
from routh.numerics.curves.curve import Curve
from routh.numerics.curves.dips import DRIFT, MEETING, Sampled, sampled
from routh.numerics.curves.refine import Interval, pieces


def with_islands(
    tracer: Tracer, curve: Curve, linear: LinearModel, equilibria: Callable[[Array], Equilibrium]
) -> Curve:
    """The curve with a place between every two onsets that a step has passed over.

    With damping the real parts of all oscillations are looked at, without it the squares of the
    distances between frequencies, by values and slopes at both ends of each step.
    """
    test = MEETING if is_conservative(linear) else DRIFT
    places = curve.places
    intervals = [Interval(tracer, a, b) for a, b in pairwise(places)]
    if not intervals:
        return curve
    ends = [place for each in intervals for place in (each.first, each.last)]
    owners = [each for each in intervals for _ in range(2)]
    here = np.array([place.y for place in ends])
    ahead = np.array([each.ahead(place) for each, place in zip(owners, ends, strict=True)])
    known = _spectra(equilibria, np.concatenate([here, ahead]))
    result = [places[0]]
    for k, interval in enumerate(intervals):
        pair = [known[: len(ends)][2 * k : 2 * k + 2], known[len(ends) :][2 * k : 2 * k + 2]]
        sample = _Sample(interval, equilibria, pair)
        between = [interval.at(share) for share in pieces([(sample, test)])]
        result += [place for place in between if place is not None] + [places[k + 1]]
    return Curve(tuple(result), curve.end)


class _Sample:
    """The oscillations at a share of an interval; at its ends they are known."""

    def __init__(
        self,
        interval: Interval,
        equilibria: Callable[[Array], Equilibrium],
        ends: list[list[Complex]],
    ) -> None:
        self._interval, self._equilibria, self._ends = interval, equilibria, ends

    def __call__(self, share: float) -> Sampled | None:
        if share in (0.0, 1.0):
            return _looked(share, *(each[int(share)] for each in self._ends))
        place = self._interval.at(share)
        if place is None:
            return None
        both = np.array([place.y, self._interval.ahead(place)])
        return _looked(share, *_spectra(self._equilibria, both))


def _looked(share: float, here: Complex, ahead: Complex) -> Sampled | None:
    """A look at oscillations, None where one of them ends or nothing is known."""
    return sampled(share, here, ahead) if len(here) == len(ahead) else None


def _spectra(equilibria: Callable[[Array], Equilibrium], y: Array) -> list[Complex]:
    """The eigenvalues with positive imaginary part at points of a curve."""
    values = linear_spectrum(linearize(equilibria(y)), vectors=False).values
    return [each[each.imag > 0] for each in values]
