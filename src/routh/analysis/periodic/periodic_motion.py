"""The verb `periodic_motion`: motions that repeat, by multiple shooting with the exact tangent."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Annotated, Any

import numpy as np

from routh.analysis.given.conditions import conditions
from routh.analysis.given.numbers import Numbers, number
from routh.analysis.motion.runs import smooth_motion
from routh.analysis.motion.settings import Options
from routh.analysis.motion.trajectory import Trajectory
from routh.analysis.periodic.losses import orbit_losses
from routh.analysis.periodic.multipliers import Floquet
from routh.analysis.periodic.orbit import Orbit, distance
from routh.analysis.periodic.shooting import RTOL, UNFOLD, Equations, Regime, Shooting, Unknowns
from routh.analysis.pieces.switches import refuse_jumps
from routh.analysis.time.timeless import autonomous
from routh.arrays import Array
from routh.errors import DeclarationError, DerivationError, SolveError, capital, quoted
from routh.kernels.engine import Point
from routh.kernels.kernel import kernel
from routh.language.driven import driven
from routh.language.events import event
from routh.language.gates import checked_numeric
from routh.language.system import System
from routh.numerics.steppers import StuckError
from routh.recorded import Recorded
from routh.shown import as_html

NODES = 4
"""Pieces of a period between which the motion is matched."""

CLOSED = 1e-12
"""Gap at the ends of pieces, relative to the size of the motion, at which nothing is left to do."""

LOOSE = 1e-8
"""Gap above which nothing was found."""

SHORTEST = 1e-4
"""Share of a Newton step below which none helps."""

MOST_STEPS = 40
"""Newton steps."""

NEAR = 0.5
"""Ranges of the motion from the guess within which a motion is near it."""


@dataclass(frozen=True, eq=False, repr=False)
class PeriodicMotion(Recorded):
    """A motion that repeats after its period.

    Attributes:
        system: the system.
        values: the numbers of its parameters.
        period: in seconds.
        start: q and v at the start, (2n,).
        monodromy: (2n, 2n) how deviations of q and v have grown after a period.
        gap: the largest mismatch at the ends of the pieces, relative to the size of the motion.
        nodes: (pieces, 2n) the states where the pieces begin.
        distance: how far the motion goes from that of the guess, in units of its range; None for
            motions that were not found from a guess.
        guessed: the period that was given, where it was to be found; else None.
    """

    system: System
    values: dict[str, float]
    period: float
    start: Annotated[Array, "2*n"]
    monodromy: Annotated[Array, "2*n 2*n"] = field(repr=False)
    gap: float
    nodes: Annotated[Array, "pieces 2*n"] = field(repr=False)
    _shooting: Any = field(repr=False)
    distance: float | None = None
    guessed: float | None = None

    @cached_property
    def _orbit(self) -> Orbit:
        return Orbit(self.system, self.values, self.nodes, self.period)

    @cached_property
    def multiple(self) -> int | None:
        """How many times the motion repeats within `period`: 1 where that is the least one.

        None where that cannot be told to the accuracy of the motion.
        """

        def may_repeat(share: float) -> bool:
            driven = self._shooting.regime is Regime.DRIVEN
            return not driven or self._shooting.is_period(share, self._shooting.values)

        return self._orbit.multiple(self.gap, may_repeat)

    @property
    def is_near_guess(self) -> bool:
        """Whether it stays within half of the range of the guess's motion, and has about its period.

        About means within a factor of 3/2. True for motions that were not found from a guess.
        """
        near = self.distance is None or self.distance <= NEAR
        return near and (self.guessed is None or 2 / 3 <= self.period / self.guessed <= 3 / 2)

    @cached_property
    def floquet(self) -> Floquet:
        """Multipliers, exponents and the verdict on motions nearby.

        That a motion can be shifted in time, and in a conservative family, gives multipliers 1 that
        are left out of the verdict.
        """
        n = len(self.system.coordinates)
        refuse_jumps(kernel(self.system), self.motion.point(), "What deviations do after a period")
        point = Point(*(np.atleast_2d(each[0]) for each in self.motion.point().arguments))
        second = kernel(self.system).second_derivatives(point)
        to_momenta = np.eye(2 * n)
        to_momenta[n:, :n], to_momenta[n:, n:] = second["L_vq"][0], second["L_vv"][0]
        grown = to_momenta @ self.monodromy @ np.linalg.inv(to_momenta)
        trivial = self._shooting.regime.trivial
        flow = self._shooting.flow(self._shooting.values | self.values, self.period)
        lost = orbit_losses(self.system, self.values, flow, self.start, self.period, grown, RTOL)
        return Floquet(self.system, grown, np.array(self.period), self, trivial, losses=lost)

    @cached_property
    def motion(self) -> Trajectory:
        """The motion over one period, at 201 times."""
        times = np.linspace(0, self.period, 201)
        names = (*self.system.coordinates, *self.system.velocities)
        begin = dict(zip(names, self.start.tolist(), strict=True))
        options = Options(rtol=1e-11, progress=False)
        return smooth_motion(self.system, self.values, begin, times, options)

    @property
    def energy(self) -> float:
        """The energy v . L_v - L at the start."""
        return float(self.motion.energy[0])

    def amplitude(self, q: Any) -> float:
        """Half of the range of an expression along the motion, as exact as the motion."""
        low, high = self._orbit.extremes(q)
        return (high - low) / 2

    def __repr__(self) -> str:
        return f"PeriodicMotion({self.system.title}, period {self.period:.10g})"

    def __str__(self) -> str:
        return (
            f"{capital(self.system.title)} repeats after {self.period:.10g} s{self._share}, closed to"
            f" {self.gap:.1e}.{self._away} {self._told}"
        )

    @property
    def _share(self) -> str:
        """What is known of the least period."""
        if self.multiple is None:
            return " (whether also sooner cannot be told)"
        if self.multiple == 1:
            return ""
        return f", {self.multiple} times its least period {self.period / self.multiple:.10g} s"

    @property
    def _away(self) -> str:
        """Whether the motion is another one than the guess's."""
        if self.is_near_guess:
            return ""
        if self.distance is not None and self.distance > NEAR:
            return (
                " It is another motion than that of the guess: it goes as far from it as"
                f" {self.distance:.2g} times its range."
            )
        given = f"a period of {self.guessed:.6g} s was given"
        return f" It is another motion than that of the guess: {given}."

    @property
    def _told(self) -> str:
        """The verdict on motions nearby, or why there is none."""
        try:
            return str(self.floquet)
        except DerivationError as refusal:
            return str(refusal)

    _repr_html_ = as_html


