"""Displacements that constraints allow: bases of the null space of their slopes."""

from __future__ import annotations

import numpy as np

from routh.arrays import Array
from routh.errors import DerivationError
from routh.numerics.rank import ROUNDING
from routh.numerics.solving.dependence import SURE, evened, ranks

UNITS_APART = 2.0**10
"""Units of coordinates further apart than this take more than half of the digits that are to spare from
a basis that is orthonormal in them."""


def admissible(J: Array, d: Array) -> Array:
    """(N, n, r): a basis of the null space of J, orthonormal as it stands or in the units d (N, n)."""
    if not J.shape[1] or np.max(d.max(axis=1) / d.min(axis=1), initial=1.0) <= UNITS_APART:
        return null_basis(J)
    return d[:, :, None] * null_basis(J * d[:, None, :])


def null_basis(J: Array) -> Array:
    """(N, n, r): an orthonormal basis of the null space of J, the same rank at every point."""
    count, c, n = J.shape
    if not c:
        return np.broadcast_to(np.eye(n), (count, n, n)).copy()
    known = np.asarray(np.isfinite(J).all(axis=(1, 2)))
    if not known.any():
        return np.full((count, n, max(n - c, 0)), np.nan)
    size = np.abs(J).max(axis=2, keepdims=True)
    unit = np.where(known[:, None, None], J / np.where(size == 0, 1.0, size), 0.0)
    _, values, rows = np.linalg.svd(unit)
    sure = c <= n and (values[known, -1] > SURE * values[known, 0]).all()
    # what is rounding beside its row must not become a direction of its own when units are taken out
    clean = unit if sure else np.where(np.abs(unit) < ROUNDING, 0.0, unit)
    found = np.array([c]) if sure else ranks(clean[known])
    if found.min() != found.max():
        raise DerivationError(
            "The rank of the constraints differs between the points of the batch"
            f" ({found.min()} to {found.max()}). Linearize these points one by one."
        )
    basis = rows[:, found[0] :].swapaxes(1, 2) if sure else _in_even_units(clean, int(found[0]))
    largest = np.take_along_axis(basis, np.abs(basis).argmax(axis=1)[:, None], axis=1)
    return np.asarray(basis * np.sign(largest))


def _in_even_units(J: Array, rank: int) -> Array:
    """(N, n, r): the same where slopes are far apart: units are taken out before, and put back."""
    unit, _, columns = evened(J)
    null = np.linalg.svd(unit)[2][:, rank:].swapaxes(1, 2) / columns[..., None]
    size = np.linalg.norm(null, axis=1, keepdims=True)
    return np.linalg.qr(null / np.where(size > 0, size, 1.0))[0]
