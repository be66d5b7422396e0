"""Functions of time as sums of waves: found to a tolerance, and written as expressions.

A function on a range of times is continued to twice the range as a periodic one, by least squares with
small singular values left out (Huybrechs 2010): waves that are flat sums, smooth beyond the ends too.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import sympy

from routh.arrays import Array
from routh.language.symbols import t

WAVES = (8, 16, 32, 64, 128)
"""Numbers of waves that are tried."""

SMALL = 1e-13
"""Singular values below this share of the largest are left out."""


class TooRoughError(Exception):
    """No sum of so many waves is near enough."""

    def __init__(self, waves: int, left: float) -> None:
        super().__init__(waves)
        self.waves, self.left = waves, left


def fitted_waves(read: Callable[[Array], Array], first: float, last: float, tolerance: float) -> Array:
    """(1 + 2 waves, columns): factors of functions that are read at rising times, (T, columns).

    Half of the times is fitted and the other half compared, to the tolerance beside the range.

    Raises:
        TooRoughError: more waves are needed.
    """
    left = np.inf
    for count in WAVES:
        x = (1 - np.cos(np.pi * np.arange(8 * count + 1) / (8 * count))) / 2
        times = first + (last - first) * x
        times[-1] = last
        values = read(times)
        basis = _waves(x, count)
        found = np.linalg.lstsq(basis[::2], values[::2], rcond=SMALL)[0]
        size = np.ptp(values, axis=0) + np.abs(values).max(axis=0)
        off = np.abs(basis @ found - values).max(axis=0)
        left = float((off / np.where(size > 0, size, 1.0)).max())
        if left <= tolerance:
            return np.asarray(found)
    raise TooRoughError(WAVES[-1], left)


def _waves(x: Array, count: int) -> Array:
    """(T, 1 + 2 count): 1, cos(k pi x), sin(k pi x) at shares x of the range."""
    k = np.pi * np.arange(1, count + 1)
    return np.concatenate(
        [np.ones((len(x), 1)), np.cos(x[:, None] * k), np.sin(x[:, None] * k)], axis=1
    )


def written_waves(factors: Array, first: float, last: float) -> list[sympy.Expr]:
    """Each column of factors (1 + 2 waves, columns) as an expression in time."""
    count = len(factors) // 2
    rate = sympy.Float(np.pi / (last - first))
    since = t - sympy.Float(first) if first else t
    waves = [sympy.S.One]
    waves += [sympy.cos(k * rate * since) for k in range(1, count + 1)]
    waves += [sympy.sin(k * rate * since) for k in range(1, count + 1)]
    return [
        sympy.Add(*(sympy.Float(float(f)) * wave for f, wave in zip(column, waves, strict=True) if f))
        for column in factors.T
    ]
