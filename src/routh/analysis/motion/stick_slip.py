"""Motion with dry friction: in phases in which each contact sticks or slips, or made smooth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import sympy

from routh.analysis.given.conditions import Conditions, conditions
from routh.analysis.given.contact_words import refuse_driving
from routh.analysis.motion.event_watch import checked_events
from routh.analysis.motion.integrators.methods import METHODS
from routh.analysis.motion.options import checked_times
from routh.analysis.motion.phases import Phase, StickSlip
from routh.analysis.motion.rubbing.agreement import told_lost
from routh.analysis.motion.rubbing.phase_events import losses
from routh.analysis.motion.rubbing.sticking import Walk
from routh.analysis.motion.runs import smooth_motion
from routh.analysis.motion.settings import ALL, Options
from routh.analysis.motion.trajectory import ARRIVED, Trajectory
from routh.analysis.motion.trust import unbalanced
from routh.arrays import Array
from routh.errors import DeclarationError, SolveError, Status, a_kind, shortened
from routh.language.events import Event
from routh.language.symbols import t as time
from routh.language.system import System
from routh.language.walk import leaves, nodes

SLOW = 7
"""Widths of slip below which a smooth friction force is off by more than a hundredth."""

NONE = 1e-12
"""A normal force below this share of the largest is none."""

JUMPING = (sympy.sign, sympy.Heaviside, sympy.Piecewise, sympy.floor, sympy.ceiling, sympy.Mod)
"""Functions that may jump."""


def motion_with_friction(
    system: System,
    values: Any,
    start: Any,
    times: Any,
    options: Options,
    *,
    inputs: Any = None,
    events: Any = None,
) -> Trajectory | StickSlip:
    """The motion of a system with friction; `simulate` says what the arguments are."""
    refuse_driving(system, conditions(system, values, None)[0])
    width = options.regularize
    if width is not None:
        smooth, own = system.regularized(width), replace(options, regularize=None)
        ends = losses(system)
        every = [*(checked_events(system, events) if events is not None else ()), *ends]
        found = smooth_motion(smooth, values, start, times, own, inputs=inputs, events=every or None)
        _refuse_lost_start(system, found)
        return _told_regularized(system, _told_lost(system, found, ends), width)
    _refuse_options(options)
    _refuse_jumping_slip(system, inputs)
    if not isinstance(start, Mapping):
        raise DeclarationError(
            "A motion with friction starts from coordinates and velocities, like {x: 1.0}. Got"
            f" {a_kind(start)}."
        )
    watched, grid = checked_events(system, events), checked_times(times)
    given, by = conditions(system, values, None, start=start)
    _refuse_unfit(given, watched)
    numbers = {name: float(value) for name, value in given.values.items()}
    names = (*system.coordinates, *system.velocities)
    first = np.array([float(by["start"].get(s, np.zeros(1))[0]) for s in names])
    walk = Walk(system, numbers, inputs, grid, first, watched, options)
    ended = _told_shared(walk.phases, _judged(walk.phases, walk.to_its_end(), options.rtol))
    return _gathered(system, given, grid, walk.phases, (first, *ended), options.rtol, watched)


def _refuse_options(options: Options) -> None:
    """Refuse what has no place in a motion of phases, which end at events."""
    if options.form != "lagrange" or options.check or options.variations or options.keep != ALL:
        raise DeclarationError(
            'Motion with friction goes in phases, with form="lagrange" and keep="all", without check'
            " and variations. Give none of them, or regularize=, which makes friction smooth."
        )
    method = METHODS.get(options.method)
    if method and not (method.takes_events and method.takes_projection):
        raise DeclarationError(
            "Motion with friction goes in phases that end where contacts stick and slip, which"
            f' method="{method.name}" cannot. Use method="DOP853" or "Radau", or regularize=, which'
            " makes friction smooth."
        )


def _refuse_jumping_slip(system: System, inputs: Any) -> None:
    """Refuse a slip velocity that jumps in time: what sticks cannot follow, and begins to slip."""
    laws = inputs if isinstance(inputs, Mapping) else {}
    named = {str(u): law for u, law in laws.items() if isinstance(law, sympy.Expr)}
    for contact in system.friction:
        slips = contact.components
        own = [*slips, *(named[str(u)] for u in leaves(slips) if str(u) in named)]
        jumping = [e for e in nodes(own) if isinstance(e, JUMPING) and time in leaves([e])]
        if jumping:
            raise DeclarationError(
                f"The slip velocity of {contact.name or 'a contact'} jumps in time, in"
                f" `{shortened(jumping[0], 60)}`: what sticks cannot follow at once. Write it smooth,"
                " like tanh(1000*(8 - t)) for a belt that turns back at t = 8."
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


def _told_shared(phases: list[Phase], ended: tuple[Status, str]) -> tuple[Status, str]:
    """How a motion ended, with a sentence on forces that are not determined."""
    if all(phase.shares is None for phase in phases):
        return ended
    return ended[0], (
        f"{ended[1]} Contacts stick together in more ways than one, so that the forces that hold them"
        " are not determined: given are those that keep farthest from their limits."
    )


def _gathered(
    system: System,
    given: Conditions,
    times: Array,
    phases: list[Phase],
    ended: tuple[Array, Status, str],
    rtol: float,
    events: tuple[Event, ...],
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
        watched=events,
    )


def _refuse_lost_start(system: System, found: Trajectory) -> None:
    """Refuse a smooth motion that begins with a contact that would have to pull.

    Raises:
        SolveError: it carries the motion.
    """
    for contact in system.friction:
        if contact.normal is not None and contact.is_one_sided:
            first = found.conditions.stacked(found[contact.normal])[:, 0]
            sizes = np.abs(found.conditions.stacked(found[contact.normal])).max(axis=1)
            if np.any(first < -NONE * sizes):
                raise SolveError(
                    f"The normal force of {contact} is {first.min():.6g} at the start:"
                    f" {told_lost(contact)}",
                    found,
                )


def _told_lost(system: System, found: Trajectory, ends: list[Event]) -> Trajectory:
    """A smooth motion whose end by the loss of a contact is called so."""
    lost = [one for one in found.events if one.event in ends] if not found.conditions.shape else []
    if not lost or found.run_status is not Status.EVENT:
        return found
    contact = next(c for c in system.friction if lost[0].event.expression == c.normal)
    said = f"Stopped at t = {lost[0].t:.10g}: {told_lost(contact)}"
    return replace(found, run_status=Status.LOST, run_message=said)


def _told_regularized(system: System, found: Trajectory, width: float) -> Trajectory:
    """The motion with smooth friction, with a sentence on what the smoothing costs.

    Slower than `SLOW` widths the force is more than a hundredth below its law; while a contact would
    stick it creeps.
    """
    crept = 0.0
    for contact in system.friction:
        slip = np.abs(found.conditions.stacked(found[contact.speed]))
        slow = np.where(slip < SLOW * width, slip, 0.0)
        crept = max(crept, float(np.trapezoid(slow, found.t, axis=-1).max()))
    said = (
        f" Friction is smooth over a slip velocity of {width:g}: contacts that would stick creep, up to"
        f" {crept:.3g} in all along this motion."
    )
    if isinstance(found.run_message, str):
        return replace(found, run_message=found.run_message + said)
    every = np.empty_like(found.run_message)
    every[...] = (
        [text + said for text in found.run_message.reshape(-1)]
        if found.run_message.ndim == 1
        else found.run_message + said
    )
    return replace(found, run_message=every)
