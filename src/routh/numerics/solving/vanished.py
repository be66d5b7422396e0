"""Unknowns that are zero at a root: they are put there, where Newton's steps would only come nearer.

Each step towards a root at zero gains as many digits as doubles have, since zero has no last digit:
a dozen steps lead from 1e-20 of where an unknown began down to where doubles end.
"""

from __future__ import annotations

import numpy as np

from routh.arrays import Array, Selected
from routh.numerics.solving.damping import Equations, Sides

VANISHED = 1e-20
"""Share of how far an unknown has been below which it is tried whether it is zero."""


def at_zero(
    equations: Equations, x: Array, residual: Array, reach: Array, at: Selected, crosses: Sides | None
) -> tuple[Array, Array]:
    """Places (k, n) and residuals (k, m), with zeros where all equations then hold exactly.

    `reach` (k, n) is how far they have been, `at` the numbers of these points.
    """
    zeroed = np.where(np.abs(x) <= VANISHED * reach, 0.0, x)
    some = np.flatnonzero((zeroed != x).any(axis=1) & residual.any(axis=1))
    if not len(some):
        return x, residual
    held = (equations(zeroed[some], at[some]) == 0).all(axis=1)
    if crosses is not None:
        held[held] = ~crosses(x[some[held]], zeroed[some[held]], at[some[held]])
    x[some[held]], residual[some[held]] = zeroed[some[held]], 0.0
    return x, residual
