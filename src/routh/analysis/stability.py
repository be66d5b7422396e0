"""The verdict on a linear model, with its reason, from the structure of its matrices first.

Energy arguments come before eigenvalues: a minimum of the dynamic potential is stable whatever
rounding does to real parts. Eigenvalues decide only what structure leaves open.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from routh.analysis.along import refuse_along
from routh.analysis.equilibrium import settle
from routh.analysis.facts import Facts, Roots, pervasive, semisimple
from routh.analysis.large import refuse_large
from routh.analysis.linear import LinearModel
from routh.analysis.resolved import resolved
from routh.analysis.rolling import judged
from routh.analysis.routhian import without_cyclic
from routh.analysis.spectrum import linear_spectrum
from routh.analysis.time import autonomous
from routh.analysis.values import yes_or_no
from routh.analysis.verdict import Reason, Stability, Verdict, joined
from routh.errors import DerivationError, Status, a_kind, needing, quoted
from routh.kernels.batch import Array
from routh.kernels.kernel import kernel
from routh.mechanics.constraints import ConstraintKind, constraint_kinds
from routh.numerics.pairs import Complex
from routh.numerics.rank import balanced, nullity

Mask = NDArray[np.bool_]

SHIFT = 1e-2
"""How far a rigid-body motion is followed to tell it from a flat spot."""

ASIDE = 1e-3
"""How far aside, in each coordinate, the mass matrix is looked at for a pole."""

NOISE = 10.0
"""Entries of K below so many times their rounding may be zero."""


def stability(linear: LinearModel, *, proven: bool = False) -> Stability:
    """The verdict on a linear model, with its reason, for every point of its batch.

    Arguments:
        linear: the linear model.
        proven: whether to prove the verdict in ball arithmetic, rounding included; needs the extra
            `rigor`. `proven` of the result says where it could be.

    Raises:
        DerivationError: `proven` with constraints, kinks, or time in the equations.
        ImportError: `proven` without the extra `rigor`.

    Example:
        >>> from routh import coordinate, ddt, System, equilibrium, linearize
        >>> x = coordinate("x")
        >>> hill = System(kinetic=ddt(x) ** 2 / 2, potential=-2 * x**2)
        >>> print(stability(linearize(equilibrium(hill, {}))))  # doctest: +ELLIPSIS
        unstable. The potential falls in one direction, omega^2 = -4 1/s^2, ...
    """
    refuse_along(linear, "stability")
    if not isinstance(linear, LinearModel):
        raise DerivationError(
            f"stability needs a LinearModel, as linearize(...) returns it. Got {a_kind(linear)}."
        )
    yes_or_no(proven, "proven")
    values = linear_spectrum(linear, vectors=False).values
    verdict = judge(linear, linear.reference.conditions.folded(values))
    if not proven:
        return verdict
    with needing("rigor", "python-flint", "A proof needs ball arithmetic"):
        from routh.analysis.proof import proven as proof
    return replace(verdict, proven=proof(linear, verdict))


def judge(linear: LinearModel, eigenvalues: Complex) -> Stability:
    """The verdict on a linear model whose eigenvalues (..., 2r) are known, all of them.

    A steady motion is judged at constant momenta, without the zeros of what turns. Eigenvalues of
    discretized fields count as far as they are converged.
    """
    refuse_large(linear.system)
    return resolved(linear, eigenvalues, _judged(linear, eigenvalues), _judged)


def _judged(linear: LinearModel, eigenvalues: Complex, counted: Mask | None = None) -> Stability:
    """The verdict from all eigenvalues, or from those (N, 2r) of a batch of one axis that count."""
    given = linear.reference.conditions
    if not linear.is_holonomic or not linear.M.shape[-1]:
        return _judged_rolling(linear)
    turning = [linear.coordinates[k] for k in linear.reference.turning]
    if turning and given.shape and np.ptp(np.asarray(linear.keeps_momenta, dtype=int)):
        return _judged_apart(linear, eigenvalues)
    whole, linear = linear, linear.at_constant_momenta
    proviso = ""
    if whole is not linear:
        proviso = f"At constant momentum of {quoted(turning)}"
        eigenvalues = given.folded(linear_spectrum(linear, vectors=False).values)
    elif turning:
        proviso = f"Apart from the places of {quoted(turning)}"
        eigenvalues = _without_zeros(eigenvalues, len(turning))
    if not proviso and ConstraintKind.INTEGRABLE in constraint_kinds(linear.system):
        proviso = "With what the integrable constraints hold unchanged"
    if counted is not None:
        eigenvalues = np.where(counted, eigenvalues, complex(np.nan, np.nan))
    values = given.stacked(eigenvalues)
    facts, roots = Facts(linear), Roots(values)
    degenerate = given.stacked(np.asarray(linear.reference.status == Status.DEGENERATE))
    singular, critical = _lost_in_rounding(whole, linear)
    cases: list[tuple[Mask, Reason]] = [
        (~np.atleast_1d(np.asarray(linear.reference.converged)).reshape(-1), Reason.UNKNOWN),
        (~np.isfinite(roots.growth), Reason.NO_MODEL),
        (np.full(len(values), linear.at_time is not None), Reason.FROZEN),
        (singular, Reason.SINGULAR),
        (degenerate | critical, Reason.DEGENERATE),
        *_by_energy(facts, linear),
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


def _judged_apart(linear: LinearModel, eigenvalues: Complex) -> Stability:
    """Points at which momenta are kept, and those at which they are not, each judged as a batch."""
    given = linear.reference.conditions
    kept = given.stacked(np.asarray(linear.keeps_momenta))
    values = given.stacked(eigenvalues)
    parts = [(index, _judged(linear.chosen(index), values[index]))
             for index in (np.flatnonzero(kept), np.flatnonzero(~kept))]  # fmt: skip
    return joined(parts, given.shape)


def _judged_rolling(linear: LinearModel) -> Stability:
    """With velocity constraints energy does not decide; eigenvalues of what matters do."""
    given = linear.reference.conditions
    found, values, left_out = judged(linear)
    reached = np.atleast_1d(np.asarray(linear.reference.converged)).reshape(-1)
    reasons = np.empty(len(found), dtype=object)
    reasons[:] = [
        Reason.UNKNOWN if not known else Reason.FROZEN if linear.at_time is not None else reason
        for known, reason in zip(reached, found, strict=True)
    ]
    eigenvalues = np.full((len(found), max(map(len, values), default=0)), np.nan, dtype=complex)
    for k, each in enumerate(values):
        eigenvalues[k, : len(each)] = each
    roots = Roots(eigenvalues)
    timeless = not given.inputs_move and autonomous(kernel(linear.system))
    fold = given.folded
    return Stability(
        reason=fold(reasons) if given.shape else reasons[0],
        eigenvalues=fold(eigenvalues),
        curvature=fold(np.full(len(found), np.nan)),
        falling=fold(np.zeros(len(found), dtype=int)),
        index=fold(roots.unstable),
        nonlinear=fold(np.array([timeless and r in _OFF_AXIS for r in reasons])),
        proviso=_provisos(left_out, given.shape),
    )


def _provisos(left_out: list[str], shape: tuple[int, ...]) -> Any:
    """What a verdict leaves out: a sentence, or one for each point of a batch."""
    texts = [f"Apart from the places of {names}" if names else "" for names in left_out]
    if not shape:
        return texts[0]
    array = np.empty(len(texts), dtype=object)
    array[:] = texts
    return array.reshape(shape)


_OFF_AXIS = (Reason.DECAY, Reason.DIVERGENCE, Reason.FLUTTER)
"""Reasons that no eigenvalue on the axis can overrule in the nonlinear equations."""


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


def _unstable(reasons: NDArray[np.object_], facts: Facts, roots: Roots) -> NDArray[np.intp]:
    """(N,) number of unstable directions, of one mind with the verdict."""
    held = np.array([r.verdict in (Verdict.STABLE, Verdict.ASYMPTOTICALLY_STABLE) for r in reasons])
    falling = np.array([r in (Reason.NO_MINIMUM, Reason.DAMPED_NO_MINIMUM) for r in reasons])
    return np.select([held, falling], [0, facts.falls], default=roots.unstable)


def _nonlinear(linear: LinearModel, reasons: NDArray[np.object_]) -> Mask:
    """(N,) whether the verdict holds for the nonlinear equations.

    Eigenvalues off the axis decide there too, if time does not enter. A minimum of the energy decides
    where besides neither forces nor damping act.
    """
    system = linear.system
    if linear.reference.conditions.inputs_move or not autonomous(kernel(system)):
        return np.zeros(len(reasons), dtype=bool)
    closed = not (system.forces or system.dissipation)
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
            stiffness = without_cyclic(other, C, stiffness, Z, linear.reference.turning)[2]
        noise_K = np.maximum(noise_K, np.abs(stiffness - K))
    return _blurred(M, noise_M) | _at_pole(linear, M, Z), _blurred(K, noise_K)


def _at_pole(linear: LinearModel, M: Array, Z: Array) -> Mask:
    """(N,) where M lacks rank just here: a little aside it has more, as at a pole of angles."""
    pole = np.asarray(np.isfinite(M).all(axis=(1, 2)))
    pole[pole] = nullity(M[pole]) > 0
    index = np.flatnonzero(pole)
    if not len(index):
        return pole
    point = linear.reference.point(linear.at_time or 0.0)
    aside = np.random.default_rng(1831).uniform(0.5, 1.0, point.q.shape)
    q = point.q + ASIDE * (np.abs(point.q) + 1) * aside
    other = (Z.swapaxes(1, 2) @ kernel(linear.system).matrices(replace(point, q=q))[0] @ Z)[index]
    known = np.isfinite(other).all(axis=(1, 2))
    pole[index] = known & (nullity(np.nan_to_num(other)) < nullity(M[index]))
    return pole


def _blurred(X: Array, noise: Array) -> Mask:
    """(N,) where a matrix loses rank when entries that may be rounding are set to zero."""
    known = np.asarray(np.isfinite(X + noise).all(axis=(1, 2)))
    blurred = known & (np.abs(X) <= NOISE * noise).any(axis=(1, 2)) & X.any(axis=(1, 2))
    clean = np.where(np.abs(X) <= NOISE * noise, 0.0, X)[blurred]
    blurred[blurred] = nullity(clean) > nullity(X[blurred])
    return blurred


def _by_energy(f: Facts, linear: LinearModel) -> list[tuple[Mask, Reason]]:
    """Verdicts from the matrices alone."""
    held = f.nonnegative & f.minimum & ~f.circulatory
    partly = held & f.damped & f.passive & ~f.complete
    lost = f.massive & (f.falls > 0) & ~f.circulatory
    return [
        (held & ~f.damped, Reason.MINIMUM),
        (held & f.complete, Reason.COMPLETE_DAMPING),
        (pervasive(linear, partly), Reason.PERVASIVE_DAMPING),
        (partly, Reason.PARTIAL_DAMPING),
        (lost & ~f.damped & ~f.gyroscopic, Reason.NO_MINIMUM),
        (lost & f.complete, Reason.DAMPED_NO_MINIMUM),
    ]


def _by_eigenvalues(f: Facts, roots: Roots, linear: LinearModel) -> list[tuple[Mask, Reason]]:
    """Verdicts from the spectrum; only exact zeros count as zero on the imaginary axis.

    Where energy can only be lost and the potential falls nowhere, nothing grows whatever rounding
    says.
    """
    bounded = f.nonnegative & f.passive & ~(f.falls > 0) & ~f.circulatory
    simple = semisimple(linear, roots.values, roots.on_axis & ~roots.zero)
    return [
        (roots.leaving & ~bounded, Reason.DIVERGENCE),
        (roots.growing & ~bounded, Reason.FLUTTER),
        (_drifting(linear, roots.zero), Reason.FREE),
        (simple & f.circulatory, Reason.CIRCULATORY),
        (simple & f.gyroscopic & (f.falls > 0), Reason.GYROSCOPIC),
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
    size = np.abs(q).max(axis=1, keepdims=True)
    unit, _, columns = balanced(K)
    rows = np.linalg.svd(unit)[2] / columns[:, None, :]
    lacking = nullity(K)
    for j in range(int(lacking.max(initial=0))):
        move = np.einsum("knr,kr->kn", Z, rows[:, -1 - j])
        move *= SHIFT * np.where(size > 0, size, 1.0) / np.linalg.norm(move, axis=1)[:, None]
        settled = settle(linear.reference, index, q + move)
        share = np.linalg.norm(settled - q, axis=1) / np.linalg.norm(move, axis=1)
        mask[index] &= (j >= lacking) | ((share > 0.5) & (share < 2))
    return mask
