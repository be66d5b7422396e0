"""Numbers as decimals where decimals were read: before terms, and not in angles or exponents.

A third of an angle is no decimal because a weight beside it is one. Where decimals stand in angles
themselves those are written as such again, and thirds stay.
"""

from __future__ import annotations

import sympy

MANY_DIGITS = 10**6
"""Whole numbers beyond this are written as decimals where decimals were read."""

LONG_FRACTION = 100
"""Fractions in angles with a larger denominator are written as decimals where there are decimals."""

DIGITS = 15
"""Digits that doubles have."""


def decimal(number: sympy.Rational) -> sympy.Float:
    """A number as a decimal, however small or large: it never becomes zero."""
    return sympy.Float(number, DIGITS)


def with_decimals(expression: sympy.Expr, *, inside: bool) -> sympy.Expr:
    """The expression with decimals for fractions; `inside` is whether there are some in angles."""
    found: dict[tuple[sympy.Basic, bool], sympy.Basic] = {}

    def turned(node: sympy.Basic, within: bool) -> sympy.Basic:
        key = (node, within)
        if key not in found:
            found[key] = made(node, within)
        return found[key]

    def made(node: sympy.Basic, within: bool) -> sympy.Basic:
        if node.is_Rational:
            return decimal(node) if (_is_long_inside(node) if within else _is_long(node)) else node
        if node.is_Pow:
            return node.func(turned(node.base, within), node.exp)
        if node.is_Add or node.is_Mul:
            parted = node.is_Mul and within and node.has(sympy.pi)  # parts of a turn
            return node if parted else node.func(*(turned(each, within) for each in node.args))
        if isinstance(node, sympy.Function) and not isinstance(node, sympy.Piecewise) and inside:
            return node.func(*(turned(each, True) for each in node.args))
        return node

    return turned(expression, False)


def _is_long(number: sympy.Rational) -> bool:
    """Whether a number is written as a decimal where decimals were read."""
    if number.is_Integer:
        return bool(abs(number) >= MANY_DIGITS)
    return bool(abs(number) != sympy.S.Half)


def _is_long_inside(number: sympy.Rational) -> bool:
    """The same in an angle: a fraction that ends as a decimal, or a long one."""
    if number.is_Integer or abs(number) == sympy.S.Half:
        return _is_long(number)
    below = int(number.q)
    for prime in (2, 5):
        while below % prime == 0:
            below //= prime
    return below == 1 or number.q > LONG_FRACTION
