"""A periodic motion at every time: its extremes, and whether it repeats within its period."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import sympy
from numpy.typing import NDArray

from routh.analysis.given.reading import own_expression
from routh.analysis.motion.runs import smooth_motion
from routh.analysis.motion.settings import Options
from routh.analysis.motion.trajectory import Trajectory
from routh.arrays import Array
from routh.kernels.engine import Point
from routh.kernels.kernel import kernel
from routh.language.system import System

SAMPLES = 65
"""Times of each piece at first; twice as many until a curve through every second meets the others."""

MOST_SAMPLES = 4097
"""Times of each piece at most."""

EXACT = 1e-11
"""Tolerance of the runs, relative to the size of the motion."""

MET = 1e-8
"""Share of the range of each coordinate and velocity within which it does."""

WITHIN = 16
"""Places between two samples at which an expression is looked at."""

CLOSE = 1e-5
"""Share of the range of an expression within which extremes are compared by the motion itself."""

FEW = 8
"""Extremes that are compared."""

ZOOMS = 6
"""Times that an extreme is looked at ten times closer on the curve; then the motion is asked."""

PHASES = 7
"""Places of a period at which the motion is compared with itself."""

CERTAIN, UNLIKE = 1e2, 1e-4
"""Distances below so many times the gap are none; above this share of the motion they are some."""


@dataclass(frozen=True)
class Orbit:
    """The pieces of a periodic motion, each run from the state where it begins.

    So errors grow over a piece only, also along motions that are far from stable.
    """

    system: System
    values: dict[str, float]
    nodes: Array
    period: float

    @cached_property
    def pieces(self) -> list[Trajectory]:
        """The motion piece by piece, with samples as close as curves between them need."""
        samples = SAMPLES
        while True:
            found = [self._piece(k, samples) for k in range(len(self.nodes))]
            if samples >= MOST_SAMPLES or all(map(_resolved, found)):
                return found
            samples = 2 * samples - 1

    def _piece(self, k: int, samples: int) -> Trajectory:
        h = self.period / len(self.nodes)
        names = (*self.system.coordinates, *self.system.velocities)
        start = dict(zip(names, self.nodes[k].tolist(), strict=True))
        times = np.linspace(k * h, (k + 1) * h, samples)
        size = np.abs(self.nodes).max(axis=0)
        atol = EXACT * float(np.maximum(size, 1e-3 * size.max()).min())  # nodes may be at zero
        options = Options(rtol=EXACT, atol=atol, progress=False)
        return smooth_motion(self.system, self.values, start, times, options)

    def at(self, times: Array) -> Array:
        """(T, 2n): the states at some times, by runs from the nodes before them."""
        h = self.period / len(self.nodes)
        times = np.mod(times, self.period)
        found = np.zeros((len(times), self.nodes.shape[1]))
        which = np.minimum((times / h).astype(int), len(self.nodes) - 1)
        for k, piece in enumerate(self.pieces):
            rows = np.flatnonzero(which == k)
            if len(rows):
                asked, back = np.unique(times[rows], return_inverse=True)
                found[rows] = _exact(piece, asked)[back]
        return found

    def extremes(self, expression: Any) -> tuple[float, float]:
        """The least and the largest value of an expression along the motion."""
        read = own_expression(self.system, expression, "What is read along a motion")
        low, high = np.inf, -np.inf
        rough = [self._looked(piece, read) for piece in self.pieces]
        every = np.concatenate([values for _, values in rough])
        reach = float(np.ptp(every)) * CLOSE
        for piece, (times, values) in zip(self.pieces, rough, strict=True):
            for sign in (1, -1):
                best = (sign * every).max()
                places = _peaks(sign * values, best - reach)
                if len(places):
                    exact = self._nearer(piece, read, times[places], sign)
                    low, high = min(low, float(exact.min())), max(high, float(exact.max()))
        return low, high

    def _looked(self, piece: Trajectory, e: sympy.Expr) -> tuple[Array, Array]:
        """Times of a piece, and the expression on the curve through its samples there."""
        t = piece.t
        times = (t[:-1, None] + np.diff(t)[:, None] * np.arange(WITHIN) / WITHIN).reshape(-1)
        times = np.append(times, t[-1])
        return times, self._read(piece, e, times)

    def _read(self, piece: Trajectory, e: sympy.Expr, times: Array) -> Array:
        q, v, a = _between(piece, times)
        point = piece.point()
        fixed = (point.p, point.u, point.multipliers)
        rest = [np.repeat(each[:1], len(times), axis=0) for each in fixed]
        with np.errstate(all="ignore"):
            return kernel(self.system).values([e], Point(times[:, None], q, v, a, *rest))[:, 0]

    def _nearer(self, piece: Trajectory, e: sympy.Expr, times: Array, sign: int) -> Array:
        """Values of the motion itself at extremes, which are looked for on the curve first."""
        width = (piece.t[1] - piece.t[0]) / WITHIN
        first, last = piece.t[0], piece.t[-1]
        for _ in range(ZOOMS):
            grid = np.clip(times[:, None] + width * np.linspace(-1, 1, 21), first, last)
            values = self._read(piece, e, grid.reshape(-1)).reshape(grid.shape)
            times = np.take_along_axis(grid, (sign * values).argmax(axis=1)[:, None], axis=1)[:, 0]
            width /= 10
        return np.asarray(piece(np.unique(np.concatenate([[first], times, [last]])))[e])

    def multiple(self, gap: float, may_repeat: Any) -> int | None:
        """How many times the motion repeats within its period; None where that cannot be told.

        Only shares of the period that divide the number of turns of every coordinate come into
        question; at each of them the motion is compared with itself at several phases.
        `may_repeat(share)` says whether the equations are the same a share of the period later.
        """
        turns = int(np.gcd.reduce(self._turns()))
        if turns == 0:
            return None
        size = np.maximum(self._ranges, 1e-3 * self._ranges.max())
        times = self.period * np.arange(PHASES) / PHASES
        here, found = self.at(times), 1
        for prime in _primes(turns):
            while turns % (found * prime) == 0:
                share = self.period / (found * prime)
                off = float((np.abs(self.at(times + share) - here) / size).max())
                if off > UNLIKE:
                    break
                if off > CERTAIN * max(gap, 1e-10) or not may_repeat(share):
                    return None
                found *= prime
        return found

    @cached_property
    def _ranges(self) -> Array:
        every = np.concatenate([np.hstack([piece.q, piece.v]) for piece in self.pieces])
        return np.asarray(np.ptp(every, axis=0))

    def _turns(self) -> NDArray[np.intp]:
        """How many times each coordinate that moves turns back from its way down."""
        v = np.concatenate([piece.v[:-1] for piece in self.pieces])
        moving = np.ptp(v, axis=0) > 1e-6 * np.ptp(v, axis=0).max()
        after = np.roll(v, -1, axis=0)
        return np.asarray(((v < 0) & (after >= 0)).sum(axis=0)[moving], dtype=np.intp)


def _exact(piece: Trajectory, times: Array) -> Array:
    """(T, 2n): the states of a piece at times in ascending order."""
    asked = np.unique(np.concatenate([[piece.t[0]], times, [piece.t[-1]]]))
    run = piece(asked)
    rows = np.searchsorted(asked, times)
    return np.hstack([run.q, run.v])[rows]


def _between(piece: Trajectory, times: Array) -> tuple[Array, Array, Array]:
    """Positions, velocities and accelerations on the quintic curve through samples of all three."""
    return _quintic(piece.t, (piece.q, piece.v, piece.a), times)


def _quintic(t: Array, states: Sequence[Array], times: Array) -> tuple[Array, Array, Array]:
    k = np.clip(np.searchsorted(t, times, side="right") - 1, 0, len(t) - 2)
    h = (t[k + 1] - t[k])[:, None]
    x = (times - t[k])[:, None] / h
    q0, v0, a0 = (each[k] for each in states)
    q1, v1, a1 = (each[k + 1] for each in states)
    rise, speed, bend = q1 - q0 - h * v0 - h**2 * a0 / 2, h * (v1 - v0 - h * a0), h**2 * (a1 - a0)
    c3 = 10 * rise - 4 * speed + bend / 2
    c4 = -15 * rise + 7 * speed - bend
    c5 = 6 * rise - 3 * speed + bend / 2
    q = q0 + x * (h * v0 + x * (h**2 * a0 / 2 + x * (c3 + x * (c4 + x * c5))))
    v = v0 + x * (h**2 * a0 + x * (3 * c3 + x * (4 * c4 + x * 5 * c5))) / h
    a = a0 + x * (6 * c3 + x * (12 * c4 + x * 20 * c5)) / h**2
    return q, v, a


def _resolved(piece: Trajectory) -> bool:
    """Whether a curve through every second sample meets the others."""
    states = (piece.q, piece.v, piece.a)
    found = _quintic(piece.t[::2], [each[::2] for each in states], piece.t[1::2])
    pairs = zip(found[:2], states[:2], strict=True)
    return all(
        bool((np.abs(curve - state[1::2]) <= MET * np.maximum(np.ptp(state, axis=0), 1e-300)).all())
        for curve, state in pairs
    )


def _peaks(values: Array, least: float) -> NDArray[np.intp]:
    """Where values have a local maximum above some level, the highest ones."""
    padded = np.concatenate([[-np.inf], values, [-np.inf]])
    peak = (values >= padded[:-2]) & (values >= padded[2:]) & (values >= least)
    places = np.flatnonzero(peak)
    return places[np.argsort(-values[places], kind="stable")][:FEW]


def _primes(number: int) -> list[int]:
    """The primes that divide a number."""
    return [int(p) for p in sympy.primefactors(number)]


def distance(orbit: Array, guess: Array) -> float:
    """How far an orbit goes from the motion of a guess, in units of the range of that.

    Both are states (T, 2n); of each state of the orbit the nearest of the other counts.
    """
    size = np.ptp(guess, axis=0)
    size = np.maximum(size, 1e-3 * size.max())
    a, b = orbit / size, guess / size
    apart = np.stack([np.abs(b - each).max(axis=1).min() for each in a])
    return float(apart.max())
