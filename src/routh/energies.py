"""Energies that are written often: rigid bodies, springs, dampers, strings, rods, shafts and beams."""

from __future__ import annotations

from typing import Any

import sympy
from sympy import ImmutableDenseMatrix as Matrix

from routh.errors import DeclarationError, a_kind, in_line, quoted
from routh.language.calculus import as_vector, ddt, diff, dot, expression, norm2
from routh.language.domains import integral
from routh.language.fields import Field, Space
from routh.language.matter.body import Body
from routh.language.rotations import Rotation, angular_velocity, checked_rotation, rotation
from routh.language.symbols import Coordinate, Input, t
from routh.language.walk import leaves


def rigid_body(mass: object, inertia: object = None, r: object = None, R: object = None) -> sympy.Expr:
    """The kinetic energy of a rigid body, of its centre of mass and about it.

    It is `rigid_body(mass, inertia, r, R)`, or `rigid_body(body, r, R)` of a `Body` that knows its mass
    and inertia. Koenig's theorem: T = m |c'|^2 / 2 + omega . I omega / 2, c being the centre of mass.

    Arguments:
        mass: its mass, or a `Body`, for which `inertia` is not given.
        inertia: in the plane the moment of inertia about the centre of mass; in space the three
            principal ones, or the 3 x 3 tensor, about the centre of mass along body axes.
        r: the position of the centre of mass, two or three components; of a `Body` the position of the
            origin of its axes.
        R: in the plane the angle of the body; in space its rotation matrix.

    In natural coordinates the energy of rotation is written with their rates, tr(R' E R'^T)/2 with
    E = tr(I)/2 - I, so that the mass matrix is constant; else with the angular velocity.

    Example:
        >>> from routh import coordinates, parameters, vector
        >>> (x, y, phi), (m, J) = coordinates("x y phi"), parameters("m J")
        >>> rigid_body(m, J, vector(x, y), phi)
        J*phi'**2/2 + m*(x'**2 + y'**2)/2
        >>> from routh.models import rigid
        >>> rigid_body(rigid.disc(2, mass=m), vector(x, y), phi)
        m*phi'**2 + m*(x'**2 + y'**2)/2
    """
    if isinstance(mass, Body):
        return _moving_body(mass, [x for x in (inertia, r, R) if x is not None])
    if inertia is None or r is None or R is None:
        raise DeclarationError(
            "rigid_body needs mass, inertia, r and R, or a Body, r and R, as"
            " rigid_body(models.rigid.disc(a, mass=m), r, phi). Got"
            f" {sum(x is not None for x in (mass, inertia, r, R))} arguments, {a_kind(mass)} first."
        )
    centre = as_vector(r, "The centre of mass of a body")
    m = expression(mass, "The mass of a body")
    varying = sorted((s for s in leaves([m]) if isinstance(s, (Coordinate, Input)) or s == t), key=str)
    if varying:
        raise DeclarationError(
            f"The mass of a body depends on {quoted(varying)}, so it must be said what its change"
            " keeps. Use variable_mass(mass, r, accretion=...) for the part that changes."
        )
    moving = m / 2 * norm2(ddt(centre))
    if not isinstance(R, sympy.MatrixBase):
        if centre.rows == 3:
            raise DeclarationError(
                'A body in space needs its rotation as a 3 x 3 matrix, like rotation_matrix("R").'
                f" Got {in_line(R)}."
            )
        if centre.rows != 2:
            raise DeclarationError(
                "The centre of mass of a body has two components in the plane, and three in space. Got"
                f" {centre.rows}."
            )
        angle = expression(R, "The angle of a body")
        return moving + expression(inertia, "The moment of inertia in the plane") / 2 * ddt(angle) ** 2
    matrix = checked_rotation(R)
    if centre.rows != 3:
        raise DeclarationError(
            f"A body that turns in space needs a centre of mass of three components. Got {centre.rows}."
        )
    tensor = inertia_tensor(inertia)
    if isinstance(matrix, Rotation) and len(matrix.coordinates) == 9:
        euler = tensor.trace() / 2 * sympy.eye(3) - tensor
        rate = ddt(Matrix(matrix))
        turning = (rate * euler * rate.T).trace() / 2
    else:
        w = angular_velocity(matrix)
        turning = dot(w, Matrix(tensor * w)) / 2
    return moving + turning


