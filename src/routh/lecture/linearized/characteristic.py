"""The characteristic polynomial of a linear model, in symbols: det(M s^2 + (D + G) s + K + H)."""

from __future__ import annotations

import sympy

from routh.lecture.linearized.routh_array import s
from routh.lecture.linearized.small_motions import SmallMotions
from routh.mechanics.forms.printing import operations
from routh.mechanics.forms.tidy import Tidy
from routh.mechanics.forms.vanish import vanishes

MOST_MOTIONS = 4
"""Degrees of freedom up to which the determinant is multiplied out."""

MOST_OPERATIONS = 400
"""Operations of all entries together up to which it is."""


def characteristic(motions: SmallMotions) -> list[sympy.Expr] | None:
    """The coefficients, the highest power first; None where the determinant would be too long.

    There are none where it vanishes whatever s is.

    Velocity constraints border the matrix: `[[M s^2 + C s + K, R^T], [R s + W, 0]]`.
    """
    M, C, K = motions.matrices
    n, k = M.rows, motions.R.rows
    entries = sum(operations(entry) for X in (M, C, K, motions.R, motions.W) for entry in X)
    if not n or n + k > MOST_MOTIONS + 2 or n > MOST_MOTIONS or entries > MOST_OPERATIONS:
        return None
    body = M * s**2 + C * s + K
    if k:
        held = motions.R * s + motions.W
        body = sympy.Matrix(sympy.BlockMatrix([[body, motions.R.T], [held, sympy.zeros(k, k)]]))
    whole = sympy.Matrix(body).det(method="berkowitz") * (-1) ** k
    given = sympy.Poly(sympy.expand(whole), s).all_coeffs()
    found = [sympy.S.Zero if vanishes(c) else _short(c) for c in given]
    while found and found[0] == 0:
        del found[0]
    return found


def _short(coefficient: sympy.Expr) -> sympy.Expr:
    """The shorter of the factored and the tidied form."""
    forms = (sympy.factor(coefficient), Tidy(1.0)(coefficient))
    return min(forms, key=operations)
