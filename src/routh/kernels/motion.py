"""The motion of a system as compiled functions of time and state.

Accelerations and multipliers solve the saddle-point system

    [[M, J^T], [J, 0]] (a, multipliers) = (Q - h, -gamma)

inside the compiled function, by sparse QR (LDL without constraints), after scaling rows and columns
by the numbers at the start: metres and radians, masses and lengths, then count alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any

import casadi
import sympy

from routh.kernels.batch import Batched
from routh.kernels.instructions.effort import effort
from routh.kernels.instructions.sizes import Sizes
from routh.kernels.kernel import kernel
from routh.kernels.lower import SX
from routh.language.symbols import Input
from routh.language.system import System

SOFT = 1e-8
"""Softness of scaled redundant constraints. Solved three times over, what it changes is its cube."""

SMALL = 10
"""Coordinates up to which accelerations are written out entry by entry; measured on pendulums."""

FIRST = 1e-3
"""The first step of CVODES, in units of time of the run; it grows from there."""

LONG = 1000
"""Instructions of x' from which on Adams gets it without slopes."""

KEPT = 64
"""Integrators of one motion that are kept."""

Laws = tuple[tuple[Input, sympy.Expr], ...]
"""What signals are, as expressions in time, coordinates, velocities and parameters."""


class Motion:
    """The compiled functions of one system under given laws for its inputs.

    All are functions of `arguments`: t, x, p, u, k. The state x is (q, v), and the work done on the
    system as a last entry where it can change (`works`); u are all signals of the system, those that
    laws give being ignored; k holds the scales of the coordinates (n) and of the constraints (c), and
    alpha and beta of Baumgarte's stabilization.
    """

    def __init__(self, system: System, laws: Laws, baumgarte: bool, redundant: bool) -> None:
        self.system = system
        self._graph = graph = kernel(system).graph
        self.laws = laws
        self.redundant = redundant
        self.n, self.c = graph.q.numel(), graph.phi.numel()
        self._work = casadi.SX.sym("work")
        self._scales = [casadi.SX.sym(name, size) for name, size in (("s", self.n), ("r", self.c))]
        self._gains = casadi.SX.sym("gains", 2)
        self._baumgarte = baumgarte
        self._laid: dict[str, Any] = {}
        self._integrators: dict[tuple[Any, ...], Any] = {}

    @cached_property
    def works(self) -> bool:
        """Whether forces, damping, time or moving constraints can change the energy.

        Where time enters the energies by jumps alone there is no power between them, but work at them.
        """
        graph = self._graph
        (energy,) = self._with_laws([graph.energy])
        return bool(self._power.nnz()) or bool(casadi.depends_on(energy, graph.t))

    @cached_property
    def damped(self) -> bool:
        """Whether forces or laws contain velocities, so that something may decay."""
        (N,) = self._with_laws([self._graph.D_v - self._graph.Q])
        return bool(casadi.depends_on(N, self._graph.v))

    @property
    def size(self) -> int:
        """The length of the state."""
        return 2 * self.n + int(self.works)

    @cached_property
    def _arguments(self) -> list[SX]:
        graph = self._graph
        work = [self._work] if self.works else []
        x = casadi.vertcat(graph.q, graph.v, *work)
        return [graph.t, x, graph.p, graph.u, casadi.vertcat(*self._scales, self._gains)]

    def _with_laws(self, expressions: Sequence[SX]) -> list[SX]:
        """The expressions with the signals that laws give replaced by them."""
        graph = self._graph
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
        graph = self._graph
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
    def moving_energy(self) -> tuple[Input, ...]:
        """The signals on which the work done on the system depends."""
        graph = self._graph
        if not graph.signals:
            return ()
        mask = casadi.which_depends(casadi.densify(self._power), graph.u, 1)
        return tuple(u for u, used in zip(graph.signals, mask, strict=True) if used)

    @cached_property
    def _power(self) -> SX:
        """d/dt (v . L_v - L): what forces, damping, time and moving constraints do."""
        graph = self._graph
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

    def _function(self, name: str, outputs: Sequence[SX], extra: Sequence[SX] = ()) -> Any:
        return casadi.Function(name, [*self._arguments, *extra], self._with_laws(outputs))

    def _matrix(self, rows: list[int]) -> SX:
        """The scaled matrix [[M, J^T], [J, 0]] of some of the constraints."""
        graph = self._graph
        s, r = self._scales
        M = casadi.mtimes([casadi.diag(s), casadi.jacobian(graph.g_v, graph.v), casadi.diag(s)])
        J = casadi.mtimes([casadi.diag(r), graph.J, casadi.diag(s)])[rows, :]
        c = len(rows)
        corner = -SOFT * casadi.SX.eye(c) if self.redundant else casadi.SX(c, c)
        return casadi.blockcat([[M, J.T], [J, corner]])

    @cached_property
    def _saddle(self) -> Any:
        """The matrix of all constraints, the right side of motion, and the one that projects v."""
        graph = self._graph
        s, r = self._scales
        pull = graph.gamma
        if self._baumgarte and self.c:
            alpha, beta = self._gains[0], self._gains[1]
            held = casadi.SX(self.c, 1)
            if graph.holonomic:
                held[graph.holonomic] = graph.phi[graph.holonomic]
            pull = pull + 2 * alpha * graph.phi_rate + beta**2 * held
        right = casadi.vertcat(s * (graph.Q - graph.h), -r * pull)
        off = casadi.vertcat(casadi.SX(self.n, 1), -r * graph.phi_rate)
        sides = [casadi.densify(side) for side in (right, off)]
        return self._function("saddle", [self._matrix(list(range(self.c))), *sides])

    @cached_property
    def _places(self) -> Any:
        """The matrix of the holonomic constraints alone, and the side that projects q."""
        graph = self._graph
        rows = graph.holonomic
        off = casadi.vertcat(casadi.SX(self.n, 1), -self._scales[1][rows] * graph.phi[rows])
        return self._function("places", [self._matrix(rows), casadi.densify(off)])

    def _solved(self, K: Any, right: Any, c: int) -> Any:
        """K^-1 right; redundant constraints by a proximal iteration, which ends at least norm."""
        if not c:
            return casadi.solve(K, right, "ldl")
        if not self.redundant:
            return casadi.solve(K, right, "qr")
        n = self.n
        found = casadi.MX.zeros(n + c)
        for _ in range(3):
            found = casadi.solve(K, right - casadi.vertcat(casadi.MX.zeros(n), SOFT * found[n:]), "qr")
        return found

    @cached_property
    def _symbols(self) -> list[Any]:
        return [casadi.MX.sym(f"z{k}", *x.shape) for k, x in enumerate(self._arguments)]

    @cached_property
    def _state(self) -> tuple[list[Any], Any, Any, Any]:
        """Symbols, and x', a and the multipliers as expressions of them."""
        if not self.c and self.n <= SMALL:
            return self._small_state()
        z = self._symbols
        n, c = self.n, self.c
        K, right, _ = self._saddle(*z)
        y = self._solved(K, right, c)
        a, multipliers = casadi.vertsplit(z[4][: n + c] * y, [0, n, n + c])
        rate = [z[1][n : 2 * n], a]
        if self.works:
            power = self._function("power", [self._power], [self._graph.a, self._graph.multipliers])
            rate.append(power(*z, a, multipliers))
        return z, casadi.vertcat(*rate), a, multipliers

    def _small_state(self) -> tuple[list[Any], Any, Any, Any]:
        """The same for few coordinates without constraints, entry by entry."""
        graph = self._graph
        M, right, power = self._with_laws(
            [casadi.jacobian(graph.g_v, graph.v), graph.Q - graph.h, self._power]
        )
        D, LT, order = casadi.ldl(M)
        a = casadi.ldl_solve(right, D, LT, order)
        rate: list[Any] = [graph.v, a]
        if self.works:
            rate += casadi.substitute([power], [graph.a], [a])
        return self._arguments, casadi.vertcat(*rate), a, casadi.SX(0, 1)

    def function(self, name: str) -> Any:
        """One of the functions below by name, compiled once."""
        if name not in self._laid:
            self._laid[name] = getattr(self, f"_{name}_function")()
        return self._laid[name]

    def _rate_function(self) -> Any:
        """The rate x'."""
        z, rate, _, _ = self._state
        return casadi.Function("rate", z, [casadi.densify(rate)])

    def _slope_function(self) -> Any:
        """(size, size): dx'/dx, dense."""
        z, rate, _, _ = self._state
        return casadi.Function("slope", z, [casadi.densify(casadi.jacobian(rate, z[1]))])

    def _solved_function(self) -> Any:
        """The accelerations a, and the multipliers."""
        z, _, a, multipliers = self._state
        return casadi.Function("solved", z, [casadi.densify(a), multipliers])

    @cached_property
    def timed(self) -> bool:
        """Whether time enters the equations of motion, by energies, constraints or laws."""
        z, rate, _, _ = self._state
        return bool(casadi.depends_on(rate, z[0]))

    def integrator(
        self, method: str, grid: tuple[float, ...], most: int, rtol: float, atol: float, longest: float
    ) -> Any:
        """CVODES of SUNDIALS on these equations, from t0 through t0 + h grid, all of it compiled.

        A function of x0 and of p = (p, u, k, t0, h); Adams or BDF, with at most so many steps (rounded
        to a power of two) from one time to the next, and a largest step in units of h. Time is counted
        in h, since CasADi takes times closer than 1e-9 for the same.
        """
        most = 2 ** max(0, most).bit_length()
        key = (method, grid, most, rtol, atol, longest)
        if key not in self._integrators:
            if len(self._integrators) >= KEPT:
                self._integrators.clear()
            options: dict[str, Any] = {"reltol": rtol, "abstol": atol, "max_num_steps": most}
            options |= {"show_eval_warnings": False, "disable_internal_warnings": True}
            options["step0"] = FIRST  # else it would follow from the first output
            if longest < float("inf"):
                options["max_step_size"] = longest
            if method == "Adams":
                options |= {"linear_multistep_method": "adams"}
                options |= {"nonlinear_solver_iteration": "functional"}
            try:
                made = self._cvodes(self._rate_for(method), self._wrapped(method), grid, options)
            except RuntimeError:  # some graphs CasADi must differentiate after all
                if not self._wrapped(method):
                    raise
                made = self._cvodes(self.function("rate"), False, grid, options)
            self._integrators[key] = made
        return self._integrators[key]

    def _cvodes(self, rate: Any, wrapped: bool, grid: tuple[float, ...], options: Any) -> Any:
        z = self._state[0]
        kind = casadi.MX if rate.is_a("MXFunction") or wrapped else type(z[1])
        x, t, t0, h = kind.sym("x", self.size), kind.sym("t"), kind.sym("t0"), kind.sym("h")
        p, u, k = (kind.sym(name, y.numel()) for name, y in zip("puk", z[2:], strict=True))
        ode = h * rate(t0 + h * t, x, p, u, k)
        dae = {"x": x, "t": t, "p": casadi.vertcat(p, u, k, t0, h), "ode": ode}
        return casadi.integrator("cvodes", "cvodes", dae, 0, list(grid), options)

    def _wrapped(self, method: str) -> bool:
        """Whether an integrator calls the rate as it is: it would differentiate it in vain."""
        return method == "Adams" and self.effort > LONG

    def _rate_for(self, method: str) -> Any:
        """The rate as an integrator takes it.

        CasADi differentiates what it integrates, which for long graphs takes ten times as long as all
        else. Adams with functional iteration needs no slopes, so that none are offered.
        """
        if not self._wrapped(method):
            return self.function("rate")
        if "closed rate" not in self._laid:
            z, rate, _, _ = self._state
            none = {"enable_forward": False, "enable_reverse": False, "enable_jacobian": False}
            options = {"never_inline": True, "enable_fd": True, **none}
            self._laid["closed rate"] = casadi.Function("rate", z, [casadi.densify(rate)], options)
        return self._laid["closed rate"]

    @cached_property
    def effort(self) -> int:
        """Instructions of one evaluation of x'."""
        return effort(self.function("rate"))

    def varied(
        self, grid: tuple[float, ...], most: int, rtol: float, atol: float, longest: float
    ) -> Any:
        """CVODES on these equations together with their variational ones, from t0 through t0 + h grid.

        A function of the state x and the growths X (2n, 2n + parameters + 1), as one column, and of
        (p, u, k, t0, h): X' = dx'/dx X + (0, dx'/dp, dx'/dt), the last for a later start. The longest
        step is in units of h.
        """
        key = ("varied", grid, most, rtol, atol, longest)
        if key in self._integrators:
            return self._integrators[key]
        z, rate, _, _ = self._state
        kind, n, count = type(z[1]), 2 * self.n, z[2].numel()
        X = kind.sym("X", n, n + count + 1)
        slope = casadi.jacobian(rate[:n], z[1])[:, :n]
        by = [casadi.jacobian(rate[:n], z[k]) for k in (2, 0)]
        direct = casadi.horzcat(kind.zeros(n, n), *by)
        whole = casadi.Function("whole", [*z, X], [rate, slope @ X + direct])
        t, t0, h = kind.sym("t"), kind.sym("t0"), kind.sym("h")
        p, u, k = (kind.sym(name, x.numel()) for name, x in zip("puk", z[2:], strict=True))
        own, grown = whole(t0 + h * t, z[1], p, u, k, X)
        dae = {"x": casadi.vertcat(z[1], casadi.vec(X)), "t": t,
               "p": casadi.vertcat(p, u, k, t0, h),
               "ode": h * casadi.vertcat(own, casadi.vec(grown))}  # fmt: skip
        options: dict[str, Any] = {"reltol": rtol, "abstol": atol, "max_num_steps": most,
                   "step0": FIRST,
                   "linear_multistep_method": "adams", "nonlinear_solver_iteration": "functional",
                   "show_eval_warnings": False, "disable_internal_warnings": True}  # fmt: skip
        if longest < float("inf"):
            options["max_step_size"] = longest
        made = casadi.integrator("varied", "cvodes", dae, 0, list(grid), options)
        self._integrators[key] = made
        return made

    def _projected_function(self) -> Any:
        """The state after one step towards the constraints, nearest in the kinetic energy, and how
        far q moved in scaled coordinates.
        """
        z = self._symbols
        n, c = self.n, self.c
        x = z[1]
        q, v, rest = x[:n], x[n : 2 * n], x[2 * n :]
        moved = casadi.MX.zeros(1)
        held = len(self._graph.holonomic)
        if held:
            K, off = self._places(*z)
            y = self._solved(K, off, held)[:n]
            q = q + z[4][:n] * y
            moved = casadi.norm_inf(y)
        K, _, off = self._saddle(z[0], casadi.vertcat(q, v, rest), *z[2:])
        v = v + z[4][:n] * self._solved(K, off, c)[:n]
        return casadi.Function("projected", z, [casadi.vertcat(q, v, rest), moved])

    def _held_function(self) -> Any:
        """The holonomic phi, and the rates J v + ... of all constraints."""
        graph = self._graph
        phi = graph.phi[graph.holonomic] if graph.holonomic else casadi.SX(0, 1)
        return self._function("held", [casadi.densify(phi), casadi.densify(graph.phi_rate)])

    def _matrices_function(self) -> Any:
        """M and J, without scales."""
        graph = self._graph
        return self._function("matrices", [casadi.jacobian(graph.g_v, graph.v), graph.J])

    def _energy_function(self) -> Any:
        """The energy v . L_v - L, and the same without velocities."""
        graph = self._graph
        (L_v,) = casadi.substitute([graph.g_v], [graph.multipliers], [casadi.SX.zeros(self.c)])
        H = casadi.dot(L_v, graph.v) - graph.energy
        (still,) = casadi.substitute([-graph.energy], [graph.v], [casadi.SX.zeros(self.n)])
        return self._function("energy", [casadi.densify(H), casadi.densify(still)])

    def _momenta_function(self) -> Any:
        """(n, 1): L_v at (q, v)."""
        graph = self._graph
        (L_v,) = casadi.substitute([graph.g_v], [graph.multipliers], [casadi.SX.zeros(self.c)])
        return self._function("momenta", [casadi.densify(L_v)])

    def _signals_function(self) -> Any:
        """All signals, with those that laws give."""
        return self._function("signals", [casadi.densify(self._graph.u)])

    @cached_property
    def used(self) -> tuple[Input, ...]:
        """The signals that the equations of motion contain."""
        graph = self._graph
        if not graph.signals:
            return ()
        M = casadi.jacobian(graph.g_v, graph.v)
        parts = [graph.h, graph.Q, graph.phi, graph.phi_rate, graph.gamma, casadi.vec(M)]
        every = casadi.vertcat(*(casadi.densify(part) for part in (*parts, casadi.vec(graph.J))))
        mask = casadi.which_depends(every, graph.u, 1)
        return tuple(u for u, used in zip(graph.signals, mask, strict=True) if used)

    @cached_property
    def held_rows(self) -> Batched:
        """The holonomic phi and their slopes J, of stacks of arguments."""
        graph = self._graph
        phi = graph.phi[graph.holonomic]
        return Batched(self._function("held_rows", [casadi.densify(phi), graph.J[graph.holonomic, :]]))

    @cached_property
    def held_curvature(self) -> Batched:
        """(n, n): the second derivatives of mu . phi by q, holonomic phi and stacks of (..., mu)."""
        graph = self._graph
        mu = casadi.SX.sym("mu", len(graph.holonomic))
        bent, _ = casadi.hessian(casadi.dot(mu, graph.phi[graph.holonomic]), graph.q)
        return Batched(self._function("held_curvature", [bent], [mu]))

    @cached_property
    def held_sizes(self) -> Sizes:
        """The sizes of what is added up in the function `held`."""
        return Sizes(self.function("held"))

    def values(self, expressions: Sequence[sympy.Expr]) -> Any:
        """Expressions without accelerations, and their rates, as a function of the arguments.

        The rates are along x', an argument more; inputs are held fixed in them.
        """
        graph = self._graph
        (column,) = self._with_laws([graph.lowered(expressions)])
        if self.c and casadi.depends_on(column, graph.multipliers):
            return self._values_with_multipliers(column)
        rate = casadi.SX.sym("rate", self._arguments[1].numel())
        x = casadi.vertcat(graph.t, self._arguments[1])
        slope = casadi.jtimes(column, x, casadi.vertcat(1, rate))
        outputs: list[Any] = [casadi.densify(column), casadi.densify(slope)]
        return casadi.Function("values", [*self._arguments, rate], outputs)

    def _values_with_multipliers(self, column: SX) -> Any:
        """The same where multipliers, which follow from the state, are watched."""
        plain = casadi.Function("plain", [*self._arguments, self._graph.multipliers], [column])
        z, _, _, multipliers = self._state
        found = plain(*z, multipliers)
        rate = casadi.MX.sym("rate", self._arguments[1].numel())
        slope = casadi.jtimes(found, casadi.vertcat(z[0], z[1]), casadi.vertcat(1, rate))
        return casadi.Function("both", [*z, rate], [casadi.densify(found), casadi.densify(slope)])


@lru_cache(maxsize=32)
def motion(system: System, laws: Laws, baumgarte: bool, redundant: bool) -> Motion:
    """The compiled motion of a system, made once."""
    return Motion(system, laws, baumgarte, redundant)


def ordered(laws: Mapping[Input, sympy.Expr]) -> Laws:
    """Laws in an order that does not depend on how they were given."""
    return tuple(sorted(laws.items(), key=lambda law: (law[0].serial, law[0].order)))
