"""The verb `frequency_response`: what a linear model answers to harmonic inputs."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from routh.analysis.given.numbers import number
from routh.analysis.linear.linear_model import LinearModel, constant_model
from routh.analysis.linear.outputs import checked_outputs, output_slopes
from routh.analysis.linear.spectrum import linear_spectrum
from routh.analysis.sensitivities.response_sensitivity import (
    ResponseSensitivity,
    response_sensitivity,
)
from routh.arrays import Array, Complex
from routh.errors import DeclarationError, DerivationError, did_you_mean, listed
from routh.kernels.kernel import kernel
from routh.language.symbols import Input
from routh.numerics.spectra.resonance import answer, suspects
from routh.shown import as_html

SWINGS = 1e-9
"""Share of its terms above which an output has some of a motion in resonance."""


UNDAMPED = 1e-6
"""Share of itself that the real part of an eigenvalue may be to be looked at; the matrix decides."""


@dataclass(frozen=True, eq=False, repr=False)
class FrequencyResponse:
    """Outputs by a harmonic input of unit amplitude, as complex numbers.

    Attributes:
        linear: the linear model.
        input: what moves.
        outputs: the expressions that answer.
        frequencies: (F,) in rad/s.
        transfer: (..., F, outputs) complex amplitudes: Re(exp(i w t)) is answered by Re(z exp(i w t)).
            Infinite at an undamped resonance that the input excites and the output shows; NaN where
            rounding has taken the digits, as of very soft motions beside stiff ones.
        resonant: (..., F) where the input excites an undamped resonance, to rounding.
    """

    linear: LinearModel
    input: Input
    outputs: tuple[Any, ...]
    frequencies: Annotated[Array, "F"]
    transfer: Annotated[Complex, "*batch F outputs"] = field(repr=False)
    resonant: Annotated[NDArray[np.bool_], "*batch F"] = field(repr=False)

    @property
    def remark(self) -> str:
        """What the values alone do not say, a sentence; nothing where there is no resonance."""
        lost = bool(np.isnan(self.transfer).any() and np.isfinite(self.linear.M).all())
        unknown = "Values that are NaN have lost their digits in rounding." if lost else ""
        axes = tuple(range(self.resonant.ndim - 1))
        where = self.frequencies[self.resonant.any(axis=axes)]
        at = list(dict.fromkeys(f"{w:.6g}" for w in sorted({*where, *self.resonances}) if w))
        shown = ", ".join(at[:4]) + (f" and {len(at) - 4} more" if len(at) > 4 else "")
        sentences = [
            f"At {shown} rad/s the input excites an undamped resonance, to rounding: the answer is not"
            " bounded there. With damping it would be."
        ]
        free = (
            "At 0 rad/s the input moves what has no stiffness, without bound; rates and accelerations"
            " of it are told at small frequencies, and are NaN at 0."
        )
        parts = [*(sentences if at else []), *([free] if (where == 0).any() else []), unknown]
        return " ".join(part for part in parts if part)

    @cached_property
    def resonances(self) -> Annotated[Array, "resonances"]:
        """Undamped resonances that the input excites in the range of the frequencies, in rad/s.

        Those between the frequencies that were asked for are among them. None for a batch.
        """
        if self.linear.shape:
            return np.zeros(0)
        low, high = np.abs(self.frequencies).min(), np.abs(self.frequencies).max()
        values = linear_spectrum(self.linear, vectors=False).values[0]
        near = np.abs(values.real) <= UNDAMPED * np.abs(values)
        w = np.unique(np.abs(values.imag[near]))
        w = w[(w >= low) & (w <= high) & (w > 0)]
        s: Complex = 1j * w.astype(complex)
        found = _answers(self.linear, _acting(self.linear, self.input, s)[0], s)[1]
        return np.asarray(w[sorted(place[-1] for place in found)])

    @property
    def magnitude(self) -> Annotated[Array, "*batch F outputs"]:
        """(..., F, outputs): sizes of the answers."""
        return np.asarray(np.abs(self.transfer))

    @property
    def phase(self) -> Annotated[Array, "*batch F outputs"]:
        """(..., F, outputs): phases in rad, unwrapped along the frequencies."""
        return np.unwrap(np.angle(self.transfer), axis=-2)

    def sensitivity(self, *parameters: object) -> ResponseSensitivity:
        """Derivatives of the answers by parameters, inputs or given speeds; by all parameters if none.

        With the move of the equilibrium, of the linear model and of the slopes of the outputs: exact to
        rounding. On an undamped resonance, and where rounding leaves no digits, they are NaN.

        Raises:
            DeclarationError: a name is none of the system.
            DerivationError: matrices that were frozen in time or are those at constant momenta; one
                point without derivatives; a parameter that moves a jump along a space.

        Example:
            >>> import routh as rt
            >>> x, u, k = rt.coordinate("x"), rt.input("u"), rt.parameter("k")
            >>> cart = rt.System(kinetic=rt.ddt(x)**2 / 2, potential=k * x**2 / 2, forces={x: u})
            >>> linear = rt.linearize(rt.equilibrium(cart, {"k": 4.0}))
            >>> found = rt.frequency_response(linear, u, x, [0.0, 1.0]).sensitivity("k")
            >>> found.transfer[:, 0, 0].real.round(6)
            array([-0.0625  , -0.111111])
        """
        linear = self.linear
        if linear.time is not None or linear.held is not None:
            what = "were frozen in time" if linear.time is not None else "are those at constant momenta"
            raise DerivationError(
                "sensitivity is for answers of linearize(rest) itself. The matrices of this model"
                f" {what}."
            )
        full = linear.descriptor
        return response_sensitivity(self, (full.M, full.C, full.K, full.B), full.inputs, parameters)

    def __repr__(self) -> str:
        return f"FrequencyResponse({self.linear.system.title}, {self.input} to {listed(self.outputs)})"

    def __str__(self) -> str:
        w = self.frequencies
        head = (
            f"Frequency response of {self.linear.system.title}, {self.input} to {listed(self.outputs)}:"
            f" {len(w)} frequencies from {w.min():.6g} to {w.max():.6g} rad/s."
        )
        return f"{head} {self.remark}".strip()

    _repr_html_ = as_html


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
        DerivationError: an output has a kink at the equilibrium, or contains time.

    Example:
        >>> import routh as rt
        >>> x, u = rt.coordinate("x"), rt.input("u")
        >>> kinetic, dissipation = rt.ddt(x)**2 / 2, rt.ddt(x)**2 / 2
        >>> cart = rt.System(
        ...     kinetic=kinetic, potential=2 * x**2, dissipation=dissipation, forces={x: u}
        ... )
        >>> linear = rt.linearize(rt.equilibrium(cart, {}))
        >>> found = rt.frequency_response(linear, u, x, [0, 2])
        >>> abs(found.transfer).round(6)
        array([[0.25],
               [0.5 ]])
    """
    constant_model(linear, "frequency_response")
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
    read = tuple(checked_outputs(linear, outputs if outputs is not None else []))
    slopes = output_slopes(linear, read)
    s: Complex = 1j * w.astype(complex)
    force, carried = _acting(linear, chosen, s)
    eta, unbounded = _answers(linear, force, s)
    moved = np.einsum("...nr,...fr->...fn", linear.Z, eta) + carried
    found = _read(linear, slopes, chosen, moved, s)
    resonant = np.zeros(found.shape[:-1], dtype=bool)
    for place, shapes in unbounded.items():
        resonant[place] = True
        shown = (np.abs(_swing(linear, slopes, place, shapes, s)) > SWINGS).any(axis=1)
        found[place] = np.where(shown, complex(np.inf, 0.0), found[place])
        if s[place[-1]] == 0:  # rates of a free motion are 0 times infinity here
            rates = np.abs(_swing(linear, slopes, place, shapes, np.ones_like(s)))
            moving = (rates > SWINGS).any(axis=1)
            found[place] = np.where(moving & ~shown, complex(np.nan, np.nan), found[place])
    return FrequencyResponse(linear, chosen, read, w, found, resonant)


