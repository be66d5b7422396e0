"""Where a mechanism is drawn: positions of the page or of the file as points for kernels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import sympy

from routh.analysis.given.conditions import columns_of, conditions
from routh.arrays import Array, Mask
from routh.display.report.findings import Findings
from routh.errors import SolveError
from routh.kernels.engine import Kernel, Point
from routh.kernels.kernel import kernel
from routh.language.symbols import Coordinate, t
from routh.language.system import System
from routh.language.walk import unfold
from routh.mechanics.turns import turns

STEPS = 40
"""Newton's steps onto the constraints."""

MET = 1e-13
"""Share of what is added up in a constraint by which it may be off."""


@dataclass(frozen=True, eq=False)
class Pose:
    """One position of a system with its numbers.

    Attributes:
        system: the system, with cells of quadrature for these values.
        point: a stack of one point, nothing moving, at time zero.
    """

    system: System
    point: Point

    @property
    def engine(self) -> Kernel:
        """The functions of the system."""
        return kernel(self.system)

    @property
    def q(self) -> Array:
        """(n,)"""
        return np.asarray(self.point.q[0])

    @property
    def named(self) -> dict[str, float]:
        """Coordinates by name."""
        return {x.name: float(v) for x, v in zip(self.system.coordinates, self.q, strict=True)}

    def at(self, q: Array) -> Pose:
        """Another position."""
        return replace(self, point=replace(self.point, q=q[None]))

    @property
    def holonomic(self) -> list[int]:
        """The places of the constraints that hold positions."""
        return [k for k, held in enumerate(self.system.is_holonomic) if held]

    def constraints(self) -> tuple[Array, Array]:
        """(c,) the constraints that hold positions, and (c, n) their slopes."""
        rows = self.holonomic
        if not rows:
            return np.zeros(0), np.zeros((0, len(self.q)))
        phi = [unfold(self.system.constraints[k]) for k in rows]
        off = self.engine.values(phi, self.point)[0]
        return off, self.engine.constraint_slopes(self.point)[1][0][rows]

    def read(self, expressions: Sequence[Any]) -> Array:
        """(k,) numbers of expressions."""
        return np.asarray(self.engine.values(list(expressions), self.point)[0])

    def slopes(self, expressions: Sequence[Any]) -> Array:
        """(k, n) slopes of expressions by the coordinates."""
        return np.asarray(self.engine.slopes(list(expressions), self.point)[0][0])


def pose(found: Findings, q: Mapping[Coordinate, float]) -> Pose:
    """A position of the page; the start of the file for coordinates that it lacks.

    It is moved onto the constraints, by the shortest way.
    """
    model = found.model
    amplitudes = {x for shape in found.system.shapes for x in shape.coordinates}
    start = {x: value for x, value in model.start.items() if getattr(x, "order", 0) == 0}
    if amplitudes & q.keys():  # the page says how the fields are bent
        start = {x: value for x, value in start.items() if isinstance(x, Coordinate)}
    inputs = _inputs(found, {**start, **q})
    given, by = conditions(found.system, found.values, inputs, guess={**start, **q})
    system = given.system
    engine = kernel(system)
    columns = columns_of(system, 1, by["guess"])
    point = given.point(engine, columns, np.zeros((1, len(system.constraints))))
    return onto_constraints(Pose(system, point))


def _inputs(found: Findings, at: Mapping[Any, Any]) -> dict[Any, float]:
    """Inputs at time zero: what their laws say there, or their numbers at equilibria."""
    numbers = {p: found.values[p.name] for p in found.model.system.parameters}
    numbers |= {x: v for x, v in at.items() if isinstance(v, (int, float))}
    read = {}
    for u, law in found.model.laws.items():
        value = law
        if isinstance(law, sympy.Basic):
            value = unfold(law).xreplace({**numbers, t: sympy.S.Zero}).evalf()
            value = float(value) if value.is_real and value.is_number else found.model.inputs[u]
        read[u] = float(value)
    return read


def onto_constraints(here: Pose) -> Pose:
    """The position moved onto the constraints, by the shortest steps of Newton's method.

    Raises:
        SolveError: no position near it keeps them.
    """
    if not here.holonomic:
        return here
    for _ in range(STEPS):
        off, slopes = here.constraints()
        size = np.abs(slopes) @ np.abs(here.q) + 1e-300
        if (np.abs(off) <= MET * np.maximum(size, 1.0)).all():
            return here
        step = np.linalg.lstsq(slopes, -off, rcond=1e-12)[0]
        here = here.at(here.q + step)
        if not np.isfinite(here.q).all():
            break
    raise SolveError(
        "No position near this one keeps the constraints. Start from another, or write `start` under"
        " [coordinates]."
    )


def held_names(here: Pose) -> list[str]:
    """Coordinates that the others determine, as many as there are independent constraints.

    Those whose moves change the constraints most are taken.
    """
    _, slopes = here.constraints()
    names, left = [], slopes.copy()
    for _ in range(len(slopes)):
        sizes = np.linalg.norm(left, axis=0)
        k = int(np.argmax(sizes))
        if sizes[k] <= 1e-10 * np.abs(slopes).max(initial=0.0):
            break
        names.append(here.system.coordinates[k].name)
        across = left[:, k] / sizes[k]
        left = left - np.outer(across, across @ left)
    return names


def angles(system: System) -> Mask:
    """(n,) which coordinates are angles."""
    return np.array([turned is not None for turned in turns(system)], dtype=bool)
