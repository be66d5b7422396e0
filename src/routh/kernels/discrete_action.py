"""A structure-preserving step: a discrete action is made stationary, not a differential equation.

With the discrete Lagrangian `L_d(q0, q1) = h L((q0 + q1)/2, (q1 - q0)/h)` one step is

    p0 = -D1 L_d(q0, q1) + h/2 J(q0)^T lambda,    phi(q1) = 0,
    p1 = D2 L_d(q0, q1) - h/2 J(q1)^T mu,         J(q1) v1 = 0,    p = L_v(q, v)

(Marsden and West 2001; with constraints RATTLE, Andersen 1983). It is symplectic and symmetric, so the
energy error of long runs stays bounded. Nine such steps are composed to order six (Kahan and Li 1997).
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import casadi
import numpy as np

from routh.arrays import Array
from routh.kernels.graphs.graph import graph_of
from routh.language.system import System

_HALF = (
    0.39216144400731413928, 0.33259913678935943860, -0.70624617255763935981, 0.082213596293550800230
)  # fmt: skip
STAGES = (*_HALF, 0.79854399093482996340, *reversed(_HALF))
"""Shares of the composed step; they are the same read backwards and their sum is one."""

ENDED = 1e-10
"""A Newton step below this share of the way from q0 to q1 is the last: the next would be its square."""

ITERATIONS = 6
"""Newton steps for q1 at most, from q0 + h v0: their error is squared each time."""


class Variational:
    """The composed step of one conservative system, as a function of x = (q, v), p and the step.

    It gives the next state and the size of the last Newton step, relative to the position: rounding if
    the implicit equations were solved.
    """

    def __init__(self, system: System) -> None:
        self._graph = graph_of(system)
        self._n, self._c = self._graph.q.numel(), self._graph.phi.numel()
        self._folded: dict[int, Any] = {}

    def stepped(self, x: Array, p: Array, h: float, count: int) -> Array:
        """X after so many composed steps of h, and the size of the last Newton step as a last entry.

        Raises RuntimeError where a matrix on the way is singular.
        """
        return np.array(self._steps(count)(x, p, h))[:, 0]

    def _steps(self, count: int) -> Any:
        """So many composed steps in one function."""
        if count not in self._folded:
            self._folded[count] = self._composed() if count == 1 else self._steps(1).fold(count)
        return self._folded[count]

    def _composed(self) -> Any:
        x = casadi.MX.sym("x", 2 * self._n + 1)
        p, h = casadi.MX.sym("p", self._graph.p.numel()), casadi.MX.sym("h")
        state = x[: 2 * self._n]
        worst = x[2 * self._n]
        single = self._single()
        for share in STAGES:
            state, moved = single(state, p, share * h)
            worst = casadi.fmax(worst, moved)
        return casadi.Function("composed", [x, p, h], [casadi.vertcat(state, worst)])

    def _single(self) -> Any:
        """One step of order two."""
        n, c = self._n, self._c
        x, p, h = (
            casadi.MX.sym("x", 2 * n),
            casadi.MX.sym("p", self._graph.p.numel()),
            casadi.MX.sym("h"),
        )
        q0, v0 = x[:n], x[n:]
        place, speed = self._place(), self._speed()
        z = casadi.vertcat(q0 + h * v0, casadi.MX.zeros(c))
        newton = self._newton(place)
        at = casadi.vertcat(z, 1.0, 1.0)
        for _ in range(ITERATIONS):
            at = newton(at, q0, v0, p, h)
        q1, moved = at[:n], at[n + c]
        w = casadi.vertcat((q1 - q0) / h, casadi.MX.zeros(c))
        for _ in range(2):
            rows, slopes = speed(w, q0, q1, p, h)
            w = w - casadi.solve(slopes, rows, "qr")
        return casadi.Function("single", [x, p, h], [casadi.vertcat(q1, w[:n]), moved])

    def _newton(self, place: Any) -> Any:
        """One more Newton step for (q1, lambda), and its share of the position and of the way to q1."""
        n, c = self._n, self._c
        at, h = casadi.MX.sym("at", n + c + 2), casadi.MX.sym("h")
        q0, v0 = casadi.MX.sym("q0", n), casadi.MX.sym("v0", n)
        p = casadi.MX.sym("p", self._graph.p.numel())
        rows, slopes = place(at[: n + c], q0, v0, p, h)
        step = casadi.solve(slopes, rows, "qr")
        new = at[: n + c] - step
        sizes = casadi.norm_inf(q0) + casadi.norm_inf(h * v0), casadi.norm_inf(new[:n] - q0)
        shares = [casadi.norm_inf(step[:n]) / (size + 1e-300) for size in sizes]
        after = casadi.vertcat(new, *shares)
        given = [at, q0, v0, p, h]
        go, stay = casadi.Function("go", given, [after]), casadi.Function("stay", given, [at])
        either = casadi.Function.if_else("either", go, stay)  # evaluates one of them alone
        return casadi.Function("newton", given, [either(at[n + c + 1] > ENDED, *given)])

    def _at(self, expression: Any, q: Any, v: Any) -> Any:
        """An expression of the graph at other positions and velocities, without multipliers."""
        graph = self._graph
        symbols = [graph.q, graph.v, graph.multipliers]
        places = [q, v, casadi.SX.zeros(self._c)]
        return casadi.substitute([expression], symbols, places)[0]

    def _place(self) -> Any:
        """What vanishes at (q1, lambda), and its slopes."""
        graph, n = self._graph, self._n
        z = casadi.SX.sym("z", n + self._c)
        q0, v0, h = casadi.SX.sym("q0", n), casadi.SX.sym("v0", n), casadi.SX.sym("h")
        q1, multipliers = casadi.vertsplit(z, [0, n, n + self._c])
        middle, rate = (q0 + q1) / 2, (q1 - q0) / h
        pull = self._at(graph.g_v, middle, rate) - h / 2 * self._at(graph.g_q, middle, rate)
        balance = pull - self._at(graph.g_v, q0, v0)
        J = self._at(casadi.jacobian(graph.phi, graph.q), q0, v0)
        rows = casadi.vertcat(balance + h / 2 * J.T @ multipliers, self._at(graph.phi, q1, v0))
        return casadi.Function(
            "place", [z, q0, v0, graph.p, h], [casadi.densify(rows), casadi.jacobian(rows, z)]
        )

    def _speed(self) -> Any:
        """What vanishes at (v1, mu), and its slopes."""
        graph, n = self._graph, self._n
        w = casadi.SX.sym("w", n + self._c)
        q0, q1, h = casadi.SX.sym("q0", n), casadi.SX.sym("q1", n), casadi.SX.sym("h")
        v1, mu = casadi.vertsplit(w, [0, n, n + self._c])
        middle, rate = (q0 + q1) / 2, (q1 - q0) / h
        push = self._at(graph.g_v, middle, rate) + h / 2 * self._at(graph.g_q, middle, rate)
        J = self._at(casadi.jacobian(graph.phi, graph.q), q1, v1)
        balance = self._at(graph.g_v, q1, v1) - push + h / 2 * J.T @ mu
        rows = casadi.vertcat(balance, J @ v1)
        return casadi.Function(
            "speed", [w, q0, q1, graph.p, h], [casadi.densify(rows), casadi.jacobian(rows, w)]
        )


@lru_cache(maxsize=16)
def variational(system: System) -> Variational:
    """The variational step of a system, made once."""
    return Variational(system)
