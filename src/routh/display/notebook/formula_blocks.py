"""Formulas in Markdown, which every notebook sets: rows under each other, of bounded length.

Rows that are wide have several lines. Of many rows the first are shown and more are behind a fold.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from routh.display.wide_formulas import fitted
from routh.mechanics.forms.chapter import Formula

WIDE = 48.0
"""What fits a line of a notebook, in em."""

ROWS = 8
"""Rows that are shown at once."""

SHOWN = 6_000
"""Letters of LaTeX that are shown at once."""

FOLDED = 40_000
"""Letters of LaTeX behind a fold."""

MOST = 60
"""Rows behind a fold."""


def document(*parts: str) -> str:
    """Parts of a page under each other, those that are empty left out."""
    return "\n\n".join(part for part in parts if part)


def plain(text: str) -> str:
    """Words as they are, nothing in them taken for Markdown, HTML or a formula."""
    return re.sub(r"[^\w\s.,;:']|_", lambda found: f"&#{ord(found[0])};", text)


def told(text: str) -> str:
    """A sentence of the library; names in backticks are code."""
    pieces = text.split("`")
    code = "<code>{}</code>"  # backticks would keep what looks like a formula or a tag
    return "".join(code.format(plain(x)) if k % 2 else plain(x) for k, x in enumerate(pieces))


def heading(text: str) -> str:
    """What is shown, with names in backticks."""
    return f"**{told(text)}**"


def inline(latex: str) -> str:
    """A formula within a line."""
    return f"${_safe(latex)}$"


def folded(title: str, inside: str) -> str:
    """Something long behind its title."""
    return f"<details><summary>{plain(title)}</summary>\n\n{inside}\n\n</details>" if inside else ""


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A small table of Markdown; formulas in it have no bars."""
    if not rows:
        return ""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(_cell(cell) for cell in line)} |" for line in lines)


def formulas(rows: Iterable[str | Formula], count: int, *, what: str = "rows", rest: str = "") -> str:
    """Rows of LaTeX, aligned at their `&` where they have one; `rest` says where all are.

    Rows are asked for as far as they are shown: to write out all of a large system takes long.
    """
    ahead = _latex(rows)
    first, left = _taken(ahead, ROWS if count > ROWS + 2 else ROWS + 2, SHOWN)
    if len(first) == count:
        return _aligned(first)
    more, _ = _taken(left, MOST, FOLDED)
    every = [*first, *more]
    title = (
        f"show all {count} {what}" if len(every) == count else f"show {len(every)} of {count} {what}"
    )
    beyond = f"{count} {what}; all are in {rest}." if len(every) < count and rest else ""
    beyond = beyond or (f"{count} {what}." if len(every) < count else "")
    return document(_aligned(first), folded(title, _aligned(every)) if more else "", told(beyond))


def _latex(rows: Iterable[str | Formula]) -> Iterator[str]:
    return (row if isinstance(row, str) else row.latex for row in rows)


def _taken(rows: Iterator[str], most: int, letters: int) -> tuple[list[str], Iterator[str]]:
    """The first rows that fit, and what is left; one alone fits if a fold holds it."""
    found: list[str] = []
    used = 0
    for row in islice(rows, most):
        used += len(row)
        if used > letters:
            return found, (each for group in ([row], rows) for each in group)
        found.append(row)
    return found, rows


def _aligned(rows: Sequence[str]) -> str:
    if not rows:
        return ""
    return f"$${_safe(fitted(rows, WIDE))}$$"


def _safe(latex: str) -> str:
    """LaTeX in which nothing can be taken for HTML."""
    return latex.replace("<", r"\lt ").replace(">", r"\gt ")


def _cell(text: str) -> str:
    return text.replace("|", r"\vert ").replace("\n", " ")
