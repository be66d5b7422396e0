"""Records as tables: what has the rows of a record in columns, for pandas and for spreadsheets.

A file of comma-separated values begins with two lines that start with `#` and say what it is; pandas
skips them with comment="#", NumPy with skip_header=2.
"""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from routh.data.column_names import spread
from routh.data.manifest import MARK
from routh.data.record import Quantity, Record
from routh.data.sources import FORMAT
from routh.disk import write_text
from routh.errors import DeclarationError, needing

Columns = dict[str, NDArray[Any]]


def to_pandas(record: Record) -> Any:
    """A table, with units and sources in its `attrs`."""
    with needing("data", "pandas", "Tables are DataFrames of pandas"):
        import pandas as pd

    index, columns = table(record)
    if not index:
        frame = pd.DataFrame(columns)
    else:
        along = (
            pd.Index(next(iter(index.values())), name=next(iter(index)))
            if len(index) == 1
            else pd.MultiIndex.from_arrays(list(index.values()), names=list(index))
        )
        frame = pd.DataFrame(columns, index=along)
    frame.attrs = {"kind": record.kind, "title": record.title, "provenance": dict(record.provenance)}
    return frame


def table(record: Record) -> tuple[Columns, Columns]:
    """What numbers the rows, and the columns; names and values where there are no rows."""
    if not record.rows:
        return {}, _listed(record)
    sizes = _sizes(record)
    rows = tuple(axis for axis in record.rows if axis in sizes)
    shape = tuple(sizes[axis] for axis in rows)
    index: Columns = {}
    for k, axis in enumerate(rows):
        name, numbers = _numbering(record, axis, sizes[axis])
        aside = [1] * len(rows)
        aside[k] = -1
        index[name] = np.broadcast_to(numbers.reshape(aside), shape).reshape(-1)
    columns: Columns = {}
    every = {**record.quantities, **record.expressions}
    taken = {*every, *index}
    for name, each in every.items():
        if set(rows) <= set(each.axes) and name not in index:
            for heading, place in spread(name, each, record.axes, rows, taken | columns.keys()).items():
                columns[heading] = _in_rows(each, place, rows)
    return index, columns


def _in_rows(quantity: Quantity, place: tuple[Any, ...], rows: tuple[str, ...]) -> NDArray[Any]:
    left = [axis for axis in quantity.axes if axis in rows]
    order = [left.index(axis) for axis in rows]
    return np.asarray(quantity.array[place]).transpose(order).reshape(-1)


def _sizes(record: Record) -> dict[str, int]:
    every = (*record.quantities.values(), *record.values.values(), *record.expressions.values())
    return {
        axis: size for each in every for axis, size in zip(each.axes, each.array.shape, strict=True)
    }


def _numbering(record: Record, axis: str, size: int) -> tuple[str, NDArray[Any]]:
    known = record.axes.get(axis)
    if isinstance(known, str):
        numbers = record.quantities.get(known) or record.values.get(known)
        if numbers is not None and numbers.axes == (axis,):
            return known, numbers.array
    if isinstance(known, tuple) and len(known) == size:
        return axis, np.array(known, dtype=str)
    return axis, np.arange(size)


def _listed(record: Record) -> Columns:
    """Names and values of everything, one below the other."""
    names: list[str] = []
    values: list[Any] = []
    every = {**record.quantities, **record.expressions}
    for name, each in every.items():
        for heading, place in spread(name, each, record.axes, (), (*every, *names)).items():
            names.append(heading)
            values.append(each.array[place].item())
    for name, each in record.values.items():
        for heading, place in spread(name, each, record.axes, (), (*every, *names)).items():
            names.append(heading if heading not in names else f"value of {heading}")
            values.append(each.array[place].item())
    column = np.empty(len(values), dtype=object)
    column[:] = values
    if all(isinstance(x, float) for x in values):
        column = column.astype(float)
    return {"name": np.array(names, dtype=str), "value": column}


def save_csv(record: Record, path: Path) -> None:
    """Write the table, complex columns as two."""
    index, columns = table(record)
    heads = {**index, **columns}
    plain: Columns = {}
    for name, column in heads.items():
        if column.dtype.kind == "c":
            plain |= {f"{name}.real": column.real, f"{name}.imag": column.imag}
        else:
            plain[name] = column
    text = io.StringIO()
    for line in _head(record):
        text.write(f"# {line}\n")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(plain)
    writer.writerows(zip(*(map(_cell, each.tolist()) for each in plain.values()), strict=True))
    write_text(path, text.getvalue())


