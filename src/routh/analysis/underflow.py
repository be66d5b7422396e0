"""Forces that come out as zero because they are too small for doubles, which is no balance."""

from __future__ import annotations

import casadi
import numpy as np
from numpy.typing import NDArray

from routh.kernels.balance import Balance
from routh.kernels.batch import Array
from routh.kernels.digits import ManyDigits, Unsupported
from routh.kernels.kernel import Kernel, Point

LEAST = float(np.finfo(float).tiny / np.finfo(float).eps)
"""Forces below this may have lost digits because doubles end there: 1e-292, whatever the units."""

DIGITS = 30
"""Decimal digits of the second look; it is the range of exponents that matters."""


def underflowed(engine: Kernel, point: Point, residual: Array, scale: Array) -> NDArray[np.bool_]:
    """(N,) where a force vanishes in doubles alone.

    `residual` and `scale` (N, n) are the forces left and the forces that a move of the size of the
    position would raise. Where both vanish though the equation contains coordinates, it is evaluated
    once more without bounds on exponents: zero must be zero there too, as for a coordinate in the gap
    of a stop, and not exp(-8100), nor 1 - tanh(40)^2, which even more digits take for zero.
    """
    about = engine.about(point)
    n = residual.shape[1]
    suspect = (np.abs(residual) < LEAST) & (scale < LEAST)
    lost = np.zeros(len(residual), dtype=bool)
    if not suspect.any():
        return lost
    varying = np.array([about.varies_with_position(row) for row in range(n)])
    suspect &= varying
    if not suspect.any():
        return lost
    column = Balance(engine.graph, at_rest=point.at_rest).column
    rows = np.flatnonzero(suspect.any(axis=0))
    balance = ManyDigits(
        engine.graph.function("balance", [casadi.vertcat(*(column[int(row)] for row in rows))]), DIGITS
    )
    for k in np.flatnonzero(suspect.any(axis=1)):
        balance.absorbed = False
        try:
            forces = balance([argument[k].tolist() for argument in point.arguments])[0]
        except Unsupported:
            continue
        acts = any(bool(f[0]) for f, row in zip(forces, rows, strict=True) if suspect[k, row])
        lost[k] = acts or balance.absorbed
    return lost
