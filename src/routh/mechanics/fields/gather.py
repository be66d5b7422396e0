"""Integrals in results, made short: gathered under one sign, and solved where they can be."""

from __future__ import annotations

from collections.abc import Callable

import sympy

from routh.language.derivation import domain, integrand, masked_integrals, outer_integrals
from routh.language.fields import Field, Space
from routh.language.symbols import Coordinate
from routh.language.walk import leaves
from routh.mechanics.forms.tidy import Tidy
from routh.mechanics.forms.work import Work

COLLECTED = 200
"""Operations beyond which a row is not written by accelerations."""

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
    total = tidy(rest)
    total = (total if tidy.spent else _collected(total)).xreplace(integrals)
    for limits, density in domains.items():
        total += _integral(_tidied(density, tidy), limits)
    return total


def _integral(density: sympy.Expr, limits: tuple[sympy.Expr, ...]) -> sympy.Expr:
    """An integral with the factors that do not vary put before it."""
    fixed: list[sympy.Expr] = []
    inside: list[sympy.Expr] = []
    for factor in sympy.Mul.make_args(density):
        varying = _varies(factor, limits[0]) or factor.has(sympy.Integral)
        (inside if varying else fixed).append(factor)
    return sympy.Mul(*fixed, sympy.Integral(sympy.Mul(*inside), limits))


def solved_integrals(
    expression: sympy.Expr, tidy: Callable[[sympy.Expr], sympy.Expr] = lambda x: x
) -> sympy.Expr:
    """The expression with the integrals of terms without fields solved, from the inside out."""
    changed: dict[sympy.Basic, sympy.Basic] = {}
    for each in outer_integrals(expression):
        inner = solved_integrals(integrand(each), tidy)
        solved, left = _split(sympy.expand(inner), tuple(domain(each)))
        left = _tidied(left, tidy) if left != 0 else left
        changed[each] = solved + (_integral(left, tuple(domain(each))) if left != 0 else 0)
    return expression.xreplace(changed) if changed else expression


def _collected(expression: sympy.Expr) -> sympy.Expr:
    """A sum with one term for each acceleration of a coordinate, if that is shorter."""
    own = sorted((s for s in expression.atoms(Coordinate) if s.order == 2), key=str)
    if not own or not expression.is_Add or sympy.count_ops(expression) > COLLECTED:
        return expression
    candidate = sympy.collect(sympy.expand(expression), own, func=sympy.factor_terms)
    return candidate if sympy.count_ops(candidate) <= sympy.count_ops(expression) else expression


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
    solved, other = _powers(plain, limits)
    if other:
        place = sympy.Dummy("s", real=True)
        rest = None
        with Work(SHARE).spend():
            rest = sympy.integrate(sympy.Add(*other).xreplace({space: place}), (place, lower, upper))
        if rest is None or rest.has(sympy.Integral, sympy.Piecewise):
            left += other
        else:
            solved += rest
    return solved, sympy.Add(*left)


def _powers(
    terms: list[sympy.Expr], limits: tuple[sympy.Expr, ...]
) -> tuple[sympy.Expr, list[sympy.Expr]]:
    """The integral of the terms that are powers of the place, and the other terms."""
    space, lower, upper = limits
    found: list[sympy.Expr] = []
    other: list[sympy.Expr] = []
    for term in terms:
        factor, power = term.as_independent(space, as_Add=False)
        base, k = power.as_base_exp()
        if power == 1:
            found.append(factor * (upper - lower))
        elif base == space and k.is_Integer and k > 0:
            found.append(factor * (upper ** (k + 1) - lower ** (k + 1)) / (k + 1))
        else:
            other.append(term)
    return sympy.expand(sympy.Add(*found)), other


def _varies_by_field(expression: sympy.Expr, space: Space) -> bool:
    found = leaves([expression])
    return any(isinstance(f, Field) and f.space == space and f.end is None for f in found)


def _varies(expression: sympy.Expr, space: Space) -> bool:
    return space in leaves([expression]) or _varies_by_field(expression, space)


def _tidied(expression: sympy.Expr, tidy: Callable[[sympy.Expr], sympy.Expr]) -> sympy.Expr:
    """Tidied with the integrals as symbols, so that nothing is done inside them again."""
    masked, integrals = masked_integrals(expression)
    return tidy(masked).xreplace(integrals)
