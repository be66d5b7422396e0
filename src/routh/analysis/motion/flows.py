"""What moves in every run of a batch.

Of runs that were made one by one it is kept, and of those that went at once it is made when it is asked
for: a hundred thousand runs have one table of numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from routh.analysis.motion.asked import Plan
from routh.analysis.motion.flow import Extent, MovingSystem
from routh.analysis.motion.trust import moved_energy
from routh.analysis.time.segments import Segment, shifted
from routh.arrays import Array
from routh.kernels.motion_engine import Motion

ROWS = 1 << 16
"""States that are looked at together."""


@dataclass(frozen=True)
class Table:
    """The numbers of runs that went at once; rows are runs.

    Attributes:
        plan, motion: what they have in common.
        p, u, scales: their parameters, signals, and scales of the coordinates and constraints.
        extents: (N, 3 + 4n) what they passed through: the numbers of `Extent` side by side.
    """

    plan: Plan
    motion: Motion
    p: Array
    u: Array
    scales: Array
    extents: Array

    def flow(self, k: int) -> MovingSystem:
        """What moves in one of them."""
        found = MovingSystem(self.motion, self.p[k], self.u[k], None).scaled_by(self.scales[k])
        low, high = np.split(self.extents[k, 3:], 2)
        kinetic, least, most = self.extents[k, :3].tolist()
        found.extent = Extent(kinetic, least, most, low, high)
        grid, laws = self.plan.grid, tuple(law for _, law in self.plan.driven.laws)
        often = self.plan.often if self.motion.timed else np.inf
        found.segments = (Segment(float(grid[0]), float(grid[-1]), often),)
        found.later = partial(shifted, self.plan.system, laws, self.p[k])
        return found

    @property
    def moved(self) -> Array:
        """(N,): the energy that went to and fro."""
        kinetic, least, most = self.extents[:, :3].T
        return np.asarray(kinetic + most - least)

    def along(self, name: str, t: Array, x: Array) -> list[Array]:
        """Results of a compiled function at all times of all runs, (N, T, rows, columns) each."""
        count = len(t)
        k = np.concatenate([self.scales, np.zeros((len(self.p), 2))], axis=1)
        parts = []
        lot = max(1, ROWS // max(count, 1))
        for first in range(0, len(x), lot):
            own = slice(first, first + lot)
            runs = len(x[own])
            time = np.tile(t, runs)[:, None]
            p, u, scales = (np.repeat(each[own], count, axis=0) for each in (self.p, self.u, k))
            found = self.motion.at_points(name, (time, x[own].reshape(runs * count, -1), p, u, scales))
            parts.append([each.reshape(runs, count, *each.shape[1:]) for each in found])
        return [np.concatenate(each) for each in zip(*parts, strict=True)]


class Flows:
    """What moves in each run of a batch."""

    def __init__(self, made: Mapping[int, MovingSystem], count: int, table: Table | None) -> None:
        self._made, self._count, self._table = dict(made), count, table

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, k: int) -> MovingSystem:
        if not 0 <= k < self._count:
            raise IndexError(k)
        if k not in self._made and self._table is not None:
            self._made[k] = self._table.flow(k)
        return self._made[k]

    def __iter__(self) -> Iterator[MovingSystem]:
        return (self[k] for k in range(self._count))

    @property
    def motion(self) -> Motion:
        """What the first of them is made of."""
        return self._table.motion if self._table is not None else self._made[0].motion

    @property
    def redundant(self) -> bool:
        """Whether constraints of some of them may depend on each other."""
        return any(flow.motion.redundant for flow in self._made.values())

    def moved(self, last: float) -> Array:
        """(N,): the energy that went to and fro until a last time."""
        found = np.zeros(self._count) if self._table is None else self._table.moved.copy()
        for k, flow in self._made.items():
            found[k] = moved_energy(flow, last)
        return found

    def along(self, name: str, t: Array, x: Array) -> list[Array]:
        """Results of a compiled function at all times of all runs, (N, T, rows, columns) each."""
        if self._table is not None:
            return self._table.along(name, t, x)
        each = [flow.along(name, t, own) for flow, own in zip(self, x, strict=True)]
        return [np.stack(result) for result in zip(*each, strict=True)]

    @property
    def table(self) -> Table | None:
        """The numbers of the runs that went at once, if some did."""
        return self._table

    @property
    def made(self) -> dict[int, MovingSystem]:
        """Those that were made one by one, by their places."""
        return self._made


def joined_flows(parts: Sequence[Flows]) -> Flows:
    """What moves in the runs of several batches, one after the other."""
    tables = [part.table for part in parts]
    at_once = [table for table in tables if table is not None]
    made: dict[int, MovingSystem] = {}
    before = 0
    for part in parts:
        own = part.made if len(at_once) == len(parts) else dict(enumerate(part))
        made |= {before + k: flow for k, flow in own.items()}
        before += len(part)
    if len(at_once) < len(parts):
        return Flows(made, before, None)
    rows = ("p", "u", "scales", "extents")
    stacks: dict[str, Any] = {
        name: np.concatenate([getattr(each, name) for each in at_once]) for name in rows
    }
    return Flows(made, before, replace(at_once[0], **stacks))
