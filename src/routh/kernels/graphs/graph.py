"""The energies of a system as CasADi graphs, and the first derivatives that all else is made of.

L is `L - multipliers . phi` over the holonomic constraints, so that J^T multipliers and the Hessian
of the constraints come by themselves. Velocity constraints are in no Lagrangian: they act beside the
forces, as J^T multipliers with J = dphi/dv.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

import casadi
import sympy

from routh.kernels.graphs.composite import mass_matrix
from routh.kernels.graphs.field_graph import Fields
from routh.kernels.graphs.lower import SX, lower
from routh.kernels.graphs.sides import Sides
from routh.language.calculus import ddt
from routh.language.contact.reaction_symbol import Reaction
from routh.language.fields import Field, Space
from routh.language.forces import Force
from routh.language.shapes import Rule, Shape
from routh.language.symbols import Coordinate, Input, Parameter, t
from routh.language.system import System
from routh.language.walk import leaves, lets


@dataclass(frozen=True, eq=False)
class Parts:
    """What an engine needs of a system, for a part of one."""

    coordinates: tuple[Coordinate, ...]
    parameters: tuple[Parameter, ...]
    signals: tuple[Input, ...]
    lagrangian: tuple[sympy.Expr, ...]
    dissipation: tuple[sympy.Expr, ...]
    forces: tuple[Force, ...]
    constraints: tuple[sympy.Expr, ...] = ()
    is_holonomic: tuple[bool, ...] = ()
    multipliers: tuple[sympy.Symbol, ...] = ()
    shapes: tuple[Shape, ...] = ()
    spaces: tuple[Space, ...] = ()
    rules: Mapping[Space, Rule] = field(default_factory=dict)
    kinetic: tuple[sympy.Expr, ...] = ()
    potential: tuple[sympy.Expr, ...] = ()

    @property
    def velocities(self) -> tuple[Coordinate, ...]:
        """The velocities, in the order of the coordinates."""
        return tuple(q.rate for q in self.coordinates)


def without_energies(system: System, rules: Mapping[Space, Rule]) -> Parts:
    """The coordinates and shapes of a system alone, to read expressions at points by these rules."""
    return Parts(
        coordinates=system.coordinates,
        parameters=system.parameters,
        signals=system.signals,
        lagrangian=(),
        dissipation=(),
        forces=(),
        constraints=(sympy.S.Zero,) * len(system.constraints),
        is_holonomic=(True,) * len(system.constraints),
        multipliers=system.multipliers,
        shapes=system.shapes,
        spaces=system.spaces,
        rules=rules,
    )


class Graph:
    """A system in CasADi: its arguments, L, the gradient of L, and D_v - Q.

    Attributes:
        signals: the inputs with all derivatives that the equations of motion can contain; the
            order of `u`.
        arguments: t, q, v, a, p, u, multipliers, the arguments of every function.
        energy: L as declared.
        L: L - multipliers . phi over the holonomic constraints, so that its derivatives contain
            J^T multipliers and the multiplier-weighted constraint Hessian.
        g_q, g_v: L_q and L_v.
        D_v, Q: the Rayleigh term and the generalized forces.
        N: D_v - Q, and J^T multipliers of the velocity constraints, which are in no Lagrangian.
        phi: the constraints; `holonomic` and `velocity` are their places by kind.
        sides: of `pieces`, functions put together of pieces, the switches and the sides chosen.
    """

    def __init__(
        self,
        system: System | Parts,
        constant: Callable[[sympy.Basic], SX] | None = None,
        pieces: Sequence[sympy.Basic] = (),
    ) -> None:
        self.system = system
        self._constant = constant
        n = len(system.coordinates)
        self.signals = system.signals
        self.t = casadi.SX.sym("t")
        self.q, self.v, self.a = (casadi.SX.sym(name, n) for name in "qva")
        self.p = casadi.SX.sym("p", len(system.parameters))
        self.u = casadi.SX.sym("u", len(self.signals))
        self.multipliers = casadi.SX.sym("multipliers", len(system.constraints))
        self.arguments = [self.t, self.q, self.v, self.a, self.p, self.u, self.multipliers]
        self._symbols = self._symbol_table()
        self.fields: Fields | None = None
        if system.shapes:
            self.fields = Fields(system, self._lowered)
        self.sides = Sides(pieces, self._lowered, self._symbols)
        kinds = system.is_holonomic
        self.holonomic = [k for k, kind in enumerate(kinds) if kind]
        self.velocity = [k for k, kind in enumerate(kinds) if not kind]
        self.energy, self.phi = self._lagrangian()
        self.L = self.energy - casadi.dot(self.multipliers[self.holonomic], self.phi[self.holonomic])
        self.z = casadi.vertcat(self.q, self.v)
        gradient = casadi.gradient(self.L, self.z)
        self.g_q, self.g_v = gradient[:n], gradient[n:]
        self.D_v, self.Q = self._losses(), self._forces()
        self.N = self.D_v - self.Q
        if self.velocity:
            reaction = casadi.dot(self.multipliers[self.velocity], self.phi[self.velocity])
            self.N += casadi.gradient(reaction, self.v)

    def _symbol_table(self) -> dict[sympy.Symbol, SX]:
        table: dict[sympy.Symbol, SX] = {t: self.t}
        known: list[tuple[Sequence[sympy.Symbol], SX]] = [
            (self.system.parameters, self.p),
            (self.signals, self.u),
        ]
        if not self.system.shapes:  # else there may be very many, of which few are read
            accelerations = [v.rate for v in self.system.velocities]
            known += [
                (self.system.coordinates, self.q),
                (self.system.velocities, self.v),
                (accelerations, self.a),
            ]
        for names, column in known:
            table.update(zip(names, column.elements(), strict=True))
        table.update(zip(self.system.multipliers, self.multipliers.elements(), strict=True))
        pairs = zip(self.system.constraints, (-self.multipliers).elements(), strict=True)
        table.update((Reaction(phi), own) for phi, own in pairs)
        return table

    def lowered(self, expressions: Sequence[sympy.Expr]) -> SX:
        """A column of expressions in CasADi."""
        return _column(self._lowered(expressions))

    def _lowered(self, expressions: Sequence[sympy.Expr]) -> list[SX]:
        if self.fields is None:
            return lower(expressions, self._symbols, self._constant)
        for x in leaves(expressions):
            if isinstance(x, Field) and x.end is not None and x not in self._symbols:
                self._symbols[x] = self.fields.end_value(x)
            elif isinstance(x, Coordinate) and x not in self._symbols and x.base in self._places:
                self._symbols[x] = (self.q, self.v, self.a)[x.order][self._places[x.base]]
        return lower(expressions, self._symbols, self._constant, self.fields.integral)

    @cached_property
    def _places(self) -> dict[Coordinate, int]:
        return {q: k for k, q in enumerate(self.system.coordinates)}

    def _lagrangian(self) -> tuple[SX, SX]:
        system = self.system
        parts = (system.kinetic, system.lagrangian, system.potential, system.constraints)
        terms = [term for part in parts for term in part]
        named = [] if self.fields is not None or isinstance(system, Parts) else lets(terms)
        found = self._lowered([*terms, *named])
        self._lets = dict(zip(named, found[len(terms) :], strict=True))
        lowered = iter(found)
        T, L, V, phi = (_column([next(lowered) for _ in part]) for part in parts)
        return casadi.sum1(T) + casadi.sum1(L) - casadi.sum1(V), phi

    def _losses(self) -> SX:
        if not self.system.dissipation:
            return casadi.SX.zeros(self.v.shape)
        return casadi.gradient(casadi.sum1(self.lowered(self.system.dissipation)), self.v)

    def _forces(self) -> SX:
        """By virtual work: the transposed Jacobian of the points times the forces there."""
        forces = self.system.forces
        if not forces:
            return casadi.SX.zeros(self.q.shape)
        pairs = [self._force(force) for force in forces]
        at, components = (casadi.vertcat(*column) for column in zip(*pairs, strict=True))
        return casadi.jtimes(at, self.q, components, True)

    def _force(self, force: Force) -> tuple[SX, SX]:
        """The points of a force and its components there; a distributed one acts at many points."""
        if force.space is None:
            return self.lowered(force.at), self.lowered(force.components)
        assert self.fields is not None
        return self.fields.distributed(force, force.space)

    @cached_property
    def M(self) -> SX:
        """(n, n): L_vv, by way of named intermediates where there are."""
        if self.fields is None and self._constant is None:
            M = mass_matrix([*self.system.kinetic, *self.system.lagrangian], self.v, self._with)
            if M is not None:
                return M
        return casadi.jacobian(self.g_v, self.v)

    def _with(self, expressions: Sequence[sympy.Expr], own: Mapping[sympy.Symbol, SX]) -> list[SX]:
        """Expressions with symbols in the place of some intermediates; the others as L has them."""
        made = {let: self._lets[let] for let in lets(expressions) if let in self._lets}
        return lower(expressions, {**self._symbols, **made, **own}, self._constant)

    @cached_property
    def J(self) -> SX:
        """(c, n): dphi/dq, or dphi/dv for a velocity constraint."""
        by_q, by_v = (casadi.jacobian(self.phi, x) for x in (self.q, self.v))
        if not self.velocity:
            return by_q
        rows = [(by_v if k in self.velocity else by_q)[k, :] for k in range(self.phi.numel())]
        return casadi.vertcat(*rows)

    @cached_property
    def Q_multipliers(self) -> SX:
        """(n, c): the slopes of the forces by the multipliers; Q is linear in them."""
        return casadi.jacobian(self.Q, self.multipliers)

    @cached_property
    def free_Q(self) -> SX:
        """(n, 1): the forces where those of the constraints are zero."""
        still = casadi.SX.zeros(self.multipliers.shape)
        (free,) = casadi.substitute([self.Q], [self.multipliers], [still])
        return free

    @cached_property
    def phi_rate(self) -> SX:
        """(c, 1): J v and what is left without velocities; zero along every motion."""
        rate = casadi.SX(self.phi)
        if self.holonomic:
            rate[self.holonomic] = self.along(self.phi[self.holonomic], at_rest=False)
        return rate

    @cached_property
    def gamma(self) -> SX:
        """(c, 1): the accelerations of the constraints are J a + gamma."""
        rise = self.along(self.phi_rate, at_rest=False)
        (gamma,) = casadi.substitute([rise], [self.a], [casadi.SX.zeros(self.a.shape)])
        return gamma

    @cached_property
    def h(self) -> SX:
        """(n, 1): d/dt L_v - L_q + D_v without accelerations and multipliers."""
        whole = self.along(self.g_v, at_rest=False) - self.g_q + self.D_v
        free = [self.a, self.multipliers]
        (h,) = casadi.substitute([whole], free, [casadi.SX.zeros(x.shape) for x in free])
        return h

    @cached_property
    def depends_on_time(self) -> bool:
        """Whether `t` is left in the graphs; it may still cancel in value."""
        return bool(casadi.depends_on(casadi.vertcat(self.L, self.N, self.phi), self.t))

    @cached_property
    def _rise(self) -> SX:
        """The rate of `u`: each signal is followed by its derivative; L contains none of the last."""
        place = {signal: k for k, signal in enumerate(self.signals)}
        return casadi.vertcat(*(self.u[place[s.rate]] if s.rate in place else 0 for s in self.signals))

    def along(self, expression: SX, at_rest: bool) -> SX:
        """The total time derivative along the reference; at rest only time and inputs go on."""
        x, rate = [self.t], [casadi.SX(1)]
        if self.signals:
            x, rate = [*x, self.u], [*rate, self._rise]
        if not at_rest:
            x, rate = [*x, self.q, self.v], [*rate, self.v, self.a]
        if not casadi.depends_on(expression, casadi.vertcat(*x)):
            return casadi.SX(*expression.shape)
        flat = casadi.jtimes(casadi.vec(expression), casadi.vertcat(*x), casadi.vertcat(*rate))
        return casadi.reshape(flat, *expression.shape)

    def input_columns(self, at_rest: bool) -> SX:
        """B, a column for each signal u: -(d/dt L_vu + L_vu_ - L_qu + N_u), u_ one dot below u."""
        L_vu, L_qu, N_u = (casadi.jacobian(f, self.u) for f in (self.g_v, self.g_q, self.N))
        B = L_qu - N_u - self.along(L_vu, at_rest)
        place = {signal: k for k, signal in enumerate(self.signals)}
        for k, signal in enumerate(self.signals):
            if signal.order:
                B[:, k] -= L_vu[:, place[ddt(signal.base, signal.order - 1)]]
        return B

    def at_rest(self, expressions: Sequence[SX]) -> list[SX]:
        """The expressions without velocities and accelerations: smaller graphs, fewer nonzeros."""
        moving = [self.v, self.a]
        still: list[SX] = casadi.substitute(
            list(expressions), moving, [casadi.SX.zeros(x.shape) for x in moving]
        )
        return [casadi.sparsify(expression) for expression in still]

    def function(self, name: str, outputs: Sequence[SX], extra: Sequence[SX] = ()) -> Any:
        """A CasADi function of all arguments, and of extra ones."""
        return casadi.Function(name, [*self.arguments, *extra], list(outputs))


@lru_cache(maxsize=64)
def graph_of(system: System) -> Graph:
    """The graph of a whole system, made once."""
    return Graph(system)


def _column(entries: list[SX]) -> SX:
    return casadi.vertcat(*entries) if entries else casadi.SX(0, 1)
