"""Records as plain dictionaries and as JSON, and back: floats as Python writes them, bit for bit."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from routh.data.manifest import Path, QuantityPart, described, gathered, parsed, understood
from routh.data.record import Record


def to_dict(record: Record) -> dict[str, Any]:
    """A record as dictionaries, lists, numbers and texts."""
    return described(record, lambda _, each: {"data": _data(each.array)})


def to_json(record: Record) -> str:
    """The same as JSON; NaN, Infinity and -Infinity are texts, since JSON has no such numbers."""
    said = described(record, lambda _, each: {"data": _data(each.array, texts=True)})
    return json.dumps(said, allow_nan=False)


def of_json(text: str, name: str) -> Record:
    """The record in a text.

    Raises:
        DeclarationError: there is none.
    """
    return gathered(understood(parsed(text, name), name), _numbers, name)


def _data(array: NDArray[Any], *, texts: bool = False) -> Any:
    if array.dtype.kind == "c":
        return {"real": _data(array.real, texts=texts), "imag": _data(array.imag, texts=texts)}
    if texts and array.dtype.kind == "f" and not np.isfinite(array).all():
        words = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}
        each = [x if np.isfinite(x) else words[repr(x)] for x in array.reshape(-1).tolist()]
        filled = np.empty(len(each), dtype=object)
        filled[:] = each
        return filled.reshape(array.shape).tolist()
    return array.tolist()


def _numbers(path: Path, row: QuantityPart) -> Any:
    """The numbers of one row."""
    if row.type == "complex":
        if not isinstance(row.data, dict) or row.data.keys() != {"real", "imag"}:
            raise ValueError(path)
        real, imag = (np.array(row.data[part], dtype=float) for part in ("real", "imag"))
        made = np.empty(real.shape, dtype=complex)
        made.real, made.imag = real, imag
        return made
    if row.type == "float":
        return np.array(row.data, dtype=float)
    return np.array(row.data) if np.size(row.data) else np.zeros(0, dtype=_EMPTY[row.type])


_EMPTY: Mapping[str, Any] = {"int": np.int64, "bool": np.bool_, "text": np.str_}