def _acting(linear: LinearModel, chosen: Input, s: Complex) -> tuple[Complex, Complex]:
    """(..., F, r) the force of the input and (..., F, n) how it carries coordinates, with its rates."""
    force = np.zeros((*linear.B.shape[:-1], len(s)), dtype=complex)
    carried = np.zeros((*linear.Y.shape[:-1], len(s)), dtype=complex)
    for k, signal in enumerate(linear.inputs):
        if signal.base == chosen:
            force += linear.B[..., k : k + 1] * s**signal.order
            carried += linear.Y[..., k : k + 1] * s**signal.order
    return np.moveaxis(force, -1, -2), np.moveaxis(carried, -1, -2)


def _answers(
    linear: LinearModel, force: Complex, s: Complex
) -> tuple[Complex, dict[tuple[int, ...], Complex]]:
    """(..., F, r) what is bounded of the answers, and the motions in resonance by their place."""
    M, C, K = linear.M, linear.D + linear.G, linear.K + linear.H
    M, C, K = (np.asarray(X)[..., None, :, :] for X in (M, C, K))
    each = s[:, None, None]
    dynamic = each**2 * M + each * C + K
    terms = np.abs(each) ** 2 * np.abs(M) + np.abs(each) * np.abs(C) + np.abs(K)
    doubtful = suspects(dynamic, terms)
    safe = np.where(doubtful[..., None, None], np.eye(dynamic.shape[-1]), dynamic)
    eta: Complex = np.asarray(np.linalg.solve(safe, force[..., None])[..., 0], dtype=complex)
    unbounded = {}
    for index in np.argwhere(doubtful):
        place = tuple(int(k) for k in index)
        one = (*place[:-1], 0)
        found = answer(M[one], C[one], K[one], force[place], complex(s[place[-1]]))
        eta[place] = found.x
        if found.shapes.shape[1]:
            unbounded[place] = found.shapes
    return eta, unbounded


