"""The symbol for the force of a constraint."""

from __future__ import annotations

from typing import Any

import sympy

from routh.language.symbols import Atom, new_symbol


class Reaction(Atom):
    """The force along the slope of a constraint phi: minus its multiplier, above zero where it pushes.

    The force of the constraint on the system is `reaction dphi/dq`. Two are the same if they are of
    the same expression.
    """

    __slots__ = ("constraint",)
    _rank = 5
    constraint: sympy.Expr

    def __new__(cls, constraint: sympy.Expr) -> Reaction:
        self = new_symbol(cls, f"reaction({constraint})")
        self.constraint = constraint
        self._latex_name = None
        return self

    def _hashable_content(self) -> tuple[Any, ...]:
        return (*super()._hashable_content(), self.constraint)

    def _sent(self) -> tuple[Any, ...]:
        return (self.constraint,)

    @classmethod
    def _made(cls, *sent: Any) -> Any:
        return cls(*sent)

    def _latex(self, printer: Any) -> str:
        return rf"\operatorname{{reaction}}\left({printer._print(self.constraint)}\right)"
