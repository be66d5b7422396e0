"""The runs of one call: prepared, made, made again with other outputs.

Dense evaluation runs the motion again with other outputs: steps do not depend on them. A multistep
method that is begun anew has lost its past, so a run remembers where it was (its legs), and is begun
anew there again: the same motion bit by bit. How a run is divided, which method goes on, when it is
given up: all of it counts instructions, steps and stops, never seconds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np

from routh.analysis.given.conditions import Conditions
from routh.analysis.given.numbers import number
from routh.analysis.motion import stopping
from routh.analysis.motion.asked import Plan
from routh.analysis.motion.endless import refuse_endless
from routh.analysis.motion.event_watch import Watch
from routh.analysis.motion.flow import MovingSystem
from routh.analysis.motion.gathering import Made, gathered
from routh.analysis.motion.integrators.base import Integrator, Route, Run, Statistics
from routh.analysis.motion.integrators.methods import METHODS, automatic
from routh.analysis.motion.integrators.modal import rings
from routh.analysis.motion.integrators.modal_cut import ModalCut
from routh.analysis.motion.integrators.momenta import FORMS
from routh.analysis.motion.progress import Tick, shown_progress
from routh.analysis.motion.settings import UNITS, Settings
from routh.analysis.motion.smallness import small
from routh.analysis.motion.starts.start import projected, refuse_inconsistent
from routh.analysis.motion.together import AT_ONCE, BALANCED, CLOSER, together
from routh.analysis.motion.trajectory import ARRIVED, Trajectory
from routh.analysis.motion.trust import is_loose
from routh.analysis.time.segments import is_plain, segments, shifted
from routh.arrays import Array
from routh.errors import DeclarationError, Status
from routh.kernels.engine import Engine
from routh.kernels.motion import motion
from routh.numerics.steppers import TIGHTEST

ADRIFT = 0.1
"""Share of the tolerances that steps get where nothing holds the constraints: errors add up."""


def run_all(
    plan: Plan, given: Conditions, x: Array, times: Array, routes: Sequence[Route] = ()
) -> Trajectory:
    """All runs of a batch, along `routes` of before if there are any.

    Those that compiled code takes go at once, and all others one after the other.
    """
    compiled = together(plan, given, x, times, routes)
    others = np.arange(given.count) if compiled is None else np.flatnonzero(compiled.left)
    one_by_one: dict[int, Made] = {}
    with shown_progress(
        float(times[0]), float(times[-1]), shown=plan.options.progress and not given.shape
    ) as tick:
        for k in others.tolist():
            began = perf_counter()
            flow, run = _single(plan, given, k, x[k], times, tick, routes[k] if routes else None)
            seconds = perf_counter() - began
            cost = (run.steps, flow.evaluations, seconds, run.seconds)
            one_by_one[k] = Made(flow, run, Statistics(tuple(run.methods), *cost))
            if run.status is Status.INTERRUPTED:
                break
    if len(one_by_one) < len(others):  # interrupted: the runs that were begun
        begun = np.setdiff1d(np.arange(given.count), others[len(one_by_one) :])
        given, x = given.chosen(begun), x[begun]
        one_by_one = {int(np.searchsorted(begun, k)): made for k, made in one_by_one.items()}
        compiled = None if compiled is None else compiled.chosen(begun)
    shares = np.ones(given.count) if compiled is None else compiled.shares
    made_by = Engine.CASADI if compiled is None else compiled.engine
    way = [
        one_by_one[k].run.route if k in one_by_one else Route((), float(shares[k]), made_by)
        for k in range(given.count)
    ]
    return gathered(
        given,
        times,
        one_by_one,
        compiled,
        plan,
        again=partial(_again, plan, given, x, way),
    )


def _single(
    plan: Plan,
    given: Conditions,
    k: int,
    state: Array,
    times: Array,
    tick: Tick,
    route: Route | None,
) -> tuple[MovingSystem, Run]:
    """One run; closer, where the power balance shows that the tolerances asked for do not suffice."""
    if route is not None:
        return _once(plan, given, k, state, times, tick, route)
    flow, run = _once(plan, given, k, state, times, tick, Route((), 1.0))
    if plan.options.free and run.status in ARRIVED and _is_loose(plan, flow, run):
        closer = _once(plan, given, k, state, times, tick, Route((), CLOSER), run.methods)
        if closer[1].status is run.status:
            return closer
    return flow, run


def _is_loose(plan: Plan, flow: MovingSystem, run: Run) -> bool:
    """Whether the power balance is known, and off by more than tolerances would explain."""
    known = plan.driven.tell(flow.motion.moving_energy)
    jumps = any(occurrence.event.change for occurrence in run.occurrences)
    rtol = plan.options.rtol
    room = CLOSER * rtol >= TIGHTEST
    allowed = BALANCED * rtol * max(1.0, flow.evaluations / AT_ONCE)
    return known and not jumps and room and is_loose(flow, allowed)


def _once(
    plan: Plan,
    given: Conditions,
    k: int,
    state: Array,
    times: Array,
    tick: Tick,
    route: Route,
    before: Sequence[str] = (),
) -> tuple[MovingSystem, Run]:
    """One run with a share of the tolerances; `before` are the methods of the one that had them all."""
    flow, x = started(plan, given, k, state)
    settings = _settings(plan, flow, x, route.share, before)
    cut = None
    if plan.options.modes is not None:
        cut = ModalCut.at(flow, float(plan.grid[0]), x, plan.options.modes)
        x, settings = cut.x, replace(settings, cut=cut)
    if not route.legs:
        refuse_endless(flow, float(times[0]), x, settings)
    flow.begin()
    watch = Watch(flow, plan.events) if plan.events else None
    run = FORMS[plan.options.form](flow, times, x, settings, watch, tick, route.legs)
    run.share = route.share
    run.left_out = cut.left_out(flow) if cut else None
    return flow, run


def started(plan: Plan, given: Conditions, k: int, state: Array) -> tuple[MovingSystem, Array]:
    """The compiled motion of one point of a batch with its numbers, and its state at the start."""
    stabilize = plan.options.stabilize
    baumgarte = isinstance(stabilize, tuple)
    gains = stabilize if baumgarte else (0.0, 0.0)
    u, moving = plan.driven.at(plan.system, given, k)
    t = float(plan.grid[0])

    def flow_of(redundant: bool) -> MovingSystem:
        engine = motion(plan.system, plan.driven.laws, baumgarte, redundant)
        return MovingSystem(engine, given.p[k], u, moving, gains)

    flow = flow_of(False)
    x = np.zeros(flow.motion.size)
    x[: len(state)] = state
    flow.scaled_at(t, x)
    if plan.system.constraints:
        refuse_inconsistent(flow, t, x)
    if stopping.is_redundant(flow, t, x):
        flow = flow_of(True).scaled_at(t, x)
    if plan.system.constraints:
        x = projected(flow, t, x)
    last = float(plan.grid[-1])
    laws = (*(law for _, law in plan.driven.laws), *(event.expression for event in plan.events))
    flow.segments = segments(plan.system, laws, given.p[k], t, last, _often(plan, flow))
    flow.later = partial(shifted, plan.system, laws, given.p[k])
    return flow, x


def _often(plan: Plan, flow: MovingSystem) -> float:
    """The largest step, where time enters the equations by what cannot be looked into."""
    return np.inf if not flow.motion.timed and flow.compiled else plan.often


def _settings(
    plan: Plan, flow: MovingSystem, x: Array, share: float, before: Sequence[str]
) -> Settings:
    """How to run."""
    options, constrained = plan.options, bool(plan.system.constraints)
    t, last = float(plan.grid[0]), float(plan.grid[-1])
    rtol = share * options.rtol
    project = constrained and options.stabilize == "projection"
    drifting = constrained and options.stabilize is None
    atol = options.atol if options.atol is not None else _small(flow, t, x, options.rtol, last - t)
    part = ADRIFT if drifting else 1.0
    return Settings(
        method=_method(plan, flow, x, rtol, before, project).name,
        rtol=part * rtol,
        atol=part * share * atol,
        free=options.free,
        project=project,
        gap=float(np.diff(plan.grid).min()),
        longest=min(_often(plan, flow), max(each.longest for each in flow.segments)),
        unit=(last - t) / UNITS,
        last=last,
        engine=options.engine,
    )


def _method(
    plan: Plan, flow: MovingSystem, x: Array, rtol: float, before: Sequence[str], project: bool
) -> Integrator:
    """The method that was asked for, if it takes all that was asked for, or one that does."""
    if plan.options.free:
        plain = is_plain(flow.segments, float(plan.grid[0]), float(plan.grid[-1]))
        alone = flow.compiled and not (plan.system.constraints or plan.events)
        t, last = float(plan.grid[0]), float(plan.grid[-1])
        ringing = plan.options.form == "lagrange" and rings(flow, t, x, last - t)
        return automatic(rtol, before, smooth=alone and plain, rings=ringing)
    method = METHODS[plan.options.method]
    reason = (
        "a Python function as input" if not flow.compiled and not method.takes_functions
        else "events" if plan.events and not method.takes_events
        else 'stabilize="projection" (but stabilize=(alpha, beta))'
        if project and not method.takes_projection
        else ""
    )  # fmt: skip
    if reason:
        raise DeclarationError(
            f'method="{method.name}" {method.nature}, and cannot take {reason}.'
            ' Use method="DOP853", or "Radau" for stiff equations.'
        )
    return method


def _small(flow: MovingSystem, t: float, x: Array, rtol: float, span: float) -> float:
    """The absolute tolerance of one run."""

    def rates(states: Array) -> Array:
        return np.stack([flow.rate(t, state) for state in states])

    return float(small(rates, flow.motion.n, x[None], rtol, span)[0])


def _again(
    plan: Plan,
    given: Conditions,
    x: Array,
    routes: Sequence[Route],
    old: Array,
    last: float,
    times: Any,
) -> Trajectory:
    """The same motion at other times, up to the last one that it reached."""
    method = METHODS.get(plan.options.method)
    if method and method.equal_steps:
        raise DeclarationError(
            f"A {method.name} run has equal steps, and no states between them: simulate it with the"
            " times that are wanted."
        )
    grid = np.atleast_1d(number(times, "`times`"))
    if grid.ndim != 1 or not grid.size or (np.diff(grid) <= 0).any():
        raise DeclarationError(f"A motion is read at rising times. Got {times!r}.")
    if grid[0] < old[0] or grid[-1] > last:
        raise DeclarationError(
            f"The motion is known from t = {old[0]:g} to {last:g}. Got times from {grid[0]:g} to"
            f" {grid[-1]:g}."
        )
    first = grid[0] == old[0]
    ends = grid[-1] == old[-1]  # the run must end where it ended, to take the same steps
    whole = np.concatenate([[] if first else old[:1], grid, [] if ends else old[-1:]])
    found = run_all(plan, given, x, whole, routes)
    chosen = slice(0 if first else 1, min(len(found.t), len(grid) + (0 if first else 1)))
    cut = {name: getattr(found, name)[..., chosen, :] for name in ("q", "v")}
    return replace(found, t=found.t[chosen], work=found.work[..., chosen], **cut)
