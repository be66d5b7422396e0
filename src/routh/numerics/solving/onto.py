"""Points y of a set phi(y) = 0 by Levenberg's method in a region of trust, many at once.

Steps are the shortest that meet the linearized rows, or come as near to it as the region of trust lets
them; rows that depend on each other are met in the sense of least squares. Steps are not damped as in
`damping`: what is too long is bent towards the steepest descent, not only shortened.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from routh.arrays import Array, Mask
from routh.numerics.solving.dependence import RANK

Rows = Callable[[Array], tuple[Array, Array]]
"""Of y (N, n): phi (N, c) and its slopes (N, c, n), NaN where there are none."""

MOST_STEPS = 80
ARRIVED = 1e-15
"""Share of the lengths around below which a step moves nothing."""

REACHED = 1e-9
"""Share of the lengths around that the step still to be made may have where a search ended on the set:
what is left then is rounding, or the set is singular there."""

SLOW, PATIENCE = 0.9, 6
"""A search that lowers the squares of the rows to no less than this share, so many times in a row, is
in a valley without an end, or creeps: other starts will do better."""

HALVINGS = 40
"""Halvings, of a logarithm, that find how far a step must be held back."""


@dataclass(frozen=True, eq=False)
class Landed:
    """Where searches ended: y (N, n), which are on the set, and the rows and slopes there."""

    y: Array
    on: Mask
    phi: Array
    J: Array


def onto(
    rows: Rows, start: Array, trust: float, scale: Array, length: float, patience: int = PATIENCE
) -> Landed:
    """From each of N starts (N, n) to the set, by steps that at first are no longer than `trust`.

    Arguments:
        rows: the rows and slopes.
        start: (N, n).
        trust: the length of the first steps.
        scale: (c,) sizes of the rows, by which they are compared.
        length: how long a move is that matters; one of ARRIVED of it is none.
        patience: how many steps in a row may gain little.
    """
    y = np.array(start, dtype=float)
    phi, J = _scaled(rows, y, scale)
    radius, idle = np.full(len(y), trust), np.zeros(len(y), dtype=int)
    active = np.asarray(np.isfinite(phi).all(axis=1) & np.isfinite(J).all(axis=(1, 2)))
    for _ in range(MOST_STEPS):
        at = np.flatnonzero(active)
        if not len(at):
            break
        step, promised = held_back(phi[at], J[at], radius[at])
        size = np.linalg.norm(step, axis=1)
        new_phi, new_J = _scaled(rows, y[at] + step, scale)
        before, after = ((each**2).sum(axis=1) for each in (phi[at], new_phi))
        gain = (before - after) / np.where(before > promised, before - promised, 1e-300)
        finite = np.isfinite(after) & np.isfinite(new_J).all(axis=(1, 2))
        better = finite & (after < before)
        radius[at] = np.where(better & (gain > 0.75), np.maximum(radius[at], 2 * size), radius[at])
        radius[at] = np.where(~better | (gain < 0.25), size / 4, radius[at])
        moved = at[better]
        y[moved], phi[moved], J[moved] = y[moved] + step[better], new_phi[better], new_J[better]
        idle[at] = np.where(
            better & (after > SLOW * before), idle[at] + 1, np.where(better, 0, idle[at])
        )
        around = length + np.linalg.norm(y[at], axis=1)
        active[at[idle[at] >= patience]] = False
        active[at[(size <= ARRIVED * around) | (before == 0)]] = False
    return Landed(y, arrived(y, phi, J, length), phi * scale, J * scale[:, None])


def _scaled(rows: Rows, y: Array, scale: Array) -> tuple[Array, Array]:
    phi, J = rows(y)
    return phi / scale, J / scale[:, None]


def arrived(y: Array, phi: Array, J: Array, length: float) -> Mask:
    """Which places y (N, n) are on the set: the shortest whole step leads nowhere, and meets it."""
    known = np.asarray(np.isfinite(phi).all(axis=1) & np.isfinite(J).all(axis=(1, 2)))
    step, left = held_back(np.where(known[:, None], phi, 0.0), np.nan_to_num(J), np.inf)
    around = length + np.linalg.norm(y, axis=1)
    slope = np.linalg.norm(np.nan_to_num(J), axis=(1, 2))
    met = np.sqrt(left) <= REACHED * slope * around
    return np.asarray(known & met & (np.linalg.norm(step, axis=1) <= REACHED * around))


def held_back(phi: Array, J: Array, radius: Array | float) -> tuple[Array, Array]:
    """(N, n) steps to J step = -phi no longer than `radius`, and (N,) |phi + J step|^2 after them."""
    U, sizes, V = np.linalg.svd(J, full_matrices=False)
    sizes = np.where(sizes > RANK * sizes[:, :1], sizes, 0.0)
    push = np.einsum("kcm,kc->km", U, phi)
    whole = (phi**2).sum(axis=1)

    def along(damping: Array) -> Array:
        weight = sizes**2 + damping[:, None]
        return np.where(sizes > 0, sizes * push / np.where(weight > 0, weight, 1.0), 0.0)

    far = np.linalg.norm(along(np.zeros(len(J))), axis=1) > radius
    high = np.linalg.norm(sizes * push, axis=1) / radius if far.any() else np.zeros(len(J))
    low = 1e-40 * high
    for _ in range(HALVINGS if far.any() else 0):
        middle = np.sqrt(low * high)
        long = np.linalg.norm(along(middle), axis=1) > radius
        low, high = np.where(long, middle, low), np.where(long, high, middle)
    moves = along(np.where(far, high, 0.0))
    left = whole - (push**2).sum(axis=1) + ((push - sizes * moves) ** 2).sum(axis=1)
    return -np.einsum("kmn,km->kn", V, moves), np.maximum(left, 0.0)
