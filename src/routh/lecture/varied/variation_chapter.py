"""The steps from densities to rows: conjugate forces, integration by parts, conditions at the ends."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import sympy

from routh.language.calculus import ddt, diff
from routh.language.derivation import integrand, partial
from routh.language.fields import Field, Space
from routh.language.symbols import Signal
from routh.language.system import System
from routh.language.walk import unfold
from routh.lecture.varied.field_formulas import (
    added,
    beside_at_end,
    beside_inside,
    by_parts_rule,
    conjugate_force,
    conjugate_name,
    derivative,
    integral_of,
    interchanged,
    linear_force,
    share_of_running,
    turned,
)
from routh.lecture.varied.field_letters import FieldLetters
from routh.lecture.varied.field_setting import LagrangianParts, virtual_work
from routh.mechanics.constraints import multiplier_symbols
from routh.mechanics.fields.densities import (
    Energies,
    Part,
    energies,
    globals_of,
    shortened_parts,
    sorted_part,
)
from routh.mechanics.fields.end_conditions import end_conditions
from routh.mechanics.fields.gather import gathered
from routh.mechanics.fields.named_parts import Names, defined
from routh.mechanics.fields.ordered_terms import written_energy, written_whole
from routh.mechanics.fields.variation import Conjugates, Row, RowKind, field_forces
from routh.mechanics.forms.chapter import Formula, Step, formula
from routh.mechanics.forms.printing import latex, text
from routh.mechanics.forms.tidy import Tidy

NOTHING = Conjugates({}, {})


class Steps:
    """The steps of one system; `found` are its conjugate forces, or the linear ones."""

    def __init__(self, system: System, found: Conjugates = NOTHING, *, linear: bool = False) -> None:
        self._system = system
        self._conditions = end_conditions(system)
        self._parts = shortened_parts(energies(system, self._conditions.left))
        self._names = Names(system) if linear else Names(system, self._parts)
        self._found = found
        self._tidy = Tidy(1.0)
        self._letters = FieldLetters(system)

    def _written(self, value: sympy.Expr) -> Formula:
        """An expression with names for running integrals, and integrals made short."""
        return written_whole(gathered(self._names.short(value), self._tidy))

    @property
    def told(self) -> tuple[str, ...]:
        """The names of running integrals, which the energies introduce."""
        return tuple(str(name) for name, _ in self._names.running)

    # Energies -----------------------------------------------------------------------------------------

    def energies(self) -> Iterator[Step]:
        """T, V, L and D: densities along the spaces, and what stands outside integrals."""
        system = self._system
        given = (
            ("kinetic energy", "T", system.kinetic),
            ("potential energy", "V", system.potential),
            ("Lagrangian", "L", system.lagrangian),
            ("Rayleigh function", "D", system.dissipation),
        )
        for name, each in self._names.running:
            yield "The energies contain a running integral, which depends on all before the place:"
            yield defined((name, self._names.inside(each)))
        for word, letter, terms in given:
            if terms:
                yield from self._energy(word, letter, sympy.Add(*map(unfold, terms)))
        yield from self._lagrangian()
        for k in self._conditions.left:
            yield f"A condition that is not built in acts with the multiplier {self._multiplier(k)}:"
            yield formula(written_whole(unfold(system.constraints[k])), 0)

    def _multiplier(self, k: int) -> str:
        return text(multiplier_symbols(self._system)[k])

    def _energy(self, word: str, letter: str, energy: sympy.Expr) -> Iterator[Step]:
        part = _shortened(sorted_part(energy))
        if part.factors:
            yield f"The {word} is"
            yield formula(self._letters.energy(letter), written_whole(energy))
            return
        for space, density in sorted(part.densities.items(), key=lambda item: item[0].serial):
            yield f"The {word} per length of {space} is"
            name = self._letters.density(letter, space)
            yield formula(name, written_energy(self._names.short(density)))
        if part.discrete != 0:
            yield f"The {word} outside of integrals is" if part.densities else f"The {word} is"
            name = (self._letters.outside if part.densities else self._letters.energy)(letter)
            yield formula(name, written_energy(part.discrete))

    def _lagrangian(self) -> Iterator[Step]:
        L = self._parts.L
        if not L.factors:
            yield from LagrangianParts(self._system, self._conditions.left, self._letters).steps(
                self._parts
            )
            return
        yield (
            "The Lagrangian is no linear function of its integrals. In its variation each integral"
            " stands with a factor that does not vary along the space; the densities contain it:"
        )
        for space, density in sorted(L.densities.items(), key=lambda item: item[0].serial):
            yield formula(self._letters.density("L", space), self._written(density.xreplace(L.factors)))

    # Running integrals --------------------------------------------------------------------------------

    def running(self) -> Iterator[Step]:
        """How the variation of running integrals is turned around."""
        for name, each in self._names.running:
            yield (
                f"The slope {name.steeper} of {name} at one place is felt at every later one. In the"
                " variation the order of the two integrations is interchanged:"
            )
            yield interchanged(name)
            yield (
                f"So a variable of {name.steeper} has for its share of force the derivative of"
                f" {name.steeper} by it, times the inner integral on the right. Here"
            )
            yield formula(name.steeper, written_whole(self._names.short(integrand(each))))
            yield from self._felt(name, each)

    def _felt(self, name: Field, each: sympy.Integral) -> Iterator[Step]:
        """The conjugate force of a running integral, where only the Lagrangian contains it."""
        parts = self._parts
        alone = not integrand(each).has(sympy.Integral) and len(self._names.running) == 1
        others = (*parts.D.densities.values(), *parts.work.densities.values())
        if alone and not any(self._names.short(e).has(name, name.rate) for e in others):
            l = self._names.short(parts.L.densities[name.space]).xreplace(parts.L.factors)
            density = self._letters.density("L", name.space)
            force = partial(l, name) - ddt(partial(l, name.rate))
            yield formula(conjugate_name(name), share_of_running(name, density), self._written(force))

    # Conjugate forces ---------------------------------------------------------------------------------

    def principle(self) -> Iterator[Step]:
        """Hamilton's principle, and what a conjugate force is."""
        yield (
            "Hamilton's principle asks that the integral over time of the variation of the Lagrangian"
            " and of the virtual work vanishes for all variations that are zero at the first and the"
            f" last instant. Integrated by parts in time, each variable {self._letters.any} of a"
            " density has its conjugate force beside its variation:"
        )
        yield conjugate_force(self._parts, self._letters)
        if self._parts.L.discrete != 0 or self._parts.work.discrete != 0:
            yield "Outside of integrals, marked by D, it is the same of what stands there."

    def work(self) -> Iterator[Step]:
        """The virtual work of forces."""
        return virtual_work(self._parts)

    def forces(self) -> Iterator[Step]:
        """The conjugate force of every variable."""
        for space, forces in self._found.inside.items():
            if any(force != 0 for force in forces.values()):
                yield f"Along {space}:"
                yield from self._each(forces, space)
        if any(force != 0 for force in self._found.outside.values()):
            yield "Outside of integrals:"
            yield from self._each(self._found.outside, None)

    def _each(self, forces: dict[Signal, sympy.Expr], space: Space | None) -> Iterator[Step]:
        for x, force in forces.items():
            if force != 0:
                yield from self._momentum(x, space)
                yield formula(conjugate_name(x, space), self._written(force))

    def _momentum(self, x: Signal, space: Space | None) -> Iterator[Step]:
        """The derivative of L by the rate of a variable; running integrals are variables here."""
        L = self._parts.L
        energy = L.discrete if space is None else L.densities.get(space, sympy.S.Zero)
        momentum = partial(self._names.short(energy).xreplace(L.factors), x.rate)
        if momentum != 0:
            own = self._letters
            letter = own.outside("L") if space is None else own.density("L", space)
            yield formula(derivative(letter, x.rate), self._written(momentum))

    def linear_forces(self) -> Iterator[Step]:
        """The linear conjugate force of every variable."""
        yield (
            f"The deviation of a conjugate force is linear in the deviations {self._letters.other} of"
            " variables, rates and inputs. Its factors are the second derivatives of the Lagrangian"
            f"{self._other_slopes()}:"
        )
        yield linear_force(self._parts, self._letters)
        for space, forces in (*self._found.inside.items(), (None, self._found.outside)):
            if any(force != 0 for force in forces.values()):
                yield f"Along {space}:" if space is not None else "Outside of integrals:"
                for x, force in forces.items():
                    if force != 0:
                        yield formula(conjugate_name(x, space), self._written(force))

    def _other_slopes(self) -> str:
        parts = {"damping (D)": self._parts.D, "forces (Q)": self._parts.work}
        acting = [what for what, part in parts.items() if part.discrete != 0 or part.densities]
        words = [f"the slopes of {what}" for what in acting]
        return f" (S) and {' and '.join(words)}" if words else " (S)"

    # Integration by parts -----------------------------------------------------------------------------

    def by_parts(self) -> Iterator[Step]:
        """From variations of slopes to those of fields, inside and at the ends."""
        for w in self._system.fields:
            forces = field_forces(self._found, w)
            if not any(force != 0 for force in forces[1:]):
                continue
            yield f"Along {w.space} the variations of slopes are those of {w}, differentiated:"
            for k in (1, 2):
                if forces[k] != 0:
                    yield by_parts_rule(w, k)
            last, first = text(w.space.bounds[1]), text(w.space.bounds[0])
            yield (
                f"At {w.space} = {last}, and with a minus at {w.space} = {first}, there stands beside"
                f" delta {w}"
            )
            pushed = forces[1] - diff(forces[2], w.space)
            yield formula(beside_at_end(w, forces, 1), self._written(pushed))
            if forces[2] != 0:
                yield f"and beside delta {w.steeper}"
                yield formula(beside_at_end(w, forces, 2), self._written(forces[2]))

    def inside(self, rows: Iterable[Row]) -> Iterator[Step]:
        """The partial equations."""
        yield "Inside, the variation of a field is arbitrary, and what stands beside it vanishes."
        for row in rows:
            assert isinstance(row.of, Field)
            yield formula(beside_inside(row.of, field_forces(self._found, row.of), row.sign), 0)
            yield formula(row.formula, 0)

    # Conditions and coordinates -----------------------------------------------------------------------

    def ends(self, boundary: Iterable[Row]) -> Iterator[Step]:
        """Every condition at the ends, with where it comes from."""
        for row in boundary:
            if row.kind is RowKind.NATURAL:
                assert isinstance(row.of, Field)
                yield f"Natural: delta {row.of} is free, and what stands beside it vanishes."
                others = self._sides(row.of)
                if others:
                    yield formula(self._signed(row, [self._pushed(row.of), *others]), 0)
            elif row.fixes is not None:
                yield f"Geometric, as declared; it is solved for {row.fixes}{self._moved(row.fixes)}."
            else:
                yield "As declared; it keeps a multiplier."
            yield formula(row.formula, 0)
        for k in self._conditions.redundant:
            yield "As declared; it follows from the others."
            yield formula(written_whole(unfold(self._system.constraints[k])), 0)

    def _moved(self, end: Field) -> str:
        value = self._conditions.solved[end]
        moved = [str(x) for x in globals_of(self._system) if value.diff(x) != 0]
        return f", which moves with {', '.join(moved)} and hands its force on" if moved else ""

    def _pushed(self, y: Field) -> Formula:
        """What integration by parts leaves at an end."""
        w, end = y.base, y.end or 0
        assert isinstance(w, Field)
        found = beside_at_end(w, field_forces(self._found, w), y.slope + 1)
        sign = "" if end else "-"
        bound = w.space.bounds[end]
        return Formula(
            f"{sign}({found.text})({text(bound)})",
            rf"{sign}\left({found.latex}\right)({latex(bound)})",
        )

    def _sides(self, y: Signal) -> list[Formula]:
        """The forces on a variable that is the same everywhere, and those handed on to it."""
        found = self._found
        sides = [conjugate_name(y)] if found.outside.get(y, 0) != 0 else []
        sides += [
            integral_of(conjugate_name(y, s), s)
            for s, forces in found.inside.items()
            if forces.get(y, 0) != 0
        ]
        for end, value in self._conditions.solved.items():
            share = value.diff(y)
            if share != 0:
                own = [self._pushed(end), *self._sides(end)]
                whole = added(own)
                factor = "" if share == 1 else f"({text(share)})*"
                shown = "" if share == 1 else rf"\left({latex(share)}\right)"
                sides.append(Formula(f"{factor}({whole.text})", rf"{shown}\left({whole.latex}\right)"))
        return sides

    def _signed(self, row: Row, sides: list[Formula]) -> Formula:
        return turned(added(sides)) if row.sign < 0 else added(sides)

    def coordinates(self, ordinary: Iterable[Row]) -> Iterator[Step]:
        """The equations of the coordinates."""
        for row in ordinary:
            assert row.of is not None
            yield f"The variation of {row.of} is the same everywhere: its forces are added up."
            yield formula(self._signed(row, self._sides(row.of)), 0)
            yield formula(row.formula, 0)


def has_running_integrals(system: System) -> bool:
    """Whether densities contain running integrals."""
    return Names(system, energies(system, end_conditions(system).left)).has_running


def named_rows(rows: Iterable[Row]) -> Iterator[Step]:
    """Rows as they are."""
    for row in rows:
        yield formula(row.formula, 0)


def _shortened(part: Part) -> Part:
    nothing = Part(sympy.S.Zero, {}, {})
    return shortened_parts(Energies(part, nothing, nothing, {})).L
