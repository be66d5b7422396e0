"""The verb `modes`: the free motions of a linear model, as many and as exact as asked for."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from routh.analysis.given.engines import checked_engine
from routh.analysis.given.large import refuse_large
from routh.analysis.given.numbers import number, yes_or_no
from routh.analysis.linear.linear_model import LinearModel, constant_model
from routh.analysis.linear.linearize import linearize
from routh.analysis.linear.spectrum import linear_spectrum
from routh.analysis.rest.flexibility import refuse_stiff_functions
from routh.analysis.stability.lowest import lowest
from routh.analysis.stability.natural_modes import Modes, ordered
from routh.analysis.stability.refinement import described, refined, remaining
from routh.analysis.stability.tracking import tracked
from routh.arrays import Complex
from routh.errors import (
    DeclarationError,
    DerivationError,
    SolveError,
)
from routh.kernels.engine import Engine


def modes(
    linear: LinearModel,
    *,
    track: bool = False,
    count: int | None = None,
    converged: float | None = None,
    engine: str = "auto",
) -> Modes:
    """The modes of a linear model, for every point of its batch.

    Arguments:
        linear: the linear model.
        count: how many, those with the smallest |s| (fields: natural frequency); all if not given, ten
            for sparse matrices. Along a sweep they are chosen at each point, or with track=True at the
            first. `stability` is judged by all modes, whichever are listed.
        converged: an accuracy like 1e-8: the fields of a discretized system get more functions until
            the first `count` modes (four if not given) change by less, relative to each; the result
            says what it was in `accuracy`, and its `linear` is the model with more functions.
        track: whether to follow the modes along the last axis of the batch, so that mode k is the
            same one at every point, through crossings and veerings. At the first point modes are in
            order of rising frequency.
        engine: "casadi"; "c": eigenvalues by code that is compiled for all cores of this machine, which
            "auto" does where there are so many points that it pays; or "cuda": the same for an NVIDIA
            GPU (extra `gpu`). Eigenvalues are the same to rounding; points that take a closer look are
            not left to it.

    A singular mass matrix is fine as long as the equations determine the motion: the infinite
    eigenvalues are dropped and counted in `infinite`.

    Raises:
        DerivationError: the equations leave some motion undetermined; or "c" was asked for, and there
            is no compiler.
        SolveError: the accuracy asked for was not reached; `error.result` is how far it got.

    Example:
        >>> import routh as rt
        >>> x, y = rt.coordinates("x y")
        >>> chain = rt.System(
        ...     kinetic=(rt.ddt(x)**2 + rt.ddt(y)**2) / 2, potential=(x**2 + (y - x)**2 + y**2) / 2
        ... )
        >>> found = rt.modes(rt.linearize(rt.equilibrium(chain, {})))
        >>> found.frequencies**2
        array([1., 3.])
        >>> found.shapes[:, 0].real
        array([1., 1.])
    """
    constant_model(linear, "modes")
    yes_or_no(track, "track")
    _check_count(count)
    by = checked_engine(engine)
    if converged is not None:
        return _until_converged(linear, converged, 4 if count is None else count)
    if linear.system.shapes:
        refuse_stiff_functions(linear.reference)
    return _found(linear, count, track, by)


def _found(
    linear: LinearModel, count: int | None, track: bool = False, engine: Engine = Engine.AUTO
) -> Modes:
    """The modes of a linear model with the functions that it has."""
    if linear.is_sparse and track:
        refuse_large(linear.system)
    if linear.is_sparse:
        return _lowest(linear, 10 if count is None else count)
    found = linear_spectrum(linear, vectors=False, engine=engine)
    fold = linear.reference.conditions.folded
    values, infinite = fold(found.values), fold(found.infinite)
    by = engine.target if found.compiled else Engine.CASADI
    if not track:
        order = None if count is None else _slowest(values, count)
        if linear.system.shapes:
            order = _natural(values)[..., :count]
        if order is None:
            return Modes(linear, values, infinite, engine=by)
        return Modes(linear, ordered(values, order), infinite, order, engine=by)
    if not linear.shape or infinite.any():
        raise DerivationError(
            "track=True follows modes along an array of values, with mass matrices that are not"
            f" singular. Got {'a single point' if not linear.shape else 'directions without mass'}."
        )
    order = tracked(linear)
    if count is not None:
        first = ordered(values, order).reshape(-1, values.shape[-1])[0]
        order = order[..., _natural(first)[:count] if linear.system.shapes else _slowest(first, count)]
    return Modes(linear, ordered(values, order), infinite, order, is_tracked=True, engine=by)


def _natural(values: Complex) -> NDArray[np.intp]:
    """(..., r) the places of the modes by rising natural frequency; a lone real one stays last."""
    first, second = values[..., ::2], values[..., 1::2]
    paired = second.shape[-1]
    squares = np.full(first.shape, np.inf)
    squares[..., :paired] = np.abs(first[..., :paired] * second)
    return np.argsort(np.where(np.isnan(squares), np.inf, squares), axis=-1, kind="stable")


def _slowest(values: Complex, count: int) -> NDArray[np.intp]:
    """(..., count) the places of the modes with the smallest |s|, in their order."""
    size = np.abs(values[..., ::2])
    return np.sort(np.argsort(size, axis=-1, kind="stable")[..., :count], axis=-1)


def _check_count(count: object) -> None:
    whole = isinstance(count, (int, np.integer)) and not isinstance(count, bool)
    if count is not None and (not whole or count < 1):  # type: ignore[operator]
        raise DeclarationError(f"`count` is how many modes to give, one at least. Got {count!r}.")


def _lowest(linear: LinearModel, count: int) -> Modes:
    """The lowest modes of a model with sparse matrices."""
    values, vectors = lowest(linear, count)
    return Modes(linear, values, np.array(0), lowest=vectors)


ROUNDS = 12
"""How often the fields get more functions before giving up."""


def _until_converged(linear: LinearModel, accuracy: object, count: int) -> Modes:
    """The first modes, with more functions until they change by less than the accuracy asked for."""
    asked = number(accuracy, "`converged`")
    if asked.shape or not 1e-14 <= asked < 1:
        raise DeclarationError(
            f"`converged` is a relative accuracy between 1e-14 and 1. Got {accuracy!r}."
        )
    if linear.system.continuous is None:
        raise DeclarationError(
            f"`converged` asks for more functions, and {linear.system.title} has no fields that"
            " discretize(...) made of coordinates."
        )
    found = _found(linear, count)
    change = np.inf
    for _ in range(ROUNDS):
        finer = linearize(refined(found.linear.reference), time=linear.time)
        again = _found(finer, count)
        change = _change(found.eigenvalues, again.eigenvalues)
        change = remaining(found.linear.reference, finer.reference, change, count)
        found = replace(again, accuracy=change)
        if change <= asked:
            return found
    raise SolveError(
        f"The first {count} modes of {linear.system.title} are known to {change:.1e} only with"
        f" {described(found.linear.system)}; {asked:g} was asked for. Kinks in the properties need"
        " Elements(...) with nodes there. With damping inside the material, eigenvalues of ever higher"
        " modes crowd at one place: ask for those below it with a smaller `count`.",
        found,
    )


def _change(before: Complex, after: Complex) -> float:
    """The largest relative change of eigenvalues; infinite where there were not as many before."""
    if before.shape != after.shape:
        return float(np.inf)
    known = ~np.isnan(before.real + after.real)  # a partner that was not found is no change
    before, after = np.where(known, before, 0.0), np.where(known, after, 0.0)
    size = np.abs(after)
    floor = np.where(size > 0, size, np.inf).min(initial=np.inf)
    floor = floor if np.isfinite(floor) else 1.0
    return float(np.max(np.abs(after - before) / np.maximum(size, floor), initial=0.0))
