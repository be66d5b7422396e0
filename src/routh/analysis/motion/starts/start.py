"""The state that a motion starts from, checked against the constraints."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any

import numpy as np

from routh.analysis.given.conditions import Conditions, conditions
from routh.analysis.given.numbers import Numbers
from routh.analysis.given.redundancy import named
from routh.analysis.motion.flow import MovingSystem
from routh.analysis.motion.signals import Signals
from routh.analysis.motion.starts import held
from routh.arrays import Array
from routh.errors import DeclarationError, SolveError, Status, listed, shortened
from routh.language.system import System
from routh.mechanics.ritz.quadrature import same_equations
from routh.numerics.steppers import StuckError
from routh.recorded import Recorded
from routh.shown import as_html


@dataclass(frozen=True, eq=False, repr=False)
class Start(Recorded):
    """Positions and velocities that satisfy the constraints, for every point of the batch.

    Attributes:
        system: the system.
        conditions: parameter values and constant inputs.
        time: the time at which they hold.
        q, v: (..., n) positions and velocities.
        moved_q, moved_v: (..., n) how far they were moved to satisfy the constraints.
        status: (...) CONVERGED, or STALLED where no such state was found, and q and v are NaN.
    """

    system: System
    conditions: Conditions = field(repr=False)
    time: float
    q: Annotated[Array, "*batch n"]
    v: Annotated[Array, "*batch n"]
    moved_q: Annotated[Array, "*batch n"]
    moved_v: Annotated[Array, "*batch n"]
    status: Any

    def __repr__(self) -> str:
        return f"Start({self.system.title}, q {self.q.shape})"

    def __str__(self) -> str:
        if self.conditions.shape:
            found = int(np.sum(self.status == Status.CONVERGED))
            return (
                f"{found} of {self.conditions.count} consistent starts of {self.system.title} found, in"
                f" a batch of shape {self.conditions.shape}."
            )
        names = [*self.system.coordinates, *self.system.velocities]
        values, moves = np.concatenate([self.q, self.v]), np.concatenate([self.moved_q, self.moved_v])
        state = ", ".join(f"{s} = {x:.10g}" for s, x in zip(names, values, strict=True))
        size = np.abs(values).max(initial=1e-300)
        moved = [
            f"{s} by {dx:.3g}" for s, dx in zip(names, moves, strict=True) if abs(dx) > 1e-14 * size
        ]
        return f"{state}. Moved: {listed(moved)}."

    _repr_html_ = as_html


def stated(
    system: System, values: Numbers, driven: Signals, start: Numbers | Start
) -> tuple[Conditions, Array, Array]:
    """The conditions of a start, and its positions and velocities (N, n) as they were given."""
    if isinstance(start, Start):
        if not same_equations(start.system, system):
            raise DeclarationError(
                f"`start` is one of {start.system.title}, not of {system.title}. Make one with"
                " consistent(system, values, start)."
            )
        lost = int(np.sum(np.asarray(start.status) != Status.CONVERGED))
        if lost:
            raise DeclarationError(
                f"`start` has no state at {lost} of {start.conditions.count} points: none that"
                " satisfies the constraints was found there (`start.status`). Leave these points out."
            )
        names = (*system.coordinates, *system.velocities)
        state = np.concatenate([start.q, start.v], axis=-1)
        start = {symbol: state[..., k] for k, symbol in enumerate(names)}
    given, by = conditions(system, values, driven.numbers, start=start)
    at = by["start"]
    q, v = (
        np.stack([at.get(s, np.zeros(given.count)) for s in symbols], axis=1)
        for symbols in (system.coordinates, system.velocities)
    )
    return given, q, v


def refuse_inconsistent(flow: MovingSystem, t: float, x: Array) -> None:
    """Refuse a state that violates the constraints by more than a projection may mend unasked."""
    system = flow.motion.system
    for rows, rate in ((held.positions(flow, t, x), False), (held.velocities(flow, t, x), True)):
        for k, off, broken in zip(rows.places, rows.off, rows.broken(), strict=True):
            if broken:
                of = "the rate of " if rate and system.is_holonomic[k] else ""
                raise DeclarationError(_violated(system, int(k), float(off), of))


def projected(flow: MovingSystem, t: float, x: Array) -> Array:
    """The start moved onto the constraints, which it keeps nearly.

    Raises:
        SolveError: they cannot be met together, or just here they are singular.
    """
    try:
        return flow.projected(t, x)
    except StuckError:
        rows = held.positions(flow, t, x)
        worst = int(rows.places[np.argmax(np.abs(rows.off))])
        raise SolveError(
            f"No position beside this start meets all constraints of {flow.motion.system.title} better"
            f" than to what it has: {rows.off[np.argmax(np.abs(rows.off))]:.3g} is left of"
            f" {named(flow.motion.system, worst)}. Either they contradict each other by that, or the"
            " position is singular: start beside it."
        ) from None


def _violated(system: System, k: int, size: float, what: str) -> str:
    return (
        f"`start` violates {what}constraint {k + 1}, `{shortened(system.constraints[k], 60)}`, by"
        f" {size:.3g}. Expected a state that satisfies all constraints; the nearest one is found by"
        " consistent(system, values, start), and can be given as `start`."
    )
