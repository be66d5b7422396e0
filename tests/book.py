"""Printed lines against the formulas of books: a line is parsed and compared by evaluation."""

from __future__ import annotations

from collections.abc import Iterable

import sympy

import routh as rt
from routh.files.text import parse
from sampling import assert_same


def names(system: rt.System, *more: sympy.Symbol) -> dict[str, sympy.Symbol]:
    """What the names in printed lines of a system mean."""
    own = (*system.coordinates, *system.parameters, *system.inputs, *system.multipliers, *more)
    return {symbol.name: symbol for symbol in own}


def assert_says(
    line: str, known: dict[str, sympy.Symbol], book: sympy.Expr, right: bool = False
) -> None:
    """An equation as it is printed, left side less right side, is that of the book; or its right side is."""
    left, value = line.rpartition(": ")[-1].split(" = ")
    said = parse(value, known) if right else parse(left, known) - parse(value, known)
    assert_same(sympy.sympify(said), sympy.sympify(book))


def assert_rows(found: object, lines: list[str], books: Iterable[sympy.Expr]) -> None:
    """The equations are printed like this, and say what the book says."""
    assert str(found).splitlines() == lines
    known = names(found.system)  # type: ignore[attr-defined]
    for line, book in zip(lines, books, strict=True):
        assert_says(line, known, book)


def assert_rates(
    found: object, lines: list[str], books: Iterable[sympy.Expr], *more: sympy.Symbol
) -> None:
    """Lines `H = ...`, `x' = ...` are printed like this, and their right sides are those of the book."""
    printed = str(found).splitlines()
    assert [line for line in printed if line in lines] == lines
    known = names(found.system, *more)  # type: ignore[attr-defined]
    for line, book in zip(lines, books, strict=True):
        assert_says(line, known, book, right=True)
