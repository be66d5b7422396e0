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
from routh.data.manifest import OF_DTYPES
from routh.data.record import Record, a_kind_of
from routh.data.shapes_of_results import refuse_misfits
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
    is_state_space = record.kind == "StateSpace" or (
        record.kind == "Arrays" and {*"ABCD"} <= {*record.quantities}
    )
    if record.kind not in NOUNS and not is_state_space:
        raise DeclarationError(
            f"A record of {a_kind_of(record.kind)} stays a record. Made again are {listed(NOUNS)} and"
            " StateSpace; linear_model makes a LinearModel of matrices."
        )
    try:
        if is_state_space:
            return _state_space(record)
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


def _part(record: Record, name: str) -> Record:
    """A part that is one record."""
    found = record.parts[name]
    if not isinstance(found, Record):
        raise DeclarationError(
            f"`{name}` in this record of {a_kind_of(record.kind)} must be one record. Got {len(found)}."
        )
    return found


def _array(record: Record, name: str, kinds: str, shape: tuple[int, ...] | None) -> Any:
    """An array of a record, if it is one of these kinds, and of this shape where that is known."""
    array = record.quantities[name].array
    if array.dtype.kind not in kinds or (
        array.shape != shape if shape is not None else array.ndim != 1
    ):
        wanted = "a row" if shape is None else f"of shape {shape}"
        words = listed(dict.fromkeys(OF_DTYPES[kind] for kind in kinds))
        raise DeclarationError(
            f"`{name}` in this record of {a_kind_of(record.kind)} must be {wanted}, of {words}. Got"
            f" {array.dtype} of shape {array.shape}."
        )
    return array


def _conditions(record: Record, system: System) -> Conditions:
    part = _part(record, "conditions")
    shape = tuple(int(n) for n in _array(part, "shape", "if", None))
    speeds = _array(part, "speeds", "f", (*shape, len(system.coordinates)))
    count = int(np.prod(shape))
    names = [p.name for p in system.parameters]
    if set(names) != set(part.values):
        raise DeclarationError(
            f"The record is of another system than {system.title}: its parameters are"
            f" {listed(part.values)}, and not {listed(names)}."
        )
    batch = part.quantities["speeds"].axes[:-1]
    turning = tuple(int(k) for k in _array(part, "turning", "if", None))
    if any(not 0 <= k < len(system.coordinates) for k in turning):
        raise DeclarationError(f"`turning` must be places of coordinates. Got {listed(turning)}.")

    def stacked(array: Array) -> Array:
        return np.array(array, dtype=float).reshape(count, *array.shape[len(shape) :])

    columns = [_spread(part.values[name], batch, shape).reshape(-1) for name in names]
    return Conditions(
        system=system,
        shape=shape,
        p=np.stack(columns, axis=1) if columns else np.zeros((count, 0)),
        inputs=_by_symbol(part, "inputs", _signals(system), stacked, shape),
        speeds=stacked(speeds),
        momenta=_by_symbol(part, "momenta", {str(q): q for q in system.coordinates}, stacked, shape),
        turning=turning,
    )


def _spread(quantity: Any, batch: tuple[str, ...], shape: tuple[int, ...]) -> Array:
    """The values of a parameter at all points, which are kept along the axes on which they change."""
    if not {*quantity.axes} <= {*batch}:
        raise DeclarationError(
            f"Values of parameters change along {listed(batch)}. Got {listed(quantity.axes)}."
        )
    aside = [shape[k] if axis in quantity.axes else 1 for k, axis in enumerate(batch)]
    return np.broadcast_to(quantity.array.reshape(aside), shape)


def _signals(system: System) -> dict[str, Input]:
    found = {str(u): u for u in (*kernel(system).signals, *system.inputs)}
    return found | {str(u.rate): u.rate for u in found.values()}


def _by_symbol(
    part: Record,
    name: str,
    symbols: Mapping[str, Any],
    stacked: Callable[[Array], Array],
    shape: tuple[int, ...],
) -> dict[Any, Array]:
    if f"given_{name}" not in part.quantities:
        return {}
    texts = _array(part, f"{name}_given", "U", None)
    numbers = stacked(_array(part, f"given_{name}", "f", (*shape, len(texts))))
    return {symbols[str(text)]: numbers[:, k].copy() for k, text in enumerate(texts)}


