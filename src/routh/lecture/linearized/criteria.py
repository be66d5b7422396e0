"""Which expressions must be positive for stability, by the criteria of the textbooks.

`a0 s^n + a1 s^(n-1) + ... + an` with a0 > 0 has roots with negative real parts alone exactly if all
coefficients and every other one of Hurwitz's determinants, D_(n-1), D_(n-3), ..., are positive
(Lienard and Chipart 1914; Gantmacher, ch. XV, section 13).

All roots of f(x) are real, negative and different exactly if `f(s^2) + 2 s f'(s^2)` is such a
polynomial (Hermite and Biehler; the rule of Routh for rows of zeros). A symmetric matrix is positive
definite exactly if its leading minors are positive (Sylvester).
"""

from __future__ import annotations

from collections.abc import Sequence

import sympy


def hurwitz_matrix(a: Sequence[sympy.Expr]) -> sympy.Matrix:
    """(n, n): row i, column j holds a_(2 j - i), both counted from 1."""
    n = len(a) - 1
    return sympy.Matrix(
        n, n, lambda i, j: a[2 * (j + 1) - (i + 1)] if 0 <= 2 * (j + 1) - (i + 1) <= n else 0
    )


def hurwitz(a: Sequence[sympy.Expr]) -> list[sympy.Expr]:
    """Positive together exactly where all roots have negative real parts, if a[0] is positive."""
    n = len(a) - 1
    matrix = hurwitz_matrix(a)
    minors = [matrix[:k, :k].det(method="berkowitz") for k in range(n - 1, 1, -2)]
    return [*a[1:], *minors[::-1]]


def real_negative(f: Sequence[sympy.Expr]) -> list[sympy.Expr]:
    """Positive together exactly where all roots of f are real, negative and different, if f[0] > 0."""
    n = len(f) - 1
    if n == 1:
        return [f[1]]
    if n == 2:
        return [f[1], f[2], f[1] ** 2 - 4 * f[0] * f[2]]
    mixed: list[sympy.Expr] = []
    for k, coefficient in enumerate(f):
        mixed += [coefficient, 2 * (n - k) * coefficient]
    return hurwitz(mixed[:-1])


def leading_minors(matrix: sympy.MatrixBase) -> list[sympy.Expr]:
    """Positive together exactly where a symmetric matrix is positive definite."""
    return [matrix[:k, :k].det(method="berkowitz") for k in range(1, matrix.rows + 1)]