def periodic_motion(
    system: System,
    values: Numbers,
    guess: Numbers,
    period: float,
    *,
    inputs: Numbers | None = None,
) -> PeriodicMotion:
    """A motion that repeats, near a guess.

    With time in the equations the period is kept. Without, it is found: the motion starts where the
    coordinate that swings most turns, and of a conservative family the one is found that turns where
    the guess does. `multiple` says how many times the motion repeats within the period, and
    `is_near_guess` whether it is the one that was guessed.

    Arguments:
        system: the system, without constraints.
        values: a number for each parameter.
        guess: coordinates and velocities at the start, roughly.
        period: the period of the drive, or roughly that of the motion.
        inputs: for each input a number or an expression in t.

    Raises:
        DeclarationError: the period is no positive number, or an array is among the values.
        SolveError: no such motion was found near the guess.

    Example:
        >>> from routh import coordinate, cos, ddt, System
        >>> theta = coordinate("theta")
        >>> swing = System(kinetic=ddt(theta)**2/2, potential=-cos(theta))
        >>> round(periodic_motion(swing, {}, {theta: 1.0}, 6.5).period, 9)
        6.699975664
    """
    made = driven(checked_numeric(system, "periodic_motion"), inputs)
    if made.constraints:
        raise DerivationError(
            f"periodic_motion works on systems without constraints, and {system.title} has some. Choose"
            " coordinates that meet them."
        )
    T = number(period, "`period`")
    if T.shape or not float(T) > 0:
        raise DeclarationError(f"`period` must be a positive number. Got {period!r}.")
    given, by = conditions(made, values, None, start=guess)
    made = given.system
    if given.shape:
        raise DeclarationError(
            "periodic_motion finds one motion at a time. Got arrays of shape"
            f" {given.shape} among the values; write a loop, or use follow."
        )
    numbers = {name: float(value) for name, value in given.values.items()}
    names = (*made.coordinates, *made.velocities)
    x = np.array([float(by["start"].get(s, np.zeros(1))[0]) for s in names])
    trial = _run(made, numbers, x, float(T))
    regime = _regime(made, trial)
    turning = _swinging(made, trial)
    shooting = Shooting(made, numbers, turning, regime)
    if regime is Regime.DRIVEN:
        shooting.refuse_other_period(float(T), numbers)
    else:
        x = _turned(made, numbers, trial, turning)
    nodes = _first_nodes(shooting, x, float(T))
    found = solved(shooting, nodes, float(T), numbers, held=float(x[turning]))
    orbit = np.concatenate([np.hstack([piece.q, piece.v]) for piece in found._orbit.pieces])
    return replace(
        found,
        distance=distance(orbit, np.hstack([trial.q, trial.v])),
        guessed=None if regime is Regime.DRIVEN else float(T),
    )


