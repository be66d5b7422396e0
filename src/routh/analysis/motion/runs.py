"""The motion of a system without friction: one run, a finer one to check it, growths along it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from routh.analysis.given.conditions import Conditions
from routh.analysis.given.numbers import Numbers
from routh.analysis.motion.asked import Plan
from routh.analysis.motion.event_watch import checked_events
from routh.analysis.motion.options import checked_times, refuse_too_many, refuse_unfit
from routh.analysis.motion.plan import run_all
from routh.analysis.motion.settings import ALL, Options
from routh.analysis.motion.signals import signals
from routh.analysis.motion.starts.start import Start, stated
from routh.analysis.motion.trajectory import Trajectory
from routh.analysis.motion.variations import with_variations
from routh.arrays import Array
from routh.errors import Status
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
    given, q, v = stated(system, values, driven, start)
    kept = grid if options.keep == ALL else grid[[0, -1]]
    refuse_too_many(len(kept), given.count, 2 * len(given.system.coordinates) + 1)
    plan = Plan(given.system, driven, watched, options, grid)
    x = np.concatenate([q, v], axis=1)
    found = run_all(plan, given, x, kept)
    if options.check:
        found = _with_error(plan, given, x, kept, found)
    return with_variations(found) if options.variations and len(found.t) > 1 else found


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
