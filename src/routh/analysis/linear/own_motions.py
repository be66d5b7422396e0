"""The matrices of a linear model in units, and where that matters along motions, of their own.

A verdict must not depend on whether a length is counted in metres or in nanometres, nor on a soft
spring being written beside a stiff one. So matrices are judged in units that follow from themselves
(`numerics/spectra/own_units`), and where one looks singular along its own motions
(`numerics/spectra/own`), with the second derivatives of the energies evaluated along these. How far
rounding reaches into them is seen by moving the last bits of all values.

V^T (K V) with K V by differentiation along V: k (x - y)^2 along x = y is zero there, whereas in the
entries a soft spring drowns in k. What a direction that is off in its last bits adds is then of
second order.

An entry is zero only where a bound of its own rounding says so: of components, of sums, and of the
energies themselves, instruction by instruction (`kernels/instructions/sizes`) and seen by moving the
last bits of all values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from routh.analysis.linear.constant_momenta import at_constant_momenta
from routh.analysis.rest.position_bounds import position_bounds
from routh.analysis.rest.result import Equilibrium
from routh.arrays import Array
from routh.kernels.engine import Engine, Point, Structure
from routh.kernels.kernel import kernel
from routh.numerics import levels
from routh.numerics.spectra.own import blur, cleaned, own_basis, suspects, turned
from routh.numerics.spectra.own_units import in_units, units

PASSES = 6
"""How often motions are improved at most: eigenvectors of entries hold stiff motions by the ratio of
stiffnesses times rounding, and each pass takes as much out."""

SETTLED = 1e-3
"""A turn of the motions by less than this changes soft stiffnesses by its square times rounding."""

TRIALS = 3
"""How often the last bits are moved."""


@dataclass(frozen=True, eq=False)
class OwnMatrices:
    """M, D, G, K, H, each (N, r, r), in coordinates eta = V x, and bounds of their rounding.

    Attributes:
        V: (N, r, r): a change of units, or motions of their own where the model was `seen_closely`.
        mass_bound, damping_bound, stiffness_bound: (N, r, r) bounds of the rounding in M, D + G and
            K + H. Entries below them are zero where the model was seen closely.
        seen_closely: (N,) where matrices were taken along their own motions.
    """

    V: Array
    M: Array
    D: Array
    G: Array
    K: Array
    H: Array
    mass_bound: Array
    damping_bound: Array
    stiffness_bound: Array
    seen_closely: NDArray[np.bool_]

    @property
    def C(self) -> Array:
        """D + G."""
        return self.D + self.G

    @property
    def S(self) -> Array:
        """K + H."""
        return self.K + self.H

    def chosen(self, index: NDArray[np.intp]) -> OwnMatrices:
        """Some points alone."""
        return OwnMatrices(*(getattr(self, name)[index] for name in self.__dataclass_fields__))


@dataclass(frozen=True, eq=False)
class Place:
    """Where matrices are evaluated: N points, admissible displacements Z, and others that are held."""

    reference: Equilibrium
    Z: Array
    held: Array
    time: float

    @property
    def point(self) -> Point:
        """The points as a stack."""
        return self.reference.point(self.time)

    def chosen(self, index: NDArray[np.intp]) -> Place:
        """Some points alone."""
        return replace(
            self, reference=self.reference.chosen(index), Z=self.Z[index], held=self.held[index]
        )


Matrices = tuple[Array, Array, Array, Array, Array]


def own_matrices(place: Place, matrices: Matrices) -> OwnMatrices:
    """M, D, G, K and H of all points, each in its own units or along its own motions."""
    M, D, G, K, H = matrices
    d = units(M, D + G, K + H)
    M, D, G, K, H = (in_units(X, d) for X in matrices)
    V = d[:, :, None] * np.eye(d.shape[1])
    bounds = [levels.COMPONENT * np.abs(X) for X in (M, D + G, K + H)]
    closely = suspects(M, K + H)
    found = OwnMatrices(V, M, D, G, K, H, bounds[0], bounds[1], bounds[2], closely)
    index = np.flatnonzero(closely)
    if len(index):
        _see_closely(place.chosen(index), found, index)
    return found


def _see_closely(place: Place, found: OwnMatrices, index: NDArray[np.intp]) -> None:
    """Put the matrices along their own motions at some points."""
    Z, k = place.Z, place.held.shape[2]
    about = kernel(place.reference.system).about(place.point)
    turn = np.stack([own_basis(m, k) for m, k in zip(found.M[index], found.K[index], strict=True)])
    V = found.V[index] @ turn
    for _ in range(PASSES):  # each takes more of the stiff motions out of the soft ones
        B = np.concatenate([place.held, Z @ V], axis=2)
        M, _, S = _projected(B, about.products(place.point.arguments, B), k)
        turn = np.stack([turned(_sym(m), _sym(s)) for m, s in zip(M, S, strict=True)])
        V = V @ turn
        if np.abs(turn - np.eye(turn.shape[1])).max(initial=0.0) <= SETTLED:
            break
    found.V[index] = V
    M, C, S, *bounds = bounded(place, np.concatenate([place.held, Z @ V], axis=2))
    d = units(M, C, S)
    M, C, S, *bounds = (in_units(X, d) for X in (M, C, S, *bounds))
    M, C, S = (cleaned(X, b) for X, b in zip((M, C, S), bounds, strict=True))
    damped, gyroscopic, circulatory = (
        X[index].any(axis=(1, 2), keepdims=True) for X in (found.D, found.G, found.H)
    )
    found.V[index] *= d[:, None, :]
    found.M[index], found.K[index] = _sym(M), _sym(S)
    found.D[index] = np.where(damped, _sym(C), 0.0)
    found.G[index] = np.where(gyroscopic, C - _sym(C), 0.0)
    found.H[index] = np.where(circulatory, S - _sym(S), 0.0)
    found.mass_bound[index], found.damping_bound[index], found.stiffness_bound[index] = bounds


Three = tuple[Array, Array, Array]


def _projected(B: Array, products: Three, k: int) -> Three:
    """B^T X B for M, C and K, given X B; at constant momenta of the first k columns of B."""
    M, C, K = (B.swapaxes(1, 2) @ X for X in products)
    return at_constant_momenta(M, C, K, k) if k else (M, C, K)


def bounded(place: Place, B: Array) -> tuple[Array, ...]:
    """M, C and K along the columns of B, those that are held first, and bounds of their rounding."""
    k, point = place.held.shape[2], place.point
    about = kernel(place.reference.system).about(point)
    products = about.products(point.arguments, B)
    found = _projected(B, products, k)
    sizes = [np.abs(X) for X in about.variation.matrices(point.arguments)]
    rounded = about.rounding(point.arguments, _errors(point), B)
    bounds = [
        blur(B, X, size) + _both(np.abs(B).swapaxes(1, 2) @ error)
        for X, size, error in zip(products, sizes, rounded, strict=True)
    ]
    bounds = _held_bounds([B.swapaxes(1, 2) @ X for X in products], bounds, k)
    noise = [np.zeros_like(X) for X in found]
    for other, move in _trials(point, B, _reach(place)):
        again = _projected(move, about.products(other.arguments, move), k)
        noise = [np.maximum(n, np.abs(x - y)) for n, x, y in zip(noise, again, found, strict=True)]
    return *found, *(b + levels.NOISE * n for b, n in zip(bounds, noise, strict=True))


def _errors(point: Point) -> tuple[Array, ...]:
    """How far the numbers of a point may be off: what was computed, by its last bits."""
    q, v, a, multipliers = (
        levels.BITS * np.abs(x) for x in (point.q, point.v, point.a, point.multipliers)
    )
    t, p, u = (np.zeros_like(x) for x in (point.t, point.p, point.u))
    return Point(t=t, q=q, v=v, a=a, p=p, u=u, multipliers=multipliers).arguments


def _both(X: Array) -> Array:
    """The larger of two entries beside the diagonal from each other."""
    return np.maximum(X, X.swapaxes(1, 2))


def with_noise(place: Place, own: OwnMatrices) -> OwnMatrices:
    """The same with bounds that contain the rounding of the energies, at every point.

    It is seen where the last bits of all values are moved; what was seen closely has it already.
    Damping that may be zero at the equilibrium itself, which is known to rounding only, is zero.
    """
    return _damped_for_sure(place, _with_noise(place, own))


def _matrices(place: Place, V: Array) -> tuple[Array, Callable[[Point], Three]]:
    """The basis of own motions, and M, C, K in it as a function of the point."""
    about = kernel(place.reference.system).about(place.point)
    B = np.concatenate([place.held, place.Z @ V], axis=2)

    def at(point: Point) -> Three:
        M, C, K = (X @ B for X in about.variation.matrices(point.arguments))
        return _projected(B, (M, C, K), place.held.shape[2])

    return B, at


def _with_noise(place: Place, own: OwnMatrices) -> OwnMatrices:
    index = np.flatnonzero(~own.seen_closely & np.isfinite(own.M + own.K).all(axis=(1, 2)))
    if not len(index):
        return own
    place = place.chosen(index)
    point = place.point
    B, matrices = _matrices(place, own.V[index])
    found = matrices(point)
    noise = [np.zeros_like(X) for X in found]
    for other, _ in _trials(point, B, _reach(place)):
        again = matrices(other)
        noise = [np.maximum(n, np.abs(x - y)) for n, x, y in zip(noise, again, found, strict=True)]
    bounds = [X.copy() for X in (own.mass_bound, own.damping_bound, own.stiffness_bound)]
    for bound, n in zip(bounds, noise, strict=True):
        bound[index] += levels.NOISE * n
    return replace(own, mass_bound=bounds[0], damping_bound=bounds[1], stiffness_bound=bounds[2])


def _damped_for_sure(place: Place, own: OwnMatrices) -> OwnMatrices:
    """Without damping that comes from a position which is off by rounding, where it depends on that.

    A damper across its spring has D = c y^2, zero at y = 0; where that rest is found at y = 1e-18, D is
    none but is positive. Positions are moved as far as they may be off (`position_bounds`).
    """
    index = np.flatnonzero(own.D.any(axis=(1, 2)) & np.isfinite(own.D + own.M).all(axis=(1, 2)))
    if not len(index):
        return own
    place = place.chosen(index)
    point = place.point
    if point.at_rest and not kernel(place.reference.system).damping_depends_on_position:
        return own
    _, matrices = _matrices(place, own.V[index])

    def damping(at: Point) -> Array:
        return _sym(matrices(at)[1])

    reach, here = position_bounds(place.reference, point), damping(point)
    noise = np.zeros_like(here)
    generator = np.random.default_rng(1831)
    for _ in range(TRIALS):  # by different shares: what depends on x - y must not stay
        share = generator.choice([-1.0, 1.0], reach.shape[1:])
        share = share * generator.uniform(0.5, 1.0, reach.shape[1:])
        noise = np.fmax(noise, np.abs(damping(replace(point, q=point.q + share * reach)) - here))
    D, bound = own.D.copy(), own.damping_bound.copy()
    D[index] = cleaned(D[index], levels.NOISE * noise)
    bound[index] += levels.NOISE * noise
    return replace(own, D=D, damping_bound=bound)


def _held_bounds(whole: list[Array], bounds: list[Array], k: int) -> list[Array]:
    """Bounds of what is left at constant momenta, from those of the blocks it is made of."""
    if not k:
        return bounds
    p, y = slice(0, k), slice(k, None)
    M, C, _ = (np.abs(X) for X in whole)
    inverse = np.abs(np.linalg.inv(whole[0][:, p, p]))
    by_speed, by_place = inverse @ M[:, p, y], inverse @ C[:, p, y]
    at_speed, at_place = M[:, y, p] @ inverse, C[:, y, p] @ inverse
    E_M, E_C, E_K = bounds
    pp = E_M[:, p, p]
    return [
        E_M[:, y, y] + E_M[:, y, p] @ by_speed + at_speed @ (E_M[:, p, y] + pp @ by_speed),
        E_C[:, y, y] + E_M[:, y, p] @ by_place + at_speed @ (E_C[:, p, y] + pp @ by_place)
        + E_C[:, y, p] @ by_speed + at_place @ (E_M[:, p, y] + pp @ by_speed),
        E_K[:, y, y] + E_C[:, y, p] @ by_place + at_place @ (E_C[:, p, y] + pp @ by_place),
    ]  # fmt: skip


def _reach(place: Place) -> Array:
    """(N, n): how far positions may be off: by their last bits, or by more where the tangent is small.

    Near a degenerate rest the equations hold to rounding over a whole neighbourhood, in which the least
    stiffness has any sign.
    """
    point = place.point
    return np.maximum(levels.BITS * np.abs(point.q), position_bounds(place.reference, point))


def _trials(point: Point, B: Array, reach: Array) -> Iterator[tuple[Point, Array]]:
    """The point and the directions with the last bits of all numbers moved, positions by their reach.

    All points of a stack are moved alike, so that what is seen does not depend on the others. Energies
    along moved directions differ by second order, unless they are sums that cancel: then the rounding
    of these is seen, and with it that of numbers in the energies.
    """
    for on_p, on_q, on_v, on_multipliers, on_B in _moved(point, B):
        p, v, multipliers = point.p * on_p, point.v * on_v, point.multipliers * on_multipliers
        q = point.q + reach * np.sign(on_q - 1)
        yield replace(point, p=p, q=q, v=v, multipliers=multipliers), B * on_B


def _moved(point: Point, B: Array) -> Iterator[list[Array]]:
    """The factors of p, q, v, multipliers and directions, trial by trial."""
    generator = np.random.default_rng(1831)
    for _ in range(TRIALS):
        yield [
            1 + levels.BITS * generator.choice([-1.0, 1.0], X.shape[1:])
            for X in (point.p, point.q, point.v, point.multipliers, B)
        ]


def structure(place: Place, own: OwnMatrices, engine: Engine) -> Structure | None:
    """What energy decides where nothing was seen closely, by compiled code; None where not by it."""
    if place.held.shape[2] or place.time:
        return None
    point = place.point
    moved = [(p, q) for p, q, *_ in _moved(point, own.V)]
    matrices = (own.M, own.D, own.G, own.K, own.H)
    units_ = np.diagonal(own.V, axis1=1, axis2=2)
    return kernel(place.reference.system).structure(point, moved, units_, matrices, engine)


def _sym(X: Array) -> Array:
    return np.asarray((X + X.swapaxes(-1, -2)) / 2)
