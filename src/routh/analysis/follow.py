"""Equilibria followed as a parameter moves, through folds, with the points where something happens."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from routh.analysis import diagnosis
from routh.analysis.equilibrium import Equilibrium, Problem
from routh.analysis.linear import linearize
from routh.analysis.modes import Modes, modes
from routh.analysis.special import Kind, SpecialPoint, oscillations
from routh.analysis.time import changing_rest
from routh.analysis.values import Conditions, Knob, knob, number
from routh.analysis.verdict import Stability
from routh.errors import DeclarationError, SolveError, Status, capital
from routh.kernels.batch import Array
from routh.kernels.kernel import Kernel, kernel
from routh.language.system import System
from routh.numerics.continuation import Curve, NotFiniteError, Place, Tracer
from routh.numerics.events import events
from routh.numerics.newton import Solution

STEPS = 2000
"""Points after which a branch ends."""

KICKS = tuple(10.0**k for k in np.arange(-10.0, 6.5, 0.5))
"""First steps onto another branch that are tried, in the scales of the known one."""

FLAT = 1e-6
"""Share of its length by which a tangent must move the parameter to have a direction."""


@dataclass(frozen=True, eq=False, repr=False)
class Branch:
    """Equilibria along a parameter, in the order in which they were followed.

    Attributes:
        rest: the equilibria as one batch of shape (k,).
        parameter: what was moved; its values are `at`.
        points: the folds, branch points, Hopf and flutter points met, in order.
        ended: why it ended, as a sentence.
    """

    rest: Equilibrium
    parameter: Any
    points: tuple[SpecialPoint, ...]
    ended: str
    _path: Path = field(repr=False)
    _curve: Curve = field(repr=False)

    @property
    def system(self) -> System:
        """The system it belongs to."""
        return self.rest.system

    @property
    def at(self) -> Array:
        """(k,) values of the parameter."""
        return np.array([place.y[-1] for place in self._curve.places])

    @property
    def q(self) -> Array:
        """(k, n) coordinates."""
        return self.rest.q

    @cached_property
    def modes(self) -> Modes:
        """The modes along the branch."""
        return modes(linearize(self.rest))

    @property
    def stability(self) -> Stability:
        """The verdicts along the branch, a batch of shape (k,)."""
        return self.modes.stability

    def of(self, kind: Kind) -> tuple[SpecialPoint, ...]:
        """The special points of one kind."""
        if not isinstance(kind, Kind):
            raise DeclarationError(
                f"Expected a Kind, like {', '.join(f'Kind.{k.name}' for k in Kind)}. Got {kind!r}."
            )
        return tuple(point for point in self.points if point.kind is kind)

    def switch(self, point: SpecialPoint) -> Branch:
        """The other branch through a branch point, from one end of it to the other.

        Raises:
            DeclarationError: the point is no branch point of this branch.
            SolveError: no other branch was found there.
        """
        if not any(point is own for own in self.points) or point.kind is not Kind.BRANCH:
            raise DeclarationError(
                "switch needs a branch point of this branch, one of branch.of(Kind.BRANCH). Got"
                f" {point!r}."
            )
        return self._path.other_branch(point)

    def __len__(self) -> int:
        return len(self.at)

    def __repr__(self) -> str:
        return f"Branch({self.system.title}, {len(self)} points, {len(self.points)} special)"

    def __str__(self) -> str:
        head = (
            f"{capital(self.system.title)} followed from {self.parameter} = {self.at[0]:.6g} to"
            f" {self.at[-1]:.6g}: {len(self)} points. {self.ended}"
        )
        return "\n".join([head, f"Along it: {self.stability}.", *(f"  {p}" for p in self.points)])


def follow(
    reference: Equilibrium, parameter: object, to: float, *, step: float | None = None
) -> Branch:
    """The branch of equilibria through one of them as a parameter moves to a value.

    The branch is followed by arclength, so it may turn back at a fold; it ends when the parameter
    reaches `to` or comes back to where it started. Folds, points where another branch crosses, and
    points where an oscillation begins to grow are located.

    Arguments:
        reference: one equilibrium or steady motion, where the branch begins.
        parameter: a parameter or an input of the system, or its name; for a steady motion also the
            velocity of what turns, like `ddt(phi)`.
        to: the value at which to end.
        step: the largest step of the parameter; a thirtieth of the way if not given.

    Raises:
        DeclarationError: the parameter is no part of the system, or `to` is where it is already.
        SolveError: the reference was not found, or is one of a family that cannot be followed.
    """
    _check(reference)
    moved = knob(reference.system, reference.conditions, parameter)
    start = float(moved.value(reference.conditions)[0])
    end = number(to, "`to`")
    if end.shape or end == start:
        raise DeclarationError(
            f"`to` must be a number other than the present value of `{moved.symbol}`, {start:g}. Got"
            f" {to!r}."
        )
    path = Path(reference, moved, start, float(end), _share(step, abs(float(end) - start)))
    return path.from_start()


def _check(reference: Equilibrium) -> None:
    if not isinstance(reference, Equilibrium):
        raise DeclarationError(
            "follow needs an Equilibrium, as equilibrium(system, values) returns it. Got a"
            f" {type(reference).__name__}."
        )
    if reference.conditions.shape:
        raise DeclarationError(
            "follow starts from one equilibrium. Got a batch of shape"
            f" {reference.conditions.shape}; take one point of it, like rest.single(0)."
        )
    if not reference.converged:
        raise SolveError(
            f"follow needs an equilibrium that was found. Got one with status: {reference.status}",
            reference,
        )


def _share(step: float | None, way: float) -> float | None:
    if step is None:
        return None
    value = number(step, "`step`")
    if value.shape or value <= 0:
        raise DeclarationError(f"`step` must be a number above zero. Got {step!r}.")
    return float(value) / way


class Path:
    """The equations as functions of y = (unknown coordinates, multipliers, speeds, parameter)."""

    def __init__(
        self, reference: Equilibrium, moved: Knob, start: float, end: float, step: float | None
    ) -> None:
        self._reference = reference
        self._knob = moved
        self._engine: Kernel = kernel(reference.system)
        given = reference.conditions
        idle = self._engine.about(reference.point()).idle
        out = {k for k, here in enumerate(idle) if here or k in given.turning}
        problem = self._problem(given, reference.q[None])
        self._x = problem.unknowns(reference.q[None], reference.multipliers[None], given.speeds)[0]
        self._kept = [k for k in range(len(self._x)) if k not in out]
        self._start = start
        self._end = end
        self._tracer = Tracer(
            self._equations, self._slopes, min(start, end), max(start, end), largest=step
        )

    def _problem(self, given: Conditions, q: Array) -> Problem:
        return Problem(self._engine, given, q)

    def _at(self, y: Array) -> tuple[Problem, Array]:
        """The problem at one point, and its unknowns (1, number of them)."""
        given = self._knob.turned(self._reference.conditions, y[-1:])
        x = self._x.copy()
        x[self._kept] = y[:-1]
        return self._problem(given, self._reference.q[None]), x[None]

    def _equations(self, y: Array) -> Array:
        problem, x = self._at(y)
        rows: Array = problem.equations(x, np.arange(1))[0]
        return rows[self._kept]

    def _slopes(self, y: Array) -> Array:
        problem, x = self._at(y)
        by_x = problem.tangent(x, np.arange(1))[0][np.ix_(self._kept, self._kept)]
        by_parameter = problem.slope(self._knob, x)[0]
        return np.concatenate([by_x, by_parameter[self._kept, None]], axis=1)

    def from_start(self) -> Branch:
        """The branch that begins at the reference."""
        y = np.append(self._x[self._kept], self._start)
        try:
            first = self._tracer.start(y)
        except NotFiniteError:
            raise SolveError(
                f"The equations have no slope by `{self._knob.symbol}` at {self._start:g}: it is not"
                " finite there. Start beside it.",
                self._reference,
            ) from None
        self._refuse_families(first)
        back = replace(first, tangent=-first.tangent, cross=-first.cross)
        forward = self._end > self._start
        if abs(first.turn) > FLAT:
            return self._branch(self._walk(first if forward else back))
        arms = [arm for arm in map(self._walk, (back, first)) if len(arm.places) > 2]
        if not arms:
            raise SolveError(
                f"The branch does not go from {self._knob.symbol} = {self._start:g} towards"
                f" {self._end:g}: it turns back here (a fold). Follow it the other way.",
                self._reference,
            )
        if len(arms) == 1:
            return self._branch(arms[0])
        return self._branch(_through(arms[0], None, arms[1]))

    def _walk(self, start: Place) -> Curve:
        try:
            return self._tracer.walk(start, STEPS)
        except NotFiniteError:
            return Curve((start,), "Stopped: the equations are not finite further on.")

    def _refuse_families(self, first: Place) -> None:
        J = self._slopes(first.y) * first.scale
        unit = J / np.where(first.rows == 0, 1.0, first.rows)[:, None]
        if np.linalg.svd(unit, compute_uv=False)[-1] < 1e-10:
            note = diagnosis.loose(self._reference.system, self._reference.tangent)
            raise SolveError(
                "follow needs an equilibrium that is alone, or at a fold: this one belongs to a family,"
                f" or several branches cross here.{note} Start beside it, or hold one of the"
                " coordinates by a constraint.",
                self._reference,
            )

    def other_branch(self, point: SpecialPoint) -> Branch:
        """The branch that crosses at a point, both arms joined."""
        here = point._place
        if point.multiplicity > 1:
            raise SolveError(
                f"{point.multiplicity + 1} branches or more cross at {self._knob.symbol} ="
                f" {here.y[-1]:.6g}. switch works where one does; break the symmetry first.",
                point.rest,
            )
        J = self._slopes(here.y) * here.scale
        null = np.linalg.svd(J / np.where(here.rows == 0, 1.0, here.rows)[:, None])[2][-2:]
        across = null - np.outer(null @ here.tangent, here.tangent)
        direction = np.linalg.svd(across)[2][0]
        back = self._arm(here, -direction)
        if back is not None and back.ended.startswith("Closed"):
            return self._branch(back, own=point)
        ahead = self._arm(here, direction)
        if back is None and ahead is None:
            raise SolveError(
                f"No other branch was found at {self._knob.symbol} = {here.y[-1]:.6g}.", point.rest
            )
        if back is None or ahead is None:
            return self._branch(back or ahead or Curve((), ""), own=point)
        middle = replace(here, tangent=direction, cross=0.0)
        return self._branch(_through(back, middle, ahead), own=point)

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
        fresh = np.abs(here.y) <= 1e-9 * here.scale
        scale = np.where(fresh & (np.abs(y) > 0), 10 * np.abs(y), here.scale)
        scale[-1] = here.scale[-1]
        along = (y - here.y) / scale
        along /= np.linalg.norm(along)
        return self._walk(self._tracer.place(y, along, scale, 0 * here.rows))

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
        if off[0] < kick / 2 or not (np.abs(off[1:] / off[:-1] - 0.5) < 0.06).all():
            return None
        with np.errstate(invalid="ignore", divide="ignore"):
            ratio = change[1:] / change[:-1]
        by_two, by_four = np.abs(ratio - 0.5) < 0.06, np.abs(ratio - 0.25) < 0.04
        still = change[1:] < 1e-12
        return found[0] if (by_two | still).all() or (by_four | still).all() else None

    def _branch(self, curve: Curve, own: SpecialPoint | None = None) -> Branch:
        """The curve as equilibria, with its special points located."""
        y = np.array([place.y for place in curve.places])
        rest = self._equilibria(y)
        branch = Branch(rest, self._knob.symbol, (), self._said(curve), self, curve)
        points = [*self._turning_points(curve, own), *self._onsets(branch)]
        points.sort(key=lambda point: point._at)
        return replace(branch, points=tuple(points))

    def _said(self, curve: Curve) -> str:
        ends = f"{self._knob.symbol} = {curve.places[-1].y[-1]:.6g}"
        return curve.ended.replace("the end of the range", f"the end of the range, {ends}")

    def _equilibria(self, y: Array) -> Equilibrium:
        """All points of a curve as one batch.

        Raises:
            NoEquilibrium: away from the start the equations change in time, or what turns is driven.
        """
        n = self._reference.q.shape[0]
        one = self._reference.chosen(np.zeros(len(y), dtype=np.intp))
        given = self._knob.turned(one.conditions, y[:, -1])
        x = np.tile(self._x, (len(y), 1))
        x[:, self._kept] = y[:, :-1]
        problem = self._problem(given, x[:, :n])
        every = np.arange(len(y))
        residual, tangent = problem.equations(x, every), problem.tangent(x, every)
        status = np.full(len(y), Status.CONVERGED, dtype=object)
        solution = Solution(x, residual, tangent, status, x[None])
        moving = np.zeros(len(y), dtype=bool)
        if given.may_change_in_time(self._engine):
            moving = changing_rest(self._engine, lambda time: problem.point(x, every, time))
        result = problem.result(solution)
        for k in np.flatnonzero(moving | ~problem.driven(x))[:1]:
            why = Status.TIME_DEPENDENT if moving[k] else Status.STALLED
            broken = replace(result.single(int(k)), status=why)
            raise problem.failure(broken)
        return result

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

    def _onsets(self, branch: Branch) -> list[SpecialPoint]:
        """Where oscillations begin or cease to grow."""
        places = branch._curve.places

        def on(k: int, share: float) -> Place | None:
            guess = places[k].y + share * (places[k + 1].y - places[k].y)
            chord = (places[k + 1].y - places[k].y) / places[k].scale
            across = chord / np.linalg.norm(chord)
            found = self._tracer.corrected(guess, across, places[k].scale)
            if found is None:
                return None
            return self._tracer.place(found[0], places[k].tangent, places[k].scale, places[k].rows)

        def at(k: int, share: float) -> Modes | None:
            place = on(k, share)
            if place is None:
                return None
            return modes(linearize(self._equilibria(place.y[None]).single(0)))

        found: list[SpecialPoint] = []
        for onset in oscillations(branch.modes, at):
            place = on(onset.interval, onset.share)
            if place is not None:
                point = self._special(onset.kind, place, onset.interval + onset.share)
                found.append(replace(point, frequency=onset.frequency))
        return found


def _through(back: Curve, middle: Place | None, ahead: Curve) -> Curve:
    """Two arms as one curve, the first one backwards."""
    turned = [replace(p, tangent=-p.tangent, cross=-p.cross) for p in reversed(back.places)]
    rest = ahead.places if middle is not None else ahead.places[1:]
    ended = ahead.ended if back.ended == ahead.ended else f"{back.ended} {ahead.ended}"
    return Curve((*turned, *([middle] if middle is not None else []), *rest), ended)


def _same(a: Place, b: Place) -> bool:
    """Whether two places are the same point."""
    return bool(np.linalg.norm((a.y - b.y) / np.maximum(a.scale, b.scale)) < 1e-5)
