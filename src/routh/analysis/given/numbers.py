"""What a person gives by name, and the numbers in it: looked up, checked, refused in a sentence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import sympy

from routh.arrays import Array
from routh.errors import DeclarationError, capital, did_you_mean, listed, quoted, shortened
from routh.language.arguments import some_of
from routh.language.keys import once
from routh.language.symbols import Coordinate, Input, Parameter, Signal, named
from routh.language.system import System

Numbers = Mapping[Any, Any]

LARGEST = 1e100
"""Cubes of larger numbers overflow, or nearly do, and those of their inverses vanish."""


def yes_or_no(value: object, argument: str) -> None:
    """Refuse what is neither True nor False."""
    if not isinstance(value, (bool, np.bool_)):
        raise DeclarationError(f"`{argument}` must be True or False. Got {value!r}.")


def number(value: object, what: str) -> Array:
    """A finite real number or array of them, not so large that products of a few would overflow."""
    if isinstance(value, sympy.Basic) and not value.is_number:
        raise DeclarationError(f"{what} must be a number. Got the expression {value}.")
    try:
        if value is None or isinstance(value, (str, bytes)):
            raise TypeError
        raw = np.asarray(value)
        real = not np.iscomplexobj(raw) or not raw.imag.any()
        array = np.asarray(raw.real if np.iscomplexobj(raw) else value, dtype=float)
    except OverflowError:
        array, real = np.asarray(LARGEST * 2), True
    except (TypeError, ValueError):
        raise DeclarationError(
            f"{what} must be a number or an array of numbers. Got {value!r}."
        ) from None
    if not real:
        raise DeclarationError(f"{what} must be real. Got {shortened(repr(value), 80)}.")
    if not np.isfinite(array).all():
        raise DeclarationError(f"{what} must be finite. Got {value!r}.")
    if (np.abs(array) > LARGEST).any():
        raise DeclarationError(
            f"{what} must be at most {LARGEST:g} in size, since products of larger numbers overflow."
            f" Got {shortened(repr(value), 80)}. Write it in other units."
        )
    return array


def _value(parameter: Parameter, value: object, what: str) -> Array:
    """The value of a parameter, of its sign and of a size to compute with."""
    given = number(value, what)
    if given.size:
        parameter.refuse_sign(float(given.min()), what)
    tiny = (given != 0) & (np.abs(given) < 1 / LARGEST)
    if tiny.any():
        raise DeclarationError(
            f"{what} must be 0 or at least {1 / LARGEST:g} in size, since products of smaller numbers"
            f" vanish. Got {given[tiny].flat[0]:g}. Write it in other units, or as 0."
        )
    return given


def by_parameter(system: System, values: Numbers) -> dict[Parameter, Array]:
    """The value of each parameter, its default where none is given."""
    found: dict[Parameter, Array] = {}
    for parameter, value in by_symbol(system, values, "values").items():
        found[parameter] = _value(parameter, value, f"`{parameter}` in `values`")
    for parameter in system.parameters:
        if parameter not in found and parameter.default is not None:
            found[parameter] = _value(parameter, parameter.default, f"The default of `{parameter}`")
    missing = [parameter for parameter in system.parameters if parameter not in found]
    if missing:
        raise DeclarationError(
            f"`values` lacks {quoted(missing)}. Got: {listed(values)}. Add"
            f" {'it' if len(missing) == 1 else 'them'}, or give a default with"
            f' parameter("{missing[0]}", 1.0).'
        )
    return found


def by_signal(system: System, inputs: Numbers | None) -> dict[Input, Array]:
    """What is given for inputs and their derivatives; the rest is zero."""
    given = by_symbol(system, {} if inputs is None else inputs, "inputs")
    return {signal: number(value, f"`{signal}` in `inputs`") for signal, value in given.items()}


def by_coordinate(system: System, given: Numbers | None, argument: str) -> dict[Coordinate, Array]:
    """What is given for some coordinates: a guess, speeds or momenta."""
    named = by_symbol(system, {} if given is None else given, argument)
    return {q: number(value, f"`{q}` in `{argument}`") for q, value in named.items()}


_EXAMPLE = "numbers, like dict(m=1, g=9.81)"
_EXAMPLES = {
    "within": "ranges, like {x: (-1, 1)}",
    "speeds": "rates, like {phi: 5.0}",
    "momenta": "momenta, like {phi: 3.0}",
    "guess": "numbers, like {theta: 0.5}",
    "inputs": "numbers, like {F: 2.0}",
    "start": "numbers, like {theta: 0.5, ddt(theta): 1.0}",
    "end": "numbers, like {theta: 0.5}",
    "q": "numbers, like {theta: 0.5}",
    "v": "numbers, like {theta: 0.5}",
    "a": "numbers, like {theta: 0.5}",
    "forces": "numbers, like {theta: 2.0}",
}

_KINDS = {
    "values": "parameter", "inputs": "input", "guess": "coordinate", "speeds": "coordinate",
    "momenta": "coordinate", "within": "coordinate", "start": "coordinate", "end": "coordinate",
    "q": "coordinate", "v": "coordinate", "a": "coordinate", "forces": "coordinate",
}  # fmt: skip


def by_symbol(system: System, given: Numbers, argument: str) -> dict[Any, Any]:
    """What is given for each symbol, keys being symbols or their names."""
    if not isinstance(given, Mapping):
        raise DeclarationError(
            f"`{argument}` must map {_KINDS[argument]}s to {_EXAMPLES.get(argument, _EXAMPLE)}. Got"
            f" {given!r}."
        )
    own = {
        "parameter": system.parameters, "input": system.inputs, "coordinate": system.coordinates
    }  # fmt: skip
    kind = _KINDS[argument]

    def meant(key: object) -> Any:
        symbol = named(str(key), own[kind])
        if isinstance(key, Signal):
            symbol = key if key.base in own[kind] else None
        highest = 1 if argument == "start" else 0
        if kind == "coordinate" and symbol is not None and symbol.order > highest:
            symbol = None
        if symbol is None:
            raise DeclarationError(_unknown(system, key, argument, own))
        return symbol

    return once(((meant(key), value) for key, value in given.items()), argument)


def _unknown(system: System, key: object, argument: str, own: dict[str, tuple[Any, ...]]) -> str:
    """Says what a key is no name of, and where it belongs or what may be meant."""
    kind, names = _KINDS[argument], [symbol.name for symbol in own[_KINDS[argument]]]
    message = f"`{argument}` has `{key}`, which is no {kind} of {system.title}."
    home = {"parameter": "values", "input": "inputs", "coordinate": "a start or guess"}
    if argument == "start" and isinstance(key, Coordinate) and key.base in own["coordinate"]:
        return (
            f"`start` has `{key}`. Expected coordinates and velocities; accelerations follow from the"
            " equations of motion."
        )
    for other, members in own.items():
        if other != kind and str(key) in [symbol.name for symbol in members]:
            place = home[other] if other == "coordinate" else f"`{home[other]}`"
            return f"{message} It is {_article(other)}: give it in {place}."
    if kind == "coordinate":
        return f"{message} {_welcome(system, key, argument)}"
    return f"{message} {capital(kind)}s: {listed(names)}." + did_you_mean(key, names)


def _welcome(system: System, key: object, argument: str) -> str:
    """What may be given: coordinates, fields in the place of their amplitudes, for a start rates."""
    known: list[Signal] = list(system.coordinates)
    words = "Coordinates"
    if system.shapes and argument != "within":  # a range is that of one number, not of a shape
        amplitudes = {q for shape in system.shapes for q in shape.coordinates}
        known = [q for q in known if q not in amplitudes] + list(system.fields)
        words = "Coordinates and fields" if len(known) > len(system.fields) else "Fields"
    rates = [x.rate for x in known] if argument == "start" else []
    said = f"{words}: {some_of(known)}" + (f"; their rates: {some_of(rates)}." if rates else ".")
    return said + did_you_mean(key, [*known, *rates])


def _article(kind: str) -> str:
    return ("an " if kind[0] in "aeiou" else "a ") + kind
