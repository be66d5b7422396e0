"""More functions for the fields of a system until its modes no longer change."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from routh.analysis.equilibrium import equilibrium
from routh.analysis.steady import Equilibrium
from routh.errors import DeclarationError, listed
from routh.kernels.batch import Array
from routh.kernels.kernel import kernel
from routh.language.fields import Field
from routh.language.system import System
from routh.mechanics.bases import Elements
from routh.mechanics.ritz import Size, discretize


def refined(reference: Equilibrium) -> Equilibrium:
    """The same equilibrium with more functions for every field, found from where it is."""
    return with_size(reference, finer(reference.system))


@lru_cache(maxsize=16)
def finer(system: System) -> System:
    """The same system with more functions for every field, made once."""
    assert system.continuous is not None
    return discretize(system.continuous, {w: _more(w, n) for w, n in system.sizes.items()})


@lru_cache(maxsize=16)
def coarser(system: System) -> System:
    """The same system with fewer functions for every field, made once."""
    assert system.continuous is not None
    return discretize(system.continuous, {w: _fewer(n) for w, n in system.sizes.items()})


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


def _more(w: Field, size: Size) -> Size:
    if isinstance(size, Elements):
        return Elements(_halved(size))
    if isinstance(size, (list, tuple)):
        raise DeclarationError(
            f"`{w}` is made of given functions, and more of them are not known. Discretize it with a"
            " number of polynomials or Elements(n) for modes to a given accuracy."
        )
    assert isinstance(size, int)
    return size + max(2, size // 4)


def _fewer(size: Size) -> Size:
    if isinstance(size, Elements):
        if isinstance(size.count, int):
            return Elements((size.count + 1) // 2)
        return Elements(tuple(sorted({*((1 + size.nodes[::2]) / 2).tolist(), 1.0})))
    assert isinstance(size, int)
    return max(size - max(2, size // 4), 1)


def _halved(size: Elements) -> Any:
    """Every element divided into two."""
    if isinstance(size.count, int):
        return 2 * size.count
    shares = (1 + size.nodes) / 2
    middles = (shares[1:] + shares[:-1]) / 2
    return tuple(np.sort(np.concatenate([shares, middles])).tolist())


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
    return listed(f"{w}: {_size(n)}" for w, n in system.sizes.items())


def _size(size: Any) -> str:
    if isinstance(size, Elements):
        return f"{len(size.nodes) - 1} elements"
    return f"{size if isinstance(size, int) else len(size)} functions"
