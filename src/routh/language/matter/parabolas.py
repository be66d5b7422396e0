"""Definite integrals of roots and of exponentials of parabolas, by asinh and erf.

    int du / sqrt(Q) = asinh((2 a u + b)/sqrt(D)) / sqrt(a),   Q = a u^2 + b u + c,  D = 4 a c - b^2
    n a I_n = u^(n-1) sqrt(Q) - (n - 1/2) b I_(n-1) - (n - 1) c I_(n-2),   I_n = int u^n du / sqrt(Q)
    int exp(-a u^2 + b u + c) du = sqrt(pi/a)/2 exp(c + b^2/(4 a)) erf(sqrt(a) u - b/(2 sqrt(a)))

The signs of a and D are asked for: a length that may be zero does, one that may be imaginary does not.
"""

from __future__ import annotations

import sympy

MOST_POWER = 12
"""Of the place, when powers of the parabola above the root are multiplied out."""

_Coefficients = tuple[sympy.Expr, sympy.Expr, sympy.Expr]


def _coefficients(parabola: sympy.Expr, u: sympy.Symbol) -> _Coefficients | None:
    """a, b, c of a u^2 + b u + c; None if it is something else, or a line."""
    slope = parabola.diff(u)
    bend = sympy.expand(slope.diff(u))
    if bend == 0 or bend.has(u):
        return None
    at_zero = {u: sympy.S.Zero}
    return bend / 2, sympy.expand(slope.xreplace(at_zero)), sympy.expand(parabola.xreplace(at_zero))


def of_bell(
    exponent: sympy.Expr, u: sympy.Symbol, start: sympy.Expr, end: sympy.Expr
) -> sympy.Expr | None:
    """The integral of exp(exponent), if that is a parabola that opens downwards."""
    found = _coefficients(exponent, u)
    if found is None or not found[0].is_negative:
        return None
    a, b, c = -found[0], found[1], found[2]
    root = sympy.sqrt(a)
    reach = [sympy.erf(sympy.expand(root * x - b / (2 * root))) for x in (start, end)]
    height = sympy.exp(sympy.expand(c + b**2 / (4 * a)))
    return sympy.sqrt(sympy.pi) / (2 * root) * height * (reach[1] - reach[0])


def of_parabola(
    n: int, base: sympy.Expr, p: sympy.Rational, u: sympy.Symbol, start: sympy.Expr, end: sympy.Expr
) -> sympy.Expr | None:
    """The integral of u^n base^p, 2 p odd and not below -1, if base is a parabola above zero."""
    found = _coefficients(base, u)
    if found is None or p.q != 2 or p.p < -1 or n + int(2 * p) + 1 > MOST_POWER:
        return None
    a, b, c = found
    D = sympy.expand(4 * a * c - b**2)
    if not a.is_positive or not D.is_nonnegative or D == 0:
        return None
    whole = sympy.Poly(u**n * (a * u**2 + b * u + c) ** int(p + sympy.Rational(1, 2)), u)
    moments = [_moments(whole.degree(), (a, b, c), D, base.xreplace({u: x}), x) for x in (start, end)]
    terms = ((k, weight) for (k,), weight in whole.terms())
    return sympy.Add(*(weight * (moments[1][k] - moments[0][k]) for k, weight in terms))


def _moments(
    most: int, Q: _Coefficients, D: sympy.Expr, value: sympy.Expr, at: sympy.Expr
) -> list[sympy.Expr]:
    """I_0 to I_most at a place, where the parabola has this value."""
    a, b, c = Q
    found = [sympy.asinh((2 * a * at + b) / sympy.sqrt(D)) / sympy.sqrt(a)]
    for k in range(1, most + 1):
        before = found[k - 2] if k > 1 else sympy.S.Zero
        slope = at ** (k - 1) * sympy.sqrt(value) - (k - sympy.Rational(1, 2)) * b * found[k - 1]
        found.append((slope - (k - 1) * c * before) / (k * a))
    return found
