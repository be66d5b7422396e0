"""Gains by Riccati's equation at every point of a batch; those of an observer by the dual model."""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn

import numpy as np

from routh.analysis.control.reach import decaying
from routh.arrays import Array
from routh.numerics.linear_systems.riccati import riccati

SOLVED = 1e-9
"""Residual of the Riccati equation, beside its terms, above which a gain is not given."""


def riccati_gains(
    A: Array, B: Array, Q: Array, R: Array, refuse: Callable[[int, float], NoReturn]
) -> tuple[Array, Array, Array]:
    """S (N, n, n), what is left of its equation (N,), and R^-1 B^T S (N, p, n); NaN where A has it.

    Where S is not known to rounding, or A - B R^-1 B^T S does not decay, `refuse` is called with the
    number of the point and what is left.
    """
    S, left = np.full(A.shape, np.nan), np.full(len(A), np.nan)
    gain = np.full(B.swapaxes(1, 2).shape, np.nan)
    known = [np.isfinite(X).all(axis=(1, 2)) for X in (A, B, Q)]
    for k in np.flatnonzero(np.logical_and.reduce(known)):
        try:
            S[k], left[k] = riccati(A[k], B[k], Q[k], R[k])
            gain[k] = np.linalg.solve(R[k], B[k].T @ S[k])
            held = bool(decaying(np.linalg.eigvals(A[k] - B[k] @ gain[k]).astype(complex)).all())
        except np.linalg.LinAlgError:
            held, left[k] = False, np.inf
        if not (held and left[k] <= SOLVED):
            refuse(int(k), float(left[k]))
    return S, left, gain