def _regime(system: System, trial: Trajectory) -> Regime:
    """Whether time drives the system, or something is lost or gained, or nothing is."""
    if not autonomous(kernel(system)):
        return Regime.DRIVEN
    engine = kernel(system)
    point = trial.point()
    chosen = Point(*(each[:: max(1, len(each) // 7)] for each in point.arguments))
    found = engine.derivatives(chosen)
    by_speed = np.abs(found["Q_v"] - found["D_vv"]).max(initial=0)
    if by_speed > 0:  # damping, or gyroscopic forces, which do no work
        moved = float(np.ptp(trial.energy) + np.abs(trial.energy).max())
        kept = np.abs(trial.work).max() <= 1e-9 * moved
        return Regime.CONSERVATIVE if kept else Regime.AUTONOMOUS
    slopes = found["Q_q"]
    curl = np.abs(slopes - slopes.swapaxes(1, 2)).max(initial=0)
    kept = curl <= 1e-9 * np.abs(slopes).max(initial=0)
    return Regime.CONSERVATIVE if kept else Regime.AUTONOMOUS


def _run(system: System, values: dict[str, float], x: Array, period: float) -> Trajectory:
    names = (*system.coordinates, *system.velocities)
    start = dict(zip(names, x.tolist(), strict=True))
    times = np.linspace(0, period, 401)
    found = smooth_motion(system, values, start, times, Options(progress=False))
    if not found.completed:
        raise SolveError(f"The motion from the guess does not last a period: {found.message}")
    return found


def _swinging(system: System, trial: Trajectory) -> int:
    """The coordinate that swings most.

    Raises:
        SolveError: nothing moves from the guess.
        DerivationError: it runs on without turning back.
    """
    ranges = np.ptp(trial.q, axis=0)
    j = int(np.argmax(ranges))
    if not ranges[j] > 1e-12 * np.abs(trial.q).max(initial=1e-300):
        raise SolveError(
            f"The guess is a rest of {system.title}: nothing moves from it. Give a larger one."
        )
    speed = trial.v[:, j]
    if autonomous(kernel(system)) and ((speed > 0).all() or (speed < 0).all()):
        raise DerivationError(
            f"`{system.coordinates[j]}` runs on without turning back from this guess. periodic_motion"
            " finds motions that come back to where they were, not angles that go round."
        )
    return j


def _turned(system: System, values: dict[str, float], trial: Trajectory, j: int) -> Array:
    """The guess moved on to where the coordinate that swings most turns."""
    if abs(trial.v[0, j]) <= 1e-9 * np.abs(trial.v[:, j]).max():
        return np.concatenate([trial.q[0], trial.v[0]])
    names = (*system.coordinates, *system.velocities)
    state = np.concatenate([trial.q[0], trial.v[0]])
    start = dict(zip(names, state.tolist(), strict=True))
    turn = event(system.velocities[j], stop=True)
    options = Options(rtol=1e-11, progress=False)
    found = smooth_motion(system, values, start, trial.t, options, events=turn)
    return np.concatenate([found.q[-1], found.v[-1]])


def _first_nodes(shooting: Shooting, x: Array, period: float) -> Array:
    values = {name: value for name, value in shooting.values.items() if name != UNFOLD}
    found = _run(shooting.system, values, x, period)
    rows = (np.arange(NODES) * (len(found.t) - 1)) // NODES
    return np.concatenate([found.q[rows], found.v[rows]], axis=1)


def _moved(at: Unknowns, step: Array, size: Array, regime: Regime) -> Unknowns:
    """The unknowns after a step, in the units of their equations."""
    count = at.nodes.size
    nodes = at.nodes + (step[:count] * np.tile(size, len(at.nodes))).reshape(at.nodes.shape)
    period = at.period if regime is Regime.DRIVEN else at.period * (1 + step[count])
    mu = at.mu + step[count + 1] if regime is Regime.CONSERVATIVE else 0.0
    return Unknowns(nodes, float(period), float(mu))


def solved(
    shooting: Shooting, nodes: Array, period: float, values: dict[str, float], held: float
) -> PeriodicMotion:
    """The periodic motion by Newton's method, with steps that are halved until they help."""
    numbers = shooting.values | values
    size = np.maximum(np.abs(nodes).max(axis=0), 1e-3 * np.abs(nodes).max())
    equations = Equations(shooting, numbers, size, held)
    at = Unknowns(nodes, period)
    try:
        off, A = equations.rows(at, equations.lap(at))
        for _ in range(MOST_STEPS):
            gap = float(np.abs(off).max())
            if gap <= CLOSED:
                break
            step: Array = np.asarray(np.linalg.lstsq(A, -off, rcond=1e-13)[0], dtype=float)
            share = min(1.0, 1.0 / max(float(np.abs(step).max()), 1e-300))
            while share > SHORTEST:
                trial = _moved(at, share * step, size, shooting.regime)
                if trial.period > 0:
                    found = equations.rows(trial, equations.lap(trial))
                    if np.linalg.norm(found[0]) < np.linalg.norm(off):
                        break
                share /= 2
            else:
                break
            at, (off, A) = trial, found
    except StuckError as error:
        raise SolveError(f"The motion cannot be followed for a period: {error}.") from None
    gap = float(np.abs(off).max())
    if not gap <= LOOSE:
        raise SolveError(
            f"No motion of {shooting.system.title} that repeats was found near the guess: the ends miss"
            f" each other by {gap:.1e} of the size of the motion. Give a guess nearer to one, or"
            " another period."
        )
    nodes = at.nodes
    kept = {name: value for name, value in numbers.items() if name != UNFOLD}
    whole = _run(shooting.system, kept, nodes[0], at.period)  # nodes may all be of one phase
    if np.ptp(np.hstack([whole.q, whole.v]), axis=0).max() <= 1e-6 * size.max():
        raise SolveError(
            f"What was found near the guess is a rest of {shooting.system.title}, no motion:"
            f" {quoted(shooting.system.coordinates[:3])} stay where they are. Give a larger guess."
        )
    grown = equations.lap(Unknowns(nodes, at.period)).monodromy
    return PeriodicMotion(shooting.system, kept, at.period, nodes[0], grown, gap, nodes, shooting)
