"""Contacts with friction in a state: which slip, how they are pressed, and what holds them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import sympy

from routh.analysis.given.conditions import conditions
from routh.analysis.given.pressed_once import refuse_open_normals
from routh.analysis.motion import stopping
from routh.analysis.motion.flow import MovingSystem
from routh.analysis.motion.signals import signals
from routh.arrays import Array
from routh.errors import DeclarationError
from routh.kernels.motion import motion
from routh.language.contact.friction import STICK, Friction
from routh.language.contact.reaction_symbol import Reaction
from routh.language.contact.slipping import symbols_of_contacts
from routh.language.system import System
from routh.language.walk import unfold
from routh.numerics.solving.dependence import dependence

AT_REST = 1e-12
"""A slip velocity below this share of the velocities that make it up is none."""

WITHIN = 1e-12
"""Share of the static force by which a force that holds may be above it: rounding."""

AGREES = 1e-9
"""Share of the largest rate of dependent slips by which they may disagree and still vanish together."""


class Choice(NamedTuple):
    """What each contact does (1, -1, 0), the sign of each reaction whose size presses, and headings.

    Of a slip in a surface the heading is known, in eighths of a turn, once the choice is made.
    """

    states: tuple[int, ...]
    sides: tuple[int, ...]
    headings: tuple[int | None, ...] | None = None

    def phase(self, system: System) -> System:
        """The system while contacts do this."""
        return system.phase(*self.states, sides=self.sides, headings=self.headings)


@dataclass(frozen=True)
class Looked:
    """Contacts under a choice at one moment, by contact.

    `held` are the multipliers that hold what sticks, `limits` what they may reach; `normals` are the
    forces of contacts that can be lost, NaN for others, and `pressed` the reactions times their sides.
    """

    slips: list[Array]
    rates: list[Array]
    limits: Array
    normals: Array
    pressed: Array
    pressed_rates: Array
    held: list[Array]
    multipliers: Array
    a: Array


class View:
    """The compiled motion of one choice, and all that is looked at along it."""

    def __init__(
        self, system: System, choice: Choice, flow: MovingSystem, slow: Mapping[Friction, float]
    ) -> None:
        self.flow, self.choice, self._system = flow, choice, system
        self._slow = slow
        self._slips: dict[int, Any] = {}
        left = list(choice.sides)
        own = [[left.pop(0) for _ in contact.sides] for contact in system.friction]
        pairs = list(zip(system.friction, own, strict=True))
        self.slips = [contact.components for contact in system.friction]
        self.limits = [contact.on_sides(contact.static, sides) for contact, sides in pairs]
        self.normals = [c.normal if c.is_one_sided else None for c in system.friction]
        self.pressed = [
            (k, side * size.args[0])
            for k, (contact, sides) in enumerate(pairs)
            for size, side in zip(contact.sides, sides, strict=True)
        ]
        self.rows = self._held_rows()

    @property
    def contacts(self) -> tuple[Friction, ...]:
        """The contacts, in their order."""
        return tuple(self._system.friction)

    def _held_rows(self) -> list[list[int]]:
        """The places of the multipliers that hold each contact; none where it slips."""
        place, found = len(self._system.constraints), []
        for components, state in zip(self.slips, self.choice.states, strict=True):
            count = len(components) if state == STICK else 0
            found.append(list(range(place, place + count)))
            place += count
        return found

    @cached_property
    def _pressing(self) -> list[sympy.Expr]:
        """Limits, normal forces of contacts that can be lost, and reactions on their sides."""
        normals = [e for e in self.normals if e is not None]
        return [*self.limits, *normals, *(e for _, e in self.pressed)]

    @cached_property
    def _watched(self) -> Any:
        every = [*(e for components in self.slips for e in components), *self._pressing]
        return self.flow.watched(every or [sympy.S.Zero])

    def slopes(self, t: float, state: Array) -> Array:
        """(contacts and what must push, c): how limits and normal forces change with multipliers."""
        found = np.zeros((len(self._pressing), self.flow.motion.c))
        own = len(self._system.constraints)
        if own and self._pressing:
            values = self._slopes(t, state)[0]
            found[:, :own] = -values.reshape(len(self._pressing), own)
        return found

    @cached_property
    def _slopes(self) -> Any:
        every = [Reaction(phi) for phi in self._system.constraints]
        return self.flow.watched([unfold(e).diff(R) for e in self._pressing for R in every])

    def slow(self, k: int) -> float:
        """The size of slip in a surface below which there is none."""
        return self._slow[self._system.friction[k]]

    def slip_slopes(self, k: int, t: float, state: Array) -> Array:
        """(components, n): the slopes of a slip velocity by the velocities."""
        count = len(self.slips[k])
        return np.asarray(self._slip(k)(t, state)[0][count:]).reshape(count, -1)

    def velocity(self, k: int, t: float, state: Array) -> Array:
        """(components,): a slip velocity."""
        return np.asarray(self._slip(k)(t, state)[0][: len(self.slips[k])])

    def _slip(self, k: int) -> Any:
        if k not in self._slips:
            own, v = self.slips[k], self._system.velocities
            rows = [unfold(e).diff(each) for e in own for each in v]
            self._slips[k] = self.flow.watched([*own, *rows])
        return self._slips[k]

    def state(self, x: Array) -> Array:
        """The state as the compiled motion takes it."""
        state = np.zeros(self.flow.motion.size)
        state[: len(x)] = x
        return state

    def at(self, t: float, x: Array) -> Looked:
        """What there is at a state (q, v)."""
        state = self.state(x)
        values, rates = self._watched(t, state)
        ends = np.cumsum([0, *(len(components) for components in self.slips)])[1:]
        rest, contacts = sum(len(components) for components in self.slips), len(self.slips)
        slips, speeding = (np.split(each[:rest], ends[:-1]) for each in (values, rates))
        limits = values[rest : rest + contacts]
        normals, place = np.full(contacts, np.nan), rest + contacts
        for k, e in enumerate(self.normals):
            if e is not None:
                normals[k] = values[place]
                place += 1
        a, multipliers = (each[:, 0] for each in self.flow.run("solved", t, state))
        held = [multipliers[rows] for rows in self.rows]
        count = len(self.pressed)
        pressed = values[place : place + count], rates[place : place + count]
        return Looked(slips, speeding, limits, normals, *pressed, held, multipliers, a)


class Contacts:
    """Looks at contacts in a state: which slip, and how they are pressed."""

    def __init__(self, system: System, values: dict[str, Any], inputs: Mapping[Any, Any]) -> None:
        self.system = system
        self._values = values
        self._inputs = inputs
        self._views: dict[Choice, View | None] = {}
        self._lifted: dict[frozenset[sympy.Expr], Contacts] = {}
        self.slow: dict[Friction, float] = {}
        """Sizes of slip in a surface below which there is none; who walks sets them."""

    @cached_property
    def depends_on_reactions(self) -> bool:
        """Whether the normal force of some contact is the force of a constraint."""
        return any(contact.reactions for contact in self.system.friction)

    @cached_property
    def sides(self) -> int:
        """How many sizes of reactions press."""
        return sum(len(contact.sides) for contact in self.system.friction)

    def view(self, choice: Choice, t: float, x: Array) -> View | None:
        """The compiled motion of a choice; None where what sticks cannot be held all at once."""
        if choice not in self._views:
            self._views[choice] = self._made(choice, t, x)
        view = self._views[choice]
        if view is not None:
            view.flow.scaled_at(t, view.state(x))
        return view

    def _made(self, choice: Choice, t: float, x: Array) -> View | None:
        phase = choice.phase(self.system)
        plain = View(self.system, choice, self._flow(phase, redundant=False), self.slow)
        if STICK not in choice.states:
            return plain
        agree = self._dependent(plain, t, x)
        if agree is None:
            return plain
        if not agree:
            return None
        return View(self.system, choice, self._flow(phase, redundant=True), self.slow)

    def _dependent(self, view: View, t: float, x: Array) -> bool | None:
        """Whether slips that depend on each other vanish together; None where none do."""
        state = view.state(x)
        view.flow.scaled_at(t, state)
        n = view.flow.motion.n
        _, J = view.flow.run("matrices", t, state)
        found = dependence(J)
        if not found.lacking:
            return None
        size = np.maximum(np.abs(J * view.flow.scales).max(axis=1), 1e-300)
        offsets = (view.flow.run("held", t, state)[1][:, 0] - J @ state[n : 2 * n]) / size
        left = np.linalg.svd(J * view.flow.scales / size[:, None])[0][:, found.rank :]
        return bool((np.abs(left.T @ offsets) <= AGREES * np.abs(offsets).max(initial=1)).all())

    def slips(self, t: float, x: Array) -> list[int]:
        """The sign of each slip velocity, 0 for none but rounding; 1 for one with a direction."""
        flow, state = self._smooth(t, x)
        found = []
        for contact in self.system.friction:
            signs = [self._sign(flow, t, state, slip) for slip in contact.components]
            found.append(int(any(signs)) if contact.is_vector else signs[0])
        return found

    def _sign(self, flow: MovingSystem, t: float, state: Array, slip: sympy.Expr) -> int:
        written = unfold(slip)
        moving = [v for v in self.system.velocities if written.has(v)]
        parts = [slip, written.xreplace(dict.fromkeys(moving, sympy.S.Zero))]
        parts += [v * written.diff(v) for v in moving]
        value, *sizes = flow.watched(parts)(t, state)[0]
        return 0 if abs(value) <= AT_REST * max(map(abs, sizes)) else int(np.sign(value))

    def refuse_odd(self, t: float, x: Array) -> None:
        """Refuse friction that drives, and that holds less than it brakes.

        Raises:
            DeclarationError: names the contact.
            DerivationError: how hard a contact is pressed is not determined.
            SolveError: the equations do not determine the accelerations.
        """
        flow, state = self._smooth(t, x)
        if stopping.is_redundant(flow, t, state) and self.depends_on_reactions:
            _, J = flow.run("matrices", t, state)
            refuse_open_normals(self.system, J, lambda own: flow.watched(own)(t, state)[0])
        for contact in self.system.friction:
            what = "force" if contact.normal is None else "coefficient"
            limit, size = flow.watched(contact.shares(sympy.S.Zero))(t, state)[0]
            if not (limit >= 0 and size >= 0):
                raise DeclarationError(
                    f"The {what} of {contact} is {min(limit, size):.6g} at t = {t:.6g}. Friction must"
                    " not be negative: it would drive the slip."
                )
            if limit < size * (1 - WITHIN):
                raise DeclarationError(
                    f"The static {what} of {contact} is {limit:.6g}, below the {size:.6g} of slow slip."
                    " It must be at least that: a contact at rest holds more."
                )

    def pulled(self, t: float, x: Array) -> Friction | None:
        """A contact whose normal force is below zero, whatever contacts do; reactions go with that."""
        flow, state = self._smooth(t, x)
        known = [c for c in self.system.friction if c.is_one_sided and not c.reactions]
        sizes = flow.watched([c.normal for c in known])(t, state)[0] if known else ()
        return next((c for c, size in zip(known, sizes, strict=True) if size < 0), None)

    @cached_property
    def _declared(self) -> tuple[Any, ...]:
        own = self.system
        return symbols_of_contacts(own.friction, own.parameters, own.inputs)

    def _smooth(self, t: float, x: Array) -> tuple[MovingSystem, Array]:
        """The flow without friction, and the state as it takes it."""
        flow = self._frictionless
        state = np.zeros(flow.motion.size)
        state[: len(x)] = x
        return flow.scaled_at(t, state), state

    @cached_property
    def _frictionless(self) -> MovingSystem:
        return self._flow(self.system.changed(friction=None, declared=self._declared), False)

    def _flow(self, smooth: System, redundant: bool) -> MovingSystem:
        driven = signals(smooth, self._inputs)
        given, _ = conditions(smooth, self._values, driven.numbers)
        engine = motion(smooth, driven.laws, baumgarte=False, redundant=redundant)
        u, moving = driven.at(smooth, given, 0)
        return MovingSystem(engine, given.p[0], u, moving)

    def lifted(self, constraints: frozenset[sympy.Expr]) -> Contacts:
        """The same without some constraints and the contacts that press by them."""
        if constraints not in self._lifted:
            kept = [c for c in self.system.friction if not _presses(c, constraints)]
            left = [phi for phi in self.system.constraints if phi not in constraints]
            freed = self.system.changed(constraints=left, friction=kept, declared=self._declared)
            self._lifted[constraints] = Contacts(freed, self._values, self._inputs)
            self._lifted[constraints].slow = self.slow
        return self._lifted[constraints]

    def openings(self, constraints: Sequence[sympy.Expr], a: Array, t: float, x: Array) -> Array:
        """The accelerations of constraints that are not held while the coordinates have others, a.

        They are J a + gamma, and zero with the accelerations of the system that holds them.
        """
        flow, state = self._smooth(t, x)
        _, J = flow.run("matrices", t, state)
        held = flow.run("solved", t, state)[0][:, 0]
        places = [self.system.constraints.index(phi) for phi in constraints]
        return np.asarray(J[places] @ (a - held))

    def reach(self, k: int, t: float, x: Array, span: float) -> float:
        """A slip velocity that a contact could get to by its static force alone, as it is pressed
        without friction.
        """
        contact = self.system.friction[k]
        flow, state = self._smooth(t, x)
        rows = [[unfold(e).diff(v) for v in self.system.velocities] for e in contact.components]
        every = [contact.static, *(e for row in rows for e in row)]
        limit, *slopes = flow.watched(every)(t, state)[0]
        M, _ = flow.run("matrices", t, state)
        row = np.reshape(slopes, (len(rows), -1))
        ease = np.linalg.norm(row @ np.linalg.solve(M, row.T), 2)
        return float(abs(limit) * ease * span)


def _presses(contact: Friction, constraints: frozenset[sympy.Expr]) -> bool:
    return any(each.constraint in constraints for each in contact.reactions)
