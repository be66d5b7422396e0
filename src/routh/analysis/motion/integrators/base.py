"""What one run has reached and how it got there, and what a method is that takes it there."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np

from routh.analysis.motion.event_watch import Occurrence, Watch
from routh.analysis.motion.flow import MovingSystem
from routh.analysis.motion.progress import Tick
from routh.analysis.motion.settings import Options, Settings
from routh.arrays import Array
from routh.errors import Status
from routh.kernels.engine import Engine
from routh.language.events import Event
from routh.language.system import System
from routh.recorded import Recorded
from routh.shown import as_html


@dataclass(frozen=True)
class Leg:
    """A part of a run without a new start: by one method, from a state at a time, aimed at an end.

    It holds until the next leg begins. A multistep method that is begun anew has lost its past, so that
    a run is the same only if it is begun anew at the same places.
    """

    method: str
    t: float
    x: Array = field(repr=False)
    end: float
    steps: int = 0
    """Steps of a compiled leg up to where the next one begins."""


@dataclass(frozen=True)
class Route:
    """How a run went: what makes it the same motion, bit by bit, when it is gone again."""

    legs: tuple[Leg, ...]
    share: float
    """Share of the tolerances asked for that its steps had."""
    engine: Engine = Engine.CASADI
    """What made it."""


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
    legs: list[Leg] = field(default_factory=list)
    atol: float = 0.0
    """The absolute tolerance of its steps."""
    share: float = 1.0
    """Share of the tolerances asked for that its steps had."""
    left_out: tuple[float, float] | None = None
    """What a cut to the lowest modes left out of the start, and of what forces do on the way."""

    @property
    def route(self) -> Route:
        """How it went."""
        return Route(tuple(self.legs), self.share)

    def begin(self, leg: Leg) -> None:
        """Start a leg; the method is told if it is a new one."""
        self.legs.append(leg)
        if self.methods[-1:] != [leg.method]:
            self.methods.append(leg.method)

    def took(self, steps: int) -> None:
        """Count the steps of the leg that has ended."""
        self.steps += steps
        self.legs[-1] = replace(self.legs[-1], steps=steps)


@dataclass(frozen=True)
class Statistics(Recorded):
    """What a run cost: the methods used one after the other, steps, evaluations of x', seconds.

    `seconds` is all, `run_seconds` without what is compiled and checked before the first step.
    """

    methods: tuple[str, ...]
    steps: int
    evaluations: int
    seconds: float
    run_seconds: float

    def __str__(self) -> str:
        steps = f"{self.steps} steps, " if self.steps else ""
        cost = f"{steps}{self.evaluations} evaluations, {self.seconds:.3g} s"
        return f"{' then '.join(self.methods)}: {cost}"

    _repr_html_ = as_html


class Outputs:
    """The states at the output times, as they are reached, and where a run is between them."""

    def __init__(self, times: Array, x: Array) -> None:
        self.times, self._start = times, x
        self.x = np.full((len(times), len(x)), np.nan)
        self.x[0] = x
        self.begin()

    def begin(self) -> None:
        """At the start, whatever was reached."""
        self.count = 1
        self.now, self.latest = float(self.times[0]), self._start

    def put(self, x: Array) -> None:
        """The state at the next output."""
        self.now, self.latest = self.next, x
        self.x[self.count] = x
        self.count += 1

    def reach(self, t: float, x: Array) -> None:
        """A state at a time up to the next output, which may be it."""
        if self.waiting and t == self.next:
            self.put(x)
        else:
            self.now, self.latest = t, x

    def following(self, last: float, longest: float) -> Array:
        """The output times from here up to a last time, with times between them where gaps are long."""
        asked = self.times[self.count :]
        ends = np.concatenate([[self.now], asked[asked < last], [last]])
        counts = np.maximum(1, np.ceil(np.diff(ends) / longest)).astype(int)
        if (counts == 1).all():
            return ends[1:]
        parts = [np.linspace(a, b, n + 1)[1:] for a, b, n in zip(ends, ends[1:], counts, strict=False)]
        return np.concatenate(parts)

    @property
    def waiting(self) -> bool:
        """Whether outputs are still to come."""
        return self.count < len(self.times)

    @property
    def next(self) -> float:
        """The time of the next output."""
        return float(self.times[self.count])


@dataclass(frozen=True)
class Passage:
    """What a method goes through: outputs to be reached, under settings, told to the run and to `tick`.

    `legs` are those of the same run made before, whose steps are to be taken again. `begins` is whether
    the run begins here, and events are not watched yet.
    """

    flow: MovingSystem
    outputs: Outputs
    settings: Settings
    run: Run
    watch: Watch | None
    tick: Tick
    legs: tuple[Leg, ...] = ()
    begins: bool = True


class Integrator(Protocol):
    """A method by which motions are integrated.

    A new one is a class of this form in a file beside this one, and a row in `methods`.

    Attributes:
        name: what `method` is to be for it.
        nature: what makes it refuse things, as a clause: "takes equal steps".
        stiff: the method that takes over where equations are stiff; None where no other is better.
        takes_events: whether events may be looked for within its steps; friction needs them.
        takes_projection: whether its states may be moved onto the constraints between steps.
        takes_functions: whether inputs may be Python functions.
        takes_momenta: whether it may integrate Hamilton's equations.
        equal_steps: whether there are no states but at the outputs, so that a motion by it cannot be
            read at other times.
    """

    @property
    def name(self) -> str: ...
    @property
    def nature(self) -> str: ...
    @property
    def stiff(self) -> Integrator | None: ...
    @property
    def takes_events(self) -> bool: ...
    @property
    def takes_projection(self) -> bool: ...
    @property
    def takes_functions(self) -> bool: ...
    @property
    def takes_momenta(self) -> bool: ...
    @property
    def equal_steps(self) -> bool: ...

    def refuse(self, system: System, times: Array, events: tuple[Event, ...], options: Options) -> None:
        """Refuse at the door what the attributes do not tell: kinds of systems, spacings, options."""

    def go(self, passage: Passage) -> None:
        """Put states at the outputs, to the last or as far as it gets.

        Where outputs are left it says why as the status of the run, or begins a leg of another method,
        which then goes on.
        """
