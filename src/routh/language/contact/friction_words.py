"""How large friction is, in words of its declaration: forces, or coefficients and a normal force."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import sympy

from routh.errors import DeclarationError, a_kind, quoted, shortened
from routh.language.calculus import expression
from routh.language.contact.reaction import reactions, refuse_nonlinear_reactions
from routh.language.symbols import Coordinate
from routh.language.walk import leaves, nodes, unfold

SPEED = sympy.Dummy("speed", 1785, positive=True)
"""The slip speed in a law; its number makes it the same in every process."""


@dataclass(frozen=True)
class Words:
    """The arguments of a declaration as they were given."""

    coefficient: object
    normal: object
    static_coefficient: object
    static: object
    kinetic: object
    stribeck: object
    viscous: object
    law: Callable[[Any], Any] | None

    @property
    def names(self) -> tuple[str, str]:
        """What the sizes at rest and in slow slip are called."""
        return ("static", "kinetic") if self.normal is None else ("static_coefficient", "coefficient")

    @property
    def sizes(self) -> tuple[object, object]:
        """The sizes at rest and in slow slip: forces, or coefficients."""
        held, slow = self.names
        return getattr(self, held), getattr(self, slow)


@dataclass(frozen=True)
class Sizes:
    """How large friction is: at rest, as a law of the slip speed, and what presses."""

    static: sympy.Expr
    law: sympy.Expr
    curve: tuple[tuple[str, sympy.Expr], ...] | None
    normal: sympy.Expr | None
    shares: tuple[sympy.Expr, sympy.Expr]
    """The same per normal force, without the viscous part: coefficients at rest and of slip."""


def checked_words(given: Words) -> Sizes:
    """The forces that a declaration asks for.

    Raises:
        DeclarationError: for words that do not go together, and for what is negative.
    """
    _refuse_mixed(given)
    normal = None if given.normal is None else _checked_normal(given.normal)
    held, sliding = _law(given) if given.law is not None else _stribeck(given)
    for what, size in (("static", held), ("law", sliding)):
        _refuse_negative(what, size)
    _refuse_negative("law at no speed", sliding.subs(SPEED, 0))
    shares = held, sliding
    if normal is not None:
        held, sliding = held * normal, sliding * normal
    sliding = sliding + expression(given.viscous, "`viscous`") * SPEED
    return Sizes(held, sliding, None if given.law is not None else _curve(given), normal, shares)


def _refuse_mixed(given: Words) -> None:
    forces = [n for n in ("static", "kinetic") if getattr(given, n) is not None]
    coefficients = [n for n in ("coefficient", "static_coefficient") if getattr(given, n) is not None]
    if coefficients and given.normal is None:
        raise DeclarationError(
            f"{quoted(coefficients)} of friction needs `normal`, the force that presses the bodies"
            " together, like m*g or reaction(phi) of a constraint phi. Forces in newtons are `static`"
            " and `kinetic`."
        )
    if forces and given.normal is not None:
        raise DeclarationError(
            f"With `normal` friction is given by `coefficient` and `static_coefficient`. Got"
            f" {quoted(forces)}, a force in newtons."
        )
    slow = given.sizes[1]
    if given.law is not None:
        if slow is not None or given.stribeck is not None or given.viscous != 0:
            words = quoted([given.names[1], "stribeck", "viscous"])
            raise DeclarationError(f"Give either `law`, or {words}. Got both.")
        if not callable(given.law):
            raise DeclarationError(
                "`law` is a function of the slip speed, like lambda s: F/(1 + s). Got"
                f" {a_kind(given.law)}."
            )


def _checked_normal(given: object) -> sympy.Expr:
    """The force that presses: real, not negative where it is a number, linear in reactions."""
    normal = expression(given, "`normal`")
    if normal.has(sympy.nan, sympy.zoo, sympy.oo, -sympy.oo, sympy.I):
        raise DeclarationError(f"`normal` of friction must be finite and real. Got {normal}.")
    if normal.is_number and normal < 0:
        raise DeclarationError(
            "`normal` of friction is the force that presses the bodies together, which is not"
            f" negative. Got {normal}. A contact that presses on either side has abs(...)."
        )
    higher = [s for s in leaves([normal]) if isinstance(s, Coordinate) and s.order > 1]
    if higher:
        raise DeclarationError(
            f"`normal` contains {quoted(higher)}. A normal force that follows from accelerations is the"
            " reaction of a constraint: give the body a coordinate across the contact, hold it by a"
            " constraint phi, and write normal=reaction(phi)."
        )
    written = unfold(normal)
    sizes = [e for e in nodes([written]) if isinstance(e, sympy.Abs) and reactions([e])]
    for e in sizes:
        refuse_nonlinear_reactions([e.args[0]], "What stands in abs(...) of `normal`")
    if sizes:
        _refuse_less_than_sizes(written, sizes)
    plain = written.xreplace({e: e.args[0] for e in sizes})
    refuse_nonlinear_reactions([plain], "`normal`")
    return normal


def _refuse_less_than_sizes(normal: sympy.Expr, sizes: list[sympy.Abs]) -> None:
    """Refuse a normal force with abs(...) that may be negative: it is a sum of multiples of sizes."""
    rest = normal.xreplace(dict.fromkeys(sizes, sympy.S.Zero))
    own = {e: sympy.Dummy(positive=True) for e in sizes}
    factors = [normal.xreplace(own).diff(x) for x in own.values()]
    if rest != 0 or any(f.is_negative for f in factors):
        raise DeclarationError(
            "A normal force with abs(...) presses on either side: it is abs(reaction(phi)), or a sum of"
            f" such with factors above zero. Got {shortened(normal)}, which may be negative."
        )


def _law(given: Words) -> tuple[sympy.Expr, sympy.Expr]:
    """The largest at rest, and the law as a function of the speed."""
    assert given.law is not None
    sliding = expression(given.law(SPEED), "What `law` gives")
    held = given.sizes[0]
    return (
        sliding.subs(SPEED, 0) if held is None else expression(held, f"`{given.names[0]}`")
    ), sliding


def _stribeck(given: Words) -> tuple[sympy.Expr, sympy.Expr]:
    """The largest at rest, and Stribeck's curve without its viscous part."""
    (static, kinetic), (most, slow) = given.sizes, given.names
    if static is None and kinetic is None:
        raise DeclarationError(
            f"friction needs `{most}`, the largest {_kind(given)} at rest, or `{slow}`, that of slow"
            " slip."
        )
    Fs = expression(*((kinetic, f"`{slow}`") if static is None else (static, f"`{most}`")))
    Fc = expression(*((static, f"`{most}`") if kinetic is None else (kinetic, f"`{slow}`")))
    beta = expression(given.viscous, "`viscous`")
    own = [(most, Fs)] * (static is not None) + [(slow, Fc)] * (kinetic is not None)
    for what, size in (*own, ("viscous", beta)):
        _refuse_negative(what, size)
    if Fs.is_number and Fc.is_number and Fs < Fc:
        raise DeclarationError(
            f"`{most}` must be at least `{slow}`: a contact at rest holds more. Got {Fs} and {Fc}."
        )
    if given.stribeck is None:
        return Fs, Fc
    vs = expression(given.stribeck, "`stribeck`")
    if vs.is_number and not vs > 0:
        raise DeclarationError(f"`stribeck` is a speed above zero. Got {vs}.")
    return Fs, Fc + (Fs - Fc) * sympy.exp(-((SPEED / vs) ** 2))


def _kind(given: Words) -> str:
    return "force" if given.normal is None else "coefficient"


def _curve(given: Words) -> tuple[tuple[str, sympy.Expr], ...]:
    """The words of Stribeck's curve that were given."""
    words = (*given.names, "normal", "stribeck", "viscous")
    every = [(n, getattr(given, n)) for n in words]
    found = [(n, expression(e, f"`{n}`")) for n, e in every if e is not None]
    return tuple((n, e) for n, e in found if not (n == "viscous" and e == 0))


def _refuse_negative(what: str, given: sympy.Expr) -> None:
    if given.has(sympy.nan, sympy.zoo, sympy.oo, -sympy.oo, sympy.I):
        raise DeclarationError(
            f"`{what}` of friction must be finite and real, also where the slip is slow. Got {given}."
        )
    if reactions([given]):
        raise DeclarationError(
            f"`{what}` of friction contains the force of a constraint. Give a `coefficient`, and"
            f" normal=reaction(phi). Got {shortened(given)}."
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
