"""Integrals of densities that step or have a kink: divided there, so that each piece is smooth.

A step at a place is a condition that is linear in one space. The integral is one up to there and one
from there on, in each of which the condition is true or false. Sizes, largest and smallest values and
unit steps are conditions too.
"""

from __future__ import annotations

from collections.abc import Sequence

import sympy
from sympy.core.relational import Relational

from routh.errors import DeclarationError, shortened
from routh.language.matter.cubature import Limits
from routh.language.matter.sign_over import Sign, sign_of_constant
from routh.language.walk import leaves

_KINKED = (sympy.Abs, sympy.Max, sympy.Min, sympy.Heaviside, sympy.sign)

Smooth = tuple[sympy.Expr, list[Limits]]


def in_smooth_pieces(density: sympy.Expr, limits: Sequence[Limits]) -> list[Smooth]:
    """Densities without steps, and the limits of each, whose integrals add up to that of all."""
    waiting: list[Smooth] = [(_with_conditions(density, limits), list(limits))]
    done: list[Smooth] = []
    while waiting:
        own, within = waiting.pop()
        condition = _condition(own, within)
        if condition is None:
            done.append((own, within))
            continue
        found = _divided(condition, within)
        if found is None:
            raise DeclarationError(
                f"A density that steps where `{shortened(condition)}` cannot be integrated here: a"
                " condition must be linear in one space, and whether its end is within the bounds of"
                " that space must be known. Write an integral, or a body, for each piece and add them."
            )
        waiting += [(own.xreplace({condition: truth}), part) for truth, part in found]
    return done


def _condition(density: sympy.Expr, limits: Sequence[Limits]) -> Relational | None:
    """Some condition on places."""
    places = {u for u, _, _ in limits}
    every = {
        relation
        for step in density.atoms(sympy.Piecewise)
        for _, condition in step.args
        for relation in condition.atoms(Relational)
        if places & leaves([relation])
    }
    return min(every, key=str, default=None)


def _divided(
    condition: Relational, limits: Sequence[Limits]
) -> list[tuple[sympy.Basic, list[Limits]]] | None:
    """The limits up to where a condition changes and from there on, with what it is in each."""
    inside = [k for k, (u, _, _) in enumerate(limits) if u in leaves([condition])]
    if len(inside) != 1:
        return None
    (k,) = inside
    u, start, end = limits[k]
    difference = condition.lhs - condition.rhs
    slope = sympy.expand(difference.diff(u))
    if not slope.is_number or slope == 0:
        return None
    there = sympy.expand(-difference.xreplace({u: sympy.S.Zero}) / slope)
    before, behind = (_sign(x) for x in (there - start, end - there))
    if Sign.UNKNOWN in (before, behind):
        return None
    up_to, on = (condition.xreplace({u: there + step}) for step in (-1, 1))
    if before is Sign.BELOW:
        return [(on, list(limits))]
    if behind is Sign.BELOW:
        return [(up_to, list(limits))]
    pieces = ((up_to, (u, start, there)), (on, (u, there, end)))
    return [(truth, [*limits[:k], piece, *limits[k + 1 :]]) for truth, piece in pieces]


def _sign(difference: sympy.Expr) -> Sign:
    value = sympy.expand(difference)
    if value.is_number:
        return Sign.BELOW if value.is_negative else Sign.ABOVE
    return sign_of_constant(value)


def _with_conditions(density: sympy.Expr, limits: Sequence[Limits]) -> sympy.Expr:
    """The density with kinks at known places written as conditions; others stay as they are."""
    places = {u for u, _, _ in limits}
    new = {}
    for node in density.atoms(*_KINKED):
        if not places & leaves([node]):
            continue
        written = node.rewrite(sympy.Piecewise)
        conditions = written.atoms(Relational)
        if all(_divided(each, limits) is not None for each in conditions):
            new[node] = written
    return density.xreplace(new)
