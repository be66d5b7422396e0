"""The equilibrium of systems with fields: boundary-value problems along the spaces, and their solution.

At rest the partial equations become ordinary ones along each space, with the conditions at the ends.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

import sympy

from routh.language.derivation import integrand, masked_integrals
from routh.language.fields import Field
from routh.language.symbols import Coordinate, Let, Signal
from routh.language.system import System
from routh.language.unknown import put
from routh.language.walk import contains_time, leaves, lets, unfold
from routh.mechanics.balance_conditions import only_if, split_conditions, why_unfulfilled
from routh.mechanics.fields.densities import energies, shortened_parts
from routh.mechanics.fields.end_conditions import end_conditions
from routh.mechanics.fields.equations import conjugates
from routh.mechanics.fields.gather import gathered, solved_integrals
from routh.mechanics.fields.linear_ode import OtherEquationError, general_solution
from routh.mechanics.fields.named_parts import Definition, Names, where_latex, where_lines
from routh.mechanics.fields.named_solutions import named_shapes
from routh.mechanics.fields.variation import Conjugates, Row, rows
from routh.mechanics.forms.printing import latex_lines, text
from routh.mechanics.forms.tidy import Tidy
from routh.mechanics.forms.vanish import vanishes_named
from routh.mechanics.forms.work import Work
from routh.shown import as_markdown

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
        free: the coordinates that enter no equation; in solutions they are zero.
        remark: why there is no solution, or nothing.
        required: what inputs must fulfil, each zero; without it there is no such solution.
        where: the names in the rows as they are shown, each with what it stands for.
    """

    system: System
    ordinary: tuple[Row, ...] = field(repr=False)
    partial: tuple[Row, ...] = field(repr=False)
    boundary: tuple[Row, ...] = field(repr=False)
    solutions: tuple[Solution, ...]
    free: tuple[Coordinate, ...]
    remark: str
    required: tuple[sympy.Expr, ...] = ()
    where: tuple[Definition, ...] = field(default=(), repr=False)

    @property
    def named(self) -> dict[Let, sympy.Expr]:
        """What the named intermediates in the solutions stand for; `unfold` puts them in."""
        every = lets(value for solution in self.solutions for value in solution.values())
        return {each: each.expression for each in every}

    @property
    def rows(self) -> tuple[Row, ...]:
        """All rows."""
        return (*self.ordinary, *self.partial, *self.boundary)

    @property
    def expanded(self) -> FieldEquilibriumEquations:
        """The same with every row written out: derivatives along spaces taken, nothing named."""
        groups = (self.ordinary, self.partial, self.boundary)
        ordinary, partial, boundary = (tuple(row.expanded for row in rows) for rows in groups)
        return replace(self, ordinary=ordinary, partial=partial, boundary=boundary, where=())

    def latex(self) -> str:
        """All rows under each other, in LaTeX, and what the names in them stand for."""
        return latex_lines([*(row.latex() for row in self.rows), *where_latex(self.where)])

    def __str__(self) -> str:
        lines = [*map(str, self.rows), *where_lines(self.where)]
        for solution in self.solutions:
            pairs = ", ".join(f"{x} = {text(value)}" for x, value in solution.items())
            named = [f"{let} = {text(let.expression)}" for let in lets(solution.values())]
            head = f"solution{only_if(self.required)}: {pairs}"
            lines.append(head + (f"; {', '.join(named)}" if named else ""))
        if self.remark:
            lines.append(f"no solution in closed form: {self.remark}")
        return "\n".join(lines)

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {self.latex()}$"

    def __hash__(self) -> int:
        return hash((self.system, self.rows))

    _repr_markdown_ = as_markdown


