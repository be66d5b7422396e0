"""Legends, where they hide no curve."""

from __future__ import annotations

from routh.display.pictures.style import Axes

COLUMNS = 4
"""Names beside each other."""


def beneath(axes: Axes) -> None:
    """The legend below the axes; none where nothing has a name."""
    count = len(axes.get_legend_handles_labels()[1])
    if count:
        axes.legend(
            frameon=False,
            fontsize=8,
            loc="upper left",
            bbox_to_anchor=(0.0, -0.13),
            ncols=min(count, COLUMNS),
            borderaxespad=0.0,
        )
