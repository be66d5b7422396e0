"""Tethers: rigid, elastic and in segments, with weight and drag, also while they are reeled out.

A tether runs between two points, vectors of two or three components; the last one is the height.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import sympy
from sympy import ImmutableDenseMatrix as Matrix

from routh.errors import DeclarationError, a_kind
from routh.language.calculus import as_vector, ddt, dot, expression, norm2, vector
from routh.language.declaring import coordinate
from routh.language.forces import force
from routh.models.amounts import Amounts, amounts, changes, length_of, vector_of
from routh.models.parts import Parts
from routh.models.reeling import along_length, moves, reeled_pieces, rod_energies, still_pieces

Point = Any
"""A vector, as `vector(x, y, z)` makes it."""


def rigid(start: Point, end: Point, length: object) -> Parts:
    """A tether that keeps its length, without mass: (|end - start|^2 - length^2)/2 is held at zero.

    Its multiplier times the length is the tension, positive where the tether pulls. The length may be
    an input or an expression in t: the tether is then reeled; or a coordinate, which a winch turns.

    Example:
        >>> import routh as rt
        >>> x, y = rt.coordinates("x y")
        >>> rigid(rt.vector(0, 0), rt.vector(x, y), 2).constraints
        (x**2/2 + y**2/2 - 2,)
    """
    a, b = _ends(start, end)
    own = length_of(length)
    held = (norm2(b - a) - own["length"] ** 2) / 2
    return Parts(constraints=(held,), requirements=own.requirements)


def elastic(
    start: Point, end: Point, length: object, stiffness: object, *, damping: object = 0
) -> Parts:
    """A tether that pulls when it is longer than its length, and is slack else.

    Arguments:
        start: one end.
        end: the other.
        length: where it begins to pull.
        stiffness: force per strain (EA); the spring constant is stiffness/length.
        damping: force per rate of strain; the tether pulls with the sum of both where that is positive.

    Example:
        >>> import routh as rt
        >>> x, y = rt.coordinates("x y")
        >>> elastic(rt.vector(0, 0), rt.vector(x, 0), 2, 100).potential
        (25*Max(0, Abs(x) - 2)**2,)
    """
    a, b = _ends(start, end)
    own, material = length_of(length), _material(stiffness, damping)
    size, EA, c = own["length"], material["stiffness"], material["damping"]
    required = (*own.requirements, *material.requirements)
    line = b - a
    stretch = sympy.sqrt(norm2(line)) - size
    potential = EA / (2 * size) * sympy.Max(0, stretch) ** 2
    if c == 0:
        return Parts(potential=(potential,), requirements=required)
    towards = Matrix(_damped(line, size, EA, c) * line / sympy.sqrt(norm2(line)))
    ends = [(towards, a), (-towards, b)]
    return Parts(
        potential=(potential,),
        forces=tuple(force(Matrix(push), at=at) for push, at in ends if moves(at)),
        requirements=required,
    )


def _damped(line: Matrix, size: sympy.Expr, EA: sympy.Expr, c: sympy.Expr) -> sympy.Expr:
    """What damping adds to the pull of a tether, which never pushes; 0 without damping."""
    if c == 0:
        return sympy.S.Zero
    stretch = sympy.sqrt(norm2(line)) - size
    pull = EA * stretch / size + c * ddt(stretch / size)
    taut = sympy.Max(0, sympy.sign(stretch))
    return taut * (sympy.Max(0, pull) - EA * stretch / size)


def _material(stiffness: object, damping: object) -> Amounts:
    return amounts("a tether", {}, {"stiffness": stiffness, "damping": damping})


def rod(start: Point, end: Point, mass: object, gravity: object) -> Parts:
    """The inertia and weight of a straight piece between two points: m/6 (v0^2 + v1^2 + v0 v1).

    Example:
        >>> import routh as rt
        >>> x, y = rt.coordinates("x y")
        >>> rod(rt.vector(0, 0), rt.vector(x, y), 3, 9.81).kinetic
        (x'**2/2 + y'**2/2,)
    """
    a, b = _ends(start, end)
    own, g = amounts("a tether", {}, {"mass": mass}), expression(gravity, "`gravity`")
    _refuse_changing(own["mass"])
    return rod_energies(a, b, own["mass"], g) + Parts(requirements=own.requirements)


def drag(
    start: Point,
    end: Point,
    *,
    diameter: object,
    density: object,
    coefficient: object,
    wind: Point | Callable[[sympy.Expr], Point] | None = None,
) -> Parts:
    """The drag of a straight piece in the wind, by what blows across it all along.

    The forces along the piece are summed up by Gauss's rule with two points, which is exact where
    what blows across grows in proportion along it: the drag of a piece that turns about its start is
    felt at its end as a quarter of that which all of it would have there.

    Arguments:
        start: one end.
        end: the other.
        diameter: of the tether.
        density: of the air.
        coefficient: of drag, 1.1 or so for a round one.
        wind: the velocity of the air, or a function that gives it at a height, like
            `lambda z: kite.wind(z, 8)`, whose first and last component count in the plane; none if not
            given.

    Example:
        >>> import routh as rt
        >>> x, y = rt.coordinates("x y")
        >>> parts = drag(rt.vector(0, 0), rt.vector(x, y), diameter=0.01, density=1.2, coefficient=1.1)
        >>> len(parts.forces)
        2
    """
    a, b = _ends(start, end)
    own = amounts(
        "drag on a tether", {}, {"diameter": diameter, "density": density, "coefficient": coefficient}
    )
    along = b - a
    size = own["density"] * own["coefficient"] * own["diameter"] / 4 * sympy.sqrt(norm2(along))
    forces = []
    for share in _GAUSS:
        place = Matrix(a + share * along)
        relative = _air(wind, place) - ddt(place)
        across = relative - along * dot(relative, along) / norm2(along)
        forces.append(force(Matrix(size * sympy.sqrt(norm2(across)) * across), at=place))
    return Parts(forces=tuple(forces), requirements=own.requirements)


_GAUSS = tuple((1 + sign / sympy.sqrt(3)) / 2 for sign in (-1, 1))
"""Where Gauss's rule with two points takes a function, as shares of the interval."""


