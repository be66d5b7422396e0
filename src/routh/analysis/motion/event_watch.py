"""Events along a run: where a watched expression passes zero, and the state before and after."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated

import numpy as np

from routh.analysis.given.reading import own_expression
from routh.analysis.motion.flow import MovingSystem
from routh.arrays import Array
from routh.errors import DeclarationError, a_kind, quoted
from routh.language.events import Event
from routh.language.keys import once
from routh.language.names import by_name
from routh.language.symbols import Coordinate
from routh.language.system import System
from routh.language.walk import leaves
from routh.numerics.solving.crossing import crossing
from routh.numerics.steppers import Stepper
from routh.recorded import Recorded
from routh.shown import as_html

PARTS = 8
"""Pieces of a step at least at whose ends watched expressions are looked at."""

MOST_PARTS = 400
"""Pieces at most."""

SAME = 4.0
"""Units in the last place of the time within which an event is located."""

TOGETHER = 1e-9
"""Events within this share of a step happen together."""

NOISE = 1e-15
"""Share of the largest value it has had below which a watched expression is zero."""

TINY = 1e-300
"""Stands for zero, on a side that is known."""

ZERO = 1e-12
"""Seconds within which an expression passes zero at its rate, to count as zero."""

RESTING = 1e-9
"""A rate after a change below this share of that before it means that nothing is left of it."""

PILED = 5
SOON = 1e-6
"""So many events in a row, each sooner than the last and within this share of the run, pile up."""

Inside = Callable[[float], Array]
Move = Callable[[float, Array], Array]
End = tuple[float, float]
"""The value and the rate of an expression at one end of a piece."""


class UndefinedEventError(Exception):
    """An event, or what it changes, is not a number; `t` is the time until which all was well."""

    def __init__(self, message: str, t: float) -> None:
        super().__init__(message)
        self.t = t


@dataclass(frozen=True, eq=False)
class Occurrence(Recorded):
    """An event that happened: when, and the states (q, v, ...) just before and just after."""

    event: Event
    t: float
    before: Annotated[Array, "states"] = field(repr=False)
    after: Annotated[Array, "states"] = field(repr=False)
    is_at_rest: bool = field(repr=False, default=False)
    """Whether a change of velocity has stopped the motion at zero, against what drives it on."""

    _repr_html_ = as_html


class Watch:
    """Watches the events of one run; it knows on which side of zero each expression is."""

    def __init__(self, flow: MovingSystem, events: Sequence[Event]) -> None:
        self._events = events
        self._values = flow.watched([event.expression for event in events])
        changes = [value for event in events for _, value in event.change]
        self._changes = flow.watched(changes) if changes else None
        self._side = np.zeros(len(events))
        self._sizes = np.zeros(len(events))

    def begin(self, t: float, x: Array, flow: MovingSystem) -> list[Occurrence]:
        """Start from a state. What is zero there and goes the watched way happens at once."""
        value, rate = self._values(t, x)
        self._side = np.where(value == 0, np.sign(rate), np.sign(value))
        due = []
        for k, event in enumerate(self._events):
            if value[k] == 0 and event.direction and (event.stop or event.change):
                heading = np.sign(rate[k]) or self._pushed(flow, t, x, k)
                if heading == event.direction:
                    due.append(k)
                    self._side[k] = -heading
        return self._happened(flow, due, t, x) if due else []

    def within(
        self,
        flow: MovingSystem,
        t: float,
        x: Array,
        stepper: Stepper,
        inside: Inside,
        move: Move,
        gap: float,
    ) -> list[Occurrence]:
        """The first events within the last step, which began at (t, x); several if they coincide."""
        count = int(np.clip(4 * (stepper.t - t) / gap, PARTS, MOST_PARTS))
        low, (value, rate) = t, self._values(t, x)
        known = self._side != 0  # just after an event the side is known better than the value
        value = np.where(known & (np.sign(value) != self._side), TINY * self._side, value)
        for high in np.linspace(t, stepper.t, count + 1)[1:].tolist():
            state = stepper.x if high == stepper.t else inside(high)
            after, after_rate = self._values(high, state)
            self._refuse_undefined(after, low, high)
            self._sizes = np.maximum(self._sizes, np.abs(after))
            after = np.where(np.abs(after) <= NOISE * self._sizes, 0.0, after)
            crossed = []
            for k in range(len(self._events)):
                ends = (value[k], rate[k]), (after[k], after_rate[k])
                root = self._root(inside, k, low, high, *ends)
                if root is not None:
                    crossed.append((root, k))
            if crossed:
                first = min(crossed)[0]
                due = [k for root, k in crossed if root <= first + TOGETHER * (stepper.t - t)]
                at, before = self._located(stepper, t, x, first, due[0], move)
                return self._happened(flow, due, at, before)
            self._side = np.where(after == 0, self._side, np.sign(after))
            value, rate, low = np.where(after == 0, TINY * self._side, after), after_rate, high
        return []

    def _refuse_undefined(self, values: Array, before: float, t: float) -> None:
        for event, value in zip(self._events, values, strict=True):
            if np.isnan(value):
                raise UndefinedEventError(
                    f"The event `{event}` is not a number at t = {t:.6g}. Watch an expression that"
                    " exists on both sides of zero, like x - 1 instead of sqrt(x - 1).",
                    before,
                )

    def _root(
        self, inside: Inside, k: int, low: float, high: float, start: End, end: End
    ) -> float | None:
        """Where an expression passes zero the watched way within a piece, or None."""
        side, direction = np.sign(start[0]), self._events[k].direction
        if not side:  # it leaves zero, where it has been
            return low if direction and np.sign(end[0]) == direction else None
        if not end[0]:  # not through yet
            return None
        if side != np.sign(end[0]):
            watched = not direction or direction == -side
            return self._passed(inside, k, low, high, side) if watched else None
        dip = self._dip(inside, k, low, high, start, end)
        if dip is None:
            return None
        if direction and direction != -side:  # only on its way back out of the dip
            return self._passed(inside, k, dip, high, -side)
        return self._passed(inside, k, low, dip, side)

    def _dip(
        self, inside: Inside, k: int, low: float, high: float, start: End, end: End
    ) -> float | None:
        """A time within a piece at which an expression is beyond zero although its ends are not.

        Looked for at the least of the cubic through both ends with their slopes.
        """
        side, h = np.sign(start[0]), high - low
        falls = side * start[1] < 0 < side * end[1]  # not where a rate is no number
        if not (falls and np.isfinite([*start, *end]).all()):
            return None
        a, b = side * start[0], side * end[0]
        da, db = side * start[1] * h, side * end[1] * h
        roots = np.roots([3 * (2 * (a - b) + da + db), 2 * (3 * (b - a) - 2 * da - db), da])
        for share in roots[np.isreal(roots)].real:
            time = low + float(np.clip(share, 0, 1)) * h
            if np.sign(self._values(time, inside(time))[0][k]) == -side:
                return time
        return None

    def _passed(self, inside: Inside, k: int, low: float, high: float, side: float) -> float | None:
        """Where the interpolated motion leaves a side, to the last digits; None if that is a pole.

        The ends count by their sides alone. Just after an event the value is rounding, and
        interpolation would look for the next one right there.
        """

        def value(time: float) -> float:
            return float(self._values(time, inside(time))[0][k])

        size = max(abs(value(low)), abs(value(high))) or 1.0

        def signed(time: float) -> float:
            found = value(time)
            return -side * size if np.isnan(found) else found  # what is no number is beyond

        width = float(np.spacing(max(abs(low), abs(high))))
        time, further = (
            crossing(signed, low, high, ends=(side * size, -side * size), width=width),
            width,
        )
        while time < high and (time <= low or signed(time) * side > 0):
            time, further = min(time + further, high), 2 * further  # the first place that is beyond
        return None if abs(value(time)) > size else time

    def _located(
        self, stepper: Stepper, t: float, x: Array, guess: float, k: int, move: Move
    ) -> tuple[float, Array]:
        """The event on the motion itself: steps that end there, corrected by Newton's method."""
        at, state = guess, x
        for _ in range(4):
            state = move(at, stepper.to(t, x, at))
            value, rate = (each[k] for each in self._values(at, state))
            step = -value / rate if rate else 0.0
            if abs(step) <= SAME * np.spacing(abs(at)) or not t < at + step <= stepper.t:
                break
            at += step
        return at, state

    def _happened(
        self, flow: MovingSystem, due: list[int], t: float, before: Array
    ) -> list[Occurrence]:
        """What becomes of the state when events happen, and those that they set off in turn.

        Balls that touch hand a blow on: what is zero and is set moving the watched way happens too.
        """
        found: list[Occurrence] = []
        while due:
            after = self._changed(flow, due, t, before)
            found += self._settled(flow, due, t, before, after)
            done = {id(each.event) for each in found}
            value, rate = self._values(t, after)
            near = np.abs(value) <= ZERO * np.abs(rate)
            due = [
                k
                for k, event in enumerate(self._events)
                if near[k] and event.direction and np.sign(rate[k]) == event.direction
                and (event.change or event.stop) and id(event) not in done
            ]  # fmt: skip
            for k in due:
                self._side[k] = -self._events[k].direction
            before = after
        return found

    def _settled(
        self, flow: MovingSystem, due: list[int], t: float, before: Array, after: Array
    ) -> list[Occurrence]:
        """The occurrences of events that happen together, after which every side is known."""
        _, rate_before = self._values(t, before)
        value, rate = self._values(t, after)
        found = []
        for k, event in enumerate(self._events):
            if k not in due:  # what is about to pass keeps its side
                far = abs(value[k]) > ZERO * (abs(rate[k]) + abs(rate_before[k]))
                self._side[k] = np.sign(value[k]) if far else self._side[k]
                continue
            beyond = -self._side[k]
            stopped = abs(rate[k]) <= RESTING * abs(rate_before[k])
            rests = bool(event.change and stopped and self._pushed(flow, t, after, k) == beyond)
            turned = bool(np.sign(rate[k]) == self._side[k]) and not stopped
            self._side[k] = -beyond if turned else beyond
            found.append(Occurrence(event, float(t), before, after, rests))
        return found

    def _changed(self, flow: MovingSystem, due: list[int], t: float, before: Array) -> Array:
        """The state with the velocities that events change, on the constraints."""
        if self._changes is None or not any(self._events[k].change for k in due):
            return before
        after = before.copy()
        values, _ = self._changes(t, before)
        first = np.cumsum([0, *(len(event.change) for event in self._events)])
        for k in due:
            for j, (velocity, _) in enumerate(self._events[k].change):
                value = values[first[k] + j]
                if not np.isfinite(value):
                    raise UndefinedEventError(
                        f"The event `{self._events[k]}` at t = {t:.6g} makes `{velocity}` {value}.", t
                    )
                place = flow.motion.system.coordinates.index(velocity.base)
                after[flow.motion.n + place] = value
        return flow.projected(t, after)

    def _pushed(self, flow: MovingSystem, t: float, x: Array, k: int) -> float:
        """Which way an expression without rate is going to go: the sign of the rate of its rate."""
        slope = flow.rate(t, x)
        h = 1e-6 * float(np.abs(x).max(initial=0) or 1.0) / float(np.abs(slope).max(initial=0) or 1.0)
        return float(np.sign(self._values(t + h, x + h * slope)[1][k] - self._values(t, x)[1][k]))

    def piled_up(self, occurrences: Sequence[Occurrence], span: float) -> bool:
        """Whether a change of velocity leaves nothing to go on with, or events follow ever faster."""
        if occurrences[-1].is_at_rest:
            return True
        times = np.unique([each.t for each in occurrences[-3 * PILED :]])[-PILED - 1 :]
        gaps = np.diff(times)
        if len(gaps) == PILED and (gaps <= 4 * SAME * np.spacing(times[1:])).all():
            return True
        return bool(len(gaps) == PILED and (gaps < SOON * span).all() and (np.diff(gaps) < 0).all())


