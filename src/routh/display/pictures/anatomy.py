"""What is what in a drawing: what is fixed, which lengths, angles and ways have names, where down is.

Nothing is read from names or formulas: the drawing is moved at random, and what holds at every place is
said. A length is called `l` if it equals the parameter l whatever the numbers are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import sympy

from routh.analysis.given.bodies import body
from routh.arrays import Array
from routh.kernels.engine import Point
from routh.kernels.kernel import kernel
from routh.language.system import System
from routh.language.walk import unfold

TRIES = 64
"""Random places at which a drawing is looked at."""

SAME = 1e-9
"""Two numbers that differ by less than this share of the size of the drawing are one."""

STIFF = 0.05
"""Radians by which the first piece of a clamped body may turn, since it has some length."""

Link = tuple[int, int]
"""A straight part of a line or a spring, from one place to the next."""


@dataclass(frozen=True)
class Anatomy:
    """What was found out about the places that a drawing joins, by their numbers.

    Attributes:
        count: how many different places there are.
        links: the straight parts between them; `elastic` are those of springs.
        fixed: places that never move.
        turning: fixed places about which some link turns.
        lengths: the name of the length of a link.
        angles: for a link the coordinate that turns it, its sign, and the link that it is counted from
            (or None) with the angle between both where the coordinate is zero.
        ways: for a place the coordinate or input along which it moves, and the unit vector of that way.
        down: the unit vector along which weights pull, or None.
    """

    count: int
    links: tuple[Link, ...]
    elastic: frozenset[Link]
    fixed: frozenset[int]
    turning: frozenset[int]
    lengths: dict[Link, str]
    angles: dict[Link, tuple[str, int, Link | None, float]]
    ways: dict[int, tuple[str, Array]]
    down: Array | None


class Moved:
    """The places that a drawing joins, at random positions, times and (second) numbers."""

    def __init__(self, system: System, vectors: Sequence[Any], point: Point) -> None:
        self._system, self._vectors = system, vectors
        chance = np.random.default_rng(0)
        self.point = _shaken(point, chance, numbers=False)
        self.other = _shaken(point, chance, numbers=True)
        self.here = self._places(self.point)
        self.there = self._places(self.other)
        self.size = float(np.nanmax(np.ptp(self.here, axis=(0, 1)), initial=0.0)) or 1.0

    def _places(self, point: Point) -> Array:
        """(tries, vectors, d)"""
        with np.errstate(all="ignore"):
            found = [body(self._system, r, point)[:, 0] for r in self._vectors]
        return np.stack(found, axis=1)

    def same(self, difference: Array) -> bool:
        """Whether these differences are all nothing."""
        return bool(np.abs(difference).max(initial=0.0) <= SAME * self.size)


def anatomy(
    system: System,
    marks: Sequence[Any],
    lines: Sequence[Sequence[Any]],
    springs: Sequence[Sequence[Any]],
    point: Point,
) -> tuple[Anatomy, list[Any]]:
    """What is what, and the vectors of the places in their order.

    Arguments:
        system: the system.
        marks: vectors of single places; neither they nor the others vary along a space.
        lines: vectors that each line runs through.
        springs: the same of springs.
        point: a stack of one point, about which the drawing is moved.
    """
    every: list[Any] = []
    for r in (*(r for line in (*lines, *springs) for r in line), *marks):
        if not any(r == own for own in every):
            every.append(r)
    moved = Moved(system, every, point) if every else None
    straight = dict.fromkeys(_links(lines, every))
    coiled = dict.fromkeys(_links(springs, every))
    links = tuple(straight | coiled)
    if moved is None or not (np.isfinite(moved.here).all() and np.isfinite(moved.there).all()):
        return Anatomy(
            len(every), links, frozenset(coiled), frozenset(), frozenset(), {}, {}, {}, None
        ), every
    fixed = frozenset(k for k in range(len(every)) if moved.same(np.ptp(moved.here[:, k], axis=0)))
    flat = moved.here.shape[-1] == 2
    lengths = {link: name for link in links if (name := _length(system, moved, link))}
    angles = _angles(system, moved, links) if flat else {}
    turning = frozenset(k for link in links for k in _pivots(moved, link, fixed))
    known = {*lengths.values(), *(angle[0] for angle in angles.values())}
    ways = {k: way for k in range(len(every)) if (way := _way(system, moved, k, known))}
    found = Anatomy(
        len(every), links, frozenset(coiled), fixed, turning, lengths, angles, _first_of_each(ways),
        _down(system, moved, fixed),
    )  # fmt: skip
    return found, every


def held_ends(system: System, r: Any, point: Point) -> list[str]:
    """How the two ends of a body are held: "clamped", "hinged", or "" where they move."""
    moved = _shaken(point, np.random.default_rng(0), numbers=False)
    found = body(system, r, moved)
    size = float(np.ptp(found, axis=(0, 1)).max()) or 1.0
    told = []
    for end, inside in ((0, 1), (-1, -2)):
        held = np.ptp(found[:, end], axis=0).max() <= SAME * size
        way = found[:, inside] - found[:, end]
        way = way / np.linalg.norm(way, axis=-1, keepdims=True)
        # a clamped end bends away from its tangent by what the nearest sample is away
        turns = np.ptp(way, axis=0).max() > STIFF
        told.append(("hinged" if turns else "clamped") if held else "")
    return told


def _shaken(point: Point, chance: np.random.Generator, *, numbers: bool) -> Point:
    """Random positions, times and inputs near a point, and other numbers for the parameters."""

    def about(given: Array, reach: float) -> Array:
        return np.repeat(given, TRIES, axis=0) + reach * chance.uniform(-1, 1, (TRIES, given.shape[1]))

    p = np.repeat(point.p, TRIES, axis=0)
    if numbers:
        p = p * chance.uniform(0.7, 1.4, p.shape) + 0.01 * chance.uniform(size=p.shape)
    still = {name: np.repeat(getattr(point, name), TRIES, axis=0) for name in ("v", "a", "multipliers")}
    return replace(
        point, t=about(point.t, 0.7), q=about(point.q, 0.4), p=p, u=about(point.u, 0.2), **still
    )


def _links(lines: Sequence[Sequence[Any]], every: list[Any]) -> Iterator[Link]:
    """The straight parts of lines, by the numbers of their places."""

    def number(r: Any) -> int:
        return next(k for k, own in enumerate(every) if own == r)

    for line in lines:
        for a, b in pairwise(map(number, line)):
            if a != b:
                yield a, b


def _length(system: System, moved: Moved, link: Link) -> str:
    """The parameter or coordinate that the length of a link equals, or the sum of two; or nothing."""
    a, b = link
    length = np.linalg.norm(moved.there[:, b] - moved.there[:, a], axis=-1)
    symbols = [*zip(system.parameters, moved.other.p.T, strict=True),
               *zip(system.coordinates, moved.other.q.T, strict=True)]  # fmt: skip
    for x, values in symbols:
        if moved.same(length - np.abs(values)):
            return str(x.name)
    for (x, first), (y, second) in combinations(symbols, 2):
        if moved.same(length - np.abs(first + second)):
            return f"{x.name} + {y.name}"
    return ""


def _directions(moved: Moved, link: Link) -> Array:
    """(tries,) the angle of a link in the plane, in rad."""
    way = moved.here[:, link[1]] - moved.here[:, link[0]]
    return np.asarray(np.arctan2(way[:, 1], way[:, 0]))


def _constant(angles: Array) -> float | None:
    """The value of an angle that is the same everywhere, up to whole turns; or None."""
    mean = np.exp(1j * angles).mean()
    return float(np.angle(mean)) if abs(abs(mean) - 1) < SAME else None


def _angles(
    system: System, moved: Moved, links: Sequence[Link]
) -> dict[Link, tuple[str, int, Link | None, float]]:
    """The coordinate that turns each link, once for each: from a fixed way, or from the link before."""
    found: dict[Link, tuple[str, int, Link | None, float]] = {}
    left = list(range(len(system.coordinates)))
    for link in links:
        own = _directions(moved, link)
        before = [other for other in links if other[1] == link[0] and other != link]
        for j, sign in ((j, sign) for j in left for sign in (1, -1)):
            turned = own - sign * moved.point.q[:, j]
            bases: list[tuple[Link | None, Array]] = [(None, turned)]
            bases += [(other, turned - _directions(moved, other)) for other in before]
            told = [(base, zero) for base, way in bases if (zero := _constant(way)) is not None]
            if told:
                found[link] = (system.coordinates[j].name, sign, *told[0])
                left.remove(j)
                break
    return found


def _pivots(moved: Moved, link: Link, fixed: frozenset[int]) -> Iterator[int]:
    """The fixed end of a link that turns."""
    way = moved.here[:, link[1]] - moved.here[:, link[0]]
    length = np.linalg.norm(way, axis=-1, keepdims=True)
    if length.min() > 0 and not moved.same(moved.size * np.ptp(way / length, axis=0)):
        yield from (end for end in link if end in fixed)


def _way(system: System, moved: Moved, k: int, known: set[str]) -> tuple[str, Array] | None:
    """The coordinate or input that alone moves a place, along a straight way of the same length."""
    place = moved.here[:, k]
    moving = [*zip(system.coordinates, moved.point.q.T, strict=True),
              *zip(kernel(system).signals, moved.point.u.T, strict=True)]  # fmt: skip
    amplitudes = {q for shape in system.shapes for q in shape.coordinates}
    for x, values in moving:
        if str(x) in known or x in amplitudes:
            continue
        columns = np.stack([np.ones(TRIES), values], axis=1)
        fit = np.linalg.lstsq(columns, place, rcond=None)[0]
        if moved.same(columns @ fit - place) and abs(np.linalg.norm(fit[1]) - 1) < SAME:
            return str(x), fit[1]
    return None


def _first_of_each(ways: dict[int, tuple[str, Array]]) -> dict[int, tuple[str, Array]]:
    """One place for each coordinate: the last that it moves, which is further from what is fixed."""
    last = {name: k for k, (name, _) in ways.items()}
    return {k: ways[k] for k in sorted(last.values())}


def _down(system: System, moved: Moved, fixed: frozenset[int]) -> Array | None:
    """Where weights pull to: minus the way in which the places must go for V to grow with g alone.

    V_g is to be a sum of the places times constants, all of them along one direction.
    """
    gravity = next((p for p in system.parameters if p.name == "g"), None)
    if gravity is None or system.fields or system.shapes:
        return None
    V = unfold(sympy.Add(*system.potential, *(-term for term in system.lagrangian)))
    slope = V.diff(gravity)
    if slope == 0 or gravity in slope.free_symbols:
        return None
    height = kernel(system).values([slope], moved.point)[:, 0]
    free = [k for k in range(moved.here.shape[1]) if k not in fixed]
    if not np.isfinite(height).all() or not free:
        return None
    d = moved.here.shape[-1]
    columns = np.concatenate([np.ones((TRIES, 1)), moved.here[:, free].reshape(TRIES, -1)], axis=1)
    weights = np.linalg.lstsq(columns, height, rcond=None)[0]
    off = np.abs(columns @ weights - height).max()
    if off > 1e-9 * max(float(np.ptp(height)), 1e-300) or columns.shape[1] >= TRIES:
        return None
    each = weights[1:].reshape(-1, d)
    up = each.sum(axis=0)
    size = float(np.linalg.norm(up))
    if size == 0:
        return None
    aside = each - np.outer(each @ up, up) / size**2
    return np.asarray(-up / size) if np.abs(aside).max() < 1e-6 * size else None
