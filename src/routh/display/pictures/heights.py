"""The dynamic potential over positions: what a landscape is the picture of."""

from __future__ import annotations

import numpy as np

from routh.analysis.given.conditions import Conditions
from routh.arrays import Array
from routh.kernels.kernel import kernel
from routh.language.system import System


def heights(system: System, given: Conditions, q: Array) -> Array:
    """(N,) V - T0, which is -L at rest, at positions (N, n); NaN where it is not finite.

    `given` has the conditions of one rest at least; those of the first are taken.
    """
    engine = kernel(system)
    same = given.chosen(np.zeros(len(q), dtype=np.intp))
    multipliers = np.zeros((len(q), len(system.constraints)))
    with np.errstate(all="ignore"):
        level = -engine.lagrangian(same.point(engine, q, multipliers))
    return np.where(np.isfinite(level), level, np.nan)
