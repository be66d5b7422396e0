"""The variables of a unit, in the order of their value references, which `c/unit.h` has too.

time, states, their derivatives, inputs, parameters, multipliers, energies, requirements of motions,
what events watch, how often they have happened, when they did last
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from routh.errors import DeclarationError, quoted
from routh.exports.heading import told_event, unit_of
from routh.exports.subject import Subject
from routh.exports.target_names import names_of
from routh.kernels.handed_out import HandedOut
from routh.language.requirements import Requirement


@dataclass(frozen=True)
class Variable:
    """A variable of a unit.

    Attributes:
        name: its name there.
        causality: independent, output, local, input or parameter, in the words of the standard.
        discrete: whether it changes at events alone.
        about: what it is, with the name it has in the system.
        unit: a label, empty where none is known.
        start: the value before anything is said; none for what is computed.
        derivative_of: the place of the state whose derivative it is.
        least: the least value that it may have.
    """

    name: str
    causality: str
    about: str
    unit: str = ""
    start: float | None = None
    derivative_of: int | None = None
    least: float | None = None
    discrete: bool = False


class Variables:
    """The variables of what is exported.

    Attributes:
        given: the same with requirements and events among its functions.
        checks, ends: requirements of parameters, and of motions.
        events: what is watched along motions.
        changes: velocities that events change, and what they become, in the order of the events.
        asked: all expressions of these.
    """

    def __init__(self, given: Subject) -> None:
        own = given.system.requirements
        self.checks = tuple(r for r in own if not r.moves)
        self.ends = tuple(r for r in own if r.moves)
        self.events = given.events
        self.changes = tuple(pair for event in self.events for pair in event.change)
        self.asked = (
            *(r.expression for r in (*self.checks, *self.ends)),
            *(e.expression for e in self.events),
            *(value for _, value in self.changes),
        )
        self.given = replace(given, functions=HandedOut(given.system, given.laws, self.asked))
        self.functions = self.given.functions
        _refuse_missing(self.given)

    @cached_property
    def names(self) -> dict[Any, str]:
        """The words of symbols."""
        system = self.given.system
        symbols = [*system.coordinates, *system.velocities, *self.functions.signals]
        symbols += [*system.parameters, *system.multipliers]
        taken = ("time", "der", *self.functions.energies, *self._end_names)
        taken += tuple(name for tail in ("", "_count", "_time") for name in self._event_names(tail))
        return names_of(symbols, taken).words

    @property
    def _end_names(self) -> tuple[str, ...]:
        return tuple(f"requirement_{k}" for k, _ in enumerate(self.ends, 1))

    def _event_names(self, tail: str = "") -> tuple[str, ...]:
        return tuple(f"event_{k}{tail}" for k, _ in enumerate(self.events, 1))

    @cached_property
    def asks_solved(self) -> bool:
        """Whether requirements or events contain multipliers."""
        steps = self.functions.steps("outputs").steps if self.asked else ()
        return any(step.word == "argument" and step.argument == "z" for step in steps)

    @cached_property
    def all(self) -> tuple[Variable, ...]:
        """All of them."""
        return (
            Variable("time", "independent", "time", "s"),
            *self._states(),
            *self._rates(),
            *self._inputs(),
            *self._parameters(),
            *self._computed(),
        )

    def places(self, kind: str) -> range:
        """The value references of one kind."""
        own, system = self.functions, self.given.system
        counts = {
            "time": 1,
            "states": 2 * own.n,
            "rates": 2 * own.n,
            "inputs": len(own.signals),
            "parameters": len(system.parameters),
            "multipliers": own.c,
            "energies": len(own.energies),
            "ends": len(self.ends),
            "watched": len(self.events),
            "counts": len(self.events),
            "last_times": len(self.events),
        }
        first = 0
        for name, count in counts.items():
            if name == kind:
                return range(first, first + count)
            first += count
        raise KeyError(kind)

    @property
    def states(self) -> tuple[Any, ...]:
        """The symbols of the state."""
        return (*self.given.system.coordinates, *self.given.system.velocities)

    def _states(self) -> Iterator[Variable]:
        units, start = self.given.units, self.given.start
        for s in self.states:
            about = _about("coordinate" if not s.order else "velocity", s, self.names[s])
            value = start.get(str(s), 0.0)
            yield Variable(self.names[s], "output", about, unit_of(s, units), value)

    def _rates(self) -> Iterator[Variable]:
        for place, s in enumerate(self.states, 1):
            unit = unit_of(s.rate, self.given.units)
            about = f"derivative of {self.names[s]}"
            yield Variable(f"der({self.names[s]})", "local", about, unit, derivative_of=place)

    def _inputs(self) -> Iterator[Variable]:
        for s in self.functions.signals:
            about = _about("input" if not s.order else "derivative of an input", s, self.names[s])
            start = self.given.start.get(str(s), 0.0)
            yield Variable(self.names[s], "input", about, unit_of(s, self.given.units), start)

    def _parameters(self) -> Iterator[Variable]:
        for p in self.given.system.parameters:
            about = _about("parameter", p, self.names[p])
            unit, value = self.given.units.get(p.name, ""), float(self.given.values[p.name])
            least = 0.0 if p.sign else None
            yield Variable(self.names[p], "parameter", about, unit, value, least=least)

    def _computed(self) -> Iterator[Variable]:
        for symbol in self.given.system.multipliers:
            about = _about("multiplier of a constraint", symbol, self.names[symbol])
            yield Variable(self.names[symbol], "output", about)
        said = {"energy": "v . L_v - L", "kinetic": "kinetic energy", "potential": "potential energy"}
        for name in self.functions.energies:
            yield Variable(name, "output", said.get(name, "L, the Lagrangian"))
        for name, r in zip(self._end_names, self.ends, strict=True):
            yield Variable(name, "local", f"must {r.word}; where it falls to zero the motion ends")
        yield from self._watched()

    def _watched(self) -> Iterator[Variable]:
        for name, event in zip(self._event_names(), self.events, strict=True):
            yield Variable(name, "local", f"what is watched by the event {told_event(event)}")
        for name, event in zip(self._event_names("_count"), self.events, strict=True):
            about = f"how often the event {event} has happened"
            yield Variable(name, "output", about, discrete=True)
        for name, event in zip(self._event_names("_time"), self.events, strict=True):
            about = f"when the event {event} happened last; 0 before it has"
            yield Variable(name, "output", about, "s", discrete=True)


def ended(requirement: Requirement) -> str:
    """What has happened where a requirement falls to zero."""
    return requirement.end.name


def _about(kind: str, symbol: Any, name: str) -> str:
    return kind if str(symbol) == name else f"{kind} {symbol}"


def _refuse_missing(given: Subject) -> None:
    """Every parameter of a unit has a number before anything is said."""
    missing = [p.name for p in given.system.parameters if p.name not in given.values]
    if missing:
        raise DeclarationError(
            f"An FMU has a number for each parameter, which may be changed before it starts: `values`"
            f" lacks {quoted(missing)}. Give them."
        )
