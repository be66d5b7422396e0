"""Inertia and weight of a tether in straight pieces, also while material runs along it.

Nodes stay at equal parts of the length l; material that is reeled out at the start runs past them.
Where a part xi of the length lies behind the start, it moves with

    v = r_t + u l',    u = (1 - xi) d/h,    d: from node to node, h = l/pieces: length of a piece

since a piece of material keeps its distance (1 - xi) l from the end. By d'Alembert, over the material X
that is outside the drum, rho * integral of a . dr/dq dX from 0 to l(t) is

    d/dt T_v - T_q - rho l' v . dv/dv_q + rho |v|^2/2 dl/dq      the last two at the start

which is Lagrange's equation, with the momentum of what comes out as a force at the drum: it acts on
what carries the drum, and where the length is a coordinate, on that. Bends at nodes, where velocities
jump, are in d/dt T_v.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import sympy
from sympy import ImmutableDenseMatrix as Matrix

from routh.language.calculus import ddt, diff, dot, norm2, vector
from routh.language.forces import Force, force, generalized_force
from routh.language.symbols import Coordinate
from routh.language.walk import leaves
from routh.models.parts import Parts


@dataclass(frozen=True)
class _Place:
    """An end of a piece: where it is, and how far its material runs on when the length grows by one."""

    r: Matrix
    u: Matrix

    def velocity(self, rate: sympy.Expr) -> Matrix:
        """The velocity of the material there."""
        return Matrix(ddt(self.r) + self.u * rate)


def moves(place: Matrix) -> bool:
    """Whether a place moves with some coordinate, so that a force does work there."""
    return any(isinstance(s, Coordinate) for s in leaves(place))


def still_pieces(points: Sequence[Matrix], mass: sympy.Expr, g: sympy.Expr, rods: bool) -> Parts:
    """Pieces of constant length and mass between points: rods, or half their mass at either end."""
    parts = Parts()
    if rods:
        for a, b in pairwise(points):
            parts += rod_energies(a, b, mass, g)
        return parts
    for k, r in enumerate(points):
        m = mass / 2 if k in (0, len(points) - 1) else mass
        if moves(r):
            parts += Parts(kinetic=(m / 2 * norm2(ddt(r)),), potential=(m * g * r[-1],))
    return parts


def rod_energies(a: Matrix, b: Matrix, mass: sympy.Expr, g: sympy.Expr) -> Parts:
    """The inertia and weight of a straight rod."""
    return Parts(
        kinetic=(_rod(mass, ddt(a), ddt(b)),),
        potential=(mass * g * (a[-1] + b[-1]) / 2,),
    )


def _rod(mass: sympy.Expr, v0: Matrix, v1: Matrix) -> sympy.Expr:
    return mass / 6 * (norm2(v0) + norm2(v1) + dot(v0, v1))


def reeled_pieces(
    points: Sequence[Matrix], length: sympy.Expr, density: sympy.Expr, g: sympy.Expr, rods: bool
) -> Parts:
    """Pieces of a tether whose length changes at its start."""
    count = len(points) - 1
    h = length / count
    rate = ddt(length)
    kinetic: list[sympy.Expr] = []
    forces: list[Force] = []
    for k, (a, b) in enumerate(pairwise(points)):
        one, other = (
            _Place(r, Matrix((b - a) * (1 - sympy.Rational(k + end, count)) / h))
            for end, r in enumerate((a, b))
        )
        v0, v1 = one.velocity(rate), other.velocity(rate)
        m = density * h
        kinetic.append(_rod(m, v0, v1) if rods else m / 4 * (norm2(v0) + norm2(v1)))
        down = vector(*([0] * (a.rows - 1)), -m * g / 2)
        forces += [f for place in (one, other) for f in _acting(down, place, length)]
        if k == 0:
            forces += _acting(Matrix(density * rate * v0), one, length)
            forces += along_length(-density / 2 * norm2(v0), length)
    return Parts(kinetic=tuple(kinetic), forces=tuple(forces))


def _acting(push: Matrix, place: _Place, length: sympy.Expr) -> list[Force]:
    """A force on the material at a place, which is moved with the place and by the length."""
    own = [force(push, at=place.r)] if moves(place.r) and any(push) else []
    return [*own, *along_length(dot(push, place.u), length)]


def along_length(push: sympy.Expr, length: sympy.Expr) -> list[Force]:
    """A force on the length, where it is made of coordinates."""
    own = sorted((s for s in leaves([length]) if isinstance(s, Coordinate)), key=str)
    return [generalized_force(q, push * diff(length, q)) for q in own if push != 0]
