"""The three real roots of a cubic slope, one on each side of its turns and one between them.

With turns at m - r and m + r, `x = m + 2 r w` leads from `a x^3 + b x^2 + c x + d = y` to
`4 w^3 - 3 w = T`, `T = (y - y(m)) / (2 a r^3)`, which is what cosines and sines of a third of an angle
meet (Viete 1615): they hold on a whole branch, where a formula with roots of complex numbers changes
its sheet. Beyond T = 1 `cos(acos(T)/3)` is `cosh(acosh(T)/3)`.
"""

from __future__ import annotations

import sympy

from routh.language.symbols import Momentum


def cubic_roots(slope: sympy.Expr, x: sympy.Symbol, y: Momentum) -> list[sympy.Expr]:
    """X below the turns of a cubic, between them and above; nothing where it is none."""
    if not slope.is_polynomial(x):
        return []
    polynomial = sympy.Poly(slope, x)
    if polynomial.degree() != 3:
        return []
    a, b, c, _ = polynomial.all_coeffs()
    square = sympy.factor((b**2 - 3 * a * c) / (9 * a**2))
    if square.is_nonpositive:
        return []
    m, r = -b / (3 * a), sympy.sqrt(square)
    T = (y - polynomial.as_expr().xreplace({x: m})) / (2 * a * r**3)
    shares = (
        -sympy.cos(sympy.acos(-T) / 3), -sympy.sin(sympy.asin(T) / 3), sympy.cos(sympy.acos(T) / 3)
    )  # fmt: skip
    return [m + 2 * r * w for w in shares]


def reduced(f: sympy.Expr, x: sympy.Symbol, y: Momentum) -> sympy.Expr:
    """`y x - f` where y is the slope of f, of the lowest degree in x that has the same value there."""
    own = y * x - f
    if not f.is_polynomial(x):
        return own
    rest = sympy.rem(sympy.Poly(own, x), sympy.Poly(f.diff(x) - y, x))
    return sympy.Add(*(sympy.factor(e) * x**k for (k,), e in rest.terms()))
