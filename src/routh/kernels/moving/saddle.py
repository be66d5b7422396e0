"""Accelerations and multipliers by Lagrange's equations: one saddle point, solved in compiled code.

    [[M, J^T - Q_multipliers], [J, 0]] (a, multipliers) = (Q - h, -gamma)

by sparse QR (LDL without constraints), after scaling rows and columns by the numbers at the start:
metres and radians, masses and lengths, then count alike. Q is that without forces of constraints; the
slopes Q_multipliers are there where friction depends on normal forces, and make the matrix unsymmetric.
The matrix without them projects states onto the constraints. Redundant constraints get a softness and
three proximal steps, which end at the least norm and change nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import casadi

from routh.kernels.graphs.lower import SX
from routh.kernels.moving.motion_graph import MotionGraph
from routh.kernels.native.held_ensemble import SaddleParts

SOFT = 1e-8
"""Softness of scaled redundant constraints. Solved three times over, what it changes is its cube."""

SMALL = 10
"""Coordinates up to which accelerations are written out entry by entry; measured on pendulums."""

SMALL_IN_C = 30
"""The same where they are compiled: pendulums of 15 to 30 links went 12 to 19 times as fast as by
linear solves in CasADi, and took 3 to 10 s to compile."""


@dataclass(frozen=True)
class Rates:
    """The rate of a state in CasADi: its symbols t, x, p, u, k, and expressions of them.

    x' is `x`; `a` and `multipliers` are what it was made of.
    """

    symbols: list[Any]
    x: Any
    a: Any
    multipliers: Any


class Saddle:
    """Lagrange's equations of a motion; the state is (q, v), and the work."""

    in_momenta = False

    def __init__(self, graph: MotionGraph, baumgarte: bool, redundant: bool) -> None:
        self._graph = graph
        self.baumgarte = baumgarte
        self.redundant = redundant

    @property
    def functions(self) -> dict[str, Callable[[], Any]]:
        """What these equations alone can tell, by name."""
        return {"projected": lambda: self.projected, "written": self._written}

    def _written(self) -> Any:
        """X' without linear solves where coordinates are few enough, to be written out as C."""
        small = not self._graph.c and self._graph.n <= SMALL_IN_C
        rates = self._entry_by_entry() if small else self.rates
        return casadi.Function("rate", rates.symbols, [casadi.densify(rates.x)])

    @cached_property
    def rates(self) -> Rates:
        """X', a and the multipliers."""
        graph = self._graph
        n, c = graph.n, graph.c
        if not c and n <= SMALL:
            return self._entry_by_entry()
        z = graph.symbols
        K, right = self._whole(*z)
        a, multipliers = casadi.vertsplit(z[4][: n + c] * self._solved(K, right, c), [0, n, n + c])
        rate = [z[1][n : 2 * n], a]
        if graph.works:
            rate.append(graph.power_function(*z, a, multipliers))
        return Rates(z, casadi.vertcat(*rate), a, multipliers)

    def _entry_by_entry(self) -> Rates:
        """The same for few coordinates without constraints."""
        own, graph = self._graph, self._graph.whole
        M, right, power = own.with_laws([graph.M, graph.Q - graph.h, own.power])
        D, LT, order = casadi.ldl(M)
        a = casadi.ldl_solve(right, D, LT, order)
        rate: list[Any] = [graph.v, a]
        if own.works:
            rate += casadi.substitute([power], [graph.a], [a])
        return Rates(own.arguments, casadi.vertcat(*rate), a, casadi.SX(0, 1))

    @cached_property
    def parts(self) -> SaddleParts:
        """What compiled code makes runs of: all but the solution of linear equations."""
        graph = self._graph
        return SaddleParts(
            self._whole,
            self._places if graph.whole.holonomic else None,
            self._velocities,
            graph.power_function if graph.works else None,
            graph.n,
            graph.c,
        )

    @cached_property
    def projected(self) -> Any:
        """The function to the state after one step towards the constraints, and how far q moved.

        It is the nearest one in the kinetic energy; the move is in scaled coordinates.
        """
        z, n, c = self._graph.symbols, self._graph.n, self._graph.c
        q, v, rest = z[1][:n], z[1][n : 2 * n], z[1][2 * n :]
        moved = casadi.MX.zeros(1)
        held = len(self._graph.whole.holonomic)
        if held:
            K, off = self._places(*z)
            y = self._solved(K, off, held)[:n]
            q = q + z[4][:n] * y
            moved = casadi.norm_inf(y)
        K, off = self._velocities(z[0], casadi.vertcat(q, v, rest), *z[2:])
        v = v + z[4][:n] * self._solved(K, off, c)[:n]
        return casadi.Function("projected", z, [casadi.vertcat(q, v, rest), moved])

    def _matrix(self, rows: list[int], rubbing: bool = False) -> SX:
        """The scaled matrix [[M, J^T], [J, 0]] of some constraints; J^T less what rubs by them."""
        graph = self._graph.whole
        s, r = self._graph.scales
        M = casadi.mtimes([casadi.diag(s), graph.M, casadi.diag(s)])
        J = casadi.mtimes([casadi.diag(r), graph.J, casadi.diag(s)])[rows, :]
        c = len(rows)
        corner = -SOFT * casadi.SX.eye(c) if self.redundant else casadi.SX(c, c)
        push = J.T
        if rubbing:
            push = push - casadi.mtimes([casadi.diag(s), graph.Q_multipliers, casadi.diag(r)])
        return casadi.blockcat([[M, push], [J, corner]])

    @cached_property
    def _whole(self) -> Any:
        """The matrix of all constraints, and the right side of motion."""
        own, graph = self._graph, self._graph.whole
        s, r = own.scales
        pull = graph.gamma
        if self.baumgarte and own.c:
            alpha, beta = own.gains[0], own.gains[1]
            held = casadi.SX(own.c, 1)
            if graph.holonomic:
                held[graph.holonomic] = graph.phi[graph.holonomic]
            pull = pull + 2 * alpha * graph.phi_rate + beta**2 * held
        right = casadi.vertcat(s * (graph.free_Q - graph.h), -r * pull)
        every, rubbing = list(range(own.c)), bool(graph.Q_multipliers.nnz())
        return own.function("saddle", [self._matrix(every, rubbing), casadi.densify(right)])

    @cached_property
    def _velocities(self) -> Any:
        """The matrix of all constraints, and the side that projects v."""
        own, graph = self._graph, self._graph.whole
        off = casadi.vertcat(casadi.SX(own.n, 1), -own.scales[1] * graph.phi_rate)
        matrix = self._matrix(list(range(own.c)))
        return own.function("velocities", [matrix, casadi.densify(off)])

    @cached_property
    def _places(self) -> Any:
        """The matrix of the holonomic constraints alone, and the side that projects q."""
        own, graph = self._graph, self._graph.whole
        rows = graph.holonomic
        off = casadi.vertcat(casadi.SX(own.n, 1), -own.scales[1][rows] * graph.phi[rows])
        return own.function("places", [self._matrix(rows), casadi.densify(off)])

    def _solved(self, K: Any, right: Any, c: int) -> Any:
        """K^-1 right; redundant constraints by a proximal iteration, which ends at least norm."""
        if not c:
            return casadi.solve(K, right, "ldl")
        if not self.redundant:
            return casadi.solve(K, right, "qr")
        n = self._graph.n
        found = casadi.MX.zeros(n + c)
        for _ in range(3):
            found = casadi.solve(K, right - casadi.vertcat(casadi.MX.zeros(n), SOFT * found[n:]), "qr")
        return found
