"""Derivatives of rests, modes and answers by parameters."""

from __future__ import annotations

from typing import Any

import numpy as np

from routh.analysis.sensitivities.modes_sensitivity import ModesSensitivity
from routh.analysis.sensitivities.response_sensitivity import ResponseSensitivity
from routh.analysis.sensitivities.rest_sensitivity import RestSensitivity
from routh.display.notebook import html_pieces as page
from routh.display.notebook.html_pieces import COLUMNS, Cells, number
from routh.display.notebook.rest_views import batch_table, clean, given
from routh.display.notebook.symbol_names import symbol, symbols
from routh.display.notebook.view_kinds import html_of


@html_of.register
def _(found: RestSensitivity) -> str:
    conditions, names = found.rest.conditions, found.system.coordinates
    shown = found.parameters[:COLUMNS]
    title = f"Derivatives of the equilibrium of {found.system.title}"
    if conditions.shape:
        q = conditions.stacked(found.q)
        pairs = [(i, j) for i in range(len(names)) for j in range(len(shown))][:COLUMNS]

        def cells(k: int) -> Cells:
            return [number(q[k, i, j]) for i, j in pairs]

        head = [f"{symbol(names[i])} by {symbol(shown[j])}" for i, j in pairs]
        table = batch_table(conditions, head, cells, rest="`q`")
        return page.whole(page.heading(title), page.said(found.remark), table)
    rows = np.concatenate([found.q, found.multipliers])
    left = [symbol(q) for q in names]
    left += [f"&lambda;<sub>{k + 1}</sub>" for k in range(len(found.multipliers))]

    def row(k: int) -> Cells:
        return [left[k], *(number(x) for x in clean(rows[k])[: len(shown)])]

    head = ["", *(f"by {symbol(p)}" for p in shown)]
    return page.whole(
        page.heading(title),
        page.said(found.remark),
        page.table(head, len(left), row, words=(0,), what="rows", rest="`q` and `multipliers`"),
        given(conditions),
    )


@html_of.register
def _(found: ModesSensitivity) -> str:
    conditions = found.rest.conditions
    title = f"Derivatives of the modes of {found.system.title}"
    if conditions.shape:
        return page.whole(
            page.heading(f"{title}, a batch of shape {conditions.shape}"),
            page.said(found.remark),
            _swept(found),
        )
    return page.whole(
        page.heading(title), page.said(found.remark), _ranked(found), _by_mode(found), given(conditions)
    )


def _ranked(found: ModesSensitivity) -> str:
    """What changes the critical mode most, one row for each parameter."""
    if found.critical < 0:
        return ""
    places, (relative, rates) = found.strongest(), found.influences()

    def row(k: int) -> Cells:
        place = places[k]
        return [
            symbol(found.parameters[place]),
            number(abs(relative[place]), 4),
            number(rates[place].real),
            number(rates[place].imag),
        ]

    said = f"What changes mode {found.critical + 1}, s = {number(found.s[found.place()])} 1/s, most:"
    head = ["", "|<i>p</i>/<i>s</i> d<i>s</i>/d<i>p</i>|", "d Re <i>s</i>", "d Im <i>s</i>"]
    table = page.table(head, len(places), row, words=(0,), what="parameters", rest="`eigenvalues`")
    return page.paragraph(said) + table


def _by_mode(found: ModesSensitivity) -> str:
    """Derivatives of the frequencies and damping ratios, behind a fold."""
    shown = found.parameters[: COLUMNS // 2]
    w, ratio = found.frequencies, found.damping

    def row(k: int) -> Cells:
        both = (x for j in range(len(shown)) for x in (w[k, j], ratio[k, j]))
        return [str(k + 1), *("" if np.isnan(x) else number(x) for x in both)]

    head = ["mode"]
    head += [
        cell for p in shown for cell in (f"frequency by {symbol(p)}", f"damping ratio by {symbol(p)}")
    ]
    inside = page.table(head, len(w), row, what="modes", rest="`frequencies` and `damping`")
    return page.folded("derivatives of every frequency and damping ratio", inside)


def _swept(found: ModesSensitivity) -> str:
    conditions = found.rest.conditions
    w = conditions.stacked(found.frequencies)
    pairs = [(i, j) for i in range(w.shape[1]) for j in range(w.shape[2])][:COLUMNS]

    def row(k: int) -> Cells:
        return [number(w[k, i, j]) for i, j in pairs]

    head = [f"frequency {i + 1} by {symbol(found.parameters[j])}" for i, j in pairs]
    return batch_table(conditions, head, row, rest="`frequencies`")


@html_of.register
def _(found: ResponseSensitivity) -> str:
    response = found.response
    size = found.magnitude[(0,) * len(response.linear.shape)]
    pairs: list[Any] = [(i, j) for i in range(size.shape[1]) for j in range(size.shape[2])]
    pairs = pairs[:COLUMNS]

    def row(k: int) -> Cells:
        return [number(response.frequencies[k]), *(number(size[k, i, j]) for i, j in pairs)]

    head = ["rad/s"]
    head += [f"|{symbol(response.outputs[i])}| by {symbol(found.parameters[j])}" for i, j in pairs]
    inside = page.table(head, len(response.frequencies), row, what="frequencies", rest="`transfer`")
    first = "The first point of the batch." if response.linear.shape else ""
    return page.whole(
        page.heading(f"Derivatives of the frequency response of {found.system.title}"),
        page.paragraph(f"{symbols(response.outputs)} by {symbol(response.input)}"),
        page.said(" ".join(filter(None, (found.remark, first)))),
        page.folded(f"the {len(response.frequencies)} frequencies", inside),
    )
