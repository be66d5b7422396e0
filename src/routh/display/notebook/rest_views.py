"""Rests and steady motions: where they are, what was proven of them, and what they were found for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from routh.analysis.given.conditions import Conditions
from routh.analysis.motion.starts.start import Start
from routh.analysis.rest.result import Equilibrium
from routh.analysis.rest.stick_zone import StickZone
from routh.analysis.search.certificate import Certificate
from routh.analysis.search.equilibria import Equilibria
from routh.display.notebook import html_pieces as page
from routh.display.notebook.html_pieces import COLUMNS, Cells, number
from routh.display.notebook.symbol_names import symbol, symbols
from routh.display.notebook.thumbnails import thumbnail
from routh.display.notebook.view_kinds import html_of
from routh.errors import Status

ROUNDING = 1e-14
"""What is smaller than this, beside 1 or the largest, is zero, as where positions are told in words."""

VARIED = 4
"""Parameters that change in a batch, beside the coordinates."""


def clean(q: Any) -> Any:
    """A position without rounding, as sentences tell it."""
    size = np.fmax.reduce(np.abs(q), axis=-1, keepdims=True, initial=1.0)
    return np.where(np.abs(q) < ROUNDING * size, 0.0, q)


@html_of.register
def _(rest: Equilibrium) -> str:
    if rest.conditions.shape:
        return page.whole(page.said(str(rest)), _batch(rest))
    kind = "Steady motion" if rest.turning else "Equilibrium"
    if not rest.converged:
        kind = f"Where the search for {'a steady motion' if rest.turning else 'an equilibrium'} ended,"
    told = str(rest)
    field = rest.system.shapes[0].field if rest.system.shapes else None
    bent = field is not None and rest.converged and clean(rest.q).any()
    return page.whole(
        page.heading(f"{kind} of {rest.system.title}"),
        page.said(told[told.index(str(rest.status)) :]),
        _place(rest),
        thumbnail(rest, f"{field} at rest", shown=field) if bent else "",
        given(rest.conditions),
    )


def _place(rest: Equilibrium) -> str:
    """One row for each coordinate, then for each multiplier."""
    names, q, v = rest.system.coordinates, clean(rest.q), rest.v
    free = set(rest.free)
    count = len(names)

    def row(k: int) -> Cells:
        if k >= count:
            cells = [f"&lambda;<sub>{k - count + 1}</sub>", number(rest.multipliers[k - count])]
            return cells + [""] * (bool(rest.turning) + bool(free))
        cells = [symbol(names[k]), number(q[k])]
        cells += [number(v[k])] if rest.turning else []
        return cells + (["free: stays at the guess" if names[k] in free else ""] if free else [])

    head = ["", "value", *(["rate"] if rest.turning else []), *([""] if free else [])]
    total = count + rest.multipliers.shape[-1]
    return page.table(head, total, row, words=(0, 3), what="values", rest="`q` and `multipliers`")


def given(conditions: Conditions) -> str:
    """What a single point was computed for, in a line."""
    said = [f"{symbol(p)} = {number(x)}" for p, x in conditions.values.items()]
    said += [f"{symbol(u)} = {number(x[0])}" for u, x in conditions.inputs.items()]
    if not said:
        return ""
    more = f" and {len(said) - 12} more" if len(said) > 12 else ""
    return f'<p class="muted">for {", ".join(said[:12])}{more}</p>'


def varied(conditions: Conditions) -> tuple[list[str], list[Any]]:
    """Names and flat values of the parameters and inputs that change within a batch."""
    every: dict[Any, Any] = {name: np.ravel(x) for name, x in conditions.values.items()}
    every |= {u: np.ravel(x) for u, x in conditions.inputs.items()}
    found = {name: x for name, x in every.items() if len(x) and np.ptp(x) > 0}
    chosen = list(found.items())[:VARIED]
    return [symbol(name) for name, _ in chosen], [x for _, x in chosen]


def batch_table(
    conditions: Conditions, head: Sequence[str], row: Any, *, words: Sequence[int] = (), rest: str
) -> str:
    """One row for each point of a batch: what changes, then the cells of a result."""
    names, values = varied(conditions)
    grid = len(conditions.shape) > 1

    def cells(k: int) -> Cells:
        place = np.unravel_index(k, conditions.shape)
        at = [", ".join(str(int(i)) for i in place) if grid else str(k)]
        return [*at, *(number(x[k]) for x in values), *row(k)]

    return page.table(
        ["index", *names, *head], conditions.count, cells,
        words=[1 + len(names) + k for k in words], what="points", rest=rest,
    )  # fmt: skip


def _batch(rest: Equilibrium) -> str:
    conditions = rest.conditions
    names = rest.system.coordinates[:COLUMNS]
    q = clean(conditions.stacked(rest.q))
    found = np.ravel(rest.converged)

    lost = not found.all()

    def row(k: int) -> Cells:
        cells = [number(x) for x in q[k, : len(names)]]
        return [*cells, "" if found[k] else "not found"] if lost else cells

    head = [*map(symbol, names), *([""] if lost else [])]
    more = len(rest.system.coordinates) - len(names)
    note = f"{more} more coordinates are in `q`." if more else ""
    shown = batch_table(conditions, head, row, words=[len(names)], rest="`q`")
    return shown + page.said(note, muted=True)


@html_of.register
def _(found: Equilibria) -> str:
    kind = "Steady motions" if found.rest.turning else "Equilibria"
    symmetry = f"Images under symmetries count as one: {found.symmetry}." if found.orbit.any() else ""
    reasons = [[str(k + 1), page.prose(str(each))] for k, each in enumerate(found.stability.sentence)]
    return page.whole(
        page.heading(f"{kind} of {found.system.title}: {len(found) or 'none'} in the box"),
        page.said(found.completeness),
        page.said(symmetry),
        _listed(found),
        thumbnail(found, f"the dynamic potential with its {len(found)} equilibria"),
        page.folded("why", page.pairs(reasons, words=(0, 1), what="reasons")) if reasons else "",
        given(found.rest.conditions.chosen(np.zeros(1, dtype=np.intp)).single()) if len(found) else "",
    )


def _listed(found: Equilibria) -> str:
    names = found.system.coordinates[:COLUMNS]
    turning = [k for k in found.rest.turning if k < len(found.system.coordinates)]
    q, v = clean(found.q), found.rest.v

    def row(k: int) -> Cells:
        cells = [str(k + 1), *(number(x) for x in q[k, : len(names)])]
        cells += [number(v[k, i]) for i in turning]
        if found.dimension.any():
            cells.append(str(found.dimension[k]))
        if (found.copies > 1).any():
            cells.append(str(found.copies[k]))
        return [*cells, str(found.index[k]), page.mark(found.stability.verdict[k])]

    head = ["", *map(symbol, names), *(symbol(found.system.velocities[i]) for i in turning)]
    head += ["family of dimension"] if found.dimension.any() else []
    head += ["alike by symmetry"] if (found.copies > 1).any() else []
    head += ["unstable directions", "verdict"]
    more = len(found.system.coordinates) - len(names)
    note = page.said(f"{more} more coordinates are in `q`." if more else "", muted=True)
    if not len(found):
        return ""
    return (
        page.table(head, len(found), row, words=[len(head) - 1], what="equilibria", rest="`q`") + note
    )


@html_of.register
def _(found: Certificate) -> str:
    rows = [
        ["proven of those listed", f"{int(found.proven.sum())} of {len(found.proven)}"],
        ["boxes looked at", str(found.boxes)],
        ["boxes that may hold others", str(len(found.undecided))],
        ["boxes about which nothing is claimed", str(len(found.undefined))],
        ["roots proven and not listed", str(found.unlisted)],
        ["listed twice, perhaps", str(found.repeated)],
    ]
    return page.whole(page.heading("Certificate"), page.said(str(found)), page.pairs(rows))


@html_of.register
def _(zone: StickZone) -> str:
    names = zone.system.coordinates
    centre = clean(zone.centre.q) if zone.centre is not None else None
    ends = clean(np.stack([zone.low, zone.high]).T)

    def row(k: int) -> Cells:
        middle = [] if centre is None else [number(centre[k])]
        return [symbol(names[k]), number(ends[k, 0]), *middle, number(ends[k, 1])]

    head = ["", "from", *([] if centre is None else ["without friction"]), "to"]
    return page.whole(
        page.heading("Where friction holds"),
        page.said(str(zone)),
        page.table(head, len(names), row, words=(0,), what="coordinates", rest="`low` and `high`"),
    )


@html_of.register
def _(start: Start) -> str:
    if start.conditions.shape:
        return page.whole(page.said(str(start)), _starts(start))
    names = start.system.coordinates

    def row(k: int) -> Cells:
        return [symbol(names[k]), *(number(x[k]) for x in (start.q, start.moved_q)),
                symbol(names[k].rate), *(number(x[k]) for x in (start.v, start.moved_v))]  # fmt: skip

    return page.whole(
        page.heading(f"Consistent start of {start.system.title} at t = {start.time:g}"),
        page.table(["", "value", "moved by", "", "rate", "moved by"], len(names), row, words=(0, 3),
                   what="coordinates", rest="`q` and `v`"),
    )  # fmt: skip


def _starts(start: Start) -> str:
    names = start.system.coordinates[:COLUMNS]
    q, status = start.conditions.stacked(start.q), np.ravel(start.status)

    def row(k: int) -> Cells:
        lost = status[k] is not Status.CONVERGED
        return [*(number(x) for x in q[k, : len(names)]), "not found" if lost else ""]

    head = [*map(symbol, names), ""]
    return batch_table(start.conditions, head, row, words=[len(names)], rest="`q` and `v`")


@html_of.register
def _(conditions: Conditions) -> str:
    title = f"Given for {conditions.system.title}"
    if conditions.shape:
        said = f"A batch of shape {conditions.shape}."
        return page.whole(
            page.heading(title), page.said(said),
            batch_table(conditions, [], lambda _: [], rest="`values`"),
        )  # fmt: skip
    rows = [[symbol(name), number(x)] for name, x in conditions.values.items()]
    rows += [[symbol(u), number(x[0])] for u, x in conditions.inputs.items()]
    moving = [conditions.system.velocities[k] for k in conditions.turning]
    rows += [[symbol(v), number(conditions.speeds[0, k])]
             for v, k in zip(moving, conditions.turning, strict=True)]  # fmt: skip
    turning = f"moving on: {symbols(moving)}" if moving else ""
    return page.whole(
        page.heading(title), page.paragraph(turning) if turning else "",
        page.pairs(rows, ["", "value"], what="values", rest="`values`"),
    )  # fmt: skip