def _status(record: Record) -> Any:
    texts = _array(record, "status", "U", record.quantities["status"].array.shape)
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
    conditions = _conditions(record, system)
    found = Equilibrium(
        system=system,
        conditions=conditions,
        q=arrays["q"],
        multipliers=arrays["multipliers"],
        residual=arrays["residual"],
        status=_status(record),
        free=tuple(by_name[str(each)] for each in _array(record, "free", "Uf", None)),
        tangent=_matrix(record, "tangent"),
        history=arrays["history"],
    )
    _refuse_misfits(found, conditions)
    return found


def _start(record: Record, system: System) -> Start:
    _same_names(record, system, "coordinate", tuple(str(q) for q in system.coordinates))
    arrays = {name: each.array for name, each in record.quantities.items()}
    conditions = _conditions(record, system)
    found = Start(
        system=system,
        conditions=conditions,
        time=float(_array(record, "time", "f", ())),
        status=_status(record),
        **{name: arrays[name] for name in ("q", "v", "moved_q", "moved_v")},
    )
    _refuse_misfits(found, conditions)
    return found


def _refuse_misfits(noun: Any, given: Conditions, **sizes: int) -> None:
    system = given.system
    known = {"n": len(system.coordinates), "c": len(system.multipliers), **sizes}
    if np.shape(getattr(noun, "status", np.empty(given.shape))) != given.shape:
        raise DeclarationError(f"`status` must be of the shape of the batch, {given.shape}.")
    refuse_misfits(noun, given.shape, known)


def _matrix(record: Record, name: str) -> Any:
    """A matrix, sparse where it was."""
    part = record.parts.get(name)
    if not isinstance(part, Record):
        return record.quantities[name].array
    return sparse_matrix(part)


def sparse_matrix(part: Record) -> Any:
    """A sparse matrix of its entries.

    Raises:
        DeclarationError: the entries are no numbers, or outside of the matrix.
    """
    shape = tuple(int(n) for n in _array(part, "shape", "i", (2,)))
    places = [_array(part, name, "i", None) for name in ("row", "column")]
    value = _array(part, "value", "f", places[0].shape)
    if any(
        len(value) != len(each) or (len(each) and not 0 <= each.min() <= each.max() < size)
        for each, size in zip(places, shape, strict=True)
    ):
        raise DeclarationError(f"A sparse matrix of shape {shape} has entries outside of it.")
    return scipy.sparse.csr_array((value, tuple(places)), shape=shape)


def _linear_model(record: Record, system: System) -> LinearModel:
    reference = _equilibrium(_part(record, "reference"), system)
    signals = _signals(system)
    held = record.quantities.get("held")
    labels = record.axes.get("input", ())
    names = (labels,) if isinstance(labels, str) else labels
    found = LinearModel(
        reference=reference,
        inputs=tuple(signals[name] for name in names),
        time=float(_array(record, "time", "f", ())) if "time" in record.quantities else None,
        held=None if held is None else held.array,
        **{name: _matrix(record, name) for name in "MDGKHBZYRWS"},
    )
    _refuse_misfits(found, reference.conditions, p=len(names))
    return found


def _modes(record: Record, system: System) -> Modes:
    linear = _linear_model(_part(record, "linear"), system)
    optional: dict[str, Any] = {
        name: record.quantities[name].array for name in ("order", "lowest") if name in record.quantities
    }
    known = "accuracy" in record.quantities
    found = Modes(
        linear=linear,
        eigenvalues=record.quantities["eigenvalues"].array,
        infinite=record.quantities["infinite"].array,
        accuracy=float(_array(record, "accuracy", "f", ())) if known else None,
        is_tracked=bool(_array(record, "is_tracked", "b", ())),
        **optional,
    )
    _refuse_misfits(found, linear.reference.conditions)
    return found


def _state_space(record: Record) -> StateSpace:
    """A state space, whose inputs and outputs are symbols of the names in the record."""
    A, B, C, D = (record.quantities[name].array for name in "ABCD")
    odd = [
        n for n, x in zip("ABCD", (A, B, C, D), strict=True) if x.dtype.kind not in "fi" or x.ndim < 2
    ]
    if odd:
        raise DeclarationError(f"`{odd[0]}` of a state space must be a matrix of real numbers.")
    sizes = {"state": A.shape[-1], "input": B.shape[-1], "output": C.shape[-2]}
    if (
        A.shape[-2:] != (sizes["state"],) * 2
        or B.shape[-2] != sizes["state"]
        or C.shape[-1] != sizes["state"]
        or D.shape[-2:] != (sizes["output"], sizes["input"])
        or len({x.shape[:-2] for x in (A, B, C, D)}) > 1
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
