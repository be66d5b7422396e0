"""Deciding whether an expression is identically zero, by evaluation instead of simplification."""

from __future__ import annotations

import random

import sympy
from sympy.core.function import AppliedUndef

from routh.language.derivation import masked_integrals
from routh.language.walk import unfold

PIECED = (
    sympy.Abs, sympy.sign, sympy.Max, sympy.Min, sympy.Piecewise, sympy.Heaviside, sympy.DiracDelta,
    sympy.floor,    sympy.ceiling, sympy.Mod,
)  # fmt: skip
"""Functions that may vanish on one side and not on the other."""

DIGITS = 40
ZERO = sympy.Float(10) ** -25
"""Relative size under which a 40-digit evaluation counts as zero: 15 digits for cancellation."""
SMALL = sympy.Float(10) ** -5
"""Values beyond this are compared with their terms alone, and not with what is added up in these."""


def vanishes(expression: sympy.Expr) -> bool:
    """Whether the expression is zero at random points, to 25 digits of what is added up in it.

    A smooth expression that is not zero passes with probability zero. One put together of pieces, and
    one that is complex or infinite at every point tried count as not zero; different integrals count
    as independent, and so do unknown functions, their slopes and their values at different places.
    """
    if expression == 0:
        return True
    if expression.has(*PIECED):
        return False
    expression, _ = masked_integrals(expression)
    for kind in (sympy.Subs, sympy.Derivative, AppliedUndef):
        unknown = {node: sympy.Dummy("unknown", real=True) for node in expression.atoms(kind)}
        expression = expression.xreplace(unknown) if unknown else expression
    symbols = sorted(expression.free_symbols, key=str)
    generator = random.Random(1831)
    verdicts = [_zero_at(expression, symbols, generator) for _ in range(3)]
    decided = [verdict for verdict in verdicts if verdict is not None]
    return bool(decided) and all(decided)


def _zero_at(
    expression: sympy.Expr, symbols: list[sympy.Basic], generator: random.Random
) -> bool | None:
    point = {s: sympy.Float(str(generator.uniform(0.2, 0.9)), DIGITS) for s in symbols}
    terms = [term.xreplace(point).evalf(DIGITS) for term in sympy.Add.make_args(expression)]
    total = sympy.Add(*terms).evalf(DIGITS)
    if not (total.is_Float or total.is_Rational):
        return None
    if abs(total) > SMALL:
        return bool(abs(total) <= ZERO * max(abs(term).evalf(DIGITS) for term in terms))
    scale = _size(expression, point)
    return None if scale is None else bool(abs(total) <= ZERO * max(scale, ZERO))


def _size(expression: sympy.Expr, point: dict[sympy.Basic, sympy.Expr]) -> sympy.Expr | None:
    """The size of what is added up, also in the factors of products; None if it is no finite number.

    A product in which a factor cancels is small against the product of sizes, not against itself.
    """
    if expression.is_Pow and expression.exp.is_Integer and expression.exp > 0:
        base = _size(expression.base, point)
        return None if base is None else base**expression.exp
    if expression.is_Add or expression.is_Mul:
        parts = [_size(part, point) for part in expression.args]
        known = [part for part in parts if part is not None]
        if len(known) < len(parts):
            return None
        return sympy.Add(*known) if expression.is_Add else sympy.Mul(*known)
    size = abs(expression.xreplace(point).evalf(DIGITS)).evalf(DIGITS)
    return size if size.is_Float or size.is_Rational else None


def vanishes_named(expression: sympy.Expr) -> bool:
    """Whether it is zero for whatever its named intermediates are, or for what they stand for.

    Those are roots of positive numbers here, whose absolute values are taken for what they are.
    """
    return vanishes(expression) or vanishes(unfold(expression).replace(sympy.Abs, lambda x: x))
