"""Symbolic results as plain text and LaTeX; what is long is structured, never left out.

An expression that is long has parts that occur several times. They are given names, which are listed
behind it, so that what is huge as a tree is as short as the graph that it was made as.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import sympy

from routh.language.unknown import shown
from routh.language.walk import leaves, written_size
from routh.mechanics.forms.printers import Latex, Text, ready
from routh.mechanics.forms.writing_effort import effort

LONG = 1000
"""Operations beyond which parts that occur several times get names."""

WORTH = 6
"""Operations that a part must have to get a name."""

COUNTED = 20_000
"""Nodes beyond which operations are not counted one by one."""

Definition = tuple[sympy.Symbol, sympy.Expr]


def latex(expression: sympy.Basic) -> str:
    """LaTeX of an expression or matrix, and of what its names stand for."""
    own, where = latex_named([expression])
    return r",\quad ".join([*own, *where])


def latex_named(expressions: Sequence[sympy.Basic]) -> tuple[list[str], list[str]]:
    """LaTeX of expressions by themselves, and `name = part` for each of the names that they share."""
    short, where = named(expressions)
    return [*map(_latex, short)], [f"{_latex(x)} = {_latex(e)}" for x, e in where]


def text(expression: sympy.Basic) -> str:
    """The expression in one line, and what its names stand for."""
    (short,), where = named([expression])
    behind = ", ".join(f"{x} = {_text(e)}" for x, e in where)
    return f"{_text(short)}, where {behind}" if where else _text(short)


def text_rows(rows: Iterable[tuple[str, sympy.Basic, str]]) -> str:
    """Rows `before expression after` under each other, then what their names stand for."""
    own = list(rows)
    short, where = named([row[1] for row in own])
    lines = [f"{before}{_text(e)}{after}" for (before, _, after), e in zip(own, short, strict=True)]
    return "\n".join(
        [*lines, *(["where"] if where else []), *(f"  {x} = {_text(e)}" for x, e in where)]
    )


def latex_rows(rows: Iterable[tuple[str, sympy.Basic, str]]) -> str:
    """The same in LaTeX, set under each other; an ampersand in `after` is where they are aligned."""
    own = list(rows)
    short, where = named([row[1] for row in own])
    lines = [f"{before}{_latex(e)}{after}" for (before, _, after), e in zip(own, short, strict=True)]
    return latex_lines([*lines, *(f"{_latex(x)} &= {_latex(e)}" for x, e in where)])


def latex_lines(rows: Iterable[str]) -> str:
    """Rows `left & = right` set under each other."""
    return "\\begin{aligned}\n" + " \\\\\n".join(rows) + "\n\\end{aligned}"


def turned(row: sympy.Expr) -> sympy.Expr:
    """A row that is set to zero, with a plus somewhere."""
    negative = all(term.could_extract_minus_sign() for term in sympy.Add.make_args(row))
    return -row if negative else row


def matrix_text(name: str, matrix: sympy.MatrixBase) -> str:
    """The matrix with its name, one row a line; entries by themselves where they are long."""
    head = f"{name} = "
    if 0 in matrix.shape:
        return f"{head}({matrix.rows} x {matrix.cols}, empty)"
    if _size(matrix) > LONG:
        return text_rows(_entries(name, matrix))
    rows = [
        "[" + ", ".join(_text(shown(matrix[i, j])) for j in range(matrix.cols)) + "]"
        for i in range(matrix.rows)
    ]
    return head + ("\n" + " " * len(head)).join(rows)


def _entries(name: str, matrix: sympy.MatrixBase) -> Iterator[tuple[str, sympy.Expr, str]]:
    """The entries that are not zero, of a symmetric matrix once."""
    symmetric = matrix.rows == matrix.cols and matrix == matrix.T
    for i in range(matrix.rows):
        for j in range(matrix.cols):
            if matrix[i, j] != 0 and not (symmetric and j < i):
                also = f" = {name}[{j + 1},{i + 1}]" if symmetric and i != j else ""
                yield f"{name}[{i + 1},{j + 1}]{also} = ", matrix[i, j], ""


def named(expressions: Sequence[sympy.Basic]) -> tuple[list[sympy.Basic], list[Definition]]:
    """Expressions with names for what occurs several times in them, if they are long, and the names.

    They are ready to be printed.
    """
    own = [shown(e) for e in expressions]
    if sum(map(_size, own)) <= LONG:
        return own, []
    taken = {str(s).rstrip("'") for e in own for s in leaves([e])}  # z1 is taken by its rate z1', too
    fresh = (sympy.Symbol(f"z{k}") for k in range(1, 1_000_000) if f"z{k}" not in taken)
    dummies = sympy.numbered_symbols(cls=sympy.Dummy)
    found, short = sympy.cse(own, symbols=dummies, optimizations=[], order="canonical")
    names: dict[sympy.Basic, sympy.Basic] = {}
    where: list[Definition] = []
    for dummy, repeated in found:
        part = repeated.xreplace(names)
        names[dummy] = part if effort(part) < WORTH else next(fresh)
        if names[dummy] is not part:
            where.append((names[dummy], part))
    return [e.xreplace(names) for e in short], where


def _text(expression: sympy.Basic) -> str:
    return str(Text().doprint(ready(expression)))


def _latex(expression: sympy.Basic) -> str:
    return str(Latex().doprint(ready(expression)))


def _size(expression: sympy.Basic) -> int:
    entries = expression if isinstance(expression, sympy.MatrixBase) else [expression]
    return sum(operations(entry) for entry in entries)


def operations(expression: sympy.Basic) -> int:
    """How many operations an expression has when it is written down.

    SymPy counts them term by term, which takes long where branches occur many times; of large
    expressions nodes are counted, of which half are operations.
    """
    size = written_size(expression)
    return size // 2 if size > COUNTED else int(sympy.count_ops(expression))
