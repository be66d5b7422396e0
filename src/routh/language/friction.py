"""Dry friction: contacts that stick or slip, with a force that is a set of values at rest."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import sympy

from routh.errors import DeclarationError, a_kind, quoted, shortened
from routh.language.calculus import expression
from routh.language.checks import velocities
from routh.language.forces import Force, Origin, generalized_force
from routh.language.symbols import Coordinate
from routh.language.walk import leaves, unfold
from routh.shown import as_markdown

STICK = 0
"""The state of a contact is the sign of its slip velocity, and this where it has none."""

_SPEED = sympy.Dummy("speed", positive=True)


@dataclass(frozen=True)
class Friction:
    """A contact that opposes the slip velocity.

    Attributes:
        slip: the relative velocity, linear in the velocities of the system.
        static: the largest force that holds while it sticks.
        law: the force while it slips, as a function of the slip speed.
        name: shown in messages.
    """

    slip: sympy.Expr
    static: sympy.Expr
    name: str
    _law: sympy.Expr = field(repr=False)
    curve: tuple[tuple[str, sympy.Expr], ...] | None = field(repr=False, default=None)
    """The arguments of Stribeck's curve as they were given; None where a law was."""

    def law(self, speed: Any) -> sympy.Expr:
        """The force of a contact that slips at this speed, above zero."""
        return self._law.xreplace({_SPEED: expression(speed, "The slip speed")})

    @property
    def slopes(self) -> dict[Coordinate, sympy.Expr]:
        """The derivatives of the slip velocity by the velocities, by coordinate."""
        written = unfold(self.slip)
        return {v.base: written.diff(v) for v in velocities(self.slip)}

    def force(self, state: int) -> list[Force]:
        """The generalized forces of a contact that slips, forwards (1) or backwards (-1)."""
        size = -state * self.law(state * self.slip)
        return self._along(size)

    def regularized(self, width: float) -> list[Force]:
        """The same as a smooth force, with slip/sqrt(slip^2 + width^2) for the sign of the slip."""
        speed = sympy.sqrt(self.slip**2 + sympy.Float(width) ** 2)
        size = -self.law(speed) * self.slip / speed
        return self._along(size)

    def _along(self, size: sympy.Expr) -> list[Force]:
        """The generalized forces of a force along the slip."""
        return [generalized_force(q, size * slope, Origin.FRICTION) for q, slope in self.slopes.items()]

    @property
    def expressions(self) -> list[sympy.Expr]:
        """All that it is made of, in symbols of the system."""
        return [self.slip, self.static, self.law(self.slip)]

    def __str__(self) -> str:
        return self.name or f"contact with slip {shortened(self.slip, 60)}"

    _repr_markdown_ = as_markdown


