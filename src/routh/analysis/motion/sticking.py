"""The way of a motion with dry friction: one phase after the other, each ended by a located event."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import sympy

from routh.analysis.motion.contacts import Contacts
from routh.analysis.motion.phases import Phase
from routh.analysis.motion.runs import smooth_motion
from routh.analysis.motion.settings import Options
from routh.analysis.motion.trajectory import ARRIVED, Trajectory
from routh.arrays import Array
from routh.errors import Status
from routh.language.events import Event
from routh.language.friction import STICK, Friction
from routh.language.symbols import Coordinate, Input
from routh.language.symbols import t as time
from routh.language.system import System
from routh.language.walk import leaves

MOST_PHASES = 20_000
"""Phases of one motion."""

SMALL, RATIO = 1e-12, 1e-3
"""Absolute tolerance of phases, and at most this share of the velocity that friction could give."""

JUST = 1e-12
"""Share of what it could reach by which a contact that has come loose may go back unnoticed."""

DRIVES = 2
"""Stands for a contact whose force has become negative."""

PILED = 40
SOON = 1e-10
"""So many phases in a row within this share of the whole time do not get on."""

Ended = tuple[Status, str]
"""How a motion ended, and a sentence on it."""

Change = tuple[int, int | None]
"""A contact, and what it does from now on: 1 or -1, `DRIVES`, None where it is to be found out."""


class Walk:
    """A motion on its way: where it is, what each contact does, and the phases behind it.

    A contact slips forwards (1) or backwards (-1), or whether it sticks is to be found out (None).
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
        self._states: list[int | None] = [sign or None for sign in self._look.slips(self._t, x)]
        self._loose: dict[int, float] = {}
        self._options = self._fine_enough(options)
        self.phases: list[Phase] = []

    def _fine_enough(self, options: Options) -> Options:
        """With an absolute tolerance well below the velocities that friction could give."""
        if options.atol is not None:
            return options
        reach = self._look.reach
        reached = max(reach(k, self._t, self._x, self._span) for k in range(len(self._states)))
        small = min(SMALL, options.rtol * RATIO * reached) if reached > 0 else SMALL
        return replace(options, atol=small)

    def to_its_end(self) -> Ended:
        """Through all phases, and how it ended."""
        ended = self._phase()
        while ended is None:
            ended = self._phase()
        return ended

    def _phase(self) -> Ended | None:
        """One phase; how the motion ended, None where it goes on."""
        chosen = self._look.resolved(self._states, self._t, self._x)
        if chosen is None:
            return Status.STUCK, (
                f"Stopped at t = {self._t:.6g}: neither sticking nor slipping agrees with the forces,"
                " which happens where friction is large enough to jam (Painleve)."
            )
        own = _events(self._system, chosen, self._look, self._loose)
        part = self._run(chosen, [event for event, _ in own])
        self.phases.append(Phase(self._t, float(part.t[-1]), chosen, part))
        self._t, self._x = float(part.t[-1]), np.concatenate([part.q[-1], part.v[-1]])
        due = {occurrence.event for occurrence in part.events if occurrence.t >= self._t}
        changed = [change for event, change in own if event in due]
        asked = [event for event in self._events if event.stop and event in due]
        return self._over(part, asked, changed) or self._go_on(chosen, changed)

    def _run(self, chosen: tuple[int, ...], ends: list[Event]) -> Trajectory:
        """The motion from here on, what sticks being held, up to one of the events that end it."""
        x = self._x
        if STICK in chosen:
            flow, whole = self._look.flow(chosen, self._t, x)
            x = flow.projected(self._t, whole)[: len(x)]
        grid = np.concatenate([[self._t], self._times[self._times > self._t]])
        names = (*self._system.coordinates, *self._system.velocities)
        state = dict(zip(names, x.tolist(), strict=True))
        given = (self._system.phase(*chosen), self._values, state, grid, self._options)
        return smooth_motion(*given, inputs=self._inputs, events=[*ends, *self._events])

    def _over(self, part: Trajectory, asked: list[Event], changed: list[Change]) -> Ended | None:
        """Why the motion ends with this phase; None where it does not."""
        if asked:
            return Status.EVENT, f"Stopped by the event `{asked[0]}` at t = {self._t:.10g}."
        if part.run_status not in ARRIVED:
            return part.run_status, str(part.message)
        if self._t >= self._last:
            return Status.FINISHED, Status.FINISHED.value
        driving = [k for k, new in changed if new == DRIVES]
        if not driving:
            return None
        return Status.FAILED, (
            f"Stopped at t = {self._t:.6g}: the force of {self._system.friction[driving[0]]} becomes"
            " negative there, or its static force falls below that of slow slip. Friction must not"
            " drive the slip."
        )

    def _go_on(self, chosen: tuple[int, ...], changed: list[Change]) -> Ended | None:
        """What contacts do next; how the motion ended where they change without end."""
        self._states = [
            None if own == STICK else own for own in chosen
        ]  # forces jump: look at all again
        self._loose = {}
        for k, new in changed:
            self._states[k] = new
            if new is not None:
                self._loose[k] = JUST * self._look.reach(k, self._t, self._x, self._span)
        recent = self.phases[-PILED:]
        slow = len(recent) == PILED and self._t - recent[0].start <= SOON * self._span
        if not slow and len(self.phases) < MOST_PHASES:
            return None
        return Status.PILED_UP, (
            f"Stopped at t = {self._t:.6g}: sticking and slipping follow each other without end."
        )


def _events(
    system: System, states: tuple[int, ...], look: Contacts, loose: Mapping[int, float]
) -> list[tuple[Event, Change]]:
    """What ends a phase, and what each contact then does; None where it is to be found out.

    A contact that has just come loose has no slip yet: it stops when it has gone back by a trifle.
    """
    found: list[tuple[Event, Change]] = []
    sticking = len(system.constraints)
    multipliers = system.phase(*states).multipliers
    for k, (contact, state) in enumerate(zip(system.friction, states, strict=True)):
        if state == STICK:
            held = multipliers[sticking]
            sticking += 1
            found.append((Event(held - look.limits[k], 1, True, (), f"{contact} slips"), (k, 1)))
            found.append((Event(held + look.limits[k], -1, True, (), f"{contact} slips"), (k, -1)))
        else:
            slip = look.velocities[k] + state * sympy.Float(loose.get(k, 0.0))
            found.append((Event(slip, -state, True, (), f"{contact} stops"), (k, None)))
        found += [
            (Event(force, -1, True, (), f"{contact} drives"), (k, DRIVES))
            for force in _forces(contact, state)
        ]
    return found


def _forces(contact: Friction, state: int) -> list[sympy.Expr]:
    """What must stay positive: the force of slip, and what the static one has more; if they change."""
    slow = contact.law(sympy.S.Zero)
    each = (
        [contact.static - slow, contact.static]
        if state == STICK
        else [contact.law(state * contact.slip)]
    )
    moving = (Coordinate, Input)
    return [e for e in each if any(isinstance(s, moving) or s == time for s in leaves([e]))]
