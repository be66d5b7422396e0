"""Rigid bodies as integrals over their matter: mass, centre of mass, moments and products of inertia.

A body is made of pieces. The places of a piece are a vector in some spaces, and its matter is a density
times the measure of the map: the length, area or volume that a change of the spaces covers. Bodies are
added and taken away from each other, moved and turned; what is asked of them is worked out by the rules
of `closing`.

    m = int rho dV      m c = int rho r dV      I(p) = int rho (|r - p|^2 1 - (r - p)(r - p)^T) dV
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import sympy
from sympy import ImmutableDenseMatrix as Matrix

from routh.errors import DeclarationError, a_kind, quoted
from routh.language.calculus import as_vector, expression
from routh.language.domains import inner_first, integral
from routh.language.fields import Space
from routh.language.matter.closing import value_of
from routh.language.matter.sign_over import Sign, in_factors, sign_of_constant
from routh.language.rotations import is_rotation
from routh.language.symbols import Signal, t
from routh.language.walk import leaves
from routh.shown import as_markdown

SHORT = 300
"""Operations up to which what is asked of a body is written as a product of factors."""


@dataclass(frozen=True)
class Piece:
    """Matter over some spaces.

    Attributes:
        spaces: one for a line, two for an area, three for a volume.
        place: (3,) where it is, along the axes of the body.
        density: mass per length, area or volume; below zero where matter is taken away.
        measure: the length, area or volume for a unit of the spaces.
    """

    spaces: tuple[Space, ...]
    place: Matrix
    density: sympy.Expr
    measure: sympy.Expr

    def integral(self, function: sympy.Expr) -> sympy.Expr:
        """The integral of density times a function of the spaces, as it is written."""
        found: sympy.Expr = integral(self.density * self.measure * function, self.spaces)
        return found


@dataclass(frozen=True)
class Body:
    """A rigid body: what it weighs, where its centre of mass is, and how it resists turning.

    Bodies are put together with + and cut out with -, moved by `shifted` and turned by `turned`. All
    vectors and tensors are along axes of the body, which its places are written in.

    Example:
        >>> import routh as rt
        >>> m, R = rt.parameters("m R")
        >>> disc = rt.models.rigid.disc(R, mass=m)
        >>> disc.inertia[2, 2], disc.about([R, 0])[2, 2]
        (R**2*m/2, 3*R**2*m/2)
    """

    pieces: tuple[Piece, ...]

    def __repr__(self) -> str:
        kind = "flat body" if self.flat else "body"
        return f"Body({kind} of {len(self.pieces)} piece{'s' * (len(self.pieces) > 1)}{self._weight()})"

    def _weight(self) -> str:
        try:
            return f", mass {self.mass}"
        except DeclarationError:  # what is printed in a message must not raise another
            return ""

    @property
    def flat(self) -> bool:
        """Whether it lies in the plane of the first two axes; its places have two components then."""
        return all(piece.place[2] == 0 for piece in self.pieces)

    @cached_property
    def mass(self) -> sympy.Expr:
        """Its mass."""
        found = self._sum(lambda _: sympy.S.One)
        if found == 0 or found.is_negative or sign_of_constant(found) is Sign.BELOW:
            raise DeclarationError(
                f"The mass of the body is {found}. It must be above zero: no more can be taken away"
                " than is there."
            )
        return found

    @cached_property
    def centre(self) -> Matrix:
        """Its centre of mass: two components of a flat body, else three."""
        return Matrix([_short(x / self.mass) for x in self._first[: 2 if self.flat else 3]])

    @cached_property
    def inertia(self) -> Matrix:
        """(3, 3) the inertia tensor about the centre of mass."""
        return self.about(self.centre)

    def about(self, point: object) -> Matrix:
        """(3, 3) the inertia tensor about a point of the body, two or three components.

        By Steiner's theorem it is that about the centre of mass and that of the whole mass there.
        """
        p = _in_space(point, "The point that inertia is about")
        S = self._second - self._first * p.T - p * self._first.T + self.mass * p * p.T
        tensor = sympy.eye(3) * S.trace() - S
        return Matrix(3, 3, [_short(x) for x in tensor])

    def integral(self, function: Callable[[Matrix], Any]) -> sympy.Expr:
        """The integral of density times a function of the place, as it is written.

        The kinetic energy is that of `norm2(ddt(point)) / 2` at every place:

        Example:
            >>> import routh as rt
            >>> phi, (m, l) = rt.coordinate("phi"), rt.parameters("m l")
            >>> rod = rt.models.rigid.rod(l, mass=m)
            >>> T = rod.integral(lambda r: rt.norm2(rt.ddt(rt.rotation(phi) @ r)) / 2)
            >>> print(rt.equations(rt.System(kinetic=T)))
            phi: m*l**2*phi''/12 = 0
        """
        _ = self.mass  # a body without mass has no energy either
        found = []
        for piece in self.pieces:
            place = Matrix(piece.place[:2]) if self.flat else piece.place
            found.append(piece.integral(expression(function(place), "What is integrated over a body")))
        return sympy.Add(*found)

    def shifted(self, by: object) -> Body:
        """The body moved by a vector."""
        step = _in_space(by, "The step of a body")
        _refuse_moving(step, "shifted(step)")
        return self._placed(lambda r: Matrix(r + step))

    def turned(self, matrix: object) -> Body:
        """The body turned by a rotation, 2 x 2 or 3 x 3, about the origin of its axes."""
        shape = getattr(matrix, "shape", None)
        if not isinstance(matrix, sympy.MatrixBase) or shape not in ((2, 2), (3, 3)):
            raise DeclarationError(
                "turned(matrix) takes a rotation, as rotation(angle) or rotation(angle, axis) makes it."
                f" Got {a_kind(matrix) if shape is None else f'the shape {shape}'}."
            )
        _refuse_moving(matrix, "turned(matrix)")
        if not is_rotation(matrix):
            raise DeclarationError(
                "turned(matrix) takes a rotation, R^T R = 1 and det R = 1, as rotation(angle) makes it."
                f" Got {matrix.tolist()}."
            )
        whole = sympy.diag(matrix, 1) if shape == (2, 2) else matrix
        return self._placed(lambda r: Matrix(whole * r))

    def __add__(self, other: Body) -> Body:
        return Body(self.pieces + other.pieces) if isinstance(other, Body) else NotImplemented

    def __sub__(self, other: Body) -> Body:
        if not isinstance(other, Body):
            return NotImplemented
        taken = (Piece(p.spaces, p.place, -p.density, p.measure) for p in other.pieces)
        return Body((*self.pieces, *taken))

    def _placed(self, move: Callable[[Matrix], Matrix]) -> Body:
        return Body(tuple(Piece(p.spaces, move(p.place), p.density, p.measure) for p in self.pieces))

    @cached_property
    def _first(self) -> Matrix:
        """(3,) int rho r dV."""
        return Matrix([self._moment(i) for i in range(3)])

    @cached_property
    def _second(self) -> Matrix:
        """(3, 3) int rho r r^T dV."""
        found = {(i, j): self._moment(i, j) for i in range(3) for j in range(i, 3)}
        return Matrix(3, 3, lambda i, j: found[min(i, j), max(i, j)])

    def _moment(self, *components: int) -> sympy.Expr:
        """The integral of density times components of the place."""
        return self._sum(lambda r: sympy.Mul(*(r[i] for i in components)))

    def _sum(self, function: Callable[[Matrix], sympy.Expr]) -> sympy.Expr:
        """An integral over all pieces, worked out."""
        written = (piece.integral(function(piece.place)) for piece in self.pieces)
        return _short(
            sympy.Add(*(value_of(x) if isinstance(x, sympy.Integral) else x for x in written))
        )

    _repr_markdown_ = as_markdown


def _in_space(point: object, what: str) -> Matrix:
    """A vector of three components; in the plane the third is zero."""
    found = as_vector(point, what)
    if found.rows not in (2, 3):
        raise DeclarationError(f"{what} has two or three components. Got {found.rows}.")
    return Matrix([*found, 0]) if found.rows == 2 else found


def _refuse_moving(given: sympy.MatrixBase, what: str) -> None:
    """A body is fixed along its own axes."""
    moving = sorted((x for x in leaves(given) if isinstance(x, Signal) or x == t), key=str)
    if moving:
        raise DeclarationError(
            f"{what} moves matter along the axes of the body, for good. Got {quoted(moving)}, which"
            " moves: write that where the body is put into space, as rigid_body(body, r, R) does."
        )


def _short(value: sympy.Expr) -> sympy.Expr:
    """As a product of factors where it is not long; numbers of Gauss points are not looked at."""
    exact = not value.has(sympy.Float) and sympy.count_ops(value) <= SHORT
    return in_factors(value) if exact else value


def spaces_of(given: object) -> tuple[Space, ...]:
    """The spaces of a region, inner ones first."""
    every = list(given) if isinstance(given, Iterable) else [given]
    spaces = [x for x in every if isinstance(x, Space)]
    if len(spaces) < len(every) or not 1 <= len(set(spaces)) == len(spaces) <= 3:
        raise DeclarationError(
            "A region goes over one, two or three spaces, as space(...) makes them, each once. Got"
            f" {given!r}."
        )
    return tuple(inner_first(spaces))
