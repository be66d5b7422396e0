"""What a model file draws: points, lines and springs, circles, curves, the ground, labels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
import sympy

from routh.errors import DeclarationError
from routh.files.schema import DrawingPart
from routh.language.calculus import vector
from routh.shown import as_markdown

ROUND = 48
"""Sides of a circle as it is drawn."""

STROKES = 12
"""Strokes below a piece of ground."""

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
    """

    points: dict[str, Any] = field(default_factory=dict)
    masses: dict[str, Any] = field(default_factory=dict)
    lines: tuple[Line, ...] = ()
    springs: tuple[tuple[Any, Any], ...] = ()
    outlines: tuple[Line, ...] = ()
    labels: tuple[tuple[Any, str], ...] = ()

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
        return [*self.marks, *(r for path in self.paths for r in path), *(r for r, _ in self.labels)]

    _repr_markdown_ = as_markdown


def drawing_of(part: DrawingPart, place: Read, scalar: Read) -> Drawing:
    """What the table asks for; `place` and `scalar` read its texts.

    Raises:
        DeclarationError: vectors of two and of three components, or a circle in space.
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
    )
    sizes = {r.rows for r in found.every}
    if len(sizes) > 1 or not sizes <= {2, 3}:
        raise DeclarationError(
            "what is drawn must have two components everywhere, or three. Got"
            f" {' and '.join(map(str, sorted(sizes)))}."
        )
    return found


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
