"""The chapter on an expansion: the Lagrangian and the equations of motion, degree by degree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import sympy

from routh.analysis.expansion.taylor import Taylor
from routh.errors import listed
from routh.language.declaring import coordinate
from routh.language.symbols import Coordinate
from routh.lecture.kinds import chapter_of
from routh.lecture.transformed.polynomials import SHORTEST_LIST, energy_part, equation_part
from routh.lecture.transformed.wording import (
    lettering,
    minus,
    number,
    rated,
    slope,
    table,
    titled,
    total,
)
from routh.mechanics.expansion import Expansion, FieldExpansion
from routh.mechanics.forms.chapter import Chapter, Formula, Step, chapter, formula


@chapter_of.register
def expansion_chapter(found: Expansion) -> Chapter:
    """From the reference to the parts of the equations, and their sum."""
    L = lettering(found.system)("L")
    sections = [
        ("Reference", list(_reference(found))),
        ("Lagrangian by degree", list(_energies(found, L))),
        ("Equations by degree", list(_parts(found, L))),
        ("Together", list(_sum(found))),
    ]
    return chapter(titled(found.system, f"expansion up to degree {found.order}"), sections)


def _reference(found: Expansion) -> Iterator[Step]:
    yield "Each coordinate is where it is at the reference, and a deviation from there."
    for q, e in zip(found.system.coordinates, found.deviations, strict=True):
        yield formula(q, found.about[q] + e)
    off = [row for row in found.residual if row != 0]
    if not off:
        yield "The reference meets the equations of motion, so that nothing of degree 0 is left."
        return
    yield "The reference does not meet the equations of motion for all values: of degree 0 is left"
    for q, row in zip(found.system.coordinates, found.residual, strict=True):
        yield formula(_part(0, q), row)


def _energies(found: Expansion, L: Formula) -> Iterator[Step]:
    yield (
        f"{L.text} is a Taylor series in the deviations and their rates. What is of degree k in them"
        " gives what is of degree k - 1 in the equations."
    )
    for degree, own in found.lagrangian.items():
        yield formula(_degree(L, degree), sympy.expand(own))


def _parts(found: Expansion, L: Formula) -> Iterator[Step]:
    pushed = bool(found.system.forces or found.system.dissipation)
    yield (
        "Each part is Lagrange's equation of one degree"
        + (", and what forces and damping have of that degree." if pushed else ".")
    )
    for degree, part in found.parts.items():
        own = _degree(L, degree + 1)
        for q, e, row in zip(found.system.coordinates, found.deviations, part, strict=True):
            left = [total([rated(slope(own, e.rate)), minus(slope(own, e))])] if not pushed else []
            yield formula(_part(degree, q), *left, row)


def _sum(found: Expansion) -> Iterator[Step]:
    yield f"Along a motion the parts add up to zero. Up to degree {found.order}"
    for k in range(len(found.system.coordinates)):
        yield _together([found.residual[k], *(part[k] for part in found.parts.values())])
    quiet = [degree for degree, part in found.parts.items() if not any(part)]
    if quiet:
        word = "degree" if len(quiet) == 1 else "degrees"
        yield f"Nothing is of {word} {listed(quiet)}."


def _together(parts: Sequence[sympy.Expr]) -> Formula:
    """The equation of motion, its parts by degree."""
    return formula(total([part for part in parts if part != 0]), 0)


def _degree(L: Formula, degree: int) -> Formula:
    return Formula(f"{L.text}^({degree})", f"{L.latex}^{{({degree})}}")


def _part(degree: int, q: sympy.Symbol) -> Formula:
    return Formula(f"E_{q}^({degree})", f"E_{{{formula(q).latex}}}^{{({degree})}}")


@chapter_of.register
def field_expansion_chapter(found: FieldExpansion) -> Chapter:
    """The parts of the equations of a system with fields about its straight rest."""
    L = lettering(found.system)("L")
    energies: list[Step] = ["Fields and coordinates stand for their own deviations from zero."]
    for degree, terms in found.lagrangian.items():
        energies.append(formula(_degree(L, degree), sympy.Add(*terms)))
    parts: list[Step] = []
    for degree, rows in found.parts.items():
        parts.append(f"Degree {degree} adds to the rows" if rows else f"Degree {degree} adds nothing.")
        parts += [Formula(str(row), row.latex()) for row in rows]
    rest: list[Step] = []
    if found.residual:
        rest = ["Zero itself does not meet the equations: of degree 0 is left"]
        rest += [Formula(str(row), row.latex()) for row in found.residual]
    sections = [("Reference", rest), ("Lagrangian by degree", energies), ("Equations by degree", parts)]
    return chapter(titled(found.system, f"expansion up to degree {found.order}"), sections)


@chapter_of.register
def taylor_chapter(found: Taylor) -> Chapter:
    """The parts in numbers about a rest that was found."""
    system, rest = found.system, found.reference
    L = lettering(system)("L")
    about: list[Step] = ["The reference is the equilibrium that was found."]
    rows = [(formula(q), number(float(x))) for q, x in zip(system.coordinates, rest.q, strict=True)]
    about.append(table(["coordinate", "at rest"], rows))
    energies: list[Step] = [
        f"{L.text} by degree in the deviations from there, from its derivatives in numbers,"
    ]
    eta = deviations(system.coordinates)
    n = len(system.coordinates)
    for degree in range(2, found.order + 2):
        own = energy_part(found, degree, eta[: 2 * n])
        if own is None:
            energies.append(f"Degree {degree} has more than {SHORTEST_LIST} terms: tensor({degree}).")
        else:
            energies.append(formula(_degree(L, degree), own))
    sections = [("Reference", about), ("Lagrangian by degree", energies)]
    sections += _numeric_parts(found, L, eta)
    return chapter(titled(system, f"expansion up to degree {found.order}, in numbers"), sections)


def _numeric_parts(found: Taylor, L: Formula, eta: list[Coordinate]) -> list[tuple[str, list[Step]]]:
    """The equations by degree, and their sum where every part is short enough."""
    pushed = bool(found.system.forces or found.system.dissipation)
    steps: list[Step] = [
        f"What is of degree k in the equations is Lagrange's equation of {L.text}^(k + 1)"
        + (", with forces and damping of that degree." if pushed else ".")
    ]
    every: list[list[sympy.Expr]] = []
    for degree in range(1, found.order + 1):
        part = equation_part(found, degree, eta)
        if part is None:
            steps.append(
                f"Degree {degree} has more than {SHORTEST_LIST} terms: expansion({degree}, eta, rate,"
                " acceleration) evaluates it."
            )
            continue
        every.append(part)
        for q, row in zip(found.system.coordinates, part, strict=True):
            steps.append(formula(_part(degree, q), row))
    told = [("Equations by degree", steps)]
    if len(every) == found.order:
        rows: list[Step] = [
            f"Along a motion the parts add up to zero. Up to degree {found.order} the equations of"
            " motion are"
        ]
        rows += [_together(parts) for parts in zip(*every, strict=True)]
        told.append(("Together", rows))
    return told


def deviations(coordinates: Sequence[sympy.Symbol]) -> list[Coordinate]:
    """Symbols for deviations, their rates and second rates, named as `expand` names them."""
    own = [coordinate(f"e_{q}", latex=rf"\eta_{{{sympy.latex(q)}}}") for q in coordinates]
    return [*own, *(e.rate for e in own), *(e.rate.rate for e in own)]
