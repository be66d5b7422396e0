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
from routh.analysis.special import Kind, Oscillation, SpecialPoint, oscillations
from routh.analysis.time import changing_rest
from routh.analysis.values import Knob, knob, number
from routh.analysis.verdict import Stability
from routh.errors import DeclarationError, NoEquilibrium, SolveError, Status, capital
from routh.kernels.batch import Array
from routh.kernels.kernel import Kernel, kernel
from routh.language.system import System
from routh.numerics.continuation import Curve, Tracer, crossing

STEPS = 2000
"""Points after which a branch ends."""

KICK = 1e-3
"""First step onto another branch, as a share of the range."""


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
        return self._curve.y[:, -1]

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
        return tuple(point for point in self.points if point.kind is kind)

    def switch(self, point: SpecialPoint) -> Branch:
        """The other branch through a branch point, from one end of it to the other.

        Raises:
            DeclarationError: the point is no branch point of this branch.
            SolveError: no other branch was found there.
        """
        if point not in self.points or point.kind is not Kind.BRANCH:
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
    """The equations of rest as functions of y = (unknown coordinates, multipliers, parameter)."""

    def __init__(
        self, reference: Equilibrium, moved: Knob, start: float, end: float, step: float | None
    ) -> None:
        self._reference = reference
        self._knob = moved
        self._engine: Kernel = kernel(reference.system)
        n, turning = reference.q.shape[0], set(reference.turning) | set(moved.turning)
        idle = self._engine.about(reference.point()).idle
        out = {k for k in range(n) if idle[k] or k in turning}
        c = len(reference.system.constraints)
        self._kept = [k for k in range(n + c) if k not in out]
        self._x = np.concatenate([reference.q, reference.multipliers])
        self._start = start
        self._forward = end > start
        self._tracer = Tracer(
            self._equations, self._slopes, min(start, end), max(start, end), largest=step
        )

    def _problem(self, at: float) -> Problem:
        given = self._knob.turned(self._reference.conditions, np.array([at]))
        return Problem(self._engine, given, self._reference.q[None])

    def _whole(self, y: Array) -> Array:
        x = self._x.copy()
        x[self._kept] = y[:-1]
        return x

    def _equations(self, y: Array) -> Array:
        problem = self._problem(y[-1])
        rows: Array = problem.equations(self._whole(y)[None], np.arange(1))[0]
        return rows[self._kept]

    def _slopes(self, y: Array) -> Array:
        problem = self._problem(y[-1])
        x = self._whole(y)[None]
        by_x = problem.tangent(x, np.arange(1))[0][np.ix_(self._kept, self._kept)]
        by_parameter = self._knob.slope(self._engine, problem.point(x, np.arange(1)))[0]
        return np.concatenate([by_x, by_parameter[self._kept, None]], axis=1)

    def from_start(self) -> Branch:
        """The branch that begins at the reference."""
        y = np.append(self._x[self._kept], self._start)
        tracer = self._tracer
        first = tracer.tangent(y, tracer.scale(y))
        scale = tracer.scale(y, first)
        tangent = tracer.tangent(y, scale)
        self._refuse_families(y, scale)
        curve = tracer.walk(y, tangent if self._forward else -tangent, scale, STEPS)
        return self._branch(curve)

    def _refuse_families(self, y: Array, scale: Array) -> None:
        J = self._slopes(y) * scale
        J = J / np.maximum(np.abs(J).max(axis=1, keepdims=True), 1e-300)
        if np.linalg.svd(J, compute_uv=False)[-1] < 1e-10:
            note = diagnosis.loose(self._reference.system, self._reference.tangent)
            raise SolveError(
                "follow needs an equilibrium that is alone, or at a fold: this one belongs to a family,"
                f" or several branches cross here.{note} Start beside it, or hold one of the"
                " coordinates by a constraint.",
                self._reference,
            )

    def other_branch(self, point: SpecialPoint) -> Branch:
        """The branch that crosses at a point, both arms joined."""
        y, scale, along = point._y, point._scale, point._tangent
        J = self._slopes(y) * scale
        J = J / np.maximum(np.abs(J).max(axis=1, keepdims=True), 1e-300)
        null = np.linalg.svd(J)[2][-2:]
        across = null - np.outer(null @ along, along)
        direction = np.linalg.svd(across)[2][0]
        arms = [self._arm(y, scale, along, sign * direction) for sign in (-1.0, 1.0)]
        found = [arm for arm in arms if arm is not None]
        if not found:
            raise SolveError(
                f"No other branch was found at {self._knob.symbol} = {y[-1]:.6g}.", self._reference
            )
        if len(found) == 1:
            return self._branch(found[0])
        back, ahead = found
        curve = Curve(
            y=np.concatenate([back.y[::-1], y[None], ahead.y]),
            tangents=np.concatenate([-back.tangents[::-1], direction[None], ahead.tangents]),
            scales=np.concatenate([back.scales[::-1], scale[None], ahead.scales]),
            ended=ahead.ended if back.ended == ahead.ended else f"{back.ended} {ahead.ended}",
        )
        return self._branch(curve, own=point)

    def _arm(self, y: Array, scale: Array, along: Array, direction: Array) -> Curve | None:
        """One arm of another branch: the first step is taken across the branch that is known."""
        tracer = self._tracer
        for kick in (KICK, 10 * KICK, KICK / 10, 50 * KICK):
            found = tracer.corrected(y + kick * direction * scale, direction, scale)
            if found is None:
                continue
            way = (found[0] - y) / scale
            if np.linalg.norm(way - (way @ along) * along) > kick / 2 and (
                tracer.low <= found[0][-1] <= tracer.high
            ):
                tangent = tracer.tangent(found[0], scale, direction)
                return tracer.walk(found[0], tangent, scale, STEPS)
        return None

    def _branch(self, curve: Curve, own: SpecialPoint | None = None) -> Branch:
        """The curve as equilibria, with its special points located."""
        rest = self._equilibria(curve.y)
        branch = Branch(rest, self._knob.symbol, (), self._said(curve), self, curve)
        points = [*self._turning_points(curve, own), *self._onsets(branch)]
        points.sort(key=lambda point: point._place)
        return replace(branch, points=tuple(points))

    def _said(self, curve: Curve) -> str:
        ends = f"{self._knob.symbol} = {curve.y[-1, -1]:.6g}"
        return curve.ended.replace("the end of the range", f"the end of the range, {ends}")

    def _equilibria(self, y: Array) -> Equilibrium:
        """All points of a curve as one batch.

        Raises:
            NoEquilibrium: away from the start the equations change in time.
        """
        n = self._reference.q.shape[0]
        one = self._reference.chosen(np.zeros(len(y), dtype=np.intp))
        given = self._knob.turned(one.conditions, y[:, -1])
        x = np.tile(self._x, (len(y), 1))
        x[:, self._kept] = y[:, :-1]
        problem = Problem(self._engine, given, x[:, :n])
        every = np.arange(len(y))
        if given.may_change_in_time(self._engine):
            moving = changing_rest(self._engine, lambda time: problem.point(x, every, time))
            if moving.any():
                rows = np.ones(n)
                raise NoEquilibrium(
                    diagnosis.changes_with_time(self._reference.system, rows, self._reference.turning)
                )
        residual = problem.equations(x, every)
        status = np.full(len(y), Status.CONVERGED, dtype=object)
        return replace(
            one,
            conditions=given,
            q=x[:, :n],
            multipliers=x[:, n:],
            residual=np.abs(residual).max(axis=1),
            status=status,
            tangent=problem.tangent(x, every),
            history=x[None, :, :n],
        )

    def _turning_points(self, curve: Curve, own: SpecialPoint | None) -> list[SpecialPoint]:
        """Folds and branch points: where the parameter turns back, where another branch crosses."""
        tracer = self._tracer
        sizes = [
            tracer.determinant(*of) for of in zip(curve.y, curve.scales, curve.tangents, strict=True)
        ]
        found = [] if own is None else [replace(own, _place=self._place(curve, own._y))]
        for k in range(len(sizes) - 1):
            if own is not None and abs(self._place(curve, own._y) - k - 0.5) < 1.6:
                continue  # the crossing that this branch was switched at
            crosses = sizes[k] * sizes[k + 1] < 0
            turns = curve.tangents[k, -1] * curve.tangents[k + 1, -1] < 0
            if crosses:
                found.append(self._located(curve, k, Kind.BRANCH, sizes[k], sizes[k + 1]))
            elif turns:
                ends = curve.tangents[k, -1], curve.tangents[k + 1, -1]
                found.append(self._located(curve, k, Kind.FOLD, *ends))
        return found

    @staticmethod
    def _place(curve: Curve, y: Array) -> float:
        return float(np.argmin(np.linalg.norm((curve.y - y) / curve.scales, axis=1)))

    def _on(self, curve: Curve, k: int, share: float) -> tuple[Array, Array]:
        """The point of the curve at a share of the way from k to k + 1, and its tangent."""
        scale, tangent = curve.scales[k], curve.tangents[k]
        chord = (curve.y[k + 1] - curve.y[k]) / scale
        guess = curve.y[k] + share * chord * scale
        across = chord / np.linalg.norm(chord)
        found = self._tracer.corrected(guess, across, scale)
        y = guess if found is None else found[0]
        return y, self._tracer.tangent(y, scale, tangent)

    def _located(self, curve: Curve, k: int, kind: Kind, a: float, b: float) -> SpecialPoint:
        scale = curve.scales[k]

        def test(share: float) -> float:
            y, tangent = self._on(curve, k, share)
            if kind is Kind.FOLD:
                return float(tangent[-1])
            return self._tracer.determinant(y, scale, tangent)

        share = crossing(test, 0.0, 1.0, a, b)
        y, tangent = self._on(curve, k, share)
        return self._special(kind, y, tangent, scale, k + share)

    def _special(
        self, kind: Kind, y: Array, tangent: Array, scale: Array, place: float
    ) -> SpecialPoint:
        rest = self._equilibria(y[None]).single(0)
        return SpecialPoint(
            kind, str(self._knob.symbol), float(y[-1]), rest, None, y, tangent, scale, place
        )

    def _onsets(self, branch: Branch) -> list[SpecialPoint]:
        """Where oscillations begin or cease to grow."""
        curve = branch._curve

        def at(k: int, share: float) -> Modes:
            y, _ = self._on(curve, k, share)
            return modes(linearize(self._equilibria(y[None]).single(0)))

        found: list[SpecialPoint] = []
        onset: Oscillation
        for onset in oscillations(branch.modes, at):
            y, tangent = self._on(curve, onset.interval, onset.share)
            place = onset.interval + onset.share
            point = self._special(onset.kind, y, tangent, curve.scales[onset.interval], place)
            found.append(replace(point, frequency=onset.frequency))
        return found
