"""What ends a phase of a motion with friction: contacts that slip, stop, change sides or are lost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, unique

import sympy

from routh.analysis.motion.rubbing.contacts import View
from routh.language.contact.friction import STICK, Friction
from routh.language.contact.reaction_symbol import Reaction
from routh.language.events import Event
from routh.language.symbols import Coordinate, Input
from routh.language.symbols import t as time
from routh.language.system import System
from routh.language.walk import leaves


@unique
class Ends(Enum):
    """What a contact does at the end of a phase."""

    SLIPS = "begins to slip, with a sign that is known or to be found out"
    STOPS = "has no slip any more, or has turned from its heading: whether it sticks is to be found out"
    FLIPS = "presses on the other side"
    LOST = "would have to be pulled"
    DRIVES = "has a force that has become negative"


@dataclass(frozen=True)
class Change:
    """A contact (or, where it changes sides, the place of its side) and what it does from now on."""

    contact: int
    ends: Ends
    state: int | None = None


Ending = tuple[Event, Change]


def endings(system: System, view: View, loose: Mapping[int, float], *, shared: bool) -> list[Ending]:
    """What ends a phase, and what each contact then does.

    A contact that has just come loose has no slip yet: it stops when it has gone back by a trifle.
    Where forces that hold are `shared` in more ways than one none of them ends the phase by itself, nor
    does a reaction, which goes with them: whether some forces hold and push is a linear program.
    """
    found: list[Ending] = []
    multipliers = view.choice.phase(system).multipliers
    for k, (contact, state) in enumerate(zip(system.friction, view.choice.states, strict=True)):
        if state != STICK:
            found += _stops(contact, k, state, loose.get(k, 0.0), view)
        elif not shared:
            held = [multipliers[row] for row in view.rows[k]]
            found += _slips(contact, k, held, view.limits[k])
        if not (shared and contact.reactions):
            found += [(lost, Change(k, Ends.LOST)) for lost in _lost(contact)]
        for size in _shares(contact, state):
            found.append((Event(size, -1, True, (), f"{contact} drives"), Change(k, Ends.DRIVES)))
    for place, (k, pressed) in enumerate(() if shared else view.pressed):
        flips = Event(pressed, -1, True, (), f"{system.friction[k]} changes sides")
        found.append((flips, Change(place, Ends.FLIPS)))
    return found


def losses(system: System) -> list[Event]:
    """Where contacts of a system are lost."""
    return [lost for contact in system.friction for lost in _lost(contact)]


def _lost(contact: Friction) -> list[Event]:
    """Where a contact is lost; never, where its normal force does not change."""
    if contact.normal is None or not contact.is_one_sided or not _moves(contact.normal):
        return []
    return [Event(contact.normal, -1, True, (), f"{contact} is lost")]


def _stops(contact: Friction, k: int, state: int, loose: float, view: View) -> list[Ending]:
    """Where a slip vanishes.

    In a plane it goes straight through zero, and then leaves its heading, or turns ever faster on its
    way there, and is found to be negligible before.
    """
    stops = Change(k, Ends.STOPS)
    if not contact.is_vector:
        slip = contact.components[0] + state * sympy.Float(loose)
        return [(Event(slip, -state, True, (), f"{contact} stops"), stops)]
    heading = view.choice.headings[k] if view.choice.headings else None
    ahead = contact.along_heading(heading or 0) - contact.speed / 2  # within a sixth of a turn
    square = sympy.Add(*(e**2 for e in contact.components))
    slow = square - sympy.Float(view.slow(k) / 2) ** 2
    return [(Event(e, -1, True, (), f"{contact} stops"), stops) for e in (ahead, slow)]


def _slips(contact: Friction, k: int, held: list[sympy.Symbol], limit: sympy.Expr) -> list[Ending]:
    name = f"{contact} slips"
    if contact.is_vector:
        square = sympy.Add(*(each**2 for each in held)) - limit**2
        return [(Event(square, 1, True, (), name), Change(k, Ends.SLIPS))]
    return [
        (Event(held[0] - limit, 1, True, (), name), Change(k, Ends.SLIPS, 1)),
        (Event(held[0] + limit, -1, True, (), name), Change(k, Ends.SLIPS, -1)),
    ]


def _shares(contact: Friction, state: int) -> list[sympy.Expr]:
    """What must stay positive: the size of slip, and what the static one has more; if they change."""
    slip = contact.components[0]
    speed = contact.speed if contact.is_vector else state * slip
    at = sympy.S.Zero if state == STICK else speed
    held, slow = contact.shares(at)
    if contact.normal is None:
        slow = contact.law(at)
    each = [held - slow, held] if state == STICK else [slow]
    return [e for e in each if _moves(e)]


def _moves(value: sympy.Expr) -> bool:
    """Whether it can change along a motion."""
    return any(isinstance(s, (Coordinate, Input, Reaction)) or s == time for s in leaves([value]))
