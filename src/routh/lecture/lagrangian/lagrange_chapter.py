"""The chapter on a system of coordinates: from what was written to the equations of motion."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import sympy
from sympy import ImmutableDenseMatrix as Matrix

from routh.errors import capital
from routh.files.model import Model
from routh.language.calculus import ddt
from routh.language.derivation import partial
from routh.language.gates import checked_symbolic
from routh.language.symbols import Coordinate
from routh.language.system import System
from routh.language.walk import replaced
from routh.lecture.kinds import chapter_of
from routh.lecture.lagrangian.conserved_chapter import conserve
from routh.lecture.lagrangian.constraint_chapter import hold
from routh.lecture.lagrangian.degrees import is_quadratic, linear
from routh.lecture.lagrangian.energy_chapter import lose, sort_by_degree, store
from routh.lecture.lagrangian.expressions import (
    ANY,
    INDEX,
    indexed,
    joined,
    partial_of,
    primed,
    rate_of,
    short,
    turned,
)
from routh.lecture.lagrangian.frame_chapter import carry
from routh.lecture.lagrangian.friction_chapter import rub
from routh.lecture.lagrangian.kinematics_chapter import describe, locate, prescribe
from routh.lecture.lagrangian.letters import Letters
from routh.lecture.lagrangian.named_points import places_of
from routh.lecture.lagrangian.saddle_chapter import join
from routh.lecture.lagrangian.solved_chapter import assemble
from routh.lecture.lagrangian.work_chapter import work
from routh.mechanics.forms.chapter import Chapter, Formula, Step, Table, chapter, formula
from routh.mechanics.lagrange import Equations, equations


@dataclass(frozen=True)
class _Named:
    """What a model file adds to its system."""

    names: Mapping[str, Any] = field(default_factory=dict)
    drawn: tuple[Any, ...] = ()
    description: str = ""
    values: Table | None = None


@chapter_of.register
def _of_system(system: System) -> Chapter:
    return _told(system, _Named())


@chapter_of.register
def _of_equations(eq: Equations) -> Chapter:
    return _lectured(eq, eq.system, _Named())


@chapter_of.register
def _of_model(model: Model) -> Chapter:
    drawn = tuple(model.drawing.marks)
    return _told(model.system, _Named(model.names, drawn, model.description, _values(model)))


def _values(model: Model) -> Table | None:
    """The constants with their numbers and units."""
    if not all(p.name in model.values for p in model.system.parameters):
        return None
    own = [(p, f"{model.values[p.name]:g}") for p in model.system.parameters]
    rows = ((formula(p), number, model.units.get(p.name, "")) for p, number in own)
    return Table(("constant", "value", "unit"), tuple(rows))


def _told(system: System, named: _Named) -> Chapter:
    """The chapter on a system, with contacts slipping forwards where there are some."""
    slipping = system.phase(*[1] * len(system.friction)) if system.friction else system
    eq = equations(checked_symbolic(slipping, "derive", graphs=True))
    return _lectured(eq, system, named) if isinstance(eq, Equations) else chapter_of(eq)


def _lectured(eq: Equations, system: System, named: _Named) -> Chapter:
    letters = Letters(eq.system, named.names)
    places = places_of(eq.system, letters, named.names, named.drawn)
    function = "The Lagrangian" if system.lagrangian else "The kinetic energy"
    told = [
        ("Positions and velocities", locate(eq.system, places)),
        ("Friction", rub(system)),
        ("Energies", store(eq, letters)),
        (f"{function} by degree", sort_by_degree(eq, letters)),
        ("What is prescribed", prescribe(eq)),
        ("Damping", lose(eq, letters)),
        ("Virtual work", work(eq, letters, places)),
        ("Constraints", hold(eq, letters)),
        ("Lagrange's equations", _lagrange(eq, letters)),
        ("What prescribed motion adds", carry(eq, letters)),
        ("Equations of motion", assemble(eq, letters)),
        ("Motion with constraints", join(eq, letters)),
        ("What is conserved", conserve(eq, letters)),
    ]
    sections = [(title, list(steps)) for title, steps in told]  # so that all letters are chosen
    opening = [named.description] if named.description else []
    first = [*opening, *describe(eq.system, letters, named.values)]
    title = f"{system.name}: the equations of motion" if system.name else "the equations of motion"
    return chapter(capital(title), [("The system", first), *sections])


def _lagrange(eq: Equations, letters: Letters) -> Iterator[Step]:
    """Lagrange's equation for every coordinate, term by term, and the sum."""
    yield "For every coordinate"
    yield _general(eq, letters)
    for k, q in enumerate(eq.system.coordinates):
        yield f"For `{q}`:"
        yield from _terms(eq, k, q, letters)
        yield formula(eq.residual[k], 0)


def _general(eq: Equations, letters: Letters) -> Formula:
    L, v = letters("L"), primed(ANY)
    left: list[Formula | str] = [rate_of(partial_of(L, v)), " - ", partial_of(L, ANY)]
    if eq.D != 0:
        left += [" + ", partial_of(letters("D"), v)]
    if eq.multipliers:
        left += [" + ", _pushed(letters, INDEX)]
    return formula(joined(left), indexed(letters("Q"), INDEX) if any(eq.Q) else 0)


def _pushed(letters: Letters, q: Formula | Coordinate) -> Formula:
    """The row of a coordinate in J^T multipliers."""
    return indexed(joined(["(", turned(letters("J")), " ", letters("lambda"), ")"]), q)


def _terms(eq: Equations, k: int, q: Coordinate, letters: Letters) -> Iterator[Step]:
    L, v = letters("L"), q.rate
    momentum, rate, slope = lagrangian_terms(eq, k)
    yield formula(partial_of(L, v), momentum)
    yield formula(rate_of(partial_of(L, v)), rate)
    yield formula(partial_of(L, q), slope)
    if eq.D != 0:
        yield formula(partial_of(letters("D"), v), short(partial(eq.D, v)))
    if eq.multipliers:
        push = sympy.Add(*(a * b for a, b in zip(eq.J[:, k], eq.multipliers, strict=True)))
        yield formula(_pushed(letters, q), short(push))
    if any(eq.Q):
        yield formula(indexed(letters("Q"), q), eq.Q[k])
    yield "so that"


def lagrangian_terms(eq: Equations, k: int) -> tuple[sympy.Expr, sympy.Expr, sympy.Expr]:
    """L_v, d/dt L_v and L_q of one coordinate; accelerations stand with the entries of M."""
    q, v = eq.system.coordinates[k], eq.system.velocities
    slope = short(partial(eq.T2 + eq.T1 + eq.T0, q)) - short(partial(eq.V, q))
    if not is_quadratic(eq):
        momentum = partial(eq.L, v[k])
        return short(momentum), short(ddt(momentum)), slope
    momentum = linear(Matrix([*eq.A[k, :]]), v) + eq.B[k]
    still = {x.rate: sympy.S.Zero for x in v}
    rate = linear(Matrix([*eq.A[k, :]]), [x.rate for x in v]) + short(replaced(ddt(momentum), still))
    return momentum, rate, slope
