"""The equations of motion of systems with fields, written out for people."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

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
from routh.mechanics.fields.named_parts import Definition, Names, where_latex, where_lines
from routh.mechanics.fields.variation import Conjugates, Row, explicit_slope, rows, slope
from routh.mechanics.forms.printing import latex_lines
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
        where: the names in the rows as they are shown, each with what it stands for.

    Along a motion every row is zero. `expanded` shows the rows without divergence form and names.
    """

    system: System
    ordinary: tuple[Row, ...] = field(repr=False)
    partial: tuple[Row, ...] = field(repr=False)
    boundary: tuple[Row, ...] = field(repr=False)
    multipliers: tuple[sympy.Symbol, ...] = field(repr=False)
    conjugates: Conjugates = field(repr=False)
    where: tuple[Definition, ...] = field(repr=False)

    @property
    def rows(self) -> tuple[Row, ...]:
        """All rows."""
        return (*self.ordinary, *self.partial, *self.boundary)

    @property
    def expanded(self) -> FieldEquations:
        """The same with every row written out: derivatives along spaces taken, nothing named."""
        groups = (tuple(row.expanded for row in rows) for rows in self._groups)
        ordinary, partial, boundary = groups
        return replace(self, ordinary=ordinary, partial=partial, boundary=boundary, where=())

    @property
    def _groups(self) -> tuple[tuple[Row, ...], ...]:
        return self.ordinary, self.partial, self.boundary

    def latex(self, *, cap: int = 0) -> str:
        """All rows under each other, in LaTeX, and what the names in them stand for."""
        return latex_lines([*(row.latex(cap) for row in self.rows), *where_latex(self.where)])

    def __str__(self) -> str:
        return "\n".join([*map(str, self.rows), *where_lines(self.where)])

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {self.latex()}$"

    _repr_markdown_ = as_markdown


def field_equations(system: System, simplify: float) -> FieldEquations:
    """The equations of motion of a system with fields, symbolically."""
    conditions = end_conditions(system)
    tidy = Tidy.within(simplify)
    parts = shortened_parts(energies(system, conditions.left))
    found, names = conjugates(system, parts), Names(system, parts)
    held = [unfold(phi) for phi in system.constraints]
    groups = rows(system, conditions, found, held, lambda x: gathered(x, tidy), names)
    where = names.definitions(part for group in groups for row in group for part in row.parts)
    return FieldEquations(system, *groups, _multipliers(system, conditions), found, where)


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
