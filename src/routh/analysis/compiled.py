"""Runs that are compiled as a whole: CVODES, in portions that leave room for Ctrl-C."""

from __future__ import annotations

from time import perf_counter

import numpy as np

from routh.analysis.flow import MovingSystem
from routh.analysis.progress import Tick
from routh.analysis.run import Outputs, Run
from routh.analysis.settings import FEWEST, Settings
from routh.analysis.stiffness import LOOK_EVERY, is_stiff
from routh.numerics.steppers import StuckError

PATIENCE = 0.5
"""Seconds that one portion of such a run should take."""

LONGEST = 0.25
"""Seconds that it may take from one of its outputs to the next, before a one-step method goes on, which
can be interrupted and says where it gets stuck."""


def by_cvodes(
    flow: MovingSystem,
    outputs: Outputs,
    settings: Settings,
    run: Run,
    tick: Tick,
) -> None:
    """By CVODES, as far as it gets; a one-step method goes on from there.

    It runs without a look at the keyboard, so it may take no more steps at once than last half a
    second; if these do not suffice, it gets the outputs in portions. Between outputs that are few,
    more are put in.
    """
    portion = len(outputs.times) - 1
    enough = int(LONGEST / _seconds(flow, outputs))
    most = int(enough * PATIENCE / LONGEST / max(portion, FEWEST))
    longest = outputs.left / FEWEST
    while outputs.waiting:
        grid, places = outputs.following(portion, longest)
        began = perf_counter()
        try:
            times = np.concatenate([[outputs.now], grid])
            states, steps = flow.reached(run.methods[-1], outputs.latest, times, settings, most)
        except StuckError:
            if most < enough:  # more patience, for less at once
                most, portion = enough, max(1, portion // 50)
                continue
            if _turns_stiff(flow, outputs, settings, run):
                continue
            run.methods.append("DOP853" if run.methods[-1] == "Adams" else "Radau")
            return
        run.steps += steps
        for time, state in zip(grid, states, strict=True):
            flow.sample(float(time), state)
        for place in places:
            outputs.put(states[place])
        tick(outputs.now)
        each = (perf_counter() - began) / len(places)
        portion = max(1, int(PATIENCE / each))
        if steps > LOOK_EVERY:
            _turns_stiff(flow, outputs, settings, run)


def _turns_stiff(flow: MovingSystem, outputs: Outputs, settings: Settings, run: Run) -> bool:
    """Whether the equations have become stiff, and the run goes on with BDF."""
    free = settings.free and run.methods[-1] == "Adams"
    if free and is_stiff(flow, outputs.now, outputs.latest, outputs.left):
        run.methods.append("BDF")
        return True
    return False


def _seconds(flow: MovingSystem, outputs: Outputs) -> float:
    """How long a step takes: two evaluations, as a rule; the quickest of several, on a busy machine."""
    spent = []
    for _ in range(5):
        began = perf_counter()
        flow.rate(outputs.now, outputs.latest)
        spent.append(perf_counter() - began)
    return 2 * min(spent)
