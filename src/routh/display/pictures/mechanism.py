"""The picture of a mechanism: where it is, where it rests, and what its coordinates are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np

from routh.analysis.given.bodies import bodies, body
from routh.arrays import Array
from routh.display.pictures.anatomy import Anatomy, Link, anatomy, held_ends
from routh.display.pictures.sketch import BLUE, INK, SOFT, Sketch, Window, looked
from routh.display.pictures.space.scenery import Scenery, Told, scenery
from routh.display.pictures.space.stage import Look, Moment, seen
from routh.errors import SolveError
from routh.files.drawn import Drawing
from routh.kernels.engine import Point
from routh.language.domains import space_of
from routh.language.system import System

PALE = "var(--line, #d8dee5)"
"""The colour of what is shown beside the mechanism: where it rests, or where a point went."""

SEEN = 0.25
"""Radians under which an angle is too small for its arc."""

SHOWN = 0.5
"""Radians by which a link is turned to show its angle."""


@dataclass(frozen=True)
class Parts:
    """What is drawn of a mechanism: vectors of two or three components, some varying along a space."""

    points: Sequence[Any]
    masses: Sequence[Any]
    lines: Sequence[Sequence[Any]]
    springs: Sequence[Sequence[Any]]
    outlines: Sequence[Sequence[Any]] = ()
    labels: Sequence[tuple[Any, str]] = ()
    told: Told = field(default_factory=Told)

    @staticmethod
    def of(drawing: Drawing) -> Parts:
        """What a model file draws."""
        return Parts(
            list(drawing.points.values()), list(drawing.masses.values()), drawing.lines,
            drawing.springs, drawing.outlines, drawing.labels,
            Told(drawing.bodies, drawing.arrows, drawing.frames),
        )  # fmt: skip

    @property
    def straight(self) -> list[Sequence[Any]]:
        """Lines that run from point to point."""
        return [line for line in self.lines if not any(_varies(r) for r in line)]


@dataclass(frozen=True)
class Places:
    """Where everything is at one moment: (d,) for points, (k, d) for lines and springs."""

    points: list[Array]
    masses: list[Array]
    lines: list[Array]
    springs: list[Array]
    outlines: list[Array]
    labels: list[Array]
    scenery: Scenery
    moment: int
    """Of the scenery, which is that of a whole stack."""

    @property
    def every(self) -> list[Array]:
        """All of it."""
        return [*self.bodies, *self.outlines, *self.labels, *self.scenery.places(self.moment)]

    @property
    def bodies(self) -> list[Array]:
        """What is not outline or words."""
        return [*self.points, *self.masses, *self.lines, *self.springs]


def places_along(system: System, parts: Parts, stack: Point) -> list[Places]:
    """Where everything is, at every point of a stack.

    Raises:
        SolveError: something is drawn that has no finite place.
    """
    singles = (parts.points, parts.masses, [r for r, _ in parts.labels])
    several = (parts.lines, parts.springs, parts.outlines)
    every = [r for own in singles for r in own] + [r for own in several for line in own for r in line]
    read = iter(bodies(system, every, stack))
    points, masses, labels = ([next(read) for _ in own] for own in singles)
    lines, springs, outlines = (
        [np.concatenate([next(read) for _ in line], axis=1) for line in own] for own in several
    )
    kinds = {
        "points": [*points, *masses],
        "lines": lines,
        "springs": springs,
        "outlines": outlines,
        "labels": labels,
    }
    for kind, each in kinds.items():
        if not all(np.isfinite(own).all() for own in each):
            raise SolveError(f"The {kind} of the drawing have no finite places here.")
    flat = [each.reshape(-1, each.shape[-1]) for own in kinds.values() for each in own]
    drawn = scenery(system, parts.told, stack, flat)
    return [
        Places([x[k, 0] for x in points], [x[k, 0] for x in masses], [x[k] for x in lines],
               [x[k] for x in springs], [x[k] for x in outlines], [x[k, 0] for x in labels],
               drawn, k)
        for k in range(len(stack.q))
    ]  # fmt: skip


def trails(every: Sequence[Places]) -> list[Array]:
    """(moments, d): the way of every point and mass."""
    return [np.array(way) for way in zip(*([*m.points, *m.masses] for m in every), strict=True)]


def mechanism(
    system: System, parts: Parts, start: Point, rest: Point | None, title: str
) -> tuple[str, bool]:
    """The mechanism as SVG with names, pale where it rests; and whether it was moved from the start.

    Arguments:
        system: the system.
        parts: what is drawn.
        start: a stack of one point, where it is drawn; coordinates whose angle is too small to be seen
            are turned, if no constraint holds them.
        rest: where it rests, drawn pale; None for nowhere.
        title: what the picture shows, in words.
    """
    known, vectors = anatomy_of(system, parts, start)
    shown = start if system.constraints else _turned(system, known, start)
    (now,) = places_along(system, parts, shown)
    (resting,) = (None,) if rest is None else places_along(system, parts, rest)
    sketch = Sketch([*now.every, *(resting.bodies if resting else [])])
    if resting is not None and not _alike(now, resting):
        _draw(sketch, resting, PALE, PALE)
    _lettered(sketch, system, parts, known, vectors, shown, now)
    return sketch.svg(title), shown is not start


def posed(
    system: System,
    parts: Parts,
    told: tuple[Anatomy, list[Any]],
    point: Point,
    window: Window,
    title: str,
) -> str:
    """The mechanism as SVG with names, where a stack of one point says, in a window that stays.

    `told` is what `anatomy_of` found: looking for it takes longer than drawing.
    """
    (now,) = places_along(system, parts, point)
    sketch = Sketch(now.every, window=window)
    _lettered(sketch, system, parts, *told, point, now)
    return sketch.svg(title)


def anatomy_of(system: System, parts: Parts, point: Point) -> tuple[Anatomy, list[Any]]:
    """What is what in a drawing, and the vectors of its places, in their order."""
    return anatomy(system, [*parts.points, *parts.masses], parts.straight, parts.springs, point)


def thumbnail_at(system: System, parts: Parts, point: Point, title: str, extent: float) -> str:
    """The mechanism as a small SVG without names, where a stack of one point says."""
    (now,) = places_along(system, parts, point)
    sketch = Sketch(now.every, extent)
    _draw(sketch, now, INK, BLUE, outlined=True)
    return sketch.svg(title)


def _lettered(
    sketch: Sketch,
    system: System,
    parts: Parts,
    known: Anatomy,
    vectors: list[Any],
    shown: Point,
    now: Places,
) -> None:
    """Draw the mechanism with its supports and its names."""
    joints = [place[0, 0] for place in bodies(system, vectors, shown)]
    _supports(sketch, known, joints, now)
    _clamps(sketch, system, parts, shown)
    _draw(sketch, now, INK, BLUE, outlined=True)
    for place, (_, words) in zip(now.labels, parts.labels, strict=True):
        sketch.words(sketch.at(place), words)
    _names(sketch, system, known, joints, shown, {words for _, words in parts.labels})
    if known.down is not None and np.any(along := sketch.way(known.down)):
        sketch.gravity(along)


def still(every: Sequence[Places], ways: Sequence[Array], title: str, extent: float) -> str:
    """Moments of a motion over each other, the last of them dark, with the ways of points."""
    drawn = [*every[-1].every, *(place for each in every[:-1] for place in each.bodies)]
    sketch = Sketch([*ways, *drawn], extent)
    for way in ways:
        sketch.line(way, colour=SOFT, width=0.8)
    for each in every[:-1]:
        _draw(sketch, each, PALE, PALE)
    _draw(sketch, every[-1], INK, BLUE, outlined=True)
    return sketch.svg(title)


def _varies(r: Any) -> bool:
    return space_of(list(r)) is not None


def _turned(system: System, known: Anatomy, start: Point) -> Point:
    """The start with coordinates whose angle is too small to be seen turned by half a radian."""
    q = start.q.copy()
    names = [x.name for x in system.coordinates]
    for name, *_ in known.angles.values():
        j = names.index(name)
        if abs(np.angle(np.exp(1j * q[0, j]))) < SEEN:
            q[0, j] += SHOWN
    return start if np.array_equal(q, start.q) else replace(start, q=q)


def _alike(a: Places, b: Places) -> bool:
    pairs = zip(a.bodies, b.bodies, strict=True)
    size = float(np.ptp(np.concatenate([np.atleast_2d(x) for x in a.every]), axis=0).max()) or 1.0
    return all(np.abs(x - y).max() < 0.02 * size for x, y in pairs)


def _draw(sketch: Sketch, found: Places, colour: str, dots: str, *, outlined: bool = False) -> None:
    if outlined and not found.scenery.is_empty:
        sketch.strokes(seen(_moment(found, colour, dots), looked))
        return
    for line in found.outlines if outlined else ():
        sketch.line(line, colour=SOFT, width=1.2)
    for line in found.lines:
        sketch.line(line, colour=colour)
    for line in found.springs:
        sketch.spring(line, colour=colour)
    for place in found.points:
        sketch.mass(place, large=False, colour=dots)
    for place in found.masses:
        sketch.mass(place, large=True, colour=dots)


def _moment(found: Places, colour: str, dots: str) -> Moment:
    """The places of a drawing that holds bodies, arrows or frames."""
    own, k = found.scenery, found.moment
    marks = [
        (x, Look(dots, r)) for r, group in ((6.0, found.points), (10.0, found.masses)) for x in group
    ]
    return Moment(
        solids=[(each.mesh, each.corners(k)) for each in own.bodies],
        lines=[*((x, SOFT, 1.2) for x in found.outlines), *((x, colour, 3.0) for x in found.lines)],
        springs=[(x, colour, 1.6) for x in found.springs],
        points=marks,
        arrows=[(each.words, each.corners(k)) for each in own.arrows],
        frames=[(each.words, each.corners(k)) for each in own.frames],
        size=float(np.ptp(np.concatenate([np.atleast_2d(x) for x in found.every]), axis=0).max()),
    )


def _supports(sketch: Sketch, known: Anatomy, joints: list[Array], now: Places) -> None:
    """Hinges where something turns about a fixed place, walls at others that hold what moves.

    Where the drawing has its own ground a hinge is a pin on it.
    """
    for k in sorted(known.fixed):
        ends = [b if a == k else a for a, b in known.links if k in (a, b)]
        others = [joints[end] for end in ends if end not in known.fixed]
        if not others:
            continue
        if any(_meets(sketch, line, joints[k]) for line in now.outlines):
            if k in known.turning:
                sketch.pin(joints[k])
            continue
        out = sketch.way(joints[k] - np.mean(others, axis=0))
        if k in known.turning and known.down is not None:
            down = sketch.way(known.down)
            out = down if out @ down > 0.3 else -down
        if out.any():
            (sketch.hinge if k in known.turning else sketch.wall)(joints[k], _upright(out))


def _meets(sketch: Sketch, line: Array, place: Array) -> bool:
    """Whether a line passes a place, to some pixels."""
    x, through = sketch.at(place), sketch.at(line)
    for a, b in pairwise(through):
        share = np.clip((x - a) @ (b - a) / max(float((b - a) @ (b - a)), 1e-300), 0.0, 1.0)
        if np.linalg.norm(x - a - share * (b - a)) < 4.0:
            return True
    return False


def _upright(out: Array) -> Array:
    """The nearest of the four ways along the sides of the paper."""
    k = int(np.argmax(np.abs(out)))
    return np.asarray(np.eye(2)[k] * np.sign(out[k]))


def _clamps(sketch: Sketch, system: System, parts: Parts, shown: Point) -> None:
    """Walls and hinges where a body that bends is held."""
    for r in (r for line in parts.lines for r in line if _varies(r)):
        curve = body(system, r, shown)[0]
        for held, end, next_to in zip(held_ends(system, r, shown), (0, -1), (1, -2), strict=True):
            if held:
                draw = sketch.hinge if held == "hinged" else sketch.wall
                draw(curve[end], _upright(sketch.way(curve[end] - curve[next_to])))


def _names(
    sketch: Sketch, system: System, known: Anatomy, joints: list[Array], shown: Point, said: set[str]
) -> None:
    """Names beside lengths, angles at their arcs, arrows along ways; none that a label says already."""
    names = [x.name for x in system.coordinates]
    for link, (name, sign, base, zero) in known.angles.items():
        begin = zero + (_direction(joints, base) if base is not None else 0.0)
        turned = float(np.angle(np.exp(1j * sign * shown.q[0, names.index(name)])))
        reach = 0.42 * float(np.linalg.norm(sketch.at(joints[link[1]]) - sketch.at(joints[link[0]])))
        sketch.angle(joints[link[0]], begin, turned, name, float(np.clip(reach, 22.0, 60.0)))
    for (a, b), name in known.lengths.items():
        if name in said:
            continue
        sketch.length(joints[a], joints[b], name, 22.0 if (a, b) in known.elastic else 15.0)
    for k, (name, along) in known.ways.items():
        out = sketch.way(along)
        if out.any():
            sketch.arrow_beside(joints[k], out, name)


def _direction(joints: list[Array], link: Link) -> float:
    way = joints[link[1]] - joints[link[0]]
    return float(np.arctan2(way[1], way[0]))
