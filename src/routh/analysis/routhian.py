"""Routh's reduction: a linear model about a steady motion without its cyclic coordinates.

The equation of a coordinate phi on which nothing depends and which nothing damps is the derivative
of its momentum. At constant momenta

    phi' = -M_pp^-1 (M_py y' + C_py y)

leaves equations in the other coordinates y alone; the zero eigenvalues of phi are gone.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from routh.analysis.time import block_sizes
from routh.kernels.batch import Array
from routh.numerics.rank import definite

CYCLIC = 1e-10
"""Stiffness and damping of a cyclic coordinate below this share of the others are rounding."""


def without_cyclic(
    M: Array, C: Array, K: Array, Z: Array, turning: Sequence[int]
) -> tuple[Array, Array, Array, Array] | None:
    """M, C, K and Z at constant momenta of the turning coordinates, or None.

    None where a momentum is not kept at some point: stiffness or damping acts on the coordinate,
    it is bound by a constraint, or it has no inertia.

    M, C, K are (N, r, r); Z (N, n, r) is an orthonormal basis of the admissible motions, and
    `turning` its rows that turn.
    """
    known = np.asarray(np.isfinite(M + C + K).all(axis=(1, 2)))
    if not turning or not known.any():
        return None
    W = Z.swapaxes(1, 2)[:, :, list(turning)]
    k, r = len(turning), M.shape[1]
    if not np.allclose((W.swapaxes(1, 2) @ W)[known], np.eye(k), atol=1e-9) or k == r:
        return None
    full = np.linalg.qr(np.where(known[:, None, None], W, np.eye(r)[:, :k]), mode="complete")[0]
    Y = full[:, :, k:]
    if np.array_equal(Z, np.broadcast_to(np.eye(r), Z.shape)):
        rest = [i for i in range(r) if i not in turning]
        Y = np.broadcast_to(np.eye(r)[:, rest], Y.shape)
    basis = np.concatenate([W, Y], axis=2)
    M, C, K = (basis.swapaxes(1, 2) @ X @ basis for X in (M, C, K))
    if not _kept(M[known], C[known], K[known], k):
        return None
    pp, py, yp, yy = np.s_[:, :k, :k], np.s_[:, :k, k:], np.s_[:, k:, :k], np.s_[:, k:, k:]
    by_speed, by_place = np.full_like(M[py], np.nan), np.full_like(M[py], np.nan)
    by_speed[known] = np.linalg.solve(M[pp][known], M[py][known])
    by_place[known] = np.linalg.solve(M[pp][known], C[py][known])
    return (
        M[yy] - M[yp] @ by_speed,
        C[yy] - M[yp] @ by_place - C[yp] @ by_speed,
        K[yy] - C[yp] @ by_place,
        Z @ Y,
    )


def _kept(M: Array, C: Array, K: Array, k: int) -> bool:
    """Whether the first k momenta stay constant whatever the others do."""
    nothing = np.zeros((len(M), M.shape[1], 0))
    sizes = block_sizes({"M": M, "D + G": C, "K + H": K, "B": nothing, "J": nothing})
    soft = np.abs(K) <= CYCLIC * sizes["K + H"]
    loose = np.abs(C + C.swapaxes(1, 2)) <= CYCLIC * sizes["D + G"]
    free = soft[:, :k].all() and soft[:, :, :k].all() and loose[:, :k].all()
    return bool(free and definite(M[:, :k, :k]).all())
