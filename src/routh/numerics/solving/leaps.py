"""Whole Newton steps, whatever they do to the residual: out of curved valleys.

The opposite of `damping`, which would creep there, as around the ring of the triangular points of three
bodies: a step that must lower the residual is short where the valley of small residuals bends.
"""

from __future__ import annotations

import numpy as np

from routh.arrays import Array, Selected
from routh.numerics import levels
from routh.numerics.rank import balanced
from routh.numerics.solving.damping import Equations


def leapt(
    equations: Equations, tangent: Equations, x: Array, index: Selected, longest: Array, count: int
) -> Array:
    """(k, n): where so many whole Newton steps lead from each of k points.

    A step that must lower the residual creeps where the valley of small residuals bends. Whole steps
    leave the valley and come back to it further on. None is longer than `longest` (n,) in any unknown;
    a point stays where its equations cease to be finite.
    """
    x = x.copy()
    for _ in range(count):
        with np.errstate(all="ignore"):
            residual, slopes = equations(x, index), tangent(x, index)
        good = np.flatnonzero(np.isfinite(residual).all(axis=1) & np.isfinite(slopes).all(axis=(1, 2)))
        if not len(good):
            break
        unit, rows, columns = balanced(slopes[good])
        inverse = np.linalg.pinv(unit, rcond=levels.RANK)
        step = -np.einsum("knm,km->kn", inverse, residual[good] / rows) / columns
        excess = np.abs(step / longest).max(axis=1, initial=1.0, keepdims=True)
        x[good] += step / excess
    return x
