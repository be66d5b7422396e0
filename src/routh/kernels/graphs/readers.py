"""Functions of expressions that people read: values, slopes, and how both change along a direction.

They are kept, since pictures, outputs and points under the hand are read again and again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import casadi
import sympy

from routh.kernels.graphs.batch import Batched
from routh.kernels.graphs.graph import Graph
from routh.kernels.graphs.kept import Kept

READERS = 64
"""Functions that are kept: as many as a drawing, its points and its curves need."""

Expressions = Sequence[sympy.Expr]


class Readers:
    """Functions of expressions in a system; `graph` gives the one in which they can be read."""

    def __init__(self, graph: Callable[[Expressions], Graph]) -> None:
        self._graph = graph
        self._kept = Kept[Batched](READERS)

    def values(self, expressions: Expressions) -> Batched:
        """A column of their values."""

        def make() -> Batched:
            graph = self._graph(expressions)
            return Batched(graph.function("values", [graph.lowered(expressions)]))

        return self._kept(("values", *expressions), make)

    def slopes(self, expressions: Expressions) -> Batched:
        """Their derivatives by q, v, a and the signals."""

        def make() -> Batched:
            graph = self._graph(expressions)
            return Batched(graph.function("slopes", _slopes(graph, graph.lowered(expressions))))

        return self._kept(("slopes", *expressions), make)

    def by_parameters(self, expressions: Expressions) -> Batched:
        """Their derivatives by the parameters."""
        graph = self._graph(expressions)
        slope = casadi.densify(casadi.jacobian(graph.lowered(expressions), graph.p))
        return Batched(graph.function("by_parameters", [slope]))

    def turned(self, expressions: Expressions) -> Batched:
        """How their values and slopes change along a direction of all arguments, given behind them."""
        graph = self._graph(expressions)
        column = graph.lowered(expressions)
        before = casadi.vertcat(*graph.arguments)
        along = [casadi.SX.sym("along", x.numel()) for x in graph.arguments]
        rates = [
            casadi.reshape(casadi.jtimes(casadi.vec(X), before, casadi.vertcat(*along)), *X.shape)
            for X in map(casadi.densify, [column, *_slopes(graph, column)])
        ]
        return Batched(graph.function("turned", rates, along))


def _slopes(graph: Graph, column: casadi.SX) -> list[casadi.SX]:
    return [casadi.jacobian(column, x) for x in (graph.q, graph.v, graph.a, graph.u)]
