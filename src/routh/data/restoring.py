"""Nouns made again of records: what needs its system and its numbers, and no run of a solver.

A motion stays a record: what it is run by is not in files. Its start and values are, for `simulate`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
import scipy.sparse
import sympy

from routh.analysis.given.conditions import Conditions
from routh.analysis.linear.linear_model import LinearModel
from routh.analysis.linear.state_space import StateSpace
from routh.analysis.motion.starts.start import Start
from routh.analysis.rest.result import Equilibrium
from routh.analysis.stability.natural_modes import Modes
from routh.arrays import Array
from routh.data.record import Record, a_kind_of
from routh.errors import DeclarationError, Status, a_kind, listed
from routh.files.loading import load
from routh.kernels.kernel import kernel
from routh.language.declaring import input as new_input
from routh.language.symbols import Input
from routh.language.system import System


def restored(record: Record, system: object = None) -> Any:
    """The noun of a record, of the system that is given or of the one in the file.

    Raises:
        DeclarationError: it cannot be made again, or its system is missing or another.
    """
    if system is not None and not isinstance(system, System):
        raise DeclarationError(f"restored needs a System, or nothing. Got {a_kind(system)}.")
    if record.kind == "StateSpace" or (record.kind == "Arrays" and {*"ABCD"} <= {*record.quantities}):
        return _state_space(record)
    if record.kind not in NOUNS:
        raise DeclarationError(
            f"A record of {a_kind_of(record.kind)} stays a record. Made again are {listed(NOUNS)} and"
            " StateSpace; linear_model makes a LinearModel of matrices."
        )
    try:
        return NOUNS[record.kind](record, system if system is not None else system_of(record))
    except KeyError as missing:
        raise DeclarationError(
            f"This record of {a_kind_of(record.kind)} has no {missing}, of which it would be"
            " made: datasets and tables do not hold all. Save it as .npz, .json or .mat."
        ) from None


def system_of(record: Record) -> System:
    """The system in the file.

    Raises:
        DeclarationError: there is none.
    """
    text = record.provenance.get("model")
    if text is None:
        why = record.provenance.get("no_model", "")
        raise DeclarationError(
            f"There is no system in this record: give it, record.restored(system). {why}".rstrip()
        )
    return load(text if "\n" in text else text + "\n").system


def _same_names(record: Record, system: System, axis: str, own: tuple[str, ...]) -> None:
    labels = record.axes.get(axis)
    if labels is not None and labels != own:
        raise DeclarationError(
            f"The record is of another system than {system.title}: its {axis}s are"
            f" {listed(labels)}, and not {listed(own)}."
        )


def _conditions(record: Record, system: System) -> Conditions:
    part = record.parts["conditions"]
    assert isinstance(part, Record)
    shape = tuple(int(n) for n in part.quantities["shape"].array)
    count = int(np.prod(shape))
    names = [p.name for p in system.parameters]
    if set(names) != set(part.values):
        raise DeclarationError(
            f"The record is of another system than {system.title}: its parameters are"
            f" {listed(part.values)}, and not {listed(names)}."
        )
    batch = part.quantities["speeds"].axes[:-1]

    def stacked(array: Array) -> Array:
        return np.array(array, dtype=float).reshape(count, *array.shape[len(shape) :])

    columns = [_spread(part.values[name], batch, shape).reshape(-1) for name in names]
    return Conditions(
        system=system,
        shape=shape,
        p=np.stack(columns, axis=1) if columns else np.zeros((count, 0)),
        inputs=_by_symbol(part, "inputs", _signals(system), stacked),
        speeds=stacked(part.quantities["speeds"].array),
        momenta=_by_symbol(part, "momenta", {str(q): q for q in system.coordinates}, stacked),
        turning=tuple(int(k) for k in part.quantities["turning"].array),
    )


def _spread(quantity: Any, batch: tuple[str, ...], shape: tuple[int, ...]) -> Array:
    """The values of a parameter at all points, which are kept along the axes on which they change."""
    aside = [shape[k] if axis in quantity.axes else 1 for k, axis in enumerate(batch)]
    return np.broadcast_to(quantity.array.reshape(aside), shape)


def _signals(system: System) -> dict[str, Input]:
    found = {str(u): u for u in (*kernel(system).signals, *system.inputs)}
    return found | {str(u.rate): u.rate for u in found.values()}


def _by_symbol(
    part: Record, name: str, symbols: Mapping[str, Any], stacked: Callable[[Array], Array]
) -> dict[Any, Array]:
    if f"given_{name}" not in part.quantities:
        return {}
    numbers = stacked(part.quantities[f"given_{name}"].array)
    texts = part.quantities[f"{name}_given"].array
    return {symbols[str(text)]: numbers[:, k].copy() for k, text in enumerate(texts)}


def _status(record: Record) -> Any:
    texts = record.quantities["status"].array
    try:
        found = [Status[str(text)] for text in texts.reshape(-1)]
    except KeyError as unknown:
        raise DeclarationError(f"The record has a status that there is not: {unknown}.") from None
    if not texts.ndim:
        return found[0]
    row = np.empty(len(found), dtype=object)
    row[:] = found
    return row.reshape(texts.shape)


def _equilibrium(record: Record, system: System) -> Equilibrium:
    _same_names(record, system, "coordinate", tuple(str(q) for q in system.coordinates))
    _same_names(record, system, "constraint", tuple(str(x) for x in system.multipliers))
    arrays = {name: each.array for name, each in record.quantities.items()}
    by_name = {str(q): q for q in system.coordinates}
    return Equilibrium(
        system=system,
        conditions=_conditions(record, system),
        q=arrays["q"],
        multipliers=arrays["multipliers"],
        residual=arrays["residual"],
        status=_status(record),
        free=tuple(by_name[str(each)] for each in arrays["free"]),
        tangent=_matrix(record, "tangent"),
        history=arrays["history"],
    )


def _start(record: Record, system: System) -> Start:
    _same_names(record, system, "coordinate", tuple(str(q) for q in system.coordinates))
    arrays = {name: each.array for name, each in record.quantities.items()}
    return Start(
        system=system,
        conditions=_conditions(record, system),
        time=float(arrays["time"]),
        status=_status(record),
        **{name: arrays[name] for name in ("q", "v", "moved_q", "moved_v")},
    )


def _matrix(record: Record, name: str) -> Any:
    """A matrix, sparse where it was."""
    part = record.parts.get(name)
    if not isinstance(part, Record):
        return record.quantities[name].array
    row, column, value, shape = (
        part.quantities[each].array for each in ("row", "column", "value", "shape")
    )
    return scipy.sparse.csr_array((value, (row, column)), shape=tuple(int(n) for n in shape))


def _linear_model(record: Record, system: System) -> LinearModel:
    reference = record.parts["reference"]
    assert isinstance(reference, Record)
    signals = _signals(system)
    held = record.quantities.get("held")
    time = record.quantities.get("time")
    labels = record.axes.get("input", ())
    names = (labels,) if isinstance(labels, str) else labels
    return LinearModel(
        reference=_equilibrium(reference, system),
        inputs=tuple(signals[name] for name in names),
        time=None if time is None else float(time.array),
        held=None if held is None else held.array,
        **{name: _matrix(record, name) for name in "MDGKHBZYRWS"},
    )


def _modes(record: Record, system: System) -> Modes:
    linear = record.parts["linear"]
    assert isinstance(linear, Record)
    optional: dict[str, Any] = {
        name: record.quantities[name].array for name in ("order", "lowest") if name in record.quantities
    }
    accuracy = record.quantities.get("accuracy")
    return Modes(
        linear=_linear_model(linear, system),
        eigenvalues=record.quantities["eigenvalues"].array,
        infinite=record.quantities["infinite"].array,
        accuracy=None if accuracy is None else float(accuracy.array),
        is_tracked=bool(record.quantities["is_tracked"].array),
        **optional,
    )


def _state_space(record: Record) -> StateSpace:
    """A state space, whose inputs and outputs are symbols of the names in the record."""
    A, B, C, D = (record.quantities[name].array for name in "ABCD")
    sizes = {"state": A.shape[-1], "input": B.shape[-1], "output": C.shape[-2]}
    if (
        A.shape[-2:] != (sizes["state"],) * 2
        or B.shape[-2] != sizes["state"]
        or C.shape[-1] != sizes["state"]
        or D.shape[-2:] != (sizes["output"], sizes["input"])
    ):
        shapes = ", ".join(f"{n} {x.shape}" for n, x in zip("ABCD", (A, B, C, D), strict=True))
        raise DeclarationError(f"A, B, C and D of a state space do not fit each other. Got {shapes}.")
    letters = {"state": "x", "input": "u", "output": "y"}
    names: dict[str, tuple[str, ...]] = {}
    for axis, size in sizes.items():
        own = record.axes.get(axis)
        numbered = tuple(f"{letters[axis]}{k + 1}" for k in range(size))
        names[axis] = own if isinstance(own, tuple) and len(own) == size else numbered
    return StateSpace(
        A=A.astype(float),
        B=B.astype(float),
        C=C.astype(float),
        D=D.astype(float),
        inputs=signals_named(names["input"]),
        outputs=tuple(sympy.Symbol(name) for name in names["output"]),
        states=names["state"],
    )


def signals_named(names: Iterable[str]) -> tuple[Input, ...]:
    """Inputs of these names; primes are derivatives of one input."""
    bases: dict[str, Input] = {}
    found = []
    for name in names:
        base = re.sub(r"\W", "_", name.rstrip("'"))
        base = base if base.isidentifier() else f"u_{base}"
        made = bases.setdefault(base, new_input(base))
        for _ in range(len(name) - len(name.rstrip("'"))):
            made = made.rate
        found.append(made)
    return tuple(found)


NOUNS: Mapping[str, Callable[[Record, System], Any]] = {
    "Equilibrium": _equilibrium,
    "Start": _start,
    "LinearModel": _linear_model,
    "Modes": _modes,
}
"""What is made again with a system."""
