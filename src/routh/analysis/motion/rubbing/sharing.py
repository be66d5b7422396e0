"""Contacts that hold a body in more ways than one: forces that are not determined, within their limits.

Slip velocities that depend on each other, or on constraints, stick together, and only the sum of what
holds them is determined. They hold as long as the sum can be shared so that every force is within its
limit: that is a linear program. Shares are those which keep farthest from their limits.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

import numpy as np

from routh.analysis.motion.rubbing.contacts import Looked, View
from routh.analysis.motion.trajectory import Trajectory
from routh.arrays import Array
from routh.numerics.solving.margins import widest_margin

BEYOND = 1e-10
"""Share of the largest force by which forces may be beyond their limits: rounding of the program."""

PIECES, ROUNDS = 32, 6
"""A phase is looked at in so many pieces; the first that gives way is halved, in so many rounds."""

FACETS = 32
"""Sides of the polygon inside of the circle to which the force in a plane is held."""


def shared(view: View, t: float, x: Array) -> Array | None:
    """(c,): multipliers within all limits; None where there are none."""
    multipliers, margin = spread(view, t, x)
    return multipliers if margin >= -BEYOND else None


def spread(view: View, t: float, x: Array) -> tuple[Array, float]:
    """Multipliers that keep farthest from their limits, and how far, as a share of the largest."""
    seen, state = view.at(t, x), view.state(x)
    _, J = view.flow.run("matrices", t, state)
    (rub,) = view.flow.run("rubbing", t, state)
    null = _null_space(J.T - rub)
    rows, sides = zip(*_inequalities(view, seen, view.slopes(t, state)), strict=True)
    A, b = np.array(rows), np.array(sides)
    size = max(np.abs(seen.multipliers).max(initial=0.0), 1e-300)
    y, margin = widest_margin(A @ null, b / size)
    return seen.multipliers + size * null @ y, margin


def _null_space(push: Array) -> Array:
    """(c, k): combinations of multipliers that do nothing."""
    size = np.maximum(np.abs(push).max(axis=0), 1e-300)
    values, rows = np.linalg.svd(push / size)[1:]
    rank = int((values > 1e-9 * values.max(initial=0.0)).sum())
    return np.asarray(rows[rank:].T / size[:, None])


def _inequalities(view: View, seen: Looked, slopes: Array) -> Iterator[tuple[Array, float]]:
    """Rows A and sides b of `A dlambda <= b`: what holds within limits, and what presses pushes."""
    for k, places in enumerate(view.rows):
        if not places:
            continue
        for direction in _directions(len(places)):
            row = -slopes[k]
            row[places] += direction
            yield row, seen.limits[k] - float(direction @ seen.multipliers[places])
    pushes = [*seen.normals[np.isfinite(seen.normals)], *seen.pressed]
    for value, slope in zip(pushes, slopes[len(view.rows) :], strict=True):
        yield -slope, value


def _directions(count: int) -> list[Array]:
    """What is to be below the limit: a force both ways, or along the sides of a polygon."""
    if count == 1:
        return [np.array([1.0]), np.array([-1.0])]
    angles = 2 * np.pi * np.arange(FACETS) / FACETS
    inside = np.cos(np.pi / FACETS)
    return [np.array([np.cos(a), np.sin(a)]) / inside for a in angles]


def shared_along(view: View, part: Trajectory) -> Array:
    """(T, c): the multipliers at the outputs of a phase, farthest from their limits."""
    states = np.concatenate([part.q, part.v], axis=1)
    return np.array([spread(view, float(t), x)[0] for t, x in zip(part.t, states, strict=True)])


def gives_way(view: View, part: Trajectory) -> float | None:
    """When limits can be kept no longer along a phase, as far as its pieces tell; None if always."""
    low, high = float(part.t[0]), float(part.t[-1])
    moved = part(np.linspace(low, high, PIECES + 1))
    late = [k for k in range(1, len(moved.t)) if not _within(view, moved, k)]
    if not late:
        return None
    low, high = float(moved.t[late[0] - 1]), float(moved.t[late[0]])
    for _ in range(ROUNDS):
        moved = part(np.concatenate([part.t[:1], np.linspace(low, high, PIECES + 1)[1:]]))
        place = bisect_left(range(1, len(moved.t) - 1), True, key=lambda k: not _within(view, moved, k))
        low, high = (low if not place else float(moved.t[place])), float(moved.t[place + 1])
    return high


def _within(view: View, moved: Trajectory, k: int) -> bool:
    """Whether the limits can be kept at one output."""
    x = np.concatenate([moved.q[k], moved.v[k]])
    return spread(view, float(moved.t[k]), x)[1] >= -BEYOND
