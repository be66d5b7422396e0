"""Linear models with velocity constraints: their first-order form, and what can be said of it.

`R eta' + W eta = 0` leaves r velocities w free among more displacements eta. With w the velocities of
as many coordinates as are independent, `eta' = N w + P eta` and

    N^T M N w' + N^T (C + M P) N w + N^T (K + C P + M P P) eta = N^T B u
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from routh.analysis.ignorable import dependent_velocities, ignorable, is_family
from routh.analysis.linear import LinearModel, null_basis
from routh.analysis.verdict import Reason
from routh.errors import DerivationError, quoted
from routh.kernels.batch import Array
from routh.kernels.kernel import kernel
from routh.language.symbols import Coordinate
from routh.numerics.deflation import zeros_apart
from routh.numerics.pairs import Complex, paired
from routh.numerics.pencil import Spectrum, null_vectors
from routh.numerics.rank import definite, null_space

SURE = 1e-9
"""Real parts below this share of the largest eigenvalue decide nothing."""

RANK = 1e-10
"""Singular values of scaled velocity constraints below this share are redundant ones."""


def first_order(linear: LinearModel) -> tuple[Array, Array, Array]:
    """(A, B, V) of `x' = A x + B u` for x = (eta, w), and V with eta' = V x; NaN where there is none.

    Raises:
        DerivationError: for a single point at which some velocity that is left has no mass.
    """
    M, D, G, K, H, B, R, W, Z = (
        linear.reference.conditions.stacked(getattr(linear, x)) for x in "MDGKHBRWZ"
    )
    known = np.asarray(np.isfinite(M).all(axis=(1, 2)) & np.isfinite(R + W).all(axis=(1, 2)))
    N = null_basis(R)
    known[known] = definite((N.swapaxes(1, 2) @ M @ N)[known])
    if not linear.shape and not known[0] and np.isfinite(M).all():
        raise DerivationError(
            f"With velocity constraints every velocity that {linear.system.title} has left must have a"
            " mass. Some direction has none: give it one, or remove the coordinate."
        )
    M, C, K, B, R, W, Z = (X[known] for X in (M, D + G, K + H, B, R, W, Z))
    N, P = _velocities(linear, R, W, Z, known)
    Nt = N.swapaxes(1, 2)
    right = np.concatenate([-K - C @ P - M @ P @ P, -(C + M @ P) @ N, B], axis=2)
    below = np.linalg.solve(Nt @ M @ N, Nt @ right)
    V = np.concatenate([P, N], axis=2)
    width = V.shape[2]
    A = np.concatenate([V, below[..., :width]], axis=1)
    push = np.concatenate([np.zeros((*P.shape[:2], B.shape[2])), below[..., width:]], axis=1)
    return tuple(_filled(X, known) for X in (A, push, V))  # type: ignore[return-value]


def _velocities(
    linear: LinearModel, R: Array, W: Array, Z: Array, known: NDArray[np.bool_]
) -> tuple[Array, Array]:
    """N and P of eta' = N w + P eta, w being the velocities of independent coordinates."""
    count, k = R.shape[:2]
    J = kernel(linear.system).constraint_jacobian(linear.reference.point())[known]
    dependent = dependent_velocities(J[0]) if count else []
    free = [j for j in range(Z.shape[1]) if j not in dependent]
    size = np.abs(R).max(axis=2, keepdims=True, initial=0)
    size = np.where(size > 0, size, 1.0)
    inverse = np.linalg.pinv(np.concatenate([R / size, Z[:, free]], axis=1), rcond=RANK)
    return inverse[..., k:], -inverse[..., :k] @ (W / size)


def _filled(X: Array, known: NDArray[np.bool_]) -> Array:
    """NaN where nothing is known."""
    whole = np.full((len(known), *X.shape[1:]), np.nan)
    whole[known] = X
    return whole


def rolling_spectrum(linear: LinearModel, *, vectors: bool) -> Spectrum:
    """The eigenvalues (N, m + r) of all points, in pairs, and their vectors if asked for."""
    A, _, V = first_order(linear)
    free = _places(linear, A, V)
    values = np.full(A.shape[:2], np.nan, dtype=complex)
    for k in np.flatnonzero(np.isfinite(A).all(axis=(1, 2))):
        found = np.zeros(A.shape[1], dtype=complex)
        others = zeros_apart(_what_matters(A[k], free[k]))[0]
        found[: len(others)] = others
        values[k] = found[paired(found[None])[0]]
    none = np.zeros(len(A), dtype=int)
    shapes = _vectors(linear, values) if vectors else None
    return Spectrum(values, shapes, infinite=none, undetermined=none.astype(bool))


