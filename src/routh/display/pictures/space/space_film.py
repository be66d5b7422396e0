"""Motions in space as pictures of matplotlib, seen as the player shows them at first."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import groupby
from typing import Any

import numpy as np
from matplotlib.collections import LineCollection, PolyCollection

from routh.arrays import Array
from routh.display.colours import MODES
from routh.display.pictures.animation_page import Shown
from routh.display.pictures.sketch import looked
from routh.display.pictures.space.painter import Stroke
from routh.display.pictures.space.stage import Look, Moment, ground, seen

INK, SOFT, GRID = "#1c2733", "#5c6b7a", "#dfe4e9"
"""Colours of lines, of springs and words, of the ground."""


def space_frames(figure: Any, animation: Shown) -> Callable[[float], None]:
    """Draws what moves in space, at any time."""
    places = np.concatenate([*animation.tracks, *animation.scenery.places()])
    low, high = places.min(axis=0), places.max(axis=0)
    axes = figure.add_axes((0.02, 0.04, 0.96, 0.88))
    axes.set_axis_off()
    axes.set_aspect("equal")
    axes.set_title(animation.title, fontsize=10, loc="left", parse_math=False)
    rules = [looked(line)[:, :2] for line in ground(low, high)]
    axes.add_collection(LineCollection(rules, colors=GRID, linewidths=0.8, zorder=0))
    seen_at = np.concatenate([looked(places)[:, :2], *rules])
    middle, half = (seen_at.min(axis=0) + seen_at.max(axis=0)) / 2, 0.52 * np.ptp(seen_at, axis=0).max()
    axes.set_xlim(middle[0] - half, middle[0] + half)
    axes.set_ylim(middle[1] - half, middle[1] + half)
    size = float((high - low).max()) or 1.0
    kept: list[Any] = []

    def show(time: float) -> None:
        while kept:
            kept.pop().remove()
        kept.extend(_put(axes, seen(_moment(animation, time, size), looked)))

    return show


def at_time(t: Array, track: Array, time: float) -> Array:
    """A track (T, ...) between its samples."""
    k = int(np.clip(np.searchsorted(t, time, side="right") - 1, 0, max(len(t) - 2, 0)))
    j = min(k + 1, len(t) - 1)
    share = (time - t[k]) / (t[j] - t[k]) if t[j] > t[k] else 0.0
    return np.asarray(track[k] + share * (track[j] - track[k]))


def _moment(animation: Shown, time: float, size: float) -> Moment:
    t, own = animation.t, animation.scenery

    def along(lines: Any) -> list[Array]:
        return [np.array([at_time(t, track, time) for track in line]) for line in lines]

    dots = [
        (at_time(t, track, time), Look(MODES[k % len(MODES)], 7.0, name.strip()))
        for k, (name, track) in enumerate(animation.points.items())
    ]
    words = [(at_time(t, x, time), Look(SOFT, 0.0, name)) for name, x in animation.labels.items()]
    nearest = int(np.abs(t - time).argmin())
    return Moment(
        solids=[(each.mesh, each.corners(nearest)) for each in own.bodies],
        lines=[(line, INK, 1.8) for line in along(animation.lines)],
        springs=[(line, SOFT, 1.2) for line in along(animation.springs)],
        points=[*dots, *words],
        arrows=[(x.words, at_time(t, x.corners(), time)) for x in own.arrows],
        frames=[(each.words, each.corners(nearest)) for each in own.frames],
        size=size,
    )


def _put(axes: Any, order: list[Stroke]) -> Iterator[Any]:
    """Strokes as artists, neighbours of one kind together."""
    for level, (kind, group) in enumerate(groupby(order, key=lambda each: min(len(each.places), 3)), 1):
        strokes = list(group)
        places = [each.places[:, :2] for each in strokes]
        colours = [each.look.colour for each in strokes]
        if kind == 3:
            faces = PolyCollection(places, facecolors=colours, edgecolors=colours, linewidths=0.7)
            yield axes.add_collection(faces)
            faces.set_zorder(level)
        elif kind == 2:
            widths = [each.look.width for each in strokes]
            lines = LineCollection(places, colors=colours, linewidths=widths, capstyle="round")
            yield axes.add_collection(lines)
            lines.set_zorder(level)
        else:
            for each in strokes:
                yield from _point(axes, each, level)


def _point(axes: Any, each: Stroke, level: int) -> Iterator[Any]:
    """A dot, the head of an arrow, or words."""
    (x, y), look = each.places[0, :2], each.look
    if look.way is not None:
        along = looked(look.way)[:2]
        angle = float(np.degrees(np.arctan2(along[1], along[0]))) - 90
        yield axes.plot(x, y, marker=(3, 0, angle), ms=8, color=look.colour, zorder=level)[0]
    elif look.width:
        yield axes.plot(x, y, "o", ms=look.width, color=look.colour, zorder=level)[0]
    if look.words.strip():
        put = {"textcoords": "offset points", "fontsize": 9, "parse_math": False, "zorder": level}
        colour = look.colour if look.way is not None else SOFT
        yield axes.annotate(look.words, (x, y), (5, 4), color=colour, **put)
