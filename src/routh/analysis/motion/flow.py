"""The compiled motion of one system under given numbers, as quick functions of (t, x)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy

from routh.analysis.motion.progress import interrupted, interrupts_wait
from routh.analysis.motion.settings import Settings
from routh.analysis.time.segments import Segment, within
from routh.arrays import Array
from routh.kernels.engine import Engine
from routh.kernels.motion import canonical_motion
from routh.kernels.motion_engine import Call, Motion
from routh.numerics.steppers import TIGHTEST, StuckError

NEAR = 1e-7
"""A projection that moves less than this share of the position is exact after it: Newton's method
squares it."""

STILL = 1e-13
"""A projection that moves less than this share of the scales has nothing to do, wherever it is."""

CLOSEST = 1e-8
"""Outputs closer than this, in units of the run, are reached along a tangent: CasADi takes 1e-9 for
none, and what bends within it is less than rounding."""

MARGIN = 0.1
"""CVODES gets this share of the tolerance: the global error of its methods is larger for the same one
than that of Runge-Kutta methods, and most of that is won back for a quarter more of time."""

MOST_SAMPLES = 2000
"""States of a run that are kept at once."""

NOTHING = 1e-100
"""What projections leave below this is zero."""

MOST_VARIED = 10**6
"""Steps of variational equations from one time to the next."""

JUMPS = 1e-9
"""Share by which momenta or rates differ that jump."""

HELD = 1e-6
"""Share of the position by which redundant constraints may be off after a projection."""

MOST_MOVES = 12
"""Newton steps of a projection; near a singular position they converge slowly."""


class InterruptedRunError(Exception):
    """Ctrl-C was pressed in a compiled run: the states that it had reached, and its steps."""

    def __init__(self, states: Array, steps: int) -> None:
        super().__init__("interrupted")
        self.states, self.steps = states, steps


def by_mass(M: Array) -> Array:
    """(..., n): moves of each coordinate that have unit kinetic weight."""
    diagonal = np.diagonal(M, axis1=-2, axis2=-1)
    return np.asarray(1 / np.sqrt(np.where(diagonal > 0, diagonal, 1.0)))


def by_slope(J: Array, scales: Array) -> Array:
    """(..., c): factors that make constraints change by one along moves of unit kinetic weight."""
    slope = np.sqrt(((J * scales[..., None, :]) ** 2).sum(axis=-1))
    return np.asarray(1 / np.where(slope > 0, slope, 1.0))


def _apart(grid: Array) -> Array:
    """The places of times that are far enough from each other and from zero; the last is among them."""
    kept: list[int] = []
    before = 0.0
    for k in range(len(grid)):
        if grid[k] - before > CLOSEST:
            kept.append(k)
            before = float(grid[k])
    last = len(grid) - 1
    if kept and kept[-1] != last:  # it is near to the one before, which then gives way
        kept[-1] = last
    return np.array(kept, dtype=int)


@dataclass(frozen=True)
class Extent:
    """What a run has passed through whose states are not kept.

    The largest size of its kinetic energy, the least and the most of the energy at rest, and the least
    and the largest of each q and v.
    """

    kinetic: float
    least: float
    most: float
    low: Array
    high: Array


class MovingSystem:
    """A motion with numbers for its parameters, signals and scales.

    `signals` gives all signals at a time, those that laws give being ignored; where they are constant
    it is None and `u` holds them. `segments` say where time must be looked at closely, and `later` how
    the place of a jump between two times moves with each parameter. The arrays in which functions take
    their arguments are shared.
    """

    def __init__(
        self,
        motion: Motion,
        p: Array,
        u: Array,
        signals: Callable[[float], Array] | None,
        gains: tuple[float, float] = (0.0, 0.0),
    ) -> None:
        self.motion = motion
        self._signals = signals
        self._t, self._x = np.zeros(1), np.zeros(motion.size)
        self._p, self._u = (np.array(each, dtype=float) for each in (p, u))
        self._k = np.concatenate([np.ones(motion.n + motion.c), gains])
        self._calls: dict[str, Call] = {}
        self.segments: tuple[Segment, ...] = ()
        self.later: Callable[[float, float], Array] | None = None
        self.extent: Extent | None = None
        self.begin()

    def __getstate__(self) -> dict[str, Any]:
        """It is sent without its compiled functions, which share its arrays."""
        return self.__dict__ | {"_calls": {}}

    def begin(self) -> None:
        """Count evaluations from here, and keep states to know how much energy moves."""
        self.evaluations, self.engine = 0, Engine.CASADI
        self.samples: list[tuple[float, Array]] = []
        self._seen, self._stride = 0, 1

    def sample(self, t: float, x: Array) -> None:
        """Keep a state, or one of several where there are many."""
        self._seen += 1
        if self._seen % self._stride:
            return
        self.samples.append((t, np.array(x)))
        if len(self.samples) > MOST_SAMPLES:
            self.samples = self.samples[::2]
            self._stride *= 2

    def scaled_at(self, t: float, x: Array) -> MovingSystem:
        """This one with the scales of a position: coordinates by mass, constraints by slope."""
        M, J = self.run("matrices", t, x)
        n = self.motion.n
        s = by_mass(M)
        self._k[:n] = s
        self._k[n : n + self.motion.c] = by_slope(J, s)
        return self

    def canonical(self, t: float, x: Array) -> tuple[MovingSystem, Array]:
        """The same in coordinates and momenta, and a state (q, v, ...) as it takes it."""
        own, gains = self.motion, self._k[-2:]
        other = canonical_motion(own.system, own.laws, bool(gains.any()), own.redundant)
        flow = MovingSystem(other, self._p, self._u, self._signals)
        flow.segments, flow.later = self.segments, self.later
        flow._k[:] = self._k
        state, n = x.copy(), self.motion.n
        state[n : 2 * n] = flow.run("momenta", t, x)[0][:, 0]
        return flow, state

    def scaled_by(self, scales: Array) -> MovingSystem:
        """This one with given scales of the coordinates and constraints."""
        self._k[:-2] = scales
        return self

    @property
    def scales(self) -> Array:
        """(n,): a move of this size in each coordinate has unit kinetic weight."""
        return self._k[: self.motion.n]

    @property
    def parameters(self) -> Array:
        """(number of parameters,)"""
        return self._p

    @property
    def all_scales(self) -> Array:
        """(n + c + 2,): those of coordinates and constraints, and Baumgarte's constants."""
        return self._k

    def _called(self, name: str, t: float, x: Array) -> Call:
        """One of the compiled functions with its results at (t, x)."""
        if name not in self._calls:
            shared = (self._t, self._x, self._p, self._u, self._k)
            self._calls[name] = self.motion.in_place(name, shared)
        self._at(t, x)
        call = self._calls[name]
        call.run()
        return call

    def _at(self, t: float, x: Array) -> None:
        self._t[0] = t
        self._x[:] = x
        if self._signals is not None:
            self._u[:] = self._signals(t)

    def run(self, name: str, t: float, x: Array) -> list[Array]:
        """The dense results of one of the compiled functions."""
        return self._called(name, t, x).dense()

    def rate(self, t: float, x: Array) -> Array:
        """X'."""
        call = self._called("rate", t, x)
        self.evaluations += 1
        return call.results[0].copy()

    def rates(self, t: Array, x: Array) -> Array:
        """(T, size): x' at many times and states at once."""
        self.evaluations += len(t)
        return self.along("rate", t, x)[0][..., 0]

    def linear(self, t: float, x: Array) -> tuple[Array, Array, Array]:
        """M, K and C of M a + C v + K q = ..., next to a state without constraints."""
        n = self.motion.n
        M, slope = self.run("matrices", t, x)[0], self.slope(t, x)[n : 2 * n]
        return M, -M @ slope[:, :n], -M @ slope[:, n : 2 * n]

    def slope(self, t: float, x: Array) -> Array:
        """dx'/dx."""
        size = self.motion.size
        return self._called("slope", t, x).results[0].reshape(size, size).T.copy()

    @property
    def compiled(self) -> bool:
        """Whether nothing but compiled functions is needed: no signal is a Python function."""
        return self._signals is None

    def reached(
        self, implicit: bool, x: Array, times: Array, settings: Settings, most: int
    ) -> tuple[Array, int]:
        """The states at times after the first one by CVODES, (k, size), and its steps up to there.

        At most so many steps are taken between two times; k is less than all where these do not
        suffice, or the equations end. Time is counted in a unit of the whole run, so that the steps do
        not depend on the outputs, except for the last one, beyond which no step goes.

        Raises:
            InterruptedRunError: Ctrl-C was pressed meanwhile; it carries what was reached.
        """
        h = settings.unit
        grid = (times[1:] - times[0]) / h
        kept = _apart(grid)
        if not len(kept):
            return np.zeros((0, len(x))), 0
        tolerances = max(MARGIN * settings.rtol, TIGHTEST), MARGIN * settings.atol
        with interrupts_wait():  # CasADi would lose it while it looks at arguments
            start = np.array(x, dtype=float)
            p = np.concatenate([self._p, self._u, self._k, [times[0], h]])
            shares = tuple(grid[kept].tolist())
            leg = self.motion.run(implicit, start, p, shares, most, tolerances, settings.longest / h)
        pressed = interrupted(leg.run)  # what was reached before it failed stays in `states`
        count = self._sound(times[1:][kept], leg.states)
        evaluations, steps = leg.spent() if count else (0, 0)
        self.evaluations += evaluations
        states = self._filled(times, kept[:count], np.concatenate([start[None], leg.states[:count]]))
        if pressed:
            raise InterruptedRunError(states, steps)
        return states, steps

    def _sound(self, times: Array, found: Array) -> int:
        """How many states in a row are finite, the rate at the last of them too."""
        bad = ~np.isfinite(found).all(axis=1)
        count = int(np.argmax(bad)) if bad.any() else len(found)
        while count and not np.isfinite(self.rate(float(times[count - 1]), found[count - 1])).all():
            count -= 1
        return count

    def _filled(self, times: Array, kept: Array, states: Array) -> Array:
        """States at all times up to the last one kept, from those at the start and the ones kept.

        What was left out is so near to its neighbour that a tangent reaches it to all digits.
        """
        if not len(kept):
            return states[1:]
        places = np.concatenate([[-1], kept])
        found = np.empty((kept[-1] + 1, states.shape[1]))
        found[kept] = states[1:]
        for k in np.setdiff1d(np.arange(kept[-1] + 1), kept).tolist():
            near = int(np.argmin(np.abs(times[places + 1] - times[k + 1])))
            t = float(times[places[near] + 1])
            found[k] = states[near] + (times[k + 1] - t) * self.rate(t, states[near])
        return found

    def varied(
        self, x: Array, times: Array, rtol: float, most: int = MOST_VARIED
    ) -> tuple[Array, Array, Array]:
        """The states at the times, and how changes of the start and of the parameters have grown.

        (T, size); (T, 2n, 2n) by q and v at the first time; (T, 2n, parameters + 1) by the parameters
        and by the first time. From one time to the next it takes so many steps at most.

        Raises:
            StuckError: CVODES did not get there, or an input is a Python function.
        """
        if not self.compiled:
            raise StuckError("an input that is a Python function has no derivative")
        n, count = 2 * self.motion.n, len(self._p)
        start = np.concatenate([x, np.eye(n, n + count + 1).reshape(-1, order="F")])
        parts = within(self.segments, float(times[0]), float(times[-1]))
        if not parts:
            parts = (Segment(float(times[0]), float(times[-1]), np.inf),)
        found = [start[None]]
        now, state = float(times[0]), start
        for part in parts:
            if part.start > now > times[0]:
                state = self._past(now, part.start, state, n, count)
            inside = times[(times > now) & (times <= part.end)]
            grid = np.unique(np.concatenate([inside[inside > part.start], [part.end]]))
            ends = self._varied_part(state, part, grid, rtol, most)
            early = int((inside <= part.start).sum())  # in the very place of a jump
            found.append(np.repeat(state[None], early, axis=0))
            found.append(ends[: len(inside) - early])
            now, state = part.end, ends[-1]
        found.append(np.repeat(state[None], int((times > now).sum()), axis=0))
        whole = np.concatenate(found)
        grown = whole[:, len(x) :].reshape(len(times), n + count + 1, n).swapaxes(1, 2)
        return whole[:, : len(x)], grown[:, :, :n], grown[:, :, n:]

    def _varied_part(self, state: Array, part: Segment, grid: Array, rtol: float, most: int) -> Array:
        """A segment of variational equations: the states with their growths at the times."""
        h = part.end - part.start
        shares = tuple(((grid - part.start) / h).tolist())
        rtol = max(rtol, part.finest)
        grown = self.motion.varied(shares, most, (rtol, 1e-3 * rtol), part.longest / h)
        p = np.concatenate([self._p, self._u, self._k, [part.start, h]])
        try:
            with interrupts_wait():
                return grown(state, p)
        except RuntimeError as error:
            raise StuckError("its variational equations cannot be integrated") from error

    def _past(self, before: float, after: float, state: Array, n: int, count: int) -> Array:
        """States with growths behind a jump in time: a later jump has changed the rate for longer."""
        size = self.motion.size
        x, grown = state[:size], state[size:].reshape(n + count + 1, n).copy()
        if not self.motion.in_momenta:
            p = [self.run("momenta", time, x)[0] for time in (before, after)]
            if np.abs(p[1] - p[0]).max(initial=0) > JUMPS * np.abs(p[0]).max(initial=1e-300):
                raise StuckError("velocities jump with the masses in time")
        gap = after - before
        rates = [self.rate(time, x)[:n] for time in (before, after)]
        moved = x.copy()
        moved[:n] += gap / 2 * (rates[0] + rates[1])
        shift = self.later(before, after) if self.later is not None else np.full(count, np.nan)
        jump = rates[0] - rates[1]
        if np.abs(jump).max() > JUMPS * np.abs(rates).max():
            grown[n : n + count] += shift[:, None] * jump
            grown[n + count] -= jump
        return np.concatenate([moved, grown.reshape(-1)])

    def projected(self, t: float, x: Array) -> Array:
        """The nearest state that satisfies the constraints, in positions and velocities."""
        if not self.motion.c:
            return x
        n = self.motion.n
        for _ in range(MOST_MOVES):
            found, move = self._called("projected", t, x).results
            x = found.copy()
            x[np.abs(x) < NOTHING] = 0.0  # else squares of it underflow in error estimates
            moved = float(move[0]) if move.size else 0.0
            if not np.isfinite(x).all():
                raise StuckError("the constraints cannot be met")
            if moved <= max(NEAR * np.abs(x[:n] / self.scales).max(initial=0.0), STILL):
                self._refuse_violated(t, x)
                return x
        raise StuckError("the constraints cannot be met")

    def _refuse_violated(self, t: float, x: Array) -> None:
        """Constraints that disagree are not met however small the last move was, nor are those whose
        matrix has become singular.
        """
        n = self.motion.n
        phi = self.run("held", t, x)[0][:, 0]
        places = np.flatnonzero(self.motion.system.is_holonomic)
        off = np.abs(phi * self._k[n + places]).max(initial=0.0)
        if not off <= max(HELD * np.abs(x[:n] / self.scales).max(initial=0.0), STILL):
            raise StuckError("the constraints contradict each other")

    def stacked(self, t: float, x: Array, q: Array) -> list[Array]:
        """The arguments of compiled functions at positions q (N, n), all else being as in x."""
        count = len(q)
        states = np.tile(x, (count, 1))
        states[:, : self.motion.n] = q
        self._at(t, x)
        time, p, u, k = (
            np.broadcast_to(each, (count, len(each))) for each in (self._t, self._p, self._u, self._k)
        )
        return [time, states, p, u, k]

    def held_sizes(self, t: float, x: Array) -> list[Array]:
        """What is added up in the holonomic phi, and in the rates of all constraints."""
        self._at(t, x)
        arguments = [each[None] for each in (self._t, self._x, self._p, self._u, self._k)]
        return [each[0, :, 0] for each in self.motion.held_sizes(arguments)]

    def watched(self, expressions: Sequence[sympy.Expr]) -> Callable[[float, Array], Array]:
        """A function of (t, x) that gives values and rates (2, k) of expressions along the motion."""
        found = self.motion.watched(expressions)

        def values(t: float, x: Array) -> Array:
            rate = self.rate(t, x)
            return found(t, x, self._p, self._u, self._k, rate)

        return values

    def signals(self, t: Array) -> Array:
        """(T, signals): all signals at many times."""
        if self._signals is None:
            return np.broadcast_to(self._u, (len(t), len(self._u)))
        return np.stack([self._signals(float(time)) for time in t])

    def along(self, name: str, t: Array, x: Array) -> list[Array]:
        """Results of one of the compiled functions at many points, (T, rows, columns) each."""
        u = self.signals(t)
        fixed = [np.broadcast_to(each, (len(t), len(each))) for each in (self._p, self._k)]
        return self.motion.at_points(name, (t[:, None], x, fixed[0], u, fixed[1]))
