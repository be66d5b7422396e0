"""Contacts with dry friction: what holds while they slip and while they stick."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

import sympy

from routh.language.contact.friction import Friction
from routh.language.contact.reaction import by_multipliers
from routh.language.system import System
from routh.language.walk import unfold
from routh.lecture.lagrangian.expressions import short
from routh.mechanics.forms.chapter import Formula, Step, formula


def _letter(letter: str, number: int | str, below: str = "") -> Formula:
    """A letter with the number of its contact, where there are several."""
    indices = rf"{{\text{{{below}}} {number}}}" if below else f"{{{number}}}"
    told = rf"\mathrm{{{letter}}}" if len(letter) > 1 else letter
    name = "_".join(part for part in (letter, below) if part)
    return Formula(f"{name}{number}", f"{told}_{indices}" if below or number else told)


def _pressed(contact: Friction, normal: sympy.Expr, number: int | str) -> Iterator[Step]:
    """The normal force, and what becomes of the contact without it."""
    yield "It is pressed together by the normal force"
    yield formula(_letter("N", number), normal)
    if contact.reactions:
        yield (
            "where the force of a constraint along its slope is minus its multiplier: it is found"
            " together with the accelerations."
        )
    if contact.is_one_sided:
        yield "Where that would become negative the contact is lost, and these equations end."


def rub(system: System) -> Iterator[Step]:
    """Slip, the force against it, and the limit of what holds, of every contact."""
    if not system.friction:
        return
    reacting = by_multipliers(system.constraints, system.multipliers)

    def shown(value: sympy.Expr) -> sympy.Expr:
        return short(unfold(value).xreplace(reacting))

    slips = count(1)
    several = sum(len(contact.components) for contact in system.friction) > 1
    for place, contact in enumerate(system.friction, 1):
        number = place if len(system.friction) > 1 else ""
        yield f"A contact{' `' + contact.name + '`' if contact.name else ''} slips with the velocity"
        for slip in contact.components:
            yield formula(_letter("slip", next(slips) if several else ""), slip)
        if contact.normal is not None:
            yield from _pressed(contact, shown(contact.normal), number)
        way = "along it" if contact.is_vector else "forwards"
        speed = contact.speed if contact.is_vector else contact.components[0]
        yield f"While it slips {way}, the force against the slip is"
        yield formula(_letter("F", number, "slip"), shown(contact.law(speed)))
        yield "It sticks while the force that this needs is, in size, not above"
        yield formula(_letter("F", number, "static"), shown(contact.static))
    yield (
        "Which equations hold depends on what slips. A contact that slips backwards has its force"
        " turned round; one that sticks is a velocity constraint, slip = 0, and the force that holds is"
        " minus its multiplier. What follows is for all contacts slipping forwards."
    )
