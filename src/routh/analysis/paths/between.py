"""The verb `between`: motions from one place to another in a given time.

The time is divided into pieces, each run from its own start with its variations, and Newton's method
makes them fit (multiple shooting; Stoer and Bulirsch, section 7.3.5): motions that part quickly can be
found as well as tame ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from routh.analysis.given.conditions import conditions
from routh.analysis.given.numbers import Numbers, number
from routh.analysis.motion.flow import MovingSystem
from routh.analysis.motion.options import checked_options
from routh.analysis.motion.runs import smooth_motion
from routh.analysis.motion.settings import AUTOMATIC, FEWEST
from routh.analysis.motion.stopping import is_redundant
from routh.analysis.motion.trajectory import Trajectory
from routh.analysis.pieces.switches import refuse_jumps
from routh.analysis.time.segments import segments, shifted
from routh.arrays import Array
from routh.errors import DeclarationError, DerivationError, SolveError, did_you_mean, listed, quoted
from routh.kernels.engine import Engine
from routh.kernels.kernel import kernel
from routh.kernels.motion import motion as compiled
from routh.language.driven import driven
from routh.language.gates import checked_numeric
from routh.language.keys import once
from routh.language.system import System
from routh.numerics.solving.damping import damped
from routh.numerics.steppers import StuckError

PIECES = 4
"""Pieces between which the motion is matched."""

RTOL = 1e-12
"""Tolerance of the pieces and of their variations."""

MET = 1e-11
"""Gap between pieces, in units of the motion, at which nothing is left to do."""

LOOSE = 1e-8
"""Gap above which nothing was found."""

CONJUGATE = 1e-9
"""Share of the largest spread below which neighbouring motions meet again at the end."""

TRIED = (1.0, -1.0, 3.0, -3.0, 9.0, -9.0)
"""Shares of the straight way's velocity with which motions are tried where it leads to none."""

MOST_STEPS = 60
"""Newton steps."""

MOST_LOOKS = 1000
"""How often all pieces are run, whatever is tried."""

MOST_RUN = 5000
"""Steps of integration of a piece: more of them are spent in a place that cannot be passed."""

HALVINGS = 8
"""Shares of a Newton step that are tried: the last one is less than a hundredth."""

OUTPUTS = 201
"""Times of the motion that comes back."""

MANY = (
    "Its end is a conjugate place: to first order neighbouring motions from this start, with other"
    " velocities, get there at the same time. This is the one that Newton's method came to; there may"
    " be many, as in linear systems there are."
)
"""What is said of a motion that is not alone, to first order."""


def between(
    system: System,
    values: Numbers,
    start: Numbers,
    end: Numbers,
    duration: float,
    *,
    guess: Numbers | None = None,
    inputs: Numbers | None = None,
    time: float = 0.0,
    rtol: float = 1e-11,
) -> Trajectory:
    """A motion from one place to another in a given time.

    There may be several, as a pendulum can go round or turn back: the one is found that Newton's method
    goes to from the guess. There may be none. At a conjugate place, where neighbouring motions meet
    again, there are none or many, or they run together; `message` says so of the one that was found.

    Arguments:
        system: the system, without constraints.
        values: a number for each parameter.
        start: where each coordinate is at first.
        end: where each coordinate is at last. An angle that has gone round is 2 pi further.
        duration: the time in between.
        guess: velocities at first, roughly; if not given a straight way at constant speed, and where
            that leads to none, motions along it and the other way.
        inputs: for each input a number or an expression in t.
        time: when it starts, where time matters.
        rtol: relative tolerance of the motion that comes back, at 201 times; motion(times) has others.

    Raises:
        DeclarationError: a place is not given whole, or something is missing or unknown.
        DerivationError: constraints hold the system.
        SolveError: no such motion was found from the guess.

    Example:
        >>> from routh import coordinates, ddt, parameters, System
        >>> (x, y), (m, g) = coordinates("x y"), parameters("m g")
        >>> ball = System(kinetic=m * (ddt(x)**2 + ddt(y)**2) / 2, potential=m * g * y)
        >>> throw = between(ball, {"m": 1, "g": 9.81}, {x: 0, y: 0}, {x: 8, y: 0}, 2.0)
        >>> [round(float(v), 9) for v in throw.v[0]]
        [4.0, 9.81]
    """
    made = driven(checked_numeric(system, "between"), inputs)
    if made.constraints:
        raise DerivationError(
            f"between works on systems without constraints, and {system.title} has some. Choose"
            " coordinates that meet them."
        )
    T, when = (float(_single(x, name)) for x, name in ((duration, "duration"), (time, "time")))
    if not T > 0:
        raise DeclarationError(f"`duration` must be a positive number. Got {duration!r}.")
    given, by = conditions(made, values, None, start=start, end=end)
    if given.shape:
        raise DeclarationError(
            f"between finds one motion at a time. Got arrays of shape {given.shape}; write a loop."
        )
    made = given.system
    a, b = (_place(made, by[name], name) for name in ("start", "end"))
    options = checked_options(
        method=AUTOMATIC, rtol=rtol, atol=None, stabilize=None, check=False, form="lagrange",
        regularize=None, variations=False, progress=False, engine=Engine.CASADI,
        keep="all",
    )  # fmt: skip
    guessed = _velocities(made, {} if guess is None else guess)
    problem = _Pieces(made, given.p[0], a, b, when, T, guessed)
    v, is_conjugate = problem.solved(system.title)
    begin = dict(zip((*made.coordinates, *made.velocities), [*a, *v], strict=True))
    times = np.linspace(when, when + T, OUTPUTS)
    numbers = {name: float(x) for name, x in given.values.items()}
    found = smooth_motion(made, numbers, begin, times, options)
    _refuse_missed(found, b, problem.size[: len(a)])
    refuse_jumps(kernel(made), found.point(), "The motion that arrives")
    return replace(found, run_message=f"{found.run_message} {MANY}") if is_conjugate else found


