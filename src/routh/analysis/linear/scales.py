"""Sizes of positions, velocities and accelerations around a state, whatever units they are in.

Coordinates are measured by their mass, constraints by what they hold. How far a coordinate goes is how
far it must move until masses, stiffnesses or constraints change; how fast, what its energies allow.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from routh.arrays import Array
from routh.kernels.engine import Point
from routh.kernels.kernel import kernel
from routh.language.system import System
from routh.numerics.curves.lengths import CHANGE, even

ROUNDING = 1e-12
"""A row below this share of the largest is zero but for rounding, and no measure of changes."""

MOVES = np.logspace(-15, 15, 61)
"""Moves that are tried for each coordinate."""


@dataclass(frozen=True, eq=False)
class Sizes:
    """Sizes (n,) of places, speeds and accelerations; a move by `unit` (n,) has unit kinetic weight."""

    place: Array
    speed: Array
    push: Array
    unit: Array


@lru_cache(maxsize=4096)
def sizes(
    system: System,
    p: tuple[float, ...],
    u: tuple[float, ...],
    q: tuple[float, ...],
    v: tuple[float, ...],
) -> Sizes:
    """The sizes around one state of a system."""
    n, c = len(q), len(system.constraints)
    rows = (np.array(each)[None] for each in (q, v, (0.0,) * n, p, u, (0.0,) * c))
    point = Point(np.zeros((1, 1)), *rows)
    M, K, J = (each[0] for each in _matrices(system, point))
    unit = even(np.block([[M, J.T], [J, np.zeros((c, c))]]))[:n]
    far = np.array([_until_it_changes(system, point, unit, k) for k in range(n)]) / unit
    known = np.isfinite(far)
    rate = float(np.abs(point.v[0] / unit).max(initial=0))
    usual = float(np.median(far[known])) if known.any() else rate or 1.0
    energy = float(np.abs(K * np.outer(unit, unit)).max(initial=0)) * usual**2
    speed = max(rate, np.sqrt(energy)) or usual
    place = np.where(known, far, usual) * unit
    return Sizes(place, speed * unit, speed**2 / usual * unit, unit)


def _matrices(system: System, point: Point) -> tuple[Array, Array, Array]:
    """Masses, stiffnesses and constraints."""
    engine = kernel(system)
    with np.errstate(all="ignore"):
        M, _, K = engine.matrices(point)
        return M, K, engine.constraint_jacobian(point)


def _until_it_changes(system: System, point: Point, unit: Array, k: int) -> float:
    """How far a coordinate must move until something changes, infinity if nothing does."""
    rows = [np.repeat(each, len(MOVES) + 1, axis=0) for each in point.arguments]
    there = Point(*rows)
    there.q[1:, k] += MOVES
    M, K, J = _matrices(system, there)
    changed = np.zeros(len(MOVES), dtype=bool)
    for X in (M * np.outer(unit, unit), K * np.outer(unit, unit), J * unit):
        size = np.abs(X[0]).max(axis=1, initial=0, keepdims=True)
        most = float(size.max(initial=0))
        size = np.where(size > ROUNDING * most, size, most or 1.0)
        change = np.abs(X[1:] - X[0]) / size
        changed |= ~(change < CHANGE).all(axis=(1, 2))
    first = np.flatnonzero(changed)
    return float(MOVES[first[0]]) if len(first) else float("inf")
