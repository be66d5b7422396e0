"""Linear equations x' = A(t) x with matrices that change in time, for whole stacks of them.

Collocation at Gauss points is of order 2s, and keeps quadratic invariants: where A is Hamiltonian, what
it gives is symplectic to rounding.

It keeps `X^T I X` but for the sum of `Y^T S Y` at its stages, exactly, with S from the forces outside
of the Hamiltonian alone; so the distance of a multiplier from the circle has all its digits even at
1e-15, where the matrix has lost it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from routh.arrays import Array

Matrices = Callable[[Any, Array], Array]
"""Matrices (K, d, d) for K points of a stack at K times."""

STAGES = 4
"""Gauss points of a step: order eight."""

ROUNDING = 1e-8
"""Changes below this that no longer fall are rounding."""

TOGETHER = 2048
"""Steps that are made at once, of all points."""

TIMED = 1e-13
"""Noise of time from which on what it does is measured."""

FEWEST, MOST = 8, 2**14
"""Steps of a run: how many are tried first where nothing asks for more, and at most."""


def _tableau(stages: int) -> tuple[Array, Array, Array]:
    """Nodes, weights and the matrix of collocation at Gauss points on (0, 1)."""
    x, w = np.polynomial.legendre.leggauss(stages)
    c = (x + 1) / 2
    V = np.vander(c, increasing=True)
    powers = np.arange(1, stages + 1)
    A = (c[:, None] ** powers / powers) @ np.linalg.inv(V)
    return c, w / 2, A


_NODES, _WEIGHTS, _MATRIX = _tableau(STAGES)


@dataclass(frozen=True, eq=False)
class Grown:
    """What linear equations have done over their time spans.

    Attributes:
        grown: (N, d, d) fundamental matrices; NaN where steps cannot be made fine enough.
        error: (N,) how far the largest entry may be off.
        steps: (N,) into how many equal ones each cell was divided.
    """

    grown: Array
    error: Array
    steps: Array


def transitions(
    matrices: Matrices,
    edges: Array,
    d: int,
    tolerance: float,
    noise: Array | None = None,
    quick: Callable[[Any, Array, int], Array] | None = None,
) -> Grown:
    """Fundamental matrices over time spans that are divided into cells, which are halved as needed.

    Arguments:
        matrices: A (K, d, d) for K points of the stack at K times.
        edges: (N, cells + 1) rising times between which steps are equal; A is smooth between them.
        d: the number of unknowns.
        tolerance: largest change, relative to the largest entry, when steps are halved.
        noise: (N,) how much narrow features change with the last bits of time, relative to what they
            do; what that makes of the result is measured by moving the edges.
        quick: the same product of steps, (points, d, d), for points of the stack, their edges and so
            many steps in a cell; what of it is not finite is not taken.
    """

    def run(index: Any, own: Array, number: int) -> Array:
        if quick is None:
            return _run(matrices, None, index, own, d, number)[0]
        found = quick(index, own, number)
        lost = ~np.isfinite(found).all(axis=(1, 2))
        if lost.any():
            found[lost] = _run(matrices, None, index[lost], own[lost], d, number)[0]
        return found

    count, cells = len(edges), edges.shape[1] - 1
    index = np.arange(count)
    found = run(index, edges, 1)
    steps, before = np.ones(count, dtype=int), np.full(count, np.inf)
    error = np.full(count, np.nan)
    blur = np.zeros(count) if noise is None else noise
    floor = np.maximum(blur, ROUNDING)
    number = 1
    while len(index) and number * cells < MOST:
        number *= 2
        finer = run(index, edges[index], number)
        size = np.maximum(np.abs(finer).max(axis=(1, 2)), 1.0)
        change = np.abs(finer - found[index]).max(axis=(1, 2)) / size
        found[index] = finer
        steps[index] = number
        # what finer steps do not lessen is rounding; else order eight leaves 1/255 of the change
        rounding = (change <= floor[index]) & (change > before[index] / 4)
        added = np.finfo(float).eps * number * cells
        error[index] = size * (np.where(rounding, change, change / 32) + added)
        before[index] = change
        index = index[~((change <= tolerance) | rounding)]
    found[index], error[index] = np.nan, np.nan
    blurred = np.flatnonzero((blur > TIMED) & np.isfinite(error))
    for number in np.unique(steps[blurred]):
        own = blurred[steps[blurred] == number]
        moved = run(own, _nudged(edges[own]), int(number))
        error[own] += 4 * np.abs(moved - found[own]).max(axis=(1, 2))
    return Grown(found, error, steps)


def _nudged(edges: Array) -> Array:
    """The same times but for their last bits, moved alternately up and down."""
    signs = np.where(np.arange(edges.shape[1]) % 4 < 2, 1.0, -1.0)
    return np.asarray(edges * (1 + 4 * np.finfo(float).eps * signs))


def losses(
    matrices: Matrices, outside: Matrices, which: Any, edges: Array, d: int, number: int
) -> tuple[Array, Array]:
    """X^T I X - I of fundamental matrices X over some points of a stack, without cancellation.

    With I the symplectic form and S = I A + A^T I^T, which is zero where A is Hamiltonian, it is the
    integral of X^T S X; for collocation at Gauss points the same holds step by step, exactly (Hairer,
    Lubich and Wanner, Geometric Numerical Integration, IV.2).

    Arguments:
        matrices: A (K, d, d) for K points of the stack at K times.
        outside: S (K, d, d), likewise.
        which: the points of the stack.
        edges: (points, cells + 1)
        d: the number of unknowns.
        number: equal steps in a cell.

    Returns:
        The defect (points, d, d), and the same with the sizes of what is added up in it.
    """
    _, (lost, size) = _run(matrices, outside, np.asarray(which), edges, d, number)
    return lost, size


def _step(blocks: Array, h: Array) -> tuple[Array, Array]:
    """(N, d, d), (N, s, d, d): what one step does, to its end and to its Gauss points.

    `blocks` (N, s, d, d) are A at the Gauss points.
    """
    count, s, d, _ = blocks.shape
    scaled = -h[:, None, None, None] * blocks
    whole = (scaled[:, :, :, None, :] * _MATRIX[None, :, None, :, None]).reshape(count, s, d, s, d)
    for i in range(s):
        whole[:, i, :, i, :] += np.eye(d)
    slopes = np.linalg.solve(
        whole.reshape(count, s * d, s * d), blocks.reshape(count, s * d, d)
    ).reshape(count, s, d, d)
    grown = np.eye(d) + h[:, None, None] * np.einsum("s,nsij->nij", _WEIGHTS, slopes)
    return np.asarray(grown), np.asarray(slopes)


def _run(
    matrices: Matrices, outside: Matrices | None, index: Any, own: Array, d: int, number: int
) -> tuple[Array, tuple[Array, Array]]:
    """The product of so many equal steps in each cell, for some points, and the losses.

    Steps of few points are made many at a time.
    """
    count, total = len(index), (own.shape[1] - 1) * number
    grown = np.broadcast_to(np.eye(d), (count, d, d)).copy()
    lost, size = np.zeros_like(grown), np.zeros_like(grown)
    together = max(1, TOGETHER // max(count, 1))
    for first in range(0, total, together):
        steps = np.arange(first, min(first + together, total))
        cell, k = steps // number, steps % number
        h = ((own[:, cell + 1] - own[:, cell]) / number).reshape(-1)
        starts = own[:, cell].reshape(-1) + h * np.tile(k, count)
        times = (starts[:, None] + h[:, None] * _NODES).reshape(-1)
        which = np.repeat(index, len(steps) * STAGES)
        blocks = matrices(which, times).reshape(-1, STAGES, d, d)
        step, slopes = _step(blocks, h)
        inner = np.zeros(0)
        if outside is not None:
            inner = np.eye(d) + h[:, None, None, None] * np.einsum("st,ntij->nsij", _MATRIX, slopes)
            S = h[:, None, None, None] * outside(which, times).reshape(blocks.shape)
            S = S.reshape(count, len(steps), STAGES, d, d)
            inner = inner.reshape(S.shape)
        step = step.reshape(count, len(steps), d, d)
        for j in range(len(steps)):
            if outside is not None:
                here = inner[:, j] @ grown[:, None]
                each = here.swapaxes(2, 3) @ S[:, j] @ here
                lost += np.einsum("s,nsij->nij", _WEIGHTS, each)
                size += np.einsum("s,nsij->nij", _WEIGHTS, np.abs(each))
            grown = step[:, j] @ grown
    return grown, (lost, size)
