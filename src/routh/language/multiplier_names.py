"""Symbols of multipliers, which take no name of a system."""

from __future__ import annotations

from typing import Protocol

import sympy

Symbols = tuple[sympy.Symbol, ...]


class Constrained(Protocol):
    """What a system says of its names and constraints."""

    @property
    def coordinates(self) -> Symbols: ...
    @property
    def parameters(self) -> Symbols: ...
    @property
    def inputs(self) -> Symbols: ...
    @property
    def fields(self) -> Symbols: ...
    @property
    def constraints(self) -> tuple[sympy.Expr, ...]: ...


def numbered_multipliers(system: Constrained) -> Symbols:
    """The symbols lambda1, lambda2, ... or, where the system has such a name, mu1, mu2, ..."""
    numbers = range(1, len(system.constraints) + 1)
    named = (*system.coordinates, *system.parameters, *system.inputs, *system.fields)
    taken = {x.name for x in named} if numbers else set()
    letters = ("lambda", "mu", *(f"lambda_{k}_" for k in range(len(taken))))
    own = next(x for x in letters if not any(f"{x}{k}" in taken for k in numbers))
    return tuple(sympy.Symbol(f"{own}{k}", real=True) for k in numbers)
