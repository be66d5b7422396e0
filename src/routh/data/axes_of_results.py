"""What axes of arrays run over: names of coordinates, inputs and states, and parameters of a batch."""

from __future__ import annotations

from typing import Any

import numpy as np

from routh.analysis.given.conditions import Conditions
from routh.analysis.linear.along import LinearAlong
from routh.analysis.linear.canonical import CanonicalModel
from routh.analysis.linear.descriptor import Descriptor
from routh.analysis.linear.linear_model import LinearModel
from routh.analysis.linear.response import FrequencyResponse
from routh.analysis.linear.state_space import StateSpace
from routh.kernels.kernel import kernel
from routh.language.system import System


def batch_axes(given: Conditions, taken: set[str]) -> tuple[str, ...]:
    """A name for each axis of a batch: the parameter that alone changes along it, else its number."""
    count = len(given.shape)
    along: list[list[str]] = [[] for _ in range(count)]
    numbers = {**given.values, **{str(u): given.folded(x) for u, x in given.inputs.items()}}
    for name, array in numbers.items():
        changes = [k for k in range(count) if not np.array_equal(array, np.roll(array, 1, axis=k))]
        for k in changes:
            along[k].append(name if len(changes) == 1 else "")
    plain = ("batch",) if count == 1 else tuple(f"batch_{k + 1}" for k in range(count))
    parameters = set(given.values)
    return tuple(
        own[0] if len(own) == 1 and own[0] in parameters - taken else plain[k]
        for k, own in enumerate(along)
    )


def labels(result: object, system: System | None, axis: str) -> tuple[str, ...] | None:
    """What stands at the places of an axis, where they have names."""
    if isinstance(result, StateSpace):
        return _texts({"state": result.states, "input": result.inputs, "output": result.outputs}, axis)
    if isinstance(result, LinearAlong):
        own = {"state": result.states, "eta": result.independent, "input": result.inputs}
        if axis in own:
            return _texts(own, axis)
    if isinstance(result, LinearModel):
        own = {"eta": result.displacements, "input": result.inputs}
        if axis in own:
            return _texts(own, axis)
    if isinstance(result, Descriptor):
        return _texts({"input": result.inputs}, axis)
    if isinstance(result, CanonicalModel) and axis == "canonical_state":
        return tuple(str(each) for each in (*result.system.coordinates, *result.momenta))
    if isinstance(result, FrequencyResponse) and axis == "output":
        return tuple(str(each) for each in result.outputs)
    return None if system is None else _of_system(system, axis)


def _of_system(system: System, axis: str) -> tuple[str, ...] | None:
    q, v = system.coordinates, system.velocities
    if axis == "input":  # a kernel is there already: the result came from one
        return tuple(str(each) for each in kernel(system).signals)
    known: dict[str, Any] = {
        "coordinate": q,
        "constraint": system.multipliers,
        "state": (*q, *v),
        "unknown": (*q, *system.multipliers),
        "parameter": system.parameters,
        "contact": tuple(each.name or str(k + 1) for k, each in enumerate(system.friction)),
    }
    return _texts(known, axis)


def _texts(known: dict[str, Any], axis: str) -> tuple[str, ...] | None:
    return tuple(str(each) for each in known[axis]) if axis in known else None