def _moving_body(body: Body, where: list[Any]) -> sympy.Expr:
    """The kinetic energy of a body whose origin is at a place, and which is turned."""
    if len(where) != 2:
        raise DeclarationError(
            "rigid_body(body, r, R) takes the place of the body's origin and its angle or rotation, and"
            f" has mass and inertia from the body. Got {len(where)} arguments beside the body."
        )
    origin, R = as_vector(where[0], "The origin of a body"), where[1]
    if isinstance(R, sympy.MatrixBase):
        centre = Matrix([*body.centre, 0]) if body.flat else body.centre
        return rigid_body(body.mass, body.inertia, Matrix(origin + Matrix(R) * centre), R)
    if origin.rows != 2:
        raise DeclarationError(
            f"A body that turns by an angle moves in the plane: its origin has two components. Got"
            f" {origin.rows}. In space give its rotation matrix."
        )
    out = Matrix(rotation(R) * Matrix(body.centre[:2]))
    return rigid_body(body.mass, body.inertia[2, 2], Matrix(origin + out), R)


def inertia_tensor(inertia: Any) -> Matrix:
    """The inertia tensor, 3 x 3, of three principal moments or of a symmetric matrix.

    Example:
        >>> inertia_tensor((1, 2, 3)).tolist()
        [[1, 0, 0], [0, 2, 0], [0, 0, 3]]
    """
    given = inertia.tolist() if hasattr(inertia, "tolist") else inertia
    rows = list(given) if isinstance(given, (list, tuple)) else []
    nested = [list(row) for row in rows if isinstance(row, (list, tuple))]
    if len(nested) == 3 and {len(row) for row in nested} == {1}:
        rows, nested = [row[0] for row in nested], []
    if len(rows) == 3 and not nested:
        return Matrix(sympy.diag(*(expression(I, "A moment of inertia") for I in rows)))
    if len(nested) == 3 and {len(row) for row in nested} == {3}:
        tensor = Matrix([[expression(I, "A moment of inertia") for I in row] for row in nested])
        if tensor != tensor.T:
            raise DeclarationError(f"An inertia tensor is symmetric. Got {tensor.tolist()}.")
        return tensor
    raise DeclarationError(
        "The inertia of a body in space is three principal moments, like (J1, J2, J3), or a symmetric"
        f" 3 x 3 matrix. Got {in_line(given)}."
    )


def spring(stiffness: object, a: object, b: object = 0, *, rest: object = 0) -> sympy.Expr:
    """The potential energy of a spring between two points, or of a torsion spring between two angles.

    Arguments:
        stiffness: force per length, or torque per angle.
        a: a point as a vector, or an angle.
        b: the other point, or the other angle; the origin or zero if not given.
        rest: the length or the angle without force.

    Example:
        >>> from routh import coordinate, parameters
        >>> theta, (c, l) = coordinate("theta"), parameters("c l")
        >>> spring(c, theta, rest=1)
        c*(theta - 1)**2/2
    """
    k = expression(stiffness, "The stiffness of a spring")
    length = expression(rest, "The length of a spring at rest")
    if not _is_point(a, b):
        return k / 2 * (_angle(a) - _angle(b) - length) ** 2
    square = norm2(_between(a, b))
    if length == 0:
        return k / 2 * square
    return k / 2 * (sympy.sqrt(square) - length) ** 2


def damper(viscosity: object, a: object, b: object = 0) -> sympy.Expr:
    """The Rayleigh function of a damper between two points, or between two angles.

    It resists the rate of the distance (or of the angle) with a force of so much per speed; it belongs
    into `dissipation`.

    Example:
        >>> from routh import coordinate, parameter, vector
        >>> x, c = coordinate("x"), parameter("c")
        >>> damper(c, vector(0, 0), vector(1 + x, 0))
        c*x'**2/2
    """
    c = expression(viscosity, "The viscosity of a damper")
    if not _is_point(a, b):
        return c / 2 * ddt(_angle(a) - _angle(b)) ** 2
    line = _between(a, b)
    return c / 2 * dot(line, ddt(line)) ** 2 / norm2(line)


def _is_point(a: object, b: object) -> bool:
    points = [isinstance(each, (sympy.MatrixBase, list, tuple)) or getattr(each, "ndim", 0) == 1
              for each in (a, b)]  # fmt: skip
    if points[0] and not points[1] and _is_zero(b):
        return True
    if points[0] != points[1]:
        raise DeclarationError(f"Expected two points or two angles. Got {in_line(a)} and {in_line(b)}.")
    return points[0]


