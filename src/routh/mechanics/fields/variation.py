"""From the energies of a system with fields to its equations: partial, ordinary, and at the ends.

Every variable x of a density (a field, one of its slopes, a coordinate, a value at an end) has a
conjugate force G_x = l_x - d/dt l_x' - D_x' + Q_x. Integration by parts along the space collects them,

    inside:     -(G_0 - d/ds G_1 + d2/ds2 G_2) = 0
    at an end:  sign (G_1 - d/ds G_2) + G_(w at the end) = 0,   sign G_2 + G_(slope at the end) = 0

with sign = 1 at the last and -1 at the first point, and a coordinate gets the integral of its G.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from enum import Enum

import sympy

from routh.errors import DeclarationError, shortened
from routh.language.derivation import integrand, masked_integrals, partial, running
from routh.language.domains import at
from routh.language.fields import Field, Space
from routh.language.symbols import Signal
from routh.language.system import System
from routh.language.walk import unfold
from routh.mechanics.fields.densities import globals_of, jets
from routh.mechanics.fields.divergence import divergence_form, slope_along
from routh.mechanics.fields.end_conditions import EndConditions
from routh.mechanics.fields.named_parts import Names
from routh.mechanics.fields.ordered_terms import has_inertia, is_led_by_a_minus, written
from routh.mechanics.forms.chapter import Formula


class RowKind(Enum):
    """What an equation of a system with fields says."""

    ORDINARY = "equation of a coordinate"
    PARTIAL = "equation of a field, at every inner point"
    NATURAL = "natural condition at an end: it follows from the energies"
    GEOMETRIC = "condition that was declared as a constraint"

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True)
class Row:
    """One equation, `expression = 0`.

    It is shown as it is derived, with -(N w_s)_s in divergence form and names for what is long;
    `row.expanded` shows the expression itself, with all derivatives taken and nothing named.

    Attributes:
        kind: what it says.
        of: the coordinate or field whose variation gives it, or the end value that a condition
            holds; None for a condition between several.
        expression: what is zero.
        sign: the row is so many times the force that does work on the variation of `of`: -1, so that
            inertia is positive, or where there is none 1 if that makes the first term positive; 0 for
            a condition that was declared.
        parts: how it is shown: the sum of parts[0], the slope of parts[1] and the second slope of
            parts[2]; empty where that is the expression.
        fixes: the end value that a condition was solved for; None where it keeps a multiplier.
    """

    kind: RowKind
    of: Signal | None
    expression: sympy.Expr
    sign: int = -1
    parts: tuple[sympy.Expr, ...] = field(default=(), repr=False)
    fixes: Field | None = None

    @property
    def label(self) -> str:
        """The kind and what it belongs to, in a few words."""
        word = self.kind.name.lower()
        return word if self.of is None else f"{word}, {self.of}"

    def coefficient(self, symbol: Signal) -> sympy.Expr:
        """The factor of a coordinate, a field or a derivative of one, where the row is linear in it."""
        if not isinstance(symbol, Signal):
            raise DeclarationError(
                "A coefficient is asked for a coordinate, a field or a derivative, like ddt(w, 2). Got"
                f" {symbol!r}."
            )
        masked, _ = masked_integrals(sympy.expand(self.expression))
        return masked.diff(symbol)

    @property
    def expanded(self) -> Row:
        """The same row, shown with all derivatives along the space taken and nothing named."""
        return replace(self, parts=())

    @property
    def formula(self) -> Formula:
        """The left side as it is shown."""
        return written(self.parts or (self.expression,), self.of)

    def latex(self) -> str:
        """The equation in LaTeX, aligned at the equality sign."""
        return f"{self.formula.latex} &= 0"

    def __str__(self) -> str:
        return f"{self.label}: {self.formula.text} = 0"

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {self.formula.latex} = 0$"


@dataclass(frozen=True)
class Conjugates:
    """The conjugate forces of a system: of every variable in every density, and outside integrals."""

    inside: dict[Space, dict[Signal, sympy.Expr]]
    outside: dict[Signal, sympy.Expr]


def explicit_slope(value: sympy.Expr, symbol: sympy.Symbol) -> sympy.Expr:
    """The derivative with integrals held."""
    masked, integrals = masked_integrals(value)
    return partial(masked, symbol).xreplace(integrals)


def slope(density: sympy.Expr, symbol: sympy.Symbol) -> sympy.Expr:
    """The derivative of a density by one of its variables, also through running integrals.

    A running integral U = int g from the start to s acts at every later place: the integral of l
    changes by int (int l_U from s to the end) dg.
    """
    masked, integrals = masked_integrals(density)
    found = partial(masked, symbol)
    for mask, each in integrals.items():
        felt, weight = partial(masked, mask), sympy.Dummy("weight", real=True)
        moved = slope(weight * integrand(each), symbol)
        if felt != 0 and moved != 0:
            space = running(each)
            if space is None:
                raise DeclarationError(
                    f"`{shortened(each)}` stands inside another integral. Expected running integrals"
                    " there, integral(..., s, upto=s)."
                )
            later = sympy.Integral(felt, (space, space, space.bounds[1]))
            found += moved.xreplace({weight: later})
    return found.xreplace(integrals)


def by_parts(
    system: System, found: Conjugates
) -> tuple[dict[Field, sympy.Expr], dict[Signal, sympy.Expr]]:
    """What multiplies the variation of each field inside, and of each coordinate and end value."""
    fields: dict[Field, sympy.Expr] = {}
    ends: dict[Signal, sympy.Expr] = {y: _global(found, y) for y in globals_of(system)}
    for w in system.fields:
        forces = field_forces(found, w)
        fields[w] = sympy.Add(*((-1) ** k * slope_along(G, w.space, k) for k, G in enumerate(forces)))
        for end, sign in ((0, -1), (1, 1)):
            for k, jet in enumerate(jets(w)[:-1]):
                pushed = sympy.Add(
                    *(
                        (-1) ** (b - k - 1) * slope_along(forces[b], w.space, b - k - 1)
                        for b in range(k + 1, len(forces))
                    )
                )
                ends[jet.at_end(end)] += sign * at(pushed, w.space, w.space.bounds[end])
    return fields, ends


def _global(found: Conjugates, y: Signal) -> sympy.Expr:
    total = found.outside.get(y, sympy.S.Zero)
    for space, forces in found.inside.items():
        density = forces.get(y, sympy.S.Zero)
        if density != 0:
            total += sympy.Integral(density, (space, *space.bounds))
    return total


def rows(
    system: System,
    conditions: EndConditions,
    found: Conjugates,
    constraints: Iterable[sympy.Expr],
    tidy: Callable[[sympy.Expr], sympy.Expr],
    names: Names,
) -> tuple[tuple[Row, ...], tuple[Row, ...], tuple[Row, ...]]:
    """The ordinary, the partial and the boundary rows.

    An end value that a condition fixes moves with what the condition leaves free, and hands its force
    on; so no multiplier is needed for it.
    """
    fields, ends = by_parts(system, found)
    hand_on(conditions, ends)
    made = _Rows(tidy, names)
    partial = tuple(made.partial(w, force, field_forces(found, w)) for w, force in fields.items())
    ordinary = tuple(made.row(RowKind.ORDINARY, q, ends[q]) for q in system.coordinates)
    natural = [(y, force) for y, force in ends.items() if isinstance(y, Field) and force != 0]
    boundary = [made.row(RowKind.NATURAL, y, force) for y, force in natural]
    boundary = [row for row in boundary if row.expression != 0]
    kept = [k for k in range(len(system.constraints)) if k not in conditions.redundant]
    held = list(constraints)
    fixed = {k: end for end, k in conditions.sources.items()}
    boundary += [_geometric(unfold(system.constraints[k]), held[k], fixed.get(k)) for k in kept]
    boundary.sort(key=lambda row: _place(system, row))
    return ordinary, partial, tuple(boundary)


def hand_on(conditions: EndConditions, ends: dict[Signal, sympy.Expr]) -> None:
    """Take out the end values that conditions fix; what they move with gets their forces."""
    for end, value in conditions.solved.items():
        force = ends.pop(end)
        for y in ends:
            share = value.diff(y)
            if share != 0:
                ends[y] += share * force


def field_forces(found: Conjugates, w: Field) -> list[sympy.Expr]:
    """The conjugate forces of a field and its slopes."""
    return [found.inside.get(w.space, {}).get(x, sympy.S.Zero) for x in jets(w)]


class _Rows:
    """Rows from forces, as they are and as they are shown."""

    def __init__(self, tidy: Callable[[sympy.Expr], sympy.Expr], names: Names) -> None:
        self._tidy = tidy
        self._names = names

    def row(self, kind: RowKind, of: Signal, force: sympy.Expr) -> Row:
        """A row from the force that does work on a variation."""
        expression = self._tidy(-force)
        parts = (self._tidy(self._names.short(-force)),) if self._names.has_running else ()
        return _signed(Row(kind, of, expression, -1, parts))

    def partial(self, w: Field, force: sympy.Expr, forces: list[sympy.Expr]) -> Row:
        """The row of a field, shown in divergence form where something is left under a derivative."""
        plain = self.row(RowKind.PARTIAL, w, force)
        shown = divergence_form(forces, w.space)
        if not any(part != 0 for part in shown[1:]):
            return plain
        short = [self._tidy(self._names.short(part)) for part in shown]
        named = [self._names.along(part, k, w.space) for k, part in enumerate(short) if k]
        return _signed(Row(RowKind.PARTIAL, w, plain.sign * -plain.expression, -1, (short[0], *named)))


def _signed(row: Row) -> Row:
    """The row with a plus before its first term; where there is inertia, it is that already."""
    shown = row.parts or (row.expression,)
    if has_inertia(shown) or not is_led_by_a_minus(shown, row.of):
        return row
    parts = tuple(-part for part in row.parts)
    return replace(row, expression=-row.expression, sign=-row.sign, parts=parts)


def _geometric(declared: sympy.Expr, phi: sympy.Expr, fixes: Field | None) -> Row:
    """The row of a condition, which belongs to what was declared."""
    held = sorted(declared.atoms(Field), key=str)
    single = len(held) == 1 and held[0].end is not None
    return Row(RowKind.GEOMETRIC, held[0] if single else None, phi, 0, (), fixes)


def _place(system: System, row: Row) -> tuple[int, int, int]:
    """Sort key: by field, by end, by slope; conditions between several at the end."""
    if not isinstance(row.of, Field) or row.of.end is None:
        return (len(system.fields), 0, 0)
    return (system.fields.index(row.of.base), row.of.end, row.of.slope)
