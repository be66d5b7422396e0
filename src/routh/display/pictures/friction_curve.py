"""The picture of a contact: what holds at rest, and what brakes, over the slip velocity."""

from __future__ import annotations

import numpy as np
import sympy

from routh.display.colours import MODES
from routh.display.pictures.style import Axes, finished, fresh
from routh.errors import DeclarationError, quoted
from routh.language.contact.friction import Friction
from routh.language.symbols import Parameter
from routh.language.walk import leaves

POINTS = 400
"""Speeds at which a curve is drawn, on each side."""

WIDTHS = 5
"""Stribeck's speeds, or units of speed where there is none, that are drawn."""


def friction_curve(contact: Friction, axes: Axes | None) -> Axes:
    """The force over the slip velocity; per normal force, where that is none of the contact's own."""
    speed = sympy.Dummy("s", positive=True)
    law, held, upwards = _in_numbers(contact, speed)
    last = WIDTHS * _width(contact)
    speeds = np.linspace(0, last, POINTS)
    forces = np.array([float(law.xreplace({speed: sympy.Float(s)})) for s in speeds])
    axes = fresh(axes)
    axes.plot(speeds, forces, color=MODES[0], linewidth=1.4, label="slips")
    axes.plot(-speeds, -forces, color=MODES[0], linewidth=1.4)
    axes.plot([0, 0], [-held, held], color="#222222", linewidth=2, label="sticks")
    axes.axhline(0, color="#999999", linewidth=0.6)
    axes.annotate("static", (0, held), xytext=(6, 2), textcoords="offset points")
    axes.annotate("kinetic", (last, forces[-1]), xytext=(-40, -12), textcoords="offset points")
    axes.set_xlabel("slip velocity")
    axes.set_ylabel(upwards)
    axes.legend(frameon=False, fontsize=8)
    return finished(axes, str(contact))


def _in_numbers(contact: Friction, speed: sympy.Symbol) -> tuple[sympy.Expr, float, str]:
    """The law, the largest at rest, and what they are: forces, or shares of the normal force."""
    law, held = (_with_defaults(e) for e in (contact.law(speed), contact.static))
    upwards = "force against the slip"
    if contact.normal is not None and leaves([law, held]) - {speed}:
        shares = contact.shares(speed)
        held, law = (_with_defaults(e) for e in shares)
        upwards = "force against the slip / normal force"
    lacking = sorted(leaves([law, held]) - {speed}, key=str)
    if lacking:
        raise DeclarationError(
            f"The curve of {contact} contains {quoted(lacking)}, of which no numbers are known. Give"
            f" defaults, like parameter({str(lacking[0])!r}, 0.3)."
        )
    return law, float(held), upwards


def _with_defaults(value: sympy.Expr) -> sympy.Expr:
    known = {
        s: sympy.Float(s.default)
        for s in leaves([value])
        if isinstance(s, Parameter) and s.default is not None
    }
    return value.xreplace(known)


def _width(contact: Friction) -> float:
    """A speed over which the curve has its shape."""
    given = dict(contact.curve or ()).get("stribeck")
    width = sympy.S.One if given is None else _with_defaults(given)
    return float(width) if width.is_number else 1.0
