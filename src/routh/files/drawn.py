"""What a model file draws: points, lines, springs, circles, curves, ground, labels; bodies in space."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
import sympy

from routh.errors import DeclarationError, listed
from routh.files.drawing_schema import DrawingPart, SolidPart
from routh.language.calculus import vector
from routh.shown import as_markdown

ROUND = 48
"""Sides of a circle as it is drawn."""

STROKES = 12
"""Strokes below a piece of ground."""

SHAPES = ("box", "cylinder", "cone", "disc", "sphere")
"""Words for bodies in space."""

EDGED = ("box", "sphere")
"""Those that have no axis about which they are round, or any."""

Line = tuple[Any, ...]
"""Vectors that a line runs through."""

Read = Callable[..., Any]
"""Reads a text of the table at a path within it."""


@dataclass(frozen=True)
class Drawing:
    """What a picture of the mechanism shows.

    Attributes:
        points, masses: vectors by the text of the file; masses are drawn large.
        lines: each a list of vectors that it runs through.
        springs: pairs of vectors.
        outlines: thin lines: circles, curves and the ground with its strokes.
        labels: vectors with the words beside them.
        bodies: bodies in space, each as `animate` takes it.
        arrows: words, place and vector.
        frames: words, origin and rotation.
    """

    points: dict[str, Any] = field(default_factory=dict)
    masses: dict[str, Any] = field(default_factory=dict)
    lines: tuple[Line, ...] = ()
    springs: tuple[tuple[Any, Any], ...] = ()
    outlines: tuple[Line, ...] = ()
    labels: tuple[tuple[Any, str], ...] = ()
    bodies: tuple[dict[str, Any], ...] = ()
    arrows: tuple[tuple[str, Any, Any], ...] = ()
    frames: tuple[tuple[str, Any, Any], ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to draw."""
        return not self.every

    @property
    def marks(self) -> list[Any]:
        """Points and masses."""
        return [*self.points.values(), *self.masses.values()]

    @property
    def paths(self) -> tuple[Line, ...]:
        """All lines: of bodies, of springs, thin ones."""
        return (*self.lines, *self.springs, *self.outlines)

    @property
    def every(self) -> list[Any]:
        """Every vector that is drawn."""
        spatial = [x["at"] for x in self.bodies]
        spatial += [r for _, at, along in self.arrows for r in (at, along)]
        spatial += [at for _, at, _ in self.frames]
        through = [r for path in self.paths for r in path]
        return [*self.marks, *through, *(r for r, _ in self.labels), *spatial]

    _repr_markdown_ = as_markdown


def drawing_of(part: DrawingPart, place: Read, scalar: Read, rotation: Read) -> Drawing:
    """What the table asks for; `place`, `scalar` and `rotation` read its texts.

    Raises:
        DeclarationError: vectors of two and of three components, a circle in space, or a body without
            shape or rotation.
    """

    def through(kind: str) -> tuple[Line, ...]:
        return tuple(
            tuple(place(text, kind, k, j) for j, text in enumerate(line))
            for k, line in enumerate(getattr(part, kind))
        )

    circles = [
        _circle(place(c.at, "circles", k, "at"), scalar(c.radius, "circles", k, "radius"))
        for k, c in enumerate(part.circles)
    ]
    curves = [_curve(part, k, place, scalar) for k in range(len(part.curves))]
    ground = [hatched for line in through("ground") for hatched in _hatched(line)]
    found = Drawing(
        points={text: place(text, "points", k) for k, text in enumerate(part.points)},
        masses={text: place(text, "masses", k) for k, text in enumerate(part.masses)},
        lines=through("lines"),
        springs=through("springs"),
        outlines=(*circles, *curves, *ground),
        labels=tuple((place(x.at, "labels", k, "at"), x.text) for k, x in enumerate(part.labels)),
        bodies=tuple(_solid(x, k, place, scalar, rotation) for k, x in enumerate(part.bodies)),
        arrows=tuple(
            (x.text, place(x.at, "arrows", k, "at"), place(x.along, "arrows", k, "along"))
            for k, x in enumerate(part.arrows)
        ),
        frames=tuple(
            (x.text, place(x.at, "frames", k, "at"), rotation(x.rotation, "frames", k, "rotation"))
            for k, x in enumerate(part.frames)
        ),
    )
    sizes = {r.rows for r in found.every}
    if len(sizes) > 1 or not sizes <= {2, 3}:
        raise DeclarationError(
            "what is drawn must have two components everywhere, or three. Got"
            f" {' and '.join(map(str, sorted(sizes)))}."
        )
    if sizes == {2} and (found.bodies or found.arrows or found.frames):
        raise DeclarationError(
            "bodies, arrows and frames are drawn in space, at vectors of three components. Got two."
            " Write [x, 0, z] for [x, z]."
        )
    return found


