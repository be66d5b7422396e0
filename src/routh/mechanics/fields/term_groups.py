"""The terms of an expression by the product of what moves in each, its key, and by kind.

Each key has one coefficient: parameters, functions of the place, and integrals over other places.
Factors that do not vary along an integral stand before it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import sympy

from routh.language.derivation import domain, integrand, masked_integrals
from routh.language.fields import Field, Space
from routh.language.symbols import Signal
from routh.language.walk import written_size
from routh.mechanics.forms.term_kinds import is_multiplier, kind_of

MULTIPLIED_OUT = 8000
"""Nodes beyond which an expression is not multiplied out to be sorted."""


@dataclass
class Group:
    """The coefficient of one key: a plain part, and a density for each domain of integration."""

    plain: list[sympy.Expr] = field(default_factory=list)
    integrals: dict[tuple[sympy.Expr, ...], list[sympy.Expr]] = field(default_factory=dict)


def grouped(value: sympy.Expr, sorted_by_kind: bool) -> dict[tuple[sympy.Expr, int], Group]:
    """The coefficients by key and kind; integrals alone are apart from what stands without any."""
    found: dict[tuple[sympy.Expr, int], Group] = {}
    masked, integrals = masked_integrals(value)
    for term in _terms(masked):
        factors = sympy.Mul.make_args(term)
        masks = [f for f in factors if f in integrals]
        nested = any(f.has(*integrals) for f in factors if f not in integrals) if integrals else False
        if len(masks) == 1 and not nested:
            outer = [f for f in factors if f != masks[0]]
            _take_integral(found, outer, integrals[masks[0]], sorted_by_kind)
            continue
        whole = [f.xreplace(integrals) for f in factors]
        moving = [f for f in whole if _moves(f) or f.has(sympy.Integral)]
        fixed = [f for f in whole if f not in moving]
        key = sympy.Mul(*moving)
        group = found.setdefault((key, _kind(key)), Group())
        group.plain.append(sympy.Mul(*fixed))
    return {key: group for key, group in found.items() if not _is_empty(group)}


def _take_integral(
    found: dict[tuple[sympy.Expr, int], Group],
    outer: list[sympy.Expr],
    integral: sympy.Integral,
    sorted_by_kind: bool,
) -> None:
    """The terms of an integral, each with what does not vary along the space before it."""
    space = domain(integral)[0]
    masked, inner = masked_integrals(integrand(integral))
    for term in _terms(masked):
        factors = [f.xreplace(inner) for f in sympy.Mul.make_args(term)]
        inside = [f for f in factors if varies(f, space)]
        fixed = [f for f in factors if f not in inside]
        # what varies before a running integral is not the same place, and stays there
        key = sympy.Mul(*(f for f in [*outer, *fixed] if _moves(f) or varies(f, space)))
        constant = sympy.Mul(*(f for f in [*outer, *fixed] if not (_moves(f) or varies(f, space))))
        density = sympy.Mul(constant, *inside)
        own = min(_kind(key), _kind(density)) if sorted_by_kind else _kind(key) - (key == 1)
        group = found.setdefault((key, own), Group())
        group.integrals.setdefault(tuple(domain(integral)), []).append(density)


def _is_empty(group: Group) -> bool:
    return sympy.Add(*group.plain) == 0 and all(sympy.Add(*e) == 0 for e in group.integrals.values())


def _terms(value: sympy.Expr) -> tuple[sympy.Expr, ...]:
    if written_size(value) <= MULTIPLIED_OUT:
        value = sympy.expand(value, power_exp=False, power_base=False, log=False)
    found: tuple[sympy.Expr, ...] = sympy.Add.make_args(value)
    return found


def _moves(value: sympy.Expr) -> bool:
    """Whether a factor contains a coordinate, a field, an input or a multiplier."""
    return any(isinstance(x, Signal) or is_multiplier(x) for x in value.atoms(sympy.Symbol))


def _kind(value: sympy.Expr) -> int:
    return kind_of(value.atoms(sympy.Symbol))


def varies(value: sympy.Expr, space: Space) -> bool:
    """Whether a factor depends on the place, other than through a running integral's own variable."""
    if isinstance(value, sympy.Integral):
        _, lower, upper = domain(value)
        return varies(lower, space) or varies(upper, space)
    if isinstance(value, Field):
        return value.space == space and value.end is None
    if isinstance(value, sympy.Subs):  # the slope of an unknown function at some place
        return any(varies(place, space) for place in value.point)
    return value == space or any(varies(part, space) for part in value.args)
