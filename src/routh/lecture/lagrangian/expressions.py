"""Expressions in the form that lectures show, and formulas that occur in many of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

import sympy

from routh.language.latex_names import dotted
from routh.language.walk import unfold
from routh.mechanics.forms.chapter import Formula, formula
from routh.mechanics.forms.printing import latex, matrix_text, operations, text
from routh.mechanics.forms.tidy import Tidy

ENOUGH = 0.25
"""Work for one expression, of some dozens in a chapter: what takes more is shown as it is."""


@lru_cache(maxsize=512)
def short(expression: sympy.Expr) -> sympy.Expr:
    """The expression with intermediates written out, in its short form."""
    return Tidy(ENOUGH)(unfold(expression))


@lru_cache(maxsize=256)
def quotient(expression: sympy.Expr) -> sympy.Expr:
    """A quotient without common factors of its terms, in its short form, with a plus below the line."""
    found = Tidy(ENOUGH)(expression)
    return min((found, _divided(found)), key=operations) if sympy.fraction(found)[1].is_Add else found


def _divided(e: sympy.Expr) -> sympy.Expr:
    """A quotient less what all terms above and below have in common, with y - x as -(x - y)."""
    sums = e.atoms(sympy.Add)
    turned_ = [a for a in sums if a.could_extract_minus_sign() and -a in sums]
    back: dict[sympy.Basic, sympy.Expr] = {sympy.Dummy(real=True): -a for a in turned_}
    alike = e.xreplace({-a: -dummy for dummy, a in back.items()})
    alike = alike.xreplace({a: dummy for dummy, a in back.items()})
    masks = {f: sympy.Dummy(real=True) for f in alike.atoms(sympy.Function)}
    above, below = map(sympy.factor_terms, sympy.fraction(alike.xreplace(masks)))
    whole = (above / below).xreplace({dummy: f for f, dummy in masks.items()})
    return whole.xreplace(back)


def column(entries: Iterable[sympy.Expr]) -> Formula:
    """Entries in brackets; set as a column in LaTeX."""
    own = list(entries)
    inside = r" \\ ".join(map(latex, own))
    return Formula(f"[{', '.join(map(text, own))}]", rf"\begin{{bmatrix}} {inside} \end{{bmatrix}}")


def matrix(name: Formula, entries: sympy.MatrixBase) -> Formula:
    """A matrix with its name, one row a line."""
    return Formula(matrix_text(name.text, entries), f"{name.latex} = {latex(entries)}")


ANY = Formula("q_i", "q_i")
"""Any one of the coordinates."""

INDEX = Formula("i", "i")
"""Its number."""


def partial_of(function: Formula, by: Formula | sympy.Symbol) -> Formula:
    """A function differentiated by a symbol, dL/dx' in text."""
    x = formula(by)
    return Formula(
        f"d{function.text}/d{x.text}", rf"\frac{{\partial {function.latex}}}{{\partial {x.latex}}}"
    )


def rate_of(function: Formula) -> Formula:
    """The time derivative of something, written before it."""
    return Formula(f"d/dt {function.text}", rf"\frac{{d}}{{dt}} {function.latex}")


def primed(name: Formula, order: int = 1) -> Formula:
    """A letter with primes in text and dots in LaTeX."""
    return Formula(name.text + "'" * order, dotted(name.latex, order))


def indexed(name: Formula, by: Formula | sympy.Symbol) -> Formula:
    """A letter with a symbol as its index."""
    x = formula(by)
    return Formula(f"{name.text}_{x.text}", f"{name.latex}_{{{x.latex}}}")


def joined(pieces: Sequence[Formula | str]) -> Formula:
    """Pieces written one after the other; a string is the same in text and in LaTeX."""
    made = [Formula(piece, piece) if isinstance(piece, str) else piece for piece in pieces]
    return Formula("".join(p.text for p in made), "".join(p.latex for p in made))


def listing(symbols: Iterable[sympy.Basic]) -> Formula:
    """Symbols with commas between them."""
    own = list(symbols)
    return Formula(", ".join(map(text, own)), r",\; ".join(map(latex, own)))


def added(pieces: Sequence[Formula]) -> Formula:
    """Pieces with plus signs between them."""
    return Formula(" + ".join(p.text for p in pieces), " + ".join(p.latex for p in pieces))


def turned(name: Formula) -> Formula:
    """A column or a matrix, transposed."""
    return Formula(f"{name.text}^T", f"{name.latex}^T")
