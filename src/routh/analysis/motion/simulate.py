"""The verb `simulate`: motion from a start, with constraints, inputs and events."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from routh.analysis.given.numbers import Numbers, yes_or_no
from routh.analysis.motion.event_watch import checked_events
from routh.analysis.motion.integrators.variational import refuse_driven
from routh.analysis.motion.options import (
    checked_method,
    checked_stabilization,
    checked_times,
    checked_tolerance,
    refuse_no_finer,
    refuse_too_many,
)
from routh.analysis.motion.phases import StickSlip
from routh.analysis.motion.plan import Plan, run_all
from routh.analysis.motion.signals import signals
from routh.analysis.motion.starts.start import Start, stated
from routh.analysis.motion.stick_slip import refuse_jumping_slip, stick_slip, told_regularized
from routh.analysis.motion.trajectory import Trajectory, with_error, with_variations
from routh.arrays import Array
from routh.errors import DeclarationError, Status, a_kind
from routh.language.events import Event
from routh.language.gates import checked_numeric, checked_system
from routh.language.system import System
from routh.numerics.steppers import ONE_STEP, TIGHTEST

TIGHTER = 1e-2
"""The tolerance of the second run of check=True, compared with the first."""


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
    regularize: float | None = None,
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
            What a Python function does within a sixty-fourth of the run and within two outputs may be
            stepped over: ask for more outputs there. Expressions in t may be as narrow as they like.
        events: what `event(...)` made.
        method: "Adams" (CVODES, order up to 12), "BDF" (CVODES, stiff), "DOP853" (order 8), "Radau"
            (stiff), "variational" (symplectic, order 6: for long runs of conservative systems, in
            equal steps that rtol sets, with evenly spaced times), or "auto": Adams without
            constraints, events and Python functions, DOP853 with them or for rtol < 1e-10, and the
            stiff companion where eigenvalues show that it pays. A run by "auto" whose power balance is
            off by more than 10 rtol in 1500 evaluations is made again at a hundredth of the tolerances.
        rtol: relative tolerance of each step, 1e-13 at least.
        atol: absolute tolerance of each step; if not given 1e-12, or less where the motion is small.
        stabilize: "projection" onto positions and velocities after each step, (alpha, beta) for
            Baumgarte's phi'' + 2 alpha phi' + beta^2 phi = 0, or None.
        check: whether to run again at a hundredth of the tolerances: the result is the finer run,
            `coarser` the one that was asked for, and `global_error` says how far the two are apart.
            Where a coordinate or velocity differs by more than 100 (rtol range + atol), its range being
            that along the motion, or other events happen, the status is DOUBTFUL.
        form: "lagrange" integrates coordinates and velocities, "hamilton" coordinates and momenta by
            the canonical equations: for systems without constraints and events.
        regularize: with friction, a slip velocity over which it is made smooth instead of finding what
            sticks; the message says what that costs.
        variations: whether to integrate the variational equations too: `motion.transition` is how
            changes of the start grow, `motion.sensitivity` the derivatives by the parameters.
        progress: whether long runs show a bar in the terminal. Ctrl-C ends a run and keeps what it has.

    The same call gives the same motion, bit by bit, on a busy machine and on an idle one, and so does
    `motion(times)` at other times: methods, steps and restarts follow from counts, never from a clock.

    Returns:
        The motion as far as it got, a `Trajectory`: look at `completed`, `status` and `message`. Of a
        system with friction it is a `StickSlip`, in phases of sticking and slipping.

    Raises:
        DeclarationError: for anything that is missing, unknown or inconsistent.
        SolveError: the equations do not determine the accelerations at the start.
        DerivationError: a function of time has too many narrow features to be followed.

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
            system, values, start, times, inputs, events, regularize,
            {"method": method, "rtol": rtol, "atol": atol, "stabilize": stabilize, "progress": progress,
             "form": form, "check": check, "variations": variations},
        )  # fmt: skip
    if regularize is not None:
        raise DeclarationError(f"`regularize` is for friction, and {system.title} has none.")
    checked_numeric(system, "simulate")
    yes_or_no(check, "check")
    yes_or_no(progress, "progress")
    yes_or_no(variations, "variations")
    grid = checked_times(times)
    driven = signals(system, inputs)
    watched = checked_events(system, events)
    plan = Plan(
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
        _refuse_for_equal_steps(plan)
    if check:
        refuse_no_finer(plan.rtol)
    if variations and watched:
        raise DeclarationError(
            "`variations` are those of a smooth motion; events are not differentiated. Leave out one of"
            " them."
        )
    given, q, v = stated(system, values, driven, start)
    refuse_too_many(len(grid), given.count, 2 * len(given.system.coordinates) + 1)
    plan = replace(plan, system=given.system)
    found = run_all(plan, given, np.concatenate([q, v], axis=1), grid)
    if check and not np.any(found.ended == Status.INTERRUPTED):
        part = TIGHTER * found.share
        atol = None if plan.atol is None else part * plan.atol
        finer = replace(plan, rtol=max(part * plan.rtol, TIGHTEST), atol=atol)
        second = run_all(finer, given, np.concatenate([q, v], axis=1), grid)
        if not np.any(second.ended == Status.INTERRUPTED):
            found = with_error(found, second)
    return with_variations(found) if variations and len(found.t) > 1 else found


def _with_friction(
    system: System,
    values: Numbers,
    start: Any,
    times: Any,
    inputs: Any,
    events: Any,
    regularize: float | None,
    options: dict[str, Any],
) -> Trajectory | StickSlip:
    """The motion of a system with friction, in phases or regularized."""
    if regularize is not None:
        smooth = system.regularized(regularize)
        found = simulate(smooth, values, start, times, inputs=inputs, events=events, **options)
        assert isinstance(found, Trajectory)
        return told_regularized(system, found, float(regularize))
    if options["form"] != "lagrange" or options["check"] or options["variations"]:
        raise DeclarationError(
            'Motion with friction goes in phases, with form="lagrange", without check and variations.'
            " Give none of them, or regularize=, which makes friction smooth."
        )
    if checked_method(options["method"]) not in ("auto", *ONE_STEP):
        raise DeclarationError(
            "Motion with friction goes in phases that end where contacts stick and slip, which"
            f' method="{options["method"]}" cannot. Use method="DOP853" or "Radau", or regularize=,'
            " which makes friction smooth."
        )
    refuse_jumping_slip(system, inputs)
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


def _refuse_for_equal_steps(plan: Plan) -> None:
    """Refuse what has no part in a run by equal steps."""
    if plan.events:
        raise DeclarationError(
            '`events` need steps of any size; method="variational" takes equal ones.'
        )
    for name, given in (("atol", plan.atol is not None), ("stabilize", plan.stabilize != "projection")):
        if given:
            raise DeclarationError(
                f'`{name}` has no part in method="variational": rtol sets its equal steps, and the'
                " constraints are met in each. Leave it out."
            )


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
