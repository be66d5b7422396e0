"""Numbers at the door: values, inputs and guesses checked by name and broadcast to one batch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import factorial
from typing import Any, TypeVar

import numpy as np
import sympy
from numpy.typing import NDArray

from routh.analysis.time import cancels
from routh.errors import DeclarationError, did_you_mean, listed, quoted
from routh.kernels.batch import Array
from routh.kernels.kernel import Kernel, Point
from routh.language.symbols import Coordinate, Input, Parameter
from routh.language.system import System

Numbers = Mapping[Any, Any]
_Kind = TypeVar("_Kind", bound=np.generic)


@dataclass(frozen=True)
class Conditions:
    """Parameter values and constant inputs of a system, as stacks over one batch.

    `shape` is the batch shape, `()` for one point. `inputs` holds what was given for each signal;
    an input whose derivative is given as a constant is a polynomial in time.
    """

    system: System
    shape: tuple[int, ...]
    p: Array = field(repr=False)
    """(N, number of parameters)"""
    inputs: dict[Input, Array] = field(repr=False)
    """(N,) each"""

    @property
    def count(self) -> int:
        """Points in the batch, 1 for a single one."""
        return len(self.p)

    @property
    def values(self) -> dict[str, Array]:
        """The value of each parameter by name, of batch shape."""
        names = [parameter.name for parameter in self.system.parameters]
        return {name: self.p[:, k].reshape(self.shape) for k, name in enumerate(names)}

    def may_change_in_time(self, engine: Kernel) -> bool:
        """Whether time must be probed: it is in the energies and stays, or some input moves."""
        moving = any(signal.order and number.any() for signal, number in self.inputs.items())
        return moving or (engine.depends_on_time and not cancels(engine))

    def point(
        self,
        kernel: Kernel,
        q: Array,
        multipliers: Array,
        time: float = 0.0,
        index: np.ndarray[Any, Any] | None = None,
    ) -> Point:
        """Where kernels are evaluated: at rest in q at a time, for all points or some of them."""
        chosen = np.arange(self.count) if index is None else index
        zero = np.zeros_like(q)
        return Point(
            t=np.full((len(chosen), 1), time),
            q=q,
            v=zero,
            a=zero,
            p=self.p[chosen],
            u=self._signals_at(kernel, time)[chosen],
            multipliers=multipliers,
        )

    def _signals_at(self, kernel: Kernel, time: float) -> Array:
        """(N, signals): u^(k)(t) = sum over j >= k of u^(j)(0) t^(j-k) / (j-k)!."""
        u = np.zeros((self.count, len(kernel.signals)))
        for k, signal in enumerate(kernel.signals):
            for given, number in self.inputs.items():
                ahead = given.order - signal.order
                if given.base == signal.base and ahead >= 0:
                    u[:, k] += number * time**ahead / factorial(ahead)
        return u

    def folded(self, stack: NDArray[_Kind]) -> NDArray[_Kind]:
        """A stack over the batch with its leading axis in batch shape."""
        return stack.reshape((*self.shape, *stack.shape[1:]))

    def stacked(self, array: NDArray[_Kind]) -> NDArray[_Kind]:
        """The opposite of `folded`."""
        return array.reshape((self.count, *array.shape[len(self.shape) :]))


def conditions(
    system: System, values: Numbers, inputs: Numbers | None, guess: Numbers | None
) -> tuple[Conditions, Array]:
    """Checked conditions and the guess as a stack (N, n); all arrays broadcast against each other."""
    p = _by_parameter(system, values)
    u = _by_signal(system, inputs)
    q = _by_coordinate(system, guess)
    given = [*p.values(), *u.values(), *q.values()]
    try:
        shape = np.broadcast_shapes(*(number.shape for number in given))
    except ValueError:
        named = {str(s): number.shape for d in (p, u, q) for s, number in d.items()}
        shapes = ", ".join(f"{name} {shape}" for name, shape in named.items() if shape)
        raise DeclarationError(
            "Arrays among `values`, `inputs` and `guess` must broadcast against each other, like"
            f" in NumPy. Got shapes: {shapes}."
        ) from None
    if 0 in shape:
        raise DeclarationError(f"Arrays among the values must not be empty. Got shape {shape}.")

    def flat(number: Array) -> Array:
        return np.broadcast_to(number, shape).reshape(-1)

    count = int(np.prod(shape))
    columns = [flat(p[s]) for s in system.parameters]
    stack = np.stack(columns, axis=1) if columns else np.zeros((count, 0))
    start = np.stack([flat(q[s]) for s in system.coordinates], axis=1)
    return Conditions(system, shape, stack, {s: flat(x) for s, x in u.items()}), start


def _by_parameter(system: System, values: Numbers) -> dict[Parameter, Array]:
    if not isinstance(values, Mapping):
        raise DeclarationError(
            f"`values` must map parameters to numbers, like dict(m=1, g=9.81). Got {values!r}."
        )
    names = {parameter.name: parameter for parameter in system.parameters}
    found: dict[Parameter, Array] = {}
    for key, value in values.items():
        name = str(key)
        if name not in names:
            raise DeclarationError(
                f"`values` has `{name}`, which is no parameter of {system.title}. Parameters:"
                f" {listed(names)}." + did_you_mean(name, names)
            )
        found[names[name]] = number(value, f"`{name}` in `values`")
    for parameter in system.parameters:
        if parameter not in found and parameter.default is not None:
            found[parameter] = np.asarray(parameter.default)
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
    known = {u.name: u for u in system.inputs}
    found: dict[Input, Array] = {}
    for key, value in _mapping(inputs, "inputs", "inputs").items():
        signal = key if isinstance(key, Input) else known.get(str(key))
        if signal is None or signal.base not in system.inputs:
            raise DeclarationError(
                f"`inputs` has `{key}`, which is no input of {system.title}. Inputs:"
                f" {listed(known)}." + did_you_mean(key, known)
            )
        found[signal] = number(value, f"`{key}` in `inputs`")
    return found


def _by_coordinate(system: System, guess: Numbers | None) -> dict[Coordinate, Array]:
    known = {q.name: q for q in system.coordinates}
    found: dict[Coordinate, Array] = {q: np.asarray(0.0) for q in system.coordinates}
    for key, value in _mapping(guess, "guess", "coordinates").items():
        q = key if isinstance(key, Coordinate) else known.get(str(key))
        if q is None or q not in found:
            raise DeclarationError(
                f"`guess` has `{key}`, which is no coordinate of {system.title}. Coordinates:"
                f" {listed(known)}." + did_you_mean(key, known)
            )
        found[q] = number(value, f"`{key}` in `guess`")
    return found


def _mapping(given: Numbers | None, name: str, keys: str) -> Numbers:
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise DeclarationError(f"`{name}` must map {keys} to numbers. Got {given!r}.")
    return given


def number(value: object, what: str) -> Array:
    """A finite real number or array of them."""
    if isinstance(value, sympy.Basic) and not value.is_number:
        raise DeclarationError(f"{what} must be a number. Got the expression {value}.")
    try:
        if isinstance(value, (str, bytes)):
            raise TypeError
        array = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        raise DeclarationError(
            f"{what} must be a number or an array of numbers. Got {value!r}."
        ) from None
    if not np.isfinite(array).all():
        raise DeclarationError(f"{what} must be finite. Got {value!r}.")
    return array
