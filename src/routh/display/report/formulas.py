"""Formulas of a report in LaTeX: equations with their names, matrices, numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import sympy

from routh.display.report.items import Equation, Item, Words
from routh.mechanics.forms.printing import latex, latex_lines, latex_named

NOISE = 1e-13
"""Entries of a matrix below this share of the largest are written as zero."""

Sides = tuple[str, sympy.Basic, str]
"""What stands before an expression, the expression, and what it is equal to."""


def equation(expression: sympy.Basic, *, head: str = "", tail: str = "") -> Equation:
    """A formula on its own: `head = expression`, or `expression = tail`, and under it its names."""
    (own,), where = latex_named([expression])
    rows = [_sides(head, own, tail), *where]
    return Equation(latex_lines(f"& {row}" for row in rows) if where else rows[0])


def equations(rows: Iterable[Sides]) -> Iterator[Item]:
    """Formulas that belong together, then what the names stand for that they share."""
    given = list(rows)
    own, where = latex_named([each for _, each, _ in given])
    for (head, _, tail), written in zip(given, own, strict=True):
        yield Equation(_sides(head, written, tail))
    if where:
        yield Words("where")
    yield from map(Equation, where)


def _sides(head: str, written: str, tail: str) -> str:
    return (f"{head} = " if head else "") + written + (f" = {tail}" if tail else "")


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
