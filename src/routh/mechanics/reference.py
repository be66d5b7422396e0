"""Where a system is linearized: a reference for every coordinate, field and input, checked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sympy

from routh.errors import DeclarationError, did_you_mean, listed, quoted
from routh.language.calculus import expression
from routh.language.fields import Field, Space
from routh.language.keys import once
from routh.language.names import by_name
from routh.language.symbols import BySymbol, Coordinate, Input, Parameter, Signal, named
from routh.language.system import System
from routh.language.walk import leaves


def checked_reference(system: System, about: BySymbol) -> dict[Signal, sympy.Expr]:
    """The reference of every coordinate, field and input; inputs that are not given stay symbols."""
    if not isinstance(about, Mapping):
        raise DeclarationError(
            "`about` must map every coordinate and field to its reference, like {theta: 0}. Got"
            f" {about!r}."
        )
    known: tuple[Signal, ...] = (*system.coordinates, *system.fields, *system.inputs)
    given = once(((_referred(system, key, known), value) for key, value in about.items()), "about")
    missing = [x for x in (*system.coordinates, *system.fields) if x not in given]
    if missing:
        raise DeclarationError(
            f"`about` lacks {quoted(missing)}. Got: {listed(about)}. Give each coordinate and field a"
            " reference; one that does not matter may be 0."
        )
    reference = {}
    for x in known:
        what, value = f"The reference of `{x}`", given.get(x, x)
        if isinstance(value, str) and value == f"{x.label}*":
            reference[x] = unspecified(x)
        else:
            reference[x] = expression(by_name(system, value, what), what)
    for signal, value in reference.items():
        _refuse_alien(system, signal, value)
    return reference


def given_multipliers(
    system: System, about: Mapping[Any, Any]
) -> tuple[dict[sympy.Symbol, sympy.Expr], dict[Any, Any]]:
    """The multipliers that a reference gives, as solutions for a rest do, and all else of it."""
    own = {key: x for x in system.multipliers for key in (x, x.name)}
    held = once(((own[key], value) for key, value in about.items() if key in own), "about")
    for x, value in held.items():
        held[x] = expression(by_name(system, value, f"The value of `{x}`"), f"The value of `{x}`")
        _refuse_alien(system, x, held[x])
    return held, {key: value for key, value in about.items() if key not in own}


def unspecified(x: Signal) -> sympy.Expr:
    """A reference that has a name and no formula: the shape `w*(s)` of a field, a constant `theta*`."""
    if isinstance(x, Field):
        found: sympy.Expr = sympy.Function(f"{x.label}*", real=True)(x.space)
        return found
    return Parameter(f"({x.label}*)", latex=f"{{{sympy.latex(x)}}}^{{*}}")


def _referred(system: System, key: object, known: tuple[Signal, ...]) -> Signal:
    """The coordinate, field or input whose reference is given."""
    signal = named(key, known) if isinstance(key, str) else key
    if not isinstance(signal, Signal) or signal not in known:
        raise DeclarationError(
            f"`about` has {quoted([key])}, which is no coordinate, field or input of {system.title}."
            f" Expected: {listed(known)}." + did_you_mean(key, known)
        )
    return signal


def _refuse_alien(system: System, signal: sympy.Symbol, value: sympy.Expr) -> None:
    """A reference contains parameters, inputs and time; that of a field its space too."""
    spaces = {signal.space} if isinstance(signal, Field) else set()
    alien = [
        s
        for s in sorted(leaves([value]), key=str)
        if isinstance(s, (Coordinate, Field))
        or (isinstance(s, Space) and s not in spaces)
        or (isinstance(s, Input) and s.base not in system.inputs)
    ]
    if alien:
        raise DeclarationError(
            f"The reference of `{signal}` contains {quoted(alien)}. Expected an expression in"
            " parameters, inputs and t" + (f", and {listed(spaces)}." if spaces else ".")
        )
