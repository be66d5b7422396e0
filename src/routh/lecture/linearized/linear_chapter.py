"""The chapter on symbolic linear equations: each matrix from its second derivatives, then stability."""

from __future__ import annotations

from collections.abc import Iterator

import sympy
from sympy import ImmutableDenseMatrix as Matrix

from routh.language.calculus import ddt
from routh.language.symbols import Coordinate
from routh.lecture.kinds import chapter_of
from routh.lecture.linearized.layout import titled
from routh.lecture.linearized.linear_terms import (
    OnReference,
    input_steps,
    mass_steps,
    position_steps,
    velocity_steps,
)
from routh.lecture.linearized.matrix_letters import MatrixLetters
from routh.lecture.linearized.second_derivatives import on_reference, second_derivatives
from routh.lecture.linearized.small_motions import (
    admissible,
    constraint_steps,
    row_steps,
    small_motions,
)
from routh.lecture.linearized.stability_sections import stability_sections
from routh.mechanics.forms.chapter import Chapter, Formula, Step, chapter, formula
from routh.mechanics.forms.tidy import Tidy
from routh.mechanics.forms.vanish import vanishes
from routh.mechanics.quadratic import LinearEquations
from routh.mechanics.solution_domain import existence


@chapter_of.register
def _(linear: LinearEquations) -> Chapter:
    system = linear.system
    at = on_reference(system, linear.about)
    rates = {x: value for x, value in at.items() if isinstance(x, Coordinate) and x.order}
    of = second_derivatives(system, rates)
    letters = MatrixLetters(system)
    place = OnReference(at, letters)
    full = small_motions(linear)
    reduced = admissible(linear, full) if linear.multipliers else (full, Matrix())
    motions = full if reduced is None else reduced[0]
    C, K = Matrix(linear.D + linear.G), Matrix(linear.K + linear.H)
    sections: list[tuple[str, list[Step]]] = [
        ("Reference", list(_reference(linear, letters))),
        ("Mass", list(mass_steps(of, place, linear.M))),
        ("Damping and gyroscopic forces", list(velocity_steps(of, place, (C, linear.D, linear.G)))),
        ("Stiffness and circulatory forces", list(position_steps(of, place, (K, linear.K, linear.H)))),
        ("Inputs", list(input_steps(system, linear.inputs, rates, place, linear.B))),
        ("Constraints", list(constraint_steps(linear, full, letters))),
        ("Equations of small motions", list(row_steps(motions, letters))),
    ]
    if reduced is not None:
        sections += stability_sections(motions, letters)
    return chapter(titled(system, "the linear equations"), letters.told(sections))


def _reference(linear: LinearEquations, letters: MatrixLetters) -> Iterator[Step]:
    """Where the system is linearized, and whether it may stay there."""
    yield "Deviations eta from the reference obey"
    whole = Formula(
        "M eta'' + (D + G) eta' + (K + H) eta = B u",
        r"M \ddot\eta + (D + G) \dot\eta + (K + H) \eta = B u",
    )
    yield letters(whole)
    yield (
        "with D, K symmetric and G, H skew, all from second derivatives of L = T - V. The reference is"
    )
    yield from (formula(x, value) for x, value in linear.about.items() if x != value)
    moving = {q.rate: rate for q, rate in _velocities(linear).items() if rate != 0}
    if moving:
        yield "with the velocities, which are put in wherever they stand,"
        yield from (formula(v, rate) for v, rate in moving.items())
    needed = existence(linear.about.values())
    if needed:
        yield "which exists only where"
        yield from needed
    left = [row for row in linear.residual if not vanishes(row)]
    if not left:
        yield "There the equations of motion are fulfilled."
    else:
        yield "There the equations of motion are fulfilled where"
        yield from (formula(-row if row.could_extract_minus_sign() else row, 0) for row in left)


def _velocities(linear: LinearEquations) -> dict[Coordinate, sympy.Expr]:
    """The rates of what changes in time along the reference."""
    tidy = Tidy(1.0)
    return {
        q: tidy(ddt(value))
        for q, value in linear.about.items()
        if isinstance(q, Coordinate) and value != q
    }
