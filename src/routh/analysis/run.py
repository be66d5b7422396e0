"""What one run has reached."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from routh.analysis.watching import Occurrence
from routh.errors import Status
from routh.kernels.batch import Array


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


class Outputs:
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

    def following(self, portion: int, longest: float) -> tuple[Array, list[int]]:
        """The next output times, with times between them where gaps are long, and their places."""
        ends = self.times[self.count - 1 : self.count + portion]
        counts = np.maximum(1, np.ceil(np.diff(ends) / longest)).astype(int)
        parts = [np.linspace(a, b, n + 1)[1:] for a, b, n in zip(ends, ends[1:], counts, strict=False)]
        return np.concatenate(parts), (np.cumsum(counts) - 1).tolist()

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
