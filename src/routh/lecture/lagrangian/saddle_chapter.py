"""Equations with constraints: index 3 and index 1, the saddle point, and Baumgarte's rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import sympy
from sympy import ImmutableDenseMatrix as Matrix

from routh.lecture.lagrangian.admissible_basis import admissible_basis
from routh.lecture.lagrangian.constraint_rates import held
from routh.lecture.lagrangian.expressions import column, joined, primed, short, turned
from routh.lecture.lagrangian.letters import Letters
from routh.lecture.lagrangian.solved_chapter import balance, solution, solved
from routh.mechanics.forms.chapter import Formula, Step, formula
from routh.mechanics.forms.inverse import is_singular
from routh.mechanics.forms.printing import latex, text
from routh.mechanics.lagrange import Equations

WIDEST = 160
"""Characters of a row beyond which blocks say more than their entries, which stand above."""


def join(eq: Equations, letters: Letters) -> Iterator[Step]:
    """The equations of motion together with the constraints."""
    if not eq.multipliers:
        return
    if is_singular(eq.saddle, keeping=eq.system.velocities):
        yield from _undetermined(eq, letters)
        yield from _saddle(eq, letters)
    else:
        yield from _indices(eq, letters)
        yield from _saddle(eq, letters)
        yield from _solved(eq, letters)
    yield from _stabilized(eq, letters)


def _undetermined(eq: Equations, letters: Letters) -> Iterator[Step]:
    """What the equations leave open: multipliers of constraints that repeat each other, or more."""
    J, a = letters("J"), primed(letters("q"), 2)
    null, _ = admissible_basis(Matrix(held(eq).J.T))
    if not null.cols:
        yield (
            "The matrix of these equations is singular in every position, as masses are missing:"
            " accelerations and multipliers are not determined one by one."
        )
        return
    c = len(eq.multipliers)
    yield (
        f"The {c} constraints repeat each other: {J.text} has rank {c - null.cols}, and its rows add up"
        " to zero with the factors"
    )
    for k in range(null.cols):
        yield formula(_null_name(k if null.cols > 1 else None), column(null[:, k]))
    if is_singular(eq.M, keeping=eq.system.velocities):
        yield "So the multipliers are not unique: any multiple of these may be added to them."
        return
    push = joined([turned(J), " ", letters("lambda")])
    yield (
        "So the multipliers are not unique: any multiple of these may be added to them, and motion and"
        " forces stay the same. Determined are the accelerations and the force of all constraints"
        " together,"
    )
    yield formula(joined([push, " = ", *_free(eq, letters), " - ", letters("M"), " ", a]))
    yield "In numbers the multipliers are those of least norm."


def _null_name(k: int | None) -> Formula:
    return Formula("n", "n") if k is None else Formula(f"n{k + 1}", f"n_{{{k + 1}}}")


def _free(eq: Equations, letters: Letters) -> list[Formula | str]:
    """The right side without accelerations."""
    return [letters("Q"), " - ", letters("h")] if any(eq.Q) else ["-", letters("h")]


def _indices(eq: Equations, letters: Letters) -> Iterator[Step]:
    J, a, gamma = letters("J"), primed(letters("q"), 2), letters("gamma")
    positions = any(eq.system.is_holonomic)
    index = 3 if positions else 2
    yield (
        f"The equations of motion and the constraints as they stand have index {index}: {index}"
        " differentiations would give differential equations for all unknowns, multipliers included."
    )
    yield formula(*balance(eq, letters))
    yield formula(letters("phi"), 0)
    start = "the constraints and their rates" if positions else "the constraints"
    yield (
        "With the constraints differentiated until accelerations appear the index is 1: accelerations"
        f" and multipliers follow from position and velocity, and {start} must hold at the start."
    )
    yield formula(*balance(eq, letters))
    yield formula(joined([J, " ", a, " + ", gamma]), 0)


def _linear(eq: Equations) -> tuple[Matrix, list[sympy.Symbol], Matrix]:
    """The matrix of the saddle point, its unknowns and its right side, in short entries."""
    found = held(eq)
    c = len(eq.multipliers)
    push = found.J.T - eq.Q_multipliers
    K = Matrix(sympy.BlockMatrix([[eq.M, push], [found.J, sympy.zeros(c, c)]]))
    unknowns = [*(v.rate for v in eq.system.velocities), *eq.multipliers]
    return K, unknowns, Matrix([*(eq.free_Q - eq.h), *(-found.gamma)])


def _saddle(eq: Equations, letters: Letters) -> Iterator[Step]:
    if any(eq.Q_multipliers):
        yield (
            "Forces depend on the multipliers, and linearly: what stands before these goes to the left."
            " For accelerations and multipliers this is a linear system, with a matrix that is not"
            " symmetric:"
        )
        yield linear_system(*_linear(eq))
        return
    yield "For accelerations and multipliers this is a linear system, the saddle point:"
    yield _blocks(eq, letters)
    written = linear_system(*_linear(eq))
    if max(map(len, written.text.splitlines())) <= WIDEST:
        yield "that is"
        yield written


def _blocks(eq: Equations, letters: Letters) -> Formula:
    """[[M, J^T], [J, 0]] (a, multipliers) = (Q - h, -gamma)."""
    M, J, gamma, a = letters("M"), letters("J"), letters("gamma"), primed(letters("q"), 2)
    free = joined(_free(eq, letters))
    upper = [M, turned(J), a, free]
    lower = [J, Formula("0", "0"), letters("lambda"), joined(["-", gamma])]
    sides = [[upper[k], lower[k]] for k in (slice(0, 2), slice(2, 3), slice(3, 4))]
    lines = zip(*map(_aligned, sides), " =", strict=True)
    K, x, b = map(_block, sides)
    return Formula("\n".join(f"{row} {u} {sign} {e}" for row, u, e, sign in lines), f"{K} {x} = {b}")


def _block(rows: Sequence[Sequence[Formula]]) -> str:
    inside = r" \\ ".join(" & ".join(cell.latex for cell in row) for row in rows)
    return rf"\begin{{bmatrix}} {inside} \end{{bmatrix}}"


def _aligned(rows: Sequence[Sequence[Formula]]) -> list[str]:
    """Rows of text in brackets, equally wide."""
    written = [", ".join(cell.text for cell in row) for row in rows]
    width = max(map(len, written))
    return [f"[{row.ljust(width)}]" for row in written]


def linear_system(matrix: Matrix, unknowns: Sequence[sympy.Symbol], right: Matrix) -> Formula:
    """A matrix times unknowns and the right side, row by row in text."""
    rows = [f"[{', '.join(map(text, matrix[i, :]))}]" for i in range(matrix.rows)]
    names = [f"[{text(u)}]" for u in unknowns]
    widths = [max(map(len, side)) for side in (rows, names)]
    signs = ["=" if i == (len(rows) - 1) // 2 else " " for i in range(len(rows))]
    lines = [
        f"{row.ljust(widths[0])} {name.ljust(widths[1])} {sign} [{text(e)}]"
        for row, name, sign, e in zip(rows, names, signs, right, strict=True)
    ]
    return Formula(
        "\n".join(lines), f"{latex(matrix)} {column(unknowns).latex} = {column(right).latex}"
    )


def _solved(eq: Equations, letters: Letters) -> Iterator[Step]:
    matrix, unknowns, right = _linear(eq)
    found = solution(matrix, right)
    if found is not None:
        yield "Its solution is"
        for unknown, value in zip(unknowns, found, strict=True):
            yield solved(unknown, value)
    elif eq.M.is_diagonal() and all(eq.M.diagonal()) and not any(eq.Q_multipliers):
        yield from _eliminated(eq, letters)


def _eliminated(eq: Equations, letters: Letters) -> Iterator[Step]:
    """The accelerations put into the constraints, where the inverse of M is at hand."""
    M, h, Q, J = letters("M"), letters("h"), letters("Q"), letters("J")
    inverse = Formula(f"{M.text}^-1", f"{M.latex}^{{-1}}")
    free: list[Formula | str] = ["(", Q, " - ", h, ")"] if any(eq.Q) else ["(-", h, ")"]
    yield "Put into the constraints, the accelerations leave equations for the multipliers alone:"
    left = joined([J, " ", inverse, " ", turned(J), " ", letters("lambda")])
    yield formula(left, joined([J, " ", inverse, " ", *free, " + ", letters("gamma")]))
    S, s = reduced_system(eq)
    yield linear_system(S, eq.multipliers, s)


def reduced_system(eq: Equations) -> tuple[Matrix, Matrix]:
    """J M^-1 J^T and J M^-1 (Q - h) + gamma, for a diagonal M."""
    inverse, found = sympy.diag(*(1 / e for e in eq.M.diagonal())), held(eq)
    S = Matrix(found.J * inverse * found.J.T)
    s = Matrix(found.J * inverse * (eq.Q - eq.h) + found.gamma)
    return S.applyfunc(short), s.applyfunc(short)


def _stabilized(eq: Equations, letters: Letters) -> Iterator[Step]:
    """Rows that pull back what has drifted off the constraints."""
    yield (
        "In numbers the differentiated constraints drift. Baumgarte's rows let the deviation die out"
        " instead, with gains above zero:"
    )
    every = held(eq).rates
    for k, rates in enumerate(every, 1):
        yield _baumgarte(rates, letters("phi", k), letters)
    alpha, beta = letters("alpha"), letters("beta")
    if any(len(rates) == 3 for rates in every):
        s = _root_letter(eq)
        yield (
            f"The deviation then dies out with the roots of {s}^2 + 2 {alpha.text} {s} +"
            f" {beta.text}^2 = 0, {s} = -{alpha.text} +- sqrt({alpha.text}^2 - {beta.text}^2)."
        )
        yield (
            f"With {alpha.text} = {beta.text} both are -{alpha.text}, and deviations die out fastest"
            f" for this {beta.text}. With {beta.text} above {alpha.text} they swing, with"
            f" {beta.text} far below it one root is slow, near -{beta.text}^2/(2 {alpha.text}). The"
            " larger both are, the harder the pull, until the rows are stiff: an explicit method wants"
            " them below about one over its step."
        )
    if any(len(rates) == 2 for rates in every):
        yield f"A deviation of a constraint on velocities dies out as exp(-2 {alpha.text} t)."


def _root_letter(eq: Equations) -> str:
    """A letter for roots that the system does not have."""
    system = eq.system
    taken = {each.name for each in (*system.coordinates, *system.parameters, *system.inputs)}
    return next(each for each in ("s", "z", "root") if each not in taken)


def _baumgarte(rates: tuple[sympy.Expr, ...], name: Formula, letters: Letters) -> Formula:
    """The row phi'' + 2 alpha phi' + beta^2 phi, or phi' + 2 alpha phi for velocities."""
    alpha, beta = letters("alpha"), letters("beta")
    a, b = (sympy.Symbol(each.text, positive=True) for each in (alpha, beta))
    first = joined([primed(name, len(rates) - 1), " + 2 ", alpha, " ", primed(name, len(rates) - 2)])
    total = rates[-1] + 2 * a * rates[-2]
    if len(rates) == 2:
        return formula(first, total, 0)
    square = Formula(f"{beta.text}^2", f"{beta.latex}^2")
    return formula(joined([first, " + ", square, " ", name]), total + b**2 * rates[0], 0)
