"""Tables that fit a page: wide formulas in several lines, and the width of what is still too wide."""

from __future__ import annotations

from dataclasses import replace

from routh.display.formula_tree import TEXT, read, width
from routh.display.report.items import Badge, Cell, Maths, Rows
from routh.display.wide_formulas import fitted, shared

PAGE = 41.0
"""What fits a line of A4, in em of the table's letters."""

LETTER, PADDING, FORMULA = 0.5, 1.0, 1.05
"""The width of a letter of text, of what stands between columns, and of an em of a formula."""


def fitted_table(given: Rows) -> tuple[Rows, float]:
    """A table, its formulas broken where it is wide, and its width if that is not enough, else 0."""
    columns = _widths(given)
    if sum(columns) <= PAGE:
        return given, 0.0
    most = (shared(columns, PAGE) - PADDING) / FORMULA
    narrow = replace(given, rows=tuple(tuple(_narrowed(c, most) for c in row) for row in given.rows))
    left = sum(_widths(narrow))
    return narrow, left if left > PAGE else 0.0


def _widths(given: Rows) -> list[float]:
    """How wide the columns are at least."""
    return [max(map(_width, column)) + PADDING for column in zip(given.head, *given.rows, strict=True)]


def _width(cell: Cell) -> float:
    if isinstance(cell, Maths):
        return FORMULA * width(read(cell.latex), TEXT)
    words = [cell.word] if isinstance(cell, Badge) else cell.split()
    return LETTER * max(map(len, words), default=0)


def _narrowed(cell: Cell, most: float) -> Cell:
    return Maths(fitted([cell.latex], most)) if isinstance(cell, Maths) else cell
