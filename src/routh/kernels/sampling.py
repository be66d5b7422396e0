"""Expressions that vary along a space, at many places of it: what pictures of bodies are drawn from."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache, partial

import casadi
import numpy as np
import sympy

from routh.arrays import Array
from routh.kernels.engine import Point
from routh.kernels.graphs.batch import Batched
from routh.kernels.graphs.field_graph import Fields
from routh.kernels.graphs.graph import Graph, without_energies
from routh.kernels.graphs.kept import Kept
from routh.language.domains import at
from routh.language.fields import Space
from routh.language.shapes import Rule
from routh.language.system import System
from routh.mechanics.ritz.quadrature import gauss

SMOOTH = 48
"""Places in all that make a curve look smooth."""


READERS = 32
"""Functions of expressions that are kept."""


class Samples:
    """A discretized system read at many places of its spaces."""

    def __init__(self, system: System) -> None:
        self._rules = {space: _rule(rule) for space, rule in system.rules.items()}
        self._graph = Graph(without_energies(system, self._rules))
        self._readers = Kept[Batched](READERS)

    def places(self, space: Space, bounds: Array) -> Array:
        """(N, places): where the samples are along a space with bounds (N, 2)."""
        xi = np.concatenate([[-1.0], self._rules[space].xi, [1.0]])
        start, end = bounds[:, :1], bounds[:, 1:]
        return np.asarray(start + (end - start) * (1 + xi) / 2)

    def values(self, expressions: Sequence[sympy.Expr], space: Space, point: Point) -> Array:
        """(N, expressions, places): from the start of the space to its end, both included."""
        found = self._readers((space, *expressions), partial(self._reader, expressions, space))
        return found(*point.arguments)[0]

    def _reader(self, expressions: Sequence[sympy.Expr], space: Space) -> Batched:
        graph = self._graph
        assert isinstance(graph.fields, Fields)
        first, last = ([at(e, space, bound) for e in expressions] for bound in space.bounds)
        inside = casadi.vertcat(*(graph.fields.along(e, space) for e in expressions))
        every = casadi.horzcat(graph.lowered(first), inside, graph.lowered(last))
        return Batched(graph.function("samples", [casadi.densify(every)]))


def _rule(rule: Rule) -> Rule:
    count = max(2, -(-SMOOTH // (len(rule.cells) - 1)))
    xi, weights = gauss(rule.cells, count)
    return Rule(xi, weights, rule.cells, exact=False)


@lru_cache(maxsize=16)
def samples(system: System) -> Samples:
    """The samples of a system, made once."""
    return Samples(system)
