"""Whether a root is known: what is left of the equations is rounding, and so is the next step.

The residual is rounding of what is added up in it (a running error analysis), and the next step,
which has this rounding in it, changes no force by more than 1e-4 of it. Rows and columns are scaled
by the roots of the diagonal, a change of units, so that all of it comes out the same in any. Steps
that shrink by a fixed factor mean a multiple root, which is reported as degenerate.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from routh.arrays import Array

RELATIVE = 1e-10
"""A residual this much smaller than the forces that raise x counts as zero."""

NOTHING = 1e-150
"""Numbers whose squares are no numbers any more, in whatever units."""

LEFT_OVER = 16 * np.finfo(float).eps
"""The same compared with what was added up in it, of which eps is the rounding."""

ACCURATE = 1e-4
"""Share of the forces that the correction still to be made may change. Rounding leaves eps times the
ratio of stiff to soft: an answer with fewer than four digits is none."""


def settled(
    residual: Array,
    push: Array,
    sizes: Array,
    level: float = RELATIVE,
    slight: Array | float = NOTHING,
) -> NDArray[np.bool_]:
    """(N,) whether equations hold, and x is known: nothing is left but rounding, in any units.

    Arguments:
        residual: (N, m) what is left of the equations.
        push: (N, m) the absolute sum of what the step still to be made changes in each of them. The
            step has the rounding of the residual in it, magnified as it is in the answer, so that no
            stiff part beside a soft one hides an error.
        sizes: (N, m) the absolute sum of what is added up in each.
        level: the share of the sizes that may be left.
        slight: (N, m) forces that are rounding beside the others, where symmetry leaves nothing to be
            added up in a row.
    """
    slight = np.maximum(slight, NOTHING)
    held = (np.abs(residual) <= level * sizes + slight) & (push <= ACCURATE * sizes + slight)
    return np.asarray(held.all(axis=1))


def product(extent: Array, move: Array) -> Array:
    """(N, m): the absolute sums of what moves (N, n) change by slopes of some extent (N, m, n)."""
    return np.asarray(np.einsum("kmn,kn->km", extent, move))


def share(part: Array, whole: Array) -> Array:
    """(N,): the largest share that a part is of the whole, row by row."""
    size = np.abs(part)
    found = np.divide(size, whole, out=np.where(size > 0, np.inf, 0.0), where=whole > 0)
    return np.asarray(found.max(axis=1, initial=0.0))
