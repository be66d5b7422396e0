"""Letters, slopes, columns and numbers as chapters on momenta and small motions write them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
import sympy

from routh.arrays import Array
from routh.errors import capital
from routh.language.system import System
from routh.language.walk import nodes
from routh.lecture.free_letters import FreeLetters, Role, taken_names
from routh.mechanics.forms.chapter import Formula, Side, Table, formula
from routh.mechanics.forms.printing import latex, operations, text

NAMED = 5
"""Operations from which a sum below a line that occurs more than once has a name."""

_ROLES = {
    "H": Role("the Hamiltonian", ("Ham",)),
    "L": Role("the Lagrangian", ("Lag",), numbered=True),
    "R": Role("the Routhian", ("Rou",)),
    "S": Role("the Gibbs-Appell function", ("Gib",)),
    "T": Role("the kinetic energy", ("T_kin",), numbered=True),
    "V": Role("the potential energy", ("V_pot",)),
    "M": Role("the mass matrix", ("M(q)",)),
    "B": Role("the column of T1", ("B(q)",)),
    "f": Role("what is transformed", ("F", "f_0")),
}


def lettering(taken: System | Iterable[sympy.Symbol]) -> FreeLetters:
    """The letters of a chapter on a system, or on something with symbols."""
    if isinstance(taken, System):
        return FreeLetters(_ROLES, taken_names(taken))
    return FreeLetters(_ROLES, {symbol.name for symbol in taken})


def titled(system: System, what: str) -> str:
    """The title of a chapter on a system."""
    return f"{capital(system.name)}: {what}" if system.name else capital(what)


def slope(function: Side, by: Side) -> Formula:
    """A function differentiated by a symbol: dH/dx in text."""
    f, x = formula(function), formula(by)
    return Formula(f"d{f.text}/d{x.text}", rf"\frac{{\partial {f.latex}}}{{\partial {x.latex}}}")


def minus(side: Side) -> Formula:
    """Something with a minus before it."""
    own = formula(side)
    return Formula(f"-{own.text}", f"-{own.latex}")


def rated(function: Side) -> Formula:
    """The total rate of something, written before it."""
    own = formula(function)
    return Formula(f"d/dt {own.text}", rf"\frac{{d}}{{dt}} {own.latex}")


def product(*factors: Side) -> Formula:
    """Factors written beside each other."""
    made = [formula(factor) for factor in factors]
    return Formula("*".join(p.text for p in made), r" \, ".join(p.latex for p in made))


def total(terms: Iterable[Side]) -> Formula:
    """Terms with plus signs between them; those that begin with a minus have their own."""
    made = [formula(term) for term in terms] or [Formula("0", "0")]
    lines = [made[0].text, made[0].latex]
    for term in made[1:]:
        lines = [
            f"{line} - {own[1:]}" if own.startswith("-") else f"{line} + {own}"
            for line, own in zip(lines, (term.text, term.latex), strict=True)
        ]
    return Formula(*lines)


def joined(*pieces: Side) -> Formula:
    """Pieces written one after the other."""
    made = [formula(piece) for piece in pieces]
    return Formula("".join(p.text for p in made), "".join(p.latex for p in made))


def column(entries: Iterable[sympy.Basic]) -> Formula:
    """Entries in brackets; a column in LaTeX."""
    own = list(entries)
    inside = r" \\ ".join(map(latex, own))
    return Formula(f"[{', '.join(map(text, own))}]", rf"\begin{{bmatrix}} {inside} \end{{bmatrix}}")


def matrix(name: Side, entries: sympy.MatrixBase) -> Formula:
    """A matrix with its name, one row a line."""
    left = formula(name)
    rows = [[text(e) for e in entries[i, :]] for i in range(entries.rows)]
    return _lines(left, rows, latex(sympy.Matrix(entries)))


def numbers(name: Side, array: Array) -> Formula:
    """A matrix of numbers with its name; what is rounding beside its largest entry is 0."""
    own = np.atleast_2d(array)
    own = np.where(np.abs(own) < 1e-13 * np.abs(own).max(initial=0.0), 0.0, own)
    rows = [[number(x) for x in row] for row in own]
    inside = r" \\ ".join(" & ".join(cell.latex for cell in row) for row in rows)
    drawn = rf"\begin{{bmatrix}} {inside} \end{{bmatrix}}"
    return _lines(formula(name), [[cell.text for cell in row] for row in rows], drawn)


def _lines(left: Formula, rows: list[list[str]], drawn: str) -> Formula:
    head = f"{left.text} = "
    widths = [max(map(len, cells)) for cells in zip(*rows, strict=True)]
    lines = [f"[{', '.join(c.rjust(w) for c, w in zip(row, widths, strict=True))}]" for row in rows]
    return Formula(head + ("\n" + " " * len(head)).join(lines), f"{left.latex} = {drawn}")


def number(x: complex, digits: int = 6) -> Formula:
    """A number, real or complex, with so many digits."""
    z = complex(x)
    if z.imag:
        turns = number(abs(z.imag), digits)
        sign = "-" if z.imag < 0 else "+"
        if not z.real:
            before = "-" if z.imag < 0 else ""
            return Formula(f"{before}{turns.text}i", f"{before}{turns.latex} i")
        real = number(z.real, digits)
        return Formula(f"{real.text} {sign} {turns.text}i", f"{real.latex} {sign} {turns.latex} i")
    plain = f"{z.real + 0.0:.{digits}g}"
    return Formula(plain, re.sub(r"e([+-])0*(\d+)", _power, plain))


def _power(found: re.Match[str]) -> str:
    return rf" \cdot 10^{{{'-' if found[1] == '-' else ''}{found[2]}}}"


def table(head: Sequence[Side], rows: Iterable[Sequence[Side]]) -> Table:
    """A table of formulas, words and numbers."""
    return Table(tuple(map(_cell, head)), tuple(tuple(map(_cell, row)) for row in rows))


def _cell(side: Side) -> str | Formula:
    return side if isinstance(side, str) else formula(side)


class Denominators:
    """Long sums below lines that occur in several formulas, by name: Delta, Delta2, ..."""

    def __init__(self, expressions: Iterable[sympy.Basic], taken: Iterable[sympy.Symbol]) -> None:
        counted: dict[sympy.Expr, int] = {}
        for expression in expressions:
            for base in _sums_below(expression):
                own = base.primitive()[1]
                counted[own] = counted.get(own, 0) + 1
        long = [e for e, count in counted.items() if count > 1 and operations(e) >= NAMED]
        names = {symbol.name for symbol in taken}
        free = (f"Delta{k if k > 1 else ''}" for k in range(1, 1 + len(names) + len(long)))
        symbols = [sympy.Symbol(name) for name in free if name not in names]
        self.meaning: Mapping[sympy.Symbol, sympy.Expr] = dict(zip(symbols, long, strict=False))
        self._symbols = {e: symbol for symbol, e in self.meaning.items()}

    def __call__(self, expression: sympy.Expr) -> sympy.Expr:
        """The expression with the names in the place of the sums."""
        table = {}
        for base in _sums_below(expression):
            factor, own = base.primitive()
            if own in self._symbols:
                table[base] = factor * self._symbols[own]
        return expression.xreplace(table)

    @property
    def steps(self) -> Iterator[Formula]:
        """What each name stands for."""
        return (formula(symbol, e) for symbol, e in self.meaning.items())


def _sums_below(expression: sympy.Basic) -> list[sympy.Expr]:
    """Sums with a negative whole power, each once."""
    return list(
        dict.fromkeys(
            node.base
            for node in nodes([expression])
            if node.is_Pow and node.base.is_Add and node.exp.is_Integer and node.exp.is_negative
        )
    )
