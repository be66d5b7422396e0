"""The ask `picture`: the mechanism where it is, with what can be taken by hand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import numpy as np

from routh.arrays import Array
from routh.display.pictures.mechanism import posed
from routh.display.pictures.sketch import Window, flat
from routh.display.report.findings import Findings
from routh.errors import DeclarationError
from routh.studio.answers.easel import easel
from routh.studio.answers.pose import Pose, held_names, pose
from routh.studio.answers.request import findings, number, position
from routh.studio.bench import Bench
from routh.studio.plain import plain

NOTHING = 'The model draws nothing. Write [drawing] with points or lines, like points = ["r"].'


def picture(bench: Bench, about: Mapping[str, Any]) -> dict[str, Any]:
    """`picture` {text, values, q?, view?}: the mechanism drawn where q says, or at the start.

    Returns:
        svg: with names of lengths and angles, nothing turned for show; "" without a drawing.
        handles: [{key, name, x, y}] in units of the SVG: what can be dragged; `name` may be "".
        view: {low: [x, y], scale, box: [left, top, width, height], dimension: 2 | 3}. A place seen at
            (x, y) is drawn at ((x - low_x) scale, -(y - low_y) scale). Sent back it keeps the frame.
        q: {name: number}, moved onto the constraints. held: names that constraints determine.
        words: why there is no picture, or "".
    """
    found = findings(bench, about)
    here = pose(found, position(found, about.get("q")))
    return drawn(found, here, view_of(about.get("view")))


def drawn(found: Findings, here: Pose, window: Window | None) -> dict[str, Any]:
    """The answer of `picture` and of `drag`."""
    answer: dict[str, Any] = {"q": here.named, "held": held_names(here)}
    if found.model.drawing.is_empty:
        return dict(plain(answer | {"svg": "", "handles": [], "view": None, "words": NOTHING}))
    own = easel(found)
    window = window or own.window
    title = f"The mechanism of {found.model.name or 'the model'}"
    answer["svg"] = posed(here.system, own.parts, own.told, here.point, window, title)
    places = np.array([here.read(each.place) for each in own.handles])
    answer["handles"] = [
        {"key": each.key, "name": each.name, "x": float(x), "y": float(y)}
        for each, (x, y) in zip(own.handles, on_paper(window, places), strict=True)
    ]
    dimension = int(found.model.drawing.every[0].rows)
    return dict(plain(answer | {"view": asdict(window) | {"dimension": dimension}, "words": ""}))


def on_paper(window: Window, places: Array) -> Array:
    """(k, 2): where places are drawn."""
    if not len(places):
        return np.zeros((0, 2))
    seen = (flat(places) - np.asarray(window.low)) * window.scale
    return np.asarray(seen * np.array([1.0, -1.0]))


def view_of(given: Any) -> Window | None:
    """The window that the page keeps."""
    if given is None:
        return None
    low, box = (given.get(key) if isinstance(given, Mapping) else None for key in ("low", "box"))
    if not (isinstance(low, list) and isinstance(box, list) and len(low) == 2 and len(box) == 4):
        raise DeclarationError("`view` must be what a picture gave as its `view`.")
    scale = number(given.get("scale"), "`scale` of the view")
    if scale <= 0:
        raise DeclarationError(f"`scale` of the view must be above zero. Got {scale:g}.")
    x, y = (number(each, "`low` of the view") for each in low)
    left, top, wide, high = (number(each, "`box` of the view") for each in box)
    return Window((x, y), scale, (left, top, wide, high))
