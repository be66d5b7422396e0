"""The conditions of a question: values, inputs and speeds, checked and broadcast to one batch."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from math import factorial
from typing import Annotated, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from routh.analysis.given.field_values import fitted, refuse_short_spaces
from routh.analysis.given.numbers import Numbers, by_coordinate, by_parameter, by_signal
from routh.analysis.given.required import refuse_values
from routh.analysis.given.resolve import resolved
from routh.analysis.time.timeless import Timeless, autonomous, timeless
from routh.arrays import Array
from routh.errors import DeclarationError, quoted
from routh.kernels.engine import Kernel, Point
from routh.language.symbols import Coordinate, Input, Parameter
from routh.language.system import System
from routh.recorded import Recorded
from routh.shown import as_html

_Kind = TypeVar("_Kind", bound=np.generic)


@dataclass(frozen=True)
class Conditions(Recorded):
    """Parameter values, constant inputs and constant speeds of a system, as stacks over one batch.

    `shape` is the batch shape, `()` for one point. `inputs` holds what was given for each signal;
    an input whose derivative is given as a constant is a polynomial in time.
    """

    system: System
    shape: tuple[int, ...]
    p: Annotated[Array, "N parameters"] = field(repr=False)
    """(N, number of parameters)"""
    inputs: dict[Input, Annotated[Array, "N"]] = field(repr=False)
    """(N,) each"""
    speeds: Annotated[Array, "N n"] = field(repr=False)
    """(N, n): the rates at which coordinates move in a steady motion, zero at rest."""
    momenta: dict[Coordinate, Annotated[Array, "N"]] = field(repr=False, default_factory=dict)
    """(N,) each: the momenta that are held; the rates follow from them."""
    turning: tuple[int, ...] = ()
    """The places of the coordinates for which a speed or a momentum was given."""

    @property
    def count(self) -> int:
        """Points in the batch, 1 for a single one."""
        return len(self.p)

    @property
    def values(self) -> dict[str, Annotated[Array, "*batch"]]:
        """The value of each parameter by name, of batch shape."""
        names = [parameter.name for parameter in self.system.parameters]
        return {name: self.p[:, k].reshape(self.shape) for k, name in enumerate(names)}

    @property
    def inputs_move(self) -> bool:
        """Whether some input changes in time: a derivative of it is given."""
        return any(bool(u.order) and bool(x.any()) for u, x in self.inputs.items())

    def autonomous(self, engine: Kernel) -> bool:
        """Whether the equations are shown to be the same at all times, in whatever motion."""
        return not self.inputs_move and autonomous(engine)

    def may_change_in_time(self, engine: Kernel) -> bool:
        """Whether time may matter about a rest or steady motion: `timeless` says what it does."""
        return bool(self.turning) or not self.autonomous(engine)

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
        t = np.empty((len(chosen), 1))
        t[:] = time
        return Point(
            t=t,
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

    _repr_html_ = as_html


def conditions(
    system: System, values: Numbers, inputs: Numbers | None = None, **of_coordinates: Numbers | None
) -> tuple[Conditions, dict[str, dict[Coordinate, Array]]]:
    """Checked conditions, and what is given by coordinate, as stacks (N,).

    `of_coordinates` are the arguments `guess`, `speeds` and `momenta`; all arrays broadcast against
    each other.
    """
    p = by_parameter(system, values)
    if system.shapes:
        system = _resolved(system, p)
        of_coordinates = {
            name: fitted(system, p, given, name) for name, given in of_coordinates.items()
        }
    u = by_signal(system, inputs)
    q = {name: by_coordinate(system, given, name) for name, given in of_coordinates.items()}
    _refuse_both(q.get("speeds", {}), q.get("momenta", {}))
    shape = _shape([p, u, *q.values()])

    def flat(number: Array) -> Array:
        return np.broadcast_to(number, shape).reshape(-1)

    count = int(np.prod(shape))
    columns = [flat(p[s]) for s in system.parameters]
    stack = np.stack(columns, axis=1) if columns else np.zeros((count, 0))
    refuse_values(system, stack)
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


def _shape(parts: list[Mapping[Any, Array]]) -> tuple[int, ...]:
    """The batch shape of all that is given."""
    try:
        shape = np.broadcast_shapes(*(number.shape for part in parts for number in part.values()))
    except ValueError:
        named = {str(s): number.shape for part in parts for s, number in part.items()}
        shapes = ", ".join(f"{name} {shape}" for name, shape in named.items() if shape)
        raise DeclarationError(
            "Arrays among the values, inputs, guesses and speeds must broadcast against each other,"
            f" like in NumPy. Got shapes: {shapes}."
        ) from None
    if 0 in shape:
        raise DeclarationError(f"Arrays among the values must not be empty. Got shape {shape}.")
    return shape


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