def field_equilibrium(
    system: System, rates: Mapping[Coordinate, sympy.Expr], simplify: float, work: float
) -> FieldEquilibriumEquations:
    """The equations of equilibrium of a system with fields, with solutions where they are found."""
    tidy = Tidy.within(simplify)
    conditions = end_conditions(system)
    parts = shortened_parts(energies(system, conditions.left))
    moving, names = conjugates(system, parts), Names(system, parts)

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
    every = rows(system, conditions, at_rest, held, lambda x: gathered(x, tidy), names)
    groups = [tuple(row for row in group if row.expression != 0) for group in every]
    timed = contains_time(*(row.expression for group in groups for row in group))
    found = _Outcome()
    if timed:
        found.remark = "The equations contain time, and no solution was looked for."
    elif conditions.left:
        found.remark = "Constraints with multipliers are not solved in closed form."
    elif work:
        found.remark = f"None was found with the work of solve={work:g}; raise it."
        with Work(work).spend():
            found.remark = _solve(system, groups, found)
        if found.shapes:  # names are no part of the search
            found.solutions = (found.solution | named_shapes(system, *found.shapes),)
    ordinary, partial, boundary = groups
    return FieldEquilibriumEquations(
        system,
        ordinary,
        partial,
        boundary,
        found.solutions,
        found.free,
        found.remark,
        tuple(found.required),
        names.definitions(part for group in groups for row in group for part in row.parts),
    )


@dataclass
class _Outcome:
    """What was found before the time was over."""

    solutions: tuple[Solution, ...] = ()
    solution: Solution = field(default_factory=dict)
    shapes: (
        tuple[dict[Field, sympy.Expr], list[sympy.Symbol], dict[sympy.Symbol, sympy.Expr]] | None
    ) = None
    free: tuple[Coordinate, ...] = ()
    remark: str = ""
    required: list[sympy.Expr] = field(default_factory=list)


_OTHER_KIND = "The equations are not of a kind that is solved in closed form."
_OPEN = "The equations leave a shape open: there are many equilibria, or none."


def _solve(system: System, groups: list[tuple[Row, ...]], found: _Outcome) -> str:
    """One solution, if every equation is linear in its own field; else the reason why there is none.

    Coordinates and end values that enter otherwise are tried at zero. That they are not zero says
    nothing of other values, so the reason is that of the equations as they stand.
    """
    reason = ""
    ordinary, partial, boundary = groups
    used = leaves(row.expression for group in groups for row in group)
    ends_ = [s for s in used if isinstance(s, Field) and s.end is not None and s.slope < 2]
    globals_ = sorted([*(s for s in used if isinstance(s, Coordinate)), *ends_], key=str)
    for trial in ({}, dict.fromkeys(globals_, sympy.S.Zero)):
        free = [y for y in globals_ if y not in trial]
        rest = [row.expression.xreplace(trial) for row in (*ordinary, *boundary)]
        try:
            if {row.of for row in partial} != set(system.fields):
                raise OtherEquationError
            shapes, constants = _general(partial, trial)
            if not all(is_linear(value) for value in rest):
                raise OtherEquationError
            written = [_along(value, shapes) for value in rest]
            ends = [(trial.get(y, y), _end(y, shapes)) for y in globals_ if isinstance(y, Field)]
            equations = [*written, *(y - value for y, value in ends)]
            values, conditions = _linear(equations, [*constants, *free])
        except OtherEquationError:
            reason = reason or _OTHER_KIND
            continue
        except _NoSolutionError as error:
            lengths = [space.length for space in system.spaces]
            reason = reason or (why_unfulfilled(error.rows, lengths) if error.rows else _OPEN)
            continue
        solution: Solution = {q: (trial | values).get(q, sympy.S.Zero) for q in system.coordinates}
        found.solution, found.shapes = solution, (shapes, constants, values)
        found.required += conditions
        found.free = tuple(q for q in system.coordinates if q not in globals_)
        return ""
    return reason


class _NoSolutionError(Exception):
    """Linear equations that contradict each other, with the rows that are not zero, or leave
    something open.
    """

    def __init__(self, rows: Sequence[sympy.Expr] = ()) -> None:
        super().__init__()
        self.rows = rows


def is_linear(row: sympy.Expr) -> bool:
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
    found: sympy.Expr = put(shapes[x.base].diff(x.space, x.slope), {x.space: x.space.bounds[x.end]})
    return found


