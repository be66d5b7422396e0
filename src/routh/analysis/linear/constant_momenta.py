"""Routh's reduction: a linear model about a steady motion without its cyclic coordinates.

The equation of a coordinate phi on which nothing depends and which nothing damps is the derivative
of its momentum. At constant momenta

    phi' = -M_pp^-1 (M_py y' + C_py y)

leaves equations in the other coordinates y alone; the zero eigenvalues of phi are gone.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from routh.arrays import Array
from routh.kernels.blocks import block_sizes
from routh.numerics.rank import definite
from routh.numerics.spectra.own_units import in_units, units

CYCLIC = 1e-10
"""Stiffness and damping of a cyclic coordinate below this share of the others are rounding."""


def kept_momenta(M: Array, C: Array, K: Array, Z: Array, turning: Sequence[int]) -> NDArray[np.bool_]:
    """(N,) where the momenta of the turning coordinates stay constant whatever the others do.

    Not where stiffness or damping acts on what turns, where it has no inertia, or nothing else moves.
    M, C, K are (N, r, r); Z (N, n, r) is an orthonormal basis of the admissible motions.
    """
    mask = np.asarray(np.isfinite(M + C + K).all(axis=(1, 2)))
    W = _turning_directions(Z, turning)
    k = W.shape[2]
    if not k or k == M.shape[1]:
        return np.zeros(len(M), dtype=bool)
    basis = np.concatenate([W, _others(W, Z, turning)], axis=2)[mask]
    M, C, K = (basis.swapaxes(1, 2) @ X[mask] @ basis for X in (M, C, K))
    d = units(M, C, K)
    M, C, K = (in_units(X, d) for X in (M, C, K))
    nothing = np.zeros((len(M), M.shape[1], 0))
    sizes = block_sizes({"M": M, "D + G": C, "K + H": K, "B": nothing, "J": nothing})
    soft = np.abs(K) <= CYCLIC * sizes["K + H"]
    loose = np.abs(C + C.swapaxes(1, 2)) <= CYCLIC * sizes["D + G"]
    free = soft[:, :k].all(axis=(1, 2)) & soft[:, :, :k].all(axis=(1, 2))
    free &= loose[:, :k].all(axis=(1, 2))
    mask[mask] = free & definite(M[:, :k, :k])
    return mask


def without_cyclic(
    M: Array, C: Array, K: Array, Z: Array, turning: Sequence[int]
) -> tuple[Array, Array, Array, Array, Array]:
    """M, C, K and Z at constant momenta of the turning coordinates, and what turns (N, n, k).

    The momenta must be kept.
    """
    W = _turning_directions(Z, turning)
    Y = _others(W, Z, turning)
    k = W.shape[2]
    basis = np.concatenate([W, Y], axis=2)
    M, C, K = (basis.swapaxes(1, 2) @ X @ basis for X in (M, C, K))
    return *at_constant_momenta(M, C, K, k), Z @ Y, Z @ W


def at_constant_momenta(M: Array, C: Array, K: Array, k: int) -> tuple[Array, Array, Array]:
    """M, C and K (N, m, m) without their first k coordinates, whose momenta are held."""
    if not k:
        return M, C, K
    pp, py, yp, yy = np.s_[:, :k, :k], np.s_[:, :k, k:], np.s_[:, k:, :k], np.s_[:, k:, k:]
    by_speed, by_place = np.linalg.solve(M[pp], M[py]), np.linalg.solve(M[pp], C[py])
    return (
        M[yy] - M[yp] @ by_speed,
        C[yy] - M[yp] @ by_place - C[yp] @ by_speed,
        K[yy] - C[yp] @ by_place,
    )


def _turning_directions(Z: Array, turning: Sequence[int]) -> Array:
    """(N, r, k): orthonormal directions in which only turning coordinates move.

    Constraints may tie them together, so k may be smaller than their number; it is the same for all
    points, as far as it can be.
    """
    resting = [i for i in range(Z.shape[1]) if i not in turning]
    known = np.asarray(np.isfinite(Z).all(axis=(1, 2)))
    r = Z.shape[2]
    if not turning or not known.any():
        return np.zeros((len(Z), r, 0))
    others = np.where(known[:, None, None], Z[:, resting], Z[known][:1][:, resting])
    if not resting:
        return np.broadcast_to(np.eye(r), (len(Z), r, r)).copy()
    _, sizes, rows = np.linalg.svd(others)
    rank = int(np.sum(sizes > 1e-9, axis=1).max(initial=0))
    return np.asarray(rows[:, rank:].swapaxes(1, 2))


def _others(W: Array, Z: Array, turning: Sequence[int]) -> Array:
    """(N, r, r - k): the other directions; plain coordinates where there are no constraints."""
    count, r, k = W.shape
    if Z.shape[1] == r and k == len(turning):
        rest = [i for i in range(r) if i not in turning]
        return np.broadcast_to(np.eye(r)[:, rest], (count, r, len(rest))).copy()
    return np.asarray(np.linalg.qr(W, mode="complete")[0][:, :, k:])
