"""The eigenvalues of a discretized model beside those of another size: which of them are converged.

Every size has eigenvalues at the edge of what its functions can follow, and these mean nothing: with
more functions they move on. One that stays, with its shape, belongs to the field.

It must be nearer there than its neighbours are.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from routh.analysis.linear.linear_model import LinearModel
from routh.analysis.linear.linearize import linearize
from routh.analysis.linear.spectrum import linear_spectrum
from routh.analysis.stability.refinement import described, with_size
from routh.arrays import Array, Complex, Mask
from routh.errors import RouthError
from routh.kernels.engine import Point
from routh.kernels.kernel import kernel
from routh.language.symbols import Coordinate
from routh.language.system import System
from routh.mechanics.ritz.more_functions import coarser, finer

CONVERGED = 1e-3
"""Relative change with more functions below which an eigenvalue is converged: three digits, while
sizes are a quarter apart at least and what is not converged moves by as much."""

PERSISTENT = 5e-2
"""Relative change below which an eigenvalue is the same one at two sizes: a fifth of how far apart the
sizes are, by which an artefact moves."""

DISTINCT = 0.25
"""Share of the distance to its neighbours that such an eigenvalue may move: half of the way to the
middle between them."""

ALIKE = 0.5
"""Share of a shape that may be missing at the other size: half, an angle of thirty degrees. Shapes
that have nothing in common miss all of it."""

CHEAP = 250
"""Coordinates up to which a model with more functions is made; beyond, one with fewer."""

PLACES = 8
"""Places along a space at which shapes are compared, for each of its functions at most."""


@dataclass(frozen=True, eq=False)
class Comparison:
    """A model and the same one with other functions.

    Attributes:
        linear, other: the two, about the same equilibrium.
        is_finer: whether the other has more functions.
        values: (N, k) the eigenvalues of the other.
    """

    linear: LinearModel
    other: LinearModel
    is_finer: bool
    values: Complex

    @property
    def described(self) -> str:
        """The functions of the other."""
        return described(self.other.system)

    def change(self, k: int, values: Complex) -> tuple[Array, Complex]:
        """How much each of some eigenvalues of point k changes, of itself, and to which others.

        It is infinite where nothing is known to compare it with.
        """
        others = self.values[k][~np.isnan(self.values[k].real)]
        if not len(others):
            return np.full(len(values), np.inf), np.full(len(values), np.nan, dtype=complex)
        distance = np.abs(values[:, None] - others)
        nearest = others[distance.argmin(axis=1)]
        size = np.abs(values)
        least = np.min(size, where=size > 0, initial=np.inf)  # the measure of a zero
        change = np.abs(values - nearest) / np.maximum(size, least if np.isfinite(least) else 1.0)
        return np.where(np.isnan(change), np.inf, change), nearest

    def converged(self, k: int, values: Complex) -> Mask:
        """Which eigenvalues of point k are converged, value and shape."""
        found = self.change(k, values)[0] <= CONVERGED
        if found.any() and not self.linear.is_sparse:  # the lowest alone have few to be taken for
            found[found] = self.alike(k, values[found])
        return np.asarray(found)

    def stays(self, k: int, values: Complex) -> Mask:
        """Which eigenvalues of point k are the same ones at the other size.

        They are converged, or nearly: then the nearest other is beyond doubt, as each is farther from
        its neighbours than it moves, and the side of the axis that it is on.
        """
        change, nearest = self.change(k, values)
        moved = np.abs(values - nearest)
        apart = np.abs(values[:, None] - values)
        with np.errstate(invalid="ignore"):
            same = apart <= CONVERGED * np.abs(values[:, None])
            gap = np.where(same | np.isnan(apart), np.inf, apart).min(axis=1, initial=np.inf)
            sure = (change <= PERSISTENT) & (moved <= DISTINCT * gap)
            sure &= self.keeps_side(k, values) | ((values.real == 0) & (nearest.real == 0))
            return np.asarray(sure | (change <= CONVERGED))

    def keeps_side(self, k: int, values: Complex) -> Mask:
        """Which eigenvalues of point k grow, or decay, by nearly the same rate at both sizes.

        What rounding leaves of a rate does not.
        """
        nearest = self.change(k, values)[1]
        with np.errstate(invalid="ignore"):
            return np.asarray(np.abs(values.real - nearest.real) < np.abs(values.real) / 2)

    def alike(self, k: int, values: Complex) -> Mask:
        """(number,) whether the shape of each eigenvalue of point k is that of the nearest other.

        Of several that coincide it may be any mixture. A zero is alike another zero.
        """
        here, there = self._samples
        nearest = self.change(k, values)[1]
        found = np.asarray(values == nearest)
        turning = np.flatnonzero((values != 0) & (nearest != 0))
        shapes = here @ _vectors(self.linear, k, values[turning])
        near = np.abs(self.values[k] - nearest[turning, None]) <= CONVERGED * np.abs(
            nearest[turning, None]
        )
        used = np.flatnonzero(near.any(axis=0))
        others = there @ _vectors(self.other, k, self.values[k][used])
        for i, shape, own in zip(turning, shapes.T, near[:, used], strict=True):
            basis = others[:, own]
            left = shape - basis @ np.linalg.lstsq(basis, shape, rcond=None)[0]
            found[i] = np.linalg.norm(left) <= ALIKE * np.linalg.norm(shape)
        return found

    @cached_property
    def _samples(self) -> tuple[Array, Array]:
        """For each model (rows, n): fields at many places, and coordinates that both have.

        At the first point for all: how fields are made of coordinates hardly depends on it.
        """
        mine, theirs = self.linear.system, self.other.system
        pairs = zip(mine.shapes, theirs.shapes, strict=True)
        counts = [PLACES * min(x.basis.size, y.basis.size) for x, y in pairs]
        both = sorted({*mine.coordinates} & {*theirs.coordinates}, key=lambda q: q.serial)
        return _sampled(self.linear, counts, both), _sampled(self.other, counts, both)


@lru_cache(maxsize=8)
def comparison(linear: LinearModel) -> Comparison | None:
    """The model beside the same one with other functions, for every point of its batch.

    None where there is nothing to compare: no fields, functions that were given, frozen matrices,
    velocity constraints, or no equilibrium at the other size.
    """
    system = linear.system
    if system.continuous is None or linear.time is not None:
        return None
    if not linear.is_holonomic:
        return None
    is_finer = _with_more(system) <= CHEAP
    try:
        rest = with_size(linear.reference, finer(system) if is_finer else _cheaper(system))
        other = linearize(rest)
        if linear.held is not None:
            other = other.at_constant_momenta
        values = linear_spectrum(other, vectors=False).values
    except RouthError:
        return None
    return Comparison(linear, other, is_finer, values)


def _cheaper(system: System) -> System:
    """The same system with fewer functions, as few as can be compared at little cost."""
    other = coarser(system)
    while len(other.coordinates) > CHEAP:
        other = coarser(other)
    return other


def _with_more(system: System) -> int:
    """How many coordinates the system has with more functions, nearly."""
    doubled = any(size.divides for size in system.sizes.values())
    return len(system.coordinates) * (8 if doubled else 5) // 4


def _vectors(linear: LinearModel, k: int, values: Complex) -> Complex:
    """(n, number): how the coordinates move with each eigenvalue."""
    stacked = linear.reference.conditions.stacked
    M, C, K, Z = (stacked(X)[k] for X in (linear.M, linear.D + linear.G, linear.K + linear.H, linear.Z))
    return np.asarray(Z @ _inverse_iteration(M, C, K, values))


def _inverse_iteration(M: Array, C: Array, K: Array, values: Complex) -> Complex:
    """(r, number): a vector of the null space of `M s^2 + C s + K` for each eigenvalue."""
    generator = np.random.default_rng(1831)
    found = generator.standard_normal((len(values), len(M), 1)) + 0j
    s = (values * (1 + 1e-11))[:, None, None]  # beside it, so that nothing is quite singular
    size = np.sqrt(np.abs(np.diagonal(K)) + np.abs(values[:, None]) ** 2 * np.abs(np.diagonal(M)))
    size = np.where(size > 0, size, 1.0)[:, :, None]
    motion = (M * s**2 + C * s + K) / size / size.swapaxes(1, 2)
    for _ in range(3):
        found = np.linalg.solve(motion, found)
        found /= np.linalg.norm(found, axis=1, keepdims=True)
    return np.asarray((found / size)[:, :, 0].T)


def _sampled(linear: LinearModel, counts: list[int], both: list[Coordinate]) -> Array:
    """(rows, n): the fields at so many places, and some coordinates, by the coordinates."""
    system = linear.system
    first = Point(*(x[:1] for x in linear.reference.point().arguments))
    units = np.eye(len(system.coordinates))
    found = [units[[system.coordinates.index(q) for q in both]]]
    for shape, count in zip(system.shapes, counts, strict=True):
        values = shape.basis.values(np.cos(np.linspace(np.pi, 0, count)), 0)
        values = values if isinstance(values, np.ndarray) else values.toarray()
        slopes = kernel(system).slopes(list(shape.amplitudes), first)[0][0]
        found.append(values @ slopes / np.sqrt(count))
    return np.concatenate(found)
