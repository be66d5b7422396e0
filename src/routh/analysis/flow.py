"""The compiled motion of one system under given numbers, as quick functions of (t, x)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import sympy

from routh.analysis.progress import interrupts_wait
from routh.analysis.settings import Settings
from routh.kernels.batch import Array, Batched
from routh.kernels.canonical import canonical_motion
from routh.kernels.motion import Motion
from routh.numerics.steppers import TIGHTEST, StuckError

NEAR = 1e-7
"""A projection that moves less than this share of the position is exact after it: Newton's method
squares it."""

STILL = 1e-13
"""A projection that moves less than this share of the scales has nothing to do, wherever it is."""

CLOSEST = 1e-8
"""Outputs closer than this, in units of the run, are left to another method: CasADi takes 1e-9 for
none."""

MARGIN = 0.1
"""CVODES gets this share of the tolerance: the global error of its methods is larger for the same one
than that of Runge-Kutta methods, and most of that is won back for a quarter more of time."""

MOST_SAMPLES = 2000
"""States of a run that are kept at once."""

NOTHING = 1e-100
"""What projections leave below this is zero."""

MOST_VARIED = 10**6
"""Steps of variational equations from one time to the next."""

HELD = 1e-6
"""Share of the position by which redundant constraints may be off after a projection."""

MOST_MOVES = 12
"""Newton steps of a projection; near a singular position they converge slowly."""


class MovingSystem:
    """A motion with numbers for its parameters, signals and scales.

    `signals` gives all signals at a time, those that laws give being ignored; where they are constant
    it is None and `u` holds them. The arrays in which functions take their arguments are shared.
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
        self._calls: dict[str, tuple[Any, Any, list[Array]]] = {}
        self.begin()

    def begin(self) -> None:
        """Count evaluations from here, and keep states to know how much energy moves."""
        self.evaluations = 0
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
        diagonal = np.diagonal(M)
        s = 1 / np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
        slope = np.sqrt(((J * s) ** 2).sum(axis=1))
        self._k[:n] = s
        self._k[n : n + self.motion.c] = 1 / np.where(slope > 0, slope, 1.0)
        return self

    def canonical(self, t: float, x: Array) -> tuple[MovingSystem, Array]:
        """The same in coordinates and momenta, and a state (q, v, ...) as it takes it."""
        other = canonical_motion(self.motion.system, self.motion.laws)
        flow = MovingSystem(other, self._p, self._u, self._signals)
        state, n = x.copy(), self.motion.n
        state[n : 2 * n] = flow.run("momenta", t, x)[0][:, 0]
        return flow, state

    @property
    def scales(self) -> Array:
        """(n,): a move of this size in each coordinate has unit kinetic weight."""
        return self._k[: self.motion.n]

    @property
    def parameters(self) -> Array:
        """(number of parameters,)"""
        return self._p

    def _call(self, name: str, function: Any) -> tuple[Any, Any, list[Array]]:
        """The function with its arguments and dense results laid out in memory."""
        buffer, run = function.buffer()
        for k, argument in enumerate((self._t, self._x, self._p, self._u, self._k)):
            if argument.size:
                buffer.set_arg(k, argument.data)
        results = []
        for k in range(function.n_out()):
            result = np.zeros(function.nnz_out(k))
            results.append(result)
            if result.size:
                buffer.set_res(k, result.data)
        self._calls[name] = (buffer, run, results)
        return self._calls[name]

    def _at(self, t: float, x: Array) -> None:
        self._t[0] = t
        self._x[:] = x
        if self._signals is not None:
            self._u[:] = self._signals(t)

    def run(self, name: str, t: float, x: Array) -> list[Array]:
        """The dense results of one of the compiled functions."""
        function = self.motion.function(name)
        call = self._calls.get(name) or self._call(name, function)
        self._at(t, x)
        call[1]()
        dense = []
        for k, values in enumerate(call[2]):
            pattern = function.sparsity_out(k)
            matrix = np.zeros(pattern.shape)
            matrix[pattern.row(), pattern.get_col()] = values
            dense.append(matrix)
        return dense

    def rate(self, t: float, x: Array) -> Array:
        """X'."""
        call = self._calls.get("rate") or self._call("rate", self.motion.function("rate"))
        self._at(t, x)
        call[1]()
        self.evaluations += 1
        return call[2][0].copy()

    def slope(self, t: float, x: Array) -> Array:
        """dx'/dx."""
        call = self._calls.get("slope") or self._call("slope", self.motion.function("slope"))
        self._at(t, x)
        call[1]()
        size = self.motion.size
        return call[2][0].reshape(size, size).T.copy()

    @property
    def compiled(self) -> bool:
        """Whether nothing but compiled functions is needed: no signal is a Python function."""
        return self._signals is None

    def reached(
        self, method: str, x: Array, times: Array, settings: Settings, most: int
    ) -> tuple[Array, int]:
        """The states at times after the first one by CVODES, (len - 1, size), and its steps.

        At most so many steps are taken between two times. Time is counted in a unit of the whole run,
        so that the steps do not depend on the outputs.

        Raises:
            StuckError: it did not get there.
            KeyboardInterrupt: Ctrl-C was pressed meanwhile.
        """
        h = settings.unit
        grid = (times[1:] - times[0]) / h
        if not (np.diff(grid, prepend=0.0) > CLOSEST).all():
            raise StuckError("outputs too close to each other to be told apart by CVODES")
        tolerances = max(MARGIN * settings.rtol, TIGHTEST), MARGIN * settings.atol
        run = self.motion.integrator(
            method, tuple(grid.tolist()), most, *tolerances, settings.longest / h
        )
        p = np.concatenate([self._p, self._u, self._k, [times[0], h]])
        try:
            with interrupts_wait():
                found = np.array(run(x0=x, p=p)["xf"]).T
        except RuntimeError as error:
            raise StuckError(str(error)) from error
        if not np.isfinite(np.concatenate([found[-1], self.rate(float(times[-1]), found[-1])])).all():
            raise StuckError("not finite")
        spent = run.stats()
        self.evaluations += int(spent["nfevals"])
        return found, int(spent["nsteps"])

    def varied(self, x: Array, times: Array, rtol: float) -> tuple[Array, Array, Array]:
        """The states at the times, and how changes of the start and of the parameters have grown.

        (T, size); (T, 2n, 2n) by q and v at the first time; (T, 2n, parameters + 1) by the parameters
        and by the first time.

        Raises:
            StuckError: CVODES did not get there, or an input is a Python function.
        """
        if not self.compiled:
            raise StuckError("an input that is a Python function has no derivative")
        n, count = 2 * self.motion.n, len(self._p)
        h = float(times[-1] - times[0])
        grid = tuple(((times[1:] - times[0]) / h).tolist())
        run = self.motion.varied(grid, MOST_VARIED, rtol, 1e-3 * rtol)
        start = np.concatenate([x, np.eye(n, n + count + 1).reshape(-1, order="F")])
        p = np.concatenate([self._p, self._u, self._k, [times[0], h]])
        try:
            with interrupts_wait():
                found = np.array(run(x0=start, p=p)["xf"]).T
        except RuntimeError as error:
            raise StuckError(str(error)) from error
        whole = np.concatenate([start[None], found])
        grown = whole[:, len(x) :].reshape(len(times), n + count + 1, n).swapaxes(1, 2)
        return whole[:, : len(x)], grown[:, :, :n], grown[:, :, n:]

    def projected(self, t: float, x: Array) -> Array:
        """The nearest state that satisfies the constraints, in positions and velocities."""
        if not self.motion.c:
            return x
        call = self._calls.get("projected") or self._call(
            "projected", self.motion.function("projected")
        )
        n = self.motion.n
        for _ in range(MOST_MOVES):
            self._at(t, x)
            call[1]()
            x = call[2][0].copy()
            x[np.abs(x) < NOTHING] = 0.0  # else squares of it underflow in error estimates
            moved = float(call[2][1][0]) if call[2][1].size else 0.0
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
        function = self.motion.values(expressions)

        def values(t: float, x: Array) -> Array:
            rate = self.rate(t, x)
            found = function(t, x, self._p, self._u, self._k, rate)
            return np.array([np.array(each)[:, 0] for each in found])

        return values

    def along(self, name: str, t: Array, x: Array) -> list[Array]:
        """Results of one of the compiled functions at many points, (T, rows, columns) each."""
        u = (
            np.stack([self._signals(float(time)) for time in t])
            if self._signals is not None
            else np.broadcast_to(self._u, (len(t), len(self._u)))
        )
        fixed = [np.broadcast_to(each, (len(t), len(each))) for each in (self._p, self._k)]
        return Batched(self.motion.function(name))(t[:, None], x, fixed[0], u, fixed[1])
