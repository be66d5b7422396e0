"""Which combinations of the unknowns the data do not determine, by name.

Unknowns are counted in shares of themselves. A direction along which a change of all of it changes
nothing that was measured, beside the change that is seen best, is not determined: neither are the
unknowns that take part in it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from routh.arrays import Array
from routh.errors import quoted

UNSEEN = 1e-6
"""Share of the best seen change below which one is not seen: nothing is measured to so many digits."""

TAKES_PART = 1e-3
"""Share of the largest entry of a direction below which an unknown takes no part in it."""


def units_of(x: Array) -> Array:
    """(k,) what a change is counted in: the unknowns themselves, 1 for those that are zero."""
    return np.where(x == 0, 1.0, np.abs(x))


def undetermined_directions(J: Array, units: Array) -> Array:
    """(d, k) directions that the rows of J do not see, in units of the unknowns.

    Each has 1 as its largest entry, and few others.
    """
    scaled = J * units
    size = scaled.shape[1]
    if not size:
        return np.zeros((0, 0))
    _, s, V = np.linalg.svd(np.vstack([scaled, np.zeros((size, size))]), full_matrices=False)
    unseen = V[s <= UNSEEN * s[0]] if s[0] > 0 else np.eye(size)
    return _apart(unseen)


def _apart(rows: Array) -> Array:
    """The same space by rows that share as few entries as they can: eliminated, the largest first."""
    found = rows.copy()
    used: list[int] = []
    for k in range(len(found)):
        free = [j for j in range(found.shape[1]) if j not in used]
        block = np.abs(found[k:][:, free])
        i, j = np.unravel_index(int(np.argmax(block)), block.shape)
        found[[k, k + int(i)]] = found[[k + int(i), k]]
        pivot = free[int(j)]
        used.append(pivot)
        found[k] /= found[k, pivot]
        for other in range(len(found)):
            if other != k:
                found[other] -= found[other, pivot] * found[k]
    sizes = np.abs(found)
    found[sizes < TAKES_PART * sizes.max(axis=1, initial=0.0, keepdims=True)] = 0.0
    largest = np.take_along_axis(found, sizes.argmax(axis=1)[:, None], axis=1)
    return np.asarray(found / largest)


def told_direction(direction: Array, x: Array, names: Sequence[str]) -> str:
    """A sentence about what the data do not tell apart."""
    part = np.flatnonzero(direction).tolist()
    own = [names[k] for k in part]
    if len(own) == 1:
        return f"The data do not depend on `{own[0]}`: nothing is known of it."
    changes = [
        f"`{names[k]}` by {direction[k]:.3g}" + (" %" if x[k] else " (it is zero)") for k in part
    ]
    return (
        f"The data do not determine {quoted(own)} each: changing {', '.join(changes[:-1])} and"
        f" {changes[-1]} together changes nothing that was measured. Give one of them, or measure"
        " something else."
    )
