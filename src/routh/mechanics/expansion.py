"""Equations of motion of second, third and higher order, directly from the Lagrangian.

With L^(k) the part of L that is homogeneous of degree k in deviations and their rates, the part of
degree k of the equations of motion is Lagrange's equation of L^(k+1); forces add -Q^(k), damping
D_v^(k).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import sympy
from sympy import ImmutableDenseMatrix as Matrix

from routh.errors import DeclarationError, DerivationError, capital, listed, quoted
from routh.language.calculus import ddt
from routh.language.declaring import coordinate
from routh.language.fields import Field
from routh.language.gates import checked_symbolic
from routh.language.symbols import BySymbol, Coordinate, Signal
from routh.language.system import System
from routh.language.walk import leaves, unfold
from routh.mechanics.fields.equations import FieldEquations
from routh.mechanics.fields.variation import Row
from routh.mechanics.forms.one_piece import PIECED
from routh.mechanics.forms.printing import latex, latex_lines, text
from routh.mechanics.forms.tidy import Tidy
from routh.mechanics.lagrange import equations, generalized_forces
from routh.mechanics.reference import checked_reference
from routh.shown import as_markdown

SHORT = 200
"""Operations up to which a row is written as a sum."""

MOST_TERMS = 20_000
"""Terms that the parts of a Lagrangian may have together, by their number of variables and degree."""


@dataclass(frozen=True, eq=False)
class Expansion:
    """The equations of motion about a reference, part by part.

    Attributes:
        system: the system.
        about: the reference of each coordinate, constants or expressions in t.
        deviations: eta, a coordinate for each one of the system, named like `e_theta`.
        order: the highest degree.
        lagrangian: L^(k) for k = 2 ... order + 1, by degree.
        parts: (n, 1) E^(k) for k = 1 ... order, by degree; their sum vanishes along a motion.
        residual: (n, 1) E at the reference itself: zero where that is a motion.
    """

    system: System
    about: dict[Signal, sympy.Expr]
    deviations: tuple[Coordinate, ...]
    order: int
    lagrangian: dict[int, sympy.Expr] = field(repr=False)
    parts: dict[int, Matrix] = field(repr=False)
    residual: Matrix = field(repr=False)

    def __getitem__(self, degree: int) -> Matrix:
        if degree not in self.parts:
            raise DeclarationError(
                f"The expansion has parts of degree {listed(self.parts)}. Got {degree!r}."
            )
        return self.parts[degree]

    def latex(self) -> str:
        """All parts under each other, in LaTeX."""
        rows = []
        for degree, part in self.parts.items():
            rows += [f"E^{{({degree})}}_{{{k + 1}}} &= {latex(row)}" for k, row in enumerate(part)]
        return latex_lines(rows)

    def __str__(self) -> str:
        lines = []
        for degree, part in self.parts.items():
            lines.append(f"degree {degree}:")
            pairs = zip(self.system.coordinates, part, strict=True)
            lines += [f"  {q}: {text(row)}" for q, row in pairs]
        return "\n".join(lines)

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {self.latex()}$"

    _repr_markdown_ = as_markdown


@dataclass(frozen=True, eq=False)
class FieldExpansion:
    """The equations of a system with fields about its straight rest, part by part.

    Attributes:
        system: the system.
        order: the highest degree.
        lagrangian: terms of L^(k) for k = 2 ... order + 1, by degree; fields and coordinates stand for
            their own deviations.
        parts: for each degree what it adds to the rows: ordinary, partial and at the ends; rows to
            which it adds nothing are left out.
        residual: what is left of the rows at zero itself: inputs, and loads that bend it.
    """

    system: System
    order: int
    lagrangian: dict[int, tuple[sympy.Expr, ...]] = field(repr=False)
    parts: dict[int, tuple[Row, ...]] = field(repr=False)
    residual: tuple[Row, ...] = field(repr=False)

    def __getitem__(self, degree: int) -> tuple[Row, ...]:
        if degree not in self.parts:
            raise DeclarationError(
                f"The expansion has parts of degree {listed(self.parts)}. Got {degree!r}."
            )
        return self.parts[degree]

    def __str__(self) -> str:
        lines = []
        for degree, part in self.parts.items():
            lines.append(f"degree {degree}:")
            lines += [f"  {row}" for row in part] or ["  nothing"]
        return "\n".join(lines)

    def latex(self) -> str:
        """All parts under each other, in LaTeX."""
        return latex_lines(row.latex() for part in self.parts.values() for row in part)

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {self.latex()}$"

    _repr_markdown_ = as_markdown


def expanded(
    system: System, about: BySymbol, order: int, *, simplify: float
) -> Expansion | FieldExpansion:
    """The parts of the equations of motion about a reference, in symbols."""
    checked_symbolic(system, "expand")
    _refuse_order(system, order)
    reference = checked_reference(system, about)
    _refuse_pieces(system)
    if system.fields:
        return _with_fields(system, reference, order)
    if system.constraints:
        raise DerivationError(
            f"{capital(system.title)} has constraints; expand works on systems without. Choose"
            " coordinates that meet them."
        )
    tidy = Tidy.within(simplify)
    eta = tuple(
        coordinate(f"e_{q.name}", latex=rf"\eta_{{{sympy.latex(q)}}}") for q in system.coordinates
    )
    small = sympy.Dummy("small")
    table = _moved(system, reference, eta, small)
    L = unfold(sympy.Add(*system.lagrangian_terms)).xreplace(table)
    degrees = _degrees(L, small, order + 1)
    D = unfold(sympy.Add(*system.dissipation))
    push = Matrix(
        [D.diff(v) - Q for v, Q in zip(system.velocities, generalized_forces(system), strict=True)]
    )
    pushes = [_degrees(e.xreplace(table), small, order) for e in push]
    parts, kept = {}, {}
    for degree in range(1, order + 1):
        own = degrees[degree + 1]
        kept[degree + 1] = own
        rows = [ddt(own.diff(e.rate)) - own.diff(e) + pushes[i][degree] for i, e in enumerate(eta)]
        parts[degree] = Matrix([_sum(tidy, row) for row in rows])
    rest = [ddt(degrees[1].diff(e.rate)) - degrees[1].diff(e) + pushes[i][0] for i, e in enumerate(eta)]
    residual = tidy.matrix(Matrix(rest))
    return Expansion(system, reference, eta, order, kept, parts, residual)


def _with_fields(system: System, reference: Mapping[Signal, sympy.Expr], order: int) -> FieldExpansion:
    """The parts of a system with fields, row by row: conditions at ends stay with their rows."""
    moving = [x for x in (*system.coordinates, *system.fields) if reference[x] != 0]
    if moving or system.forces or system.dissipation:
        what = f"{quoted(moving)} with a reference other than zero" if moving else "forces or damping"
        raise DerivationError(
            f"expand works on conservative systems with fields about zero. {capital(system.title)} has"
            f" {what}. Measure from the reference, or discretize."
        )
    small = sympy.Dummy("small")
    found = equations(system)
    assert isinstance(found, FieldEquations)
    kept = {
        degree: tuple(
            own for e in system.lagrangian_terms if (own := _scaled(unfold(e), small, degree)) != 0
        )
        for degree in range(2, order + 2)
    }
    parts = {
        degree: tuple(
            replace(row, expression=own, parts=())
            for row in found.rows
            if (own := _scaled(unfold(row.expression), small, degree)) != 0
        )
        for degree in range(order + 1)
    }
    residual = parts.pop(0)
    return FieldExpansion(system, order, kept, parts, residual)


def _scaled(e: sympy.Expr, small: sympy.Symbol, degree: int) -> sympy.Expr:
    """The part of one degree in fields and coordinates, those inside integrals too."""
    moving = {s: small * s for s in leaves([e]) if isinstance(s, (Coordinate, Field))}
    own = e.xreplace(moving)
    for _ in range(degree):
        own = own.diff(small)
    own = own.xreplace({small: sympy.S.Zero}) / sympy.factorial(degree)
    _refuse_infinite(own)
    empty = {x: sympy.S.Zero for x in own.atoms(sympy.Integral) if sympy.expand(x.function) == 0}
    return sympy.expand(own.xreplace(empty))


def _refuse_pieces(system: System) -> None:
    """Functions put together of pieces have no Taylor series where the pieces meet."""
    every = [unfold(e) for part in system.parts().values() for e in part]
    for e in every:
        for node in e.atoms(*PIECED):
            if any(isinstance(s, (Coordinate, Field)) for s in leaves([node])):
                raise DerivationError(
                    f"`{node}` is put together of pieces, which expand does not differentiate. Write it"
                    " smooth, or for one side of where the pieces meet."
                )


def _refuse_infinite(e: sympy.Expr) -> None:
    if e.has(sympy.zoo, sympy.nan, sympy.oo, -sympy.oo):
        raise DerivationError(
            "The Lagrangian has no derivatives at the reference: look for a root, a logarithm or a"
            " division that is singular there. Choose another reference."
        )


def _sum(tidy: Tidy, row: sympy.Expr) -> sympy.Expr:
    """A row as a sum of terms, tidied where it is long."""
    expanded = sympy.expand(row)
    return expanded if sympy.count_ops(expanded) <= SHORT else tidy(expanded)


def _refuse_order(system: System, order: object) -> None:
    if not isinstance(order, int) or isinstance(order, bool) or order < 1:
        raise DeclarationError(f"`order` must be a whole number, 1 or more. Got {order!r}.")
    variables = 2 * len(system.coordinates)
    terms = sympy.binomial(variables + order, order + 1)
    if terms > MOST_TERMS:
        raise DeclarationError(
            f"The part of degree {order + 1} of L has up to {terms} terms in {variables} variables, too"
            f" many to write out (at most {MOST_TERMS}). Ask for a lower order."
        )


def _moved(
    system: System,
    reference: Mapping[Signal, sympy.Expr],
    eta: tuple[Coordinate, ...],
    small: sympy.Symbol,
) -> dict[sympy.Symbol, sympy.Expr]:
    """Coordinates and velocities at the reference plus a small multiple of the deviations."""
    table: dict[sympy.Symbol, sympy.Expr] = {}
    for q, e in zip(system.coordinates, eta, strict=True):
        table[q] = reference[q] + small * e
        table[q.rate] = ddt(reference[q]) + small * e.rate
    for u in system.signals:
        value = reference.get(u.base, sympy.S.Zero)
        if u.base not in leaves([value]):
            table[u] = ddt(value, u.order)
    return table


def _degrees(e: sympy.Expr, small: sympy.Symbol, highest: int) -> dict[int, sympy.Expr]:
    """The coefficients of powers of the small number, by Taylor's formula."""
    found, own = {}, e
    for degree in range(highest + 1):
        found[degree] = own.xreplace({small: sympy.S.Zero}) / sympy.factorial(degree)
        _refuse_infinite(found[degree])
        if degree < highest:
            own = own.diff(small)
    return found
