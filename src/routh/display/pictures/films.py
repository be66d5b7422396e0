"""What a player shows of a model file: its drawing along a motion, or along one period of a mode."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from routh.analysis.motion.phases import StickSlip
from routh.analysis.motion.trajectory import Trajectory
from routh.analysis.stability.natural_modes import Modes
from routh.arrays import Array
from routh.display.pictures.animate import Animation, animate
from routh.display.pictures.mechanism import Parts, Places, places_along, trails
from routh.display.pictures.sketch import lettered
from routh.files.drawn import Drawing
from routh.kernels.engine import Point

SWING = 0.15
"""Largest displacement of a mode, as a share of the size of what is drawn."""

FRAMES = 48
"""Frames of one period of a mode."""


def motion_film(motion: Trajectory | StickSlip, drawing: Drawing) -> Animation:
    """A drawing along a motion; arrows that are never there are left out."""
    return animate(
        motion,
        points={" " * k: r for k, r in enumerate(drawing.marks)},
        lines=[list(line) for line in (*drawing.lines, *drawing.outlines)],
        springs=[list(line) for line in drawing.springs],
        bodies=drawing.bodies,
        arrows={
            words + " " * k: (at, along)
            for k, (words, at, along) in enumerate(drawing.arrows)
            if any(np.any(motion[e]) for e in along)
        },
        frames={words + " " * k: pair for k, (words, *pair) in enumerate(drawing.frames)},
        labels={lettered(words) + " " * k: r for k, (r, words) in enumerate(drawing.labels)},
    )


def mode_film(each: Modes, k: int, parts: Parts, moments: Sequence[Places]) -> Animation:
    """A drawing along one period of a mode, without its growth or decay; at a pace of its own without.

    `moments` are what `mode_moments` found.
    """
    w = float(each.frequencies[k])
    period = 2 * np.pi / w if w > 0 else 2.0
    return Animation(
        t=np.linspace(0, period, len(moments)),
        points={" " * i: track for i, track in enumerate(trails(moments))},
        lines=_tracks([[*m.lines, *m.outlines] for m in moments]),
        springs=_tracks([m.springs for m in moments]),
        speed=period / 2,
        title=f"mode {k + 1}",
        labels={
            lettered(words) + " " * i: np.array([m.labels[i] for m in moments])
            for i, (_, words) in enumerate(parts.labels)
        },
        scenery=moments[0].scenery,
    )


def mode_moments(each: Modes, k: int, parts: Parts) -> list[Places]:
    """Everything that is drawn along one period of a mode."""
    rest = each.linear.reference
    system, point, shape = rest.system, rest.point(), each.shapes[:, k]
    step = swing(each, np.real(shape), parts)
    phases = np.exp(2j * np.pi * np.linspace(0, 1, FRAMES))
    q = point.q + step * np.real(np.outer(phases, shape))
    stack = Point(*(np.repeat(argument, FRAMES, axis=0) for argument in point.arguments))
    return places_along(system, parts, replace(stack, q=q))


def swing(each: Modes, shape: Array, parts: Parts) -> float:
    """By how much of a mode to move, so that what is drawn moves by a share of its size."""
    rest = each.linear.reference
    point = rest.point()

    def spread(at: Point) -> Array:
        (only,) = places_along(rest.system, parts, at)
        return np.concatenate([np.atleast_2d(x) for x in only.every])

    here = spread(point)
    size = float(np.ptp(here, axis=0).max()) or 1.0
    tiny = 1e-4 / max(float(np.abs(shape).max()), 1e-300)
    moved = float(np.abs(spread(replace(point, q=point.q + tiny * shape)) - here).max())
    return tiny * SWING * size / moved if moved > 0 else tiny


def _tracks(moments: Sequence[Sequence[Array]]) -> list[list[Array]]:
    """(frames, d) tracks of every place of every line, from lines at every frame."""
    stacked = [np.array(line) for line in zip(*moments, strict=True)]
    return [[line[:, j] for j in range(line.shape[1])] for line in stacked]
