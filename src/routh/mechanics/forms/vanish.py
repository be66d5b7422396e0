"""Deciding whether an expression is identically zero, by evaluation instead of simplification.

A number is told from rounding by evaluating with 100 and with 300 digits: it stays, rounding shrinks.
Terms that even those digits absorb are looked at by themselves, so that a spike far away is not zero.
"""

from __future__ import annotations

import random

import sympy
from sympy.core.function import AppliedUndef

from routh.language.derivation import masked_integrals
from routh.language.evaluation import is_zero_at
from routh.language.walk import nodes, unfold

PIECED = (
    sympy.Abs, sympy.sign, sympy.Max, sympy.Min, sympy.Piecewise, sympy.Heaviside, sympy.DiracDelta,
    sympy.floor,    sympy.ceiling, sympy.Mod,
)  # fmt: skip
"""Functions that may vanish on one side and not on the other."""

POINTS = 3
"""Random points at which an expression is evaluated."""


def vanishes(expression: sympy.Expr) -> bool:
    """Whether the expression is zero at random points, to hundreds of digits.

    A smooth expression that is not zero passes with probability zero, also where it is as small as a
    spike far away. One put together of pieces, and one that is infinite at every point tried count as
    not zero; different integrals count as independent, and so do unknown functions, their slopes and
    their values at different places.
    """
    if expression == 0:
        return True
    if any(isinstance(node, PIECED) for node in nodes([expression])):
        return False
    expression, _ = masked_integrals(expression)
    for kind in (sympy.Subs, sympy.Derivative, AppliedUndef):
        unknown = {node: sympy.Dummy("unknown", real=True) for node in expression.atoms(kind)}
        expression = expression.xreplace(unknown) if unknown else expression
    atoms = nodes([expression], enter=lambda _: False)  # an intermediate may be anything here
    symbols = sorted((node for node in atoms if isinstance(node, sympy.Symbol)), key=str)
    generator = random.Random(1831)
    decided = False
    for _ in range(POINTS):
        verdict = is_zero_at(expression, {s: generator.uniform(0.2, 0.9) for s in symbols})
        if verdict is False:
            return False
        decided = decided or verdict is True
    return decided


def vanishes_named(expression: sympy.Expr) -> bool:
    """Whether it is zero for whatever its named intermediates are, or for what they stand for.

    Those are roots of positive numbers here, whose absolute values are taken for what they are.
    """
    return vanishes(expression) or vanishes(unfold(expression).replace(sympy.Abs, lambda x: x))
