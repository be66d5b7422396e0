"""Modes followed through a sweep by their shapes, across crossings and veerings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from routh.analysis.given.resolve import resolved
from routh.analysis.linear.linear_model import LinearModel
from routh.analysis.linear.linearize import linearize
from routh.analysis.linear.spectrum import linear_spectrum
from routh.analysis.rest.problem import Problem
from routh.analysis.rest.result import Equilibrium
from routh.analysis.rest.solve import solve
from routh.arrays import Array, Complex
from routh.kernels.kernel import kernel

ALIKE = 0.9
"""Modal assurance criterion above which two shapes are surely the same mode."""

HALVINGS = 7
"""How often an interval is halved where shapes change too much to be told apart."""

SPLIT = 0.4413
"""Where an interval is cut: not in the middle, where sweeps through zero have equal frequencies."""

COINCIDE = 1e-6
"""Share of the largest eigenvalue under which two are taken for the same."""

NEARNESS = 0.2
"""Weight of the distance of two eigenvalues beside that of their shapes."""

Order = NDArray[np.intp]


def tracked(linear: LinearModel) -> Order:
    """(..., r) for each point which of its modes continues mode k, along the last axis of the batch.

    Neighbouring points are joined by the modal assurance criterion
    `|x^H M y|^2 / (x^H M x . y^H M y)`. Where it leaves a doubt, points in between are computed.
    Points where frequencies coincide have no shapes of their own, and points without equilibrium
    none at all: the points around them are joined past them.
    """
    given = linear.reference.conditions
    spectra = _spectra(linear)
    count = len(spectra[0].values) // 2
    order = np.tile(np.arange(count), (given.count, 1))
    length = given.shape[-1] if given.shape else 1
    last: int | None = None
    for k in range(given.count):
        if k % length == 0:
            last = None
        if not spectra[k].known:
            continue
        if last is not None:
            step = _joined(spectra[last], spectra[k], _way(linear, last, k), HALVINGS)
            order[k] = step[order[last]]
        if last is None or spectra[k].distinct:
            last = k
    return order.reshape((*given.shape, count))


def _spectra(linear: LinearModel) -> list[_Shapes]:
    """Eigenvalues and shapes of every point, in the coordinates of the system."""
    stacked = linear.reference.conditions.stacked
    found = linear_spectrum(linear, vectors=True)
    assert found.vectors is not None
    Z = stacked(linear.Z)
    weight = Z @ stacked(linear.M) @ Z.swapaxes(1, 2)
    return [
        _Shapes(values, vectors, W)
        for values, vectors, W in zip(found.values, Z @ found.vectors, weight, strict=True)
    ]


def _way(linear: LinearModel, k: int, other: int) -> Callable[[float], _Shapes | None]:
    """The spectrum at any share of the way between two points, or None if there is none."""

    def at(share: float) -> _Shapes | None:
        rest = between(linear.reference, k, other, share)
        if not rest.converged:
            return None
        (found,) = _spectra(linearize(rest, time=linear.time))
        return found if len(found.values) == 2 * linear.M.shape[-1] else None

    return at


@dataclass(frozen=True, eq=False)
class _Shapes:
    """Eigenvalues (2r,) in pairs, vectors (n, 2r) and the mass matrix (n, n) of one point."""

    values: Complex
    vectors: Complex
    M: Array

    @property
    def known(self) -> bool:
        """Whether there is a spectrum."""
        return bool(np.isfinite(self.values).all() and np.isfinite(self.vectors).all())

    @property
    def distinct(self) -> bool:
        """Whether no two modes have the same eigenvalue, so that each has its shape."""
        s = self.values[::2]
        apart = np.abs(s[:, None] - s[None, :]) + np.where(np.eye(len(s)), np.inf, 0.0)
        return bool((apart > COINCIDE * np.abs(s).max(initial=0)).all())


def _joined(
    a: _Shapes, b: _Shapes, at: Callable[[float], _Shapes | None], depth: int,
    low: float = 0.0, high: float = 1.0,
) -> Order:  # fmt: skip
    """(r,) which mode of b continues each mode of a."""
    count = len(a.values) // 2
    if not (a.known and b.known):
        return np.arange(count)
    alike, cost = _compare(a, b)
    order = _assigned(cost)
    if depth == 0 or alike[np.arange(count), order].min(initial=1.0) >= ALIKE:
        return order
    middle = low + SPLIT * (high - low)
    between = at(middle)
    if between is None or not between.known:
        return order
    first = _joined(a, between, at, depth - 1, low, middle)
    return _joined(between, b, at, depth - 1, middle, high)[first]


def _compare(a: _Shapes, b: _Shapes) -> tuple[Array, Array]:
    """(r, r) modal assurance criterion of all pairs, and a cost with nearness in frequency."""
    x, y = a.vectors[:, ::2], b.vectors[:, ::2]
    product = np.abs(x.conj().T @ a.M @ y) ** 2
    norms = [np.abs(np.einsum("nk,nm,mk->k", z.conj(), a.M, z)) for z in (x, y)]
    alike = product / np.maximum(np.outer(*norms), 1e-300)
    s, z = a.values[::2], b.values[::2]
    size = np.abs(s)[:, None] + np.abs(z)[None, :]
    apart = np.abs(s[:, None] - z[None, :]) / np.where(size == 0, 1.0, size)
    return alike, 1 - alike + NEARNESS * apart


def _assigned(cost: Array) -> Order:
    """(r,) a column for each row, the cheapest pairs first."""
    cost = cost.copy()
    order = np.zeros(len(cost), dtype=np.intp)
    for _ in range(len(cost)):
        i, j = np.unravel_index(np.argmin(cost), cost.shape)
        order[i] = j
        cost[i, :], cost[:, j] = np.inf, np.inf
    return order


def between(reference: Equilibrium, k: int, other: int, share: float) -> Equilibrium:
    """The equilibrium at a share of the way from point k of a batch to another."""
    given = reference.conditions.between(k, other, share)
    stacked = reference.conditions.stacked

    def mixed(array: Array) -> Array:
        return (1 - share) * array[k : k + 1] + share * array[other : other + 1]

    q, multipliers = mixed(stacked(reference.q)), mixed(stacked(reference.multipliers))
    system = resolved(reference.system, given.p)
    problem = Problem(kernel(system), replace(given, system=system), q)
    return problem.result(solve(problem, problem.unknowns(q, multipliers, given.speeds)))
