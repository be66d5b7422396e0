"""What every file says at its head: what it is, its letters and their order, units, and its making."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from routh.errors import shortened
from routh.exports.subject import Subject
from routh.language.events import Event
from routh.language.symbols import Signal
from routh.language.walk import unfold, unfolded_size
from routh.version import __version__

WIDTH = 96
"""Characters of a line of prose."""

LONGEST = 400
"""Characters of an energy or a constraint, and terms of it, beyond which it is not told whole."""


def heading(given: Subject, kind: str, command: str, called: Mapping[str, str]) -> list[str]:
    """The lines at the head of a file of some kind, made by a command, with names that were changed."""
    return [
        *prose(f"{given.system.name or 'A system'}: {kind}."),
        *(prose(given.about) if given.about else []),
        *prose(
            f"Written by Routh {__version__} with {command}, from the energies, by algorithmic"
            " differentiation. It stands alone: Routh is not needed to use it."
        ),
        "",
        *_equations(given),
        "",
        *_letters(given, called),
        "",
        *_energies(given),
    ]


def commented(lines: Iterable[str], before: str) -> str:
    """Lines as comments, each behind a sign."""
    return "".join(f"{before} {line}".rstrip() + "\n" for line in lines)


def prose(text: str) -> list[str]:
    """A sentence or more, in lines."""
    return textwrap.wrap(" ".join(text.split()), WIDTH)


def _equations(given: Subject) -> Iterator[str]:
    own = given.functions
    if own.c:
        yield "M a + P multipliers = f,  J a + gamma = 0,  x = (q, v),  x' = (v, a)"
        yield from prose(
            "P is the transpose of J, less the slopes of forces that depend on those of constraints."
            " The constraints phi and their rates stay zero along motions that start so, but for the"
            " errors of whoever integrates: project now and then."
        )
    else:
        yield "M a = f,  x = (q, v),  x' = (v, a)"


def _letters(given: Subject, called: Mapping[str, str]) -> Iterator[str]:
    """The order of the states, inputs, parameters, constraints and energies."""
    system, own = given.system, given.functions
    states = (*system.coordinates, *system.velocities)
    yield from listed_symbols("x, the state", states, given, called)
    yield from listed_symbols("u, the inputs", own.signals, given, called)
    yield from listed_symbols("p, the parameters", system.parameters, given, called)
    if own.c:
        yield "multipliers, of the constraints"
        for k, (symbol, phi) in enumerate(zip(system.multipliers, system.constraints, strict=True)):
            yield f"    {k}  {symbol}: 0 = {_told(phi)}"
    yield f"energies: {', '.join(own.energies)}, where energy is v . L_v - L"
    yield from told_events(given.events)
    for signal, law in given.laws:
        if not signal.order:
            yield f"put in for the input {signal}: {_told(law)}"


def listed_symbols(
    what: str, symbols: Sequence[Any], given: Subject, called: Mapping[str, str]
) -> Iterator[str]:
    """What symbols are, and each with its place, its name in the file, its number and its unit."""
    yield f"{what}: {len(symbols) or 'none'}"
    for k, symbol in enumerate(symbols):
        name = f"    {k}  {symbol}" + (f", here {called[str(symbol)]}" if str(symbol) in called else "")
        number = given.values.get(str(symbol))
        if number is not None:
            name += f" = {number!r}"
        elif what.startswith("p,"):
            name += " (no number was given)"
        unit = " ".join(unit_of(symbol, given.units).split())  # a line of its own would be no comment
        yield name + (f"  [{unit}]" if unit else "")


def unit_of(symbol: Any, units: Mapping[str, str]) -> str:
    """The unit of a symbol; of a rate per second, where the unit of what changes is known."""
    if isinstance(symbol, Signal) and symbol.order:
        unit = units.get(symbol.base.name, "")
        per = "s" if symbol.order == 1 else f"s^{symbol.order}"
        return (
            f"({unit})/{per}"
            if unit and ("*" in unit or "/" in unit)
            else f"{unit}/{per}"
            if unit
            else ""
        )
    return units.get(str(symbol), "")


def told_events(events: Sequence[Event]) -> Iterator[str]:
    """What is watched, and what happens then."""
    if events:
        yield "events, where an expression passes zero"
    for k, event in enumerate(events):
        yield from textwrap.wrap(
            f"{k}  {told_event(event)}", WIDTH, initial_indent="    ", subsequent_indent="        "
        )


def told_event(event: Event) -> str:
    """An event: its name, what it watches, which way, and what it does."""
    watched = _told(event.expression)
    way = {1: "rising", -1: "falling", 0: "either way"}[int(event.direction)]
    then = [f"{velocity} becomes {_told(value)}" for velocity, value in event.change]
    then += ["the motion ends"] if event.stop else []
    said = f"{' '.join(event.name.split())}: " if event.name and event.name != watched else ""
    return f"{said}{watched}, {way}" + (f"; {'; '.join(then)}" if then else "")


def _energies(given: Subject) -> Iterator[str]:
    """What the system was made of, as far as it is short."""
    system = given.system.continuous or given.system
    for part in ("kinetic", "potential", "lagrangian", "dissipation"):
        for term in getattr(system, part):
            yield from textwrap.wrap(f"{part}: {_told(term)}", WIDTH, subsequent_indent="    ")


def _told(expression: Any) -> str:
    """An expression with its intermediates written out, where that is no more than some lines."""
    if unfolded_size([expression]) > LONGEST:
        return "too long to be written here"
    return shortened(unfold(expression), LONGEST)
