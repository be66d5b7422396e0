"""The graph of a motion: laws are put in for inputs, and the work is counted as a part of the state."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import casadi

from routh.kernels.graphs.graph import graph_of
from routh.kernels.graphs.lower import SX
from routh.kernels.motion_engine import Laws
from routh.language.symbols import Input
from routh.language.system import System


class MotionGraph:
    """A system under given laws for its inputs, as CasADi expressions of t, x, p, u, k.

    The state x is (q, v), and the work done on the system as a last entry where it can change
    (`works`); u are all signals of the system, those that laws give being ignored; k holds the scales
    of the coordinates (n) and of the constraints (c), and alpha and beta of Baumgarte's stabilization.
    """

    def __init__(self, system: System, laws: Laws) -> None:
        self.system = system
        self.laws = laws
        self.whole = graph_of(system)
        self.n, self.c = self.whole.q.numel(), self.whole.phi.numel()
        self.scales = [casadi.SX.sym(name, size) for name, size in (("s", self.n), ("r", self.c))]
        self.gains = casadi.SX.sym("gains", 2)
        self._work = casadi.SX.sym("work")

    @property
    def size(self) -> int:
        """The length of the state."""
        return 2 * self.n + int(self.works)

    @cached_property
    def arguments(self) -> list[SX]:
        """The symbols t, x, p, u, k."""
        graph = self.whole
        work = [self._work] if self.works else []
        x = casadi.vertcat(graph.q, graph.v, *work)
        return [graph.t, x, graph.p, graph.u, casadi.vertcat(*self.scales, self.gains)]

    @cached_property
    def symbols(self) -> list[Any]:
        """The same for expressions that call functions and solve."""
        return [casadi.MX.sym(f"z{k}", *x.shape) for k, x in enumerate(self.arguments)]

    def function(self, name: str, outputs: Sequence[SX], extra: Sequence[SX] = ()) -> Any:
        """A CasADi function of the arguments, and of extra ones, with laws put in."""
        return casadi.Function(name, [*self.arguments, *extra], self.with_laws(outputs))

    def with_laws(self, expressions: Sequence[SX]) -> list[SX]:
        """The expressions with the signals that laws give replaced by them."""
        graph = self.whole
        if not self.laws:
            return list(expressions)
        given = dict(zip(graph.signals, graph.u.elements(), strict=True))
        lowered = graph.lowered([law for _, law in self.laws]).elements()
        laws = {signal: law for (signal, _), law in zip(self.laws, lowered, strict=True)}
        u = casadi.vertcat(*(laws.get(signal, symbol) for signal, symbol in given.items()))
        replaced: list[SX] = casadi.substitute(list(expressions), [graph.u], [u])
        return replaced

    def _law_rates(self) -> list[tuple[SX, SX]]:
        """Derivatives of signals that feedback laws give: their symbols, and what they are."""
        graph = self.whole
        place = {signal: k for k, signal in enumerate(graph.signals)}
        given = {signal for signal, _ in self.laws}
        state = casadi.vertcat(graph.t, graph.q, graph.v)
        along = casadi.vertcat(1, graph.v, graph.a)
        return [
            (graph.u[place[signal.rate]], casadi.jtimes(graph.lowered([law]), state, along))
            for signal, law in self.laws
            if signal.rate in place and signal.rate not in given
        ]

    @cached_property
    def power(self) -> SX:
        """d/dt (v . L_v - L): what forces, damping, time and moving constraints do."""
        graph = self.whole
        explicit = graph.along(graph.energy, at_rest=True)
        drift = graph.along(graph.phi, at_rest=True) if self.c else graph.phi
        if graph.velocity:
            at_rest = casadi.substitute([graph.phi], [graph.v], [casadi.SX.zeros(self.n)])[0]
            drift = casadi.SX(drift)
            drift[graph.velocity] = at_rest[graph.velocity]
        power = casadi.dot(graph.Q - graph.D_v, graph.v) - explicit
        power = power + casadi.dot(graph.multipliers, drift)
        for symbol, rate in self._law_rates():
            (power,) = casadi.substitute([power], [symbol], [rate])
        return casadi.sparsify(power)

    @cached_property
    def power_function(self) -> Any:
        """The power, as a function of accelerations and multipliers too."""
        return self.function("power", [self.power], [self.whole.a, self.whole.multipliers])

    @cached_property
    def works(self) -> bool:
        """Whether forces, damping, time or moving constraints can change the energy.

        Where time enters the energies by jumps alone there is no power between them, but work at them.
        """
        (energy,) = self.with_laws([self.whole.energy])
        return bool(self.power.nnz()) or bool(casadi.depends_on(energy, self.whole.t))

    @cached_property
    def damped(self) -> bool:
        """Whether forces or laws contain velocities, so that something may decay."""
        (N,) = self.with_laws([self.whole.D_v - self.whole.Q])
        return bool(casadi.depends_on(N, self.whole.v))

    @cached_property
    def moving_energy(self) -> tuple[Input, ...]:
        """The signals on which the work done on the system depends."""
        return self._signals_in(lambda: self.power)

    @cached_property
    def used(self) -> tuple[Input, ...]:
        """The signals that the equations of motion contain."""
        return self._signals_in(self._every_term)

    def _every_term(self) -> SX:
        graph = self.whole
        parts = [graph.h, graph.Q, graph.phi, graph.phi_rate, graph.gamma, casadi.vec(graph.M)]
        return casadi.vertcat(*(casadi.densify(part) for part in (*parts, casadi.vec(graph.J))))

    def _signals_in(self, column: Any) -> tuple[Input, ...]:
        graph = self.whole
        if not graph.signals:
            return ()
        mask = casadi.which_depends(casadi.densify(column()), graph.u, 1)
        return tuple(u for u, used in zip(graph.signals, mask, strict=True) if used)
