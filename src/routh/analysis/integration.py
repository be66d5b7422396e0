"""One run of one system from a start through its output times."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

import numpy as np

from routh.analysis.flow import MovingSystem
from routh.analysis.watching import Occurrence, UndefinedEventError, Watch
from routh.errors import DeclarationError, Status
from routh.kernels.batch import Array
from routh.numerics.steppers import TIGHTEST, Flow, OneStep, StuckError

MULTISTEP = ("Adams", "BDF")
"""Methods of CVODES in SUNDIALS, by way of CasADi: order up to 12, and stiff up to order 5."""

STIFF = {"DOP853": "Radau", "Adams": "BDF"}
"""What takes over where the equations turn out to be stiff."""

MARGIN = 0.1
"""CVODES gets this share of the tolerance: the global error of its methods is larger for the same one
than that of Runge-Kutta methods, and most of that is won back for a quarter more of time."""

FEWEST = 64
"""Intervals at least at whose ends a run by CVODES is looked at, for its energy and for Ctrl-C."""

PATIENCE = 0.5
"""Seconds that one portion of such a run should take."""

LONGEST = 0.25
"""Seconds that it may take from one of its outputs to the next, before a one-step method goes on, which
can be interrupted and says where it gets stuck."""

LOOK_EVERY = 1000
"""Steps of an explicit method after which stiffness is looked for again."""

SEPARATE = 100.0
"""What decays this many times faster than everything else moves makes equations stiff."""

WORTH = 1000.0
"""Decay times within the run from which on an implicit method pays."""

LARGEST = 400
"""States up to which eigenvalues are looked at for stiffness."""


@dataclass
class Run:
    """What one run has reached."""

    t: Array
    x: Array = field(repr=False)
    status: Status
    methods: list[str]
    steps: int
    occurrences: list[Occurrence]
    stuck: tuple[float, Array] | None = None
    """Where it could not go on."""
    cause: str = ""
    """What an input said when it failed."""
    seconds: float = 0.0


@dataclass(frozen=True)
class Settings:
    """How to run: method, tolerances, whether the method may change, and whether to project."""

    method: str
    rtol: float
    atol: Any
    free: bool
    project: bool
    gap: float
    """The least time between two outputs, at which events are looked for at least."""


class _Outputs:
    """The states at the output times, as they are reached."""

    def __init__(self, times: Array, x: Array) -> None:
        self.times = times
        self.x = np.full((len(times), len(x)), np.nan)
        self.x[0] = x
        self.count = 1

    def put(self, x: Array) -> None:
        self.x[self.count] = x
        self.count += 1

    @property
    def latest(self) -> Array:
        state: Array = self.x[self.count - 1]
        return state

    def following(self, portion: int, between: int) -> Array:
        """The next so many output times, with times between them."""
        ends = self.times[self.count - 1 : self.count + portion]
        return np.linspace(ends[:-1], ends[1:], between + 1)[1:].T.reshape(-1)

    @property
    def now(self) -> float:
        return float(self.times[self.count - 1])

    @property
    def left(self) -> float:
        return float(self.times[-1]) - self.now

    @property
    def waiting(self) -> bool:
        return self.count < len(self.times)

    @property
    def next(self) -> float:
        return float(self.times[self.count])


def integrate(
    flow: MovingSystem,
    times: Array,
    x: Array,
    settings: Settings,
    watch: Watch | None,
    tick: Callable[[float], None],
) -> Run:
    """The run through all output times, or as far as it gets; `tick` is told the time now and then."""
    # time in the equations is looked at between all outputs, lest a pulse be stepped over
    gap = float(np.diff(times).max())
    longest = gap if not flow.compiled or flow.motion.timed else np.inf
    equations = Flow(flow.rate, flow.slope, settings.rtol, settings.atol, longest)
    outputs = _Outputs(times, x)
    flow.sample(float(times[0]), x)
    span = float(times[-1] - times[0])
    method = settings.method
    if settings.free and is_stiff(flow, float(times[0]), x, span):
        method = STIFF.get(method, method)
    run = Run(times, outputs.x, Status.FINISHED, [method], 0, [])
    began = perf_counter()
    try:
        if method in MULTISTEP:
            _by_cvodes(flow, outputs, settings, run, tick)
        if outputs.waiting:
            _step_by_step(flow, equations, outputs, settings, run, watch, tick)
    except KeyboardInterrupt:
        run.status = Status.INTERRUPTED
    except (DeclarationError, UndefinedEventError) as error:  # fine at the start, and then not
        run.status, run.cause = Status.FAILED, str(error)
    except StuckError:  # velocities that an event changed cannot be kept
        run.status, run.stuck = Status.STUCK, (outputs.now, outputs.latest)
    run.seconds = perf_counter() - began
    stopped = run.status in (Status.EVENT, Status.PILED_UP) and run.occurrences
    run.t, run.x = times[: outputs.count], outputs.x[: outputs.count]
    if stopped and run.occurrences[-1].t > run.t[-1]:
        run.t = np.append(run.t, run.occurrences[-1].t)
        run.x = np.concatenate([run.x, run.occurrences[-1].after[None]])
    return run


def _by_cvodes(
    flow: MovingSystem,
    outputs: _Outputs,
    settings: Settings,
    run: Run,
    tick: Callable[[float], None],
) -> None:
    """By CVODES, as far as it gets; a one-step method goes on from there.

    It runs without a look at the keyboard, so it may take no more steps at once than last a second;
    if these do not suffice, it gets the outputs in portions. Between outputs that are few, more are
    put in.
    """
    between = max(1, -(-FEWEST // (len(outputs.times) - 1)))
    portion = len(outputs.times) - 1
    enough = int(LONGEST / _seconds(flow, outputs))
    most = int(enough * PATIENCE / LONGEST / (between * portion))
    while outputs.waiting:
        grid = outputs.following(portion, between)
        began = perf_counter()
        try:
            states, steps = flow.reached(
                run.methods[-1], outputs.latest, np.concatenate([[outputs.now], grid]), most,
                max(MARGIN * settings.rtol, TIGHTEST), MARGIN * settings.atol,
            )  # fmt: skip
        except StuckError:
            if most < enough:  # more patience, for less at once
                most, portion = enough, max(1, portion // 50)
                continue
            late = run.methods[-1] == "Adams" and settings.free
            if late and is_stiff(flow, outputs.now, outputs.latest, outputs.left):
                run.methods.append("BDF")
                continue
            run.methods.append("DOP853" if run.methods[-1] == "Adams" else "Radau")
            return
        if not np.isfinite(flow.rate(float(grid[-1]), states[-1])).all():
            run.methods.append("DOP853" if run.methods[-1] == "Adams" else "Radau")
            return
        run.steps += steps
        for time, state in zip(grid, states, strict=True):
            flow.sample(float(time), state)
        for state in states[between - 1 :: between]:
            outputs.put(state)
        tick(outputs.now)
        each = (perf_counter() - began) / len(grid) * between
        portion = max(1, int(PATIENCE / each))
        costly = steps > LOOK_EVERY and settings.free and run.methods[-1] == "Adams"
        if costly and is_stiff(flow, outputs.now, outputs.latest, outputs.left):
            run.methods.append("BDF")


def _seconds(flow: MovingSystem, outputs: _Outputs) -> float:
    """How long a step takes: two evaluations, as a rule."""
    began = perf_counter()
    for _ in range(4):
        flow.rate(outputs.now, outputs.latest)
    return (perf_counter() - began) / 2


def _step_by_step(
    flow: MovingSystem,
    equations: Flow,
    outputs: _Outputs,
    settings: Settings,
    run: Run,
    watch: Watch | None,
    tick: Callable[[float], None],
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


def _ended(
    watch: Watch, found: list[Occurrence], stepper: OneStep, outputs: _Outputs, run: Run
) -> bool:
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


def is_stiff(flow: MovingSystem, t: float, x: Array, span: float) -> bool:
    """Whether something decays so much faster than everything else moves that it sets the steps."""
    if not flow.motion.damped or len(x) > LARGEST or span <= 0:
        return False
    slope = flow.slope(t, x)
    if not np.isfinite(slope).all():
        return False
    s = np.linalg.eigvals(slope)
    decay = float(np.max(-s.real, initial=0))
    if decay * span < WORTH:
        return False
    fast = np.abs(s) > decay / SEPARATE
    damped = -s.real > 0.1 * np.abs(s.imag)
    return bool(damped[fast].all() and not fast.all())
