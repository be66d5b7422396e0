"""How special points are marked in diagrams of branches."""

from __future__ import annotations

from collections.abc import Sequence

from routh.analysis.stability.branch_words import Kind
from routh.display.pictures.style import Axes

MARKS = {
    Kind.FOLD: ("s", "fold"),
    Kind.BRANCH: ("o", "branch point"),
    Kind.HOPF: ("D", "Hopf point"),
    Kind.FLUTTER: ("^", "flutter point"),
    Kind.CHANGE: ("v", "change of stability"),
    Kind.PERIOD_DOUBLING: ("P", "period doubling"),
}
"""How special points are drawn, and called."""


def mark(axes: Axes, points: Sequence[tuple[Kind, float, float]]) -> None:
    """Special points at places of a picture, each kind with its word in the legend once."""
    marked: set[Kind] = set()
    for kind, x, y in points:
        marker, word = MARKS[kind]
        axes.plot(
            x, y, marker, color="black", markersize=6, markerfacecolor="white", markeredgewidth=1.4,
            zorder=5, label=None if kind in marked else word,
        )  # fmt: skip
        marked.add(kind)
