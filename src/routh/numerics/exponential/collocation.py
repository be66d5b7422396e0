"""Exponential collocation: linear oscillations exactly, the rest as polynomials along the step.

The equations `M q'' + C q' + K q = f(t, q, q')` with M, C, K of one state are taken apart into
oscillators (Hochbruck, Ostermann, Exponential integrators, Acta Numerica 2010, section 2). Along a step
f is the polynomial through its values at Gauss nodes, and the oscillators answer it exactly
(variation of constants). The values at the nodes are found by going round: from the motion f, from f
the motion; all nodes are evaluated at once, and as f changes little with the motion two to four rounds
suffice, however many times the quickest oscillator turns within the step. A linear system under forces
that are polynomials of time is carried exactly by steps of any length.

The error of a step is what the last two Legendre coefficients of f do, anywhere in the step: more than
what the polynomial leaves out, where these coefficients fall. In between the motion is known as well as
at the ends of steps.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from routh.arrays import Array
from routh.numerics.exponential.going_round import ROUNDS, SETTLED, Rounds
from routh.numerics.exponential.linear_part import INTERPOLATION, NODES, PLACES, TAIL, LinearPart
from routh.numerics.steppers import TIGHTEST, StuckError

SLOW, AGED = 0.1, 8
"""Where rounds gain less than this, the linear part is made anew, unless it is that of one of the last
steps."""

SAFETY, SHORTER, LONGER = 0.9, 0.25, 2.0
"""Steps get this share of what the error asks for, and change by these factors at most."""

GRADES = 8
"""Lengths of steps are powers of two, and so many between two of them, for their weights to be kept."""

FIRST = 64
"""Steps of the whole time that would be as long as the first one that is tried."""

EPS = float(np.finfo(float).eps)


@dataclass(frozen=True)
class SecondOrder:
    """q'' and what is summed up beside, as rates of x = (q, q', sums), with tolerances.

    Attributes:
        rates: x' (N, size) at times (N,) and states (N, size).
        linear: M, K, C at a time and state.
        n: the number of coordinates.
        rtol, atol: the tolerances.
        longest: the largest step.
        basis: (n, k) within whose span positions and velocities move; None for all.
        compiled: what goes round in place of the way here, asked before each step; None for none.
    """

    rates: Callable[[Array, Array], Array]
    linear: Callable[[float, Array], tuple[Array, Array, Array]]
    n: int
    rtol: float
    atol: float | Array
    longest: float = np.inf
    basis: Array | None = None
    compiled: Callable[[], Rounds | None] = lambda: None


@dataclass(frozen=True)
class _Piece:
    """One step: where it began, its linear part, and the forces at its nodes (k + 1 or more, nodes)."""

    t: float
    h: float
    x: Array
    part: LinearPart
    forces: Array
    end: Array
    error: float
    gain: float

    def at(self, time: float) -> Array:
        """The state at a time within it."""
        share = (time - self.t) / self.h
        free = self.part.increments(np.array([time - self.t]))
        forced = self.part.oscillators.forced(self.h, np.array([share]), NODES)
        found: Array = _states(self.part, self.x, free, forced @ INTERPOLATION, self.forces)[0]
        return found


class Collocation:
    """One run by exponential collocation, up to a last time at which it ends exactly."""

    def __init__(self, equations: SecondOrder, t: float, x: Array, last: float) -> None:
        self.last, self._equations = last, equations
        self.steps = 0
        self._part: LinearPart | None = None
        self._age = 0
        self.begin(t, x)

    def begin(self, t: float, x: Array, step: float | None = None) -> None:
        """Start anew from a state, with a first step to try."""
        self.t, self.x = t, x
        self.next_step = (self.last - t) / FIRST if step is None else step
        self._piece: _Piece | None = None

    def advance(self) -> None:
        """One step."""
        piece = self._accepted(self.t, self.x, self.last)
        self._piece, self.steps = piece, self.steps + 1
        ended = piece.h >= self.last - piece.t
        self.t, self.x = self.last if ended else piece.t + piece.h, piece.end

    def inside(self) -> Callable[[float], Array]:
        """The motion within the last step."""
        if self._piece is None:
            raise StuckError("no step was taken yet")
        return self._piece.at

    def to(self, t: float, x: Array, last: float) -> Array:
        """The state at a time between two steps, by steps of the same method that end there."""
        if last <= t:
            return x
        run = Collocation(self._equations, t, x, last)
        run._part = self._part
        run.begin(t, x, last - t)
        while run.t < last:
            run.advance()
        return run.x

    def move(self, x: Array) -> None:
        """Go on from a state next to where the step ended."""
        self.x = x

    def _accepted(self, t: float, x: Array, last: float) -> _Piece:
        """The first step within the tolerance, from the length that is due downwards."""
        own = self._equations
        while True:
            part = self._linear(t, x)
            rest = last - t
            h = _graded(min(self.next_step, own.longest))
            h = rest if rest <= h else h
            if h <= 16 * EPS * abs(t) or h < 1e-300:
                raise StuckError("the steps became too small")
            piece = self._tried(part, t, x, h)
            if piece is None:
                if self._age:
                    self._part = None
                else:
                    self.next_step = h / 2
                continue
            wanted = SAFETY * max(piece.error, 1e-30) ** (-1 / NODES)
            change = float(np.clip(wanted, SHORTER, LONGER))
            if piece.error > 1:
                self.next_step = h * min(change, 0.8)
                continue
            grown = max(h * change, self.next_step if h == rest else 0.0)
            self.next_step = grown if piece.gain < SLOW or change < 1 else h
            self._age += 1
            if piece.gain > SLOW and self._age > AGED:
                self._part = None
            return piece

    def _linear(self, t: float, x: Array) -> LinearPart:
        if self._part is None:
            M, K, C = self._equations.linear(t, x)
            self._part, self._age = LinearPart.of(M, K, C, self._equations.basis), 0
        return self._part

    def _tried(self, part: LinearPart, t: float, x: Array, h: float) -> _Piece | None:
        """A step, or None where rounds do not settle."""
        compiled = self._equations.compiled()
        if compiled is None:
            return self._by_arrays(part, t, x, h)
        found = compiled(t, x, h, part)
        if found is None:
            return None
        return _Piece(t, h, x, part, found.forces, found.end, found.error, found.gain)

    def _by_arrays(self, part: LinearPart, t: float, x: Array, h: float) -> _Piece | None:
        """The same without compiled code."""
        own, weights = self._equations, part.weights(h)
        with np.errstate(all="ignore"):
            start = self._forces(part, np.array([t]), x[None])
            floor = own.atol + _noise(part, x, start[:, 0], weights.sums, own.n)
            forces = np.repeat(start, NODES, axis=1)
            states = _states(part, x, weights.free, weights.of_nodes, forces)
            times, off, gain = t + h * PLACES, np.inf, 1.0
            for _ in range(ROUNDS):
                forces = self._forces(part, times, states[:-1])
                before, states = states, _states(part, x, weights.free, weights.of_nodes, forces)
                largest = np.maximum(np.abs(states).max(axis=0), np.abs(x))
                scale = floor + max(own.rtol, TIGHTEST) * largest
                off, former = _size((states - before) / scale), off
                gain = off / former if np.isfinite(former) else 1.0
                if not np.isfinite(off) or (gain > 0.5 and off > 1 and np.isfinite(former)):
                    return None
                if off * min(gain, 1.0) <= SETTLED:
                    break
            else:
                return None
            error = _left_out(part, weights.of_tails, forces, scale)
        return _Piece(t, h, x, part, forces, states[-1], max(error, off * gain), gain)

    def _forces(self, part: LinearPart, times: Array, states: Array) -> Array:
        """(k + sums, N): what oscillators feel beyond their own, and rates of what is summed up."""
        n, own = self._equations.n, part.oscillators
        rates = self._equations.rates(times, states)
        q, v, a = states[:, :n], states[:, n : 2 * n], rates[:, n : 2 * n]
        felt = a @ part.inverse.T + (v @ part.inverse.T) * 2 * own.d[:-1]
        forces = felt + (q @ part.inverse.T) * own.w[:-1]
        return np.concatenate([forces, rates[:, 2 * n :]], axis=1).T


def _states(part: LinearPart, x: Array, free: Array, by_forces: Array, forces: Array) -> Array:
    """(S, size): the states that forces at the nodes lead to, from x on."""
    n, k = len(part.shapes), part.count
    modal = np.stack([part.inverse @ x[:n], part.inverse @ x[n : 2 * n]])
    moved = np.einsum("abkS,bk->akS", free[:, :, :k], modal)
    moved += (by_forces[:, :k] @ forces[:k, :, None])[..., 0]
    sums = forces[k:] @ by_forces[1, k].T
    q, v = (part.shapes @ each for each in moved)
    found: Array = x + np.concatenate([q, v, sums]).T
    return found


def _noise(part: LinearPart, x: Array, forces: Array, sums: Array, n: int) -> Array:
    """(size,): what rounding of the forces leaves in positions and velocities."""
    k, own = part.count, part.oscillators
    y, v = (np.abs(part.inverse @ each) for each in (x[:n], x[n : 2 * n]))
    felt = np.abs(forces[:k]) + np.abs(own.w[:k]) * y + 2 * np.abs(own.d[:k]) * v
    moved = 4 * EPS * (sums[:, :k] * felt) @ part.sizes.T
    found = np.zeros(len(x))
    found[:n], found[n : 2 * n] = moved
    return found


def _left_out(part: LinearPart, of_tails: Array, forces: Array, scale: Array) -> float:
    """The error of a step, as far as polynomials leave out what forces do: 1 is the tolerance."""
    k = part.count
    tails = forces @ INTERPOLATION[-TAIL:].T
    q, v = (part.shapes @ each for each in np.einsum("akSc,kc->akS", of_tails[:, :k], tails[:k]))
    sums = tails[k:] @ of_tails[1, k].T
    return _size(np.concatenate([q, v, sums]).T / scale)


def _size(errors: Array) -> float:
    """The largest of root mean squares, over rows."""
    return float(np.sqrt(np.mean(errors**2, axis=1)).max())


def _graded(h: float) -> float:
    """The largest length of the grades up to h."""
    return float(2.0 ** (np.floor(GRADES * np.log2(h) + 1e-9) / GRADES))