def _solid(part: SolidPart, k: int, place: Read, scalar: Read, rotation: Read) -> dict[str, Any]:
    """A body in space, as `animate` takes it."""
    shapes = [word for word in SHAPES if getattr(part, word) is not None]
    if len(shapes) != 1:
        raise DeclarationError(
            f"`bodies.{k + 1}` needs one shape of {', '.join(SHAPES)}. Got {listed(shapes)}."
        )
    (kind,) = shapes
    if part.rotation is None and kind != "sphere":
        raise DeclarationError(
            f"`bodies.{k + 1}`, a {kind}, needs its `rotation`: a name of [rotations], or"
            ' rotation = "1" if it keeps its direction.'
        )
    if part.axis is not None and kind in EDGED:
        raise DeclarationError(
            f"`bodies.{k + 1}`, a {kind}, has no `axis`: that is for what is round. Leave it out."
        )
    given = getattr(part, kind)
    sizes = given if isinstance(given, tuple) else (given,)
    return {
        kind: tuple(scalar(x, "bodies", k, kind, j) for j, x in enumerate(sizes)),
        "at": place(part.at, "bodies", k, "at"),
        "rotation": rotation(part.rotation or "1", "bodies", k, "rotation"),
    } | ({} if part.axis is None else {"axis": part.axis})


def _circle(centre: Any, radius: Any) -> Line:
    """A circle in the plane as a closed line."""
    if centre.rows != 2:
        raise DeclarationError(
            "a circle is drawn in the plane, about a point of two components. Write one in space as a"
            ' curve, like {along = "[R*cos(u), R*sin(u), 0]", name = "u", from = 0, to = "2*pi"}. Got'
            f" {centre.rows}."
        )
    angles = np.linspace(0, 2 * np.pi, ROUND + 1)
    turns = [vector(sympy.Float(np.cos(a)), sympy.Float(np.sin(a))) for a in angles[:-1]]
    return tuple(centre + radius * turn for turn in (*turns, turns[0]))


def _curve(part: DrawingPart, k: int, place: Read, scalar: Read) -> Line:
    """A curve as a line through places at equal steps of its parameter."""
    curve = part.curves[k]
    u = sympy.Dummy(curve.name, real=True)
    along = place(curve.along, "curves", k, "along", names={curve.name: u})
    low, high = scalar(curve.start, "curves", k, "from"), scalar(curve.end, "curves", k, "to")
    steps = [low + (high - low) * sympy.Rational(j, curve.points - 1) for j in range(curve.points)]
    return tuple(along.xreplace({u: step}) for step in steps)


def _hatched(line: Line) -> list[Line]:
    """The ground along a line, and strokes below: to the right of the way along it."""
    if any(r.rows != 2 for r in line):
        return [line]
    found: list[Line] = [line]
    for a, b in pairwise(line):
        step = (b - a) / STROKES
        stroke = vector(step[1] - step[0], -step[0] - step[1]) / 2
        found += [(a + k * step, a + k * step + stroke) for k in range(1, STROKES + 1)]
    return found
