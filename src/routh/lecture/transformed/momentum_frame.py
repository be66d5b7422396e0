"""What chapters on momenta have in common: letters, names of what stands below lines, sections."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import sympy
from sympy import ImmutableDenseMatrix as Matrix

from routh.language.system import System
from routh.language.walk import leaves
from routh.lecture.free_letters import FreeLetters
from routh.lecture.transformed.wording import Denominators, lettering, titled
from routh.mechanics.forms.chapter import Chapter, Step, chapter
from routh.mechanics.lagrange import Equations, equations


@dataclass(frozen=True, eq=False)
class MomentumFrame:
    """The frame of a chapter on momenta.

    Attributes:
        system: whose letters are taken.
        lagrangian: the system whose Lagrange's equations are told: itself, or what is left of it.
        fractions: expressions whose sums below lines get names where they occur again.
    """

    system: System
    lagrangian: System
    fractions: tuple[sympy.Expr, ...]

    @cached_property
    def letter(self) -> FreeLetters:
        """Letters that the system has not taken."""
        return lettering(self.system)

    @cached_property
    def below(self) -> Denominators:
        """Names of the sums below lines."""
        system = self.system
        return Denominators(self.fractions, [*system.coordinates, *system.parameters, *system.inputs])

    @cached_property
    def own(self) -> Equations:
        """Lagrange's equations."""
        made = equations(self.lagrangian)
        assert isinstance(made, Equations)
        return made

    @cached_property
    def is_quadratic(self) -> bool:
        """Whether the mass matrix is free of velocities."""
        return not leaves(self.own.M) & set(self.lagrangian.velocities)

    @property
    def kinetic(self) -> sympy.Expr:
        """The part of second degree in the velocities, as a sum of squares and products."""
        return in_squares(self.own.M, self.lagrangian.velocities)

    def chapter(self, what: str, sections: Iterable[tuple[str, Iterable[Step]]]) -> Chapter:
        """The sections under a title, after what was said of letters in them."""
        told = [(title, list(steps)) for title, steps in sections]
        return chapter(titled(self.system, what), [("Letters", list(self.letter.remarks())), *told])


def in_squares(M: Matrix, v: Sequence[sympy.Symbol]) -> sympy.Expr:
    """`v^T M v / 2` as a sum of squares and products of velocities."""
    pairs = ((i, j) for i in range(len(v)) for j in range(i, len(v)))
    return sympy.Add(*(M[i, j] * v[i] * v[j] / (2 if i == j else 1) for i, j in pairs if M[i, j] != 0))
