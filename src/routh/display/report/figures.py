"""Figures of a report: sketch, films of modes and of the motion, curves, as text that HTML can hold."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import Any

import matplotlib.pyplot as plt
import numpy as np

from routh.analysis.given.bodies import body
from routh.analysis.motion.phases import StickSlip
from routh.analysis.motion.trajectory import Trajectory
from routh.analysis.stability.natural_modes import Modes
from routh.arrays import Array
from routh.display.pictures.animate import Animation, animate
from routh.display.pictures.motions import error_diagram, motion_diagram
from routh.display.pictures.spectra import campbell_diagram, root_locus
from routh.display.pictures.style import Axes
from routh.display.report.findings import Findings
from routh.errors import SolveError
from routh.files.drawn import Drawing
from routh.files.model import Model
from routh.kernels.engine import Point
from routh.language.system import System

SWING = 0.15
"""Largest displacement of a mode, as a share of the size of what is drawn."""

FRAMES = 48
"""Frames of one period of a mode."""

FILMS = 4
"""Modes of one equilibrium that are animated."""

Figure = tuple[str, str]
"""A caption and the figure as HTML."""


def _svg(axes: Axes) -> str:
    """A figure as SVG text, closed afterwards."""
    buffer = io.StringIO()
    axes.figure.savefig(buffer, format="svg", bbox_inches="tight")
    plt.close(axes.figure)
    text = buffer.getvalue()
    return text[text.index("<svg") :]


def sketch(found: Findings) -> str:
    """The mechanism at the start, as SVG; nothing without a drawing."""
    model = found.model
    motion = found.motion
    if model.drawing.is_empty or isinstance(motion, str):
        return ""
    first = Point(*(argument[:1] for argument in motion.point().arguments))
    places = _places(found.system, model.drawing, first)
    figure = plt.figure(figsize=(4.2, 3.2))
    three = any(place.shape[-1] == 3 for kind in places.values() for line in kind for place in line)
    axes = figure.add_subplot(projection="3d" if three else None)
    for line in places["lines"]:
        axes.plot(*np.concatenate(line).T, color="#1c2733", lw=2)
    for line in places["outlines"]:
        axes.plot(*np.concatenate(line).T, color="#8894a0", lw=1)
    for a, b in places["springs"]:
        axes.plot(*_zigzag(a[0], b[0]).T, color="#5c6b7a", lw=1.2)
    large = len(model.drawing.masses)
    for k, (point,) in enumerate(places["points"]):
        size = 15 if k >= len(places["points"]) - large else 9
        axes.plot(*point.T, "o", color="#2166ac", ms=size, clip_on=False)
    for (point,), (_, words) in zip(places["labels"], model.drawing.labels, strict=True):
        axes.text(*point[0], f" {words}", color="#5c6b7a", fontsize=9, parse_math=False)
    axes.set_aspect("equal")
    axes.margins(0.2)
    axes.set_axis_off()
    return _svg(axes)


def _places(system: System, drawing: Drawing, point: Point) -> dict[str, list[list[Array]]]:
    """(places, d) of everything that is drawn, at one point of a stack."""
    found = {
        "points": [[body(system, r, point)[0]] for r in drawing.marks],
        "lines": [[body(system, r, point)[0] for r in line] for line in drawing.lines],
        "springs": [[body(system, r, point)[0] for r in pair] for pair in drawing.springs],
        "outlines": [[body(system, r, point)[0] for r in line] for line in drawing.outlines],
        "labels": [[body(system, r, point)[0]] for r, _ in drawing.labels],
    }
    for kind, each in found.items():
        for place in (place for line in each for place in line):
            _refuse_infinite(place, kind)
    return found


def _refuse_infinite(places: Array, kind: str) -> None:
    if not np.isfinite(places).all():
        raise SolveError(f"The {kind} of the drawing have no finite places here.")


def _zigzag(a: Array, b: Array, turns: int = 8) -> Array:
    """The line of a spring between two points."""
    share = np.linspace(0, 1, 2 * turns + 3)[:, None]
    line = a + share * (b - a)
    if len(a) != 2 or not np.any(b - a):
        return np.asarray(line)
    across = np.array([-(b - a)[1], (b - a)[0]]) * 0.06
    swing = np.zeros(len(share))
    swing[1:-1] = np.where(np.arange(2 * turns + 1) % 2, 1.0, -1.0)
    return np.asarray(line + swing[:, None] * across)


def _animated(model: Model) -> dict[str, Any]:
    """Points and lines of the drawing as `animate` takes them; springs are lines."""
    drawing = model.drawing
    lines = [list(line) for line in drawing.paths]
    points = {" " * k: r for k, r in enumerate(drawing.marks)}
    labels = {words + " " * k: r for k, (r, words) in enumerate(drawing.labels)}
    return {"points": points, "lines": lines, "labels": labels}


def animation_of(model: Model, motion: Trajectory | StickSlip) -> str:
    """The film of a motion as a frame of the page; nothing without a drawing."""
    if model.drawing.is_empty:
        return ""
    film = animate(motion, **_animated(model))
    for track in (*film.points.values(), *(track for line in film.lines for track in line)):
        _refuse_infinite(np.asarray(track), "points and lines")
    return _framed(film, 420)


def _framed(film: Animation, height: int) -> str:
    return film._repr_html_().replace("height:460px", f"height:{height}px")


def mode_films(model: Model, each: Modes) -> list[Figure]:
    """Films of the first modes that oscillate, about their equilibrium."""
    if model.drawing.is_empty:
        return []
    rest = each.linear.reference
    system, point = rest.system, rest.point()
    films = []
    moving = [k for k in range(len(each.frequencies)) if each.frequencies[k] > 0][:FILMS]
    for k in moving:
        shape = each.shapes[:, k]
        tracks = _tracks(system, model.drawing, point, shape)
        film = Animation(
            t=np.linspace(0, 2.0, FRAMES),
            points={" " * i: track for i, track in enumerate(tracks["points"])},
            lines=tracks["lines"],
            speed=1.0,
            title=f"mode {k + 1}",
        )
        unsure = each.converged is not None and not each.converged[k]
        told = f"Mode {k + 1}: {each.frequencies[k]:.5g} rad/s" + (", not converged" if unsure else "")
        films.append((told, _framed(film, 300)))
    return films


def _tracks(system: System, drawing: Drawing, point: Point, shape: Array) -> dict[str, Any]:
    """What is drawn along one period of a mode, (frames, d) each."""
    phases = np.exp(2j * np.pi * np.linspace(0, 1, FRAMES))
    step = _swing(system, drawing, point, np.real(shape))
    q = point.q + step * np.real(np.outer(phases, shape))
    stack = Point(*(np.repeat(argument, FRAMES, axis=0) for argument in point.arguments))
    stack = replace(stack, q=q)
    points = [body(system, r, stack)[:, 0] for r in drawing.marks]
    for place in points:
        _refuse_infinite(place, "points")
    lines = []
    for line in drawing.paths:
        found = [body(system, r, stack) for r in line]
        lines.append([each[:, j] for each in found for j in range(each.shape[1])])
    return {"points": points, "lines": lines}


def _swing(system: System, drawing: Drawing, point: Point, shape: Array) -> float:
    """By how much of a mode to move, so that what is drawn moves by a share of its size."""
    drawn = [*drawing.marks, *(r for line in drawing.paths for r in line)]

    def places(at: Point) -> Array:
        return np.concatenate([body(system, r, at)[0] for r in drawn])

    still = places(point)
    size = float(np.ptp(still, axis=0).max()) or 1.0
    tiny = 1e-4 / max(float(np.abs(shape).max()), 1e-300)
    moved = float(np.abs(places(replace(point, q=point.q + tiny * shape)) - still).max())
    return tiny * SWING * size / moved if moved > 0 else tiny


def campbell(swept: Modes, parameter: str) -> list[Figure]:
    """Frequencies and eigenvalues along a parameter."""
    return [
        (
            "Frequencies of the modes; where one grows its line is dotted.",
            _svg(campbell_diagram(swept, parameter)),
        ),
        ("Eigenvalues in the complex plane along the parameter.", _svg(root_locus(swept))),
    ]


def motion_figures(model: Model, motion: Trajectory | StickSlip) -> list[Figure]:
    """Curves over time, and a phase portrait of the first coordinate."""
    shown = [_read(model, text) for text in model.analysis.motion.shown] or None
    along = motion_diagram(motion, None, shown, None)
    along.set_xlabel("t in s")
    found = [("Along the motion.", _svg(along))]
    first = motion.system.coordinates[0]
    portrait = motion_diagram(motion, first, None, None)
    unit = model.units.get(first.name)
    if unit:
        portrait.set_xlabel(f"{portrait.get_xlabel()} in {unit}")
        portrait.set_ylabel(f"{portrait.get_ylabel()} in {unit}/s")
    found.append(("Phase portrait.", _svg(portrait)))
    if isinstance(motion, Trajectory):
        found.append(("Errors along the motion.", _svg(error_diagram(motion))))
    return found


def _read(model: Model, text: str) -> Any:
    """An expression of the model that is to be shown."""
    return model.expression(text)
