"""What a fit looks for: parameters, and starts of motions, with first guesses and bounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from routh.analysis.given.numbers import Numbers, by_symbol, number
from routh.arrays import Array
from routh.errors import DeclarationError, DerivationError, a_kind, did_you_mean, listed, quoted
from routh.language.keys import once
from routh.language.symbols import Coordinate, Parameter, named
from routh.language.system import System
from routh.language.walk import leaves


@dataclass(frozen=True)
class Unknown:
    """One number that is looked for: a parameter, or a state at the start of one of the motions."""

    symbol: Any
    guess: float
    low: float
    high: float
    motion: int | None = None
    """Which of the motions it is the start of; None for a parameter."""
    name: str = ""

    @property
    def is_open(self) -> bool:
        """Whether zero, its lower bound, is none of its values."""
        return isinstance(self.symbol, Parameter) and self.symbol.sign == "positive" and self.low == 0


@dataclass(frozen=True)
class Unknowns:
    """All numbers that are looked for, in the order of the vectors x (k,), and what is known beside."""

    system: System
    every: tuple[Unknown, ...]
    values: dict[Any, float]
    """The parameters that are known."""
    starts: tuple[dict[Any, Any], ...]
    """What is known of the start of each motion."""

    def __len__(self) -> int:
        return len(self.every)

    @property
    def names(self) -> tuple[str, ...]:
        """What each is called: a start as `theta`, or `theta of motion 2` where there are several."""
        return tuple(each.name for each in self.every)

    def array(self, what: str) -> Array:
        """(k,): guesses or bounds."""
        return np.array([getattr(each, what) for each in self.every], dtype=float)

    @property
    def parameters(self) -> list[int]:
        """The places of parameters."""
        return [k for k, each in enumerate(self.every) if each.motion is None]

    def allows(self, x: Array) -> bool:
        """Whether numbers are values that the symbols may have."""
        return not any(each.is_open and not x[k] > 0 for k, each in enumerate(self.every))

    def values_at(self, x: Array) -> dict[Any, float]:
        """The parameters, known or not."""
        return self.values | {self.every[k].symbol: float(x[k]) for k in self.parameters}

    def start_at(self, x: Array, motion: int) -> dict[Any, Any]:
        """The start of a motion, known or not."""
        own = {u.symbol: float(x[k]) for k, u in enumerate(self.every) if u.motion == motion}
        return self.starts[motion] | own


def checked_unknowns(
    system: System,
    unknown: Numbers,
    values: Numbers | None,
    start: Any,
    bounds: Mapping[Any, Any] | None,
    motions: int,
) -> Unknowns:
    """What was asked for, if the system has it and all else is known.

    Raises:
        DeclarationError: a name is none of the system, is given twice, or something has no number.
        DerivationError: motions have no derivative by it.
    """
    guesses = once(_looked_for(system, unknown), "unknown")
    if not guesses:
        raise DeclarationError(
            "`unknown` is empty. Give what is looked for with a first guess, like {k: 10.0}."
        )
    known = _known_values(system, values, guesses)
    starts = _known_starts(system, start, motions)
    limits = _checked_bounds(system, bounds, guesses)
    every: list[Unknown] = []
    for symbol, guess in guesses.items():
        low, high = limits.get(symbol, _own_bounds(symbol))
        own = number(guess, f"`{symbol}` in `unknown`")
        if isinstance(symbol, Parameter):
            _refuse_several(own, symbol, "")
            symbol.refuse_sign(float(own), f"`{symbol}` in `unknown`")
            every.append(Unknown(symbol, float(own), low, high, None, str(symbol)))
            continue
        _refuse_start(system, symbol, starts, motions)
        if own.shape not in ((), (motions,)):
            raise DeclarationError(
                f"`{symbol}` in `unknown` is a start: one number for all motions, or one for each of"
                f" the {motions}. Got shape {own.shape}."
            )
        for k, each in enumerate(np.broadcast_to(own, (motions,)).tolist()):
            name = str(symbol) if motions == 1 else f"{symbol} of motion {k + 1}"
            every.append(Unknown(symbol, each, low, high, k, name))
    for each in every:
        if not each.low <= each.guess <= each.high:
            raise DeclarationError(
                f"`unknown` begins with {each.name} = {each.guess:g}, which is not within its bounds"
                f" from {each.low:g} to {each.high:g}. Give a guess between them."
            )
    return Unknowns(system, tuple(every), known, starts)


def _looked_for(system: System, unknown: object) -> list[tuple[Any, Any]]:
    if not isinstance(unknown, Mapping):
        raise DeclarationError(
            "`unknown` must map parameters, and coordinates and velocities at the start, to first"
            f" guesses, like {{k: 10.0, theta: 0.5}}. Got {unknown!r}."
        )
    return [(_symbol(system, key, "unknown"), value) for key, value in unknown.items()]


def _symbol(system: System, key: object, argument: str) -> Any:
    """The parameter, coordinate or velocity that is meant."""
    own = (*system.parameters, *system.coordinates, *system.velocities)
    found = named(key, own) if isinstance(key, str) else key
    if found not in own:
        raise DeclarationError(
            f"`{argument}` has `{key}`, which is no parameter, coordinate or velocity of"
            f" {system.title}. Parameters: {listed(system.parameters)}; states of the start:"
            f" {listed((*system.coordinates, *system.velocities))}." + did_you_mean(key, own)
        )
    return found


def _known_values(
    system: System, values: Numbers | None, guesses: Mapping[Any, Any]
) -> dict[Any, float]:
    """The parameters that are not looked for: given, or by default."""
    given = by_symbol(system, {} if values is None else values, "values")
    both = [symbol for symbol in given if symbol in guesses]
    if both:
        raise DeclarationError(
            f"{quoted(both)} cannot be both known and unknown. Leave it out of `values` or of"
            " `unknown`."
        )
    found = {p: p.default for p in system.parameters if p.default is not None and p not in guesses}
    for symbol, value in given.items():
        own = number(value, f"`{symbol}` in `values`")
        _refuse_several(own, symbol, "values")
        found[symbol] = float(own)
    return found


def _refuse_several(own: Array, symbol: object, argument: str) -> None:
    if own.shape:
        where = f"`{symbol}` in `{argument or 'unknown'}`"
        raise DeclarationError(
            f"{where} must be one number: a fit is of one system. Got shape {own.shape}. What differs"
            " from one measurement to the next is a column of the data."
        )


def _known_starts(system: System, start: Any, motions: int) -> tuple[dict[Any, Any], ...]:
    """What is known of the start of each motion."""
    if start is not None and not motions:
        raise DeclarationError("`start` is that of motions, and no table of the data has a column `t`.")
    several = isinstance(start, Sequence) and not isinstance(start, str)
    if several and len(start) != motions:
        raise DeclarationError(
            f"`start` lists {len(start)} starts, and the data have {motions} motions. Give one for"
            " each, or a single one for all."
        )
    given = list(start) if several else [start] * motions
    for each in given:
        if each is not None and not isinstance(each, Mapping):
            raise DeclarationError(
                "`start` must map coordinates and velocities to numbers, like {theta: 0.5}, or be a"
                f" list of such, one for each motion. Got {a_kind(each)}."
            )
    return tuple(dict(by_symbol(system, each or {}, "start")) for each in given)


def _refuse_start(
    system: System, symbol: Coordinate, starts: Sequence[Mapping[Any, Any]], motions: int
) -> None:
    if not motions:
        raise DeclarationError(
            f"`unknown` has `{symbol}`, a state at the start of motions, and no table of the data has a"
            " column `t`. Look for parameters."
        )
    if any(symbol in each for each in starts):
        raise DeclarationError(
            f"`{symbol}` cannot be both known and unknown. Leave it out of `start` or of `unknown`."
        )
    if system.constraints:
        raise DerivationError(
            f"`unknown` has `{symbol}`, and the constraints of {system.title} tie the states of a start"
            " to each other: they cannot be looked for one by one. Write the system in coordinates"
            " without constraints, or give the start."
        )


def refuse_bound_parameters(unknowns: Unknowns) -> None:
    """Refuse parameters in constraints, with which the start of a motion would have to move."""
    bound = leaves(unknowns.system.constraints)
    own = [u.symbol for u in unknowns.every if u.motion is None and u.symbol in bound]
    if own:
        raise DerivationError(
            f"{quoted(own)} in `unknown` is part of a constraint of {unknowns.system.title}, and a"
            " start that is given would have to move along with it: there is no derivative of the"
            " motion. Write the system in coordinates without that constraint."
        )


def _own_bounds(symbol: object) -> tuple[float, float]:
    """The bounds that a declared sign gives."""
    signed = isinstance(symbol, Parameter) and symbol.sign
    return (0.0 if signed else -np.inf), np.inf


def _checked_bounds(
    system: System, bounds: Mapping[Any, Any] | None, guesses: Mapping[Any, Any]
) -> dict[Any, tuple[float, float]]:
    if bounds is None:
        return {}
    if not isinstance(bounds, Mapping):
        raise DeclarationError(
            f"`bounds` must map unknowns to their ranges, like {{k: (0, 100)}}. Got {bounds!r}."
        )
    found = {}
    for key, pair in once(
        ((_symbol(system, k, "bounds"), v) for k, v in bounds.items()), "bounds"
    ).items():
        if key not in guesses:
            raise DeclarationError(
                f"`bounds` has `{key}`, which is not looked for. Unknown: {listed(guesses)}."
            )
        found[key] = _range(key, pair)
    return found


def _range(symbol: object, pair: Any) -> tuple[float, float]:
    least = _own_bounds(symbol)[0]
    try:
        low, high = (float(each) for each in pair)
    except (TypeError, ValueError):
        low, high = np.nan, np.nan
    if not low < high:
        raise DeclarationError(
            f"`{symbol}` in `bounds` must have a lower and an upper bound, like (0, 100), which may be"
            f" infinite: float('inf'). Got {pair!r}."
        )
    return max(low, least), high
