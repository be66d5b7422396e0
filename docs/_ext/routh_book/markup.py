"""What a value looks like on a page: as a notebook would show it, in HTML."""

from __future__ import annotations

import re
from html import escape
from typing import Any

from markdown_it import MarkdownIt

_FORMULA = re.compile(r"\$\$(.+?)\$\$|\$(.+?)\$", re.DOTALL)


def shown(value: Any) -> str:
    """HTML before Markdown before LaTeX, as notebooks choose; anything else as Python writes it."""
    for kind in ("html", "markdown", "latex"):
        ask = getattr(value, f"_repr_{kind}_", None)
        text = ask() if callable(ask) else None
        if text:
            return f'<div class="value">{text if kind == "html" else from_markdown(text)}</div>'
    return printed(repr(value))


def printed(text: str, kind: str = "output") -> str:
    """Text as it was printed: sentences may be broken where a screen is narrow, rows of tables not."""
    if not text.strip():
        return ""
    lines = "".join(map(_line, text.strip("\n").rstrip().split("\n")))
    return f'<div class="{kind}"><pre>{lines}</pre></div>'


def _line(line: str) -> str:
    asked = ' class="asked"' if line.startswith("$ ") else ""
    table = "  " in line.strip() or re.match(r"\s{3}|[│╭╰├]", line)
    kind = asked or ("" if table else ' class="sentence"')
    return f"<span{kind}>{escape(line)}\n</span>"


def formula(source: str, *, inline: bool = False) -> str:
    """A formula for KaTeX, which sets what stands in elements of class `tex`."""
    if inline:
        return f'<span class="tex" data-inline>{escape(source)}</span>'
    return f'<div class="tex">{escape(source)}</div>'


def from_markdown(text: str) -> str:
    """Markdown as HTML; formulas are put aside first, since Markdown would read into them."""
    kept: list[str] = []

    def keep(found: re.Match[str]) -> str:
        kept.append(formula(found[1] or found[2], inline=not found[1]))
        return f"\x02{len(kept) - 1}\x02"

    bare = _FORMULA.sub(keep, text)
    html = MarkdownIt("commonmark", {"html": True}).enable("table").render(bare)
    html = re.sub("<p>\x02(\\d+)\x02</p>", lambda found: kept[int(found[1])], html)
    return re.sub("\x02(\\d+)\x02", lambda found: kept[int(found[1])], html)
