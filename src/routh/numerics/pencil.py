"""Eigenvalues of `M s^2 + C s + K`, also where M or K is singular.

Infinite eigenvalues (directions without mass) and zero ones (directions without stiffness) are
found by rank, after scaling the units out, and taken out by solving the conditions they obey. So a
free motion gives zeros and not 1e-8, and a soft mode beside a stiff one stays a soft mode.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from routh.numerics.rank import (
    RANK,
    Array,
    Mask,
    balanced,
    definite,
    diagonal,
    is_diagonal,
    null_space,
    nullity,
)

Complex = NDArray[np.complex128]

SAME = 1e-9
"""Eigenvalues closer than this are taken for a repeated one when vectors are looked for."""

SQUARE_ROOT = 1e-7
"""Singular values below this belong to the null space at an eigenvalue known to half its digits."""

SUSPECT = 1e-6
"""Eigenvalues this much smaller than the largest may be zeros, or have lost digits to it."""


class _SingularPencilError(ValueError):
    """Every number is an eigenvalue: the equations leave some motion undetermined."""


@dataclass(frozen=True, eq=False)
class Spectrum:
    """The finite eigenvalues of N problems in pairs, and how many are infinite.

    `values` (N, k) complex, paired as `paired` says; where a point has fewer than k, NaN fills up.
    `vectors` (N, n, k) or None. `infinite` (N,). `undetermined` (N,): the determinant of
    `M s^2 + C s + K` vanishes for every s, and the values are NaN.
    """

    values: Complex
    vectors: Complex | None
    infinite: NDArray[np.intp]
    undetermined: Mask


def spectrum(M: Array, C: Array, K: Array, *, vectors: bool) -> Spectrum:
    """The spectra of N problems; the common cases in one call, singular points one by one."""
    count, n = M.shape[:2]
    values = np.full((count, 2 * n), np.nan, dtype=complex)
    shapes = np.full((count, n, 2 * n), np.nan, dtype=complex) if vectors else None
    infinite = np.zeros(count, dtype=int)
    undetermined = np.zeros(count, dtype=bool)
    finite = np.asarray(np.isfinite(M + C + K).all(axis=(1, 2)))
    massive = finite.copy()
    massive[finite] = definite(M[finite])
    quiet = ~C.any(axis=(1, 2)) & (K.swapaxes(1, 2) == K).all(axis=(1, 2))
    alone = finite & ~massive
    for mask, way in ((massive & quiet, _conservative), (massive & ~quiet, _general)):
        index = np.flatnonzero(mask)
        if len(index):
            values[index], found, odd = way(M[index], C[index], K[index], vectors)
            if shapes is not None and found is not None:
                shapes[index] = found
            alone[index[odd]] = True
    for k in np.flatnonzero(alone):
        try:
            special, infinite[k] = _singular(M[k], C[k], K[k])
        except _SingularPencilError:
            values[k], undetermined[k] = np.nan, True
            continue
        if massive[k]:  # nothing infinite: the large ones were right, only zeros were blurred
            special = _with_zeros(values[k], special)
        values[k] = np.nan
        values[k, : len(special)] = special
        if shapes is not None:
            shapes[k] = np.nan
            shapes[k, :, : len(special)] = _vectors(special, M[k], C[k], K[k])
    solved = finite & ~undetermined
    width = 2 * n - int(infinite[solved].min(initial=2 * n)) if solved.any() else 2 * n
    shapes = None if shapes is None else shapes[..., :width]
    return Spectrum(values[:, :width], shapes, infinite, undetermined)


def joined(parts: list[Spectrum]) -> Spectrum:
    """Spectra one after the other; NaN fills up those with fewer finite eigenvalues."""
    if len(parts) == 1:
        return parts[0]
    width = max(part.values.shape[1] for part in parts)

    def filled(array: Complex) -> Complex:
        missing = [(0, 0)] * (array.ndim - 1) + [(0, width - array.shape[-1])]
        return np.pad(array, missing, constant_values=np.nan)

    vectors = [filled(part.vectors) for part in parts if part.vectors is not None]
    return Spectrum(
        values=np.concatenate([filled(part.values) for part in parts]),
        vectors=np.concatenate(vectors) if vectors else None,
        infinite=np.concatenate([part.infinite for part in parts]),
        undetermined=np.concatenate([part.undetermined for part in parts]),
    )


Part = tuple[Complex, Complex | None, Mask]


def _conservative(M: Array, C: Array, K: Array, vectors: bool) -> Part:
    """Without C and with symmetric K: s = +-i w or +-sigma, exactly."""
    w2, X = _squares(M, K, vectors)
    soft = np.abs(w2).min(axis=1) < SUSPECT**2 * np.abs(w2).max(axis=1)
    for k in np.flatnonzero(soft):
        w2[k] = _soft_squares(M[k], K[k])
    root = np.where(w2 < 0, np.sqrt(np.abs(w2)) + 0j, 1j * np.sqrt(np.abs(w2)))
    values = np.stack([root, -root + 0], axis=-1).reshape(len(w2), -1)
    shapes = None if X is None else np.repeat(X.astype(complex), 2, axis=2)
    if shapes is not None:
        for k in np.flatnonzero(soft):
            shapes[k] = _vectors(values[k], M[k], C[k], K[k])
    return values, shapes, np.zeros(len(w2), dtype=bool)


def _squares(M: Array, K: Array, vectors: bool) -> tuple[Array, Array | None]:
    """(N, n) ascending: w2 of `K x = w2 M x`, M positive definite."""
    L = np.linalg.cholesky(M)
    A = np.linalg.solve(L, np.linalg.solve(L, K).swapaxes(1, 2))
    A = (A + A.swapaxes(1, 2)) / 2
    if not vectors:
        return np.asarray(np.linalg.eigvalsh(A), dtype=float), None
    w2, Y = np.linalg.eigh(A)
    return w2, np.asarray(np.linalg.solve(L.swapaxes(1, 2), Y), dtype=float)


def _soft_squares(M: Array, K: Array) -> Array:
    """(n,) squared frequencies of one problem, the small ones with all their digits.

    As many as K lacks rank are zero; the others live on motions that are orthogonal to those in M.
    The small half comes from the inverse of K, where it is the large one.
    """
    still = null_space(K)
    Q = null_space((M @ still).T) if still.shape[1] else np.eye(len(M))
    M, K = Q.T @ M @ Q, Q.T @ K @ Q
    found = np.zeros(still.shape[1])
    if len(K):
        direct = _squares(M[None], K[None], vectors=False)[0][0]
        L = np.linalg.cholesky(M)
        A = L.T @ np.linalg.solve(K, L)
        inverse = 1 / np.linalg.eigvalsh((A + A.T) / 2)
        found = np.concatenate([found, _merged(direct, inverse)])
    return np.sort(found)


def _merged(large: NDArray[Any], small: NDArray[Any]) -> NDArray[Any]:
    """The large half of one set of eigenvalues with the small half of another."""
    cut = np.sqrt(np.abs(large).max() * np.abs(small).min())
    merged = np.concatenate([large[np.abs(large) >= cut], small[np.abs(small) < cut]])
    return merged if len(merged) == len(large) else large


def _general(M: Array, C: Array, K: Array, vectors: bool) -> Part:
    """By the companion matrix; points with eigenvalues near zero are marked for a closer look."""
    n = M.shape[-1]
    values, X = _eigen(_companion(M, C, K), vectors)
    order = paired(values)
    values = np.take_along_axis(values, order, axis=1)
    shapes = None
    if X is not None:
        shapes = np.take_along_axis(X[:, :n], order[:, None, :], axis=2)
    size = np.abs(values)
    odd = size.min(axis=1) < SUSPECT * size.max(axis=1)
    for k in np.flatnonzero(odd):
        if not nullity(K[k : k + 1])[0]:
            values[k] = _repaired(values[k], M[k], C[k], K[k])
            odd[k] = False
            if shapes is not None:
                shapes[k] = _vectors(values[k], M[k], C[k], K[k])
    return values, shapes, odd


def _with_zeros(values: Complex, special: Complex) -> Complex:
    """The eigenvalues, those that are small beside the largest taken from the special treatment."""
    cut = 10 * SUSPECT * np.abs(values).max()
    merged = np.concatenate([special[np.abs(special) < cut], values[np.abs(values) >= cut]])
    if len(merged) != len(values):
        return special
    return np.asarray(merged[paired(merged[None])[0]])


def _companion(M: Array, C: Array, K: Array) -> Array:
    n = M.shape[-1]
    A = np.zeros((len(M), 2 * n, 2 * n))
    A[:, :n, n:] = np.eye(n)
    right = np.concatenate([K, C], axis=-1)
    A[:, n:] = -(right / diagonal(M)[..., None] if is_diagonal(M) else np.linalg.solve(M, right))
    return A


def _eigen(A: Array, vectors: bool) -> tuple[Complex, Complex | None]:
    if not vectors:
        return np.linalg.eigvals(A).astype(complex), None
    values, X = np.linalg.eig(A)
    return values.astype(complex), X.astype(complex)


def _repaired(values: Complex, M: Array, C: Array, K: Array) -> Complex:
    """The eigenvalues with the small half taken from `K + C / s + M / s^2`, where it is large."""
    inverse = _eigen(_companion(K[None], C[None], M[None]), vectors=False)[0][0]
    with np.errstate(divide="ignore", invalid="ignore"):
        merged = _merged(values, 1 / inverse)
    return np.asarray(merged[paired(merged[None])[0]])


def _vectors(values: Complex, M: Array, C: Array, K: Array) -> Complex:
    """(n, k): a vector of the null space of `M s^2 + C s + K` for each eigenvalue of one problem.

    Equal eigenvalues get one direction after the other, as far as there are some.
    """
    found = np.empty((len(M), len(values)), dtype=complex)
    for k, s in enumerate(values):
        same = np.abs(values[:k] - s) <= SAME * abs(s)
        unit, _, columns = balanced(M * s**2 + C * s + K)
        _, sizes, rows = np.linalg.svd(unit)
        several = max(int((sizes <= SQUARE_ROOT).sum()), 1)
        found[:, k] = rows[-1 - int(same.sum()) % several].conj() / columns
    return found


def paired(values: Complex) -> NDArray[np.intp]:
    """The order that puts eigenvalues in pairs, for each row of (N, k).

    Real ones first, the largest with the smallest, the next with the next to smallest; then
    complex ones by rising frequency, each before its conjugate. The middle one of an odd number of
    real ones is the last of all.
    """
    upper, lower = values[:, ::2], values[:, 1::2]
    if upper.shape == lower.shape and (upper.imag > 0).all() and (lower == upper.conj()).all():
        # The usual case, as LAPACK returns it: sort the upper halves and keep the pairs.
        first = 2 * np.argsort(upper.imag, axis=1)
        return np.stack([first, first + 1], axis=-1).reshape(values.shape)
    kind = np.where(values.imag == 0, 0, np.where(values.imag > 0, 1, 2))
    order = np.lexsort((values.real, np.abs(values.imag), kind), axis=-1)
    reals = np.sum(kind == 0, axis=-1)
    for m in np.unique(reals):
        rows = reals == m
        order[rows] = order[rows][:, _interleaved(int(m), values.shape[-1])]
    return order


def _interleaved(m: int, k: int) -> NDArray[np.intp]:
    """Positions for m ascending real values, then upper, then lower halves of (k - m) others."""
    outer = [j for i in range(m // 2) for j in (m - 1 - i, i)]
    half = (k - m) // 2
    others = [j for i in range(half) for j in (m + i, m + half + i)]
    lone = [m // 2] if m % 2 else []
    return np.array(outer + others + lone, dtype=int)


def _singular(M: Array, C: Array, K: Array) -> tuple[Complex, int]:
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


def _finite(E: Array, A: Array) -> Complex:
    """Eigenvalues of `s E - A` with regular E and A, large and small ones with all their digits."""
    if not len(E):
        return np.zeros(0, dtype=complex)
    direct, inverse = (
        np.linalg.eigvals(np.linalg.solve(X, Y)).astype(complex) for X, Y in ((E, A), (A, E))
    )
    return np.asarray(_merged(direct, 1 / inverse))


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
        rank = int((sizes > RANK).sum())
        if rank == len(E):
            break
        free = null_space(U[:, rank:].T @ A)
        if free.shape[1] != rank:
            raise _SingularPencilError
        E, A = U[:, :rank].T @ E @ free, U[:, :rank].T @ A @ free
    return E, A
