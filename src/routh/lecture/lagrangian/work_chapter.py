"""Virtual work: how forces and torques become generalized forces."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import sympy

from routh.language.contact.reaction import by_multipliers
from routh.language.derivation import partials
from routh.language.forces import Force, Origin
from routh.language.symbols import Coordinate
from routh.language.walk import unfold, unfolded_size
from routh.lecture.lagrangian.expressions import column, indexed, joined, partial_of, short
from routh.lecture.lagrangian.letters import Letters
from routh.lecture.lagrangian.named_points import Place
from routh.mechanics.forms.chapter import Formula, Step, formula
from routh.mechanics.forms.printing import latex, text
from routh.mechanics.lagrange import Equations

LONG = 500
"""Nodes of a force's work beyond which it is left as it is: in all it is told shorter below."""

_WORK = Formula("delta W", r"\delta W")


def work(eq: Equations, letters: Letters, places: Sequence[Place]) -> Iterator[Step]:
    """The virtual work of every force, and what it is for every coordinate."""
    system = eq.system
    if not system.forces:
        return
    yield "A force does virtual work along the displacement of its point, with time held fixed."
    reacting = by_multipliers(system.constraints, system.multipliers)
    forces = [replace(f, components=f.components.xreplace(reacting)) for f in system.forces]
    placed = [f for f in forces if not _is_straight(f)]
    for k, each in enumerate(placed, 1):
        yield from _Acting(each, k if len(placed) > 1 else "", letters, places)(system.coordinates)
    yield from _straight([f for f in forces if _is_straight(f)])
    Q = letters("Q")
    yield "What multiplies the displacement of a coordinate, in all, is its generalized force:"
    for q, own in zip(system.coordinates, eq.Q, strict=True):
        yield formula(indexed(Q, q), own)


def _is_straight(f: Force) -> bool:
    """Whether it acts on one coordinate by itself."""
    return f.at.rows == 1 and isinstance(f.at[0], Coordinate)


_STRAIGHT = {
    Origin.COORDINATE: "Given for a coordinate itself:",
    Origin.TORQUE: "A torque about an angle that is a coordinate:",
    Origin.POINT: "A force along a coordinate:",
    Origin.FRICTION: "Friction, against the slip:",
    Origin.ACCRETION: (
        "A mass depends on position, and its change keeps momentum instead of energy: minus its slope"
        " times half of the squared speed is to be added."
    ),
    Origin.INTAKE: "A mass changes; its rate times the velocity of what is taken in or lost:",
}


def _straight(forces: Sequence[Force]) -> Iterator[Step]:
    for origin, sentence in _STRAIGHT.items():
        own = [f for f in forces if f.origin is origin]
        if own:
            yield sentence
        for f in own:
            yield formula(_WORK, _times_displacement(f.components[0], f.at[0]))


def _times_displacement(component: sympy.Expr, along: sympy.Expr) -> Formula:
    left, right = ("(", ")") if component.is_Add else ("", "")
    return Formula(
        f"{left}{text(component)}{right} delta {text(along)}",
        rf"{left}{latex(component)}{right}\, \delta {latex(along)}",
    )


class _Acting:
    """What is said of one force at a point, or of one torque."""

    def __init__(self, force: Force, number: object, letters: Letters, places: Sequence[Place]) -> None:
        self._force = force
        turning = force.origin is Origin.TORQUE and force.at.rows == 1
        self._name = letters("tau" if turning else "F", number)
        known = {place.symbols: place.name for place in places if place.is_vector}
        self._known = known.get(tuple(force.at))
        self._point = self._known or letters("s" if force.at.rows == 1 else "p", number)

    def __call__(self, coordinates: Sequence[Coordinate]) -> Iterator[Step]:
        yield self._sentence
        yield formula(self._name, self._shown(self._force.components))
        if self._known is None:
            yield formula(self._point, self._shown(self._force.at))
        yield formula(
            _WORK, joined([self._name, self._dot, Formula("delta ", r"\delta "), self._point])
        )
        for q in coordinates:
            yield from self._for(q)

    @property
    def _sentence(self) -> str:
        where = f"at {self._known}" if self._known else ""
        if self._force.at.rows == 1:
            turning = self._force.origin is Origin.TORQUE
            return (
                "A torque, and the angle that it turns:" if turning else "A force, and what it moves:"
            )
        if self._force.origin is Origin.TORQUE:
            return (
                "A torque in space does the work of three forces, half of the torque crossed with each"
                f" axis of the body, at the tip of the axis. One of them, {where or 'and its tip'}:"
            )
        if self._force.origin is Origin.INTAKE:
            return (
                "A mass changes; its rate times the velocity of what is taken in or lost is a force"
                f" {where or 'at a point'}:"
            )
        return f"A force {where}:" if where else "A force, and its point:"

    @property
    def _dot(self) -> Formula:
        return Formula(" . ", r" \cdot ") if self._force.at.rows > 1 else Formula(" ", r"\, ")

    def _shown(self, entries: sympy.MatrixBase) -> Formula | sympy.Expr:
        return column(entries) if entries.rows > 1 else entries[0]

    def _for(self, q: Coordinate) -> Iterator[Step]:
        """The slope of the point by a coordinate, times the force; nothing where it does not move."""
        slopes = sympy.Matrix([short(partials(unfold(x), [q])[0]) for x in self._force.at])
        if not any(slopes):
            return
        left = joined([partial_of(self._point, q), self._dot, self._name])
        total = sympy.Add(*(a * b for a, b in zip(slopes, self._force.components, strict=True)))
        total = short(total) if unfolded_size([total]) <= LONG else total
        if self._force.at.rows == 1:
            yield formula(left, total)
            return
        components = column(self._force.components)
        yield formula(left, joined([column(slopes), self._dot, components]), total)
