"""What values and motions must keep for a system to mean something: masses and sizes that are positive,
a tether that is not longer than it is.

Parts of `models` bring them along. What contains parameters alone is asked of values, at every door
where they come in; what moves ends motions where it falls to zero, and is asked of rests.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

import sympy

from routh.errors import DeclarationError, a_kind, shortened
from routh.language.events import Event
from routh.language.symbols import Coordinate, Input, Parameter, t
from routh.language.walk import leaves


@dataclass(frozen=True)
class Requirement:
    """An expression that is above zero, or at least not below it.

    Attributes:
        expression: in parameters, and in coordinates, inputs and time where it moves.
        what: how sentences call it, like "The `radius` of a drum".
        strict: whether zero is too little.
        then: what has happened where it falls to zero along a motion; the name of the event.
    """

    expression: sympy.Expr
    what: str
    strict: bool = True
    then: str = ""

    @property
    def moves(self) -> bool:
        """Whether it can change along a motion."""
        return any(isinstance(s, (Coordinate, Input)) or s == t for s in leaves([self.expression]))

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Whose values it depends on."""
        own = (s for s in leaves([self.expression]) if isinstance(s, Parameter))
        return tuple(sorted(own, key=str))

    @property
    def end(self) -> Event:
        """The event that ends a motion there."""
        return Event(self.expression, -1, True, (), self.then or f"{self.what} has come to zero")

    def is_kept(self, value: float) -> bool:
        """Whether a value is enough; what is no number is not."""
        return value > 0 if self.strict else value >= 0

    def told(self, value: float) -> str:
        """What it must be, and what it is."""
        is_plain = isinstance(self.expression, Parameter)
        named = f"`{self.expression}`" if is_plain else f"`{shortened(self.expression, 60)}`"
        return f"{self.what} must {self.word}: {named} is {value:.6g}."

    @property
    def word(self) -> str:
        """What it must be."""
        return "be positive" if self.strict else "not be negative"


def requirements_of(given: object, known: Collection[sympy.Basic]) -> tuple[Requirement, ...]:
    """Those of a system that knows these symbols; what no part of it contains does not matter.

    Raises:
        DeclarationError: it is something else.
    """
    if not isinstance(given, Iterable) or isinstance(given, (str, bytes)):
        given = (given,)
    every = list(given)
    for each in every:
        if not isinstance(each, Requirement):
            raise DeclarationError(
                "`requirements` are what parts of `models` bring along, as `Parts.requirements`. Got"
                f" {a_kind(each)}."
            )
    own = {*known, t}
    return tuple(dict.fromkeys(each for each in every if leaves([each.expression]) <= own))
