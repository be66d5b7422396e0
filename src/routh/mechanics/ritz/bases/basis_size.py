"""What a new basis gives: its functions, and a size that makes them, more of them and fewer.

All functions live on -1 <= xi <= 1. An energy with bending (second derivatives) needs functions with
continuous slopes, one with stretching alone needs continuous functions. Where one function alone has
the value or the slope at an end (`Basis.ends`), conditions there are built in; otherwise those that the
functions do not keep by themselves stay constraints.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from routh.arrays import Array
from routh.language.fields import Field
from routh.language.shapes import Basis, Shape
from routh.mechanics.fields.end_conditions import EndConditions


class Size(ABC):
    """How a field is made of functions: which ones, how many, and what more and fewer of them are.

    It is what a person gives to `discretize`, and is kept in `system.sizes`.
    """

    divides: ClassVar[bool] = False
    """Whether `finer` divides cells in two; otherwise each gets about a quarter more functions."""

    @abstractmethod
    def basis(self, w: Field, order: int, conditions: EndConditions) -> Basis:
        """The functions of a field, whose highest derivative in the energies is `order`.

        Raises:
            DeclarationError: they are too few, too many, or none that can keep the conditions.
        """

    @abstractmethod
    def finer(self, shape: Shape, breaks: tuple[float, ...]) -> Size:
        """More of them for a field made with this size, in which properties jump at some places.

        Raises:
            DeclarationError: no others are known.
            DerivationError: there are as many as rounding allows.
        """

    @abstractmethod
    def coarser(self) -> Size:
        """Fewer of them.

        Raises:
            DeclarationError: no others are known.
        """

    @property
    @abstractmethod
    def described(self) -> str:
        """How many there are, in words."""

    def placed(self, _breaks: tuple[float, ...], _basis: Basis) -> Array | None:
        """Ends of cells, some of them where properties jump; None where cells stay as they are."""
        return None

    def moved(self, basis: Basis, _nodes: Array) -> tuple[Size, Basis]:
        """The size and its functions with cells that end elsewhere, as `placed` has put them."""
        return self, basis
