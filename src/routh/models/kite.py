"""Kites: a point with lift and drag, and a rigid body with forces and moments in body axes.

Space axes have z upwards. Body axes are those of aircraft: x forwards, y to the right, z downwards; a
rotation matrix takes body axes to space axes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy
from sympy import ImmutableDenseMatrix as Matrix

from routh.energies import inertia_tensor, rigid_body
from routh.errors import DeclarationError, a_kind
from routh.language.calculus import as_vector, cross, ddt, expression, norm2, vector
from routh.language.forces import force, torque
from routh.language.intermediates import let
from routh.language.requirements import Requirement
from routh.language.rotations import Rotation, angular_velocity, checked_rotation
from routh.models.amounts import amounts
from routh.models.parts import Parts

APPARENT = "apparent_wind"
"""The name of the speed of the air that meets a kite, in expressions and messages."""


def wind(
    height: object,
    speed: object,
    *,
    reference: object = 10,
    exponent: object = None,
    roughness: object = None,
) -> Matrix:
    """The wind at a height, along x, by one of the two laws of its shear.

    A power law, `speed (height/reference)^exponent`, or with a `roughness` the logarithmic law,
    `speed log(height/roughness)/log(reference/roughness)`, which is zero at the height of the
    roughness. Both are laws of heights above the ground.

    Arguments:
        height: where.
        speed: at the reference height.
        reference: that height.
        exponent: of the power law; 0.143, that of open land, where neither is given.
        roughness: the roughness length of the ground, 0.03 m or so over grass.

    Example:
        >>> wind(20, 8, reference=10, exponent=0.2).T.evalf(4)
        Matrix([[9.19, 0, 0]])
        >>> wind(100, 8, reference=10, roughness=0.1).T.evalf(4)
        Matrix([[12.0, 0, 0]])
    """
    if exponent is not None and roughness is not None:
        raise DeclarationError(
            "A wind grows by a power of the height, with an `exponent`, or by its logarithm, with a"
            f" `roughness`. Got both, {exponent} and {roughness}."
        )
    z, v = expression(height, "The height"), expression(speed, "The speed of the wind")
    h = expression(reference, "`reference`")
    _above_ground(height=z, reference=h)
    if roughness is None:
        a = expression(0.143 if exponent is None else exponent, "`exponent`")
        return vector(v * (z / h) ** a if a != 0 else v, 0, 0)
    z0 = expression(roughness, "`roughness`")
    _above_ground(roughness=z0)
    if z0.is_number and h.is_number and not z0 < h:
        raise DeclarationError(
            f"The `reference` height of a wind must be above its `roughness`. Got {h} and {z0}."
        )
    return vector(v * sympy.log(z / z0) / sympy.log(h / z0), 0, 0)


def _above_ground(**heights: sympy.Expr) -> None:
    for name, given in heights.items():
        if given.is_number and not (given.is_real and given.is_finite and given > 0):
            raise DeclarationError(
                f"Laws of the wind are for heights above the ground: `{name}` must be positive. Got"
                f" {given}."
            )


def point_mass(
    r: Any,
    *,
    mass: object,
    area: object,
    density: object,
    lift: object,
    drag: object,
    gravity: object,
    wind: Any = None,
    roll: object = 0,
    towards: Any = None,
    name: str = APPARENT,
) -> Parts:
    """A kite as a point: it rolls about the apparent wind to turn its lift.

    The drag acts along the apparent wind, the lift across it, away from the tether and turned by
    `roll` about the apparent wind: `rho A c V^2 / 2` each. The lift turns about the axis across the
    apparent wind and the tether. Where the one lies along the other the direction of the lift is not
    defined: motions stop there, and say so of `apparent_wind_lift_axis`.

    Arguments:
        r: its position, three components.
        mass: its mass.
        area: of its wing.
        density: of the air.
        lift: coefficient, which may contain inputs.
        drag: coefficient.
        gravity: acceleration downwards.
        wind: the velocity of the air; none if not given.
        roll: the angle by which the lift is turned, an input or a law.
        towards: the direction from the tether to the kite; the position if not given.
        name: of the speed of the apparent wind, where there are several kites.

    Example:
        >>> import routh as rt
        >>> x, y, z = rt.coordinates("x y z")
        >>> r = rt.vector(x, y, z)
        >>> parts = point_mass(
        ...     r, mass=1, area=2, density=1.2, lift=0.8, drag=0.1, gravity=9.81, wind=wind(z, 8)
        ... )
        >>> parts.potential, len(parts.forces)
        ((9.81*z,), 1)
    """
    place = _in_space(r, "The position of a kite")
    own = amounts("a kite", {"area": area}, {"mass": mass, "density": density, "drag": drag})
    m, A, rho, CD = (own[name] for name in ("mass", "area", "density", "drag"))
    CL = expression(lift, "`lift`")
    air = vector(0, 0, 0) if wind is None else _in_space(wind, "The `wind` of a kite")
    outwards = place if towards is None else _in_space(towards, "The direction `towards` a kite")
    apparent = let(f"{name}_vector", air - ddt(place))
    V = let(name, sympy.sqrt(norm2(apparent)))
    sideways = let(f"{name}_lift_axis", cross(apparent, outwards))
    side = sideways / sympy.sqrt(norm2(sideways))
    up = cross(side, apparent) / V
    angle = expression(roll, "`roll`")
    direction = sympy.cos(angle) * up + sympy.sin(angle) * side
    push = rho * A / 2 * (CD * V * apparent + CL * V**2 * direction)
    return Parts(
        kinetic=(m / 2 * norm2(ddt(place)),),
        potential=(m * expression(gravity, "`gravity`") * place[2],),
        forces=(force(Matrix(push), at=place),),
        requirements=own.requirements,
    )


def _in_space(value: object, what: str) -> Matrix:
    """A vector of three components."""
    found = as_vector(value, what)
    if found.rows != 3:
        raise DeclarationError(f"{what} has three components: a kite flies in space. Got {found.rows}.")
    return found


@dataclass(frozen=True)
class Aerodynamics:
    """Coefficients of a rigid kite, in the notation of Beard and McLain (2012).

    `CL = CL0 + CLa alpha`, `CD = CD0 + CL^2/(pi e aspect)`; side force and moments are linear in the
    angles of attack and sideslip and in the rates, with elevator, aileron and rudder.

    Example:
        >>> Aerodynamics(CL0=0.3, CLa=4.5, CD0=0.03).CLa
        4.5
    """

    CL0: Any = 0
    CLa: Any = 0
    CLe: Any = 0
    CD0: Any = 0
    efficiency: Any = 1
    CYb: Any = 0
    CYp: Any = 0
    CYr: Any = 0
    CYr_rudder: Any = 0
    Clb: Any = 0
    Clp: Any = 0
    Clr: Any = 0
    Cla_aileron: Any = 0
    Clr_rudder: Any = 0
    Cm0: Any = 0
    Cma: Any = 0
    Cmq: Any = 0
    Cme: Any = 0
    Cnb: Any = 0
    Cnp: Any = 0
    Cnr: Any = 0
    Cna_aileron: Any = 0
    Cnr_rudder: Any = 0


AEROSONDE = Aerodynamics(
    CL0=0.28, CLa=3.45, CLe=-0.36, CD0=0.0437, efficiency=0.9,
    CYb=-0.98, CYr_rudder=-0.17,
    Clb=-0.12, Clp=-0.26, Clr=0.14, Cla_aileron=0.08, Clr_rudder=0.105,
    Cm0=-0.02338, Cma=-0.38, Cmq=-3.6, Cme=-0.5,
    Cnb=0.25, Cnp=0.022, Cnr=-0.35, Cna_aileron=0.06, Cnr_rudder=-0.032,
)  # fmt: skip
"""The Aerosonde, a small unmanned aircraft (R. Beard, T. McLain, Small Unmanned Aircraft, 2012,
appendix E): mass 13.5 kg, area 0.55 m^2, span 2.8956 m, chord 0.18994 m, moments of inertia 0.8244,
1.135 and 1.759 kg m^2."""


def rigid(
    r: Any,
    R: Any,
    *,
    mass: object,
    inertia: Any,
    area: object,
    span: object,
    chord: object,
    density: object,
    coefficients: Aerodynamics,
    gravity: object,
    wind: Any = None,
    elevator: object = 0,
    aileron: object = 0,
    rudder: object = 0,
    name: str = APPARENT,
) -> Parts:
    """A kite as a rigid body: lift, drag, side force and moments in body axes.

    Arguments:
        r: the position of its centre of mass.
        R: its rotation, from body axes to space: by angles, by a quaternion or in natural coordinates
            (`rotation_matrix`), whose constraints come along.
        mass: its mass.
        inertia: three principal moments, or the tensor, along body axes.
        area: of its wing.
        span: of its wing.
        chord: of its wing.
        density: of the air.
        coefficients: like `AEROSONDE`.
        gravity: acceleration downwards.
        wind: the velocity of the air; none if not given.
        elevator: an angle, an input or a law.
        aileron: likewise.
        rudder: likewise.
        name: of the speed of the apparent wind, where there are several kites.

    Example:
        >>> import routh as rt
        >>> x, y, z = rt.coordinates("x y z")
        >>> r = rt.vector(x, y, z)
        >>> R = rt.rotation_matrix("R")
        >>> parts = rigid(
        ...     r, R, mass=13.5, inertia=(0.82, 1.14, 1.76), area=0.55, span=2.9, chord=0.19,
        ...     density=1.27, coefficients=AEROSONDE, gravity=9.81, wind=wind(z, 30)
        ... )
        >>> parts.potential, len(parts.constraints)
        ((132.435*z,), 6)
    """
    place = _in_space(r, "The position of a kite")
    turned = Matrix(checked_rotation(R))
    if not isinstance(coefficients, Aerodynamics):
        raise DeclarationError(
            "`coefficients` are Aerodynamics(CL0=0.3, CLa=4.5, CD0=0.03, ...), or kite.AEROSONDE. Got"
            f" {a_kind(coefficients)}."
        )
    sizes = {"area": area, "span": span, "chord": chord}
    own = amounts("a kite", sizes, {"mass": mass, "density": density})
    tensor, moments = _moments(inertia)
    m, S, b, c, rho = (own[name] for name in ("mass", "area", "span", "chord", "density"))
    air = vector(0, 0, 0) if wind is None else _in_space(wind, "The `wind` of a kite")
    through = let(f"{name}_body", Matrix(turned.T * (ddt(place) - air)))
    u, v, w = through
    V = let(name, sympy.sqrt(norm2(through)))
    alpha = let(f"{name}_attack", sympy.atan2(w, u))
    beta = let(f"{name}_sideslip", sympy.asin(v / V))
    p, q, s = let(f"{name}_spin", angular_velocity(R))
    e, a, d = (expression(x, "A control of a kite") for x in (elevator, aileron, rudder))
    k = coefficients
    CL = let(f"{name}_lift", k.CL0 + k.CLa * alpha + k.CLe * e)
    CD = k.CD0 + CL**2 * S / (sympy.pi * k.efficiency * b**2)
    pressure = rho * V**2 * S / 2
    lateral = b / (2 * V)
    X = pressure * (-CD * sympy.cos(alpha) + CL * sympy.sin(alpha))
    Y = pressure * (k.CYb * beta + lateral * (k.CYp * p + k.CYr * s) + k.CYr_rudder * d)
    Z = pressure * (-CD * sympy.sin(alpha) - CL * sympy.cos(alpha))
    rolling = k.Clb * beta + lateral * (k.Clp * p + k.Clr * s) + k.Cla_aileron * a + k.Clr_rudder * d
    pitching = k.Cm0 + k.Cma * alpha + k.Cmq * c / (2 * V) * q + k.Cme * e
    yawing = k.Cnb * beta + lateral * (k.Cnp * p + k.Cnr * s) + k.Cna_aileron * a + k.Cnr_rudder * d
    moment = Matrix([b * rolling, c * pitching, b * yawing]) * pressure
    turning = torque(Matrix(turned * moment), turned)
    assert isinstance(turning, tuple)
    return Parts(
        kinetic=(rigid_body(m, tensor, place, R),),
        potential=(m * expression(gravity, "`gravity`") * place[2],),
        forces=(force(Matrix(turned * Matrix([X, Y, Z])), at=place), *turning),
        constraints=R.constraints if isinstance(R, Rotation) else (),
        requirements=(*own.requirements, *moments),
    )


FLAT = 1e-9
"""Share by which rounding may lift a moment of inertia of a flat body above the sum of the others."""


def _moments(inertia: Any) -> tuple[Matrix, tuple[Requirement, ...]]:
    """The inertia tensor of a kite, as matter can have it, and what its parameters must keep.

    No principal moment is negative, and none is larger than both others together.
    """
    tensor = inertia_tensor(inertia)
    names = ("Ixx", "Iyy", "Izz")
    own = amounts("a kite", {}, {name: tensor[k, k] for k, name in enumerate(names)})
    if all(e.is_number for e in tensor):
        least, middle, largest = np.linalg.eigvalsh(np.array(tensor.tolist(), dtype=float))
        if least < -FLAT * largest or largest > (1 + FLAT) * (least + middle):
            raise DeclarationError(
                "Of principal moments of inertia none is negative, and none is larger than both others"
                f" together. Got {least:.6g}, {middle:.6g} and {largest:.6g}."
            )
    return tensor, own.requirements


def carousel(angle: object, radius: object, height: object = 0) -> tuple[Matrix, Matrix]:
    """The end of a turning arm, and the rotation that takes vectors of its frame to space.

    Written in the frame of the arm, a kite that goes round with it is at rest: `equilibrium` trims it.

    Arguments:
        angle: of the arm: Omega*t, an input, or a coordinate where the drive is modelled.
        radius: of the arm.
        height: of its end.

    Example:
        >>> import routh as rt
        >>> angle = rt.parameter("angle")
        >>> end, turn = carousel(angle, 2, 1)
        >>> end.T
        Matrix([[2*cos(angle), 2*sin(angle), 1]])
    """
    psi = expression(angle, "The angle of the arm")
    cos, sin = sympy.cos(psi), sympy.sin(psi)
    turn = Matrix([[cos, -sin, 0], [sin, cos, 0], [0, 0, 1]])
    arm = vector(expression(radius, "`radius`"), 0, expression(height, "`height`"))
    return Matrix(turn * arm), turn
