"""The linear model of a system with fields, from second derivatives of its densities.

Each density is a Lagrangian of its variables x (fields, slopes, coordinates, end values), so that the
linear conjugate force is that of discrete systems, with d/dt along the reference at a fixed place:

    G = l_xx x + l_xx' x' - d/dt (l_x'x x + l_x'x' x') - (D_x'x x + D_x'x' x') + Q_x x + Q_x' x'

Integration by parts along the space is done on G. The nonlinear equations of motion are not used.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import sympy

from routh.errors import DerivationError, shortened
from routh.language.calculus import ddt
from routh.language.derivation import domain, integrand, masked_integrals
from routh.language.fields import Field, Space
from routh.language.symbols import BySymbol, Input, Signal
from routh.language.system import System
from routh.language.unknown import put
from routh.language.walk import leaves, unfold
from routh.mechanics.constraints import multiplier_symbols
from routh.mechanics.fields.densities import Energies, energies, globals_of, locals_of, shortened_parts
from routh.mechanics.fields.end_conditions import end_conditions
from routh.mechanics.fields.equations import conjugates
from routh.mechanics.fields.gather import gathered
from routh.mechanics.fields.long_shapes import LongShapes
from routh.mechanics.fields.named_parts import Definition, Names, where_latex, where_lines
from routh.mechanics.fields.variation import Conjugates, Row, RowKind, rows, slope
from routh.mechanics.forms.printing import latex_lines, text
from routh.mechanics.forms.tidy import Tidy
from routh.mechanics.forms.vanish import vanishes, vanishes_named
from routh.mechanics.reference import checked_reference
from routh.shown import as_markdown

Pair = tuple[sympy.Symbol, sympy.Symbol]


@dataclass(frozen=True)
class LinearFieldEquations:
    """The linear equations of a system with fields about a reference.

    The symbols of coordinates, fields and inputs stand for their deviations from the reference. Where
    an input that `about` does not give stays in a coefficient, its deviation is called like `dF`.

    Attributes:
        about: the reference.
        ordinary, partial, boundary: the rows, each zero; `row.coefficient(ddt(w, 2))` is a factor.
        second_derivatives: for each space, and for None (what stands outside integrals), the second
            derivatives of the Lagrangian at the reference that are not zero, by the pair of variables.
        residual: the rows of the nonlinear equations that do not vanish at the reference, with the
            signs of the linear rows; none if it is an equilibrium or a motion.
        where: the names in the rows as they are shown, each with what it stands for: the reference
            of a field that is long is shown as `w*`, and written out in `row.expression`.
    """

    system: System
    about: dict[Signal, sympy.Expr]
    ordinary: tuple[Row, ...] = field(repr=False)
    partial: tuple[Row, ...] = field(repr=False)
    boundary: tuple[Row, ...] = field(repr=False)
    second_derivatives: dict[Space | None, dict[Pair, sympy.Expr]] = field(repr=False)
    residual: tuple[Row, ...] = field(repr=False)
    where: tuple[Definition, ...] = field(repr=False)
    shown_derivatives: dict[Space | None, dict[Pair, sympy.Expr]] = field(repr=False)
    """The second derivatives with the names of `where`."""
    conjugates: Conjugates = field(repr=False)
    """The linear conjugate forces, with the names of `where`."""

    @property
    def rows(self) -> tuple[Row, ...]:
        """All rows."""
        return (*self.ordinary, *self.partial, *self.boundary)

    @property
    def expanded(self) -> LinearFieldEquations:
        """The same with every row written out: derivatives along spaces taken, nothing named."""
        groups = (self.ordinary, self.partial, self.boundary)
        ordinary, partial, boundary = (tuple(row.expanded for row in rows) for rows in groups)
        return replace(self, ordinary=ordinary, partial=partial, boundary=boundary, where=())

    def latex(self, *, cap: int = 0) -> str:
        """All rows under each other, in LaTeX, and what the names in them stand for."""
        return latex_lines([*(row.latex(cap) for row in self.rows), *where_latex(self.where)])

    def table(self) -> str:
        """The second derivatives, one a line, by the pair of variables differentiated."""
        lines = []
        for space, found in self.shown_derivatives.items():
            where = "L" if space is None else f"density over {space}"
            lines += [f"{where}, {x} {y}: {text(value)}" for (x, y), value in found.items()]
        return "\n".join(lines)

    def __str__(self) -> str:
        return "\n".join([*map(str, self.rows), *where_lines(self.where)])

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {self.latex()}$"

    def __hash__(self) -> int:
        return hash((self.system, self.rows))

    _repr_markdown_ = as_markdown


def linear_field_equations(system: System, about: BySymbol, simplify: float) -> LinearFieldEquations:
    """The linear equations of a system with fields about a reference."""
    exact = Reference(system, about)
    shapes = LongShapes(exact.given)
    conditions = end_conditions(system)
    parts = energies(system, conditions.left)
    if parts.L.factors or parts.D.factors or parts.work.factors:
        raise DerivationError(
            f"An energy of {system.title} is no linear function of its integrals, and its linear"
            " equations contain products of integrals. Discretize the system and linearize that."
        )
    tidy = Tidy.within(simplify)
    parts = shortened_parts(parts)
    names = Names(system)
    multipliers = [multiplier_symbols(system)[k] for k in conditions.left]
    linear = _Linear(system, parts, exact, Reference(system, shapes.named), multipliers)
    found = Conjugates({space: linear.forces(space) for space in linear.spaces}, linear.forces(None))
    held = [linear.held(unfold(phi)) for phi in system.constraints]
    found, held = linear.named(found, held)
    groups = rows(system, conditions, found, held, lambda x: gathered(x, tidy), names)
    tables = {space: linear.table(space, tidy) for space in (None, *linear.spaces)}
    tables = {space: table for space, table in tables.items() if table}
    signs = {(row.kind, row.of): row.sign for group in groups for row in group}
    left = (_turned(row, signs) for row in _residual(system, parts, exact, tidy))
    shown = [part for group in groups for row in group for part in row.parts or (row.expression,)]
    ordinary, partial, boundary = (tuple(shapes.put_into(row) for row in group) for group in groups)
    return LinearFieldEquations(
        system,
        exact.given,
        ordinary,
        partial,
        boundary,
        {s: {pair: shapes.put(e) for pair, e in own.items()} for s, own in tables.items()},
        tuple(left),
        (*names.definitions(shown), *shapes.definitions(shown)),
        tables,
        found,
    )


def _residual(system: System, parts: Energies, reference: Reference, tidy: Tidy) -> tuple[Row, ...]:
    """What is left of the equations on the reference."""
    conditions = end_conditions(system)
    found = conjugates(system, parts, reference)
    held = [reference(unfold(phi)) for phi in system.constraints]
    every = rows(system, conditions, found, held, lambda x: gathered(x, tidy), Names(system))
    left = (row.expanded for group in every for row in group)
    return tuple(row for row in left if not vanishes_named(row.expression))


def _turned(row: Row, signs: dict[tuple[RowKind, Signal | None], int]) -> Row:
    """The row with the sign of the linear row of the same variation, to which it belongs."""
    sign = signs.get((row.kind, row.of), row.sign)
    return row if sign == row.sign else replace(row, expression=-row.expression, sign=sign)


class Reference:
    """Where a system with fields is linearized: expressions in time for coordinates, in time and the
    place for fields.
    """

    def __init__(self, system: System, about: BySymbol) -> None:
        self._system = system
        self.given = checked_reference(system, about)

    def __call__(self, value: sympy.Expr) -> sympy.Expr:
        """An expression on the reference."""
        masked, integrals = masked_integrals(value)
        back = {m: sympy.Integral(self(integrand(each)), domain(each)) for m, each in integrals.items()}
        signals = [s for s in masked.atoms(Signal) if s.base in self.given]
        found: sympy.Expr = put(masked, {s: self._of(s) for s in signals})
        return found.xreplace(back)

    def _of(self, symbol: Signal) -> sympy.Expr:
        value = self.given[symbol.base]
        if value == symbol.base:
            return symbol
        if isinstance(symbol, Field):
            value = value.diff(symbol.space, symbol.slope)
            if symbol.end is not None:
                value = put(value, {symbol.space: symbol.space.bounds[symbol.end]})
        return ddt(value, symbol.order)


class _Linear:
    """The linear conjugate forces of a system."""

    def __init__(
        self,
        system: System,
        parts: Energies,
        exact: Reference,
        shown: Reference,
        multipliers: list[sympy.Symbol],
    ) -> None:
        self._system = system
        self._parts = parts
        self._exact = exact  # decides what vanishes
        self._at = shown  # the same with names for long shapes
        every = {*parts.L.densities, *parts.D.densities, *parts.work.densities}
        self.spaces = sorted(every, key=lambda space: space.serial)
        self._multipliers = multipliers
        self._inputs = {u: Input(f"d{u.label}", None) for u in system.inputs}

    def _variables(self, space: Space | None) -> tuple[Signal, ...]:
        return globals_of(self._system) if space is None else locals_of(self._system, space)

    def _deviations(self, space: Space | None) -> list[tuple[sympy.Symbol, sympy.Symbol]]:
        """What deviates, with the symbol of the deviation: variables, rates, inputs, multipliers."""
        x = self._variables(space)
        inputs = [s for s in self._system.signals if isinstance(s, Input)]
        moving = [(s, s) for s in (*x, *(each.rate for each in x))]
        driving = [(u, ddt(self._inputs[u.base], u.order)) for u in inputs]
        multipliers = [(m, sympy.Symbol(f"d{m.name}", real=True)) for m in self._multipliers]
        return [*moving, *driving, *multipliers]

    def named(self, found: Conjugates, held: list[sympy.Expr]) -> tuple[Conjugates, list[sympy.Expr]]:
        """The same with the deviation of an input called like it, where the input is not left."""
        forces = [*found.inside.values(), found.outside]
        left = leaves([*held, *(force for part in forces for force in part.values())])
        stay = {x.base for x in left if isinstance(x, Input)}
        own = {deviation: u for u, deviation in self._inputs.items() if u not in stay}
        back: dict[sympy.Basic, sympy.Basic] = {
            x: ddt(own[x.base], x.order) for x in left if isinstance(x, Input) and x.base in own
        }

        def called(part: dict[Signal, sympy.Expr]) -> dict[Signal, sympy.Expr]:
            return {x: force.xreplace(back) for x, force in part.items()}

        inside = {space: called(part) for space, part in found.inside.items()}
        return Conjugates(inside, called(found.outside)), [e.xreplace(back) for e in held]

    def _of(self, space: Space | None) -> tuple[sympy.Expr, sympy.Expr, sympy.Expr]:
        """L, D and the virtual work, of a space or outside integrals."""
        parts = (self._parts.L, self._parts.D, self._parts.work)
        L, D, W = (
            part.discrete if space is None else part.densities.get(space, sympy.S.Zero)
            for part in parts
        )
        return L, D, W

    def forces(self, space: Space | None) -> dict[Signal, sympy.Expr]:
        """The linear conjugate force of each variable."""
        L, D, W = self._of(space)
        found = {}
        for x in self._variables(space):
            force = self._linear(slope(L, x), space) - ddt(self._linear(slope(L, x.rate), space))
            force -= self._linear(slope(D, x.rate), space)
            if x in self._parts.virtual:
                force += self._linear(slope(W, self._parts.virtual[x]), space)
            found[x] = force
        return found

    def _linear(self, value: sympy.Expr, space: Space | None) -> sympy.Expr:
        """The first-order change of a slope of a density under the deviations."""
        if value == 0:
            return sympy.S.Zero
        self._refuse_nonlocal(value)
        masked, integrals = masked_integrals(value)
        terms = []
        for symbol, deviation in self._deviations(space):
            second = masked.diff(symbol)
            if second != 0:
                terms.append(self._at(second.xreplace(integrals)) * deviation)
        return sympy.Add(*terms)

    def _refuse_nonlocal(self, value: sympy.Expr) -> None:
        """No integral that changes to first order, where that matters to first order."""
        masked, integrals = masked_integrals(value)
        for mask, each in integrals.items():
            felt = not vanishes(self._exact(masked.diff(mask).xreplace(integrals)))
            if felt and self._changes(each):
                raise DerivationError(
                    f"`{shortened(each, 60)}` changes to first order about this reference,"
                    " so that the linear equations are not local. Discretize the system and linearize"
                    " that, or choose a reference at which it does not."
                )

    def _changes(self, integral: sympy.Integral) -> bool:
        """Whether an integral inside a density changes to first order with the deviations."""
        masked, inner = masked_integrals(integrand(integral))
        own = [d for d, _ in self._deviations(domain(integral)[0])]
        local = any(not vanishes(self._exact(masked.diff(s).xreplace(inner))) for s in own)
        return local or any(
            not vanishes(self._exact(masked.diff(mask).xreplace(inner))) and self._changes(each)
            for mask, each in inner.items()
        )

    def held(self, phi: sympy.Expr) -> sympy.Expr:
        """A constraint to first order."""
        masked, integrals = masked_integrals(phi)
        terms = [self._at(masked.diff(s).xreplace(integrals)) * d for s, d in self._deviations(None)]
        for mask, each in integrals.items():
            space = domain(each)[0]
            change = sympy.Add(
                *(self._at(slope(integrand(each), s)) * d for s, d in self._deviations(space))
            )
            factor = self._at(masked.diff(mask).xreplace(integrals))
            terms.append(factor * sympy.Integral(change, domain(each)))
        return sympy.Add(*terms)

    def table(self, space: Space | None, tidy: Tidy) -> dict[Pair, sympy.Expr]:
        """The second derivatives of L that are not zero, by the pair of variables."""
        L = self._of(space)[0]
        x = self._variables(space)
        symbols = [*x, *(each.rate for each in x)]
        found: dict[Pair, sympy.Expr] = {}
        for i, first in enumerate(symbols):
            masked, integrals = masked_integrals(slope(L, first))
            for second in symbols[i:]:
                value = self._at(masked.diff(second).xreplace(integrals))
                value = gathered(value, tidy) if value != 0 else value
                if value != 0:
                    found[first, second] = value
        return found
