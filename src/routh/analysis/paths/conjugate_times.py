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

LOOKED = 257
"""Times at which the spread of neighbouring motions is looked at first."""

ZOOMS, WITHIN = 5, 17
"""How often the surroundings of a narrow place are looked at, at so many times each."""

MET = 1e-6
"""Share of the spread on the way at which neighbouring motions have met."""

VARIED = 1e-11
"""Tolerance of the variational equations."""


def conjugate_times(motion: Trajectory) -> tuple[float, ...]:
    """When motions from the same place with other velocities meet again.

    The start does not count, the end does. A time is listed once for each direction that meets.

    Raises:
        DerivationError: the variational equations cannot be integrated.
    """
    times = np.linspace(motion.t[0], motion.t[-1], LOOKED)
    least, widest = _spread(motion, times)
    size = np.maximum.accumulate(widest)
    inner = np.flatnonzero((least[1:-1] <= least[:-2]) & (least[1:-1] <= least[2:])) + 1
    places = [*inner.tolist(), *([LOOKED - 1] if least[-1] < least[-2] else [])]
    found: list[float] = []
    for k in places:
        low, high = times[k - 1], times[min(k + 1, LOOKED - 1)]
        for _ in range(ZOOMS):
            grid = np.linspace(low, high, WITHIN)
            own, _ = _spread(motion, grid)
            best = int(np.argmin(own))
            low, high = grid[max(best - 1, 0)], grid[min(best + 1, WITHIN - 1)]
        at = float(grid[best])
        found += [at] * _meeting(motion, at, float(size[k]))
    return tuple(found)


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


def _spread(motion: Trajectory, times: Array) -> tuple[Array, Array]:
    """The least and the largest spread per velocity at each time."""
    values = np.linalg.svd(_blocks(motion, times), compute_uv=False)
    return np.asarray(values[:, -1], dtype=float), np.asarray(values[:, 0], dtype=float)


def _meeting(motion: Trajectory, time: float, size: float) -> int:
    """In how many directions neighbouring motions meet at a time."""
    values = np.linalg.svd(_blocks(motion, np.array([time]))[0], compute_uv=False)
    return int((values <= MET * size).sum())