def _is_zero(value: object) -> bool:
    return isinstance(value, (int, float)) and value == 0


def _between(a: object, b: object) -> Matrix:
    start = as_vector(a, "An end")
    end = Matrix([0] * start.rows) if _is_zero(b) else as_vector(b, "An end")
    if start.rows != end.rows:
        raise DeclarationError(
            f"The ends must have equally many components. Got {start.rows} and {end.rows}."
        )
    line = Matrix(start - end)
    if line.is_zero_matrix:
        raise DeclarationError(f"The two ends must be different points. Got {list(start)} twice.")
    return line


def _angle(value: object) -> sympy.Expr:
    return expression(value, "An angle")


Energies = tuple[sympy.Expr, sympy.Expr]
"""A kinetic and a potential energy."""


def string(w: Field, mass: object, tension: object) -> Energies:
    """The kinetic and the potential energy of a string that moves across its tension.

    Arguments:
        w: its deflection.
        mass: mass per length; like every property here it may vary along the space.
        tension: the force it is stretched by.

    Example:
        >>> from routh import field, parameters, space
        >>> L, rho, k = parameters("L rho k")
        >>> s = space("s", 0, L)
        >>> w = field("w", s)
        >>> kinetic, potential = string(w, rho, k)
        >>> potential
        Integral(k*w_s**2/2, (s, 0, L))
    """
    s = _space_of(w)
    m, N = _property(mass, "mass per length", s), _property(tension, "tension", s)
    return _integral(m / 2 * ddt(w) ** 2, s), _integral(N / 2 * diff(w, s) ** 2, s)


def rod(u: Field, mass: object, stiffness: object) -> Energies:
    """The energies of a rod that is stretched: mass per length and EA.

    Example:
        >>> from routh import field, parameters, space
        >>> L, rho, k = parameters("L rho k")
        >>> s = space("s", 0, L)
        >>> w = field("w", s)
        >>> rod(w, rho, k)[0]
        Integral(rho*w_t**2/2, (s, 0, L))
    """
    s = _space_of(u)
    m, EA = _property(mass, "mass per length", s), _property(stiffness, "stiffness EA", s)
    return _integral(m / 2 * ddt(u) ** 2, s), _integral(EA / 2 * diff(u, s) ** 2, s)


def shaft(phi: Field, inertia: object, stiffness: object) -> Energies:
    """The energies of a shaft that is twisted: moment of inertia per length and GJ.

    Example:
        >>> from routh import field, parameters, space
        >>> L, J, k = parameters("L J k")
        >>> s = space("s", 0, L)
        >>> phi = field("phi", s)
        >>> shaft(phi, J, k)[1]
        Integral(k*phi_s**2/2, (s, 0, L))
    """
    s = _space_of(phi)
    J, GJ = _property(inertia, "inertia per length", s), _property(stiffness, "stiffness GJ", s)
    return _integral(J / 2 * ddt(phi) ** 2, s), _integral(GJ / 2 * diff(phi, s) ** 2, s)


def euler_bernoulli(
    w: Field, mass: object, stiffness: object, *, axial: object = 0, rotary: object = 0
) -> Energies:
    """The energies of a slender beam that bends.

    Arguments:
        w: its deflection.
        mass: mass per length.
        stiffness: EI.
        axial: the tension along it, a number or an expression in the space; negative for a load that
            compresses. It stores `axial * w_s**2 / 2`.
        rotary: moment of inertia of the cross section per length, which makes it Rayleigh's beam.

    Example:
        >>> from routh import field, parameters, space
        >>> L, rho, EI = parameters("L rho EI")
        >>> w = field("w", space("s", 0, L))
        >>> euler_bernoulli(w, rho, EI)[1]
        Integral(EI*w_ss**2/2, (s, 0, L))
    """
    s = _space_of(w)
    m, EI, N, J = (
        _property(value, what, s)
        for value, what in (
            (mass, "mass per length"),
            (stiffness, "stiffness EI"),
            (axial, "axial force"),
            (rotary, "rotary inertia per length"),
        )
    )
    moving = m / 2 * ddt(w) ** 2 + J / 2 * ddt(diff(w, s)) ** 2
    return _integral(moving, s), _integral(EI / 2 * diff(w, s, 2) ** 2 + N / 2 * diff(w, s) ** 2, s)


