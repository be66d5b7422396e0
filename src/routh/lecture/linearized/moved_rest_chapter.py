"""The chapter on how a rest moves with parameters: the implicit function theorem, with numbers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import sympy
from sympy import ImmutableDenseMatrix as Matrix

from routh.analysis.given.balance_slopes import by_knob, by_unknowns
from routh.analysis.given.knob import Knob, knob
from routh.analysis.rest.result import Equilibrium
from routh.analysis.sensitivities.moved_rest import times_of
from routh.analysis.sensitivities.rest_sensitivity import RestSensitivity
from routh.arrays import Array
from routh.errors import RouthError
from routh.kernels.kernel import kernel
from routh.lecture.kinds import chapter_of
from routh.lecture.linearized import layout
from routh.lecture.linearized.linear_numbers_chapter import (
    assigned,
    given_numbers,
    is_written,
    multiplier_steps,
    position,
)
from routh.lecture.linearized.second_derivatives import shortened
from routh.lecture.linearized.sensitivity_letters import SensitivityLetters
from routh.mechanics.forms.chapter import Chapter, Step, chapter, formula
from routh.mechanics.rest import EquilibriumEquations, equilibrium_equations

MOST_SHOWN = 12
"""Equations up to which their slopes are shown."""


@chapter_of.register
def _(found: RestSensitivity) -> Chapter:
    one = found.rest.single(0) if found.rest.conditions.shape else found.rest
    own = one.sensitivity(*found.parameters) if found.rest.conditions.shape else found
    letters = SensitivityLetters(one.system)
    sections: list[tuple[str, list[Step]]] = [
        ("Reference", list(place_steps(found.rest, one))),
        ("The rest moves", list(moved_steps(own, letters))),
    ]
    title = layout.titled(one.system, "how the rest moves with parameters")
    return chapter(title, letters.told(sections))


def place_steps(rest: Equilibrium, one: Equilibrium) -> Iterator[Step]:
    """Where derivatives are taken."""
    if rest.conditions.shape:
        yield (
            f"Of the {rest.conditions.count} points of the batch this is the first; rest.single(k) is"
            " another, counted from 0."
        )
    yield "The values are"
    yield assigned(given_numbers(one))
    yield f"and the {'steady motion begins' if one.turning else 'equilibrium is'} at"
    yield position(one)
    if one.turning:
        yield "moving on with"
        yield assigned({one.system.velocities[k]: one.v[k] for k in one.turning})
    yield from multiplier_steps(one)


def moved_steps(found: RestSensitivity, letters: SensitivityLetters) -> Iterator[Step]:
    """E(q, lambda, p) = 0 differentiated by p, and solved."""
    rest = found.rest
    known = np.atleast_1d(np.isfinite(found.q).all(axis=0))
    chosen = [each for each, there in zip(found.parameters, known, strict=True) if there]
    knobs = [knob(rest.system, rest.conditions, each) for each in chosen]
    with_multipliers = ", $lambda" if rest.multipliers.size else ""
    yield letters.sentence(
        f"The equations $E(q{with_multipliers}, $p) = 0 of the rest hold for every value of a"
        " parameter $p. So their total derivative vanishes (implicit function theorem):"
    )
    x = "(q, $lambda)" if rest.multipliers.size else "q"
    yield letters(
        f"d$E/d{x} d{x}/d$p = -d$E/d$p",
        rf"\frac{{\partial $E}}{{\partial {x}}} \frac{{d {x}}}{{d $p}} ="
        r" -\frac{\partial $E}{\partial $p}",
    )
    if rest.q.size + rest.multipliers.size > MOST_SHOWN:
        yield "There are too many equations for a page; rest.sensitivity(...).q holds what they give."
        return
    yield from _in_symbols(rest, knobs, letters)
    yield from _in_numbers(found, knobs, letters, x)
    if found.remark:
        yield found.remark


def _in_symbols(rest: Equilibrium, knobs: list[Knob], letters: SensitivityLetters) -> Iterator[Step]:
    """The equations, and their derivatives by each parameter, where they can be read."""
    rows = written_rows(rest)
    if rows is None:
        return
    yield letters.sentence("Here $E is")
    for k, row in enumerate(rows):
        yield formula(letters(f"$E[{k + 1}]", rf"{{$E}}_{{{k + 1}}}"), row)
    for each in knobs:
        slopes = shortened(Matrix([row.diff(each.symbol) for row in rows]))
        yield layout.matrix(
            letters("d$E/d$a", r"\frac{\partial $E}{\partial $a}", a=each.symbol), slopes
        )


def written_rows(rest: Equilibrium) -> list[sympy.Expr] | None:
    """The equations of a rest in symbols, or None where they cannot be written or something turns."""
    if rest.turning or not is_written(rest.system) or len(times_of(rest)) > 1:
        return None
    try:
        found = equilibrium_equations(rest.system, solve=0)
    except RouthError:
        return None
    return list(found.residual) if isinstance(found, EquilibriumEquations) else None


def _in_numbers(
    found: RestSensitivity, knobs: list[Knob], letters: SensitivityLetters, x: str
) -> Iterator[Step]:
    rest = found.rest
    names = [*rest.system.coordinates, *rest.system.multipliers]
    heads = ", ".join(str(each.symbol) for each in knobs)
    if rest.conditions.momenta:
        yield f"Momenta are given, and speeds are unknowns too. With a column for each of {heads},"
    else:
        yield from _slope_steps(rest, knobs, letters, x, heads)
    yield f"a row for each of {', '.join(map(str, names))},"
    moved = np.concatenate([found.q, found.multipliers])
    moved = moved[:, np.isfinite(moved).all(axis=0)]
    yield layout.numbers(letters(f"d{x}/d$p", rf"\frac{{d {x}}}{{d $p}}"), moved)


def _slope_steps(
    rest: Equilibrium, knobs: list[Knob], letters: SensitivityLetters, x: str, heads: str
) -> Iterator[Step]:
    """Both sides of the equation for the move."""
    tangent, slopes = rest_slopes(rest, knobs)
    yield "In numbers, at the equilibrium,"
    yield layout.numbers(letters(f"d$E/d{x}", rf"\frac{{\partial $E}}{{\partial {x}}}"), tangent)
    yield f"and, with a column for each of {heads},"
    yield layout.numbers(letters("d$E/d$p", r"\frac{\partial $E}{\partial $p}"), slopes)
    if len(times_of(rest)) > 1:
        yield "These are the equations at t = 0; time enters, and they are met at other times as well."
    if rest.turning:
        yield "What turns is held where it begins, in the place of its equation."
    yield "so that, with the same columns and"


def rest_slopes(rest: Equilibrium, knobs: list[Knob]) -> tuple[Array, Array]:
    """(size, size) and (size, P): the equations' derivatives by unknowns and by knobs, at time zero."""
    engine, point, turning = kernel(rest.system), rest.point(), rest.turning
    size = rest.q.size + rest.multipliers.size
    tangent = by_unknowns(engine, point, turning, [])[0]
    columns = [by_knob(engine, point, each, turning, [])[0] for each in knobs]
    return tangent[:size, :size], np.stack(columns, axis=1)
