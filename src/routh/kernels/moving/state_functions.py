"""The functions of time and state that a motion is asked for, by name; each is compiled when needed.

All are CasADi functions of `t, x, p, u, k` (see `motion_graph`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import casadi
import sympy

from routh.kernels.graphs.lower import SX
from routh.kernels.moving.motion_graph import MotionGraph
from routh.kernels.moving.saddle import Rates


class Equations(Protocol):
    """Where the rate of the state comes from: Lagrange's equations, or Hamilton's."""

    redundant: bool
    in_momenta: bool
    baumgarte: bool

    @property
    def rates(self) -> Rates:
        """X', and what it was made of."""

    @property
    def functions(self) -> dict[str, Callable[[], Any]]:
        """What these equations alone can tell, by name."""


class StateFunctions:
    """The functions of one motion, each made once."""

    def __init__(self, graph: MotionGraph, equations: Equations) -> None:
        self._graph, self._equations = graph, equations
        self._made: dict[str, Any] = {}
        self._makers: dict[str, Callable[[], Any]] = {
            "rate": self._rate,
            "slope": self._slope,
            "by_parameters": self._by_parameters,
            "solved": self._solved,
            "held": self._held,
            "matrices": self._matrices,
            "rubbing": self._rubbing,
            "energy": self._energy,
            "momenta": self._momenta,
            "signals": self._signals,
            **equations.functions,
        }

    def __getitem__(self, name: str) -> Any:
        if name not in self._made:
            self._made[name] = self._makers[name]()
        return self._made[name]

    def _rate(self) -> Any:
        rates = self._equations.rates
        return casadi.Function("rate", rates.symbols, [casadi.densify(rates.x)])

    def _slope(self) -> Any:
        rates = self._equations.rates
        slope = casadi.densify(casadi.jacobian(rates.x, rates.symbols[1]))
        return casadi.Function("slope", rates.symbols, [slope])

    def _by_parameters(self) -> Any:
        rates = self._equations.rates
        slope = casadi.densify(casadi.jacobian(rates.x, rates.symbols[2]))
        return casadi.Function("by_parameters", rates.symbols, [slope])

    def _solved(self) -> Any:
        rates = self._equations.rates
        return casadi.Function("solved", rates.symbols, [casadi.densify(rates.a), rates.multipliers])

    def _held(self) -> Any:
        graph = self._graph.whole
        phi = graph.phi[graph.holonomic] if graph.holonomic else casadi.SX(0, 1)
        return self._graph.function("held", [casadi.densify(phi), casadi.densify(graph.phi_rate)])

    def _matrices(self) -> Any:
        graph = self._graph.whole
        return self._graph.function("matrices", [graph.M, graph.J])

    def _rubbing(self) -> Any:
        return self._graph.function("rubbing", [self._graph.whole.Q_multipliers])

    def _energy(self) -> Any:
        graph = self._graph.whole
        H = casadi.dot(self._free_momenta(), graph.v) - graph.energy
        (still,) = casadi.substitute([-graph.energy], [graph.v], [casadi.SX.zeros(self._graph.n)])
        return self._graph.function("energy", [casadi.densify(H), casadi.densify(still)])

    def _momenta(self) -> Any:
        return self._graph.function("momenta", [casadi.densify(self._free_momenta())])

    def _free_momenta(self) -> SX:
        """L_v without the multipliers."""
        graph = self._graph.whole
        still = casadi.SX.zeros(self._graph.c)
        (L_v,) = casadi.substitute([graph.g_v], [graph.multipliers], [still])
        return L_v

    def _signals(self) -> Any:
        return self._graph.function("signals", [casadi.densify(self._graph.whole.u)])

    def of(self, expressions: Sequence[sympy.Expr]) -> Any:
        """Values of expressions without accelerations, and their rates; x' is one more argument."""
        own, graph = self._graph, self._graph.whole
        (column,) = own.with_laws([graph.lowered(expressions)])
        if own.c and casadi.depends_on(column, graph.multipliers):
            return self._with_multipliers(column)
        rate = casadi.SX.sym("rate", own.size)
        x = casadi.vertcat(graph.t, own.arguments[1])
        slope = casadi.jtimes(column, x, casadi.vertcat(1, rate))
        outputs: list[Any] = [casadi.densify(column), casadi.densify(slope)]
        return casadi.Function("values", [*own.arguments, rate], outputs)

    def _with_multipliers(self, column: SX) -> Any:
        """The same where multipliers, which follow from the state, are among them."""
        own, rates = self._graph, self._equations.rates
        plain = casadi.Function("plain", [*own.arguments, own.whole.multipliers], [column])
        z = rates.symbols
        found = plain(*z, rates.multipliers)
        rate = casadi.MX.sym("rate", own.size)
        slope = casadi.jtimes(found, casadi.vertcat(z[0], z[1]), casadi.vertcat(1, rate))
        return casadi.Function("both", [*z, rate], [casadi.densify(found), casadi.densify(slope)])
