"""Springs as lines: straight ends, and turns between them that stretch with the spring."""

from __future__ import annotations

import numpy as np

from routh.arrays import Array

TURNS = 7
"""Turns of a spring."""

WIDTH = 0.025
"""Half of its width, as a share of the size of the whole picture."""

STRAIGHT = 0.12
"""Share of its length that each end is straight."""


def zigzag(a: Array, b: Array, size: float) -> Array:
    """(2 TURNS + 4, d): the corners of a spring between two places of the plane or of space.

    The width belongs to the picture, not to the length: a spring that is pulled does not get wider.
    """
    along = np.asarray(b, dtype=float) - a
    length = float(np.linalg.norm(along))
    inner = STRAIGHT + (1 - 2 * STRAIGHT) * (np.arange(2 * TURNS) + 0.5) / (2 * TURNS)
    share = np.array([0.0, STRAIGHT, *inner, 1 - STRAIGHT, 1.0])
    side = np.zeros(len(share))
    side[2:-2] = np.where(np.arange(2 * TURNS) % 2, 1.0, -1.0)
    swing = np.outer(side * WIDTH * size, _across(along / length)) if length > 0 else 0.0
    return np.asarray(a + np.outer(share, along) + swing)


def _across(along: Array) -> Array:
    """A direction perpendicular to this one."""
    if len(along) == 2:
        return np.array([-along[1], along[0]])
    other = np.eye(3)[int(np.argmin(np.abs(along)))]
    made = np.cross(along, other)
    return np.asarray(made / np.linalg.norm(made))
