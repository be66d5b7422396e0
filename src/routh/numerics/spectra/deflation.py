"""The finite spectrum of a singular problem `M s^2 + C s + K`, by elimination.

Infinite eigenvalues (directions without mass) and zero ones (directions without stiffness) are
found by rank, after scaling the units out, and taken out by solving the conditions they obey.

Elimination runs forwards for infinite ones, and with the roles swapped for zero ones. The size of an
eigenvalue only says where to look closer; small ones beside large ones then come from the reversed
problem.
"""

from __future__ import annotations

import numpy as np
import scipy

from routh.arrays import Array, Complex
from routh.numerics import levels
from routh.numerics.rank import balanced, null_space
from routh.numerics.spectra.pairs import merged, paired


class SingularPencilError(ValueError):
    """Every number is an eigenvalue: the equations leave some motion undetermined."""


def finite_spectrum(M: Array, C: Array, K: Array) -> tuple[Complex, int]:
    """The finite eigenvalues of one problem, and how many are infinite."""
    n = len(M)
    d, tau = _scales(M, C, K)
    M, C, K = (d[:, None] * X * d for X in (M / tau**2, C / tau, K))
    zero, one = np.zeros((n, n)), np.eye(n)
    E, A = _without_infinite(np.block([[one, zero], [zero, M]]), np.block([[zero, one], [-K, -C]]))
    A_inner, E_inner = _without_infinite(A, E)
    zeros = np.zeros(len(E) - len(E_inner), dtype=complex)
    values = np.concatenate([zeros, _finite(E_inner, A_inner) / tau])
    return np.asarray(values[paired(values[None])[0]]), 2 * n - len(E)


def zeros_apart(A: Array) -> tuple[Complex, int, int]:
    """The eigenvalues of a matrix that are not zero, how many are, and how many vectors these lack.

    By an orthogonal staircase: the null space is taken out again and again, rank being judged by one
    size for all, since a row that is nothing but rounding has none of its own.
    """
    left = np.asarray(scipy.linalg.matrix_balance(A, permute=False)[0]) if len(A) else A
    size = np.linalg.norm(left, 2) if len(A) else 0.0
    lost: list[int] = []
    while len(left):
        _, sizes, rows = np.linalg.svd(left)
        rank = int((sizes > levels.RANK * size).sum())
        if rank == len(left):
            break
        lost.append(len(left) - rank)
        left = rows[:rank] @ left @ rows[:rank].T
    return _finite(np.eye(len(left)), left), sum(lost), sum(lost[1:])


def _finite(E: Array, A: Array) -> Complex:
    """Eigenvalues of `s E - A` with regular E and A, large and small ones with all their digits.

    Raises:
        SingularPencilError: one of them is singular after all, to the last bit.
    """
    if not len(E):
        return np.zeros(0, dtype=complex)
    try:
        direct, inverse = (
            np.linalg.eigvals(np.linalg.solve(X, Y)).astype(complex) for X, Y in ((E, A), (A, E))
        )
    except np.linalg.LinAlgError as error:
        raise SingularPencilError from error
    with np.errstate(divide="ignore", invalid="ignore"):  # what is infinite there is in the other set
        return np.asarray(merged(direct, 1 / inverse))


def _scales(M: Array, C: Array, K: Array) -> tuple[Array, float]:
    """Scales of the coordinates and of time that bring M, C and K to order one, as powers of two."""
    mass, loss, stiffness = (np.abs(X).max(axis=1) for X in (M, C, K))
    both = (mass > 0) & (stiffness > 0)
    ratio = np.median(stiffness[both] / mass[both]) if both.any() else 1.0
    tau = np.exp2(np.round(np.log2(1 / np.sqrt(ratio))))
    weight = np.max([mass / tau**2, loss / tau, stiffness], axis=0)
    d: Array = np.exp2(np.round(np.log2(1 / np.sqrt(np.where(weight == 0, 1.0, weight)))))
    return d, float(tau)


def _without_infinite(E: Array, A: Array) -> tuple[Array, Array]:
    """The part of the pencil `s E - A` with regular E.

    Where E has no rank, rows of `A x = 0` are conditions on x; they are solved, and the smaller
    pencil is looked at again until E is regular. Rows and columns of the pencil are scaled by those
    of E, so that rank does not depend on units.
    """
    while len(E):
        E, rows, columns = balanced(E)
        A = A / rows[:, None] / columns
        U, sizes, _ = np.linalg.svd(E)
        rank = int((sizes > levels.RANK).sum())
        if rank == len(E):
            break
        free = null_space(U[:, rank:].T @ A)
        if free.shape[1] != rank:
            raise SingularPencilError
        E, A = U[:, :rank].T @ E @ free, U[:, :rank].T @ A @ free
    return E, A
