"""Making expressions shorter for people: the unique form, in the shape that a person would write.

Nothing numeric passes through here. The work is counted in products of terms and shared by all that one
`Tidy` shortens; what it does not suffice for stays as it is, on every machine alike.
"""

from __future__ import annotations

import sympy

from routh.errors import DeclarationError
from routh.mechanics.forms.laurent import TooLongError, Work
from routh.mechanics.forms.unique import Reader
from routh.mechanics.forms.writing_effort import effort
from routh.mechanics.forms.written_shapes import Shapes

RATE = 400_000
"""Products of terms that are granted for `simplify=1`, about a second."""


class Tidy:
    """Shortens expressions until its work is spent."""

    def __init__(self, amount: float) -> None:
        self._work = Work(round(amount * RATE))
        self._new()

    def _new(self) -> None:
        self._reader = Reader(self._work)
        self._shapes = Shapes(self._reader, self._work)

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
        """The shortest of its shapes, as it was written among them."""
        if expression.is_Atom or self.spent:
            return expression
        self._reader.decimal = expression.has(sympy.Float)
        self._reader.hyperbolic = expression.has(sympy.sinh, sympy.cosh, sympy.tanh)
        try:
            found = self._shapes.shortest(self._reader.parts(expression))
            return found if effort(found) < effort(expression) else expression
        except (TooLongError, RecursionError):  # as it is: it is nested more deeply than calls may be
            return expression

    @property
    def spent(self) -> bool:
        """Whether nothing is left to spend."""
        return self._work.left <= 0

    def matrix(self, matrix: sympy.ImmutableDenseMatrix) -> sympy.ImmutableDenseMatrix:
        """The matrix with shortened entries."""
        return type(matrix)(matrix.rows, matrix.cols, [self(entry) for entry in matrix])


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
