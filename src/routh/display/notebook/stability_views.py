"""Modes, verdicts, maps and branches."""

from __future__ import annotations

from typing import Any

import numpy as np

from routh.analysis.branches.follow import Branch
from routh.analysis.branches.special_points import Oscillation, SpecialPoint
from routh.analysis.stability.branch_words import Kind
from routh.analysis.stability.natural_modes import Modes
from routh.analysis.stability.stability_map import StabilityMap
from routh.analysis.stability.verdict import Reason, Region, Stability, Verdict
from routh.display.notebook import html_pieces as page
from routh.display.notebook.html_pieces import COLUMNS, Cells, number
from routh.display.notebook.rest_views import batch_table, clean, given
from routh.display.notebook.symbol_names import symbol
from routh.display.notebook.thumbnails import thumbnail
from routh.display.notebook.view_kinds import html_of
from routh.errors import capital

SHAPES = 6
"""Coordinates of a shape side by side."""


@html_of.register
def _(modes: Modes) -> str:
    linear = modes.linear
    if linear.shape:
        title = f"Modes of {linear.system.title}, a batch of shape {linear.shape}"
        return page.whole(page.heading(title), _swept(modes), thumbnail(modes, "eigenvalues"))
    field = linear.system.shapes[0].field if linear.system.shapes else None
    told = str(modes).splitlines()
    accuracy = [line for line in told if line.startswith("Converged to") or "are infinite" in line]
    verdict = page.said(told[0].partition(". ")[2])
    if not linear.is_sparse:
        judged = modes.stability
        verdict = page.paragraph(page.mark(judged.verdict)) + page.said(str(judged.sentence))
    return page.whole(
        page.heading(f"Modes of {linear.system.title}"),
        verdict,
        page.said(" ".join(accuracy)),
        _table(modes),
        thumbnail(modes, f"shapes of {field}", shown=field) if field is not None else "",
        given(linear.reference.conditions),
    )


def _table(modes: Modes) -> str:
    """One row for each mode, with the shape where there are few coordinates."""
    names = modes.linear.coordinates
    known, rigid = modes.converged, modes.rigid
    few = len(names) <= SHAPES and not modes.linear.system.shapes
    shapes = modes.shapes if few else None

    def row(k: int) -> Cells:
        w, ratio = float(modes.frequencies[k]), float(modes.damping[k])
        cells = [str(k + 1), _pair(modes.pair(k)), "rigid body" if rigid[k] else number(w)]
        cells += [number(w / (2 * np.pi)) if w else "", "" if np.isnan(ratio) else number(ratio)]
        cells += [] if known is None else ["yes" if known[k] else "no"]
        return cells + ([] if shapes is None else [_entry(x) for x in shapes[:, k]])

    head = ["mode", "eigenvalues in 1/s", "frequency in rad/s", "in Hz", "damping ratio"]
    head += [] if known is None else ["converged"]
    head += [] if shapes is None else [symbol(q) for q in names]
    return page.table(head, len(modes.frequencies), row, what="modes", rest="`eigenvalues`")


def _pair(pair: Any) -> str:
    """Two conjugate eigenvalues, two opposite ones, or as they are."""
    first = complex(pair[0])
    if first.imag:
        size = number(abs(first.imag))
        return f"{number(first.real)} &plusmn; {size}i" if first.real else f"&plusmn; {size}i"
    if len(pair) == 2 and pair[1] == -first and first:
        return f"&plusmn; {number(abs(first.real))}"
    return ", ".join(number(s.real) for s in pair)


def _entry(x: complex) -> str:
    """An entry of a shape; a complex one by its size and its phase."""
    if abs(complex(x).imag) < 1e-12:
        return number(complex(x).real, 4)
    return f"{number(abs(x), 4)} &ang; {number(np.degrees(np.angle(x)), 3)}&deg;"


def _swept(modes: Modes) -> str:
    conditions = modes.linear.reference.conditions
    w, ratio = (conditions.stacked(each) for each in (modes.frequencies, modes.damping))
    shown = min(w.shape[-1], COLUMNS)
    verdicts = np.ravel(np.asarray(modes.stability.verdict, dtype=object))

    def row(k: int) -> Cells:
        return [*(_oscillation(w[k, j], ratio[k, j]) for j in range(shown)), page.mark(verdicts[k])]

    head = [*(f"mode {j + 1} in rad/s" for j in range(shown)), ""]
    return batch_table(conditions, head, row, words=[shown], rest="`frequencies`")


