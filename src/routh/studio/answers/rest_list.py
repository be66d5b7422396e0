"""The ask `rests`: equilibria with verdicts, reasons and thumbnails, and the landscape around them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

import routh as rt
from routh.analysis.rest.result import Equilibrium
from routh.display.pictures.heights import heights
from routh.display.pictures.mechanism import Parts, thumbnail_at
from routh.display.report.findings import Findings, reason
from routh.errors import RouthError
from routh.mechanics.forms.printing import latex
from routh.studio.answers.read_model import coordinate_range
from routh.studio.answers.request import findings
from routh.studio.answers.standing import place_of
from routh.studio.bench import Bench
from routh.studio.plain import plain

LINE, PLANE = 241, 81
"""Points of a landscape along each coordinate."""

THUMBNAIL = 96.0
"""Pixels of the larger side of a thumbnail."""


def rests(bench: Bench, about: Mapping[str, Any]) -> dict[str, Any]:
    """`rests` {text, values}: the equilibria that reports show.

    Returns:
        rests: [{q, rates, place, verdict, reason, family, energy, thumbnail}]: `family` is how many
            ways there are to go on resting (0 for an isolated one), `energy` the dynamic potential
            V - T0 there, `thumbnail` SVG or "". verdict is "" where there is none, with why in reason.
        completeness: whether there may be others. none: why there is none, or null.
        zone: with friction, where contacts hold the system, in words; null elsewhere.
        landscape: null, or V - T0 over one or two coordinates {kind: "line", x: {name, latex, values},
            z: [...]}, {kind: "plane", x, y, z: [[z over x] for each y]}.
    """
    found = findings(bench, about)
    bench.progress(None, "Looking for equilibria")
    every = found.rests
    none = every if isinstance(every, str) else None
    listed = [] if isinstance(every, str) else every
    if not listed and none is None:
        none = found.completeness
    answer = {
        "rests": [_rest(found, k, rest) for k, rest in enumerate(listed)],
        "completeness": "" if none else found.completeness,
        "none": none,
        "zone": _zone(found),
        "landscape": _landscape(found, listed),
    }
    return dict(plain(answer))


def _rest(found: Findings, k: int, rest: Equilibrium) -> dict[str, Any]:
    verdict = found.verdicts[k]
    words = ("", verdict) if isinstance(verdict, str) else (str(verdict.verdict), reason(verdict))
    level = heights(rest.system, rest.conditions, rest.q[None])[0]
    return place_of(found, rest) | {
        "verdict": words[0],
        "reason": words[1],
        "family": found.family(k),
        "energy": float(level),
        "thumbnail": _thumbnail(found, rest, k + 1),
    }


def _thumbnail(found: Findings, rest: Equilibrium, number: int) -> str:
    if found.model.drawing.is_empty:
        return ""
    parts = Parts.of(found.model.drawing)
    try:
        return thumbnail_at(rest.system, parts, rest.point(), f"Equilibrium {number}", THUMBNAIL)
    except RouthError:  # something has no finite place here; the numbers say where it is
        return ""


def _zone(found: Findings) -> str | None:
    """Where contacts that stick hold a system with friction; None where that is not told."""
    model = found.model
    if not model.system.friction:
        return None
    try:
        return str(rt.stick_zone(found.system, found.values, guess=model.guess, inputs=model.inputs))
    except (RouthError, TypeError):
        return None


def _landscape(found: Findings, listed: list[Equilibrium]) -> dict[str, Any] | None:
    system = found.system
    plain_system = not (system.constraints or system.shapes or found.model.analysis.speeds)
    if not listed or not plain_system or len(system.coordinates) > 2:
        return None
    points = LINE if len(system.coordinates) == 1 else PLANE
    axes = [np.linspace(*_range(found, k, listed), points) for k in range(len(system.coordinates))]
    grid = np.stack(np.meshgrid(*axes), axis=-1).reshape(-1, len(axes))
    z = heights(listed[0].system, listed[0].conditions, grid)
    told = [
        {"name": x.name, "latex": latex(x), "values": line}
        for x, line in zip(system.coordinates, axes, strict=True)
    ]
    if len(axes) == 1:
        return {"kind": "line", "x": told[0], "z": z}
    return {"kind": "plane", "x": told[0], "y": told[1], "z": z.reshape(points, points)}


def _range(found: Findings, k: int, listed: list[Equilibrium]) -> tuple[float, float]:
    """The range of a coordinate, widened to all rests."""
    low, high = coordinate_range(found.model, k)
    places = [float(rest.q[k]) for rest in listed]
    return min(low, *places), max(high, *places)
