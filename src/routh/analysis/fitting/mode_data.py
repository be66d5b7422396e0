"""Measured modes: natural frequencies, damping ratios and shapes, with the derivatives of modes.

A shape is known up to a factor, which `shape_factors` finds for each that was measured. Of one that is
complex the real parts are taken, in units of the coordinate in which the measured shape is largest.
Errors that are not known are taken to be one share of the largest entry of each shape, in all
coordinates alike: were each to have a scatter of its own, the factors would follow one of them exactly.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from routh.analysis.fitting.channels import Channel, Deviations, Predicted, channel, deviation_of
from routh.analysis.fitting.measured_tables import MeasuredTable, in_sentence, real_column, same_length
from routh.analysis.fitting.unknowns import Unknowns
from routh.analysis.given.numbers import Numbers
from routh.analysis.linear.linearize import linearize
from routh.analysis.rest.equilibrium import equilibrium
from routh.analysis.stability.modes import modes
from routh.analysis.stability.natural_modes import Modes
from routh.arrays import Array
from routh.errors import DeclarationError, SolveError, did_you_mean, listed, quoted
from routh.language.symbols import Coordinate, named
from routh.language.system import System

FREQUENCY, DAMPING = "frequency", "damping"
"""Columns of numbers that belong to a mode as a whole."""


@dataclass(frozen=True)
class MeasuredModes:
    """Modes about a rest; rows may have been measured at different values of known parameters."""

    unknowns: Unknowns
    table: MeasuredTable
    guess: Numbers | None
    inputs: Numbers | None
    keys: tuple[Any, ...]
    """What each channel is of: "frequency", "damping", or the place of a coordinate."""
    rows: tuple[Any, ...]
    reference: Any
    """(rows,) the coordinate that a shape is counted in."""
    channels: tuple[Channel, ...]

    def _modes(self, x: Array) -> Modes:
        values = self.unknowns.values_at(x) | dict(self.table.known)
        rest = equilibrium(self.unknowns.system, values, guess=self.guess, inputs=self.inputs)
        return modes(linearize(rest))

    def predicted(self, x: Array) -> list[Predicted]:
        """What should have been measured, and its slopes by the unknowns."""
        found = self._modes(x)
        own = [k for k in self.unknowns.parameters if self._symbol(k) not in self.table.known]
        slopes = found.sensitivity(*(self._symbol(k) for k in own)) if own else None
        number = self.table.along.astype(int)
        count = found.frequencies.shape[-1]
        if number.max() >= count:
            raise SolveError(f"`mode` has {number.max()}, and there are {count} modes, counted from 0.")
        places = (np.arange(len(number)), number) if found.frequencies.ndim > 1 else (number,)
        answers = []
        for key, rows in zip(self.keys, self.rows, strict=True):
            value, slope = self._read(found, slopes, key, places)
            whole = np.zeros((len(number), len(self.unknowns)))
            whole[:, own] = slope
            answers.append((value[rows], whole[rows]))
        return answers

    def _symbol(self, k: int) -> Any:
        return self.unknowns.every[k].symbol

    def _read(self, found: Modes, slopes: Any, key: Any, places: Any) -> Predicted:
        """(rows,) and (rows, parameters): one column in every row."""
        none = np.zeros((len(self.table.along), 0))
        if key == FREQUENCY:
            return found.frequencies[places], none if slopes is None else slopes.frequencies[places]
        if key == DAMPING:
            return found.damping[places], none if slopes is None else slopes.damping[places]
        shapes = np.moveaxis(found.shapes, -2, -1)[places]
        each = np.arange(len(shapes))
        entry, unit = shapes[:, key], shapes[each, self.reference]
        if slopes is None:
            return (entry / unit).real, none
        rates = np.moveaxis(slopes.shapes, -3, -2)[places]
        own, of_unit = rates[:, key], rates[each, self.reference]
        rate = own / unit[:, None] - (entry / unit**2)[:, None] * of_unit
        return (entry / unit).real, rate.real


def measured_modes(
    unknowns: Unknowns,
    table: MeasuredTable,
    deviations: Deviations,
    guess: Numbers | None,
    inputs: Numbers | None,
) -> MeasuredModes:
    """The model of a table of modes.

    Raises:
        DeclarationError: numbers of modes are none, or a column is not of modes.
    """
    rows, label = len(table.along), in_sentence(table.label)
    if ((table.along < 0) | (table.along % 1 != 0)).any():
        raise DeclarationError(f"`mode` of {label} must have numbers of modes, counted from 0.")
    every = {
        _key(unknowns.system, key, label): (key, _column(given, key, rows, label))
        for key, given in table.columns.items()
    }
    shape = {place: column for place, (_, column) in every.items() if not isinstance(place, str)}
    reference = _largest(shape, rows, label)
    entries = np.array(list(shape.values())) if shape else np.full((1, rows), np.nan)
    sizes = np.abs(np.nan_to_num(entries)).max(axis=0)
    enough = np.isfinite(entries).sum(axis=0) > 1  # a factor takes one of them
    _refuse_some(deviations, [key for place, (key, _) in every.items() if place in shape], label)
    keys, used, channels = [], [], []
    for place, (key, given) in every.items():
        weight = deviation_of(deviations, key, rows, table.label)
        share: Array | None = None
        source, is_shape = (table.label, str(key)), not isinstance(place, str)
        if is_shape:
            source, column = (table.label, "shapes"), np.where(enough, given, np.nan)
            share = np.where(enough, sizes, 1.0)
            if not np.isfinite(column).any():
                continue
        else:
            column = given
            if place == FREQUENCY:
                share = np.where(np.isfinite(column), np.abs(column), 1.0)
            _refuse_sizes(column, place, label)
        made, own = channel(
            str(key), "mode", table.along, column, weight, source, share, is_shape=is_shape
        )
        keys.append(place)
        used.append(own)
        channels.append(made)
    if not channels:
        raise DeclarationError(
            f"Shapes of {label} are known up to a factor: one coordinate alone says nothing. Add"
            " others."
        )
    return MeasuredModes(
        unknowns, table, guess, inputs, tuple(keys), tuple(used), reference, tuple(channels)
    )


def _key(system: System, key: object, label: str) -> Any:
    if key in (FREQUENCY, DAMPING):
        return key
    symbol = named(key, system.coordinates) if isinstance(key, str) else key
    if not isinstance(symbol, Coordinate) or symbol not in system.coordinates:
        known = [FREQUENCY, DAMPING, *map(str, system.coordinates), *map(str, system.parameters)]
        raise DeclarationError(
            f"`{key}` of {label} is no column of modes: `frequency` (rad/s), `damping` (the ratio),"
            f" coordinates for shapes ({listed(system.coordinates)}), or a parameter."
            + did_you_mean(key, known)
        )
    return system.coordinates.index(symbol)


def _column(given: Any, key: object, rows: int, label: str) -> Array:
    what = f"`{key}` of {label}"
    found: Array = same_length(real_column(given, what), rows, what)
    return found


def _refuse_sizes(column: Array, place: str, label: str) -> None:
    if place == FREQUENCY and (column <= 0).any():
        raise DeclarationError(
            f"`frequency` of {label} must be positive, in rad/s. Got {np.nanmin(column):g}."
        )


def _refuse_some(deviations: Deviations, keys: list[Any], label: str) -> None:
    """Refuse standard deviations of some coordinates of shapes without those of the others."""
    given = {str(key) for key in deviations}
    known, others = ([k for k in keys if (str(k) in given) is there] for there in (True, False))
    if known and others:
        raise DeclarationError(
            f"`deviations` has {quoted(known)} of the shapes of {label}, and not {quoted(others)}."
            " Give those of all coordinates, or of none: their errors are then taken to be of one size."
        )


def _largest(shape: dict[Any, Array], rows: int, label: str) -> Any:
    """(rows,) the coordinate in which each measured shape is largest."""
    if not shape:
        return np.zeros(rows, dtype=int)
    entries = np.array(list(shape.values()))
    sizes = np.abs(np.nan_to_num(entries))
    if (~sizes.any(axis=0) & np.isfinite(entries).any(axis=0)).any():
        raise DeclarationError(f"A shape of {label} is zero. Leave its row empty (NaN).")
    return np.array(list(shape))[sizes.argmax(axis=0)]
