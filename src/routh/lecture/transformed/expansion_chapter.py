"""The chapter on an expansion: the Lagrangian and the equations of motion, degree by degree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import sympy

from routh.analysis.expansion.taylor import Taylor
from routh.errors import listed
from routh.lecture.kinds import chapter_of
from routh.lecture.transformed.polynomials import SHORTEST_LIST, energy_part
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
        rows = [found.residual[k], *(part[k] for part in found.parts.values())]
        yield formula(sympy.Add(*rows), 0)
    quiet = [degree for degree, part in found.parts.items() if not any(part)]
    if quiet:
        word = "degree" if len(quiet) == 1 else "degrees"
        yield f"Nothing is of {word} {listed(quiet)}."


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
    eta = _deviations(system.coordinates)
    for degree in range(2, found.order + 2):
        own = energy_part(found, degree, eta)
        if own is None:
            energies.append(f"Degree {degree} has more than {SHORTEST_LIST} terms: tensor({degree}).")
        else:
            energies.append(formula(_degree(L, degree), own))
    sections = [("Reference", about), ("Lagrangian by degree", energies)]
    rule = (
        f"What is of degree k in the equations is Lagrange's equation of {L.text}^(k + 1), with"
        " forces and damping of that degree."
    )
    sections.append(("Equations by degree", [rule]))
    return chapter(titled(system, f"expansion up to degree {found.order}, in numbers"), sections)


def _deviations(coordinates: Sequence[sympy.Symbol]) -> list[sympy.Symbol]:
    """Symbols for deviations and their rates."""
    every = [sympy.Symbol(f"e_{q}") for q in coordinates]
    return [*every, *(sympy.Symbol(f"e_{q}'") for q in coordinates)]
