"""Matrices, sums and numbers as formulas of a chapter."""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np
import sympy

from routh.arrays import Array, Complex
from routh.errors import capital
from routh.language.system import System
from routh.mechanics.forms.chapter import Formula, Side, formula
from routh.mechanics.forms.printing import latex, latex_lines, text

Term = tuple[sympy.Expr, Side]
"""A coefficient and what it stands before."""

DIGITS = 6
"""Digits of numbers in sentences and matrices."""


WIDE = 60
"""Letters of one entry up to which a matrix of several is set as one; else its entries are listed."""


def matrix(head: Side, entries: sympy.MatrixBase) -> Formula:
    """A matrix with its name, one row a line; where entries are long, those that are not zero."""
    left = formula(head)
    rows = [[text(entries[i, j]) for j in range(entries.cols)] for i in range(entries.rows)]
    if len(entries) > 1 and max(len(cell) for row in rows for cell in row) > WIDE:
        return _listed(left, entries)
    return _lines(left, rows, latex(sympy.Matrix(entries)))


def _listed(left: Formula, entries: sympy.MatrixBase) -> Formula:
    """The entries that are not zero, those of a symmetric matrix once."""
    own = left.text.rpartition(" = ")[2], left.latex.rpartition(" = ")[2]
    symmetric = entries.rows == entries.cols and sympy.Matrix(entries) == sympy.Matrix(entries.T)
    lines, tex = [], []
    for i in range(entries.rows):
        for j in range(i if symmetric else 0, entries.cols):
            if entries[i, j] == 0:
                continue
            places = [(i, j), (j, i)] if symmetric and i != j else [(i, j)]
            heads = " = ".join(f"{own[0]}[{r + 1}, {c + 1}]" for r, c in places)
            drawn = " = ".join(rf"\left[{own[1]}\right]_{{{r + 1},{c + 1}}}" for r, c in places)
            lines.append(f"{heads} = {text(entries[i, j])}")
            tex.append(f"{drawn} &= {latex(entries[i, j])}")
    return Formula("\n".join(lines), latex_lines(tex))


def numbers(head: Side, array: Array | Complex) -> Formula:
    """A matrix of numbers with its name."""
    own = array if np.iscomplexobj(array) else clean(np.asarray(array))
    rows = [[number(x) for x in row] for row in np.atleast_2d(own)]
    inside = r" \\ ".join(" & ".join(cell.latex for cell in row) for row in rows)
    whole = rf"\left[\begin{{matrix}}{inside}\end{{matrix}}\right]"
    return _lines(formula(head), [[cell.text for cell in row] for row in rows], whole)


def complex_numbers(head: Side, array: Complex) -> Formula:
    """A matrix of complex numbers with its name."""
    parts = clean(array.real), clean(array.imag)
    return numbers(head, parts[0] + 1j * parts[1]) if parts[1].any() else numbers(head, parts[0])


def clean(array: Array) -> Array:
    """The array with zeros in the place of what is rounding beside its largest entry."""
    return np.where(np.abs(array) < 1e-13 * np.abs(array).max(initial=0.0), 0.0, array)


def _lines(left: Formula, rows: list[list[str]], right: str) -> Formula:
    head = f"{left.text} = "
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "[" + ", ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) + "]"
        for row in rows
    ]
    return Formula(head + ("\n" + " " * len(head)).join(lines), f"{left.latex} = {right}")


NOISE = 1e-14
"""A part below this share of a complex number is rounding."""


def number(x: complex, digits: int = DIGITS) -> Formula:
    """A number, real or complex, with so many digits; a real part that is rounding is left out."""
    z = complex(x)
    if z.imag:
        z = z if abs(z.real) > NOISE * abs(z) else complex(0.0, z.imag)
        sign = "-" if z.imag < 0 else "+"
        imaginary = number(abs(z.imag), digits)
        if not z.real:
            minus = "-" if z.imag < 0 else ""
            return Formula(f"{minus}{imaginary.text}i", rf"{minus}{imaginary.latex} i")
        real = number(z.real, digits)
        return Formula(
            f"{real.text} {sign} {imaginary.text}i", f"{real.latex} {sign} {imaginary.latex} i"
        )
    plain = f"{z.real + 0.0:.{digits}g}"
    return Formula(plain, re.sub(r"e([+-])0*(\d+)", _power, plain))


def _power(found: re.Match[str]) -> str:
    minus = "-" if found[1] == "-" else ""
    return rf" \cdot 10^{{{minus}{found[2]}}}"


def decimal(x: float) -> sympy.Expr:
    """A number as one writes it: a whole one without a point."""
    return sympy.Integer(int(x)) if x == int(x) and abs(x) < 1e6 else sympy.Float(x)


def linear_sum(terms: Iterable[Term]) -> Formula:
    """A sum in the order given, each term a coefficient before its symbol: theta'' + g/l*theta."""
    written = [_term(coefficient, symbol) for coefficient, symbol in terms if coefficient != 0]
    if not written:
        return Formula("0", "0")
    lines = ["", ""]
    for k, (negative, term) in enumerate(written):
        mark = ("-" if negative else "") if not k else (" - " if negative else " + ")
        lines = [lines[0] + mark + term.text, lines[1] + mark + term.latex]
    return Formula(*lines)


def _term(coefficient: sympy.Expr, symbol: Side) -> tuple[bool, Formula]:
    """Whether a term has a minus before it, and the term without."""
    negative = _is_negative(coefficient)
    coefficient = -coefficient if negative else coefficient
    if symbol == 1:
        return negative, formula(_rounded(coefficient))
    if coefficient == 1:
        return negative, formula(symbol)
    inside = formula(_rounded(coefficient))
    if coefficient.is_Add:
        inside = Formula(f"({inside.text})", rf"\left({inside.latex}\right)")
    right = formula(symbol)
    return negative, Formula(f"{inside.text}*{right.text}", rf"{inside.latex} \, {right.latex}")


def _is_negative(coefficient: sympy.Expr) -> bool:
    """Whether a minus can be taken out of all terms."""
    parts = sympy.Add.make_args(coefficient)
    return all(part.as_coeff_Mul()[0].is_negative for part in parts)


def _rounded(coefficient: sympy.Expr) -> Side:
    """A decimal number with as many digits as others; anything else as it is."""
    return number(float(coefficient)) if coefficient.is_Float else coefficient


def titled(system: System, what: str) -> str:
    """The title of a chapter on a system."""
    return f"{capital(system.name)}: {what}" if system.name else capital(what)
