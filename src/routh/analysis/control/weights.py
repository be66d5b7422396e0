"""Weights of a quadratic cost at the door: matrices, or a weight for each of some expressions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from routh.analysis.given.numbers import number
from routh.analysis.linear.outputs import output_slopes
from routh.analysis.linear.state_space import StateSpace, state_space
from routh.arrays import Array
from routh.errors import DeclarationError, did_you_mean, listed, quoted
from routh.language.symbols import Input

SYMMETRIC = 1e-12
"""Share of its largest entry to which a weight must be symmetric."""

BELOW_ZERO = 1e-12
"""Share of its largest eigenvalue by which rounding may leave a weight negative."""


def state_weight(space: StateSpace, given: Any, what: str) -> Array:
    """(N, n, n): weights of the states, from a matrix or from `{expression: weight}`.

    A mapping means the sum of weight times the square of each expression's deviation.
    """
    if isinstance(given, Mapping):
        return _of_expressions(space, given, what)
    n = space.A.shape[-1]
    return symmetric_weight(given, n, space.A.shape[:-2], what, f"{n} states")


def symmetric_weight(given: Any, n: int, batch: tuple[int, ...], what: str, of: str) -> Array:
    """(N, n, n): a matrix, or one for each point of a batch, that is not negative."""
    found = number(given, f"`{what}`")
    _refuse_shape(found, n, batch, what, of)
    found = np.broadcast_to(found, (*batch, n, n)).reshape(-1, n, n)
    _refuse_negative(found, what, strictly=False)
    return np.asarray((found + found.swapaxes(1, 2)) / 2)


def signal_weight(
    signals: Sequence[Any], batch: tuple[int, ...], given: Any, what: str, kind: str
) -> Array:
    """(N, p, p): weights of inputs or outputs, from a matrix, a number for one, or by name."""
    p = len(signals)
    if isinstance(given, Mapping):
        given = np.diag(_by_name(signals, given, what, kind))
    found = number(given, f"`{what}`")
    if not found.shape and p == 1:
        found = found.reshape(1, 1)
    _refuse_shape(found, p, batch, what, f"{p} {kind}s ({listed(signals)})")
    found = np.broadcast_to(found, (*batch, p, p)).reshape(-1, p, p)
    _refuse_negative(found, what, strictly=True)
    return np.asarray((found + found.swapaxes(1, 2)) / 2)


def _of_expressions(space: StateSpace, given: Mapping[Any, Any], what: str) -> Array:
    if space.linear is None:
        raise DeclarationError(
            f"`{what}` by expressions needs a StateSpace that state_space(linear) made; this one has"
            " matrices alone. Give a matrix."
        )
    if not given:
        raise DeclarationError(f"`{what}` must hold at least one expression. Got {given!r}.")
    weights = np.array([float(number(w, f"The weight of `{y}` in `{what}`")) for y, w in given.items()])
    wrong = [y for y, w in zip(given, weights, strict=True) if w < 0]
    if wrong:
        raise DeclarationError(
            f"`{what}` gives {quoted(wrong[:1])} the weight {weights.min():g}. Expected weights of zero"
            " or more: the cost must not fall as a motion grows."
        )
    read = state_space(space.linear, list(given))
    slopes = output_slopes(space.linear, read.outputs)[2]
    if np.nan_to_num(slopes).any() or np.nan_to_num(read.D).any():
        raise DeclarationError(
            f"`{what}` weighs coordinates and velocities. Got {quoted(given)}, of which one contains an"
            " acceleration or an input; inputs have their weight in `R`."
        )
    C = read.C.reshape(-1, *read.C.shape[-2:])
    return np.asarray(C.swapaxes(1, 2) @ (weights[:, None] * C))


def _by_name(signals: Sequence[Any], given: Mapping[Any, Any], what: str, kind: str) -> Array:
    names = {str(s): k for k, s in enumerate(signals)}
    found = np.full(len(signals), np.nan)
    for key, weight in given.items():
        if str(key) not in names:
            raise DeclarationError(
                f"`{what}` has `{key}`, which is no {kind} of this model. Its {kind}s:"
                f" {listed(names)}." + did_you_mean(key, names)
            )
        found[names[str(key)]] = float(number(weight, f"The weight of `{key}` in `{what}`"))
    lacking = [s for s, w in zip(signals, found, strict=True) if np.isnan(w)]
    if lacking:
        raise DeclarationError(f"`{what}` lacks {quoted(lacking)}. Got: {listed(given)}.")
    return found


def _refuse_shape(found: Array, n: int, batch: tuple[int, ...], what: str, of: str) -> None:
    wanted = (n, n)
    lead = found.shape[:-2]
    fits = found.shape[-2:] == wanted and (not lead or lead == batch)
    if not fits:
        raise DeclarationError(
            f"`{what}` must be a matrix of shape {wanted}, for {of}, or map names to weights. Got an"
            f" array of shape {found.shape}."
        )


def _refuse_negative(weights: Array, what: str, *, strictly: bool) -> None:
    size = np.abs(weights).max(axis=(1, 2), initial=0)
    apart = np.abs(weights - weights.swapaxes(1, 2)).max(axis=(1, 2), initial=0)
    if (apart > SYMMETRIC * size).any():
        raise DeclarationError(
            f"`{what}` must be symmetric. Got a matrix whose halves differ by {apart.max():.3g}; x^T"
            f" {what} x knows ({what} + {what}^T)/2 alone."
        )
    values = np.linalg.eigvalsh((weights + weights.swapaxes(1, 2)) / 2)
    least, most = values.min(axis=1, initial=np.inf), np.abs(values).max(axis=1, initial=0)
    if strictly and not (least > BELOW_ZERO * most).all():
        raise DeclarationError(
            f"`{what}` must be positive definite. Got one with the eigenvalue {least.min():.3g}."
        )
    if not strictly and not (least >= -BELOW_ZERO * most).all():
        raise DeclarationError(
            f"`{what}` must not be negative in any direction. Got one with the eigenvalue"
            f" {least.min():.3g}."
        )


def plain_inputs(inputs: Sequence[Input], verb: str) -> None:
    """Refuse models without inputs, and those on which derivatives of inputs act.

    Raises:
        DeclarationError: there are none that a law could be given for.
    """
    if not inputs:
        raise DeclarationError(
            f"{verb} needs a model with at least one input. This one has none: declare an input and let"
            " it act in `forces`."
        )
    rates = [u for u in inputs if u.order]
    if rates:
        raise DeclarationError(
            f"{verb} needs inputs that act themselves. Here {quoted(rates)} acts, a derivative of an"
            " input, which a law of states cannot prescribe. Make what it moves a coordinate, with a"
            " force as its input."
        )
