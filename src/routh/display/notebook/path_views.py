"""The action along a motion: its value, what varied paths do to it, and the picture of that."""

from __future__ import annotations

import numpy as np

from routh.analysis.paths.action import Action
from routh.display.notebook import html_pieces as page
from routh.display.notebook.html_pieces import Cells, number
from routh.display.notebook.symbol_names import symbol
from routh.display.notebook.thumbnails import thumbnail
from routh.display.notebook.view_kinds import html_of
from routh.errors import DerivationError

SHOWN = 3
"""Sines of each coordinate whose second variations are listed."""


@html_of.register
def _(found: Action) -> str:
    return page.whole(
        page.heading(f"Action of {found.system.title}"),
        page.said(str(found)),
        thumbnail(found, "the action over the size of variations"),
        _bends(found),
    )


def _bends(found: Action) -> str:
    """What stands before epsilon^2 for the first sines of each coordinate."""
    names = found.system.coordinates
    try:
        each = np.diag(found.second).reshape(len(names), found.shapes)[:, :SHOWN]
    except DerivationError:
        return ""

    def row(k: int) -> Cells:
        return [symbol(names[k]), *(number(x) for x in each[k])]

    head = ["second variation", *(f"sine {k + 1}" for k in range(each.shape[1]))]
    return page.table(head, len(names), row, words=(0,), what="coordinates", rest="`second`")
