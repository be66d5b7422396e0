"""Contacts that hold a body in more ways than one: forces that are not determined, within their limits.

Slip velocities that depend on each other, or on constraints, stick together, and only the sum of what
holds them is determined. They hold as long as the sum can be shared so that every force is within its
limit: that is a linear program. Shares are those which keep farthest from their limits. Forces in a
plane are limited by circles, and must be determined.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from routh.analysis.motion.rubbing.contacts import Looked, View
from routh.analysis.motion.trajectory import Trajectory
from routh.analysis.time.segments import within
from routh.arrays import Array
from routh.language.contact.friction import Friction
from routh.numerics.solving.margins import has_no_end, widest_margin

BEYOND = 1e-10
"""Share of the largest force by which forces may be beyond their limits: rounding of the program."""

PIECES, ROUNDS = 32, 6
"""A phase is looked at in so many pieces at least; the first that gives way is divided, in so many
rounds."""

STEP, MOST = 4, 2000
"""Places in each step, by their number, and in each of the longest steps that functions of time allow;
and the most of them in a phase, and in a stretch of time."""

TAKES_PART = 1e-9
"""Share of the largest by which forces that do nothing together must change one, to do so."""


@dataclass(frozen=True)
class Program:
    """Which multipliers `first + size null y` are within all limits: `A y <= b`."""

    first: Array
    size: float
    null: Array
    A: Array
    b: Array

    def multipliers(self, y: Array) -> Array:
        """(c,): the multipliers for a y."""
        return np.asarray(self.first + self.size * self.null @ y)

    def keeps(self, y: Array) -> bool:
        """Whether multipliers are within all limits."""
        return bool((self.A @ y <= self.b).all())

    def solved(self) -> tuple[Array, float]:
        """The y that keeps farthest from all limits, and how far as a share of the largest."""
        return widest_margin(self.A, self.b)


def program(view: View, t: float, x: Array) -> Program:
    """What multipliers must satisfy in a state."""
    seen, state = view.at(t, x), view.state(x)
    _, J = view.flow.run("matrices", t, state)
    (rub,) = view.flow.run("rubbing", t, state)
    null = _null_space(J.T - rub)
    slopes = view.slopes(t, state)
    size = max(np.abs(seen.multipliers).max(initial=0.0), 1e-300)
    rows, sides = zip(*_inequalities(view, seen, slopes), strict=True)
    return Program(seen.multipliers, size, null, np.array(rows) @ null, np.array(sides) / size)


def shared_plane(view: View, t: float, x: Array) -> Friction | None:
    """A contact that sticks in a plane by a force, or up to a limit, that is not determined."""
    state = view.state(x)
    _, J = view.flow.run("matrices", t, state)
    (rub,) = view.flow.run("rubbing", t, state)
    null, slopes = _null_space(J.T - rub), view.slopes(t, state)
    least = TAKES_PART * np.abs(null).max(initial=0.0)
    for contact, own, slope in zip(view.contacts, view.rows, slopes, strict=False):
        if len(own) > 1 and max(np.abs(null[own]).max(), np.abs(slope @ null).max()) > least:
            return contact
    return None


def is_squeezed(view: View, t: float, x: Array) -> bool:
    """Whether forces that hold can be larger and larger, within all limits: prestress without end."""
    return view.flow.motion.redundant and has_no_end(program(view, t, x).A)


def shared(view: View, t: float, x: Array) -> Array | None:
    """(c,): multipliers within all limits; None where there are none."""
    multipliers, margin = spread(view, t, x)
    return multipliers if margin >= -BEYOND else None


def spread(view: View, t: float, x: Array) -> tuple[Array, float]:
    """Multipliers that keep farthest from their limits, and how far, as a share of the largest."""
    own = program(view, t, x)
    y, margin = own.solved()
    return own.multipliers(y), margin


def _null_space(push: Array) -> Array:
    """(c, k): combinations of multipliers that do nothing."""
    size = np.maximum(np.abs(push).max(axis=0), 1e-300)
    values, rows = np.linalg.svd(push / size)[1:]
    rank = int((values > 1e-9 * values.max(initial=0.0)).sum())
    return np.asarray(rows[rank:].T / size[:, None])


def _inequalities(view: View, seen: Looked, slopes: Array) -> Iterator[tuple[Array, float]]:
    """Rows A and sides b of `A dlambda <= b`: what holds within limits, and what presses pushes."""
    for k, places in enumerate(view.rows):
        if len(places) == 1:
            for sign in (1.0, -1.0):
                row = -slopes[k]
                row[places] += sign
                yield row, seen.limits[k] - sign * float(seen.multipliers[places[0]])
        elif places:
            yield 0 * slopes[k], seen.limits[k] - float(np.linalg.norm(seen.held[k]))
    pushes = [*seen.normals[np.isfinite(seen.normals)], *seen.pressed]
    for value, slope in zip(pushes, slopes[len(view.rows) :], strict=True):
        yield -slope, value


def shared_along(view: View, part: Trajectory) -> Array:
    """(T, c): the multipliers at the outputs of a phase, farthest from their limits."""
    states = np.concatenate([part.q, part.v], axis=1)
    return np.array([spread(view, float(t), x)[0] for t, x in zip(part.t, states, strict=True)])


def gives_way(view: View, part: Trajectory) -> float | None:
    """When limits can be kept no longer along a phase, as far as places tell; None if always."""
    moved = part(_places(part))
    late = _first(view, moved)
    if late is None:
        return None
    low, high = float(moved.t[late - 1]), float(moved.t[late])
    for _ in range(ROUNDS):
        moved = part(np.concatenate([part.t[:1], np.linspace(low, high, PIECES + 1)[1:]]))
        place = bisect_left(range(1, len(moved.t) - 1), True, key=lambda k: not _within(view, moved, k))
        low, high = (low if not place else float(moved.t[place])), float(moved.t[place + 1])
    return high


def _places(part: Trajectory) -> Array:
    """Times at which a phase is looked at: several in each step, and in all that time changes."""
    low, high = float(part.t[0]), float(part.t[-1])
    count = int(np.clip(STEP * part.statistics.steps, PIECES, MOST))
    found = [np.linspace(low, high, count + 1)]
    for each in within(part.flows[0].segments, low, high):
        pieces = np.ceil(STEP * (each.end - each.start) / each.longest)
        found.append(np.linspace(each.start, each.end, int(np.clip(pieces, 1, MOST)) + 1))
    return np.unique(np.concatenate(found))


def _first(view: View, moved: Trajectory) -> int | None:
    """The first output at which limits cannot be kept.

    Where what kept them before still does, nothing is to be solved.
    """
    y = None
    for k in range(1, len(moved.t)):
        own = program(view, float(moved.t[k]), np.concatenate([moved.q[k], moved.v[k]]))
        if y is None or own.null.shape[1] != len(y) or not own.keeps(y):
            y, margin = own.solved()
            if margin < -BEYOND:
                return k
    return None


def _within(view: View, moved: Trajectory, k: int) -> bool:
    """Whether the limits can be kept at one output."""
    x = np.concatenate([moved.q[k], moved.v[k]])
    return spread(view, float(moved.t[k]), x)[1] >= -BEYOND
