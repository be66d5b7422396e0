"""The equations of motion as a whole: their matrices, and solved for the accelerations."""

from __future__ import annotations

from collections.abc import Iterator

import sympy
from sympy import ImmutableDenseMatrix as Matrix

from routh.language.walk import written_size
from routh.lecture.lagrangian.expressions import joined, matrix, primed, quotient, short, turned
from routh.lecture.lagrangian.letters import Letters
from routh.mechanics.forms.chapter import Formula, Step, formula
from routh.mechanics.forms.inverse import adjugate, determinant, is_singular
from routh.mechanics.forms.printing import operations
from routh.mechanics.lagrange import Equations

SOLVED = 4
"""Unknowns, accelerations and multipliers together, up to which equations are solved in symbols."""

WIDE = 25
"""Operations above a line beyond which its terms stand better under each other than on it."""

LONGEST = 1500
"""Nodes of a solution, not yet in lowest terms, beyond which it tells less than its equations."""


def assemble(eq: Equations, letters: Letters) -> Iterator[Step]:
    """M, h and Q, and without constraints the accelerations."""
    M, h, Q = letters("M"), letters("h"), letters("Q")
    yield "Sorted by accelerations, the equations of motion are"
    yield formula(*balance(eq, letters))
    yield matrix(M, eq.M)
    yield matrix(h, eq.h)
    if any(eq.Q):
        yield matrix(Q, eq.Q)
    if not eq.multipliers:
        yield from _accelerations(eq, letters)


def balance(eq: Equations, letters: Letters) -> tuple[Formula, Formula | int]:
    """Both sides of M q'' + h + J^T multipliers = Q."""
    M, h, Q, a = letters("M"), letters("h"), letters("Q"), primed(letters("q"), 2)
    left: list[Formula | str] = [M, " ", a, " + ", h]
    if eq.multipliers:
        left += [" + ", turned(letters("J")), " ", letters("lambda")]
    return joined(left), Q if any(eq.Q) else 0


def _accelerations(eq: Equations, letters: Letters) -> Iterator[Step]:
    """The solution q'' = M^-1 (Q - h), written out where it is short enough."""
    M, h, Q, a = letters("M"), letters("h"), letters("Q"), primed(letters("q"), 2)
    if is_singular(eq.M, keeping=eq.system.velocities):
        yield (
            "The mass matrix is singular in every position: not all accelerations follow from these"
            " equations."
        )
        return
    found = solution(eq.M, eq.right_side)
    if len(eq.M) > 1:
        yield "They determine the accelerations where the determinant of the mass matrix is not zero:"
        det = short(determinant(eq.M)) if found else None
        name = Formula(f"det {M.text}", rf"\det {M.latex}")
        yield formula(name, 0, relation="!=") if det is None else formula(name, det)
    else:
        yield "Solved for the acceleration:"
    if found is None or len(eq.M) > 1:
        inverse = Formula(f"{M.text}^-1", f"{M.latex}^{{-1}}")
        right = (
            joined([inverse, " (", Q, " - ", h, ")"]) if any(eq.Q) else joined(["-", inverse, " ", h])
        )
        yield formula(a, right)
    if found is not None:
        for v, row in zip(eq.system.velocities, found, strict=True):
            yield solved(v.rate, row)


def solved(unknown: sympy.Symbol, value: sympy.Expr) -> Formula:
    """What an unknown is; with the sum below the line before it where the quotient is wide."""
    above, below = sympy.fraction(value)
    if not below.is_Add or not above.is_Add or operations(above) <= WIDE:
        return formula(unknown, value)
    left, name = formula(below), formula(unknown)
    return formula(
        Formula(f"({left.text})*{name.text}", rf"\left({left.latex}\right) {name.latex}"), above
    )


def solution(matrix: Matrix, right: Matrix) -> list[sympy.Expr] | None:
    """The solution of a linear system in lowest terms; None where it would be too long to read."""
    if matrix.rows > SOLVED:
        return None
    det = determinant(matrix)
    minors = adjugate(matrix)
    rows = [
        sympy.Add(*(a * b for a, b in zip(minors[i, :], right, strict=True))) / det
        for i in range(matrix.rows)
    ]
    if max(map(written_size, rows)) > LONGEST:
        return None
    return [quotient(row) for row in rows]
