"""Eigenvalues in pairs: the order in which modes are listed, and joining two sets of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from routh.arrays import Array, Complex

ALIKE = 1e-10
"""Frequencies that differ by less than this share of the highest are told apart by their real parts: in
s and -conj(s) rounding alone would."""


def paired(values: Complex) -> NDArray[np.intp]:
    """The order that puts eigenvalues in pairs, for each row of (N, k).

    Real ones first, the largest with the smallest, the next with the next to smallest; then
    complex ones by rising frequency, each before its conjugate, and by rising real part where
    frequencies are alike. The middle one of an odd number of real ones is the last of all.
    """
    upper, lower = values[:, ::2], values[:, 1::2]
    if upper.shape == lower.shape and (upper.imag > 0).all() and (lower == upper.conj()).all():
        # The usual case, as LAPACK returns it: sort the upper halves and keep the pairs.
        first = np.argsort(upper.imag, axis=1)
        rates = np.take_along_axis(upper.imag, first, axis=1)
        if not (np.diff(rates, axis=1) <= ALIKE * rates[:, -1:]).any():
            return np.stack([2 * first, 2 * first + 1], axis=-1).reshape(values.shape)
    kind = np.where(values.imag == 0, 0, np.where(values.imag > 0, 1, 2))
    order = np.lexsort((values.real, _levelled(np.abs(values.imag)), kind), axis=-1)
    reals = np.sum(kind == 0, axis=-1)
    for m in np.unique(reals):
        rows = reals == m
        order[rows] = order[rows][:, _interleaved(int(m), values.shape[-1])]
    return order


def _levelled(rates: Array) -> Array:
    """(N, k) with the least in the place of all that are alike."""
    order = np.argsort(rates, axis=1)
    rising = np.take_along_axis(rates, order, axis=1)
    apart = np.zeros(rates.shape, dtype=int)
    apart[:, 1:] = ~(np.diff(rising, axis=1) <= ALIKE * np.nanmax(rates, axis=1, initial=0.0)[:, None])
    first = np.maximum.accumulate(apart * np.arange(rates.shape[1]), axis=1)
    level = np.empty_like(rates)
    np.put_along_axis(level, order, np.take_along_axis(rising, first, axis=1), axis=1)
    return level


def _interleaved(m: int, k: int) -> NDArray[np.intp]:
    """Positions for m ascending real values, then upper, then lower halves of (k - m) others."""
    outer = [j for i in range(m // 2) for j in (m - 1 - i, i)]
    half = (k - m) // 2
    others = [j for i in range(half) for j in (m + i, m + half + i)]
    lone = [m // 2] if m % 2 else []
    return np.array(outer + others + lone, dtype=int)


APART = 1.1
"""Ratio of neighbouring sizes that tells them apart: pairs s, -s and s, conj(s) are never parted."""


def merged(large: NDArray[Any], small: NDArray[Any]) -> NDArray[Any]:
    """The large half of one set of eigenvalues with the small half of another.

    They are cut in a gap between sizes that both sets show, next to the middle of the range, lest an
    eigenvalue be taken twice and its mirror image not at all.
    """
    first, last = (each[np.argsort(np.nan_to_num(np.abs(each), nan=np.inf))] for each in (large, small))
    sizes = np.nan_to_num(np.abs(np.array([first, last])), nan=np.inf, posinf=np.inf)
    # of the small set large ones may be lost, and the other way round, but not what is taken
    if sizes.shape[1] < 2 or not np.isfinite(sizes[0]).all() or not 0 < sizes[1, 0] < np.inf:
        return large
    cut = np.sqrt(sizes[0, -1] * sizes[1, 0])
    apart = (sizes[:, 1:] > APART * sizes[:, :-1]).all(axis=0)
    joined = apart & (sizes[0, 1:] > APART * sizes[1, :-1])
    if not joined.any():
        return large
    middle = np.where(joined, np.sqrt(sizes[0, 1:] * sizes[1, :-1]), np.inf)
    k = int(np.argmin(np.abs(np.log(middle / cut)))) + 1
    return np.concatenate([last[:k], first[k:]])
