"""The order in which a scene in space is drawn, the farthest first.

The plane of one face parts all others: what lies on the side of the eye is drawn after it, what lies on
the other side before, and what is cut by it goes in two pieces to both. So on to each side, until no
face is left (Fuchs, Kedem and Naylor 1980, On visible surface generation by a priori tree structures,
SIGGRAPH 14). It is exact where a sorting by distance is not: for long faces, and for such as pass
through each other. The player does the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from routh.arrays import Array

CLOSE = 1e-7
"""Share of the size of the scene within which a place lies in a plane."""


@dataclass(frozen=True, eq=False)
class Stroke:
    """A face of three or more places, a piece of a line of two, a point of one.

    Attributes:
        places: (k, 3) right and up on the paper, and towards the eye.
        look: how it is drawn.
        wall: the plane of a face, normal and offset; pieces keep that of the whole.
    """

    places: Array
    look: Any
    wall: tuple[Array, float] | None = None


def painted(faces: Sequence[Stroke], thin: Sequence[Stroke]) -> list[Stroke]:
    """Faces, lines and points in the order of drawing, cut where they pass through each other.

    No face may be seen along its edge. Lines and points do not hide faces: beyond all planes they are
    sorted by distance.
    """
    every = [each.places for each in (*faces, *thin)]
    if not every:
        return []
    close = CLOSE * (float(np.ptp(np.concatenate(every), axis=0).max()) or 1.0)
    order: list[Stroke] = []
    flat = [replace(each, wall=plane(each.places)) for each in faces]
    waiting: list[tuple[list[Stroke], list[Stroke]] | list[Stroke]] = [(flat, list(thin))]
    while waiting:
        group = waiting.pop()
        if isinstance(group, list):
            order += group
            continue
        walls, lines = group
        if not walls:
            order += sorted(lines, key=lambda each: float(each.places[:, 2].mean()))
            continue
        # taken out before it parts the others: rounded corners need not lie in their own plane
        chosen = walls.pop(len(walls) // 2)
        assert chosen.wall is not None
        here, near, far = _parted(walls, *chosen.wall, close)
        along, before, behind = _parted(lines, *chosen.wall, close)
        waiting += [(near, [*before, *along]), [chosen, *here], (far, behind)]
    return order


def plane(places: Array) -> tuple[Array, float]:
    """The unit normal of a flat face, towards the eye, and its distance from the origin."""
    normal = np.cross(places, np.roll(places, -1, axis=0)).sum(axis=0)
    normal = normal / (float(np.linalg.norm(normal)) or 1.0)
    normal = normal if normal[2] > 0 else -normal
    return normal, float(normal @ places[0])


def _parted(
    strokes: list[Stroke], normal: Array, offset: float, close: float
) -> tuple[list[Stroke], list[Stroke], list[Stroke]]:
    """What lies in a plane, before it and behind it."""
    here: list[Stroke] = []
    near: list[Stroke] = []
    far: list[Stroke] = []
    if not strokes:
        return here, near, far
    starts = np.cumsum([0, *(len(each.places) for each in strokes)])
    away = np.concatenate([each.places for each in strokes]) @ normal - offset
    low = np.minimum.reduceat(away, starts[:-1])
    high = np.maximum.reduceat(away, starts[:-1])
    for k, each in enumerate(strokes):
        if high[k] <= close and low[k] >= -close:
            here.append(each)
        elif low[k] >= -close:
            near.append(each)
        elif high[k] <= close:
            far.append(each)
        else:
            before, behind = _cut(each.places, away[starts[k] : starts[k + 1]], close)
            near.append(replace(each, places=before))
            far.append(replace(each, places=behind))
    return here, near, far


def _cut(places: Array, away: Array, close: float) -> tuple[Array, Array]:
    """A face or a piece of a line in two, by the distances of its places from a plane."""
    before: list[Array] = []
    behind: list[Array] = []
    count = len(places)
    for k in range(count):
        if away[k] >= -close:
            before.append(places[k])
        if away[k] <= close:
            behind.append(places[k])
        if k + 1 == count == 2:
            break
        j = (k + 1) % count
        if min(away[k], away[j]) < -close and max(away[k], away[j]) > close:
            share = away[k] / (away[k] - away[j])
            cut = places[k] + share * (places[j] - places[k])
            before.append(cut)
            behind.append(cut)
    return np.array(before), np.array(behind)
