"""Linear models with velocity constraints: their first-order form, and what can be said of it.

`R eta' + W eta + S u = 0` leaves r velocities w free among more displacements eta. With w the
velocities of as many coordinates as are independent, `eta' = N w + P eta + T u` and

    N^T M N w' + N^T (C + M P) N w + N^T (K + C P + M P P) eta = N^T (B u - (C + M P) T u - M T u')
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from routh.analysis.linear.admissible import null_basis
from routh.analysis.linear.ignorable import freedom
from routh.analysis.linear.linear_model import LinearModel
from routh.arrays import Array, Complex
from routh.errors import DerivationError
from routh.language.calculus import ddt
from routh.language.symbols import Coordinate, Input
from routh.numerics.curves.lengths import even
from routh.numerics.rank import definite
from routh.numerics.solving.dependence import RANK
from routh.numerics.spectra.deflation import zeros_apart
from routh.numerics.spectra.pairs import paired
from routh.numerics.spectra.pencil import Spectrum, null_vectors

ROUNDING = 1e-13
"""Entries below this share of what they are the sum of are rounding."""

LAST_BITS = 64 * float(np.finfo(float).eps)
"""The same of the largest entry of their row, where nothing is added up."""

NOTHING = float(np.finfo(float).eps) ** 2
"""Rates below this share of the largest, in units of their own, are what is left of zero."""


def first_order(linear: LinearModel) -> tuple[Array, Array, Array, Array]:
    """(A, B, V, T) of `x' = A x + B u`, `eta' = V x + T u` for x = (eta, w); NaN where there is none.

    Raises:
        DerivationError: for a single point at which some velocity that is left has no mass.
    """
    A, B, V, T, unit = in_units(linear)
    m = V.shape[1]
    A, B = A * unit[:, :, None] / unit[:, None], B * unit[:, :, None]
    return A, B, V * unit[:, :m, None] / unit[:, None], T * unit[:, :m, None]


def in_units(linear: LinearModel) -> tuple[Array, Array, Array, Array, Array]:
    """The same with eta and w measured in units of their own, and these units, powers of two.

    Displacements are measured by their masses and velocities w alike, so that rank and rounding do
    not depend on the units of the coordinates.
    """
    M, D, G, K, H, B, R, W, S, Z = (
        linear.reference.conditions.stacked(getattr(linear, x)) for x in "MDGKHBRWSZ"
    )
    known = np.asarray(np.isfinite(M).all(axis=(1, 2)) & np.isfinite(R + W).all(axis=(1, 2)))
    eta, w = _units(M, R, Z, known)
    M, D, G, K, H = (X * eta[:, :, None] * eta[:, None] for X in (M, D, G, K, H))
    B, R, W, Z = (
        B * eta[:, :, None],
        R * eta[:, None],
        W * eta[:, None],
        Z * eta[:, None] / w[..., None],
    )
    size = np.abs(R).max(axis=2, keepdims=True, initial=0)
    R, W, S = (X / np.where(size > 0, size, 1.0) for X in (R, W, S))
    N = null_basis(R)
    known[known] = definite((N.swapaxes(1, 2) @ M @ N)[known])
    if not linear.shape and not known[0] and np.isfinite(M).all():
        raise DerivationError(
            f"With velocity constraints every velocity that {linear.system.title} has left must have a"
            " mass. Some direction has none: give it one, or remove the coordinate."
        )
    M, C, K, B, R, W, S, Z = (X[known] for X in (M, D + G, K + H, B, R, W, S, Z))
    N, P, T, free = _velocities(linear, R, W, S, Z, np.flatnonzero(known))
    push = B - (C + M @ P) @ T - M @ carried(T, linear.inputs, 1)
    right = np.concatenate([-K - C @ P - M @ P @ P, -(C + M @ P) @ N, push], axis=2)
    mass = N.swapaxes(1, 2) @ M @ N
    below = np.linalg.solve(mass, N.swapaxes(1, 2) @ right)
    most = _sums(M, C, K, push, N, P)
    most = np.abs(np.linalg.inv(mass)) @ np.abs(N).swapaxes(1, 2) @ most
    below = np.where(np.abs(below) <= ROUNDING * most, 0.0, below)
    V = np.concatenate([P, N], axis=2)
    width = V.shape[2]
    A = np.concatenate([V, below[..., :width]], axis=1)
    A = np.where(np.abs(A) <= NOTHING * np.abs(A).max(axis=(1, 2), keepdims=True, initial=0), 0.0, A)
    B = np.concatenate([T, below[..., width:]], axis=1)
    unit = np.concatenate([eta[known], np.take_along_axis(w[known], free, axis=1)], axis=1)
    return tuple(_filled(X, known) for X in (A, B, V, T, unit))  # type: ignore[return-value]


def _units(M: Array, R: Array, Z: Array, known: NDArray[np.bool_]) -> tuple[Array, Array]:
    """(N, m) of displacements and (N, n) of coordinates: powers of two, where something is known."""
    eta, w = np.ones(M.shape[:2]), np.ones(Z.shape[:2])
    c = R.shape[1]
    for k in np.flatnonzero(known):
        whole = np.block([[M[k], R[k].T], [R[k], np.zeros((c, c))]])
        eta[k] = np.exp2(np.round(np.log2(even(whole)[: M.shape[1]])))
        moved = np.abs(Z[k] * eta[k]).max(axis=1, initial=0)
        w[k] = np.exp2(np.round(np.log2(np.where(moved > 0, moved, 1.0))))
    return eta, w


def _sums(M: Array, C: Array, K: Array, B: Array, N: Array, P: Array) -> Array:
    """How large the sums on the right could be, to tell entries from their rounding."""
    M, C, K, B, N, P = map(np.abs, (M, C, K, B, N, P))
    return np.concatenate([K + C @ P + M @ P @ P, (C + M @ P) @ N, B], axis=2)


def carried(moved: Array, signals: Sequence[Input], order: int) -> Array:
    """What inputs move, (N, rows, signals), in the columns of their derivatives of an order."""
    result = np.zeros_like(moved)
    for k, signal in enumerate(signals):
        if np.nan_to_num(moved[..., k]).any():
            result[..., signals.index(ddt(signal, order))] += moved[..., k]
    return result


def _velocities(
    linear: LinearModel, R: Array, W: Array, S: Array, Z: Array, known: NDArray[np.intp]
) -> tuple[Array, Array, Array, NDArray[np.intp]]:
    """N, P and T of eta' = N w + P eta + T u, and which coordinates w are the velocities of."""
    count, k, m = R.shape
    width = null_basis(R).shape[2]
    N, P, T = (np.zeros((count, m, each)) for each in (width, m, S.shape[2]))
    frees = np.zeros((count, width), dtype=np.intp)
    for i, place in enumerate(known):
        dependent = freedom(linear.reference, int(place)).dependent
        free = [j for j in range(Z.shape[1]) if j not in dependent]
        if len(free) != width:
            raise DerivationError(
                f"The velocity constraints of {linear.system.title} are so near to dependent on each"
                " other that it cannot be told which velocities they leave free. Write coordinates in"
                " units in which their factors are alike."
            )
        inverse = np.linalg.pinv(np.concatenate([R[i], Z[i][free]]), rcond=RANK)
        inverse[np.abs(inverse) <= ROUNDING * np.abs(inverse).max()] = 0.0
        N[i], frees[i] = inverse[:, k:], free
        P[i], T[i] = _sum(-inverse[:, :k], W[i]), _sum(-inverse[:, :k], S[i])
    return N, P, T, frees


