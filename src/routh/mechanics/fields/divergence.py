"""The divergence form of a partial equation: -(N w_s)_s instead of -N w_ss - N_s w_s.

With conjugate forces G_0, G_1, G_2 of a field and its slopes the row is -G_0 + (G_1)_s - (G_2)_ss. What
has a factor that does not vary is differentiated, and what contains no slope moves down one place, so
that it can cancel; the rest stays under the derivative.
"""

from __future__ import annotations

from collections.abc import Sequence

import sympy

from routh.language.calculus import diff
from routh.language.derivation import masked_integrals
from routh.language.fields import Field, Space
from routh.language.walk import written_size
from routh.mechanics.fields.term_groups import MULTIPLIED_OUT, varies


def divergence_form(forces: Sequence[sympy.Expr], space: Space) -> tuple[sympy.Expr, ...]:
    """(A, B, C) with the row A + B_s + C_ss, from the conjugate forces of a field and its slopes."""
    left = [(-1) ** (k + 1) * force for k, force in enumerate(forces)]
    kept = [sympy.S.Zero] * len(left)
    for k in range(len(left) - 1, 0, -1):
        for term in _by_slope(left[k], space):
            if _is_plain(term, space):
                left[0] += slope_along(term, space, k)
            elif _steepest(term, space) >= k:
                kept[k] += term
            else:
                left[k - 1] += slope_along(term, space, 1)
    return (left[0], *kept[1:])


def slope_along(value: sympy.Expr, space: Space, times: int) -> sympy.Expr:
    """The derivative along a space; of what does not vary it is zero."""
    if not times:
        return value
    if not varies(value, space):
        return sympy.S.Zero
    found: sympy.Expr = diff(value, space, times)
    return found


def _by_slope(value: sympy.Expr, space: Space) -> list[sympy.Expr]:
    """The terms of a sum; those with one slope alone are together, with all that stands before it."""
    found: dict[sympy.Basic, sympy.Expr] = {}
    for term in _terms(value):
        fields = [x for x in sympy.Mul.make_args(term) if isinstance(x, Field) and varies(x, space)]
        others = [x for x in _moving(term, space) if x not in fields]
        key = fields[0] if len(fields) == 1 and not others else term
        found[key] = found.get(key, sympy.S.Zero) + term
    return list(found.values())


def _moving(term: sympy.Expr, space: Space) -> set[Field]:
    """The fields along the space in a term, also in integrals."""
    return {x for x in term.atoms(Field) if varies(x, space)}


def _terms(value: sympy.Expr) -> list[sympy.Expr]:
    if value == 0:
        return []
    masked, integrals = masked_integrals(value)
    if written_size(masked) <= MULTIPLIED_OUT:
        masked = sympy.expand(masked, power_exp=False, power_base=False, log=False)
    return [term.xreplace(integrals) for term in sympy.Add.make_args(masked)]


def _is_plain(term: sympy.Expr, space: Space) -> bool:
    """Whether nothing varies but a field or a slope of it."""
    found = _moving(term, space)
    if len(found) > 1 or term.has(sympy.Integral):
        return False
    factor = term.diff(*found) if found else term
    return not varies(factor, space) and not _moving(factor, space)


def _steepest(term: sympy.Expr, space: Space) -> int:
    """The highest derivative along the space in a term, outside integrals."""
    masked, _ = masked_integrals(term)
    own = (x.slope for x in masked.atoms(Field) if x.space == space and x.end is None)
    return max(own, default=0)
