"""Derivatives of any order about a point: homogeneous parts of the equations, and tensors of L."""

from __future__ import annotations

from functools import cached_property
from math import factorial
from typing import Any

import casadi
import numpy as np
import scipy

from routh.arrays import Array
from routh.kernels.engine import Point
from routh.kernels.graphs.graph import graph_of
from routh.language.system import System


class TaylorParts:
    """Parts of the equations of motion about a rest that are homogeneous in the deviations.

    They are derivatives of the equations along a line, up to an order, so that no tensor is needed.
    """

    def __init__(self, system: System, order: int) -> None:
        self._graph = graph_of(system)
        self._order = order

    def __reduce__(self) -> tuple[Any, ...]:
        """It is sent as what it is made of, and made again where it arrives."""
        return TaylorParts, (self._graph.system, self._order)

    def __call__(self, degree: int, point: Point, eta: Any, rate: Any, acceleration: Any) -> Array:
        """(n,): the part of one degree for deviations and their first and second rates."""
        fixed = [point.t[0], point.p[0], point.u[0], point.multipliers[0]]
        found = self._function(point.q[0], eta, rate, acceleration, *fixed)
        each = found if isinstance(found, (list, tuple)) else [found]
        return np.asarray(each[degree - 1], dtype=float)[:, 0]

    @cached_property
    def _function(self) -> Any:
        graph = self._graph
        n = graph.q.numel()
        small = casadi.SX.sym("small")
        eta, rate, turn = (casadi.SX.sym(name, n) for name in ("eta", "rate", "turn"))
        E = graph.along(graph.g_v, at_rest=False) - graph.g_q + graph.N
        start = casadi.SX.sym("q0", n)
        moved = [start + small * eta, small * rate, small * turn]
        (own,) = casadi.substitute([E], [graph.q, graph.v, graph.a], moved)
        outputs = []
        for degree in range(1, self._order + 1):
            own = casadi.jacobian(own, small)
            (at,) = casadi.substitute([own], [small], [casadi.SX(0)])
            outputs.append(casadi.densify(at) / factorial(degree))
        names = [start, eta, rate, turn, graph.t, graph.p, graph.u, graph.multipliers]
        return casadi.Function("taylor", names, outputs)


def energy_tensor(system: System, degree: int, point: Point, most: int) -> Any:
    """The derivatives of L of one degree by (q, v) at one point, sparse: (2n, (2n)^(degree - 1)).

    Entry (i, j + 2n k + ...) is the derivative by the i-th, j-th, k-th ... of them. None if more than
    so many entries are not zero.
    """
    graph = graph_of(system)
    own = casadi.gradient(graph.energy, graph.z)
    for _ in range(degree - 1):
        own = casadi.jacobian(casadi.vec(own), graph.z)
        if own.nnz() > most:
            return None
    found = graph.function("tensor", [own])(*(argument[0] for argument in point.arguments))
    size = graph.z.numel()
    matrix = scipy.sparse.coo_array(scipy.sparse.csc_matrix(found.sparse()))
    # rows count the earlier derivatives, the first one fastest; columns the last one
    first, others = matrix.row % size, matrix.row // size
    columns = others + matrix.col * size ** max(degree - 2, 0) if degree > 1 else matrix.col
    shape = (size, size ** (degree - 1))
    return scipy.sparse.csr_array((matrix.data, (first, columns)), shape=shape)
