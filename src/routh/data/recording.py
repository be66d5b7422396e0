"""Records of results: each noun by its row of the table, arrays with the axes of their annotations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from enum import Enum
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from routh.analysis.given.conditions import Conditions
from routh.analysis.given.protocols import Found
from routh.arrays import Array
from routh.data.axes_of_results import batch_axes, labels
from routh.data.contents import CONTENTS, UNITS, WORDS, Contents
from routh.data.record import Quantity, Record
from routh.data.shapes_of_results import BATCH, stated
from routh.data.sources import provenance, title
from routh.errors import DeclarationError, RouthError, a_kind
from routh.language.system import System
from routh.recorded import Expressions, Recorded


def record(result: object, expressions: Expressions = ()) -> Record:
    """The numbers of a result, and of expressions that can be read in it.

    Raises:
        DeclarationError: nothing can be read in such a result, or the expression is none of its system.
    """
    asked = [expressions] if isinstance(expressions, str) or not _is_row(expressions) else expressions
    if isinstance(result, Record):
        if len(asked):
            raise DeclarationError(
                "A record holds numbers, and no system to evaluate expressions with. Ask the result"
                f" for them when it is saved, or read what there is. Got {asked[0]!r}."
            )
        return result
    if not isinstance(result, Recorded):
        raise DeclarationError(f"Results of Routh are recorded. Got {a_kind(result)}.")
    return _Recording(result).record(list(asked))


def _is_row(given: object) -> bool:
    return isinstance(given, (list, tuple))


class _Recording:
    """Makes the record of one result."""

    def __init__(self, result: Recorded) -> None:
        self._result = result
        self._kind = type(result).__name__
        self._contents: Contents = CONTENTS[self._kind]
        holder: Any = result
        for name in filter(None, self._contents.about.split(".")):
            holder = None if holder is None else getattr(holder, name)
        self._system: System | None = getattr(holder, "system", None)
        given = holder if isinstance(holder, Conditions) else getattr(holder, "conditions", None)
        self._conditions: Conditions | None = given
        self._plain_values: Mapping[str, float] = (
            {} if given is not None else getattr(holder, "values", None) or {}
        )
        self._axes: dict[str, tuple[str, ...] | str] = {}
        self._shape = given.shape if given is not None else ()

    def record(self, asked: list[Any]) -> Record:
        values = self._values()
        quantities = self._quantities()
        made = {self._text(each): self._expression(each) for each in asked}
        parts = self._parts()
        rows = tuple(
            axis for word in self._contents.rows.split() for axis in self._row_axes(word, quantities)
        )
        return Record(
            kind=self._kind,
            title=title(self._kind, self._system),
            quantities=quantities,
            values=values,
            expressions=made,
            axes=self._axes,
            rows=rows,
            parts=parts,
            provenance=self._sources,
        )

    def _row_axes(self, word: str, quantities: Mapping[str, Quantity]) -> tuple[str, ...]:
        if word != BATCH:
            return (self._axis(word),)
        if self._shape:
            return self._batch
        found = [q.axes for q in quantities.values() if q.axes and q.axes[0].startswith("batch")]
        return tuple(axis for axis in max(found, key=len, default=()) if axis.startswith("batch"))

    @cached_property
    def _sources(self) -> dict[str, str]:
        return provenance(self._system)

    @cached_property
    def _batch(self) -> tuple[str, ...]:
        """The names of the axes of the batch."""
        if self._conditions is None:
            return ()
        return batch_axes(self._conditions, set(WORDS.values()) | set(self._contents.axes.values()))

    def _values(self) -> dict[str, Quantity]:
        """The parameters, each along those axes of the batch along which it changes."""
        found = {}
        units = {} if self._system is None else {p.name: p.unit or "" for p in self._system.parameters}
        given = self._plain_values if self._conditions is None else self._conditions.values
        for symbol, number in given.items():  # of a Fit by symbols, elsewhere by names
            name, array = str(symbol), np.asarray(number)
            axes = self._batch if array.ndim else ()
            for k in reversed(range(array.ndim)):
                first = array.take([0], axis=k)
                if np.array_equal(array, np.broadcast_to(first, array.shape)):
                    array, axes = first.squeeze(axis=k), (*axes[:k], *axes[k + 1 :])
            found[name] = Quantity(np.array(array), axes, units.get(name, ""))
            if len(axes) == 1 and axes[0] == name:
                self._axes[name] = name
        return found

    def _quantities(self) -> dict[str, Quantity]:
        found = {}
        for name in self._contents.names.split():
            try:
                value = getattr(self._result, name)
            except RouthError:  # what was not asked for, as variations of a motion
                continue
            if value is not None and not _is_sparse(value):
                words = self._contents.words.get(name) or stated(type(self._result), name)
                found[name] = self._quantity(name, value, words)
        for name, (value, words) in self._contents.further(self._result).items():
            found[name] = self._quantity(name, value, words)
        for axis, name in self._contents.numbered.items():
            if name in found:
                self._axes[axis] = name
        return found

    def _quantity(self, name: str, value: Any, words: str | None) -> Quantity:
        array = plain(value)
        stated = [BATCH] if words is None else words.split()
        own = len(stated) - (BATCH in stated)
        axes: list[str] = []
        for word in stated:
            if word == BATCH:
                axes += self._batch_names(array.ndim - own)
            else:
                axes.append(self._unique(self._axis(word), axes))
        if len(axes) != array.ndim:
            axes = [f"{name}_{k}" for k in range(array.ndim)]
        for axis, size in zip(axes, array.shape, strict=True):
            self._label(axis, size)
        return Quantity(array, tuple(axes), self._contents.units.get(name) or UNITS.get(name, ""))

    def _batch_names(self, count: int) -> tuple[str, ...]:
        if count == len(self._batch):
            return self._batch
        return ("batch",) if count == 1 else tuple(f"batch_{k + 1}" for k in range(count))

    def _axis(self, word: str) -> str:
        return self._contents.axes.get(word) or WORDS.get(word, word)

    @staticmethod
    def _unique(axis: str, taken: list[str]) -> str:
        """An axis that comes a second time is that of columns."""
        while axis in taken:
            axis += "_column"
        return axis

    def _label(self, axis: str, size: int) -> None:
        if axis in self._axes:
            return
        found = labels(self._result, self._system, axis.removesuffix("_column"))
        if found is not None and len(found) == size:
            self._axes[axis] = found

    def _text(self, expression: Any) -> str:
        return str(expression)

    def _expression(self, expression: Any) -> Quantity:
        if not isinstance(self._result, Found):
            raise DeclarationError(
                "Expressions are read along motions and at rests: a Trajectory, a StickSlip, an"
                f" Equilibrium. Got {a_kind(self._result)}, in which `{expression}` has no value."
            )
        array: Array = np.asarray(self._result[expression])
        along = ("time",) if array.ndim > len(self._shape) else ()
        return Quantity(array, (*self._batch, *along))

    def _parts(self) -> dict[str, Record | tuple[Record, ...]]:
        found: dict[str, Record | tuple[Record, ...]] = {}
        for name in self._contents.parts.split():
            value = getattr(self._result, name)
            if isinstance(value, Recorded):
                found[name] = record(value)
            elif value is not None:
                found[name] = tuple(self._several(value))
        for name in self._contents.names.split():
            value = _unless_refused(self._result, name)
            if _is_sparse(value):
                found[name] = sparse_record(value, self._sources)
        if self._kind == "Taylor":
            result: Any = self._result
            for degree in range(1, result.order + 2):
                found[f"tensor_{degree}"] = sparse_record(result.tensor(degree), self._sources)
        return found

    def _several(self, value: Any) -> list[Record]:
        """Records of what is in a row; of those of a batch each says of which run it is."""
        if not isinstance(value, np.ndarray):
            return [record(each) for each in value]
        made = []
        for place in np.ndindex(value.shape):
            own = value[place]
            for each in own if isinstance(own, (list, tuple)) else (own,):
                one = record(each)
                run = Quantity(np.array(place), ("axis",))
                made.append(replace(one, quantities={**one.quantities, "run": run}))
        return made


def _unless_refused(result: object, name: str) -> Any:
    try:
        return getattr(result, name)
    except RouthError:
        return None


def _is_sparse(value: Any) -> bool:
    return type(value).__module__.startswith("scipy.sparse")


def sparse_record(matrix: Any, sources: Mapping[str, str]) -> Record:
    """A sparse matrix by its entries that are not zero."""
    entries = matrix.tocoo()
    return Record(
        "SparseMatrix",
        "",
        {
            "row": Quantity(np.asarray(entries.row, dtype=np.int64), ("entry",)),
            "column": Quantity(np.asarray(entries.col, dtype=np.int64), ("entry",)),
            "value": Quantity(np.asarray(entries.data), ("entry",)),
            "shape": Quantity(np.array(matrix.shape, dtype=np.int64), ("axis",)),
        },
        rows=("entry",),
        provenance=sources,
    )


def plain(value: Any) -> NDArray[Any]:
    """A value as an array of numbers, truth values or texts; members of enumerations by name."""
    array = np.asarray(value)
    if array.dtype.kind in "biufcU":
        return array.astype("<" + array.dtype.str[1:]) if array.dtype.byteorder == ">" else array
    texts = [each.name if isinstance(each, Enum) else _word(each) for each in _flat(value, array)]
    known = [each for each in texts if each is not None]
    if all(isinstance(each, (bool, int, float, np.number, np.bool_)) for each in known):
        numbers = [np.nan if each is None else each for each in texts]
        return np.array(numbers).reshape(array.shape)
    words = ["" if each is None else str(each) for each in texts]
    return np.array(words, dtype=np.str_).reshape(array.shape)


def _flat(value: Any, array: NDArray[Any]) -> list[Any]:
    return (
        [array.item() if isinstance(value, np.ndarray) else value]
        if not array.shape
        else list(array.flat)
    )


def _word(each: Any) -> Any:
    return each if each is None or isinstance(each, (bool, int, float, np.generic)) else str(each)
