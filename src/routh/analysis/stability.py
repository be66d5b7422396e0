"""The verdict on a linear model, with its reason, from the structure of its matrices first.

Energy arguments come before eigenvalues: a minimum of the dynamic potential is stable whatever
rounding does to real parts. Eigenvalues decide only what structure leaves open.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from routh.analysis.equilibrium import settle
from routh.analysis.linear import LinearModel
from routh.analysis.spectrum import linear_spectrum
from routh.errors import DerivationError, Status
from routh.kernels.batch import Array
from routh.kernels.kernel import kernel
from routh.numerics.pairs import Complex
from routh.numerics.rank import balanced, definite, nullity, scaled

Mask = NDArray[np.bool_]

ZERO = 1e-9
"""Real parts below this share of their own eigenvalue decide nothing."""

LOST = 1e-13
"""Real parts below this share of the largest eigenvalue are rounding of that one."""

SHIFT = 1e-2
"""How far a rigid-body motion is followed to tell it from a flat spot."""

NOISE = 10.0
"""Entries of K below so many times their rounding may be zero."""

DOUBLE = 1e-6
"""Imaginary eigenvalues closer than this share of the largest may be a double root that grows."""


class Verdict(Enum):
    """What can be said of small motions about the equilibrium."""

    STABLE = "stable"
    ASYMPTOTICALLY_STABLE = "asymptotically stable"
    UNSTABLE = "unstable"
    UNDECIDED = "undecided"

    def __str__(self) -> str:
        return self.value


class Reason(Enum):
    """Why, each with the verdict it leads to and a sentence."""

    MINIMUM = Verdict.STABLE, "The dynamic potential has a minimum (Lagrange-Dirichlet)."
    COMPLETE_DAMPING = (
        Verdict.ASYMPTOTICALLY_STABLE,
        "The dynamic potential has a minimum and every velocity is damped (Thomson-Tait-Chetaev).",
    )
    PERVASIVE_DAMPING = (
        Verdict.ASYMPTOTICALLY_STABLE,
        "The dynamic potential has a minimum and the damping reaches every mode.",
    )
    PARTIAL_DAMPING = (
        Verdict.STABLE,
        "The dynamic potential has a minimum; some mode is not reached by the damping.",
    )
    NO_MINIMUM = (
        Verdict.UNSTABLE,
        "The potential falls in some direction and nothing holds against it (divergence).",
    )
    DAMPED_NO_MINIMUM = (
        Verdict.UNSTABLE,
        "The dynamic potential has no minimum, and with complete damping gyroscopic forces cannot"
        " help (Thomson-Tait-Chetaev).",
    )
    GYROSCOPIC = (
        Verdict.STABLE,
        "Gyroscopic forces hold it against a potential without minimum; any complete damping"
        " destroys this.",
    )
    CIRCULATORY = (
        Verdict.STABLE,
        "All eigenvalues are imaginary and simple under circulatory forces; damping may destroy this.",
    )
    FREE = Verdict.UNDECIDED, "It can drift: there is a rigid-body freedom (zero eigenvalue)."
    DECAY = Verdict.ASYMPTOTICALLY_STABLE, "All eigenvalues have negative real parts."
    DIVERGENCE = Verdict.UNSTABLE, "A real eigenvalue is positive: it leaves without oscillation."
    FLUTTER = Verdict.UNSTABLE, "A pair of eigenvalues has positive real part: it oscillates and grows."
    MARGINAL = (
        Verdict.UNDECIDED,
        "Linear theory does not decide: some real part is zero to rounding.",
    )
    FROZEN = (
        Verdict.UNDECIDED,
        "The matrices depend on time and were frozen; their eigenvalues decide nothing.",
    )
    DEGENERATE = (
        Verdict.UNDECIDED,
        "The equilibrium is degenerate: linear theory does not decide, higher orders do.",
    )
    UNKNOWN = Verdict.UNDECIDED, "There is no linear model here to judge."

    @property
    def verdict(self) -> Verdict:
        """The verdict it leads to."""
        return self.value[0]

    def __str__(self) -> str:
        return self.value[1]


@dataclass(frozen=True, eq=False)
class Stability:
    """A verdict with its reason; arrays of them for a batch.

    `growth` is the largest real part of the eigenvalues, in 1/s.
    """

    reason: Any
    growth: Array

    @property
    def verdict(self) -> Any:
        """A `Verdict`, or an array of them for a batch."""
        if isinstance(self.reason, Reason):
            return self.reason.verdict
        verdicts = np.empty(self.reason.shape, dtype=object)
        verdicts.reshape(-1)[:] = [reason.verdict for reason in self.reason.flat]
        return verdicts

    def __str__(self) -> str:
        if isinstance(self.reason, Reason):
            return f"{self.verdict}. {self.reason}"
        counts = {v: int(np.sum(self.verdict == v)) for v in Verdict}
        return ", ".join(f"{number} {verdict}" for verdict, number in counts.items() if number)


def stability(linear: LinearModel) -> Stability:
    """The verdict on a linear model, with its reason, for every point of its batch."""
    if not isinstance(linear, LinearModel):
        raise DerivationError(
            "stability needs a LinearModel, as linearize(...) returns it. Got a"
            f" {type(linear).__name__}."
        )
    values = linear_spectrum(linear, vectors=False).values
    return judge(linear, linear.reference.conditions.folded(values))


def judge(linear: LinearModel, eigenvalues: Complex) -> Stability:
    """The verdict on a linear model whose eigenvalues (..., 2r) are known."""
    given = linear.reference.conditions
    values = given.stacked(eigenvalues)
    facts, roots = _facts(linear), _Roots(values)
    degenerate = given.stacked(np.asarray(linear.reference.status == Status.DEGENERATE))
    cases: list[tuple[Mask, Reason]] = [
        (~np.isfinite(roots.growth), Reason.UNKNOWN),
        (np.full(len(values), linear.at_time is not None), Reason.FROZEN),
        (degenerate | _lost_in_rounding(linear), Reason.DEGENERATE),
        *_by_energy(facts, roots),
        *_by_eigenvalues(facts, roots, linear),
    ]
    codes = np.select([mask for mask, _ in cases], range(len(cases)), default=len(cases))
    found = [reason for _, reason in cases] + [Reason.MARGINAL]
    reasons = np.empty(len(values), dtype=object)
    reasons[:] = [found[code] for code in codes]
    return Stability(given.folded(reasons) if given.shape else reasons[0], given.folded(roots.growth))


def _lost_in_rounding(linear: LinearModel) -> Mask:
    """Where K is singular but for rounding: at a critical speed or load, to the last digit.

    The rounding in K is seen by changing the last bits of the values it is computed from.
    """
    given, engine = linear.reference.conditions, kernel(linear.system)
    K, Z = given.stacked(linear.K + linear.H), given.stacked(linear.Z)
    point = linear.reference.point(linear.at_time or 0.0)
    generator = np.random.default_rng(1831)
    noise = np.zeros_like(K)
    for _ in range(3):
        p, q = (
            X * (1 + 4 * np.finfo(float).eps * generator.choice([-1.0, 1.0], X.shape))
            for X in (point.p, point.q)
        )
        other = engine.matrices(replace(point, p=p, q=q), at_rest=True)[2]
        noise = np.maximum(noise, np.abs(Z.swapaxes(1, 2) @ other @ Z - K))
    known = np.asarray(np.isfinite(K + noise).all(axis=(1, 2)))
    blurred = known & (np.abs(K) <= NOISE * noise).any(axis=(1, 2)) & K.any(axis=(1, 2))
    clean = np.where(np.abs(K) <= NOISE * noise, 0.0, K)[blurred]
    blurred[blurred] = nullity(clean) > nullity(K[blurred])
    return blurred


class _Roots:
    """What the eigenvalues (N, k) say, each (N,)."""

    def __init__(self, values: Complex) -> None:
        known = ~np.isnan(values.real)
        size = np.where(known, np.abs(values), 0.0)
        largest = size.max(axis=1, initial=0.0)
        # A real part counts when it is no rounding of its own eigenvalue or of the largest one.
        sure = np.maximum(ZERO * size, LOST * largest[:, None])
        with np.errstate(invalid="ignore"):
            self.growing: Mask = (known & (values.real > sure)).any(axis=1)
            self.leaving: Mask = (known & (values.real > sure) & (values.imag == 0)).any(axis=1)
            self.decaying: Mask = (~known | (values.real < -sure)).all(axis=1)
            self.zero: Mask = (values == 0).any(axis=1)
            step = np.diff(np.abs(values.imag[:, ::2]), axis=1)
            close = (step <= DOUBLE * largest[:, None]).any(axis=1)
        self.simple_on_axis: Mask = (~known | (values.real == 0)).all(axis=1) & ~close
        lowest = np.where(known, values.real, -np.inf)
        self.growth: Array = lowest.max(axis=1, initial=-np.inf)


@dataclass(frozen=True, eq=False)
class _Facts:
    """What the matrices are, for each of N points."""

    damped: Mask
    gyroscopic: Mask
    circulatory: Mask
    massive: Mask
    """M is positive definite."""
    nonnegative: Mask
    """M has no negative direction."""
    minimum: Mask
    """K is positive definite."""
    falling: Mask
    """K has a negative direction."""
    complete: Mask
    """D is positive definite."""
    passive: Mask
    """D has no negative direction."""


def _facts(linear: LinearModel) -> _Facts:
    M, D, G, K, H = (
        linear.reference.conditions.stacked(X)
        for X in (linear.M, linear.D, linear.G, linear.K, linear.H)
    )

    def some(X: Array) -> Mask:
        return np.asarray(X.any(axis=(1, 2)))

    def definite_where_finite(X: Array) -> Mask:
        mask = np.asarray(np.isfinite(X).all(axis=(1, 2)))
        mask[mask] = definite(X[mask])
        return mask

    minimum = definite_where_finite(K)
    minimum[minimum] = nullity(K[minimum]) == 0  # of one mind with the zero eigenvalues
    return _Facts(
        damped=some(D),
        gyroscopic=some(G),
        circulatory=some(H),
        massive=definite_where_finite(M),
        nonnegative=_least(M) >= 0,
        minimum=minimum,
        falling=_least(K) < 0,
        complete=definite_where_finite(D),
        passive=_least(D) >= 0,
    )


def _least(X: Array) -> Array:
    """The sign of the smallest eigenvalue of symmetric matrices, after scaling the units out."""
    least = np.linalg.eigvalsh(scaled(np.nan_to_num(X)))[:, 0]
    return np.where(np.abs(least) < 1e-12 * X.shape[-1], 0.0, least)


def _by_energy(f: _Facts, roots: _Roots) -> list[tuple[Mask, Reason]]:
    """Verdicts from the matrices; only how far the damping reaches needs the eigenvalues."""
    held = f.nonnegative & f.minimum & ~f.circulatory
    lost = f.massive & f.falling & ~f.circulatory
    return [
        (held & ~f.damped, Reason.MINIMUM),
        (held & f.complete, Reason.COMPLETE_DAMPING),
        (held & f.passive & roots.decaying, Reason.PERVASIVE_DAMPING),
        (held & f.passive, Reason.PARTIAL_DAMPING),
        (lost & ~f.damped & ~f.gyroscopic, Reason.NO_MINIMUM),
        (lost & f.complete, Reason.DAMPED_NO_MINIMUM),
    ]


def _by_eigenvalues(f: _Facts, roots: _Roots, linear: LinearModel) -> list[tuple[Mask, Reason]]:
    """Verdicts from the spectrum; only exact zeros count as zero on the imaginary axis.

    Where energy can only be lost and the potential falls nowhere, nothing grows whatever rounding
    says.
    """
    bounded = f.nonnegative & f.passive & ~f.falling & ~f.circulatory
    return [
        (roots.leaving & ~bounded, Reason.DIVERGENCE),
        (roots.growing & ~bounded, Reason.FLUTTER),
        (_drifting(linear, roots.zero), Reason.FREE),
        (roots.simple_on_axis & ~roots.zero & f.circulatory, Reason.CIRCULATORY),
        (roots.simple_on_axis & ~roots.zero & f.gyroscopic, Reason.GYROSCOPIC),
        (roots.decaying, Reason.DECAY),
    ]


def _drifting(linear: LinearModel, zero: Mask) -> Mask:
    """Where a zero eigenvalue is a freedom: an equilibrium moved along it settles nearby, not back."""
    mask = zero.copy()
    index = np.flatnonzero(zero)
    if not len(index):
        return mask
    stacked = linear.reference.conditions.stacked
    K, Z = (stacked(X)[index] for X in (linear.K + linear.H, linear.Z))
    q = stacked(linear.reference.q)[index]
    unit, _, columns = balanced(K)
    rows = np.linalg.svd(unit)[2] / columns[:, None, :]
    lacking = nullity(K)
    for j in range(int(lacking.max(initial=0))):
        move = np.einsum("knr,kr->kn", Z, rows[:, -1 - j])
        move *= (
            SHIFT * (1 + np.abs(q).max(axis=1, keepdims=True)) / np.linalg.norm(move, axis=1)[:, None]
        )
        settled = settle(linear.reference, index, q + move)
        share = np.linalg.norm(settled - q, axis=1) / np.linalg.norm(move, axis=1)
        mask[index] &= (j >= lacking) | ((share > 0.5) & (share < 2))
    return mask
