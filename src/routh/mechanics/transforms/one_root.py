"""Transforms of one variable in closed form: roots above the line, terms without the variable apart."""

from __future__ import annotations

import sympy

from routh.language.symbols import Momentum
from routh.language.walk import leaves
from routh.mechanics.forms.printing import operations
from routh.mechanics.forms.tidy import Tidy

ROOTED = 200
"""Operations up to which roots are taken out of denominators."""


def own_terms(f: sympy.Expr, x: sympy.Symbol) -> tuple[sympy.Expr, sympy.Expr]:
    """The terms of f with x, and those without, which stay as they are but for their sign."""
    terms = sympy.Add.make_args(f)
    own = [term for term in terms if x in leaves([term])]
    return sympy.Add(*own), sympy.Add(*(term for term in terms if x not in leaves([term])))


def with_positive(tidy: Tidy, whole: sympy.Expr, conjugates: tuple[Momentum, ...]) -> sympy.Expr:
    """The expression shortened with all symbols but the conjugates taken to be positive."""
    others = sorted(leaves([whole]) - set(conjugates), key=str)
    plain = {s: sympy.Symbol(s.name, positive=True) for s in others}
    back = {symbol: s for s, symbol in plain.items()}
    joined = whole.xreplace(plain).replace(
        lambda e: e.is_Pow and not e.exp.is_Integer, lambda e: sympy.factor(e.base) ** e.exp
    )
    return min(tidy(joined), tidy(_over_one_root(joined)), key=operations).xreplace(back)


def _over_one_root(e: sympy.Expr) -> sympy.Expr:
    """An expression with one square root as `a + b sqrt(...)`, without roots below the line."""
    roots = [node for node in e.atoms(sympy.Pow) if node.exp.is_Rational and not node.exp.is_Integer]
    radicands = {node.base for node in roots}
    if len(radicands) != 1 or any(node.exp.q != 2 for node in roots) or operations(e) > ROOTED:
        return e
    (inside,), r = radicands, sympy.Dummy("root", positive=True)
    plain = e.xreplace({node: r ** (2 * node.exp) for node in roots})
    if not plain.is_rational_function(r):
        return e
    above, below = (sympy.rem(part, r**2 - inside, r) for part in sympy.fraction(sympy.together(plain)))
    (a1, a0), (b1, b0) = (
        (part.coeff(r, 1), part.coeff(r, 0)) for part in map(sympy.expand, (above, below))
    )
    over = b0**2 - inside * b1**2
    free, factor = (a0 * b0 - inside * a1 * b1) / over, (a1 * b0 - a0 * b1) / over
    return sympy.cancel(free) + sympy.cancel(factor) * sympy.sqrt(inside)
