"""The rate of a motion by Hamilton's equations, as compiled functions of time and (q, p)."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from itertools import accumulate
from typing import Any

import casadi

from routh.kernels.graphs.lower import SX
from routh.kernels.moving.motion_graph import MotionGraph
from routh.kernels.moving.saddle import Rates, Saddle

SOLVED = 1e-13
"""Momenta are met to this by the velocities that are solved for."""

MOST_STEPS = 60
"""Newton steps of that."""

ASIDE = 1e-3
"""Beside rest, Newton starts from velocities this large along the momenta: |v|^3 is light at rest."""

SHARES = (1.0, 0.5, 0.1, 0.02, 0.004, 5e-4, 5e-5, 5e-6)
"""Parts of a Newton step that are tried, the longest first."""


class Momenta:
    """Hamilton's equations of a motion: the state is (q, p), and the work as a last entry.

    `p = L_v` is solved for v, linearly where L is quadratic in it; then q' = v and
    `p' = L_q + Q - D_v - J^T multipliers`. The multipliers are those of Lagrange's equations at (q, v),
    which keep the differentiated constraints at zero; without constraints nothing is solved for them.
    """

    in_momenta = True

    def __init__(self, graph: MotionGraph, lagrange: Saddle) -> None:
        self._graph, self._lagrange = graph, lagrange
        self.redundant, self.baumgarte = lagrange.redundant, lagrange.baumgarte

    @property
    def functions(self) -> dict[str, Callable[[], Any]]:
        """What these equations alone can tell, by name."""
        return {"velocities": lambda: self._velocities, "projected": self._projected}

    @cached_property
    def rates(self) -> Rates:
        """X', and with constraints the accelerations and multipliers; else none are known."""
        own, z = self._graph, self._graph.symbols
        n = own.n
        v = self._velocities(*z)
        x = self._with(v)
        a, multipliers = casadi.MX.zeros(n), casadi.MX.zeros(0, 1)
        if own.c:
            lagrange = self._lagrange.rates
            solved = casadi.Function("solved", lagrange.symbols, [lagrange.a, lagrange.multipliers])
            a, multipliers = solved(z[0], x, *z[2:])
        rate = [v, self._push(z[0], x, *z[2:], multipliers)]
        if own.works:
            rate.append(own.power_function(z[0], x, *z[2:], a, multipliers))
        return Rates(z, casadi.vertcat(*rate), a, multipliers)

    def _with(self, second: Any) -> Any:
        """The state with other entries in the place of its momenta."""
        x, n = self._graph.symbols[1], self._graph.n
        return casadi.vertcat(x[:n], second, x[2 * n :])

    @cached_property
    def _push(self) -> Any:
        """The function to p' at (q, v) and multipliers."""
        graph = self._graph.whole
        still = casadi.SX.zeros(self._graph.c)
        (slope,) = casadi.substitute([graph.g_q], [graph.multipliers], [still])
        push = slope + graph.Q - graph.D_v - graph.J.T @ graph.multipliers
        return self._graph.function("push", [casadi.densify(push)], [graph.multipliers])

    def _projected(self) -> Any:
        """The function to the state after one step towards the constraints, and how far q moved.

        Velocities are moved as in Lagrange's form, which adds a combination of the rows of J to p.
        """
        z, n = self._graph.symbols, self._graph.n
        moved, far = self._lagrange.projected(z[0], self._with(self._velocities(*z)), *z[2:])
        p = self._masses_and_momenta(z[0], moved, *z[2:])[1]
        state = casadi.vertcat(moved[:n], p, z[1][2 * n :])
        return casadi.Function("projected", z, [state, far])

    @cached_property
    def _is_quadratic(self) -> bool:
        graph = self._graph.whole
        return not casadi.depends_on(casadi.jacobian(graph.g_v, graph.v), graph.v)

    @cached_property
    def _velocities(self) -> Any:
        """The function to v (n, 1) where L_v is p."""
        return self._linear() if self._is_quadratic else self._by_newton()

    @cached_property
    def _masses_and_momenta(self) -> Any:
        graph = self._graph.whole
        M = casadi.jacobian(graph.g_v, graph.v)  # constraints are in g_q alone: g_v is L_v
        return self._graph.function("momenta", [M, casadi.densify(graph.g_v)])

    def _linear(self) -> Any:
        z, n = self._graph.symbols, self._graph.n
        still = self._with(casadi.MX.zeros(n))
        mass, at_rest = self._masses_and_momenta(z[0], still, *z[2:])
        return casadi.Function("velocities", z, [casadi.solve(mass, z[1][n : 2 * n] - at_rest, "ldl")])

    def _by_newton(self) -> Any:
        """From rest and from beside it, the nearer of what both come to."""
        z, n, own = self._graph.symbols, self._graph.n, self._masses_and_momenta
        q, p, rest_of_state = z[1][:n], z[1][n : 2 * n], z[1][2 * n :]
        v, flat = casadi.MX.sym("v", n), casadi.MX.sym("flat", sum(each.numel() for each in z))
        ends = [0, *accumulate(each.numel() for each in z)]
        w = casadi.vertsplit(flat, ends)
        x = casadi.vertcat(w[1][:n], v, w[1][2 * n :])
        problem = {"x": v, "p": flat, "g": own(w[0], x, *w[2:])[1] - w[1][n : 2 * n]}
        options = {"abstol": SOLVED, "max_iter": MOST_STEPS, "error_on_fail": False}
        root = casadi.rootfinder("root", "newton", problem, options)
        given = casadi.vertcat(*z)
        towards = self._nearing().fold(MOST_STEPS)
        slow = ASIDE * p / (1 + casadi.norm_2(p))
        rest, aside = (towards(start, given) for start in (casadi.MX.zeros(n), slow))
        gaps = [
            casadi.sumsqr(own(z[0], casadi.vertcat(q, each, rest_of_state), *z[2:])[1] - p)
            for each in (rest, aside)
        ]
        near = casadi.if_else(gaps[1] < gaps[0], aside, rest)
        found = root(x0=near, p=given)["x"]
        return casadi.Function("velocities", z, [found])

    def _nearing(self) -> Any:
        """One Newton step towards the velocities of given momenta, shortened until it helps.

        What is not finite compares as false, so a step beyond where L exists is shortened too.
        Part of a compiled function: the same rule as `numerics/solving/damping`, without its loop.
        """
        graph, n, arguments = self._graph.whole, self._graph.n, self._graph.arguments
        v, x = casadi.SX.sym("v", n), arguments[1]
        target = casadi.SX.sym("target", n)
        both = [casadi.jacobian(graph.g_v, graph.v), casadi.densify(graph.g_v)]
        M, own = self._graph.with_laws(both)

        def at(place: SX) -> list[SX]:
            found: list[SX] = casadi.substitute([M, own], [graph.v], [place])
            return found

        mass, momenta = at(v)
        step = casadi.solve(casadi.densify(mass), target - momenta)
        gap = casadi.sumsqr(target - momenta)
        chosen = v
        for share in reversed(SHARES):
            place = v + share * step
            better = casadi.sumsqr(target - at(place)[1]) < gap
            chosen = casadi.if_else(better, place, chosen)
        q, rest = x[:n], x[2 * n :]
        names = [arguments[0], casadi.vertcat(q, target, rest), *arguments[2:]]
        return casadi.Function("nearing", [v, casadi.vertcat(*names)], [chosen])
