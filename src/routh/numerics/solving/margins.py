"""How far linear inequalities can be kept from their limits."""

from __future__ import annotations

import numpy as np
from scipy.optimize import linprog

from routh.arrays import Array


def widest_margin(A: Array, b: Array) -> tuple[Array, float]:
    """The y for which the least of `b - A y` is largest, and that least; it is 1 at most.

    The rows should be of like size. Of several y one is given, the same each time.
    """
    count = A.shape[1]
    goal = np.concatenate([np.zeros(count), [-1.0]])
    rows = np.hstack([A, np.ones((len(A), 1))])
    bounds = [(None, None)] * count + [(None, 1.0)]
    found = linprog(goal, A_ub=rows, b_ub=b, bounds=bounds, method="highs")
    if found.x is None:
        return np.zeros(count), -np.inf
    return np.asarray(found.x[:-1]), float(found.x[-1])
