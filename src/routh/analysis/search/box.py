"""The box in which equilibria are looked for, and which of its directions close on themselves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from routh.analysis.given.conditions import Conditions
from routh.analysis.given.numbers import Numbers, by_symbol, number
from routh.arrays import Array
from routh.errors import DeclarationError, quoted
from routh.kernels.engine import Kernel
from routh.language.symbols import Coordinate
from routh.language.system import System
from routh.mechanics.turns import turns


@dataclass(frozen=True, eq=False)
class Box:
    """Ranges of the coordinates.

    `low`, `high` (n,); `period` (n,), infinite for a coordinate that does not close on itself;
    `searched`, the places of the coordinates that are looked for: the others stay where they are.
    """

    low: Array
    high: Array
    period: Array
    searched: NDArray[np.intp]

    @property
    def width(self) -> Array:
        """(n,) the lengths of the ranges, 1 for what is not searched."""
        width = np.ones(len(self.low))
        width[self.searched] = (self.high - self.low)[self.searched]
        return width

    def at(self, unit: Array) -> Array:
        """(k, n): points of the unit cube (k, searched) stretched over the box."""
        q = np.zeros((len(unit), len(self.low)))
        q[:, self.searched] = self.low[self.searched] + unit * self.width[self.searched]
        return q

    def wrapped(self, q: Array) -> Array:
        """(k, n): with angles brought into their range, as far as whole periods do it.

        An angle at the upper end to rounding stays there, so that -pi and its rounding are pi.
        """
        with np.errstate(invalid="ignore"):
            turns = np.ceil((q - self.high - 1e-9) / self.period)
            return np.asarray(q - np.where(np.isfinite(self.period), turns * self.period, 0.0))

    def contains(self, q: Array) -> NDArray[np.bool_]:
        """(k,) which points are inside, the faces included."""
        edge = 1e-9 * self.width
        inside = (q >= self.low - edge) & (q <= self.high + edge)
        return np.asarray(inside[:, self.searched].all(axis=1))

    def apart(self, a: Array, b: Array) -> Array:
        """The shortest way from b to a, whole periods taken out."""
        with np.errstate(invalid="ignore"):
            way = a - b
            turns = np.round(way / self.period)
            return np.asarray(way - np.where(np.isfinite(self.period), turns * self.period, 0.0))


def box(engine: Kernel, given: Conditions, within: Numbers | None) -> Box:
    """The box for one set of conditions.

    Angles default to one period, from -pi to pi; other coordinates need a range. Coordinates that
    enter no equation, and those that turn in a steady motion, are not searched.

    Raises:
        DeclarationError: a range is missing, empty or no pair of numbers.
    """
    system = engine.system
    ranges = _ranges(by_symbol(system, {} if within is None else within, "within"))
    turning = given.turning
    idle = (engine.in_motion if turning else engine.at_rest).idle
    out = {k for k, here in enumerate(idle) if here} | set(turning)
    period = periods(system)
    low, high = -period / 2, period / 2
    missing: list[Coordinate] = []
    for k, q in enumerate(system.coordinates):
        if q in ranges and k not in turning:
            low[k], high[k] = ranges[q]
            out -= {k}
        elif k in out:
            low[k] = high[k] = 0.0
        elif not np.isfinite(period[k]):
            missing.append(q)
    if missing:
        one = len(missing) == 1
        raise DeclarationError(
            f"`within` lacks {quoted(missing)}: {'it is no angle' if one else 'they are no angles'},"
            " so it must be said where to search. Add a range, like"
            f" within={{{missing[0]}: (-1, 1)}}."
        )
    searched = np.array([k for k in range(len(low)) if k not in out], dtype=np.intp)
    return Box(low, high, period, searched)


def _ranges(given: Mapping[Coordinate, object]) -> dict[Coordinate, tuple[float, float]]:
    found = {}
    for q, pair in given.items():
        what = f"The range of `{q}` in `within`"
        ends = number(pair, what)
        if ends.shape != (2,):
            raise DeclarationError(f"{what} must be a pair (low, high) of numbers. Got {pair!r}.")
        if not ends[0] < ends[1]:
            raise DeclarationError(
                f"{what} is empty: expected low < high. Got ({ends[0]:g}, {ends[1]:g})."
            )
        found[q] = (float(ends[0]), float(ends[1]))
    return found


def periods(system: System) -> Array:
    """(n,) after which way in each coordinate the equations of motion repeat, infinite if never."""
    return np.array([np.inf if k is None else 2 * np.pi * k for k in turns(system)])
