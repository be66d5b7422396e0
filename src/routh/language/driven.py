"""Systems whose inputs are given laws of time once and for all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import sympy

from routh.errors import DeclarationError, did_you_mean, listed, quoted, shortened
from routh.language.calculus import expression
from routh.language.forces import Force
from routh.language.keys import once
from routh.language.names import by_name
from routh.language.symbols import Coordinate, Input, t
from routh.language.system import System
from routh.language.walk import leaves, unfold


def driven(system: System, laws: Mapping[Any, Any] | None) -> System:
    """The system with expressions in t for some of its inputs, and their derivatives with them."""
    if not laws:
        return system
    given: dict[Input, sympy.Expr] = {}
    for u, law in once(((_driven(system, key), law) for key, law in laws.items()), "inputs").items():
        e = unfold(expression(by_name(system, law, f"The law of `{u}`"), f"The law of `{u}`"))
        alien = [s for s in leaves([e]) if isinstance(s, (Coordinate, Input))]
        if alien:
            raise DeclarationError(
                f"The law of `{u}` must be an expression in t and parameters here. Got {shortened(e)},"
                f" with {quoted(alien)}."
            )
        given[u] = sympy.S.Zero if e.is_zero else e  # SymPy keeps 0.0 as a number of its own
    table = {
        signal: sympy.diff(given[signal.base], t, signal.order) if signal.order else given[signal.base]
        for signal in system.signals
        if signal.base in given
    }

    def written(terms: Any) -> list[sympy.Expr]:
        return [unfold(e).xreplace(table) for e in terms]

    def acting(f: Force) -> Force:
        return Force(
            *(part.applyfunc(lambda e: unfold(e).xreplace(table)) for part in (f.components, f.at))
        )

    energies = ("kinetic", "potential", "lagrangian", "dissipation", "constraints")
    parts = {name: written(getattr(system, name)) for name in energies}
    kept = [replace(x, expression=unfold(x.expression).xreplace(table)) for x in system.requirements]
    return system.changed(**parts, forces=[acting(f) for f in system.forces], requirements=kept)


def _driven(system: System, key: object) -> Input:
    """The input whose law is given."""
    u = {u.name: u for u in system.inputs}.get(key) if isinstance(key, str) else key
    if not isinstance(u, Input) or u not in system.inputs:
        raise DeclarationError(
            f"`inputs` has {quoted([key])}, which is no input of {system.title}. Inputs:"
            f" {listed(system.inputs)}." + did_you_mean(str(key), system.inputs)
        )
    return u
