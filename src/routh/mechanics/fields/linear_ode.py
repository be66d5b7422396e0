"""Solutions of linear differential equations along a space, in closed form.

`a_n w^(n) + ... + a_0 w + f(s) = 0` with coefficients that do not depend on s, even orders alone (as
beams, strings and rods have them), and a load f that is a polynomial, or anything if one a_k stands
alone.
"""

from __future__ import annotations

import random

import sympy

from routh.language.fields import Field, Space
from routh.language.symbols import Let
from routh.language.walk import leaves


class OtherEquationError(Exception):
    """The equation is not of the kind that is solved here."""


def general_solution(row: sympy.Expr, w: Field) -> tuple[sympy.Expr, tuple[sympy.Symbol, ...]]:
    """The solutions of `row = 0` for a field, with constants of integration.

    Raises:
        OtherEquationError: for an equation of another kind.
    """
    space = w.space
    coefficients, load = _coefficients(row, w)
    functions = _homogeneous(coefficients, w)
    constants = tuple(sympy.Dummy(f"c{k}", real=True) for k in range(1, len(functions) + 1))
    particular = _particular(coefficients, load, space)
    return sympy.Add(particular, *(c * f for c, f in zip(constants, functions, strict=True))), constants


def _coefficients(row: sympy.Expr, w: Field) -> tuple[dict[int, sympy.Expr], sympy.Expr]:
    """The factor of each derivative that is there, and what stands alone."""
    row = sympy.expand(row)
    inside = [x for x in leaves([row]) if isinstance(x, Field) and x.end is None]
    if row.has(sympy.Integral) or any(x.base != w or x.order for x in inside):
        raise OtherEquationError
    found = {x.slope: row.diff(x) for x in inside}
    load = row.xreplace(dict.fromkeys(inside, sympy.S.Zero))
    for a in found.values():
        if any(isinstance(x, Space) or (isinstance(x, Field) and x.end is None) for x in leaves([a])):
            raise OtherEquationError
    if not found or any(k % 2 for k in found):
        raise OtherEquationError
    return found, load


def _homogeneous(a: dict[int, sympy.Expr], w: Field) -> list[sympy.Expr]:
    """As many independent solutions as the order, for orders two and four."""
    order, least = max(a), min(a)
    if order not in (2, 4):
        raise OtherEquationError
    powers = [w.space**k for k in range(least)]
    if order == least:
        return powers
    if order - least == 2:
        return [*powers, *_waves(-a[least] / a[order], w)]
    if set(a) == {0, 4}:
        return _fourth(a[0] / a[4], w)
    root = sympy.sqrt(a[2] ** 2 - 4 * a[4] * a[0])
    if _sign(a[2] ** 2 - 4 * a[4] * a[0]) <= 0:
        raise OtherEquationError
    signs = ((1, "1"), (-1, "2"))
    return [f for sign, k in signs for f in _waves((-a[2] + sign * root) / (2 * a[4]), w, k)]


def _number(w: Field, value: sympy.Expr, index: str = "") -> sympy.Expr:
    """A wave number with a name of its own, so that solutions stay short."""
    return value if value.is_number else Let(f"beta{index}_{w.label}", value)


def _waves(square: sympy.Expr, w: Field, index: str = "") -> list[sympy.Expr]:
    """The two solutions of w'' = square * w."""
    s = w.space
    if _sign(square) > 0:
        k = _number(w, sympy.sqrt(square), index)
        return [sympy.sinh(k * s), sympy.cosh(k * s)]
    k = _number(w, sympy.sqrt(-square), index)
    return [sympy.sin(k * s), sympy.cos(k * s)]


def _fourth(ratio: sympy.Expr, w: Field) -> list[sympy.Expr]:
    """The four solutions of w_ssss + ratio * w = 0."""
    s = w.space
    if _sign(ratio) < 0:
        b = _number(w, sympy.root(-ratio, 4))
        return [sympy.sin(b * s), sympy.cos(b * s), sympy.sinh(b * s), sympy.cosh(b * s)]
    b = _number(w, sympy.root(ratio / 4, 4))
    return [f(b * s) * g(b * s) for f in (sympy.sinh, sympy.cosh) for g in (sympy.sin, sympy.cos)]


def _sign(value: sympy.Expr) -> int:
    """The sign for positive parameters, by evaluation; either form solves the equation for all."""
    generator = random.Random(1831)
    point = {x: generator.uniform(0.2, 0.9) for x in sorted(value.free_symbols, key=str)}
    number = complex(value.xreplace(point).evalf())
    if abs(number.imag) > 1e-12 * abs(number.real):
        raise OtherEquationError
    return 1 if number.real > 0 else -1


def _particular(a: dict[int, sympy.Expr], load: sympy.Expr, s: Space) -> sympy.Expr:
    if load == 0:
        return sympy.S.Zero
    least, order = min(a), max(a)
    if load.is_polynomial(s):
        degree = sympy.Poly(load, s).degree()
        unknowns = sympy.symbols(f"p0:{degree + 1}", cls=sympy.Dummy)
        trial = sympy.Add(*(p * s ** (k + least) for k, p in enumerate(unknowns)))
        left = sympy.Poly(sympy.Add(load, *(c * trial.diff(s, k) for k, c in a.items())), s)
        solved = sympy.solve(left.all_coeffs(), unknowns, dict=True)
        if not solved:
            raise OtherEquationError
        return sympy.expand(trial.xreplace(solved[0]))
    if least != order:
        raise OtherEquationError
    found = -load / a[order]
    for _ in range(order):
        found = sympy.integrate(found, s)
        if found.has(sympy.Integral):
            raise OtherEquationError
    return found
