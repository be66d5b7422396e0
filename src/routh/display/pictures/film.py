"""Animations as films, drawn with matplotlib."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from subprocess import CalledProcessError
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.animation import FFMpegWriter, PillowWriter

from routh.arrays import Array
from routh.display.colours import MODES
from routh.display.pictures.animation_page import Shown
from routh.display.pictures.coils import zigzag
from routh.display.pictures.space.space_film import at_time, space_frames
from routh.errors import DeclarationError, WriteError

MOST_FRAMES = 1500
"""A minute; a longer motion is shown faster."""


def film(animation: Shown, path: Path, rate: int) -> None:
    """Write an animation as .gif or .mp4, with so many frames a second."""
    if path.suffix.lower() == ".mp4" and shutil.which("ffmpeg") is None:
        raise DeclarationError(
            "An .mp4 film needs the program `ffmpeg`, which was not found. Install it, or save as .gif"
            " or .html."
        )
    t = animation.t
    count = int(np.clip(round(rate * float(t[-1] - t[0]) / animation.speed) + 1, 2, MOST_FRAMES))
    times = np.linspace(t[0], t[-1], count)
    figure = plt.figure(figsize=(4.8, 4.8), dpi=100)
    in_space = (*animation.tracks, *animation.scenery.places())[0].shape[1] == 3
    show = (space_frames if in_space else _plane_frames)(figure, animation)
    clock = figure.text(0.98, 0.02, "", ha="right", fontsize=9)
    writer = PillowWriter(fps=rate) if path.suffix.lower() == ".gif" else FFMpegWriter(fps=rate)
    try:
        with writer.saving(figure, str(path), dpi=100):
            for time in times:
                show(float(time))
                clock.set_text(f"t = {time:.4g}")
                writer.grab_frame()
    except CalledProcessError as error:
        raise WriteError(
            f"The program `ffmpeg` did not write the film; it ended with {error.returncode}. Save it as"
            " .gif or .html."
        ) from error
    finally:
        plt.close(figure)


def _plane_frames(figure: Any, animation: Shown) -> Callable[[float], None]:
    """Draws what moves in the plane, at any time."""
    t, tracks = animation.t, animation.tracks
    axes = figure.add_subplot()
    _frame(axes, np.concatenate(tracks))
    axes.set_title(animation.title, fontsize=10, loc="left", parse_math=False)
    drawn = [axes.plot([], [], color="#1c2733", lw=1.8)[0] for _ in animation.lines]
    coils = [axes.plot([], [], color="#5c6b7a", lw=1.2)[0] for _ in animation.springs]
    size = float(np.ptp(np.concatenate(tracks), axis=0).max())
    dots = [
        axes.plot([], [], "o", color=MODES[k % len(MODES)], ms=7)[0]
        for k in range(len(animation.points))
    ]
    words = [
        axes.text(*animation.labels[each][0], f" {each}", color="#5c6b7a", fontsize=9, parse_math=False)
        for each in animation.labels
    ]

    def show(time: float) -> None:
        for curve, line in zip(drawn, animation.lines, strict=True):
            curve.set_data(*np.array([at_time(t, track, time) for track in line]).T)
        for curve, line in zip(coils, animation.springs, strict=True):
            ends = np.array([at_time(t, track, time) for track in line])
            curve.set_data(*np.concatenate([zigzag(a, b, size) for a, b in pairwise(ends)]).T)
        for dot, track in zip(dots, animation.points.values(), strict=True):
            dot.set_data(*at_time(t, track, time)[:, None])
        for word, track in zip(words, animation.labels.values(), strict=True):
            word.set_position(at_time(t, track, time))

    return show


def _frame(axes: Any, places: Array) -> None:
    """Axes that hold every place, equal in both directions."""
    low, high = places.min(axis=0), places.max(axis=0)
    middle, half = (low + high) / 2, 0.55 * max(float((high - low).max()), 1e-12)
    axes.set_xlim(middle[0] - half, middle[0] + half)
    axes.set_ylim(middle[1] - half, middle[1] + half)
    axes.set_aspect("equal")
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(labelsize=8)
