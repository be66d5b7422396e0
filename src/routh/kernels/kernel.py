"""The compiled functions of one system, batched: residual, linear model, expressions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache, partial
from typing import Any

import casadi
import numpy as np
import sympy

from routh.arrays import Array
from routh.kernels.engine import Engine, Kernel, Point, Unsupported
from routh.kernels.graphs.balance import Balance
from routh.kernels.graphs.batch import Batched
from routh.kernels.graphs.graph import Graph, graph_of
from routh.kernels.graphs.readers import Readers
from routh.kernels.graphs.second_variation import Whole, second_variation
from routh.kernels.native.choice import chosen
from routh.kernels.native.growth import Growth
from routh.kernels.native.in_c import InC
from routh.kernels.native.rests import Rests, RestsInC
from routh.kernels.native.verdicts import Structure, StructureInC
from routh.kernels.sums.assembly import AssembledBalance, SparseVariation, assembly
from routh.language.contact.reaction import depends_on_reactions
from routh.language.symbols import Input
from routh.language.system import System
from routh.language.walk import unfold

WRITTEN_OUT = 100
"""Coordinates up to which accelerations are written out; elimination takes n^3/6 products of each."""

MOST_GROWN = 8
"""Coordinates up to which growth over a period is compiled: a step solves eight times as many."""

_DERIVATIVES = ("L_q", "L_v", "L_vv", "L_vq", "L_qq", "D_vv", "D_vq", "Q_v", "Q_q")


class CompiledKernel:
    """The functions of one system; each is compiled when it is first called."""

    def __init__(self, system: System) -> None:
        self.system = system
        self._assembly = assembly(system) if system.shapes else None
        self._dynamics: dict[Engine, Batched | InC] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        """It is sent as the system it is of, and made again where it arrives."""
        return kernel, (self.system,)

    @cached_property
    def _graph(self) -> Graph:
        """The whole system in CasADi; what a discretized one seldom needs."""
        return graph_of(self.system)

    @property
    def _graphs(self) -> list[Graph]:
        """The engines whose sum the system is."""
        return [self._graph] if self._assembly is None else self._assembly.graphs

    @property
    def _small(self) -> Graph:
        """An engine for constraints and for expressions without integrals."""
        return self._graph if self._assembly is None else self._assembly.outside

    @property
    def signals(self) -> tuple[Input, ...]:
        """Inputs and their derivatives, in the order of `Point.u`."""
        return self.system.signals

    @property
    def is_sum(self) -> bool:
        """Whether the system is discretized, and a plain sum over quadrature points."""
        return self._assembly is not None

    @property
    def depends_on_time(self) -> bool:
        """Whether `t` is left in the compiled energies; it may still cancel in value."""
        return any(graph.depends_on_time for graph in self._graphs)

    @cached_property
    def forces_depend_on_velocity(self) -> bool:
        """Whether D_v - Q contains a velocity; if not, nothing is damped."""
        return any(bool(casadi.depends_on(graph.N, graph.v)) for graph in self._graphs)

    @cached_property
    def forces_depend_on_position(self) -> bool:
        """Whether D_v - Q contains a coordinate, or a force of a constraint; if not, nothing is
        circulatory.
        """
        found = [(graph.N, graph.q) for graph in self._graphs]
        found += [(graph.Q, graph.multipliers) for graph in self._graphs]
        return any(bool(casadi.depends_on(forces, on)) for forces, on in found)

    @cached_property
    def masses_depend_on_time(self) -> bool:
        """Whether `t` is left in L_vv."""
        graph = self._graph
        return bool(casadi.depends_on(graph.M, graph.t))

    @cached_property
    def matrices_depend_on_time(self) -> bool:
        """Whether time or inputs are left in M, C and K along a motion."""
        graph = self._graph
        parts = [casadi.vec(part) for part in second_variation(graph, at_rest=False)]
        return bool(casadi.depends_on(casadi.vertcat(*parts), casadi.vertcat(graph.t, graph.u)))

    def residual(self, point: Point) -> Array:
        """(N, n): d/dt L_v - L_q + D_v + J^T multipliers - Q, along any motion."""
        return self.in_motion.residual(point.arguments)[:, : len(self.system.coordinates)]

    def lagrangian(self, point: Point) -> Array:
        """(N,): L; the constraints' part vanishes where they hold."""
        return self.in_motion.lagrangian(point.arguments)

    def dynamics(
        self, point: Point, forces: Array | None = None, engine: Engine = Engine.AUTO
    ) -> tuple[Array, Array, Array, Array | None]:
        """M (N, n, n), h and Q (N, n) of `M a + h + J^T multipliers = Q`, and a without constraints.

        `forces` (N, n) are added to Q. Both h and Q are taken without the multipliers of `point` and do
        not depend on its a. There is no a where there are constraints or very many coordinates.
        """
        push = np.zeros_like(point.q) if forces is None else forces
        function = self._dynamics_function
        by = chosen(engine, function.n_instructions(), len(push))
        found = self._dynamics_by(by)(*point.arguments, push)
        M, h, Q = found[:3]
        return M, h[..., 0], Q[..., 0], found[3][..., 0] if len(found) > 3 else None

    def _dynamics_by(self, engine: Engine) -> Batched | InC:
        if engine not in self._dynamics:
            function = self._dynamics_function
            self._dynamics[engine] = (
                Batched(function) if engine is Engine.CASADI else InC(function, engine)
            )
        return self._dynamics[engine]

    @cached_property
    def _dynamics_function(self) -> Any:
        graph = self._graph
        push = casadi.SX.sym("forces", graph.q.numel())
        Q = graph.Q + push
        outputs = [graph.M, casadi.densify(graph.h), casadi.densify(Q)]
        if not graph.phi.numel() and graph.q.numel() <= WRITTEN_OUT:
            outputs.append(casadi.densify(casadi.ldl_solve(Q - graph.h, *casadi.ldl(graph.M))))
        return graph.function("dynamics", outputs, [push])

    def derivatives(self, point: Point) -> dict[str, Array]:
        """The gradient and the Hessian blocks of L, and the Jacobians of D_v and Q, by name.

        L_q, L_v (N, n); L_vv, L_vq, L_qq, D_vv, D_vq, Q_v, Q_q (N, n, n), a row for each equation.
        """
        found = dict(zip(_DERIVATIVES, self._derivatives(*point.arguments), strict=True))
        return {name: x[..., 0] if name in ("L_q", "L_v") else x for name, x in found.items()}

    @cached_property
    def _derivatives(self) -> Batched:
        graph = self._graph
        of = {"L_q": graph.g_q, "L_v": graph.g_v, "D_v": graph.D_v, "Q_": graph.Q}
        by = {"q": graph.q, "v": graph.v}
        outputs = [of[n] if n in of else casadi.jacobian(of[n[:-1]], by[n[-1]]) for n in _DERIVATIVES]
        return Batched(graph.function("derivatives", outputs))

    def second_derivatives(self, point: Point) -> dict[str, Array]:
        """L_vv, L_vq, L_qq, and the slopes Q_q and Q_v of the forces with damping, (N, n, n) each."""
        found = self._at_rest_second if point.at_rest else self._second
        names = ("L_vv", "L_vq", "L_qq", "Q_q", "Q_v")
        return dict(zip(names, found(*point.arguments), strict=True))

    def _second_outputs(self) -> list[casadi.SX]:
        graph = self._graph
        push = graph.Q - graph.D_v
        pairs = ((graph.g_v, graph.v), (graph.g_v, graph.q), (graph.g_q, graph.q),
                 (push, graph.q), (push, graph.v))  # fmt: skip
        return [casadi.jacobian(f, x) for f, x in pairs]

    @cached_property
    def _second(self) -> Batched:
        return Batched(self._graph.function("second", self._second_outputs()))

    @cached_property
    def _at_rest_second(self) -> Batched:
        return Batched(self._at_rest_second_function)

    @cached_property
    def _at_rest_second_function(self) -> Any:
        graph = self._graph
        return graph.function("second", graph.at_rest(self._second_outputs()))

    def growth(
        self, engine: Engine, evaluations: float
    ) -> Callable[[list[Array], Array, int], Array] | None:
        """What times of small motions about rests make of them by compiled code, if that pays."""
        if len(self.system.coordinates) > MOST_GROWN or engine is Engine.CASADI:
            return None
        try:
            found = self._growth
        except Unsupported:
            return None
        by = chosen(engine, found.effort, evaluations)
        return partial(found, engine=by) if by.compiles else None

    @cached_property
    def _growth(self) -> Growth:
        return Growth(self._at_rest_second_function, len(self.system.coordinates))

    def momentum_slopes(self, point: Point) -> dict[str, Array]:
        """(N, n, size): the derivatives of L_v by the parameters p, the signals u and velocities v."""
        return dict(zip("puv", self._momentum_slopes(*point.arguments), strict=True))

    @cached_property
    def _momentum_slopes(self) -> Batched:
        graph = self._graph
        by = [casadi.jacobian(graph.g_v, x) for x in (graph.p, graph.u, graph.v)]
        return Batched(graph.function("momentum_slopes", by))

    def about(self, point: Point) -> Balance | AssembledBalance:
        """The equations about a reference: the small ones where nothing moves."""
        return self.at_rest if point.at_rest else self.in_motion

    def sums_about(self, point: Point) -> AssembledBalance | None:
        """The same as a sum over points; None if it is none."""
        about = self.about(point)
        return about if isinstance(about, AssembledBalance) else None

    @cached_property
    def at_rest(self) -> Balance | AssembledBalance:
        """The equations where nothing but time and inputs moves."""
        return self._balance(at_rest=True)

    @cached_property
    def in_motion(self) -> Balance | AssembledBalance:
        """The equations along any motion."""
        return self._balance(at_rest=False)

    def _balance(self, at_rest: bool) -> Balance | AssembledBalance:
        if self._assembly is None:
            return Balance(self._graph, at_rest)
        return AssembledBalance(self._assembly, at_rest)

    @cached_property
    def sparse(self) -> SparseVariation:
        """The matrices of a discretized system of very many coordinates."""
        assert self._assembly is not None
        return SparseVariation(self._assembly)

    def tangent(self, point: Point) -> Array:
        """(N, n + c, n + c): the derivative of the balance by the coordinates and multipliers."""
        K = self.about(point).variation.stiffness(point.arguments)
        if not self.system.constraints:
            return K
        J, slope = self.constraint_slopes(point)
        zero = np.zeros((len(J), J.shape[1], J.shape[1]))
        push = J.swapaxes(1, 2)
        if depends_on_reactions(self.system.forces):
            push = push - self._rubbing(*point.arguments)[0]
        return np.block([[K, push], [slope, zero]])

    @cached_property
    def _rubbing(self) -> Batched:
        """The slopes of the forces by the multipliers."""
        graph = self._graph
        return Batched(graph.function("rubbing", [casadi.densify(graph.Q_multipliers)]))

    def rests(self, point: Point, engine: Engine, least: Array | None = None) -> Rests | None:
        """Rests near guesses `point.q`, by compiled code; None where it is not for these.

        `least` (n,) are sizes that coordinates have at least.
        """
        found = self._rests_in_c if engine is not Engine.CASADI and point.at_rest else None
        if found is None or not found.pays(engine, len(point.q)):
            return None
        return found(point, engine, least)

    @cached_property
    def _rests_in_c(self) -> RestsInC | None:
        about = self.at_rest
        if self.system.constraints or not isinstance(about, Balance):
            return None
        functions = about.rest_functions
        try:
            return None if functions is None else RestsInC(functions)
        except Unsupported:
            return None

    @cached_property
    def damping_depends_on_position(self) -> bool:
        """Whether the symmetric part of C at rest, dM/dt and slopes of D_v - Q, may change with q."""
        if self._assembly is not None:
            return True
        graph = self._graph
        rate = graph.along(casadi.jacobian(graph.g_v, graph.v), at_rest=True)
        parts = graph.at_rest([casadi.jacobian(graph.N, graph.v), rate])
        return any(bool(casadi.depends_on(part, graph.q)) for part in parts)

    def structure(
        self,
        point: Point,
        moved: Sequence[tuple[Array, Array]],
        units: Array,
        matrices: Sequence[Array],
        engine: Engine,
    ) -> Structure | None:
        """What energy decides at rest, by compiled code; None where it is not for these points.

        Of M, D, G, K and H in units (N, n) of their own. `moved` are factors of p and q that move their
        last bits, by trial.
        """
        if engine is Engine.CASADI or not point.at_rest:
            return None
        found = self._structure_in_c(len(moved))
        if found is None or not found.pays(engine, len(point.q)):
            return None
        return found(point, moved, units, matrices, engine)

    @lru_cache(maxsize=2)  # noqa: B019 - kernels live as long as the process
    def _structure_in_c(self, trials: int) -> StructureInC | None:
        variation = self.at_rest.variation
        if self.system.constraints or not isinstance(variation, Whole):
            return None
        if self.damping_depends_on_position:
            return None
        about = self.at_rest
        functions = about.rest_functions if isinstance(about, Balance) else None
        if functions is None:
            return None
        try:
            return StructureInC(variation.rows, functions["balance"], functions["sizes"], trials)
        except Unsupported:
            return None

    def matrices(self, point: Point, engine: Engine = Engine.CASADI) -> tuple[Array, Array, Array]:
        """M, C = D + G and K + H, each (N, n, n), about a rest or any motion."""
        compiled = self._matrices_in_c(point, engine)
        if compiled is None:
            return self.about(point).variation.matrices(point.arguments)
        M, C, K = compiled(*point.arguments)
        return M, C, K

    def matrices_by(self, point: Point, engine: Engine) -> Engine:
        """Which engine makes `matrices` there."""
        return Engine.CASADI if self._matrices_in_c(point, engine) is None else engine.target

    def _matrices_in_c(self, point: Point, engine: Engine) -> InC | None:
        variation = self.about(point).variation
        if not isinstance(variation, Whole):
            return None
        by = chosen(engine, variation.function.n_instructions(), len(point.q))
        return _in_c(variation.function, by) if by.compiles else None

    def constraint_jacobian(self, point: Point) -> Array:
        """(N, c, n): J = dphi/dq, or dphi/dv for a velocity constraint."""
        return self.constraint_slopes(point)[0]

    def constraint_slopes(self, point: Point) -> tuple[Array, Array]:
        """(N, c, n) both: J, and dphi/dq of velocity constraints too."""
        if not self.system.constraints:
            none = np.zeros((len(point.q), 0, point.q.shape[1]))
            return none, none
        J, slope = self._constraints(*point.arguments)
        return J, slope

    @cached_property
    def _constraints(self) -> Batched:
        graph = self._small
        return Batched(graph.function("J", [graph.J, casadi.jacobian(graph.phi, graph.q)]))

    def constraint_accelerations(self, point: Point) -> Array:
        """(N, c): gamma, so that the constraints' accelerations are J a + gamma."""
        return self._gamma(*point.arguments)[0][..., 0]

    @cached_property
    def _gamma(self) -> Batched:
        return Batched(self._graph.function("gamma", [casadi.densify(self._graph.gamma)]))

    def constraint_jacobian_rates(self, point: Point) -> tuple[Array, Array, Array]:
        """(N, c, n) each: J, and its first and second derivatives in time along a motion."""
        J, first, second = self._jacobian_rates(*point.arguments)
        return J, first, second

    @cached_property
    def _jacobian_rates(self) -> Batched:
        graph = self._graph
        first = graph.along(graph.J, at_rest=False)
        second = graph.along(first, at_rest=False)
        outputs = [casadi.densify(each) for each in (graph.J, first, second)]
        return Batched(graph.function("rates", outputs))

    def values(self, expressions: Sequence[sympy.Expr], point: Point) -> Array:
        """(N, number of expressions): their values."""
        return self._readers.values(expressions)(*point.arguments)[0][..., 0]

    @cached_property
    def _readers(self) -> Readers:
        return Readers(self._reading)

    def _reading(self, expressions: Sequence[sympy.Expr]) -> Graph:
        integrals = any(unfold(e).has(sympy.Integral) for e in expressions)
        return self._graph if integrals else self._small

    def by_parameters(self, expressions: Sequence[sympy.Expr], point: Point) -> Array:
        """Their derivatives by the parameters: (N, number of expressions, parameters)."""
        return self._readers.by_parameters(expressions)(*point.arguments)[0]

    def slopes(self, expressions: Sequence[sympy.Expr], point: Point) -> tuple[Array, ...]:
        """Their derivatives by q, v, a and the signals: (N, number of expressions, size) each."""
        return tuple(self._readers.slopes(expressions)(*point.arguments))

    def turned(self, expressions: Sequence[sympy.Expr], point: Point, turn: Point) -> tuple[Array, ...]:
        """How their values (N, number of expressions, 1) and these derivatives change along `turn`."""
        return tuple(self._readers.turned(expressions)(*point.arguments, *turn.arguments))


@lru_cache(maxsize=64)
def _in_c(function: Any, engine: Engine) -> InC | None:
    """A function written out as C, once; None where C has no word for something in it."""
    try:
        return InC(function, engine)
    except Unsupported:
        return None


@lru_cache(maxsize=64)
def kernel(system: System) -> Kernel:
    """The kernel of a system, made once."""
    return CompiledKernel(system)
