"""Whether equations are stiff, from their eigenvalues."""

from __future__ import annotations

import numpy as np

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
    slope = flow.slope(t, x)
    if not np.isfinite(slope).all():
        return False
    s = np.linalg.eigvals(slope)
    decay = float(np.max(-s.real, initial=0))
    if decay * span < WORTH:
        return False
    fast = np.abs(s) > decay / SEPARATE
    damped = -s.real > 0.1 * np.abs(s.imag)
    return bool(damped[fast].all() and not fast.all())
