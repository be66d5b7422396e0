"""Whether something changes in time, decided by looking at several times."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from routh.kernels.batch import Array

PROBES = (0.0, 0.37, 1.93, 23.1, 311.0)
"""Times that are compared. Their spread shows drives from a turn a day to many a millisecond; at
the largest, terms like t^2/2 still leave eleven digits."""

CHANGE = 1e-8
"""Share of the size of a quantity by which it must change to count as changing: far above the
rounding that is left where time cancels, far below any drive that matters."""


def changes(samples: Array, size: Array) -> NDArray[np.bool_]:
    """Which entries differ between probes: samples of shape (probes, ...), size of shape (...)."""
    spread: Array = np.max(samples, axis=0) - np.min(samples, axis=0)
    return np.asarray(spread > CHANGE * size)