def _sum(A: Array, B: Array) -> Array:
    """A @ B with entries that are the rounding of their sums set to zero, since these are no rates."""
    product = A @ B
    return np.where(np.abs(product) <= ROUNDING * (np.abs(A) @ np.abs(B)), 0.0, product)


def _filled(X: Array, known: NDArray[np.bool_]) -> Array:
    """NaN where nothing is known."""
    whole = np.full((len(known), *X.shape[1:]), np.nan)
    whole[known] = X
    return whole


def independent_velocities(linear: LinearModel) -> tuple[Coordinate, ...] | None:
    """The velocities that are states, or None where they differ within a batch."""
    count = linear.reference.conditions.count
    found = {freedom(linear.reference, k).dependent for k in range(count)}
    if len(found) > 1:
        return None
    (dependent,) = found
    return tuple(v for k, v in enumerate(linear.system.velocities) if k not in dependent)


def rolling_spectrum(linear: LinearModel, *, vectors: bool) -> Spectrum:
    """The eigenvalues (N, m + r) of all points, in pairs, and their vectors if asked for."""
    A, *_, unit = in_units(linear)
    free = places(linear, A, unit)
    values = np.full(A.shape[:2], np.nan, dtype=complex)
    for k in np.flatnonzero(np.isfinite(A).all(axis=(1, 2))):
        found = np.zeros(A.shape[1], dtype=complex)
        others = zeros_apart(what_matters(A[k], free[k]))[0]
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


