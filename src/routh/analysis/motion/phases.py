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
from routh.language.contact.friction import STICK
from routh.language.events import Event
from routh.language.system import System
from routh.recorded import Recorded
from routh.shown import as_html

SAME = 1e-12
"""Share of the time within which an event that ends a phase and one that begins the next are one."""


@dataclass(frozen=True, eq=False)
class Phase(Recorded):
    """A stretch of a motion in which nothing changes between sticking and slipping.

    Attributes:
        start, end: its times.
        states: 1 or -1 for each contact that slips forwards or backwards, 0 for one that sticks.
        motion: the motion, of `system.phase(*states, sides=sides)`.
        sides: 1 or -1 for each reaction whose size presses a contact.
        shares: (T, c) multipliers in the place of those of the motion, where contacts stick together in
            more ways than one: of forces that are not determined those farthest from their limits.
    """

    start: float
    end: float
    states: tuple[int, ...]
    motion: Trajectory = field(repr=False)
    sides: tuple[int, ...] = ()
    shares: Annotated[Array, "T c"] | None = field(repr=False, default=None)

    @property
    def multipliers(self) -> Annotated[Array, "T c"]:
        """(T, c): those of the constraints, and then of what sticks."""
        return self.motion.multipliers if self.shares is None else self.shares

    _repr_html_ = as_html


@dataclass(frozen=True, eq=False)
class Change(Recorded):
    """A contact that begins to stick or to slip."""

    t: float
    contact: int
    state: int

    _repr_html_ = as_html


@dataclass(frozen=True, eq=False, repr=False)
class StickSlip(Recorded):
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
    def friction(self) -> Annotated[Array, "T slips"]:
        """(T, slips): the force along each slip velocity, within the static force at rest.

        A contact whose slip is a vector has as many columns as that has components.
        """
        found = np.zeros((len(self.t), sum(len(c.components) for c in self.system.friction)))
        for phase in self.phases:
            rows = np.flatnonzero((self.t >= phase.start) & (self.t <= phase.end))
            own = np.flatnonzero(np.isin(phase.motion.t, self.t[rows]))
            found[rows] = self._friction_in(phase)[own]
        return found

    def _friction_in(self, phase: Phase) -> Array:
        """(T, slips): the forces at the outputs of one phase."""
        columns: list[Array] = []
        sticking, sides = len(self.system.constraints), list(phase.sides)
        for contact, state in zip(self.system.friction, phase.states, strict=True):
            count, own = len(contact.components), [sides.pop(0) for _ in contact.sides]
            if state == STICK:
                columns += list(-phase.multipliers[:, sticking : sticking + count].T)
                sticking += count
                continue
            speed = contact.speed if contact.is_vector else state * contact.components[0]
            size = phase.motion[contact.on_sides(contact.law(speed), own)]
            if not contact.is_vector:
                columns.append(-state * size)
                continue
            along = [phase.motion[each] for each in contact.components]
            columns += [-size * each / phase.motion[speed] for each in along]
        return np.stack(columns, axis=1)

    @property
    def normals(self) -> Annotated[Array, "T contacts"]:
        """(T, contacts): the normal force of each contact, NaN where forces were given in newtons."""
        found = np.full((len(self.t), len(self.system.friction)), np.nan)
        for k, contact in enumerate(self.system.friction):
            if contact.normal is not None:
                found[:, k] = self[contact.normal]
        return found

    @property
    def a(self) -> Annotated[Array, "T n"]:
        """(T, n) accelerations; those after a change where one falls on an output."""
        return np.asarray(np.concatenate([phase.motion.a for phase in self.phases])[self._rows])

    @property
    def multipliers(self) -> Annotated[Array, "T c"]:
        """(T, c) one for each constraint of the system."""
        count = len(self.system.constraints)
        each = [phase.multipliers[:, :count] for phase in self.phases]
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
        """(T, signals of the system): rates of inputs that a phase does without are NaN."""
        every = phase.motion.system.signals
        found = np.full((len(phase.motion.t), len(self.system.signals)), np.nan)
        for k, u in enumerate(self.system.signals):
            if u in every:
                found[:, k] = phase.motion.inputs[:, every.index(u)]
        return found

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
