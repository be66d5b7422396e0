"""Positions of rest: d_t L_v - L_q + D_v + J^T multipliers = Q and phi = 0 at v = 0, at every time."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import sympy

from routh.analysis import diagnosis
from routh.analysis.time import PROBES, changing_rest
from routh.analysis.values import Conditions, Numbers, conditions, own_expression
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
from routh.numerics.newton import Selected, Solution, found, newton


@dataclass(frozen=True, eq=False, repr=False)
class Equilibrium:
    """One position of rest for every point of the batch, with what it was found for.

    Attributes:
        system: the system.
        conditions: parameter values and inputs.
        q: (..., n) coordinates.
        multipliers: (..., c) one for each constraint.
        residual: (...) largest violation of the equations, in their own units.
        status: a `Status` for one point, an array of them for a batch.
        free: the coordinates that enter no equation of rest; they stay at the guess.
        tangent: (..., n + c, n + c) derivative of the equations of rest by q and the multipliers.
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
    def converged(self) -> Any:
        """Whether the equations hold: a bool, or an array of them for a batch."""
        if not self.conditions.shape:
            return self.status in (Status.CONVERGED, Status.DEGENERATE)
        return found(self.status)

    def point(self, time: float = 0.0) -> Point:
        """The equilibrium as a stack, for kernels."""
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
        note = diagnosis.loose(self.system, self.tangent)
        return f"{capital(self.system.title)} at {place}. {self.status}{note}"


def equilibrium(
    system: System,
    values: Numbers,
    *,
    guess: Numbers | None = None,
    inputs: Numbers | None = None,
    raises: bool = True,
) -> Equilibrium:
    """A position of rest near a guess, by Newton's method with the exact tangent.

    Arguments:
        system: the system.
        values: a number or an array for each parameter; arrays broadcast and add leading axes.
        guess: where to start for some coordinates; zero for the others. Arrays are welcome.
        inputs: constants for inputs, zero if not given. A constant derivative is welcome too
            (`{ddt(x_b, 2): 3.0}`): the input is then a polynomial in time.
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
    _refuse_velocity_constraints(system)
    given, start = conditions(system, values, inputs, guess)
    problem = _Problem(kernel(system), given)
    solution = problem.solve(problem.start(start))
    if given.may_change_in_time(problem.engine):
        solution = problem.solved_at_every_time(problem.start(start), solution)
    result = problem.result(solution)
    if raises and not given.shape and not result.converged:
        raise problem.failure(result)
    return result


def settle(reference: Equilibrium, index: Selected, q: Array) -> Array:
    """(k, n): where Newton's method ends from other positions, for some points of a batch."""
    problem = _Problem(kernel(reference.system), reference.conditions)
    start = np.concatenate([q, reference.conditions.stacked(reference.multipliers)[index]], axis=1)
    found = newton(
        lambda x, some: problem.equations(x, index[some]),
        lambda x, some: problem.tangent(x, index[some]),
        start,
    )
    return found.x[:, : problem.n]


class _Problem:
    """The equations of rest under given conditions, as functions of x = (q, multipliers)."""

    def __init__(self, engine: Kernel, given: Conditions) -> None:
        self.engine = engine
        self.given = given
        self.n = len(engine.system.coordinates)

    def start(self, q: Array) -> Array:
        """The guess with the multipliers that balance it best, in the sense of least squares."""
        c = len(self.engine.system.constraints)
        x = np.concatenate([q, np.zeros((len(q), c))], axis=1)
        if not c:
            return x
        every = np.arange(len(x))
        E = self.equations(x, every)[:, : self.n]
        J = self.engine.constraint_jacobian(self._point(x, every))
        good = np.isfinite(J).all(axis=(1, 2)) & np.isfinite(E).all(axis=1)
        inverse = np.linalg.pinv(J[good].swapaxes(1, 2))
        x[good, self.n :] = -np.einsum("kcn,kn->kc", inverse, E[good])
        return x

    def _point(self, x: Array, index: Selected, time: float = PROBES[0]) -> Point:
        return self.given.point(self.engine, x[:, : self.n], x[:, self.n :], time, index)

    def equations(self, x: Array, index: Selected, times: tuple[float, ...] = PROBES[:1]) -> Array:
        """(k, probes * (n + c))"""
        rows = [self.engine.rest(self._point(x, index, time)) for time in times]
        return np.concatenate(rows, axis=1)

    def tangent(self, x: Array, index: Selected, times: tuple[float, ...] = PROBES[:1]) -> Array:
        """(k, probes * (n + c), n + c)"""
        rows = [self.engine.tangent(self._point(x, index, time)) for time in times]
        return np.concatenate(rows, axis=1)

    def solve(self, start: Array) -> Solution:
        """Newton's method on the equations at one time."""
        return newton(self.equations, self.tangent, start)

    def solved_at_every_time(self, start: Array, solution: Solution) -> Solution:
        """The solution, with points that move in time solved again at all probes together."""
        every = np.arange(len(start))
        held = found(solution.status)
        moving = held & changing_rest(self.engine, lambda time: self._point(solution.x, every, time))
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

    def result(self, solution: Solution) -> Equilibrium:
        """The solution in batch shape, with what is free in it."""
        fold, n = self.given.folded, self.n
        return Equilibrium(
            system=self.engine.system,
            conditions=self.given,
            q=fold(solution.x[:, :n]),
            multipliers=fold(solution.x[:, n:]),
            residual=fold(np.abs(solution.residual).max(axis=1)),
            status=fold(solution.status) if self.given.shape else solution.status[0],
            free=tuple(
                q
                for q, here in zip(self.engine.system.coordinates, self.engine.idle, strict=True)
                if here
            ),
            tangent=fold(solution.tangent),
            history=solution.history[..., :n].reshape(-1, *self.given.shape, n),
        )

    def failure(self, result: Equilibrium) -> SolveError:
        """The error for one point that failed."""
        system = result.system
        x = np.concatenate([result.q, result.multipliers])[None]
        rows = np.abs(self.equations(x, np.arange(1), PROBES).reshape(-1, x.shape[1])).max(axis=0)
        if result.status is Status.TIME_DEPENDENT:
            return NoEquilibrium(diagnosis.changes_with_time(system, rows), result)
        if result.status is Status.NOT_FINITE:
            message = diagnosis.not_finite(system, self.engine, result.point(PROBES[0]))
            return SolveError(message, result)
        unbalanced = diagnosis.unbalanced(system, self.engine, rows)
        if unbalanced:
            return NoEquilibrium(unbalanced, result)
        return SolveError(diagnosis.unsolved(system, rows, result.q, result.status), result)


def _refuse_velocity_constraints(system: System) -> None:
    for phi in system.constraints:
        moving = [s for s in leaves([phi]) if isinstance(s, Coordinate) and s.order]
        if moving:
            raise DerivationError(
                f"equilibrium works with constraints phi(q, t) = 0. Got `{shortened(phi)}`, which"
                f" contains the velocity {quoted(moving[:1])}."
            )
