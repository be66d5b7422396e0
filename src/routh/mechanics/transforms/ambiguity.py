"""Whether momenta tell the velocities, for the numbers that parameters have.

Rules and bounds take parameters to be positive: `a v^4 + v^2` is convex for such an a. Where some are
not, or where that depends on their sizes, L is looked at with the numbers put in.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from math import isfinite

import sympy
from sympy import ImmutableDenseMatrix as Matrix

from routh.errors import listed
from routh.language.derivation import partials
from routh.language.symbols import Parameter
from routh.language.system import System
from routh.language.walk import leaves, unfold
from routh.mechanics.transforms.convexity import Bending, Shape, bending, refuted

ONE_WAY = (Shape.CONVEX, Shape.CONCAVE)


def why_ambiguous(system: System, values: Mapping[Parameter, float]) -> str:
    """Why different velocities may have the same momenta, as a sentence; nothing where they do not.

    Energies of which it is not known whatever the parameters are count as convex.
    """
    if system.shapes:
        return ""
    L, hessian = _second(system)
    v = system.velocities
    used = {s: x for s, x in values.items() if s in leaves(hessian)}
    if not leaves(hessian) & set(v) or not all(map(isfinite, used.values())):
        return ""
    signs = tuple((s, -1 if x < 0 else int(x > 0)) for s, x in used.items())
    assumed, own = _bending(system, ()), _bending(system, tuple(x for x in signs if x[1] < 1))
    if own is None or own.shape in ONE_WAY or (own is assumed and own.shape is Shape.OPEN):
        return ""
    numbers = {s: sympy.Rational(repr(float(x))) for s, x in used.items()}
    there = Matrix(hessian.xreplace(numbers))
    if not leaves(there) & set(v):
        return ""
    found = refuted(there, v) or bending(L.xreplace(numbers), v, there)
    unknown = assumed is not None and assumed.shape is Shape.OPEN
    if found.shape in ONE_WAY or (found.shape is Shape.OPEN and unknown):
        return ""
    told = f" for {listed(f'{s} = {x:g}' for s, x in used.items())}" if used else ""
    said = "is not convex" if found.shape is Shape.NEITHER else "could not be shown to be convex"
    return f"L {said} in {listed(v)}{told}: {found.reason}."


@lru_cache(maxsize=32)
def _second(system: System) -> tuple[sympy.Expr, Matrix]:
    """L and its second derivatives by the velocities."""
    v = system.velocities
    L = unfold(sympy.Add(*system.lagrangian_terms))
    return L, Matrix([partials(slope, v) for slope in partials(L, v)])


@lru_cache(maxsize=64)
def _bending(system: System, signs: tuple[tuple[Parameter, int], ...]) -> Bending | None:
    """How L bends with some parameters negative (-1) or zero, others positive; None if quadratic."""
    L, hessian = _second(system)
    turned = {s: s * sign for s, sign in signs}
    v = system.velocities
    there = Matrix(hessian.xreplace(turned))
    if not leaves(there) & set(v):
        return None
    return bending(L.xreplace(turned), v, there)
