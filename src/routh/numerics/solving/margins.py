"""How far linear inequalities can be kept from their limits."""

from __future__ import annotations

import numpy as np
from scipy.optimize import linprog

from routh.arrays import Array

FAR = 1e-7
"""Share of the largest slope by which it must go farther: what linear programs are solved to."""


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


def has_no_end(A: Array) -> bool:
    """Whether some y goes ever farther from a limit of `A y <= b`, and towards none."""
    count, rows = A.shape[1], len(A)
    goal = np.concatenate([np.zeros(count), -np.ones(rows)])
    bounds = [(-1.0, 1.0)] * count + [(0.0, None)] * rows
    both = np.hstack([A, np.eye(rows)])
    found = linprog(goal, A_ub=both, b_ub=np.zeros(rows), bounds=bounds, method="highs")
    return bool(found.x is not None and -found.fun > FAR * max(np.abs(A).max(initial=0.0), 1e-300))
