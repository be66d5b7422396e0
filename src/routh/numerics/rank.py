"""Rank and definiteness of stacks of matrices, in units of their own (see `spectra/own_units`)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from routh.arrays import Array, Mask
from routh.numerics import levels

SURE_PIVOT = 0.03
"""Cholesky pivots above this leave no doubt; smaller ones do not tell a matrix from a singular one."""

SINGULAR = 1e-13
"""Singular values below this share of the largest do not determine anything."""

TAKES_PART = 1e-6
"""Share of the largest entry of a direction from which on an unknown takes part in it."""

ROUNDING = 1e-14
"""Entries below this share of the largest in their row are rounding."""


def balanced(X: Array) -> tuple[Array, Array, Array]:
    """Matrices (..., m, n) with rows and columns scaled to unit size, and these two scales.

    Takes the units out: forces and torques, metres and radians count alike. Zero rows and columns
    stay as they are; what is rounding beside the largest entry of its row becomes zero, lest a
    column of nothing else be blown up.
    """
    rows = np.max(np.abs(X), axis=-1, initial=0)
    rows = np.where(rows == 0, 1.0, rows)
    unit = X / rows[..., None]
    unit[np.abs(unit) < ROUNDING] = 0.0
    columns = np.max(np.abs(unit), axis=-2, initial=0)
    columns = np.where(columns == 0, 1.0, columns)
    return unit / columns[..., None, :], rows, columns


def undetermined(A: Array) -> Mask:
    """(n,) which unknowns take part in what a matrix (m, n) sends to zero, units taken out."""
    unit, _, columns = balanced(A)
    _, values, rows = np.linalg.svd(unit)
    rank = int((values > SINGULAR * max(values.max(initial=0), 1e-300)).sum())
    null = np.abs(rows[rank:] / columns)
    null = null / np.maximum(null.max(axis=1, keepdims=True, initial=0), 1e-300)
    return (
        np.asarray((null > TAKES_PART).any(axis=0)) if len(null) else np.zeros(A.shape[1], dtype=bool)
    )


def is_diagonal(M: Array) -> bool:
    """Whether all matrices of a stack have entries on the diagonal alone."""
    return int(np.count_nonzero(M)) == int(np.count_nonzero(diagonal(M)))


def definite(M: Array) -> Mask:
    """(N,) which symmetric matrices are positive definite, judged after scaling the units out."""
    if is_diagonal(M):
        return np.asarray((diagonal(M) > 0).all(axis=1))
    size = np.sqrt(np.abs(diagonal(M)))
    size = np.where(size == 0, 1.0, size)
    unit = M / (size[:, :, None] * size[:, None, :])
    try:
        if (diagonal(np.linalg.cholesky(unit)) > SURE_PIVOT).all():
            return np.ones(len(M), dtype=bool)
    except np.linalg.LinAlgError:
        pass
    return np.asarray(np.linalg.eigvalsh(unit)[:, 0] > levels.RANK)


def diagonal(M: Array) -> Array:
    """(N, n): the diagonals of a stack."""
    return np.diagonal(M, axis1=1, axis2=2)


def nullity(K: Array) -> NDArray[np.intp]:
    """(N,) by how much the matrices lack full rank, after scaling the units out."""
    sizes = np.linalg.svd(balanced(K)[0], compute_uv=False)
    return np.asarray(np.sum(sizes <= levels.RANK, axis=1))


def null_space(X: Array) -> Array:
    """(n, k): an orthonormal basis of the null space, rank judged after balancing."""
    unit, _, columns = balanced(X)
    _, sizes, rows = np.linalg.svd(unit)
    basis = rows[int((sizes > levels.RANK).sum()) :].T / columns[:, None]
    Q: Array = np.linalg.qr(basis)[0] if basis.size else basis
    return Q
