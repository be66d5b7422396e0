"""Forces that come out as zero, or as rounding, because doubles lose them: that is no balance.

A root whose forces are not small beside their slopes times the position is evaluated again with 30
digits and without bounds on exponents. So exp(-x^2) has no rest at x = 90. A search says how many
starts ended in such places.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from routh.arrays import Array
from routh.kernels.engine import Kernel, Point, Unsupported
from routh.kernels.precise_balance import PreciseBalance

LEAST = float(np.finfo(float).tiny / np.finfo(float).eps)
"""Forces below this may have lost digits because doubles end there: 1e-292, whatever the units."""

BALANCED = 1e-5
"""Share of the forces that a move of the size of the position would raise, below which no force is
in doubt. Forces of rounding are smaller by far, those on a tail, 1 / (a x) for exp(-a x), larger."""

LEAST_MOVE = 1e-3
"""Share of the unit of an unknown by which it is moved at least to see what forces that raises."""

DIGITS = 30
"""Decimal digits of the second look; it is the range of exponents that matters."""

LARGEST = 24
"""Unknowns of systems that are looked at; in larger ones it takes too long."""


def underflowed(
    engine: Kernel, point: Point, residual: Array, scale: Array, reach: Array
) -> NDArray[np.bool_]:
    """(N,) where a force vanishes in doubles alone.

    `residual` and `scale` (N, n) are the forces left and the forces that a move by `reach` (N, n + c)
    would raise. Where the first is not small beside the second, or both vanish though the equation
    contains coordinates, both are evaluated once more without bounds on exponents. Zero must be zero
    there too, as for a coordinate in the gap of a stop, and not exp(-8100), nor 1 - tanh(40)^2, which
    more digits take for zero as well.
    """
    about = engine.about(point)
    lost = np.zeros(len(residual), dtype=bool)
    doubtful = (scale < LEAST) & (np.abs(residual) < LEAST)
    if not point.multipliers.shape[1]:  # multipliers balance forces to rounding, whatever the slopes
        doubtful |= ~(np.abs(residual) <= BALANCED * scale) | ~(scale < np.inf)
    if not doubtful.any() or reach.shape[1] > LARGEST:
        return lost
    rows = [int(k) for k in np.flatnonzero(doubtful.any(axis=0)) if about.varies_with_position(int(k))]
    if not rows:
        return lost
    exact = PreciseBalance(engine.system, point.at_rest).forces_and_slopes(rows, DIGITS)
    for k in np.flatnonzero(doubtful[:, rows].any(axis=1)):
        exact.absorbed = False
        try:
            forces, slopes = exact([argument[k].tolist() for argument in point.arguments])
        except Unsupported:
            continue
        chosen = [i for i, row in enumerate(rows) if doubtful[k, row]]
        for i in chosen:
            if scale[k, rows[i]] < LEAST:  # neither force nor slopes have digits: zero, or it acts
                lost[k] |= bool(forces[i][0]) or exact.absorbed
            else:
                lost[k] |= _acts(forces[i][0], slopes[i], reach[k])
    return lost


def _acts(force: Any, slopes: list[Any], reach: Array) -> bool:
    """Whether a force is one, beside what a move of the size of the position would raise."""
    around = sum(abs(slope) * float(size) for slope, size in zip(slopes, reach, strict=True))
    return bool(abs(force) > BALANCED * around)
