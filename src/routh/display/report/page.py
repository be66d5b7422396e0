"""The page of a report: everything about a model in HTML that opens from disk.

Formulas are rendered in the browser, with KaTeX and its fonts inside the page (0.7 MB): it asks for
nothing. Titles and descriptions are escaped for HTML, Markdown and LaTeX alike. On paper every film
is a still, and what is folded is open.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable
from html import escape, unescape
from importlib.resources import files

from routh.display.notebook.symbol_names import symbol
from routh.display.report.figures import Drawn
from routh.display.report.findings import Findings
from routh.display.report.items import (
    Badge,
    Cell,
    Claim,
    Code,
    Description,
    Equation,
    Film,
    Folded,
    Gallery,
    Heading,
    Item,
    Maths,
    Picture,
    Rows,
    Slider,
    Words,
)
from routh.display.report.numbering import Numbers
from routh.display.report.sections import sections
from routh.display.report.svg import own_ids
from routh.display.report.wide_tables import fitted_table
from routh.display.wide_formulas import blocks, too_large
from routh.errors import RouthError


def page(findings: Findings, command: str) -> str:
    """The report as one HTML page."""
    writer = Writer(_names(findings))
    head, *rest = sections(findings, Drawn(findings), command)
    top = [writer.item(head)]
    if isinstance(rest[0], Description):
        top.append(writer.item(rest.pop(0)))
    body = writer.items(rest)
    parts = {
        "title": escape(findings.model.name or "Model"),
        "katex_css": _asset("vendor/katex.css"),
        "katex_js": _asset("vendor/katex.js"),
        "body": "\n".join([*top, writer.contents(), body]),
    }
    # in one pass, so that nothing a model says is taken for a mark
    return re.sub(r"\{\{(\w+)\}\}", lambda mark: parts[mark[1]], _asset("report.html"))


def _names(findings: Findings) -> frozenset[str]:
    """What names of symbols are called in sentences."""
    systems = (findings.model.system, findings.system)
    kinds = ("coordinates", "velocities", "parameters", "inputs", "fields", "spaces")
    return frozenset(str(x) for system in systems for kind in kinds for x in getattr(system, kind))


def _asset(name: str) -> str:
    return files("routh.display.report").joinpath(name).read_text(encoding="utf-8")


class Writer:
    """Writes items as HTML, and counts equations, figures and headings.

    Of what stands in backticks, `names` are set as symbols, and the rest as code.
    """

    def __init__(self, names: Collection[str] = ()) -> None:
        self._known = names
        self._count = Numbers()
        self._figures = 0
        self._headings: list[Heading] = []

    def items(self, given: Iterable[Item]) -> str:
        """Several items, one after the other."""
        return "\n".join(filter(None, map(self.item, given)))

    def item(self, given: Item) -> str:
        """One item; a figure that cannot be drawn is the sentence that says why."""
        match given:
            case Heading():
                return self._heading(given)
            case Description(text):
                return f'<p class="lead">{escape(text)}</p>'
            case Words(text, aside):
                note = ' class="note"' if aside else ""
                return f"<p{note}>{self._prose(text)}</p>"
            case Equation(latex):
                k = self._count()
                inside = f'<div>{_displayed(latex)}</div><span class="no">({k})</span>'
                return f'<div class="eq" id="eq-{k}">{inside}</div>'
            case Rows():
                return self._table(given)
            case Picture() | Film():
                return self._attempted(given)
            case Gallery(figures, wide):
                inside = self.items(figures)
                return f'<div class="grid{" wide" if wide else ""}">{inside}</div>' if inside else ""
            case Folded(title, items):
                with self._count.folded():
                    inside = self.items(items)
                return f"<details><summary>{self._prose(title)}</summary>{inside}</details>"
            case Claim(kind, text):
                return (
                    f'<p class="point"><span class="kind">{escape(kind)}</span> {self._prose(text)}</p>'
                )
            case Slider():
                return _slider(given)
            case Code(text):
                return f"<pre>{escape(text)}</pre>"

    def contents(self) -> str:
        """The list of sections."""
        lines = "".join(
            f'<li><a href="#s-{k}">{self._prose(each.text)}</a></li>'
            for k, each in enumerate(self._headings)
        )
        return f'<nav aria-label="Contents"><ol>{lines}</ol></nav>'

    def _heading(self, given: Heading) -> str:
        if given.level == 1:  # the name that its author gave
            return f"<h1>{escape(given.text)}</h1>"
        if given.level != 2:
            return f"<h{given.level}>{self._prose(given.text)}</h{given.level}>"
        self._headings.append(given)
        return f'<h2 id="s-{len(self._headings) - 1}">{self._prose(given.text)}</h2>'

    def _attempted(self, given: Picture | Film) -> str:
        try:
            drawn = given.draw() if isinstance(given, Picture) else _film(given)
        except RouthError as error:
            return f'<p class="note">{self._prose(str(error))}</p>'
        self._figures += 1
        k = self._figures
        caption = f"<figcaption><b>Figure {k}.</b> {self._prose(given.caption)}</figcaption>"
        return f'<figure id="fig-{k}">{own_ids(drawn, k)}{caption}</figure>'

    def _prose(self, text: str) -> str:
        """A sentence of the library, powers raised."""
        raised = escape(text).replace("omega^2", "&omega;&sup2;").replace("/s^2", "/s&sup2;")
        return re.sub(r"`([^`]*)`", lambda found: self._named(found[1]), raised)

    def _named(self, text: str) -> str:
        """What stood in backticks: a symbol, or code."""
        return symbol(unescape(text)) if unescape(text) in self._known else f"<code>{text}</code>"

    def _cell(self, cell: Cell) -> str:
        if isinstance(cell, Maths):
            return f'<span class="math" data-inline>{escape(cell.latex)}</span>'
        if isinstance(cell, Badge):
            kind = cell.word.split(maxsplit=1)[0]
            return f'<span class="badge {escape(kind)}">{escape(cell.word)}</span>'
        return self._prose(cell)

    def _table(self, whole: Rows) -> str:
        """A table; columns of numbers stand to the right. One that is too wide is smaller on paper."""
        given, wide = fitted_table(whole)

        def row(cells: tuple[Cell, ...]) -> str:
            kinds = (' class="n"' if k in given.numbers else "" for k in range(len(cells)))
            each = (f"<td{kind}>{self._cell(c)}</td>" for kind, c in zip(kinds, cells, strict=True))
            return f"<tr>{''.join(each)}</tr>"

        head = "".join(
            f'<th scope="col"{" class=n" if k in given.numbers else ""}>{self._cell(c)}</th>'
            for k, c in enumerate(given.head)
        )
        body = "".join(map(row, given.rows))
        inside = f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody>"
        mark = f' wide" style="--em: {wide:.1f}' if wide else ""
        return f'<div class="scroll{mark}"><table>{inside}</table></div>'


def _displayed(latex: str) -> str:
    """A formula in lines that fit; a line that does not is set smaller on paper."""
    found = blocks(latex)
    kind = "math" if len(found) == 1 else "math line"
    return "".join(_block(written, kind) for written in found)


def _block(written: str, kind: str) -> str:
    wide = too_large(written)
    mark = f' wide" style="--em: {wide:.1f}' if wide else ""
    return f'<div class="{kind}{mark}">{escape(written)}</div>'


def _film(given: Film) -> str:
    return f'<div class="play">{given.play()}</div><div class="still">{given.still()}</div>'


def _slider(given: Slider) -> str:
    last = len(given.data["values"]) - 1
    name, data = escape(given.name), escape(json.dumps(given.data))
    return (
        f'<div class="moving" data-points="{data}"><label>{symbol(given.name)}'
        f' <input type="range" min="0" max="{last}" value="{given.start}"></label> <output></output>'
        '<svg viewBox="0 0 320 240" role="img"'
        f' aria-label="Eigenvalues at a value of {name}"></svg></div>'
    )
