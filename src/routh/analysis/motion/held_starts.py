"""Starts of many motions under constraints, moved onto them as far as nothing is in doubt."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from routh.analysis.motion.flow import MOST_MOVES, NEAR, NOTHING, STILL
from routh.arrays import Array
from routh.kernels.motion_engine import Motion

Mask = NDArray[np.bool_]

EXACT = 1e-12
"""Share of what is added up in a constraint by which starts are off that surely are to meet it."""

APART = 1e-3
"""Least singular value of scaled constraints that surely do not depend on each other."""


@dataclass(frozen=True)
class Held:
    """The constraints of one motion at a time, under parameters, signals and scales of many runs."""

    motion: Motion
    t: float
    given: tuple[Array, Array, Array]

    def started(self, x: Array, J: Array) -> tuple[Array, Mask]:
        """The starts (N, size) moved onto the constraints, whose slopes are J, and which are sure."""
        sure = self._met(x) & self._independent(J)
        found = x.copy()
        waiting = sure.copy()
        for _ in range(MOST_MOVES):
            if not waiting.any():
                break
            places = np.flatnonzero(waiting)
            moved = self._at("projected", found[places], places)
            states = moved[0][..., 0]
            states[np.abs(states) < NOTHING] = 0.0
            found[places] = states
            n = self.motion.n
            size = np.abs(states[:, :n] / self.given[2][places, :n]).max(axis=1, initial=0.0)
            near = moved[1][:, 0, 0] <= np.maximum(NEAR * size, STILL)
            waiting[places] = ~near
        sure &= ~waiting & np.isfinite(found).all(axis=1)
        found[~sure] = x[~sure]
        return found, sure

    def _met(self, x: Array) -> Mask:
        """(N,): whether all constraints and their rates vanish to rounding."""
        every = np.arange(len(x))
        offs = self._at("held", x, every)
        sizes = self.motion.held_sizes(self._arguments(x, every))
        met = [
            (np.abs(off) <= EXACT * size).all(axis=(1, 2))
            for off, size in zip(offs, sizes, strict=True)
        ]
        return np.asarray(np.all(met, axis=0))

    def _independent(self, J: Array) -> Mask:
        """(N,): whether no constraint depends on others, by far."""
        n = self.motion.n
        s, r = self.given[2][:, :n], self.given[2][:, n : n + self.motion.c]
        scaled = J * s[:, None, :] * r[:, :, None]
        finite = np.isfinite(scaled).all(axis=(1, 2))
        scaled[~finite] = 0.0
        if scaled.shape[1] > scaled.shape[2]:
            return np.zeros(len(J), dtype=bool)
        least = np.linalg.svd(scaled, compute_uv=False)[:, -1]
        return np.asarray(finite & (least > APART))

    def _at(self, name: str, x: Array, places: NDArray[np.intp]) -> list[Array]:
        return self.motion.at_points(name, self._arguments(x, places))

    def _arguments(self, x: Array, places: NDArray[np.intp]) -> tuple[Array, ...]:
        t = np.full((len(x), 1), self.t)
        return (t, x, *(each[places] for each in self.given))
