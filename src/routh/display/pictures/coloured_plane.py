"""Planes in colours: words with a legend, numbers with a bar; large ones in cells."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from matplotlib.colors import ListedColormap
from matplotlib.patches import Patch

from routh.arrays import Array
from routh.display.pictures.downsampled import (
    Cells,
    Read,
    edges,
    is_geometric,
    numbers_in_cells,
    words_in_cells,
)
from routh.display.pictures.style import Axes

WITHIN = (0.8, 0.9)
"""How much of the height and width of empty axes labels and legends leave, at least."""


def words_drawn(
    axes: Axes, along: tuple[Array, Array], read: Read, labels: Sequence[str], colours: Sequence[str],
    *, turned: bool = False,
) -> None:  # fmt: skip
    """Draw codes that stand for words, with those that occur in the legend.

    Arguments:
        axes: where to draw.
        along: the numbers up and across, or across and up where the plane is `turned`: rows and
            columns of what is read.
        read: gives rows of codes from 0 on.
        labels: the words.
        colours: their colours.
        turned: whether rows are drawn from left to right.
    """
    shape = (len(along[0]), len(along[1]))
    cells = words_in_cells(read, shape, _room(axes, turned=turned), len(labels))
    _mesh(axes, along, cells, turned, cmap=ListedColormap(list(colours)), vmin=-0.5,
          vmax=len(labels) - 0.5)  # fmt: skip
    legend(axes, [(labels[code], colours[code]) for code in cells.present], cells.note)


def numbers_drawn(
    axes: Axes, along: tuple[Array, Array], read: Read, label: str, *, turned: bool = False
) -> None:
    """Draw numbers, with a bar that says what they are; arguments as of `words_drawn`."""
    shape = (len(along[0]), len(along[1]))
    cells = numbers_in_cells(read, shape, _room(axes, turned=turned))
    drawn = _mesh(axes, along, cells, turned)
    axes.figure.colorbar(drawn, ax=axes, label=label)
    legend(axes, [], cells.note)


def legend(axes: Axes, labels: Sequence[tuple[str, str]], note: str) -> None:
    """Words with their colours below the axes, and a note on how they were drawn."""
    if not labels and not note:
        return
    axes.legend(
        handles=[Patch(facecolor=c, edgecolor="#777777", label=label) for label, c in labels],
        title=note or None, title_fontsize=7, alignment="left", fontsize=8, frameon=False,
        loc="upper left", bbox_to_anchor=(0, -0.14), ncols=2,
    )  # fmt: skip


def scaled(axes: Axes, across: Array, up: Array) -> None:
    """A logarithmic axis where numbers are a geometric row."""
    for scale, numbers in ((axes.set_xscale, across), (axes.set_yscale, up)):
        if is_geometric(numbers):
            scale("log")


def _room(axes: Axes, *, turned: bool) -> tuple[int, int]:
    """How many rows and columns of cells have a pixel at least, whatever stands beside them."""
    box = axes.get_window_extent()
    up, across = int(WITHIN[0] * box.height), int(WITHIN[1] * box.width)
    return (across, up) if turned else (up, across)


def _mesh(axes: Axes, along: tuple[Array, Array], cells: Cells, turned: bool, **more: Any) -> Any:
    borders = [
        edges(numbers, step, geometric=is_geometric(numbers))
        for numbers, step in zip(along, cells.steps, strict=True)
    ]
    up, across = reversed(borders) if turned else borders
    values = cells.turned.values if turned else cells.values
    drawn = axes.pcolormesh(across, up, values, rasterized=True, **more)
    scaled(axes, *((along[0], along[1]) if turned else (along[1], along[0])))
    return drawn
