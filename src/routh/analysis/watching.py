"""Events along a run: where a watched expression passes zero, and the state before and after."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from routh.analysis.flow import MovingSystem
from routh.errors import DeclarationError, a_kind
from routh.kernels.batch import Array
from routh.language.events import Event
from routh.language.system import System
from routh.numerics.steppers import OneStep

PARTS = 8
"""Pieces of a step at whose ends the signs of watched expressions are compared: a short dip below
zero within a step is seen if one of them lies in it."""

SAME = 4.0
"""Units in the last place of the time within which an event is located."""

PILED = 5
SOON = 1e-6
"""So many events in a row, each sooner than the last and within this share of the run, pile up."""


@dataclass(frozen=True, eq=False)
class Occurrence:
    """An event that happened: when, and the states (q, v, ...) just before and just after."""

    event: Event
    t: float
    before: Array = field(repr=False)
    after: Array = field(repr=False)
    held: bool = field(repr=False, default=False)
    """Whether the motion still goes on through zero after the velocities have changed."""


class Watch:
    """Watches the events of one run."""

    def __init__(self, flow: MovingSystem, events: Sequence[Event]) -> None:
        self._events = events
        self._values = flow.watched("events", [event.expression for event in events])
        changes = [value for event in events for _, value in event.change]
        self._changes = flow.watched("changes", changes) if changes else None
        self._rate = flow.rate
        self._old = np.zeros(len(events))

    def begin(self, t: float, x: Array) -> None:
        """Start from a state; what is zero there counts as where it is going."""
        self._old = self._values(t, x)
        for k in np.flatnonzero(self._old == 0):
            self._old[k] = self._heading(t, x, int(k))

    def _heading(self, t: float, x: Array, k: int) -> float:
        """The sign that expression k takes next, from its slope along the motion."""
        h = 1e-6 * max(1.0, abs(t))
        ahead = self._values(t + h, x + h * self._rate(t, x))[k]
        behind = self._values(t - h, x - h * self._rate(t, x))[k]
        return float(np.sign(ahead - behind)) or float(np.sign(ahead))

    def within(
        self,
        flow: MovingSystem,
        t: float,
        x: Array,
        stepper: OneStep,
        inside: Callable[[float], Array],
        move: Callable[[float, Array], Array],
    ) -> Occurrence | None:
        """The first event within the last step, which began at (t, x), or None."""
        times = np.linspace(t, stepper.t, PARTS + 1)
        states = [x, *(inside(float(time)) for time in times[1:-1]), stepper.x]
        values = [
            self._old,
            *(self._values(float(a), b) for a, b in zip(times[1:], states[1:], strict=True)),
        ]
        crossed: list[tuple[float, int]] = []
        for i in range(PARTS):
            for k, event in enumerate(self._events):
                low, high = values[i][k], values[i + 1][k]
                if low == 0 or np.sign(low) == np.sign(high):
                    continue
                if event.direction and np.sign(high - low) != event.direction:
                    continue
                crossed.append((self._root(inside, k, times[i], times[i + 1], low), k))
            if crossed:
                break
        if not crossed:
            self._old = np.where(values[-1] == 0, self._old, values[-1])
            return None
        first, k = min(crossed)
        at, before = self._located(flow, stepper, t, x, first, k, move)
        return self._happened(flow, k, at, before)

    def _root(
        self, inside: Callable[[float], Array], k: int, low: float, high: float, sign: float
    ) -> float:
        """Where the interpolated motion meets zero, by bisection to the last digits."""
        while high - low > SAME * np.spacing(max(abs(low), abs(high))):
            middle = (low + high) / 2
            value = self._values(middle, inside(middle))[k]
            if np.sign(value) == np.sign(sign):
                low = middle
            else:
                high = middle
        return high

    def _located(
        self,
        flow: MovingSystem,
        stepper: OneStep,
        t: float,
        x: Array,
        guess: float,
        k: int,
        move: Callable[[float, Array], Array],
    ) -> tuple[float, Array]:
        """The event on the motion itself: steps that end there, corrected by Newton's method."""
        at, state = guess, x
        for _ in range(4):
            state = move(at, stepper.to(t, x, at))
            h = 1e-7 * max(stepper.t - t, 1e-300)
            slope = (
                self._values(at + h, state + h * flow.rate(at, state))[k] - self._values(at, state)[k]
            ) / h
            value = self._values(at, state)[k]
            step = -value / slope if slope else 0.0
            if abs(step) <= SAME * np.spacing(abs(at)) or not t < at + step <= stepper.t:
                break
            at += step
        return at, state

    def _happened(self, flow: MovingSystem, k: int, t: float, before: Array) -> Occurrence:
        event = self._events[k]
        after = before
        if event.change and self._changes is not None:
            after = before.copy()
            values = self._changes(t, before)
            first = sum(len(other.change) for other in self._events[:k])
            n = flow.motion.n
            for j, (velocity, _) in enumerate(event.change):
                after[n + flow.motion.system.coordinates.index(velocity.base)] = values[first + j]
            after = flow.projected(t, after)
        passed = float(np.sign(self._old[k]))
        self._old = self._values(t, after)
        if not event.change:
            self._old[k] = -passed
            return Occurrence(event, t, before, after)
        heading = self._heading(t, after, k)
        self._old[k] = heading
        return Occurrence(event, t, before, after, held=bool(heading == -passed))

    def piled_up(self, occurrences: Sequence[Occurrence], span: float) -> bool:
        """Whether velocities that change do not lead away, or events follow each other ever faster."""
        if occurrences[-1].held:
            return True
        if len(occurrences) <= PILED:
            return False
        gaps = np.diff([each.t for each in occurrences[-PILED - 1 :]])
        return bool((gaps < SOON * span).all() and (np.diff(gaps) < 0).all())


def checked_events(system: System, events: object) -> tuple[Event, ...]:
    """The events, if they are some."""
    if events is None:
        return ()
    given = [events] if isinstance(events, Event) else events
    if not isinstance(given, (list, tuple)) or not all(isinstance(each, Event) for each in given):
        wrong = next((e for e in given if not isinstance(e, Event)), given) if isinstance(
            given, (list, tuple)) else given  # fmt: skip
        raise DeclarationError(
            "`events` lists what event(expression, ...) makes, like [event(y, stop=True)]."
            f" Got {a_kind(wrong)}."
        )
    for each in given:
        for velocity, _ in each.change:
            if velocity.base not in system.coordinates:
                raise DeclarationError(
                    f"The event `{each}` changes `{velocity}`, which is no velocity of {system.title}."
                )
    return tuple(given)
