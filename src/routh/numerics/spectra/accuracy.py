"""How far eigenvalues of `M s^2 + C s + K` can be from those of matrices that differ within bounds.

With the null vectors x and y of P(s) = M s^2 + C s + K, a change E of P moves a simple eigenvalue by
y E x / y P'(s) x. Where y P' x vanishes two roots meet: then by the root of y E x / c, c being half the
second derivative of det P over its other factors. So the error of a double root comes out as the root
of rounding, and nobody needs to know beforehand that it is double.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from routh.arrays import Array, Complex
from routh.numerics import levels

FEW = 24
"""Coordinates up to which every eigenvalue has its own look at the matrix; above, the slowest and those
that grow most."""

GROWING = 8
"""How many these are."""

TOGETHER = 1e-7
"""Singular values of P below this share of the largest belong to eigenvalues that are looked at
together: the root of rounding, a little above."""


def radii(values: Complex, M: Array, C: Array, K: Array, bounds: tuple[Array, Array, Array]) -> Array:
    """(N, k): bounds of the errors of the eigenvalues (N, k); zero for those that are exactly zero.

    `bounds` are (N, n, n) for M, C and K. The residual at the computed value counts as well.
    """
    with np.errstate(over="ignore", invalid="ignore"):  # without bounds there is no error to tell
        if M.shape[1] <= FEW:
            return _one_by_one(values, M, C, K, bounds)
        found = levels.DISTANT * np.where(np.isfinite(values), np.abs(values), 0.0)
        for k, chosen in enumerate(map(_leading, values)):
            at = slice(k, k + 1)
            own = bounds[0][at], bounds[1][at], bounds[2][at]
            found[k, chosen] = _one_by_one(values[at, chosen], M[at], C[at], K[at], own)[0]
        return found


def _leading(values: Complex) -> NDArray[np.intp]:
    """The places of those eigenvalues of a large problem that decide: the slowest, and what grows."""
    known = np.isfinite(values)
    slow = np.argsort(np.where(known, np.abs(values), np.inf), kind="stable")[: 2 * FEW]
    growing = np.argsort(np.where(known, -values.real, np.inf), kind="stable")[:GROWING]
    return np.union1d(slow, growing)


def _one_by_one(
    values: Complex, M: Array, C: Array, K: Array, bounds: tuple[Array, Array, Array]
) -> Array:
    known = np.isfinite(values) & (values != 0)
    s = np.where(known, values, 1.0)[..., None, None]
    M, C, K = (X[:, None] for X in (M, C, K))
    size = np.abs(s)
    E = bounds[0][:, None] * size**2 + bounds[1][:, None] * size + bounds[2][:, None]
    parts = np.abs(M) * size**2 + np.abs(C) * size + np.abs(K)
    unit = np.sqrt(np.diagonal(parts, axis1=-2, axis2=-1))  # soft motions beside stiff ones
    unit = np.where(unit > 0, unit, 1.0)
    M, C, K, E = (X / unit[..., :, None] / unit[..., None, :] for X in (M, C, K, E))
    P, slope = M * s**2 + C * s + K, 2 * s * M + C
    beyond = ~np.isfinite(P).all(axis=(-1, -2))  # squares of such eigenvalues overflow
    U, sizes, Vh = np.linalg.svd(np.where(beyond[..., None, None], 1.0, P))
    V = Vh.conj().swapaxes(-1, -2)
    left, right = np.abs(U[..., :, -1:]), np.abs(V[..., :, -1:])
    push = (left.swapaxes(-1, -2) @ E @ right)[..., 0, 0]
    push = push + sizes[..., -1] + levels.EPS * sizes[..., 0]
    moved = U.conj().swapaxes(-1, -2) @ slope @ V
    first = np.abs(moved[..., -1, -1])
    bent = (U.conj().swapaxes(-1, -2) @ M @ V)[..., -1, -1]
    others = np.where(sizes[..., :-1] > 0, sizes[..., :-1], np.inf)
    second = np.abs(bent - np.sum(moved[..., -1, :-1] * moved[..., :-1, -1] / others, axis=-1))
    with np.errstate(divide="ignore", invalid="ignore"):
        found = push / np.maximum(first, np.sqrt(push * second))
    several = known & (sizes[..., -2:-1] <= TOGETHER * sizes[..., :1]).all(axis=-1)
    if sizes.shape[-1] > 1:
        for place in map(tuple, np.argwhere(several)):
            joint = _together(sizes[place], moved[place], U[place], V[place], E[place])
            found[place] = min(found[place], joint)
    return np.where(known, np.where(np.isnan(found) | beyond, np.inf, found), 0.0)


def _together(sizes: Array, moved: Complex, U: Complex, V: Complex, E: Array) -> float:
    """The error of eigenvalues that share a null space of several dimensions."""
    m = int(np.sum(sizes <= TOGETHER * sizes[0]))
    least = np.linalg.svd(moved[-m:, -m:], compute_uv=False)[-1]
    push = np.linalg.norm(np.abs(U[:, -m:]).T @ E @ np.abs(V[:, -m:]), 2)
    return float((push + sizes[-m] + levels.EPS * sizes[0]) / least) if least > 0 else np.inf
