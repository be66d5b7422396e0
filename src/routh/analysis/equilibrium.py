"""Positions of rest and steady motions: E = 0 and phi = 0 with constant velocities, at every time.

E = d/dt L_v - L_q + D_v - Q + J^T multipliers. In a steady motion some coordinates, on which nothing
depends, turn or slide on at constant rates; at rest all rates are zero.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import sympy
from numpy.typing import NDArray

from routh.analysis import diagnosis
from routh.analysis.time import PROBES, changing_rest
from routh.analysis.values import Conditions, Knob, Numbers, columns_of, conditions, own_expression
from routh.errors import (
    DerivationError,
    NoEquilibrium,
    SolveError,
    Status,
    capital,
    quoted,
    shortened,
)
from routh.kernels.batch import Array
from routh.kernels.kernel import Kernel, Point, kernel
from routh.language.symbols import Coordinate
from routh.language.system import System, checked_system
from routh.language.walk import leaves
from routh.numerics.newton import RELATIVE, Selected, Solution, found, newton

EPSILON = 1e-6
"""Share of the other forces that counts as the least scale of what turns."""


@dataclass(frozen=True, eq=False, repr=False)
class Equilibrium:
    """One position of rest, or steady motion, for every point of the batch.

    Attributes:
        system: the system.
        conditions: parameter values, inputs and speeds it was found for.
        q: (..., n) coordinates; in a steady motion at time zero.
        multipliers: (..., c) one for each constraint.
        residual: (...) largest violation of the equations, in their own units.
        status: a `Status` for one point, an array of them for a batch.
        free: the coordinates that enter no equation; they stay at the guess.
        tangent: (..., n + c, n + c) derivative of the equations by q and the multipliers.
        history: (steps + 1, ..., n) the iterates of q.
    """

    system: System
    conditions: Conditions
    q: Array
    multipliers: Array
    residual: Array
    status: Any
    free: tuple[Coordinate, ...]
    tangent: Array
    history: Array

    @property
    def values(self) -> dict[str, Array]:
        """Parameter values by name, of batch shape."""
        return self.conditions.values

    @property
    def v(self) -> Array:
        """(..., n) velocities: zero at rest, constant rates in a steady motion."""
        return self.conditions.folded(self.conditions.speeds)

    @property
    def momenta(self) -> Array:
        """(..., n) generalized momenta L_v."""
        return self.conditions.folded(kernel(self.system).derivatives(self.point())["L_v"])

    @property
    def turning(self) -> tuple[int, ...]:
        """The places of the coordinates that move on in a steady motion."""
        return self.conditions.turning

    @property
    def converged(self) -> Any:
        """Whether the equations hold: a bool, or an array of them for a batch."""
        if not self.conditions.shape:
            return self.status in (Status.CONVERGED, Status.DEGENERATE)
        return found(self.status)

    def chosen(self, index: Selected) -> Equilibrium:
        """Some points of the batch, which may repeat, as a batch of one axis."""
        stacked = self.conditions.stacked
        status = np.atleast_1d(np.asarray(self.status, dtype=object)).reshape(-1)[index]
        return replace(
            self,
            conditions=self.conditions.chosen(index),
            q=stacked(self.q)[index],
            multipliers=stacked(self.multipliers)[index],
            residual=stacked(np.asarray(self.residual))[index],
            status=status,
            tangent=stacked(self.tangent)[index],
            history=self.history.reshape(len(self.history), -1, self.q.shape[-1])[:, index],
        )

    def single(self, k: int) -> Equilibrium:
        """One point of the batch alone."""
        one = self.chosen(np.array([k]))
        return replace(
            one,
            conditions=one.conditions.single(),
            q=one.q[0],
            multipliers=one.multipliers[0],
            residual=one.residual[0],
            status=one.status[0],
            tangent=one.tangent[0],
            history=one.history[:, 0],
        )

    def point(self, time: float = 0.0) -> Point:
        """The equilibrium at a time as a stack, for kernels."""
        given = self.conditions
        q, multipliers = given.stacked(self.q), given.stacked(self.multipliers)
        return given.point(kernel(self.system), q, multipliers, time)

    def __getitem__(self, expression: sympy.Expr) -> Array:
        """The value of any expression at this equilibrium."""
        checked = own_expression(self.system, expression, "What is read at an equilibrium")
        value = kernel(self.system).values([checked], self.point())[:, 0]
        return self.conditions.folded(value)

    def __repr__(self) -> str:
        where = self.q.tolist() if self.q.size < 9 else f"of shape {self.q.shape}"
        return f"Equilibrium({self.system.title}, q {where})"

    def __str__(self) -> str:
        if self.conditions.shape:
            return (
                f"{np.sum(self.converged)} of {self.conditions.count} equilibria of"
                f" {self.system.title} found, in a batch of shape {self.conditions.shape}."
            )
        place = diagnosis.where(self.system, self.q, digits=10)
        if self.turning:
            moving = [self.system.velocities[k] for k in self.turning]
            rates = zip(moving, self.v[list(self.turning)], strict=True)
            place += ", moving on with " + ", ".join(f"{v} = {x:.10g}" for v, x in rates)
        note = diagnosis.loose(self.system, self.tangent)
        return f"{capital(self.system.title)} at {place}. {self.status}{note}"


def equilibrium(
    system: System,
    values: Numbers,
    *,
    guess: Numbers | None = None,
    inputs: Numbers | None = None,
    speeds: Numbers | None = None,
    momenta: Numbers | None = None,
    raises: bool = True,
) -> Equilibrium:
    """A position of rest or a steady motion near a guess, by Newton's method with the exact tangent.

    Arguments:
        system: the system.
        values: a number or an array for each parameter; arrays broadcast and add leading axes.
        guess: where to start for some coordinates; zero for the others. Arrays are welcome.
        inputs: constants for inputs, zero if not given. A constant derivative is welcome too
            (`{ddt(x_b, 2): 3.0}`): the input is then a polynomial in time.
        speeds: constant rates of coordinates that move on, like `{phi: 5.0}` for a conical pendulum:
            a steady motion. Nothing may depend on such a coordinate itself.
        momenta: the same by the generalized momentum L_v of a coordinate; its rate is found.
        raises: whether one point that fails raises an error. A batch never does: look at
            `converged` and `status`.

    The equations must hold at every time. Where time cancels, as in a frame turning at constant
    rate, this is found out by evaluation. A coordinate on which nothing depends is left at its
    guess and named in `free`.

    Raises:
        NoEquilibrium: no rest satisfies the equations at every time; names coordinate and term.
        SolveError: Newton's method failed; `error.result` is where it stopped.
        DeclarationError: for values that are missing, unknown or no numbers.
    """
    checked_system(system, "equilibrium")
    refuse_velocity_constraints(system)
    given, by = conditions(system, values, inputs, guess=guess, speeds=speeds, momenta=momenta)
    q = columns_of(system, given.count, by["guess"])
    problem = Problem(kernel(system), given, q)
    result = problem.result(problem.solved(problem.start(q)))
    if raises and not given.shape and not result.converged:
        raise problem.failure(result)
    return result


def settle(reference: Equilibrium, index: Selected, q: Array) -> Array:
    """(k, n): where Newton's method ends from other positions, for some points of a batch."""
    given = reference.conditions
    problem = Problem(kernel(reference.system), given, given.stacked(reference.q))
    start = problem.unknowns(q, given.stacked(reference.multipliers)[index], given.speeds[index])
    found = newton(
        lambda x, some: problem.equations(x, index[some]),
        lambda x, some: problem.tangent(x, index[some]),
        start,
    )
    return found.x[:, : problem.n]


