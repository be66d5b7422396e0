"""Shapes of bodies in space as flat faces: box, cylinder, cone, disc, sphere.

Round bodies have sectors of two tones, so that their spin is seen.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from routh.arrays import Array

SIDES = 24
"""Sides of what is round."""

BANDS = 10
"""Bands of a sphere from pole to pole."""

Face = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Mesh:
    """A body as flat faces.

    Attributes:
        vertices: (N, 3) along the axes of the body, about its place.
        faces: numbers of vertices, counterclockwise seen from outside.
        tones: 0 or 1 for each face.
        edges: two vertices and the faces on both sides of a drawn line; one face twice at a rim.
        closed: whether there is an inside, so that the far faces are hidden.
    """

    vertices: Array
    faces: tuple[Face, ...]
    tones: tuple[int, ...]
    edges: tuple[tuple[int, int, int, int], ...]
    closed: bool = True


def box(a: float, b: float, c: float) -> Mesh:
    """A box with its middle at its place, with edges along x, y and z."""
    signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    faces = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
    return Mesh(signs * np.array([a, b, c]) / 2, faces, (0,) * 6, _borders(faces))


def cylinder(radius: float, height: float) -> Mesh:
    """A cylinder with its middle at its place."""
    ring = _ring(radius)
    up = np.array([0, 0, height / 2])
    vertices = np.concatenate([ring - up, ring + up, [-up, up]])
    sides = [(k, _next(k), SIDES + _next(k), SIDES + k) for k in range(SIDES)]
    faces = (*sides, *_cap(0, 2 * SIDES, up=False), *_cap(SIDES, 2 * SIDES + 1, up=True))
    tones = (*(_sector(k) for k in range(SIDES)), 0, 1, 0, 1, 1, 0, 1, 0)
    return Mesh(vertices, faces, tones, _rims(faces, 2 * SIDES))


def cone(radius: float, height: float) -> Mesh:
    """A cone that stands with its tip at its place and opens upwards."""
    vertices = np.concatenate([_ring(radius) + np.array([0, 0, height]), [[0, 0, 0], [0, 0, height]]])
    sides = [(SIDES, _next(k), k) for k in range(SIDES)]
    faces = (*sides, *_cap(0, SIDES + 1, up=True))
    return Mesh(vertices, faces, (*(_sector(k) for k in range(SIDES)), 1, 0, 1, 0), _rims(faces, SIDES))


def disc(radius: float) -> Mesh:
    """A thin disc about its place."""
    vertices = np.concatenate([_ring(radius), [[0, 0, 0]]])
    faces = tuple(_cap(0, SIDES, up=True))
    rim = tuple((k, _next(k), k * 4 // SIDES, k * 4 // SIDES) for k in range(SIDES))
    return Mesh(vertices, faces, (0, 1, 0, 1), rim, closed=False)


def sphere(radius: float) -> Mesh:
    """A sphere about its place, in eight sectors."""
    heights = np.linspace(-np.pi / 2, np.pi / 2, BANDS + 1)[1:-1]
    rings = [np.cos(b) * _ring(radius) + [0, 0, radius * np.sin(b)] for b in heights]
    vertices = np.concatenate([*rings, [[0, 0, -radius], [0, 0, radius]]])
    south, north, top = len(vertices) - 2, len(vertices) - 1, SIDES * (BANDS - 2)
    faces: list[Face] = [(south, _next(k), k) for k in range(SIDES)]
    for j in range(BANDS - 2):
        faces += [
            (SIDES * j + k, SIDES * j + _next(k), SIDES * (j + 1) + _next(k), SIDES * (j + 1) + k)
            for k in range(SIDES)
        ]
    faces += [(top + k, top + _next(k), north) for k in range(SIDES)]
    tones = tuple((_sector(n % SIDES) + (n // SIDES >= BANDS // 2)) % 2 for n in range(len(faces)))
    return Mesh(vertices, tuple(faces), tones, ())


SHAPES: dict[str, tuple[Callable[..., Mesh], tuple[str, ...]]] = {
    "box": (box, ("a", "b", "c")),
    "cylinder": (cylinder, ("radius", "height")),
    "cone": (cone, ("radius", "height")),
    "disc": (disc, ("radius",)),
    "sphere": (sphere, ("radius",)),
}
"""How a shape is made, and what its sizes are."""

AXES = {"x": [2, 0, 1], "y": [1, 2, 0], "z": [0, 1, 2]}
"""Where the components of a shape along z go when its axis is another."""


def _ring(radius: float) -> Array:
    angles = 2 * np.pi * np.arange(SIDES) / SIDES
    return radius * np.stack([np.cos(angles), np.sin(angles), np.zeros(SIDES)], axis=1)


def _next(k: int) -> int:
    return (k + 1) % SIDES


def _sector(k: int) -> int:
    """The tone of a side: quarters of a turn, one of each tone after the other."""
    return k * 4 // SIDES % 2


def _cap(start: int, middle: int, *, up: bool) -> list[Face]:
    """The four quarters of the round end of a body."""
    step = SIDES // 4
    found = []
    for quarter in range(4):
        arc = [start + (quarter * step + k) % SIDES for k in range(step + 1)]
        found.append((middle, *(arc if up else arc[::-1])))
    return found


def _borders(faces: tuple[Face, ...]) -> tuple[tuple[int, int, int, int], ...]:
    """Every edge between two faces, once."""
    sides: dict[frozenset[int], list[int]] = {}
    for n, face in enumerate(faces):
        for pair in zip(face, (*face[1:], face[0]), strict=True):
            sides.setdefault(frozenset(pair), []).append(n)
    found = ((*sorted(pair), *own) for pair, own in sides.items() if len(own) == 2)
    return tuple((i, j, f, g) for i, j, f, g in found)


def _rims(faces: tuple[Face, ...], rings: int) -> tuple[tuple[int, int, int, int], ...]:
    """Edges between sides and round ends."""
    return tuple(e for e in _borders(faces) if max(e[:2]) < rings and e[3] >= SIDES > e[2])