def _single(given: object, name: str) -> Any:
    found = number(given, f"`{name}`")
    if found.shape or not np.isfinite(found):
        raise DeclarationError(f"`{name}` must be one finite number. Got {given!r}.")
    return found


def _place(system: System, given: Any, name: str) -> Array:
    """Every coordinate of a place, and nothing else."""
    fast = [s for s in given if s in system.velocities]
    if fast:
        raise DeclarationError(
            f"`{name}` is a place: the velocities are what is looked for. Got {quoted(fast)}; give them"
            " roughly as `guess`."
        )
    missing = [q for q in system.coordinates if q not in given]
    if missing:
        raise DeclarationError(
            f"`{name}` lacks {quoted(missing)}. Got: {listed(given)}. Give every coordinate of"
            f" {system.title}."
        )
    return np.array([float(given[q][0]) for q in system.coordinates])


def _velocities(system: System, given: Numbers) -> dict[int, float]:
    """The velocities that were guessed, by place."""
    if not isinstance(given, Mapping):
        raise DeclarationError(
            f"`guess` must map velocities to numbers, like {{ddt(theta): 1.0}}. Got {given!r}."
        )
    names = {v.name: k for k, v in enumerate(system.velocities)}

    def place(key: object) -> int:
        if str(key) in names and (isinstance(key, str) or key in system.velocities):
            return names[str(key)]
        raise DeclarationError(
            f"`guess` holds velocities at the start. Got `{key}`. Velocities:"
            f" {listed(system.velocities)}." + did_you_mean(str(key), names)
        )

    found = once(((place(key), value) for key, value in given.items()), "guess")
    return {k: float(_single(x, str(system.velocities[k]))) for k, x in found.items()}


