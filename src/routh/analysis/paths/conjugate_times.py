"""When neighbouring motions from one place meet again: conjugate places, by the variational equations.

Up to the first of them a motion is the minimum of the action among its neighbours, and every one on the
way adds a direction in which the action falls (Morse's index theorem; Gelfand and Fomin, chapter 5).
"""

from __future__ import annotations

import numpy as np

from routh.analysis.motion.trajectory import Trajectory
from routh.arrays import Array
from routh.errors import DerivationError
from routh.numerics.steppers import StuckError

LOOKED, MOST_LOOKED = 257, 4097
"""Times at which the spread is looked at first and at most: doubled until no narrow place is new."""

ZOOMS, WITHIN = 9, 17
"""How often the surroundings of narrow places are looked at, at so many times each."""

CLOSE = 4
"""After so many of them the spread is straight on both sides, and the lines tell the time."""

DEEP = 1e-5
"""Share of the spread beside a narrow place at which neighbouring motions have met."""

VARIED = 1e-11
"""Tolerance of the variational equations."""


def conjugate_times(motion: Trajectory) -> tuple[float, ...]:
    """When motions from the same place with other velocities meet again.

    The start does not count, the end does. A time is listed once for each direction that meets.

    Raises:
        DerivationError: the variational equations cannot be integrated.
    """
    looked = LOOKED
    times = np.linspace(motion.t[0], motion.t[-1], looked)
    spread = _spread(motion, times)
    places = _narrow(spread)
    while looked < MOST_LOOKED:
        before, looked = len(places), 2 * looked - 1
        times = np.linspace(motion.t[0], motion.t[-1], looked)
        spread = _spread(motion, times)
        places = _narrow(spread)
        if len(places) == before:
            break
    if not len(places):
        return ()
    beside = np.minimum(places + 1, looked - 1)
    size = np.maximum(spread[places - 1], spread[beside])
    low, high = times[places - 1], times[beside]
    at = low
    for zoom in range(ZOOMS):
        grid = np.linspace(low, high, WITHIN, axis=1)
        flat, back = np.unique(grid, return_inverse=True)
        own = _spread(motion, flat)[back.reshape(grid.shape)]
        best, row = np.argmin(own[:, :, -1], axis=1), np.arange(len(places))
        left, right = np.maximum(best - 1, 0), np.minimum(best + 1, WITHIN - 1)
        low, high = grid[row, left], grid[row, right]
        if zoom < CLOSE:
            down, up = own[row, left, -1], own[row, right, -1]
            at = (low * up + high * down) / np.maximum(down + up, 1e-300)
    met = (own[row, best] <= DEEP * size).sum(axis=1)
    return tuple(np.repeat(at, met).tolist())


def _narrow(spread: Array) -> Array:
    """Where the least spread is less than beside; the end too, where it falls there."""
    least = spread[:, -1]
    inner = np.flatnonzero((least[1:-1] <= least[:-2]) & (least[1:-1] < least[2:])) + 1
    return np.append(inner, [len(least) - 1] if least[-1] < least[-2] else []).astype(int)


def _blocks(motion: Trajectory, times: Array) -> Array:
    """(T, n, n): positions at times by velocities at the start."""
    n = len(motion.system.coordinates)
    asked = times if times[0] == motion.t[0] else np.concatenate([motion.t[:1], times])
    try:
        _, grown, _ = motion.flows[0].varied(motion.flow_states[0, 0], asked, VARIED)
    except StuckError as error:
        raise DerivationError(
            f"Where neighbouring motions of {motion.system.title} meet again cannot be told: {error}."
        ) from None
    unit = motion.flows[0].scales  # of each coordinate by its mass, so that units do not matter
    return np.asarray(grown[-len(times) :, :n, n:] / unit[:, None] * unit)


def _spread(motion: Trajectory, times: Array) -> Array:
    """(T, n): the spreads per velocity at each time, the largest first."""
    return np.asarray(np.linalg.svd(_blocks(motion, times), compute_uv=False), dtype=float)
