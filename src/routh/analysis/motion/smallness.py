"""How exact a motion has to be that is small: an absolute tolerance below the sizes at its start."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from routh.arrays import Array

ABSOLUTE = 1e-12
"""Absolute tolerance of motions that are not small."""

NEARBY = 1e-6
"""Share of the position by which it is moved to see how accelerations change."""


def small(rates: Callable[[Array], Array], n: int, x: Array, rtol: float, span: float) -> Array:
    """(N,): absolute tolerances well below the sizes of positions and velocities of starts (N, size).

    `rates` gives x'. The size of velocities is at least that which the accelerations give over the
    positions; one that moves nothing within the whole run is rounding.
    """
    q, v = (np.abs(part).max(axis=1, initial=0) for part in (x[:, :n], x[:, n : 2 * n]))
    nearby = x.copy()
    nearby[:, :n] *= 1 + NEARBY
    accelerations = np.abs(rates(x)[:, n : 2 * n])
    bend = np.abs(rates(nearby)[:, n : 2 * n] - accelerations) / NEARBY
    a = np.where(accelerations > 1e-10 * bend, accelerations, 0.0).max(axis=1, initial=0)
    speed = np.maximum(v, np.sqrt(q * a))
    rounding = np.maximum(1e-10 * np.sqrt(q * bend.max(axis=1, initial=0)), 1e-16 * q / span)
    speed = np.where(speed > rounding, speed, 0.0)
    sizes = [np.where(size > 0, 1e-3 * rtol * size, ABSOLUTE) for size in (q, speed)]
    return np.maximum(np.minimum(np.minimum(*sizes), ABSOLUTE), 1e-300)
