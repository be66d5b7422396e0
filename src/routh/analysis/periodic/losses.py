"""What a periodic motion loses or gains: how far its monodromy matrix is from a symplectic one."""

from __future__ import annotations

from typing import Any

import numpy as np

from routh.analysis.linear.canonical import canonical_blocks, outside
from routh.analysis.motion.flow import MovingSystem
from routh.analysis.periodic.multipliers import LOST, near_circle
from routh.analysis.time.segments import Segment
from routh.arrays import Array
from routh.kernels.engine import Point
from routh.kernels.kernel import kernel
from routh.language.system import System

CELLS = 64
"""Cells of a period, with four Gauss points each; twice as many tell the error."""


def orbit_losses(
    system: System,
    values: dict[str, float],
    flow: MovingSystem,
    start: Array,
    period: float,
    monodromy: Array,
    rtol: float,
) -> tuple[Array, Array] | None:
    """X^T I X - I of the monodromy matrix in (q, p), as the integral of X^T S X, and sizes in it.

    None where all multipliers are so far from the unit circle that they tell by themselves.
    """
    if not near_circle(monodromy[None])[0]:
        return None
    x = np.zeros(flow.motion.size)
    x[: len(start)] = start
    p = np.array([[values[each.name] for each in system.parameters]])
    coarse, fine = (_integral(system, p, flow, x, period, count, rtol) for count in (CELLS, 2 * CELLS))
    return fine[0], fine[1] + np.abs(fine[0] - coarse[0]) / LOST


def _integral(
    system: System, p: Array, flow: MovingSystem, x: Array, period: float, count: int, rtol: float
) -> tuple[Array, Array]:
    edges = _edges(flow.segments or (Segment(0.0, period, np.inf),), period / count)
    nodes, weights = np.polynomial.legendre.leggauss(4)
    half, middle = np.diff(edges, axis=1)[:, 0] / 2, edges.mean(axis=1)
    times = (middle[:, None] + half[:, None] * nodes).reshape(-1)
    states, grown, _ = flow.varied(x, np.concatenate([[0.0], times]), rtol)
    n = len(system.coordinates)
    p = np.repeat(p, len(states), axis=0)
    none = np.zeros((len(states), 0))
    q, v = states[:, :n], states[:, n : 2 * n]
    t = np.concatenate([[0.0], times])[:, None]
    second = kernel(system).second_derivatives(Point(t, q, v, np.zeros_like(q), p, none, none))
    to_momenta = np.broadcast_to(np.eye(2 * n), (len(states), 2 * n, 2 * n)).copy()
    to_momenta[:, n:, :n], to_momenta[:, n:, n:] = second["L_vq"], second["L_vv"]
    X = (to_momenta @ grown @ np.linalg.inv(to_momenta[0]))[1:]
    S = outside(canonical_blocks(second))[1:]
    each = (half[:, None] * weights).reshape(-1)[:, None, None] * (X.swapaxes(1, 2) @ S @ X)
    return each.sum(axis=0), np.abs(each).sum(axis=0)


def _edges(segments: tuple[Segment, ...], longest: float) -> Any:
    """(cells, 2): segments in cells as short as their steps."""
    found = []
    for each in segments:
        count = int(np.ceil((each.end - each.start) / min(longest, each.longest)))
        ends = np.linspace(each.start, each.end, count + 1)
        found.append(np.column_stack([ends[:-1], ends[1:]]))
    return np.concatenate(found)
