"""Functions of which fields are made: Legendre polynomials fitted to the ends, elements, given shapes.

All live on -1 <= xi <= 1. An energy with bending (second derivatives) needs functions with continuous
slopes, whose first amplitudes are values and slopes at the ends; one with stretching alone needs
continuous functions, with values at the ends.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import scipy
import sympy
from numpy.polynomial import legendre
from numpy.typing import NDArray

from routh.arrays import Array
from routh.errors import DeclarationError
from routh.language.fields import MOST_SLOPES, Space
from routh.language.shapes import Basis

HERMITE = np.array([[0.5, -0.6, 0.0, 0.1], [1 / 6, -0.1, -1 / 6, 0.1],
                    [0.5, 0.6, 0.0, -0.1], [-1 / 6, -0.1, 1 / 6, 0.1]])  # fmt: skip
"""Legendre coefficients of the cubics with value or slope 1 at one end, and 0 for the other three."""

LINEAR = np.array([[0.5, -0.5], [0.5, 0.5]])
"""The same for straight lines with value 1 at one end."""


class NodalBasis(Basis):
    """Functions some of which have the value or the slope 1 at an end, all others 0 there."""

    order: int
    """Highest derivative for which they are made: 2 with slopes at ends, 1 with values, 0 with none."""

    @abstractmethod
    def end_function(self, end: int, slope: int) -> tuple[int, int]:
        """The function that has a slope of this order at an end (0 or 1), and how much of it in xi."""


class Legendre(NodalBasis):
    """Polynomials: those fitted to the ends, then integrals of Legendre polynomials, zero there.

    The k-th derivatives of the latter, k being the order, are Legendre polynomials of unit norm, so
    that the stiffness of a uniform beam (rod) is diagonal, and conditioning stays good for 40 of them.
    """

    def __init__(self, size: int, order: int) -> None:
        self.size = size
        self.order = order
        self.cells = (-1.0, 1.0)
        self.degree = size - 1
        self._coefficients = _hierarchy(size, order)

    def values(self, xi: Array, slope: int) -> Array:
        """(len(xi), size): their derivatives."""
        c = self._coefficients
        derived = legendre.legder(c, slope, axis=1) if slope < c.shape[1] else np.zeros((len(c), 1))
        found = np.asarray(legendre.legvander(np.asarray(xi), derived.shape[1] - 1) @ derived.T)
        return _clean_ends(found, np.asarray(xi)) if slope < self.order else found

    def end_function(self, end: int, slope: int) -> tuple[int, int]:
        """The end functions come first: value, slope, at the start and then at the end."""
        return end * self.order + slope, 1


def _hierarchy(size: int, order: int) -> Array:
    """(size, size): Legendre coefficients of the functions."""
    found = np.zeros((size, max(size, 4)))
    ends = {0: np.zeros((0, 1)), 1: LINEAR, 2: HERMITE}[order]
    found[: len(ends), : ends.shape[1]] = ends[:size]
    for row in range(len(ends), size):
        k = row - order
        unit: Array = np.zeros(k + 1)
        unit[k] = np.sqrt((2 * k + 1) / 2)
        for _ in range(order):
            unit = np.asarray(legendre.legint(unit), dtype=float)
            unit[:1] = 0.0
        if order == 1:
            unit[0] -= legendre.legval(1.0, unit)
        elif order == 2:
            unit = _without_ends(unit)
        found[row, : len(unit)] = unit
    return found[:, :size] if size >= 4 else found


def _without_ends(c: Array) -> Array:
    """The polynomial less the cubic with its values and slopes at the ends; that one is exact zero
    but for the terms of degree one and less.
    """
    slope = legendre.legder(c)
    ends = [legendre.legval(x, p) for x in (-1.0, 1.0) for p in (c, slope)]
    c = c.copy()
    c[:4] -= np.array(ends) @ HERMITE
    return c


@dataclass(frozen=True)
class Elements:
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

    @property
    def nodes(self) -> Array:
        """Their ends, from -1 to 1."""
        if isinstance(self.count, (int, np.integer)) and not isinstance(self.count, bool):
            if self.count < 1:
                raise DeclarationError(f"Elements(n) needs one element at least. Got {self.count}.")
            return np.linspace(-1.0, 1.0, int(self.count) + 1)
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


SHORTEST = {1: 1e-6, 2: 2e-3}
"""Shares of the space below which no element is made unasked, by the derivative in the energy.

