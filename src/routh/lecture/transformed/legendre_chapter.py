"""The chapter on a Legendre transform: conjugates, inversion, energy and co-energy."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import sympy

from routh.language.symbols import Coordinate
from routh.language.walk import leaves
from routh.lecture.free_letters import FreeLetters
from routh.lecture.kinds import chapter_of
from routh.lecture.transformed.wording import lettering, matrix, minus, product, slope, total
from routh.mechanics.forms.chapter import Chapter, Formula, Step, chapter, formula
from routh.mechanics.forms.printing import operations
from routh.mechanics.transforms.legendre import Legendre

LONG = 60
"""Operations from which a closed form is written with names for its parts."""


@chapter_of.register
def legendre_chapter(found: Legendre) -> Chapter:
    """From a function to its transform, with what the area under the curve has to do with it."""
    told = _Told(found)
    sections = [
        ("Conjugates", list(told.conjugates())),
        ("Inversion", list(told.inversion())),
        ("Transform", list(told.transform())),
        ("Energy and co-energy", list(told.words())),
    ]
    sections.insert(0, ("Letters", list(told.letter.remarks())))
    return chapter("Legendre transform", sections)


@dataclass(frozen=True, eq=False)
class _Told:
    """What is said of a transform, section by section."""

    found: Legendre

    @cached_property
    def letter(self) -> FreeLetters:
        return lettering([*leaves([self.found.f]), *self.found.conjugates])

    @property
    def star(self) -> Formula:
        f = self.letter("f")
        return Formula(f"{f.text}*", f"{f.latex}^*")

    def conjugates(self) -> Iterator[Step]:
        """Y = df/dx."""
        found, f = self.found, self.letter("f")
        yield "Given is"
        yield formula(f, found.f)
        yield "The conjugate of each variable is the slope along it."
        for x, y, own in zip(found.variables, found.conjugates, found.slopes, strict=True):
            yield formula(y, slope(f, x), own)
        yield "Its second derivatives say whether each slope belongs to one place."
        if len(found.variables) == 1:
            (x,) = found.variables
            drawn = rf"\frac{{\partial^2 {f.latex}}}{{\partial {formula(x).latex}^2}}"
            yield formula(Formula(f"d2{f.text}/d{x}2", drawn), found.hessian[0])
        else:
            drawn = rf"\frac{{\partial^2 {f.latex}}}{{\partial x_i \partial x_j}}"
            yield matrix(Formula(f"d2{f.text}/dx_i dx_j", drawn), found.hessian)
        yield found.remark or f"{f.text} is {found.bending.shape}, {found.bending.reason}."

    def inversion(self) -> Iterator[Step]:
        """X in terms of y."""
        found = self.found
        if found.branches:
            yield "Between the places where it bends the other way, each slope belongs to one place."
            yield from (f"{branch.where[0].upper()}{branch.where[1:]}." for branch in found.branches)
            return
        if found.inverse is None:
            yield "No closed form was found for what belongs to given conjugates: numbers are searched."
            return
        yield "Solved for the variables,"
        parts, rows = _with_names(list(found.inverse))
        yield from (formula(x, row) for x, row in zip(found.variables, rows, strict=True))
        if parts:
            yield "where"
            yield from (formula(name, part) for name, part in parts)

    def transform(self) -> Iterator[Step]:
        """F* in x, then in y."""
        found, f, star = self.found, self.letter("f"), self.star
        pairs = zip(found.conjugates, found.variables, strict=True)
        yield "The transform is the product of variables and conjugates, less what was given."
        yield formula(star, total([*(product(y, x) for y, x in pairs), minus(f)]), found.written)
        if found.transform is not None and operations(found.transform) <= LONG:
            yield "In terms of the conjugates"
            yield formula(star, found.transform)
        elif found.transform is not None:
            yield "In terms of the conjugates it is this line with the variables of the last section."
        for branch in found.branches:
            if branch.transform is not None and operations(branch.transform) <= LONG:
                yield f"For {branch.where},"
                yield formula(star, branch.transform)

    def words(self) -> Iterator[Step]:
        """Energy and co-energy."""
        found, f, star = self.found, self.letter("f"), self.star
        x, y = (v[0] if len(v) == 1 else None for v in (found.variables, found.conjugates))
        velocities = all(isinstance(v, Coordinate) and v.order == 1 for v in found.variables)
        if x is not None and y is not None:
            yield (
                f"In the plane of {x} and {y} the curve {y}({x}) divides the rectangle {x} times {y}."
                f" {f.text} is the area between the curve and the axis of {x}, {star.text} that between"
                f" the curve and the axis of {y}, up to what is free of {x}."
            )
            yield _area(f, y, x)
            yield _area(star, x, y)
        if velocities:
            yield (
                "What depends on velocities is kinetic co-energy, as it enters the Lagrangian; its"
                " transform, in momenta, is kinetic energy, as it enters the Hamiltonian."
            )
        else:
            yield (
                f"Where {f.text} is an energy, a function of displacements, charges or momenta,"
                f" {star.text} is the co-energy, a function of forces, voltages or velocities."
            )
        if found.is_quadratic and self._is_homogeneous:
            yield "A quadratic form is halved by the straight line: both have the same value."
            yield formula(star, f)
        else:
            yield "The line is not straight through the origin, so that the two differ."
            yield formula(total([star, minus(f)]), sympy.expand(found.written - found.f))

    @property
    def _is_homogeneous(self) -> bool:
        return bool(sympy.expand(self.found.written - self.found.f) == 0)


def _area(left: Formula, height: sympy.Symbol, along: sympy.Symbol) -> Formula:
    h, a = formula(height), formula(along)
    return Formula(
        f"{left.text} = integral of {h.text} d{a.text}", rf"{left.latex} = \int {h.latex} \, d{a.latex}"
    )


def _with_names(
    rows: list[sympy.Expr],
) -> tuple[list[tuple[sympy.Symbol, sympy.Expr]], list[sympy.Expr]]:
    """Long expressions with names for what occurs in them more than once."""
    if sum(map(operations, rows)) <= LONG:
        return [], rows
    parts, short = sympy.cse(rows, symbols=sympy.numbered_symbols("w", start=1), order="none")
    return list(parts), list(short)
