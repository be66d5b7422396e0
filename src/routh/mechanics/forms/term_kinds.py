"""Kinds of terms in the order in which people write them: inertia, velocities, stiffness, forces."""

from __future__ import annotations

from collections.abc import Iterable

import sympy

from routh.language.fields import Field
from routh.language.symbols import Atom, Coordinate, Input, Signal, t

INERTIA, VELOCITY, STIFFNESS, LOAD, REACTION, FORCE = range(6)
"""Kinds of terms; a load is what stands still, like a weight."""


def kind_of(symbols: Iterable[sympy.Symbol]) -> int:
    """What a term with these symbols is: by its fastest, then by who pushes, then by what moves."""
    own = list(symbols)
    fastest = max((x.order for x in own if isinstance(x, (Coordinate, Field))), default=0)
    if fastest:
        return VELOCITY if fastest == 1 else INERTIA
    if any(isinstance(x, Input) for x in own):
        return FORCE
    if any(is_multiplier(x) for x in own):
        return REACTION
    return STIFFNESS if any(isinstance(x, Signal) for x in own) else LOAD


def is_multiplier(x: sympy.Symbol) -> bool:
    """Whether a symbol is none of those that are declared: a multiplier, or the name of a part."""
    return not isinstance(x, (Atom, sympy.Dummy)) and x != t
