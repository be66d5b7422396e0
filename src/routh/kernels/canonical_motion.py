"""The motion of a system by Hamilton's equations, as compiled functions of time and (q, p)."""

from __future__ import annotations

from functools import cached_property, lru_cache
from itertools import accumulate
from typing import Any

import casadi

from routh.kernels.lower import SX
from routh.kernels.motion import Laws, Motion
from routh.language.system import System

SOLVED = 1e-13
"""Momenta are met to this by the velocities that are solved for."""

MOST_STEPS = 60
"""Newton steps of that."""

ASIDE = 1e-3
"""Beside rest, Newton starts from velocities this large along the momenta: |v|^3 is light at rest."""

SHARES = (1.0, 0.5, 0.1, 0.02, 0.004, 5e-4, 5e-5, 5e-6)
"""Parts of a Newton step that are tried, the longest first."""


class CanonicalMotion(Motion):
    """The same motion by Hamilton's equations: the state x is (q, p), and the work as a last entry.

    `p = L_v` is solved for v, linearly where L is quadratic in it; then q' = v and p' = L_q + Q - D_v.
    Without constraints.
    """

    @cached_property
    def _quadratic(self) -> bool:
        graph = self._graph
        return not casadi.depends_on(casadi.jacobian(graph.g_v, graph.v), graph.v)

    @cached_property
    def _state(self) -> tuple[list[Any], Any, Any, Any]:
        z = self._symbols
        n = self.n
        q, rest = z[1][:n], z[1][2 * n :]
        v = self.function("velocities")(*z)
        x = casadi.vertcat(q, v, rest)
        graph = self._graph
        push = self._function("push", [casadi.densify(graph.g_q + graph.Q - graph.D_v)])
        rate = [v, push(z[0], x, *z[2:])]
        if self.works:
            power = self._function("power", [self._power], [graph.a, graph.multipliers])
            rate.append(power(z[0], x, *z[2:], casadi.MX.zeros(n), casadi.MX.zeros(0, 1)))
        return z, casadi.vertcat(*rate), casadi.MX.zeros(n), casadi.MX.zeros(0, 1)

    def _velocities_function(self) -> Any:
        """(n, 1): v where L_v is p."""
        z, n, graph = self._symbols, self.n, self._graph
        q, p, rest_of_state = z[1][:n], z[1][n : 2 * n], z[1][2 * n :]
        M = casadi.jacobian(graph.g_v, graph.v)
        own = self._function("momenta", [M, casadi.densify(graph.g_v)])
        if self._quadratic:
            still = casadi.vertcat(q, casadi.MX.zeros(n), rest_of_state)
            mass, at_rest = own(z[0], still, *z[2:])
            return casadi.Function("velocities", z, [casadi.solve(mass, p - at_rest, "ldl")])
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
        graph, n = self._graph, self.n
        v, x = casadi.SX.sym("v", n), self._arguments[1]
        target = casadi.SX.sym("target", n)
        M, own = self._with_laws([casadi.jacobian(graph.g_v, graph.v), casadi.densify(graph.g_v)])

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
        names = [self._arguments[0], casadi.vertcat(q, target, rest), *self._arguments[2:]]
        return casadi.Function("nearing", [v, casadi.vertcat(*names)], [chosen])


@lru_cache(maxsize=32)
def canonical_motion(system: System, laws: Laws) -> CanonicalMotion:
    """The compiled motion of a system by Hamilton's equations, made once."""
    return CanonicalMotion(system, laws, baumgarte=False, redundant=False)
