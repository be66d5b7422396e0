"""What a system with fields is described by, what forces do, and what its Lagrangian is made of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import sympy

from routh.language.fields import Space
from routh.language.system import System
from routh.language.walk import unfold
from routh.lecture.lagrangian.expressions import listing
from routh.lecture.varied.field_formulas import added, force_name, integral_of
from routh.lecture.varied.field_letters import FieldLetters
from routh.mechanics.constraints import multiplier_symbols
from routh.mechanics.fields.densities import Energies, Part, sorted_part
from routh.mechanics.fields.ordered_terms import written_whole
from routh.mechanics.forms.chapter import Formula, Step, formula
from routh.mechanics.forms.printing import latex, text


def describe_fields(system: System) -> Iterator[Step]:
    """Fields with their spaces, coordinates, constants and inputs."""
    one = len(system.fields) == 1
    yield f"The system is described by {'a field' if one else 'fields'}, of place and time,"
    for w in system.fields:
        s, (a, b) = w.space, w.space.bounds
        yield Formula(
            f"{w}({s}, t), {text(a)} <= {s} <= {text(b)}",
            rf"{latex(w)}({latex(s)}, t), \quad {latex(a)} \le {latex(s)} \le {latex(b)}",
        )
    yield "whose rates and slopes are written"
    yield _notation(system)
    if system.coordinates:
        yield "and by what is the same everywhere,"
        yield listing(system.coordinates)
    if system.parameters:
        yield "Constants are"
        yield listing(system.parameters)
    if system.inputs:
        yield "Given as functions of time (inputs) are"
        yield listing(system.inputs)


def _notation(system: System) -> Formula:
    """How derivatives of the first field are written."""
    w = system.fields[0]
    s = w.space
    rate, slope = w.rate, w.steeper
    return Formula(
        f"{rate} = d{w}/dt, {slope} = d{w}/d{s}",
        rf"{latex(rate)} = \frac{{\partial {latex(w)}}}{{\partial t}}, \quad"
        rf" {latex(slope)} = \frac{{\partial {latex(w)}}}{{\partial {latex(s)}}}",
    )


def virtual_work(parts: Energies) -> Iterator[Step]:
    """The forces that do work on the variation of each variable, along spaces and outside."""
    work = parts.work
    for space, density in (*work.densities.items(), (None, work.discrete)):
        if density.has(sympy.Integral):
            continue
        found = {x: density.diff(symbol) for x, symbol in parts.virtual.items()}
        acting = {x: force for x, force in found.items() if force != 0}
        if acting:
            where = "Outside of integrals" if space is None else f"Per length of {space}"
            yield f"{where} what is no part of the Lagrangian does the virtual work"
            yield _work({x: force_name(x, space) for x in acting})
            yield "with"
            yield from (formula(force_name(x, space), written_whole(Q)) for x, Q in acting.items())


def _work(names: dict[sympy.Symbol, Formula]) -> Formula:
    terms = [
        Formula(f"{Q.text}*delta {x}", rf"{Q.latex} \, \delta {latex(x)}") for x, Q in names.items()
    ]
    whole = added(terms)
    return Formula(f"delta W = {whole.text}", rf"\delta W = {whole.latex}")


class LagrangianParts:
    """The Lagrangian density of each space and what stands outside, as sums of energies."""

    def __init__(self, system: System, left: tuple[int, ...], letters: FieldLetters) -> None:
        self._letters = letters
        multipliers = multiplier_symbols(system)
        held = [multipliers[k] * unfold(system.constraints[k]) for k in left if system.is_holonomic[k]]
        self._named = [("", "T", _sorted(system.kinetic)), ("-", "V", _sorted(system.potential))]
        self._written = [("", _sorted(system.lagrangian)), ("-", _sorted(held))]
        self.is_given = not system.kinetic and not system.potential and not held

    def steps(self, parts: Energies) -> Iterator[Step]:
        """L_hat of each space and L_D; then L as their sum."""
        own, L = self._letters, parts.L
        spaces = sorted(L.densities, key=lambda space: space.serial)
        if not self.is_given:
            yield "The Lagrangian is kinetic minus potential energy" + (
                ", and what was given of it or holds a condition:" if self._more else ":"
            )
            yield from (self._made(own.density("L", s), s) for s in spaces)
            if L.discrete != 0:
                yield self._made(own.outside("L"), None)
        taken = own.energy("L").text != "L"
        yield "In all it is" + (
            ", with another letter since `L` belongs to the system," if taken else ""
        )
        whole = [integral_of(own.density("L", space), space) for space in spaces]
        outside = [own.outside("L")] if L.discrete != 0 else []
        yield formula(own.energy("L"), added([*outside, *whole]))

    @property
    def _more(self) -> bool:
        return any(part.discrete != 0 or part.densities for _, part in self._written)

    def _made(self, name: Formula, space: Space | None) -> Formula:
        """A density, or what stands outside, as a sum of energies."""
        pieces: list[tuple[str, Formula]] = []
        for sign, letter, part in self._named:
            if _of(part, space) != 0:
                pieces.append((sign, self._called(letter, part, space)))
        for sign, part in self._written:
            value = _of(part, space)
            if value != 0:
                shown = written_whole(value)
                inside = Formula(f"({shown.text})", rf"\left({shown.latex}\right)")
                pieces.append((sign, inside if sign or not pieces else shown))
        return formula(name, _signed(pieces))

    def _called(self, letter: str, part: Part, space: Space | None) -> Formula:
        if space is not None:
            return self._letters.density(letter, space)
        return (self._letters.outside if part.densities else self._letters.energy)(letter)


def _sorted(terms: Sequence[sympy.Expr]) -> Part:
    return sorted_part(sympy.Add(*map(unfold, terms)))


def _of(part: Part, space: Space | None) -> sympy.Expr:
    return part.discrete if space is None else part.densities.get(space, sympy.S.Zero)


def _signed(pieces: list[tuple[str, Formula]]) -> Formula:
    words, symbols = "", ""
    for sign, piece in pieces:
        before = (" - " if sign else " + ") if words else sign
        words, symbols = words + before + piece.text, symbols + before + piece.latex
    return Formula(words or "0", symbols or "0")
