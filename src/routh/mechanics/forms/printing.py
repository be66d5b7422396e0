"""Symbolic results as plain text and LaTeX, with a cap on what is shown."""

from __future__ import annotations

from collections.abc import Iterable

import sympy

from routh.language.unknown import shown
from routh.language.walk import written_size

CAP = 600
"""Operations beyond which an expression is announced instead of shown."""

COUNTED = 20_000
"""Nodes beyond which operations are not counted one by one."""


def latex(expression: sympy.Basic, cap: int = CAP) -> str:
    """LaTeX of an expression or matrix, or a note where it is larger than the cap."""
    size = _size(expression)
    if size > cap:
        return rf"\text{{({size} operations, not shown)}}"
    return str(sympy.latex(shown(expression), order="none" if size > 200 else None))


def text(expression: sympy.Basic, cap: int = CAP) -> str:
    """The expression in one line, or a note where it is larger than the cap."""
    size = _size(expression)
    return f"({size} operations, not shown)" if size > cap else str(shown(expression))


def latex_lines(rows: Iterable[str]) -> str:
    """Rows `left & = right` set under each other."""
    return "\\begin{aligned}\n" + " \\\\\n".join(rows) + "\n\\end{aligned}"


def matrix_text(name: str, matrix: sympy.MatrixBase, cap: int = CAP) -> str:
    """The matrix with its name, one row a line."""
    head = f"{name} = "
    if 0 in matrix.shape:
        return f"{head}({matrix.rows} x {matrix.cols}, empty)"
    rows = [
        "[" + ", ".join(text(matrix[i, j], cap) for j in range(matrix.cols)) + "]"
        for i in range(matrix.rows)
    ]
    return head + ("\n" + " " * len(head)).join(rows)


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
