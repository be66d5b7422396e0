"""The equations of a system as functions of t, x, u and p, for use outside the house.

    M a + P multipliers = f,    J a + gamma = 0,    x = (q, v)

P is J^T, less the slopes of forces that depend on those of constraints. Functions of scalars alone are
written out in other languages; the others are for CasADi itself. There are no scales and no work here,
and u has only what the equations, the energies and the constraints contain.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import casadi
import sympy

from routh.kernels.graphs.lower import SX
from routh.kernels.motion_engine import Laws
from routh.kernels.moving.momentum_rates import Momenta
from routh.kernels.moving.motion_graph import MotionGraph
from routh.kernels.moving.saddle import SMALL, Saddle
from routh.language.symbols import Input
from routh.language.system import System

FEW = {"cse": True}
"""Branches that are alike are computed once."""


class Outside:
    """A system under laws for some of its inputs, as CasADi expressions and functions.

    Attributes:
        signals: the inputs and their derivatives that are left as arguments; the order of `u`.
        energies: the names of what `energies` gives.
    """

    def __init__(self, system: System, laws: Laws, outputs: Sequence[sympy.Expr] = ()) -> None:
        self._motion = MotionGraph(system, laws)
        self.n, self.c = self._motion.n, self._motion.c
        graph = self._motion.whole
        self.held = len(graph.holonomic)
        apart = not system.lagrangian
        self.energies = ("energy", "kinetic", "potential") if apart else ("energy", "lagrangian")
        right, push = graph.free_Q - graph.h, graph.J.T - graph.Q_multipliers
        terms = [graph.M, right, push, graph.J, graph.gamma, graph.phi, graph.phi_rate]
        found = self._motion.with_laws([*terms, self._energies(), graph.lowered(outputs)])
        self.M, self.f, self.P, self.J, self.gamma, phi, self.phi_rate, self.energy, self.read = found
        self.phi = phi[graph.holonomic] if self.held else casadi.SX(0, 1)
        self.signals = self._contained(found)
        self.t, self.q, self.v, self.a, self.p = graph.t, graph.q, graph.v, graph.a, graph.p
        self.x, self.multipliers = casadi.vertcat(graph.q, graph.v), graph.multipliers
        self.z = casadi.vertcat(graph.a, graph.multipliers)
        places = [graph.signals.index(s) for s in self.signals]
        self.u = graph.u[places] if places else casadi.SX(0, 1)
        self.arguments = {"t": self.t, "x": self.x, "u": self.u, "p": self.p}
        self._places = places

    def _energies(self) -> SX:
        """The energy v . L_v - L, and T and V where they are apart, else L."""
        graph, system = self._motion.whole, self._motion.system
        still = casadi.SX.zeros(graph.multipliers.shape)
        (L_v,) = casadi.substitute([graph.g_v], [graph.multipliers], [still])
        whole = casadi.dot(L_v, graph.v) - graph.energy
        if "lagrangian" in self.energies:
            return casadi.vertcat(whole, graph.energy)
        parts = [casadi.sum1(graph.lowered(e)) if e else 0 for e in (system.kinetic, system.potential)]
        return casadi.vertcat(whole, *parts)

    def _contained(self, found: Sequence[SX]) -> tuple[Input, ...]:
        """The signals of which anything depends."""
        graph = self._motion.whole
        if not graph.signals:
            return ()
        column = casadi.vertcat(*(casadi.densify(casadi.vec(each)) for each in found))
        mask = casadi.which_depends(column, graph.u, 1)
        return tuple(s for s, used in zip(graph.signals, mask, strict=True) if used)

    def function(self, name: str, results: Sequence[SX], names: Sequence[str], **more: SX) -> Any:
        """A function of scalars of t, x, u, p and of more arguments."""
        given = self.arguments | more
        return casadi.Function(name, [*given.values()], list(results), [*given], list(names), FEW)

    @property
    def direct(self) -> bool:
        """Whether accelerations are written out entry by entry: few coordinates, no constraints."""
        return not self.c and self.n <= SMALL

    @cached_property
    def accelerations(self) -> SX:
        """The accelerations of few coordinates, entry by entry."""
        D, LT, order = casadi.ldl(self.M)
        return casadi.densify(casadi.ldl_solve(self.f, D, LT, order))

    @cached_property
    def balance(self) -> SX:
        """(n + c): M a + P multipliers - f and J a + gamma, which are zero along motions."""
        forces = self.M @ self.a + self.P @ self.multipliers - self.f
        return casadi.densify(casadi.vertcat(forces, self.J @ self.a + self.gamma))

    def rate(self, name: str, canonical: bool) -> Any:
        """The function to x' and the multipliers; in momenta where it is `canonical`."""
        own, n = self._motion, self.n
        saddle = Saddle(own, baumgarte=False, redundant=False)
        rates = (Momenta(own, saddle) if canonical else saddle).rates
        results = [rates.x[: 2 * n], rates.multipliers]
        solved: Any = casadi.Function("solved", rates.symbols, results, FEW)
        t, x, u, p = (casadi.MX.sym(key, *each.shape) for key, each in self.arguments.items())
        state = casadi.vertcat(x, 0) if own.works else x
        signals = casadi.MX.zeros(own.whole.u.shape)
        if self._places:
            signals[self._places] = u
        plain = casadi.vertcat(casadi.DM.ones(n + self.c), casadi.DM.zeros(2))
        found = solved(t, state, p, signals, plain)
        names = ["rate", "multipliers"]
        made: Any = casadi.Function(name, [t, x, u, p], found, [*self.arguments], names)
        return made.expand() if solved.is_a("SXFunction") else made
