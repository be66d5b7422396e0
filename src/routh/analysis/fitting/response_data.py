"""Measured answers to a harmonic input, with the derivatives of frequency responses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from routh.analysis.fitting.channels import Channel, Deviations, Predicted, channel, deviation_of
from routh.analysis.fitting.measured_tables import (
    MeasuredTable,
    complex_column,
    in_sentence,
    same_length,
)
from routh.analysis.fitting.unknowns import Unknowns
from routh.analysis.given.numbers import Numbers
from routh.analysis.given.reading import own_expression
from routh.analysis.linear.linearize import linearize
from routh.analysis.linear.response import frequency_response
from routh.analysis.rest.equilibrium import equilibrium
from routh.arrays import Array
from routh.errors import DeclarationError, listed


@dataclass(frozen=True)
class MeasuredResponse:
    """Complex amplitudes of outputs by an input of unit amplitude, over frequencies in rad/s."""

    unknowns: Unknowns
    table: MeasuredTable
    guess: Numbers | None
    inputs: Numbers | None
    moved: Any
    outputs: tuple[Any, ...]
    rows: tuple[Any, ...]
    channels: tuple[Channel, ...]

    def predicted(self, x: Array) -> list[Predicted]:
        """What should have been measured, real and imaginary parts, and slopes by the unknowns."""
        values = self.unknowns.values_at(x) | {p: float(v) for p, v in self.table.known.items()}
        rest = equilibrium(self.unknowns.system, values, guess=self.guess, inputs=self.inputs)
        found = frequency_response(linearize(rest), self.moved, list(self.outputs), self.table.along)
        every = self.unknowns.every
        own = [k for k in self.unknowns.parameters if every[k].symbol not in self.table.known]
        slopes = np.zeros((*found.transfer.shape, len(every)), dtype=complex)
        if own:
            slopes[..., own] = found.sensitivity(*(every[k].symbol for k in own)).transfer
        answers = []
        for j, rows in enumerate(self.rows):
            z, dz = found.transfer[rows, j], slopes[rows, j]
            answers += [(z.real, dz.real), (z.imag, dz.imag)]
        return answers


def measured_response(
    unknowns: Unknowns,
    table: MeasuredTable,
    deviations: Deviations,
    guess: Numbers | None,
    inputs: Numbers | None,
) -> MeasuredResponse:
    """The model of a table of answers.

    Raises:
        DeclarationError: it does not say which input moved, or a column is no expression.
    """
    label, rows = in_sentence(table.label), len(table.along)
    columns = dict(table.columns)
    if "input" not in columns:
        raise DeclarationError(
            f"{table.label} has answers over `frequency`: say what moved with unit amplitude, like"
            f" 'input': 'F'. Inputs: {listed(unknowns.system.inputs)}."
        )
    moved = columns.pop("input")
    outputs, used, channels = [], [], []
    for key, given in columns.items():
        what = f"`{key}` of {label}"
        outputs.append(own_expression(unknowns.system, key, f"The column {what}"))
        column = same_length(complex_column(given, what), rows, what)
        weight = deviation_of(deviations, key, rows, table.label)
        for part, name in ((column.real, "real"), (column.imag, "imaginary")):
            measured = np.where(np.isfinite(column), part, np.nan)
            source = (table.label, str(key))
            made, own = channel(f"{key}, {name}", "frequency", table.along, measured, weight, source)
            channels.append(made)
        used.append(own)
    if not outputs:
        raise DeclarationError(f"{table.label} has no answers. Add columns, like 'x': complex numbers.")
    return MeasuredResponse(
        unknowns, table, guess, inputs, moved, tuple(outputs), tuple(used), tuple(channels)
    )
