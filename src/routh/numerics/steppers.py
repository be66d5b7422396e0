"""SciPy's Runge-Kutta methods behind a thin face: step, look between, move.

They go step by step and may be moved in between, for projection and events.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import scipy

from routh.arrays import Array
from routh.errors import RouthError

Rate = Callable[[float, Array], Array]

TIGHTEST = 1e-13
"""SciPy's methods refuse relative tolerances below a hundred units in the last place."""


class StuckError(Exception):
    """The step became too small, or the equations are not finite here."""


def _stuck(error: Exception) -> Exception:
    """What an error within a step means: slopes that are not finite, unless an input has failed."""
    return error if isinstance(error, RouthError) else StuckError(str(error))


@dataclass(frozen=True)
class Flow:
    """x' = rate(t, x) with its slope dx'/dx, and the tolerances."""

    rate: Rate
    slope: Rate
    rtol: float
    atol: float | Array
    longest: float = np.inf
    """The largest step."""


class Stepper(Protocol):
    """A run that goes step by step, up to a last time at which it ends exactly."""

    @property
    def t(self) -> float:
        """Where the run is."""

    @property
    def x(self) -> Array:
        """The state there."""

    @property
    def last(self) -> float:
        """Where it ends."""

    @property
    def steps(self) -> int:
        """How many steps it has taken."""

    @property
    def next_step(self) -> float:
        """The size of the step that will be tried next."""

    def begin(self, t: float, x: Array, step: float | None = None) -> None:
        """Start anew from a state, with a first step to try."""

    def advance(self) -> None:
        """One step. Raises StuckError where there is none."""

    def inside(self) -> Callable[[float], Array]:
        """The motion within the last step; asked for before the state is moved."""

    def to(self, t: float, x: Array, last: float) -> Array:
        """The state at a time between two steps, by steps of the same method that end there."""

    def move(self, x: Array) -> None:
        """Go on from a state next to where the step ended."""


class OneStep:
    """One run of a Runge-Kutta method of SciPy, up to a last time at which it ends exactly.

    `method` is SciPy's name for it; one that is `implicit` is given the slopes.
    """

    def __init__(
        self, method: str, implicit: bool, flow: Flow, t: float, x: Array, last: float
    ) -> None:
        self.last = last
        self._method, self._implicit, self._flow = method, implicit, flow
        self._kind = getattr(scipy.integrate, method)
        self.steps = 0
        self.begin(t, x)

    def begin(self, t: float, x: Array, step: float | None = None) -> None:
        """Start anew from a state, with a first step to try."""
        options: dict[str, Any] = {"rtol": max(self._flow.rtol, TIGHTEST), "atol": self._flow.atol}
        options["max_step"] = self._flow.longest
        if self._implicit:
            options["jac"] = self._flow.slope
        if step is not None:
            options["first_step"] = min(step, self.last - t)
        with np.errstate(all="ignore"):
            try:
                self._solver = self._kind(self._flow.rate, t, x, self.last, **options)
            except (ValueError, np.linalg.LinAlgError) as error:
                raise _stuck(error) from error

    @property
    def t(self) -> float:
        """Where the run is."""
        return float(self._solver.t)

    @property
    def x(self) -> Array:
        """The state there."""
        state: Array = self._solver.y
        return state

    @property
    def next_step(self) -> float:
        """The size of the step that will be tried next."""
        return float(self._solver.h_abs)

    def advance(self) -> None:
        """One step."""
        with np.errstate(all="ignore"):
            try:
                said = self._solver.step()
            except (ValueError, np.linalg.LinAlgError) as error:
                raise _stuck(error) from error
        if said is not None or not np.isfinite(self._solver.y).all():
            raise StuckError(said or "the state is not finite")
        self.steps += 1

    def inside(self) -> Callable[[float], Array]:
        """The motion within the last step; asked for before the state is moved."""
        found: Callable[[float], Array] = self._solver.dense_output()
        return found

    def to(self, t: float, x: Array, last: float) -> Array:
        """The state at a time between two steps, by steps of the same method that end there."""
        if last <= t:
            return x
        run = OneStep(self._method, self._implicit, self._flow, t, x, last)
        run.begin(t, x, last - t)
        while run.t < last:
            run.advance()
        return run.x

    def move(self, x: Array) -> None:
        """Go on from a state next to where the step ended."""
        self._solver.y = x
        self._solver.f = self._flow.rate(self.t, x)
