"""Formulas of a report in LaTeX: long ones broken between their terms, matrices, numbers."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import sympy

from routh.display.report.items import Equation
from routh.mechanics.forms.printing import latex, latex_named

WIDE = 64
"""Signs after which a formula is broken, about the width of the page."""

NOISE = 1e-13
"""Entries of a matrix below this share of the largest are written as zero."""

OPENING, CLOSING = ("{", r"\left", r"\begin"), ("}", r"\right", r"\end")

_SIGN = re.compile(r"\\[a-zA-Z]+|\\.|.", re.DOTALL)


def equation(expression: sympy.Basic, *, head: str = "", tail: str = "") -> Equation:
    """A formula on its own: `head = expression`, or `expression = tail`, and under it its names."""
    left, right = f"{head} = " if head else "", f" = {tail}" if tail else ""
    own, *where = latex_named(expression)
    return Equation(fitted(f"{left}{own}{right}", *where))


def fitted(*written: str) -> str:
    """Formulas in LaTeX under each other, in lines that fit the page."""
    lines = [line for each in written for line in _indented(broken(each))]
    if len(lines) == 1:
        return written[0]
    joined = r" \\ & ".join(lines)
    return rf"\begin{{aligned}} & {joined} \end{{aligned}}"


def _indented(lines: list[str]) -> list[str]:
    """Lines of one formula, those after the first further in."""
    return [line if k == 0 else rf"\quad {line}" for k, line in enumerate(lines)]


def broken(written: str, wide: int = WIDE) -> list[str]:
    """A sum in LaTeX, in lines of some width; signs in brackets or fractions are left alone."""
    lines, width = [""], 0
    for term in _terms(written):
        own = _width(term)
        if width and width + own > wide:
            lines.append("")
            width = 0
        lines[-1] += term
        width += own
    return lines


def _terms(written: str) -> list[str]:
    """The terms of a sum, each with its sign."""
    terms, depth = [""], 0
    for sign in _SIGN.findall(written):
        depth += (sign in OPENING) - (sign in CLOSING)
        if depth == 0 and sign in "+-" and terms[-1].strip():
            terms.append("")
        terms[-1] += sign
    return terms


def _width(term: str) -> int:
    """About how many signs wide a term is; of a fraction the wider half is not told from the other."""
    shown = re.sub(r"\\(left|right|frac|text|begin|end|quad)", "", term)
    return len(re.sub(r"\\[a-zA-Z]+", "x", re.sub(r"[{}_^\s&]", "", shown)))


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


def signal(x: Any) -> str:
    """A coordinate, an input or an expression in LaTeX."""
    return latex(x) if isinstance(x, sympy.Basic) else str(x)


def roots(s: complex, *other: complex) -> str:
    """The two eigenvalues of a mode: a number and its conjugate, or two real ones, or one alone."""
    if s.imag == 0:
        return ", ".join(f"{x.real + 0.0:.6g}" for x in (s, *other))
    about = f"{s.real:.6g} " if s.real else ""
    return f"{about}± {abs(s.imag):.6g} i"


def complex_number(z: complex, digits: int = 4) -> str:
    """A number with its imaginary part, where it has one that counts."""
    if abs(z.imag) <= 1e-9 * abs(z):
        return f"{z.real + 0.0:.{digits}g}"
    if abs(z.real) <= 1e-9 * abs(z):
        return f"{z.imag:.{digits}g} i"
    return f"{z.real:.{digits}g} {'+' if z.imag > 0 else '-'} {abs(z.imag):.{digits}g} i"
