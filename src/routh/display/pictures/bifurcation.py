"""Bifurcation diagrams: branches of equilibria over a parameter."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from routh.analysis.branches.follow import Branch
from routh.analysis.given.reading import own_expression
from routh.analysis.periodic.family import PeriodicBranch
from routh.analysis.stability.verdict import Verdict
from routh.arrays import Array
from routh.display.colours import VERDICTS
from routh.display.pictures.marks import mark
from routh.display.pictures.repeating import backbone
from routh.display.pictures.style import LINES, Axes, finished, fresh, name, runs, title_of
from routh.errors import DeclarationError
from routh.mechanics.ritz.quadrature import same_equations


def are_branches(result: Any) -> bool:
    """Whether this is a branch of equilibria, several of them, or one of periodic motions."""
    several = result if isinstance(result, (list, tuple)) else [result]
    if len(several) == 1 and isinstance(several[0], PeriodicBranch):
        return True
    return bool(several) and all(isinstance(each, Branch) for each in several)


def branch_diagram(result: Any, against: Any, rpm: bool, shown: Any, axes: Axes | None) -> Axes:
    """The picture of what `follow` returned."""
    if against is not None or rpm:
        raise DeclarationError(
            "A branch runs over its parameter, so `against` and `rpm` do not go with it. Did you mean"
            " `shown`, what is drawn upwards?"
        )
    several = result if isinstance(result, (list, tuple)) else [result]
    if isinstance(several[0], PeriodicBranch):
        return backbone(several[0], shown, axes)
    return bifurcation_diagram(several, shown, axes)


def bifurcation_diagram(
    branches: Sequence[Branch], shown: Any = None, axes: Axes | None = None
) -> Axes:
    """Branches over their parameter: full lines where stable, broken where unstable."""
    first = branches[0]
    alike = [
        b.parameter == first.parameter and same_equations(b.system, first.system) for b in branches
    ]
    if not all(alike):
        raise DeclarationError("plot needs branches of one system over the same parameter.")
    axes = fresh(axes)
    shown = _most_moving(branches) if shown is None else shown
    shown = own_expression(first.system, shown, "What is drawn")
    drawn: set[Verdict] = set()
    for branch in branches:
        for verdict, at, height in _pieces(branch, shown):
            label = None if verdict in drawn else str(verdict)
            style = {"color": VERDICTS[verdict], "linestyle": LINES[verdict], "linewidth": 1.8}
            axes.plot(at, height, label=label, **style)
            drawn.add(verdict)
    points = [point for branch in branches for point in branch.points]
    mark(axes, [(point.kind, point.value, float(point.rest[shown])) for point in points])
    axes.set_xlabel(name(first.parameter))
    axes.set_ylabel(name(shown))
    axes.legend(frameon=False, fontsize=8)
    return finished(axes, f"Equilibria of {title_of(first.system)}")


def _pieces(branch: Branch, shown: Any) -> Iterator[tuple[Verdict, Array, Array]]:
    """Stretches of one verdict, parted at the special points; a lone point takes on its neighbour's."""
    verdicts = list(branch.stability.verdict)
    for k, verdict in enumerate(verdicts):
        others = {v for v in verdicts[max(k - 1, 0) : k + 2] if v is not verdict}
        if verdict is Verdict.UNDECIDED and others and len(verdicts) > 2:
            verdicts[k] = verdicts[k + 1] if k + 1 < len(verdicts) else verdicts[k - 1]
    at, height = branch.at, branch.rest[shown]
    points = {int(p._at): p for p in branch.points}
    for verdict, a, b in runs(verdicts):
        x, y = list(at[a:b]), list(height[a:b])
        if a - 1 in points:
            x.insert(0, points[a - 1].value)
            y.insert(0, float(points[a - 1].rest[shown]))
        if b - 1 in points and b < len(at):
            x.append(points[b - 1].value)
            y.append(float(points[b - 1].rest[shown]))
        elif b < len(at):
            x.append(at[b])
            y.append(height[b])
        yield verdict, np.array(x), np.array(y)


def _most_moving(branches: Sequence[Branch]) -> Any:
    """The coordinate that changes most, all branches together."""
    q = np.concatenate([branch.q for branch in branches])
    return branches[0].system.coordinates[int(np.argmax(np.ptp(q, axis=0)))]
