"""The equations of rest and of steady motion as functions of their unknowns, and their solution."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from routh.analysis.given.conditions import Conditions
from routh.analysis.given.knob import Knob
from routh.analysis.given.redundancy import least_norm
from routh.analysis.given.where import not_finite, where
from routh.analysis.rest import diagnosis
from routh.analysis.rest.result import Equilibrium
from routh.analysis.rest.stray import stray
from routh.analysis.rest.underflow import LEAST_MOVE, underflowed
from routh.arrays import Array
from routh.errors import NoEquilibrium, SolveError, Status
from routh.kernels.assembly import AssembledBalance
from routh.kernels.kernel import Kernel, Point
from routh.numerics.solving.barriers import crossing
from routh.numerics.solving.newton import Along, Selected, Solution, found, newton
from routh.numerics.solving.settled import LEFT_OVER

PROBES = tuple(float(time) for time in np.exp(-4.1 + 0.7 * np.arange(16)))
"""Times at which a position must balance, 0.017 s to 600 s, to be tried for a rest at all times."""

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

    def __init__(self, engine: Kernel, given: Conditions, q: Array) -> None:
        self.engine = engine
        self.given = given
        self._q = q
        self.n = len(engine.system.coordinates)
        self.width = self.n + len(engine.system.constraints)
        self._held = [engine.system.coordinates.index(q) for q in given.momenta]
        self._turning = list(given.turning)
        self._held_rates = np.array(engine.system.is_holonomic, dtype=bool)
        self._stray = np.zeros((len(q), self.n), dtype=bool)

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

    def _start(self, index: Selected, width: int) -> Array:
        """(k, width): where the coordinates started, and zeros."""
        return np.pad(self._q[index], ((0, 0), (0, width - self.n)))

    def equations(self, x: Array, index: Selected, times: tuple[float, ...] = PROBES[:1]) -> Array:
        """(k, probes * number of unknowns)"""
        return np.concatenate([self._balance(x, index, time) for time in times], axis=1)

    def _balance(self, x: Array, index: Selected, time: float, whole: bool = False) -> Array:
        point = self.point(x, index, time)
        balance = self.engine.about(point).residual(point.arguments)
        if not self._held_rates.all() and not point.at_rest:
            self._clear_rounding(balance, point)
        balance[:, : self.n][self._stray[index]] = 0.0
        if self._turning and not whole:
            balance[:, self._turning] = (x - self._start(index, x.shape[1]))[:, self._turning]
        if not self._held:
            return balance
        wanted = np.stack([momentum[index] for momentum in self.given.momenta.values()], axis=1)
        lacking = self.engine.derivatives(point)["L_v"][:, self._held] - wanted
        return np.concatenate([balance, lacking], axis=1)

    def sizes(self, x: Array, index: Selected, time: float = PROBES[0], whole: bool = False) -> Array:
        """(k, number of unknowns): the absolute sums of what is added up in the equations."""
        point = self.point(x, index, time)
        sizes = self.engine.about(point).sizes(point.arguments)
        if self._turning and not whole:
            moved = np.abs(x) + np.abs(self._start(index, x.shape[1]))
            sizes[:, self._turning] = moved[:, self._turning]
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
    def _is_sum(self) -> bool:
        """Whether the system is made of bodies without constraints, as sums over points."""
        return self.engine.assembly is not None and self.width == self.n and not self._turning

    @property
    def _along(self) -> Along | None:
        """The stiffness along directions with more digits, for bodies that are sums over points."""
        engine = self.engine
        if not self._is_sum:
            return None

        def along(x: Array, index: int, U: Array, V: Array) -> tuple[Array, Array]:
            point = self.point(x[None], np.array([index]))
            about = engine.about(point)
            assert isinstance(about, AssembledBalance)
            return about.stiffness_along(point.arguments, U, V)

        return along

    def crosses(self, x: Array, there: Array, index: Selected) -> NDArray[np.bool_]:
        """(k,) whether a pole of the energy lies on the straight way from one position to another."""

        def poles(place: Array, some: Selected) -> Array:
            point = self.point(place, index[some])
            return self.engine.about(point).poles(point.arguments)

        def forces(place: Array, some: Selected) -> Array:
            return self.equations(place, index[some])

        return crossing(poles, forces, x, there)

    def _clear_rounding(self, balance: Array, point: Point) -> None:
        """Zero velocity constraints that given speeds meet but for rounding: nothing else could."""
        J = self.engine.constraint_jacobian(point)
        size = np.einsum("kcn,kn->kc", np.abs(J), np.abs(point.v))
        rows = balance[:, self.n :]
        rows[(np.abs(rows) <= ROUNDING * size) & ~self._held_rates] = 0.0

    def tangent(self, x: Array, index: Selected, times: tuple[float, ...] = PROBES[:1]) -> Array:
        """(k, probes * number of unknowns, number of unknowns)"""
        return np.concatenate([self._slopes(x, index, time) for time in times], axis=1)

    def _slopes(self, x: Array, index: Selected, time: float, whole: bool = False) -> Array:
        point = self.point(x, index, time)
        by_position = self.engine.tangent(point)
        if self._turning and not whole:
            by_position[:, self._turning] = np.eye(self.width)[self._turning]
        if not self._held:
            return by_position
        by_speed = self.engine.in_motion.slopes(point.arguments)["v"][..., self._held]
        if not whole:
            by_speed[:, self._turning] = 0.0
        of = self.engine.derivatives(point)
        momenta = np.zeros((len(x), len(self._held), x.shape[1]))
        momenta[..., : self.n] = of["L_vq"][:, self._held]
        momenta[..., self.width :] = of["L_vv"][:, self._held][..., self._held]
        return np.concatenate([np.concatenate([by_position, by_speed], axis=2), momenta], axis=1)

    def slope(self, knob: Knob, x: Array) -> Array:
        """(N, number of unknowns): how the equations change with one of the conditions."""
        point = self.point(x, np.arange(len(x)))
        balance = knob.slope(self.engine, point)
        balance[:, self._turning] = 0.0
        if not self._held:
            return balance
        by = knob.of(self.engine, self.engine.momentum_slopes(point))[:, self._held]
        return np.concatenate([balance, by], axis=1)

    def solved(self, start: Array, *, max_steps: int = 100, unit: Array | None = None) -> Solution:
        """Newton's method on the equations, at several times together where they change."""
        with np.errstate(all="ignore"):
            self._stray = stray(self.engine, self.point(start, np.arange(len(start))))
        solution = self._roots(start, max_steps, unit)
        solution = self._above_underflow(self._with_energy(solution), unit)
        if not self.given.may_change_in_time(self.engine):
            return solution
        held = found(solution.status)
        moving = self._changes(solution.x)
        moving &= held if self._turning else held | self._changes(start)
        status = solution.status.copy()
        left = self.left_on_turning(solution.x)
        status[held & ~moving & left.any(axis=1)] = Status.DRIVEN
        residual = solution.residual.copy()
        residual[:, : self.n] = np.maximum(np.abs(residual[:, : self.n]), left)
        solution = replace(solution, status=status, residual=residual)
        if self._turning:  # what turns would have to be held at every time
            status[moving] = Status.TIME_DEPENDENT
            return replace(solution, status=status)
        chosen = np.flatnonzero(moving)
        if self.given.timeless.twin is None:  # what holds at some times says nothing of all
            status[chosen] = Status.TIME_DEPENDENT
            return replace(solution, status=status)
        if not len(chosen):
            return solution
        with np.errstate(all="ignore"):
            again = self._at_all_times(start, chosen)
        width = start.shape[1]
        x, residual, tangent = solution.x.copy(), solution.residual.copy(), solution.tangent.copy()
        x[chosen], tangent[chosen] = again.x, again.tangent[:, :width]
        residual[chosen] = np.abs(again.residual.reshape(len(chosen), -1, width)).max(axis=1)
        status = solution.status.copy()
        status[chosen] = again.status
        still = self._changes(x)[chosen]
        status[chosen[still | ~found(again.status)]] = Status.TIME_DEPENDENT
        return replace(solution, x=x, residual=residual, tangent=tangent, status=status)

    def _changes(self, x: Array) -> NDArray[np.bool_]:
        """(N,) where something changes with time in the equations, or may."""
        return np.asarray(self.given.timeless.rows(self.point(x, np.arange(len(x)), 0.0)).any(axis=1))

    def _at_all_times(self, start: Array, chosen: Selected) -> Solution:
        """Newton's method for some points at several times together."""
        return newton(
            lambda x, index: self.equations(x, chosen[index], PROBES),
            lambda x, index: self.tangent(x, chosen[index], PROBES),
            start[chosen],
            # at time zero: the angle of a fast drive is known to few digits later, which is no excuse
            sizes=lambda x, index: np.tile(self.sizes(x, chosen[index], 0.0), len(PROBES)),
            crosses=lambda x, there, index: self.crosses(x, there, chosen[index]),
        )

    def _roots(self, start: Array, max_steps: int, unit: Array | None) -> Solution:
        """Newton's method; with constraints the equations of what turns are kept, for its multipliers.

        Where they cannot be met, the others are met alone, and what is left on what turns is seen.
        """
        plain = newton(
            self.equations,
            self.tangent,
            start,
            max_steps=max_steps,
            unit=unit,
            sizes=self.sizes,
            crosses=self.crosses,
            work=self.work if self._is_sum else None,
            along=self._along,
        )
        if not self._turning or self.width == self.n:
            return plain
        held = np.eye(start.shape[1])[self._turning]

        def equations(x: Array, index: Selected) -> Array:
            moved = x - self._start(index, x.shape[1])
            return np.concatenate(
                [self._balance(x, index, PROBES[0], whole=True), moved @ held.T], axis=1
            )

        def tangent(x: Array, index: Selected) -> Array:
            slopes = self._slopes(x, index, PROBES[0], whole=True)
            rows = np.broadcast_to(held, (len(x), *held.shape))
            return np.concatenate([slopes, rows], axis=1)

        def sizes(x: Array, index: Selected) -> Array:
            moved = np.abs(x) + np.abs(self._start(index, x.shape[1]))
            return np.concatenate([self.sizes(x, index, whole=True), moved @ held.T], axis=1)

        whole = newton(
            equations,
            tangent,
            start,
            max_steps=max_steps,
            unit=unit,
            sizes=sizes,
            crosses=self.crosses,
        )
        met = np.flatnonzero(found(whole.status))
        x, residual, status = plain.x.copy(), plain.residual.copy(), plain.status.copy()
        x[met], residual[met] = whole.x[met], whole.residual[met, : start.shape[1]]
        status[met] = whole.status[met]
        slopes = plain.tangent.copy()
        slopes[met] = self.tangent(x[met], met)
        return replace(plain, x=x, residual=residual, status=status, tangent=slopes)

    def _with_energy(self, solution: Solution) -> Solution:
        """The solution without points where the forces balance but the energy does not exist."""
        held = np.flatnonzero(found(solution.status))
        with np.errstate(all="ignore"):
            level = self.engine.lagrangian(self.point(solution.x[held], held))
        lost = held[~np.isfinite(level)]
        if not len(lost):
            return solution
        status = solution.status.copy()
        status[lost] = Status.NOT_FINITE
        return replace(solution, status=status)

    def _above_underflow(self, solution: Solution, unit: Array | None) -> Solution:
        """The solution without points where forces vanish because doubles lose them.

        Not in steady motion, where speeds that were rounded leave forces of rounding, nor for bodies,
        which are judged by energies.
        """
        if self._turning or self.engine.system.shapes:
            return solution
        held = np.flatnonzero(solution.status == Status.CONVERGED)
        x, tangent = solution.x[held, : self.width], solution.tangent[held][:, : self.n, : self.width]
        reach = np.abs(x) + LEAST_MOVE * (1.0 if unit is None else unit[: self.width])
        with np.errstate(all="ignore"):
            scale = np.einsum("kmn,kn->km", np.abs(tangent), reach)
            residual = solution.residual[held][:, : self.n]
            point = self.point(solution.x[held], held)
            lost = held[underflowed(self.engine, point, residual, scale, reach)]
        if not len(lost):
            return solution
        status = solution.status.copy()
        status[lost] = Status.UNDERFLOW
        return replace(solution, status=status)

    def left_on_turning(self, x: Array) -> Array:
        """(N, n): forces that would slow down or speed up what turns, zero where there are none.

        They are compared with what is added up in them, and with the momentum times the rate.
        """
        left = np.zeros((len(x), self.n))
        if not self._turning:
            return left
        point = self.point(x, np.arange(len(x)))
        E = self.engine.in_motion.residual(point.arguments)[:, : self.n]
        size = self.engine.in_motion.sizes(point.arguments)[:, : self.n]
        size = size + np.abs(self.engine.derivatives(point)["L_v"] * point.v)
        large = np.abs(np.where(np.abs(E) > DRIVEN * size, E, 0.0))
        left[:, self._turning] = large[:, self._turning]
        return left

    def result(self, solution: Solution) -> Equilibrium:
        """The solution in batch shape, with what is free in it."""
        n, width, every = self.n, self.width, np.arange(self.given.count)
        given = replace(self.given, speeds=self._moving(solution.x, every).speeds)
        fold = given.folded
        point = self.point(solution.x, every)
        idle = self.engine.about(point).idle
        J = self.engine.constraint_jacobian(point)
        return Equilibrium(
            system=self.engine.system,
            conditions=given,
            q=fold(solution.x[:, :n]),
            multipliers=fold(least_norm(J, solution.x[:, n:width])),
            residual=fold(np.abs(solution.residual).max(axis=1)),
            status=fold(solution.status) if given.shape else solution.status[0],
            free=tuple(q for q, out in zip(self.engine.system.coordinates, idle, strict=True) if out),
            tangent=fold(solution.tangent[:, :width, :width]),
            history=solution.history[..., :n].reshape(len(solution.history), *given.shape, n),
        )

    def failure(self, result: Equilibrium) -> SolveError:
        """The error for one point that failed."""
        system = result.system
        point = result.point(PROBES[0])
        about = self.engine.about(point)
        each = [np.abs(about.residual(result.point(time).arguments)[0]) for time in PROBES]
        rows = np.max(each, axis=0)
        if result.status is Status.TIME_DEPENDENT:
            rows = self.given.timeless.rows(result.point(0.0))[0]
            text = diagnosis.changes_with_time(self.given.timeless, rows)
            return NoEquilibrium(text, result)
        if result.status is Status.NOT_FINITE:
            return SolveError(not_finite(system, self.engine, point, guessed=True), result)
        if result.status is Status.UNDERFLOW:
            return SolveError(diagnosis.too_small(system, result.q), result)
        turning = result.turning if result.status is Status.DRIVEN else ()
        unbalanced = diagnosis.unbalanced(system, about, rows, turning)
        if unbalanced:
            return NoEquilibrium(unbalanced, result)
        if (rows <= LEFT_OVER * about.sizes(point.arguments)[0]).all():
            return SolveError(
                f"The forces on {system.title} balance to rounding at"
                f" {where(system, result.q)}, but this does not tell where it rests: beside"
                " stiff parts the digits of soft ones are lost. Take fewer functions, or let stiff"
                " parts be rigid.",
                result,
            )
        if not system.constraints and not result.turning:
            E = about.residual(point.arguments)[0]
            generator = np.random.default_rng(1831)
            reach = np.abs(result.history).max(axis=0)  # in units of its own for each coordinate
            reach = np.where(reach > 0, reach, reach.max(initial=0.0) or 1.0)
            elsewhere = point.q + generator.uniform(0.1, 0.3, (2, self.n)) * reach
            places = [point, *(replace(point, q=q[None]) for q in elsewhere)]
            tangents = np.concatenate([self.engine.tangent(place) for place in places])
            away = diagnosis.pushed_away(system, tangents, E)
            if away:
                return NoEquilibrium(away, result)
        J = self.engine.constraint_slopes(point)[1][0]
        phi = about.residual(point.arguments)[0, self.n :]
        text = diagnosis.unsolved(system, rows, result.q, result.status, J, phi)
        return SolveError(text, result)
