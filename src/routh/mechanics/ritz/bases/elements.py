"""Cubic elements: sparse, for many degrees of freedom and where properties jump."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import scipy
from numpy.polynomial import legendre
from numpy.typing import NDArray

from routh.arrays import Array
from routh.errors import DeclarationError
from routh.language.fields import Field
from routh.language.shapes import Basis, Shape
from routh.mechanics.fields.end_conditions import EndConditions
from routh.mechanics.ritz.bases.basis_size import Size
from routh.mechanics.ritz.bases.legendre_functions import HERMITE, hierarchy, without_rounding

SHORTEST = {1: 1e-6, 2: 2e-3}
"""Shares of the space below which no element is made unasked, by the derivative in the energy.

The stiffness of an element grows with the inverse of its length (stretching) or the third power of that
(bending), and rounding of it likewise: eight digits are left.
"""

MOST_BREAKS = 50
"""Jumps and kinks that become nodes of elements: a batch may have them at very many places."""


@dataclass(frozen=True)
class Elements(Size):
    """Cubic elements of a field: sparse matrices, for many degrees of freedom and for kinks.

    Where the energy has second derivatives along the space they are Hermite's cubics, with values and
    slopes at the nodes; otherwise cubics that are continuous.

    Arguments:
        count: how many, of equal length between jumps of properties; or the places of their ends as
            shares of the space, rising from 0 to 1.

    Example:
        >>> import routh as rt
        >>> s = rt.space("s", 0, 1)
        >>> w = rt.field("w", s)
        >>> kinetic, potential = rt.energies.string(w, 1, 1)
        >>> string = rt.System(kinetic=kinetic, potential=potential, constraints=[rt.at(w, s, 0)])
        >>> len(rt.discretize(string, {w: Elements(10)}).coordinates)
        30
    """

    count: int | Sequence[float]
    divides = True

    @property
    def nodes(self) -> Array:
        """Their ends, from -1 to 1."""
        if self._number is not None:
            if self._number < 1:
                raise DeclarationError(f"Elements(n) needs one element at least. Got {self.count}.")
            return np.linspace(-1.0, 1.0, self._number + 1)
        try:
            shares = np.array(self.count, dtype=float)
        except (TypeError, ValueError):
            shares = np.zeros(0)
        rising = shares.ndim == 1 and len(shares) > 1 and bool((np.diff(shares) > 0).all())
        if not rising or shares[0] != 0 or shares[-1] != 1:
            raise DeclarationError(
                "Elements(...) needs how many there are, or the shares of the space at which they end,"
                f" rising from 0 to 1. Got {self.count!r}."
            )
        return 2 * shares - 1

    @property
    def _number(self) -> int | None:
        """How many there are, None where the places of their ends were given."""
        if isinstance(self.count, (int, np.integer)) and not isinstance(self.count, bool):
            return int(self.count)
        return None

    def basis(self, _w: Field, order: int, _conditions: EndConditions) -> Basis:
        """Hermite's cubics, or continuous ones."""
        return Cubics(self.nodes, order)

    def finer(self, shape: Shape, breaks: tuple[float, ...]) -> Size:
        """Twice as many, that also end where properties jump."""
        assert isinstance(shape.basis, Cubics)
        more = breaks if len(breaks) <= MOST_BREAKS else ()
        return Elements(_halved(self.nodes, more, 2 * SHORTEST[shape.basis.order]))

    def coarser(self) -> Size:
        """Half as many."""
        if self._number is not None:
            return Elements((self._number + 1) // 2)
        return Elements(tuple(sorted({*((1 + self.nodes[::2]) / 2).tolist(), 1.0})))

    @property
    def described(self) -> str:
        """How many there are."""
        return f"{len(self.nodes) - 1} elements"

    def placed(self, breaks: tuple[float, ...], basis: Basis) -> Array | None:
        """Their ends, some of them where properties jump; None where they were given, or that fails.

        All are between -1 and 1. Between two such places elements are of equal length.
        """
        assert isinstance(basis, Cubics)
        if self._number is None:
            return None
        walls = np.array([-1.0, *breaks, 1.0])
        lengths = np.diff(walls)
        if self._number < len(lengths) or lengths.min() < 2 * SHORTEST[basis.order]:
            return None
        counts = np.ones(len(lengths), dtype=int)
        for _ in range(self._number - len(lengths)):
            counts[np.argmax(lengths / counts)] += 1
        parts = [
            np.linspace(a, b, n + 1)[:-1] for (a, b), n in zip(pairwise(walls), counts, strict=True)
        ]
        return np.append(np.concatenate(parts), 1.0)

    def moved(self, basis: Basis, nodes: Array) -> tuple[Size, Basis]:
        """Elements with other ends."""
        assert isinstance(basis, Cubics)
        return Elements(tuple((1 + x) / 2 for x in nodes.tolist())), Cubics(nodes, basis.order)


def _halved(nodes: Array, breaks: tuple[float, ...], shortest: float) -> tuple[float, ...]:
    """Shares of the space: every element divided into two, and where properties jump.

    Elements that would get too short are left as they are.
    """
    for x in breaks:
        if np.abs(nodes - x).min() >= shortest:
            nodes = np.sort(np.append(nodes, x))
    long = np.diff(nodes) >= 2 * shortest
    middles = ((nodes[1:] + nodes[:-1]) / 2)[long]
    return tuple(((1 + np.sort(np.concatenate([nodes, middles]))) / 2).tolist())


class Cubics(Basis):
    """Cubic polynomials between nodes, joined with their slopes (order 2) or without (order 1)."""

    def __init__(self, nodes: Array, order: int) -> None:
        self.order = max(order, 1)
        self.cells = tuple(nodes.tolist())
        self.degree = 3
        self._nodes = nodes
        self._local = HERMITE if order == 2 else hierarchy(4, 1)
        self._step = 2 if order == 2 else 3
        self._count = len(nodes) - 1  # slopes at nodes are counted along half of the mean element
        self.size = self._step * (len(nodes) - 1) + self.order
        self.ends = {
            (end, slope): (end * (self.size - self.order) + slope, self._count**slope)
            for end in (0, 1)
            for slope in range(self.order)
        }

    def _places(self) -> NDArray[np.intp]:
        """(elements, 4): which functions of all each element's four are."""
        first = self._step * np.arange(len(self._nodes) - 1)[:, None]
        return first + (np.arange(4) if self.order == 2 else np.array([0, 3, 1, 2]))

    def values(self, xi: Array, slope: int) -> Any:
        """(len(xi), size), sparse: their derivatives."""
        xi = np.asarray(xi, dtype=float)
        element = np.clip(np.searchsorted(self._nodes, xi, side="right") - 1, 0, len(self._nodes) - 2)
        half = np.diff(self._nodes)[element] / 2
        inside = (xi - self._nodes[element]) / half - 1
        c = legendre.legder(self._local, slope, axis=1) if slope < 4 else np.zeros((4, 1))
        local = legendre.legvander(inside, c.shape[1] - 1) @ c.T / half[:, None] ** slope
        if self.order == 2:
            local[:, 1::2] *= half[:, None] * self._count
        if slope < self.order:
            local = without_rounding(local, inside)
        rows = np.repeat(np.arange(len(xi)), 4)
        columns = self._places()[element].ravel()
        return scipy.sparse.csr_array((local.ravel(), (rows, columns)), shape=(len(xi), self.size))
