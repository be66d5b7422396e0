"""The chapter on a consistent start: what must hold, positions first, then velocities."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import sympy

from routh.analysis.motion.starts.start import Start
from routh.arrays import Array
from routh.errors import DeclarationError
from routh.language.calculus import ddt
from routh.language.evaluation import Evaluation
from routh.language.symbols import Coordinate, Input, t
from routh.language.walk import leaves, unfold
from routh.lecture.kinds import chapter_of
from routh.lecture.lagrangian.expressions import short
from routh.lecture.transformed.wording import number, table, titled
from routh.mechanics.forms.chapter import Chapter, Formula, Step, chapter, formula

DIGITS = 30


@chapter_of.register
def start_chapter(start: Start) -> Chapter:
    """From a state as it was given to one that meets the constraints."""
    if start.conditions.shape:
        raise DeclarationError(
            "derive explains one start. Got a batch: give one number for each parameter."
        )
    told = _Told(start)
    sections = [
        ("What must hold", list(told.rows())),
        ("Positions", list(told.positions())),
        ("Velocities", list(told.velocities())),
        ("What follows", list(told.accelerations())),
    ]
    return chapter(titled(start.system, "a consistent start"), sections)


class _Told:
    """What is said of a start, section by section."""

    def __init__(self, start: Start) -> None:
        system = self.system = start.system
        self.start = start
        self.held = [unfold(phi) for phi in system.constraints]
        self.places = [k for k, kind in enumerate(system.is_holonomic) if kind]
        self.rates = [
            short(ddt(phi)) if kind else phi
            for phi, kind in zip(self.held, system.is_holonomic, strict=True)
        ]

    def rows(self) -> Iterator[Step]:
        """Constraints, and the rates that are hidden in them."""
        if not self.held:
            yield "The system has no constraints: every state is a start."
            return
        if self.places:
            yield "Positions must meet"
            yield from (formula(self.held[k], 0) for k in self.places)
            yield (
                "at all times, so that velocities must meet the rates, which are not written among the"
                " constraints:"
            )
            yield from (formula(self.rates[k], 0) for k in self.places)
        others = [self.held[k] for k in range(len(self.held)) if k not in self.places]
        if others:
            yield "Velocities must meet"
            yield from (formula(e, 0) for e in others)

    def positions(self) -> Iterator[Step]:
        """The nearest position by mass."""
        if not self.places:
            if self.held:
                yield "No constraint holds positions: they stay as they were given."
            return
        yield (
            "Of the positions that meet the constraints the nearest that was found is taken, by mass"
            " where the start was given, among what was not kept:"
        )
        yield Formula(
            "(q - q0)^T M(q0) (q - q0) -> min,  phi(q) = 0",
            r"(q - q_0)^T M(q_0) (q - q_0) \to \min, \quad \varphi(q) = 0",
        )
        yield self._table(self.system.coordinates, self.start.q, self.start.moved_q)
        own = [self.held[k] for k in self.places]
        yield from self._off(own, "constraint", self.start.moved_q, 0 * self.start.v)

    def velocities(self) -> Iterator[Step]:
        """The least blow."""
        if not self.held:
            return
        yield (
            "There, velocities change as by a blow of the constraints: with as little kinetic energy of"
            " the change as possible, a linear problem."
        )
        yield Formula(
            "(v - v0)^T M(q) (v - v0) -> min,  J v + phi_t = 0",
            r"(v - v_0)^T M(q) (v - v_0) \to \min, \quad J v + \varphi_t = 0",
        )
        yield self._table(self.system.velocities, self.start.v, self.start.moved_v)
        yield from self._off(self.rates, "row", 0 * self.start.q, self.start.moved_v)

    def accelerations(self) -> Iterator[Step]:
        """What is left to the equations of motion."""
        if self.held:
            yield (
                "Accelerations and multipliers need no numbers of their own: they follow from position"
                " and velocity by the saddle point."
            )

    def _table(self, symbols: Sequence[Coordinate], found: Array, moved: Array) -> Step:
        rows = zip(symbols, found - moved, moved, found, strict=True)
        return table(
            ["", "given", "moved by", "consistent"],
            [[formula(s), number(a), number(_clean(b, c)), number(c)] for s, a, b, c in rows],
        )

    def _off(
        self, rows: Sequence[sympy.Expr], what: str, moved_q: Array, moved_v: Array
    ) -> Iterator[Step]:
        """How far off each row was, and is."""
        if any(isinstance(s, Input) for s in leaves(rows)):
            return
        before = self._values(rows, self.start.q - moved_q, self.start.v - moved_v)
        yield f"By that each {what} goes to zero, from"
        yield table(
            [what, "before"], [[str(k), number(_clean(x, 1.0))] for k, x in enumerate(before, 1)]
        )

    def _values(self, rows: Sequence[sympy.Expr], q: Array, v: Array) -> list[float]:
        values = self.start.conditions.values
        here = {p: float(np.ravel(values[p.name])[0]) for p in self.system.parameters}
        here |= dict(zip(self.system.coordinates, map(float, q), strict=True))
        here |= dict(zip(self.system.velocities, map(float, v), strict=True)) | {t: self.start.time}
        at = Evaluation(here, DIGITS)
        found = map(at, rows)
        return [np.nan if x is None else float(x) for x in found]


def _clean(x: float, beside: float) -> float:
    """Zero for what is rounding beside another number."""
    return 0.0 if abs(x) <= 1e-13 * abs(beside) else x
