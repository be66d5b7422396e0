"""The equations of rest with some inputs among the unknowns: what loads hold a system where."""

from __future__ import annotations

from collections.abc import Sequence

import casadi

from routh.arrays import Array
from routh.kernels.engine import Point
from routh.kernels.graphs.balance import Balance
from routh.kernels.graphs.batch import Batched
from routh.kernels.graphs.graph import graph_of
from routh.language.system import System


class LoadedRest:
    """The equations of rest of one system, and their slopes by coordinates, multipliers and loads.

    `loads` are the places of the inputs among the signals of the system.
    """

    def __init__(self, system: System, loads: Sequence[int]) -> None:
        graph = graph_of(system)
        column = Balance(graph, at_rest=True).column
        unknowns = casadi.vertcat(graph.q, graph.multipliers, graph.u[list(loads)])
        slopes = casadi.densify(casadi.jacobian(column, unknowns))
        self._function = Batched(graph.function("rest", [column, slopes]))

    def __call__(self, point: Point) -> tuple[Array, Array]:
        """(N, n + c) and (N, n + c, n + c + loads)."""
        E, slopes = self._function(*point.arguments)
        return E[..., 0], slopes
