"""A piece of a manifold `g(y) = 0` between bounds of some unknowns: how far it reaches.

The piece is walked through, never jumped: curves on it begin at points that are known to be connected
with the first one. So all that is found belongs to it, and is attained; that nothing reaches further is
evidence, by a search that ends when nothing new turns up.

Curves go through the inside, along bounds from corner to corner, and uphill in each coordinate.
Corners of the square of loads are no ends: the zone of a nonlinear system reaches further, and they
need not exist.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from routh.arrays import Array
from routh.numerics.solving.damping import damped

FIRST = 0.05
"""First step, in the scales of the unknowns."""

SHIFT = 0.15
"""Change of a bounded unknown in a step; the way between its bounds is 2."""

TURN = 0.95
"""Cosine of the largest angle by which a curve may turn in a step."""

SMALLEST = 1e-9
"""Shortest step."""

FAR = 1e12
"""Scales beyond which a piece has no end."""

MOST_STEPS = 600
"""Steps of one curve."""

CORRECTIONS = 7
"""Newton steps back onto the manifold, from so near that a whole one must help."""

HOLDS = 1e-11
"""Share of their sizes by which the equations may fail to hold."""

SINGULAR = 1e-10
"""Share below which singular values count as zero."""

ROUNDS, PATIENCE = 20, 2
"""Rounds of curves at most, and rounds without anything new after which the search ends."""

CURVES = 3
"""Curves of a round that begin at points at random."""

EDGES = 60
"""Curves of a round along bounds that are met."""

NEW = 1e-7
"""Share of a range by which it must grow to count as new."""

NEAR = 0.1
"""Scales within which a place belongs to a curve along a bound that was walked already."""


@dataclass(frozen=True)
class Place:
    """A point of the piece, with the bounds it is at: for places of unknowns 1 or -1."""

    z: Array
    at: dict[int, int]


@dataclass
class Patch:
    """The piece of `g(y) = 0` with `-1 <= y[k] <= 1` for some k that is connected with a point.

    Arguments:
        equations: of y (N,), gives g (m,) and its slopes (m, N).
        bounded: the places k.
        watched: the places whose range is asked for.
        start: a point of it.
        scale: (N,) lengths of the unknowns, 1 for bounded ones.
        periods: (watched,) after which all repeats, infinite where nothing does.

    Attributes:
        low, high: (watched,) the ends of the ranges, infinite where the piece has no end.
        unfinished: whether a walk was given up before its end.
    """

    equations: Callable[[Array], tuple[Array, Array]]
    bounded: Sequence[int]
    watched: Sequence[int]
    start: Array
    scale: Array
    periods: Array
    low: Array = field(init=False)
    high: Array = field(init=False)

    def __post_init__(self) -> None:
        self._generator = np.random.default_rng(1785)
        self.low = self.start[list(self.watched)].copy()
        self.high = self.low.copy()
        z = self.start / self.scale
        self._pool = [Place(z, self._at_bounds(z))]
        self._edges: list[Place] = []
        self.unfinished = False

    @property
    def points(self) -> Array:
        """(P, N): points of the piece that were passed."""
        return np.array([place.z * self.scale for place in self._pool])

    def explore(self) -> None:
        """Walk until the ranges stay: curves through the inside, along bounds, and uphill."""
        quiet = 0
        for _ in range(ROUNDS):
            before = self.low.copy(), self.high.copy()
            self._round()
            for k in range(len(self.watched)):
                for sign in (1, -1):
                    self._climb(k, sign)
            quiet = 0 if self._grown(*before) else quiet + 1
            if quiet >= PATIENCE or not (np.isfinite(self.low) | np.isfinite(self.high)).any():
                break

    def _grown(self, low: Array, high: Array) -> bool:
        with np.errstate(invalid="ignore"):
            width = np.where(np.isfinite(self.high - self.low), self.high - self.low, 1.0)
            more = np.maximum(self.high - high, low - self.low)
            return bool((np.nan_to_num(more) > NEW * np.maximum(width, 1e-300)).any())

    def _round(self) -> None:
        waiting: list[Place] = []
        for _ in range(CURVES):
            place = self._pool[int(self._generator.integers(len(self._pool)))]
            waiting += self._both_ways(place, {})
        for _ in range(EDGES):
            if not waiting:
                break
            place = waiting.pop(0)
            for k, side in place.at.items():  # along each bound, the others let go
                if not self._is_known(place, {k: side}):
                    self._edges.append(Place(place.z, {k: side}))
                    waiting += self._both_ways(place, {k: side})

    def _both_ways(self, place: Place, held: dict[int, int]) -> list[Place]:
        """The new places at bounds to which a curve leads in both directions."""
        basis = self._tangents(place.z, held)
        if not basis.shape[1]:
            return []
        mixed = basis @ self._generator.normal(size=basis.shape[1])
        along = mixed / np.linalg.norm(mixed)
        found = []
        for sign in (1.0, -1.0):
            inward = all(
                sign * along[k] * side < SMALLEST for k, side in place.at.items() if k not in held
            )
            end = self._trace(place.z, sign * along, held) if inward else None
            found += [end] if end is not None else []
        return found

    def _is_known(self, place: Place, held: dict[int, int]) -> bool:
        """Whether a curve along a bound has passed a place already."""
        edges = (each.z for each in self._edges if each.at == held)
        return any(np.abs(each - place.z).max() < NEAR for each in edges)

    def _tangents(self, z: Array, held: dict[int, int]) -> Array:
        """(N, k): directions along the manifold with some unknowns held, that move something seen."""
        rows = self._rows(z)
        rows = np.vstack([rows, np.eye(len(z))[list(held)]])
        _, sizes, vectors = np.linalg.svd(rows)
        rank = int((sizes > SINGULAR * sizes.max(initial=1e-300)).sum())
        basis = vectors[rank:].T
        seen = [*self.watched, *self.bounded]
        if not basis.shape[1]:
            return basis
        _, shown, mixed = np.linalg.svd(basis[seen], full_matrices=False)
        return np.asarray(basis @ mixed[shown > 1e-6].T)

    def _rows(self, z: Array) -> Array:
        """The slopes in scaled unknowns, each row of size 1."""
        J = self.equations(z * self.scale)[1] * self.scale
        size = np.abs(J).max(axis=1, keepdims=True)
        return np.asarray(J / np.where(size == 0, 1.0, size))

    def _onto(self, guess: Array, rows: Array, values: Array) -> Array | None:
        """The point of the manifold on some planes `rows z = values` next to a guess."""
        near = HOLDS * max(1.0, float(np.abs(values).max(initial=0)))

        def look(z: Array) -> tuple[Array, Array]:
            g, J = self.equations(z * self.scale)
            J = J * self.scale
            size = np.abs(J) @ np.maximum(np.abs(z), 1.0)
            size = np.where(size == 0, 1.0, np.where(np.isfinite(size), size, np.nan))
            off = np.concatenate([g / size, rows @ z - values])
            return off, np.vstack([J / size[:, None], rows])

        with np.errstate(all="ignore"):
            found = damped(
                look,
                lambda J, off: np.asarray(np.linalg.lstsq(J, off, rcond=1e-13)[0]),
                guess,
                holds=lambda _, off: bool(np.abs(off).max(initial=0) <= near),
                most=CORRECTIONS,
                halvings=1,
            )
        return found.x if found.held else None

    def _seen(self, z: Array) -> None:
        """Let a point count that is within the bounds."""
        if not self._is_inside(z):
            return
        y = (z * self.scale)[list(self.watched)]
        self.low, self.high = np.minimum(self.low, y), np.maximum(self.high, y)

    def _trace(self, start: Array, along: Array, held: dict[int, int]) -> Place | None:
        """Walk along a plane section of the piece to where it ends: at a bound. None if nowhere."""
        tangents = self._tangents(start, held)
        across = tangents - np.outer(along, along @ tangents)
        kept = np.linalg.svd(across, full_matrices=False)[0][:, : max(tangents.shape[1] - 1, 0)]
        section = np.vstack([kept.T, np.eye(len(start))[list(held)]])
        values = section @ start
        z, step = start, FIRST
        for count in range(MOST_STEPS):
            moving = float(np.abs(along[list(self.bounded)]).max(initial=0))
            step = min(step, SHIFT / moving) if moving > SHIFT / FAR else step
            found = self._onto(
                z + step * along,
                np.vstack([section, along]),
                np.append(values, along @ z + step),
            )
            after = None if found is None else self._ahead(found, section, along)
            if found is None or after is None or np.linalg.norm(found - z) > 2 * step:
                step /= 2
                if step < SMALLEST:
                    self.unfinished = True
                    return None
                continue
            hit = self._passed((z, along), (found, after), step, held)
            if hit is not None:
                bound = self._at_bound(z, found, hit, section, values)
                if bound is None:  # another bound is nearer, or the step is too long to tell
                    step /= 2
                    if step < SMALLEST:
                        self.unfinished = True
                        return None
                    continue
                place = Place(bound, {**held, hit[1]: hit[2]})
                self._seen(bound)
                self._pool.append(place)
                return place
            self._seen(found)
            if self._endless(found, start):
                return None
            if count > 8 and np.abs(found - start).max() < step / 2:
                return None
            z, along, step = found, after, 1.6 * step
            if held:
                self._edges.append(Place(z, dict(held)))
            if count % 4 == 0:
                self._pool.append(Place(z, dict(held)))
        self.unfinished = True
        return None

    def _ahead(self, z: Array, section: Array, along: Array) -> Array | None:
        """The direction of a section, None where it turns much or another one crosses."""
        vectors = np.linalg.svd(np.vstack([self._rows(z), section]))[2]
        tangent = vectors[-1] if vectors[-1] @ along >= 0 else -vectors[-1]
        return np.asarray(tangent) if tangent @ along >= TURN else None

    def _passed(
        self, a: tuple[Array, Array], b: tuple[Array, Array], step: float, held: dict[int, int]
    ) -> tuple[float, int, int] | None:
        """The first bound that a step passes, by the cubic through values and slopes at its ends.

        So a bound is also seen where it is passed and passed back within the step. It comes as the
        share of the step, the place of the unknown and the side.
        """
        (z, along), (beyond, after) = a, b
        rate = after / (after @ along)
        hits = []
        for k in (k for k in self.bounded if k not in held):
            rise, first, last = beyond[k] - z[k], step * along[k], step * rate[k]
            hull = (z[k], z[k] + first / 3, beyond[k] - last / 3, beyond[k])
            if max(map(abs, hull)) <= 1:  # the cubic stays within
                continue
            cubic = np.array([first + last - 2 * rise, 3 * rise - 2 * first - last, first, z[k]])
            for side in (1, -1):
                roots = np.roots(np.append(cubic[:3], cubic[3] - side))
                shares = roots.real[(np.abs(roots.imag) < 1e-9) & (roots.real > 1e-6)]
                outward = [x for x in shares if x <= 1 and side * np.polyval(np.polyder(cubic), x) >= 0]
                hits += [(float(x), k, side) for x in outward]
            if abs(beyond[k]) > 1 and not any(place == k for _, place, _ in hits):
                hits.append((1.0, k, int(np.sign(beyond[k]))))
        return min(hits, default=None)

    def _at_bound(
        self, z: Array, beyond: Array, hit: tuple[float, int, int], section: Array, values: Array
    ) -> Array | None:
        """The point where a step meets a bound; None where it is beyond another one, or far off."""
        share, k, side = hit
        guess = z + min(share, 1.0) * (beyond - z)
        rows = np.vstack([section, np.eye(len(z))[k]])
        found = self._onto(guess, rows, np.append(values, side))
        length = float(np.linalg.norm(beyond - z))
        if found is None or np.linalg.norm(found - guess) > length / 2 + SMALLEST:
            return None
        return found if self._is_inside(found) else None

    def _is_inside(self, z: Array) -> bool:
        return all(abs(z[k]) <= 1 + 1e-9 for k in self.bounded)

    def _endless(self, z: Array, start: Array) -> bool:
        """Note that the piece has no end where it leads very far."""
        away = (z - start)[list(self.watched)]
        round_ = np.abs(away) * self.scale[list(self.watched)] > self.periods
        far = (np.abs(away) > FAR / 1e3) | round_
        if np.abs(away).max(initial=0) < FAR and not round_.any():
            return False
        if round_.any():  # what repeats goes on both ways
            self.high = np.where(round_, np.inf, self.high)
            self.low = np.where(round_, -np.inf, self.low)
            return True
        self.high = np.where(far & (away > 0), np.inf, self.high)
        self.low = np.where(far & (away < 0), -np.inf, self.low)
        return True

    def _climb(self, k: int, sign: int) -> None:
        """Uphill in one unknown, from where it is largest so far."""
        if not np.isfinite((self.high if sign > 0 else self.low)[k]):
            return
        place = self.watched[k]
        best = max(self._pool, key=lambda each: sign * each.z[place])
        self._uphill(best, place, sign)

    def _uphill(self, start: Place, place: int, sign: int) -> None:
        z, step, before = start.z, FIRST, np.zeros(len(start.z))
        for _ in range(MOST_STEPS):
            active = self._at_bounds(z)
            along, held = self._rise(z, place, sign, active)
            size = float(np.linalg.norm(along))
            if size < 1e-9:
                break
            along = along / size
            step = step / 2 if along @ before < 0 else 1.3 * step
            moving = float(np.abs(along[list(self.bounded)]).max(initial=0))
            step = min(step, SHIFT / moving) if moving > SHIFT / FAR else step
            fixed = np.eye(len(z))[list(held)]
            found = self._onto(
                z + step * along, np.vstack([fixed, along]), np.append(fixed @ z, along @ z + step)
            )
            if found is not None:
                found = self._until_bound(z, found, fixed)
            if found is None or sign * (found[place] - z[place]) <= 0:
                step /= 4
                if step < SMALLEST:
                    break
                continue
            if self._endless(found, start.z):
                break
            stays = abs(found[place] - z[place]) <= 1e-15 * abs(z[place])
            z, before = found, along
            self._seen(z)
            if stays:
                break
        self._pool.append(Place(z, self._at_bounds(z)))

    def _until_bound(self, z: Array, beyond: Array, fixed: Array) -> Array | None:
        """The end of a step uphill, or where it meets a bound; None where that cannot be told."""
        middle = self._onto((z + beyond) / 2, fixed, fixed @ z)
        if middle is None:
            return None
        passed = [k for k in self.bounded if abs(beyond[k]) > 1 + 1e-12]
        if not passed:
            return beyond if self._is_inside(middle) else None
        sides = {k: int(np.sign(beyond[k])) for k in passed}
        shares = {k: (side - z[k]) / (beyond[k] - z[k]) for k, side in sides.items()}
        k = min(passed, key=lambda each: shares[each])
        return self._at_bound(z, beyond, (max(shares[k], 0.0), k, sides[k]), fixed, fixed @ z)

    def _at_bounds(self, z: Array) -> dict[int, int]:
        """The bounds that a point is at."""
        return {k: int(np.sign(z[k])) for k in self.bounded if abs(z[k]) > 1 - 1e-10}

    def _rise(self, z: Array, place: int, sign: int, active: dict[int, int]) -> tuple[Array, list[int]]:
        """The steepest direction that leaves no bound, and the bounds along which it goes."""
        held: list[int] = []
        for _ in range(len(active) + 1):
            basis = self._tangents(z, dict.fromkeys(held, 1))
            along = basis @ (sign * basis[place])
            leaving = [k for k, side in active.items() if k not in held and along[k] * side > 1e-12]
            if not leaving:
                break
            held.append(max(leaving, key=lambda k: along[k] * active[k]))
        return along, held
