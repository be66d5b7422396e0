"""Animations as films, drawn with matplotlib."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from subprocess import CalledProcessError
from typing import Any, Protocol

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.animation import FFMpegWriter, PillowWriter

from routh.arrays import Array
from routh.display.colours import MODES
from routh.display.pictures.coils import zigzag
from routh.errors import DeclarationError, WriteError

MOST_FRAMES = 1500
"""A minute; a longer motion is shown faster."""


class Shown(Protocol):
    """What is filmed: tracks of points, lines and springs over time."""

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
    tracks = animation.tracks
    three = tracks[0].shape[1] == 3
    figure = plt.figure(figsize=(4.8, 4.8), dpi=100)
    axes = figure.add_subplot(projection="3d" if three else None)
    _frame(axes, np.concatenate(tracks), three)
    axes.set_title(animation.title, fontsize=10, loc="left", parse_math=False)
    clock = figure.text(0.98, 0.02, "", ha="right", fontsize=9)
    drawn = [
        axes.plot(*[[]] * (3 if three else 2), color="#1c2733", lw=1.8)[0] for _ in animation.lines
    ]
    coils = [
        axes.plot(*[[]] * (3 if three else 2), color="#5c6b7a", lw=1.2)[0] for _ in animation.springs
    ]
    size = float(np.ptp(np.concatenate(tracks), axis=0).max())
    dots = [
        axes.plot(*[[]] * (3 if three else 2), "o", color=MODES[k % len(MODES)], ms=7)[0]
        for k in range(len(animation.points))
    ]
    words = [
        axes.text(*animation.labels[each][0], f" {each}", color="#5c6b7a", fontsize=9, parse_math=False)
        for each in animation.labels
    ]
    writer = PillowWriter(fps=rate) if path.suffix.lower() == ".gif" else FFMpegWriter(fps=rate)
    try:
        with writer.saving(figure, str(path), dpi=100):
            for time in times:
                for curve, line in zip(drawn, animation.lines, strict=True):
                    _put(curve, np.array([_at(t, track, time) for track in line]))
                for curve, line in zip(coils, animation.springs, strict=True):
                    ends = np.array([_at(t, track, time) for track in line])
                    _put(curve, np.concatenate([zigzag(a, b, size) for a, b in pairwise(ends)]))
                for dot, track in zip(dots, animation.points.values(), strict=True):
                    _put(dot, _at(t, track, time)[None])
                for word, track in zip(words, animation.labels.values(), strict=True):
                    x, y, *height = _at(t, track, time)
                    word.set_position((x, y))
                    if height:
                        word.set_z(height[0])
                clock.set_text(f"t = {time:.4g}")
                writer.grab_frame()
    except CalledProcessError as error:
        raise WriteError(
            f"The program `ffmpeg` did not write the film; it ended with {error.returncode}. Save it as"
            " .gif or .html."
        ) from error
    finally:
        plt.close(figure)


def _at(t: Array, track: Array, time: float) -> Array:
    return np.array([np.interp(time, t, column) for column in track.T])


def _put(curve: Any, places: Array) -> None:
    curve.set_data(places[:, 0], places[:, 1])
    if places.shape[1] == 3:
        curve.set_3d_properties(places[:, 2])


def _frame(axes: Any, places: Array, three: bool) -> None:
    """Axes that hold every place, equal in all directions."""
    low, high = places.min(axis=0), places.max(axis=0)
    middle, half = (low + high) / 2, 0.55 * max(float((high - low).max()), 1e-12)
    names = ("x", "y", "z")[: 3 if three else 2]
    for name, centre in zip(names, middle, strict=True):
        getattr(axes, f"set_{name}lim")(centre - half, centre + half)
    if three:
        axes.set_box_aspect((1, 1, 1))
        axes.tick_params(labelsize=6, pad=-2)
        axes.locator_params(nbins=4)
    else:
        axes.set_aspect("equal")
        axes.spines[["top", "right"]].set_visible(False)
        axes.tick_params(labelsize=8)
