"""One number of the conditions that is turned: along a branch, over a sweep, for a sensitivity."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from routh.analysis.given.conditions import Conditions
from routh.arrays import Array
from routh.errors import DeclarationError, did_you_mean, listed
from routh.kernels.engine import Kernel, Point
from routh.language.fields import Field
from routh.language.symbols import Coordinate, Input, Parameter, Signal, named
from routh.language.system import System


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
    if isinstance(chosen, str) and chosen.endswith("'"):
        chosen = named(chosen, (*system.coordinates, *system.inputs)) or chosen
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
    field = (
        named(chosen, (*system.fields, *(w.rate for w in system.fields)))
        if isinstance(chosen, str)
        else chosen
    )
    if isinstance(field, Field) and field.base in system.fields:
        raise DeclarationError(
            f"`{chosen}` is a field: it is found, not given. Expected one of:"
            f" {listed([*names, *velocities])}."
        )
    if str(chosen) in [s.name for s in system.spaces]:
        raise DeclarationError(
            f"`{chosen}` is a space: it is integrated over, and is no number. Expected one of:"
            f" {listed([*names, *velocities])}."
        )
    raise DeclarationError(
        f"`{chosen}` does not enter the energies, forces or constraints of {system.title}, so nothing"
        f" changes with it. Expected one of: {listed([*names, *velocities])}."
        + did_you_mean(chosen, [*names, *velocities])
    )
