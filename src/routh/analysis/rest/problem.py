"""The equations of rest and of steady motion as functions of their unknowns.

Steady motions are rests with velocities: `Conditions` carry constant speeds, `Point` their
velocities, and the same Newton's method and second derivatives serve both. What turns is held where
it starts, in the place of its equation, which is checked afterwards.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from routh.analysis.given.balance_slopes import by_knob, by_unknowns
from routh.analysis.given.conditions import Conditions
from routh.analysis.given.knob import Knob
from routh.analysis.given.redundancy import least_norm
from routh.analysis.rest.result import Equilibrium
from routh.analysis.rest.stray import stray
from routh.arrays import Array, Selected
from routh.kernels.engine import Engine, Kernel, Point
from routh.language.contact.reaction import depends_on_reactions
from routh.numerics.solving.barriers import crosses_pole
from routh.numerics.solving.newton import Along, Solution
from routh.numerics.solving.settled import LEFT_OVER

PROBES = tuple(float(time) for time in np.exp(-4.1 + 0.7 * np.arange(16)))
"""Times, 0.017 s to 600 s, at which a position is made to balance when one is looked for that does so
at all times. Whether it does is shown by `Problem.changes`, which samples nothing."""

DRIVEN = 1e-10
"""A force on what turns above this share of what is added up in it changes its rate."""

ROUNDING = 1e-12
"""Velocity constraints below this share of the velocities in them are met."""


class Problem:
    """The equations under given conditions, as functions of x = (q, multipliers, unknown speeds).

    Speeds are unknown where momenta are given; then `L_v - momentum` is among the equations. A
    coordinate that turns is held where it starts, in the place of its equation: nothing depends on
    it. Whether its equation holds is seen afterwards.
    """

    def __init__(
        self, engine: Kernel, given: Conditions, q: Array, stray: NDArray[np.bool_] | None = None
    ) -> None:
        self.engine = engine
        self.given = given
        self._q = q
        self.n = len(engine.system.coordinates)
        self.width = self.n + len(engine.system.constraints)
        self._held = [engine.system.coordinates.index(q) for q in given.momenta]
        self.turning = list(given.turning)
        self._held_rates = np.array(engine.system.is_holonomic, dtype=bool)
        self._stray = np.zeros((len(q), self.n), dtype=bool) if stray is None else stray

    def without_stray(self, x: Array) -> Problem:
        """The same without forces of rounding size on coordinates that nothing holds."""
        found = stray(self.engine, self.point(x, np.arange(len(x))))
        return Problem(self.engine, self.given, self._q, found)

    def unknowns(self, q: Array, multipliers: Array, speeds: Array) -> Array:
        """(k, number of unknowns): x of positions, multipliers and velocities (k, n)."""
        return np.concatenate([q, multipliers, speeds[:, self._held]], axis=1)

    def start(self, q: Array) -> Array:
        """The guess, with the multipliers that balance it best in the sense of least squares."""
        x = np.concatenate([q, np.zeros((len(q), self.width - self.n + len(self._held)))], axis=1)
        if self._held:
            x[:, self.width :] = self._rates(x)
        if self.width == self.n:
            return x
        every = np.arange(len(x))
        E = self.equations(x, every)[:, : self.n]
        J = self.engine.constraint_jacobian(self.point(x, every))
        good = np.isfinite(J).all(axis=(1, 2)) & np.isfinite(E).all(axis=1)
        inverse = np.linalg.pinv(J[good].swapaxes(1, 2))
        x[good, self.n : self.width] = -np.einsum("kcn,kn->kc", inverse, E[good])
        return x

    def _rates(self, x: Array) -> Array:
        """(N, held): the speeds at which the momenta are as given, linear in them as a rule."""
        point = self.point(x, np.arange(len(x)))
        of = self.engine.derivatives(point)
        lacking = np.stack(list(self.given.momenta.values()), axis=1) - of["L_v"][:, self._held]
        inertia = np.nan_to_num(of["L_vv"][:, self._held][..., self._held])
        rates = np.einsum("kij,kj->ki", np.linalg.pinv(inertia), lacking)
        return np.asarray(np.nan_to_num(rates))

    def point(self, x: Array, index: Selected, time: float = PROBES[0]) -> Point:
        """Where the kernels are evaluated for some of the points."""
        given = self._moving(x, index)
        chosen = index if given is self.given else None
        q, multipliers = x[:, : self.n], x[:, self.n : self.width]
        return given.point(self.engine, q, multipliers, time, chosen)

    def _moving(self, x: Array, index: Selected) -> Conditions:
        """The conditions of some points with the speeds that are unknown taken from x."""
        if not self._held:
            return self.given
        given = self.given.chosen(index)
        speeds = given.speeds.copy()
        speeds[:, self._held] = x[:, self.width :]
        return replace(given, speeds=speeds)

    def began(self, index: Selected, width: int) -> Array:
        """(k, width): where the coordinates started, and zeros."""
        return np.pad(self._q[index], ((0, 0), (0, width - self.n)))

    def equations(self, x: Array, index: Selected, times: tuple[float, ...] = PROBES[:1]) -> Array:
        """(k, probes * number of unknowns)"""
        return np.concatenate([self.balance(x, index, time) for time in times], axis=1)

    def balance(self, x: Array, index: Selected, time: float, whole: bool = False) -> Array:
        """(k, number of unknowns): the equations at a time; `whole` keeps those of what turns."""
        point = self.point(x, index, time)
        balance = self.engine.about(point).residual(point.arguments)
        if not self._held_rates.all() and not point.at_rest:
            self._clear_rounding(balance, point)
        balance[:, : self.n][self._stray[index]] = 0.0
        if self.turning and not whole:
            balance[:, self.turning] = (x - self.began(index, x.shape[1]))[:, self.turning]
        if not self._held:
            return balance
        wanted = np.stack([momentum[index] for momentum in self.given.momenta.values()], axis=1)
        lacking = self.engine.derivatives(point)["L_v"][:, self._held] - wanted
        return np.concatenate([balance, lacking], axis=1)

    def sizes(self, x: Array, index: Selected, time: float = PROBES[0], whole: bool = False) -> Array:
        """(k, number of unknowns): the absolute sums of what is added up in the equations."""
        point = self.point(x, index, time)
        sizes = self.engine.about(point).sizes(point.arguments)
        if self.turning and not whole:
            moved = np.abs(x) + np.abs(self.began(index, x.shape[1]))
            sizes[:, self.turning] = moved[:, self.turning]
        if not self._held:
            return sizes
        wanted = np.stack([momentum[index] for momentum in self.given.momenta.values()], axis=1)
        of = self.engine.derivatives(point)
        added = np.einsum("kij,kj->ki", np.abs(of["L_vv"]), np.abs(point.v))[:, self._held]
        return np.concatenate([sizes, added + np.abs(wanted)], axis=1)

    def work(self, x: Array, index: Selected) -> Array:
        """(k,): what the forces that act on the bodies at zero deflection do on the way to x.

        Infinite where no forces act there, or where there is no such position.
        """
        still = np.zeros_like(x)
        with np.errstate(all="ignore"):
            loads = np.abs(self.equations(still, index))
            acting = loads > LEFT_OVER * self.sizes(still, index)
            done = np.sum(np.where(acting, loads * np.abs(x), 0.0), axis=1)
        return np.where(np.isfinite(done) & acting.any(axis=1), done, np.inf)

    @property
    def is_plain(self) -> bool:
        """Whether these are the forces at rest alone: nothing turns, is held, strays or changes."""
        still = self.width == self.n and not self.turning and not self._held
        return still and not self._stray.any() and not self.given.may_change_in_time(self.engine)

    @property
    def is_sum(self) -> bool:
        """Whether the system is made of bodies without constraints, as sums over points."""
        return self.engine.is_sum and self.width == self.n and not self.turning

    @property
    def along(self) -> Along | None:
        """The stiffness along directions with more digits, for bodies that are sums over points."""
        engine = self.engine
        if not self.is_sum:
            return None

        def along(x: Array, index: int, U: Array, V: Array) -> tuple[Array, Array]:
            point = self.point(x[None], np.array([index]))
            sums = engine.sums_about(point)
            assert sums is not None
            return sums.stiffness_along(point.arguments, U, V)

        return along

    def crosses(self, x: Array, there: Array, index: Selected) -> NDArray[np.bool_]:
        """(k,) whether a pole of the energy lies on the straight way from one position to another."""

        def poles(place: Array, some: Selected) -> Array:
            point = self.point(place, index[some])
            return self.engine.about(point).poles(point.arguments)

        def forces(place: Array, some: Selected) -> Array:
            return self.equations(place, index[some])

        return crosses_pole(poles, forces, x, there)

    def _clear_rounding(self, balance: Array, point: Point) -> None:
        """Zero velocity constraints that given speeds meet but for rounding: nothing else could."""
        J = self.engine.constraint_jacobian(point)
        size = np.einsum("kcn,kn->kc", np.abs(J), np.abs(point.v))
        rows = balance[:, self.n :]
        rows[(np.abs(rows) <= ROUNDING * size) & ~self._held_rates] = 0.0

    def tangent(self, x: Array, index: Selected, times: tuple[float, ...] = PROBES[:1]) -> Array:
        """(k, probes * number of unknowns, number of unknowns)"""
        return np.concatenate([self.slopes(x, index, time) for time in times], axis=1)

    def slopes(self, x: Array, index: Selected, time: float, whole: bool = False) -> Array:
        """(k, number of unknowns, number of unknowns): how `balance` changes."""
        point = self.point(x, index, time)
        return by_unknowns(self.engine, point, self.turning, self._held, whole=whole)

    def slope(self, knob: Knob, x: Array) -> Array:
        """(N, number of unknowns): how the equations change with one of the conditions."""
        point = self.point(x, np.arange(len(x)))
        return by_knob(self.engine, point, knob, self.turning, self._held)

    def changes(self, x: Array) -> NDArray[np.bool_]:
        """(N,) where something changes with time in the equations, or may."""
        if not self.given.may_change_in_time(self.engine):
            return np.zeros(len(x), dtype=bool)
        return np.asarray(self.given.timeless.rows(self.point(x, np.arange(len(x)), 0.0)).any(axis=1))

    def has_energy(self, x: Array, index: Selected) -> NDArray[np.bool_]:
        """(k,) where the energy exists: forces may balance where it does not."""
        with np.errstate(all="ignore"):
            return np.isfinite(self.engine.lagrangian(self.point(x, index)))

    def left_on_turning(self, x: Array) -> Array:
        """(N, n): forces that would slow down or speed up what turns, zero where there are none.

        They are compared with what is added up in them, and with the momentum times the rate.
        """
        left = np.zeros((len(x), self.n))
        if not self.turning:
            return left
        point = self.point(x, np.arange(len(x)))
        E = self.engine.in_motion.residual(point.arguments)[:, : self.n]
        size = self.engine.in_motion.sizes(point.arguments)[:, : self.n]
        size = size + np.abs(self.engine.derivatives(point)["L_v"] * point.v)
        large = np.abs(np.where(np.abs(E) > DRIVEN * size, E, 0.0))
        left[:, self.turning] = large[:, self.turning]
        return left

    def result(self, solution: Solution, engine: Engine = Engine.CASADI) -> Equilibrium:
        """The solution in batch shape, with what is free in it, by the engine that was asked for."""
        n, width, every = self.n, self.width, np.arange(self.given.count)
        given = replace(self.given, speeds=self._moving(solution.x, every).speeds)
        fold = given.folded
        point = self.point(solution.x, every)
        idle = self.engine.about(point).idle
        multipliers = solution.x[:, n:width]
        if multipliers.size and not depends_on_reactions(self.engine.system.forces):
            multipliers = least_norm(self.engine.constraint_jacobian(point), multipliers)
        return Equilibrium(
            system=self.engine.system,
            conditions=given,
            q=fold(solution.x[:, :n]),
            multipliers=fold(multipliers),
            residual=fold(np.abs(solution.residual).max(axis=1)),
            status=fold(solution.status) if given.shape else solution.status[0],
            free=tuple(q for q, out in zip(self.engine.system.coordinates, idle, strict=True) if out),
            tangent=fold(solution.tangent[:, :width, :width]),
            history=solution.history[..., :n].reshape(len(solution.history), *given.shape, n),
            engine=engine.target if solution.compiled else Engine.CASADI,
        )
