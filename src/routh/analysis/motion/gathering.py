"""Runs of a batch put together to one trajectory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from routh.analysis.given.conditions import Conditions
from routh.analysis.given.required import own_ends
from routh.analysis.motion import stopping
from routh.analysis.motion.flow import MovingSystem
from routh.analysis.motion.integrators.base import Run, Statistics
from routh.analysis.motion.trajectory import Trajectory
from routh.arrays import Array
from routh.errors import Status
from routh.language.events import Event


def gathered(
    given: Conditions,
    times: Array,
    runs: Sequence[Run],
    flows: Sequence[MovingSystem],
    statistics: Sequence[Statistics],
    *,
    balanced: bool,
    rtol: float,
    basis_error: float | None,
    watched: tuple[Event, ...],
    again: Callable[[Array, float, Any], Trajectory],
) -> Trajectory:
    """The runs as one trajectory.

    `balanced` says whether the work of inputs is known; `again(times, last, asked)` runs the motion
    once more. A single run that an event ended has a last row there; in a batch all rows are at output
    times.
    """
    n = len(given.system.coordinates)
    single = not given.shape
    t = runs[0].t if single else times[: max(int(np.isin(run.t, times).sum()) for run in runs)]
    states = _states(runs, t, flows[0].motion.size, None if single else times)
    work = np.stack([
        _work(flow, run, t, own, balanced=balanced)
        for flow, run, own in zip(flows, runs, states, strict=True)
    ])  # fmt: skip
    ends = [_ended(flow, run) for flow, run in zip(flows, runs, strict=True)]
    interrupted = any(run.status is Status.INTERRUPTED for run in runs)
    kept, last, fold = t if interrupted else times, float(t[-1]), given.folded

    def each(items: Sequence[Any]) -> Any:
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
        run_status=each([status for status, _ in ends]),
        run_message=each([text for _, text in ends]),
        events=each([tuple(run.occurrences) for run in runs]),
        statistics=each(statistics),
        rtol=rtol,
        basis_error=basis_error,
        atol=each([run.atol for run in runs]),
        cut_error=_cut_errors(runs, fold, single),
        share=min(run.share for run in runs),
        flows=tuple(flows),
        watched=watched,
        again=partial(again, kept, last),
    )


def _cut_errors(runs: Sequence[Run], fold: Callable[[Array], Array], single: bool) -> Array | None:
    """(..., 2): what a cut to the lowest modes left out; None where there was none."""
    if any(run.left_out is None for run in runs):
        return None
    found = np.array([run.left_out for run in runs], dtype=float)
    return found[0] if single else fold(found)


def _states(runs: Sequence[Run], t: Array, size: int, outputs: Array | None) -> Array:
    """(N, T, size): the states at times t, NaN where a run had ended; of a batch those at `outputs`."""
    states = np.full((len(runs), len(t), size), np.nan)
    for own, run in zip(states, runs, strict=True):
        reached = len(run.t) if outputs is None else int((run.t == outputs[: len(run.t)]).sum())
        own[:reached] = run.x[:reached]
    return states


def _work(flow: MovingSystem, run: Run, t: Array, states: Array, *, balanced: bool) -> Array:
    """(T,): the work along a run, with what events added to the energy."""
    work = np.zeros(len(t))
    if flow.motion.works:
        work[:] = states[:, -1] if balanced else np.nan
    for jump, when in _jumps(flow, run):
        work[t >= when] += jump
    return work


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
        text = f"Interrupted at t = {run.t[-1]:.6g}: what was computed until then is kept."
    return run.status, text
