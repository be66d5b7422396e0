"""Where an equation with a root holds: what its square says is true of the root or of its negative.

`A + B sqrt(r) = 0` holds where `r = u^2` with `u = -A/B`, and u is not negative: one of the solutions
of the square may be none, or be one for some values of the parameters.
"""

from __future__ import annotations

from collections.abc import Iterator

import sympy

from routh.language.walk import nodes
from routh.mechanics.forms.tidy import Tidy
from routh.mechanics.forms.vanish import decided

Conditions = tuple[sympy.Expr, ...]


def conditions(expression: sympy.Expr) -> Conditions | None:
    """What must not be negative for an expression to vanish: nothing where it always does.

    None where it does not vanish, or where that is not known.
    """
    if decided(expression).is_zero:
        return ()
    for base in _radicands(expression):
        parts = _apart(expression, base)
        if parts is None:
            continue
        value = Tidy(1.0)(-parts[0] / parts[1])
        if not decided(base - value**2).is_zero:
            continue
        sign = _signed(value)
        if sign.is_nonnegative:
            return ()
        return None if sign.is_negative else (_shorter(value),)
    return None


def _shorter(value: sympy.Expr) -> sympy.Expr:
    """What has the sign of a value, without numbers and roots before it."""
    whole = sympy.factor_terms(value).as_content_primitive()[1]
    return sympy.Mul(*(each for each in sympy.Mul.make_args(whole) if not _signed(each).is_nonnegative))


def _radicands(expression: sympy.Expr) -> Iterator[sympy.Expr]:
    """What square roots are taken of, and the squares of absolute values; those with roots first."""
    found = {node: _radicand(node) for node in nodes([expression]) if _is_root(node)}
    order = sorted(found, key=lambda node: (-sympy.count_ops(node), str(node)))
    yield from dict.fromkeys(found[node] for node in order)


def _is_root(node: sympy.Basic) -> bool:
    if isinstance(node, sympy.Abs):
        return True
    return bool(node.is_Pow and node.exp.is_Rational and node.exp.q == 2 and not node.is_number)


def _radicand(node: sympy.Expr) -> sympy.Expr:
    return node.args[0] ** 2 if isinstance(node, sympy.Abs) else node.base


def _apart(expression: sympy.Expr, base: sympy.Expr) -> tuple[sympy.Expr, sympy.Expr] | None:
    """A and B of `A + B sqrt(base)`, up to what both are divided by; None if it is not so."""
    root = sympy.Dummy("root", positive=True)
    own = [node for node in nodes([expression]) if _is_root(node) and _radicand(node) == base]
    powers = {node: root if isinstance(node, sympy.Abs) else root ** (2 * node.exp) for node in own}
    whole = expression.xreplace(powers)
    above = sympy.fraction(sympy.together(whole))[0]
    polynomial = above.as_poly(root)
    if polynomial is None:
        return None
    parts = [sympy.S.Zero, sympy.S.Zero]
    for (power,), number in polynomial.terms():
        parts[power % 2] += number * base ** (power // 2)
    return None if decided(parts[1]).is_zero else (parts[0], parts[1])


def _signed(value: sympy.Expr) -> sympy.Expr:
    """The value with its square roots as what is not negative, which they are where they are real."""
    roots = [node for node in nodes([value]) if _is_root(node)]
    outer = [node for node in roots if not any(node in nodes([_radicand(x)]) for x in roots)]
    return value.xreplace({node: sympy.Dummy("root", nonnegative=True) for node in outer})