def checked_events(system: System, events: object) -> tuple[Event, ...]:
    """The events, if they are some of this system."""
    given = () if events is None else (events,) if isinstance(events, Event) else events
    several = isinstance(given, (list, tuple))
    wrong = [e for e in given if not isinstance(e, Event)] if isinstance(given, (list, tuple)) else []
    if not several or wrong:
        raise DeclarationError(
            "`events` lists what event(expression, ...) makes, like [event(y, stop=True)]. Got"
            f" {a_kind(wrong[0] if wrong else given)}."
        )
    found: tuple[Event, ...] = tuple(_in_symbols(system, e) for e in given)  # type: ignore[attr-defined]
    for each in found:
        for expression in (each.expression, *(value for _, value in each.change)):
            own_expression(system, expression, "An event")
            rising = [s for s in leaves([expression]) if isinstance(s, Coordinate) and s.order > 1]
            if rising:
                raise DeclarationError(
                    f"The event `{each}` contains the acceleration {quoted(rising)}. Expected an"
                    " expression in t, coordinates, velocities and parameters."
                )
        for velocity, _ in each.change:
            if velocity.base not in system.coordinates:
                raise DeclarationError(
                    f"The event `{each}` changes `{velocity}`, which is no velocity of {system.title}."
                )
    return found


def _in_symbols(system: System, event: Event) -> Event:
    """The event with symbols in the place of names; itself where there are none."""
    change = once(
        (
            (by_name(system, v, "What an event changes"), by_name(system, e, f"What `{v}` becomes"))
            for v, e in event.change
        ),
        "change",
    )
    watched = by_name(system, event.expression, "What an event watches")
    if watched is event.expression and tuple(change.items()) == event.change:
        return event
    return replace(event, expression=watched, change=tuple(change.items()))
