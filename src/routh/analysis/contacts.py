"""Contacts with friction in a state: which slip, and which could stick."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
import sympy

from routh.analysis.flow import MovingSystem
from routh.analysis.signals import signals
from routh.analysis.values import conditions
from routh.errors import DeclarationError
from routh.kernels.batch import Array
from routh.kernels.motion import motion
from routh.language.friction import STICK
from routh.language.system import System
from routh.language.walk import unfold

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
        named = {p: sympy.Float(values[p.name]) for p in system.parameters}
        self.limits = [unfold(contact.static).xreplace(named) for contact in system.friction]
        self.velocities = [unfold(contact.slip).xreplace(named) for contact in system.friction]
        """Static forces and slip with numbers for parameters, which a phase need not contain."""

    def numbers(self, phase: System) -> tuple[dict[str, Any], dict[Any, Any]]:
        """Values and inputs of those parameters and inputs that a phase has."""
        names = {p.name for p in phase.parameters}
        values = {name: value for name, value in self._values.items() if name in names}
        bases = {u.name for u in phase.inputs}
        inputs = {u: law for u, law in self._inputs.items() if _base(u) in bases}
        return values, inputs

    def flow(self, states: Sequence[int], t: float, x: Array) -> tuple[MovingSystem, Array]:
        """The compiled motion of a phase, and the state as it takes it."""
        key = tuple(states)
        if key not in self._flows:
            phase = self.system.phase(*key)
            values, inputs = self.numbers(phase)
            driven = signals(phase, inputs)
            given, _ = conditions(phase, values, driven.numbers)
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
            moving = [v for v in self.system.velocities if slip.has(v)]
            parts = [slip, slip.xreplace(dict.fromkeys(moving, sympy.S.Zero))]
            parts += [v * slip.diff(v) for v in moving]
            value, *sizes = flow.watched(parts)(t, state)[0]
            nothing = abs(value) <= AT_REST * max(map(abs, sizes))
            found.append(0 if nothing else int(np.sign(value)))
        return found

    def statics(self, t: float, x: Array) -> Array:
        """The static force of each contact.

        Raises:
            DeclarationError: one is negative.
        """
        contacts = self.system.friction
        flow, state = self.flow([1] * len(contacts), t, x)
        found: Array = flow.watched(self.limits)(t, state)[0]
        for contact, size in zip(contacts, found, strict=True):
            if not size >= 0:
                raise DeclarationError(
                    f"The static force of {contact} is {size:.6g} at t = {t:.6g}. Friction must not be"
                    " negative: it would drive the slip."
                )
        return found

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


def _base(signal: Any) -> str:
    """The name of the input that a key of `inputs` is about."""
    return str(getattr(signal, "label", signal)).rstrip("'")
