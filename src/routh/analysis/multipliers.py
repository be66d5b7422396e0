"""What one period does to small motions: multipliers and the verdict on them."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from routh.analysis.verdict import Verdict
from routh.errors import capital
from routh.kernels.batch import Array
from routh.language.system import System
from routh.numerics.pairs import Complex

ON_CIRCLE = 1e-7
"""A multiplier whose size differs less from one is on the circle: double ones keep half the digits."""

PARTED = 1e-5
"""Multipliers closer than this on the circle may be double ones, which decide nothing."""

CLUSTER = 1e-3
"""Distance within which multipliers of a motion with symmetries may all be 1."""


@dataclass(frozen=True, eq=False, repr=False)
class Floquet:
    """What one period does to small deviations of coordinates and momenta.

    Attributes:
        system: the system.
        monodromy: (..., 2n, 2n) deviations (dq, dp) after a period by those before.
        period: (...) the period.
        reference: the rest, or the periodic motion, about which deviations are small.
        trivial: how many multipliers are 1 because the motion can be shifted in time, or in a family;
            they are left out of the verdict, of `near` and of `growth`.
    """

    system: System
    monodromy: Array
    period: Array
    reference: Any = field(repr=False)
    trivial: int = 0

    @cached_property
    def _own(self) -> Complex:
        """The multipliers without the trivial ones, those nearest to 1."""
        order = np.argsort(np.abs(self.multipliers - 1), axis=-1)
        kept = np.sort(order[..., self.trivial :], axis=-1)
        return np.take_along_axis(self.multipliers, kept, axis=-1)

    @cached_property
    def multipliers(self) -> Complex:
        """(..., 2n) eigenvalues of the monodromy matrix, the largest first."""
        finite = np.asarray(np.isfinite(self.monodromy).all(axis=(-1, -2), keepdims=True))
        found: Complex = np.linalg.eigvals(np.where(finite, self.monodromy, 0.0)).astype(complex)
        found = np.where(finite[..., 0], found, np.nan)
        order = np.lexsort((-found.imag, -np.abs(found)), axis=-1)
        return np.take_along_axis(found, order, axis=-1)

    @property
    def exponents(self) -> Complex:
        """(..., 2n) ln(multiplier)/period in 1/s; imaginary parts up to multiples of 2 pi/period."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.multipliers) / np.asarray(self.period)[..., None])

    @property
    def growth(self) -> Array:
        """(...) the largest real part of an exponent."""
        if not self._own.shape[-1]:
            return np.zeros(self._own.shape[:-1])
        with np.errstate(divide="ignore"):
            own = np.log(np.abs(self._own)) / np.asarray(self.period)[..., None]
        return np.asarray(own.max(axis=-1))

    @property
    def determinant(self) -> Array:
        """(...) of the monodromy matrix: 1 where nothing is lost."""
        return np.asarray(np.linalg.det(self.monodromy))

    @cached_property
    def verdict(self) -> Any:
        """(...) the verdict on small motions: a `Verdict`, or an array of them."""
        found = np.empty(self.multipliers.shape[:-1], dtype=object)
        for place in np.ndindex(found.shape):
            found[place] = self._judged(self._own[place], self.multipliers[place])
        return found if found.shape else found[()]

    def _judged(self, multipliers: Complex, every: Complex) -> Verdict:
        sizes = np.abs(multipliers)
        if not len(sizes):
            return Verdict.STABLE  # nothing is left but shifts within the family
        if not np.isfinite(sizes).all():
            return Verdict.UNDECIDED
        ones = int((np.abs(every - 1) < CLUSTER).sum())
        if self.trivial and ones > self.trivial and sizes.max() < 1 + CLUSTER:
            return Verdict.UNDECIDED  # further symmetries: ones that rounding parts by its root
        if sizes.max() > 1 + PARTED:
            return Verdict.UNSTABLE
        on = multipliers[sizes >= 1 - ON_CIRCLE]
        if not len(on):
            return Verdict.ASYMPTOTICALLY_STABLE
        apart = np.abs(on[:, None] - on[None, :]) + np.eye(len(on))
        if apart.min() <= 2 * PARTED:  # double ones, which rounding parts
            return Verdict.UNDECIDED
        return Verdict.UNSTABLE if sizes.max() > 1 + ON_CIRCLE else Verdict.STABLE

    @property
    def near(self) -> Any:
        """(...) what happens where the largest multiplier crosses the unit circle, in a word.

        "divergence" at 1, "period doubling" at -1, "flutter" (a torus) elsewhere.
        """
        if not self._own.shape[-1]:
            return "nothing"
        first = self._own[..., 0]
        real = np.abs(first.imag) <= PARTED * np.abs(first)
        words = np.where(real, np.where(first.real > 0, "divergence", "period doubling"), "flutter")
        return words if words.shape else str(words)

    def __repr__(self) -> str:
        return f"Floquet({self.system.title}, monodromy {self.monodromy.shape})"

    def __str__(self) -> str:
        title = capital(self.system.title)
        if self.monodromy.ndim > 2:
            count = [int(np.sum(self.verdict == each)) for each in Verdict]
            words = ", ".join(f"{n} {each}" for n, each in zip(count, Verdict, strict=True) if n)
            return f"{title}: {self.verdict.size} points: {words}."
        shown = ", ".join(f"{m:.6g}" for m in self.multipliers)
        return (
            f"{title} over a period of {float(self.period):.6g} s: {self.verdict}. Multipliers {shown};"
            f" nearest to {self.near}, growth {float(self.growth):.4g} 1/s."
        )
