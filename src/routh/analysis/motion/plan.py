"""The runs of one call: prepared, made, made again with other outputs.

Dense evaluation runs the motion again with other outputs: steps do not depend on them. A multistep
method that is begun anew has lost its past, so a run remembers where it was (its legs), and is begun
anew there again: the same motion bit by bit. How a run is divided, which method goes on, when it is
given up: all of it counts instructions, steps and stops, never seconds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np

from routh.analysis.given.conditions import Conditions
from routh.analysis.given.numbers import number
from routh.analysis.motion import stopping
from routh.analysis.motion.endless import refuse_endless
from routh.analysis.motion.event_watch import Watch
from routh.analysis.motion.flow import MovingSystem
from routh.analysis.motion.gathering import gathered
from routh.analysis.motion.integrators.base import Integrator, Route, Run, Statistics
from routh.analysis.motion.integrators.methods import METHODS, automatic
from routh.analysis.motion.integrators.modal import rings
from routh.analysis.motion.integrators.modal_cut import ModalCut
from routh.analysis.motion.integrators.momenta import FORMS
from routh.analysis.motion.progress import Tick, shown_progress
from routh.analysis.motion.settings import FEWEST, UNITS, Options, Settings
from routh.analysis.motion.signals import Signals
from routh.analysis.motion.starts.start import projected, refuse_inconsistent
from routh.analysis.motion.trajectory import ARRIVED, Trajectory
from routh.analysis.motion.trust import is_loose
from routh.analysis.time.segments import is_plain, segments, shifted
from routh.arrays import Array
from routh.errors import DeclarationError, Status
from routh.kernels.motion import motion
from routh.language.events import Event
from routh.language.system import System
from routh.numerics.steppers import TIGHTEST

ADRIFT = 0.1
"""Share of the tolerances that steps get where nothing holds the constraints: errors add up."""

ABSOLUTE = 1e-12
"""Absolute tolerance of motions that are not small."""

NEARBY = 1e-6
"""Share of the position by which it is moved to see how accelerations change."""

BALANCED, AT_ONCE = 10.0, 1500
"""With method="auto" the power balance is to be kept to so many times rtol in so many evaluations,
since errors add up. Ordinary motions leave up to half of that at default tolerances, sharp turns twice
as much and more."""

CLOSER = 1e-2
"""Share of the tolerances that a run gets when it is made again for its power balance."""


@dataclass(frozen=True)
class Plan:
    """All that the runs of one call have in common."""

    system: System
    driven: Signals
    events: tuple[Event, ...]
    options: Options
    grid: Array
    """The output times that were asked for first: what else is asked for later takes the same steps."""
    basis_error: float | None = None
    """What the functions of fields leave out, where the tolerance of steps follows from it."""


def run_all(
    plan: Plan, given: Conditions, x: Array, times: Array, routes: Sequence[Route] = ()
) -> Trajectory:
    """All runs of a batch, one after the other; along `routes` of before if there are any."""
    runs, flows, statistics = [], [], []
    with shown_progress(
        float(times[0]), float(times[-1]), shown=plan.options.progress and not given.shape
    ) as tick:
        for k in range(given.count):
            began = perf_counter()
            flow, run = _single(plan, given, k, x[k], times, tick, routes[k] if routes else None)
            runs.append(run)
            flows.append(flow)
            seconds = perf_counter() - began
            cost = (run.steps, flow.evaluations, seconds, run.seconds)
            statistics.append(Statistics(tuple(run.methods), *cost))
            if run.status is Status.INTERRUPTED:
                break
    if len(runs) < given.count:  # interrupted: the runs that were begun
        given, x = given.chosen(np.arange(len(runs))), x[: len(runs)]
    return gathered(
        given,
        times,
        runs,
        flows,
        statistics,
        balanced=plan.driven.tell(flows[0].motion.moving_energy),
        rtol=plan.options.rtol,
        basis_error=plan.basis_error,
        watched=plan.events,
        again=partial(_again, plan, given, x, [run.route for run in runs]),
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
    if not flow.motion.timed and flow.compiled:
        return np.inf
    last = float(plan.grid[-1] - plan.grid[0])
    return min(float(np.diff(plan.grid).max()), last / FEWEST)


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
    """An absolute tolerance well below the sizes of positions and velocities at the start.

    The size of velocities is at least that which the accelerations give over the positions; one that
    moves nothing within the whole run is rounding.
    """
    n = flow.motion.n
    q, v = (float(np.abs(part).max(initial=0)) for part in (x[:n], x[n : 2 * n]))
    nearby = x.copy()
    nearby[:n] *= 1 + NEARBY
    rates = np.abs(flow.rate(t, x)[n : 2 * n])
    bend = np.abs(flow.rate(t, nearby)[n : 2 * n] - rates) / NEARBY
    a = float(np.where(rates > 1e-10 * bend, rates, 0.0).max(initial=0))  # what is no rounding
    speed = max(v, float(np.sqrt(q * a)))
    rounding = max(1e-10 * float(np.sqrt(q * bend.max(initial=0))), 1e-16 * q / span)
    sizes = [1e-3 * rtol * size for size in (q, speed if speed > rounding else 0.0) if size > 0]
    return float(max(min([ABSOLUTE, *sizes]), 1e-300))


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
