"""Equations or outputs of a system on both sides of their switches: Taylor parts along lines."""

from __future__ import annotations

from functools import cached_property, lru_cache
from math import factorial

import casadi
import numpy as np
import sympy
from numpy.typing import NDArray

from routh.arrays import Array
from routh.kernels.engine import Point
from routh.kernels.graphs.batch import Batched
from routh.kernels.graphs.graph import Graph, without_energies
from routh.kernels.graphs.lower import SX
from routh.language.system import System

MOVED = ("q", "v", "a", "u")
"""What deviates: coordinates, velocities, accelerations and inputs with their derivatives."""


class Branches:
    """A system, or some outputs of it, whose functions made of pieces have their sides as arguments.

    Arguments:
        system: the system.
        pieces: the functions made of pieces, none of which varies along a space.
        outputs: what is looked at; the equations of motion and the constraints if None.
    """

    def __init__(
        self,
        system: System,
        pieces: tuple[sympy.Basic, ...],
        outputs: tuple[sympy.Expr, ...] | None,
    ) -> None:
        self._pieces = pieces
        self._outputs = outputs
        self.system = system

    @cached_property
    def _switching(self) -> Graph:
        """The switches alone: most systems are far from them, and need nothing else."""
        return Graph(without_energies(self.system, self.system.rules), pieces=self._pieces)

    @cached_property
    def _whole(self) -> Graph:
        if self._outputs is not None:
            return self._switching
        return Graph(self.system, pieces=self._pieces)

    @property
    def owner(self) -> list[sympy.Basic]:
        """For each switch the function it belongs to."""
        return self._switching.sides.owner

    def switches(self, point: Point, sides: Array) -> tuple[Array, Array]:
        """(N, switches) their values, and (N, switches, moved) their slopes."""
        values, slopes = self._switches(*point.arguments, sides)
        return values[..., 0], slopes

    @cached_property
    def _switches(self) -> Batched:
        graph = self._switching
        column = casadi.vertcat(*graph.sides.switches)
        by = casadi.jacobian(column, _moved(graph))
        return Batched(graph.function("switches", [casadi.densify(column), by], [graph.sides.chosen]))

    def undefined(self, point: Point, sides: Array) -> NDArray[np.bool_]:
        """(N,): whether a function does not exist on these sides."""
        none = self._undefined(*point.arguments, sides)[0][..., 0]
        return np.asarray((none > 1 / 2).any(axis=1))

    @cached_property
    def _undefined(self) -> Batched:
        graph = self._switching
        column = casadi.densify(casadi.vertcat(casadi.SX(0), *graph.sides.undefined))
        return Batched(graph.function("undefined", [column], [graph.sides.chosen]))

    def rises(self, point: Point, sides: Array, along: Array) -> Array:
        """(N, degrees, switches): Taylor coefficients of the switches along lines, from degree 1."""
        return np.stack([x[..., 0] for x in self._rises(*point.arguments, sides, along)], axis=1)

    @cached_property
    def _rises(self) -> Batched:
        graph = self._switching
        line, parts = _taylor(graph, casadi.vertcat(*graph.sides.switches), HIGHEST)
        outputs = [casadi.densify(each) for each in parts[1:]]
        return Batched(graph.function("rises", outputs, [graph.sides.chosen, line]))

    def parts(
        self, order: int, point: Point, sides: Array, along: Array, turned: Array
    ) -> tuple[Array, Array]:
        """(N, degrees, rows) Taylor coefficients along lines, and how they change with the sides."""
        found = self._parts(order)(*point.arguments, sides, along, turned)
        stacked = [x[..., 0] for x in found]
        return np.stack(stacked[: order + 1], axis=1), np.stack(stacked[order + 1 :], axis=1)

    def _parts(self, order: int) -> Batched:
        if order not in self._made:
            self._made[order] = self._made_parts(order)
        return self._made[order]

    @cached_property
    def _made(self) -> dict[int, Batched]:
        return {}

    def _made_parts(self, order: int) -> Batched:
        graph = self._whole
        if self._outputs is None:
            E = graph.along(graph.g_v, at_rest=False) - graph.g_q + graph.N
            column = casadi.vertcat(E, graph.phi)
        else:
            column = graph.lowered(self._outputs)
        line, parts = _taylor(graph, column, order)
        sides = graph.sides.chosen
        turned = casadi.SX.sym("turned", sides.numel())
        changes = [casadi.jtimes(each, sides, turned) for each in parts]
        outputs = [casadi.densify(each) for each in (*parts, *changes)]
        return Batched(graph.function("parts", outputs, [sides, line, turned]))


HIGHEST = 4
"""Degree up to which it is looked at where a switch goes along a line."""


def _moved(graph: Graph) -> SX:
    return casadi.vertcat(*(getattr(graph, name) for name in MOVED))


def _taylor(graph: Graph, column: SX, order: int) -> tuple[SX, list[SX]]:
    """A line through the point, and the coefficients of a column along it, from degree 0."""
    moved = _moved(graph)
    line, small = casadi.SX.sym("line", moved.numel()), casadi.SX.sym("small")
    (own,) = casadi.substitute([column], [moved], [moved + small * line])
    parts = []
    for degree in range(order + 1):
        (here,) = casadi.substitute([own], [small], [casadi.SX(0)])
        parts.append(here / factorial(degree))
        own = casadi.jtimes(own, small, casadi.SX(1)) if degree < order else own
    return line, parts


@lru_cache(maxsize=64)
def branches(
    system: System, pieces: tuple[sympy.Basic, ...], outputs: tuple[sympy.Expr, ...] | None = None
) -> Branches:
    """The branches of a system or of outputs, made once."""
    return Branches(system, pieces, outputs)
