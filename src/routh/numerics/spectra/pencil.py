"""Eigenvalues of `M s^2 + C s + K`, also where M or K is singular.

Infinite eigenvalues (directions without mass) and zero ones (directions without stiffness) are
found by rank, in units of their own, and taken out by solving the conditions they obey. So a free
motion gives zeros and not 1e-8, and a soft mode beside a stiff one stays a soft mode.

Fields have stiff modes that nobody asks for: eigenvalues a thousandth of the largest and below come
from the inverse problem, with all their digits.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
import scipy
from numpy.typing import NDArray

from routh.arrays import Array, Complex, Mask
from routh.numerics import levels
from routh.numerics.rank import ROUNDING, balanced, definite, diagonal, is_diagonal, nullity
from routh.numerics.spectra.deflation import SingularPencilError, finite_spectrum
from routh.numerics.spectra.own import cleaned, graded_squares, own_basis
from routh.numerics.spectra.own_units import in_units, units
from routh.numerics.spectra.pairs import merged, paired

_Number = TypeVar("_Number", bound=np.generic)

SAME = 1e-9
"""Eigenvalues closer than this are taken for a repeated one when vectors are looked for."""

SQUARE_ROOT = 1e-7
"""Singular values below this belong to the null space at an eigenvalue known to half its digits."""

SUSPECT = 1e-6
"""Eigenvalues this much smaller than the largest may be zeros, or have lost digits to it."""


SPREAD = 1e-3
"""Eigenvalues this much smaller than the largest come from the inverse problem, where they are large:
rounding leaves the square of the ratio of them, and fields have stiff modes that nobody asks for."""


@dataclass(frozen=True, eq=False)
class Spectrum:
    """The finite eigenvalues of N problems in pairs, and how many are infinite.

    `values` (N, k) complex, in the order of `paired`; where a point has fewer than k, NaN fills up.
    `vectors` (N, n, k) or None. `infinite` (N,). `undetermined` (N,): the determinant of
    `M s^2 + C s + K` vanishes for every s, and the values are NaN. `compiled`: whether code that was
    compiled for this machine found most of them.
    """

    values: Complex
    vectors: Complex | None
    infinite: NDArray[np.intp]
    undetermined: Mask
    compiled: bool = False


def spectrum(M: Array, C: Array, K: Array, *, vectors: bool) -> Spectrum:
    """The spectra of N problems; the common cases in one call, singular points one by one."""
    d = units(M, C, K)
    found = _in_own_units(in_units(M, d), in_units(C, d), in_units(K, d), vectors)
    if found.vectors is None:
        return found
    return replace(found, vectors=d[:, :, None] * found.vectors)


def _in_own_units(M: Array, C: Array, K: Array, vectors: bool) -> Spectrum:
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
            special, infinite[k] = finite_spectrum(M[k], C[k], K[k])
        except SingularPencilError:
            values[k], undetermined[k] = np.nan, True
            continue
        if massive[k]:  # nothing infinite: the large ones were right, only zeros were blurred
            special = _with_special(values[k], special)
        values[k] = np.nan
        values[k, : len(special)] = special
        if shapes is not None:
            shapes[k] = np.nan
            shapes[k, :, : len(special)] = null_vectors(special, M[k], C[k], K[k])
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


def _conservative(M: Array, _: Array, K: Array, vectors: bool) -> Part:
    """Without C and with symmetric K: s = +-i w or +-sigma, exactly."""
    w2, X = _squares(M, K, vectors)
    soft = np.abs(w2).min(axis=1) < SPREAD**2 * np.abs(w2).max(axis=1)
    for k in np.flatnonzero(soft):
        w2[k], shapes = soft_squares(M[k], K[k])
        if X is not None:
            X[k] = shapes
    root = np.where(w2 < 0, np.sqrt(np.abs(w2)) + 0j, 1j * np.sqrt(np.abs(w2)))
    values = np.stack([root, -root + 0], axis=-1).reshape(len(w2), -1)
    vectors_twice = None if X is None else np.repeat(X.astype(complex), 2, axis=2)
    return values, vectors_twice, np.zeros(len(w2), dtype=bool)


def _squares(M: Array, K: Array, vectors: bool) -> tuple[Array, Array | None]:
    """(N, n) ascending: w2 of `K x = w2 M x`, M positive definite."""
    L = np.linalg.cholesky(M)
    A = np.linalg.solve(L, np.linalg.solve(L, K).swapaxes(1, 2))
    A = (A + A.swapaxes(1, 2)) / 2
    if not vectors:
        return np.asarray(np.linalg.eigvalsh(A), dtype=float), None
    w2, Y = np.linalg.eigh(A)
    return w2, np.asarray(np.linalg.solve(L.swapaxes(1, 2), Y), dtype=float)


def soft_squares(M: Array, K: Array) -> tuple[Array, Array]:
    """(n,) squared frequencies of one problem, small ones with all the digits that K has, and vectors.

    Those that rounding of the entries of K does not tell from zero are zero.
    """
    V = own_basis(M, K)
    size = levels.COMPONENT * np.abs(V).T @ np.abs(K) @ np.abs(V)
    along = V.T @ K @ V
    squares, _, X = graded_squares(V.T @ M @ V, cleaned((along + along.T) / 2, size), size)
    return squares, V @ X


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
    index = np.flatnonzero(odd)
    if len(index):
        zeros = zero_roots(M[index], C[index], K[index])
        exact, plain = _with_zeros(values[index], zeros, SUSPECT)
        values[index] = np.take_along_axis(exact, paired(exact), axis=1)
        odd[index[plain]] = False
        if shapes is not None:
            for k in index[plain]:
                shapes[k] = null_vectors(values[k], M[k], C[k], K[k])
    for k in np.flatnonzero(odd):
        if not nullity(K[k : k + 1])[0]:
            values[k] = _repaired(values[k], M[k], C[k], K[k])
            odd[k] = False
            if shapes is not None:
                shapes[k] = null_vectors(values[k], M[k], C[k], K[k])
    wide = np.flatnonzero(~odd & (size.min(axis=1) < SPREAD * size.max(axis=1)))
    for k in wide[nullity(K[wide]) == 0] if len(wide) else wide:
        values[k] = _repaired(values[k], M[k], C[k], K[k])
        if shapes is not None:
            shapes[k] = null_vectors(values[k], M[k], C[k], K[k])
    return values, shapes, odd


def _with_special(values: Complex, special: Complex) -> Complex:
    """The eigenvalues, those that are small beside the largest taken from the special treatment."""
    cut = 10 * SUSPECT * np.abs(values).max()
    both = np.concatenate([special[np.abs(special) < cut], values[np.abs(values) >= cut]])
    if len(both) != len(values):
        return special
    return np.asarray(both[paired(both[None])[0]])


def zero_roots(M: Array, C: Array, K: Array) -> NDArray[np.intp]:
    """(N,) how many eigenvalues are zero where this is plain to see, else -1.

    With the null spaces L and R of K: as many as K lacks rank if `L^T C R` is regular, twice as many
    if C vanishes there and `L^T M R` is regular.
    """
    lacking = nullity(K)
    zeros = np.full(len(K), -1)
    for z in np.unique(lacking[lacking > 0]):
        index = np.flatnonzero(lacking == z)
        unit, rows, columns = balanced(K[index])
        U, _, V = np.linalg.svd(unit)
        L = U[:, :, -z:] / rows[:, :, None]
        R = V[:, -z:].swapaxes(1, 2) / columns[:, :, None]
        damping, mass = (L.swapaxes(1, 2) @ X[index] @ R for X in (C, M))
        largest = np.abs(C[index]).max(axis=(1, 2))
        reached = np.abs(C[index] @ R).max(axis=(1, 2)) > ROUNDING * largest
        zeros[index[nullity(damping) == 0]] = z
        zeros[index[~reached & (nullity(mass) == 0)]] = 2 * z
    return zeros


def _with_zeros(
    values: NDArray[_Number], zeros: NDArray[np.intp], apart: float
) -> tuple[NDArray[_Number], Mask]:
    """The eigenvalues with so many zeros made exact, and where these stand apart from the others."""
    size = np.sort(np.abs(values), axis=1)
    width = size.shape[1]
    following = np.take_along_axis(size, np.clip(zeros, 0, width - 1)[:, None], axis=1)[:, 0]
    last = np.take_along_axis(size, np.clip(zeros - 1, 0, width - 1)[:, None], axis=1)[:, 0]
    beyond = (following > apart * size[:, -1]) & (last < following / 2)
    plain = np.asarray((zeros > 0) & ((zeros == width) | beyond))
    rank = np.argsort(np.argsort(np.abs(values), axis=1), axis=1)
    return np.where(plain[:, None] & (rank < zeros[:, None]), 0, values), plain


def _companion(M: Array, C: Array, K: Array) -> Array:
    n = M.shape[-1]
    A = np.zeros((len(M), 2 * n, 2 * n))
    A[:, :n, n:] = np.eye(n)
    right = np.concatenate([K, C], axis=-1)
    A[:, n:] = -(right / diagonal(M)[..., None] if is_diagonal(M) else np.linalg.solve(M, right))
    return A


def _eigen(A: Array, vectors: bool) -> tuple[Complex, Complex | None]:
    """Eigenvalues, and vectors as columns, of stacks of matrices."""
    try:
        if not vectors:
            return np.linalg.eigvals(A).astype(complex), None
        values, X = np.linalg.eig(A)
    except np.linalg.LinAlgError:  # roots that all but coincide: QR goes in circles at a few of them
        found = [_by_itself(each) for each in A]
        values, X = (np.stack(part) for part in zip(*found, strict=True))
    return values.astype(complex), X.astype(complex) if vectors else None


def _by_itself(A: Array) -> tuple[Complex, Complex]:
    """Eigenvalues and vectors of one matrix, by QZ where QR does not end."""
    try:
        values, X = np.linalg.eig(A)
    except np.linalg.LinAlgError:
        values, X = scipy.linalg.eig(A, np.eye(len(A)))
    return values.astype(complex), X.astype(complex)


def _repaired(values: Complex, M: Array, C: Array, K: Array) -> Complex:
    """The eigenvalues with the small half taken from `K + C / s + M / s^2`, where it is large."""
    inverse = _eigen(_companion(K[None], C[None], M[None]), vectors=False)[0][0]
    with np.errstate(divide="ignore", invalid="ignore"):
        both = merged(values, 1 / inverse)
    return np.asarray(both[paired(both[None])[0]])


def null_vectors(values: Complex, M: Array, C: Array, K: Array) -> Complex:
    """(n, k): a vector of the null space of `M s^2 + C s + K` for each eigenvalue of one problem.

    Equal eigenvalues get one direction after the other, as far as there are some.
    """
    found = np.empty((len(M), len(values)), dtype=complex)
    for k, s in enumerate(values):
        same = np.abs(values[:k] - s) <= SAME * abs(s)
        # scaled by what it is the sum of: where that cancels, nothing but rounding would be blown up
        _, sides, columns = balanced(np.abs(M) * abs(s) ** 2 + np.abs(C) * abs(s) + np.abs(K))
        _, sizes, rows = np.linalg.svd((M * s**2 + C * s + K) / sides[:, None] / columns)
        several = max(int((sizes <= SQUARE_ROOT).sum()), 1)
        found[:, k] = rows[-1 - int(same.sum()) % several].conj() / columns
    return found
