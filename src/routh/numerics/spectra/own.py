"""Matrices along motions of their own, with bounds of what rounding has left in them.

Two masses with a stiff spring between them and a soft one to the ground: in the entries of K the soft
one is lost beside the stiff one, along x = y it stands alone. So where a matrix looks singular it is
taken along its approximate eigenvectors V, as V^T (K V); with K V evaluated along V (not through the
entries), what a direction that is off by rounding adds is of second order.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from routh.arrays import Array, Mask
from routh.numerics import levels
from routh.numerics.rank import diagonal
from routh.numerics.spectra.jacobi import jacobi


def suspects(M: Array, K: Array) -> Mask:
    """(N,) where M or K, (N, n, n) in units of their own, may have lost their smallest eigenvalues.

    Coordinates without any mass, or any stiffness, are zero by structure and no reason to look closer.
    """
    sums = M + K
    if np.isfinite(sums).all():
        return _nearly_singular(M) | _nearly_singular(K)
    found: Mask = np.zeros(len(M), dtype=bool)
    index = np.flatnonzero(np.isfinite(sums).all(axis=(1, 2)))
    if len(index):
        found[index] = _nearly_singular(M[index]) | _nearly_singular(K[index])
    return found


def _nearly_singular(X: Array) -> Mask:
    found: Mask = ~_surely_regular(X)
    if found.any():
        found[found] = _is_nearly_singular(_filled(X[found]))
    return found


def _filled(X: Array) -> Array:
    """X with its largest entry on the diagonal of empty rows and columns."""
    size = np.abs(X)
    empty = (size.max(axis=2, initial=0) == 0) & (size.max(axis=1, initial=0) == 0)
    largest = np.where(empty.all(axis=1), 1.0, size.max(axis=(1, 2), initial=0))
    return np.asarray(X + np.where(empty, largest[:, None], 0.0)[:, :, None] * np.eye(X.shape[1]))


FEW = 8
"""Coordinates up to which a determinant tells a regular matrix, far above its own rounding."""


def _surely_regular(X: Array) -> Mask:
    """(N,) where the determinant leaves no doubt that the smallest singular value is not small.

    It is not below |det X| ((n - 1) / |X|^2)^((n - 1) / 2), |X| being Frobenius' norm (Yu and Gu 1997).
    """
    n = X.shape[1]
    if not 1 < n <= FEW:
        return np.zeros(len(X), dtype=bool)
    with np.errstate(all="ignore"):
        size = np.sqrt(np.einsum("kij,kij->k", X, X))
        least = np.abs(np.linalg.det(X / size[:, None, None])) * (n - 1.0) ** ((n - 1) / 2)
        return np.asarray(least > 2 * levels.SUSPECT)


def _is_nearly_singular(filled: Array) -> Mask:
    if (filled == filled.swapaxes(1, 2)).all():
        values = np.abs(np.linalg.eigvalsh(filled))
    else:
        values = np.linalg.svd(filled, compute_uv=False)
    return np.asarray(values.min(axis=1) < levels.SUSPECT * values.max(axis=1))


def own_basis(M: Array, K: Array) -> Array:
    """(n, n): columns along which two symmetric matrices of one problem are nearly diagonal.

    Directions without mass, to rounding, come first, turned by K alone; the others are the eigenvectors
    of `K x = w2 M x`.
    """
    masses, Q = np.linalg.eigh(M)
    light = masses <= levels.RANK * np.abs(masses).max(initial=0.0)
    Q, heavy = Q[:, light], Q[:, ~light]
    Q = Q @ np.linalg.eigh(Q.T @ K @ Q)[1]
    L = np.linalg.cholesky(heavy.T @ M @ heavy)
    A = np.linalg.solve(L, np.linalg.solve(L, heavy.T @ K @ heavy).T)
    return np.concatenate([Q, heavy @ np.linalg.solve(L.T, np.linalg.eigh((A + A.T) / 2)[1])], axis=1)


def turned(M: Array, K: Array) -> Array:
    """(n, n): the same once more for matrices that are nearly diagonal already, large beside small."""
    masses = np.diagonal(M)
    heavy = np.flatnonzero(masses > levels.RANK * np.abs(masses).max(initial=0.0))
    turn = np.eye(len(M))
    among = np.ix_(heavy, heavy)
    size = masses[heavy] ** -0.5
    L = np.linalg.cholesky(size[:, None] * M[among] * size)
    A = np.linalg.solve(L, np.linalg.solve(L, size[:, None] * K[among] * size).T)
    turn[among] = size[:, None] * np.linalg.solve(L.T, jacobi((A + A.T) / 2)[1])
    return turn


def blur(V: Array, XV: Array, size: Array) -> Array:
    """(..., m, m): how far rounding of the components of V reaches into V^T X V.

    `size` (..., n, n) bounds |X|, XV is X V evaluated along V.
    """
    c = levels.COMPONENT * np.sqrt(V.shape[-2])
    V, first = np.abs(V), np.abs(XV).swapaxes(-1, -2) @ np.abs(V)
    second = V.swapaxes(-1, -2) @ size @ V
    return np.asarray(c * (first + first.swapaxes(-1, -2)) + c**2 * second)


def cleaned(X: Array, blurred: Array) -> Array:
    """Entries that may be nothing but rounding, set to zero."""
    return np.where(np.abs(X) <= blurred, 0.0, X)


def signs(X: Array, blurred: Array) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """(N,) how many eigenvalues of symmetric matrices are negative, and how many may be zero.

    Judged after scaling by the diagonal, which changes no sign (Sylvester's law of inertia).
    """
    n = X.shape[1]
    if not X.any():
        return np.zeros(len(X), dtype=int), np.full(len(X), n)
    X = cleaned(X, blurred)
    used: Mask = np.asarray(X.any(axis=2))
    scale = _scale(X)
    scaled = X * scale[:, :, None] * scale[:, None, :]
    values, U = np.linalg.eigh(scaled + np.where(used, 0.0, 2.0 * n)[:, :, None] * np.eye(n))
    near = np.abs(U)
    unit = np.where(used[:, :, None] & used[:, None, :], blurred, 0.0)
    unit = unit * scale[:, :, None] * scale[:, None, :]
    bound = (
        np.sum(near * (unit @ near), axis=1)
        + levels.COMPONENT * n * np.abs(scaled).max(axis=(1, 2), initial=0.0)[:, None]
    )
    empty = n - used.sum(axis=1)
    negative = np.sum(values < -bound, axis=1)
    return negative, empty + np.sum(np.abs(values) <= bound, axis=1)


def _scale(X: Array) -> Array:
    """(N, n) that brings the diagonal to one, or the largest entry of a row without any."""
    size = np.sqrt(np.abs(diagonal(X)))
    for _ in range(X.shape[1]):
        missing = (size == 0) & X.any(axis=2)
        if not missing.any():
            break
        known = np.where(size > 0, 1 / np.where(size > 0, size, 1.0), 0.0)
        reached = (np.abs(X) * known[:, None, :]).max(axis=2)
        stuck = missing.any(axis=1) & ~(missing & (reached > 0)).any(axis=1)
        first = stuck[:, None] & missing & (np.cumsum(missing, axis=1) == 1)
        size = np.where(missing & (reached > 0), reached, np.where(first, 1.0, size))
    return np.where(size > 0, 1 / np.where(size > 0, size, 1.0), 1.0)


def graded_squares(M: Array, K: Array, blurred: Array) -> tuple[Array, Array, Array]:
    """(n,) w2 of `K x = w2 M x`, ascending, their bounds, and vectors; M definite, K nearly diagonal.

    What its bound does not tell from zero is zero.
    """
    size = np.diagonal(M) ** -0.5
    L = np.linalg.cholesky(size[:, None] * M * size)
    A = np.linalg.solve(L, np.linalg.solve(L, size[:, None] * K * size).T)
    values, U = jacobi((A + A.T) / 2)
    X = size[:, None] * np.linalg.solve(L.T, U)
    bound = np.sum(np.abs(X) * (blurred @ np.abs(X)), axis=0)
    bound = bound + levels.COMPONENT * np.sqrt(len(M)) * np.abs(values)
    return np.where(np.abs(values) <= bound, 0.0, values), bound, X
