"""Steady motions of rolling systems along a parameter.

They come in families: a disc may roll elsewhere, in another direction, at another speed. So as many
unknowns are held as the family has directions: places that do not matter and independent velocities
first. The other velocities follow from the velocity constraints.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from routh.analysis.branches.path import Path
from routh.analysis.given.knob import Knob
from routh.analysis.linear.ignorable import freedom, is_family
from routh.analysis.linear.scales import Sizes, sizes
from routh.analysis.rest.problem import Problem
from routh.analysis.rest.result import Equilibrium
from routh.arrays import Array
from routh.errors import SolveError
from routh.kernels.engine import Point
from routh.kernels.kernel import kernel
from routh.numerics.curves.continuation import Tracer

FLAT = 1e-9
"""Singular values of slopes in units of their own below this belong to a family."""

APART = 1e-6
"""Share of a vector that must be new for it to be independent of others."""

LEFT = 1e-8
"""Share of the forces that may be left on a coordinate whose equation is not solved."""


class RollingPath(Path):
    """The equations as functions of y = (unknowns in units of their own, parameter)."""

    def __init__(
        self, reference: Equilibrium, moved: Knob, start: float, end: float, step: float | None
    ) -> None:
        self._reference, self._knob = reference, moved
        self._engine = kernel(reference.system)
        self._start, self._end = start, end
        point = reference.point()
        self._n, self._width = len(reference.q), len(reference.q) + len(reference.multipliers)
        self._moving = self._velocities(point)
        self._x = np.concatenate([reference.q, reference.multipliers, point.v[0, self._moving]])
        self._units(point)
        self._choose(point)
        low, high = min(start, end), max(start, end)
        self._tracer = Tracer(self._equations, self._slopes, low, high, step)

    def _velocities(self, point: Point) -> list[int]:
        """Coordinates whose velocities are unknown: they move, or do not matter, and are not turned."""
        if not point.v.any():
            return []
        names = self._reference.system.coordinates
        out = freedom(self._reference, 0).ignorable
        held = self._knob.place if self._knob.kind == "v" else -1
        turning = self._reference.turning
        return [k for k in range(self._n) if (k in turning or names[k] in out) and k != held]

    def _units(self, point: Point) -> None:
        """Units of the unknowns and of the equations."""
        numbers = (tuple(each[0].tolist()) for each in (point.p, point.u, point.q, point.v))
        self._sizes: Sizes = sizes(self._reference.system, *numbers)
        size = self._sizes
        J = np.abs(self._engine.constraint_jacobian(point)[0])
        push = float(np.max(size.push / size.unit))
        pulled = (J * size.unit).max(axis=1, initial=0)
        multipliers = push / np.where(pulled > 0, pulled, 1.0)
        held = J @ size.speed
        self._unit = np.concatenate([size.place, multipliers, size.speed[self._moving]])
        self._weight = np.concatenate([size.unit / push, 1 / np.where(held > 0, held, 1.0)])

    def _choose(self, point: Point) -> None:
        """Which unknowns are held and which equations are solved.

        Raises:
            SolveError: what would have to be held is no family.
        """
        S = self._whole_slopes(point)[0]
        _, values, rows = np.linalg.svd(S)
        rank = int((values > FLAT * values.max(initial=0)).sum())
        null = rows[rank:].T
        names, free = self._reference.system.coordinates, freedom(self._reference, 0)
        places = [k for k in range(self._n) if names[k] in free.ignorable]
        speeds = [self._width + i for i, k in enumerate(self._moving) if k not in free.dependent]
        sure = [*places, *speeds, *range(self._width, len(self._x)), *range(self._n, self._width)]
        order = [*sure, *(k for k in range(self._n) if k not in places)]
        pinned = _independent(null, order)
        for k in pinned:
            if k not in sure:
                self._refuse_unless_family(null, pinned, k)
        self._kept = [k for k in range(len(self._x)) if k not in pinned]
        last = [k for k in places if k not in free.dependent]
        first = [k for k in range(self._width) if k not in last]
        self._rows = sorted(_independent(S[:, self._kept], [*first, *last]))

    def _refuse_unless_family(self, null: Array, pinned: list[int], k: int) -> None:
        """Raise unless steady motions beside the reference differ in unknown k."""
        wanted = (np.array(pinned) == k).astype(float)
        move = null @ np.linalg.solve(null[pinned], wanted) * self._unit
        dv = np.zeros(self._n)
        dv[self._moving] = move[self._width :]
        out = freedom(self._reference, 0).ignorable
        if not is_family(self._reference, 0, move[: self._n], dv, out):
            raise SolveError(
                "follow needs a steady motion that is alone but for its family: several branches cross"
                " here. Start beside it.",
                self._reference,
            )

    def _first(self) -> Array:
        return np.append((self._x / self._unit)[self._kept], self._start)

    def _at(self, y: Array) -> tuple[Problem, Array]:
        one = self._reference.chosen(np.zeros(len(y), dtype=np.intp))
        x = np.tile(self._x, (len(y), 1))
        x[:, self._kept] = y[:, :-1] * self._unit[self._kept]
        given = self._knob.turned(one.conditions, y[:, -1])
        v = given.speeds.copy()
        v[:, self._moving] = x[:, self._width :]
        return self._problem(replace(given, speeds=v), one.q), x

    def _equations(self, y: Array) -> Array:
        problem, x = self._at(y[None])
        point = problem.point(x[:, : self._width], np.arange(1))
        rows = self._engine.in_motion.residual(point.arguments)[0] * self._weight
        return np.asarray(rows[self._rows])

    def _slopes(self, y: Array) -> Array:
        problem, x = self._at(y)
        point = problem.point(x[:, : self._width], np.arange(len(y)))
        by_x = self._whole_slopes(point)[:, self._rows][:, :, self._kept]
        by_parameter = (self._knob.slope(self._engine, point) * self._weight)[:, self._rows, None]
        return np.concatenate([by_x, by_parameter], axis=2)

    def _whole_slopes(self, point: Point) -> Array:
        """(N, n + c, unknowns) of all equations by all unknowns, in units of their own."""
        by_v = self._engine.in_motion.slopes(point.arguments)["v"][..., self._moving]
        whole = np.concatenate([self._engine.tangent(point), by_v], axis=2)
        return np.asarray(whole * self._weight[:, None] * self._unit)

    def _of_fields(self, size: Array) -> Array:
        return size

    def _left(self, problem: Problem, x: Array) -> Array:
        """Also the equations that are not solved must hold, since others depend on them."""
        point = problem.point(x, np.arange(len(x)))
        E = self._engine.in_motion.residual(point.arguments) * self._weight
        J = np.abs(self._engine.constraint_jacobian(point))
        pulls = np.einsum("kcn,kc->kn", J, np.abs(point.multipliers)) * self._weight[: self._n]
        left = np.abs(E[:, : self._n])
        return np.where(left > LEFT * (1 + pulls), left, 0.0)


def _independent(rows: Array, order: Iterable[int]) -> list[int]:
    """Which rows of a matrix are independent of those taken before, tried in an order."""
    found: list[int] = []
    basis = np.zeros((0, rows.shape[1]))
    for k in order:
        new = rows[k] - basis.T @ (basis @ rows[k])
        new = new - basis.T @ (basis @ new)
        size = np.linalg.norm(new)
        if k not in found and size > APART * max(float(np.linalg.norm(rows[k])), APART):
            found.append(k)
            basis = np.vstack([basis, new / size])
    return found
