"""Numbers at the door: values, inputs and guesses checked by name and broadcast to one batch."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from math import factorial
from typing import Any, TypeVar

import numpy as np
import sympy
from numpy.typing import NDArray

from routh.analysis.given.field_values import fitted, refuse_short_spaces
from routh.analysis.given.resolve import resolved
from routh.analysis.time.timeless import Timeless, autonomous, timeless
from routh.arrays import Array
from routh.errors import DeclarationError, capital, did_you_mean, listed, quoted, shortened
from routh.kernels.kernel import Kernel, Point
from routh.language.symbols import Coordinate, Input, Parameter, Signal
from routh.language.system import System

Numbers = Mapping[Any, Any]
_Kind = TypeVar("_Kind", bound=np.generic)

LARGEST = 1e100
"""Cubes of larger numbers overflow, or nearly do, and those of their inverses vanish."""


@dataclass(frozen=True)
class Conditions:
    """Parameter values, constant inputs and constant speeds of a system, as stacks over one batch.

    `shape` is the batch shape, `()` for one point. `inputs` holds what was given for each signal;
    an input whose derivative is given as a constant is a polynomial in time.
    """

    system: System
    shape: tuple[int, ...]
    p: Array = field(repr=False)
    """(N, number of parameters)"""
    inputs: dict[Input, Array] = field(repr=False)
    """(N,) each"""
    speeds: Array = field(repr=False)
    """(N, n): the rates at which coordinates move in a steady motion, zero at rest."""
    momenta: dict[Coordinate, Array] = field(repr=False, default_factory=dict)
    """(N,) each: the momenta that are held; the rates follow from them."""
    turning: tuple[int, ...] = ()
    """The places of the coordinates for which a speed or a momentum was given."""

    @property
    def count(self) -> int:
        """Points in the batch, 1 for a single one."""
        return len(self.p)

    @property
    def values(self) -> dict[str, Array]:
        """The value of each parameter by name, of batch shape."""
        names = [parameter.name for parameter in self.system.parameters]
        return {name: self.p[:, k].reshape(self.shape) for k, name in enumerate(names)}

    @property
    def inputs_move(self) -> bool:
        """Whether some input changes in time: a derivative of it is given."""
        return any(bool(u.order) and bool(x.any()) for u, x in self.inputs.items())

    def may_change_in_time(self, engine: Kernel) -> bool:
        """Whether time may matter: it is in the energies and stays, or something moves."""
        return self.inputs_move or bool(self.turning) or not autonomous(engine)

    @property
    def timeless(self) -> Timeless:
        """What time does to the system under these conditions."""
        rising: dict[Input, int] = {}
        for u, number in self.inputs.items():
            if u.order and number.any():
                rising[u.base] = max(rising.get(u.base, 0), u.order)
        return timeless(self.system, self.turning, tuple(rising.items()))

    def point(
        self,
        kernel: Kernel,
        q: Array,
        multipliers: Array,
        time: float = 0.0,
        index: np.ndarray[Any, Any] | None = None,
    ) -> Point:
        """Where kernels are evaluated: at a time, for all points or some of them.

        `q` is the position at time zero; it moves on with the speeds.
        """
        chosen = np.arange(self.count) if index is None else index
        v = self.speeds[chosen]
        return Point(
            t=np.full((len(chosen), 1), time),
            q=q + v * time if v.any() else q,
            v=v,
            a=np.zeros_like(q),
            p=self.p[chosen],
            u=self.signals_at(kernel, time)[chosen],
            multipliers=multipliers,
        )

    def signals_at(self, kernel: Kernel, time: float) -> Array:
        """(N, signals): u^(k)(t) = sum over j >= k of u^(j)(0) t^(j-k) / (j-k)!."""
        u = np.zeros((self.count, len(kernel.signals)))
        for k, signal in enumerate(kernel.signals):
            for given, number in self.inputs.items():
                ahead = given.order - signal.order
                if given.base == signal.base and ahead >= 0:
                    u[:, k] += number * time**ahead / factorial(ahead)
        return u

    def chosen(self, index: np.ndarray[Any, Any]) -> Conditions:
        """The conditions of some points, which may repeat, as a batch of one axis."""
        return replace(self._each(lambda array: array[index]), shape=(len(index),))

    def between(self, k: int, other: int, share: float) -> Conditions:
        """One point at a share of the way from point k of the batch to another."""
        return replace(
            self._each(lambda a: (1 - share) * a[k : k + 1] + share * a[other : other + 1]), shape=()
        )

    def _each(self, change: Callable[[Array], Array]) -> Conditions:
        """The conditions with all stacks changed alike."""
        return replace(
            self,
            p=change(self.p),
            inputs={signal: change(number) for signal, number in self.inputs.items()},
            speeds=change(self.speeds),
            momenta={q: change(number) for q, number in self.momenta.items()},
        )

    def single(self) -> Conditions:
        """The conditions of a batch of one point, without its axis."""
        return replace(self, shape=())

    def folded(self, stack: NDArray[_Kind]) -> NDArray[_Kind]:
        """A stack over the batch with its leading axis in batch shape."""
        return stack.reshape((*self.shape, *stack.shape[1:]))

    def stacked(self, array: NDArray[_Kind]) -> NDArray[_Kind]:
        """The opposite of `folded`."""
        return array.reshape((self.count, *array.shape[len(self.shape) :]))


def conditions(
    system: System, values: Numbers, inputs: Numbers | None = None, **by_coordinate: Numbers | None
) -> tuple[Conditions, dict[str, dict[Coordinate, Array]]]:
    """Checked conditions, and what is given by coordinate, as stacks (N,).

    `by_coordinate` are the arguments `guess`, `speeds` and `momenta`; all arrays broadcast against
    each other.
    """
    p = _by_parameter(system, values)
    system = _resolved(system, p)
    u = _by_signal(system, inputs)
    q = {
        name: _by_coordinate(system, fitted(system, p, given), name)
        for name, given in by_coordinate.items()
    }
    _refuse_both(q.get("speeds", {}), q.get("momenta", {}))
    every: list[Mapping[Any, Array]] = [p, u, *q.values()]
    try:
        shape = np.broadcast_shapes(*(number.shape for part in every for number in part.values()))
    except ValueError:
        named = {str(s): number.shape for part in every for s, number in part.items()}
        shapes = ", ".join(f"{name} {shape}" for name, shape in named.items() if shape)
        raise DeclarationError(
            "Arrays among the values, inputs, guesses and speeds must broadcast against each other,"
            f" like in NumPy. Got shapes: {shapes}."
        ) from None
    if 0 in shape:
        raise DeclarationError(f"Arrays among the values must not be empty. Got shape {shape}.")

    def flat(number: Array) -> Array:
        return np.broadcast_to(number, shape).reshape(-1)

    count = int(np.prod(shape))
    columns = [flat(p[s]) for s in system.parameters]
    stack = np.stack(columns, axis=1) if columns else np.zeros((count, 0))
    found = {name: {s: flat(x) for s, x in part.items()} for name, part in q.items()}
    given_speeds, momenta = found.get("speeds", {}), found.get("momenta", {})
    moving = {s for s, rate in given_speeds.items() if rate.any()} | set(momenta)
    turning = [k for k, s in enumerate(system.coordinates) if s in moving]
    conditions = Conditions(
        system=system,
        shape=shape,
        p=stack,
        inputs={s: flat(x) for s, x in u.items()},
        speeds=columns_of(system, count, given_speeds),
        momenta=momenta,
        turning=tuple(turning),
    )
    return conditions, found


def _resolved(system: System, values: Mapping[Parameter, Array]) -> System:
    """The system with cells of quadrature that these values of the parameters ask for."""
    try:
        columns = np.broadcast_arrays(*(values[s] for s in system.parameters))
    except ValueError:
        return system  # refused with the shapes of all that is given
    flat = [column.reshape(-1) for column in columns]
    stack = np.stack(flat, axis=1) if flat else np.zeros((1, 0))
    if not len(stack):
        return system
    refuse_short_spaces(system, stack)
    return resolved(system, stack)


def columns_of(system: System, count: int, given: Mapping[Coordinate, Array]) -> Array:
    """(N, n): what is given for some coordinates, zero for the others."""
    columns = np.zeros((count, len(system.coordinates)))
    for k, q in enumerate(system.coordinates if given else ()):
        if q in given:
            columns[:, k] = given[q]
    return columns


def _refuse_both(speeds: Mapping[Coordinate, Array], momenta: Mapping[Coordinate, Array]) -> None:
    both = [q for q in speeds if q in momenta]
    if both:
        raise DeclarationError(
            f"{quoted(both)} cannot have both a speed and a momentum: one follows from the other."
            " Give it in `speeds` or in `momenta`."
        )


@dataclass(frozen=True)
class Knob:
    """One number of the conditions that can be turned: a parameter, an input or a steady velocity."""

    symbol: Any
    kind: str
    place: int

    def value(self, given: Conditions) -> Array:
        """(N,) its values."""
        if self.kind == "u":
            return given.inputs.get(self.symbol, np.zeros(given.count))
        return (given.p if self.kind == "p" else given.speeds)[:, self.place]

    def turned(self, given: Conditions, values: Array) -> Conditions:
        """The conditions with other values of it."""
        if self.kind == "u":
            return replace(given, inputs={**given.inputs, self.symbol: values})
        stack = (given.p if self.kind == "p" else given.speeds).copy()
        stack[:, self.place] = values
        return replace(given, p=stack) if self.kind == "p" else replace(given, speeds=stack)

    def slope(self, engine: Kernel, point: Point) -> Array:
        """(N, n + c): how the balance changes with it."""
        about = engine.in_motion if self.kind == "v" else engine.about(point)
        return self.of(engine, about.slopes(point.arguments))

    def of(self, engine: Kernel, slopes: dict[str, Array]) -> Array:
        """Its column of derivatives by parameters, signals and velocities."""
        place = engine.signals.index(self.symbol) if self.kind == "u" else self.place
        return slopes[self.kind][..., place]


def knob(system: System, given: Conditions, chosen: object) -> Knob:
    """The parameter, input or steady velocity of a system that a person means."""
    parameters = {p.name: k for k, p in enumerate(system.parameters)}
    inputs = {u.name: u for u in system.inputs}
    turning = [k for k in given.turning if system.coordinates[k] not in given.momenta]
    velocities = {system.velocities[k]: k for k in turning}
    if isinstance(chosen, Coordinate) and chosen in velocities:
        return Knob(chosen, "v", velocities[chosen])
    if isinstance(chosen, Input) and (chosen in system.inputs or chosen in given.inputs):
        return Knob(chosen, "u", 0)
    same = not isinstance(chosen, Parameter) or chosen in system.parameters
    if str(chosen) in parameters and same and not isinstance(chosen, Signal):
        place = parameters[str(chosen)]
        return Knob(system.parameters[place], "p", place)
    if isinstance(chosen, str) and chosen in inputs:
        return Knob(inputs[chosen], "u", 0)
    names = [*parameters, *inputs]
    own = {q.name for q in system.coordinates}
    if isinstance(chosen, Coordinate) and chosen.order and chosen.base in system.coordinates:
        raise DeclarationError(
            f"`{chosen}` can be moved if it was given in `speeds`, and is not zero. Expected one of:"
            f" {listed([*names, *velocities])}."
        )
    if str(chosen) in own:
        rate = [v for v in velocities if v.base.name == str(chosen)]
        raise DeclarationError(
            f"`{chosen}` is a coordinate: it is found, not given. Expected one of:"
            f" {listed([*names, *velocities])}." + (f" Its rate is ddt({chosen})." if rate else "")
        )
    raise DeclarationError(
        f"`{chosen}` does not enter the energies, forces or constraints of {system.title}, so nothing"
        f" changes with it. Expected one of: {listed([*names, *velocities])}."
        + did_you_mean(chosen, names)
    )


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


def _by_parameter(system: System, values: Numbers) -> dict[Parameter, Array]:
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


def _by_signal(system: System, inputs: Numbers | None) -> dict[Input, Array]:
    """What is given for inputs and their derivatives; the rest is zero."""
    given = by_symbol(system, {} if inputs is None else inputs, "inputs")
    return {signal: number(value, f"`{signal}` in `inputs`") for signal, value in given.items()}


def _by_coordinate(system: System, given: Numbers | None, argument: str) -> dict[Coordinate, Array]:
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
}

_KINDS = {
    "values": "parameter", "inputs": "input", "guess": "coordinate", "speeds": "coordinate",
    "momenta": "coordinate", "within": "coordinate", "start": "coordinate",
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
    known = {symbol.name: symbol for symbol in own[kind]}
    if argument == "start":
        known |= {symbol.rate.name: symbol.rate for symbol in own[kind]}
    found: dict[Any, Any] = {}
    for key, value in given.items():
        symbol = known.get(str(key))
        if isinstance(key, Signal):
            symbol = key if key.base in own[kind] else None
            if kind == "coordinate" and key.order > (1 if argument == "start" else 0):
                symbol = None
        if symbol is None:
            raise DeclarationError(_unknown(system, key, argument, own))
        if symbol in found:
            raise DeclarationError(f"`{argument}` gives `{symbol}` twice, by name and as a symbol.")
        found[symbol] = value
    return found


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
    if kind == "coordinate" and system.shapes:
        amplitudes = {q for shape in system.shapes for q in shape.coordinates}
        names = [q.name for q in system.coordinates if q not in amplitudes]
        names += [w.name for w in system.fields]
        return f"{message} Coordinates and fields: {listed(names)}." + did_you_mean(key, names)
    return f"{message} {capital(kind)}s: {listed(names)}." + did_you_mean(key, names)


def _article(kind: str) -> str:
    return ("an " if kind[0] in "aeiou" else "a ") + kind


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
        array = np.asarray(value, dtype=float)
    except OverflowError:
        array = np.asarray(LARGEST * 2)
    except (TypeError, ValueError):
        raise DeclarationError(
            f"{what} must be a number or an array of numbers. Got {value!r}."
        ) from None
    if not np.isfinite(array).all():
        raise DeclarationError(f"{what} must be finite. Got {value!r}.")
    if (np.abs(array) > LARGEST).any():
        raise DeclarationError(
            f"{what} must be at most {LARGEST:g} in size, since products of larger numbers overflow."
            f" Got {shortened(repr(value), 80)}. Write it in other units."
        )
    return array
