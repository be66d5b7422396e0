"""Contacts with dry friction: what holds while they slip and while they stick."""

from __future__ import annotations

from collections.abc import Iterator

from routh.language.system import System
from routh.lecture.lagrangian.expressions import short
from routh.mechanics.forms.chapter import Formula, Step, formula


def rub(system: System) -> Iterator[Step]:
    """Slip, the force against it, and the limit of what holds, of every contact."""
    if not system.friction:
        return
    for contact in system.friction:
        yield f"A contact{' `' + contact.name + '`' if contact.name else ''} slips with the velocity"
        yield formula("slip", contact.slip)
        yield "While it slips forwards, the force against the slip is"
        yield formula(Formula("F_slip", r"F_{\text{slip}}"), short(contact.law(contact.slip)))
        yield "It sticks while the force that this needs is, in size, not above"
        yield formula(Formula("F_static", r"F_{\text{static}}"), short(contact.static))
    yield (
        "Which equations hold depends on what slips. A contact that slips backwards has its force"
        " turned round; one that sticks is a velocity constraint, slip = 0, and the force that holds is"
        " minus its multiplier. What follows is for all contacts slipping forwards."
    )
