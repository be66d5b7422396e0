"""Pairs of sign changes between two looks at functions: places where they dip through zero and back.

Both ends agree, so signs tell nothing; values and slopes do. A function that falls towards the inside
from both ends has a minimum there, which is followed until it is below zero, or until the tangents of
an interval around it meet above zero.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import scipy
from numpy.typing import NDArray

from routh.arrays import Array, Complex

AHEAD = 1e-6
"""Share of an interval by which the second evaluation lies ahead: slopes good to ten digits."""

CLEAR = 0.5
"""Tangents that meet above this share of the values at the ends leave no room for a zero."""

NARROW = 1e-10
"""Share of an interval below which a minimum is not narrowed down any more."""

BUDGET = 60
"""Looks at one function in one interval; a minimum takes about ten."""

DEEP = 4
"""Halvings of an interval in which only a cubic through the ends shows a minimum."""


@dataclass(frozen=True, eq=False)
class Sampled:
    """Eigenvalues (n,) at a share of an interval, and `ahead` of it by AHEAD, in the same order."""

    at: float
    values: Complex
    ahead: Complex

    def middle(self, towards: float) -> Complex:
        """Where the eigenvalues are halfway to another share, if they go on as they do."""
        return self.values + (self.ahead - self.values) * (towards - self.at) / (2 * AHEAD)


def sampled(at: float, values: Complex, ahead: Complex) -> Sampled:
    """A look, with the eigenvalues ahead each put next to where it comes from."""
    i, j = scipy.optimize.linear_sum_assignment(np.abs(values[:, None] - ahead[None, :]))
    return Sampled(at, values[i], ahead[j])


Sample = Callable[[float], Sampled | None]


@dataclass(frozen=True, eq=False)
class Test:
    """A function `of` one eigenvalue or two, symmetric in them, and its `noise` among all of them."""

    size: int
    of: Callable[[Complex], Array]
    noise: Callable[[Complex, Complex], Array]

    def groups(self, count: int) -> NDArray[np.intp]:
        """All choices (k, size) among so many eigenvalues."""
        return np.array(list(combinations(range(count), self.size)), dtype=np.intp)


DRIFT = Test(1, lambda s: s[..., 0].real, lambda _, every: 1e-14 * np.abs(every).max())
"""The real part of an eigenvalue."""

MEETING = Test(
    2,
    lambda s: -((s[..., 0] - s[..., 1]) ** 2).real / 4,
    lambda s, _: 1e-14 * np.abs(s).max(axis=-1) ** 2,
)
"""The square of half the distance of two frequencies; minus the square of the growth once they met."""


def dips(sample: Sample, a: Sampled, b: Sampled, test: Test) -> Iterator[float]:
    """Shares of an interval at which a test has the other sign than at both of its ends."""
    first, first_ahead, last, last_ahead = _matched(a, b)
    groups = test.groups(len(first))
    if not len(groups):
        return
    ends = [test.of(x[groups]) for x in (first, first_ahead, last, last_ahead)]
    noise = np.maximum(test.noise(first[groups], a.values), test.noise(last[groups], b.values))
    sure = (ends[0] * ends[2] > 0) & (np.minimum(np.abs(ends[0]), np.abs(ends[2])) > noise)
    for k in np.flatnonzero(sure):
        sign = float(np.sign(ends[0][k]))
        lows, highs = (
            _Look(end.at, sign * f[k], sign * (g[k] - f[k]) / AHEAD, x[groups[k]], 0.0)
            for end, f, g, x in ((a, ends[0], ends[1], first), (b, ends[2], ends[3], last))
        )
        finder = _Finder(sample, test, sign)
        found = finder.below(lows, highs)
        if found is not None:
            yield found


@dataclass(frozen=True, eq=False)
class _Look:
    """A function at a share, with its slope, and the eigenvalues that it belongs to."""

    at: float
    value: float
    slope: float
    group: Complex
    noise: float


class _Finder:
    """Looks for a place at which one function is negative, between two at which it is positive."""

    def __init__(self, sample: Sample, test: Test, sign: float) -> None:
        self._sample, self._test, self._sign = sample, test, sign

    def below(self, a: _Look, b: _Look) -> float | None:
        todo = [(a, b, 0)]
        width = b.at - a.at
        for _ in range(BUDGET):
            if not todo:
                return None
            a, b, depth = todo.pop()
            at = _suspect(a, b, depth) if b.at - a.at > NARROW * width else None
            if at is None:
                continue
            look = self._look(at, a, b)
            if look is None:
                return None
            if look.value < -look.noise:
                return at
            if look.value > look.noise:
                todo += [(a, look, depth + 1), (look, b, depth + 1)]
        return None

    def _look(self, at: float, a: _Look, b: _Look) -> _Look | None:
        """The function at a share, of the eigenvalues nearest to where these are expected."""
        found = self._sample(at)
        if found is None or len(found.values) < self._test.size:
            return None
        expected = _between(a.group, b.group, (at - a.at) / (b.at - a.at))
        rows, columns = scipy.optimize.linear_sum_assignment(
            np.abs(expected[:, None] - found.values[None, :])
        )
        chosen = columns[np.argsort(rows)]
        here, ahead = (
            self._sign * float(self._test.of(x[chosen])) for x in (found.values, found.ahead)
        )
        group = found.values[chosen]
        noise = float(self._test.noise(group, found.values))
        return _Look(at, here, (ahead - here) / AHEAD, group, noise)


def _between(a: Complex, b: Complex, share: float) -> Complex:
    """Eigenvalues at a share of the way; two by their sum and the square of their difference."""
    if len(a) == 1:
        return np.asarray(a + share * (b - a), dtype=complex)
    total = a.sum() + share * (b.sum() - a.sum())
    first, last = (a[0] - a[1]) ** 2, (b[0] - b[1]) ** 2
    apart = np.sqrt(first + share * (last - first))
    both: Complex = np.array([total - apart, total + apart], dtype=complex)
    return both / 2


def _suspect(a: _Look, b: _Look, depth: int) -> float | None:
    """Where between two places a function may be negative, None if it is seen not to be."""
    h = b.at - a.at
    least = min(a.value, b.value)
    cubic = _Cubic(a.value, b.value, a.slope * h, b.slope * h)
    lowest = cubic.minimum
    falls = a.slope < 0 < b.slope
    if not falls:
        dips = lowest is not None and cubic(lowest) < CLEAR * least and depth < DEEP
        return a.at + lowest * h if dips and lowest is not None else None
    meet = (b.value - a.value - b.slope * h) / ((a.slope - b.slope) * h)
    if a.value + a.slope * h * meet > CLEAR * least:
        return None
    if lowest is None or depth % 3 == 2:  # so that a kink is narrowed down as well
        lowest = 0.5
    return a.at + float(np.clip(lowest, 1e-3, 1 - 1e-3)) * h


@dataclass(frozen=True)
class _Cubic:
    """The cubic on (0, 1) with given values and slopes at the ends."""

    first: float
    last: float
    first_slope: float
    last_slope: float

    @property
    def _powers(self) -> tuple[float, float]:
        """The factors of the square and of the cube."""
        rise = self.last - self.first
        return (
            3 * rise - 2 * self.first_slope - self.last_slope,
            self.first_slope + self.last_slope - 2 * rise,
        )

    def __call__(self, t: float) -> float:
        square, cube = self._powers
        return self.first + t * (self.first_slope + t * (square + t * cube))

    @property
    def minimum(self) -> float | None:
        """Where its minimum lies, None if it has none inside."""
        square, cube = self._powers
        a, b, c = 3 * cube, 2 * square, self.first_slope
        root = b**2 - 4 * a * c
        if root < 0:
            return None
        # of the two roots of the slope the one where it rises, without loss of digits
        if b > 0:
            at = -2 * c / (b + np.sqrt(root))
        else:
            at = (np.sqrt(root) - b) / (2 * a) if a != 0 else np.nan
        return float(at) if 0 < at < 1 else None


def _matched(a: Sampled, b: Sampled) -> tuple[Complex, Complex, Complex, Complex]:
    """Values and values ahead at both ends, each eigenvalue next to the one that it becomes."""
    first, last = a.middle(b.at), b.middle(a.at)
    i, j = scipy.optimize.linear_sum_assignment(np.abs(first[:, None] - last[None, :]))
    return a.values[i], a.ahead[i], b.values[j], b.ahead[j]
