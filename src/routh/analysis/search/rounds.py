"""Rounds of Newton's method from many starts, and the sorting of what they bring.

The search ends when every equilibrium was met three times and twice as many starts were made as when
the last new one turned up. That is evidence; a certificate is proof.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from routh.analysis.given.conditions import Conditions
from routh.analysis.rest.failure import failure
from routh.analysis.rest.problem import Problem
from routh.analysis.rest.result import Equilibrium
from routh.analysis.rest.solve import solve
from routh.analysis.search.box import Box
from routh.analysis.search.families import Families
from routh.analysis.search.invariance import orbits
from routh.analysis.search.symmetries import Symmetry
from routh.arrays import Array
from routh.errors import SolveError, Status
from routh.kernels.engine import Engine, Kernel
from routh.numerics.solving.leaps import leapt
from routh.numerics.solving.newton import Solution, found, newton
from routh.numerics.solving.starts import spread

MOST_STARTS = 65536
"""Starts that are tried if no number is asked for."""

ROUND = 256
"""Half the starts of the first round; the later ones are larger."""

LARGEST_ROUND = 4096
"""Starts of one round at most: more do not make it quicker."""

SEEN = 3
"""Every equilibrium must have been met so often before the list counts as saturated."""

PATIENCE = 2.0
"""And so many times more starts must have been made than when the last new one turned up."""

FLEEING = 8.0
"""Where most starts leave the box, as bodies that repel each other do, this much more is enough."""

MERGE = 3e-8
"""Share of the box under which two roots are the same one; a degenerate one is known less well."""

LEVEL = 1e-6
"""Share of how L usually varies in the box by which it may differ between roots that are the same."""

MERGE_DEGENERATE = 1e-4
"""The same for degenerate ones: Newton's method ends a few thousandths of their scale away."""

STEPS = 60
"""Newton steps that one start may take at first."""

MORE = 240
"""Further steps for those that are still on their way."""

STIFF = 0.05
"""Share of the largest stiffness, over the lengths of the box, above which a direction is stiff."""

RESCUED = 64
"""How many of these get further steps, in one round."""

LEAPS = 10
"""Whole Newton steps that a start takes which creeps along a bent valley."""

PAYING = 0.7
"""They do so again while each time no more than this share of them goes on creeping."""

LONGEST_LEAP = 0.1
"""Share of the box that one such step may move."""

SLOW = 0.05
"""Share of starts that may still be on their way in the end."""

MANY = 50
"""Degenerate isolated roots that are believed."""


