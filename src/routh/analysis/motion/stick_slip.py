"""Motion with dry friction: phases in which each contact sticks or slips, ended by located events."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import sympy

from routh.analysis.given.conditions import Conditions, conditions
from routh.analysis.motion.contacts import Contacts
from routh.analysis.motion.phases import Phase, StickSlip
from routh.analysis.motion.trajectory import ARRIVED, Trajectory
from routh.analysis.motion.trust import unbalanced
from routh.arrays import Array
from routh.errors import DeclarationError, Status, shortened
from routh.language.events import Event
from routh.language.friction import STICK, Friction
from routh.language.symbols import Coordinate, Input
from routh.language.symbols import t as time
from routh.language.system import System
from routh.language.walk import leaves, nodes

MOST_PHASES = 20_000
"""Phases of one motion."""

SLOW = 7
"""Widths of slip below which a smooth friction force is off by more than a hundredth."""

SMALL, RATIO = 1e-12, 1e-3
"""Absolute tolerance of phases, and at most this share of the velocity that friction could give."""

JUST = 1e-12
"""Share of what it could reach by which a contact that has come loose may go back unnoticed."""

DRIVES = 2
"""Stands for a contact whose force has become negative."""

PILED = 40
SOON = 1e-10
"""So many phases in a row within this share of the whole time do not get on."""


JUMPING = (sympy.sign, sympy.Heaviside, sympy.Piecewise, sympy.floor, sympy.ceiling, sympy.Mod)
"""Functions that may jump."""


def refuse_jumping_slip(system: System, inputs: Any) -> None:
    """Refuse a slip velocity that jumps in time: what sticks cannot follow, and begins to slip."""
    laws = inputs if isinstance(inputs, Mapping) else {}
    named = {str(u): law for u, law in laws.items() if isinstance(law, sympy.Expr)}
    for contact in system.friction:
        own = [contact.slip, *(named[str(u)] for u in leaves([contact.slip]) if str(u) in named)]
        jumping = [e for e in nodes(own) if isinstance(e, JUMPING) and time in leaves([e])]
        if jumping:
            raise DeclarationError(
                f"The slip velocity of {contact.name or 'a contact'} jumps in time, in"
                f" `{shortened(jumping[0], 60)}`: what sticks cannot follow at once. Write it smooth,"
                " like tanh(1000*(8 - t)) for a belt that turns back at t = 8."
            )


def stick_slip(
    run: Callable[..., Trajectory],
    system: System,
    values: Any,
    start: Any,
    times: Array,
    inputs: Any,
    events: tuple[Event, ...],
    rtol: float,
) -> StickSlip:
    """The motion in phases; `run(system, values, start, times, inputs, events, small)` gives one."""
    given, by = conditions(system, values, None, start=start)
    _refuse_unfit(given, events)
    numbers = {name: float(value) for name, value in given.values.items()}
    look = Contacts(system, numbers, inputs or {})
    names = (*system.coordinates, *system.velocities)
    first = np.array([float(by["start"].get(s, np.zeros(1))[0]) for s in names])
    x, t, last = first, float(times[0]), float(times[-1])
    look.refuse_odd(t, x)
    states: list[int | None] = [sign or None for sign in look.slips(t, x)]
    loose: dict[int, float] = {}
    reached = max(look.reach(k, t, x, last - t) for k in range(len(states)))
    small = min(SMALL, rtol * RATIO * reached) if reached > 0 else SMALL
    phases: list[Phase] = []
    while True:
        chosen = look.resolved(states, t, x)
        if chosen is None:
            ended = (
                Status.STUCK,
                f"Stopped at t = {t:.6g}: neither sticking nor slipping agrees with the forces, which"
                " happens where friction is large enough to jam (Painleve).",
            )
            break
        if STICK in chosen:
            flow, whole = look.flow(chosen, t, x)
            x = flow.projected(t, whole)[: len(x)]
        own = _events(system, chosen, look, loose)
        grid = np.concatenate([[t], times[times > t]])
        state = dict(zip(names, x.tolist(), strict=True))
        watched = [*(event for event, _ in own), *events]
        part = run(system.phase(*chosen), numbers, state, grid, inputs, watched, small)
        phases.append(Phase(t, float(part.t[-1]), chosen, part))
        t, x = float(part.t[-1]), np.concatenate([part.q[-1], part.v[-1]])
        due = {occurrence.event for occurrence in part.events if occurrence.t >= t}
        changed = [change for event, change in own if event in due]
        over = _over(system, part, t >= last, [e for e in events if e.stop and e in due], changed)
        if over is not None:
            ended = over
            break
        states = [None if own == STICK else own for own in chosen]  # forces jump: look at all again
        loose = {}
        for k, new in changed:
            states[k] = new
            if new is not None:
                loose[k] = JUST * look.reach(k, t, x, last - float(times[0]))
        recent = phases[-PILED:]
        slow = len(recent) == PILED and t - recent[0].start <= SOON * (last - float(times[0]))
        if slow or len(phases) >= MOST_PHASES:
            ended = (
                Status.PILED_UP,
                f"Stopped at t = {t:.6g}: sticking and slipping follow each other without end.",
            )
            break
    ended = _judged(phases, ended, rtol)
    return replace(_gathered(system, given, times, phases, (first, *ended), rtol), watched=events)


def _judged(phases: list[Phase], ended: tuple[Status, str], rtol: float) -> tuple[Status, str]:
    """How a motion ended, after a look at the power balance of all phases together.

    A phase alone may be too short to have an energy to compare with.
    """
    known = [phase.motion for phase in phases if not np.isnan(phase.motion.work[0])]
    if ended[0] not in ARRIVED or not known:
        return ended
    with np.errstate(all="ignore"):
        doubt = unbalanced([motion.ledger() for motion in known], rtol)
    return (Status.DOUBTFUL, f"{ended[1]} But {doubt}") if doubt else ended


def _over(
    system: System,
    part: Trajectory,
    at_end: bool,
    asked: list[Event],
    changed: list[tuple[int, int | None]],
) -> tuple[Status, str] | None:
    """Why a motion ends with this phase; None where it goes on."""
    t = float(part.t[-1])
    if asked:
        return Status.EVENT, f"Stopped by the event `{asked[0]}` at t = {t:.10g}."
    if part.ended not in ARRIVED:
        return part.ended, str(part.message)
    if at_end:
        return Status.FINISHED, Status.FINISHED.value
    driving = [k for k, new in changed if new == DRIVES]
    if not driving:
        return None
    return Status.FAILED, (
        f"Stopped at t = {t:.6g}: the force of {system.friction[driving[0]]} becomes negative there, or"
        " its static force falls below that of slow slip. Friction must not drive the slip."
    )


def _refuse_unfit(given: Conditions, events: tuple[Event, ...]) -> None:
    if given.shape:
        raise DeclarationError(
            "Motion with friction is computed point by point, since each sticks at times of its own."
            f" Got arrays of shape {given.shape} among the values; write a loop over them."
        )
    if any(event.change for event in events):
        raise DeclarationError(
            "Events that change velocities do not go with friction: a blow changes what sticks. Leave"
            " out `change`, or friction."
        )


def _events(
    system: System, states: tuple[int, ...], look: Contacts, loose: Mapping[int, float]
) -> list[tuple[Event, tuple[int, int | None]]]:
    """What ends a phase, and what each contact then does; None where it is to be found out.

    A contact that has just come loose has no slip yet: it stops when it has gone back by a trifle.
    """
    found: list[tuple[Event, tuple[int, int | None]]] = []
    sticking = len(system.constraints)
    multipliers = system.phase(*states).multipliers
    for k, (contact, state) in enumerate(zip(system.friction, states, strict=True)):
        if state == STICK:
            held = multipliers[sticking]
            sticking += 1
            found.append((Event(held - look.limits[k], 1, True, (), f"{contact} slips"), (k, 1)))
            found.append((Event(held + look.limits[k], -1, True, (), f"{contact} slips"), (k, -1)))
        else:
            slip = look.velocities[k] + state * sympy.Float(loose.get(k, 0.0))
            found.append((Event(slip, -state, True, (), f"{contact} stops"), (k, None)))
        found += [
            (Event(force, -1, True, (), f"{contact} drives"), (k, DRIVES))
            for force in _forces(contact, state)
        ]
    return found


def _forces(contact: Friction, state: int) -> list[sympy.Expr]:
    """What must stay positive: the force of slip, and what the static one has more; if they change."""
    slow = contact.law(sympy.S.Zero)
    each = (
        [contact.static - slow, contact.static]
        if state == STICK
        else [contact.law(state * contact.slip)]
    )
    moving = (Coordinate, Input)
    return [e for e in each if any(isinstance(s, moving) or s == time for s in leaves([e]))]


def _gathered(
    system: System,
    given: Conditions,
    times: Array,
    phases: list[Phase],
    ended: tuple[Array, Status, str],
    rtol: float,
) -> StickSlip:
    """The states at the output times, and where it ended before the last of them."""
    start, status, message = ended
    n = len(system.coordinates)
    t, q, v = [times[:1]], [start[None, :n]], [start[None, n : 2 * n]]
    for k, phase in enumerate(phases):
        own = phase.motion
        stop = k == len(phases) - 1 and status is not Status.FINISHED
        rows = np.flatnonzero(np.isin(own.t, times) & (own.t > t[-1][-1]))
        if stop and own.t[-1] > t[-1][-1] and len(own.t) - 1 not in rows:
            rows = np.append(rows, len(own.t) - 1)
        if len(rows):
            t.append(own.t[rows])
            q.append(own.q[rows])
            v.append(own.v[rows])
    return StickSlip(
        system=system,
        conditions=given,
        t=np.concatenate(t),
        q=np.concatenate(q),
        v=np.concatenate(v),
        phases=tuple(phases),
        status=status,
        message=message,
        rtol=rtol,
    )


def told_regularized(system: System, found: Trajectory, width: float) -> Trajectory:
    """The motion with smooth friction, with a sentence on what the smoothing costs.

    Slower than `SLOW` widths the force is more than a hundredth below its law; while a contact would
    stick it creeps.
    """
    crept = 0.0
    for contact in system.friction:
        slip = np.abs(found.conditions.stacked(found[contact.slip]))
        slow = np.where(slip < SLOW * width, slip, 0.0)
        crept = max(crept, float(np.trapezoid(slow, found.t, axis=-1).max()))
    said = (
        f" Friction is smooth over a slip velocity of {width:g}: contacts that would stick creep, up to"
        f" {crept:.3g} in all along this motion."
    )
    if isinstance(found.said, str):
        return replace(found, said=found.said + said)
    every = np.empty_like(found.said)
    every[...] = (
        [text + said for text in found.said.reshape(-1)] if found.said.ndim == 1 else found.said + said
    )
    return replace(found, said=every)
