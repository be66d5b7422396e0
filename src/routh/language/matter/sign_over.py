"""The sign of something over all places of a body, as far as it can be seen without numbers.

The places are brought to a unit cell, and factors that do not vary are taken out; those that are
parameters count as above zero, as lengths and densities are. If what is left has no parameter, or all
of them have values, it is looked at on a grid of places. Else it is looked at whether it is a sum or
product of what is above zero; where it is not, nothing is claimed.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum, unique
from itertools import product
from math import isfinite

import sympy

from routh.language.fields import Space
from routh.language.matter.cubature import Limits, sampled, unit_cell
from routh.language.symbols import Parameter
from routh.language.walk import bottom_up

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


def sign_over(value: sympy.Expr, spaces: Sequence[Space] | Sequence[Limits]) -> Sign:
    """The sign of an expression in spaces, inner ones first, and parameters over all places."""
    places, cell = unit_cell([(s, *s.bounds) if isinstance(s, Space) else s for s in spaces])
    factored = in_factors(value.xreplace(places))
    constant, rest = factored.as_independent(*cell, as_Add=False)
    known = sign_of_constant(constant)
    others = sorted(rest.atoms(sympy.Symbol) - set(cell), key=str)
    values = {p: p.default for p in others if isinstance(p, Parameter) and p.default is not None}
    if known is Sign.UNKNOWN:
        return known
    if len(values) < len(others):
        return _by_assumption(rest, known)
    side = GRID[len(cell)]
    points = product([k / side for k in range(side + 1)], repeat=len(cell))
    sign = 1 if known is Sign.ABOVE else -1
    found = [sign * x for x in sampled(rest, cell, points, values) if isfinite(x)]
    least = NOTHING * max(map(abs, found), default=0.0)
    above, below = any(x > least for x in found), any(x < -least for x in found)
    if above and below:
        return Sign.BOTH
    return Sign.BELOW if below else Sign.ABOVE


def _by_assumption(rest: sympy.Expr, known: Sign) -> Sign:
    """The sign of a product, one factor's being known, of what is seen without numbers."""
    parameters = [x for x in rest.atoms(sympy.Symbol) if isinstance(x, Parameter)]
    above = rest.xreplace({p: sympy.Dummy(p.name, positive=True) for p in parameters})
    if above.is_nonnegative:
        return known
    if above.is_nonpositive:
        return Sign.ABOVE if known is Sign.BELOW else Sign.BELOW
    return Sign.UNKNOWN


def in_factors(value: sympy.Expr) -> sympy.Expr:
    """A product of factors, functions and roots being symbols for it.

    SymPy takes exp(10^6 x) for the power 10^6 of exp(x), and would write a polynomial of that degree.
    """
    shut: dict[sympy.Basic, sympy.Dummy] = {}

    def made(node: sympy.Basic, parts: list[sympy.Basic]) -> sympy.Basic:
        if node.is_Atom:
            return node
        if node.is_Add or node.is_Mul or (node.is_Pow and node.exp.is_Integer):
            return node.func(*parts)
        return shut.setdefault(node, sympy.Dummy("shut", real=True))

    found: sympy.Expr = sympy.factor(bottom_up(value, made, {}))
    return found.xreplace({dummy: node for node, dummy in shut.items()})


def sign_of_constant(value: sympy.Expr) -> Sign:
    """The sign of a product whose parameters are above zero; sums of parameters are not known."""
    number, rest = value.as_coeff_Mul()
    for factor in sympy.Mul.make_args(rest):
        base = factor.as_base_exp()[0]
        if not (base.is_nonnegative or isinstance(base, Parameter) or base == 1):
            return Sign.UNKNOWN
    return Sign.BELOW if number.is_negative else Sign.ABOVE
