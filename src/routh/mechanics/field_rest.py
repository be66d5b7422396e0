"""The equilibrium of systems with fields: boundary-value problems along the spaces, and their solution.

At rest the partial equations become ordinary ones along each space, with the conditions at the ends.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from time import perf_counter

import sympy

from routh.language.derivation import integrand, masked_integrals
from routh.language.fields import Field
from routh.language.symbols import Coordinate, Signal, t
from routh.language.system import System
from routh.language.walk import leaves, lets, unfold
from routh.mechanics.conditions import end_conditions
from routh.mechanics.densities import energies, shortened_parts
from routh.mechanics.field_equations import conjugates
from routh.mechanics.gather import gathered, solved_integrals
from routh.mechanics.linear_ode import OtherEquationError, general_solution
from routh.mechanics.tidy import Tidy, until
from routh.mechanics.vanish import vanishes
from routh.mechanics.variation import Conjugates, Row, rows
from routh.mechanics.writing import CAP, latex_lines, text

Solution = dict[Signal, sympy.Expr]


@dataclass(frozen=True)
class FieldEquilibriumEquations:
    """What must vanish at an equilibrium of a system with fields, and solutions in closed form.

    Attributes:
        ordinary, partial, boundary: the rows without motion; the partial ones are differential
            equations along their space, with the boundary rows as conditions.
        solutions: those found in time: for each field an expression in its space, for each coordinate
            a value. Wave numbers in them are named intermediates, whose meaning is shown. The list may
            lack some: `equilibrium` of the discretized system finds numbers.
    """

    system: System
    ordinary: tuple[Row, ...] = field(repr=False)
    partial: tuple[Row, ...] = field(repr=False)
    boundary: tuple[Row, ...] = field(repr=False)
    solutions: tuple[Solution, ...]

    @property
    def rows(self) -> tuple[Row, ...]:
        """All rows."""
        return (*self.ordinary, *self.partial, *self.boundary)

    def latex(self, *, cap: int = CAP) -> str:
        """All rows under each other, in LaTeX."""
        return latex_lines(row.latex(cap) for row in self.rows)

    def __str__(self) -> str:
        lines = [str(row) for row in self.rows]
        for solution in self.solutions:
            pairs = ", ".join(f"{x} = {text(value)}" for x, value in solution.items())
            named = [f"{let} = {text(let.expression)}" for let in lets(solution.values())]
            lines.append(f"solution: {pairs}" + (f"; {', '.join(named)}" if named else ""))
        return "\n".join(lines)

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {self.latex()}$"

    def __hash__(self) -> int:
        return hash((self.system, self.rows))


def field_equilibrium(
    system: System, rates: Mapping[Coordinate, sympy.Expr], simplify: float, seconds: float
) -> FieldEquilibriumEquations:
    """The equations of equilibrium of a system with fields, with solutions where they are found."""
    tidy = Tidy.within(simplify)
    conditions = end_conditions(system)
    moving = conjugates(system, shortened_parts(energies(system, conditions.left)))

    def still(value: sympy.Expr) -> sympy.Expr:
        found = [s for s in value.atoms(Signal) if isinstance(s, (Coordinate, Field)) and s.order]
        constant = {s: rates.get(s.base, sympy.S.Zero) if s.order == 1 else sympy.S.Zero for s in found}
        return value.xreplace(constant)

    inside = {
        space: {x: still(force) for x, force in forces.items()}
        for space, forces in moving.inside.items()
    }
    at_rest = Conjugates(inside, {y: still(force) for y, force in moving.outside.items()})
    held = [still(unfold(phi)) for phi in system.constraints]
    every = rows(system, conditions, at_rest, held, lambda x: gathered(x, tidy))
    groups = [tuple(row for row in group if row.expression != 0) for group in every]
    timed = t in leaves(row.expression for group in groups for row in group)
    solutions: list[Solution] = []
    if seconds and not timed and not conditions.left:
        with until(perf_counter() + seconds):
            solutions.extend(_solutions(system, groups))
    ordinary, partial, boundary = groups
    return FieldEquilibriumEquations(system, ordinary, partial, boundary, tuple(solutions))


def _solutions(system: System, groups: list[tuple[Row, ...]]) -> Iterator[Solution]:
    """One solution, if every equation is linear in its own field.

    Coordinates and end values that enter otherwise are tried at zero.
    """
    ordinary, partial, boundary = groups
    if {row.of for row in partial} != set(system.fields):
        return
    found = leaves(row.expression for group in groups for row in group)
    ends_ = [s for s in found if isinstance(s, Field) and s.end is not None and s.slope < 2]
    globals_ = sorted([*(s for s in found if isinstance(s, Coordinate)), *ends_], key=str)
    for trial in ({}, dict.fromkeys(globals_, sympy.S.Zero)):
        free = [y for y in globals_ if y not in trial]
        try:
            shapes, constants = _general(partial, trial)
            rest = [row.expression.xreplace(trial) for row in (*ordinary, *boundary)]
            if not all(_is_linear(value) for value in rest):
                continue
            written = [_along(value, shapes) for value in rest]
        except OtherEquationError:
            continue
        ends = [(trial.get(y, y), _end(y, shapes)) for y in globals_ if isinstance(y, Field)]
        equations = [*written, *(y - value for y, value in ends)]
        values = _linear(equations, [*constants, *free])
        if values is not None:
            known = {q: (trial | values).get(q) for q in system.coordinates}
            solution: Solution = {q: value for q, value in known.items() if value is not None}
            yield solution | {w: _collected(shape.xreplace(values)) for w, shape in shapes.items()}
            return


def _is_linear(row: sympy.Expr) -> bool:
    """Whether a row is linear in fields, end values and coordinates."""
    scale = sympy.Dummy("scale", real=True)
    own = [s for s in row.atoms(Signal) if isinstance(s, (Coordinate, Field))]
    bent = row.xreplace({s: scale * s for s in own}).diff(scale, 2)
    masked, integrals = masked_integrals(bent)
    straight = {m: sympy.S.Zero for m, each in integrals.items() if sympy.expand(integrand(each)) == 0}
    return bool(sympy.expand(masked.xreplace(straight)) == 0)


def _general(
    partial: tuple[Row, ...], trial: Mapping[Signal, sympy.Expr]
) -> tuple[dict[Field, sympy.Expr], list[sympy.Symbol]]:
    shapes: dict[Field, sympy.Expr] = {}
    constants: list[sympy.Symbol] = []
    for row in partial:
        assert isinstance(row.of, Field)
        shapes[row.of], own = general_solution(row.expression.xreplace(dict(trial)), row.of)
        constants += own
    return shapes, constants


def _along(value: sympy.Expr, shapes: dict[Field, sympy.Expr]) -> sympy.Expr:
    """An equation with the shapes put in, inside integrals and for derivatives at ends."""
    inside = [x for x in value.atoms(Field) if x.end is None]
    put = {x: shapes[x.base].diff(x.space, x.slope) for x in inside}
    high = {x: _end(x, shapes) for x in value.atoms(Field) if x.end is not None and x.slope > 1}
    return solved_integrals(value.xreplace({**put, **high}))


def _end(x: Field, shapes: dict[Field, sympy.Expr]) -> sympy.Expr:
    assert x.end is not None
    return shapes[x.base].diff(x.space, x.slope).xreplace({x.space: x.space.bounds[x.end]})


def _linear(
    equations: list[sympy.Expr], unknowns: list[sympy.Symbol]
) -> dict[sympy.Symbol, sympy.Expr] | None:
    """The unknowns that satisfy all equations, if these are linear in them and determine them.

    By elimination, the shortest equation and its shortest factor first.
    """
    if any(e.has(sympy.Integral) for e in equations):
        return None
    found: dict[sympy.Symbol, sympy.Expr] = {}
    left = [_plain(e) for e in equations]
    while left:
        left.sort(key=sympy.count_ops)
        row = left.pop(0)
        own = [x for x in unknowns if x in row.free_symbols]
        if any(row.diff(x).free_symbols & set(unknowns) for x in own):
            return None
        pivots = [x for x in own if not vanishes(row.diff(x))]
        if not pivots:
            if not vanishes(row):
                return None
            continue
        pivot = min(pivots, key=lambda x: sympy.count_ops(row.diff(x)))
        factor = row.diff(pivot)
        value = -row.xreplace({pivot: sympy.S.Zero}) / factor
        put = {pivot: value}
        found = {x: y.xreplace(put) for x, y in found.items()} | put
        left = [_without(e, pivot, value, factor) for e in left]
    short = {x: _ratio(value) for x, value in found.items()}
    return short if len(found) == len(unknowns) else None


def _ratio(value: sympy.Expr) -> sympy.Expr:
    """One fraction without common factors."""
    above, below = sympy.fraction(sympy.together(value))
    return sympy.cancel(_plain(above) / _plain(below))


def _collected(shape: sympy.Expr) -> sympy.Expr:
    """The terms of a shape, each with its factors."""
    return sympy.Add(*(sympy.factor_terms(term) for term in sympy.Add.make_args(shape)))


def _without(e: sympy.Expr, pivot: sympy.Symbol, value: sympy.Expr, factor: sympy.Expr) -> sympy.Expr:
    """An equation with an unknown put in, times the factor so that it stays a sum of products."""
    if pivot not in e.free_symbols:
        return e
    slope = e.diff(pivot)
    return _plain(factor * e.xreplace({pivot: sympy.S.Zero}) + slope * (factor * value))


_SINES = {sympy.cos: (sympy.sin, -1), sympy.cosh: (sympy.sinh, 1)}


def _plain(e: sympy.Expr) -> sympy.Expr:
    """Multiplied out, with even powers of cosines written with sines, so that what cancels does."""

    def even(power: sympy.Expr) -> sympy.Expr:
        sine, sign = _SINES[power.base.func]
        half, odd = divmod(int(power.exp), 2)
        return (1 + sign * sine(*power.base.args) ** 2) ** half * power.base**odd

    def is_even(x: sympy.Expr) -> bool:
        return bool(x.is_Pow and x.base.func in _SINES and x.exp.is_Integer and x.exp > 1)

    return sympy.expand(sympy.expand(e).replace(is_even, even))
