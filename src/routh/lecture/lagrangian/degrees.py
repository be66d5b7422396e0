"""Sums sorted by velocities: `A11 v1^2/2 + A12 v1 v2 + ... + B1 v1 + ... + C/2`, every factor short.

So kinetic energies are written in books, and so they need not be multiplied out as a whole.
"""

from __future__ import annotations

from collections.abc import Sequence

import sympy
from sympy import ImmutableDenseMatrix as Matrix

from routh.language.derivation import partials
from routh.language.symbols import Coordinate
from routh.language.walk import leaves, replaced, unfold
from routh.lecture.lagrangian.expressions import short
from routh.mechanics.lagrange import Equations

Velocities = Sequence[Coordinate]


def quadratic(A: Matrix, v: Velocities) -> sympy.Expr:
    """v^T A v/2, written out: each product of velocities once."""
    n = range(len(v))
    squares = [A[i, i] * v[i] ** 2 / 2 for i in n]
    products = [A[i, j] * v[i] * v[j] for i in n for j in n if i < j]
    return sympy.Add(*squares, *products)


def linear(B: Matrix, v: Velocities) -> sympy.Expr:
    """B^T v."""
    return sympy.Add(*(b * x for b, x in zip(B, v, strict=True)))


def is_quadratic(eq: Equations) -> bool:
    """Whether the kinetic energy, or the Lagrangian, is of the second degree in the velocities."""
    return not leaves(eq.A) & set(eq.system.velocities)


def kinetic_part(eq: Equations, degree: int) -> sympy.Expr:
    """T2, T1 or T0; T2 is all the rest where T is not quadratic."""
    v = eq.system.velocities
    if degree == 2:
        return quadratic(eq.A, v) if is_quadratic(eq) else eq.T2
    return linear(eq.B, v) if degree == 1 else eq.T0


def kinetic(eq: Equations) -> sympy.Expr:
    """T, sorted by velocities."""
    return sympy.Add(*(kinetic_part(eq, degree) for degree in (2, 1, 0)))


def by_velocities(term: sympy.Expr, v: Velocities) -> sympy.Expr:
    """A term of the kinetic energy sorted by velocities; its short form where it is not quadratic."""
    whole = unfold(term)
    slopes = partials(whole, v)
    rows = [partials(slope, v[i:]) for i, slope in enumerate(slopes)]
    if leaves(e for row in rows for e in row) & set(v):
        return short(term)
    still = dict.fromkeys(v, sympy.S.Zero)
    A = Matrix(len(v), len(v), lambda i, j: short(rows[min(i, j)][abs(i - j)]))
    B = Matrix([short(replaced(slope, still)) for slope in slopes])
    return quadratic(A, v) + linear(B, v) + short(replaced(whole, still))
