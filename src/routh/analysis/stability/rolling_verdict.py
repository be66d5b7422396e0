"""Verdicts on steady motions of systems with velocity constraints."""

from __future__ import annotations

import numpy as np

from routh.analysis.linear.ignorable import freedom, is_family
from routh.analysis.linear.linear_model import LinearModel
from routh.analysis.linear.rolling import beside, in_units, places, what_matters
from routh.analysis.stability.verdict import Reason
from routh.arrays import Array, Complex
from routh.errors import quoted
from routh.numerics import levels
from routh.numerics.solving.dependence import nonzero
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
    free = places(linear, A, unit)
    reasons: list[Reason] = []
    values, left_out = [], []
    for k, matrix in enumerate(A):
        known = bool(np.isfinite(matrix).all())
        left = what_matters(matrix, free[k]) if known else np.zeros((0, 0))
        found, zeros, defects = zeros_apart(left)
        values.append(np.concatenate([np.zeros(zeros, dtype=complex), found]))
        left_out.append(quoted(freedom(linear.reference, k).ignorable) if known else "")
        neutral = bool(zeros or free[k].shape[1])
        reason = _reason(found, defects, neutral)
        if not known:
            reason = Reason.NO_MODEL
        elif len(matrix) == V.shape[1]:
            reason = Reason.HELD
        elif reason in _STEADY and not _belong_to_families(linear, k, left, free[k], V[k], unit[k]):
            reason = Reason.MARGINAL
        reasons.append(reason)
    return reasons, values, left_out


def _belong_to_families(
    linear: LinearModel, k: int, A: Array, free: Array, V: Array, unit: Array
) -> bool:
    """Whether the states that A leaves alone lead to other steady motions."""
    Q = beside(free)
    Z = linear.reference.conditions.stacked(linear.Z)[k] * unit[: len(V)]
    _, sizes, rows = np.linalg.svd(A)
    for x in rows[int(nonzero(sizes)) :]:
        eta, w = Q @ x[: Q.shape[1]], x[Q.shape[1] :]
        dq, dv = Z @ eta, Z @ V @ np.concatenate([eta, w])
        if not is_family(linear.reference, k, dq, dv):
            return False
    return True


def _reason(found: Complex, defects: int, neutral: bool) -> Reason:
    sure = levels.DISTANT * np.abs(found).max(initial=0)
    top = found[np.argmax(found.real)] if len(found) else 0j
    if top.real > sure:
        return Reason.DIVERGENCE if top.imag == 0 else Reason.FLUTTER
    if defects:
        return Reason.FREE
    if len(found) == 0:
        return Reason.STEADY_OSCILLATION
    if (found.real < -sure).all():
        return Reason.STEADY_DECAY if neutral else Reason.DECAY
    turning = np.sort(np.abs(found[np.abs(found.real) <= sure].imag))[::2]
    apart = np.diff(turning) > levels.DISTANT ** (1 / 2) * turning[1:]
    return Reason.STEADY_OSCILLATION if apart.all() else Reason.MARGINAL