def places(linear: LinearModel, A: Array, unit: Array) -> list[Array]:
    """(m, i) for each point: displacements that move ignorable coordinates alone, orthonormal.

    In the units of the displacements, which are the first of `unit`.
    """
    return [free for _, free in ignored(linear, A, unit)]


def ignored(linear: LinearModel, A: Array, unit: Array) -> list[tuple[tuple[Coordinate, ...], Array]]:
    """For each point the coordinates that do not matter, and the displacements of these alone.

    What does not matter raises no acceleration in A either: A is made of second derivatives, entry by
    entry, and knows forces that are lost beside stiff ones where accelerations are compared.
    """
    found = []
    for k, Z in enumerate(linear.reference.conditions.stacked(linear.Z)):
        known = bool(np.isfinite(A[k]).all())
        names = freedom(linear.reference, k).ignorable if known else ()
        moves = np.nan_to_num(Z * unit[k, : Z.shape[1]])
        while True:
            free = _alone(moves, [q in names for q in linear.coordinates])
            pushed = _pushed(A[k], free)
            wrong = np.abs(moves @ free[:, pushed]).max(axis=1, initial=0) > RANK
            left = tuple(q for q, out in zip(linear.coordinates, wrong, strict=True) if not out)
            if all(q in left for q in names):
                break
            names = tuple(q for q in names if q in left)
        found.append((names, free))
    return found


def _alone(moves: Array, chosen: Sequence[bool]) -> Array:
    """(m, i) displacements that move some coordinates alone, orthonormal; `moves` (n, m) all do."""
    m = moves.shape[1]
    if not any(chosen):
        return np.zeros((m, 0))
    others = moves[~np.array(chosen, dtype=bool)]
    most = np.abs(others).max(axis=1, initial=0, keepdims=True)
    _, sizes, rows = np.linalg.svd(others / np.where(most > 0, most, 1.0))
    return np.asarray(rows[int((sizes > RANK).sum()) :].T)


def _pushed(A: Array, free: Array) -> NDArray[np.bool_]:
    """(i,) which displacements (m, i) raise accelerations, beyond rounding of what they add up."""
    m = len(free)
    below = A[m:, :m]
    rounding = ROUNDING * (np.abs(below) @ np.abs(free))
    rounding = rounding + LAST_BITS * np.abs(A[m:]).max(axis=1, initial=0, keepdims=True)
    return np.asarray((np.abs(below @ free) > rounding).any(axis=0))


def what_matters(A: Array, free: Array) -> Array:
    """A on the displacements beside the free ones, and on the velocities."""
    m = len(free)
    Q = beside(free)
    T = np.zeros((len(A), Q.shape[1] + len(A) - m))
    T[:m, : Q.shape[1]] = Q
    T[m:, Q.shape[1] :] = np.eye(len(A) - m)
    return np.asarray(T.T @ A @ T)


def beside(free: Array) -> Array:
    """An orthonormal basis of the displacements that are orthogonal to the free ones."""
    m, i = free.shape
    return np.linalg.qr(free, mode="complete")[0][:, i:] if i else np.eye(m)
