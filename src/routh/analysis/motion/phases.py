"""What a motion with dry friction is: phases of sticking and slipping, and what is read along them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any

import numpy as np
import sympy

from routh.analysis.given.conditions import Conditions
from routh.analysis.given.reading import own_expression
from routh.analysis.motion.event_watch import Occurrence
from routh.analysis.motion.trajectory import Trajectory
from routh.arrays import Array
from routh.errors import Status, capital
from routh.kernels.engine import Point
from routh.kernels.kernel import kernel
from routh.language.events import Event
from routh.language.friction import STICK
from routh.language.system import System
from routh.shown import as_html

SAME = 1e-12
"""Share of the time within which an event that ends a phase and one that begins the next are one."""


@dataclass(frozen=True, eq=False)
class Phase:
    """A stretch of a motion in which nothing changes between sticking and slipping.

    Attributes:
        start, end: its times.
        states: 1 or -1 for each contact that slips forwards or backwards, 0 for one that sticks.
        motion: the motion, of `system.phase(*states)`.
    """

    start: float
    end: float
    states: tuple[int, ...]
    motion: Trajectory = field(repr=False)

    _repr_html_ = as_html


@dataclass(frozen=True, eq=False)
class Change:
    """A contact that begins to stick or to slip."""

    t: float
    contact: int
    state: int

    _repr_html_ = as_html


@dataclass(frozen=True, eq=False, repr=False)
class StickSlip:
    """A motion with dry friction, in phases.

    Attributes:
        system: the system.
        conditions: parameter values and constant inputs.
        t: (T,) the output times that were reached.
        q, v: (T, n) positions and velocities.
        phases: the phases, each with its own `motion`.
        changes: when contacts began to stick (state 0) or to slip (1, -1).
        status, message: how it ended.
        rtol: the relative tolerance of the steps.
        watched: the events that were asked for.
    """

    system: System
    conditions: Conditions
    t: Annotated[Array, "T"]
    q: Annotated[Array, "T n"]
    v: Annotated[Array, "T n"]
    phases: tuple[Phase, ...]
    status: Status
    message: str
    rtol: float
    watched: tuple[Event, ...] = ()

    @property
    def values(self) -> dict[str, Annotated[Array, "*batch"]]:
        """Parameter values by name."""
        return self.conditions.values

    @property
    def completed(self) -> bool:
        """Whether the last time was reached, or an event that stops."""
        return self.status in (Status.FINISHED, Status.EVENT)

    @property
    def changes(self) -> tuple[Change, ...]:
        """What began to stick or to slip, and when."""
        pairs = zip(self.phases, self.phases[1:], strict=False)
        return tuple(
            Change(after.start, k, after.states[k])
            for before, after in pairs
            for k in range(len(after.states))
            if before.states[k] != after.states[k]
        )

    @property
    def events(self) -> tuple[Change | Occurrence, ...]:
        """The changes, and the events that were asked for, in their order."""
        asked: list[Occurrence] = []
        for each in (each for phase in self.phases for each in phase.motion.events):
            again = any(
                one.event == each.event and abs(one.t - each.t) <= SAME * abs(each.t) for one in asked
            )
            if each.event in self.watched and not again:
                asked.append(each)
        return tuple(sorted([*self.changes, *asked], key=lambda each: each.t))

    @property
    def states(self) -> Annotated[Array, "T contacts"]:
        """(T, contacts): 1, -1 or 0 at each output, that of the phase that begins where one ends."""
        starts = np.array([phase.start for phase in self.phases])
        which = np.clip(np.searchsorted(starts, self.t, side="right") - 1, 0, None)
        return np.array([self.phases[k].states for k in which], dtype=float)

    @property
    def friction(self) -> Annotated[Array, "T contacts"]:
        """(T, contacts): the force along each slip velocity, within the static force at rest."""
        found = np.zeros((len(self.t), len(self.system.friction)))
        for phase in self.phases:
            rows = np.flatnonzero((self.t >= phase.start) & (self.t <= phase.end))
            own = np.flatnonzero(np.isin(phase.motion.t, self.t[rows]))
            sticking = len(self.system.constraints)
            for k, (contact, state) in enumerate(zip(self.system.friction, phase.states, strict=True)):
                if state == STICK:
                    found[rows, k] = -phase.motion.multipliers[own, sticking]
                    sticking += 1
                else:
                    found[rows, k] = -state * phase.motion[contact.law(state * contact.slip)][own]
        return found

    @property
    def a(self) -> Annotated[Array, "T n"]:
        """(T, n) accelerations; those after a change where one falls on an output."""
        return np.asarray(np.concatenate([phase.motion.a for phase in self.phases])[self._rows])

    @property
    def multipliers(self) -> Annotated[Array, "T c"]:
        """(T, c) one for each constraint of the system."""
        count = len(self.system.constraints)
        each = [phase.motion.multipliers[:, :count] for phase in self.phases]
        return np.asarray(np.concatenate(each)[self._rows])

    @property
    def energy(self) -> Annotated[Array, "T"]:
        """(T,): the energy v . L_v - L."""
        engine = kernel(self.system)
        point = self.point()
        L_v = engine.derivatives(point)["L_v"]
        return np.asarray((L_v * point.v).sum(axis=1) - engine.lagrangian(point))

    def point(self) -> Point:
        """The states at all times as one stack, for kernels."""
        count = len(self.t)
        return Point(
            t=self.t[:, None],
            q=self.q,
            v=self.v,
            a=self.a,
            p=np.repeat(self.conditions.p, count, axis=0),
            u=np.concatenate([self._inputs(phase) for phase in self.phases])[self._rows],
            multipliers=self.multipliers,
        )

    def _inputs(self, phase: Phase) -> Array:
        every = phase.motion.system.signals
        places = [every.index(u) for u in self.system.signals]
        return phase.motion.inputs[:, places]

    @property
    def _rows(self) -> Any:
        """The rows of all phases one after the other that are outputs."""
        times = np.concatenate([phase.motion.t for phase in self.phases])
        return np.searchsorted(times, self.t, side="right") - 1

    def __getitem__(self, expression: sympy.Expr | str) -> Array:
        """(T,): any expression of coordinates and velocities along the motion."""
        value = own_expression(self.system, expression, "What is read along a motion")
        return np.asarray(kernel(self.system).values([value], self.point())[:, 0])

    def __repr__(self) -> str:
        return f"StickSlip({self.system.title}, {len(self.phases)} phases, t to {self.t[-1]:g})"

    def __str__(self) -> str:
        sticking = sum(phase.end - phase.start for phase in self.phases if STICK in phase.states)
        count = "1 phase" if len(self.phases) == 1 else f"{len(self.phases)} phases"
        return (
            f"{capital(self.system.title)}: {self.message}\n{count},"
            f" {sticking:.4g} s of {self.t[-1] - self.t[0]:.4g} s with a contact that sticks."
        )

    _repr_html_ = as_html
