"""Kinks of discretized bodies: functions made of pieces that vary along a space."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
from routh.language.walk import leaves

STEPS = (1e-4, 1e-6)
"""How far to look to both sides, as a share of the size of each coordinate or of 1."""

MEETING = 1e-9
"""A switch this near to zero, as a share of its largest along the space, is at zero."""

APART = 1e-6
"""Share by which slopes to both sides must differ: rounding leaves 1e-9 of the smaller step."""

ROUNDING = 1e-12
"""Changes of the residual below this share of the forces are rounding."""


def space_kinks(
    engine: Kernel, pieces: Sequence[sympy.Basic], point: Point, order: int | None
) -> NDArray[np.bool_]:
    """(N,) where branches meet somewhere along a space and derivatives up to an order are missing.

    The first derivative exists where slopes of the residual to both sides, for each position and
    velocity alone, come together when the step shrinks. Higher ones are not looked at: they count as
    missing where a switch is zero or changes its sign along the space. Order None is for outputs,
    whose slopes count as missing where a switch is zero.
    """
    found = np.zeros(len(point.q), dtype=bool)
    at_zero = np.zeros_like(found)
    for switch in (s for node in pieces for s in _switches(node)):
        space = space_of([switch])
        if space is None or not any(isinstance(s, (Field, Coordinate)) for s in leaves([switch])):
            continue
        value = samples(engine.system).values([switch], space, point)[:, 0]
        at_zero |= np.abs(value).min(axis=1) <= MEETING * np.abs(value).max(axis=1)
        if order is None:
            found |= at_zero
        elif order > 1:
            found |= at_zero | ((value.min(axis=1) < 0) & (value.max(axis=1) > 0))
    meeting = np.flatnonzero(at_zero & ~found)
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
