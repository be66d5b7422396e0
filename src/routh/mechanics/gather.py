"""Integrals in results, made short: gathered under one sign, and solved where they can be."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

import sympy

from routh.language.derivation import domain, integrand, masked_integrals, outer_integrals
from routh.language.fields import Field, Space
from routh.language.walk import leaves
from routh.mechanics.tidy import Tidy, until

SHARE = 0.5
"""Seconds after which one integral without fields is left as it is."""


def gathered(expression: sympy.Expr, tidy: Tidy) -> sympy.Expr:
    """The expression with one integral for each domain of integration, those without fields solved."""
    masked, integrals = masked_integrals(solved_integrals(expression, tidy))
    rest = sympy.expand(masked) if integrals else masked
    domains: dict[tuple[sympy.Expr, ...], sympy.Expr] = {}
    for mask, each in integrals.items():
        factor = rest.diff(mask)
        space = domain(each)[0]
        if factor.free_symbols & set(integrals) or _varies(factor, space):
            continue
        rest = rest.xreplace({mask: sympy.S.Zero})
        key = tuple(domain(each))
        domains[key] = domains.get(key, sympy.S.Zero) + factor * integrand(each)
    total = tidy(rest).xreplace(integrals)
    for limits, density in domains.items():
        total += sympy.Integral(_tidied(density, tidy), limits)
    return total


def solved_integrals(
    expression: sympy.Expr, tidy: Callable[[sympy.Expr], sympy.Expr] = lambda x: x
) -> sympy.Expr:
    """The expression with the integrals of terms without fields solved, from the inside out."""
    changed: dict[sympy.Basic, sympy.Basic] = {}
    for each in outer_integrals(expression):
        inner = solved_integrals(integrand(each), tidy)
        solved, left = _split(sympy.expand(inner), tuple(domain(each)))
        left = _tidied(left, tidy) if left != 0 else left
        changed[each] = solved + (sympy.Integral(left, domain(each)) if left != 0 else 0)
    return expression.xreplace(changed) if changed else expression


def _split(density: sympy.Expr, limits: tuple[sympy.Expr, ...]) -> tuple[sympy.Expr, sympy.Expr]:
    """The integral of the terms without fields, as far as it is found, and the other terms."""
    space, lower, upper = limits
    assert isinstance(space, Space)
    plain: list[sympy.Expr] = []
    left: list[sympy.Expr] = []
    for term in sympy.Add.make_args(density):
        known = not _varies_by_field(term, space) and not term.has(sympy.Integral)
        (plain if known else left).append(term)
    if not plain or density == 0:
        return sympy.S.Zero, density
    place = sympy.Dummy("s", real=True)
    solved = None
    with until(perf_counter() + SHARE):
        solved = sympy.integrate(sympy.Add(*plain).xreplace({space: place}), (place, lower, upper))
    if solved is None or solved.has(sympy.Integral, sympy.Piecewise):
        return sympy.S.Zero, density
    return solved, sympy.Add(*left)


def _varies_by_field(expression: sympy.Expr, space: Space) -> bool:
    found = leaves([expression])
    return any(isinstance(f, Field) and f.space == space and f.end is None for f in found)


def _varies(expression: sympy.Expr, space: Space) -> bool:
    return space in leaves([expression]) or _varies_by_field(expression, space)


def _tidied(expression: sympy.Expr, tidy: Callable[[sympy.Expr], sympy.Expr]) -> sympy.Expr:
    """Tidied with the integrals as symbols, so that nothing is done inside them again."""
    masked, integrals = masked_integrals(expression)
    return tidy(masked).xreplace(integrals)
