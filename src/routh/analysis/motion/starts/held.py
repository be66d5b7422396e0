"""Whether a state keeps the constraints: each row is judged by the size of what is added up in it.

There is one rule, for what `consistent` returns and for what `simulate` takes. A row is met if

* it is off by no more than CLOSE of its own size (`kernels/instructions/sizes`): the numbers were
  meant, with fewer digits; or
* it is off by no more than ROUNDING of what the rounding of the other rows does to it, |J| |J^+| size:
  rounding of a row moves the state by J^+, and that moves every row; or
* all that is added up in it is rounding of the state. A row like e . e' = 0 with e' of rounding size
  has no size of its own. What counts is the share of the mass-weighted size of the whole state.

None of this depends on the units of coordinates or rows. Beside it, a row is met that is off by less
than a last bit of 1 in its coordinates: at rest nothing else says how large a velocity is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from routh.analysis.motion.flow import MovingSystem
from routh.arrays import Array
from routh.numerics import levels
from routh.numerics.solving.dependence import inverse

CLOSE = 1e-6
"""A row that is off by less than this share of what is added up in it is taken as meant."""

EXACT = 8 * levels.EPS
"""A row that is off by less than this share of what is added up in it is as good as it gets."""

STEEP = 1e-4
"""Directions in which all rows change by less than this share are left out of that: what is nearly
singular must not excuse what is off."""

ROUNDING = 1e-13
"""Share of what rounding of all rows could do to a row: a few hundred roundings of it."""

TINY = levels.EPS
"""Moves of this size are none, in whatever units."""


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows that must vanish at a state.

    Attributes:
        places: (k,) their numbers among the constraints.
        off: (k,) what they are.
        J: (k, n) their slopes, by positions or by velocities.
        at: (n,) these positions or velocities.
        size: (k,) the size of what is added up in them.
        around: (n,) how large each position or velocity would be with all that the state has by mass.
    """

    places: NDArray[np.intp]
    off: Array
    J: Array
    at: Array
    size: Array
    around: Array

    @property
    def finite(self) -> NDArray[np.bool_]:
        """(k,) which rows have a value and slopes."""
        return np.asarray(np.isfinite(self.off) & np.isfinite(self.J).all(axis=1))

    def broken(self, share: float = CLOSE) -> NDArray[np.bool_]:
        """(k,) which rows are not met: off by more than a share of their size, and no rounding."""
        size = np.where(np.isfinite(self.size), self.size, 0.0)
        broken: NDArray[np.bool_] = ~(np.abs(self.off) <= share * size)
        if not broken.any() or not self.finite.all():
            return broken
        steep = np.abs(self.J)
        felt = steep @ (np.abs(inverse(self.J, STEEP)) @ size)
        off = np.abs(self.off)
        rounding = off <= ROUNDING * felt
        rounding |= self.size <= ROUNDING * (steep @ self.around)
        return np.asarray(broken & ~(rounding | (off <= TINY * steep.max(axis=1, initial=0))))

    @property
    def exact(self) -> bool:
        """Whether all rows vanish to rounding."""
        return not self.broken(EXACT).any()


def positions(flow: MovingSystem, t: float, x: Array) -> Rows:
    """The holonomic constraints at a state."""
    places = np.flatnonzero(flow.motion.system.is_holonomic)
    return _rows(flow, t, x, places, 0, x[: flow.motion.n])


def velocities(flow: MovingSystem, t: float, x: Array) -> Rows:
    """The rates of all constraints at a state."""
    n = flow.motion.n
    return _rows(flow, t, x, np.arange(flow.motion.c), 1, x[n : 2 * n])


def _rows(
    flow: MovingSystem, t: float, x: Array, places: NDArray[np.intp], which: int, at: Array
) -> Rows:
    off = flow.run("held", t, x)[which][:, 0]
    M, J = flow.run("matrices", t, x)
    J = J[places]
    size = np.abs(J) @ np.abs(at)
    if (np.abs(off) > EXACT * size).any():  # what the slopes say is less, and spares the analysis
        size = flow.held_sizes(t, x)[which]
    mass = np.where(np.isfinite(np.diagonal(M)), np.maximum(np.diagonal(M), 0.0), 0.0)
    weighed = np.sqrt(mass) * np.abs(at)
    most = float(weighed.max(initial=0))
    whole = most * np.linalg.norm(weighed / most) if most > 0 else 0.0  # squares may overflow
    around = np.where(mass > 0, whole / np.sqrt(np.where(mass > 0, mass, 1.0)), np.abs(at))
    return Rows(places, off, J, at, np.asarray(size), around)
