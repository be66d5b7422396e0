"""Eigenvalues beside the bounds of their own errors, where last bits decide: one library finds them."""

from __future__ import annotations

import numpy as np

from routh.analysis.linear.linear_model import LinearModel
from routh.analysis.linear.spectrum import linear_spectrum
from routh.analysis.stability.facts import errors
from routh.arrays import Array, Complex, Mask
from routh.kernels.engine import Engine

NEAR = 4.0
"""So many times its error, or a share of it, an eigenvalue is looked at as one library finds it."""


def near_bounds(
    linear: LinearModel, values: Complex, sure: Array, among: Mask, dropped: int
) -> tuple[Complex, Array]:
    """Eigenvalues (N, k) and their errors, found by the library where the last bits of them decide.

    Compiled code finds the same to rounding, and beside an error that is its bound rounding tells a
    growing oscillation from one on the axis. The verdict must not depend on who found it.
    """
    with np.errstate(invalid="ignore"):
        near = np.zeros(values.shape, dtype=bool)
        for size in (np.abs(values.real), np.abs(values)):
            near |= (size < NEAR * sure) & (size > sure / NEAR)
    index = np.flatnonzero(near.any(axis=1) & among)
    if not len(index):
        return values, sure
    values, sure, some = values.copy(), sure.copy(), linear.chosen(index)
    found = linear_spectrum(some, vectors=False, engine=Engine.CASADI).values
    values[index] = np.nan
    values[index, : found.shape[1]] = without_zeros(found, dropped) if dropped else found
    sure[index] = errors(some.own_with_noise, values[index], np.ones(len(index), dtype=bool))
    return values, sure


def without_zeros(values: Complex, count: int) -> Complex:
    """The eigenvalues with so many zeros replaced by NaN: those of a place that does not matter."""
    zero = values == 0
    return np.where(zero & (np.cumsum(zero, axis=-1) <= count), np.nan, values)