class Search:
    """The roots met so far: isolated ones, and members of families."""

    def __init__(
        self,
        engine: Kernel,
        given: Conditions,
        where: Box,
        starts: int | None = None,
        by: Engine = Engine.CASADI,
    ) -> None:
        self._engine = engine
        self._by, self.made_by = by, Engine.CASADI
        self._given = given
        self._box = where
        self._limit = MOST_STARTS if starts is None else starts
        self._asked = starts is not None
        self.orbits = orbits(engine, given, where)
        self._families = Families(engine, given, where, self.orbits)
        n, c = len(engine.system.coordinates), len(engine.system.constraints)
        self._x = np.zeros((0, n + c + len(given.momenta)))
        self._seen = np.zeros(0, dtype=np.intp)
        self._degenerate = np.zeros(0, dtype=bool)
        self._level = np.zeros(0)
        self._usual = 0.0
        """How L varies over the starts, to judge its differences by."""
        self._refusal: SolveError | None = None
        self.starts = 0
        self._slow = 0
        self._undefined = 0
        self._fled = 0
        self._last_new = 0

    def run(self) -> None:
        """Rounds of starts until nothing new turns up or the starts are spent."""
        if not len(self._box.searched):
            self._round(self._box.at(np.zeros((1, 0))))
            return
        while not self.saturated and self.starts < self._limit and not self._given_up:
            size = min(max(2 * ROUND, self.starts), LARGEST_ROUND, self._limit - self.starts)
            unit = spread(self.starts + 1, size, len(self._box.searched))
            self._round(self._box.at(unit))

    @property
    def saturated(self) -> bool:
        """Whether all were met often enough, and the last new one long ago."""
        if not len(self._box.searched):
            return True
        often = (self._seen >= SEEN).all() and (self._families.seen >= SEEN).all()
        enough = ROUND * max(1, len(self._box.searched) / 4)
        telling = self.starts - self._undefined - self._families.unreal
        return bool(
            often
            and not self._creeping
            and not self._endless
            and self.starts >= PATIENCE * self._last_new
            and telling >= enough
            and (telling - self._fled >= enough or telling >= FLEEING * enough)
        )

    @property
    def _given_up(self) -> bool:
        """Whether more starts are not worth their time, unless they were asked for."""
        slow = self._creeping and self.starts >= 4 * ROUND and not self._asked
        return slow or self._endless

    @property
    def _creeping(self) -> bool:
        """Whether many starts are still on their way after all their steps."""
        return self._slow > SLOW * self.starts

    @property
    def _endless(self) -> bool:
        """Whether ever more roots turn up, degenerate or each only once: families that defy walking."""
        rare = self.starts >= LARGEST_ROUND and len(self._seen) > MANY
        rare = rare and float(np.mean(self._seen < SEEN)) > 0.5
        return rare or int(self._degenerate.sum()) > MANY

    @property
    def doubt(self) -> str:
        """Why the list may lack some, a sentence, or nothing if it is saturated."""
        if self.saturated:
            return ""
        if self._endless:
            return (
                f"{self.starts} starts brought ever more equilibria, flat ones or each of them once:"
                " they belong to families that cannot be told apart, and more starts would not help."
            )
        if self._creeping:
            return (
                f"{self._slow} of {self.starts} starts were still on their way after all their steps,"
                " so the list may lack some. To try more of them, ask for more than"
                f" {self.starts} `starts`, or narrow `within`."
            )
        return f"{self.starts} starts were not enough to be sure of the list: raise `starts`."

    @property
    def undefined(self) -> str:
        """Where nothing can be said since the equations are not finite there, a sentence or nothing."""
        lost = self._undefined + self._families.unreal
        if not lost:
            return ""
        return (
            f"Of {self.starts} starts {lost} ended where the equations are not finite or a force is too"
            " small for floating-point numbers: nothing is claimed there."
        )

    def _round(self, q: Array) -> None:
        """Run one round of starts and sort what it brings."""
        self.starts += len(q)
        if not self._usual:
            self._usual = self._variation(q)
        solution = self._solved(q)
        solution.x[:, : len(self._box.low)] = self._box.wrapped(solution.x[:, : len(self._box.low)])
        good = found(solution.status) & self._box.contains(solution.x[:, : len(self._box.low)])
        refused = (solution.status == Status.TIME_DEPENDENT) | (solution.status == Status.DRIVEN)
        if refused.any() and self._refusal is None:
            result = self._problem(q).result(solution)
            self._refusal = failure(result.single(int(refused.argmax())))
        index = np.flatnonzero(good)
        if not len(index):
            return
        x, degenerate = solution.x[index], solution.status[index] == Status.DEGENERATE
        loose = self._families.belong(x, solution.tangent[index], degenerate)
        new = [index[loose][k] for k in self._families.sort(x[loose])]
        known = len(self._families.seen)
        loose |= self._crossings(x, degenerate & ~loose)
        new += [int(index[-1])] * (len(self._families.seen) - known)
        new += [index[~loose][k] for k in self._sort(x[~loose], degenerate[~loose])]
        if new:
            self._last_new = self.starts - len(q) + max(new) + 1

    def _crossings(self, x: Array, among: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """(k,) degenerate roots at which families cross; the families are counted."""
        crossing = np.zeros(len(x), dtype=bool)
        for k in np.flatnonzero(among)[:1]:  # the others of a round are the same one, or unsettled
            members = self._families.through(x[k])
            if len(members):  # starts end at the crossing, not on the families: one look counts as all
                self._families.sort(np.repeat(members, SEEN, axis=0))
                way = np.abs(self.orbits.apart(x[:, : len(self._box.low)], x[k, : len(self._box.low)]))
                crossing = among & (way <= MERGE_DEGENERATE * self._box.width).all(axis=1)
        return crossing

    def _solved(self, q: Array) -> Solution:
        problem = self._problem(q)
        unit = self._unit()
        with np.errstate(all="ignore"):
            solution = solve(problem, problem.start(q), max_steps=STEPS, unit=unit, engine=self._by)
            self.made_by = self._by.target if solution.compiled else self.made_by
            slow, before = self._on_their_way(solution), np.inf
            while 0 < len(slow) < PAYING * before:
                self._again(q, solution, slow, self._leapt(q[slow], solution.x[slow]), STEPS)
                slow, before = self._on_their_way(solution), len(slow)
            slow = self._on_their_way(solution)[:RESCUED]
            if len(slow):  # near multiple roots a step gains a fixed factor only
                self._again(q, solution, slow, solution.x[slow], MORE)
            self._along_stiff_directions(q, solution)
        late = len(self._on_their_way(solution))
        self._slow += late
        self._fled += int(np.sum(solution.status == Status.TOO_MANY_STEPS)) - late
        lost = (solution.status == Status.NOT_FINITE) | (solution.status == Status.UNDERFLOW)
        self._undefined += int(np.sum(lost & self._inside(solution)))
        return solution

    def _leapt(self, q: Array, x: Array) -> Array:
        """Where whole steps lead from points that creep, bounded by a share of the box."""
        problem, longest = self._problem(q), np.full(x.shape[1], np.inf)
        longest[: len(self._box.low)] = LONGEST_LEAP * self._box.width
        every = np.arange(len(x))
        return leapt(problem.equations, problem.tangent, x, every, longest, LEAPS)

    def _again(
        self, q: Array, solution: Solution, index: NDArray[np.intp], x: Array, steps: int
    ) -> None:
        """Solve for some starts again from elsewhere, and keep what comes of it if it is something."""
        again = solve(self._problem(q[index]), x, max_steps=steps, unit=self._unit())
        good = found(again.status) | (again.status == Status.TOO_MANY_STEPS)
        index = index[good]
        solution.x[index], solution.residual[index] = again.x[good], again.residual[good]
        solution.tangent[index], solution.status[index] = again.tangent[good], again.status[good]

    def _along_stiff_directions(self, q: Array, solution: Solution) -> None:
        """Try starts that came to nothing again, moving only where the forces are stiff.

        Onto a curve of equilibria Newton's method may not lead, if the stiffness changes along it.
        """
        lost = np.flatnonzero(~(found(solution.status) & self._inside(solution)))[:RESCUED]
        bound = solution.x.shape[1] != q.shape[1]
        if not len(lost) or bound or self._given.may_change_in_time(self._engine):
            return
        problem, unit = self._problem(q[lost]), self._unit()
        equations, tangent = problem.equations, problem.tangent
        width = self._box.width / self._box.width.max()
        near = newton(equations, tangent, q[lost], max_steps=STEPS, unit=unit, metric=width, flat=STIFF)
        lost = lost[found(near.status)]
        again = solve(self._problem(q[lost]), near.x[found(near.status)], max_steps=STEPS, unit=unit)
        good = found(again.status)
        solution.x[lost[good]], solution.status[lost[good]] = again.x[good], again.status[good]
        solution.tangent[lost[good]] = again.tangent[good]

    def _on_their_way(self, solution: Solution) -> NDArray[np.intp]:
        """The starts that have not arrived and are inside the box."""
        slow = solution.status == Status.TOO_MANY_STEPS
        return np.flatnonzero(slow & self._inside(solution))

    def _inside(self, solution: Solution) -> NDArray[np.bool_]:
        """(k,) which starts are in the box where they are now."""
        return self._box.contains(self._box.wrapped(solution.x[:, : len(self._box.low)]))

    def _problem(self, q: Array) -> Problem:
        given = self._given.chosen(np.zeros(len(q), dtype=np.intp))
        return Problem(self._engine, given, q)

    def _unit(self) -> Array:
        """The size of each unknown: the box, at most 1, and 1 for what is no coordinate."""
        unit = np.ones(self._x.shape[1])
        unit[: len(self._box.low)] = np.minimum(self._box.width, 1.0)
        return unit

    def _sort(self, x: Array, degenerate: NDArray[np.bool_]) -> list[int]:
        """Count isolated roots, and say at which places new ones are."""
        new: list[int] = []
        waiting, level = np.arange(len(x)), self._levels(x)
        for k in range(len(self._x)):
            waiting = self._counted(k, x, degenerate, level, waiting)
        while len(waiting):
            first = int(waiting[0])
            new.append(first)
            self._keep(x[first], degenerate[first], 0)
            waiting = self._counted(len(self._x) - 1, x, degenerate, level, waiting)
        return new

    def _keep(self, x: Array, degenerate: bool, seen: int) -> None:
        """Remember an isolated root."""
        self._x = np.concatenate([self._x, x[None]])
        self._seen = np.append(self._seen, seen)
        self._degenerate = np.append(self._degenerate, degenerate)
        self._level = np.append(self._level, self._levels(x[None]))

    def _variation(self, q: Array) -> float:
        """The median of how far L is from its median at the starts; poles count little."""
        problem = self._problem(q)
        with np.errstate(all="ignore"):
            level = self._levels(problem.start(q))
            known = level[np.isfinite(level)]
            size = np.abs(known) + np.abs(known - np.median(known)) if len(known) else np.ones(1)
        return float(np.median(size))

    def _levels(self, x: Array) -> Array:
        """(k,) the values of L, which symmetries leave as they are."""
        problem = self._problem(x[:, : len(self._box.low)])
        return self._engine.lagrangian(problem.point(x, np.arange(len(x))))

    def _counted(
        self,
        k: int,
        x: Array,
        degenerate: NDArray[np.bool_],
        level: Array,
        waiting: NDArray[np.intp],
    ) -> NDArray[np.intp]:
        """Which of the waiting are not root k; the others are counted."""
        n = len(self._box.low)
        blurred = degenerate[waiting] | self._degenerate[k]
        size = self._usual + np.abs(self._level[k])
        near = blurred | ~(np.abs(level[waiting] - self._level[k]) > LEVEL * size)
        way = np.abs(self.orbits.apart(x[waiting[near], :n], self._x[k, :n]))
        limit = np.where(blurred[near], MERGE_DEGENERATE, MERGE)[:, None] * self._box.width
        same = np.zeros(len(waiting), dtype=bool)
        same[near] = (way <= limit).all(axis=1)
        self._seen[k] += int(same.sum())
        return waiting[~same]

    @property
    def has_families(self) -> bool:
        """Whether some equilibria form curves or surfaces in the coordinates that are searched."""
        moved = self.orbits.fields(self._x[:, : len(self._box.low)])[..., self._box.searched]
        return bool(len(self._families.x)) or bool(np.any(np.abs(moved) > 1e-9))

    def add(self, q: Array) -> None:
        """Roots that were proven to exist and had not been met, however near to others."""
        solution = self._solved(q)
        for x, status in zip(solution.x, solution.status, strict=True):
            way = np.abs(self._box.apart(x[: q.shape[1]], self._x[:, : q.shape[1]]))
            close = 4 * np.spacing(np.abs(x[: q.shape[1]])) + 1e-15 * self._box.width
            known = (way <= close).all(axis=1).any()
            if status in (Status.CONVERGED, Status.DEGENERATE) and not known:
                self._keep(x, status is Status.DEGENERATE, 1)

    def batch(self) -> Equilibrium:
        """All that was found, one member of each family, polished once more."""
        x = np.concatenate([self._x, self._families.x])
        n = len(self._box.low)
        problem = self._problem(x[:, :n])
        solution = solve(problem, x, unit=self._unit())
        flat = np.pad(self._degenerate, (0, len(x) - len(self._x)))
        back = np.flatnonzero(flat & ~found(solution.status))  # nothing is left to gain at a flat root
        solution.x[back], solution.status[back] = x[back], Status.DEGENERATE
        solution.residual[back] = problem.equations(x[back], back)
        solution.tangent[back] = problem.tangent(x[back], back)
        solution.x[:, :n] = self._box.wrapped(solution.x[:, :n])
        return problem.result(solution)

    def distinct(
        self, maps: Sequence[Symmetry]
    ) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]:
        """Which of the batch are no repetition by symmetry, their dimensions, how many each stands for.

        Raises:
            NoEquilibrium: the equations balance somewhere, but not at every time, or what turns is
                driven.
        """
        if not len(self._x) and not len(self._families.x) and self._refusal is not None:
            raise self._refusal
        rest = self.batch() if maps else None
        alone = len(self._x)
        own = self.orbits.dimension(self._x[:, : len(self._box.low)])
        dimension = np.concatenate([own, self._families.dimension])
        group = np.arange(len(dimension))
        for mapping in maps:
            if rest is None or not len(group):
                break
            image = mapping.image(rest, self._box)
            for k in range(len(group)):
                for partner in self._partners(rest, image[k], k < alone):
                    group[group == group[partner]] = group[k]
        first = [int(np.flatnonzero(group == g)[0]) for g in dict.fromkeys(group.tolist())]
        kept = np.array(first, dtype=np.intp)
        copies = np.array([np.sum(group == group[k]) for k in kept], dtype=np.intp)
        return kept, dimension[kept], copies

    def _partners(self, rest: Equilibrium, image: Array, isolated: bool) -> NDArray[np.intp]:
        """The roots that an image is one of."""
        alone = len(self._x)
        if not isolated:
            return alone + self._families.containing(image)
        images = np.broadcast_to(image, rest.q[:alone].shape)
        way = np.abs(self.orbits.apart(images, rest.q[:alone])) / self._box.width
        return np.flatnonzero(way.max(axis=1) <= MERGE_DEGENERATE)
