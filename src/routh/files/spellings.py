"""How derivatives are spelt elsewhere, and how they are written in text here: `thetadot` is theta'."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Any

import sympy

from routh.language.fields import Field
from routh.language.symbols import Let, Signal

_RATES = (
    re.compile(r"(?P<name>.+?)_?(?P<many>d{1,4})ots?"),  # thetadot, theta_ddot
    re.compile(r"(?P<name>.+?)_(?P<many>t{1,4})"),  # w_t, w_tt
    re.compile(r"(?P<many>d{1,4})_?(?P<name>.+?)(_?dt)?"),  # dtheta, ddtheta, dtheta_dt
    re.compile(r"d(?P<count>[2-4])_?(?P<name>.+?)(_?dt[2-4]?)?"),  # d2theta
    re.compile(r"(?P<name>.+?)_?dot(?P<count>[1-4])"),  # thetadot2
    re.compile(r"(?P<name>.+?)_?d(?P<count>[1-4])?"),  # theta_d, thetad
)
_INDEXED = re.compile(r"(?P<name>.+?)_?(?P<many>d{1,4})ots?_?(?P<index>[0-9]+)")  # thetadot_1
_MARKS = {"\u0307": 1, "\u0308": 2, "\u20db": 3}
"""Combining dots over a letter."""


def meant_derivative(name: str, names: Mapping[str, Any]) -> str | None:
    """What an unknown name probably stands for, written as here: a rate or a slope of a known one."""
    apart = unicodedata.normalize("NFD", name)
    dots = sum(_MARKS.get(sign, 0) for sign in apart)
    if dots:
        return _primed("".join(sign for sign in apart if sign not in _MARKS), dots, names)
    indexed = _INDEXED.fullmatch(name)
    if indexed:
        bare, many = indexed["name"], len(indexed["many"])
        for joint in ("", "_"):
            found = _primed(f"{bare}{joint}{indexed['index']}", many, names)
            if found:
                return found
    for form in _RATES:
        match = form.fullmatch(name)
        if match:
            given = match.groupdict()
            order = len(given["many"]) if given.get("many") else int(given.get("count") or 1)
            found = _primed(given["name"], order, names)
            if found:
                return found
    return _slope(name, names)


def _primed(name: str, order: int, names: Mapping[str, Any]) -> str | None:
    """The name with primes, if it is one of something that can change in time."""
    known = names.get(name)
    moves = isinstance(known, (Signal, Let, sympy.MatrixBase))
    return f"{name}{chr(39) * order}" if moves else None


def _slope(name: str, names: Mapping[str, Any]) -> str | None:
    """`w_ss` is how results show diff(w, s, 2)."""
    stem, _, letters = name.rpartition("_")
    w = names.get(stem)
    if not isinstance(w, Field):
        return None
    order, rest = 0, letters
    while rest.endswith(w.space.name):
        order, rest = order + 1, rest[: -len(w.space.name)]
    if not order or rest.strip("t"):
        return None
    primed = stem + "'" * len(rest)
    return f"diff({primed}, {w.space})" if order == 1 else f"diff({primed}, {w.space}, {order})"