def _cell(value: Any) -> Any:
    return repr(value) if isinstance(value, float) else value


def _head(record: Record) -> list[str]:
    """What the file is, in a line for people and one for programs."""
    units = {
        name: each.unit
        for group in (record.quantities, record.values, record.expressions)
        for name, each in group.items()
        if each.unit
    }
    values = {k: x.array.item() for k, x in record.values.items() if not x.array.ndim}
    said = {
        "format": MARK, "version": FORMAT, "kind": record.kind, "title": record.title, "units": units,
        "values": {name: x if np.isfinite(x) else repr(x) for name, x in values.items()},
        "provenance": {k: x for k, x in record.provenance.items() if k != "model"},
    }  # fmt: skip
    version = record.provenance.get("routh", "")
    return [f"{record.title}, written by Routh {version}".replace("\n", " "), json.dumps(said)]


def load_csv(path: Path, text: str) -> Record:
    """The columns of a table by name; texts where they are no numbers.

    Raises:
        DeclarationError: it is no table.
    """
    said: dict[str, Any] = {}
    while text.startswith("#"):
        line, _, text = text.partition("\n")
        line = line[1:].strip()
        if line.startswith('{"format": "routh result"'):
            try:
                said = json.loads(line)
            except (ValueError, RecursionError):
                said = {}
    try:
        rows = [row for row in csv.reader(io.StringIO(text)) if row]
    except csv.Error as error:
        raise DeclarationError(f"{str(path)!r} is no table: {error}.") from None
    if rows:  # pandas has no name for what numbers its rows
        rows[0] = [name or f"column_{k + 1}" for k, name in enumerate(rows[0])]
    if not rows or len(set(rows[0])) != len(rows[0]):
        raise DeclarationError(
            f"{str(path)!r} is no table: expected a line of names, each once, and lines of numbers"
        )
    wrong = next((k for k, row in enumerate(rows) if len(row) != len(rows[0])), None)
    if wrong is not None:
        raise DeclarationError(
            f"Row {wrong} of {str(path)!r} has {len(rows[wrong])} entries, and {len(rows[0])} columns"
            " have names. It was cut, or a text with a comma has no quotes."
        )
    units = said.get("units") if isinstance(said.get("units"), dict) else {}
    quantities = {
        name: Quantity(
            _column([row[k] for row in rows[1:]]), ("row",), str((units or {}).get(name, ""))
        )
        for k, name in enumerate(rows[0])
    }
    return _with_complex(said, quantities, path)


def _column(cells: list[str]) -> NDArray[Any]:
    words = {"True": True, "False": False}
    if cells and all(cell in words for cell in cells):
        return np.array([words[cell] for cell in cells])
    try:
        if any("_" in cell for cell in cells):  # which Python takes for a thousands separator
            raise ValueError
        return np.array([float(cell) if cell else np.nan for cell in cells], dtype=float)
    except ValueError:
        return np.array(cells, dtype=str)


def _with_complex(said: dict[str, Any], quantities: dict[str, Quantity], path: Path) -> Record:
    """The record, columns of real and imaginary parts as one again."""
    made: dict[str, Quantity] = {}
    for name, each in quantities.items():
        stem = name.removesuffix(".real").removesuffix(".imag")
        pair = [quantities.get(f"{stem}.{part}") for part in ("real", "imag")]
        is_part = stem not in ("", name) and stem not in quantities
        if is_part and all(x is not None and x.array.dtype.kind == "f" for x in pair):
            real, imag = (x.array for x in pair if x is not None)
            both = np.empty(len(real), dtype=complex)
            both.real, both.imag = real, imag
            made[stem] = Quantity(both, ("row",), each.unit)
        else:
            made[name] = each
    told = {key: str(said.get(key, "")) for key in ("kind", "title")}
    sources = said.get("provenance")
    return Record(
        told["kind"] or "Arrays",
        told["title"] or f"Table in {path.name}",
        made,
        values=_values(said.get("values")),
        rows=("row",),
        provenance={str(k): str(x) for k, x in sources.items()} if isinstance(sources, dict) else {},
    )


def _values(said: object) -> dict[str, Quantity]:
    given = said if isinstance(said, dict) else {}
    plain = {str(k): x for k, x in given.items() if isinstance(x, (int, float))}
    return {name: Quantity(np.array(float(x))) for name, x in plain.items()}
