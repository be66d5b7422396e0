"""How far from where it was found an equilibrium may be: what rounding leaves of its equations.

The equations hold to what is left of them and to the rounding of what is added up in them; over the
tangent, that is a distance. A coordinate that is zero exactly is found as 1e-18 between springs of unit
length, where its own last bits say nothing of how well it is known.
"""

from __future__ import annotations

import numpy as np

from routh.analysis.rest.result import Equilibrium
from routh.arrays import Array
from routh.kernels.engine import Point
from routh.kernels.kernel import kernel
from routh.numerics import levels
from routh.numerics.rank import balanced


def position_bounds(reference: Equilibrium, point: Point) -> Array:
    """(N, n): a bound of the error of each coordinate, of the first order.

    Along directions that the equations leave open, as those of a family, a position is where it was
    put; so is what turns in a steady motion. Zero where the equations are not finite.
    """
    n = point.q.shape[1]
    about = kernel(reference.system).about(point)
    tangent = reference.conditions.stacked(reference.tangent)
    with np.errstate(all="ignore"):
        left = np.abs(about.residual(point.arguments))
        left = left + levels.COMPONENT * about.sizes(point.arguments)
    left[:, list(reference.turning)] = 0.0
    found = np.zeros((len(tangent), n))
    known = np.isfinite(tangent).all(axis=(1, 2)) & np.isfinite(left).all(axis=1)
    if known.any():
        unit, rows, columns = balanced(tangent[known])
        inverse = np.abs(np.linalg.pinv(unit, rcond=levels.RANK))
        moved = np.einsum("kij,kj->ki", inverse, left[known] / rows) / columns
        found[known] = moved[:, :n]
    return found
