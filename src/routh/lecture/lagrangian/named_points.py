"""The points and other quantities of a system that have names, or get one in a lecture.

Named are what `let` made (`[let]` and `[points]` of a model file); a point at which a force acts gets
the letter p, and so does one that is drawn: but not beside others where the motion of a frame is
prescribed, with which the drawing may move.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import sympy

from routh.language.forces import Origin
from routh.language.symbols import Coordinate, Let
from routh.language.system import System
from routh.language.walk import leaves, lets, prescribed
from routh.lecture.lagrangian.letters import Letters
from routh.mechanics.forms.chapter import Formula
from routh.mechanics.forms.printing import latex

Components = tuple[sympy.Expr, ...]


@dataclass(frozen=True)
class Place:
    """A quantity with a name.

    Attributes:
        name: of the whole.
        symbols: what stands for its components in expressions.
        written: what they are.
        is_vector: whether it has components at all.
        is_drawn: whether it is known from the drawing alone.
    """

    name: Formula
    symbols: Components
    written: Components
    is_vector: bool
    is_drawn: bool = False


def places_of(
    system: System, letters: Letters, names: Mapping[str, Any], drawn: Iterable[Any]
) -> tuple[Place, ...]:
    """Everything that has a name, those first that others are made of; then points that get one.

    Arguments:
        system: the system.
        letters: the letters of the lecture.
        names: what the names of a model file stand for.
        drawn: points of a drawing.
    """
    every = [e for part in system.parts().values() for e in part]
    in_files = [x for value in names.values() for x in _atoms(value) if isinstance(x, Let)]
    bases = {_base(each) for each in lets([*every, *in_files])}
    named = list(_grouped(sorted(bases, key=lambda each: each.serial)))
    known = {place.symbols for place in named}
    pushed = [tuple(f.at) for f in system.forces if f.origin is Origin.POINT and f.at.rows > 1]
    told = any(place.is_vector and _moves(place.written) for place in named)
    in_frame = told and bool(prescribed([*system.kinetic, *system.lagrangian]))
    marks = [] if in_frame else [tuple(r) for r in drawn]
    new = {r: None for r in (*pushed, *marks) if r not in known and _moves(r)}
    numbers = range(1, len(new) + 1) if len(new) > 1 else [""]
    points = [
        Place(letters("p", k), r, r, True, r not in pushed) for k, r in zip(numbers, new, strict=False)
    ]
    return (*named, *points)


def _atoms(value: Any) -> set[sympy.Basic]:
    return (
        set(value.atoms(sympy.Symbol)) if isinstance(value, sympy.Basic | sympy.MatrixBase) else set()
    )


def _base(each: Let) -> Let:
    """The intermediate itself, of which another may be the rate."""
    while each.rate_of is not None:
        each = each.rate_of
    return each


def _moves(point: Iterable[sympy.Expr]) -> bool:
    return any(isinstance(s, Coordinate) for s in leaves(point))


def _grouped(intermediates: list[Let]) -> Iterator[Place]:
    """Vectors that `let` was given, with all of their components, and scalars, in order."""
    told: set[tuple[sympy.Expr, ...]] = set()
    for each in intermediates:
        name, own = each.vector or (each.name, (each,))
        if own in told:
            continue
        told.add(own)
        written = tuple(e.expression if isinstance(e, Let) else e for e in own)
        shown = Formula(name, latex(sympy.Symbol(name)))
        yield Place(shown, own, written, each.vector is not None)
