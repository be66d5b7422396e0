"""Curves of solutions of m equations in m + 1 unknowns, through folds: pseudo-arclength continuation.

A step goes along the tangent and comes back to the curve across it (H. B. Keller, 1977). Unknowns are
measured by how large they have become, so that metres and radians count alike.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from routh.errors import Status
from routh.numerics.newton import newton

Array = NDArray[np.float64]
Function = Callable[[Array], Array]

FIRST = 0.01
"""First step, as a share of the range of the last unknown."""

LARGEST = 0.03
SMALLEST = 1e-8

TURN = 0.97
"""Cosine of the largest angle by which the tangent may turn in a step."""

FEW = 4
"""Corrections up to which the next step may be longer."""

CORRECTIONS = 12


@dataclass(frozen=True, eq=False)
class Curve:
    """Points (k, m + 1) of a curve with unit tangents in the scales used there, and how it ended."""

    y: Array
    tangents: Array
    scales: Array
    ended: str


class Tracer:
    """Walks along the solutions of `function(y) = 0`.

    Arguments:
        function: of y (m + 1,), gives (m,).
        slopes: of y, gives (m, m + 1).
        low: where the last unknown may go, lower end.
        high: upper end.
        largest: the longest step, as a share of the range.
    """

    def __init__(
        self,
        function: Function,
        slopes: Function,
        low: float,
        high: float,
        largest: float | None = None,
    ) -> None:
        self._function = function
        self._slopes = slopes
        self._largest = LARGEST if largest is None else largest
        self.low, self.high = low, high

    def scale(self, y: Array, tangent: Array | None = None) -> Array:
        """How large each unknown is: by its value, by its slope if that is zero, else 1."""
        size = np.abs(y)
        if tangent is not None and tangent[-1]:
            slope = np.abs(tangent / tangent[-1]) * (self.high - self.low)
            size = np.where(size > 0, size, np.minimum(slope, 1.0))
        size = np.where(size > 0, size, 1.0)
        size[-1] = self.high - self.low
        return size

    def tangent(self, y: Array, scale: Array, along: Array | None = None) -> Array:
        """The unit tangent in scaled unknowns; pointing along another one, or towards larger y[-1]."""
        J = self._slopes(y) * scale
        J = J / np.maximum(np.abs(J).max(axis=1, keepdims=True), 1e-300)
        if along is None:
            t = np.linalg.svd(J)[2][-1]
            return np.asarray(t if t[-1] >= 0 else -t)
        bordered = np.concatenate([J, along[None]])
        t = np.linalg.lstsq(bordered, np.eye(len(y))[-1], rcond=1e-13)[0]
        return np.asarray(t / np.linalg.norm(t))

    def determinant(self, y: Array, scale: Array, tangent: Array) -> float:
        """The signed smallest singular value of the slopes bordered by the tangent.

        It passes through zero where another branch crosses.
        """
        J = self._slopes(y) * scale
        J = J / np.maximum(np.abs(J).max(axis=1, keepdims=True), 1e-300)
        bordered = np.concatenate([J, tangent[None]])
        sign = np.linalg.slogdet(bordered)[0]
        return float(sign * np.linalg.svd(bordered, compute_uv=False)[-1])

    def corrected(self, guess: Array, tangent: Array, scale: Array) -> tuple[Array, int] | None:
        """The point of the curve across from a guess, and how many corrections it took."""

        def equations(z: Array, _index: object) -> Array:
            inside = self._function(z[0] * scale)
            return np.append(inside, tangent @ (z[0] - guess / scale))[None]

        def slopes(z: Array, _index: object) -> Array:
            return np.concatenate([self._slopes(z[0] * scale) * scale, tangent[None]])[None]

        found = newton(equations, slopes, (guess / scale)[None], max_steps=CORRECTIONS)
        good = found.status[0] in (Status.CONVERGED, Status.DEGENERATE)
        return (found.x[0] * scale, len(found.history)) if good else None

    def walk(self, y: Array, tangent: Array, scale: Array, most: int) -> Curve:
        """From a point along a tangent until the last unknown leaves its range, or the curve closes."""
        ys, tangents, scales = [y], [tangent], [scale]
        step = min(FIRST, self._largest)
        ended = f"Stopped after {most} steps."
        while len(ys) < most:
            found = self._step(ys[-1], tangents[-1], scales[-1], step)
            if found is None:
                step /= 2
                if step < SMALLEST:
                    ended = "Stopped: no further point of the branch was found."
                    break
                continue
            y, tangent, corrections = found
            if not self.low <= y[-1] <= self.high:
                y, tangent = self._at_end(ys[-1], tangents[-1], scales[-1], y)
                ys.append(y)
                tangents.append(tangent)
                scales.append(scales[-1])
                ended = "Reached the end of the range."
                break
            size = np.maximum(scales[-1], np.abs(y))
            tangents.append(self.tangent(y, size, tangent * scales[-1] / size))
            ys.append(y)
            scales.append(size)
            if self._closed(ys, tangents, step):
                ended = "Closed on itself."
                break
            step = min(step * 1.5, self._largest) if corrections <= FEW else step
        return Curve(np.array(ys), np.array(tangents), np.array(scales), ended)

    def _step(
        self, y: Array, tangent: Array, scale: Array, step: float
    ) -> tuple[Array, Array, int] | None:
        found = self.corrected(y + step * tangent * scale, tangent, scale)
        if found is None:
            return None
        there, corrections = found
        ahead = self.tangent(there, scale, tangent)
        off = np.linalg.norm((there - y) / scale - step * tangent)
        if ahead @ tangent < TURN or off > step / 4:
            return None
        return there, ahead, corrections

    def _at_end(self, y: Array, tangent: Array, scale: Array, beyond: Array) -> tuple[Array, Array]:
        """The point where the range ends, from points on both sides."""
        end = self.high if beyond[-1] > self.high else self.low
        share = (end - y[-1]) / (beyond[-1] - y[-1])
        across = np.eye(len(y))[-1]
        found = self.corrected(y + share * (beyond - y), across, scale)
        there = beyond if found is None else found[0]
        if found is not None:
            there[-1] = end
        return there, self.tangent(there, scale, tangent)

    def _closed(self, ys: list[Array], tangents: list[Array], step: float) -> bool:
        """Whether the walk has come back to where it began, in the same direction."""
        if len(ys) < 8:
            return False
        scale = np.maximum(np.abs(ys[0]), np.abs(ys[-1])) + 1e-300
        scale[-1] = self.high - self.low
        near = np.linalg.norm((ys[-1] - ys[0]) / scale) < step
        return bool(near and tangents[-1] @ tangents[0] > 0.5)


def crossing(function: Callable[[float], float], a: float, b: float, fa: float, fb: float) -> float:
    """Where a function changes sign between a and b (Illinois variant of regula falsi)."""
    width, last, side = abs(b - a), a, 0
    for _ in range(100):
        c = (a * fb - b * fa) / (fb - fa)
        fc = function(c)
        if fc == 0 or abs(c - last) <= 1e-15 * width or abs(b - a) <= 1e-15 * width:
            return c
        if (fc > 0) == (fb > 0):
            b, fb = c, fc
            fa = fa / 2 if side == -1 else fa
            side = -1
        else:
            a, fa = c, fc
            fb = fb / 2 if side == 1 else fb
            side = 1
        last = c
    return last
