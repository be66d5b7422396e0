"""Measured motions: what the motion from a start says of the unknowns, by its variational equations.

A measured expression e(q, v, a, p, t) changes with an unknown by e_q dq + e_v dv + e_a da + e_p, where
dq and dv are what `simulate(variations=True)` gives and da follows from a = f(t, q, v, p).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy

from routh.analysis.fitting.channels import (
    Channel,
    Deviations,
    Predicted,
    channel,
    deviation_of,
)
from routh.analysis.fitting.measured_tables import MeasuredTable, in_sentence, real_column, same_length
from routh.analysis.fitting.unknowns import Unknowns
from routh.analysis.given.numbers import Numbers
from routh.analysis.given.reading import own_expression
from routh.analysis.motion.simulate import simulate
from routh.analysis.motion.trajectory import Trajectory
from routh.arrays import Array
from routh.errors import DeclarationError, DerivationError, SolveError, quoted
from routh.kernels.kernel import kernel
from routh.language.contact.reaction_symbol import Reaction
from routh.language.fields import Field
from routh.language.symbols import Coordinate, Input
from routh.language.walk import leaves, unfold


@dataclass(frozen=True)
class MeasuredMotion:
    """A motion that was measured, with where it began and what drove it."""

    unknowns: Unknowns
    table: MeasuredTable
    motion: int
    expressions: tuple[sympy.Expr, ...]
    rows: tuple[Any, ...]
    channels: tuple[Channel, ...]
    inputs: Numbers | None
    rtol: float | None

    def simulated(self, x: Array, *, variations: bool = False) -> Trajectory:
        """The motion for values of the unknowns, at the measured times.

        Raises:
            SolveError: it does not get to the last of them.
        """
        known = {p: float(value) for p, value in self.table.known.items()}
        found = simulate(
            self.unknowns.system,
            self.unknowns.values_at(x) | known,
            self.unknowns.start_at(x, self.motion),
            self.table.along,
            inputs=self.inputs,
            rtol=self.rtol,
            variations=variations,
            progress=False,
        )
        assert isinstance(found, Trajectory)
        if not found.completed:
            raise SolveError(
                f"The motion does not get to the last measured time: {found.message}", found
            )
        return found

    def predicted(self, x: Array) -> list[Predicted]:
        """What should have been measured, and its slopes by the unknowns."""
        motion = self.simulated(x, variations=True)
        grown = self._grown(motion)
        engine, point = kernel(motion.system), motion.point()
        by_q, by_v, by_a, _ = engine.slopes(self.expressions, point)
        by_state = np.concatenate([by_q, by_v], axis=2)
        if by_a.any():
            by_state = by_state + by_a @ self._accelerations(motion)[0]
        slopes = by_state @ grown
        places = [(k, self._place(motion, k)) for k in self.unknowns.parameters]
        own = engine.by_parameters(self.expressions, point)
        if by_a.any():
            own = own + by_a @ self._accelerations(motion)[1]
        for k, place in places:
            if place is not None:
                slopes[:, :, k] += own[:, :, place]
        values = engine.values(self.expressions, point)
        return [(values[rows, j], slopes[rows, j]) for j, rows in enumerate(self.rows)]

    def _place(self, motion: Trajectory, k: int) -> int | None:
        """Where an unknown is among the parameters; nowhere if this table has its value."""
        symbol = self.unknowns.every[k].symbol
        return None if symbol in self.table.known else motion.system.parameters.index(symbol)

    def _grown(self, motion: Trajectory) -> Array:
        """(T, 2n, k): how the states change with the unknowns."""
        states = [*motion.system.coordinates, *motion.system.velocities]
        found = np.zeros((*motion.sensitivity.shape[:2], len(self.unknowns)))
        for k, each in enumerate(self.unknowns.every):
            if each.motion is None:
                place = self._place(motion, k)
                if place is not None:
                    found[..., k] = motion.sensitivity[..., place]
            elif each.motion == self.motion:
                found[..., k] = motion.transition[..., states.index(each.symbol)]
        return found

    def _accelerations(self, motion: Trajectory) -> tuple[Array, Array]:
        """(T, n, 2n) and (T, n, parameters): the slopes of a = f(t, q, v, p)."""
        n = len(motion.system.coordinates)
        by = [
            motion.flows.along(name, motion.t, motion.flow_states)[0][0]
            for name in ("slope", "by_parameters")
        ]
        return by[0][:, n : 2 * n, : 2 * n], by[1][:, n : 2 * n]


def measured_motion(
    unknowns: Unknowns,
    table: MeasuredTable,
    motion: int,
    several: bool,
    deviations: Deviations,
    inputs: Numbers | None,
    rtol: float | None,
) -> MeasuredMotion:
    """The model of a table of a motion.

    Raises:
        DeclarationError: times do not rise, or a column is no expression of the system.
        DerivationError: a column is of what motions have no derivatives of.
    """
    _refuse_times(table)
    expressions, rows, channels = [], [], []
    for key, given in table.columns.items():
        what = f"`{key}` of {in_sentence(table.label)}"
        expression = _measurable(unknowns, key, what)
        column = same_length(real_column(given, what), len(table.along), what)
        weight = deviation_of(deviations, key, len(column), table.label)
        label = f"{key} of motion {motion + 1}" if several else str(key)
        made, own = channel(label, "t", table.along, column, weight, (table.label, str(key)))
        expressions.append(expression)
        rows.append(own)
        channels.append(made)
    return MeasuredMotion(
        unknowns, table, motion, tuple(expressions), tuple(rows), tuple(channels), inputs, rtol
    )


def _refuse_times(table: MeasuredTable) -> None:
    times, where = table.along, in_sentence(table.label)
    if len(times) < 2:
        raise DeclarationError(
            f"`t` of {where} must have two times at least, the first being that of the start: put NaN"
            " into the other columns where nothing was measured then."
        )
    steps = np.diff(times)
    if (steps <= 0).any():
        k = int(np.argmax(steps <= 0))
        raise DeclarationError(
            f"`t` of {where} must rise. Got {times[k]:g} followed by {times[k + 1]:g}, in rows {k + 1}"
            f" and {k + 2}. A table is one motion: make another one where time begins again."
        )


def _measurable(unknowns: Unknowns, key: object, what: str) -> sympy.Expr:
    """What a column measures, if motions have derivatives of it."""
    system = unknowns.system
    expression = unfold(own_expression(system, key, f"The column {what}"))
    inside = leaves([expression])
    moved = [s for s in inside if isinstance(s, (Input, Reaction)) or s in system.multipliers]
    if moved:
        raise DerivationError(
            f"The column {what} contains {quoted(sorted(moved, key=str))}: inputs and forces of"
            " constraints have no derivatives along a motion. Measure coordinates, velocities and"
            " accelerations, and write the law of an input in its place."
        )
    if not any(isinstance(s, Coordinate) for s in inside) and not _has_field(inside):
        raise DeclarationError(
            f"The column {what} is `{expression}`, which does not move. Name it by what it measures: a"
            " coordinate, a velocity or an expression of them."
        )
    return expression


def _has_field(inside: Sequence[Any] | set[Any]) -> bool:
    return any(isinstance(s, Field) for s in inside)
