"""Symbols by name: where a system says what names mean, a name stands for its symbol.

A rate is called as it is printed, `theta'`. Text is never read as a formula.
"""

from __future__ import annotations

from typing import Any

import sympy

from routh.errors import DeclarationError, did_you_mean, listed, shortened
from routh.language.arguments import some_of
from routh.language.symbols import named, t
from routh.language.system import System
from routh.language.walk import lets


def by_name(system: System, given: Any, what: str) -> Any:
    """The symbol of a system that a name means; what is no text comes back as it is."""
    if not isinstance(given, str):
        return given
    own = _symbols(system)
    found = named(given, own)
    if found is None:
        names = [symbol.name for symbol in (*own, *system.velocities)]
        raise DeclarationError(
            f"{what} is {shortened(given, 60)!r}, which is no name of a symbol of {system.title}. Its"
            f" {known_names(system)}. Formulas are written with symbols, not as text."
            + did_you_mean(given, names)
        )
    return found


def known_names(system: System) -> str:
    """What a system has, by kind; of fields and multipliers only where there are some."""
    kinds = [f"coordinates: {some_of(system.coordinates)}", f"parameters: {listed(system.parameters)}"]
    kinds += [f"inputs: {listed(system.inputs)}"]
    kinds += [f"fields: {listed(system.fields)}"] if system.fields else []
    kinds += [f"multipliers: {some_of(system.multipliers)}"] if system.multipliers else []
    return "; ".join(kinds)


def vector_by_name(system: System, given: Any, what: str) -> Any:
    """A vector with symbols in the place of names; what is no list comes back as it is."""
    if not isinstance(given, (list, tuple)):
        return given
    return [by_name(system, each, what) for each in given]


def _symbols(system: System) -> tuple[sympy.Symbol, ...]:
    """All that has a name in a system: its intermediates too, and its multipliers."""
    own = (*system.coordinates, *system.parameters, *system.inputs, *system.fields, *system.spaces)
    written = [e for part in (system.continuous or system).parts().values() for e in part]
    return (*own, *(w.rate for w in system.fields), t, *system.multipliers, *lets(written))
