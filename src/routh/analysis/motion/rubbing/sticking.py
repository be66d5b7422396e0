"""The way of a motion with dry friction: one phase after the other, each ended by a located event."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from routh.analysis.motion.phases import Phase
from routh.analysis.motion.rubbing.agreement import Known, Trouble, one_sided, resolved, told_lost
from routh.analysis.motion.rubbing.contacts import Contacts, View
from routh.analysis.motion.rubbing.phase_events import Change, Ends, endings
from routh.analysis.motion.rubbing.regular import ceases_to_be_regular
from routh.analysis.motion.rubbing.sharing import gives_way, is_squeezed, shared_along
from routh.analysis.motion.runs import smooth_motion
from routh.analysis.motion.settings import Options
from routh.analysis.motion.trajectory import ARRIVED, Trajectory
from routh.arrays import Array
from routh.errors import SolveError, Status, capital
from routh.language.contact.friction import STICK
from routh.language.events import Event
from routh.language.system import System

MOST_PHASES = 20_000
"""Phases of one motion."""

SMALL, RATIO = 1e-12, 1e-3
"""Absolute tolerance of phases, and at most this share of the velocity that friction could give."""

SLOW = 0.1
"""A slip in a surface is none below this share of the relative tolerance of what friction gives."""

STOPPED = 100
"""Relative tolerances of the velocities that make up a slip in a surface below which it stops."""

JUST = 1e-12
"""Share of what it could reach by which a contact that has come loose may go back unnoticed."""

PILED = 40
SOON = 1e-10
"""So many phases in a row within this share of the whole time do not get on."""

_SIGN = (
    " If the bodies are pressed together there, its sign is the other one: the constraint in"
    " reaction(phi) grows as they part, and a normal force is positive where it pushes."
)

_SQUEEZED = (
    " Contacts could be squeezed against each other by any larger force (prestress): the forces given"
    " while they stick are one possibility."
)

Ended = tuple[Status, str]
"""How a motion ended, and a sentence on it."""


class Walk:
    """A motion on its way: where it is, what each contact does, and the phases behind it.

    What a contact does, and on which side a reaction presses, may be known, or is to be found out.
    """

    def __init__(
        self,
        system: System,
        values: dict[str, float],
        inputs: Any,
        times: Array,
        x: Array,
        events: tuple[Event, ...],
        options: Options,
    ) -> None:
        self._system, self._values, self._inputs = system, values, inputs
        self._times, self._events = times, events
        self._t, self._x, self._last = float(times[0]), x, float(times[-1])
        self._span = self._last - self._t
        self._look = Contacts(system, values, inputs or {})
        self._look.refuse_odd(self._t, x)
        signs = [sign or None for sign in self._look.slips(self._t, x)]
        self._known = Known(signs, [None] * self._look.sides)
        self._loose: dict[int, float] = {}
        self._squeezed = False
        self._options = self._fine_enough(options)
        self.phases: list[Phase] = []

    def _fine_enough(self, options: Options) -> Options:
        """With an absolute tolerance well below the velocities that friction could give."""
        reached = [self._reach(k) for k in range(len(self._system.friction))]
        for contact, size in zip(self._system.friction, reached, strict=True):
            self._look.slow[contact] = SLOW * options.rtol * size if size > 0 else SMALL
        if options.atol is not None:
            return options
        most = max(reached)
        small = min(SMALL, options.rtol * RATIO * most) if most > 0 else SMALL
        return replace(options, atol=small)

    def _reach(self, k: int) -> float:
        return self._look.reach(k, self._t, self._x, self._span)

    def to_its_end(self) -> Ended:
        """Through all phases, and how it ended."""
        ended = self._phase()
        while ended is None:
            ended = self._phase()
        return (ended[0], ended[1] + _SQUEEZED) if self._squeezed else ended

    def _phase(self) -> Ended | None:
        """One phase; how the motion ended, None where it goes on."""
        found = resolved(self._look, self._known, self._t, self._x)
        if isinstance(found, Trouble):
            return self._troubled(found)
        self._x = found.x
        view = self._look.view(found.choice, self._t, self._x)
        assert view is not None
        shared = view.flow.motion.redundant
        self._squeezed = self._squeezed or is_squeezed(view, self._t, self._x)
        own = endings(self._system, view, self._loose, shared=shared)
        part = self._run(view, [event for event, _ in own])
        if shared:
            part = self._while_shared(view, part)
        part, trouble = self._while_regular(view, part)
        self._add(view, part, shared)
        if trouble is not None:
            return self._troubled(trouble)
        due = {occurrence.event for occurrence in part.events if occurrence.t >= self._t}
        changed = [change for event, change in own if event in due]
        asked = [event for event in self._events if event.stop and event in due]
        return self._over(part, asked, changed) or self._go_on(view, changed)

    def _troubled(self, found: Trouble) -> Ended:
        """How a motion ended where contacts cannot go on; none has begun where they never could.

        Raises:
            SolveError: at the start.
        """
        if not self.phases:
            hint = _SIGN if found.status is Status.LOST else ""
            raise SolveError(
                f"{capital(self._system.title)} has no motion with these contacts from this start:"
                f" {found.message}{hint}"
            )
        return found.status, f"Stopped at t = {self._t:.6g}: {found.message}"

    def _run(self, view: View, ends: list[Event], last: float | None = None) -> Trajectory:
        """The motion from here on, what sticks being held, up to one of the events that end it."""
        x, choice = self._x, view.choice
        if STICK in choice.states:
            x = view.flow.projected(self._t, view.state(x))[: len(x)]
        later = self._times[self._times > self._t]
        if last is not None:
            later = np.append(later[later < last], last)
        names = (*self._system.coordinates, *self._system.velocities)
        state = dict(zip(names, x.tolist(), strict=True))
        grid = np.concatenate([[self._t], later])
        given = (choice.phase(self._system), self._values, state, grid, self._options)
        return smooth_motion(*given, inputs=self._inputs, events=[*ends, *self._events])

    def _while_shared(self, view: View, part: Trajectory) -> Trajectory:
        """The phase up to where forces that are not determined cannot be within their limits."""
        ends = gives_way(view, part)
        return part if ends is None else self._run(view, [], ends)

    def _add(self, view: View, part: Trajectory, shared: bool) -> None:
        shares = shared_along(view, part) if shared else None
        own = Phase(self._t, float(part.t[-1]), view.choice.states, part, view.choice.sides, shares)
        self.phases.append(own)
        self._t, self._x = float(part.t[-1]), np.concatenate([part.q[-1], part.v[-1]])

    def _while_regular(self, view: View, part: Trajectory) -> tuple[Trajectory, Trouble | None]:
        """The phase up to where its forces cease to be the only ones, and why it ends there."""
        if not any(view.choice.states) or not one_sided(self._look):
            return part, None
        found = ceases_to_be_regular(self._look, view.choice, part)
        return (part, None) if found is None else (self._run(view, [], found[0]), found[1])

    def _over(self, part: Trajectory, asked: list[Event], changed: list[Change]) -> Ended | None:
        """Why the motion ends with this phase; None where it does not."""
        if asked:
            return Status.EVENT, f"Stopped by the event `{asked[0]}` at t = {self._t:.10g}."
        if part.run_status not in ARRIVED:
            return part.run_status, str(part.message)
        if self._t >= self._last:
            return Status.FINISHED, Status.FINISHED.value
        contacts = self._system.friction
        for change in changed:
            if change.ends is Ends.LOST:
                lost = contacts[change.contact]
                return Status.LOST, f"Stopped at t = {self._t:.10g}: {told_lost(lost)}"
            if change.ends is Ends.DRIVES:
                return Status.FAILED, (
                    f"Stopped at t = {self._t:.6g}: the force of {contacts[change.contact]} becomes"
                    " negative there, or its static force falls below that of slow slip. Friction must"
                    " not drive the slip."
                )
        return None

    def _go_on(self, view: View, changed: list[Change]) -> Ended | None:
        """What contacts do next; how the motion ended where they change without end."""
        jumps = not changed or any(change.ends is not Ends.FLIPS for change in changed)
        states = [own or None for own in view.choice.states]  # forces jump: look at all again
        sides: list[int | None] = [None if jumps else own for own in view.choice.sides]
        towards: dict[int, Array] = {}
        self._loose = {}
        for change in changed:
            k = change.contact
            if change.ends is Ends.FLIPS:
                sides[k] = None if jumps else -view.choice.sides[k]
            elif change.ends is Ends.STOPS and self._has_turned(view, k):
                states[k] = 1
            elif change.ends is Ends.STOPS:
                states[k] = None
            elif change.ends is Ends.SLIPS and self._system.friction[k].is_vector:
                states[k] = 1
                towards[k] = self._direction(view, k)
            elif change.ends is Ends.SLIPS:
                states[k] = change.state
                self._loose[k] = JUST * self._reach(k)
        self._known = Known(states, sides, towards)
        recent = self.phases[-PILED:]
        slow = len(recent) == PILED and self._t - recent[0].start <= SOON * self._span
        if not slow and len(self.phases) < MOST_PHASES:
            return None
        return Status.PILED_UP, (
            f"Stopped at t = {self._t:.6g}: sticking and slipping follow each other without end."
        )

    def _has_turned(self, view: View, k: int) -> bool:
        """Whether a slip in a surface has not stopped, but goes across its heading."""
        if not self._system.friction[k].is_vector:
            return False
        state, n = view.state(self._x), view.flow.motion.n
        slip = view.velocity(k, self._t, state)
        parts = np.abs(view.slip_slopes(k, self._t, state)) @ np.abs(state[n : 2 * n])
        return bool(np.linalg.norm(slip) > view.slow(k) + STOPPED * self._options.rtol * parts.max())

    def _direction(self, view: View, k: int) -> Array:
        """The direction in which a contact in a surface gives way: against what held it."""
        held = view.at(self._t, self._x).held[k]
        return np.asarray(held / np.linalg.norm(held))
