"""Pieces of a page: sentences, formulas, tables and numbers as HTML."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape
from typing import Any

import numpy as np
import sympy

from routh.errors import RouthError
from routh.mechanics.forms.printing import CAP, latex

NOISE = 1e-13
"""Entries of a matrix below this share of the largest are written as zero."""


def prose(text: str) -> str:
    """A sentence of the library, names in backticks set as code."""
    return re.sub(r"`([^`]*)`", r"<code>\1</code>", escape(text))


def note(text: str) -> str:
    """A sentence of the library beside the findings."""
    return f'<p class="note">{prose(text)}</p>'


def folded(title: str, inside: str) -> str:
    """Something long behind its title."""
    return f"<details><summary>{title}</summary>{inside}</details>"


def maths(source: str, inline: bool = False) -> str:
    """A formula in LaTeX, which the page sets."""
    if inline:
        return f'<span class="math" data-inline>{escape(source)}</span>'
    return f'<div class="math">{escape(source)}</div>'


def attempted(make: Callable[[], str]) -> str:
    """A figure, or the sentence that says why there is none."""
    try:
        return make()
    except RouthError as error:
        return note(str(error))


def table(head: list[str], rows: list[list[str]], numbers: tuple[int, ...] = ()) -> str:
    """A table; columns of numbers stand to the right."""
    top = "".join(f"<th>{cell}</th>" for cell in head)
    lines = [
        "".join(
            f'<td class="n">{c}</td>' if k in numbers else f"<td>{c}</td>" for k, c in enumerate(row)
        )
        for row in rows
    ]
    inside = "".join(f"<tr>{line}</tr>" for line in lines)
    return f'<div class="scroll"><table><tr>{top}</tr>{inside}</table></div>'


def formula(expression: sympy.Expr, tail: str = "", head: str = "") -> str:
    """A formula, broken between its terms where it is long; behind a fold where it is very long."""
    size = int(sympy.count_ops(expression))
    terms = expression.as_ordered_terms() if isinstance(expression, sympy.Add) else [expression]
    if size > CAP:
        whole = maths(f"{head}{latex(expression, cap=20 * CAP)} {tail}")
        return folded(f"{size} operations, show all", whole)
    lines, width = [""], 0
    for term in terms:
        text = latex(term)
        sign = "" if text.startswith("-") or (lines == [""]) else "+ "
        own = len(sympy.sstr(term))
        if width and width + own > 90:
            lines.append("")
            width = 0
        lines[-1] += f" {sign}{text}"
        width += own
    joined = r" \\ &\quad ".join(lines)
    return maths(rf"\begin{{aligned}} & {head}{joined} {tail} \end{{aligned}}")


def matrix(entries: np.ndarray[Any, Any]) -> str:
    """A matrix of numbers in LaTeX."""
    noise = NOISE * float(np.abs(entries).max(initial=0))
    rows = [" & ".join(number(x) if abs(x) > noise else "0" for x in row) for row in entries]
    return r"\begin{bmatrix}" + r" \\ ".join(rows) + r"\end{bmatrix}"


def number(x: float) -> str:
    """A number in LaTeX with five digits."""
    text = f"{x:.5g}"
    if "e" not in text:
        return text
    digits, _, power = text.partition("e")
    return rf"{digits} \cdot 10^{{{int(power)}}}"


def eigenvalue(s: complex, *other: complex) -> str:
    """The two eigenvalues of a mode: a number and its conjugate, or two real ones, or one alone."""
    if s.imag == 0:
        return ", ".join(f"{x.real:.6g}" for x in (s, *other))
    return f"{s.real:.6g} &plusmn; {abs(s.imag):.6g}i" if s.real else f"&plusmn; {abs(s.imag):.6g}i"