def rayleigh(
    w: Field, mass: object, stiffness: object, rotary: object, *, axial: object = 0
) -> Energies:
    """The energies of a beam that bends, with the inertia of its turning cross sections.

    Example:
        >>> from routh import field, parameters, space
        >>> L, rho, EI, J = parameters("L rho EI J")
        >>> s = space("s", 0, L)
        >>> w = field("w", s)
        >>> rayleigh(w, rho, EI, J)[0]
        Integral(J*w_ts**2/2 + rho*w_t**2/2, (s, 0, L))
    """
    return euler_bernoulli(w, mass, stiffness, axial=axial, rotary=rotary)


def timoshenko(
    w: Field,
    psi: Field,
    mass: object,
    stiffness: object,
    rotary: object,
    shear: object,
    *,
    axial: object = 0,
) -> Energies:
    """The energies of a thick beam that bends and shears.

    Arguments:
        w: its deflection.
        psi: the angle by which its cross sections turn, a field over the same space.
        mass: mass per length.
        stiffness: EI, against the bending `psi_s`.
        rotary: moment of inertia of the cross section per length.
        shear: k G A, against the shear angle `w_s - psi`.
        axial: the tension along it.

    Example:
        >>> from routh import field, parameters, space
        >>> L, rho, EI, J, kGA = parameters("L rho EI J kGA")
        >>> s = space("s", 0, L)
        >>> w = field("w", s)
        >>> psi = field("psi", s)
        >>> timoshenko(w, psi, rho, EI, J, kGA)[1]
        Integral(EI*psi_s**2/2 + kGA*(-psi + w_s)**2/2, (s, 0, L))
    """
    s = _space_of(w)
    if psi == w:
        raise DeclarationError(f"The angle of a beam is another field than its deflection `{w}`.")
    if _space_of(psi) != s:
        raise DeclarationError(
            f"The deflection `{w}` and the angle `{psi}` of a beam are fields over one space. Got"
            f" `{s}` and `{psi.space}`."
        )
    m, EI, J, kGA, N = (
        _property(value, what, s)
        for value, what in (
            (mass, "mass per length"),
            (stiffness, "stiffness EI"),
            (rotary, "rotary inertia per length"),
            (shear, "shear stiffness"),
            (axial, "axial force"),
        )
    )
    moving = m / 2 * ddt(w) ** 2 + J / 2 * ddt(psi) ** 2
    strained = EI / 2 * diff(psi, s) ** 2 + kGA / 2 * (diff(w, s) - psi) ** 2
    return _integral(moving, s), _integral(strained + N / 2 * diff(w, s) ** 2, s)


def foreshortening(*deflections: Field) -> sympy.Expr:
    """How far a point of an inextensible beam moves along it when the beam bends: -int w_s^2 / 2.

    To second order in the slopes of one deflection, or of two across each other. Put into the position
    of the beam, as in `vector(R + s + foreshortening(w), w)`, it brings centrifugal stiffening about.

    Example:
        >>> from routh import field, parameter, space
        >>> s = space("s", 0, parameter("L"))
        >>> foreshortening(field("w", s))
        -Integral(w_s**2/2, (s, 0, s))
    """
    if not deflections:
        raise DeclarationError("foreshortening(w) needs the deflection of a beam. Got none.")
    s = _space_of(deflections[0])
    return -integral(sympy.Add(*(diff(w, s) ** 2 for w in deflections)) / 2, s, upto=s)


def _space_of(w: object) -> Space:
    if not isinstance(w, Field) or w.order or w.slope or w.end is not None:
        raise DeclarationError(
            f'A body is described by a field, as w = field("w", s) makes it. Got {w!r}.'
        )
    return w.space


def _property(value: object, what: str, s: Space) -> sympy.Expr:
    """A property along a body: an expression in its space, parameters, inputs and time."""
    found = expression(value, f"The {what}")
    other = [x for x in leaves([found]) if isinstance(x, Space) and x != s]
    if other:
        raise DeclarationError(f"The {what} varies along `{other[0]}`. Expected `{s}`.")
    return found


def _integral(density: sympy.Expr, s: Space) -> sympy.Expr:
    found: sympy.Expr = integral(density, s)
    return found
