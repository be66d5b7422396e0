"""Long references: rows are derived about a shape `w*` without a formula, which is listed below them.

So the linear equations about a shape in closed form are as short as those about any shape.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import sympy

from routh.language.fields import Field
from routh.language.symbols import Let, Signal, t
from routh.language.walk import leaves, lets, nodes
from routh.mechanics.fields.named_parts import Definition
from routh.mechanics.fields.variation import Row
from routh.mechanics.reference import unspecified

LONG_SHAPE = 12
"""Operations of a reference beyond which it is shown by its name."""


class LongShapes:
    """A reference with names for the shapes that are long."""

    def __init__(self, given: Mapping[Signal, sympy.Expr]) -> None:
        self._formulas = {x: value for x, value in given.items() if _is_long(x, value)}
        self._names = {x: unspecified(x) for x in self._formulas}
        self.named = {**given, **self._names}

    def put(self, value: sympy.Expr) -> sympy.Expr:
        """An expression with the formulas in the place of the names."""
        for x, formula in self._formulas.items():
            value = _put(value, x, self._names[x].func, formula)
        return value

    def put_into(self, row: Row) -> Row:
        """The row, which is shown with names, with formulas in its expression."""
        if not self._formulas:
            return row
        return replace(row, expression=self.put(row.expression), parts=row.parts or (row.expression,))

    def definitions(self, written: Iterable[sympy.Expr]) -> tuple[Definition, ...]:
        """What the names of shapes stand for, and those of intermediates in them and in expressions."""
        every = list(written)
        functions = {node.func for node in nodes(every) if isinstance(node, sympy.Function)}
        used = [
            (self._names[x], e) for x, e in self._formulas.items() if self._names[x].func in functions
        ]
        inside = lets([*every, *(formula for _, formula in used)])
        plain = [let for let in inside if "(" not in let.name]  # those with a place are listed before
        return (*used, *((let, let.expression) for let in sorted(plain, key=_outermost_first)))


def _outermost_first(let: Let) -> tuple[int, int]:
    """Names are listed before those that they are written with."""
    return -_depth(let), let.serial


def _depth(let: Let) -> int:
    return 1 + max((_depth(inner) for inner in let.expression.atoms(Let)), default=0)


def _is_long(x: Signal, value: sympy.Expr) -> bool:
    if not isinstance(x, Field) or t in leaves([value]) or isinstance(value, sympy.Symbol):
        return False
    return bool(sympy.count_ops(value) > LONG_SHAPE)


def _put(value: sympy.Expr, x: Signal, name: type[sympy.Function], formula: sympy.Expr) -> sympy.Expr:
    """A formula in the place of an unknown function, with its slopes taken."""
    assert isinstance(x, Field)
    space = x.space
    kinds = (sympy.Subs, sympy.Derivative)
    steep = [node for kind in kinds for node in value.atoms(kind) if node.has(name)]

    def at(place: sympy.Expr) -> sympy.Expr:
        return formula.xreplace({space: place})

    taken = {node: node.replace(name, at).doit() for node in steep}
    return value.xreplace(taken).replace(name, at)
