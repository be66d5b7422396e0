"""Whether equations are stiff, from their eigenvalues."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from routh.analysis.motion.flow import MovingSystem
from routh.arrays import Array

LOOK_EVERY = 1000
"""Steps of an explicit method after which stiffness is looked for again."""

SEPARATE = 100.0
"""What decays this many times faster than everything else moves makes equations stiff."""

WORTH = 1000.0
"""Decay times within the run from which on an implicit method pays."""

LARGEST = 400
"""States up to which eigenvalues are looked at for stiffness."""


def is_stiff(flow: MovingSystem, t: float, x: Array, span: float) -> bool:
    """Whether something decays so much faster than everything else moves that it sets the steps."""
    if not flow.motion.damped or len(x) > LARGEST or span <= 0:
        return False
    return bool(are_stiff(flow.slope(t, x)[None], np.array([span]))[0])


def are_stiff(slopes: Array, spans: Array) -> NDArray[np.bool_]:
    """(N,): the same of many states by their slopes dx'/dx, (N, size, size), and the times to go."""
    found = np.zeros(len(slopes), dtype=bool)
    finite = np.isfinite(slopes).all(axis=(1, 2))
    s = np.linalg.eigvals(slopes[finite])
    decay = np.max(-s.real, axis=1, initial=0)
    fast = np.abs(s) > decay[:, None] / SEPARATE
    damped = -s.real > 0.1 * np.abs(s.imag)
    found[finite] = (decay * spans[finite] >= WORTH) & (damped | ~fast).all(axis=1) & ~fast.all(axis=1)
    return found
