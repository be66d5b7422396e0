"""The verb `frequency_response`: what a linear model answers to harmonic inputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from routh.analysis.along import refuse_along
from routh.analysis.linear import LinearModel
from routh.analysis.reading import own_expression
from routh.analysis.values import number
from routh.errors import DeclarationError, DerivationError, a_kind, did_you_mean, listed
from routh.kernels.batch import Array
from routh.kernels.kernel import kernel
from routh.language.symbols import Input
from routh.numerics.pairs import Complex


@dataclass(frozen=True, eq=False, repr=False)
class FrequencyResponse:
    """Outputs by a harmonic input of unit amplitude, as complex numbers.

    Attributes:
        linear: the linear model.
        input: what moves.
        outputs: the expressions that answer.
        frequencies: (F,) in rad/s.
        values: (..., F, outputs) amplitudes: Re(exp(i w t)) is answered by Re(value exp(i w t)).
    """

    linear: LinearModel
    input: Input
    outputs: tuple[Any, ...]
    frequencies: Array
    values: Complex = field(repr=False)

    @property
    def magnitude(self) -> Array:
        """(..., F, outputs): sizes of the answers."""
        return np.asarray(np.abs(self.values))

    @property
    def phase(self) -> Array:
        """(..., F, outputs): phases in rad, unwrapped along the frequencies."""
        return np.unwrap(np.angle(self.values), axis=-2)

    def __repr__(self) -> str:
        return f"FrequencyResponse({self.linear.system.title}, {self.input} to {listed(self.outputs)})"


def frequency_response(
    linear: LinearModel,
    input: object,
    outputs: Any,
    frequencies: Any,
) -> FrequencyResponse:
    """The response of a linear model to one harmonic input.

    Derivatives of the input (a base that is moved) act with it: i w times as strongly each.

    Arguments:
        linear: what `linearize` returned.
        input: an input of the system, by symbol or name.
        outputs: an expression of coordinates, velocities and inputs, or a list of them; their linear
            part about the equilibrium answers.
        frequencies: angular frequencies in rad/s.

    Raises:
        DeclarationError: the input acts nowhere, or an output is none of the system.
    """
    refuse_along(linear, "frequency_response")
    if not isinstance(linear, LinearModel):
        raise DeclarationError(
            "frequency_response needs a LinearModel, as linearize(...) returns it. Got"
            f" {a_kind(linear)}."
        )
    if not linear.is_holonomic or linear.is_sparse:
        raise DerivationError(
            "frequency_response works with dense matrices and without velocity constraints. Use"
            " state_space or the matrices themselves."
        )
    system = linear.system
    names = {u.name: u for u in system.inputs}
    chosen = names.get(input) if isinstance(input, str) else input
    if not isinstance(chosen, Input) or chosen not in system.inputs:
        raise DeclarationError(
            f"`input` must be an input of {system.title}: {listed(system.inputs)}. Got {input!r}."
            + did_you_mean(str(input), names)
        )
    w = np.atleast_1d(number(frequencies, "`frequencies`"))
    if w.ndim != 1 or not len(w):
        raise DeclarationError(f"`frequencies` must be a list of numbers. Got {frequencies!r}.")
    several: Sequence[Any] = outputs if isinstance(outputs, (list, tuple)) else [outputs]
    read = tuple(own_expression(system, e, "An output") for e in several)
    s: Complex = 1j * w.astype(complex)
    force = np.zeros((*linear.B.shape[:-1], len(w)), dtype=complex)
    carried = np.zeros((*linear.Y.shape[:-1], len(w)), dtype=complex)
    for k, signal in enumerate(linear.inputs):
        if signal.base == chosen:
            force += linear.B[..., k : k + 1] * s**signal.order
            carried += linear.Y[..., k : k + 1] * s**signal.order
    C, K = linear.D + linear.G, linear.K + linear.H
    M = linear.M
    square = s[:, None, None] ** 2
    dynamic = square * M[..., None, :, :] + s[:, None, None] * C[..., None, :, :] + K[..., None, :, :]
    right = np.moveaxis(force, -1, -2)[..., None]
    try:
        eta = np.linalg.solve(dynamic, right)[..., 0]
    except np.linalg.LinAlgError:
        raise DerivationError(
            "The model has an undamped resonance exactly at one of the frequencies, where the answer is"
            " not bounded. Leave that frequency out, or add damping."
        ) from None
    moved = np.einsum("...nr,...fr->...fn", linear.Z, eta) + np.moveaxis(carried, -1, -2)
    answers = _read(linear, read, chosen, moved, s)
    return FrequencyResponse(linear, chosen, read, w, answers)


def _read(
    linear: LinearModel, outputs: tuple[Any, ...], chosen: Input, moved: Complex, s: Complex
) -> Complex:
    """The linear part of the outputs: slopes by coordinates, velocities, accelerations and inputs."""
    engine = kernel(linear.system)
    given = linear.reference.conditions
    by_q, by_v, by_a, by_u = (
        given.folded(each) for each in engine.slopes(list(outputs), linear.reference.point())
    )
    found = np.zeros((*moved.shape[:-1], len(outputs)), dtype=complex)
    for order, slope in enumerate((by_q, by_v, by_a)):
        found += np.einsum("...on,...fn->...fo", slope, moved) * (s**order)[:, None]
    for k, signal in enumerate(engine.signals):
        if signal.base == chosen:
            direct = by_u[..., None, :, k] * (s**signal.order)[:, None]
            found += direct
    return found
