"""Singular positions of constraints: where their slopes allow motions that they do not.

A linear model moves along the null space of the slopes J. Where J has full rank these are the motions
of the constraints; where it has less, they may be (constraints that repeat each other), or not:
`y**2 = 0` has no slope at all, two branches cross at `x**2 = y**2`, a flattened parallelogram can fold
both ways.
So it is tried: a regular position that is moved a little along the null space, and put back onto the
constraints, stays moved. At a singular one no direction taken at random does.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from routh.analysis.linear.linear_model import LinearModel
from routh.arrays import Array, Mask
from routh.kernels.engine import Kernel, Point
from routh.kernels.kernel import kernel
from routh.numerics.solving.dependence import RANK, dependence, evened, ranks
from routh.numerics.solving.settled import LEFT_OVER

MOVES = (1e-2, 1e-3, 1e-4, 1e-5)
"""How far it is moved, in sizes of the position: less where the constraints are bent more."""

STEPS = 16
"""Newton steps back onto the constraints. Onto a double root each goes half of the way."""

STAYS = 0.1
"""Share of a move that may be lost on the way back."""

ARRIVED = 1e-6
"""Share of a move below which the last step shows that the constraints are met."""

SEEN = 1e3
"""A violation is seen where it is so many times its rounding."""

DIRECTIONS = 2
"""Directions that are tried, taken at random."""


def at_singular_place(linear: LinearModel) -> Mask:
    """(N,) where the constraints allow fewer motions than their slopes do."""
    system = linear.system
    found: Mask = np.zeros(linear.reference.conditions.count, dtype=bool)
    if not system.constraints:
        return found
    engine, point = kernel(system), linear.place.point
    J = engine.constraint_jacobian(point)
    known = np.isfinite(J).all(axis=(1, 2))
    for k in np.flatnonzero(known & (ranks(np.nan_to_num(J)) < J.shape[1])):
        one = Point(*(x[k : k + 1] for x in point.arguments))
        found[k] = not _is_regular(engine, one, J[k])
    return found


def _is_regular(engine: Kernel, point: Point, J: Array) -> bool:
    """Whether one position stays moved along a few directions of the null space of J (c, n)."""
    held = np.array(engine.system.is_holonomic, dtype=bool)
    unit, _, columns = evened(J[held])
    rank = dependence(J[held]).rank if held.any() else 0
    free = np.linalg.svd(unit)[2][rank:].T / columns[:, None]
    if not free.shape[1]:
        return True
    generator = np.random.default_rng(1831)
    lengths = np.abs(point.q[0]) + 1
    for _ in range(DIRECTIONS):
        direction = free @ generator.uniform(0.5, 1.0, free.shape[1])
        direction = direction / np.abs(direction / lengths).max()
        if not _stays(engine, point, held, direction, lengths, dependence(J).rank):
            return False
    return True


def _solved(J: Array, phi: Array) -> Array:
    """The shortest solution of `J step = phi`, whatever the sizes of the rows."""
    size = np.abs(J).max(axis=1, initial=0)
    size = np.where(size > 0, size, 1.0)
    return np.asarray(np.linalg.pinv(J / size[:, None], rcond=RANK) @ (phi / size))


def _stays(
    engine: Kernel, point: Point, held: Mask, direction: Array, lengths: Array, rank: int
) -> bool:
    """Whether a position that is moved stays so, with constraints of the rank that they had."""
    n = len(lengths)
    for share in MOVES:
        there = replace(point, q=point.q + share * direction)
        about = engine.about(there)
        violated = np.abs(about.residual(there.arguments)[0, n:][held])
        rounding = LEFT_OVER * about.sizes(there.arguments)[0, n:][held]
        step = np.zeros(n)
        for _ in range(STEPS):
            J = engine.constraint_jacobian(there)[0]
            phi = about.residual(there.arguments)[0, n:]
            if not np.isfinite(J).all() or not np.isfinite(phi).all():
                break
            step = lengths * _solved(J[held] * lengths, phi[held])
            there = replace(there, q=there.q - step)
        else:
            lost = np.abs((there.q[0] - point.q[0] - share * direction) / lengths).max()
            last = np.abs(step / lengths).max()
            if lost < STAYS * share and last < ARRIVED * share:
                return dependence(engine.constraint_jacobian(there)[0]).rank <= rank
        if (violated <= SEEN * rounding).all():
            return False
    return False
