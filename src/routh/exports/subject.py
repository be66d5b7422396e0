"""What is exported: a system, its functions, numbers and units, checked at the door."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import factorial
from typing import Any

import numpy as np
import sympy

from routh.analysis.given.conditions import conditions
from routh.analysis.given.numbers import Numbers, by_symbol
from routh.analysis.motion.event_watch import checked_events
from routh.analysis.motion.signals import signals
from routh.errors import DeclarationError, a_kind, capital, listed, quoted
from routh.exports.start_numbers import start_numbers
from routh.files.model import Model
from routh.files.stated_values import stated_values
from routh.kernels.handed_out import HandedOut
from routh.kernels.motion_engine import Laws
from routh.language.calculus import ddt
from routh.language.events import Event
from routh.language.gates import checked_numeric
from routh.language.make import Make
from routh.language.symbols import Input, t
from routh.language.system import System
from routh.mechanics.ritz.bases.basis_table import NAMED
from routh.mechanics.ritz.discretize import discretize


@dataclass(frozen=True, eq=False)
class Subject:
    """A system that is exported.

    Attributes:
        system: the system of coordinates.
        functions: its functions of t, x, u and p.
        values: numbers of its parameters, by name, as far as they are known.
        units: labels, by name.
        laws: what was put in for inputs.
        about: what it is, in a sentence or two.
        start: where motions start, by the names of coordinates, velocities and inputs; else at zero.
        events: what is watched along motions, by symbols.
    """

    system: System
    functions: HandedOut = field(repr=False)
    values: dict[str, float]
    units: dict[str, str]
    laws: Laws
    about: str
    start: dict[str, float]
    events: tuple[Event, ...] = ()


def subject(
    given: System | Model,
    values: Numbers | None,
    inputs: Mapping[Any, Any] | None,
    verb: str,
    start: Numbers | None = None,
    events: Sequence[Event] | Event | None = None,
) -> Subject:
    """What a verb exports.

    Raises:
        DeclarationError: it has no one set of equations of coordinates, or something is unknown.
    """
    system, known, units, about = _parts(given)
    _refuse_contacts(system, verb)
    checked_numeric(system, verb)
    if system.make is Make.SPARSE:
        raise DeclarationError(
            f"{verb} writes every entry of the matrices out, and {system.title} has"
            f" {len(system.coordinates)} coordinates. Discretize it with fewer functions."
        )
    numbers = known | stated_values(system, values)
    numbers = {p.name: p.default for p in system.parameters if p.default is not None} | numbers
    system = _with_cells(system, numbers, verb)
    units = {p.name: p.unit for p in system.parameters if p.unit} | units
    laws = laws_of(system, inputs, verb)
    if events is None and isinstance(given, Model):
        events = given.ends
    watched = checked_events(system, events)
    begins = _begins(given) | start_numbers(system, numbers, _start(given))
    begins |= start_numbers(system, numbers, {} if start is None else start)
    return Subject(system, HandedOut(system, laws), numbers, units, laws, about, begins, watched)


def _start(given: System | Model) -> Mapping[Any, Any]:
    """Where the file of a model lets it start."""
    return given.start if isinstance(given, Model) else {}


def _begins(given: System | Model) -> dict[str, float]:
    """What inputs are in the file of a model, as far as they are numbers."""
    return {str(u): float(x) for u, x in given.inputs.items()} if isinstance(given, Model) else {}


def _parts(given: System | Model) -> tuple[System, dict[str, float], dict[str, str], str]:
    """The system, and what its file says of it."""
    if isinstance(given, System):
        return given, {}, {}, ""
    if not isinstance(given, Model):
        raise DeclarationError(
            f"What is exported is a System, or a Model as load gives it. Got {a_kind(given)}."
        )
    system = given.system
    if system.fields:
        sizes = {w: NAMED[kind](n) for w, (kind, n) in given.sizes.items()}
        system = discretize(system, sizes)
    return system, dict(given.values), dict(given.units), given.description


def _refuse_contacts(system: System, verb: str) -> None:
    """No contact that may stick: then there are several sets of equations, and jumps between them."""
    if isinstance(system, System) and system.make is Make.FRICTION:
        slips = ", ".join("1" * len(system.friction))
        raise DeclarationError(
            f"{verb} gives one set of equations, and {system.title} has friction, whose equations"
            " depend on what sticks. Export system.regularized(0.01), which is smooth over that slip"
            f" velocity and never sticks, or one phase of it: system.phase({slips}) slips forwards, -1"
            " is backwards and 0 sticks."
        )


def _with_cells(system: System, numbers: Mapping[str, float], verb: str) -> System:
    """A discretized system with cells of quadrature as fine as its numbers ask for."""
    if not system.shapes:
        return system
    missing = [p for p in system.parameters if p.name not in numbers]
    if missing:
        raise DeclarationError(
            f"{verb} needs the numbers of {system.title}, whose fields are integrated by points that"
            f" depend on them: `values` lacks {quoted(missing)}. Got: {listed(numbers)}. Give them;"
            " they stay parameters of what is exported."
        )
    return conditions(system, dict(numbers))[0].system


def laws_of(system: System, inputs: Mapping[Any, Any] | None, verb: str) -> Laws:
    """What is put in for inputs: numbers, expressions in time and feedback laws; none for the others.

    Raises:
        DeclarationError: an input is a Python function, or anything that `simulate` refuses.
    """
    given = by_symbol(system, inputs or {}, "inputs")
    python = [u for u, law in given.items() if callable(law) and not isinstance(law, sympy.Basic)]
    if python:
        raise DeclarationError(
            f"{verb} cannot take a Python function along, and {quoted(python)} in `inputs` is one."
            " Write it as an expression in t, in coordinates and velocities, or leave it out: it is"
            " then an input of what is exported."
        )
    others = {u: 0 for u in system.inputs if not any(s.base == u for s in given)}
    told = signals(system, {**given, **others})
    laws = dict(told.laws)
    numbers = {u: x for u, x in by_symbol(system, told.numbers, "inputs").items() if u not in others}
    for base in {u.base: None for u in numbers}:
        laws |= _constant(system, base, {u.order: x for u, x in numbers.items() if u.base == base})
    return tuple(sorted(laws.items(), key=lambda law: (law[0].serial, law[0].order)))


def _constant(system: System, base: Input, numbers: Mapping[int, Any]) -> dict[Input, sympy.Expr]:
    """An input that is a number, or a polynomial in time where derivatives are numbers."""
    law = sympy.S.Zero
    for order, x in numbers.items():
        one = np.asarray(x, dtype=float)
        if one.shape:
            raise DeclarationError(
                f"{capital(f'`{base}`')} in `inputs` must be one number. Got an array of shape"
                f" {one.shape}."
            )
        law += sympy.Float(float(one)) * t**order / factorial(order)
    return {s: ddt(law, s.order) for s in system.signals if s.base == base}
