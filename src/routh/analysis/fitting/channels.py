"""What was measured as rows of numbers with their scatter, and what predicts them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from routh.analysis.fitting.measured_tables import in_sentence, real_column
from routh.analysis.given.numbers import number
from routh.arrays import Array
from routh.errors import DeclarationError, did_you_mean, listed


@dataclass(frozen=True)
class Channel:
    """One measured column without the rows in which nothing was measured.

    Attributes:
        label: what it is called.
        name: what runs along it: t, mode or frequency.
        along: (N,) where each was measured.
        measured: (N,) the numbers.
        weight: (N,) the standard deviations that were given, or shares of one that is not known.
        is_known: whether standard deviations were given.
        source: what it was measured by: channels of one source scatter alike.
        shape: (N,) of shapes the rows of the table: entries of one row share a factor; else empty.
    """

    label: str
    name: str
    along: Array
    measured: Array
    weight: Array
    is_known: bool
    source: tuple[str, str]
    shape: NDArray[np.intp]


Predicted = tuple[Array, Array]
"""What a channel should read (N,), and its slopes (N, k) by the unknowns."""


class Experiment(Protocol):
    """A table of measurements with the model of them."""

    @property
    def channels(self) -> tuple[Channel, ...]:
        """What was measured."""

    def predicted(self, x: Array) -> list[Predicted]:
        """What the channels should read for values x of the unknowns.

        Raises:
            RouthError: there is no such motion, rest or mode.
        """


Deviations = dict[Any, Any]
"""Standard deviations by the keys of columns."""


def checked_deviations(given: Any, tables: int) -> list[Deviations]:
    """The standard deviations of each table: one mapping for all, or a list of them."""
    several = isinstance(given, Sequence) and not isinstance(given, str)
    if several and len(given) != tables:
        raise DeclarationError(
            f"`deviations` lists {len(given)} mappings, and there are {tables} tables of data. Give one"
            " for each, or a single one for all."
        )
    every = list(given) if several else [given] * tables
    for each in every:
        if each is not None and not isinstance(each, Mapping):
            raise DeclarationError(
                "`deviations` must map columns to the standard deviations of their errors, like"
                f" {{'theta': 0.01}}. Got {each!r}."
            )
    return [dict(each or {}) for each in every]


def refuse_stray(deviations: Sequence[Deviations], used: Sequence[set[str]]) -> None:
    """Refuse a standard deviation of what no table has measured."""
    known = set().union(*used)
    for each in deviations:
        for key in each:
            if str(key) not in known:
                raise DeclarationError(
                    f"`deviations` has `{key}`, which is no column of the data. Columns:"
                    f" {listed(sorted(known))}." + did_you_mean(key, known)
                )


def deviation_of(given: Deviations, key: object, rows: int, label: str) -> Array | None:
    """(rows,) the standard deviations of a column, or None."""
    own = next((value for k, value in given.items() if str(k) == str(key)), None)
    if own is None:
        return None
    what = f"`{key}` in `deviations`"
    if np.ndim(own):
        column = real_column(own, what)
        if len(column) != rows:
            raise DeclarationError(
                f"{what} must be one number or one for each of the {rows} rows of {in_sentence(label)}."
                f" Got {len(column)}."
            )
    else:
        column = np.full(rows, float(number(own, what)))
    if not (column > 0).all():
        raise DeclarationError(
            f"{what} must be positive. Got {column[np.argmin(column > 0)]:g}. Rows that were not"
            " measured have NaN in the data."
        )
    return column


def channel(
    label: str,
    name: str,
    along: Array,
    measured: Array,
    weight: Array | None,
    source: tuple[str, str],
    share: Array | None = None,
    *,
    is_shape: bool = False,
) -> tuple[Channel, Any]:
    """A channel of the rows that were measured, and which they are.

    `weight` are standard deviations, `share` what they are a common multiple of where there are none.
    """
    rows = np.isfinite(measured)
    if not rows.any():
        raise DeclarationError(f"Nothing was measured of `{label}`: every row is NaN. Leave it out.")
    own = weight if weight is not None else np.ones(len(measured)) if share is None else share
    places = np.flatnonzero(rows) if is_shape else np.zeros(0, dtype=np.intp)
    made = Channel(
        label, name, along[rows], measured[rows], own[rows], weight is not None, source, places
    )
    return made, rows
