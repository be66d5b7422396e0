"""Families of equilibria: curves and surfaces of them, told apart by walking along.

Two members belong together when one can be reached from the other along the null space of the
tangent. Fingerprints like the energy would merge mirror images. Curves are traced from end to end, so
that every walk is short. Families closer to each other than a fiftieth of the box may be counted
twice.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from routh.analysis.given.conditions import Conditions
from routh.analysis.rest.absorbed import absorbed
from routh.analysis.rest.problem import Problem
from routh.analysis.search.box import Box
from routh.analysis.search.orbits import Orbits
from routh.arrays import Array
from routh.kernels.engine import Kernel
from routh.numerics.rank import null_space
from routh.numerics.solving.newton import Solution, found, newton

SOFT = 1e-7
"""Stiffnesses below this share of the largest, over the lengths of the box, may be none at all."""

BLURRED = 0.05
"""The same at degenerate roots, whose tangent is known less well."""

MEMBERS = 200
"""Members that are kept of a surface."""

TRIES = 4
"""Members that a walk is tried to."""

STEP = 0.02
"""Share of the box by which one step walks along a family."""

WALK = 400
"""Steps after which a walk is given up."""

ARRIVED = 1e-4
"""Share of the box at which a walk has arrived."""

SHIFT = 1e-2
"""Share of the box by which a root is moved to see whether its neighbours are roots too."""


class Families:
    """Families met so far: some members of each, its dimension, how often it was met.

    Two roots belong to the same family when one can be walked to the other along the null space of
    the tangent, coming back to the family after each step. A curve is traced from end to end first,
    so that no walk is long. Continuous symmetries are divided out: directions along an orbit do not
    count, and distances are those between orbits.
    """

    def __init__(self, engine: Kernel, given: Conditions, where: Box, orbits: Orbits) -> None:
        self._engine = engine
        self._orbits = orbits
        self._given = given
        self._box = where
        self.n = len(engine.system.coordinates)
        self._width = self.n + len(engine.system.constraints) + len(given.momenta)
        self._members: list[Array] = []
        self._across: list[int] = []
        """The dimension of each without that of the orbits."""
        self._real: list[bool] = []
        """Which are none because of a force along them that doubles absorb."""
        self._dimension = np.zeros(0, dtype=np.intp)
        self.seen = np.zeros(0, dtype=np.intp)

    @property
    def x(self) -> Array:
        """(families, unknowns): the first member of each."""
        first = [members[0] for members, real in zip(self._members, self._real, strict=True) if real]
        return np.array(first).reshape(-1, self._width)

    @property
    def dimension(self) -> NDArray[np.intp]:
        """(families,) the dimension of each."""
        return np.asarray(self._dimension[np.array(self._real, dtype=bool)])

    @property
    def unreal(self) -> int:
        """How many starts ended where a force acts that doubles absorb."""
        return int(self.seen[~np.array(self._real, dtype=bool)].sum())

    @property
    def _lengths(self) -> Array:
        """(n,) the lengths of the box beside the largest, which overflow in no square."""
        return np.asarray(self._box.width / self._box.width.max())

    def _problem(self, x: Array) -> Problem:
        given = self._given.chosen(np.zeros(len(x), dtype=np.intp))
        return Problem(self._engine, given, x[:, : self.n])

    def _settled(self, x: Array) -> Solution:
        problem = self._problem(x)
        metric = self._lengths if x.shape[1] == self.n else None
        with np.errstate(all="ignore"):
            return newton(problem.equations, problem.tangent, x, max_steps=20, metric=metric)

    def belong(self, x: Array, tangent: Array, degenerate: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """(k,) which roots have neighbours that are roots, other than by symmetry.

        Moved along a soft direction, a root of a family settles near where it was moved to; an
        isolated one, however flat, goes back or nowhere.
        """
        mine = np.zeros(len(x), dtype=bool)
        directions = self._soft(x, tangent, np.where(degenerate, BLURRED, SOFT))
        for place in range(max((len(d) for d in directions), default=0)):
            index = np.array([k for k, d in enumerate(directions) if len(d) > place and not mine[k]])
            if len(index):
                move = np.array([directions[k][place] for k in index])
                mine[index] = self._stay(x[index], move)
        return mine

    def through(self, root: Array) -> Array:
        """(m, unknowns): members of families that cross at a degenerate root, none if it is isolated.

        Where several families cross, the tangent vanishes and does not tell their directions: along the
        coordinates and between each two of them is where they are looked for.
        """
        one = np.eye(self.n)[self._box.searched]
        pairs = [a + sign * b for a, b in combinations(one, 2) for sign in (1.0, -1.0)]
        directions = np.array([*one, *(pair / np.sqrt(2) for pair in pairs)])
        starts = np.tile(root, (len(directions), 1))
        starts[:, : self.n] += SHIFT * directions * self._box.width
        staying = self._stay(np.tile(root, (len(directions), 1)), directions)
        settled = self._settled(starts[staying]).x
        none = np.zeros(len(settled), dtype=bool)
        return settled[self.belong(settled, self._tangent(settled), none)] if len(settled) else settled

    def _stay(self, x: Array, direction: Array) -> NDArray[np.bool_]:
        """(k,) which roots stay roots when they are moved a little along a direction."""
        target = x.copy()
        target[:, : self.n] += SHIFT * direction * self._box.width
        settled = self._settled(target)
        way = (settled.x - x)[:, : self.n] / self._box.width
        share = np.linalg.norm(way, axis=1) / SHIFT
        return np.asarray(found(settled.status) & (share > 0.5) & (share < 2))

    def _tangent(self, x: Array) -> Array:
        return self._problem(x).tangent(x, np.arange(len(x)))

    def _soft(self, x: Array, tangent: Array, share: Array | float = SOFT) -> list[Array]:
        """For each root unit vectors (d, n), in lengths of the box, along which it is soft.

        Across its orbit, on the admissible motions and at constant momenta; a stiffness times two
        lengths of the box is an energy, so all count alike.
        """
        shares = np.broadcast_to(share, len(tangent))
        stiff = np.zeros(len(tangent), dtype=bool)
        if tangent.shape[1] == self.n and not self._given.turning:  # one look at all of them
            energy = np.nan_to_num(tangent * np.outer(self._lengths, self._lengths))
            sizes = np.linalg.svd(energy, compute_uv=False)
            soft = np.sum(sizes <= (shares * sizes[:, 0])[:, None], axis=1)
            stiff = soft <= self._orbits.dimension(x[:, : self.n])
        nothing = np.zeros((0, self.n))
        directions = [
            nothing if firm else self._soft_of(T, s)
            for T, s, firm in zip(tangent, shares, stiff, strict=True)
        ]
        return self._orbits.across(x[:, : self.n], directions)

    def _softest(self, x: Array, count: int) -> list[Array]:
        """For each root the directions (count, n) across its orbit along which it is softest."""
        more = self._orbits.dimension(x[:, : self.n])
        soft = [self._soft_of(T, 0.0, count + k) for T, k in zip(self._tangent(x), more, strict=True)]
        return [rows[:count] for rows in self._orbits.across(x[:, : self.n], soft)]

    def _soft_of(self, tangent: Array, share: float, least: int = 0) -> Array:
        n, c = self.n, len(self._engine.system.constraints)
        if not np.isfinite(tangent).all():
            return np.zeros((0, n))
        A = tangent[: n + c, : n + c]
        if tangent.shape[1] > n + c:  # speeds follow from the momenta
            inverse = np.linalg.pinv(tangent[n + c :, n + c :])
            A = A - tangent[: n + c, n + c :] @ inverse @ tangent[n + c :, : n + c]
        width = self._lengths
        K = A[:n, :n] * np.outer(width, width)
        Z = null_space(A[n:, :n] * width) if c else np.eye(n)
        left = null_space(A[:n, n:].T * width) if c else Z  # other than Z for velocity constraints
        Z[list(self._given.turning)] = 0.0
        Z = Z[:, Z.any(axis=0)]
        _, sizes, rows = np.linalg.svd((left if left.shape != Z.shape else Z).T @ K @ Z)
        sizes = np.pad(sizes, (0, len(rows) - len(sizes)))
        soft = sizes <= share * max(sizes.max(initial=0), 1e-300)
        soft[len(soft) - least :] = True
        return np.asarray(rows[soft][::-1] @ Z.T)

    def sort(self, x: Array) -> list[int]:
        """Count roots that belong to families, and say at which places new families are."""
        new: list[int] = []
        waiting = np.arange(len(x))
        for k in range(len(self._members)):
            waiting = self._count(x, waiting, k)
        while len(waiting):
            new.append(int(waiting[0]))
            self._add(x[waiting[0]])
            waiting = self._count(x, waiting, len(self._members) - 1)
        return new

    def _add(self, member: Array) -> None:
        directions = self._soft(member[None], self._tangent(member[None]), BLURRED)[0]
        staying = [d for d in directions if self._stay(member[None], d[None])[0]]
        across = max(len(staying), 1)
        members = self._traced(member) if across == 1 else member[None]
        self._members.append(members)
        self._across.append(across)
        self._real.append(not any(self._pushed(x) for x in members[[0, len(members) // 2, -1]]))
        orbit = self._orbits.dimension(member[None, : self.n])[0]
        self._dimension = np.append(self._dimension, across + orbit)
        self.seen = np.append(self.seen, 0)

    def _pushed(self, member: Array) -> bool:
        """Whether a force acts along the family at a member that doubles do not show."""
        if self._given.turning or self._given.may_change_in_time(self._engine):
            return False
        x = member[None]
        point = self._problem(x).point(x, np.arange(1))
        soft = [d for d in self._soft(x, self._tangent(x), BLURRED)[0] if self._stay(x, d[None])[0]]
        along = np.concatenate([np.reshape(soft, (-1, self.n)), *self._orbits.tangents(x[:, : self.n])])
        return absorbed(self._engine, point, along, self._box.width)

    def _traced(self, member: Array) -> Array:
        """(m, unknowns): points along a curve of roots, to both sides until it closes or leaves."""
        points = [member]
        for sign in (1.0, -1.0):
            here, before = member, None
            for count in range(WALK):
                directions = self._softest(here[None], 1)[0]
                if not len(directions):
                    break
                step = sign * directions[0] if before is None else directions[0]
                if before is not None and step @ before < 0:
                    step = -step
                moved = here.copy()
                moved[: self.n] += STEP * step * self._box.width
                settled = self._settled(moved[None])
                way = (settled.x[0] - here)[: self.n] / self._box.width
                if not found(settled.status)[0] or not STEP / 2 < np.linalg.norm(way) < 2 * STEP:
                    break
                before, here = way / np.linalg.norm(way), settled.x[0]
                points.append(here)
                if not self._box.contains(self._box.wrapped(here[None, : self.n]))[0]:
                    break
                if count > 2 and self._far(here[None], member[None])[0] < STEP:
                    return np.array(points)
        return np.array(points)

    def _far(self, x: Array, others: Array) -> Array:
        """(N,) the distances of roots in lengths of the box, symmetries and whole turns taken out."""
        way = self._orbits.apart(x[:, : self.n], others[:, : self.n]) / self._box.width
        return np.asarray(np.linalg.norm(way, axis=1))

    def _count(self, x: Array, waiting: NDArray[np.intp], k: int) -> NDArray[np.intp]:
        """Which of the waiting roots do not belong to family k; the others are counted."""
        if not len(waiting):
            return waiting
        here = self._reaches(x[waiting], k)
        self.seen[k] += int(here.sum())
        if self._across[k] > 1 and len(self._members[k]) < MEMBERS:
            more = x[waiting[here]][: MEMBERS - len(self._members[k])]
            self._members[k] = np.concatenate([self._members[k], more])
        return waiting[~here]

    def containing(self, q: Array) -> NDArray[np.intp]:
        """The families that contain a position."""
        start = np.concatenate([q, np.zeros(self._width - self.n)])[None]
        x = self._settled(start).x
        real = np.flatnonzero(self._real)
        return np.flatnonzero([bool(self._reaches(x, int(k))[0]) for k in real])

    def _reaches(self, x: Array, k: int) -> NDArray[np.bool_]:
        """(N,) from which roots one can walk to a member of family k, the nearest ones tried."""
        members = self._members[k]
        far = [self._far(x, np.broadcast_to(member, x.shape)) for member in members]
        nearest = np.argsort(np.array(far), axis=0).T
        arrived = np.zeros(len(x), dtype=bool)
        for place in range(min(TRIES, len(members))):
            index = np.flatnonzero(~arrived)
            if not len(index):
                break
            goals = members[nearest[index, place]]
            arrived[index] = self._walked(x[index], goals, self._across[k])
        return arrived

    def _walked(self, x: Array, goals: Array, dimension: int) -> NDArray[np.bool_]:
        """(N,) which roots reach their goals along the family."""
        x = x.copy()
        arrived = np.zeros(len(x), dtype=bool)
        active = np.arange(len(x))
        last = np.full(len(x), np.inf)
        for _ in range(WALK):
            goal = goals[active]
            way = -self._orbits.apart(x[active, : self.n], goal[:, : self.n]) / self._box.width
            far = np.linalg.norm(way, axis=1)
            arrived[active[far <= ARRIVED]] = True
            going = (far > ARRIVED) & (far < last[active] * (1 - 1e-7))
            last[active] = far
            active, way, far = active[going], way[going], far[going]
            if not len(active):
                break
            step = self._along(x[active], way, dimension)
            size = np.linalg.norm(step, axis=1)
            stuck = size <= 1e-6 * far
            step *= (np.minimum(STEP, far) / np.where(stuck, 1.0, size))[:, None]
            moved = x[active].copy()
            moved[:, : self.n] += step * self._box.width
            settled = self._settled(moved)
            stuck |= ~found(settled.status)
            x[active[~stuck]] = settled.x[~stuck]
            active = active[~stuck]
        return arrived

    def _along(self, x: Array, way: Array, dimension: int) -> Array:
        """(k, n) the way projected onto the soft directions, in lengths of the box."""
        step = np.zeros_like(way)
        for k, directions in enumerate(self._softest(x, dimension)):
            step[k] = directions.T @ (directions @ way[k])
        return step
