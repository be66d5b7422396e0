"""What a file says about its arrays: kind, axes, units, parts and sources, apart from the numbers.

A manifest is plain dictionaries, lists and texts, written as JSON. It is checked as model files are, by
pydantic, so a file that others made up ends in a sentence.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, NonNegativeInt, ValidationError

from routh.data.record import Quantity, Record
from routh.data.sources import FORMAT
from routh.errors import DeclarationError, shortened

Path = tuple[str, ...]
"""Where an array lies in a file: the parts on the way, and its name."""

Kind = Literal["float", "int", "bool", "complex", "text"]

DTYPES: Mapping[str, Any] = {
    "float": np.float64, "int": np.int64, "bool": np.bool_, "complex": np.complex128, "text": np.str_,
}  # fmt: skip

OF_DTYPES: Mapping[str, Kind] = {
    "f": "float", "i": "int", "u": "int", "b": "bool", "c": "complex", "U": "text",
}  # fmt: skip

_READ_AS: Mapping[str, tuple[str, ...]] = {
    "float": ("float", "int"), "int": ("int",), "bool": ("bool",), "text": ("text",),
    "complex": ("complex", "float", "int"),
}  # fmt: skip
"""Which arrays may stand for which: whole numbers are numbers."""

LONGEST_EMPTY = 10**6
"""Places along an axis of an array that holds nothing: more would only be names for nothing."""

MARK = "routh result"
"""The word by which files of results are known."""

Groups = tuple[Literal["quantities"], Literal["values"], Literal["expressions"]]
GROUPS: Groups = ("quantities", "values", "expressions")


class QuantityPart(BaseModel):
    """One array."""

    model_config = ConfigDict(extra="forbid", strict=True)

    type: Kind
    shape: list[NonNegativeInt]
    axes: list[str]
    unit: str = ""
    at: list[str] | None = None
    data: Any = None


class RecordPart(BaseModel):
    """A record, and those of its parts."""

    model_config = ConfigDict(extra="forbid", strict=True)

    format: Literal["routh result"] = "routh result"
    version: int = FORMAT
    kind: str
    title: str = ""
    rows: list[str] = []
    axes: dict[str, list[str] | str] = {}
    provenance: dict[str, str] = {}
    quantities: dict[str, QuantityPart] = {}
    values: dict[str, QuantityPart] = {}
    expressions: dict[str, QuantityPart] = {}
    parts: dict[str, RecordPart | list[RecordPart]] = {}


Put = Callable[[Path, Quantity], Mapping[str, Any]]
Get = Callable[[Path, QuantityPart], Any]


def described(record: Record, put: Put, at: Path = (), known: Any = None) -> dict[str, Any]:
    """The manifest of a record; `put` takes each array and says what is to stand in its row."""
    said: dict[str, Any] = {"format": MARK, "version": FORMAT} if not at else {}
    said |= {"kind": record.kind, "title": record.title, "rows": list(record.rows)}
    said["axes"] = {
        name: each if isinstance(each, str) else list(each) for name, each in record.axes.items()
    }
    if record.provenance != known:  # parts of one system say once where they come from
        said["provenance"] = dict(record.provenance)
    for group in GROUPS:
        quantities: Mapping[str, Quantity] = getattr(record, group)
        inside = at if group == "quantities" else (*at, group)
        rows = {name: _row(each, put, (*inside, name)) for name, each in quantities.items()}
        if rows:
            said[group] = rows
    parts: dict[str, Any] = {}
    for name, part in record.parts.items():
        if isinstance(part, Record):
            parts[name] = described(part, put, (*at, name), record.provenance)
        else:
            parts[name] = [
                described(each, put, (*at, name, str(k)), record.provenance)
                for k, each in enumerate(part)
            ]
    return said | ({"parts": parts} if parts else {})


def _row(quantity: Quantity, put: Put, path: Path) -> dict[str, Any]:
    array = quantity.array
    row: dict[str, Any] = {
        "type": OF_DTYPES[array.dtype.kind],
        "shape": list(array.shape),
        "axes": list(quantity.axes),
    }
    return row | ({"unit": quantity.unit} if quantity.unit else {}) | dict(put(path, quantity))


def understood(said: Any, name: str) -> RecordPart:
    """A manifest that was read, checked.

    Raises:
        DeclarationError: it is none, or one of a later form.
    """
    if not isinstance(said, dict) or said.get("format") != MARK:
        raise DeclarationError(f"{name} is no result that Routh wrote.")
    version = said.get("version")
    if version != FORMAT:
        raise DeclarationError(
            f"{name} has the form {version!r} of files, and this version of Routh reads the form"
            f" {FORMAT}. Read it with the version that wrote it"
            f" ({shortened(_version(said), 40)}), and save it again."
        )
    try:
        return RecordPart.model_validate(said)
    except (ValidationError, RecursionError) as error:
        raise DeclarationError(f"{name} is damaged: {_first(error)}.") from None


def _version(said: Mapping[str, Any]) -> object:
    sources = said.get("provenance")
    return sources.get("routh", "not known") if isinstance(sources, dict) else "not known"


def _first(error: ValidationError | RecursionError) -> str:
    if isinstance(error, RecursionError):
        return "its parts are nested without end"
    first = error.errors()[0]
    return f"{shortened('.'.join(map(str, first['loc'])), 100)}: {first['msg'].lower()}"


def gathered(part: RecordPart, get: Get, name: str, at: Path = (), known: Any = None) -> Record:
    """The record of a manifest, whose arrays are asked for one by one.

    Raises:
        DeclarationError: an array is missing, or is not what the manifest says.
    """
    groups: dict[str, dict[str, Quantity]] = {}
    for group in GROUPS:
        inside = at if group == "quantities" else (*at, group)
        rows: Mapping[str, QuantityPart] = getattr(part, group)
        groups[group] = {
            each: Quantity(_array(row, get, (*inside, each), name), tuple(row.axes), row.unit)
            for each, row in rows.items()
        }
    _refuse_axes(groups, at, name)
    sources = part.provenance or known or {}
    parts: dict[str, Record | tuple[Record, ...]] = {}
    for each, own in part.parts.items():
        if isinstance(own, list):
            parts[each] = tuple(
                gathered(one, get, name, (*at, each, str(k)), sources) for k, one in enumerate(own)
            )
        else:
            parts[each] = gathered(own, get, name, (*at, each), sources)
    axes = {each: own if isinstance(own, str) else tuple(own) for each, own in part.axes.items()}
    return Record(
        part.kind,
        part.title,
        groups["quantities"],
        groups["values"],
        groups["expressions"],
        axes,
        tuple(part.rows),
        parts,
        sources,
    )


def _refuse_axes(groups: Mapping[str, Mapping[str, Quantity]], at: Path, name: str) -> None:
    """Refuse arrays that do not fit each other: an axis has one size, and stands once in an array."""
    sizes: dict[str, int] = {}
    for group, quantities in groups.items():
        for each, quantity in quantities.items():
            where = f"`{'/'.join((*at, each))}` in {name}"
            if not each or not all(quantity.axes) or len(set(quantity.axes)) < quantity.array.ndim:
                raise DeclarationError(
                    f"{where} is damaged: it needs a name, and a name of its own for each axis."
                )
            if group == "values" and quantity.array.dtype.kind not in "fib":
                raise DeclarationError(f"{where} is damaged: values of parameters are real numbers.")
            for axis, size in zip(quantity.axes, quantity.array.shape, strict=True):
                if sizes.setdefault(axis, size) != size:
                    raise DeclarationError(
                        f"{where} is damaged: its axis `{axis}` has {size} places, and elsewhere"
                        f" {sizes[axis]}."
                    )


def _array(row: QuantityPart, get: Get, path: Path, name: str) -> NDArray[Any]:
    where = f"`{'/'.join(path)}` in {name}"
    try:
        if 0 in row.shape and max(row.shape) > LONGEST_EMPTY:
            raise ValueError
        array = np.asarray(get(path, row))
        if array.size and OF_DTYPES.get(array.dtype.kind) not in _READ_AS[row.type]:
            raise TypeError
        made = array.astype(DTYPES[row.type]).reshape(row.shape)
    except KeyError:
        raise DeclarationError(f"{where} is missing: the file is damaged or was cut.") from None
    except (TypeError, ValueError, OverflowError):
        raise DeclarationError(
            f"{where} is not what the file says of it: {row.type} of shape {tuple(row.shape)}."
        ) from None
    if len(row.axes) != made.ndim:
        raise DeclarationError(f"{where} has {made.ndim} axes, and {len(row.axes)} names for them.")
    return made


def written(said: Mapping[str, Any]) -> str:
    """A manifest as a text."""
    return json.dumps(said, allow_nan=False)


def parsed(text: str, name: str) -> Any:
    """A text read as JSON.

    Raises:
        DeclarationError: it is none.
    """
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DeclarationError(f"{name} is no JSON, or was cut: {shortened(error, 100)}.") from None
