"""Constraints and their rates, sorted by velocities and accelerations where that is shorter.

    phi' = J v + phi_t,    phi'' = J a + gamma      of positions,
    phi  = J v + b,        phi'  = J a + gamma      of velocities

with every entry in its short form: what rolls is written with rotations, and J shows what they leave.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import sympy
from sympy import ImmutableDenseMatrix as Matrix

from routh.language.calculus import ddt
from routh.language.symbols import Coordinate
from routh.language.walk import replaced, unfold
from routh.lecture.lagrangian.degrees import linear
from routh.lecture.lagrangian.expressions import short
from routh.mechanics.forms.printing import operations
from routh.mechanics.lagrange import Equations

LONG = 200
"""Operations beyond which an expression is not shortened as a whole, but entry by entry."""


@dataclass(frozen=True)
class Held:
    """The constraints of a system as a lecture shows them.

    Attributes:
        rates: of each constraint itself and its rates up to the one with accelerations.
        J, gamma: (c, n) and (c, 1), the last rates being J a + gamma.
    """

    rates: tuple[tuple[sympy.Expr, ...], ...]
    J: Matrix
    gamma: Matrix


def held(eq: Equations) -> Held:
    """The constraints of equations."""
    J = Matrix(eq.J.applyfunc(short))
    rates = tuple(tuple(_rates(eq, J, k)) for k in range(len(eq.kinds)))
    still = {v.rate: sympy.S.Zero for v in eq.system.velocities}
    gamma = [_shorter(short(replaced(own[-1], still)), eq.gamma[k]) for k, own in enumerate(rates)]
    return Held(rates, J, Matrix(len(rates), 1, gamma))


def _rates(eq: Equations, J: Matrix, k: int) -> Iterator[sympy.Expr]:
    v = eq.system.velocities
    phi = unfold(eq.system.constraints[k])
    row = Matrix([*J[k, :]])
    if eq.system.is_holonomic[k]:
        yield phi
        phi = ddt(phi)
    moving = _sorted(phi, row, v)
    yield moving
    yield _sorted(ddt(moving), row, [x.rate for x in v])


def _sorted(e: sympy.Expr, row: Matrix, by: Sequence[Coordinate]) -> sympy.Expr:
    """An expression that is linear in some symbols with these slopes, sorted by them or as a whole."""
    rest = replaced(e, dict.fromkeys(by, sympy.S.Zero))
    found = linear(row, by) + short(rest)
    return _shorter(short(e), found) if operations(e) <= LONG else found


def _shorter(a: sympy.Expr, b: sympy.Expr) -> sympy.Expr:
    return min(a, b, key=operations)
