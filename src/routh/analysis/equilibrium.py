"""Positions of rest: q with d_t L_v - L_q + D_v + J^T multipliers = Q and phi = 0, at every time."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import sympy
from numpy.typing import NDArray

from routh.analysis import diagnosis
from routh.analysis.time import PROBES, changes
from routh.analysis.values import Conditions, Numbers, conditions
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
from routh.language.system import System
from routh.language.walk import leaves
from routh.numerics.newton import NULL_CUT, Selected, Solution, newton


@dataclass(frozen=True)
class Equilibrium:
    """One position of rest for every point of the batch, with what it was found for.

    Attributes:
        q: (..., n) coordinates.
        multipliers: (..., c) one for each constraint.
        residual: (...) largest violation of the equations, in their own units.
        status: a `Status` for one point, an array of them for a batch.
        free: (n,) which coordinates can be anywhere at this equilibrium; they stay at the guess.
        tangent: (..., n + c, n + c) derivative of the equations of rest, as Newton's method used it.
        history: (steps + 1, ..., n) the iterates of q.
    """

    system: System
    conditions: Conditions = field(repr=False)
    q: Array
    multipliers: Array = field(repr=False)
    residual: Array
    status: Any = field(repr=False)
    free: tuple[Coordinate, ...]
    tangent: Array = field(repr=False)
    history: Array = field(repr=False)

    @property
    def values(self) -> dict[str, Array]:
        """Parameter values by name, of batch shape."""
        return self.conditions.values

    @property
    def converged(self) -> Any:
        """Whether the equations hold: a bool, or an array of them for a batch."""
        if not self.conditions.shape:
            return self.status is Status.CONVERGED
        return np.asarray(self.status == Status.CONVERGED, dtype=bool)

    def point(self, time: float = 0.0) -> Point:
        """The equilibrium as a stack, for kernels."""
        given = self.conditions
        q, multipliers = given.stacked(self.q), given.stacked(self.multipliers)
        return given.point(kernel(self.system), q, multipliers, time)

    def __getitem__(self, expression: sympy.Expr) -> Array:
        """The value of any expression at this equilibrium."""
        value = kernel(self.system).values([expression], self.point())[:, 0]
        return self.conditions.folded(value)

    def __str__(self) -> str:
        if self.conditions.shape:
            return (
                f"{np.sum(self.converged)} of {self.conditions.count} equilibria of"
                f" {self.system.title} found, in a batch of shape {self.conditions.shape}."
            )
        where = ", ".join(
            f"{q} = {x:.10g}" for q, x in zip(self.system.coordinates, self.q, strict=True)
        )
        note = diagnosis.loose(self.system, self.tangent)
        return f"{capital(self.system.title)} at {where}. {self.status}{note}"


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
    _refuse_velocity_constraints(system)
    given, start = conditions(system, values, inputs, guess)
    engine = kernel(system)
    problem = _Problem(engine, given)
    timed = given.may_change_in_time(engine)
    guess_ = problem.start(start)
    solution = problem.solve(guess_, PROBES[1:2] if timed else PROBES[:1])
    status = solution.status.copy()
    if timed:
        moving = problem.moving(solution.x, solution.tangent) & (status == Status.CONVERGED)
        if moving.any():
            solution = problem.solve(guess_, PROBES)
            status = solution.status.copy()
            status[status != Status.CONVERGED] = Status.TIME_DEPENDENT
    result = problem.result(solution, status)
    if raises and not given.shape and status[0] is not Status.CONVERGED:
        raise problem.failure(result, solution)
    return result


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
        E = self.equations(x, np.arange(len(x)), PROBES[1:2])[:, : self.n]
        J = self.engine.constraint_jacobian(self._point(x, np.arange(len(x)), PROBES[1]))
        x[:, self.n :] = -np.einsum("kcn,kn->kc", np.linalg.pinv(J.swapaxes(1, 2)), E)
        return x

    def _point(self, x: Array, index: Selected, time: float) -> Point:
        return self.given.point(self.engine, x[:, : self.n], x[:, self.n :], time, index)

    def equations(self, x: Array, index: Selected, times: tuple[float, ...]) -> Array:
        """(k, probes * (n + c))"""
        rows = [self.engine.rest(self._point(x, index, time)) for time in times]
        return np.concatenate(rows, axis=1)

    def tangent(self, x: Array, index: Selected, times: tuple[float, ...]) -> Array:
        """(k, probes * (n + c), n + c)"""
        rows = [self.engine.tangent(self._point(x, index, time)) for time in times]
        return np.concatenate(rows, axis=1)

    def solve(self, start: Array, times: tuple[float, ...]) -> Solution:
        """Newton's method on the equations at all the times together."""
        return newton(
            lambda x, index: self.equations(x, index, times),
            lambda x, index: self.tangent(x, index, times),
            start,
        )

    def moving(self, x: Array, tangent: Array) -> NDArray[np.bool_]:
        """(N,) whether the equations at x differ from time to time."""
        every = np.arange(len(x))
        samples = np.stack([self.engine.rest(self._point(x, every, time)) for time in PROBES])
        size = np.maximum(np.abs(samples).max(axis=0), np.abs(tangent).max(axis=2))
        return np.asarray(changes(samples, size).any(axis=1))

    def result(self, solution: Solution, status: NDArray[np.object_]) -> Equilibrium:
        """The solution in batch shape, with what is free in it."""
        fold, n = self.given.folded, self.n
        folded_status = fold(status) if self.given.shape else status[0]
        history = solution.history[..., :n].reshape(-1, *self.given.shape, n)
        return Equilibrium(
            system=self.engine.system,
            conditions=self.given,
            q=fold(solution.x[:, :n]),
            multipliers=fold(solution.x[:, n:]),
            residual=fold(np.abs(solution.residual).max(axis=1)),
            status=folded_status,
            free=self._free(solution.tangent),
            tangent=fold(solution.tangent),
            history=history,
        )

    def _free(self, tangent: Array) -> tuple[Coordinate, ...]:
        """Coordinates that no equation depends on, at any point of the batch."""
        size = np.abs(tangent).max(axis=(1, 2), initial=0)[:, None]
        idle = (np.abs(tangent[..., : self.n]).max(axis=1) <= NULL_CUT * size).all(axis=0)
        return tuple(q for q, free in zip(self.engine.system.coordinates, idle, strict=True) if free)

    def failure(self, result: Equilibrium, solution: Solution) -> SolveError:
        """The error for one point that failed."""
        system = result.system
        width = self.n + result.multipliers.shape[-1]
        rows = np.abs(solution.residual[0].reshape(-1, width)).max(axis=0)
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
