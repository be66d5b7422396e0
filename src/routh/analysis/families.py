"""Families of equilibria: curves and surfaces of them, told apart by walking along."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from routh.analysis.box import Box
from routh.analysis.equilibrium import Problem
from routh.analysis.values import Conditions
from routh.kernels.batch import Array
from routh.kernels.kernel import Kernel
from routh.numerics.newton import Solution, found, newton

SOFT = 1e-7
"""Stiffnesses below this share of the largest, over the lengths of the box, may be none at all."""

STEP = 0.05
"""Share of the box by which one step walks along a family."""

WALK = 200
"""Steps after which a walk is given up."""

ARRIVED = 1e-4
"""Share of the box at which a walk has arrived."""

SHIFT = 1e-2
"""Share of the box by which a root is moved to see whether its neighbours are roots too."""


class Families:
    """Families met so far: one member of each, its dimension, how often it was met.

    Two roots belong to the same family when one can be walked to the other along the null space of
    the tangent, coming back to the family after each step.
    """

    def __init__(self, engine: Kernel, given: Conditions, where: Box) -> None:
        self._engine = engine
        self._given = given
        self._box = where
        self.n = len(engine.system.coordinates)
        self.width = self.n + len(engine.system.constraints)
        self.x = np.zeros((0, self.width))
        self.dimension = np.zeros(0, dtype=np.intp)
        self.seen = np.zeros(0, dtype=np.intp)

    def _problem(self, count: int, q: Array) -> Problem:
        return Problem(self._engine, self._given.chosen(np.zeros(count, dtype=np.intp)), q)

    def _settled(self, x: Array) -> Solution:
        problem = self._problem(len(x), x[:, : self.n])
        with np.errstate(all="ignore"):
            return newton(problem.equations, problem.tangent, x, max_steps=20)

    def belong(self, x: Array, tangent: Array) -> NDArray[np.bool_]:
        """(k,) which roots have neighbours that are roots.

        Moved along a soft direction, a root of a family settles near where it was moved to; an
        isolated one, however flat, goes back or nowhere.
        """
        x = x[:, : self.width]
        mine = np.zeros(len(x), dtype=bool)
        rows, lacking = self._soft(tangent)
        soft = np.flatnonzero(lacking > 0)
        if not len(soft):
            return mine
        move = SHIFT * rows[soft, -1, : self.n]
        target = x[soft].copy()
        target[:, : self.n] += move * self._box.width
        settled = self._settled(target)
        way = (settled.x - x[soft])[:, : self.n] / self._box.width
        share = np.linalg.norm(way, axis=1) / np.linalg.norm(move, axis=1)
        mine[soft] = found(settled.status) & (share > 0.5) & (share < 2)
        return mine

    def _tangent(self, x: Array) -> Array:
        problem = self._problem(len(x), x[:, : self.n])
        return problem.tangent(x, np.arange(len(x)))

    def _soft(self, tangent: Array) -> tuple[Array, NDArray[np.intp]]:
        """(k, n + c, n) unit vectors in lengths of the box, the soft ones last, and how many they are.

        A stiffness times two lengths of the box is an energy, so all count alike; constraints and
        multipliers are scaled to them.
        """
        size = np.ones((len(tangent), self.width))
        size[:, : self.n] = self._box.width
        bound = np.abs(tangent[:, self.n :, : self.n] * self._box.width).max(axis=2, initial=0)
        stiff = np.abs(tangent[:, : self.n, : self.n]) * np.outer(self._box.width, self._box.width)
        size[:, self.n :] = stiff.max(axis=(1, 2))[:, None] / np.where(bound == 0, 1.0, bound)
        unit = np.nan_to_num(tangent * size[:, :, None] * size[:, None, :])
        _, sizes, rows = np.linalg.svd(unit)
        lacking = np.sum(sizes <= SOFT * sizes[:, :1], axis=1)
        rows = rows[..., : self.n]
        length = np.linalg.norm(rows, axis=2, keepdims=True)
        return rows / np.where(length == 0, 1.0, length), np.asarray(lacking)

    def sort(self, x: Array) -> list[int]:
        """Count roots that belong to families, and say at which places new families are."""
        x = x[:, : self.width]
        new: list[int] = []
        waiting = np.arange(len(x))
        for k in range(len(self.x)):
            waiting = self._count(x, waiting, k)
        while len(waiting):
            new.append(int(waiting[0]))
            self._add(x[waiting[0]])
            waiting = self._count(x, waiting, len(self.x) - 1)
        return new

    def _add(self, member: Array) -> None:
        self.x = np.concatenate([self.x, member[None]])
        dimension = self._soft(self._tangent(member[None]))[1][0]
        self.dimension = np.append(self.dimension, dimension)
        self.seen = np.append(self.seen, 0)

    def _count(self, x: Array, waiting: NDArray[np.intp], k: int) -> NDArray[np.intp]:
        """Which of the waiting roots do not belong to family k; the others are counted."""
        if not len(waiting):
            return waiting
        here = self._reaches(x[waiting], self.x[k])
        self.seen[k] += int(here.sum())
        return waiting[~here]

    def containing(self, q: Array) -> NDArray[np.intp]:
        """The families that contain a position."""
        x = self._settled(np.concatenate([q, np.zeros(self.width - self.n)])[None]).x
        return np.array(
            [k for k in range(len(self.x)) if self._reaches(x, self.x[k])[0]], dtype=np.intp
        )

    def _reaches(self, x: Array, goal: Array) -> NDArray[np.bool_]:
        """(k,) from which roots one can walk to the goal along the family."""
        x = x.copy()
        arrived = np.zeros(len(x), dtype=bool)
        active = np.arange(len(x))
        last = np.full(len(x), np.inf)
        scale = self._box.width
        for _ in range(WALK):
            way = self._box.apart(goal[None, : self.n], x[active, : self.n]) / scale
            far = np.linalg.norm(way, axis=1)
            arrived[active[far <= ARRIVED]] = True
            going = (far > ARRIVED) & (far < last[active] * (1 - 1e-7))
            last[active] = far
            active, way, far = active[going], way[going], far[going]
            if not len(active):
                break
            step = self._along(x[active], way)
            size = np.linalg.norm(step, axis=1)
            limit = np.minimum(STEP, far)
            stuck = size <= 1e-6 * far
            step *= (limit / np.where(stuck, 1.0, size))[:, None]
            moved = x[active].copy()
            moved[:, : self.n] += step * scale
            settled = self._settled(moved)
            stuck |= ~found(settled.status)
            x[active[~stuck]] = settled.x[~stuck]
            active = active[~stuck]
        return arrived

    def _along(self, x: Array, way: Array) -> Array:
        """(k, n) the way projected onto the null space of the tangent, in units of the box."""
        rows, lacking = self._soft(self._tangent(x))
        step = np.zeros_like(way)
        for d in np.unique(lacking[lacking > 0]):
            these = lacking == d
            Q = np.linalg.qr(rows[these, -d:].swapaxes(1, 2))[0]
            step[these] = np.einsum("knd,kmd,km->kn", Q, Q, way[these])
        return step
