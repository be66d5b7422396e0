"""The verdict on a linear model, with its reason, from the structure of its matrices first.

Energy arguments come before eigenvalues: a minimum of the dynamic potential is stable whatever
rounding does to real parts. Eigenvalues decide only what structure leaves open.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from routh.analysis.equilibrium import settle
from routh.analysis.linear import LinearModel
from routh.analysis.routhian import without_cyclic
from routh.analysis.spectrum import linear_spectrum
from routh.analysis.time import cancels
from routh.analysis.verdict import Reason, Stability, Verdict
from routh.errors import DerivationError, Status, quoted
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


def stability(linear: LinearModel, *, proven: bool = False) -> Stability:
    """The verdict on a linear model, with its reason, for every point of its batch.

    Arguments:
        linear: the linear model.
        proven: whether to prove the verdict in ball arithmetic, rounding included; needs the extra
            `rigor`. `proven` of the result says where it could be.
    """
    if not isinstance(linear, LinearModel):
        raise DerivationError(
            "stability needs a LinearModel, as linearize(...) returns it. Got a"
            f" {type(linear).__name__}."
        )
    values = linear_spectrum(linear, vectors=False).values
    judged = judge(linear, linear.reference.conditions.folded(values))
    if not proven:
        return judged
    from routh.analysis.proof import proven as proof

    return replace(judged, proven=proof(linear, judged))


def judge(linear: LinearModel, eigenvalues: Complex) -> Stability:
    """The verdict on a linear model whose eigenvalues (..., 2r) are known.

    A steady motion is judged at constant momenta, without the zeros of what turns.
    """
    given = linear.reference.conditions
    whole, linear = linear, linear.at_constant_momenta
    turning = [linear.coordinates[k] for k in linear.reference.turning]
    proviso = ""
    if whole is not linear:
        proviso = f"At constant momentum of {quoted(turning)}"
        eigenvalues = given.folded(linear_spectrum(linear, vectors=False).values)
    elif turning:
        proviso = f"Apart from how far {quoted(turning)} has come"
        eigenvalues = _without_zeros(eigenvalues, len(turning))
    values = given.stacked(eigenvalues)
    facts, roots = _facts(linear), _Roots(values)
    degenerate = given.stacked(np.asarray(linear.reference.status == Status.DEGENERATE))
    singular, critical = _lost_in_rounding(whole, linear)
    cases: list[tuple[Mask, Reason]] = [
        (~np.isfinite(roots.growth), Reason.UNKNOWN),
        (np.full(len(values), linear.at_time is not None), Reason.FROZEN),
        (singular, Reason.SINGULAR),
        (degenerate | critical, Reason.DEGENERATE),
        *_by_energy(facts, roots),
        *_by_eigenvalues(facts, roots, linear),
    ]
    codes = np.select([mask for mask, _ in cases], range(len(cases)), default=len(cases))
    found = [reason for _, reason in cases] + [Reason.MARGINAL]
    reasons = np.empty(len(values), dtype=object)
    reasons[:] = [found[code] for code in codes]
    fold = given.folded
    return Stability(
        reason=fold(reasons) if given.shape else reasons[0],
        eigenvalues=eigenvalues,
        curvature=fold(_curvature(linear, facts.massive)),
        falling=fold(facts.falls),
        index=fold(_unstable(reasons, facts, roots)),
        nonlinear=fold(_nonlinear(linear, reasons)),
        proviso=proviso,
    )


def _without_zeros(values: Complex, count: int) -> Complex:
    """The eigenvalues with so many zeros replaced by NaN: those of a place that does not matter."""
    zero = values == 0
    return np.where(zero & (np.cumsum(zero, axis=-1) <= count), np.nan, values)


def _curvature(linear: LinearModel, massive: Mask) -> Array:
    """(N,) the least omega^2 of K x = omega^2 M x where M is positive definite."""
    M, K = (linear.reference.conditions.stacked(X)[massive] for X in (linear.M, linear.K))
    L = np.linalg.cholesky(M)
    A = np.linalg.solve(L, np.linalg.solve(L, K).swapaxes(1, 2))
    least = np.full(len(massive), np.nan)
    least[massive] = np.linalg.eigvalsh((A + A.swapaxes(1, 2)) / 2)[:, 0]
    return least


def _unstable(reasons: NDArray[np.object_], facts: _Facts, roots: _Roots) -> NDArray[np.intp]:
    """(N,) number of unstable directions, of one mind with the verdict."""
    held = np.array([r.verdict in (Verdict.STABLE, Verdict.ASYMPTOTICALLY_STABLE) for r in reasons])
    falling = np.array([r is Reason.NO_MINIMUM for r in reasons])
    return np.select([held, falling], [0, facts.falls], default=roots.unstable)


def _nonlinear(linear: LinearModel, reasons: NDArray[np.object_]) -> Mask:
    """(N,) whether the verdict holds for the nonlinear equations.

    Eigenvalues off the axis decide there too. A minimum of the energy decides where the energy
    cannot grow: without forces and damping, and without time.
    """
    engine = kernel(linear.system)
    system = linear.system
    closed = not (system.forces or system.dissipation) and (
        not engine.depends_on_time or cancels(engine)
    )
    sure = [
        reason.verdict in (Verdict.ASYMPTOTICALLY_STABLE, Verdict.UNSTABLE)
        or (reason is Reason.MINIMUM and closed)
        for reason in reasons
    ]
    return np.array(sure)


def _lost_in_rounding(linear: LinearModel, judged: LinearModel) -> tuple[Mask, Mask]:
    """Where M, and where the K that is judged, is singular but for rounding.

    M is at a pole of the coordinates, K at a critical load, to the last digit. The rounding is seen
    by changing the last bits of the values that the matrices are computed from.
    """
    given, engine = linear.reference.conditions, kernel(linear.system)
    M, Z = given.stacked(linear.M), given.stacked(linear.Z)
    K = given.stacked(judged.K + judged.H)
    point = linear.reference.point(linear.at_time or 0.0)
    generator = np.random.default_rng(1831)
    noise_M, noise_K = np.zeros_like(M), np.zeros_like(K)
    for _ in range(3):
        p, q, v = (
            X * (1 + 4 * np.finfo(float).eps * generator.choice([-1.0, 1.0], X.shape))
            for X in (point.p, point.q, point.v)
        )
        matrices = engine.matrices(replace(point, p=p, q=q, v=v))
        other, C, stiffness = (Z.swapaxes(1, 2) @ X @ Z for X in matrices)
        noise_M = np.maximum(noise_M, np.abs(other - M))
        if judged is not linear:
            reduced = without_cyclic(other, C, stiffness, Z, linear.reference.turning)
            stiffness = K if reduced is None else reduced[2]
        noise_K = np.maximum(noise_K, np.abs(stiffness - K))
    return _blurred(M, noise_M), _blurred(K, noise_K)


def _blurred(X: Array, noise: Array) -> Mask:
    """(N,) where a matrix loses rank when entries that may be rounding are set to zero."""
    known = np.asarray(np.isfinite(X + noise).all(axis=(1, 2)))
    blurred = known & (np.abs(X) <= NOISE * noise).any(axis=(1, 2)) & X.any(axis=(1, 2))
    clean = np.where(np.abs(X) <= NOISE * noise, 0.0, X)[blurred]
    blurred[blurred] = nullity(clean) > nullity(X[blurred])
    return blurred


class _Roots:
    """What the eigenvalues (N, k) say, each (N,)."""

    def __init__(self, values: Complex) -> None:
        known = ~np.isnan(values.real)
        size = np.where(known, np.abs(values), 0.0)
        largest = size.max(axis=1, initial=0.0)
        lowest = np.where(known, values.real, -np.inf)
        # A real part counts when it is no rounding of its own eigenvalue or of the largest one.
        sure = np.maximum(ZERO * size, LOST * largest[:, None])
        with np.errstate(invalid="ignore"):
            self.growing: Mask = (known & (values.real > sure)).any(axis=1)
            top = known & (values.real == lowest.max(axis=1, initial=-np.inf)[:, None])
            self.leaving: Mask = self.growing & (top & (values.imag == 0)).any(axis=1)
            self.decaying: Mask = (~known | (values.real < -sure)).all(axis=1)
            self.zero: Mask = (values == 0).any(axis=1)
            step = np.diff(np.abs(values.imag[:, ::2]), axis=1)
            close = (step <= DOUBLE * largest[:, None]).any(axis=1)
            self.unstable: NDArray[np.intp] = np.sum(known & (values.real > sure), axis=1)
        self.simple_on_axis: Mask = (~known | (values.real == 0)).all(axis=1) & ~close
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
    falls: NDArray[np.intp]
    """In how many directions the potential falls: negative eigenvalues of K."""
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
        nonnegative=_falls(M) == 0,
        minimum=minimum,
        falls=_falls(K),
        complete=definite_where_finite(D),
        passive=_falls(D) == 0,
    )


def _falls(X: Array) -> NDArray[np.intp]:
    """(N,) the number of negative eigenvalues of symmetric matrices, after scaling the units out."""
    values = np.linalg.eigvalsh(scaled(np.nan_to_num(X)))
    return np.asarray(np.sum(values <= -1e-12 * X.shape[-1], axis=1))


def _by_energy(f: _Facts, roots: _Roots) -> list[tuple[Mask, Reason]]:
    """Verdicts from the matrices; only how far the damping reaches needs the eigenvalues."""
    held = f.nonnegative & f.minimum & ~f.circulatory
    lost = f.massive & (f.falls > 0) & ~f.circulatory
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
    bounded = f.nonnegative & f.passive & ~(f.falls > 0) & ~f.circulatory
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
