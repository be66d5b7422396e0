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
        for term in _terms(left[k]):
            if not varies(term, space):
                continue  # its slope is zero
            if _is_plain(term, space):
                left[0] += diff(term, space, k)
            elif _steepest(term, space) >= k:
                kept[k] += term
            else:
                left[k - 1] += diff(term, space)
    return (left[0], *kept[1:])


def _terms(value: sympy.Expr) -> list[sympy.Expr]:
    if value == 0:
        return []
    masked, integrals = masked_integrals(value)
    if written_size(masked) <= MULTIPLIED_OUT:
        masked = sympy.expand(masked, power_exp=False, power_base=False, log=False)
    return [term.xreplace(integrals) for term in sympy.Add.make_args(masked)]


def _is_plain(term: sympy.Expr, space: Space) -> bool:
    """Whether only a field or a slope of it varies in a product."""
    varying = [factor for factor in sympy.Mul.make_args(term) if varies(factor, space)]
    return len(varying) == 1 and isinstance(varying[0], Field)


def _steepest(term: sympy.Expr, space: Space) -> int:
    """The highest derivative along the space in a term, outside integrals."""
    masked, _ = masked_integrals(term)
    own = (x.slope for x in masked.atoms(Field) if x.space == space and x.end is None)
    return max(own, default=0)
