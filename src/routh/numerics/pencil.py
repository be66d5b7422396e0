"""Eigenvalues of `M s^2 + C s + K`, also where M or K is singular.

Infinite eigenvalues (directions without mass) are taken out by solving the conditions they obey,
not by their size; zero eigenvalues likewise, so that a free motion gives zeros and not 1e-8.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

Array = NDArray[np.float64]
Complex = NDArray[np.complex128]
Mask = NDArray[np.bool_]

RANK = 1e-11
"""Singular values below this share of the largest are zero, after scaling."""

SUSPECT = 1e-6
"""Eigenvalues this much smaller than the largest may be zeros blurred by a double root."""


class _SingularPencilError(ValueError):
    """Every number is an eigenvalue: the equations leave some motion undetermined."""


@dataclass(frozen=True)
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
    """The spectra of N problems; the common case in one call, singular points one by one."""
    count, n = M.shape[:2]
    values = np.full((count, 2 * n), np.nan, dtype=complex)
    shapes = np.full((count, n, 2 * n), np.nan, dtype=complex) if vectors else None
    infinite = np.zeros(count, dtype=int)
    finite = np.asarray(np.isfinite(M + C + K).all(axis=(1, 2)))
    plain = finite.copy()
    plain[finite] = definite(M[finite])
    index = np.flatnonzero(plain)
    if len(index):
        M_, C_, K_ = M[index], C[index], K[index]
        conservative = not C_.any() and not (K_.swapaxes(1, 2) != K_).any()
        found, shape, odd = (
            _symmetric(M_, K_, vectors) if conservative else _general(M_, C_, K_, vectors)
        )
        values[index] = found
        if shapes is not None and shape is not None:
            shapes[index] = shape
        plain[index[odd]] = False
    undetermined = np.zeros(count, dtype=bool)
    for k in np.flatnonzero(finite & ~plain):
        values[k] = np.nan
        try:
            found, shape, infinite[k] = _singular(M[k], C[k], K[k])
        except _SingularPencilError:
            undetermined[k] = True
            continue
        values[k, : len(found)] = found
        if shapes is not None:
            shapes[k] = np.nan
            shapes[k, :, : len(found)] = shape
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


def _diagonal(M: Array) -> Array:
    return np.diagonal(M, axis1=1, axis2=2)


def is_diagonal(M: Array) -> bool:
    """Whether all matrices of a stack have entries on the diagonal alone."""
    return not M[:, ~np.eye(M.shape[-1], dtype=bool)].any()


def definite(M: Array) -> Mask:
    """(N,) which matrices are positive definite, judged after scaling the diagonal to one."""
    if is_diagonal(M):
        return np.asarray((_diagonal(M) > 0).all(axis=1))
    size = np.sqrt(np.abs(_diagonal(M)))
    size = np.where(size == 0, 1.0, size)
    scaled = M / (size[:, :, None] * size[:, None, :])
    try:
        least = np.diagonal(np.linalg.cholesky(scaled), axis1=1, axis2=2).min(axis=1) ** 2
        if (least > RANK).all():
            return np.ones(len(M), dtype=bool)
    except np.linalg.LinAlgError:
        pass
    mask: Mask = np.linalg.eigvalsh(scaled)[:, 0] > RANK
    return mask


def _is_skewed(K: Array) -> bool:
    return bool((K.swapaxes(1, 2) != K).any())


def squared_frequencies(M: Array, K: Array, *, vectors: bool) -> tuple[Array, Array | None]:
    """(N, n) ascending: w2 of `K x = w2 M x`, M positive definite; rounding about 0 is made 0."""
    L = np.linalg.cholesky(M)
    half = np.linalg.solve(L, K)
    A = np.linalg.solve(L, half.swapaxes(1, 2))
    A = (A + A.swapaxes(1, 2)) / 2
    if vectors:
        w2, Y = np.linalg.eigh(A)
        X: Array | None = np.linalg.solve(L.swapaxes(1, 2), Y)
    else:
        w2, X = np.linalg.eigvalsh(A), None
    noise = 1e-13 * A.shape[-1] * np.abs(w2).max(axis=1, keepdims=True)
    return np.where(np.abs(w2) <= noise, 0.0, w2), X


def _symmetric(M: Array, K: Array, vectors: bool) -> tuple[Complex, Complex | None, Mask]:
    """Without C and with symmetric K: s = +-i w or +-sigma, exactly."""
    w2, X = squared_frequencies(M, K, vectors=vectors)
    root = np.where(w2 < 0, np.sqrt(np.abs(w2)) + 0j, 1j * np.sqrt(np.abs(w2)))
    values = np.stack([root, -root + 0], axis=-1).reshape(len(w2), -1)
    shapes = None if X is None else np.repeat(X.astype(complex), 2, axis=2)
    return values, shapes, np.zeros(len(w2), dtype=bool)


def _general(M: Array, C: Array, K: Array, vectors: bool) -> tuple[Complex, Complex | None, Mask]:
    """By the companion matrix; points with eigenvalues near zero are marked for a closer look."""
    n = M.shape[-1]
    A = np.zeros((len(M), 2 * n, 2 * n))
    A[:, :n, n:] = np.eye(n)
    right = np.concatenate([K, C], axis=-1)
    A[:, n:, :] = -(right / _diagonal(M)[..., None] if is_diagonal(M) else np.linalg.solve(M, right))
    if vectors:
        values, X = np.linalg.eig(A)
    else:
        values, X = np.linalg.eigvals(A), None
    order = paired(values)
    values = np.take_along_axis(values, order, axis=1).astype(complex)
    size = np.abs(values)
    odd = size.min(axis=1) < SUSPECT * size.max(axis=1)
    if X is None:
        return values, None, odd
    return values, np.take_along_axis(X[:, :n].astype(complex), order[:, None, :], axis=2), odd


def paired(values: Complex) -> NDArray[np.intp]:
    """The order that puts eigenvalues in pairs, for each row of (N, k).

    Real ones first, the largest with the smallest, the next with the next to smallest; then
    complex ones by rising frequency, each before its conjugate. A lone one of an odd number of
    real ones is the last of them.
    """
    kind = np.where(values.imag == 0, 0, np.where(values.imag > 0, 1, 2))
    order = np.lexsort((values.real, np.abs(values.imag), kind), axis=-1)
    reals = np.sum(kind == 0, axis=-1)
    for m in np.unique(reals):
        rows = reals == m
        order[rows] = order[rows][:, _interleaved(int(m), values.shape[-1])]
    return order


def _interleaved(m: int, k: int) -> NDArray[np.intp]:
    """Positions for m ascending real values, then upper, then lower halves of (k - m) others."""
    outer = [j for i in range((m + 1) // 2) for j in (m - 1 - i, i)][:m]
    half = (k - m) // 2
    others = [j for i in range(half) for j in (m + i, m + half + i)]
    return np.array(outer + others, dtype=int)


def _singular(M: Array, C: Array, K: Array) -> tuple[Complex, Complex, int]:
    """The finite eigenvalues and vectors of one problem, and how many are infinite."""
    n = len(M)
    d, tau = _scales(M, K)
    M, C, K = (d[:, None] * X * d for X in (M / tau**2, C / tau, K))
    size = max(float(np.abs(X).max()) for X in (M, C, K)) or 1.0
    zero, one = np.zeros((n, n)), np.eye(n)
    E, A, basis = _without_infinite(
        np.block([[one, zero], [zero, M / size]]), np.block([[zero, one], [-K / size, -C / size]])
    )
    infinite = 2 * n - len(E)
    A_inner, E_inner, inner = _without_infinite(A, E)
    zeros = len(E) - len(E_inner)
    values, X = _eigen(E_inner, A_inner)
    null = scipy.linalg.null_space(A, rcond=RANK)
    repeated = null[:, np.arange(zeros) % max(null.shape[1], 1)]
    values = np.concatenate([np.zeros(zeros, dtype=complex), values / tau])
    vectors = d[:, None] * (basis @ np.concatenate([repeated, inner @ X], axis=1))[:n]
    order = paired(values[None])[0]
    return values[order], vectors[:, order], infinite


def _scales(M: Array, K: Array) -> tuple[Array, float]:
    """Scales of the coordinates (units out) and of time (M and K alike), as powers of two."""
    weight, mass = np.abs(np.diag(K)), np.diag(M)
    heavy = mass > 0
    both = heavy & (weight > 0)
    ratio = float(np.median(weight[both] / mass[both])) if both.any() else 1.0
    weight = np.where(heavy, mass * ratio, weight)
    weight = np.where(weight == 0, 1.0, weight)
    scales: Array = np.exp2(np.round(np.log2(1 / np.sqrt(weight))))
    return scales, float(np.exp2(np.round(np.log2(1 / np.sqrt(ratio)))))


def _without_infinite(E: Array, A: Array) -> tuple[Array, Array, Array]:
    """The part of the pencil `s E - A` with regular E, and the basis of its space.

    Where E has no rank, rows of `A x = 0` are conditions on x; they are solved, and the smaller
    pencil is looked at again until E is regular.
    """
    basis = np.eye(len(E))
    while len(E):
        U, sizes, _ = np.linalg.svd(E)
        rank = int((sizes > RANK * max(1.0, sizes[0])).sum())
        if rank == len(E):
            break
        free = scipy.linalg.null_space(U[:, rank:].T @ A, rcond=RANK)
        if free.shape[1] != rank:
            raise _SingularPencilError
        E, A, basis = U[:, :rank].T @ E @ free, U[:, :rank].T @ A @ free, basis @ free
    return E, A, basis


def _eigen(E: Array, A: Array) -> tuple[Complex, Complex]:
    if not len(E):
        return np.zeros(0, dtype=complex), np.zeros((0, 0), dtype=complex)
    values, vectors = np.linalg.eig(np.linalg.solve(E, A))
    return values.astype(complex), vectors.astype(complex)
