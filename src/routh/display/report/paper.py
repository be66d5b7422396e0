"""The findings about a model for a paper: as Markdown or as LaTeX."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy

from routh.display.report.findings import Findings
from routh.display.report.html import matrix
from routh.files.tokens import plain
from routh.language.walk import unfold
from routh.mechanics.forms.printing import latex
from routh.mechanics.lagrange import Equations

SMALL = 6
"""Coordinates up to which matrices are written."""


@dataclass(frozen=True)
class Block:
    """A piece of text: a heading, a paragraph, a formula, or a table with its head first."""

    kind: str
    text: str = ""
    rows: tuple[tuple[str, ...], ...] = ()


def blocks(found: Findings) -> Iterator[Block]:
    """What is known about a model, piece by piece."""
    model, system = found.model, found.model.system
    yield Block("title", model.name or "Model")
    if model.description:
        yield Block("text", model.description)
    yield Block("heading", "Parameters")
    values = {name: f"{value:g}" for name, value in found.values.items()}
    rows = [(p.name, values.get(p.name, ""), model.units.get(p.name, "")) for p in system.parameters]
    yield Block("table", rows=(("parameter", "value", "unit"), *rows))
    yield Block("heading", "Energies")
    for letter, own in (("T", system.kinetic), ("V", system.potential), ("L", system.lagrangian),
                        ("D", system.dissipation)):  # fmt: skip
        if own:
            yield Block("formula", f"{letter} = {latex(unfold(sympy.Add(*own)))}")
    yield Block("heading", "Equations of motion")
    eq = found.equations
    if isinstance(eq, str):
        yield _said(eq)
        eq = None
    elif system.friction:
        yield Block("text", "While every contact slips forwards:")
    lines = _rows(eq)
    for line in lines:
        yield Block("formula", f"{latex(line)} = 0")
    yield from _equilibria(found)
    yield Block("heading", "Motion")
    motion = found.motion
    for line in str(motion).splitlines():
        yield _said(line)


def _rows(eq: Any) -> list[Any]:
    if eq is None:
        return []
    return list(eq.index3) if isinstance(eq, Equations) else [row.expression for row in eq.rows]


def _said(sentence: str) -> Block:
    """A sentence of the library; names stand without their backticks."""
    return Block("text", sentence.replace("`", ""))


def _equilibria(found: Findings) -> Iterator[Block]:
    yield Block("heading", "Equilibria")
    if isinstance(found.rests, str):
        yield _said(found.rests)
        return
    for k, rest in enumerate(found.rests, 1):
        family = found.family(k - 1)
        more = f", one of a family of dimension {family}" if family else ""
        yield Block("text", f"{k}. {found.place(rest)}{more}")
        each, verdict = found.models[k - 1], found.verdicts[k - 1]
        if isinstance(each, str):
            yield _said(each)
            continue
        yield _said(str(verdict))
        known = each.converged
        told = [] if known is None else [("yes" if sure else "no",) for sure in known]
        rows = [(str(j + 1), _roots(*each.pair(j)), f"{each.frequencies[j]:.6g}",
                 _ratio(each.damping[j]), *(told[j] if told else ()))
                for j in range(min(6, len(each.frequencies)))]  # fmt: skip
        head = ("mode", "eigenvalues 1/s", "rad/s", "damping", *(("converged",) if told else ()))
        yield Block("table", rows=(head, *rows))
        for name in "MDGKHB":
            numbers = getattr(each.linear, name)
            if len(each.linear.coordinates) <= SMALL and numbers.any():
                yield Block("formula", f"{name} = {matrix(numbers)}")
    yield _said(found.completeness)


def _roots(s: complex, *other: complex) -> str:
    if s.imag == 0:
        return ", ".join(f"{x.real:.6g}" for x in (s, *other))
    return f"{s.real:.6g} +- {abs(s.imag):.6g} i"


def _ratio(x: float) -> str:
    return "" if np.isnan(x) else f"{x:.4g}"


def markdown(found: Findings) -> str:
    """The findings as Markdown with formulas in dollars."""
    return "\n\n".join(_markdown(block) for block in blocks(found)) + "\n"


def _markdown(block: Block) -> str:
    if block.kind == "table":
        head, *rows = [f"| {' | '.join(map(_inline, row))} |" for row in block.rows]
        return "\n".join([head, "|" + "---|" * len(block.rows[0]), *rows])
    marks = {"title": "# ", "heading": "## "}
    if block.kind == "formula":
        return f"$$\n{block.text}\n$$"
    return marks.get(block.kind, "") + _plain(block.text)


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
            ">": r"\textgreater{}", "[": "{[}", "*": "{*}"}  # fmt: skip


def _escaped(text: str) -> str:
    return "".join(_SPECIAL.get(sign) or _letter(sign) for sign in _one_line(text))


def _letter(sign: str) -> str:
    """A Greek letter as a formula, other signs as they are."""
    return rf"\ensuremath{{{_command(sign)}}}" if _command(sign) else sign


def _command(sign: str) -> str:
    """The command of a Greek letter, or nothing."""
    name = "" if sign.isascii() else plain(sign)
    return rf"\{name}" if name.isascii() and len(name) > 1 and name.isalpha() else ""


def latex_document(found: Findings) -> str:
    """The findings as a LaTeX document."""
    body = "\n\n".join(_tex(block) for block in blocks(found))
    return (
        "\\documentclass{article}\n\\usepackage{amsmath}\n\\usepackage[utf8]{inputenc}\n"
        f"\\begin{{document}}\n{body}\n\\end{{document}}\n"
    )


def tabular(rows: Sequence[tuple[str, ...]]) -> str:
    """A table in LaTeX, its head first."""
    lines = [" & ".join(map(_escaped, row)) + r" \\" for row in rows]
    lines.insert(1, r"\hline")
    columns = "l" * len(rows[0])
    return f"\\begin{{tabular}}{{{columns}}}\n" + "\n".join(lines) + "\n\\end{tabular}"


def _tex(block: Block) -> str:
    if block.kind == "formula":
        formula = "".join(f"{_command(sign)} " if _command(sign) else sign for sign in block.text)
        return f"\\begin{{equation}}\n{formula}\n\\end{{equation}}"
    if block.kind == "table":
        return tabular(block.rows)
    if block.kind == "title":
        return f"\\title{{{_escaped(block.text)}}}\\maketitle"
    if block.kind == "heading":
        return f"\\section{{{_escaped(block.text)}}}"
    return _escaped(block.text)
