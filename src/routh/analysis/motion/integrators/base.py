"""What one run has reached, and how it got there."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from routh.analysis.motion.event_watch import Occurrence
from routh.arrays import Array
from routh.errors import Status


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


class Outputs:
    """The states at the output times, as they are reached, and where a run is between them."""

    def __init__(self, times: Array, x: Array) -> None:
        self.times = times
        self.x = np.full((len(times), len(x)), np.nan)
        self.x[0] = x
        self.count = 1
        self.now, self.latest = float(times[0]), x

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
