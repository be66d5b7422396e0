"""Whether momenta tell the velocities, for the numbers that parameters have.

Rules and bounds take parameters to be positive: `a v^4 + v^2` is convex for such an a. Those that are
not are put in as numbers, and the others stay.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import sympy
from sympy import ImmutableDenseMatrix as Matrix

from routh.errors import listed
from routh.language.derivation import partials
from routh.language.symbols import Parameter
from routh.language.system import System
from routh.language.walk import leaves, unfold
from routh.mechanics.transforms.convexity import Shape, bending


def why_ambiguous(system: System, values: Mapping[Parameter, float]) -> str:
    """Why different velocities may have the same momenta, as a sentence; nothing where they do not.

    Energies that may or may not be convex whatever the parameters are count as convex.
    """
    if system.shapes:
        return ""
    away = tuple((s, float(x)) for s, x in values.items() if not x > 0)
    found, reason = _bending(system, away)
    known = found is Shape.NEITHER
    if away and found is Shape.OPEN:
        known = _bending(system, ())[0] is not Shape.OPEN
    if not known:
        return ""
    told = f" for {listed(f'{s} = {x:g}' for s, x in away)}" if away else ""
    said = "is not convex" if found is Shape.NEITHER else "could not be shown to be convex"
    return f"L {said} in {listed(system.velocities)}{told}: {reason}."


@lru_cache(maxsize=64)
def _bending(system: System, away: tuple[tuple[Parameter, float], ...]) -> tuple[Shape | None, str]:
    """How L bends in the velocities with some parameters as numbers, and why; None: quadratic."""
    numbers = {s: sympy.Rational(repr(x)) for s, x in away}
    v = system.velocities
    L = unfold(sympy.Add(*system.lagrangian_terms)).xreplace(numbers)
    hessian = Matrix([partials(slope, v) for slope in partials(L, v)])
    if not leaves(hessian) & set(v):
        return None, ""
    found = bending(L, v, hessian)
    return found.shape, found.reason
