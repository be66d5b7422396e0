"""The landscape of the dynamic potential with the equilibria on it."""

from __future__ import annotations

import numpy as np
from matplotlib.ticker import MaxNLocator

from routh.analysis.search.equilibria import Equilibria
from routh.arrays import Array
from routh.display.colours import VERDICTS
from routh.display.pictures.heights import heights
from routh.display.pictures.style import Axes, finished, fresh, name, title_of
from routh.errors import DeclarationError

POINTS = 241
"""Points along each coordinate."""

LEVELS = 25
"""Levels of height, with equal areas between them: flat valleys have as many as steep walls."""


def landscape(found: Equilibria, axes: Axes | None = None) -> Axes:
    """The dynamic potential V - T0 over one or two coordinates, from its lowest value in the box."""
    searched = found.box.searched.tolist()
    if found.system.constraints or len(searched) not in (1, 2):
        raise DeclarationError(
            "A landscape is drawn over one or two coordinates without constraints. Got"
            f" {len(searched)} coordinates and {len(found.system.constraints)} constraints."
        )
    if found.rest.conditions.momenta:
        raise DeclarationError("A landscape at given momenta is not drawn. Give the rates in `speeds`.")
    axes = fresh(axes)
    lines = [np.linspace(found.box.low[k], found.box.high[k], POINTS) for k in searched]
    grid = np.stack(np.meshgrid(*lines, indexing="ij"), axis=-1).reshape(-1, len(searched))
    height = _potential(found, searched, grid)
    lowest = np.nanmin(height)
    height -= lowest
    if len(searched) == 1:
        axes.plot(lines[0], height, color="#444444")
        axes.set_ylabel("dynamic potential")
    else:
        levels = np.unique(np.nanquantile(height, np.linspace(0, 0.99, LEVELS)))
        drawn = axes.contourf(
            *lines, height.reshape(POINTS, POINTS).T, levels=levels, cmap="Greys", alpha=0.75,
            extend="max",
        )  # fmt: skip
        axes.contour(*lines, height.reshape(POINTS, POINTS).T, levels=levels, colors="white",
                     linewidths=0.4)  # fmt: skip
        axes.figure.colorbar(drawn, ax=axes, ticks=MaxNLocator(6)).set_label("dynamic potential")
        axes.set_ylabel(name(found.system.coordinates[searched[1]]))
    axes.set_xlabel(name(found.system.coordinates[searched[0]]))
    _equilibria(axes, found, searched, lowest)
    axes.legend(frameon=True, framealpha=0.9, fontsize=8, loc="upper left", bbox_to_anchor=(0, -0.14),
                ncols=4)  # fmt: skip
    title = f"Equilibria of {title_of(found.system)}"
    return finished(axes, title, grid=len(searched) == 1)


def _potential(found: Equilibria, searched: list[int], grid: Array) -> Array:
    """(N,) -L at rest, NaN where it is not finite."""
    if not len(found):
        raise DeclarationError("There is no equilibrium in the box to draw.")
    q = np.zeros((len(grid), len(found.box.low)))
    q[:, searched] = grid
    return heights(found.system, found.rest.conditions, q)


def _equilibria(axes: Axes, found: Equilibria, searched: list[int], lowest: float) -> None:
    places = found.q[:, searched]
    if len(searched) == 1:
        places = np.column_stack([places[:, 0], _potential(found, searched, places) - lowest])
    drawn = set()
    for place, verdict, size in zip(places, found.stability.verdict, found.dimension, strict=True):
        kind = f"one of a family, {verdict}" if size else str(verdict)
        label = None if kind in drawn else kind
        axes.plot(*place, "o", color=VERDICTS[verdict], markersize=8, markeredgecolor="white",
                  label=label, clip_on=False, zorder=5)  # fmt: skip
        drawn.add(kind)