def _vectors(linear: LinearModel, values: Complex) -> Complex:
    """(N, m, k): displacements that move with each eigenvalue, constraints being met."""
    M, D, G, K, H, R, W = (linear.reference.conditions.stacked(getattr(linear, x)) for x in "MDGKHRW")
    Nt = null_basis(R).swapaxes(1, 2)
    rows = ((Nt @ M, np.zeros_like(R)), (Nt @ (D + G), R), (Nt @ (K + H), W))
    M, C, K = (np.concatenate([upper, lower], axis=1) for upper, lower in rows)
    shapes = np.full((len(M), M.shape[2], values.shape[1]), np.nan, dtype=complex)
    for k in np.flatnonzero(np.isfinite(values).all(axis=1)):
        shapes[k] = null_vectors(values[k], M[k], C[k], K[k])
    return shapes


def judged(linear: LinearModel) -> tuple[list[Reason], list[Complex], str]:
    """The reason and the eigenvalues that count, for each point, and the coordinates left out.

    Coordinates on which the accelerations do not depend are left out: where a disc rolls, and which
    way, does not matter to how it rolls. Zeros that are left belong to neighbouring steady motions; for
    displacements this is looked at, since a potential that is flat to second order has zeros too.
    """
    if not linear.M.shape[-1]:
        count = linear.reference.conditions.count
        return [Reason.HELD] * count, [np.zeros(0, dtype=complex)] * count, ""
    A, _, V = first_order(linear)
    free = _places(linear, A, V)
    reasons, values = [], []
    for k, matrix in enumerate(A):
        if not np.isfinite(matrix).all():
            reasons.append(Reason.NO_MODEL)
            values.append(np.zeros(0, dtype=complex))
            continue
        left = _what_matters(matrix, free[k])
        found, zeros, defects = zeros_apart(left)
        values.append(np.concatenate([np.zeros(zeros, dtype=complex), found]))
        still = zeros > 0 and not _belong_to_families(linear, k, left, free[k])
        neutral = bool(zeros or free[k].shape[1])
        moving = matrix.shape[0] > V.shape[1]
        reasons.append(_reason(found, defects, still, neutral) if moving else Reason.HELD)
    return reasons, values, quoted(_ignorable(linear, A))


def _ignorable(linear: LinearModel, A: Array) -> tuple[Coordinate, ...]:
    """Coordinates that do not matter, at the first point that has a model."""
    known = np.isfinite(A).all(axis=(1, 2))
    return ignorable(linear.reference, int(np.argmax(known))) if known.any() else ()


def _places(linear: LinearModel, A: Array, V: Array) -> list[Array]:
    """(m, i) for each point: displacements that move ignorable coordinates alone, orthonormal."""
    names = _ignorable(linear, A)
    chosen = [linear.coordinates.index(q) for q in names]
    others = [k for k in range(len(linear.coordinates)) if k not in chosen]
    found = []
    for Z in linear.reference.conditions.stacked(linear.Z):
        _, sizes, rows = np.linalg.svd(np.nan_to_num(Z[others]))
        found.append(rows[int((sizes > RANK).sum()) :].T if chosen else np.zeros((V.shape[1], 0)))
    return found


def _what_matters(A: Array, free: Array) -> Array:
    """A on the displacements beside the free ones, and on the velocities."""
    m = len(free)
    Q = _beside(free)
    T = np.zeros((len(A), Q.shape[1] + len(A) - m))
    T[:m, : Q.shape[1]] = Q
    T[m:, Q.shape[1] :] = np.eye(len(A) - m)
    return np.asarray(T.T @ A @ T)


def _beside(free: Array) -> Array:
    """An orthonormal basis of the displacements that are orthogonal to the free ones."""
    m, i = free.shape
    return np.linalg.qr(free, mode="complete")[0][:, i:] if i else np.eye(m)


def _belong_to_families(linear: LinearModel, k: int, A: Array, free: Array) -> bool:
    """Whether the displacements without velocities that A leaves alone lead to other steady motions."""
    Q = _beside(free)
    Z = linear.reference.conditions.stacked(linear.Z)[k]
    alone = null_space(A[:, : Q.shape[1]])
    return all(is_family(linear.reference, k, Z @ Q @ direction) for direction in alone.T)


def _reason(found: Complex, defects: int, still: bool, neutral: bool) -> Reason:
    sure = SURE * np.abs(found).max(initial=0)
    top = found[np.argmax(found.real)] if len(found) else 0j
    if top.real > sure:
        return Reason.DIVERGENCE if top.imag == 0 else Reason.FLUTTER
    if defects:
        return Reason.FREE
    if still:
        return Reason.MARGINAL
    if (found.real < -sure).all():
        return Reason.STEADY_DECAY if neutral else Reason.DECAY
    turning = np.sort(np.abs(found[np.abs(found.real) <= sure].imag))[::2]
    apart = np.diff(turning) > SURE ** (1 / 2) * turning[1:]
    return Reason.STEADY_OSCILLATION if apart.all() else Reason.MARGINAL
