"""Pieces of what a notebook shows: sentences, numbers, tables and matrices as HTML of bounded size.

What is long shows its beginning, and more of it behind a fold; what is longer than a fold holds says
where the rest is. Colours are those of the notebook, light or dark, but for marks that both let see.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from html import escape
from typing import Any

import numpy as np

from routh.analysis.stability.verdict import Verdict
from routh.display.colours import BRIGHT, REGIONS, VERDICTS

ROWS = 8
"""Rows of a table that are shown at once."""

FOLDED = 200
"""Rows of a table behind a fold."""

COLUMNS = 8
"""Columns of numbers side by side, and rows and columns of a matrix at once."""

LARGE = 24
"""Rows and columns of a matrix behind a fold."""

DIGITS = 6
"""Digits of a number."""

NOISE = 1e-14
"""What is rounding: a part of a complex number beside the other, an entry of a matrix beside the
largest of its row and of its column."""

LINE = "rgba(128,128,128,.45)"
"""A line that light and dark pages let see."""

STYLE = (
    "<style>"
    ".routh{line-height:1.45;overflow-x:auto}"
    ".routh p{margin:.35em 0}"
    ".routh table{border-collapse:collapse;margin:.4em 0;font-variant-numeric:tabular-nums}"
    ".routh th,.routh td{padding:.15em .7em;text-align:right;border:0;background:none;"
    "white-space:nowrap;vertical-align:top}"
    f".routh th{{border-bottom:1px solid {LINE};font-weight:600}}"
    ".routh td.w,.routh th.w{text-align:left}"
    ".routh td.s{text-align:left;white-space:normal;min-width:18em}"
    ".routh .muted{opacity:.7}"
    ".routh summary{cursor:pointer;opacity:.8}"
    ".routh .row{display:flex;flex-wrap:wrap;align-items:center;gap:.4em 1.6em}"
    ".routh .matrix{display:inline-flex;align-items:center;gap:.4em}"
    ".routh .matrix table{border-collapse:separate;border-spacing:0;border:0 solid;"
    "border-width:0 1.5px;border-radius:8px;margin:.2em 0}"
    ".routh .matrix td{padding:.05em .5em}"
    ".routh sub,.routh sup{line-height:0}"
    ".routh svg{max-width:100%;height:auto}"
    "</style>"
)

Cells = Sequence[str]


def whole(*parts: str) -> str:
    """All parts under each other, with the style they need."""
    return f'<div class="routh">{STYLE}{"".join(parts)}</div>'


def prose(text: str) -> str:
    """A sentence of the library, names in backticks set as code."""
    return re.sub(r"`([^`]*)`", r"<code>\1</code>", escape(text))


def heading(text: str) -> str:
    """What is shown, with names in backticks."""
    return f"<p><strong>{prose(text)}</strong></p>"


def said(text: str, *, muted: bool = False) -> str:
    """Sentences of the library as a paragraph, or nothing."""
    kind = ' class="muted"' if muted else ""
    return "".join(f"<p{kind}>{prose(line)}</p>" for line in text.splitlines() if line.strip())


def paragraph(inside: str) -> str:
    """What is HTML already, as a paragraph."""
    return f"<p>{inside}</p>"


def folded(title: str, inside: str) -> str:
    """Something long behind its title."""
    return f"<details><summary>{prose(title)}</summary>{inside}</details>"


def mark(kind: Any) -> str:
    """A verdict or a region with its colour beside it."""
    every: dict[Any, str] = {**VERDICTS, **REGIONS}
    colour = every.get(kind, VERDICTS[Verdict.UNDECIDED])
    colour = BRIGHT.get(colour, colour)
    return f'<span style="border-left:.6em solid {colour};padding-left:.4em">{escape(str(kind))}</span>'


def number(x: Any, digits: int = DIGITS) -> str:
    """A number; infinite ones and those that are none as such, and no minus before zero."""
    value = complex(x)
    if abs(value.imag) > NOISE * abs(value):
        return _complex(value, digits)
    return _real(value.real, digits)


def _real(x: float, digits: int) -> str:
    if np.isnan(x):
        return "NaN"
    if np.isinf(x):
        return "&infin;" if x > 0 else "-&infin;"
    text = f"{x:.{digits}g}"
    return "0" if float(text) == 0 else text


def _complex(z: complex, digits: int) -> str:
    sign = "-" if z.imag < 0 else "+"
    size = _real(abs(z.imag), digits)
    if abs(z.real) <= NOISE * abs(z):
        return f"{'-' if z.imag < 0 else ''}{size}i"
    return f"{_real(z.real, digits)} {sign} {size}i"


def table(
    head: Cells,
    count: int,
    row: Callable[[int], Cells],
    *,
    words: Iterable[int] = (),
    what: str = "rows",
    rest: str = "",
) -> str:
    """A table of `count` rows, its first ones at once and more behind a fold.

    `words` are columns that stand to the left, `what` are the rows called, `rest` where all are.
    """
    left = frozenset(words)
    if count <= ROWS + 2:
        return _table(head, range(count), row, left)
    shown = _table(head, range(ROWS), row, left)
    if count <= FOLDED:
        return shown + folded(f"show all {count} {what}", _table(head, range(count), row, left))
    first = _table(head, range(FOLDED), row, left)
    return (
        shown
        + folded(f"show {FOLDED} of {count} {what}", first)
        + said(f"{count} {what}{f'; all are in {rest}' if rest else ''}.", muted=True)
    )


def pairs(rows: Sequence[Cells], head: Cells = (), words: Iterable[int] = (0,), **more: Any) -> str:
    """A table of rows that are there already."""
    return table(head, len(rows), lambda k: rows[k], words=words, **more) if rows else ""


def _table(head: Cells, rows: Iterable[int], row: Callable[[int], Cells], left: frozenset[int]) -> str:
    def cells(given: Cells, tag: str) -> str:
        return "".join(
            f'<{tag} class="w">{cell}</{tag}>' if k in left else f"<{tag}>{cell}</{tag}>"
            for k, cell in enumerate(given)
        )

    top = f"<thead><tr>{cells(head, 'th')}</tr></thead>" if any(head) else ""
    lines = "".join(f"<tr>{cells(row(k), 'td')}</tr>" for k in rows)
    return f"<table>{top}<tbody>{lines}</tbody></table>"


def matrices(every: dict[str, Any]) -> str:
    """Matrices of numbers side by side, with their names."""
    return f'<div class="row">{"".join(matrix(name, each) for name, each in every.items())}</div>'


def matrix(name: str, entries: Any, digits: int = 5) -> str:
    """One matrix with its name; of a large one a corner, and more behind a fold."""
    rows, columns = entries.shape
    if not rows or not columns:
        return f"<div>{escape(name)}: {rows} &times; {columns}, empty</div>"
    corner = _bracketed(name, entries, COLUMNS, digits)
    if max(rows, columns) <= COLUMNS:
        return corner
    size = f"{rows} &times; {columns}"
    if max(rows, columns) <= LARGE:
        more = "show all"
    else:
        more = f"show {min(rows, LARGE)} &times; {min(columns, LARGE)}"
    inside = _bracketed(name, entries, LARGE, digits)
    return f"<div>{corner}<details><summary>{size}: {more}</summary>{inside}</details></div>"


def _bracketed(name: str, entries: Any, most: int, digits: int) -> str:
    """The first rows and columns in brackets, dots where there are more."""
    rows, columns = entries.shape
    part = entries[:most, :most]
    part = _without_noise(np.asarray(part if isinstance(part, np.ndarray) else part.toarray()))
    lines = [[number(x, digits) for x in line] for line in part]
    if columns > most:
        lines = [[*line, "&ctdot;"] for line in lines]
    if rows > most:
        lines.append(["&vellip;"] * len(lines[0]))
    body = "".join(f"<tr>{''.join(f'<td>{x}</td>' for x in line)}</tr>" for line in lines)
    named = f"<span><i>{escape(name)}</i> =</span>"
    return f'<div class="matrix">{named}<table><tbody>{body}</tbody></table></div>'


def _without_noise(part: Any) -> Any:
    """Entries that are rounding beside those of their row and of their column are zero."""
    size = np.abs(part)
    across = np.fmax.reduce(size, axis=1, keepdims=True)
    down = np.fmax.reduce(size, axis=0, keepdims=True)
    return np.where(size <= NOISE * np.minimum(across, down), 0.0, part)
