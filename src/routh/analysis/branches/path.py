"""The equations of rest along a parameter, and the tracing of their branches."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from routh.analysis.branches.islands import with_islands
from routh.analysis.branches.special_points import SpecialPoint, oscillations, unexplained
from routh.analysis.given.conditions import Conditions
from routh.analysis.given.knob import Knob
from routh.analysis.linear.linearize import linearize
from routh.analysis.rest import diagnosis
from routh.analysis.rest.failure import failure
from routh.analysis.rest.problem import Problem
from routh.analysis.rest.result import Equilibrium
from routh.analysis.stability.branch_words import Kind, ending, turns_back
from routh.analysis.stability.modes import modes
from routh.analysis.stability.natural_modes import Modes
from routh.arrays import Array
from routh.errors import SolveError, Status, quoted
from routh.kernels.engine import Kernel
from routh.kernels.kernel import kernel
from routh.numerics.curves.arms import joined, walked
from routh.numerics.curves.continuation import Tracer
from routh.numerics.curves.curve import Curve, End, NotFiniteError, Place
from routh.numerics.curves.folds import events
from routh.numerics.curves.refine import refined
from routh.numerics.solving.newton import Solution

STEPS = 2000
"""Points after which a branch ends."""

KICKS = tuple(10.0**k for k in np.arange(-9.0, 0.0, 0.5))
"""First steps onto another branch that are tried, in the scales of the known one."""

UPRIGHT = (1e-3, 0.1, 1.0, 10.0)
"""Steps onto another branch over which the parameter must stay, for a family at one value of it."""

NEAR = 0.01
"""Share of the range by which the first step may move the parameter."""

LINEAR = 0.05
"""By how much ratios may miss a half or a quarter when a step is halved."""

NOTHING = 1e-12
"""Share of the range under which the parameter has not moved."""

SINGULAR = 1e-13
"""Singular values of the slopes under which an equilibrium is not alone."""

SAME = 1e-5
"""Share of the scales within which two places are the same point."""


@dataclass(frozen=True, eq=False)
class Traced:
    """A branch: its equilibria and modes as batches of shape (k,), its special points, why it ends."""

    rest: Equilibrium
    modes: Modes
    points: tuple[SpecialPoint, ...]
    ended: str


class Path:
    """The equations as functions of y = (unknown coordinates, multipliers, speeds, parameter)."""

    def __init__(
        self, reference: Equilibrium, moved: Knob, start: float, end: float, step: float | None
    ) -> None:
        self._reference = reference
        self._knob = moved
        self._engine: Kernel = kernel(reference.system)
        self._alone = reference.chosen(np.zeros(1, dtype=np.intp))
        given = reference.conditions
        idle = self._engine.about(reference.point()).idle
        out = {k for k, here in enumerate(idle) if here or k in given.turning}
        problem = self._problem(given, reference.q[None])
        self._x = problem.unknowns(reference.q[None], reference.multipliers[None], given.speeds)[0]
        self._kept = [k for k in range(len(self._x)) if k not in out]
        self._start = start
        self._end = end
        low, high = min(start, end), max(start, end)
        self._tracer = Tracer(
            self._equations, self._slopes, low, high, step, self._of_fields, sizes=self._added_up
        )

    def _problem(self, given: Conditions, q: Array) -> Problem:
        return Problem(self._engine, given, q)

    def _at(self, y: Array) -> tuple[Problem, Array]:
        """The problem at points (k, m + 1) of curves, and its unknowns (k, number of them)."""
        one = self._alone
        if len(y) > 1:
            one = self._reference.chosen(np.zeros(len(y), dtype=np.intp))
        x = np.tile(self._x, (len(y), 1))
        x[:, self._kept] = y[:, :-1]
        return self._problem(self._knob.turned(one.conditions, y[:, -1]), one.q), x

    def _equations(self, y: Array) -> Array:
        problem, x = self._at(y[None])
        rows: Array = problem.equations(x, np.arange(1))[0]
        return rows[self._kept]

    def _added_up(self, y: Array) -> Array:
        """(m,): the sums of what is added up in the equations."""
        problem, x = self._at(y[None])
        sums: Array = problem.sizes(x, np.arange(1))[0]
        return sums[self._kept]

    def _slopes(self, y: Array) -> Array:
        """(k, m, m + 1) at points (k, m + 1)."""
        problem, x = self._at(y)
        by_x = problem.tangent(x, np.arange(len(y)))[:, self._kept][:, :, self._kept]
        by_parameter = problem.slope(self._knob, x)[:, self._kept, None]
        return np.concatenate([by_x, by_parameter], axis=2)

    def _first(self) -> Array:
        """(m + 1,) where the branch begins."""
        return np.append(self._x[self._kept], self._start)

    def from_start(self) -> Traced:
        """The branch that begins at the reference."""
        y = self._first()
        try:
            first = self._tracer.start(y)
        except NotFiniteError:
            raise SolveError(
                f"The equations have no slope by `{self._knob.symbol}` at {self._start:g}: it is not"
                " finite there. Start beside it.",
                self._reference,
            ) from None
        self._refuse_families(first)
        curve = walked(self._tracer, first, self._end > self._start, STEPS)
        if curve is None:
            raise SolveError(turns_back(self._knob.symbol, self._start, self._end), self._reference)
        return self._traced(curve)

    def _refuse_families(self, first: Place) -> None:
        if np.linalg.svd(self._tracer.slopes_at(first), compute_uv=False)[-1] < SINGULAR:
            note = diagnosis.loose(self._reference.system, self._reference.tangent)
            raise SolveError(
                "follow needs an equilibrium that is alone, or at a fold: this one belongs to a family,"
                f" or several branches cross here.{note} Start beside it, or hold one of the"
                " coordinates by a constraint.",
                self._reference,
            )

    def other_branch(self, point: SpecialPoint) -> Traced:
        """The branch that crosses at a point, both arms joined."""
        here = point._place
        if point.multiplicity > 1:
            raise SolveError(
                f"{point.multiplicity + 1} branches or more cross at {self._knob.symbol} ="
                f" {here.y[-1]:.6g}. switch works where one does; break the symmetry first.",
                point.rest,
            )
        null = np.linalg.svd(self._tracer.slopes_at(here))[2][-2:]
        across = null - np.outer(null @ here.tangent, here.tangent)
        direction = np.linalg.svd(across)[2][0]
        self._refuse_upright(point, direction)
        back = self._arm(here, -direction)
        if back is not None and back.end is End.CLOSED:
            return self._traced(back, own=point)
        ahead = self._arm(here, direction)
        if back is None and ahead is None:
            raise SolveError(
                f"No other branch was found at {self._knob.symbol} = {here.y[-1]:.6g}.", point.rest
            )
        middle = replace(here, tangent=direction, cross=0.0)
        if back is not None and ahead is not None:
            return self._traced(joined(back, middle, ahead), own=point)
        if ahead is not None:
            return self._traced(ahead, own=point)
        assert back is not None
        return self._traced(back, own=point)

    def _refuse_upright(self, point: SpecialPoint, direction: Array) -> None:
        """Refuse to follow over a parameter what rests at one value of it alone.

        There rounding is all that the parameter does: walks would look into it step by step.
        """
        here = point._place
        for kick in UPRIGHT:
            guess = here.y + kick * direction * here.scale
            found = self._tracer.corrected(guess, direction, here.scale)
            if found is None or abs(found[0][-1] - here.y[-1]) > NOTHING * here.scale[-1]:
                return
        moved = np.abs(direction * here.scale)[:-1]
        names = [*map(str, self._reference.system.coordinates)]
        moving = [self._kept[k] for k in np.flatnonzero(moved > SAME * moved.max())]
        which = quoted(names[k] for k in moving if k < len(names))
        raise SolveError(
            f"What crosses at {self._knob.symbol} = {here.y[-1]:.6g} is a family of equilibria at this"
            f" one value, to rounding: {which} may be anywhere near. Terms of higher order in the"
            " energies would bend it into a branch.",
            point.rest,
        )

    def _arm(self, here: Place, direction: Array) -> Curve | None:
        """One arm of another branch, from the largest first step up to which all lead onto it."""
        y = None
        for kick in KICKS:
            further = self._kicked(here, direction, kick)
            if further is None and y is not None:
                break
            y = further
        if y is None:
            return None
        along = (y - here.y) / here.scale
        along /= np.linalg.norm(along)
        return self._tracer.walk(self._tracer.place(y, along, here.scale, 0 * here.rows), STEPS)

    def _of_fields(self, size: Array) -> Array:
        """Sizes with those of all amplitudes of a field alike: high ones are small only at first."""
        size = np.array(size)
        coordinates = self._reference.system.coordinates
        for shape in self._reference.system.shapes:
            own = {coordinates.index(q) for q in shape.coordinates}
            places = [row for row, k in enumerate(self._kept) if k in own]
            size[places] = size[places].max(initial=0.0)
        return size

    def _kicked(self, here: Place, direction: Array, kick: float) -> Array | None:
        """A point of another branch through a place, None if it does not lead there.

        Halving the step must halve the distance from the known branch, and the change of the parameter
        by two or by four: then it ends at the place, and is no other solution further off.
        """
        found = []
        for halving in range(4):
            guess = here.y + kick / 2**halving * direction * here.scale
            corrected = self._tracer.corrected(guess, direction, here.scale)
            if corrected is None or not self._tracer.low <= corrected[0][-1] <= self._tracer.high:
                return None
            found.append(corrected[0])
        way = (np.array(found) - here.y) / here.scale
        off = np.linalg.norm(way - np.outer(way @ here.tangent, here.tangent), axis=1)
        change = np.abs(way[:, -1])
        if off[0] < kick / 2 or not (np.abs(off[1:] / off[:-1] - 0.5) < LINEAR).all():
            return None
        with np.errstate(invalid="ignore", divide="ignore"):
            ratio = change[1:] / change[:-1]
        by_two, by_four = np.abs(ratio - 0.5) < LINEAR, np.abs(ratio - 0.25) < LINEAR
        still = change[1:] < NOTHING
        if change[0] > NEAR:
            return None  # further than special points should be looked for
        return found[0] if (by_two | still).all() or (by_four | still).all() else None

    def _traced(self, curve: Curve, own: SpecialPoint | None = None) -> Traced:
        """The curve as equilibria, with its special points located."""
        curve = refined(self._tracer, curve)
        linear = linearize(self._equilibria(np.array([place.y for place in curve.places])))
        curve = with_islands(self._tracer, curve, linear, self._equilibria)
        rest = self._equilibria(np.array([place.y for place in curve.places]))
        along = modes(linearize(rest))
        points = [*self._turning_points(curve, own), *self._onsets(curve, along)]
        points += self._changes(curve, along, [point._at for point in points])
        points.sort(key=lambda point: point._at)
        return Traced(rest, along, tuple(points), self._said(curve, own is not None))

    def _said(self, curve: Curve, switched: bool) -> str:
        """Why the branch ends, naming values of the parameter."""
        start = None if switched else self._start
        return ending(curve, self._knob.symbol, start, self._end, self._stopped(curve))

    def _stopped(self, curve: Curve) -> str:
        """Why no further points were found, in words that hold."""
        if curve.end is not End.AWAY:
            return str(curve.end.value)
        first, last = curve.places[0], curve.places[-1]
        most = int(np.argmax(np.abs(last.y - first.y)[:-1] / first.scale[:-1]))
        names = [*map(str, self._reference.system.coordinates)]
        k = self._kept[most]
        what = f"`{names[k]}`" if k < len(names) else "a multiplier or a speed"
        times = abs(last.y - first.y)[most] / first.scale[most]
        return f"{what} has moved by {times:.1e} times the size it began with, and goes on growing."

    def _equilibria(self, y: Array) -> Equilibrium:
        """All points of a curve as one batch.

        Raises:
            NoEquilibrium: away from the start the equations change in time, or what turns is driven.
        """
        problem, x = self._at(y)
        every = np.arange(len(y))
        x = x[:, : problem.width + len(problem.given.momenta)]
        residual, tangent = problem.equations(x, every), problem.tangent(x, every)
        status = np.full(len(y), Status.CONVERGED, dtype=object)
        solution = Solution(x, residual, tangent, status, x[None])
        moving = problem.changes(x)
        result = problem.result(solution)
        for k in np.flatnonzero(moving | self._left(problem, x).any(axis=1))[:1]:
            why = Status.TIME_DEPENDENT if moving[k] else Status.DRIVEN
            raise failure(replace(result.single(int(k)), status=why))
        return result

    def _left(self, problem: Problem, x: Array) -> Array:
        """(N, n): forces on coordinates whose equations are not among those that are solved."""
        return problem.left_on_turning(x)

    def _turning_points(self, curve: Curve, own: SpecialPoint | None) -> list[SpecialPoint]:
        """Folds and branch points; that at which the branch was switched is taken over."""
        found = []
        for event in events(self._tracer, curve):
            place = event.place
            if own is None or not _same(place, own._place):
                kind = Kind.BRANCH if event.crosses else Kind.FOLD
                found.append(self._special(kind, place, event.at, event.multiplicity))
        if own is not None:
            far = [np.linalg.norm((p.y - own._place.y) / p.scale) for p in curve.places]
            at = int(np.argmin(far))
            place = replace(own._place, tangent=curve.places[at].tangent)
            found.append(replace(own, _at=float(at), _place=place))
        return found

    def _special(self, kind: Kind, place: Place, at: float, multiplicity: int = 1) -> SpecialPoint:
        rest = self._equilibria(place.y[None]).single(0)
        name, value = str(self._knob.symbol), float(place.y[-1])
        return SpecialPoint(kind, name, value, rest, None, multiplicity, place, at)

    def _modes_at(self, curve: Curve, k: int, share: float) -> Modes | None:
        """The modes between two places of a curve."""
        place = self._tracer.beside(curve.places[k], curve.places[k + 1], share)
        if place is None:
            return None
        return modes(linearize(self._equilibria(place.y[None]).single(0)))

    def _between(
        self, curve: Curve, kind: Kind, k: int, share: float, frequency: float | None = None
    ) -> list[SpecialPoint]:
        """The special point at a share of an interval; none where no place is found."""
        place = self._tracer.beside(curve.places[k], curve.places[k + 1], share)
        if place is None:
            return []
        return [replace(self._special(kind, place, k + share), frequency=frequency)]

    def _onsets(self, curve: Curve, along: Modes) -> list[SpecialPoint]:
        """Where oscillations begin or cease to grow."""
        found: list[SpecialPoint] = []
        for onset in oscillations(along, partial(self._modes_at, curve)):
            found += self._between(curve, onset.kind, onset.interval, onset.share, onset.frequency)
        return found

    def _changes(self, curve: Curve, along: Modes, explained: list[float]) -> list[SpecialPoint]:
        """Where the verdict changes and no other point says why."""
        found: list[SpecialPoint] = []
        for k, share in unexplained(along, explained, partial(self._modes_at, curve)):
            found += self._between(curve, Kind.CHANGE, k, share)
        return found


def _same(a: Place, b: Place) -> bool:
    """Whether two places are the same point."""
    return bool(np.linalg.norm((a.y - b.y) / np.maximum(a.scale, b.scale)) < SAME)
