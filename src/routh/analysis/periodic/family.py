"""Families of periodic motions as curves of solutions, and the points where something happens."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Annotated, Any

import numpy as np

from routh.analysis.periodic.lap import Lap
from routh.analysis.periodic.periodic_motion import LOOSE, PeriodicMotion
from routh.analysis.periodic.shooting import Equations, Moved, Regime, Shooting, Unknowns
from routh.analysis.stability.branch_words import Kind, branch_text, ending, of_kind, turns_back
from routh.arrays import Array, Complex
from routh.errors import SolveError, capital
from routh.language.system import System
from routh.numerics.curves.arms import walked
from routh.numerics.curves.continuation import Tracer
from routh.numerics.curves.curve import Curve, End, NotFiniteError, Place
from routh.numerics.curves.folds import Event, closer, events, zeros
from routh.numerics.curves.refine import refined
from routh.numerics.steppers import StuckError
from routh.recorded import Recorded
from routh.shown import as_html

WIDE = 3.0
"""Sizes of the first motion that count as much as the whole way of what is moved."""

LARGEST = 0.06
"""Longest step along a family, as a share of the way."""

NOISE = 1e-12
"""Relative error of the equations, that of the runs."""

REST = 1e-3
"""Share of the first motion at which a family has shrunk to a rest."""

NOTHING = 1e-2
"""Share of that at the end of the range: small motions that were asked for are motions."""

MOST_POINTS = 400
"""Motions of one branch."""

REMEMBERED = 512
"""Periods that are kept: each is asked for its gaps, its slopes and its growth."""


@dataclass(frozen=True, eq=False)
class PeriodicPoint(Recorded):
    """A special point of a branch of periodic motions.

    Attributes:
        kind: what happens.
        parameter: the name of what is moved.
        value: its value.
        motion: the periodic motion there.
        multiplicity: how many other branches cross, at least.
    """

    kind: Kind
    parameter: str
    value: float
    motion: PeriodicMotion = field(repr=False)
    multiplicity: int = 1

    def __str__(self) -> str:
        where = f"at {self.parameter} = {self.value:.10g}"
        return f"{capital(str(self.kind))}, {where}, period {self.motion.period:.9g} s"

    _repr_html_ = as_html


@dataclass(frozen=True, eq=False, repr=False)
class PeriodicBranch(Recorded):
    """Periodic motions along amplitude, energy or a parameter, in the order in which they follow.

    Attributes:
        system: the system.
        parameter: what was moved: "amplitude", "energy" or a parameter.
        motions: the motions.
        at: (k,) values of what was moved.
        points: folds, branch points and period doublings, in order.
        ended: why it ended, as a sentence.
    """

    system: System
    parameter: Any
    motions: tuple[PeriodicMotion, ...]
    at: Annotated[Array, "k"]
    points: tuple[PeriodicPoint, ...]
    ended: str

    @property
    def periods(self) -> Annotated[Array, "k"]:
        """(k,) periods."""
        return np.array([motion.period for motion in self.motions])

    @property
    def frequencies(self) -> Annotated[Array, "k"]:
        """(k,) angular frequencies 2 pi / period."""
        return np.asarray(2 * np.pi / self.periods)

    def amplitudes(self, q: Any) -> Array:
        """(k,) half of the range of an expression along each motion."""
        return np.array([motion.amplitude(q) for motion in self.motions])

    @property
    def verdicts(self) -> list[Any]:
        """The verdict on each motion."""
        return [motion.floquet.verdict for motion in self.motions]

    def of(self, kind: Kind) -> tuple[PeriodicPoint, ...]:
        """The special points of one kind."""
        return of_kind(self.points, kind)

    def __len__(self) -> int:
        return len(self.motions)

    def __repr__(self) -> str:
        return f"PeriodicBranch({self.system.title}, {len(self)} motions along {self.parameter})"

    def __str__(self) -> str:
        lines = [f"  {point}" for point in self.points]
        what = "periodic motions of "
        return branch_text(self.system, what, self.parameter, self.at, self.ended, lines)

    _repr_html_ = as_html


class Family:
    """The equations as functions of y = (nodes, period, damping that unfolds, what is moved).

    Of a driven motion neither the period nor the damping is unknown, of an autonomous one the period.
    """

    def __init__(self, start: PeriodicMotion, moved: Moved, first: float, to: float) -> None:
        self._shooting: Shooting = start._shooting
        self._moved, self._first, self._to = moved, first, to
        self._start = start
        self._shape = start.nodes.shape
        size = np.maximum(np.abs(start.nodes).max(axis=0), 1e-3 * np.abs(start.nodes).max())
        self._size = np.tile(size, len(start.nodes))
        held = float(start.nodes[0, self._shooting.turning])
        values = self._shooting.values | start.values
        self._equations = Equations(self._shooting, values, size, held, moved)
        self._lap = lru_cache(REMEMBERED)(self._new_lap)
        low, high = min(first, to), max(first, to)
        # signs of eigenvalues mean nothing here; the sign of the bordered determinant does
        self._tracer = Tracer(
            self._function, self._slopes, low, high, LARGEST, index=lambda _: 0, noise=NOISE
        )

    def unknowns(self, y: Array) -> Unknowns:
        """The point of a curve as a motion."""
        nodes, rest = y[: self._size.size].reshape(self._shape), y[self._size.size :].tolist()
        value = rest[-1]
        period = self._start.period if self._moved.period is None else self._moved.period(value)[0]
        if self._shooting.regime is not Regime.DRIVEN:
            period = rest[0]
        mu = rest[1] if self._shooting.regime is Regime.CONSERVATIVE else 0.0
        return Unknowns(nodes, period, mu, value)

    def _new_lap(self, y: bytes) -> Lap | None:
        """One period at a point, None where it cannot be run."""
        at = self.unknowns(np.frombuffer(y))
        try:
            return self._equations.lap(at) if at.period > 0 else None
        except StuckError:
            return None

    def _rows(self, y: Array) -> tuple[Array, Array]:
        """What must vanish and its slopes by y; not finite where the motion cannot be run."""
        lap = self._lap(y.tobytes())
        if lap is None:
            return np.full(len(y) - 1, np.nan), np.full((len(y) - 1, len(y)), np.nan)
        at = self.unknowns(y)
        off, A = self._equations.rows(at, lap)
        beside = [at.period, 1.0][: self._shooting.regime.trivial]
        return off, A / np.concatenate([self._size, beside, [self._moved.unit]])

    def _function(self, y: Array) -> Array:
        return self._rows(y)[0]

    def _slopes(self, y: Array) -> Array:
        return np.array([self._rows(each)[1] for each in y])

    def _first_place(self) -> tuple[Array, Array]:
        """(m + 1,) where the branch begins, and lengths of the unknowns."""
        period = self._start.period
        beside = [(period, period), (0.0, 1.0)][: self._shooting.regime.trivial]
        y = [*self._start.nodes.reshape(-1), *(value for value, _ in beside), self._first]
        wide = WIDE * np.sqrt(self._size.size) * self._size
        lengths = [*wide, *(length for _, length in beside), self._moved.unit]
        return np.array(y), np.array(lengths)

    def branch(self, parameter: Any) -> PeriodicBranch:
        """The motions from the first one on, and the points where something happens.

        Raises:
            SolveError: they cannot be followed.
        """
        y, lengths = self._first_place()
        driven = self._shooting.regime is Regime.DRIVEN
        least = 0.0 if driven else REST * self._spread(y)  # a drive goes on through zero
        curve = self._walked(y, lengths, least)
        points = [
            self._point(kind, event)
            for kind, event in self._events(curve)
            if self._spread(event.place.y) >= least
        ]
        motions = [
            self._start if np.array_equal(place.y, y) else self._motion(place.y)
            for place in curve.places
        ]
        at = np.array([place.y[-1] for place in curve.places])
        known = next((k for k, motion in enumerate(motions) if motion.gap > LOOSE), len(motions))
        if known < len(motions):
            low, high = sorted((at[0], at[known - 1]))
            within = tuple(point for point in points if low <= point.value <= high)
            ended = (
                f"It stopped at {self._moved.name} = {at[known - 1]:.6g}: the ends of further motions"
                f" miss each other by {motions[known].gap:.0e} of their size."
            )
            system = self._start.system
            return PeriodicBranch(system, parameter, tuple(motions[:known]), at[:known], within, ended)
        nothing = least if curve.end is not End.RANGE else NOTHING * least  # it may be asked for
        is_rest = curve.end is End.STOPPED or self._spread(curve.places[-1].y) < nothing
        said = ending(curve, self._moved.name, self._first, self._to, str(curve.end.value))
        ended = "It ends in a rest." if is_rest else said
        return PeriodicBranch(self._start.system, parameter, tuple(motions), at, tuple(points), ended)

    def _walked(self, y: Array, lengths: Array, least: float) -> Curve:
        """The curve from a point on, until the motions have shrunk to a rest or do not close."""
        title, forward = self._start.system.title, self._to > self._first
        lost = SolveError(f"The periodic motion of {title} could not be followed.")
        try:
            first = self._tracer.start(y, lengths)
        except NotFiniteError:
            raise lost from None

        def ends(here: Place, there: Place) -> bool:
            at_rest = self._spread(there.y) < least or (least > 0 and self._flips(here, there))
            return at_rest or self._gap(there.y) > LOOSE

        curve = walked(self._tracer, first, forward, MOST_POINTS, ends)
        if curve is None:
            raise SolveError(turns_back(self._moved.name, self._first, self._to))
        if curve.end is End.STOPPED and self._flips(*curve.places[-2:]):
            curve = Curve(curve.places[:-1], curve.end)  # beyond the rest the family comes back
        if len(curve.places) < 2:
            raise lost
        return refined(self._tracer, curve, [self._doubled])

    def _events(self, curve: Curve) -> list[tuple[Kind, Event]]:
        """Folds, crossings of other branches and period doublings, in order."""
        seen = [closer(self._tracer, curve, event) for event in events(self._tracer, curve)]
        found = [(Kind.BRANCH if event.crosses else Kind.FOLD, event) for event in seen]
        found += [(Kind.PERIOD_DOUBLING, e) for e in zeros(self._tracer, curve, self._doubling)]
        return sorted(found, key=lambda each: each[1].at)

    def _point(self, kind: Kind, event: Event) -> PeriodicPoint:
        y = event.place.y
        name, motion = self._moved.name, self._motion(y)
        return PeriodicPoint(kind, name, float(y[-1]), motion, event.multiplicity)

    def _motion(self, y: Array) -> PeriodicMotion:
        """The motion at a point of a curve, without what is left of the damping that unfolds."""
        gap = self._gap(y)
        still = np.array(y)
        if self._shooting.regime is Regime.CONSERVATIVE:
            still[-2] = 0.0
        at, lap = self.unknowns(still), self._lap(still.tobytes())
        assert lap is not None
        numbers = self._equations.numbers(at)
        values = {name: numbers[name] for name in self._start.values}
        return PeriodicMotion(
            self._shooting.system, values, at.period, at.nodes[0], lap.monodromy, gap, at.nodes,
            self._shooting,
        )  # fmt: skip

    def _gap(self, y: Array) -> float:
        """By how much the ends of a motion miss each other."""
        return float(np.abs(self._function(y)).max())

    def _doubling(self, place: Place) -> float:
        """It vanishes where a multiplier is -1."""
        lap = self._lap(place.y.tobytes())
        return float("nan") if lap is None else float(np.linalg.det(lap.monodromy + np.eye(lap.width)))

    def _doubled(self, place: Place) -> Complex:
        return np.array([self._doubling(place)], dtype=complex)

    def _spread(self, y: Array) -> float:
        """How far the nodes of a motion are from their mean, in units of the first one."""
        return float(np.abs(self._swing(y)).max())

    def _flips(self, here: Place, there: Place) -> bool:
        """Whether a step passes over a rest: what swung one way swings the other."""
        return bool(np.sum(self._swing(here.y) * self._swing(there.y)) < 0)

    def _swing(self, y: Array) -> Array:
        """(pieces, 2n): where the nodes are, seen from their mean."""
        nodes = (y[: self._size.size] / self._size).reshape(self._shape)
        return np.asarray(nodes - nodes.mean(axis=0))
