"""The equations of motion of systems with fields, written out for people."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import sympy

from routh.language.calculus import ddt
from routh.language.fields import Space
from routh.language.symbols import Signal
from routh.language.system import System
from routh.language.walk import unfold
from routh.mechanics.constraints import multiplier_symbols
from routh.mechanics.fields.densities import Energies, energies, globals_of, locals_of, shortened_parts
from routh.mechanics.fields.end_conditions import EndConditions, end_conditions
from routh.mechanics.fields.gather import gathered
from routh.mechanics.fields.variation import Conjugates, Row, explicit_slope, rows, slope
from routh.mechanics.forms.printing import CAP, latex, latex_lines
from routh.mechanics.forms.tidy import Tidy
from routh.shown import as_markdown


@dataclass(frozen=True)
class FieldEquations:
    """The equations of motion of a system with fields.

    Attributes:
        ordinary: one row for each coordinate, with its integrals over the fields.
        partial: one row for each field, a partial differential equation.
        boundary: the conditions at both ends of every space: natural ones, which follow from the
            energies, and geometric ones, which were declared; each says which it is.
        multipliers: those of constraints that are not built in, by the place of the constraint.

    Along a motion every row is zero.
    """

    system: System
    ordinary: tuple[Row, ...] = field(repr=False)
    partial: tuple[Row, ...] = field(repr=False)
    boundary: tuple[Row, ...] = field(repr=False)
    multipliers: tuple[sympy.Symbol, ...] = field(repr=False)
    conjugates: Conjugates = field(repr=False)

    @property
    def rows(self) -> tuple[Row, ...]:
        """All rows."""
        return (*self.ordinary, *self.partial, *self.boundary)

    def steps(self) -> tuple[str, ...]:
        """The derivation as lines of LaTeX: densities, conjugate forces, rows."""
        return tuple(self._lines())

    def _lines(self) -> Iterator[str]:
        parts = energies(self.system, end_conditions(self.system).left)
        if parts.L.discrete != 0:
            yield f"L_D = {latex(parts.L.discrete)}"
        for space, density in parts.L.densities.items():
            name = latex(space)
            yield rf"\hat L_{{{name}}} = {latex(density.xreplace(parts.L.factors))}"
            for x, force in self.conjugates.inside.get(space, {}).items():
                if force != 0:
                    yield rf"G_{{{latex(x)}}} = {latex(force)}"
        for row in self.rows:
            of = "" if row.of is None else rf"\ {latex(row.of)}"
            yield rf"\text{{{row.kind.name.lower()}}}{of}:\quad {latex(row.expression)} = 0"

    def latex(self, *, cap: int = CAP) -> str:
        """All rows under each other, in LaTeX."""
        return latex_lines(row.latex(cap) for row in self.rows)

    def __str__(self) -> str:
        return "\n".join(map(str, self.rows))

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {self.latex()}$"

    _repr_markdown_ = as_markdown


def field_equations(system: System, simplify: float) -> FieldEquations:
    """The equations of motion of a system with fields, symbolically."""
    conditions = end_conditions(system)
    tidy = Tidy.within(simplify)
    found = conjugates(system, shortened_parts(energies(system, conditions.left)))
    held = [unfold(phi) for phi in system.constraints]
    ordinary, partial, boundary = rows(system, conditions, found, held, lambda x: gathered(x, tidy))
    multipliers = _multipliers(system, conditions)
    return FieldEquations(system, ordinary, partial, boundary, multipliers, found)


def _multipliers(system: System, conditions: EndConditions) -> tuple[sympy.Symbol, ...]:
    every = multiplier_symbols(system)
    return tuple(every[k] for k in conditions.left)


def conjugates(
    system: System, parts: Energies, on: Callable[[sympy.Expr], sympy.Expr] = lambda x: x
) -> Conjugates:
    """The conjugate force of every variable: `l_x - d/dt l_x' - D_x' + Q_x`, perhaps on a reference."""
    every = {*parts.L.densities, *parts.D.densities, *parts.work.densities}
    spaces = sorted(every, key=lambda space: space.serial)
    inside = {
        space: {x: _force(parts, x, space, on) for x in locals_of(system, space)} for space in spaces
    }
    return Conjugates(inside, {y: _force(parts, y, None, on) for y in globals_of(system)})


def _force(
    parts: Energies, x: Signal, space: Space | None, on: Callable[[sympy.Expr], sympy.Expr]
) -> sympy.Expr:
    """The conjugate force of one variable in a density, or outside integrals."""
    L, D, W = (
        part.discrete if space is None else part.densities.get(space, sympy.S.Zero)
        for part in (parts.L, parts.D, parts.work)
    )
    by = explicit_slope if space is None else slope  # what is inside integrals is in the densities
    momentum = on(by(L, x.rate).xreplace(parts.L.factors))
    force = by(L, x).xreplace(parts.L.factors) - by(D, x.rate).xreplace(parts.D.factors)
    if x in parts.virtual:
        force += by(W, parts.virtual[x]).xreplace(parts.work.factors)
    return on(force) - ddt(momentum)
