"""Expressions at the door: what may be read in a result of a system."""

from __future__ import annotations

import sympy

from routh.errors import DeclarationError, quoted, shortened
from routh.language.calculus import expression as as_expression
from routh.language.contact.reaction_symbol import Reaction
from routh.language.fields import Field, Space
from routh.language.names import by_name, known_names
from routh.language.symbols import Coordinate, t
from routh.language.system import System
from routh.language.walk import leaves, outside_integrals


def own_expression(system: System, given: object, what: str, *, varying: bool = False) -> sympy.Expr:
    """The given as an expression in symbols of this system: coordinates to accelerations, inputs.

    A single symbol may be given by its name. One that varies along a space is refused, unless it is
    welcome.
    """
    value = as_expression(by_name(system, given, what), what)
    if not varying:
        _refuse_varying(value, what)
    for symbol in sorted(leaves([value]), key=str):
        known = symbol == t or symbol in (*system.parameters, *system.multipliers, *system.signals)
        if isinstance(symbol, Reaction):
            known = symbol.constraint in system.constraints
        if isinstance(symbol, Coordinate):
            known = symbol.base in system.coordinates and symbol.order <= 2
        if isinstance(symbol, (Field, Space)):
            known = known_field(system, symbol)
        if not known:
            raise DeclarationError(
                f"{what}, `{shortened(value)}`, contains {quoted([symbol])}, which is no part of"
                f" {system.title}. Its {known_names(system)}."
            )
    return value


def _refuse_varying(value: sympy.Expr, what: str) -> None:
    for symbol in outside_integrals([value]):
        if isinstance(symbol, Space) or (isinstance(symbol, Field) and symbol.end is None):
            space = symbol if isinstance(symbol, Space) else symbol.space
            raise DeclarationError(
                f"{what}, `{shortened(value)}`, varies along `{space}`. Take its value at an end with"
                f" at(..., {space}, {space.bounds[1]}) or its integral; a field along its space is read"
                " by .field(w, places)."
            )


def known_field(system: System, symbol: Field | Space) -> bool:
    """Whether a discretized system has this value at an end, or integrates over this space."""
    if isinstance(symbol, Space):
        return symbol in system.rules
    return symbol.base in [shape.field for shape in system.shapes] and symbol.order <= 2
