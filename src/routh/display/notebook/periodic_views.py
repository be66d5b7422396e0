"""Motions that repeat: multipliers, families, and the motions themselves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from routh.analysis.periodic.family import PeriodicBranch, PeriodicPoint
from routh.analysis.periodic.multipliers import Floquet
from routh.analysis.periodic.periodic_motion import PeriodicMotion
from routh.analysis.stability.verdict import Verdict
from routh.display.notebook import html_pieces as page
from routh.display.notebook.html_pieces import Cells, number
from routh.display.notebook.rest_views import batch_table, clean
from routh.display.notebook.symbol_names import symbol
from routh.display.notebook.thumbnails import drawn, thumbnail
from routh.display.notebook.view_kinds import html_of
from routh.errors import DerivationError, capital


@html_of.register
def _(found: Floquet) -> str:
    if found.monodromy.ndim > 2:
        return page.whole(page.said(str(found)), thumbnail(found, "stability chart"), _chart(found))
    told = f"Over a period of {float(found.period):.6g} s; nearest to {found.near}, growth"
    shifted = f"{found.trivial} of them are 1, since it can be shifted in time or in its family."
    return page.whole(
        page.heading(f"Multipliers of {found.system.title}"),
        page.paragraph(page.mark(found.verdict)),
        page.said(f"{told} {float(found.growth):.4g} 1/s."),
        page.said(shifted if found.trivial else ""),
        _multipliers(found),
        drawn(lambda axes: _circle(axes, found), "multipliers and the unit circle"),
        page.matrices({"monodromy": found.monodromy}),
    )


def _multipliers(found: Floquet) -> str:
    every, exponents = found.multipliers, found.exponents

    def row(k: int) -> Cells:
        return [str(k + 1), number(every[k]), number(abs(every[k])), number(exponents[k])]

    head = ["", "multiplier", "size", "exponent in 1/s"]
    return page.table(head, len(every), row, what="multipliers", rest="`multipliers`")


def _circle(axes: Any, found: Floquet) -> None:
    """Multipliers in the complex plane."""
    turn = np.linspace(0, 2 * np.pi, 181)
    axes.plot(np.cos(turn), np.sin(turn), color="#909090", linewidth=0.9)
    axes.plot(found.multipliers.real, found.multipliers.imag, "x", color="#4a90d9", markersize=7)
    axes.set_aspect("equal", adjustable="datalim")
    axes.set_xlabel("real part")
    axes.set_ylabel("imaginary part")
    axes.spines[["top", "right"]].set_visible(False)


def _chart(found: Floquet) -> str:
    """Verdicts by point of a batch."""
    verdicts = np.ravel(np.asarray(found.verdict, dtype=object))
    growth, largest = np.ravel(found.growth), np.abs(found.multipliers).max(axis=-1).ravel()
    given = getattr(found.reference, "conditions", None)

    def row(k: int) -> Cells:
        return [number(largest[k]), number(growth[k]), page.mark(verdicts[k])]

    head = ["largest multiplier", "growth in 1/s", "verdict"]
    if given is None or given.count != len(verdicts):
        counts = [[page.mark(v), str(sum(each is v for each in verdicts))] for v in Verdict]
        return page.pairs(counts)
    return batch_table(given, head, row, words=[2], rest="`multipliers`")


@html_of.register
def _(found: PeriodicMotion) -> str:
    first = found.system.coordinates[0]
    told = str(found)
    try:
        judged = found.floquet
    except DerivationError:
        judged = None
    if judged is not None:
        told = told.removesuffix(str(judged)).strip()
    return page.whole(
        page.heading(f"Periodic motion of {found.system.title}"),
        page.said(told),
        page.paragraph(page.mark(judged.verdict)) if judged is not None else "",
        _swings(found),
        thumbnail(found.motion, "one period in the phase plane", against=first),
        page.folded("multipliers", _multipliers(judged)) if judged is not None else "",
    )


def _swings(found: PeriodicMotion) -> str:
    names, start = found.system.coordinates, clean(found.start)
    n = len(names)

    def row(k: int) -> Cells:
        size = found.amplitude(names[k])
        return [symbol(names[k]), number(start[k]), number(start[n + k]), number(size)]

    head = ["", "start", "rate", "amplitude"]
    return page.table(head, n, row, words=(0,), what="coordinates", rest="`start`")


@html_of.register
def _(branch: PeriodicBranch) -> str:
    return page.whole(
        page.said(str(branch).splitlines()[0]),
        thumbnail(branch, "amplitude over the frequency or the parameter"),
        _special(branch.points),
        _followed(branch),
    )


def _special(points: Sequence[PeriodicPoint]) -> str:
    def row(k: int) -> Cells:
        point = points[k]
        return [page.prose(capital(str(point.kind))), number(point.value), number(point.motion.period)]

    if not points:
        return ""
    head = ["what happens", _moved(points[0].parameter), "period in s"]
    return page.table(head, len(points), row, words=(0,), what="points", rest="`points`")


def _moved(parameter: Any) -> str:
    """What is moved along a branch: a word, or a parameter."""
    return str(parameter) if parameter in ("amplitude", "energy") else symbol(parameter)


def _followed(branch: PeriodicBranch) -> str:
    periods, verdicts = branch.periods, branch.verdicts

    def row(k: int) -> Cells:
        return [number(branch.at[k]), number(periods[k]), page.mark(verdicts[k])]

    head = [_moved(branch.parameter), "period in s", ""]
    inside = page.table(head, len(branch), row, words=[2], what="motions", rest="`motions`")
    return page.folded(f"the {len(branch)} motions", inside)


@html_of.register
def _(point: PeriodicPoint) -> str:
    return page.whole(_special([point]))
