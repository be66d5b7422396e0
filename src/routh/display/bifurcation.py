"""Bifurcation diagrams: branches of equilibria over a parameter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from routh.analysis.follow import Branch
from routh.analysis.special import Kind
from routh.analysis.verdict import Verdict
from routh.display.style import LINES, VERDICTS, Axes, finished, fresh, name, runs, title_of
from routh.errors import DeclarationError

MARKERS = {Kind.FOLD: "s", Kind.BRANCH: "o", Kind.HOPF: "D", Kind.FLUTTER: "^"}
WORDS = {
    Kind.FOLD: "fold",
    Kind.BRANCH: "branch point",
    Kind.HOPF: "Hopf point",
    Kind.FLUTTER: "flutter point",
}


def bifurcation_diagram(
    branches: Sequence[Branch], shown: Any = None, axes: Axes | None = None
) -> Axes:
    """Branches over their parameter: full lines where stable, broken where unstable."""
    first = branches[0]
    if any(b.parameter != first.parameter or b.system != first.system for b in branches):
        raise DeclarationError("plot needs branches of one system over the same parameter.")
    axes = fresh(axes)
    shown = _most_moving(branches) if shown is None else shown
    drawn: set[Verdict] = set()
    for branch in branches:
        height = branch.rest[shown]
        for verdict, a, b in runs(list(branch.stability.verdict)):
            piece = slice(max(a - 1, 0), b)
            label = None if verdict in drawn or b - a < 2 else str(verdict)
            style = {"color": VERDICTS[verdict], "linestyle": LINES[verdict], "linewidth": 1.8}
            axes.plot(branch.at[piece], height[piece], label=label, **style)
            drawn |= {verdict} if label else set()
    marked: set[Kind] = set()
    for point in (p for branch in branches for p in branch.points):
        label = None if point.kind in marked else WORDS[point.kind]
        axes.plot(
            point.value, point.rest[shown], MARKERS[point.kind], color="black", markersize=6,
            markerfacecolor="white", markeredgewidth=1.4, zorder=5, label=label,
        )  # fmt: skip
        marked.add(point.kind)
    axes.set_xlabel(name(first.parameter))
    axes.set_ylabel(name(shown))
    axes.legend(frameon=False, fontsize=8)
    return finished(axes, f"Equilibria of {title_of(first.system)}")


def _most_moving(branches: Sequence[Branch]) -> Any:
    """The coordinate that changes most, all branches together."""
    q = np.concatenate([branch.q for branch in branches])
    return branches[0].system.coordinates[int(np.argmax(np.ptp(q, axis=0)))]
