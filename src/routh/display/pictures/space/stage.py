"""What is seen of a scene in space at one moment, as strokes in the order of drawing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from routh.arrays import Array
from routh.display.pictures.coils import zigzag
from routh.display.pictures.space.painter import Stroke, painted
from routh.display.pictures.space.solids import Mesh

TINTS = ((127, 159, 196), (217, 164, 108), (127, 178, 154), (171, 145, 196), (190, 170, 120))
"""Red, green and blue of bodies, in order, as in the player."""

AXES = {"x": "#c2334d", "y": "#1b8f5c", "z": "#3b7dd8"}
"""Colours of the axes of a frame."""

ARROWS = ("#d95f02", "#1b7f5c", "#7b3294", "#a6761d", "#e7298a", "#2166ac")
"""Colours of arrows, in order."""

SUN = np.array([-0.35, 0.55, 0.76]) / np.linalg.norm([-0.35, 0.55, 0.76])
"""Where light comes from: over the left shoulder."""

DARKEST, PALE, EDGE = 0.62, 0.6, 0.45
"""Light on what is turned away; how far the second tone is from white; edges beside their faces."""

FORWARD = 0.003
"""By how much of the size of the scene edges and points lie before the faces they are on."""

Looking = Callable[[Array], Array]
"""Turns places (..., 3) of space to right, up, and towards the eye."""


@dataclass(frozen=True, eq=False)
class Look:
    """How a stroke is drawn: faces have a colour, lines a width, points a radius or a head's way."""

    colour: str
    width: float = 0.0
    words: str = ""
    way: Array | None = None


@dataclass(frozen=True, eq=False)
class Moment:
    """Everything in space at one moment.

    Attributes:
        solids: bodies with their vertices (N, 3) where they are.
        lines, springs: (k, 3) each, with the colour and the width of lines.
        points: (3,) each, with colour, radius and words.
        arrows: (2, 3) each, foot and tip, with words.
        frames: (4, 3) each, origin and tips, with words.
    """

    solids: Sequence[tuple[Mesh, Array]] = ()
    lines: Sequence[tuple[Array, str, float]] = ()
    springs: Sequence[tuple[Array, str, float]] = ()
    points: Sequence[tuple[Array, Look]] = ()
    arrows: Sequence[tuple[str, Array]] = ()
    frames: Sequence[tuple[str, Array]] = ()
    size: float = 1.0


def seen(moment: Moment, looking: Looking) -> list[Stroke]:
    """Strokes of a moment, the farthest first; places are to the right, up, and towards the eye."""
    faces: list[Stroke] = []
    thin: list[Stroke] = []
    near = np.array([0.0, 0.0, FORWARD * moment.size])
    for number, (mesh, corners) in enumerate(moment.solids):
        tint = np.array(TINTS[number % len(TINTS)])
        own, edges = _body(mesh, looking(corners), tint, near)
        faces += own
        thin += edges
    for places, colour, width in moment.lines:
        thin += _through(looking(places), Look(colour, width))
    for places, colour, width in moment.springs:
        coiled = (zigzag(a, b, moment.size) for a, b in pairwise(places))
        thin += [each for coil in coiled for each in _through(looking(coil), Look(colour, width))]
    thin += [Stroke(looking(place)[None] + near, look) for place, look in moment.points]
    for k, (words, ends) in enumerate(moment.arrows):
        thin += _pointed(looking(ends), ends, ARROWS[k % len(ARROWS)], words)
    for words, corners in moment.frames:
        for (letter, colour), tip in zip(AXES.items(), corners[1:], strict=True):
            ends = np.array([corners[0], tip])
            thin += _pointed(looking(ends), ends, colour, letter)
        thin.append(Stroke(looking(corners[:1]), Look("", words=words)))
    return painted(faces, thin)


def ground(low: Array, high: Array) -> list[Array]:
    """Lines (2, 3) of squares of a round size under a box, at the height of its lowest place."""
    raw = (float(np.linalg.norm(high - low)) or 1.0) / 8
    power = 10.0 ** np.floor(np.log10(raw))
    step = power * next(m for m in (1, 2, 5, 10) if m * power >= raw)
    (west, south), (east, north) = np.floor(low[:2] / step), np.ceil(high[:2] / step)
    along = [[(k, south), (k, north)] for k in np.arange(west, east + 1)]
    across = [[(west, k), (east, k)] for k in np.arange(south, north + 1)]
    return [np.array([[x * step, y * step, low[2]] for x, y in line]) for line in (*along, *across)]


def _body(mesh: Mesh, corners: Array, tint: Array, near: Array) -> tuple[list[Stroke], list[Stroke]]:
    """The faces of a body that are towards the eye, and its edges between them."""
    faces, visible = [], []
    for face, tone in zip(mesh.faces, mesh.tones, strict=True):
        places = corners[list(face)]
        normal = np.cross(places, np.roll(places, -1, axis=0)).sum(axis=0)
        normal = normal / (float(np.linalg.norm(normal)) or 1.0)
        visible.append(abs(normal[2]) > 1e-6 and (not mesh.closed or normal[2] > 0))
        if visible[-1]:
            colour = _shade(tint, tone, normal if normal[2] > 0 else -normal)
            faces.append(Stroke(places, Look(colour)))
    dark = Look(_hex(EDGE * tint), 0.9)
    edges = [
        Stroke(corners[[i, j]] + near, dark) for i, j, f, g in mesh.edges if visible[f] or visible[g]
    ]
    return faces, edges


def _through(places: Array, look: Look) -> list[Stroke]:
    return [Stroke(np.array(pair), look) for pair in pairwise(places)]


def _pointed(places: Array, ends: Array, colour: str, words: str) -> list[Stroke]:
    """The shaft of an arrow and its head."""
    head = Look(colour, 0.0, words, way=ends[1] - ends[0])
    return [Stroke(places, Look(colour, 2.0)), Stroke(places[1:], head)]


def _shade(tint: Array, tone: int, normal: Array) -> str:
    light = DARKEST + (1 - DARKEST) * max(0.0, float(normal @ SUN))
    return _hex(light * (tint + PALE * (255 - tint) if tone else tint))


def _hex(colour: Array) -> str:
    return "#" + "".join(f"{round(float(x)):02x}" for x in colour)