def settled_from(reference: Equilibrium, index: Selected, source: Selected) -> Equilibrium:
    """The batch with some points solved again, each from where another point of it is."""
    given = reference.conditions
    q, multipliers = given.stacked(reference.q), given.stacked(reference.multipliers)
    problem = Problem(kernel(reference.system), given.chosen(index), q[source])
    start = problem.unknowns(q[source], multipliers[source], given.speeds[source])
    again = problem.result(problem.solved(start))
    better = index[again.converged]
    stacks = {
        name: given.stacked(np.array(getattr(reference, name)))
        for name in ("q", "multipliers", "residual", "tangent", "status")
    }
    for name, stack in stacks.items():
        stack[better] = getattr(again, name)[again.converged]
    q, multipliers, residual, tangent, status = (given.folded(x) for x in stacks.values())
    return replace(
        reference, q=q, multipliers=multipliers, residual=residual, tangent=tangent, status=status
    )


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

    def _balance(self, x: Array, index: Selected, time: float) -> Array:
        point = self.point(x, index, time)
        balance = self.engine.about(point).residual(point.arguments)
        if self._turning:
            balance[:, self._turning] = (x - self._start(index, x.shape[1]))[:, self._turning]
        if not self._held:
            return balance
        wanted = np.stack([momentum[index] for momentum in self.given.momenta.values()], axis=1)
        lacking = self.engine.derivatives(point)["L_v"][:, self._held] - wanted
        return np.concatenate([balance, lacking], axis=1)

    def tangent(self, x: Array, index: Selected, times: tuple[float, ...] = PROBES[:1]) -> Array:
        """(k, probes * number of unknowns, number of unknowns)"""
        return np.concatenate([self._slopes(x, index, time) for time in times], axis=1)

    def _slopes(self, x: Array, index: Selected, time: float) -> Array:
        point = self.point(x, index, time)
        by_position = self.engine.tangent(point)
        if self._turning:
            by_position[:, self._turning] = np.eye(self.width)[self._turning]
        if not self._held:
            return by_position
        by_speed = self.engine.in_motion.slopes(point.arguments)["v"][..., self._held]
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
        solution = newton(self.equations, self.tangent, start, max_steps=max_steps, unit=unit)
        solution = self._with_energy(solution)
        if not self.given.may_change_in_time(self.engine):
            return solution
        every = np.arange(len(start))
        held = found(solution.status)
        moving = held & changing_rest(self.engine, lambda time: self.point(solution.x, every, time))
        status = solution.status.copy()
        status[held & ~moving & ~self.driven(solution.x)] = Status.STALLED
        solution = replace(solution, status=status)
        if self._turning:  # what turns would have to be held at every time
            status[moving] = Status.TIME_DEPENDENT
            return replace(solution, status=status)
        chosen = np.flatnonzero(moving)
        if not len(chosen):
            return solution
        again = newton(
            lambda x, index: self.equations(x, chosen[index], PROBES),
            lambda x, index: self.tangent(x, chosen[index], PROBES),
            start[chosen],
        )
        width = start.shape[1]
        x, residual, tangent = solution.x.copy(), solution.residual.copy(), solution.tangent.copy()
        x[chosen], tangent[chosen] = again.x, again.tangent[:, :width]
        residual[chosen] = np.abs(again.residual.reshape(len(chosen), -1, width)).max(axis=1)
        status = solution.status.copy()
        status[chosen] = again.status
        status[chosen[~found(again.status)]] = Status.TIME_DEPENDENT
        return replace(solution, x=x, residual=residual, tangent=tangent, status=status)

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

    def driven(self, x: Array) -> NDArray[np.bool_]:
        """(N,) whether nothing slows down or speeds up what turns: its equation holds as well.

        Its forces are compared with the momentum times the rate, and with what drives and damps it.
        """
        if not self._turning:
            return np.ones(len(x), dtype=bool)
        point = self.point(x, np.arange(len(x)))
        E = self.engine.in_motion.residual(point.arguments)[:, : self.n]
        slopes = self.engine.in_motion.slopes(point.arguments)
        size = np.abs(self.engine.derivatives(point)["L_v"] * point.v)
        size = size + size.max(axis=1, keepdims=True) * EPSILON
        for name, rates in (("v", point.v), ("u", point.u)):
            size += np.einsum("kmn,kn->km", np.abs(slopes[name]), np.abs(rates))[:, : self.n]
        size += EPSILON * np.abs(self.engine.tangent(point)).max(axis=(1, 2))[:, None]
        small = np.abs(E) <= RELATIVE * size
        return np.asarray(small[:, self._turning].all(axis=1))

    def result(self, solution: Solution) -> Equilibrium:
        """The solution in batch shape, with what is free in it."""
        n, width, every = self.n, self.width, np.arange(self.given.count)
        given = replace(self.given, speeds=self._moving(solution.x, every).speeds)
        fold = given.folded
        idle = self.engine.about(self.point(solution.x, every)).idle
        return Equilibrium(
            system=self.engine.system,
            conditions=given,
            q=fold(solution.x[:, :n]),
            multipliers=fold(solution.x[:, n:width]),
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
            return NoEquilibrium(diagnosis.changes_with_time(system, rows, result.turning), result)
        if result.status is Status.NOT_FINITE:
            return SolveError(diagnosis.not_finite(system, self.engine, point), result)
        unbalanced = diagnosis.unbalanced(system, about, rows, result.turning)
        if unbalanced:
            return NoEquilibrium(unbalanced, result)
        return SolveError(diagnosis.unsolved(system, rows, result.q, result.status), result)


def refuse_velocity_constraints(system: System) -> None:
    """Refuse constraints that contain velocities."""
    for phi in system.constraints:
        moving = [s for s in leaves([phi]) if isinstance(s, Coordinate) and s.order]
        if moving:
            raise DerivationError(
                f"An equilibrium is found with constraints phi(q, t) = 0. Got `{shortened(phi)}`, which"
                f" contains the velocity {quoted(moving[:1])}."
            )
