"""Which functions may have a kink."""

from __future__ import annotations

import sympy

from routh.mechanics.forms.one_piece import PIECED


def is_rough(node: sympy.Basic) -> bool:
    """Whether a node may have a kink: made of pieces, or a power that exists on one side only."""
    if isinstance(node, PIECED):
        return True
    return isinstance(node, sympy.Pow) and not _smooth_exponent(node.exp)


def _smooth_exponent(exponent: sympy.Expr) -> bool:
    """Whole exponents; and those below 1, whose slopes are infinite where the power ends."""
    if exponent.is_number:
        return bool(exponent.is_integer) or not bool(exponent.is_real and exponent > 1)
    return bool(exponent.is_integer)
