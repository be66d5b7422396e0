"""Runs step by step: projection after each step, and events within it."""

from __future__ import annotations

from routh.analysis.flow import MovingSystem
from routh.analysis.progress import Tick
from routh.analysis.run import STIFF, Outputs, Run, Settings
from routh.analysis.stiffness import LOOK_EVERY, is_stiff
from routh.analysis.watching import Occurrence, UndefinedEventError, Watch
from routh.errors import Status
from routh.kernels.batch import Array
from routh.numerics.steppers import Flow, OneStep, StuckError


def step_by_step(
    flow: MovingSystem,
    equations: Flow,
    outputs: Outputs,
    settings: Settings,
    run: Run,
    watch: Watch | None,
    tick: Tick,
) -> None:
    """By a one-step method, with projection after each step and events within it."""
    start, x, last = outputs.now, outputs.latest, float(outputs.times[-1])
    stepper = OneStep(run.methods[-1], equations, start, x, last)
    move = flow.projected if settings.project else _unmoved
    if watch is not None and _ended(watch, watch.begin(start, x, flow), stepper, outputs, run):
        return
    while outputs.waiting:
        before, old = stepper.t, stepper.x
        try:
            stepper.advance()
            inside = stepper.inside() if outputs.next < stepper.t or watch is not None else None
            if settings.project:
                stepper.move(move(stepper.t, stepper.x))
            found: list[Occurrence] = []
            until = stepper.t
            if watch is not None and inside is not None:
                try:
                    found = watch.within(flow, before, old, stepper, inside, move, settings.gap)
                    until = found[0].t if found else stepper.t
                except UndefinedEventError as error:
                    run.status, run.cause, until = Status.FAILED, str(error), error.t
            while outputs.waiting and outputs.next < until and inside is not None:
                outputs.put(move(outputs.next, inside(outputs.next)))
        except StuckError:
            run.status, run.stuck = Status.STUCK, (before, old)
        if run.status is not Status.FINISHED:
            break
        if found and watch is not None:
            if _ended(watch, found, stepper, outputs, run):
                break
        elif outputs.waiting and outputs.next == stepper.t:
            outputs.put(stepper.x)
        flow.sample(stepper.t, stepper.x)
        tick(stepper.t)
        if (
            settings.free
            and stepper.method == "DOP853"
            and stepper.steps % LOOK_EVERY == LOOK_EVERY - 1
        ):
            stepper = _implicit(flow, equations, stepper, run)
    run.steps += stepper.steps


def _ended(watch: Watch, found: list[Occurrence], stepper: OneStep, outputs: Outputs, run: Run) -> bool:
    """Whether events that happened end the run; if not, it goes on from what they left."""
    if not found:
        return False
    t, after = found[-1].t, found[-1].after
    run.occurrences += found
    if outputs.waiting and outputs.next == t:
        outputs.put(after)
    if any(each.event.stop for each in found):
        run.status = Status.EVENT
    elif watch.piled_up(run.occurrences, float(outputs.times[-1] - outputs.times[0])):
        run.status = Status.PILED_UP
    elif t < stepper.last:
        jumps = any(each.event.change for each in found)
        stepper.begin(t, after, None if jumps else stepper.next_step)
    return run.status is not Status.FINISHED


def _implicit(flow: MovingSystem, equations: Flow, stepper: OneStep, run: Run) -> OneStep:
    """The same run by an implicit method, if the equations have become stiff."""
    if not is_stiff(flow, stepper.t, stepper.x, stepper.last - stepper.t):
        return stepper
    run.steps += stepper.steps
    run.methods.append(STIFF[stepper.method])
    return OneStep(run.methods[-1], equations, stepper.t, stepper.x, stepper.last)


def _unmoved(_t: float, x: Array) -> Array:
    return x
