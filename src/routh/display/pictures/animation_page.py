"""The page that plays an animation: its player with the tracks written into it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from html import escape
from importlib.resources import files
from math import floor, log10
from typing import Any, Protocol

import numpy as np

from routh.arrays import Array
from routh.display.pictures.sketch import TILT, YAW
from routh.display.pictures.space.scenery import Scenery

MOST_FRAMES = 4000
"""Samples that a page holds; more are thinned out."""

DIGITS = 5
"""Significant digits of what is drawn: a thousandth of a pixel."""


class Shown(Protocol):
    """What is played or filmed: tracks of points, lines and springs over time, and what is in space."""

    @property
    def t(self) -> Array: ...
    @property
    def speed(self) -> float: ...
    @property
    def points(self) -> Mapping[str, Array]: ...
    @property
    def lines(self) -> Sequence[Sequence[Array]]: ...
    @property
    def springs(self) -> Sequence[Sequence[Array]]: ...
    @property
    def tracks(self) -> Sequence[Array]: ...
    @property
    def labels(self) -> Mapping[str, Array]: ...
    @property
    def title(self) -> str: ...
    @property
    def scenery(self) -> Scenery: ...
    @property
    def counted(self) -> str: ...


def played(animation: Shown, most: int = MOST_FRAMES) -> dict[str, Any]:
    """What a player needs, as plain data: tracks of at most so many samples; `space` where it is 3D."""
    t, scenery = animation.t, animation.scenery
    step = max(1, -(-len(t) // most))
    shown = np.unique([*range(0, len(t), step), len(t) - 1])
    places = np.concatenate([*animation.tracks, *scenery.places()])
    low, high = places.min(axis=0), places.max(axis=0)
    size = float((high - low).max())
    data = _tracked(animation, shown, size)
    if len(low) == 3:
        data["space"] = {"low": _rounded(low, size), "high": _rounded(high, size)}
        data["space"] |= _spatial(scenery, shown, size)
    return data


def page(animation: Shown) -> str:
    """One file, from which nothing is loaded; motions in space have a player that is turned."""
    data = played(animation)
    in_space = "space" in data
    text = json.dumps(data, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
    where = f" in space: {animation.counted}" if in_space else ""
    pictures = files("routh.display.pictures")
    drawing = pictures.joinpath("space/space_player.js" if in_space else "plane_player.js")
    parts = {
        "title": escape(animation.title),
        "data": text,
        "told": escape(f"animation of {animation.title}{where}"),
        "drawing": drawing.read_text(encoding="utf-8").replace("{{view}}", json.dumps([YAW, TILT])),
    }
    frame = pictures.joinpath("player.html").read_text(encoding="utf-8")
    # in one pass, so that nothing a title says is taken for a mark
    return re.sub(r"\{\{(\w+)\}\}", lambda mark: parts[mark[1]], frame)


def _tracked(animation: Shown, shown: Array, size: float) -> dict[str, Any]:
    """Points, lines, springs and words at the moments that are shown."""
    t = animation.t
    span = float(t[-1] - t[0])

    def named(tracks: Any) -> list[dict[str, Any]]:
        return [{"name": name, "track": _track(x[shown], size)} for name, x in tracks.items()]

    def through(lines: Any) -> list[list[Any]]:
        return [[_track(track[shown], size) for track in line] for line in lines]

    return {
        "t": _rounded(t[shown], span),
        "points": named(animation.points),
        "lines": through(animation.lines),
        "springs": through(animation.springs),
        "labels": named(animation.labels),
        "speed": animation.speed,
        "trail": min(span / 4, 4.0 * animation.speed),
    }


def _spatial(scenery: Scenery, shown: Array, size: float) -> dict[str, Any]:
    """Bodies, arrows and frames at the moments that are shown; rotations row by row."""
    bodies = [
        {
            "vertices": [_rounded(x, 1e-3 * size) for x in each.mesh.vertices],
            "faces": each.mesh.faces,
            "tones": each.mesh.tones,
            "edges": each.mesh.edges,
            "closed": each.mesh.closed,
            "at": _track(each.centre[shown], size),
            "turn": _track(each.turn[shown].reshape(-1, 9), 1.0),
        }
        for each in scenery.bodies
    ]
    arrows = [
        {"name": x.words, "foot": _track(x.foot[shown], size), "way": _track(x.way[shown], size)}
        for x in scenery.arrows
    ]
    frames = [
        {
            "name": each.words,
            "at": _track(each.centre[shown], size),
            "turn": _track(each.turn[shown].reshape(-1, 9), 1.0),
            "length": each.length,
        }
        for each in scenery.frames
    ]
    return {"bodies": bodies, "arrows": arrows, "frames": frames}


def _track(track: Array, size: float) -> list[list[float]]:
    """The places of a point; one alone if it does not move."""
    chosen = track[:1] if (track == track[0]).all() else track
    return [_rounded(place, size) for place in chosen]


def _rounded(values: Array, size: float) -> list[float]:
    """Numbers to so many digits of the size of all that is drawn."""
    digits = DIGITS - floor(log10(size)) if size > 0 else DIGITS
    return [round(float(value), digits) for value in values]
