"""Geometric conditions at the ends of spaces: which are built in, and which keep a multiplier.

A holonomic constraint that is linear in coordinates and end values of fields is solved for one of the
end values: the field is then built so that it holds. The others are constraints like any other.
"""

from __future__ import annotations

from dataclasses import dataclass

import sympy

from routh.errors import DeclarationError, shortened
from routh.language.fields import Field
from routh.language.symbols import Coordinate, Signal
from routh.language.system import System
from routh.language.walk import leaves, unfold
from routh.mechanics.forms.vanish import vanishes


@dataclass(frozen=True)
class EndConditions:
    """The constraints of a system, sorted.

    Attributes:
        solved: the end values that conditions fix, as expressions in what stays free, time and inputs.
        sources: the constraint that each was solved from, by its place.
        left: the places of the constraints that keep a multiplier.
        redundant: the places of those that follow from others.
    """

    solved: dict[Field, sympy.Expr]
    sources: dict[Field, int]
    left: tuple[int, ...]
    redundant: tuple[int, ...]


def end_conditions(system: System) -> EndConditions:
    """The constraints of a system with fields, sorted.

    Raises:
        DeclarationError: two conditions contradict each other; names the later one.
    """
    solved: dict[Field, sympy.Expr] = {}
    sources: dict[Field, int] = {}
    left: list[int] = []
    redundant: list[int] = []
    for k, (phi, holonomic) in enumerate(zip(system.constraints, system.is_holonomic, strict=True)):
        written = sympy.expand(unfold(phi).xreplace(solved))
        if not holonomic or written.has(sympy.Integral):
            left.append(k)
            continue
        if not _unknowns(written):
            _refuse_contradiction(phi, written)
            redundant.append(k)
            continue
        end = _pivot(written)
        if end is None:
            left.append(k)
            continue
        slope = written.diff(end)
        value = sympy.expand(-written.xreplace({end: sympy.S.Zero}) / slope)
        solved = {other: sympy.expand(x.xreplace({end: value})) for other, x in solved.items()}
        solved[end], sources[end] = value, k
    return EndConditions(solved, sources, tuple(left), tuple(redundant))


def _unknowns(expression: sympy.Expr) -> list[Signal]:
    found = [s for s in leaves([expression]) if isinstance(s, (Coordinate, Field))]
    return sorted(found, key=lambda s: (s.serial, str(s)))


def _pivot(written: sympy.Expr) -> Field | None:
    """The end value of the youngest field, if the condition is linear in all it contains.

    Its factor must be a number: a parameter might be zero.
    """
    unknowns = _unknowns(written)
    slopes = {x: written.diff(x) for x in unknowns}
    if any(_unknowns(slope) for slope in slopes.values()):
        return None
    ends = [x for x in unknowns if isinstance(x, Field) and slopes[x].is_number and slopes[x] != 0]
    return ends[-1] if ends else None


def _refuse_contradiction(phi: sympy.Expr, left: sympy.Expr) -> None:
    if not vanishes(left):
        raise DeclarationError(
            f"The constraint `{shortened(phi)}` contradicts the others: with them it reads"
            f" {shortened(left)} = 0. Leave one of them out."
        )
