"""The motion of a system as compiled functions of time and state, for given laws of its inputs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache
from typing import Any

import casadi
import numpy as np
import sympy

from routh.arrays import Array
from routh.kernels.engine import Engine, Unsupported
from routh.kernels.graphs.batch import Batched
from routh.kernels.instructions.sizes import Sizes
from routh.kernels.motion_engine import Fleet, Laws, Motion, Watched
from routh.kernels.moving.compiled_run import CompiledRun, Integrators
from routh.kernels.moving.in_place import InPlace
from routh.kernels.moving.momentum_rates import Momenta
from routh.kernels.moving.motion_graph import MotionGraph
from routh.kernels.moving.saddle import Saddle
from routh.kernels.moving.state_functions import Equations, StateFunctions
from routh.kernels.native.choice import chosen
from routh.kernels.native.ensemble import Ensemble, refuse_unwritten
from routh.kernels.native.held_ensemble import HeldEnsemble
from routh.kernels.native.step_rounds import StepRounds
from routh.kernels.native.stiff_ensemble import StiffEnsemble
from routh.language.symbols import Input
from routh.language.system import System


class CompiledMotion:
    """The compiled functions of one system; those by name are made when they are first asked for."""

    def __init__(self, graph: MotionGraph, equations: Equations) -> None:
        self._graph, self._equations = graph, equations
        self.system, self.laws = graph.system, graph.laws
        self.n, self.c = graph.n, graph.c
        self.redundant, self.in_momenta = equations.redundant, equations.in_momenta
        self._functions = StateFunctions(graph, equations)
        self._stacked: dict[str, Batched] = {}
        self._ensembles: dict[Watched, Ensemble] = {}
        self._rounds: dict[int, StepRounds | None] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        """It is sent as what it is made of, and made again where it arrives."""
        made = canonical_motion if self.in_momenta else motion
        return made, (self.system, self.laws, self._equations.baumgarte, self.redundant)

    @property
    def size(self) -> int:
        """The length of the state."""
        return self._graph.size

    @property
    def works(self) -> bool:
        """Whether forces, damping, time or moving constraints can change the energy."""
        return self._graph.works

    @property
    def damped(self) -> bool:
        """Whether forces or laws contain velocities, so that something may decay."""
        return self._graph.damped

    @property
    def used(self) -> tuple[Input, ...]:
        """The signals that the equations of motion contain."""
        return self._graph.used

    @property
    def moving_energy(self) -> tuple[Input, ...]:
        """The signals on which the work done on the system depends."""
        return self._graph.moving_energy

    @property
    def effort(self) -> int:
        """Instructions of one evaluation of x'."""
        return self._integrators.effort

    @cached_property
    def timed(self) -> bool:
        """Whether time enters the equations of motion, by energies, constraints or laws."""
        rates = self._equations.rates
        return bool(casadi.depends_on(rates.x, rates.symbols[0]))

    def in_place(self, name: str, arguments: Sequence[Array]) -> InPlace:
        """One of the functions, at arguments that are written into from outside."""
        return InPlace(self._functions[name], arguments)

    def at_points(self, name: str, arguments: Sequence[Array]) -> list[Array]:
        """Results of one of the functions for stacks of arguments, (N, rows, columns) each."""
        if name not in self._stacked:
            self._stacked[name] = Batched(self._functions[name])
        return self._stacked[name](*arguments)

    @cached_property
    def _integrators(self) -> Integrators:
        equations = self._equations
        return Integrators(lambda: equations.rates, lambda: self._functions["rate"], self.size, self.n)

    def run(
        self,
        implicit: bool,
        x: Array,
        p: Array,
        grid: tuple[float, ...],
        most: int,
        tolerances: tuple[float, float],
        longest: float,
    ) -> CompiledRun:
        """A run by CVODES from x through the times t0 + h grid, which has not begun.

        `p` is (p, u, k, t0, h); BDF if it is implicit, else Adams, with at most so many steps from one
        time to the next, a relative and an absolute tolerance and a longest step in units of h.
        """
        function = self._integrators.plain(implicit, grid, most, *tolerances, longest)
        return CompiledRun(function, x, p, len(grid))

    def fleet(
        self,
        x: Array,
        given: tuple[Array, Array, Array],
        tolerances: Array,
        times: Array,
        last: float,
        longest: float,
        engine: Engine,
        watched: Watched = (),
        gap: float = np.inf,
        *,
        implicit: bool = False,
    ) -> Fleet:
        """Runs by compiled code, which have not begun."""
        if implicit:
            return self._stiff_ensemble.begin(x, given[:2], tolerances, times, last, longest)
        if self._held_ensemble is not None:
            return self._held_ensemble.begin(x, given, tolerances, times, last, longest)
        own = self._ensemble(watched)
        return own.begin(x, given[:2], tolerances, times, last, longest, engine, gap)

    def compiled(
        self, engine: Engine, evaluations: float, watched: Watched = (), *, implicit: bool = False
    ) -> bool:
        """Whether `fleet` is to be used for so many evaluations of x' by an engine."""
        if engine is Engine.CASADI or (self.c and (self.redundant or implicit)):
            return False
        if engine is Engine.CUDA and (self.c or implicit):  # these are for cores alone
            return False
        try:
            own = self._stiff_ensemble if implicit else self._held_ensemble or self._ensemble(watched)
            by = chosen(engine, own.effort, evaluations)
        except Unsupported:
            return False
        return by.compiles

    def _ensemble(self, watched: Watched) -> Ensemble:
        if watched not in self._ensembles:
            expressions, directions = [e for e, _ in watched], [way for _, way in watched]
            watch = self._functions.of(expressions) if watched else None
            own = self._functions["written"], self._functions["energy"], self.n, self.works
            self._ensembles[watched] = Ensemble(*own, watch, directions)
        return self._ensembles[watched]

    @cached_property
    def _held_ensemble(self) -> HeldEnsemble | None:
        """The same with projection; None without constraints."""
        if not self.c or not isinstance(self._equations, Saddle):
            return None
        functions = self._functions
        return HeldEnsemble(self._equations.parts, functions["rate"], functions["energy"])

    @cached_property
    def _stiff_ensemble(self) -> StiffEnsemble:
        """The same by the implicit method."""
        rate, slope, energy = (self._functions[name] for name in ("rate", "slope", "energy"))
        refuse_unwritten(rate, slope, energy)
        return StiffEnsemble(rate, slope, energy, self.n, self.works)

    def rounds(self, engine: Engine, evaluations: float, nodes: int) -> StepRounds | None:
        """Steps of exponential collocation by compiled code, where that is to be used."""
        if self.c or engine is Engine.CASADI:
            return None
        if nodes not in self._rounds:
            try:
                self._rounds[nodes] = StepRounds(self._functions["rate"], self.n, nodes)
            except Unsupported:
                self._rounds[nodes] = None
        found = self._rounds[nodes]
        if found is None or chosen(engine, found.effort, evaluations, read=0) is not Engine.C:
            return None
        return found

    def varied(
        self, grid: tuple[float, ...], most: int, tolerances: tuple[float, float], longest: float
    ) -> Callable[[Array, Array], Array]:
        """A function of (x, X) and of (p, u, k, t0, h) that gives (x, X) at the times, (T, size).

        X (2n, 2n + parameters + 1), column by column, is how changes of the start, of the parameters
        and of the first time have grown. Raises RuntimeError where CVODES does not get there.
        """
        function = self._integrators.varied(grid, most, *tolerances, longest)

        def grown(state: Array, p: Array) -> Array:
            leg = CompiledRun(function, np.array(state, dtype=float), p, len(grid))
            leg.run()
            return leg.states

        return grown

    def held_rows(self, arguments: Sequence[Array]) -> tuple[Array, Array]:
        """(N, h) the holonomic phi, and (N, h, n) their slopes J, for stacks of arguments."""
        phi, J = self._held_rows(*arguments)
        return phi[..., 0], J

    @cached_property
    def _held_rows(self) -> Batched:
        graph = self._graph.whole
        phi, J = graph.phi[graph.holonomic], graph.J[graph.holonomic, :]
        return Batched(self._graph.function("held_rows", [casadi.densify(phi), J]))

    def held_curvature(self, arguments: Sequence[Array], mu: Array) -> Array:
        """(N, n, n): the second derivatives of mu . phi by q, for stacks of arguments and of mu."""
        return self._held_curvature(*arguments, mu)[0]

    @cached_property
    def _held_curvature(self) -> Batched:
        graph = self._graph.whole
        mu = casadi.SX.sym("mu", len(graph.holonomic))
        bent, _ = casadi.hessian(casadi.dot(mu, graph.phi[graph.holonomic]), graph.q)
        return Batched(self._graph.function("held_curvature", [bent], [mu]))

    def held_sizes(self, arguments: Sequence[Array]) -> list[Array]:
        """The sizes of what is added up in `held`, (N, rows, 1) each."""
        return self._held_sizes(arguments)

    @cached_property
    def _held_sizes(self) -> Sizes:
        return Sizes(self._functions["held"])

    def watched(self, expressions: Sequence[sympy.Expr]) -> Callable[..., Array]:
        """A function of t, x, p, u, k and x' that gives values and rates (2, k) of expressions.

        They contain no accelerations; inputs are held fixed in the rates.
        """
        function = Batched(self._functions.of(expressions))

        def values(*arguments: Array | float) -> Array:
            found = function(*(np.reshape(each, (1, -1)) for each in arguments))
            return np.array([each[0, :, 0] for each in found])

        return values


@lru_cache(maxsize=32)
def motion(system: System, laws: Laws, baumgarte: bool, redundant: bool) -> Motion:
    """The compiled motion of a system by Lagrange's equations, made once."""
    graph = MotionGraph(system, laws)
    return CompiledMotion(graph, Saddle(graph, baumgarte, redundant))


@lru_cache(maxsize=32)
def canonical_motion(system: System, laws: Laws, baumgarte: bool, redundant: bool) -> Motion:
    """The compiled motion of a system by Hamilton's equations, made once."""
    graph = MotionGraph(system, laws)
    return CompiledMotion(graph, Momenta(graph, Saddle(graph, baumgarte, redundant)))
