"""Contacts with friction in a state: which slip, and which could stick."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
import sympy

from routh.analysis.given.conditions import conditions
from routh.analysis.motion import stopping
from routh.analysis.motion.flow import MovingSystem
from routh.analysis.motion.signals import signals
from routh.arrays import Array
from routh.errors import DeclarationError, listed
from routh.kernels.motion import motion
from routh.language.friction import STICK
from routh.language.system import System
from routh.language.walk import unfold
from routh.numerics.solving.dependence import RANK, nonzero

AT_REST = 1e-12
"""A slip velocity below this share of the velocities that make it up is none."""

WITHIN = 1e-12
"""Share of the static force by which a force that holds may be above it: rounding."""


class Contacts:
    """Looks at contacts in a state: which slip, and which could stick."""

    def __init__(self, system: System, values: dict[str, Any], inputs: Mapping[Any, Any]) -> None:
        self.system = system
        self._values = values
        self._inputs = inputs
        self._flows: dict[tuple[int, ...], MovingSystem] = {}
        self.limits = [contact.static for contact in system.friction]
        self.velocities = [contact.slip for contact in system.friction]

    def flow(self, states: Sequence[int], t: float, x: Array) -> tuple[MovingSystem, Array]:
        """The compiled motion of a phase, and the state as it takes it."""
        key = tuple(states)
        if key not in self._flows:
            phase = self.system.phase(*key)
            driven = signals(phase, self._inputs)
            given, _ = conditions(phase, self._values, driven.numbers)
            engine = motion(phase, driven.laws, baumgarte=False, redundant=False)
            u, moving = driven.at(phase, given, 0)
            self._flows[key] = MovingSystem(engine, given.p[0], u, moving)
        flow = self._flows[key]
        state = np.zeros(flow.motion.size)
        state[: len(x)] = x
        flow.scaled_at(t, state)
        return flow, state

    def slips(self, t: float, x: Array) -> list[int]:
        """The sign of each slip velocity, 0 for none but rounding."""
        contacts = self.system.friction
        flow, state = self.flow([1] * len(contacts), t, x)
        found = []
        for slip in self.velocities:
            written = unfold(slip)
            moving = [v for v in self.system.velocities if written.has(v)]
            parts = [slip, written.xreplace(dict.fromkeys(moving, sympy.S.Zero))]
            parts += [v * written.diff(v) for v in moving]
            value, *sizes = flow.watched(parts)(t, state)[0]
            nothing = abs(value) <= AT_REST * max(map(abs, sizes))
            found.append(0 if nothing else int(np.sign(value)))
        return found

    def refuse_odd(self, t: float, x: Array) -> None:
        """Refuse friction that drives, that holds less than it brakes, and contacts that slip alike.

        Raises:
            DeclarationError: names the contact.
            SolveError: the equations of slip do not determine the accelerations.
        """
        contacts = self.system.friction
        flow, state = self.flow([1] * len(contacts), t, x)
        stopping.is_redundant(flow, t, state)
        limits = flow.watched(self.limits)(t, state)[0]
        slow = flow.watched([contact.law(sympy.S.Zero) for contact in contacts])(t, state)[0]
        for contact, limit, force in zip(contacts, limits, slow, strict=True):
            if not (limit >= 0 and force >= 0):
                raise DeclarationError(
                    f"The force of {contact} is {min(limit, force):.6g} at t = {t:.6g}. Friction must"
                    " not be negative: it would drive the slip."
                )
            if limit < force * (1 - WITHIN):
                raise DeclarationError(
                    f"The static force of {contact} is {limit:.6g}, below the {force:.6g} of slow slip."
                    " It must be at least that: a contact at rest holds more."
                )
        flow, state = self.flow([STICK] * len(contacts), t, x)
        _, J = flow.run("matrices", t, state)
        rows = J * flow.scales
        rows = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-300)
        left, sizes, _ = np.linalg.svd(rows)
        rank = int(nonzero(sizes))
        offsets = flow.run("held", t, state)[1][:, 0] - J @ state[: 2 * flow.motion.n][flow.motion.n :]
        together = [
            row for row in left.T[rank:] if abs(row @ offsets) <= RANK * np.abs(offsets).max(initial=1)
        ]
        if together:
            raise DeclarationError(
                f"The contacts {listed(contacts)} can stick all at once in more ways than one: their"
                " slip velocities depend on each other or on the constraints, so the forces that hold"
                " them are not determined. Make one contact of those that slip together, or leave one"
                " out."
            )

    def statics(self, t: float, x: Array) -> Array:
        """The static force of each contact."""
        flow, state = self.flow([1] * len(self.limits), t, x)
        return np.asarray(flow.watched(self.limits)(t, state)[0])

    def reach(self, k: int, t: float, x: Array, span: float) -> float:
        """A slip velocity that a contact could get to by its static force alone."""
        flow, state = self.flow([STICK] * len(self.limits), t, x)
        M, J = flow.run("matrices", t, state)
        row = J[len(self.system.constraints) + k]
        ease = float(row @ np.linalg.solve(M, row))
        return float(self.statics(t, x)[k]) * ease * span

    def resolved(self, states: Sequence[int | None], t: float, x: Array) -> tuple[int, ...] | None:
        """States for contacts without slip that agree with the forces they lead to.

        Sticking is preferred where it holds.
        """
        options = [(STICK, 1, -1) if state is None else (state,) for state in states]
        tried = sorted(product(*options), key=lambda chosen: sum(map(abs, chosen)))
        limit = self.statics(t, x)
        for chosen in tried:
            if self._agrees(chosen, states, limit, t, x):
                return chosen
        return None

    def _agrees(
        self, chosen: tuple[int, ...], states: Sequence[int | None], limit: Array, t: float, x: Array
    ) -> bool:
        flow, state = self.flow(chosen, t, x)
        held = flow.run("solved", t, state)[1]
        sticking = len(self.system.constraints)
        for k, own in enumerate(chosen):
            if own == STICK:
                force = abs(float(held[sticking, 0]))
                sticking += 1
                if not force <= limit[k] * (1 + WITHIN):
                    return False
            elif states[k] is None:
                _, rate = flow.watched([self.velocities[k]])(t, state)
                if not own * rate[0] > 0:
                    return False
        return True
