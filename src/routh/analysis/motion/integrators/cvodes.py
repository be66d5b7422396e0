"""Runs that are compiled as a whole: Adams and BDF of CVODES, in legs of a counted length.

CVODES of SUNDIALS comes by way of CasADi: Adams of orders up to 12, and BDF, for stiff equations, of
orders up to 5. Without constraints, events and Python functions a whole run is compiled, with a tenth
of the tolerance, since the global error of CVODES is larger than that of Runge-Kutta methods. A call
gets as many steps as some 2e8 instructions of the graph take, and what it has reached is read from its
buffer when it ends early: by that limit, or by Ctrl-C, which CasADi sees at every evaluation. Adams
needs no slopes, so CasADi is not let near them: it would differentiate long graphs for ten times as
long as all else takes. scikit-sundae was tried: its callbacks cost twice the compiled run.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from routh.analysis.motion.flow import InterruptedRunError, MovingSystem
from routh.analysis.motion.integrators.base import Integrator, Leg, Outputs, Passage, Run
from routh.analysis.motion.integrators.one_step import DOP853, RADAU
from routh.analysis.motion.integrators.stiffness import LOOK_EVERY, is_stiff
from routh.analysis.motion.settings import FEWEST, Options, Settings
from routh.arrays import Array
from routh.language.events import Event
from routh.language.system import System

WORK = 200_000_000
"""Instructions that one leg should take: about half a second, after which progress is shown."""

FEW = 500
"""Steps that may always be taken from one stop to the next: a start takes some sixty."""

MANY = 10_000
"""Stops of one leg."""

MORE, DEEPEST = 8, 4
"""Where the steps to the next stop do not suffice, stops are put this much closer, so many times; after
that steps get nowhere, and a method goes on that says where it is stuck."""


@dataclass(frozen=True)
class Multistep:
    """A multistep method: it keeps its past, which moving its states or inputs by steps would belie.

    A one-step method takes over where it gets nowhere, and says where it is stuck.
    """

    name: str
    stiff: Multistep | None
    one_step: Integrator
    implicit: bool
    nature: str = "is a compiled run that keeps its past"
    takes_events: bool = False
    takes_projection: bool = False
    takes_functions: bool = False
    takes_momenta: bool = True
    equal_steps: bool = False

    def refuse(self, system: System, times: Array, events: tuple[Event, ...], options: Options) -> None:
        """Nothing but what its attributes tell."""

    def go(self, passage: Passage) -> None:
        """To the last output, or as far as it gets."""
        if passage.legs:
            _again(passage)
        else:
            _first_time(self, passage)


BDF = Multistep("BDF", stiff=None, one_step=RADAU, implicit=True)
ADAMS = Multistep("Adams", stiff=BDF, one_step=DOP853, implicit=False)
COMPILED = {each.name: each for each in (ADAMS, BDF)}


def _first_time(method: Multistep, passage: Passage) -> None:
    """By CVODES, as far as it gets; a one-step method goes on from there.

    It is looked at only when a call ends, so a call gets as many stops as `WORK` allows. How many steps
    that is follows from the length of the graph, and never from a clock. Between outputs that are few,
    more stops are put in; what a call has reached when it ends early is kept.
    """
    flow, outputs, settings, run = passage.flow, passage.outputs, passage.settings, passage.run
    allowed = max(WORK // (2 * flow.motion.effort), FEW)  # two evaluations a step, as a rule
    longest, depth = _longest(outputs, settings), 0
    stops = outputs.following(settings.last, longest)
    portion, most = min(len(stops), MANY), max(allowed // len(stops), FEW)
    before = 0, len(run.legs)
    while len(stops):
        part = stops[:portion]
        here = outputs.count, len(run.legs)
        run.begin(Leg(method.name, outputs.now, outputs.latest, float(part[-1])))
        count, steps = _reached(method, passage, part, most)
        stops = stops[count:]
        passage.tick(outputs.now)
        if steps > allowed:
            portion = max(1, portion * allowed // steps)
        looked = not count or (steps > LOOK_EVERY and len(stops) > 0)
        if count:
            before = here if depth else (outputs.count, len(run.legs))
        else:
            run.legs.pop()
        if looked and method.stiff and _turns_stiff(flow, outputs, settings):
            method = method.stiff
        elif not count and depth < DEEPEST:
            longest, depth = longest / MORE, depth + 1
            stops = outputs.following(settings.last, longest)
        elif not count:
            _go_back(flow, outputs, run, *before)
            run.begin(Leg(method.one_step.name, outputs.now, outputs.latest, settings.last))
            return


def _go_back(flow: MovingSystem, outputs: Outputs, run: Run, count: int, legs: int) -> None:
    """To where so many outputs and legs were there: just before a singularity steps may be nonsense."""
    if len(run.legs) > legs:
        start = run.legs[legs]
        del run.legs[legs:]
        outputs.x[count:] = np.nan
        outputs.count, outputs.now, outputs.latest = count, start.t, start.x
        flow.samples = [sample for sample in flow.samples if sample[0] <= start.t]


def _again(passage: Passage) -> None:
    """The compiled legs of a run that was made before, with other outputs.

    Each begins where it began and is aimed where it was aimed, so that it takes the same steps.
    """
    outputs, run = passage.outputs, passage.run
    longest = _longest(outputs, passage.settings)
    end = float(outputs.times[-1])  # of an interrupted run, which was aimed further
    ends = [*(min(leg.t, end) for leg in passage.legs[1:]), end]
    for leg, last in zip(passage.legs, ends, strict=True):
        run.begin(leg)
        outputs.now, outputs.latest = leg.t, leg.x
        method = COMPILED.get(leg.method)
        if method is None:  # a one-step method had taken over
            return
        stops = outputs.following(last, longest)
        beyond = [] if last == leg.end else [leg.end]
        part = np.concatenate([stops, beyond])
        _reached(method, passage, part, leg.steps + 1, len(stops))
        passage.tick(outputs.now)
        if not outputs.waiting:
            return


def _longest(outputs: Outputs, settings: Settings) -> float:
    """The longest time between two stops."""
    return (settings.last - float(outputs.times[0])) / FEWEST


def _reached(
    method: Multistep, passage: Passage, stops: Array, most: int, wanted: int | None = None
) -> tuple[int, int]:
    """How many stops were reached, and in how many steps; they are put where they belong."""
    flow, outputs, run = passage.flow, passage.outputs, passage.run
    pressed = False
    times = np.concatenate([[outputs.now], stops])
    try:
        states, steps = flow.reached(method.implicit, outputs.latest, times, passage.settings, most)
    except InterruptedRunError as error:
        states, steps, pressed = error.states, error.steps, True
    for time, state in list(zip(stops.tolist(), states, strict=False))[:wanted]:
        flow.sample(time, state)
        outputs.reach(time, state)
    run.took(steps)
    if pressed:
        raise KeyboardInterrupt
    return len(states), steps


def _turns_stiff(flow: MovingSystem, outputs: Outputs, settings: Settings) -> bool:
    """Whether the equations have become stiff, and the run may go on by another method."""
    return settings.free and is_stiff(flow, outputs.now, outputs.latest, settings.last - outputs.now)
