"""Records in notebooks: what arrays there are, over which axes, and where they come from."""

from __future__ import annotations

from html import escape

from routh.data.record import Quantity, Record
from routh.display.notebook import html_pieces as page
from routh.display.notebook.html_pieces import Cells, number
from routh.display.notebook.view_kinds import html_of


@html_of.register
def _(record: Record) -> str:
    groups = (
        ("", record.quantities), ("value of ", record.values), ("expression ", record.expressions),
    )  # fmt: skip
    rows = [
        [escape(before + name), *_said(each)] for before, own in groups for name, each in own.items()
    ]
    version = record.provenance.get("routh")
    return page.whole(
        page.heading(record.title or record.kind),
        page.said(
            f"A record of numbers, of the kind {record.kind}."
            + (f" Written by Routh {version}." if version else ""),
            muted=True,
        ),
        page.pairs(rows, ("name", "over", "unit", "value"), words=(0, 1, 2), what="arrays"),
        page.said(f"Made of {', '.join(record.parts)}." if record.parts else "", muted=True),
    )


@html_of.register
def _(quantity: Quantity) -> str:
    return page.whole(page.pairs([_said(quantity)], ("over", "unit", "value"), words=(0, 1)))


def _said(quantity: Quantity) -> Cells:
    """Its axes with their sizes, its unit, and its value or its range."""
    array = quantity.array
    over = ", ".join(f"{axis} ({n})" for axis, n in zip(quantity.axes, array.shape, strict=True))
    if array.dtype.kind == "U":
        value = escape(str(array)) if not array.ndim else "texts"
    elif array.dtype.kind == "b" or not array.size:
        value = escape(str(array)) if not array.ndim else ""
    elif not array.ndim:
        value = number(array.item())
    elif array.dtype.kind == "c":
        value = "complex"
    else:
        value = f"{number(array.min())} to {number(array.max())}"
    return [escape(over), escape(quantity.unit), value]
