"""Measurements at the door: tables of columns, which say by their names what was measured.

A table with a column `t` is a motion, one with `mode` has natural frequencies, damping ratios and
shapes, one with `frequency` and no `mode` is the answer to a harmonic input. Every other column is
called by what it measures, or by a parameter that had this value at the time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np
import sympy

from routh.analysis.given.numbers import LARGEST, number
from routh.arrays import Array
from routh.errors import DeclarationError, a_kind, listed, shortened
from routh.language.symbols import Parameter, named, t
from routh.language.system import System


class Measured(Enum):
    """What a table has in its rows."""

    MOTION = "t"
    MODES = "mode"
    RESPONSE = "frequency"


@dataclass(frozen=True)
class MeasuredTable:
    """One table: its kind, the column that its rows are told apart by, and the others by their keys."""

    kind: Measured
    along: Array
    columns: dict[Any, Any]
    known: dict[Parameter, Array]
    """Parameters with their values, of the whole table or of each row."""
    label: str
    """How messages call it."""


def checked_tables(system: System, data: Any) -> tuple[MeasuredTable, ...]:
    """The tables that were given, one or a list of them.

    Raises:
        DeclarationError: it is no table, a column is missing, or columns do not have the same length.
    """
    several = isinstance(data, Sequence) and not isinstance(data, (str, bytes))
    given = list(data) if several else [data]
    if not given:
        raise DeclarationError("`data` is empty. Give a table of measurements, or a list of them.")
    return tuple(
        _checked_table(system, each, f"Table {k + 1} of `data`" if len(given) > 1 else "`data`")
        for k, each in enumerate(given)
    )


def _checked_table(system: System, given: Any, label: str) -> MeasuredTable:
    columns = _columns(given, label)
    kind = next((each for each in Measured if each.value in columns), None)  # in this order
    if kind is None:
        raise DeclarationError(
            f"{label} must have a column `t` (a motion), `mode` (natural frequencies, damping and"
            f" shapes) or `frequency` (a response to a harmonic input). Got: {listed(columns)}."
        )
    along = real_column(columns.pop(kind.value), f"`{kind.value}` of {in_sentence(label)}")
    if np.isnan(along).any():
        raise DeclarationError(
            f"`{kind.value}` of {in_sentence(label)} must have a number in every row."
        )
    if not len(along):
        raise DeclarationError(f"{label} has no rows.")
    known = {}
    for key in list(columns):
        symbol = named(key, system.parameters) if isinstance(key, str) else key
        if isinstance(symbol, Parameter) and symbol in system.parameters:
            known[symbol] = _parameter(columns.pop(key), symbol, len(along), kind, label)
    if not columns:
        raise DeclarationError(
            f"{label} has a column `{kind.value}` and nothing measured. Add columns, called by what"
            " they measure."
        )
    return MeasuredTable(kind, along, columns, known, label)


def in_sentence(label: str) -> str:
    """The name of a table inside a sentence."""
    return label[:1].lower() + label[1:]


def _columns(given: Any, label: str) -> dict[Any, Any]:
    """The columns of a mapping, or of what has columns as mappings have, like a frame of pandas."""
    if isinstance(given, Mapping):
        found = dict(given)
    elif hasattr(given, "columns") and hasattr(given, "to_numpy"):
        found = {key: given[key].to_numpy() for key in given.columns}
    else:
        raise DeclarationError(
            f"{label} must be a table: columns by name, like {{'t': times, 'theta': angles}}, or a"
            f" frame of pandas. Got {a_kind(given)}."
        )
    return {"t" if key is t or key == t else key: value for key, value in found.items()}


def _parameter(given: Any, symbol: Parameter, rows: int, kind: Measured, label: str) -> Array:
    what = f"`{symbol}` of {in_sentence(label)}"
    values = number(given, what)
    if values.shape not in ((), (rows,)):
        raise DeclarationError(
            f"{what} must be one number or one for each of the {rows} rows. Got shape {values.shape}."
        )
    if kind is not Measured.MODES and values.shape:
        if (values != values[0]).any():
            raise DeclarationError(
                f"{what} changes from row to row. It is a parameter, which is constant in a table of"
                f" this kind: make a table for each of its values."
            )
        values = values[0]
    symbol.refuse_sign(float(values.min()), what)
    return np.asarray(values)


def real_column(given: Any, what: str) -> Array:
    """(rows,) real numbers; NaN and None are what was not measured."""
    found = _numbers(given, what)
    if np.iscomplexobj(found):
        raise DeclarationError(f"{what} must have real numbers. Got complex ones.")
    return np.asarray(found, dtype=float)


def complex_column(given: Any, what: str) -> Any:
    """(rows,) complex numbers; NaN is what was not measured."""
    return _numbers(given, what).astype(complex)


def _numbers(given: Any, what: str) -> Any:
    if isinstance(given, (str, bytes, sympy.Basic)):
        raise DeclarationError(f"{what} must be a column of numbers. Got {shortened(given, 60)!r}.")
    try:
        raw = np.asarray(given)
        if raw.dtype == object:
            raw = np.array([np.nan if each is None else each for each in raw.ravel()]).reshape(
                raw.shape
            )
        found = raw.astype(complex) if np.iscomplexobj(raw) else raw.astype(float)
    except (TypeError, ValueError):
        raise DeclarationError(
            f"{what} must be a column of numbers, NaN where nothing was measured. Got"
            f" {shortened(repr(given), 80)}."
        ) from None
    if found.ndim != 1:
        raise DeclarationError(
            f"{what} must be a column: a list of numbers. Got"
            f" {'one number' if not found.ndim else f'an array of shape {found.shape}'}."
        )
    if np.isinf(found).any() or (np.abs(found) > LARGEST).any():
        raise DeclarationError(f"{what} must be finite. Got {found[np.argmax(np.abs(found))]:g}.")
    return found


def same_length(column: Any, rows: int, what: str) -> Any:
    """A column, if it has as many rows as the table."""
    if len(column) != rows:
        raise DeclarationError(
            f"{what} has {len(column)} rows, and the first column of the table has {rows}. Columns have"
            " the same length; put NaN where nothing was measured."
        )
    return column
