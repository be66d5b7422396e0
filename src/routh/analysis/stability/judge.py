"""The verdict on a linear model, with its reason, from the structure of its matrices first.

Energy arguments come before eigenvalues: a minimum of the dynamic potential is stable whatever
rounding does to real parts. Eigenvalues decide only what structure leaves open.

Where both speak and do not agree, beyond rounding, the verdict is undecided and says both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from routh.analysis.given.engines import checked_engine
from routh.analysis.given.large import refuse_large
from routh.analysis.given.numbers import yes_or_no
from routh.analysis.linear.linear_model import LinearModel, constant_model
from routh.analysis.linear.own_motions import OwnMatrices, structure
from routh.analysis.linear.spectrum import linear_spectrum
from routh.analysis.rest.equilibrium import settle
from routh.analysis.rest.flexibility import refuse_stiff_functions
from routh.analysis.stability.facts import Facts, Roots, curvature, errors, pervasive, semisimple
from routh.analysis.stability.near_bounds import near_bounds, without_zeros
from routh.analysis.stability.potential_word import potential_word
from routh.analysis.stability.resolved import resolved
from routh.analysis.stability.rolling_verdict import judged
from routh.analysis.stability.singular_place import at_singular_place
from routh.analysis.stability.verdict import Reason, Stability, Verdict, joined
from routh.arrays import Array, Complex, Mask
from routh.errors import Status, needing, quoted
from routh.kernels.engine import Engine
from routh.kernels.kernel import kernel
from routh.mechanics.constraints import ConstraintKind, constraint_kinds
from routh.numerics import levels
from routh.numerics.rank import balanced, nullity
from routh.numerics.spectra.own import signs

SHIFT = 1e-2
"""How far a rigid-body motion is followed to tell it from a flat spot."""

ASIDE = 1e-3
"""How far aside, in each coordinate, the mass matrix is looked at for a pole."""


def stability(linear: LinearModel, *, proven: bool = False, engine: str = "auto") -> Stability:
    """The verdict on a linear model, with its reason, for every point of its batch.

    Arguments:
        linear: the linear model.
        proven: whether to prove the verdict in ball arithmetic, rounding included; needs the extra
            `rigor`. `proven` of the result says where it could be.
        engine: "casadi", or "c": eigenvalues, and what energy decides, by code that is compiled for all
            cores of this machine; "auto" has it compiled where there are so many points that it pays;
            "cuda" is the same for an NVIDIA GPU (extra `gpu`). Verdicts are the same: what is near any
            bound is not left to it.

    Raises:
        DerivationError: `proven` with constraints, kinks, or time in the equations; or "c" was asked
            for, and there is no compiler.
        MissingExtra: `proven` without the extra `rigor`.

    Example:
        >>> from routh import coordinate, ddt, System, equilibrium, linearize
        >>> x = coordinate("x")
        >>> hill = System(kinetic=ddt(x) ** 2 / 2, potential=-2 * x**2)
        >>> print(stability(linearize(equilibrium(hill, {}))))  # doctest: +ELLIPSIS
        unstable. The potential falls in one direction, omega^2 = -4 1/s^2, ...
    """
    constant_model(linear, "stability")
    yes_or_no(proven, "proven")
    by = checked_engine(engine)
    if linear.system.shapes:
        refuse_stiff_functions(linear.reference)
    values = linear_spectrum(linear, vectors=False, engine=by).values
    verdict = judge(linear, linear.reference.conditions.folded(values), by)
    if not proven:
        return verdict
    with needing("rigor", "python-flint", "A proof needs ball arithmetic"):
        from routh.analysis.stability.proof import proven as proof
    return replace(verdict, proven=proof(linear, verdict))


def judge(linear: LinearModel, eigenvalues: Complex, engine: Engine = Engine.AUTO) -> Stability:
    """The verdict on a linear model whose eigenvalues (..., 2r) are known, all of them.

    A steady motion is judged at constant momenta, without the zeros of what turns. Eigenvalues of
    discretized fields count as far as they are converged.
    """
    if linear.is_sparse:
        refuse_large(linear.system)
    found = _decided(linear, eigenvalues, engine)
    if linear.system.shapes:
        found = resolved(linear, eigenvalues, found, _judged)
    return replace(found, potential=potential_word(linear), linear=linear)


_BY_KIND = (
    Reason.UNKNOWN, Reason.MINIMUM, Reason.COMPLETE_DAMPING, Reason.NO_MINIMUM,
    Reason.DAMPED_NO_MINIMUM,
)  # fmt: skip
"""What a kind of `Structure` is the reason of."""


def _decided(linear: LinearModel, eigenvalues: Complex, engine: Engine) -> Stability:
    """The verdict on points that energy decides, by compiled code, and on all others as they are."""
    given = linear.reference.conditions
    if not given.shape or not linear.is_holonomic or linear.reference.turning or linear.system.shapes:
        return _judged(linear, eigenvalues)
    if not linear.M.shape[-1] or linear.system.constraints or linear.time is not None:
        return _judged(linear, eigenvalues)
    found = structure(linear.place, linear.own, engine)
    if found is None:
        return _judged(linear, eigenvalues)
    values, closely = given.stacked(eigenvalues), linear.own.seen_closely
    known = given.stacked(np.asarray(linear.reference.status == Status.CONVERGED))
    growing = (values.real > 0).any(axis=1)
    agree = (found.kind > 0) & (growing == (found.kind > 2)) & np.isfinite(values).all(axis=1)
    sure = np.flatnonzero(agree & known & ~closely)
    kind = found.kind[sure]
    part = Stability(
        reason=_taken(_BY_KIND, kind),
        eigenvalues=values[sure],
        curvature=found.least[sure],
        blur=found.blur[sure],
        falling=found.falls[sure].astype(int),
        index=found.falls[sure].astype(int),
        nonlinear=_nonlinear(linear, _taken(_BY_KIND, range(len(_BY_KIND))))[kind],
        engine=engine.target,
    )
    if len(sure) == given.count:
        return part.folded(given.shape)
    left = np.setdiff1d(np.arange(given.count), sure)
    other = _judged(linear.chosen(left), values[left])
    every = joined([(sure, part), (left, other)], given.shape)
    return replace(every, proviso=other.proviso, remark=other.remark, engine=engine.target)


def _taken(reasons: Sequence[Reason], codes: Any) -> NDArray[np.object_]:
    """(N,) reasons by number."""
    table = np.empty(len(reasons), dtype=object)
    table[:] = reasons
    found: NDArray[np.object_] = table[np.asarray(codes, dtype=int)]
    return found


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
        eigenvalues = without_zeros(eigenvalues, len(turning))
    if not proviso and ConstraintKind.INTEGRABLE in constraint_kinds(linear.system):
        proviso = "With what the integrable constraints hold unchanged"
    if counted is not None:
        eigenvalues = np.where(counted, eigenvalues, complex(np.nan, np.nan))
    values, own = given.stacked(eigenvalues), linear.own_with_noise
    facts = Facts(own)
    least, blurred = curvature(own, facts.massive)
    by_energy = _by_energy(facts, own)
    decided = np.any([mask for mask, _ in by_energy], axis=0)
    growing = (np.nan_to_num(values.real) > 0).any(axis=1)
    sure = errors(own, values, growing | ~decided)
    if counted is None:
        dropped = len(turning) if turning and whole is linear else 0
        values, sure = near_bounds(linear, values, sure, growing | ~decided, dropped)
        eigenvalues = given.folded(values)
    roots = Roots(values, sure)
    degenerate = given.stacked(np.asarray(linear.reference.status == Status.DEGENERATE))
    cases: list[tuple[Mask, Reason]] = [
        (~np.atleast_1d(np.asarray(linear.reference.converged)).reshape(-1), Reason.UNKNOWN),
        (~np.isfinite(roots.growth), Reason.NO_MODEL),
        (np.full(len(values), linear.time is not None), Reason.FROZEN),
        (_at_pole(whole, facts if whole is linear else Facts(whole.own_with_noise)), Reason.SINGULAR),
        (at_singular_place(whole), Reason.NO_SLOPE),
        (degenerate, Reason.DEGENERATE),
        *_contradictions(facts, roots, decided, by_energy),
        *by_energy,
        *_by_eigenvalues(facts, roots, linear, blurred),
    ]
    codes = np.select([mask for mask, _ in cases], range(len(cases)), default=len(cases))
    found = [reason for _, reason in cases] + [Reason.MARGINAL]
    reasons = _taken(found, codes)
    fold = given.folded
    return Stability(
        reason=fold(reasons) if given.shape else reasons[0],
        eigenvalues=eigenvalues,
        curvature=fold(least),
        blur=fold(blurred),
        falling=fold(facts.falls),
        index=fold(_unstable(_taken(found, range(len(found))), codes, facts, roots)),
        nonlinear=fold(_nonlinear(linear, _taken(found, range(len(found))))[codes]),
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
    reasons[:] = found
    reasons[at_singular_place(linear)] = Reason.NO_SLOPE
    if linear.time is not None:
        reasons[:] = Reason.FROZEN
    reasons[~reached] = Reason.UNKNOWN
    eigenvalues = np.full((len(found), max(map(len, values), default=0)), np.nan, dtype=complex)
    for k, each in enumerate(values):
        eigenvalues[k, : len(each)] = each
    growing = np.sum(np.nan_to_num(eigenvalues.real) > levels.DISTANT * np.abs(eigenvalues), axis=1)
    leaves = np.array([reason.verdict is Verdict.UNSTABLE for reason in reasons])
    timeless = given.autonomous(kernel(linear.system))
    fold = given.folded
    return Stability(
        reason=fold(reasons) if given.shape else reasons[0],
        eigenvalues=fold(eigenvalues),
        curvature=fold(np.full(len(found), np.nan)),
        falling=fold(np.zeros(len(found), dtype=int)),
        index=fold(np.where(leaves, growing, 0)),
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


def _unstable(
    reasons: NDArray[np.object_], codes: NDArray[np.intp], facts: Facts, roots: Roots
) -> NDArray[np.intp]:
    """(N,) number of unstable directions, of one mind with the verdict: a reason by its number."""
    held = np.array([r.verdict in (Verdict.STABLE, Verdict.ASYMPTOTICALLY_STABLE) for r in reasons])
    falling = np.array([r in (Reason.NO_MINIMUM, Reason.DAMPED_NO_MINIMUM) for r in reasons])
    fed = np.array([r is Reason.FED for r in reasons])
    cases = [held[codes], falling[codes], fed[codes]]
    return np.select(cases, [0, facts.falls, 1], default=roots.unstable)


def _nonlinear(linear: LinearModel, reasons: NDArray[np.object_]) -> Mask:
    """(k,) for each of k reasons, whether the verdict holds for the nonlinear equations.

    Eigenvalues off the axis decide there too, if time does not enter. A minimum of the energy decides
    where besides neither forces nor damping act.
    """
    system = linear.system
    if not linear.reference.conditions.autonomous(kernel(system)):
        return np.zeros(len(reasons), dtype=bool)
    closed = not (system.forces or system.dissipation)
    sure = [
        reason.verdict in (Verdict.ASYMPTOTICALLY_STABLE, Verdict.UNSTABLE)
        or (reason is Reason.MINIMUM and closed)
        for reason in reasons
    ]
    return np.array(sure)


def _at_pole(linear: LinearModel, facts: Facts) -> Mask:
    """(N,) where M lacks rank just here, to rounding, but not a little aside: at a pole of angles."""
    own, lacking = linear.own_with_noise, facts.massless
    index = np.flatnonzero(lacking > 0)
    pole: Mask = np.zeros(len(own.M), dtype=bool)
    if not len(index):
        return pole
    place = linear.place.chosen(index)
    point = place.point
    aside = np.random.default_rng(1831).uniform(0.5, 1.0, point.q.shape)
    q = point.q + ASIDE * (np.abs(point.q) + 1) * aside
    B = place.Z @ own.V[index]
    other = B.swapaxes(1, 2) @ kernel(linear.system).matrices(replace(point, q=q))[0] @ B
    known = np.all(np.isfinite(other), axis=(1, 2))
    other = np.where(known[:, None, None], other, 0.0)
    bound = np.maximum(own.mass_bound[index], levels.COMPONENT * np.abs(other))
    _, left = signs((other + other.swapaxes(1, 2)) / 2, bound)
    pole[index] = known & (left < lacking[index])
    return pole


def _by_energy(f: Facts, own: OwnMatrices) -> list[tuple[Mask, Reason]]:
    """Verdicts from the matrices alone."""
    held = f.nonnegative & f.minimum & ~f.circulatory
    partly = held & f.damped & f.passive & ~f.complete
    lost = f.massive & (f.falls > 0) & ~f.circulatory
    return [
        (held & ~f.damped, Reason.MINIMUM),
        (held & f.complete, Reason.COMPLETE_DAMPING),
        (pervasive(own, partly), Reason.PERVASIVE_DAMPING),
        (partly, Reason.PARTIAL_DAMPING),
        (lost & ~f.damped & ~f.gyroscopic, Reason.NO_MINIMUM),
        (lost & f.complete, Reason.DAMPED_NO_MINIMUM),
    ]


def _contradictions(
    f: Facts, roots: Roots, decided: Mask, by_energy: list[tuple[Mask, Reason]]
) -> list[tuple[Mask, Reason]]:
    """Where eigenvalues say, beyond their rounding, the opposite of what follows from the matrices."""
    unstable = [mask for mask, reason in by_energy if reason.verdict is Verdict.UNSTABLE]
    falling = np.any(unstable, axis=0)
    bounded = f.nonnegative & f.passive & (f.falls == 0) & ~f.circulatory
    return [
        (roots.growing & (bounded | (decided & ~falling)), Reason.HELD_YET_GROWING),
        (falling & ~(roots.growth > 0), Reason.FALLING_YET_HELD),
    ]


def _by_eigenvalues(
    f: Facts, roots: Roots, linear: LinearModel, blurred: Array
) -> list[tuple[Mask, Reason]]:
    """Verdicts from the spectrum, where nothing but errors beyond their bounds counts.

    Without damping, and with gyroscopic or circulatory forces but not both, -conj(s) is an eigenvalue
    with s: what is not sure to be off the imaginary axis, and has as many vectors, is on it.
    """
    mirrored = ~f.damped & ~(f.gyroscopic & f.circulatory)
    held = f.circulatory | (f.gyroscopic & (f.falls > 0))
    quiet = roots.on_axis & mirrored & ~roots.slow & held
    simple = semisimple(linear.own_with_noise, roots, quiet, f.circulatory)
    return [
        (roots.leaving, Reason.DIVERGENCE),
        (roots.growing, Reason.FLUTTER),
        (f.fed, Reason.FED),
        (_drifting(linear, roots.zero), Reason.FREE),
        (roots.slow & (blurred > 0), Reason.BLURRED),
        (simple & f.circulatory, Reason.CIRCULATORY),
        (simple, Reason.GYROSCOPIC),
        (roots.decaying, Reason.DECAY),
    ]


def _drifting(linear: LinearModel, zero: Mask) -> Mask:
    """Where a zero eigenvalue is a freedom: an equilibrium moved along it settles nearby, not back."""
    mask = zero.copy()
    index = np.flatnonzero(zero)
    if not len(index):
        return mask
    stacked = linear.reference.conditions.stacked
    K, Z = linear.own.S[index], stacked(linear.Z)[index] @ linear.own.V[index]
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
