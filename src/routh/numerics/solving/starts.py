"""Points spread evenly over the unit cube, one after the other without end."""

from __future__ import annotations

import numpy as np

from routh.arrays import Array


def spread(first: int, count: int, dimensions: int) -> Array:
    """(count, dimensions): points number `first`, `first + 1`, ... of an additive sequence.

    The step in each dimension is a power of 1/g, g the root of g^(d+1) = g + 1 (the golden ratio for
    d = 1), which leaves gaps of nearly equal size however many points are taken (Roberts, 2018).
    """
    g = 2.0
    for _ in range(60):
        g = (1 + g) ** (1 / (dimensions + 1))
    step = g ** -np.arange(1.0, dimensions + 1)
    return np.asarray((0.5 + np.outer(np.arange(first, first + count), step)) % 1.0)
