"""Lines, names and axes that all pictures share."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
import sympy
from matplotlib.mathtext import MathTextParser

from routh.analysis.stability.verdict import Verdict
from routh.language.system import System
from routh.mechanics.forms.printing import latex

Axes = Any
"""matplotlib.axes.Axes"""

LINES = {
    Verdict.STABLE: "-",
    Verdict.ASYMPTOTICALLY_STABLE: "-",
    Verdict.UNSTABLE: "--",
    Verdict.UNDECIDED: ":",
}


def title_of(system: System) -> str:
    """The name of a system for a title."""
    return system.title.replace("`", "")


def fresh(axes: Axes | None) -> Axes:
    """The axes to draw on: those given, or new ones."""
    if axes is not None:
        return axes
    _, made = plt.subplots(figsize=(6.4, 4.4), layout="constrained")
    return made


def name(symbol: object) -> str:
    """A symbol as a label with Greek letters and subscripts."""
    given = sympy.Symbol(symbol) if isinstance(symbol, str) else symbol
    written = f"${latex(given)}$"
    try:
        MathTextParser("path").parse(written)
    except ValueError:  # a letter that its author sets with more of LaTeX than Matplotlib knows
        return str(given)
    return written


def finished(axes: Axes, title: str, *, grid: bool = True) -> Axes:
    """Axes with a title and without what distracts."""
    axes.set_title(title, fontsize=10, loc="left", parse_math=False)  # a name may have dollars
    axes.spines[["top", "right"]].set_visible(False)
    if grid:
        axes.grid(visible=True, linewidth=0.4, alpha=0.5)
    return axes


def runs(labels: list[Any]) -> list[tuple[Any, int, int]]:
    """Stretches of equal labels: (label, first, one after the last)."""
    found: list[tuple[Any, int, int]] = []
    for k, label in enumerate(labels):
        if found and found[-1][0] == label:
            found[-1] = (label, found[-1][1], k + 1)
        else:
            found.append((label, k, k + 1))
    return found
