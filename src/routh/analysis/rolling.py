"""Linear models with velocity constraints: their first-order form, and what can be said of it.

`R eta' + W eta = 0` leaves r velocities w free among more displacements eta. With N a basis of the
null space of R and P = -R^+ W

    eta' = N w + P eta,   N^T M N w' + N^T (C + M P) N w + N^T (K + C P + M P P) eta = N^T B u
"""

from __future__ import annotations

import numpy as np

from routh.analysis.linear import LinearModel, null_basis
from routh.analysis.verdict import Reason
from routh.kernels.batch import Array
from routh.numerics.deflation import zeros_apart
from routh.numerics.pairs import Complex, paired
from routh.numerics.pencil import Spectrum, null_vectors

NOBODY = 1e-11
"""Entries of a column below this share of the largest of all are rounding: nothing depends on it."""

SURE = 1e-9
"""Real parts below this share of the largest eigenvalue decide nothing."""


def first_order(linear: LinearModel) -> tuple[Array, Array, Array]:
    """(A, B, V) of `x' = A x + B u` for x = (eta, w), and V with eta' = V x."""
    M, D, G, K, H, B, R, W = (
        linear.reference.conditions.stacked(getattr(linear, x)) for x in "MDGKHBRW"
    )
    N, P = null_basis(R), -np.linalg.pinv(R) @ W
    C, Nt = D + G, N.swapaxes(1, 2)
    right = np.concatenate([-(K + H) - C @ P - M @ P @ P, -(C + M @ P) @ N, B], axis=2)
    below = np.linalg.solve(Nt @ M @ N, Nt @ right)
    V = np.concatenate([P, N], axis=2)
    width = V.shape[2]
    A = np.concatenate([V, below[..., :width]], axis=1)
    push = np.concatenate([np.zeros((*P.shape[:2], B.shape[2])), below[..., width:]], axis=1)
    return A, push, V


def rolling_spectrum(linear: LinearModel, *, vectors: bool) -> Spectrum:
    """The eigenvalues (N, m + r) of all points, in pairs, and their vectors if asked for."""
    A, _, V = first_order(linear)
    width = V.shape[1]
    values = np.full(A.shape[:2], np.nan, dtype=complex)
    for k in np.flatnonzero(np.isfinite(A).all(axis=(1, 2))):
        found = np.zeros(A.shape[1], dtype=complex)
        others = zeros_apart(_what_matters(A[k], width))[0]
        found[: len(others)] = others
        values[k] = found[paired(found[None])[0]]
    none = np.zeros(len(A), dtype=int)
    shapes = _vectors(linear, values) if vectors else None
    return Spectrum(values, shapes, infinite=none, undetermined=none.astype(bool))


def _vectors(linear: LinearModel, values: Complex) -> Complex:
    """(N, m, k): displacements that move with each eigenvalue, constraints being met."""
    M, D, G, K, H, R, W = (linear.reference.conditions.stacked(getattr(linear, x)) for x in "MDGKHRW")
    Nt = null_basis(R).swapaxes(1, 2)
    M, C, K = (
        np.concatenate([upper, lower], axis=1)
        for upper, lower in ((Nt @ M, np.zeros_like(R)), (Nt @ (D + G), R), (Nt @ (K + H), W))
    )
    return np.stack([null_vectors(s, *each) for s, *each in zip(values, M, C, K, strict=True)])


def judged(linear: LinearModel) -> tuple[list[Reason], list[Complex]]:
    """The reason and the eigenvalues that count, for each point.

    Displacements on which nothing depends are left out: where a disc rolls, and which way, does not
    matter to how it rolls. Zeros that are left belong to neighbouring steady motions.
    """
    A, _, V = first_order(linear)
    width = V.shape[1]
    reasons, values = [], []
    for matrix in A:
        if not np.isfinite(matrix).all():
            reasons.append(Reason.NO_MODEL)
            values.append(np.zeros(0, dtype=complex))
            continue
        found, zeros, defects = zeros_apart(_what_matters(matrix, width))
        values.append(np.concatenate([np.zeros(zeros, dtype=complex), found]))
        reasons.append(_reason(found, zeros, defects))
    return reasons, values


def _what_matters(A: Array, displacements: int) -> Array:
    """A without the displacements, the first states, that no other state depends on."""
    while True:
        used = np.abs(A).max(axis=0, initial=0) > NOBODY * np.abs(A).max(initial=0)
        used[displacements:] = True
        if used.all():
            return A
        displacements = int(used[:displacements].sum())
        A = A[used][:, used]


def _reason(found: Complex, zeros: int, defects: int) -> Reason:
    sure = SURE * np.abs(found).max(initial=0)
    top = found[np.argmax(found.real)] if len(found) else 0j
    if top.real > sure:
        return Reason.DIVERGENCE if top.imag == 0 else Reason.FLUTTER
    if defects:
        return Reason.FREE
    if (found.real < -sure).all():
        return Reason.STEADY_DECAY if zeros else Reason.DECAY
    still = np.sort(np.abs(found[np.abs(found.real) <= sure].imag))[::2]
    apart = np.diff(still) > SURE ** (1 / 2) * still[1:]
    return Reason.STEADY_OSCILLATION if apart.all() else Reason.MARGINAL