The stiffness of an element grows with the inverse of its length (stretching) or the third power of that
(bending), and rounding of it likewise: eight digits are left.
"""


def placed(count: int, breaks: Sequence[float], order: int) -> Array | None:
    """The ends of so many elements, some of them where properties jump; None where that fails.

    All are between -1 and 1. Between two such places elements are of equal length.
    """
    walls = np.array([-1.0, *breaks, 1.0])
    lengths = np.diff(walls)
    if count < len(lengths) or lengths.min() < 2 * SHORTEST[order]:
        return None
    counts = np.ones(len(lengths), dtype=int)
    for _ in range(count - len(lengths)):
        counts[np.argmax(lengths / counts)] += 1
    parts = [np.linspace(a, b, n + 1)[:-1] for (a, b), n in zip(pairwise(walls), counts, strict=True)]
    return np.append(np.concatenate(parts), 1.0)


class Cubics(NodalBasis):
    """Cubic polynomials between nodes, joined with their slopes (order 2) or without (order 1)."""

    def __init__(self, nodes: Array, order: int) -> None:
        self.order = max(order, 1)
        self.cells = tuple(nodes.tolist())
        self.degree = 3
        self._nodes = nodes
        self._local = HERMITE if order == 2 else _hierarchy(4, 1)
        self._step = 2 if order == 2 else 3
        self._count = len(nodes) - 1  # slopes at nodes are counted along half of the mean element
        self.size = self._step * (len(nodes) - 1) + self.order

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
            local = _clean_ends(local, inside)
        rows = np.repeat(np.arange(len(xi)), 4)
        columns = self._places()[element].ravel()
        return scipy.sparse.csr_array((local.ravel(), (rows, columns)), shape=(len(xi), self.size))

    def end_function(self, end: int, slope: int) -> tuple[int, int]:
        """Those of the first and of the last node."""
        return (self.size - self.order if end else 0) + slope, self._count**slope


class Given(Basis):
    """Functions given as expressions in the space."""

    def __init__(self, functions: Sequence[sympy.Expr], space: Space) -> None:
        self.size = len(functions)
        self.cells = (-1.0, 1.0)
        self.degree = None
        self._xi = sympy.Dummy("xi", real=True)
        place = space.bounds[0] + space.length * (1 + self._xi) / 2
        self._functions = [sympy.simplify(f.xreplace({space: place})) for f in functions]
        for given, function in zip(functions, self._functions, strict=True):
            alien = sorted(function.free_symbols - {self._xi}, key=str)
            alien.sort(key=lambda x: x in space.length.free_symbols)
            if alien:
                raise DeclarationError(
                    f"The shape `{given}` depends on `{alien[0]}`. Expected a function of the"
                    f" share of the space alone, like sin(pi*{space}/{space.length}); parameters other"
                    " than the bounds belong into the energies."
                )

    @property
    def variable(self) -> sympy.Symbol:
        """What stands for xi in them."""
        return self._xi

    @cached_property
    def steep_functions(self) -> list[sympy.Expr]:
        """The functions and their slopes that are no polynomials."""
        slopes = [f.diff(self._xi, k) for f in self._functions for k in range(MOST_SLOPES + 1)]
        return list(dict.fromkeys(f for f in slopes if not f.is_polynomial(self._xi)))

    def values(self, xi: Array, slope: int) -> Array:
        """(len(xi), size): their derivatives."""
        derived = [f.diff(self._xi, slope) for f in self._functions]
        found = [[float(f.evalf(17, subs={self._xi: x})) for f in derived] for x in np.asarray(xi)]
        return np.array(found).reshape(len(found), self.size)


def _clean_ends(values: Array, xi: Array) -> Array:
    """Values with what is rounding at the ends made zero: a clamped end does not move."""
    ends = np.abs(xi) == 1
    values[ends] = np.where(np.abs(values[ends]) < 1e-14, 0.0, values[ends])
    return values


def gauss(cells: Sequence[float], points: int) -> tuple[Array, Array]:
    """Places and weights of Gauss's rule of so many points on each cell."""
    x, w = np.polynomial.legendre.leggauss(points)
    places = [(a + b) / 2 + (b - a) / 2 * x for a, b in pairwise(cells)]
    weights = [(b - a) / 2 * w for a, b in pairwise(cells)]
    return np.concatenate(places), np.concatenate(weights)
