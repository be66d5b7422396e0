"""The landscape of the dynamic potential with the equilibria on it."""

from __future__ import annotations

import numpy as np
from matplotlib.ticker import MaxNLocator

from routh.analysis.equilibria import Equilibria
from routh.display.style import VERDICTS, Axes, finished, fresh, name
from routh.errors import DeclarationError
from routh.kernels.batch import Array
from routh.kernels.kernel import kernel

POINTS = 241
"""Points along each coordinate."""


def landscape(found: Equilibria, axes: Axes | None = None) -> Axes:
    """The dynamic potential V - T0 over one or two coordinates, from its lowest value in the box."""
    searched = found.box.searched.tolist()
    if found.system.constraints or len(searched) not in (1, 2):
        raise DeclarationError(
            "A landscape is drawn over one or two coordinates without constraints. Got"
            f" {len(searched)} coordinates and {len(found.system.constraints)} constraints."
        )
    axes = fresh(axes)
    lines = [np.linspace(found.box.low[k], found.box.high[k], POINTS) for k in searched]
    grid = np.stack(np.meshgrid(*lines, indexing="ij"), axis=-1).reshape(-1, len(searched))
    height = _potential(found, searched, grid)
    height -= np.nanmin(height)
    if len(searched) == 1:
        axes.plot(lines[0], height, color="#444444")
        axes.set_ylabel("dynamic potential")
    else:
        top = np.nanpercentile(height, 99)
        levels = np.linspace(0, top, 25)
        drawn = axes.contourf(
            *lines, height.reshape(POINTS, POINTS).T, levels=levels, cmap="Greys", alpha=0.75,
            extend="max",
        )  # fmt: skip
        axes.contour(*lines, height.reshape(POINTS, POINTS).T, levels=levels, colors="white",
                     linewidths=0.4)  # fmt: skip
        axes.figure.colorbar(drawn, ax=axes, ticks=MaxNLocator(6)).set_label("dynamic potential")
        axes.set_ylabel(name(found.system.coordinates[searched[1]]))
    axes.set_xlabel(name(found.system.coordinates[searched[0]]))
    _equilibria(axes, found, searched)
    axes.legend(frameon=True, framealpha=0.9, fontsize=8, loc="upper left", bbox_to_anchor=(0, -0.14),
                ncols=4)  # fmt: skip
    title = f"Equilibria of {found.system.title.replace('`', '')}"
    return finished(axes, title, grid=len(searched) == 1)


def _potential(found: Equilibria, searched: list[int], grid: Array) -> Array:
    """(N,) -L at rest, NaN where it is not finite."""
    engine = kernel(found.system)
    given = found.rest.conditions if len(found) else None
    if given is None:
        raise DeclarationError("There is no equilibrium in the box to draw.")
    given = given.chosen(np.zeros(len(grid), dtype=np.intp))
    q = np.zeros((len(grid), len(found.box.low)))
    q[:, searched] = grid
    with np.errstate(all="ignore"):
        level = -engine.lagrangian(given.point(engine, q, np.zeros((len(grid), 0))))
    return np.where(np.isfinite(level), level, np.nan)


def _equilibria(axes: Axes, found: Equilibria, searched: list[int]) -> None:
    places = found.q[:, searched]
    if len(searched) == 1:
        low = np.nanmin(_potential(found, searched, np.linspace(
            found.box.low[searched[0]], found.box.high[searched[0]], POINTS)[:, None]))  # fmt: skip
        places = np.column_stack([places[:, 0], _potential(found, searched, places) - low])
    drawn = set()
    for place, verdict in zip(places, found.stability.verdict, strict=True):
        label = None if verdict in drawn else str(verdict)
        axes.plot(*place, "o", color=VERDICTS[verdict], markersize=8, markeredgecolor="white",
                  label=label, clip_on=False, zorder=5)  # fmt: skip
        drawn.add(verdict)
