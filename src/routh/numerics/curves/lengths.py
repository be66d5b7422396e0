"""Lengths by which unknowns of different kinds count alike, independent of the units they are in.

The length of an unknown is how far it must move until the slopes of the equations change: the radius
of a hoop, a radian, the force that buckles. A place that happens to be small, like the deflection of a
column with an imperfection of 1e-14, is no length.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from routh.arrays import Array

CHANGE = 0.5
"""Share of the slopes that changes within a length."""

MOVES = np.logspace(-15, 15, 301)
"""Moves that are tried: they span all units in use, a quarter longer each time."""


def even(J: Array) -> Array:
    """(m,) sizes d such that the entries of d_i J_ij d_j are about one: a change of units, covariant.

    From the diagonal where it is not zero; multipliers have none and are measured by what they push.
    """
    size = np.abs(J)
    own = np.diagonal(size)
    d = np.where(own > 0, 1 / np.sqrt(np.where(own > 0, own, 1.0)), 0.0)
    for _ in range(len(J)):
        reach = np.maximum(size @ d, d @ size)
        lacking = (d == 0) & (reach > 0)
        if not lacking.any():
            break
        d = np.where(lacking, 1 / np.where(reach > 0, reach, 1.0), d)
    d = np.where(d == 0, 1.0, d)
    for _ in range(3):
        unit = size * np.outer(d, d)
        most = np.maximum(unit.max(axis=1, initial=0), unit.max(axis=0, initial=0))
        d = d / np.sqrt(np.where(most > 0, most, 1.0))
    return d


def lengths(slopes: Callable[[Array], Array], y: Array, moved: Array) -> Array:
    """(m,) a length for each of the first m unknowns at a point y (m + 1,) of a curve.

    Where the equations are linear in an unknown it is how large it is or how far it `moved`; where it
    stays at zero, what makes its energy that of the others. `slopes` takes points (k, m + 1).
    """
    m = len(y) - 1
    J = slopes(y[None])[0, :, :m]
    d = even(J)
    found = np.array([_until_it_changes(slopes, y, J, d, k) for k in range(m)])
    plain = np.maximum(np.abs(y[:m]), moved)
    noise = 1e-14 * d * (plain / d).max(initial=0)
    linear = ~np.isfinite(found)
    found = np.where(linear & (plain > noise), plain, found)
    known = np.isfinite(found)
    energy = np.sqrt(np.median((found / d)[known] ** 2)) if known.any() else 1 / d.min(initial=1.0)
    return np.where(known, found, energy * d)


def _until_it_changes(slopes: Callable[[Array], Array], y: Array, J: Array, d: Array, k: int) -> float:
    """How far unknown k must move until the slopes change, infinity if they never do."""
    there = np.tile(y, (len(MOVES), 1))
    there[:, k] += MOVES
    with np.errstate(all="ignore"):
        change = np.abs((slopes(there)[:, :, : len(d)] - J) * np.outer(d, d)).max(axis=(1, 2))
    changed = np.flatnonzero(~(change < CHANGE))  # also where they do not exist
    return float(MOVES[changed[0]]) if len(changed) else float("inf")