def friction(
    slip: object,
    *,
    static: object = None,
    kinetic: object = None,
    stribeck: object = None,
    viscous: object = 0,
    law: Callable[[Any], Any] | None = None,
    name: str = "",
) -> Friction:
    """A contact with dry friction: it sticks until its static force is exceeded, and then slips.

    Against a slip of speed s acts the force `Fc + (Fs - Fc) exp(-(s/vs)^2) + beta s`.

    Arguments:
        slip: the relative velocity in the contact, linear in velocities, like `ddt(x) - v_belt`.
        static: Fs, the largest force at rest; that of the law at no speed if not given.
        kinetic: Fc, the force of slow slip (Coulomb's); the static force if not given.
        stribeck: vs, the speed over which the force falls from static to kinetic; at once if not given.
        viscous: beta.
        law: instead of these, a function that gives the force for a slip speed above zero.
        name: shown in messages.

    Raises:
        DeclarationError: for a slip that is no velocity, or a force that is negative.

    Example:
        >>> from routh import coordinate, ddt
        >>> x = coordinate("x")
        >>> float(friction(ddt(x), static=1.5, kinetic=1, stribeck=0.1, viscous=0.4).law(2))
        1.8
    """
    rate = expression(slip, "`slip`")
    moving = velocities(rate)
    if not moving:
        raise DeclarationError(
            f"`slip` is the relative velocity in a contact, like ddt(x) - v. Got {shortened(rate)},"
            " which contains no velocity."
        )
    for v in moving:
        others = velocities(sympy.expand(unfold(rate).diff(v)))
        if others:
            raise DeclarationError(
                f"`slip` must be linear in the velocities. {quoted(others)} is left in the derivative"
                f" of {shortened(rate)} by `{v}`."
            )
    curve: tuple[tuple[str, sympy.Expr], ...] | None = None
    if law is not None:
        if kinetic is not None or stribeck is not None or viscous != 0:
            raise DeclarationError(
                "Give either `law`, or `kinetic`, `stribeck` and `viscous`. Got both."
            )
        if not callable(law):
            raise DeclarationError(
                f"`law` is a function of the slip speed, like lambda s: F/(1 + s). Got {a_kind(law)}."
            )
        sliding = expression(law(_SPEED), "What `law` gives")
        held = sliding.subs(_SPEED, 0) if static is None else expression(static, "`static`")
    else:
        sliding, held = _curve(static, kinetic, stribeck, viscous)
        words = {"static": static, "kinetic": kinetic, "stribeck": stribeck, "viscous": viscous}
        given_ = [(n, expression(e, f"`{n}`")) for n, e in words.items() if e is not None]
        curve = tuple((n, e) for n, e in given_ if not (n == "viscous" and e == 0))
    for what, given in (("static", held), ("law", sliding)):
        _refuse_negative(what, given)
    _refuse_negative("law at no speed", sliding.subs(_SPEED, 0))
    return Friction(rate, held, str(name), sliding, curve)


def _curve(
    static: object, kinetic: object, stribeck: object, viscous: object
) -> tuple[sympy.Expr, sympy.Expr]:
    """The force at a slip speed by Stribeck's curve, and the largest at rest."""
    if static is None and kinetic is None:
        raise DeclarationError(
            "friction needs `static`, the largest force at rest, or `kinetic`, that of slow slip."
        )
    Fs = expression(kinetic if static is None else static, "`static`")
    Fc = expression(static if kinetic is None else kinetic, "`kinetic`")
    beta = expression(viscous, "`viscous`")
    for what, given in (("static", Fs), ("kinetic", Fc), ("viscous", beta)):
        _refuse_negative(what, given)
    if Fs.is_number and Fc.is_number and Fs < Fc:
        raise DeclarationError(
            f"`static` must be at least `kinetic`: a contact at rest holds more. Got {Fs} and {Fc}."
        )
    peak = sympy.S.Zero
    if stribeck is not None:
        vs = expression(stribeck, "`stribeck`")
        if vs.is_number and not vs > 0:
            raise DeclarationError(f"`stribeck` is a speed above zero. Got {vs}.")
        peak = (Fs - Fc) * sympy.exp(-((_SPEED / vs) ** 2))
    return Fc + peak + beta * _SPEED, Fs


def _refuse_negative(what: str, given: sympy.Expr) -> None:
    if given.has(sympy.nan, sympy.zoo, sympy.oo, -sympy.oo, sympy.I):
        raise DeclarationError(
            f"`{what}` of friction must be finite and real, also where the slip is slow. Got {given}."
        )
    moving = [s for s in leaves([given]) if isinstance(s, Coordinate) and s.order]
    if moving:
        raise DeclarationError(
            f"`{what}` of friction must not contain velocities but by the slip speed. Got"
            f" {quoted(moving)} in {shortened(given)}."
        )
    if given.is_number and given < 0:
        raise DeclarationError(
            f"`{what}` of friction must not be negative: it would drive the slip. Got {given}."
        )


def frictions_of(given: object) -> tuple[Friction, ...]:
    """What `friction=` of a system holds."""
    if given is None:
        return ()
    several = (given,) if isinstance(given, Friction) else given
    if not isinstance(several, (list, tuple)) or not all(isinstance(c, Friction) for c in several):
        raise DeclarationError(
            f"`friction` of a system lists what friction(slip, static=...) makes. Got {a_kind(given)}."
        )
    return tuple(several)
