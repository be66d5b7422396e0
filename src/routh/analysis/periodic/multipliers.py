"""What one period does to small motions: multipliers and the verdict on them."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Any

import numpy as np

from routh.analysis.stability.verdict import Verdict
from routh.arrays import Array, Complex
from routh.errors import capital
from routh.kernels.engine import Engine
from routh.language.system import System
from routh.recorded import Recorded
from routh.shown import as_html

PARTED = 1e-5
"""Share of a multiplier by which it is real but for rounding, and of the circle that is near to it."""

SAFE = 4.0
"""Times the bound of first order that a multiplier is taken to be off."""

LOST = 1e-9
"""Relative error of losses: they are summed up along steps that are much finer than that."""

UNKNOWN = 1e-8
"""Relative error of a monodromy matrix that comes without a bound: that of a run of CVODES."""

PARALLEL = 1e12
"""Condition of a multiplier beyond which eigenvectors may be too few: an inverse shows it still."""

CLUSTER = 1e-3
"""Distance within which multipliers of a motion with symmetries may all be 1."""


@dataclass(frozen=True, eq=False, repr=False)
class Floquet(Recorded):
    """What one period does to small deviations of coordinates and momenta.

    Attributes:
        system: the system.
        monodromy: (..., 2n, 2n) deviations (dq, dp) after a period by those before.
        period: (...) the period.
        reference: the rest, or the periodic motion, about which deviations are small.
        trivial: how many multipliers are 1 because the motion can be shifted in time, or in a family;
            they are left out of the verdict, of `near` and of `growth`.
        error: (...) how far entries of the monodromy matrix may be off.
        losses: (..., 2n, 2n) X^T I X - I of the monodromy matrix X, I being the symplectic form, summed
            up over the period without cancellation, and the sizes of what was added up; both zero
            where no force acts outside of the Hamiltonian. They tell weak growth from weak decay.
        engine: what integrated it, "casadi", "c" or "cuda".
    """

    system: System
    monodromy: Annotated[Array, "*batch 2*n 2*n"]
    period: Annotated[Array, "*batch"]
    reference: Any = field(repr=False)
    trivial: int = 0
    error: Annotated[Array, "*batch"] | None = field(repr=False, default=None)
    losses: tuple[Annotated[Array, "*batch 2*n 2*n"], Annotated[Array, "*batch 2*n 2*n"]] | None = (
        field(repr=False, default=None)
    )
    engine: Engine = Engine.CASADI

    @cached_property
    def _kept(self) -> Any:
        """The places of the multipliers without the trivial ones, those nearest to 1."""
        order = np.argsort(np.abs(self.multipliers - 1), axis=-1)
        return np.sort(order[..., self.trivial :], axis=-1)

    @property
    def _own(self) -> Complex:
        return np.take_along_axis(self.multipliers, self._kept, axis=-1)

    @property
    def multipliers(self) -> Annotated[Complex, "*batch 2*n"]:
        """(..., 2n) eigenvalues of the monodromy matrix, the largest first."""
        return self._vectors[0]

    @cached_property
    def _vectors(self) -> tuple[Complex, Complex, Array]:
        """The multipliers, eigenvectors of length 1 as columns, and the conditions of multipliers."""
        finite = np.asarray(np.isfinite(self.monodromy).all(axis=(-1, -2), keepdims=True))
        found, Z = np.linalg.eig(np.where(finite, self.monodromy, 0.0))
        found = np.where(finite[..., 0], found.astype(complex), np.nan)
        order = np.lexsort((-found.imag, -np.abs(found)), axis=-1)
        Z = np.take_along_axis(Z.astype(complex), order[..., None, :], axis=-1)
        return np.take_along_axis(found, order, axis=-1), Z, _conditions(Z)

    @property
    def exponents(self) -> Annotated[Complex, "*batch 2*n"]:
        """(..., 2n) ln(multiplier)/period in 1/s; imaginary parts up to multiples of 2 pi/period."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.multipliers) / np.asarray(self.period)[..., None])

    @cached_property
    def _logarithms(self) -> tuple[Array, Array]:
        """(..., 2n) logarithms of the sizes of the multipliers, and how far they may be off.

        Near the unit circle they come from the losses P: |m|^2 - 1 = z* P z / z* I z, z an eigenvector.
        Without losses a multiplier that is apart from all others stays on the circle, exactly: a pair
        m, 1/m* off it would be two.
        """
        m, Z, condition = self._vectors
        scale = np.maximum(np.abs(self.monodromy).max(axis=(-1, -2)), 1.0)
        error = UNKNOWN * scale if self.error is None else self.error
        shift = SAFE * condition * np.maximum(error, np.finfo(float).eps * scale)[..., None]
        with np.errstate(all="ignore"):
            found, off = np.log(np.abs(m)), shift / np.abs(m)
        if self.losses is None:
            return found, off
        n = m.shape[-1] // 2
        gaps = np.abs(m[..., :, None] - m[..., None, :]) + np.diag(np.full(2 * n, np.inf))
        apart = gaps.min(axis=-1)
        P, size = self.losses
        q, p = Z[..., :n, :], Z[..., n:, :]
        with np.errstate(all="ignore"):
            turn = (q.conj() * p - p.conj() * q).sum(axis=-2)
            told = (np.abs(found) <= PARTED) & (apart > 2 * shift) & (turn != 0)
            loss = (np.einsum("...ik,...ij,...jk->...k", Z.conj(), P, Z) / turn).real
            blur = 2 * shift / apart  # of the eigenvector
            reach = np.einsum("...ij,...jk->...ik", size, np.abs(Z))
            added = LOST * (np.abs(Z) * reach).sum(axis=-2) + blur * np.sqrt((reach**2).sum(axis=-2))
            near = added / np.abs(turn) + blur * np.abs(loss)
            return np.where(told, np.log1p(loss) / 2, found), np.where(told, near, off)

    @property
    def growth(self) -> Annotated[Array, "*batch"]:
        """(...) the largest real part of an exponent."""
        if not self._own.shape[-1]:
            return np.zeros(self._own.shape[:-1])
        own = np.take_along_axis(self._logarithms[0], self._kept, axis=-1)
        own = own / np.asarray(self.period)[..., None] + 0.0  # no minus before zero
        return np.asarray(own.max(axis=-1))

    @property
    def determinant(self) -> Annotated[Array, "*batch"]:
        """(...) of the monodromy matrix: 1 where nothing is lost."""
        return np.asarray(np.linalg.det(self.monodromy))

    @cached_property
    def verdict(self) -> Any:
        """(...) the verdict on small motions: a `Verdict`, or an array of them."""
        every = self.multipliers
        own, off = (np.take_along_axis(each, self._kept, axis=-1) for each in self._logarithms)
        if not own.shape[-1]:  # nothing is left but shifts within the family
            found = np.full(every.shape[:-1], Verdict.STABLE, dtype=object)
            return found if found.shape else found[()]
        known = np.isfinite(every).all(axis=-1)
        if self.trivial:  # further symmetries: ones that rounding parts by its root
            ones = (np.abs(every - 1) < CLUSTER).sum(axis=-1)
            known = known & ~((ones > self.trivial) & (own.max(axis=-1) < CLUSTER))
        decays, held = own < -off, (own == 0) & (off == 0)
        found = np.full(every.shape[:-1], Verdict.UNDECIDED, dtype=object)
        found[known & (held | decays).all(axis=-1)] = Verdict.STABLE
        found[known & decays.all(axis=-1)] = Verdict.ASYMPTOTICALLY_STABLE
        found[known & (own > off).any(axis=-1)] = Verdict.UNSTABLE
        return found if found.shape else found[()]

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

    _repr_html_ = as_html


def _conditions(Z: Complex) -> Array:
    """(..., d) lengths of left eigenvectors, the rows of the inverse of eigenvectors Z of length 1.

    Where there are too few, rows of the pseudo-inverse: it is as good as none.
    """
    whole = np.asarray(np.linalg.det(Z) != 0)
    left = np.linalg.inv(np.where(whole[..., None, None], Z, np.eye(Z.shape[-1])))
    found = np.sqrt((np.abs(left) ** 2).sum(axis=-1))
    poor = ~(whole & (found.max(axis=-1, initial=0.0) < PARALLEL))
    if poor.any():
        left = np.linalg.pinv(Z[poor], rcond=1e-15)
        found[poor] = np.sqrt((np.abs(left) ** 2).sum(axis=-1))
    return np.asarray(found)


def near_circle(monodromy: Array) -> Any:
    """(N,) which matrices have a multiplier so near to the unit circle that losses must tell."""
    finite = np.asarray(np.isfinite(monodromy).all(axis=(-1, -2)))
    found = np.linalg.eigvals(np.where(finite[:, None, None], monodromy, 0.0))
    return finite & (np.abs(np.abs(found) - 1) <= PARTED).any(axis=-1)
