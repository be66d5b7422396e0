"""Whether the straight way between two places leads through a pole.

No step passes a zero of what is divided by: a plate does not reach the far side of its electrode.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from routh.arrays import Array, Selected

Function = Callable[[Array, Selected], Array]

WAY = (0.25, 0.5, 0.75)
"""Shares of a long step at which it must be on the same side of every pole as at its start."""


BISECTIONS = 20
"""Halvings that lead to a millionth of a step before a pole; nearer, what cancels there is rounding."""

UNBOUNDED = 1e4
"""Forces so many times those at both ends of a step are on their way to infinity: those of a logarithm
have grown a millionfold there."""


def crosses_pole(poles: Function, forces: Function, x: Array, there: Array) -> NDArray[np.bool_]:
    """(k,) whether something that is divided by vanishes between x and another place (k, n).

    Arguments:
        poles: of places (j, n) and the numbers of these j points, gives (j, number), what vanishes at
            poles.
        forces: likewise (j, m), what grows without bound there.
        x: (k, n).
        there: (k, n).
    """
    every = np.arange(len(x))
    apart = np.zeros(len(x), dtype=bool)
    before = poles(x, every) if len(x) else np.zeros((0, 0))
    if not before.shape[1]:
        return apart
    with np.errstate(all="ignore"):
        sides, after = np.sign(before), poles(there, every)
        apart |= (sides * np.sign(after) < 0).any(axis=1)
        changed = (np.abs(after - before) > np.abs(before) / 2).any(axis=1)
        some = np.flatnonzero(changed & ~apart)
        for share in WAY if len(some) else ():
            between = poles((x + share * (there - x))[some], some)
            apart[some] |= (sides[some] * np.sign(between) < 0).any(axis=1)
        some = np.flatnonzero(apart)
        if len(some):
            apart[some] = _is_pole(poles, forces, x[some], there[some], some, sides[some])
    return apart


def _is_pole(
    poles: Function, forces: Function, x: Array, there: Array, index: Selected, sides: Array
) -> NDArray[np.bool_]:
    """(k,) whether forces grow without bound where something divided by vanishes on the way.

    In sin(x)/x they do not. Just before the place they are compared with those at both ends. The place
    is found by halving, for all points at once.
    """
    low, high = np.zeros((len(x), 1)), np.ones((len(x), 1))
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        signs = np.sign(poles(x + middle * (there - x), index))
        beyond = (sides * signs < 0).any(axis=1, keepdims=True)
        low, high = np.where(beyond, low, middle), np.where(beyond, middle, high)
    at_ends = np.maximum(np.abs(forces(x, index)), np.abs(forces(there, index)))
    near = np.abs(forces(x + low * (there - x), index))
    return np.asarray(~(near <= UNBOUNDED * at_ends).all(axis=1))
