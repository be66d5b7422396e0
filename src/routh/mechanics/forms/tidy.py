"""Making expressions shorter for people: the unique form, in the shape that a person would write.

Nothing numeric passes through here. Each expression is read by itself, so that its form depends on it
alone. The work is counted in products of terms; what it does not suffice for stays as it is, on every
machine alike.
"""

from __future__ import annotations

from operator import is_

import sympy

from routh.errors import DeclarationError
from routh.language.walk import bottom_up, leaves
from routh.mechanics.forms.laurent import TooLongError, Work
from routh.mechanics.forms.unique import Reader
from routh.mechanics.forms.writing_effort import effort, is_negative
from routh.mechanics.forms.written_shapes import Shapes

RATE = 400_000
"""Products of terms that are granted for `simplify=1`, about a second, to one expression."""

EXPRESSIONS = 4
"""How many times that is granted to all expressions together."""


class Tidy:
    """Shortens expressions, each by itself, until its work is spent."""

    def __init__(self, amount: float) -> None:
        self._each = round(amount * RATE)
        self._left = EXPRESSIONS * self._each

    @classmethod
    def within(cls, amount: object) -> Tidy:
        """The same for an amount that a person gave."""
        return cls(cls.amount(amount, "simplify", "shorter forms"))

    @staticmethod
    def amount(given: object, argument: str, purpose: str) -> float:
        """A checked amount of work."""
        if isinstance(given, bool) or not isinstance(given, (int, float)) or not given >= 0:
            raise DeclarationError(
                f"`{argument}` is how much work to spend on {purpose}: 1 is about a second of it, 0"
                f" none. Got {given!r}."
            )
        return float(given)

    def __call__(self, expression: sympy.Expr) -> sympy.Expr:
        """The shortest of its shapes, as it was written among them if no symbol drops out."""
        if expression.is_Atom or self.spent:
            return expression
        granted = min(self._each, self._left)
        work = Work(granted)
        try:
            found = _shortest(expression, work)
        except (TooLongError, RecursionError):  # as it is: it is nested more deeply than calls may be
            return with_plus(expression)
        finally:
            self._left -= granted - max(work.left, 0)
        if effort(found) <= effort(expression) or leaves([found]) < leaves([expression]):
            return found
        return with_plus(expression)

    @property
    def spent(self) -> bool:
        """Whether nothing is left to spend."""
        return self._left <= 0

    def matrix(self, matrix: sympy.ImmutableDenseMatrix) -> sympy.ImmutableDenseMatrix:
        """The matrix with shortened entries."""
        return type(matrix)(matrix.rows, matrix.cols, [self(entry) for entry in matrix])


def _shortest(expression: sympy.Expr, work: Work) -> sympy.Expr:
    """The shortest shape of the unique form, which nothing that was read before has a part in."""
    reader = Reader(work)
    reader.decimal = expression.has(sympy.Float)
    reader.hyperbolic = expression.has(sympy.sinh, sympy.cosh, sympy.tanh)
    return Shapes(reader, work).shortest(reader.canonical(reader.parts(expression)))


def with_plus(expression: sympy.Expr) -> sympy.Expr:
    """The expression with a plus in each sum that is multiplied: -(a + b)*x, not (-a - b)*x."""

    def turned(node: sympy.Basic, parts: list[sympy.Basic]) -> sympy.Basic:
        own = node if all(map(is_, node.args, parts)) else node.func(*parts)
        if not own.is_Mul:
            return own
        negative = [each for each in own.args if each.is_Add and all(map(is_negative, each.args))]
        if not negative or all(each.is_Add or each.is_Number for each in own.args):
            return own
        sign = (-1) ** len(negative)
        return sympy.Mul(sign, *(-each if each in negative else each for each in own.args))

    return bottom_up(expression, turned, {}, parts=lambda node: node.args)


def fewer_symbols(expression: sympy.Expr) -> sympy.Expr:
    """The expression multiplied out, with sines and cosines of sums, if some symbol cancels by that.

    So time and angles of frames disappear from the squares of velocities.
    """
    if not expression.has(sympy.sin, sympy.cos):
        return expression
    reader = Reader(Work(RATE))
    try:
        found = reader.expression(reader(expression))
    except TooLongError:
        return expression
    fewer = len(found.atoms(sympy.Symbol)) < len(expression.atoms(sympy.Symbol))
    return found if fewer else expression
