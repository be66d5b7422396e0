"""Polynomials over the whole space: some fitted to the ends, then integrals of Legendre polynomials."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.polynomial import legendre

from routh.arrays import Array
from routh.errors import DeclarationError, DerivationError
from routh.language.fields import Field
from routh.language.shapes import Basis, Shape
from routh.mechanics.fields.end_conditions import EndConditions
from routh.mechanics.ritz.bases.basis_size import Size

HERMITE = np.array([[0.5, -0.6, 0.0, 0.1], [1 / 6, -0.1, -1 / 6, 0.1],
                    [0.5, 0.6, 0.0, -0.1], [-1 / 6, -0.1, 1 / 6, 0.1]])  # fmt: skip
"""Legendre coefficients of the cubics with value or slope 1 at one end, and 0 for the other three."""

LINEAR = np.array([[0.5, -0.5], [0.5, 0.5]])
"""The same for straight lines with value 1 at one end."""

MOST = 200
"""Polynomials beyond which rounding spoils them."""


@dataclass(frozen=True)
class Polynomials(Size):
    """So many polynomials beyond those that the field's own conditions at the ends fix."""

    count: int

    def basis(self, w: Field, order: int, conditions: EndConditions) -> Basis:
        """Those with values and slopes at the ends come first, so some must be left of them."""
        held = sum(end.base == w for end in conditions.solved)
        least = max(2 * order - held, 1)
        if not least <= self.count <= MOST:
            raise DeclarationError(
                f"The size of `{w}` must be {least} at least, for what is free at its ends, and {MOST}"
                f" at most; beyond that take Elements(n). Got {self.count}."
            )
        return Legendre(self.count + held, order)

    def finer(self, shape: Shape, _breaks: tuple[float, ...]) -> Size:
        """A quarter more."""
        if self.count >= MOST:
            raise DerivationError(
                f"`{shape.field}` is made of {self.count} polynomials, as many as rounding allows, and"
                " the modes are not as accurate as asked for. Take Elements(n) where properties change"
                " quickly."
            )
        return Polynomials(min(self.count + max(2, self.count // 4), MOST))

    def coarser(self) -> Size:
        """A quarter fewer."""
        return Polynomials(max(self.count - max(2, self.count // 4), 1))

    @property
    def described(self) -> str:
        """How many there are."""
        return f"{self.count} functions"

    def __str__(self) -> str:
        return str(self.count)


class Legendre(Basis):
    """Polynomials: those fitted to the ends, then integrals of Legendre polynomials, zero there.

    The k-th derivatives of the latter, k being the order, are Legendre polynomials of unit norm, so
    that the stiffness of a uniform beam (rod) is diagonal, and conditioning stays good for 40 of them.
    """

    def __init__(self, size: int, order: int) -> None:
        self.size = size
        self.order = order
        self.cells = (-1.0, 1.0)
        self.degree = size - 1
        self.ends = {(end, slope): (end * order + slope, 1) for end in (0, 1) for slope in range(order)}
        self._coefficients = hierarchy(size, order)

    def values(self, xi: Array, slope: int) -> Array:
        """(len(xi), size): their derivatives."""
        c = self._coefficients
        derived = legendre.legder(c, slope, axis=1) if slope < c.shape[1] else np.zeros((len(c), 1))
        found = np.asarray(legendre.legvander(np.asarray(xi), derived.shape[1] - 1) @ derived.T)
        return without_rounding(found, np.asarray(xi)) if slope < self.order else found


def hierarchy(size: int, order: int) -> Array:
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


def without_rounding(values: Array, xi: Array) -> Array:
    """Values with what is rounding at the ends made zero: a clamped end does not move."""
    ends = np.abs(xi) == 1
    values[ends] = np.where(np.abs(values[ends]) < 1e-14, 0.0, values[ends])
    return values
