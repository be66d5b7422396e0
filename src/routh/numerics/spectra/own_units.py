"""Units of coordinates that the matrices of a linear model suggest themselves.

Metres or micrometres, each coordinate its own: a change of units is a congruence by a positive
diagonal, X -> d X d. The units here follow from entries of the diagonals alone, which change by their
own unit only, so that the same system in other units becomes the same matrices. They are powers of
two, which add no rounding.
"""

from __future__ import annotations

import numpy as np

from routh.arrays import Array
from routh.numerics.rank import diagonal


def units(M: Array, C: Array, K: Array) -> Array:
    """(N, n) positive: coordinates counted in these have unit mass, or unit stiffness without one."""
    mass, loss, stiffness = (np.abs(diagonal(np.nan_to_num(X))) for X in (M, C, K))
    rate = _rate(mass, stiffness)[:, None]
    weight = np.where(mass > 0, mass * rate**2, np.maximum(loss * rate, stiffness))
    size = np.sqrt(weight)
    if not (size > 0).all():
        size = _by_coupling(size, sum_of_sizes(M * rate[..., None] ** 2, C * rate[..., None], K))
    return np.exp2(-np.round(np.log2(np.where(size > 0, size, 1.0))))


def sum_of_sizes(M: Array, C: Array, K: Array) -> Array:
    """|M| + |C| + |K|, entry by entry."""
    return np.abs(np.nan_to_num(M)) + np.abs(np.nan_to_num(C)) + np.abs(np.nan_to_num(K))


def _rate(mass: Array, stiffness: Array) -> Array:
    """(N,) 1/s: how fast coordinates with mass and stiffness move, the median of them."""
    both = (mass > 0) & (stiffness > 0)
    logs = np.log(np.where(both, stiffness, 1.0)) - np.log(np.where(both, mass, 1.0))
    count = both.sum(axis=1)
    ordered = np.sort(np.where(both, logs, np.inf), axis=1)
    middle = np.take_along_axis(ordered, np.maximum(count - 1, 0)[:, None] // 2, axis=1)[:, 0]
    return np.asarray(np.exp(np.where(count > 0, middle, 0.0) / 2))


def _by_coupling(size: Array, coupling: Array) -> Array:
    """Sizes of coordinates that have none of their own, from those they are coupled with."""
    for _ in range(size.shape[1]):
        other = np.where(size > 0, 1 / np.where(size > 0, size, 1.0), 0.0)
        reached = np.max(coupling * other[:, None, :], axis=2, initial=0.0)
        new = (size == 0) & (reached > 0)
        if not new.any():
            break
        size = np.where(new, reached, size)
    return size


def in_units(X: Array, d: Array) -> Array:
    """Stacks of matrices (N, n, n) in units d (N, n): `d X d`."""
    return np.asarray(d[:, :, None] * X * d[:, None, :])
