"""Points of a branch where something happens, and how onsets of oscillations are located."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import Enum

import numpy as np

from routh.analysis import diagnosis
from routh.analysis.equilibrium import Equilibrium
from routh.analysis.modes import Modes
from routh.errors import capital
from routh.kernels.batch import Array
from routh.numerics.continuation import crossing
from routh.numerics.pairs import Complex


class Kind(Enum):
    """What happens at a point of a branch."""

    FOLD = "fold: the parameter turns back"
    BRANCH = "branch point: another branch crosses"
    HOPF = "Hopf point: an oscillation begins or ceases to grow"
    FLUTTER = "flutter point: two frequencies meet, without damping"

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True, eq=False)
class SpecialPoint:
    """A fold, branch point, Hopf or flutter point.

    Attributes:
        kind: what happens.
        parameter: the name of the parameter.
        value: its value.
        rest: the equilibrium there.
        frequency: rad/s of the oscillation that begins, None for folds and branch points.
    """

    kind: Kind
    parameter: str
    value: float
    rest: Equilibrium = field(repr=False)
    frequency: float | None
    _y: Array = field(repr=False)
    _tangent: Array = field(repr=False)
    _scale: Array = field(repr=False)
    _place: float = field(repr=False)

    def __str__(self) -> str:
        place = diagnosis.where(self.rest.system, self.rest.q)
        text = f"{capital(str(self.kind))}, at {self.parameter} = {self.value:.10g}, {place}"
        return text if self.frequency is None else f"{text}, {self.frequency:.6g} rad/s"


@dataclass(frozen=True)
class Oscillation:
    """An onset between two points of a branch, at a share of the way."""

    kind: Kind
    interval: int
    share: float
    frequency: float


GROWING = 1e-12
"""Share of an eigenvalue by which its real part must exceed zero to count as growing."""

PARTED = 1e-7
"""The same without damping, where rounding splits two frequencies that meet by its root."""

NARROW = 1e-4
"""Share of an interval down to which onsets are bracketed before they are interpolated."""


def oscillations(along: Modes, at: Callable[[int, float], Modes]) -> Iterator[Oscillation]:
    """Onsets between the points of a branch; `at` gives the modes in between.

    Without damping the spectrum is symmetric, and an oscillation grows after two frequencies have
    met: the square of the growth, and minus that of half their distance before, is one smooth
    function through zero. With damping the real part itself is.
    """
    values = along.eigenvalues
    conservative = not along.linear.D.any() and not (along.linear.G.any() and along.linear.H.any())
    least = PARTED if conservative else GROWING
    counts = np.array([len(_growing(s, least)) for s in values])
    for k in np.flatnonzero(np.diff(counts)):
        low, high = 0.0, 1.0
        first, last = values[k], values[k + 1]
        while high - low > NARROW:
            middle = (low + high) / 2
            s = at(int(k), middle).eigenvalues
            if len(_growing(s, least)) == counts[k]:
                low, first = middle, s
            else:
                high, last = middle, s
        critical = _critical(_growing(first, least), _growing(last, least))
        test = _meeting if conservative else _drift

        def size(share: float, k: int = int(k), critical: complex = critical) -> float:
            return test(at(k, share).eigenvalues, critical)  # noqa: B023

        a, b = test(first, critical), test(last, critical)
        share = crossing(size, low, high, a, b) if a * b < 0 else (low + high) / 2
        kind = Kind.FLUTTER if conservative else Kind.HOPF
        yield Oscillation(kind, int(k), share, abs(critical.imag))


def _growing(s: Complex, least: float) -> Complex:
    """The eigenvalues of oscillations that grow, the upper one of each pair."""
    return s[(s.imag > 0) & (s.real > least * np.abs(s))]


def _critical(first: Complex, last: Complex) -> complex:
    """The growing eigenvalue that one side has and the other lacks."""
    more, less = (first, last) if len(first) > len(last) else (last, first)
    far = [np.abs(less - s).min(initial=np.inf) for s in more]
    return complex(more[int(np.argmax(far))])


def _drift(s: Complex, critical: complex) -> float:
    """The real part of the eigenvalue nearest to the critical one."""
    upper = s[s.imag > 0]
    return float(upper[np.argmin(np.abs(upper - critical))].real)


def _meeting(s: Complex, critical: complex) -> float:
    """Growth squared, or minus the square of half the distance of the two nearest frequencies."""
    upper = s[s.imag > 0]
    near = upper[np.argsort(np.abs(upper.imag - abs(critical.imag)))[:2]]
    growth = float(np.abs(near.real).max(initial=0))
    if growth > 0:
        return growth**2
    return -((float(np.ptp(near.imag)) / 2) ** 2)
