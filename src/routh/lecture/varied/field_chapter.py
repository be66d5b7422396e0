"""The chapters on fields: from densities to partial equations and conditions at the ends.

    delta L = sum of G_x delta x over all variables,     G_x = l_x - d/dt l_x' - D_x' + Q_x

then integration by parts along each space. Linear equations go the same way, from second derivatives.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

import sympy

from routh.errors import capital
from routh.language.symbols import Signal
from routh.language.system import System
from routh.lecture.kinds import chapter_of
from routh.lecture.varied.field_formulas import name_of
from routh.lecture.varied.field_letters import FieldLetters
from routh.lecture.varied.field_setting import describe_fields
from routh.lecture.varied.variation_chapter import Steps, has_running_integrals, named_rows
from routh.mechanics.fields.boundary_values import FieldEquilibriumEquations, is_linear
from routh.mechanics.fields.equations import FieldEquations
from routh.mechanics.fields.linear_fields import LinearFieldEquations
from routh.mechanics.fields.named_parts import defined
from routh.mechanics.fields.ordered_terms import written_whole
from routh.mechanics.fields.variation import Row
from routh.mechanics.forms.chapter import Chapter, Formula, Step, chapter, formula
from routh.mechanics.forms.printing import turned

AT_REST = (
    "In the equations of motion all rates are zero, or constant where a speed was given. What is left"
    " are ordinary differential equations along each space, with conditions at its ends."
)


@chapter_of.register
def field_equations_chapter(found: FieldEquations) -> Chapter:
    """From the energies of a system with fields to its equations of motion."""
    steps = Steps(found.system, found.conjugates)
    return chapter(
        _title("the equations of motion", found.system),
        [
            ("The system", describe_fields(found.system)),
            ("Energies", steps.energies()),
            ("Virtual work", steps.work()),
            ("Hamilton's principle", steps.principle()),
            ("Running integrals", steps.running()),
            ("Conjugate forces", steps.forces()),
            ("Names", _names(found, told=steps.told)),
            *_from_forces(steps, found),
        ],
    )


@chapter_of.register
def linear_field_chapter(found: LinearFieldEquations) -> Chapter:
    """From second derivatives of the densities to the linear equations about a reference."""
    steps, whole = Steps(found.system, found.conjugates, linear=True), Steps(found.system)
    return chapter(
        _title("the linear equations", found.system),
        [
            ("The system", describe_fields(found.system)),
            ("Energies", whole.energies()),
            ("Virtual work", whole.work()),
            ("Reference", _reference(found)),
            ("Names", _names(found)),
            ("Second variation", _second_variation(found)),
            ("Linear conjugate forces", steps.linear_forces()),
            *_from_forces(steps, found),
        ],
    )


@chapter_of.register
def field_equilibrium_chapter(found: FieldEquilibriumEquations) -> Chapter:
    """The boundary-value problem of an equilibrium, and its solution."""
    steps = Steps(found.system)
    return chapter(
        _title("equilibrium", found.system),
        [
            ("The system", describe_fields(found.system)),
            ("Without motion", [AT_REST]),
            ("Names", _names(found)),
            ("Along the spaces", named_rows(found.partial)),
            ("Conditions at the ends", steps.ends(found.boundary)),
            ("Coordinates", named_rows(found.ordinary)),
            ("Solution", _solution(found)),
        ],
    )


def _title(words: str, system: System) -> str:
    return f"{capital(system.name)}: {words}" if system.name else capital(words)


def _names(
    found: FieldEquations | LinearFieldEquations | FieldEquilibriumEquations,
    told: Collection[str] = (),
) -> Iterator[Step]:
    """What the names in rows stand for, but for those that were told before."""
    new = [definition for definition in found.where if str(definition[0]) not in told]
    if new:
        yield "In what follows stand for what is long"
        yield from map(defined, new)


def _from_forces(
    steps: Steps, found: FieldEquations | LinearFieldEquations
) -> list[tuple[str, Iterator[Step]]]:
    """What follows from conjugate forces, linear or not."""
    return [
        ("Integration by parts", steps.by_parts()),
        ("Partial equations", steps.inside(found.partial)),
        ("Conditions at the ends", steps.ends(found.boundary)),
        ("Coordinates", steps.coordinates(found.ordinary)),
    ]


def _reference(found: LinearFieldEquations) -> Iterator[Step]:
    yield "Coordinates and fields are their reference and a small deviation. The reference is"
    for x, value in found.about.items():
        if value != x:
            yield formula(name_of(x), _shown_reference(found, x, value))
    yield "From here on the symbols stand for deviations."
    if found.residual:
        yield "The reference is an equilibrium or a motion only if the equations of motion hold there:"
        for row in found.residual:
            yield formula(_positive(row).formula, 0)
    else:
        yield "The reference satisfies the equations of motion."


def _positive(row: Row) -> Row:
    """A row without parts, with a plus somewhere."""
    return replace(row, expression=turned(row.expression))


def _shown_reference(found: LinearFieldEquations, x: Signal, value: sympy.Expr) -> Formula | sympy.Expr:
    """The name of a long shape, whose formula is listed at the end, or the reference itself."""
    for name, meant in found.where:
        if meant == value and getattr(name.func, "__name__", "") == f"{x.label}*":
            return written_whole(name)
    return written_whole(value)


def _second_variation(found: LinearFieldEquations) -> Iterator[Step]:
    letters = FieldLetters(found.system)
    x, y = letters.any, letters.other
    yield (
        f"The Lagrangian is expanded to second order in the deviations {x}, {y} of variables and rates."
        f" With S({x}, {y}) for its second derivatives at the reference, along a space for those of its"
        " density, the part of second order is"
    )
    yield Formula(
        f"sum over {x}, {y} of S({x}, {y})*{x}*{y}/2",
        rf"\tfrac{{1}}{{2}} \sum_{{{x}, {y}}} S_{{{x} {y}}}\, {x}\, {y}",
    )
    if has_running_integrals(found.system):
        yield "What a running integral does at later places is counted where its integrand is."
    for space, table in found.shown_derivatives.items():
        where = "Outside of integrals" if space is None else f"Along {space}"
        yield f"{where} those that are not zero are"
        for (first, second), value in table.items():
            indices = f"{name_of(first).latex},\\, {name_of(second).latex}"
            left = Formula(f"S({first}, {second})", f"S_{{{indices}}}")
            yield formula(left, written_whole(value))


def _solution(found: FieldEquilibriumEquations) -> Iterator[Step]:
    if found.remark:
        yield f"No solution in closed form is given. {found.remark}"
        return
    for solution in found.solutions:
        if not all(is_linear(row.expression) for row in found.rows):
            yield "Coordinates and values at ends that do not enter linearly are taken to be zero."
        yield (
            "Along each space the equation is linear, with coefficients that do not vary. Its general"
            " solution is put into the conditions, which give the constants:"
        )
        for x, value in solution.items():
            if x not in found.free:
                yield formula(name_of(x), written_whole(value))
    if found.named:
        yield "where"
        yield from (formula(let, value) for let, value in found.named.items())
    if found.required:
        yield "This needs"
        for each in found.required:
            yield formula(each, 0)
    if found.free:
        free = ", ".join(f"`{q}`" for q in found.free)
        yield f"{free} {'is' if len(found.free) == 1 else 'are'} in no equation: any value will do."
