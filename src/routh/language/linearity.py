"""Whether an expression is linear in some of its symbols, without multiplying anything out.

By the degrees of sums and products where these tell; else by derivatives, which must not contain the
symbols; what is left is evaluated with many digits, which can refute and never show.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Sequence
from enum import Enum

import sympy

from routh.language.derivation import outer_integrals, partial
from routh.language.evaluation import FEW, MANY, Evaluation, stays
from routh.language.symbols import Let
from routh.language.walk import bottom_up, leaves, meant, unfold

TRIALS = 4
"""Random states that are looked at."""


class Linearity(Enum):
    """What is known of an expression."""

    SHOWN = "it is linear"
    REFUTED = "it is not linear"
    OPEN = "neither could be shown"


def linearity(
    expression: sympy.Expr, symbols: Sequence[sympy.Symbol]
) -> tuple[Linearity, sympy.Symbol | None, list[sympy.Symbol]]:
    """Whether an expression is linear in symbols; if not, one by which its slope contains others."""
    if _affine(expression, symbols):
        return Linearity.SHOWN, None, []
    written = unfold(expression)
    slopes = {v: partial(written, v) for v in symbols}
    left = {v: slope for v, slope in slopes.items() if _degree(slope, symbols) != 0}
    if not left:
        return Linearity.SHOWN, None, []
    for v, slope in left.items():
        others = [x for x in symbols if x in leaves([slope]) and _changes(slope, x)]
        if others:
            return Linearity.REFUTED, v, others
    v, slope = next(iter(left.items()))
    return Linearity.OPEN, v, [x for x in symbols if x in leaves([slope])]


def _affine(expression: sympy.Expr, symbols: Collection[sympy.Symbol]) -> bool:
    degree = _degree(expression, symbols)
    return degree is not None and degree <= 1


def _degree(expression: sympy.Expr, symbols: Collection[sympy.Symbol]) -> int | None:
    """A bound of the degree in the symbols as it is written, None where it is no polynomial."""
    wanted = set(symbols)
    found: dict[sympy.Basic, int | None] = {}
    return bottom_up(expression, lambda node, parts: _node_degree(node, parts, wanted), found, meant)


def _node_degree(node: sympy.Basic, parts: list[int | None], wanted: set[sympy.Symbol]) -> int | None:
    if not node.args and not isinstance(node, Let):
        return int(node in wanted)
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    highest = max(known, default=0)
    if highest == 0:
        return 0
    if node.is_Mul:
        return sum(known)
    if node.is_Add or isinstance(node, (Let, sympy.Integral)):
        return highest
    if node.is_Pow and node.exp.is_Integer and node.exp > 0:
        return known[0] * int(node.exp)
    return None


def _changes(slope: sympy.Expr, x: sympy.Symbol) -> bool:
    """Whether a slope changes with a symbol at a random state, told from rounding.

    An integral changes as what is integrated does.
    """
    slope = slope.xreplace({each: each.function for each in outer_integrals(slope)})
    symbols = sorted(leaves([slope]), key=str)
    generator = random.Random(1788)
    for _ in range(TRIALS):
        here = {s: generator.uniform(-1, 1) for s in symbols}
        there = here | {x: generator.uniform(-1, 1)}
        changes = []
        for digits in (FEW, MANY):
            a, b = (Evaluation(place, digits)(slope) for place in (here, there))
            if a is not None and b is not None:
                changes.append(b - a)
        if len(changes) == 2 and stays(*changes):
            return True
    return False
