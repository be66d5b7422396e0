"""Verdicts on steady motions of systems with velocity constraints."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy

from routh.analysis.linear.ignorable import is_family
from routh.analysis.linear.linear_model import LinearModel
from routh.analysis.linear.rolling import beside, ignored, in_units, what_matters
from routh.analysis.stability.verdict import Reason
from routh.arrays import Array, Complex
from routh.errors import quoted
from routh.language.symbols import Coordinate
from routh.numerics import levels
from routh.numerics.spectra.deflation import zeros_apart

_STEADY = (Reason.STEADY_DECAY, Reason.STEADY_OSCILLATION)


def judged(linear: LinearModel) -> tuple[list[Reason], list[Complex], list[str]]:
    """The reason, the eigenvalues that count, and the coordinates left out, for each point.

    Coordinates on which the accelerations do not depend are left out: where a disc rolls, and which
    way, does not matter to how it rolls. Zeros that are left must belong to neighbouring steady
    motions, which are looked for, since a potential that is flat to second order has zeros too.
    """
    count = linear.reference.conditions.count
    if not linear.M.shape[-1]:
        return [Reason.HELD] * count, [np.zeros(0, dtype=complex)] * count, [""] * count
    A, _, V, _, unit = in_units(linear)
    names, free = zip(*ignored(linear, A, unit), strict=True)
    reasons: list[Reason] = []
    values, left_out = [], []
    for k, matrix in enumerate(A):
        known = bool(np.isfinite(matrix).all())
        left = what_matters(matrix, free[k]) if known else np.zeros((0, 0))
        found, zeros, defects = zeros_apart(left)
        values.append(np.concatenate([np.zeros(zeros, dtype=complex), found]))
        left_out.append(quoted(names[k]))
        neutral = bool(zeros or free[k].shape[1])
        sure = _errors(left, found)
        reason = _reason(found, sure, defects, neutral)
        if not known:
            reason = Reason.NO_MODEL
        elif len(matrix) == V.shape[1]:
            reason = Reason.HELD
        elif (
            reason is Reason.STEADY_OSCILLATION
            and not _is_untouched(
                linear, k, left, free[k], V[k], unit[k], found[np.abs(found.real) <= sure]
            )
        ) or (
            reason in _STEADY
            and not _belong_to_families(linear, k, left, names[k], free[k], V[k], unit[k])
        ):
            reason = Reason.MARGINAL
        reasons.append(reason)
    return reasons, values, left_out


def _belong_to_families(
    linear: LinearModel,
    k: int,
    A: Array,
    names: Sequence[Coordinate],
    free: Array,
    V: Array,
    unit: Array,
) -> bool:
    """Whether the states that A leaves alone lead to other steady motions."""
    Q = beside(free)
    Z = linear.reference.conditions.stacked(linear.Z)[k] * unit[: len(V)]
    balanced, (scale, _) = scipy.linalg.matrix_balance(A, permute=False, separate=True)
    _, sizes, rows = np.linalg.svd(balanced)
    for row in rows[int((sizes > levels.RANK * sizes[0]).sum()) :]:
        x = scale * row
        eta, w = Q @ x[: Q.shape[1]], x[Q.shape[1] :]
        dq, dv = Z @ eta, Z @ V @ np.concatenate([eta, w])
        if not is_family(linear.reference, k, dq, dv, names):
            return False
    return True


def _errors(A: Array, found: Complex) -> Array:
    """(k,) how far rounding of A may have moved eigenvalues, each by how much it feels of it."""
    if not len(found):
        return np.zeros(0)
    balanced = np.asarray(scipy.linalg.matrix_balance(A, permute=False)[0])
    values, left, right = scipy.linalg.eig(balanced, left=True, right=True)
    with np.errstate(divide="ignore"):
        felt = 1 / np.abs(np.sum(left.conj() * right, axis=0))
    nearest = np.abs(found[:, None] - values).argmin(axis=1)
    rounding = levels.MULTIPLE * levels.EPS * np.linalg.norm(balanced, 2)
    return np.asarray(np.maximum(rounding * felt[nearest], levels.DISTANT * np.abs(found)))


def _is_untouched(
    linear: LinearModel, k: int, A: Array, free: Array, V: Array, unit: Array, values: Complex
) -> bool:
    """Whether neither damping nor circulatory forces reach motions with some eigenvalues of A.

    Then what is not seen to grow or decay does neither; else it may, too slowly to be seen.
    """
    stacked, m = linear.reference.conditions.stacked, len(V)
    D, H = (stacked(X)[k] * np.outer(unit[:m], unit[:m]) for X in (linear.D, linear.H))
    if not linear.system.forces:  # the constraints themselves have a skew part in steady motion
        H = np.zeros_like(H)
    Q = beside(free)
    for s in values:
        x = np.linalg.svd(A - s * np.eye(len(A)))[2][-1].conj()
        eta = Q @ x[: Q.shape[1]]
        rate = V @ np.concatenate([eta, x[Q.shape[1] :]])
        for X, z in ((D, rate), (H, eta)):
            seen = np.abs(z) > levels.RANK * np.abs(z).max(initial=0)
            if X[:, seen].any():
                return False
    return True


def _reason(found: Complex, sure: Array, defects: int, neutral: bool) -> Reason:
    """The reason, of eigenvalues that are not zero and what rounding makes of each."""
    growing = found[found.real > sure]
    if len(growing):
        top = growing[np.argmax(growing.real)]
        return Reason.DIVERGENCE if top.imag == 0 else Reason.FLUTTER
    if defects:
        return Reason.FREE
    if len(found) == 0:
        return Reason.STEADY_OSCILLATION
    left = np.abs(found.real) <= sure
    if not left.any():
        return Reason.STEADY_DECAY if neutral else Reason.DECAY
    if (np.abs(found[left].imag) <= sure[left]).any():
        return Reason.MARGINAL
    turning = np.sort(np.abs(found[left].imag))[::2]
    apart = np.diff(turning) > levels.DISTANT ** (1 / 2) * turning[1:]
    return Reason.STEADY_OSCILLATION if apart.all() else Reason.MARGINAL
