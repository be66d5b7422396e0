"""The Riccati differential equation -S' = A^T S + S A - S B R^-1 B^T S + Q, backwards in time.

S = Y X^-1 where (X, Y)' = H(t) (X, Y), H = ((A, -B R^-1 B^T), (-Q, -A^T)): linear equations, whose flow
over a step is the exponential of Magnus' series of order six at three Gauss points (Blanes, Casas, Ros
2000). Each step begins anew with X = 1, so that nothing grows, and S stays symmetric.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.linalg import expm

from routh.arrays import Array

GAUSS = np.array([0.5 - 15**0.5 / 10, 0.5, 0.5 + 15**0.5 / 10])

Matrices = Callable[[Array], tuple[Array, Array]]
"""A (T, n, n) and B (T, n, p) at rising times (T,)."""


def riccati_along(
    matrices: Matrices, Q: Array, R: Array, final: Array, times: Array, pieces: int
) -> Array:
    """S (T, n, n) at rising times, from S = final at the last, in so many steps between two of them.

    NaN from where steps are too long for it.
    """
    starts, h = _steps(times, pieces)
    A, B = matrices((starts[:, None] + h[:, None] * GAUSS).reshape(-1))
    n = len(Q)
    H = np.zeros((len(A), 2 * n, 2 * n))
    H[:, :n, :n], H[:, n:, n:] = A, -A.swapaxes(1, 2)
    H[:, :n, n:] = -B @ np.linalg.solve(R, B.swapaxes(1, 2))
    H[:, n:, :n] = -Q
    with np.errstate(over="ignore", invalid="ignore"):
        back = np.asarray(expm(-_magnus(H.reshape(len(h), 3, 2 * n, 2 * n), h)))
    S = np.full((len(times), n, n), np.nan)
    S[-1] = now = final
    for k in reversed(range(len(h))):
        flow = back[k]
        if not np.isfinite(flow).all():
            break
        X, Y = flow[:n, :n] + flow[:n, n:] @ now, flow[n:, :n] + flow[n:, n:] @ now
        try:
            now = np.linalg.solve(X.T, Y.T).T
        except np.linalg.LinAlgError:
            break
        now = (now + now.T) / 2
        if k % pieces == 0:
            S[k // pieces] = now
    return S


def _steps(times: Array, pieces: int) -> tuple[Array, Array]:
    """Starts and lengths of all steps."""
    h = np.repeat(np.diff(times) / pieces, pieces)
    inside = np.tile(np.arange(pieces), len(times) - 1)
    return np.repeat(times[:-1], pieces) + inside * h, h


def _magnus(H: Array, h: Array) -> Array:
    """The exponent (K, m, m) of the flow over each step, H (K, 3, m, m) at its Gauss points."""
    step = h[:, None, None]
    first = step * H[:, 1]
    second = 15**0.5 / 3 * step * (H[:, 2] - H[:, 0])
    third = 10 / 3 * step * (H[:, 2] - 2 * H[:, 1] + H[:, 0])
    both = _commutator(first, second)
    more = -_commutator(first, 2 * third + both) / 60
    return first + third / 12 + _commutator(-20 * first - third + both, second + more) / 240


def _commutator(X: Array, Y: Array) -> Array:
    return np.asarray(X @ Y - Y @ X)
