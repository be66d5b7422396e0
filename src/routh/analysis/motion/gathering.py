"""Runs of a batch put together to one trajectory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from routh.analysis.given.conditions import Conditions
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
    states = np.full((len(runs), len(t), flows[0].motion.size), np.nan)
    work = np.zeros((len(runs), len(t)))
    for k, (run, flow) in enumerate(zip(runs, flows, strict=True)):
        reached = len(run.t) if single else int((run.t == times[: len(run.t)]).sum())
        states[k, :reached] = run.x[:reached]
        if flow.motion.works:
            work[k] = states[k, :, -1] if balanced else np.nan
        for jump, when in _jumps(flow, run):
            work[k, t >= when] += jump
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
        ended=each([status for status, _ in ends]),
        said=each([text for _, text in ends]),
        events=each([tuple(run.occurrences) for run in runs]),
        statistics=each(statistics),
        rtol=rtol,
        atol=each([run.atol for run in runs]),
        share=min(run.share for run in runs),
        flows=tuple(flows),
        watched=watched,
        again=lambda asked: again(kept, last, asked),
    )


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


def _ended(flow: MovingSystem, run: Run) -> tuple[Status, str]:
    """How a run ended, with its numbers."""
    if run.cause:
        return run.status, f"Stopped after t = {run.t[-1]:.6g}: {run.cause}"
    if run.stuck is not None:
        return stopping.why(flow, *run.stuck)
    text = str(run.status)
    if run.status in (Status.EVENT, Status.PILED_UP):
        last = run.occurrences[-1]
        text = f"{text[:-1]}: `{last.event}` at t = {last.t:.12g}."
    elif run.status is Status.INTERRUPTED:
        text = f"Interrupted at t = {run.t[-1]:.6g}: what was computed until then is kept."
    return run.status, text
