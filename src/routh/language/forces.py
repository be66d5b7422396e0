"""Forces and torques by their virtual work."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum, unique

import sympy
from sympy import ImmutableDenseMatrix as Matrix

from routh.errors import DeclarationError, shortened
from routh.language.calculus import as_vector, cross, expression, vector
from routh.language.fields import Field, Space
from routh.language.symbols import Coordinate
from routh.language.walk import leaves, outside_integrals
from routh.shown import as_markdown


@unique
class Origin(Enum):
    """As what a force was declared."""

    POINT = "force at a point"
    TORQUE = "torque"
    COORDINATE = "generalized force"
    ACCRETION = "force of a mass that depends on position"
    INTAKE = "momentum of the mass that is taken in or lost"
    FRICTION = "friction"


@dataclass(frozen=True)
class Force:
    """A force with its point of attack: it does the virtual work `components . delta(at)`.

    So its generalized force is `Q_i = sum_k components_k * d(at_k)/dq_i`, with time held fixed.
    A torque, and a force given straight for a coordinate, are of the same kind. Where the point
    varies along a space it is a force per length, and its work is integrated.
    """

    components: Matrix
    at: Matrix
    origin: Origin = field(default=Origin.POINT, compare=False)
    """As what it was declared: for people alone, what it does is its work."""

    @property
    def space(self) -> Space | None:
        """The space along which a distributed force acts."""
        return next(iter(_varying(self.at)), None)

    def generalized(self, coordinate: Coordinate) -> sympy.Expr:
        """Q for one coordinate, written out."""
        return sympy.Add(
            *(f * r.diff(coordinate) for f, r in zip(self.components, self.at, strict=True))
        )

    _repr_markdown_ = as_markdown


def force(components: object, *, at: object) -> Force:
    """A force vector acting at a point; both may depend on coordinates and time.

    The force may also depend on velocities (drag, a follower load with damping) and on inputs;
    the point may not depend on velocities.

    Example:
        >>> from routh import System, coordinate, ddt, equations, vector
        >>> x = coordinate("x")
        >>> push = force(vector(3, 4), at=vector(x, 0))
        >>> print(equations(System(kinetic=ddt(x)**2 / 2, forces=[push])))
        x: x'' - 3 = 0
    """
    vector_ = as_vector(components, "A force")
    point = as_vector(at, "The point `at` which a force acts")
    if vector_.rows != point.rows:
        raise DeclarationError(
            f"A force and its point must have equally many components. Got a force of"
            f" {vector_.rows} at a point of {point.rows}."
        )
    return _checked(vector_, point, "The point of attack", Origin.POINT)


def torque(components: object, about: object) -> Force | tuple[Force, ...]:
    """A torque on a body that turns: in the plane by an angle, in space by a rotation matrix.

    In the plane `about` is the body's angle and the torque a scalar: `Q_i = tau * d(angle)/dq_i`.
    In space `about` is the body's rotation matrix R and the torque a vector along the axes that R
    turns into (space axes): `delta R = hat(delta angle) R`, so the work is that of the three forces
    `cross(tau, e_k)/2` at the tips of R's columns e_k.

    Example:
        >>> from routh import System, coordinate, ddt, equations, input
        >>> phi, u = coordinate("phi"), input("u")
        >>> print(equations(System(kinetic=ddt(phi)**2 / 2, forces=[torque(u, about=phi)])))
        phi: phi'' - u = 0
    """
    if isinstance(about, sympy.MatrixBase):
        if about.shape != (3, 3):
            raise DeclarationError(
                "torque(tau, about) needs the angle of the body in the plane, or its 3 x 3 rotation"
                f" matrix in space. Got a {about.rows} x {about.cols} matrix."
            )
        tau = as_vector(components, "A torque in space")
        if tau.rows != 3:
            raise DeclarationError(f"A torque in space has three components. Got {tau.rows}.")
        columns = [Matrix(about[:, k]) for k in range(3)]
        moved = [e for e in columns if any(isinstance(s, (Coordinate, Field)) for s in leaves(e))]
        if not moved:
            raise DeclarationError(
                "The rotation of a torque must turn with some coordinate, or the torque does no work."
                f" Got {shortened(about.tolist())}."
            )
        pairs = [(Matrix(cross(tau, e) / 2), e) for e in moved]
        return tuple(_checked(f, e, "The rotation", Origin.TORQUE) for f, e in pairs)
    if isinstance(components, sympy.MatrixBase):
        raise DeclarationError(
            "A torque about an angle is a scalar. Got a vector; give the rotation matrix of the body"
            " instead of an angle, or one component of the vector."
        )
    angle = expression(about, "The angle that a torque turns")
    return _checked(vector(components), vector(angle), "The angle", Origin.TORQUE)


def generalized_force(
    coordinate: object, component: object, origin: Origin = Origin.COORDINATE
) -> Force:
    """A force given directly for one coordinate, as in `forces={theta: u}`."""
    if not isinstance(coordinate, (Coordinate, Field)) or coordinate.order:
        raise DeclarationError(
            "`forces` maps coordinates, fields or values of fields at ends to their generalized"
            f" forces. Got the key {coordinate!r}."
        )
    return _checked(vector(component), vector(coordinate), "The coordinate", origin)


def _checked(components: Matrix, at: Matrix, what: str, origin: Origin) -> Force:
    found = leaves(at)
    moving = [s for s in found if isinstance(s, (Coordinate, Field)) and s.order > 0]
    if moving:
        raise DeclarationError(
            f"{what} of a force must not contain velocities: virtual work is done along a change of"
            f" position. Got {shortened(moving[0])} in {shortened(list(at))}."
        )
    if not any(isinstance(s, (Coordinate, Field)) for s in found):
        raise DeclarationError(
            f"{what} of a force must move with some coordinate, or the force does no work."
            f" Got {shortened(list(at))}."
        )
    along = _varying([*at, *components])
    if len(along) > 1 or along != _varying(at):
        raise DeclarationError(
            "A force that varies along a space acts at points that vary along the same one. Got the"
            f" force {shortened(list(components))} at {shortened(list(at))}. A force at an end contains"
            " values there, like at(w, s, L); a force per length is given for the field itself."
        )
    return Force(components, at, origin)


def _varying(expressions: Iterable[sympy.Expr]) -> list[Space]:
    """The spaces along which some of the expressions vary."""
    found = outside_integrals(expressions)
    inside = {s.space for s in found if isinstance(s, Field) and s.end is None}
    return sorted(inside | {s for s in found if isinstance(s, Space)}, key=lambda s: s.serial)
