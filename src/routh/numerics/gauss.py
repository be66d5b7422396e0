"""Linear equations x' = A(t) x with matrices that change in time, for whole stacks of them.

Collocation at Gauss points is of order 2s, and keeps quadratic invariants: where A is Hamiltonian, what
it gives is symplectic to rounding.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Array = np.ndarray[tuple[int, ...], np.dtype[np.float64]]

STAGES = 4
"""Gauss points of a step: order eight."""

ROUNDING = 1e-8
"""Changes below this that no longer fall are rounding."""

FEWEST, MOST = 8, 2**14
"""Steps of a run: how many are tried first, and at most."""


def _tableau(stages: int) -> tuple[Array, Array, Array]:
    """Nodes, weights and the matrix of collocation at Gauss points on (0, 1)."""
    x, w = np.polynomial.legendre.leggauss(stages)
    c = (x + 1) / 2
    V = np.vander(c, increasing=True)
    powers = np.arange(1, stages + 1)
    A = (c[:, None] ** powers / powers) @ np.linalg.inv(V)
    return c, w / 2, A


_NODES, _WEIGHTS, _MATRIX = _tableau(STAGES)


def _step(blocks: Array, h: Array) -> Array:
    """(N, d, d): what one step does; `blocks` (N, s, d, d) are A at the Gauss points."""
    count, s, d, _ = blocks.shape
    scaled = -h[:, None, None, None] * blocks
    whole = (scaled[:, :, :, None, :] * _MATRIX[None, :, None, :, None]).reshape(count, s, d, s, d)
    for i in range(s):
        whole[:, i, :, i, :] += np.eye(d)
    slopes = np.linalg.solve(
        whole.reshape(count, s * d, s * d), blocks.reshape(count, s * d, d)
    ).reshape(count, s, d, d)
    grown = np.eye(d) + h[:, None, None] * np.einsum("s,nsij->nij", _WEIGHTS, slopes)
    return np.asarray(grown)


def transitions(
    matrices: Callable[[Any, Array], Array],
    start: Array,
    span: Array,
    d: int,
    tolerance: float,
    fewest: int = FEWEST,
) -> tuple[Array, Array]:
    """(N, d, d) fundamental matrices over a time span each, and the steps (N,) that they took.

    Arguments:
        matrices: A (K, d, d) for K points of the stack at K times.
        start: (N,) where each begins.
        span: (N,) how long.
        d: the number of unknowns.
        tolerance: largest change, relative to the largest entry, when steps are halved.
        fewest: steps that are tried first.
    """
    count = len(start)
    index = np.arange(count)
    found = _run(matrices, index, start, span, d, fewest)
    steps = np.full(count, fewest)
    before = np.full(count, np.inf)
    number = fewest
    while len(index) and number < MOST:
        number *= 2
        finer = _run(matrices, index, start, span, d, number)
        size = np.maximum(np.abs(finer).max(axis=(1, 2)), 1.0)
        change = np.abs(finer - found[index]).max(axis=(1, 2)) / size
        found[index] = finer
        steps[index] = number
        rounding = (change <= ROUNDING) & (change > before[index] / 4)  # finer steps do not help
        before[index] = change
        index = index[~((change <= tolerance) | rounding)]
    if len(index):
        found[index] = np.nan
    return found, steps


def _run(
    matrices: Callable[[Any, Array], Array],
    index: Any,
    start: Array,
    span: Array,
    d: int,
    number: int,
) -> Array:
    """The product of so many equal steps, for some points of the stack."""
    h = span[index] / number
    grown = np.broadcast_to(np.eye(d), (len(index), d, d)).copy()
    for k in range(number):
        times = start[index, None] + h[:, None] * (k + _NODES)
        which = np.repeat(index, STAGES)
        blocks = matrices(which, times.reshape(-1)).reshape(len(index), STAGES, d, d)
        grown = _step(blocks, h) @ grown
    return grown
