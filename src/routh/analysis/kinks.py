"""Whether the equations have a kink at an equilibrium, where no linear model exists.

Abs, sign, Max, Min, Piecewise and the like are differentiated by the engine branch by branch; at the
very point where branches meet, what comes out belongs to none of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations

import numpy as np
import sympy
from numpy.typing import NDArray

from routh.kernels.batch import Array
from routh.kernels.kernel import Kernel, Point
from routh.kernels.sampling import samples, space_of
from routh.language.fields import Field
from routh.language.symbols import Coordinate
from routh.language.system import System
from routh.language.walk import leaves, nodes
from routh.mechanics.vanish import PIECED

STEPS = (1e-4, 1e-6)
"""How far to look to both sides, as a share of the size of each coordinate or of 1."""

MEETING = 1e-9
"""A switch this near to zero, compared with what it would be a unit further, is at zero."""

APART = 1e-6
"""Share by which slopes to both sides must differ: rounding leaves 1e-9 of the smaller step."""

ROUNDING = 1e-12
"""Changes of the residual below this share of the forces are rounding."""


def pieces(system: System) -> list[sympy.Basic]:
    """The functions put together of pieces that the system contains."""
    every = [e for expressions in system.parts().values() for e in expressions]
    return [node for node in nodes(every) if isinstance(node, PIECED)]


def kinked(engine: Kernel, point: Point) -> NDArray[np.bool_]:
    """(N,) where branches meet at a point and their slopes differ.

    Branches meet where a switch is zero. Whether it matters is seen from the slopes of the residual
    to both sides, for each position and velocity alone: those of smooth equations come together
    when the step shrinks.
    """
    switches = [s for node in pieces(engine.system) for s in _switches(node)]
    found = np.zeros(len(point.q), dtype=bool)
    if not switches:
        return found
    meeting = np.flatnonzero(_at_zero(engine, switches, point))
    if not len(meeting):
        return found
    near = Point(*(argument[meeting] for argument in point.arguments))
    for column in range(point.q.shape[1]):
        for moved in ("q", "v"):
            found[meeting] |= _split(engine, near, moved, column)
    return found


def _switches(node: sympy.Basic) -> Iterator[sympy.Expr]:
    """Expressions whose sign, or nearness to a whole number, chooses the branch."""
    if isinstance(node, (sympy.Max, sympy.Min)):
        yield from (a - b for a, b in combinations(node.args, 2))
    elif isinstance(node, sympy.Piecewise):
        relations = node.atoms(sympy.core.relational.Relational)
        yield from (relation.lhs - relation.rhs for relation in relations)
    elif isinstance(node, (sympy.floor, sympy.ceiling)):
        yield sympy.sin(sympy.pi * node.args[0])
    elif isinstance(node, sympy.Mod):
        yield sympy.sin(sympy.pi * node.args[0] / node.args[1])
    else:
        yield node.args[0]


def _at_zero(engine: Kernel, switches: list[sympy.Expr], point: Point) -> NDArray[np.bool_]:
    """(N,) where some switch is zero to rounding."""
    along = [(switch, space_of([switch])) for switch in switches]
    found = np.zeros(len(point.q), dtype=bool)
    for switch, space in along:
        if space is not None and any(isinstance(s, (Field, Coordinate)) for s in leaves([switch])):
            value = np.abs(samples(engine.system).values([switch], space, point)[:, 0])
            found |= value.min(axis=1) <= MEETING * value.max(axis=1)
    fixed = [switch for switch, space in along if space is None]
    if fixed:
        value = np.abs(engine.values(fixed, point))
        by_q, by_v, *_ = (np.abs(slope) for slope in engine.slopes(fixed, point))
        reach = np.einsum("ksn,kn->ks", by_q, np.abs(point.q) + 1) + by_v.sum(axis=2)
        found |= (value <= MEETING * np.nan_to_num(reach)).any(axis=1)
    return found


def _split(engine: Kernel, point: Point, moved: str, column: int) -> NDArray[np.bool_]:
    """(N,) whether slopes of the residual in one variable stay apart, or grow, as the step shrinks."""
    centre = engine.residual(point)
    start: Array = getattr(point, moved)
    apart, size = [], []
    for step in STEPS:
        h = step * np.where(start[:, column] == 0, 1.0, np.abs(start[:, column]))[:, None]
        slopes = []
        for sign in (1, -1):
            there = start.copy()
            there[:, column] += sign * h[:, 0]
            slopes.append(sign * (engine.residual(replace(point, **{moved: there})) - centre) / h)
        apart.append(np.abs(slopes[0] - slopes[1]))
        size.append(np.maximum(np.abs(slopes[0]), np.abs(slopes[1])))
    bent = (apart[1] > apart[0] / 2) & (apart[1] > APART * size[1])
    jumping = size[1] > 10 * size[0]
    real = size[1] * h > ROUNDING * _forces(engine, point)
    return np.asarray(((bent | jumping) & real).any(axis=1))


def _forces(engine: Kernel, point: Point) -> Array:
    """(N, n): how large the forces are that may cancel in the residual."""
    _, h, Q = engine.dynamics(point)
    K = np.abs(engine.tangent(point)[:, : h.shape[1], : h.shape[1]])
    springs = np.einsum("kij,kj->ki", np.nan_to_num(K), np.abs(point.q) + STEPS[0])
    return np.asarray(np.abs(h) + np.abs(Q) + springs)
