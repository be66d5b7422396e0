"""What prescribed motion adds to the equations, by the parts of the kinetic energy.

    d/dt T1_v - T1_q = G v + dB/dt,   G_ij = dB_i/dq_j - dB_j/dq_i,      -T0_q = -C_q/2

with dB/dt at fixed coordinates, as dA/dt in `dA/dt v` of T2. G is skew, so that `v^T G v = 0`.
"""

from __future__ import annotations

from collections.abc import Iterator

import sympy
from sympy import ImmutableDenseMatrix as Matrix

from routh.language.calculus import ddt
from routh.language.derivation import partial, partials
from routh.language.walk import replaced
from routh.lecture.lagrangian.degrees import is_quadratic
from routh.lecture.lagrangian.expressions import (
    added,
    joined,
    matrix,
    partial_of,
    primed,
    rate_of,
    short,
)
from routh.lecture.lagrangian.letters import Letters
from routh.mechanics.forms.chapter import Formula, Step, formula
from routh.mechanics.lagrange import Equations


def carry(eq: Equations, letters: Letters) -> Iterator[Step]:
    """Gyroscopic, guiding and centrifugal terms by themselves."""
    if not is_quadratic(eq) or eq.system.lagrangian:
        return
    if any(eq.B):
        yield from _coupling(eq, letters)
    changing = Matrix(eq.A.applyfunc(lambda e: short(_held_rate(eq, e))))
    if any(changing):
        A, t = letters("A"), Formula("t", "t")
        yield "The relative part has a matrix that changes while the coordinates stand still, and adds"
        yield formula(joined([partial_of(A, t), " ", primed(letters("q"))]))
        yield matrix(partial_of(A, t), changing)
    centrifugal = Matrix([short(-slope) for slope in partials(eq.T0, eq.system.coordinates)])
    if any(centrifugal):
        yield "The transport part adds minus its slopes, the centrifugal terms in a turning frame:"
        T0 = letters("T", 0)
        yield matrix(joined(["-", partial_of(T0, letters("q"))]), centrifugal)


def _coupling(eq: Equations, letters: Letters) -> Iterator[Step]:
    G, guided = gyroscopic_matrix(eq), Matrix([short(e) for e in held_rate(eq)])
    v, B, T1 = primed(letters("q")), letters("B"), letters("T", 1)
    rate = partial_of(B, Formula("t", "t"))
    terms = [joined([letters("G"), " ", v])] * any(G) + [rate] * any(guided)
    yield "The coupling part enters the equations as"
    left = joined([rate_of(partial_of(T1, v)), " - ", partial_of(T1, letters("q"))])
    yield formula(left, added(terms) if terms else 0)
    if any(G):
        yield "with a skew matrix, whose gyroscopic (Coriolis) forces do no work,"
        yield matrix(letters("G"), G)
    if any(guided):
        link = "and with" if any(G) else "that is by"
        yield f"{link} what is prescribed, while the coordinates stand still,"
        yield matrix(rate, guided)
    if not terms:
        yield "since it is the rate of a function of position alone."


def gyroscopic_matrix(eq: Equations) -> Matrix:
    """(n, n): `G_ij = dB_i/dq_j - dB_j/dq_i`."""
    q, B = eq.system.coordinates, eq.B
    n = len(q)
    return Matrix(n, n, lambda i, j: short(partial(B[i], q[j]) - partial(B[j], q[i])))


def held_rate(eq: Equations) -> list[sympy.Expr]:
    """dB/dt while the coordinates are held."""
    return [_held_rate(eq, b) for b in eq.B]


def _held_rate(eq: Equations, e: sympy.Expr) -> sympy.Expr:
    return replaced(ddt(e), dict.fromkeys(eq.system.velocities, sympy.S.Zero))
