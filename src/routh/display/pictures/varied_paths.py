"""Hamilton's principle in a picture: the action over the size of a variation, and the paths."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
import numpy as np

from routh.analysis.paths.action import Action
from routh.arrays import Array
from routh.display.colours import MODES
from routh.display.pictures.style import Axes, finished, name, title_of
from routh.errors import DeclarationError, did_you_mean, listed
from routh.language.symbols import named

SINES = 3
"""Shapes by which the coordinate is varied in the picture."""

DRAWN = 201
"""Times at which paths are drawn."""

SIZES = np.linspace(-1.0, 1.0, 41)
"""Sizes of the variation, in units of how far the coordinate moves."""


def action_diagram(found: Action, shown: Any, axes: Axes | None) -> Axes:
    """S over the size of variations of one coordinate; on new axes also the paths, beside it."""
    coordinates = found.system.coordinates
    q = (
        coordinates[0]
        if shown is None
        else named(shown, coordinates)
        if isinstance(shown, str)
        else shown
    )
    if q not in coordinates:
        raise DeclarationError(
            f"`shown` is the coordinate that is varied. Got `{shown}`. Coordinates:"
            f" {listed(coordinates)}." + did_you_mean(str(shown), coordinates)
        )
    beside = None
    if axes is None:
        _, (axes, beside) = plt.subplots(1, 2, figsize=(9.6, 4.2), layout="constrained")
    t = found.motion.t
    motion = found.motion(np.linspace(t[0], t[-1], DRAWN))
    curve = motion.q[:, coordinates.index(q)]
    size = float(np.ptp(curve)) or 1.0
    for k in range(1, min(SINES, found.shapes) + 1):
        colour = MODES[(k - 1) % len(MODES)]
        value = found.varied(size * SIZES, q, k) - found.value
        axes.plot(size * SIZES, value, color=colour, linewidth=1.3, label=_label(k))
        if beside is not None:
            _paths(beside, motion.t, curve, size, k, colour)
    axes.axhline(0, color="#999999", linewidth=0.6)
    axes.plot(0, 0, "o", color="#222222", markersize=4)
    axes.set_xlabel(rf"$\varepsilon$, size of the variation of {name(q)}")
    axes.set_ylabel(r"$S(\varepsilon) - S$")
    axes.legend(frameon=False, fontsize=8)
    if beside is not None:
        beside.plot(motion.t, curve, color="#222222", linewidth=1.6)
        beside.set_xlabel("t")
        beside.set_ylabel(name(q))
        finished(beside, "The motion and paths beside it")
    return finished(axes, f"Action of {title_of(found.system)}")


def _label(k: int) -> str:
    return rf"$\sin({k if k > 1 else ''}\pi\tau)$"


def _paths(axes: Axes, t: Array, curve: Array, size: float, k: int, colour: str) -> None:
    sine = np.sin(k * np.pi * (t - t[0]) / (t[-1] - t[0]))
    for share in (-0.5, 0.5):
        axes.plot(t, curve + share * size * sine, color=colour, linewidth=0.9)
