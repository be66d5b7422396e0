"""More functions for the fields of a system until its modes no longer change."""

from __future__ import annotations

from typing import Any

import numpy as np

from routh.analysis.rest.equilibrium import equilibrium
from routh.analysis.rest.flexibility import left_out, unseen
from routh.analysis.rest.result import Equilibrium
from routh.arrays import Array
from routh.errors import listed
from routh.kernels.kernel import kernel
from routh.language.system import System
from routh.mechanics.ritz.more_functions import finer

SAFETY = 2.0
"""For jumps near which polynomials of some number are better than those of the next."""


def refined(reference: Equilibrium) -> Equilibrium:
    """The same equilibrium with more functions for every field, found from where it is."""
    return with_size(reference, finer(reference.system))


def with_size(reference: Equilibrium, other: System) -> Equilibrium:
    """The same equilibrium of a system with other functions, found from where it is."""
    system = reference.system
    assert system.continuous is not None
    given = reference.conditions
    values = {p: given.p[:, k].reshape(given.shape) for k, p in enumerate(system.parameters)}
    inputs = {u: x.reshape(given.shape) for u, x in given.inputs.items()}
    place = {q: k for k, q in enumerate(system.coordinates)}
    speeds = {
        q: given.speeds[:, place[q]].reshape(given.shape)
        for q in system.continuous.coordinates
        if place[q] in given.turning and q not in given.momenta
    }
    momenta = {q: x.reshape(given.shape) for q, x in given.momenta.items()}
    return equilibrium(
        other, values, guess=_guess(reference, other), inputs=inputs, speeds=speeds, momenta=momenta
    )


def remaining(coarse: Equilibrium, fine: Equilibrium, change: float, count: int) -> float:
    """The relative error of so many modes that changed by so much from one system to a finer one.

    Where polynomials go across a jump of a stiffness of which second or first derivatives are squared,
    their error falls with the inverse of their number n alone. The change from n to N of them is then
    the error times N/n - 1. In front of what their curvatures cannot follow at all they do not change,
    and the share of the energy that they leave out is the error.
    """
    factor = 1.0
    for old, new in zip(coarse.system.shapes, fine.system.shapes, strict=True):
        w = new.field
        if fine.system.rules[w.space].breaks and not fine.system.sizes[w].divides:
            more = len(new.coordinates) / len(old.coordinates)
            factor = max(factor, SAFETY / (more - 1))
    return max(factor * change, *left_out(fine).values(), unseen(fine, count))


def _guess(reference: Equilibrium, finer: System) -> dict[Any, Array]:
    """The coordinates of the finer system that come nearest to the equilibrium of the other."""
    system = reference.system
    kept = {*finer.coordinates}
    found: dict[Any, Array] = {
        q: reference.q[..., k] for k, q in enumerate(system.coordinates) if q in kept
    }
    engine, point = kernel(system), reference.point()
    shapes = zip(system.shapes, finer.shapes, strict=True)
    for old, new in shapes:
        xi = np.cos(np.linspace(np.pi, 0, 4 * new.basis.size))
        amplitudes = engine.values(list(old.amplitudes), point)
        shape = amplitudes @ _dense(old.basis.values(xi, 0)).T
        fit = np.linalg.lstsq(_dense(new.basis.values(xi, 0)), shape.T, rcond=None)[0].T
        for k, symbol in enumerate(new.amplitudes):
            if symbol in kept:
                found[symbol] = reference.conditions.folded(np.ascontiguousarray(fit[:, k]))
    return found


def _dense(values: Any) -> Array:
    return values if isinstance(values, np.ndarray) else np.asarray(values.toarray())


def described(system: System) -> str:
    """How many functions each field has."""
    return listed(f"{w}: {size.described}" for w, size in system.sizes.items())
