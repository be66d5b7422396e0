"""Damped Newton's method on a whole batch of small systems of equations at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from routh.errors import Status
from routh.numerics.rank import balanced

Array = NDArray[np.float64]
Selected = NDArray[np.intp]
Equations = Callable[[Array, Selected], Array]

HALVINGS = 30

ENOUGH = 0.1
"""While a step lowers a residual that is small already to this share, another step pays."""

RELATIVE = 1e-10
"""A residual this much smaller than the forces around the point counts as zero."""

SMALL_MOVE = 1e-3
"""The displacement whose force `tangent @ displacement` is the least scale of forces."""

SENSIBLE = 1e8
"""A solve that magnifies the scaled residual more than this has met a singular matrix."""

NULL_CUT = 1e-11
"""Singular values of the balanced tangent below this are zero: that direction is left alone."""

FLAT = 1e-10
"""The same in a given metric, where rows that are rounding stay small."""

CRAWLING = 8
"""Steps in a row that gain a fixed factor only, which happens at multiple roots."""

SHORT = 1e-6
"""Share of the reach below which such steps count as having arrived."""

DEGENERATE = 1e-5
"""Residuals may be this large there, compared with the forces around: near a root of multiplicity k
they are smaller by the distance over k."""


@dataclass(frozen=True, eq=False)
class Solution:
    """Where Newton's method ended, for each of N points.

    `history` holds the iterates, from the guess on; a point that is done keeps its last one.
    """

    x: Array
    residual: Array
    tangent: Array
    """(N, m, n): the derivative of the equations at x."""
    status: NDArray[np.object_]
    history: Array
    """(steps + 1, N, n)"""


def found(status: NDArray[np.object_]) -> NDArray[np.bool_]:
    """Which outcomes are a root."""
    return np.asarray((status == Status.CONVERGED) | (status == Status.DEGENERATE), dtype=bool)


def newton(
    equations: Equations,
    tangent: Equations,
    guess: Array,
    *,
    max_steps: int = 100,
    unit: Array | None = None,
    metric: Array | None = None,
    flat: float = FLAT,
) -> Solution:
    """Roots of N independent systems `equations(x) = 0`, each from its own guess.

    A step is halved until it lowers the residual. A residual counts as zero when it is small against
    the forces that a move of the size of x would raise there, never because a step is short or
    because forces were larger before; and the steps go on until they gain nothing, which is
    rounding level near a regular root. Along a direction in which the tangent is singular nothing
    is moved (least-norm step).

    Arguments:
        equations: of x of shape (k, n) and the indices of these k points, gives residuals of
            shape (k, m), m >= n.
        tangent: likewise gives derivatives of shape (k, m, n).
        guess: (N, n).
        max_steps: how many steps a point may take.
        unit: (n,) a length for each unknown, 1 if not given: moves of SMALL_MOVE times it are small.
        metric: (n,) lengths in which steps are shortest, where the tangent is singular along curves of
            roots: the slopes times two lengths are compared with each other. If not given, rows and
            columns are balanced.
        flat: with a metric, the share of the largest singular value below which a direction is left
            alone.
    """
    small_move = SMALL_MOVE * (1.0 if unit is None else unit)
    x = np.array(guess, dtype=float)
    every = np.arange(len(x))
    residual = equations(x, every)
    status = np.full(len(x), Status.TOO_MANY_STEPS, dtype=object)
    status[~np.isfinite(residual).all(axis=1)] = Status.NOT_FINITE
    last = np.full((len(x), residual.shape[1], x.shape[1]), np.nan)
    crawl = np.zeros(len(x), dtype=int)
    history = [x.copy()]
    active = every[np.isfinite(residual).all(axis=1)]
    for _ in range(max_steps):
        if not len(active):
            break
        slopes = last[active] = tangent(x[active], active)
        broken = ~np.isfinite(slopes).all(axis=(1, 2))
        status[active[broken]] = Status.NOT_FINITE
        active, slopes = active[~broken], slopes[~broken]
        reach = np.abs(x[active]) + small_move
        with np.errstate(over="ignore"):  # forces that overflow are no measure of small ones
            scale = np.einsum("kmn,kn->km", np.abs(slopes), reach)
        scale = np.where(np.isfinite(scale), scale, 0.0)
        step = -_least_norm(slopes, residual[active], metric, flat)
        small = (np.abs(residual[active]) <= RELATIVE * scale).all(axis=1)
        crawling = (crawl[active] >= CRAWLING) & (np.abs(step) <= SHORT * reach).all(axis=1)
        crawling &= (np.abs(residual[active]) <= DEGENERATE * scale).all(axis=1)
        small |= crawling
        weight = 1 / np.where(scale > 0, scale, 1.0)
        gain, x[active], residual[active] = _search(
            equations, x[active], residual[active], step, weight, active, small
        )
        crawl[active] = np.where((gain > ENOUGH) & (gain < 1), crawl[active] + 1, 0)
        done = (small & (gain >= ENOUGH)) | (gain == 1)
        status[active[done]] = Status.STALLED
        status[active[small]] = Status.CONVERGED
        status[active[crawling]] = Status.DEGENERATE
        active = active[~done]
        if gain.min(initial=1) < 1:
            history.append(x.copy())
    return Solution(x, residual, last, status, np.array(history))


def _search(
    equations: Equations,
    x: Array,
    residual: Array,
    step: Array,
    weight: Array,
    index: Selected,
    small: NDArray[np.bool_],
) -> tuple[Array, Array, Array]:
    """For each point the factor by which the residual fell (1: it did not), and where it is now.

    Rows are weighed by the forces around the point, so that forces and torques count alike. Where
    the residual is small already, only the full step is tried: less of it would gain nothing.
    """
    size = np.linalg.norm(weight * residual, axis=1)
    gain = np.ones(len(x))
    x, residual = x.copy(), residual.copy()
    waiting = np.flatnonzero((size > 0) & (np.abs(step) > 0).any(axis=1))
    fraction = 1.0
    for _ in range(HALVINGS):
        if not len(waiting):
            break
        trial = x[waiting] + fraction * step[waiting]
        there = equations(trial, index[waiting])
        with np.errstate(invalid="ignore", over="ignore"):
            ratio = np.linalg.norm(weight[waiting] * there, axis=1) / size[waiting]
        better = ratio < 1
        hit = waiting[better]
        x[hit], residual[hit], gain[hit] = trial[better], there[better], ratio[better]
        waiting = waiting[~better & ~small[waiting]]
        fraction /= 2
    return gain, x, residual


def _least_norm(slopes: Array, residual: Array, metric: Array | None, flat: float) -> Array:
    """The shortest least-squares solution of `slopes @ step = residual`, for each point.

    A plain solve where it gives something sensible, else by singular values, leaving out those
    below NULL_CUT.
    """
    count, m, n = slopes.shape
    step = np.zeros((count, n))
    if not count:
        return step
    if metric is not None and m == n:
        unit = np.nan_to_num(slopes * np.outer(metric, metric))
        inverse = np.linalg.pinv(unit, rcond=flat)
        return np.asarray(metric * np.einsum("knm,km->kn", inverse, metric * residual))
    unit, rows, columns = balanced(slopes)
    right = residual / rows
    singular = np.ones(count, dtype=bool)
    if m == n:
        try:
            step = np.asarray(np.linalg.solve(unit, right[..., None])[..., 0], dtype=float)
        except np.linalg.LinAlgError:
            plain = np.linalg.det(unit) != 0
            step[plain] = np.linalg.solve(unit[plain], right[plain][..., None])[..., 0]
            step[~plain] = np.inf
        size = np.abs(right).max(axis=1, keepdims=True)
        singular = ~(np.abs(step) <= SENSIBLE * size).all(axis=1)
    if singular.any():
        inverse = np.linalg.pinv(unit[singular], rcond=NULL_CUT)
        step[singular] = np.einsum("knm,km->kn", inverse, right[singular])
    return step / columns
