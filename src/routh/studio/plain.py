"""Results as plain data: what JSON can say, with null for what is not finite."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np


def is_finite(value: Any) -> bool:
    """Whether a value is a real number that a float can hold; texts, lists and truth are none."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number of hundreds of digits
        return False


def plain(value: Any) -> Any:
    """The value as dicts, lists, texts and numbers.

    NaN and infinity become None, a complex number becomes [re, im], arrays become lists, keys become
    texts, and what is none of these is written as text.

    Example:
        >>> plain({"z": np.array([1 + 2j]), "x": (np.float64(0.5), float("nan"), True)})
        {'z': [[1.0, 2.0]], 'x': [0.5, None, True]}
    """
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, np.ndarray):
        return _of_array(value)
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain(each) for each in value]
    if isinstance(value, (complex, np.complexfloating)):
        return [plain(float(value.real)), plain(float(value.imag))]
    if isinstance(value, np.generic):
        return plain(value.item())
    return str(value)


def _of_array(array: np.ndarray[Any, Any]) -> Any:
    """The nested lists of an array; quick where every number is finite."""
    if np.iscomplexobj(array):
        return _of_array(np.stack([array.real, array.imag], axis=-1))
    if array.dtype.kind in "biu" or (array.dtype.kind == "f" and np.isfinite(array).all()):
        return array.tolist()
    return plain(array.tolist())


def written(message: Mapping[str, Any]) -> bytes:
    """A message as JSON in UTF-8; data that are plain already are not walked through first."""
    try:
        text = json.dumps(message, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
    except (TypeError, ValueError):
        text = json.dumps(plain(message), allow_nan=False, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", errors="replace")
