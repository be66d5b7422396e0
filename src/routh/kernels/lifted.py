"""How the energies, forces and constraints of a system change along fields of displacements.

Under q -> q + s X(q) with X = A q + b, velocities change as v -> v + s A v. A system does not notice if

    L_q . X + L_v . A v = 0,   phi_q X + phi_v A v = 0,   N_q X + N_v A v + A^T N = 0,     N = D_v - Q

at every q, v and t. These equations are linear in the entries of A and b: each has one coefficient for
every entry, which is what is evaluated here, in doubles or with many digits.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import casadi
import numpy as np
import sympy

from routh.arrays import Array
from routh.kernels.engine import Number, Precise
from routh.kernels.graphs.batch import Batched
from routh.kernels.graphs.graph import Graph
from routh.kernels.graphs.lower import SX
from routh.kernels.instructions.digits import ManyDigits
from routh.language.system import System

Entry = tuple[int, int]
"""A_ij as (i, j), and b_i as (i, n)."""


class Lifted:
    """The coefficients of the entries of A and b in the conditions of invariance."""

    def __init__(self, system: System, entries: Sequence[Entry]) -> None:
        self._numbers: dict[sympy.Basic, SX] = {}
        self._graph = Graph(system, self._constant)
        self._entries = list(entries)

    def _constant(self, number: sympy.Basic) -> SX:
        """Numbers of the model as arguments, so that none is rounded; whole ones as they are."""
        if number.is_Integer and abs(number) < 2**20:
            return casadi.SX(float(number))
        if number not in self._numbers:
            self._numbers[number] = casadi.SX.sym(f"c{len(self._numbers)}")
        return self._numbers[number]

    def _rows(self) -> SX:
        """(conditions, entries)"""
        graph = self._graph
        n = graph.q.numel()
        scalars = casadi.vertcat(graph.energy, graph.phi)
        push = graph.D_v - graph.Q
        acts = push.nnz() > 0
        by_q, push_q = casadi.jacobian(scalars, graph.q), casadi.jacobian(push, graph.q)
        if any(j < n for _, j in self._entries):
            by_v, push_v = casadi.jacobian(scalars, graph.v), casadi.jacobian(push, graph.v)
        columns = []
        for i, j in self._entries:
            along_q = graph.q[j] if j < n else 1
            column = by_q[:, i] * along_q
            lifted = push_q[:, i] * along_q
            if j < n:
                column += by_v[:, i] * graph.v[j]
                lifted += push_v[:, i] * graph.v[j]
                lifted[j] += push[i]
            columns.append(casadi.vertcat(column, lifted) if acts else column)
        return casadi.densify(casadi.horzcat(*columns))

    @cached_property
    def _function(self) -> Any:
        constants = casadi.vertcat(*self._numbers.values()) if self._numbers else casadi.SX(0, 1)
        return self._graph.function("lifted", [self._rows()], [constants])

    def __call__(self, arguments: Sequence[Array]) -> Array:
        """(N, conditions, entries), in doubles."""
        count = len(arguments[0])
        numbers = np.array([float(sympy.N(number)) for number in self._numbers])
        return Batched(self._function)(*arguments, np.tile(numbers, (count, 1)))[0]

    def exactly(self, digits: int) -> Precise:
        """The same with many digits."""
        return ManyDigits(self._function, digits)

    def numbers(self, exact: Precise, digits: int) -> list[Number]:
        """The numbers of the model with many digits, the last argument."""
        return [exact.number(sympy.N(number, digits + 10)._mpf_) for number in self._numbers]
