"""Where a model that is exported starts, unless whoever uses it says otherwise."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from routh.analysis.given.conditions import conditions
from routh.analysis.given.numbers import Numbers, by_coordinate
from routh.errors import DeclarationError
from routh.language.system import System


def start_numbers(system: System, numbers: Mapping[str, float], start: Numbers) -> dict[str, float]:
    """The numbers of coordinates and velocities that a start gives, by name; others are zero.

    Raises:
        DeclarationError: it has something unknown, or more than one number for something.
    """
    given: Mapping[Any, Any]
    if system.shapes:
        still = dict.fromkeys(system.signals, 0.0)
        given = conditions(system, dict(numbers), still, start=start)[1]["start"]
    else:
        given = by_coordinate(system, start, "start")
    found = {}
    for symbol, value in given.items():
        one = np.ravel(np.asarray(value, dtype=float))
        if one.size != 1:
            raise DeclarationError(
                f"`{symbol}` in `start` must be one number. Got {one.size}: what is exported starts"
                " from one state."
            )
        found[str(symbol)] = float(one[0])
    return found
