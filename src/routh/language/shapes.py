"""How a field is made of coordinates: w(s, t) = sum of amplitude_k(t) * function_k(s).

The functions live on the reference interval -1 <= xi <= 1, onto which the space is mapped, so that
they do not depend on the bounds.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import sympy

from routh.language.fields import Field
from routh.language.symbols import Coordinate

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Basis(ABC):
    """Functions of xi on the interval from -1 to 1."""

    size: int
    """How many functions there are."""
    cells: tuple[float, ...]
    """The places between which the functions are smooth, from -1 to 1."""
    degree: int | None
    """Their degree between two such places; None where they are no polynomials."""
    ends: Mapping[tuple[int, int], tuple[int, int]] | None = None
    """For an end (0 or 1) and an order of slope the one function that has it there, and how much of it
    in xi, so that conditions can be built in; None where all functions may have values at ends."""

    @abstractmethod
    def values(self, xi: NDArray[Any], slope: int) -> Any:
        """(len(xi), size): their derivatives of order `slope`, an array or a sparse one."""

    @property
    def steep(self) -> Sequence[tuple[sympy.Expr, sympy.Symbol]]:
        """Functions and slopes that are no polynomials, each with what stands for xi in it.

        Cells of quadrature are divided until they are resolved.
        """
        return ()


@dataclass(frozen=True, eq=False)
class Rule:
    """Places and weights on -1 <= xi <= 1, cell by cell.

    Attributes:
        xi, weights: (G,)
        cells: the ends of the cells.
        exact: whether every density is a polynomial that the rule integrates exactly.
        asked: the number of points in a cell that was asked for, None where they were counted.
        breaks: ends of cells at which densities have jumps and kinks.
    """

    xi: NDArray[Any]
    weights: NDArray[Any]
    cells: tuple[float, ...]
    exact: bool
    asked: int | None = None
    breaks: tuple[float, ...] = ()

    @property
    def per_cell(self) -> int:
        """Points in each cell."""
        return len(self.xi) // (len(self.cells) - 1)


@dataclass(frozen=True, eq=False)
class Shape:
    """A field as a sum of functions with amplitudes.

    Attributes:
        field: the field.
        basis: the functions.
        amplitudes: what multiplies each function: a coordinate, or an expression that keeps a
            geometric condition, like zero at a clamped end.
        coordinates: the coordinates that are new with this field.
    """

    field: Field
    basis: Basis
    amplitudes: tuple[sympy.Expr, ...]
    coordinates: tuple[Coordinate, ...]