def _linear(
    equations: list[sympy.Expr], unknowns: list[sympy.Symbol]
) -> tuple[dict[sympy.Symbol, sympy.Expr], list[sympy.Expr]]:
    """The unknowns that satisfy all equations, if these are linear in them and determine them, and what
    is left to be fulfilled by inputs.

    By elimination with factors that are no functions of the wave numbers, which might be zero at some
    length; what is left is solved by Cramer's rule.
    """
    found: dict[sympy.Symbol, sympy.Expr] = {}
    left = [_plain(e) for e in equations]
    if any(e.has(sympy.Integral) for e in left):
        raise OtherEquationError
    while True:
        simple = _simple_pivot(left, unknowns)
        if simple is None:
            break
        row, pivot = simple
        left.remove(row)
        value = _plain(-row.xreplace({pivot: sympy.S.Zero}) / row.diff(pivot))
        found = {x: y.xreplace({pivot: value}) for x, y in found.items()} | {pivot: value}
        left = [_plain(e.xreplace({pivot: value})) for e in left]
    solved: dict[sympy.Symbol, sympy.Expr] = {}
    for group, own in _groups(left, [x for x in unknowns if x not in found]):
        solved |= _by_cramer(group, own)
    whole = {x: _plain(value).xreplace(solved) for x, value in found.items()} | solved
    over = [e for e in (each.xreplace(solved) for each in left) if not vanishes_named(e)]
    conditions, unfulfilled = split_conditions(over)
    if unfulfilled:
        raise _NoSolutionError(unfulfilled)
    if any(x not in whole for x in unknowns):
        raise _NoSolutionError
    return whole, conditions


def _simple_pivot(
    left: list[sympy.Expr], unknowns: list[sympy.Symbol]
) -> tuple[sympy.Expr, sympy.Symbol] | None:
    """The shortest equation with an unknown whose factor is no function, and that unknown."""
    for row in sorted(left, key=sympy.count_ops):
        own = [x for x in unknowns if x in row.free_symbols]
        factors = {x: row.diff(x) for x in own}
        if any(factor.free_symbols & set(unknowns) for factor in factors.values()):
            raise OtherEquationError
        simple = [x for x in own if not factors[x].has(*_WAVES)]
        if simple:
            return row, min(simple, key=lambda x: sympy.count_ops(factors[x]))
    return None


def _groups(
    equations: list[sympy.Expr], unknowns: list[sympy.Symbol]
) -> list[tuple[list[sympy.Expr], list[sympy.Symbol]]]:
    """The equations in groups that share no unknown; those without any are left out."""
    groups: list[tuple[list[sympy.Expr], set[sympy.Basic]]] = []
    for e in equations:
        own = e.free_symbols & set(unknowns)
        if not own:
            continue
        joined, members = [e], own
        apart = []
        for other, theirs in groups:
            if theirs & members:
                joined, members = [*other, *joined], members | theirs
            else:
                apart.append((other, theirs))
        groups = [*apart, (joined, members)]
    return [(group, [x for x in unknowns if x in own]) for group, own in groups]


def _by_cramer(group: list[sympy.Expr], own: list[sympy.Symbol]) -> dict[sympy.Symbol, sympy.Expr]:
    """The unknowns of a few equations as quotients of determinants."""
    still = dict.fromkeys(own, sympy.S.Zero)
    for rows_ in combinations(group, len(own)):
        A = sympy.Matrix([[e.diff(x) for x in own] for e in rows_])
        below = _plain(A.det(method="berkowitz"))
        if vanishes_named(below):
            continue
        right = sympy.Matrix([-e.xreplace(still) for e in rows_])
        found = {}
        for k, x in enumerate(own):
            changed = A.copy()
            changed[:, k] = right
            found[x] = sympy.cancel(_plain(changed.det(method="berkowitz")) / below)
        return found
    raise _NoSolutionError


_WAVES = (sympy.sin, sympy.cos, sympy.sinh, sympy.cosh)

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