def _swing(
    linear: LinearModel, slopes: tuple[Array, ...], place: tuple[int, ...], shapes: Complex, s: Complex
) -> Complex:
    """(outputs, k) what motions in resonance do to the outputs, relative to the size of each."""
    fold = linear.reference.conditions.folded
    by_q, by_v, by_a = (fold(slope)[place[:-1]] for slope in slopes[:3])
    rate = s[place[-1]]
    Z = np.asarray(linear.Z)[place[:-1]]
    by = (by_q + rate * by_v + rate**2 * by_a) @ Z
    largest = (np.abs(by)[:, :, None] * np.abs(shapes)).max(axis=1)
    return np.asarray(by @ shapes / np.where(largest == 0, 1.0, largest))


def _read(
    linear: LinearModel, slopes: tuple[Array, ...], chosen: Input, moved: Complex, s: Complex
) -> Complex:
    """The linear part of the outputs: slopes by coordinates, velocities, accelerations and inputs."""
    engine = kernel(linear.system)
    by_q, by_v, by_a, by_u = (linear.reference.conditions.folded(each) for each in slopes)
    found = np.zeros((*moved.shape[:-1], by_q.shape[-2]), dtype=complex)
    for order, slope in enumerate((by_q, by_v, by_a)):
        found += np.einsum("...on,...fn->...fo", slope, moved) * (s**order)[:, None]
    for k, signal in enumerate(engine.signals):
        if signal.base == chosen:
            direct = by_u[..., None, :, k] * (s**signal.order)[:, None]
            found += direct
    return found
