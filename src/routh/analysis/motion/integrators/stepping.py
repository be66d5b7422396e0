"""A run that goes step by step, with the outputs and events within each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from routh.analysis.motion.event_watch import Occurrence, UndefinedEventError
from routh.analysis.motion.flow import MovingSystem
from routh.analysis.motion.integrators.base import Passage
from routh.analysis.motion.integrators.stiffness import LOOK_EVERY, is_stiff
from routh.analysis.motion.settings import Settings
from routh.arrays import Array
from routh.errors import Status
from routh.numerics.steppers import Stepper, StuckError

PACE = 1000
CRAWL = 1e-4
VAIN = 22
"""A run chatters, about a jump in a force, when so many steps bring it on by less than this share of
its time while many trials are in vain: more evaluations a step than any method needs."""


class ByStep(Protocol):
    """A method that goes step by step."""

    @property
    def name(self) -> str: ...
    @property
    def stiff(self) -> ByStep | None: ...

    def stepper(self, flow: MovingSystem, settings: Settings, t: float, x: Array) -> Stepper:
        """A run from a state on."""


class Stepping:
    """A run by a one-step method, from where its outputs are."""

    def __init__(self, method: ByStep, passage: Passage) -> None:
        flow, outputs, settings = passage.flow, passage.outputs, passage.settings
        self._flow, self._outputs, self._settings = flow, outputs, settings
        self._run, self._watch, self._tick = passage.run, passage.watch, passage.tick
        self._begins, self._method = passage.begins, method
        self._stepper = method.stepper(flow, settings, outputs.now, outputs.latest)
        self._paced = outputs.now, flow.evaluations
        self._span = settings.last - float(outputs.times[0])

    def go(self) -> None:
        """To the last output, or as far as it gets."""
        watch, outputs = self._watch, self._outputs
        try:
            if watch is not None and self._begins:
                self._settle(watch.begin(outputs.now, outputs.latest, self._flow))
            while outputs.waiting and self._run.status is Status.FINISHED:
                self._step()
                self._tick(self._stepper.t)
        finally:
            self._run.steps += self._stepper.steps

    def _step(self) -> None:
        """One step, with the outputs and events within it."""
        stepper, outputs, run = self._stepper, self._outputs, self._run
        before, old = stepper.t, stepper.x
        try:
            stepper.advance()
            self._refuse_chatter()
            watched = self._watch is not None
            inside = stepper.inside() if outputs.next < stepper.t or watched else None
            if self._settings.project:
                stepper.move(self._moved(stepper.t, stepper.x))
            found, until = self._events(before, old, inside)
            while inside is not None and outputs.waiting and outputs.next < until:
                outputs.put(self._moved(outputs.next, inside(outputs.next)))
        except StuckError:
            run.status, run.stuck = Status.STUCK, (before, old)
            return
        if found:
            self._settle(found)
        elif run.status is Status.FINISHED:
            if outputs.waiting and outputs.next == stepper.t:
                outputs.put(stepper.x)
            self._turn_implicit()
        self._flow.sample(self._stepper.t, self._stepper.x)

    def _moved(self, t: float, x: Array) -> Array:
        """A state on the constraints, if that is asked for."""
        return self._flow.projected(t, x) if self._settings.project else x

    def _events(
        self, t: float, x: Array, inside: Callable[[float], Array] | None
    ) -> tuple[list[Occurrence], float]:
        """The first events within the step that began at (t, x), and until when the step holds."""
        if self._watch is None or inside is None:
            return [], self._stepper.t
        try:
            gap = self._settings.gap
            found = self._watch.within(self._flow, t, x, self._stepper, inside, self._moved, gap)
        except UndefinedEventError as error:
            self._run.status, self._run.cause = Status.FAILED, str(error)
            return [], error.t
        return found, found[0].t if found else self._stepper.t

    def _settle(self, found: list[Occurrence]) -> None:
        """End the run where events end it, or go on from what they left."""
        if not found or self._watch is None:
            return
        outputs, run, stepper = self._outputs, self._run, self._stepper
        t, after = found[-1].t, found[-1].after
        run.occurrences += found
        if outputs.waiting and outputs.next == t:
            outputs.put(after)
        if any(each.event.stop for each in found):
            run.status = Status.EVENT
        elif self._watch.piled_up(run.occurrences, self._span):
            run.status = Status.PILED_UP
        elif t < stepper.last:
            jumps = any(each.event.change for each in found)
            stepper.begin(t, after, None if jumps else stepper.next_step)

    def _refuse_chatter(self) -> None:
        stepper, evaluations = self._stepper, self._flow.evaluations
        if stepper.steps % PACE:
            return
        slow = stepper.t - self._paced[0] < CRAWL * self._span
        if slow and evaluations - self._paced[1] > VAIN * PACE:
            raise StuckError("the steps chatter")
        self._paced = stepper.t, evaluations

    def _turn_implicit(self) -> None:
        """Go on by an implicit method, if the equations have become stiff."""
        stepper, stiff = self._stepper, self._method.stiff
        due = stepper.steps % LOOK_EVERY == LOOK_EVERY - 1
        if not (due and self._settings.free and stiff):
            return
        if is_stiff(self._flow, stepper.t, stepper.x, stepper.last - stepper.t):
            self._run.steps += stepper.steps
            self._run.methods.append(stiff.name)
            self._method = stiff
            self._stepper = stiff.stepper(self._flow, self._settings, stepper.t, stepper.x)
