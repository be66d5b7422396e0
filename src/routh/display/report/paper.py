"""A report for a paper: as Markdown or as LaTeX, the same items as on the page, without pictures."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from routh.display.report.findings import Findings
from routh.display.report.items import (
    Badge,
    Cell,
    Claim,
    Code,
    Description,
    Equation,
    Folded,
    Heading,
    Item,
    Maths,
    NoPictures,
    Rows,
    Words,
)
from routh.display.report.numbering import Numbers
from routh.display.report.sections import sections
from routh.display.wide_formulas import fitted
from routh.files.tokens import plain


def _written(items: Iterable[Item], write: Callable[[Item, str], str], count: Numbers) -> Iterator[str]:
    """Each item as it is written; what is folded on a page is open under its title."""
    for item in items:
        if isinstance(item, Folded):
            yield write(Heading(item.title, 3), "")
            with count.folded():
                yield from _written(item.items, write, count)
        else:
            yield write(item, count() if isinstance(item, Equation) else "")


def _paper(found: Findings, command: str, write: Callable[[Item, str], str]) -> str:
    """All that a report says, with empty lines between its items."""
    items = sections(found, NoPictures(), command)
    return "\n\n".join(filter(None, _written(items, write, Numbers())))


def markdown(found: Findings, command: str = "") -> str:
    """The report as Markdown with formulas in dollars."""
    return _paper(found, command, _markdown) + "\n"


def _markdown(item: Item, number: str) -> str:
    match item:
        case Heading(text, level):
            return f"{'#' * level} {_inline(text if level == 1 else _bare(text))}"
        case Description(text):
            return _plain(text)
        case Words(text):
            return _plain(_bare(text))
        case Claim(kind, text):
            return f"*{_inline(kind)}*: {_inline(_bare(text))}"
        case Equation(latex):
            return f"$$\n{fitted([latex])} \\tag{{{number}}}\n$$"
        case Rows(head, rows):
            lines = [f"| {' | '.join(map(_markdown_cell, row))} |" for row in (head, *rows)]
            return "\n".join([lines[0], "|" + "---|" * len(head), *lines[1:]])
        case Code(text):
            ticks = max((len(run) for run in re.findall("`+", text)), default=0)
            fence = "`" * max(3, ticks + 1)
            return f"{fence}\n{text.rstrip()}\n{fence}"
        case _:
            return ""


def _markdown_cell(cell: Cell) -> str:
    if isinstance(cell, Maths):
        return f"${cell.latex}$".replace("|", r"\vert ")
    return _inline(cell.word if isinstance(cell, Badge) else _bare(cell))


def _bare(sentence: str) -> str:
    """A sentence of the library; names stand without their backticks."""
    return sentence.replace("`", "")


def _one_line(text: str) -> str:
    """The text without line breaks and control signs, so that no paragraph of its own begins in it."""
    return " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())


def _inline(text: str) -> str:
    """Text in which Markdown, HTML and formulas in dollars see no marks."""
    return re.sub(r"([\\`*_\[\]<>$#|&~^{}!])", r"\\\1", _one_line(text))


def _plain(text: str) -> str:
    """The same as a paragraph: nothing at its start makes a list or a heading of it."""
    return re.sub(r"^([-+=:]|\d+(?=[.)]))", _at_the_start, _inline(text))


def _at_the_start(mark: re.Match[str]) -> str:
    """What would begin a list or underline a heading."""
    return f"{mark[1]}\\" if mark[1].isdigit() else f"\\{mark[1]}"


_SPECIAL = {"\\": r"\textbackslash{}", "_": r"\_", "%": r"\%", "&": r"\&", "#": r"\#", "$": r"\$",
            "^": r"\^{}", "~": r"\~{}", "{": r"\{", "}": r"\}", "<": r"\textless{}",
            ">": r"\textgreater{}", "[": "{[}", "*": "{*}",
            "±": r"\ensuremath{\pm}", "·": r"\ensuremath{\cdot}", "⁻": r"\textsuperscript{-}",
            **{sign: rf"\textsuperscript{{{k}}}" for k, sign in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")}}  # fmt: skip


def _escaped(text: str) -> str:
    return "".join(_SPECIAL.get(sign, _letter(sign)) for sign in _one_line(text))


def _letter(sign: str) -> str:
    """A Greek letter as a formula, other signs as they are."""
    return rf"\ensuremath{{{_command(sign)}}}" if _command(sign) else sign


def _command(sign: str) -> str:
    """The command of a Greek letter, or nothing."""
    name = "" if sign.isascii() else plain(sign)
    return rf"\{name}" if name.isascii() and len(name) > 1 and name.isalpha() else ""


def latex_document(found: Findings, command: str = "") -> str:
    """The report as a LaTeX document."""
    return (
        "\\documentclass{article}\n\\usepackage{amsmath}\n\\usepackage[utf8]{inputenc}\n"
        "\\usepackage[a4paper, margin=25mm]{geometry}\n"
        f"\\begin{{document}}\n{_paper(found, command, _tex)}\n\\end{{document}}\n"
    )


def tabular(rows: Sequence[tuple[Cell, ...]]) -> str:
    """A table in LaTeX, its head first."""
    lines = [" & ".join(map(_tex_cell, row)) + r" \\" for row in rows]
    lines.insert(1, r"\hline")
    columns = "".join(
        r"p{0.45\textwidth}" if any(isinstance(c, str) and len(c) > 60 for c in column) else "l"
        for column in zip(*rows, strict=True)
    )
    return f"\\begin{{tabular}}{{{columns}}}\n" + "\n".join(lines) + "\n\\end{tabular}"


def _tex_cell(cell: Cell) -> str:
    if isinstance(cell, Maths):
        return f"${_formula(cell.latex)}$"
    return _escaped(cell.word if isinstance(cell, Badge) else _bare(cell))


def _formula(latex: str) -> str:
    return "".join(f"{_command(sign)} " if _command(sign) else sign for sign in latex)


def _tex(item: Item, number: str) -> str:
    match item:
        case Heading(text, 1):
            return f"\\title{{{_escaped(text)}}}\\date{{}}\\maketitle"
        case Heading(text, level):
            kinds = {2: "section", 3: "subsection", 4: "paragraph"}
            return f"\\{kinds[level]}{{{_escaped(_bare(text))}}}"
        case Description(text):
            return _escaped(text)
        case Words(text):
            return _escaped(_bare(text))
        case Claim(kind, text):
            return f"\\emph{{{_escaped(kind)}}}: {_escaped(_bare(text))}"
        case Equation(latex):
            return (
                f"\\begin{{equation}}\n{_formula(fitted([latex]))} \\tag{{{number}}}\n\\end{{equation}}"
            )
        case Rows(head, rows):
            return tabular((head, *rows))
        case Code(text):
            lines = " \\\\\n".join(_escaped(line) or "~" for line in text.strip().splitlines())
            return f"\\begin{{flushleft}}\\ttfamily\\small\n{lines}\n\\end{{flushleft}}"
        case _:
            return ""
