"""The verb `simulate`: motion from a start, with constraints, inputs and events."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np

from routh.analysis import stopping
from routh.analysis.canonical import by_momenta
from routh.analysis.flow import MovingSystem
from routh.analysis.gathering import gathered
from routh.analysis.integration import integrate
from routh.analysis.options import (
    checked_method,
    checked_stabilization,
    checked_times,
    checked_tolerance,
)
from routh.analysis.phases import StickSlip
from routh.analysis.progress import Tick, shown_progress
from routh.analysis.run import Run
from routh.analysis.settings import FEWEST, MULTISTEP, Settings
from routh.analysis.signals import Signals, signals
from routh.analysis.start import Start, projected, refuse_inconsistent, stated
from routh.analysis.stick_slip import stick_slip, told_regularised
from routh.analysis.symplectic import refuse_driven, variational_run
from routh.analysis.trajectory import Statistics, Trajectory, with_error, with_variations
from routh.analysis.values import Conditions, Numbers, number, yes_or_no
from routh.analysis.watching import Watch, checked_events
from routh.errors import DeclarationError, DerivationError, Status, a_kind
from routh.kernels.batch import Array
from routh.kernels.motion import motion
from routh.language.events import Event
from routh.language.gates import checked_numeric, checked_system
from routh.language.system import System

FINE = 1e-10
"""Relative tolerances below this are met best by a one-step method of order eight."""

ADRIFT = 0.1
"""Share of the tolerances that steps get where nothing holds the constraints: errors add up."""

ABSOLUTE = 1e-12
"""Absolute tolerance of motions that are not small."""

UNITS = 1024
"""Parts of the whole time that a compiled run counts in."""

NEARBY = 1e-6
"""Share of the position by which it is moved to see how accelerations change."""

TIGHTER = 1e-2
"""The tolerance of the second run of check=True, compared with the first."""


@dataclass(frozen=True)
class _Plan:
    """All that the runs of one call have in common."""

    system: System
    driven: Signals
    events: tuple[Event, ...]
    method: str
    rtol: float
    atol: float | None
    stabilize: Any
    shown: bool
    form: str
    grid: Array
    """The output times that were asked for first: what else is asked for later takes the same steps."""


def simulate(
    system: System,
    values: Numbers,
    start: Numbers | Start,
    times: Any,
    *,
    inputs: Numbers | None = None,
    events: Sequence[Event] | Event | None = None,
    method: str = "auto",
    rtol: float = 1e-9,
    atol: float | None = None,
    stabilize: Any = "projection",
    check: bool = False,
    form: str = "lagrange",
    regularise: float | None = None,
    variations: bool = False,
    progress: bool = True,
) -> Trajectory | StickSlip:
    """The motion of a system from a start, at the times asked for.

    Arguments:
        system: the system; with constraints its equations are a DAE, solved in the form of index 1.
        values: a number or an array for each parameter; arrays broadcast and add leading axes.
        start: coordinates and velocities at the first time, like `{theta: 2.0, ddt(theta): 1.0}`, zero
            if not given; or what `consistent` returned.
        times: rising times of the outputs, the first being that of the start. Steps are chosen by
            the method, not by them.
        inputs: for each input a number, an expression in t (its derivatives are taken as needed), a
            feedback law (an expression with coordinates and velocities) or a Python function of time.
            What changes within a sixty-fourth of the run and within two outputs may be stepped over:
            ask for more outputs there.
        events: what `event(...)` made.
        method: "Adams" (CVODES, order up to 12), "BDF" (CVODES, stiff), "DOP853" (order 8), "Radau"
            (stiff), "variational" (symplectic, order 6: for long runs of conservative systems, in
            equal steps that rtol sets, with evenly spaced times), or "auto": Adams without
            constraints, events and Python functions, DOP853 with them or for rtol < 1e-10, and the
            stiff companion where eigenvalues show that it pays.
        rtol: relative tolerance of each step.
        atol: absolute tolerance of each step; if not given 1e-12, or less where the motion is small.
        stabilize: "projection" onto positions and velocities after each step, (alpha, beta) for
            Baumgarte's phi'' + 2 alpha phi' + beta^2 phi = 0, or None.
        check: whether to run again at a hundredth of the tolerances: the result is the finer run, and
            `global_error` says how far the two are apart.
        form: "lagrange" integrates coordinates and velocities, "hamilton" coordinates and momenta by
            the canonical equations: for systems without constraints and events.
        regularise: with friction, a slip velocity over which it is made smooth instead of finding what
            sticks; the message says what that costs.
        variations: whether to integrate the variational equations too: `motion.transition` is how
            changes of the start grow, `motion.sensitivity` the derivatives by the parameters.
        progress: whether long runs show a bar in the terminal. Ctrl-C ends a run and keeps what it has.

    Returns:
        The motion as far as it got, a `Trajectory`: look at `completed`, `status` and `message`. Of a
        system with friction it is a `StickSlip`, in phases of sticking and slipping.

    Raises:
        DeclarationError: for anything that is missing, unknown or inconsistent.
        SolveError: the equations do not determine the accelerations at the start.

    Example:
        >>> from routh import coordinate, ddt, System
        >>> x = coordinate("x")
        >>> spring = System(kinetic=ddt(x) ** 2 / 2, potential=x**2 / 2)
        >>> motion = simulate(spring, {}, {x: 1.0}, [0, np.pi])
        >>> bool(abs(motion.q[-1, 0] + 1) < 1e-7)
        True
    """
    if checked_system(system, "simulate").friction:
        return _with_friction(
            system, values, start, times, inputs, events, regularise,
            {"method": method, "rtol": rtol, "atol": atol, "stabilize": stabilize, "progress": progress,
             "form": form, "check": check, "variations": variations},
        )  # fmt: skip
    if regularise is not None:
        raise DeclarationError(f"`regularise` is for friction, and {system.title} has none.")
    checked_numeric(system, "simulate")
    yes_or_no(check, "check")
    yes_or_no(progress, "progress")
    grid = checked_times(times)
    driven = signals(system, inputs)
    watched = checked_events(system, events)
    plan = _Plan(
        system=system,
        driven=driven,
        events=watched,
        method=checked_method(method),
        rtol=checked_tolerance(rtol, "rtol"),
        atol=None if atol is None else checked_tolerance(atol, "atol"),
        stabilize=checked_stabilization(stabilize),
        shown=progress,
        form=_checked_form(form, system, method, watched),
        grid=grid,
    )
    if plan.method == "variational":
        refuse_driven(system, grid)
        if watched:
            raise DeclarationError(
                '`events` need steps of any size; method="variational" takes equal ones.'
            )
    given, q, v = stated(system, values, driven, start)
    plan = replace(plan, system=given.system)
    yes_or_no(variations, "variations")
    if variations:
        if watched:
            raise DeclarationError(
                "`variations` are those of a smooth motion; events are not differentiated. Leave out"
                " one of them."
            )
        found = _run(plan, given, np.concatenate([q, v], axis=1), grid)
        return with_variations(found)
    found = _run(plan, given, np.concatenate([q, v], axis=1), grid)
    if not check or np.any(found.ended == Status.INTERRUPTED):
        return found
    atol = None if plan.atol is None else TIGHTER * plan.atol
    finer = replace(plan, rtol=TIGHTER * plan.rtol, atol=atol)
    second = _run(finer, given, np.concatenate([q, v], axis=1), grid)
    if np.any(second.ended == Status.INTERRUPTED):
        return found
    return with_error(found, second)


def _with_friction(
    system: System,
    values: Numbers,
    start: Any,
    times: Any,
    inputs: Any,
    events: Any,
    regularise: float | None,
    options: dict[str, Any],
) -> Trajectory | StickSlip:
    """The motion of a system with friction, in phases or regularised."""
    if regularise is not None:
        smooth = system.regularised(regularise)
        found = simulate(smooth, values, start, times, inputs=inputs, events=events, **options)
        assert isinstance(found, Trajectory)
        return told_regularised(system, found, float(regularise))
    if options["form"] != "lagrange" or options["check"] or options["variations"]:
        raise DeclarationError(
            'Motion with friction goes in phases, with form="lagrange", without check and variations.'
            " Give none of them, or regularise=, which makes friction smooth."
        )
    if not isinstance(start, Mapping):
        raise DeclarationError(
            "A motion with friction starts from coordinates and velocities, like {x: 1.0}. Got"
            f" {a_kind(start)}."
        )
    options = {name: options[name] for name in ("method", "rtol", "atol", "stabilize", "progress")}

    def run(
        phase: System, own: Any, state: Any, grid: Array, law: Any, watched: Any, small: float
    ) -> Trajectory:
        more = options if options["atol"] is not None else options | {"atol": small}
        found = simulate(phase, own, state, grid, inputs=law, events=watched, **more)
        assert isinstance(found, Trajectory)
        return found

    watched = checked_events(system, events)
    grid = checked_times(times)
    return stick_slip(run, system, values, start, grid, inputs, watched, options["rtol"])


def _checked_form(form: object, system: System, method: str, events: tuple[Event, ...]) -> str:
    if form not in ("lagrange", "hamilton"):
        raise DeclarationError(f'`form` must be "lagrange" or "hamilton". Got {form!r}.')
    if form == "hamilton":
        against = (
            "constraints" if system.constraints
            else "events" if events
            else 'method="variational"' if method == "variational"
            else ""
        )  # fmt: skip
        if against:
            raise DeclarationError(
                f'form="hamilton" integrates coordinates and momenta, without {against}. Use'
                ' form="lagrange".'
            )
    return str(form)


def _run(plan: _Plan, given: Conditions, x: Array, times: Array) -> Trajectory:
    """All runs of a batch, one after the other."""
    runs, flows, statistics = [], [], []
    with shown_progress(
        float(times[0]), float(times[-1]), shown=plan.shown and not given.shape
    ) as tick:
        for k in range(given.count):
            began = perf_counter()
            flow, run = _single(plan, given, k, x[k], times, tick)
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
        rtol=plan.rtol,
        watched=plan.events,
        again=partial(_again, plan, given, x),
    )


def _single(
    plan: _Plan, given: Conditions, k: int, state: Array, times: Array, tick: Tick
) -> tuple[MovingSystem, Run]:
    """One run."""
    baumgarte = isinstance(plan.stabilize, tuple)
    gains = plan.stabilize if baumgarte else (0.0, 0.0)
    u, moving = plan.driven.at(plan.system, given, k)
    t = float(times[0])

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
    project = plan.stabilize == "projection" and bool(plan.system.constraints)
    if plan.system.constraints:
        x = projected(flow, t, x)
    watch = Watch(flow, plan.events) if plan.events else None
    method = plan.method
    if method == "auto":
        alone = flow.compiled and not (plan.system.constraints or watch)
        method = "Adams" if alone and plan.rtol >= FINE else "DOP853"
    gap = float(np.diff(times).min())
    span = float(times[-1] - times[0])
    often = min(float(np.diff(plan.grid).max()), span / FEWEST)
    longest = often if flow.motion.timed or not flow.compiled else np.inf
    drifting = bool(plan.system.constraints) and plan.stabilize is None
    share = ADRIFT if drifting else 1.0
    if method in MULTISTEP:
        _refuse_multistep(plan, flow, project)
    atol = plan.atol if plan.atol is not None else _small(flow, t, x, plan.rtol, span)
    settings = Settings(
        method,
        share * plan.rtol,
        share * atol,
        plan.method == "auto",
        project,
        gap,
        longest,
        span / UNITS,
    )
    flow.begin()
    if method == "variational":
        if flow.motion.redundant:
            raise DerivationError(
                'method="variational" needs constraints that do not depend on each other. Leave out'
                " those that follow from others."
            )
        return flow, variational_run(flow, times, x, plan.rtol, tick)
    if plan.form == "hamilton":
        return flow, by_momenta(flow, times, x, settings, tick)
    return flow, integrate(flow, times, x, settings, watch, tick)


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


def _refuse_multistep(plan: _Plan, flow: MovingSystem, project: bool) -> None:
    """Refuse what a compiled multistep run has no place for."""
    reason = (
        "a Python function as input" if not flow.compiled
        else "events" if plan.events
        else 'stabilize="projection" (but stabilize=(alpha, beta))' if project
        else ""
    )  # fmt: skip
    if reason:
        raise DeclarationError(
            f'method="{plan.method}" is a compiled run that keeps its past, and cannot take {reason}.'
            ' Use method="DOP853", or "Radau" for stiff equations.'
        )


def _again(plan: _Plan, given: Conditions, x: Array, old: Array, last: float, times: Any) -> Trajectory:
    """The same motion at other times, up to the last one that it reached."""
    if plan.method == "variational":
        raise DeclarationError(
            "A variational run has equal steps, and no states between them: simulate it with the times"
            " that are wanted."
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
    found = _run(plan, given, x, whole)
    chosen = slice(0 if first else 1, min(len(found.t), len(grid) + (0 if first else 1)))
    cut = {name: getattr(found, name)[..., chosen, :] for name in ("q", "v")}
    return replace(found, t=found.t[chosen], work=found.work[..., chosen], **cut)
