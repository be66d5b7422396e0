"""The motion of a system without friction: one run, a finer one to check it, growths along it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from routh.analysis.given.conditions import Conditions
from routh.analysis.given.numbers import Numbers
from routh.analysis.given.required import ROUNDING, moving, own_ends
from routh.analysis.motion.asked import Plan
from routh.analysis.motion.basis_error import basis_error, related_tolerance
from routh.analysis.motion.event_watch import checked_events
from routh.analysis.motion.in_parts import kept_in_parts
from routh.analysis.motion.integrators.modal import MODAL, rings
from routh.analysis.motion.options import (
    checked_times,
    refuse_too_many,
    refuse_unfit,
    takes_events,
)
from routh.analysis.motion.plan import run_all, started
from routh.analysis.motion.settings import ALL, AUTOMATIC, Options
from routh.analysis.motion.signals import signals
from routh.analysis.motion.starts.start import Start, stated
from routh.analysis.motion.trajectory import Trajectory
from routh.analysis.motion.variations import with_variations
from routh.arrays import Array
from routh.errors import DeclarationError, SolveError, Status
from routh.language.events import Event
from routh.language.gates import checked_numeric
from routh.language.system import System
from routh.numerics.steppers import TIGHTEST

TIGHTER = 1e-2
"""The tolerance of the second run of check=True, compared with the first."""


def smooth_motion(
    system: System,
    values: Numbers,
    start: Numbers | Start,
    times: Any,
    options: Options,
    *,
    inputs: Numbers | None = None,
    events: Any = None,
) -> Trajectory:
    """The motion of a system without friction; `simulate` says what the arguments are."""
    checked_numeric(system, "simulate")
    grid = checked_times(times)
    driven = signals(system, inputs)
    watched = () if events is None else checked_events(system, events)
    refuse_unfit(system, grid, watched, options)
    watched = (*watched, *_ends(system, watched, options))
    given, q, v = stated(system, values, driven, start)
    kept = grid if options.keep == ALL else grid[[0, -1]]
    refuse_too_many(len(kept), given.count, 2 * len(given.system.coordinates) + 1)
    x = np.concatenate([q, v], axis=1)
    plan = _related(Plan(given.system, driven, watched, options, grid), given, values, x)
    if not isinstance(options.keep, str):
        found = kept_in_parts(plan, given, x)
        _refuse_beyond(found)
        return found
    found = run_all(plan, given, x, kept)
    if options.check:
        found = _with_error(plan, given, x, kept, found)
    _refuse_beyond(found)
    return with_variations(found) if options.variations and len(found.t) > 1 else found


def _ends(system: System, asked: tuple[Event, ...], options: Options) -> tuple[Event, ...]:
    """The events that come along with the system, where they can be watched."""
    if options.form != "lagrange" or options.variations or not takes_events(options.method):
        return ()
    return tuple(each for each in own_ends(system) if each not in asked)


def _refuse_beyond(found: Trajectory) -> None:
    """Refuse a motion that is beyond what its system requires, from the start or since nothing watched.

    Raises:
        DeclarationError: the start is beyond.
        SolveError: the motion went there; it carries the motion.
    """
    for each in moving(found.system):
        for flow in found.flows:
            at = flow.watched([each.expression])
            values = np.array([at(t, x)[0, 0] for t, x in flow.samples])
            if not values[0] >= -ROUNDING * np.abs(values).max():
                raise DeclarationError(
                    f"{each.told(values[0])} Give a `start` at which it is not negative."
                )
            if each.end not in found.watched and not (values >= 0).all():
                k = int(np.argmax(~(values >= 0)))
                raise SolveError(
                    f"{each.told(values[k])} The motion came there before t ="
                    f" {flow.samples[k][0]:.6g}, and methods without events do not end it: leave out"
                    " `method`, `form` and `variations`, or ask for earlier times.",
                    found,
                )


def _related(plan: Plan, given: Conditions, values: Numbers, x: Array) -> Plan:
    """The plan with the tolerance that goes with the functions of fields, of one motion that rings."""
    options, t = plan.options, float(plan.grid[0])
    fit = plan.system.shapes and not (plan.system.constraints or given.shape)
    if not (fit and options.related and options.form == "lagrange"):
        return plan
    if options.method not in (AUTOMATIC, MODAL.name):
        return plan
    flow, state = started(plan, given, 0, x[0])
    if not rings(flow, t, state, float(plan.grid[-1]) - t):
        return plan
    error = basis_error(flow, values, state, plan.grid)
    rtol = related_tolerance(error, options.rtol)
    return replace(plan, options=replace(options, rtol=rtol), basis_error=error)


def _with_error(plan: Plan, given: Conditions, x: Array, kept: Array, found: Trajectory) -> Trajectory:
    """A finer run with the distance to the one found as its global error; Ctrl-C leaves the first."""
    if np.any(found.run_status == Status.INTERRUPTED):
        return found
    options, part = plan.options, TIGHTER * found.share
    atol = None if options.atol is None else part * options.atol
    closer = replace(options, rtol=max(part * options.rtol, TIGHTEST), atol=atol)
    finer = run_all(replace(plan, options=closer), given, x, kept)
    if np.any(finer.run_status == Status.INTERRUPTED):
        return found
    reached = min(len(found.t), len(finer.t))
    states = [np.concatenate([each.q, each.v], axis=-1) for each in (found, finer)]
    error = np.full(states[1].shape, np.nan)
    both = slice(0, reached)
    error[..., both, :] = states[0][..., both, :] - states[1][..., both, :]
    return replace(finer, global_error=error, coarser=found)
