"""The state that a motion starts from, checked against the constraints."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from routh.analysis.flow import MovingSystem
from routh.analysis.signals import Signals
from routh.analysis.values import Conditions, Numbers, conditions
from routh.errors import DeclarationError, listed, shortened
from routh.kernels.batch import Array
from routh.language.system import System
from routh.mechanics.quadrature import same_equations

CLOSE = 1e-6
"""A start that must move by less than this share of itself is taken as meant, and projected."""


ROUNDING = 1e-13
"""Moves of this size count as none where all coordinates are zero: terms of a constraint may cancel."""


@dataclass(frozen=True, eq=False, repr=False)
class Start:
    """Positions and velocities that satisfy the constraints, for every point of the batch.

    Attributes:
        system: the system.
        conditions: parameter values and constant inputs.
        time: the time at which they hold.
        q, v: (..., n) positions and velocities.
        moved_q, moved_v: (..., n) how far they were moved to satisfy the constraints.
    """

    system: System
    conditions: Conditions = field(repr=False)
    time: float
    q: Array
    v: Array
    moved_q: Array
    moved_v: Array

    def __repr__(self) -> str:
        return f"Start({self.system.title}, q {self.q.shape})"

    def __str__(self) -> str:
        if self.conditions.shape:
            return f"Consistent starts of {self.system.title}, batch of shape {self.conditions.shape}."
        names = [*self.system.coordinates, *self.system.velocities]
        values, moves = np.concatenate([self.q, self.v]), np.concatenate([self.moved_q, self.moved_v])
        state = ", ".join(f"{s} = {x:.10g}" for s, x in zip(names, values, strict=True))
        size = np.abs(values).max(initial=1e-300)
        moved = [
            f"{s} by {dx:.3g}" for s, dx in zip(names, moves, strict=True) if abs(dx) > 1e-14 * size
        ]
        return f"{state}. Moved: {listed(moved)}."


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
    n = flow.motion.n
    phi, rate = (each[:, 0] for each in flow.run("held", t, x))
    _, J = flow.run("matrices", t, x)
    q, v = x[:n], x[n : 2 * n]
    holonomic = [k for k, kind in enumerate(system.is_holonomic) if kind]
    for k, off in zip(holonomic, phi, strict=True):
        if abs(off) > CLOSE * (np.abs(J[k]) @ np.abs(q)) + ROUNDING * np.abs(J[k]).max(initial=0):
            raise DeclarationError(_violated(system, k, off, ""))
    for k, off in enumerate(rate):
        own, floor = J[k] @ v, ROUNDING * np.abs(J[k]).max(initial=0)
        if abs(off) > CLOSE * (np.abs(J[k]) @ np.abs(v) + abs(off - own)) + floor:
            raise DeclarationError(_violated(system, k, off, "the rate of " * (k in holonomic)))


def _violated(system: System, k: int, size: float, what: str) -> str:
    return (
        f"`start` violates {what}constraint {k + 1}, `{shortened(system.constraints[k], 60)}`, by"
        f" {size:.3g}. Expected a state that satisfies all constraints; the nearest one is found by"
        " consistent(system, values, start), and can be given as `start`."
    )
