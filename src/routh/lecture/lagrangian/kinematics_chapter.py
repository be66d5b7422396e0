"""What a system is described by: coordinates, constants, what is prescribed, and points with rates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import sympy

from routh.language.calculus import ddt
from routh.language.symbols import Coordinate, Input, Let, t
from routh.language.system import System
from routh.language.walk import leaves, lets, prescribed, unfold
from routh.lecture.lagrangian.expressions import column, listing, primed
from routh.lecture.lagrangian.letters import Letters
from routh.lecture.lagrangian.named_points import Components, Place
from routh.mechanics.forms.chapter import Formula, Step, Table, formula
from routh.mechanics.lagrange import Equations


def describe(system: System, letters: Letters, values: Table | None) -> Iterator[Step]:
    """Coordinates, constants with their values where there are some, and inputs."""
    n, c = len(system.coordinates), len(system.constraints)
    yield f"The system is described by {_count(n, 'coordinate')}" + (
        f", with {_count(c, 'constraint')} between them." if c and n > 1
        else f", with {_count(c, 'constraint')}." if c else "."
    )  # fmt: skip
    alone = n == 1 and system.coordinates[0].name == letters("q").text
    yield listing(system.coordinates) if alone else formula(letters("q"), column(system.coordinates))
    if system.parameters:
        yield "Constants are"
        yield values or listing(system.parameters)
    if system.inputs:
        yield "Given as functions of time (inputs) are"
        yield listing(system.inputs)
    yield from letters.remarks()


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"


def prescribe(eq: Equations) -> Iterator[Step]:
    """What moves as it is told, and which of its derivatives the equations contain."""
    system = eq.system
    energies = [*system.kinetic, *system.potential, *system.lagrangian]
    moved = prescribed([*energies, *system.constraints])
    told = sorted({s.base for s in moved if isinstance(s, Input)}, key=lambda s: s.serial)
    if told:
        one = len(told) == 1
        yield f"Prescribed, and not to be solved for, {'is' if one else 'are'}"
        yield listing(told)
        yield (
            f"{'It is a given function' if one else 'They are given functions'} of time, held fixed in"
            f" every virtual displacement: {'it has' if one else 'they have'} no equation."
        )
        yield from _derivatives(eq, told, "its" if one else "their")
    if t in moved:
        yield from _explicit(eq)


def _derivatives(eq: Equations, told: Sequence[Input], whose: str) -> Iterator[Step]:
    found = leaves([*eq.residual, *eq.gamma])
    rates = [s for s in found if isinstance(s, Input) and s.order and s.base in told]
    if rates:
        yield f"Of {whose} derivatives the equations contain"
        yield listing(sorted(rates, key=lambda s: (s.serial, s.order)))


def _explicit(eq: Equations) -> Iterator[Step]:
    parts = {
        "the kinetic energy": eq.system.kinetic,
        "the potential energy": eq.system.potential,
        "the Lagrangian": eq.system.lagrangian,
        "the constraints": eq.system.constraints,
    }
    where = " and ".join(name for name, terms in parts.items() if t in leaves(terms))
    yield f"Time stands explicitly in {where} as written: what changes with it there is prescribed."
    if t not in leaves([eq.L, *eq.residual, *eq.gamma, *eq.system.constraints]):
        yield "It drops out when the squares of velocities are written out."
    elif t not in leaves([*eq.residual, *eq.gamma, *eq.system.constraints]):
        yield "It drops out of the equations of motion."


def locate(system: System, places: Sequence[Place]) -> Iterator[Step]:
    """Points and other quantities with names, and their rates."""
    every = [e for part in system.parts().values() for e in part]
    used = set(lets(every))
    for k, place in enumerate(places):
        if place.is_drawn and not any(other.is_drawn for other in places[:k]):
            yield "As they are drawn, points are at"
        yield _position(place)
        rates = tuple(ddt(s) for s in place.symbols)
        if _is_position(place) or any(r in used for r in rates if isinstance(r, Let)):
            yield _velocity(place, rates)


def _is_position(place: Place) -> bool:
    """Whether it is a vector that moves, and no velocity itself."""
    found = leaves(place.written)
    orders = [s.order for s in found if isinstance(s, Coordinate)]
    moves = orders or t in found or any(isinstance(s, Input) for s in found)
    return place.is_vector and bool(moves) and not any(orders)


def _position(place: Place) -> Formula:
    return formula(place.name, *_forms(place, place.written))


def _velocity(place: Place, rates: Components) -> Formula:
    written = tuple(r.expression if isinstance(r, Let) else r for r in rates)
    return formula(primed(place.name), *_forms(place, written))


def _forms(place: Place, written: Components) -> list[Formula | sympy.Expr]:
    """As it is written, and with all intermediates written out where there are some."""
    forms = [written]
    if lets(written):
        forms.append(tuple(map(unfold, written)))
    return [column(form) if place.is_vector else form[0] for form in forms]