class _Pieces:
    """The unknowns and equations of a motion in pieces.

    Unknown are the velocities at first and the states where the other pieces begin, in units of the
    motion; the equations are the gaps between the pieces, and how far the last one ends from the place.
    """

    def __init__(
        self,
        system: System,
        p: Array,
        a: Array,
        b: Array,
        when: float,
        duration: float,
        guessed: dict[int, float],
    ) -> None:
        self._a, self._b, self._n = a, b, len(a)
        self._edges = when + duration * np.arange(PIECES + 1) / PIECES
        engine = compiled(system, (), baumgarte=False, redundant=False)
        self._flow = MovingSystem(engine, p, np.zeros(0), None)
        self._flow.segments = segments(system, (), p, when, when + duration, duration / FEWEST)
        self._flow.later = partial(shifted, system, (), p)
        straight = (b - a) / duration
        v = np.array([guessed.get(k, straight[k]) for k in range(self._n)])
        far = max(np.abs(b - a).max(), np.abs([a, b]).max(), duration * np.abs(v).max(), 1e-12)
        self.size = np.concatenate([np.full(self._n, far), np.full(self._n, far / duration)])
        self._straight = straight
        self._guess = v if guessed else None
        self._looks = 0

    def _starts(self) -> Iterator[Array]:
        """(pieces, 2n) where the pieces begin at first: on a straight way, or along motions.

        A guess is the only one; without, the straight way is tried, then motions that begin along it,
        the other way, and faster.
        """
        shares = np.arange(PIECES)[:, None] / PIECES
        way = self._a + shares * (self._b - self._a)
        if self._guess is None:
            yield np.hstack([way, np.tile(self._straight, (PIECES, 1))])
        unit = self._straight if self._straight.any() else self.size[self._n :]
        tried = [self._guess] if self._guess is not None else [share * unit for share in TRIED]
        for v in tried:
            nodes = np.hstack([way, np.tile(self._straight, (PIECES, 1))])
            nodes[0, self._n :] = v
            try:
                for k in range(PIECES - 1):
                    nodes[k + 1] = self._piece(k, nodes[k])[0]
            except StuckError:
                nodes[:, : self._n] = way  # what cannot be run begins on the straight way
            yield nodes

    def solved(self, title: str) -> tuple[Array, bool]:
        """The velocities at first, and whether neighbouring motions meet again at the end.

        Raises:
            SolveError: no motion was found, or it cannot begin.
        """
        best, gap = None, np.inf
        for nodes in self._starts():
            if self._looks >= MOST_LOOKS:
                break
            found = damped(
                self._look, self._step, (nodes / self.size).reshape(-1)[self._n :],
                holds=lambda _, gaps: bool(np.abs(gaps).max() <= MET), most=MOST_STEPS,
                halvings=HALVINGS,
            )  # fmt: skip
            own = float(np.abs(found.residual).max())
            if own <= LOOSE:
                v: Array = found.x[: self._n] * self.size[self._n :]
                return v, self._is_conjugate(found.x)
            best, gap = (found.x, own) if own < gap else (best, gap)
        lasting = self._edges[-1] - self._edges[0]
        tried = "straight ways" if self._guess is None else "this guess"
        if best is None:
            x = np.zeros(self._flow.motion.size)
            x[: 2 * self._n] = np.concatenate([self._a, self._straight])
            is_redundant(self._flow, float(self._edges[0]), x)  # tells what nothing determines
            raise SolveError(
                f"No motion of {title} from `start` to `end` in {lasting:.6g} s was found from {tried}:"
                " the motions that were tried could not be run, as they get to a place where"
                " accelerations are not finite, or too quick to follow. Give other velocities as"
                " `guess`, or another duration."
            )
        told = (
            " Neighbouring motions from this start meet again near the end, a conjugate place: there"
            " are none that get elsewhere, or many that get there."
            if self._is_conjugate(best)
            else ""
        )
        raise SolveError(
            f"No motion of {title} from `start` to `end` in {lasting:.6g} s was found from {tried}: its"
            f" pieces miss each other by {gap:.1e} of its size.{told} Give other velocities as `guess`,"
            " or another duration."
        )

    def _step(self, slopes: Array, residual: Array) -> Array | None:
        if not np.isfinite(slopes).all():
            return None
        found = np.linalg.lstsq(slopes, residual, rcond=1e-13)[0]
        return np.asarray(found / max(1.0, float(np.abs(found).max())))  # no further than its size

    def _look(self, x: Array) -> tuple[Array, Array]:
        """The gaps of the pieces and their slopes, in units of the motion."""
        n, count = self._n, 2 * self._n
        nodes = np.concatenate([self._a / self.size[:n], x]).reshape(PIECES, count) * self.size
        gaps, slopes = np.full(len(x), np.nan), np.zeros((len(x), PIECES * count))
        self._looks += 1
        if self._looks > MOST_LOOKS:
            return gaps, slopes[:, n:]
        for k, node in enumerate(nodes):
            try:
                end, grown = self._piece(k, node)
            except StuckError:
                return gaps, slopes[:, n:]
            rows = slice(k * count, (k + 1) * count if k < PIECES - 1 else k * count + n)
            wanted = nodes[k + 1] if k < PIECES - 1 else self._b
            size = self.size[: len(wanted)]
            gaps[rows] = (end[: len(wanted)] - wanted) / size
            slopes[rows, k * count : (k + 1) * count] = grown[: len(wanted)] * self.size / size[:, None]
            if k < PIECES - 1:
                slopes[rows, (k + 1) * count : (k + 2) * count] -= np.eye(count)
        return gaps, slopes[:, n:]

    def _piece(self, k: int, node: Array) -> tuple[Array, Array]:
        """Where a piece ends, and how changes of its start have grown."""
        x = np.zeros(self._flow.motion.size)
        x[: 2 * self._n] = node
        states, grown, _ = self._flow.varied(x, self._edges[k : k + 2], RTOL, MOST_RUN)
        return states[-1][: 2 * self._n], grown[-1]

    def _is_conjugate(self, x: Array) -> bool:
        """Whether neighbouring velocities do not spread the end, in some direction."""
        spread = self._spread(x)
        return spread is not None and spread < CONJUGATE

    def _spread(self, x: Array) -> float | None:
        """How far neighbouring velocities spread the end at least, relative to the most on the way."""
        n = self._n
        nodes = np.concatenate([self._a / self.size[:n], x]).reshape(PIECES, 2 * n) * self.size
        whole, most = np.eye(2 * n), 1e-300
        try:
            for k, node in enumerate(nodes):
                whole = self._piece(k, node)[1] @ whole
                most = max(most, float(np.linalg.norm(whole[:n, n:], 2)))
        except StuckError:
            return None
        return float(np.linalg.svd(whole[:n, n:], compute_uv=False)[-1]) / most


def _refuse_missed(found: Trajectory, b: Array, size: Array) -> None:
    """Refuse a motion whose one run does not get where its pieces do."""
    off = float((np.abs(found.q[-1] - b) / size).max()) if found.completed else np.inf
    if not off <= 1e-5:
        raise SolveError(
            f"Pieces of a motion of {found.system.title} fit, but neighbouring motions part so fast"
            f" that one run from the start misses the end by {off:.1e} of its size. Ask for a shorter"
            " duration."
        )
