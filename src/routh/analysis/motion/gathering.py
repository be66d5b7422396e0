"""Runs of a batch put together to one trajectory."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from routh.analysis.given.conditions import Conditions
from routh.analysis.given.required import own_ends
from routh.analysis.motion import stopping
from routh.analysis.motion.asked import Plan
from routh.analysis.motion.event_watch import Occurrence
from routh.analysis.motion.flow import MovingSystem
from routh.analysis.motion.flows import Flows
from routh.analysis.motion.integrators.base import Run, Statistics
from routh.analysis.motion.together import Together
from routh.analysis.motion.trajectory import Trajectory
from routh.arrays import Array
from routh.errors import Status
from routh.kernels.engine import Engine


@dataclass(frozen=True)
class Made:
    """A run that was made by itself: what moved, how it went, and what it cost."""

    flow: MovingSystem
    run: Run
    statistics: Statistics


def gathered(
    given: Conditions,
    times: Array,
    made: Mapping[int, Made],
    compiled: Together | None,
    plan: Plan,
    *,
    again: Callable[[Array, float, Any], Trajectory],
) -> Trajectory:
    """The runs as one trajectory: those made one by one, by their places, and those at once.

    `again(times, last, asked)` runs the motion once more. A single run that an event ended has a last
    row there; in a batch all rows are at output times.
    """
    single, count = not given.shape, given.count
    flows = Flows(
        {k: each.flow for k, each in made.items()}, count, None if compiled is None else compiled.table
    )
    n, engine = flows.motion.n, flows.motion
    runs = {k: each.run for k, each in made.items()}
    t = runs[0].t if single and runs else times[: _reached(times, runs, compiled)]
    states = _states(runs, t, (count, engine.size), None if single else times, compiled)
    work = np.zeros(states.shape[:2])
    if engine.works:
        work[:] = states[..., -1] if plan.driven.tell(engine.moving_energy) else np.nan
    for k, each in made.items():
        for jump, when in _jumps(each.flow, each.run):
            work[k, t >= when] += jump
    told = _told(made, compiled, count)
    interrupted = Status.INTERRUPTED in told.status
    kept, last, fold = t if interrupted else times, float(t[-1]), given.folded

    def each_of(items: Sequence[Any]) -> Any:
        if single:
            return items[0]
        array = np.empty(len(items), dtype=object)
        array[:] = items
        return fold(array)

    return Trajectory(
        system=given.system,
        conditions=given,
        t=t,
        q=fold(states[..., :n]),
        v=fold(states[..., n : 2 * n]),
        work=fold(work),
        run_status=each_of(told.status),
        run_message=each_of(told.message),
        events=each_of(told.events),
        statistics=each_of(told.statistics),
        rtol=plan.options.rtol,
        basis_error=plan.basis_error,
        cut_error=None if compiled else _cut_errors(list(runs.values()), fold, single),
        atol=each_of(told.atol),
        share=min(told.share),
        flows=flows,
        watched=plan.events,
        again=partial(again, kept, last),
        engine=each_of(told.engine),
    )


def _cut_errors(runs: Sequence[Run], fold: Callable[[Array], Array], single: bool) -> Array | None:
    """(..., 2): what a cut to the lowest modes left out; None where there was none."""
    if any(run.left_out is None for run in runs):
        return None
    found = np.array([run.left_out for run in runs], dtype=float)
    return found[0] if single else fold(found)


class _Told(NamedTuple):
    """What is told of each run."""

    status: list[Status]
    message: list[str]
    events: list[tuple[Occurrence, ...]]
    statistics: list[Statistics]
    atol: list[float]
    share: list[float]
    engine: list[Engine]


def _told(made: Mapping[int, Made], compiled: Together | None, count: int) -> _Told:
    rows: list[Any] = [None] * count
    if compiled is not None:
        seconds = compiled.seconds / count
        names = ("arrived", "t", "steps", "evaluations", "atol", "shares")
        finished = str(Status.FINISHED)
        columns = (getattr(compiled, name).tolist() for name in names)
        for k, (arrived, t, steps, evaluations, atol, share) in enumerate(zip(*columns, strict=True)):
            status = Status.FINISHED if arrived else Status.INTERRUPTED
            cost = Statistics((compiled.method,), steps, evaluations, seconds, seconds)
            text = finished if arrived else _interrupted(t)
            rows[k] = (status, text, (), cost, atol, share, compiled.engine)
    for k, each in made.items():
        run, happened = each.run, tuple(each.run.occurrences)
        told = happened, each.statistics, run.atol, run.share, each.flow.engine
        rows[k] = (*_ended(each.flow, run), *told)
    return _Told(*(list(each) for each in zip(*rows, strict=True)))


def _reached(times: Array, runs: Mapping[int, Run], compiled: Together | None) -> int:
    """How many output times some run has reached."""
    by_one = [int(np.isin(run.t, times).sum()) for run in runs.values()]
    if compiled is None:
        return max(by_one)
    if compiled.arrived.any():
        return len(times)
    own = compiled.states[~compiled.left]
    there = np.isfinite(own).all(axis=-1).sum(axis=-1)
    return max([*by_one, int(there.max(initial=1))])


def _states(
    runs: Mapping[int, Run],
    t: Array,
    shape: tuple[int, int],
    outputs: Array | None,
    compiled: Together | None,
) -> Array:
    """(N, T, size): the states at times t, NaN where a run had ended; of a batch those at `outputs`."""
    count, size = shape
    if compiled is not None and len(t) == compiled.states.shape[1]:
        states = compiled.states
    else:
        states = np.full((count, len(t), size), np.nan)
        if compiled is not None and not (outputs is None and runs):
            states[:] = compiled.states[:, : len(t)]
    for k, run in runs.items():
        reached = len(run.t) if outputs is None else int((run.t == outputs[: len(run.t)]).sum())
        states[k] = np.nan
        states[k, :reached] = run.x[:reached]
    return states


def _interrupted(t: float) -> str:
    return f"Interrupted at t = {t:.6g}: what was computed until then is kept."


def _jumps(flow: MovingSystem, run: Run) -> list[tuple[float, float]]:
    """What events added to the energy, and when."""
    found: list[tuple[float, float]] = []
    counted: list[Array] = []
    for each in run.occurrences:
        together = any(each.after is after for after in counted)
        if each.event.change and not together:
            counted.append(each.after)
            before, after = (flow.run("energy", each.t, x)[0][0, 0] for x in (each.before, each.after))
            found.append((float(after - before), each.t))
    return found


def _stopped(flow: MovingSystem, run: Run) -> tuple[Status, str]:
    """How a run was ended by events: by one that was asked for, or by what its system requires."""
    last = run.occurrences[-1]
    own = own_ends(flow.motion.system)
    final = [each for each in run.occurrences if each.t == last.t and each.event.stop]
    asked = [each for each in final if each.event not in own]
    if run.status is Status.EVENT and not asked:
        return Status.OUTSIDE, f"Stopped at t = {last.t:.12g}: {last.event}."
    last = asked[-1] if asked else last
    return run.status, f"{str(run.status)[:-1]}: `{last.event}` at t = {last.t:.12g}."


def _ended(flow: MovingSystem, run: Run) -> tuple[Status, str]:
    """How a run ended, with its numbers."""
    if run.cause:
        return run.status, f"Stopped after t = {run.t[-1]:.6g}: {run.cause}"
    if run.stuck is not None:
        return stopping.why(flow, *run.stuck)
    text = str(run.status)
    if run.status in (Status.EVENT, Status.PILED_UP):
        return _stopped(flow, run)
    if run.status is Status.INTERRUPTED:
        text = _interrupted(float(run.t[-1]))
    return run.status, text
