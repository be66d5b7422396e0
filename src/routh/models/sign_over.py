"""The sign of something over all places of a body, as far as it can be seen without numbers.

The places are brought to a unit cell, and factors that do not vary are taken out; those that are
parameters count as above zero, as lengths and densities are. If what is left has no parameter, or all
of them have values, it is looked at on a grid of places. Else nothing is claimed.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum, unique
from itertools import product
from math import isfinite

import sympy

from routh.language.cubature import sampled, unit_cell
from routh.language.fields import Space
from routh.language.symbols import Parameter

GRID = {1: 200, 2: 40, 3: 14}
"""Places along each side, by the number of sides."""

NOTHING = 1e-12
"""Of the largest size: below this a value is rounding."""


@unique
class Sign(Enum):
    """The sign of something over a body."""

    ABOVE = "above zero, or zero at some places"
    BELOW = "below zero, or zero at some places"
    BOTH = "above zero at some places and below at others"
    UNKNOWN = "not known without the values of parameters"


def sign_over(value: sympy.Expr, spaces: Sequence[Space]) -> Sign:
    """The sign of an expression in spaces, inner ones first, and parameters over all places."""
    places, cell = unit_cell([(s, *s.bounds) for s in spaces])
    factored = sympy.factor(value.xreplace(places))
    constant, rest = factored.as_independent(*cell, as_Add=False)
    known = _sign_of_constant(constant)
    others = sorted(rest.atoms(sympy.Symbol) - set(cell), key=str)
    values = {p: p.default for p in others if isinstance(p, Parameter) and p.default is not None}
    if known is Sign.UNKNOWN or len(values) < len(others):
        return Sign.UNKNOWN
    side = GRID[len(cell)]
    points = product([k / side for k in range(side + 1)], repeat=len(cell))
    sign = 1 if known is Sign.ABOVE else -1
    found = [sign * x for x in sampled(rest, cell, points, values) if isfinite(x)]
    least = NOTHING * max(map(abs, found), default=0.0)
    above, below = any(x > least for x in found), any(x < -least for x in found)
    if above and below:
        return Sign.BOTH
    return Sign.BELOW if below else Sign.ABOVE


def _sign_of_constant(value: sympy.Expr) -> Sign:
    """The sign of a product whose parameters are above zero; sums of parameters are not known."""
    number, rest = value.as_coeff_Mul()
    for factor in sympy.Mul.make_args(rest):
        base = factor.as_base_exp()[0]
        if not (base.is_nonnegative or isinstance(base, Parameter) or base == 1):
            return Sign.UNKNOWN
    return Sign.BELOW if number.is_negative else Sign.ABOVE