def _air(wind: Any, place: Matrix) -> Matrix:
    """The velocity of the air at a place."""
    if wind is None:
        return vector(*([0] * place.rows))
    if not callable(wind):
        return vector_of(wind, place.rows, "The `wind` of a tether")
    found = as_vector(wind(place[-1]), "`wind` at a height")
    if place.rows == 2:
        return vector(found[0], found[-1])
    return vector_of(found, place.rows, "The `wind` of a tether, at a height,")


def segmented(
    name: str,
    start: Point,
    end: Point,
    pieces: int,
    *,
    length: object,
    density: object,
    gravity: object,
    stiffness: object = None,
    damping: object = 0,
    rods: bool = False,
) -> tuple[Parts, tuple[Matrix, ...]]:
    """A tether of one or several straight pieces with nodes between them, and the places of the nodes.

    Arguments:
        name: of the nodes: the coordinates are called like `name1_x`.
        start: one end, which others move or hold; here the tether is reeled.
        end: the other end.
        pieces: how many; one is a tether that stays straight.
        length: of the whole, without strain; an input or an expression in t where it is reeled out or
            in, or a coordinate, which a winch turns.
        density: mass per length, without strain.
        gravity: acceleration downwards.
        stiffness: force per strain; pieces keep their length where it is not given.
        damping: force per rate of strain.
        rods: whether pieces are rods; else their mass is lumped in the nodes and at both ends.

    Nodes stay at equal parts of the length, and material runs past them: all of a straight tether that
    is reeled out moves with the rate of the length, and is accelerated with it. What comes out at the
    start moves with the tether already; the mass that is still wound up belongs to what carries it.

    Example:
        >>> import routh as rt
        >>> x, y = rt.coordinates("x y")
        >>> parts, nodes = segmented(
        ...     "n", rt.vector(0, 0), rt.vector(x, y), 3, length=6, density=0.1, gravity=9.81
        ... )
        >>> nodes[0].T, len(parts.constraints)
        (Matrix([[n1_x, n1_z]]), 3)
    """
    a, b = _ends(start, end)
    pieces, rods = _whole(pieces), _truth(rods)
    own = length_of(length)
    whole, size = own["length"], own["length"] / pieces
    line = amounts("a tether", {}, {"density": density}, constant=("density",))
    rho, g = line["density"], expression(gravity, "`gravity`")
    nodes = tuple(_node(f"{name}{k}", a.rows) for k in range(1, pieces))
    points: Sequence[Matrix] = [a, *nodes, b]
    parts = Parts(requirements=(*own.requirements, *line.requirements))
    for one, other in pairwise(points):
        parts += (
            rigid(one, other, size)
            if stiffness is None
            else elastic(one, other, size, stiffness, damping=damping)
        )
    if not changes(whole):
        return parts + still_pieces(points, rho * size, g, rods), nodes
    parts += reeled_pieces(points, whole, rho, g, rods)
    if stiffness is not None:
        parts += _wound(points, whole, stiffness, damping)
    return parts, nodes


def _wound(points: Sequence[Matrix], length: sympy.Expr, stiffness: object, damping: object) -> Parts:
    """What strained material does to a length that is a coordinate: the energy that leaves with it is
    no work, and the damping of each piece resists its growth.
    """
    size = length / (len(points) - 1)
    material = _material(stiffness, damping)
    EA, c = material["stiffness"], material["damping"]
    strain = sympy.Max(0, sympy.sqrt(norm2(points[1] - points[0])) / size - 1)
    forces = along_length(EA / 2 * strain**2, length)
    for one, other in pairwise(points):
        line = other - one
        stretched = sympy.sqrt(norm2(line)) / size
        forces += along_length(_damped(line, size, EA, c) * stretched / (len(points) - 1), length)
    return Parts(forces=tuple(forces))


def _whole(pieces: Any) -> int:
    count = isinstance(pieces, (int, np.integer)) and not isinstance(pieces, bool)
    if not count or pieces < 1:
        raise DeclarationError(
            f"A tether has a whole number of `pieces`, one piece at least. Got {pieces!r}."
        )
    return int(pieces)


def _truth(rods: Any) -> bool:
    if not isinstance(rods, (bool, np.bool_)):
        raise DeclarationError(f"`rods` must be True or False. Got {rods!r}.")
    return bool(rods)


def _refuse_changing(mass: sympy.Expr) -> None:
    if changes(mass):
        raise DeclarationError(
            "A rod of a tether keeps its mass. Where a tether is reeled, use tether.segmented with its"
            " length, whose material runs along it."
        )


def _node(name: str, size: int) -> Matrix:
    axes = "xz" if size == 2 else "xyz"
    return vector(*(coordinate(f"{name}_{axis}") for axis in axes))


def _ends(start: Point, end: Point) -> tuple[Matrix, Matrix]:
    a, b = as_vector(start, "The start of a tether"), as_vector(end, "The end of a tether")
    if a.rows != b.rows or a.rows not in (2, 3):
        raise DeclarationError(
            "The ends of a tether are two vectors of two or of three components. Got"
            f" {a.rows} and {b.rows}."
        )
    if a == b:
        raise DeclarationError(f"The ends of a tether are two points. Got one, {a_kind(a)}, twice.")
    return a, b
