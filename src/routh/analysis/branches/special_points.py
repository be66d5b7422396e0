"""Points of a branch where something happens, and how onsets of oscillations are located.

Without damping, growth squared before and minus the squared half distance of two frequencies behind
an onset is one smooth function; with damping the real part is. So onsets are bracketed and located as
zeros of these, not by comparing real parts with zero. Each eigenvalue is followed by itself, so that
one that begins and one that ceases to grow within a step are both seen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from routh.analysis.given.where import where
from routh.analysis.linear.linear_model import LinearModel
from routh.analysis.rest.result import Equilibrium
from routh.analysis.stability.branch_words import Kind
from routh.analysis.stability.natural_modes import Modes
from routh.analysis.stability.verdict import Verdict
from routh.arrays import Complex
from routh.errors import capital
from routh.numerics.curves.curve import Place
from routh.numerics.solving.crossing import crossing
from routh.recorded import Recorded
from routh.shown import as_html


@dataclass(frozen=True, eq=False)
class SpecialPoint(Recorded):
    """A fold, branch point, Hopf or flutter point.

    Attributes:
        kind: what happens.
        parameter: the name of the parameter.
        value: its value.
        rest: the equilibrium there.
        frequency: rad/s of the oscillation that begins, None for folds and branch points.
        multiplicity: how many other branches cross, at least.
    """

    kind: Kind
    parameter: str
    value: float
    rest: Equilibrium = field(repr=False)
    frequency: float | None
    multiplicity: int
    _place: Place = field(repr=False)
    _at: float = field(repr=False)

    def __str__(self) -> str:
        place = where(self.rest.system, self.rest.q)
        kind = str(self.kind)
        if self.multiplicity > 1:
            kind = f"branch point: {self.multiplicity} other branches cross"
        text = f"{capital(kind)}, at {self.parameter} = {self.value:.10g}, {place}"
        return text if self.frequency is None else f"{text}, {self.frequency:.6g} rad/s"

    _repr_html_ = as_html


@dataclass(frozen=True)
class Oscillation(Recorded):
    """An onset between two points of a branch, at a share of the way."""

    kind: Kind
    interval: int
    share: float
    frequency: float

    _repr_html_ = as_html


GROWING = 1e-12
"""Share of an eigenvalue by which its real part must exceed zero to count as growing."""

PARTED = 1e-7
"""The same without damping, where rounding splits two frequencies that meet by its root."""

NARROW = 1e-4
"""Share of an interval down to which onsets are bracketed before they are interpolated."""


BESIDE = 1e-3
"""Share of an interval by which a point beside it may explain what happens in it."""


def is_conservative(linear: LinearModel) -> bool:
    """Whether eigenvalues come in pairs s, -conj(s), so that oscillations grow where two have met."""
    mixed = linear.G.any() and linear.H.any()
    return bool(linear.is_holonomic and not linear.D.any() and not mixed)


def oscillations(along: Modes, at: Callable[[int, float], Modes | None]) -> Iterator[Oscillation]:
    """Onsets between the points of a branch; `at` gives the modes in between.

    An onset changes the number of eigenvalues with positive real part by two; a branch point or fold
    changes it by one, and a pair that becomes real while it grows not at all. Without damping the
    spectrum is symmetric, and an oscillation grows after two frequencies have met: the square of the
    growth, and minus that of half their distance before, is one smooth function through zero. With
    damping the real part itself is.
    """
    finder = _Finder(at, is_conservative(along.linear))
    values = along.eigenvalues
    for k in range(len(values) - 1):
        yield from finder.between(k, values[k], values[k + 1], 0.0, 1.0)


class _Finder:
    """Looks for onsets within one interval."""

    def __init__(self, at: Callable[[int, float], Modes | None], conservative: bool) -> None:
        self._at = at
        self._least = PARTED if conservative else GROWING
        self._test = _meeting if conservative else _drift
        self._kind = Kind.FLUTTER if conservative else Kind.HOPF

    def _growing(self, s: Complex) -> Complex:
        return s[s.real > self._least * np.abs(s)]

    def between(
        self, k: int, first: Complex, last: Complex, low: float, high: float
    ) -> Iterator[Oscillation]:
        """Onsets of a part of an interval, halved until there is at most one in each half."""
        change = abs(len(self._growing(first)) - len(self._growing(last)))
        flips = [] if self._kind is Kind.FLUTTER else self._flips(first, last)
        if change < 2 and not flips:
            return
        wide = high - low > NARROW
        if wide or (max(change, 2 * len(flips)) > 2 and high - low > NARROW**2):
            middle = (low + high) / 2
            found = self._at(k, middle)
            if found is not None:
                yield from self.between(k, first, found.eigenvalues, low, middle)
                yield from self.between(k, found.eigenvalues, last, middle, high)
                return
        if self._kind is Kind.HOPF:
            for critical in flips:
                yield self._located(k, first, last, low, high, critical)
            return
        critical_pair = _critical(self._growing(first), self._growing(last))
        if critical_pair is not None:
            yield self._located(k, first, last, low, high, critical_pair)

    def _flips(self, first: Complex, last: Complex) -> list[complex]:
        """Oscillations that begin or cease to grow, each followed to its nearest successor."""
        a, b = first[first.imag > 0], last[last.imag > 0]
        far = np.abs(a[:, None] - b[None, :])
        found = []
        for _ in range(min(len(a), len(b))):
            i, j = np.unravel_index(np.argmin(far), far.shape)
            before, after = (s.real > self._least * abs(s) for s in (a[i], b[j]))
            if before != after:
                found.append(complex(b[j] if after else a[i]))
            far[i, :], far[:, j] = np.inf, np.inf
        return found

    def _located(
        self, k: int, first: Complex, last: Complex, low: float, high: float, critical: complex
    ) -> Oscillation:
        def size(share: float) -> float:
            found = self._at(k, share)
            return float("nan") if found is None else self._test(found.eigenvalues, critical)

        a, b = self._test(first, critical), self._test(last, critical)
        share = crossing(size, low, high, ends=(a, b))
        if not np.isfinite(share):  # one of the ends is the onset, to rounding
            share = low if abs(a) < abs(b) else high
        found = self._at(k, share)
        frequency = abs(critical.imag)
        if found is not None:
            upper = found.eigenvalues[found.eigenvalues.imag > 0]
            if len(upper):
                frequency = float(upper[np.argmin(np.abs(upper - critical))].imag)
        return Oscillation(self._kind, k, share, frequency)


def unexplained(
    along: Modes, explained: Sequence[float], at: Callable[[int, float], Modes | None]
) -> Iterator[tuple[int, float]]:
    """Intervals of a branch, and shares of them, where the verdict changes and no point says why.

    Where neighbouring steady motions exist at every value, as for what rolls, eigenvalues pass through
    zero without another branch. The place is found by halving, since verdicts are no numbers.
    """
    lost = _unstable(along)
    for k in np.flatnonzero((lost[1:] != lost[:-1]) & (lost[1:] >= 0) & (lost[:-1] >= 0)):
        if any(k - BESIDE <= each <= k + 1 + BESIDE for each in explained):
            continue
        low, high = 0.0, 1.0
        while high - low > NARROW**2:
            middle = (low + high) / 2
            found = at(int(k), middle)
            verdict = -1 if found is None else int(_unstable(found)[0])
            if verdict < 0:  # on the edge itself, to rounding
                low = high = middle
            elif verdict == lost[k]:
                low = middle
            else:
                high = middle
        yield int(k), (low + high) / 2


def _unstable(modes: Modes) -> NDArray[np.intp]:
    """1 where a verdict is unstable, 0 where it is stable, -1 where nothing is known."""
    verdicts = np.atleast_1d(np.asarray(modes.stability.verdict, dtype=object))
    known = {Verdict.UNSTABLE: 1, Verdict.STABLE: 0, Verdict.ASYMPTOTICALLY_STABLE: 0}
    return np.array([known.get(verdict, -1) for verdict in verdicts])


def _critical(first: Complex, last: Complex) -> complex | None:
    """The growing oscillation that one side has and the other lacks, None if it is no oscillation."""
    more, less = (first, last) if len(first) > len(last) else (last, first)
    upper = more[more.imag > 0]
    if not len(upper):
        return None
    far = [np.abs(less - s).min(initial=np.inf) for s in upper]
    return complex(upper[int(np.argmax(far))])


def _drift(s: Complex, critical: complex) -> float:
    """The real part of the eigenvalue nearest to the critical one."""
    upper = s[s.imag > 0]
    return float(upper[np.argmin(np.abs(upper - critical))].real) if len(upper) else float("nan")


def _meeting(s: Complex, critical: complex) -> float:
    """Growth squared, or minus the square of half the distance of the two nearest frequencies."""
    upper = s[s.imag > 0]
    near = upper[np.argsort(np.abs(upper.imag - abs(critical.imag)))[:2]]
    if not len(near):
        return float("nan")
    growth = float(np.abs(near.real).max())
    if growth > PARTED * float(np.abs(near).max()):
        return growth**2
    return -((float(np.ptp(near.imag)) / 2) ** 2)
