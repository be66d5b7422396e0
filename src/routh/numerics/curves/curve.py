"""Places of a curve of solutions, what is known of each, and why a curve ends."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import cached_property

import numpy as np

from routh.arrays import Array

ALIKE = 1e-9
"""Share of the largest entry up to which a matrix is symmetric."""


@dataclass(frozen=True, eq=False)
class Place:
    """A point y (m + 1,) of a curve with its unit tangent, measured in `scale`.

    `rows` (m,) are the sizes of the equations there, `cross` the signed smallest singular value of
    the slopes bordered by the tangent, which passes through zero where another curve crosses, and
    `slopes` (m, m) those by the first m unknowns in these scales.
    """

    y: Array
    tangent: Array
    scale: Array
    rows: Array
    cross: float
    slopes: Array

    @cached_property
    def modes(self) -> tuple[Array, Array] | None:
        """Eigenvalues and vectors of the slopes where they are symmetric."""
        symmetric = _symmetric(self.slopes)
        if symmetric is None:
            return None
        values, vectors = np.linalg.eigh(symmetric)
        return values, vectors

    @property
    def eigenvalues(self) -> Array | None:
        """The eigenvalues of the symmetric slopes, ascending."""
        return None if self.modes is None else self.modes[0]

    @property
    def negative(self) -> int | None:
        """The number of negative eigenvalues of symmetric slopes."""
        return None if self.eigenvalues is None else int(np.sum(self.eigenvalues < 0))

    @cached_property
    def below(self) -> int:
        """The number of eigenvalues of the slopes, symmetric or not, with negative real part."""
        if self.negative is not None:
            return self.negative
        return int(np.sum(np.linalg.eigvals(self.slopes).real < 0))

    @property
    def turn(self) -> float:
        """How fast the last unknown changes; it passes through zero at a fold."""
        return float(self.tangent[-1])


class End(Enum):
    """Why a curve ends where it does."""

    RANGE = "it reached the end of the range."
    CLOSED = "It closed on itself."
    LOST = "no further point of the branch was found, in steps down to rounding."
    AWAY = "the unknowns have become very large."
    LONG = "it took the largest number of steps."
    NOT_FINITE = "the equations are not finite further on."
    STOPPED = "it came to a place where it was to stop."


@dataclass(frozen=True, eq=False)
class Curve:
    """Places one after the other, and why it ends at the last one."""

    places: tuple[Place, ...]
    end: End


class NotFiniteError(ArithmeticError):
    """The slopes of the equations are not finite at a point."""


def _symmetric(A: Array) -> Array | None:
    """A matrix without rounding if it is symmetric, else None."""
    if np.abs(A - A.T).max(initial=0) > ALIKE * np.abs(A).max(initial=0):
        return None
    return np.asarray((A + A.T) / 2)