def _oscillation(w: float, ratio: float) -> str:
    damped = np.isfinite(ratio) and abs(ratio) > 1e-9 and w
    return f"{number(w)} ({number(100 * ratio, 3)} %)" if damped else number(w)


@html_of.register
def _(found: Stability) -> str:
    if not isinstance(found.reason, Reason):
        return page.whole(page.heading("Stability"), _shares(found.verdict, list(Verdict)))
    rows = [
        ["largest real part in 1/s", number(found.growth)],
        ["unstable directions", str(int(found.index))],
        ["directions in which the dynamic potential falls", str(int(found.falling))],
        ["least &omega;<sup>2</sup> in 1/s<sup>2</sup>", number(found.curvature)],
    ]
    rows = [row for row in rows if row[1] != "NaN"]
    s = [each for each in found.eigenvalues.tolist() if not np.isnan(each.real)]
    every = page.table(
        ["", "eigenvalue in 1/s"], len(s), lambda k: [str(k + 1), number(s[k])],
        what="eigenvalues", rest="`eigenvalues`",
    )  # fmt: skip
    return page.whole(
        page.paragraph(f"<strong>{page.mark(found.verdict)}</strong>"),
        page.said(str(found.sentence)),
        page.pairs(rows),
        every if s else "",
    )


def _shares(kinds: Any, every: list[Any]) -> str:
    """How often each kind occurs in a batch."""
    flat = np.ravel(np.asarray(kinds, dtype=object))
    counts = {kind: sum(each is kind for each in flat) for kind in every}
    rows = [
        [page.mark(kind), str(n), f"{n / max(len(flat), 1):.1%}"] for kind, n in counts.items() if n
    ]
    return page.pairs(rows, ["", "points", "share"])


@html_of.register
def _(found: StabilityMap) -> str:
    x, y = found.across, found.up
    told = f"{symbol(found.x)} from {number(x.min())} to {number(x.max())}, {symbol(found.y)} from"
    return page.whole(
        page.heading(f"Stability of {found.system.title}"),
        page.paragraph(f"{told} {number(y.min())} to {number(y.max())}"),
        thumbnail(found, "regions of the plane of two parameters"),
        _shares(found.region, list(Region)),
    )


@html_of.register
def _(branch: Branch) -> str:
    return page.whole(
        page.said(str(branch).splitlines()[0]),
        thumbnail(branch, "equilibria over the parameter"),
        _special(branch.points),
        _followed(branch),
    )


def _special(points: Any) -> str:
    """Special points of a branch of rests."""
    names = points[0].rest.system.coordinates[:COLUMNS] if points else ()
    turning = any(point.frequency is not None for point in points)

    def row(k: int) -> Cells:
        point = points[k]
        cells = [_kind(point), number(point.value)]
        cells += [number(x) for x in clean(point.rest.q)[: len(names)]]
        rate = "" if point.frequency is None else number(point.frequency)
        return cells + ([rate] if turning else [])

    if not points:
        return ""
    head = ["what happens", symbol(points[0].parameter), *map(symbol, names)]
    return page.table(
        head + (["rad/s"] if turning else []), len(points), row, words=(0,), what="points",
        rest="`points`",
    )  # fmt: skip


def _kind(point: Any) -> str:
    many = f"; {point.multiplicity} other branches cross" if point.multiplicity > 1 else ""
    return page.prose(capital(f"{point.kind}{many}"))


def _followed(branch: Branch) -> str:
    """The equilibria along the branch, behind a fold."""
    names = branch.system.coordinates[:COLUMNS]
    q, at, verdicts = clean(branch.q), branch.at, branch.verdicts

    def row(k: int) -> Cells:
        return [number(at[k]), *(number(x) for x in q[k, : len(names)]), page.mark(verdicts[k])]

    head = [symbol(branch.parameter), *map(symbol, names), ""]
    return page.folded(
        f"the {len(branch)} equilibria",
        page.table(head, len(branch), row, words=[len(head) - 1], what="equilibria", rest="`q`"),
    )


@html_of.register
def _(point: SpecialPoint) -> str:
    return page.whole(_special([point]), given(point.rest.conditions))


@html_of.register
def _(onset: Oscillation) -> str:
    told = f"{onset.kind}, {onset.frequency:.6g} rad/s" if isinstance(onset.kind, Kind) else ""
    between = f"Between points {onset.interval + 1} and {onset.interval + 2} of the branch."
    return page.whole(page.heading(capital(told)), page.said(between))
