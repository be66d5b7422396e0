"""Which states of contacts agree with the forces they lead to: one, as a rule; none or several.

A contact that slips keeps its state. One without slip may stick, if the force that holds it is within
its limit, or begin to slip, if its acceleration then goes that way. What presses must push; a body may
also lift off a one-sided constraint, if it then accelerates away.

Where normal forces follow from accelerations, as friction does, a solution need not exist and need not
be unique (Painleve 1895). It does and is if gaps of one-sided constraints open by normal forces N with
accelerations S N, and all principal minors of S are positive; else all states are tried, and lifting
off too.
Sticking is preferred to beginning to slip where both hold: a contact at rest holds more.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, product

import numpy as np
import sympy

from routh.analysis.motion.rubbing.contacts import WITHIN, Choice, Contacts, Looked, View
from routh.analysis.motion.rubbing.launches import launched
from routh.analysis.motion.rubbing.sharing import is_squeezed, shared, shared_plane
from routh.arrays import Array
from routh.errors import Status, quoted, shortened
from routh.language.contact.friction import STICK, Friction

PUSHES = 1e-12
"""Share of the largest force of a constraint by which one that pushes may pull: rounding."""

ALIKE = 1e-9
"""Share of the largest acceleration within which two states of contacts are the same motion."""

MOST_LIFTED = 6
"""One-sided constraints from which bodies are tried to lift off in every combination."""

Unknown = Sequence[int | None]
"""What each contact does; None where that is to be found out."""


@dataclass(frozen=True)
class Known:
    """What is known of contacts: states, sides, and directions in which what held them gave way."""

    states: Unknown
    sides: Unknown
    towards: Mapping[int, Array] = field(default_factory=dict)


@dataclass(frozen=True)
class Trouble:
    """Why no choice can be made, and a sentence on it without its time."""

    status: Status
    message: str


@dataclass(frozen=True)
class Agreed:
    """A choice that agrees, the state (q, v) from which it goes on, and its accelerations."""

    choice: Choice
    x: Array
    a: Array


class SharedPlaneError(Exception):
    """A contact would stick in a plane together with others, by forces that are not determined."""

    def __init__(self, contact: Friction) -> None:
        super().__init__(
            f"{contact} has a direction in a plane and would stick together with others, so that the"
            " forces that hold them are not determined. Their limits are circles, which are not looked"
            " into. Make one contact of those that slip together."
        )


def resolved(look: Contacts, known: Known, t: float, x: Array) -> Agreed | Trouble:
    """The choice for contacts that agrees with the forces it leads to, or why there is none."""
    try:
        return _resolved(look, known, t, x)
    except SharedPlaneError as error:
        return Trouble(Status.UNDETERMINED, str(error))


def _resolved(look: Contacts, known: Known, t: float, x: Array) -> Agreed | Trouble:
    pulled = look.pulled(t, x)
    if pulled is not None:
        return Trouble(Status.LOST, told_lost(pulled))
    found = list(_agreeing(look, known, t, x, first=not look.depends_on_reactions))
    if not look.depends_on_reactions:
        return found[0] if found else Trouble(Status.JAMMED, _JAMMED)
    if found and _depends_on_prestress(look, known, found[0], t, x):
        return Trouble(Status.UNDETERMINED, _PRESTRESS)
    if found and not look.sides and is_regular(look, found[0].choice, t, found[0].x):
        return found[0]
    lifts = list(_lifting(look, known, t, x))
    if found and not _others(found[0], found[1:], lifts):
        return found[0]
    if found:
        return Trouble(Status.AMBIGUOUS, _told_several(look, found, lifts))
    if not lifts:
        return Trouble(Status.JAMMED, _JAMMED)
    lost = [c for c in look.system.friction if any(r.constraint in lifts[0][0] for r in c.reactions)]
    return Trouble(Status.LOST, told_lost(lost[0]))


def _depends_on_prestress(look: Contacts, known: Known, found: Agreed, t: float, x: Array) -> bool:
    """Whether contacts that hold by forces of any size might slip or part as well."""
    view = look.view(found.choice, t, found.x)
    assert view is not None
    if not is_squeezed(view, t, found.x):
        return False
    other = list(_agreeing(look, known, t, x, first=False, but=_sticking(found.choice.states)))
    return _others(found, other, list(_lifting(look, known, t, x)))


def _sticking(states: Sequence[int]) -> set[int]:
    return {k for k, state in enumerate(states) if state == STICK}


def _agreeing(
    look: Contacts, known: Known, t: float, x: Array, *, first: bool, but: set[int] | None = None
) -> Iterator[Agreed]:
    """Choices that agree, those that stick first; with others only of the same contacts that stick.

    Those in which just the contacts in `but` stick are left out.
    """
    options = [
        (state,) if state is not None else (STICK, 1) if contact.is_vector else (STICK, 1, -1)
        for state, contact in zip(known.states, look.system.friction, strict=True)
    ]
    tried = sorted(product(*options), key=lambda chosen: sum(map(abs, chosen)))
    pressed = list(product(*((side,) if side is not None else (1, -1) for side in known.sides)))
    sticking: set[int] | None = None
    for chosen in tried:
        own = _sticking(chosen)
        if own == but or (sticking is not None and own != sticking):
            continue
        for side in pressed:
            found = _agreed(look, Choice(chosen, side), known, t, x)
            if found is not None:
                sticking = own
                yield found
                if first:
                    return


def _agreed(look: Contacts, choice: Choice, known: Known, t: float, x: Array) -> Agreed | None:
    view = look.view(choice, t, x)
    if view is None:
        return None
    if view.flow.motion.redundant and (plane := shared_plane(view, t, x)) is not None:
        raise SharedPlaneError(plane)
    begins = [k for k, own in enumerate(choice.states) if own != STICK and known.states[k] is None]
    vectors: dict[int, Array | None] = {
        k: known.towards.get(k)
        for k, contact in enumerate(look.system.friction)
        if contact.is_vector and (k in begins or k in known.towards)
    }
    if vectors:
        start = launched(view, vectors, t, x)
        if start is None:
            return None
        x = start
    seen = view.at(t, x)
    if not np.isfinite(seen.a).all() or not _holds(view, seen, known.sides, t, x):
        return None
    for k in begins:
        if k not in vectors and not choice.states[k] * seen.rates[k][0] > 0:
            return None
    return Agreed(choice._replace(headings=_headings(look, choice, seen)), x, seen.a)


def _headings(look: Contacts, choice: Choice, seen: Looked) -> tuple[int | None, ...] | None:
    """The nearest eighth of a turn to each slip in a surface; none where there are no such."""
    if not any(contact.is_vector for contact in look.system.friction):
        return None
    every = zip(look.system.friction, choice.states, seen.slips, strict=True)
    return tuple(
        int(np.rint(np.arctan2(slip[1], slip[0]) * 4 / np.pi)) % 8 if c.is_vector and own else None
        for c, own, slip in every
    )


def _holds(view: View, seen: Looked, sides: Unknown, t: float, x: Array) -> bool:
    """Whether forces that hold are within their limits, and what presses pushes."""
    if view.flow.motion.redundant:
        return shared(view, t, x) is not None
    small = PUSHES * np.abs(seen.multipliers).max(initial=0.0)
    if (seen.normals < -small).any() or not _on_their_sides(seen, sides, small):
        return False
    sizes = zip(seen.held, seen.limits, strict=True)
    return all(np.linalg.norm(held) <= limit * (1 + WITHIN) for held, limit in sizes if len(held))


def _on_their_sides(seen: Looked, sides: Unknown, small: float) -> bool:
    """Whether reactions have the signs that were tried; one that is zero must go that way."""
    near = np.abs(seen.pressed) <= small
    right = np.where(near, seen.pressed_rates >= 0, seen.pressed > 0)
    return all(ok for ok, side in zip(right, sides, strict=True) if side is None)


def one_sided(look: Contacts) -> list[sympy.Expr]:
    """The constraints that can be lost: bodies are pressed together by them on one side."""
    own = [each for c in look.system.friction if c.is_one_sided for each in c.reactions]
    kinds = zip(look.system.constraints, look.system.is_holonomic, strict=True)
    return [phi for phi, held in kinds if held and any(each.constraint == phi for each in own)]


def is_regular(look: Contacts, choice: Choice, t: float, x: Array) -> bool:
    """Whether the equations of a choice have one solution: all principal minors of S are positive."""
    lost = one_sided(look)
    if not lost:
        return True
    view = look.view(choice, t, x)
    assert view is not None
    places = [look.system.constraints.index(phi) for phi in lost]
    S = _openings(view, places, t, x)
    if S is None or len(lost) > MOST_LIFTED:
        return False
    chosen = [c for size in range(1, len(lost) + 1) for c in combinations(range(len(lost)), size)]
    return all(np.linalg.det(S[np.ix_(c, c)]) > 0 for c in chosen)


def _openings(view: View, places: list[int], t: float, x: Array) -> Array | None:
    """(m, m): how gaps accelerate by normal forces, all other constraints being held."""
    state, flow = view.state(x), view.flow
    M, J = flow.run("matrices", t, state)
    (rub,) = flow.run("rubbing", t, state)
    push = J.T - rub
    n, c = flow.motion.n, len(J)
    others = [k for k in range(c) if k not in places]
    s = flow.scales
    K = np.block(
        [
            [s[:, None] * M * s, s[:, None] * push[:, others]],
            [J[others] * s, np.zeros((len(others),) * 2)],
        ]
    )
    right = np.concatenate([s[:, None] * push[:, places], np.zeros((len(others), len(places)))])
    found = np.linalg.lstsq(K, right, rcond=None)[0]
    S: Array = (J[places] * s) @ found[:n]
    return S if np.isfinite(S).all() else None


def _lifting(
    look: Contacts, known: Known, t: float, x: Array
) -> Iterator[tuple[frozenset[sympy.Expr], Array]]:
    """Sets of constraints from which bodies may lift off, and the accelerations."""
    lost = one_sided(look)
    for size in range(1, min(len(lost), MOST_LIFTED) + 1):
        for chosen in combinations(lost, size):
            own = look.lifted(frozenset(chosen))
            a = _free_motion(own, look, known.states, list(chosen), t, x)
            if a is not None:
                yield frozenset(chosen), a


def _free_motion(
    own: Contacts, look: Contacts, states: Unknown, lost: list[sympy.Expr], t: float, x: Array
) -> Array | None:
    """The accelerations without some constraints, if their gaps then open."""
    left = [s for c, s in zip(look.system.friction, states, strict=True) if c in own.system.friction]
    for found in _agreeing(own, Known(left, [None] * own.sides), t, x, first=False):
        opening = look.openings(lost, found.a, t, x)
        if (opening > ALIKE * np.abs(found.a).max(initial=0.0)).all():
            return found.a
    return None


def _others(
    best: Agreed, found: Sequence[Agreed], lifts: Sequence[tuple[frozenset[sympy.Expr], Array]]
) -> bool:
    """Whether another choice leads to another motion."""
    every = [*(each.a for each in found), *(a for _, a in lifts)]
    size = max(np.abs(a).max(initial=0.0) for a in (best.a, *every))
    return any(np.abs(a - best.a).max(initial=0.0) > ALIKE * size for a in every)


_JAMMED = (
    "neither sticking nor slipping agrees with the forces, which happens where friction is large enough"
    " to jam (Painleve). Rigid bodies go on from here only by a blow, which is not computed."
)


_PRESTRESS = (
    "contacts are held if they are squeezed against each other by a force that is large enough, and any"
    " larger one would do; without it they slip or part. Which it is depends on prestress, which rigid"
    " bodies do not have; a compliance in the contact would tell."
)


def _told_several(
    look: Contacts, found: Sequence[Agreed], lifts: Sequence[tuple[frozenset[sympy.Expr], Array]]
) -> str:
    ways = [_told(look, each.choice) for each in found]
    ways += [f"the bodies part at {_gaps(sorted(phis, key=str))}" for phis, _ in lifts]
    return (
        f"{len(ways)} motions agree with the forces that they lead to (Painleve): {'; or '.join(ways)}."
        " Rigid bodies with Coulomb's friction do not say which; a compliance in the contact would."
    )


def _told(look: Contacts, choice: Choice) -> str:
    pairs = zip(look.system.friction, choice.states, strict=True)
    return ", ".join(f"{contact} {'sticks' if s == STICK else 'slips'}" for contact, s in pairs)


def told_lost(contact: Friction) -> str:
    """What happens where a contact is lost, and what to do."""
    pulls = [each.constraint for each in contact.reactions]
    what = f"the reaction of {_gaps(pulls)}" if pulls else f"its normal force `{contact.normal}`"
    without = "that constraint and its friction" if pulls else "its friction"
    return (
        f"{contact} is lost, since {what} would have to pull. The motion goes on without {without}:"
        " make such a system, and start it from here."
    )


def _gaps(lost: Sequence[sympy.Expr]) -> str:
    return quoted(shortened(phi, 60) for phi in lost)
