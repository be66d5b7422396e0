"""A record: the numbers of a result with names, axes, units and sources, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from routh.data.column_names import Column, columns
from routh.errors import DeclarationError, capital, did_you_mean, listed
from routh.language.system import System
from routh.recorded import Recorded, outlets
from routh.shown import as_html


def a_kind_of(kind: str) -> str:
    """The kind of a record with its article; "Arrays" are in files that others wrote."""
    return "arrays" if kind == "Arrays" else f"{'an' if kind[:1].lower() in 'aeiou' else 'a'} {kind}"


@dataclass(frozen=True, eq=False, repr=False)
class Quantity:
    """An array with a name for each of its axes.

    Attributes:
        array: numbers, truth values or texts.
        axes: what each of its axes runs over.
        unit: its unit, where one is known; an empty text elsewhere.
    """

    array: Annotated[NDArray[Any], "*axes"]
    axes: tuple[str, ...] = ()
    unit: str = ""

    def __repr__(self) -> str:
        over = f" over {', '.join(self.axes)}" if self.axes else ""
        return f"Quantity({self.array.dtype}{over}{f', {self.unit}' if self.unit else ''})"

    _repr_html_ = as_html


@dataclass(frozen=True, eq=False, repr=False)
class Record(Recorded):
    """The numbers of a result as plain arrays, as `load_result` reads them from a file.

    `record["q"]` is an array by name, `record["theta"]` a column of one by the name of a coordinate, a
    multiplier or an input, and `record["m"]` the value of a parameter.

    Attributes:
        kind: the noun it is a record of, like "Trajectory"; "Arrays" for files that others wrote.
        title: what it is about.
        quantities: arrays by name.
        values: those of the parameters.
        expressions: those of the expressions that were asked for.
        axes: what is known about each axis: labels, or the name of the quantity that numbers it.
        rows: the axes along which `to_pandas` has its rows.
        parts: records of what it is made of, as the rest that a linear model is about.
        provenance: the version that made it, the system, and the model file of it where there is one.
    """

    kind: str
    title: str
    quantities: Mapping[str, Quantity]
    values: Mapping[str, Quantity] = field(default_factory=dict)
    expressions: Mapping[str, Quantity] = field(default_factory=dict)
    axes: Mapping[str, tuple[str, ...] | str] = field(default_factory=dict)
    rows: tuple[str, ...] = ()
    parts: Mapping[str, Record | tuple[Record, ...]] = field(default_factory=dict)
    provenance: Mapping[str, str] = field(default_factory=dict)

    def __getitem__(self, name: str) -> NDArray[Any]:
        """An array by its name."""
        for quantities in (self.quantities, self.expressions):
            if name in quantities:
                return quantities[name].array
        column = self.columns.get(name)
        if column is not None:
            return np.asarray(self.quantities[column.quantity].array[column.place])
        if name in self.values:
            return self.values[name].array
        raise DeclarationError(
            f"This record of {a_kind_of(self.kind)} has no `{name}`. It has {listed(self)}."
            + did_you_mean(name, self)
        )

    def __iter__(self) -> Iterator[str]:
        """The names that it answers to."""
        every = (*self.quantities, *self.expressions, *self.columns, *self.values)
        return iter(dict.fromkeys(every))

    def __contains__(self, name: object) -> bool:
        return any(name == each for each in self)

    def unit(self, name: str) -> str:
        """The unit of what has this name; an empty text where none is known."""
        column = self.columns.get(name)
        for quantities in (self.quantities, self.expressions, self.values):
            if name in quantities:
                return quantities[name].unit
        if column is None:
            self[name]
        return "" if column is None else self.quantities[column.quantity].unit

    @property
    def columns(self) -> dict[str, Column]:
        """Parts of arrays with names of their own: coordinates, velocities, multipliers, inputs."""
        taken = (*self.quantities, *self.expressions)
        return columns(self.quantities, self.axes, taken)

    def restored(self, system: System | None = None) -> Any:
        """The noun itself: an `Equilibrium`, a `LinearModel`, `Modes`, a `Start` or a `StateSpace`.

        Its system is the one that is given, or else the one in the file, which is there where a model
        file holds it (not of discretized systems). A state space needs none.

        Raises:
            DeclarationError: it is another noun, there is no system in the file, or the one that is
                given has other coordinates, parameters or constraints.
        """
        return outlets().restored(self, system)

    def __repr__(self) -> str:
        return f"Record({self.kind}, {listed(self.quantities)})"

    def __str__(self) -> str:
        kind = a_kind_of(self.kind)
        lines = [f"{self.title}, a record of {kind}" if self.title else capital(kind)]
        for part, quantities in (
            ("", self.quantities), ("value of ", self.values), ("expression ", self.expressions),
        ):  # fmt: skip
            lines += [f"  {part}{name}: {each!r}" for name, each in quantities.items()]
        lines += [f"  part {name}" for name in self.parts]
        return "\n".join(lines)

    _repr_html_ = as_html
