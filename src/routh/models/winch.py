"""Winches: a drum that turns as its tether is reeled, with what is still wound up on it.

The length l that is outside is a coordinate, or made of some, and the drum of radius R turns with l'/R.
A torque is positive where it reels out; a generator that is turned by the pull of the tether has a
negative one, and delivers `-torque l'/R`.
"""

from __future__ import annotations

import sympy

from routh.errors import DeclarationError, shortened
from routh.language.calculus import ddt, expression
from routh.language.events import Event, event
from routh.language.requirements import Requirement
from routh.language.symbols import Coordinate
from routh.language.walk import leaves
from routh.models.amounts import amounts, changes, length_of
from routh.models.parts import Parts
from routh.models.reeling import along_length

WOUND = "What is wound up on a drum"
RUN_OUT = "the tether has run out, and nothing of it is wound up on the drum any more"


def drum(
    length: object,
    *,
    radius: object,
    inertia: object,
    torque: object = 0,
    damping: object = 0,
    density: object = 0,
    whole: object = None,
) -> Parts:
    """A drum whose rotation reels a tether, `inertia l'^2/(2 R^2)`, with its motor or generator.

    With `density` and `whole`, what is wound up moves with l' too: its inertia is that of `density
    (whole - length)`, and what is reeled out leaves it with the velocity that it has. Together with
    `tether.segmented` of that density no mass is made or lost. The drum stands still but for turning.
    Where nothing is wound up any more the tether has run out: motions end there (`Status.OUTSIDE`),
    and there is no rest beyond.

    Arguments:
        length: of the tether outside: a coordinate, or an expression in some.
        radius: of the drum.
        inertia: its moment of inertia, without the tether.
        torque: of its motor, positive where it reels out; a number, an input or a law.
        damping: torque per angular velocity in its bearings.
        density: of the tether, mass per length.
        whole: the length of the whole tether, outside and wound up.

    Example:
        >>> import routh as rt
        >>> l, torque = rt.coordinate("l"), rt.input("torque")
        >>> parts = drum(l, radius=2, inertia=12, torque=torque)
        >>> parts.kinetic, parts.power
        ((3*l'**2/2,), torque*l'/2)
    """
    size, M = length_of(length)["length"], expression(torque, "`torque`")
    if not any(isinstance(s, Coordinate) for s in leaves([size])):
        raise DeclarationError(
            "The length that a drum reels must be a coordinate, or made of some, so that its torque has"
            f" something to turn. Got {shortened(size)}. Where a length is prescribed, the tether alone"
            " is enough."
        )
    own = amounts(
        "a drum",
        {"radius": radius} if whole is None else {"radius": radius, "whole": whole},
        {"inertia": inertia, "damping": damping, "density": density},
        constant=("inertia", "density", "whole"),
    )
    R, J, c, rho = (own[name] for name in ("radius", "inertia", "damping", "density"))
    if (whole is None) != (rho == 0):
        raise DeclarationError(
            "What is wound up has the `density` of the tether, and the `whole` tether has a length."
            " Give both, or none where the tether has no mass."
        )
    rate = ddt(size)
    left = sympy.S.Zero if whole is None else own["whole"] - size
    end = () if whole is None else (Requirement(left, WOUND, strict=False, then=RUN_OUT),)
    # T of the wound mass m(l) would have Lagrange's m' l'^2/2: its material keeps its speed instead
    return Parts(
        kinetic=((J / R**2 + rho * left) / 2 * rate**2,),
        dissipation=() if c == 0 else (c / 2 * (rate / R) ** 2,),
        forces=(*along_length(M / R, size), *along_length(-rho / 2 * rate**2, size)),
        requirements=(*own.requirements, *end),
    )


def reeled_in(length: object, least: object = 0) -> Event:
    """The event that ends a motion where a tether has become as short as it may.

    A tether without length has no direction: motions must end before. Give it to
    `simulate(..., events=...)`.

    Example:
        >>> import routh as rt
        >>> reeled_in(rt.coordinate("l"), 10).expression
        l - 10
    """
    size, shortest = _reeled(length), amounts("a tether", {}, {"least": least})["least"]
    return event(size - shortest, direction=-1, stop=True, name=f"reeled in to {shortest}")


def reeled_out(length: object, most: object) -> Event:
    """The event that ends a motion where a tether has become as long as it may.

    Example:
        >>> import routh as rt
        >>> reeled_out(rt.coordinate("l"), 200).direction
        1
    """
    size, longest = _reeled(length), amounts("a tether", {"most": most})["most"]
    return event(size - longest, direction=1, stop=True, name=f"reeled out to {longest}")


def _reeled(length: object) -> sympy.Expr:
    size = length_of(length)["length"]
    if not changes(size):
        raise DeclarationError(
            f"A tether that is reeled has a length that changes. Got {shortened(size)}, a constant."
        )
    return size
