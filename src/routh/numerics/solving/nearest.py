"""The point of a set phi(y) = 0 that is nearest to the origin, as far as searches find it.

A search goes onto the set (`onto`), and along it to where the distance is least: Newton's method for
|y|^2 / 2 within the tangent plane, curvature made positive, each step followed by one back to the set.
That is one of perhaps many local minima. So searches start from the origin and from places spread over
the ball in which a nearer point would lie; each one that is nearer makes the ball smaller, and the
searching ends with rounds that find none.

It is compared with brute searches in tests, and not proven.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from routh.arrays import Array
from routh.numerics.solving.dependence import RANK
from routh.numerics.solving.onto import Landed, Rows, arrived, held_back, onto
from routh.numerics.solving.starts import spread

Curvature = Callable[[Array, Array], Array]
"""Of y (N, n) and mu (N, c): the second derivatives of mu . phi, (N, n, n)."""

MOST_STEPS = 60
RETURNS = 8
"""Steps back onto the set after one along it."""

STILL = 1e-14
"""Share of the distance below which a step along the set moves nothing."""

FLAT = 1e-3
"""Least curvature of the distance that a step along the set reckons with."""

NEARER = 1e-9
"""Share by which a point must be nearer than another one to be so."""

ROUNDS, IDLE = 12, 2
"""Rounds of searches, each in the ball that the last one left; so many in vain are the last."""

FEW = 16
"""Searches that begin on one shell."""

SHELLS = (1e-3, 1e-2, 0.1, 0.3, 1.0, 3.0, 10.0, 100.0)
"""Where searches begin, in the lengths around, if the one from the origin leads nowhere."""


@dataclass(frozen=True, eq=False)
class Surface:
    """A set phi(y) = 0: its rows and slopes, its curvature, and the sizes (c,) of its rows."""

    rows: Rows
    curvature: Curvature
    scale: Array

    def onto(self, start: Array, trust: float, length: float) -> Landed:
        """From each start to the set."""
        return onto(self.rows, start, trust, self.scale, length)


def nearest(
    surface: Surface,
    n: int,
    searches: int,
    lengths: Iterable[float],
    accepts: Callable[[Array], bool],
    known_places: Array | None = None,
) -> tuple[Array, bool]:
    """(n,) the nearest point that was found; or, with False, where the rows are least off.

    Arguments:
        surface: the set.
        n: how many unknowns y has.
        searches: how many searches a round has, beside the one from the origin.
        lengths: how far away the set may be, as far as is known.
        accepts: whether a point at which the rows are least off, but not zero, will do.
        known_places: (k, n) places on the set or near it that are known already.
    """
    known = sorted({x for x in lengths if np.isfinite(x) and x > 0}) or [1.0]
    first = surface.onto(np.zeros((1, n)), known[-1], known[0])
    best = _best(surface, first, np.inf, known[0])
    if known_places is not None:
        far = np.inf if best is None else float(np.linalg.norm(best))
        near = _best(surface, surface.onto(known_places, known[0], known[0]), far, known[0])
        best = best if near is None else near
    if best is None:
        lowest = onto(surface.rows, first.y, known[-1], surface.scale, known[0], patience=MOST_STEPS)
        best = _best(surface, lowest, np.inf, known[0])
        if best is None and accepts(lowest.y[0]):
            return lowest.y[0], False
        best = best if best is not None else _around(surface, n, min(max(searches, 1), FEW), known)
        if best is None:
            return lowest.y[0], False
    idle = 0
    for k in range(ROUNDS if searches else 0):
        far = float(np.linalg.norm(best))
        if not far or idle == IDLE:
            break
        starts = _ball(1 + k * searches, searches, n, far)
        nearer = _best(surface, surface.onto(starts, far / 3, far), far * (1 - NEARER), far)
        best, idle = (best, idle + 1) if nearer is None else (nearer, 0)
    return best, True


def _around(surface: Surface, n: int, searches: int, lengths: list[float]) -> Array | None:
    """A point of the set from places around the origin, first from near ones."""
    for radius in _apart([shell * length for shell in SHELLS for length in lengths]):
        landed = surface.onto(_ball(1, searches, n, radius), radius / 3, radius)
        best = _best(surface, landed, np.inf, radius)
        if best is not None:
            return best
    return None


def _apart(radii: list[float]) -> list[float]:
    """Radii in order, none of them less than twice the one before."""
    found: list[float] = []
    for radius in sorted(radii):
        if not found or radius >= 2 * found[-1]:
            found.append(radius)
    return found


def _ball(first: int, count: int, n: int, radius: float) -> Array:
    """(count, n): places spread over a ball, denser in its middle where there are many unknowns."""
    if n == 1:
        return radius * (2 * spread(first, count, 1) - 1)
    cube = spread(first, count, n + 1)
    directions = scipy.special.ndtri(np.clip(cube[:, :n], 1e-9, 1 - 1e-9))
    directions = directions / np.maximum(np.linalg.norm(directions, axis=1, keepdims=True), 1e-300)
    return np.asarray(radius * cube[:, n:] ** (1 / min(n, 3)) * directions)


def _best(surface: Surface, landed: Landed, within: float, length: float) -> Array | None:
    """The nearest local minimum that those on the set lead to, if it is nearer than `within`."""
    y = landed.y[landed.on]
    if not len(y):
        return None
    y = _down(surface, y, length)
    distance = np.linalg.norm(y, axis=1)
    k = int(np.argmin(distance))
    return y[k] if distance[k] < within else None


def _down(surface: Surface, y: Array, length: float) -> Array:
    """Along the set from each of y (N, n) to where the distance from the origin is least."""
    y = y.copy()
    radius = np.linalg.norm(y, axis=1) / 2
    active = radius > 0
    for _ in range(MOST_STEPS):
        at = np.flatnonzero(active)
        if not len(at):
            break
        step = _along(surface, y[at])
        long = np.linalg.norm(step, axis=1)
        step *= np.minimum(1.0, radius[at] / np.maximum(long, 1e-300))[:, None]
        size = np.minimum(long, radius[at])
        new, on = _back(surface, y[at] + step, length)
        far, new_far = np.linalg.norm(y[at], axis=1), np.linalg.norm(new, axis=1)
        better = on & (new_far <= far * (1 + STILL))
        y[at[better]] = new[better]
        radius[at] = np.where(better, np.maximum(radius[at], 2 * size), size / 4)
        active[at[size <= STILL * far]] = False
    return y


def _along(surface: Surface, y: Array) -> Array:
    """(N, n) Newton's steps within the tangent plane; away from where the distance is greatest."""
    _, J = _known(surface, y)
    U, sizes, V = np.linalg.svd(J, full_matrices=False)
    held = sizes > RANK * sizes[:, :1]
    V = np.where(held[..., None], V, 0.0)
    mu = -np.einsum(
        "kcm,km->kc", U, np.where(held, np.einsum("kmn,kn->km", V, y), 0.0) / np.where(held, sizes, 1.0)
    )
    plane = np.eye(y.shape[1]) - V.swapaxes(1, 2) @ V
    bent = np.eye(y.shape[1]) + surface.curvature(y, mu / surface.scale)
    known = np.asarray(np.isfinite(bent).all(axis=(1, 2)))
    bent = np.where(known[:, None, None], bent, np.eye(y.shape[1]))
    values, vectors = np.linalg.eigh(plane @ bent @ plane + (np.eye(y.shape[1]) - plane))
    slope = np.einsum("kij,kj->ki", plane, y)
    parts = np.einsum("kji,kj->ki", vectors, slope) / np.maximum(np.abs(values), FLAT)
    steps = -np.einsum("kij,kj->ki", vectors, parts)
    far = np.linalg.norm(y, axis=1)
    top = (values[:, 0] < -FLAT) & (np.linalg.norm(slope, axis=1) < FLAT * far)
    down = np.where(np.einsum("ki,ki->k", vectors[:, :, 0], slope) > 0, -1.0, 1.0)
    steps[top] += 0.1 * (down * far)[top, None] * vectors[top, :, 0]
    return np.asarray(steps)


def _back(surface: Surface, y: Array, length: float) -> tuple[Array, NDArray[np.bool_]]:
    """From near the set onto it by whole steps, and which ones got there."""
    y = y.copy()
    for _ in range(RETURNS):
        phi, J = _known(surface, y)
        step, _ = held_back(phi, J, np.inf)
        y = y + step
        if (np.linalg.norm(step, axis=1) <= STILL * (length + np.linalg.norm(y, axis=1))).all():
            break
    phi, J = surface.rows(y)
    return y, arrived(y, phi / surface.scale, J / surface.scale[:, None], length)


def _known(surface: Surface, y: Array) -> tuple[Array, Array]:
    """Rows and slopes in their sizes, nothing where they are not finite."""
    phi, J = surface.rows(y)
    known = np.asarray(np.isfinite(phi).all(axis=1) & np.isfinite(J).all(axis=(1, 2)))
    phi, J = np.where(known[:, None], phi, 0.0), np.where(known[:, None, None], J, 0.0)
    return phi / surface.scale, J / surface.scale[:, None]
