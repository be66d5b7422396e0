"""Contacts that slip or stick: the forces of those, and the velocities that these hold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy

from routh.errors import DeclarationError, capital, listed
from routh.language.contact.friction import Friction
from routh.language.forces import Force
from routh.language.symbols import Input, Parameter
from routh.language.walk import leaves


def slipping(
    friction: Sequence[Friction],
    states: Sequence[int],
    sides: Sequence[int] | None,
    headings: Sequence[int | None] | None,
    title: str,
) -> tuple[list[Force], list[sympy.Expr]]:
    """The forces of contacts that slip, and the slip velocities of those that stick."""
    _refuse_other_states(friction, states, title)
    count = sum(len(contact.sides) for contact in friction)
    chosen = [1] * count if sides is None else list(sides)
    if len(chosen) != count or not set(chosen) <= {-1, 1}:
        raise DeclarationError(
            f"{capital(title)} has {count} sizes of reactions in normal forces: `sides` needs 1 or -1"
            f" for each. Got {listed(chosen)}."
        )
    forces: list[Force] = []
    held: list[sympy.Expr] = []
    ways = [None] * len(states) if headings is None else list(headings)
    for contact, state, heading in zip(friction, states, ways, strict=True):
        own = [chosen.pop(0) for _ in contact.sides]
        if state:
            forces += contact.force(state, own, heading)
        else:
            held += contact.components
    return forces, held


def refuse_width(width: object) -> None:
    """Refuse what is no slip velocity to make friction smooth over."""
    number = isinstance(width, (int, float)) and not isinstance(width, bool)
    if not number or not 0 < width < float("inf"):  # type: ignore[operator]
        raise DeclarationError(f"A width of friction is a slip velocity above zero. Got {width!r}.")


def symbols_of_contacts(
    friction: Sequence[Friction], parameters: Sequence[Parameter], inputs: Sequence[Input]
) -> tuple[Any, ...]:
    """What a phase declares, as its forces may not contain it: parameters, inputs, rates of inputs."""
    every = leaves([e for contact in friction for e in contact.expressions])
    rates = sorted((s for s in every if isinstance(s, Input) and s.order), key=lambda s: s.name)
    return (*parameters, *inputs, *rates)


def _refuse_other_states(friction: Sequence[Friction], states: Sequence[int], title: str) -> None:
    if len(states) != len(friction) or not set(states) <= {-1, 0, 1}:
        raise DeclarationError(
            f"{title} has {len(friction)} contacts with friction: phase needs 1, -1 or 0 for each. Got"
            f" {listed(states)}."
        )
    for contact, state in zip(friction, states, strict=True):
        if contact.is_vector and state < 0:
            raise DeclarationError(
                f"The slip of {contact} is a vector, which has no sign: phase needs 1 or 0 for it. Got"
                " -1."
            )
