"""The runs of a batch at once, by compiled code on all cores, as far as it is sure of them.

It takes smooth motions: without Python functions, with nothing narrow in time; constraints are kept by
projection. What it is not sure of (equations that are stiff, singular or not finite, constraints that
depend on each other, steps that chatter or become too small) is left to the methods that go run by run,
so that answers do not depend on the engine; and so are runs along which an event may have happened.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from routh.analysis.given.conditions import Conditions
from routh.analysis.given.required import moving
from routh.analysis.motion.asked import Plan
from routh.analysis.motion.endless import frequencies, surely_ends
from routh.analysis.motion.flow import by_mass, by_slope
from routh.analysis.motion.flows import Table
from routh.analysis.motion.held_starts import Held
from routh.analysis.motion.integrators.base import Route
from routh.analysis.motion.integrators.one_step import DOP853, RADAU
from routh.analysis.motion.integrators.stepping import CRAWL, PACE, VAIN
from routh.analysis.motion.integrators.stiffness import LARGEST, are_stiff
from routh.analysis.motion.settings import PROJECTION
from routh.analysis.motion.smallness import small
from routh.analysis.motion.trust import are_loose
from routh.analysis.time.segments import is_even
from routh.arrays import Array
from routh.kernels.engine import Engine
from routh.kernels.kernel import kernel
from routh.kernels.motion import motion
from routh.kernels.motion_engine import Fleet, Motion, Watched
from routh.numerics.steppers import TIGHTEST

Mask = NDArray[np.bool_]

BALANCED, AT_ONCE = 10.0, 1500
"""With method="auto" the power balance is to be kept to so many times rtol in so many evaluations,
since errors add up. Ordinary motions leave up to half of that at default tolerances, sharp turns twice
as much and more."""

CLOSER = 1e-2
"""Share of the tolerances that a run gets when it is made again for its power balance."""

DETERMINED = 1e-10
"""Least eigenvalue of masses, scaled to ones, that surely determine all accelerations."""

STAGES, AROUND = 12, 2000
"""Evaluations of a step, and those that take as long as all that is around a run that goes by itself;
measured. One step a radian of the fastest oscillation is less than it takes."""


@dataclass(frozen=True)
class Together:
    """Runs that went at once; rows are runs.

    Attributes:
        table: their numbers.
        states: (N, T, size) at the outputs, NaN where they are not reached.
        arrived: (N,) which got to the end.
        left: (N,) which are left to others.
        t: (N,) where those are that were interrupted.
        shares, atol: (N,) the share of the tolerances that they had, and the absolute one.
        steps, evaluations: (N,)
        seconds: of all.
        engine: what made them.
    """

    table: Table
    states: Array
    arrived: Mask
    left: Mask
    t: Array
    shares: Array
    atol: Array
    steps: NDArray[np.int64]
    evaluations: NDArray[np.int64]
    seconds: float
    engine: Engine

    @property
    def method(self) -> str:
        """The method of all of them."""
        return RADAU.name if self.table.plan.options.method == RADAU.name else DOP853.name

    def chosen(self, index: NDArray[np.intp]) -> Together:
        """Some of them."""
        rows = ("states", "arrived", "left", "t", "shares", "atol", "steps", "evaluations")
        own = ("p", "u", "scales", "extents")
        table = replace(self.table, **{name: getattr(self.table, name)[index] for name in own})
        return replace(self, table=table, **{name: getattr(self, name)[index] for name in rows})


def together(
    plan: Plan, given: Conditions, x: Array, times: Array, routes: Sequence[Route]
) -> Together | None:
    """The runs that compiled code takes, if it takes any; along `routes` of before if there are any."""
    options = plan.options
    own = [route.engine.compiles for route in routes]
    if options.engine is Engine.CASADI or (routes and not any(own)) or not _fits(plan, given):
        return None
    began = perf_counter()
    engine = motion(plan.system, plan.driven.laws, False, False)
    ensemble = _Ensemble(plan, engine, given, x, times)
    by = routes[own.index(True)].engine if routes else options.engine
    watched, implicit = _watched(plan), options.method == RADAU.name
    if not engine.compiled(by, ensemble.foreseen, watched, implicit=implicit):
        return None
    shares = np.array([route.share for route in routes]) if routes else np.ones(given.count)
    sure = np.array(own) if routes else ensemble.sure
    found = ensemble.run(sure, shares)
    if options.free and not routes:
        found = ensemble.closer(found)
    return replace(found, seconds=perf_counter() - began)


def _fits(plan: Plan, given: Conditions) -> bool:
    """Whether nothing but smooth equations is to be integrated."""
    options, laws = plan.options, tuple(law for _, law in plan.driven.laws)
    return (
        options.form == "lagrange"
        and (options.free or options.method in (DOP853.name, RADAU.name))
        and not (plan.system.constraints and options.method == RADAU.name)
        and not (plan.system.constraints and options.stabilize != PROJECTION)
        and not (plan.events and (plan.system.constraints or options.method == RADAU.name))
        and not plan.driven.functions
        and not (plan.system.shapes or options.modes or moving(plan.system) or given.inputs_move)
        and is_even(plan.system, (*laws, *(event.expression for event in plan.events)))
    )


def _watched(plan: Plan) -> Watched:
    return tuple((event.expression, event.direction) for event in plan.events)


class _Ensemble:
    """A batch that compiled code may take."""

    def __init__(self, plan: Plan, engine: Motion, given: Conditions, x: Array, times: Array) -> None:
        self._plan, self._engine, self._times = plan, engine, times
        self._p, self._u = given.p, given.signals_at(kernel(plan.system), 0.0)
        self._x = np.zeros((given.count, engine.size))
        self._x[:, : x.shape[1]] = x
        self._last = float(plan.grid[-1])
        self._span = self._last - float(plan.grid[0])
        ones = np.ones((given.count, engine.n + engine.c + 2))
        with np.errstate(all="ignore"):
            self._M, J = self._at("matrices", self._x, ones)
            self._scales = by_mass(self._M)
            self._k = ones
            self._k[:, : engine.n] = self._scales
            self._sure = np.ones(given.count, dtype=bool)
            if engine.c:
                self._k[:, engine.n : -2] = by_slope(J, self._scales)
                held = Held(engine, float(plan.grid[0]), (self._p, self._u, self._k))
                self._x, self._sure = held.started(self._x, J)
            self._frequency = frequencies(self._rates, self._scales, self._x)

    def _at(self, name: str, x: Array, k: Array, index: slice | Mask = slice(None)) -> list[Array]:
        t = np.full((len(x), 1), float(self._plan.grid[0]))
        return self._engine.at_points(name, (t, x, self._p[index], self._u[index], k[index]))

    def _rates(self, x: Array) -> Array:
        return self._at("rate", x, self._k)[0][..., 0]

    @property
    def foreseen(self) -> float:
        """Evaluations that all runs take, at least, and what is around them."""
        radians = np.nan_to_num(self._frequency) * self._span
        with np.errstate(over="ignore"):
            return float((STAGES * radians + AROUND).sum())

    @property
    def sure(self) -> Mask:
        """(N,): which runs can be begun without a closer look."""
        engine = self._engine
        finite = np.isfinite(self._rates(self._x)).all(axis=1)
        finite &= np.isfinite(self._M).all(axis=(1, 2))
        scaled = self._M * self._scales[:, :, None] * self._scales[:, None, :]
        scaled[~finite] = 0.0
        found = finite & (np.linalg.eigvalsh(scaled)[:, 0] > DETERMINED)
        if not engine.damped:
            found &= surely_ends(self._frequency, self._span)
        return (
            found & self._sure & ~self._stiff(self._plan.grid[0] * np.ones(len(found)), self._x, found)
        )

    def _stiff(self, t: Array, x: Array, among: Mask) -> Mask:
        """(N,): which of some runs are better made by an implicit method."""
        found = np.zeros(len(x), dtype=bool)
        engine = self._engine
        if not (self._plan.options.free and engine.damped and engine.size <= LARGEST and among.any()):
            return found
        arguments = (t[among, None], x[among], self._p[among], self._u[among], self._k[among])
        slopes = engine.at_points("slope", arguments)[0]
        found[among] = are_stiff(slopes, self._last - t[among])
        return found

    def run(self, which: Mask, shares: Array) -> Together:
        """Some of the runs with shares of the tolerances; the others are left."""
        plan, options = self._plan, self._plan.options
        given = options.atol
        atol = (
            small(self._rates, self._engine.n, self._x, options.rtol, self._span)
            if given is None
            else np.full(len(which), given)
        )
        tolerances = np.stack([np.maximum(shares * options.rtol, TIGHTEST), shares * atol], axis=1)
        longest = plan.often if self._engine.timed else np.inf
        begun = self._engine.fleet(
            self._x, (self._p, self._u, self._k), tolerances, self._times, self._last, longest,
            options.engine, _watched(plan), float(np.diff(plan.grid).min()),
            implicit=options.method == RADAU.name,
        )  # fmt: skip
        begun.give_up(~which)
        pressed = self._go(begun)
        energies = begun.energies
        columns = [energies[name][:, None] for name in ("kinetic", "least", "most")]
        extents = np.concatenate([*columns, *begun.ranges], axis=1)
        table = Table(plan, self._engine, self._p, self._u, self._k[:, :-2], extents)
        loose = are_loose(energies, begun.ranges, self._engine.n, self._allowed(begun))
        self._loose = begun.arrived & loose
        arrived = begun.arrived & ~(loose & bool(self._engine.c))  # it may be held, and not move
        left = ~arrived & ~(begun.going | pressed)
        return Together(
            table, begun.states, arrived, left, begun.t, shares, shares * atol, begun.steps,
            begun.evaluations, 0.0, options.engine.target,
        )  # fmt: skip

    def _allowed(self, begun: Fleet) -> Array:
        return BALANCED * self._plan.options.rtol * np.maximum(1.0, begun.evaluations / AT_ONCE)

    def _go(self, begun: Fleet) -> bool:
        """To the end, or as far as it gets; whether Ctrl-C was pressed, wherever it struck."""
        try:
            while begun.going.any():
                before, spent = begun.t.copy(), begun.evaluations.copy()
                begun.go(PACE)
                going = begun.going
                slow = begun.t - before < CRAWL * self._span
                chatters = slow & (begun.evaluations - spent > VAIN * PACE)
                begun.give_up(going & (chatters | self._stiff(begun.t, begun.x, going)))
        except KeyboardInterrupt:
            return True
        return False

    def closer(self, found: Together) -> Together:
        """With runs made again whose power balance shows that the tolerances do not suffice."""
        loose = self._loose
        if self._engine.c or not loose.any() or CLOSER * self._plan.options.rtol < TIGHTEST:
            return found
        finer = self.run(loose, np.where(loose, CLOSER, 1.0))
        better = loose & finer.arrived
        names = ("states", "shares", "atol", "steps", "evaluations")
        rows: dict[str, Any] = {
            name: _chosen(better, getattr(finer, name), getattr(found, name)) for name in names
        }
        extents = _chosen(better, finer.table.extents, found.table.extents)
        return replace(found, table=replace(found.table, extents=extents), **rows)


def _chosen(which: Mask, one: Array, other: Array) -> Array:
    return np.where(which.reshape(-1, *[1] * (one.ndim - 1)), one, other)
