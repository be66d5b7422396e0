"""A rest of very many coordinates, by Newton's method with sparse tangents.

A loop of its own beside `numerics/solving/newton`, which takes stacks of dense slopes and judges a step
by their singular values: one point, whose slopes are factored once a step, with the stiffness along
its softest directions summed point by point (`numerics/solving/sparse_tangents`). How steps are damped,
and what counts as settled, is the same.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from routh.analysis.given.conditions import Conditions
from routh.analysis.given.large import refuse_other_sums
from routh.analysis.rest.failure import changing
from routh.analysis.rest.problem import Problem
from routh.analysis.rest.result import Equilibrium
from routh.arrays import Array
from routh.errors import DerivationError, NoEquilibrium, SolveError, Status, capital
from routh.kernels.engine import Kernel
from routh.language.make import MANY
from routh.numerics.solving.damping import shortened
from routh.numerics.solving.newton import ENOUGH, POLISH
from routh.numerics.solving.settled import ACCURATE, LEFT_OVER, NOTHING, settled
from routh.numerics.solving.sparse_tangents import SparseTangent

STEPS = 50
"""Newton steps after which a solve gives up."""


def large_equilibrium(engine: Kernel, given: Conditions, q: Array, *, raises: bool) -> Equilibrium:
    """A position of rest by Newton's method with sparse tangents, for one point."""
    if given.shape or given.turning:
        raise DerivationError(
            f"{capital(engine.system.title)} has more than {MANY} coordinates: its rest is found for"
            " one set of values at a time. Loop over them, or take fewer functions."
        )
    refuse_other_sums(engine)
    descent = _Descent(engine, given, q)
    result = descent.result()
    if raises and not result.converged:
        raise descent.failure(result)
    return result


class _Descent:
    """Newton's method with sparse tangents on one point, judged as `numerics/solving/newton` judges."""

    def __init__(self, engine: Kernel, given: Conditions, q: Array) -> None:
        self._engine, self._given = engine, given
        self._problem = Problem(engine, given, q)
        self._q, self._one = q, np.zeros(1, dtype=np.intp)
        self._residual = self._problem.equations(q, self._one)
        self._history = [q[0]]
        self._is_pushed = False

    def result(self) -> Equilibrium:
        """Where it ends."""
        status = Status.TOO_MANY_STEPS
        for _ in range(STEPS):
            if not np.isfinite(self._residual).all():
                status = Status.NOT_FINITE
                break
            ended = self._advance()
            self._history.append(self._q[0])
            if ended is not None:
                status = ended
                break
        return Equilibrium(
            system=self._engine.system,
            conditions=self._given,
            q=self._q[0],
            multipliers=np.zeros(0),
            residual=np.abs(self._residual).max(initial=0.0),
            status=self._judged(status),
            free=(),
            tangent=self._engine.sparse.stiffness(self._arguments()),
            history=np.array(self._history),
        )

    def _judged(self, status: Status) -> Status:
        """The status where it ended, as `solve` judges; no rest elsewhere is looked for."""
        problem = self._problem
        if status is Status.CONVERGED and not problem.has_energy(self._q, self._one)[0]:
            return Status.NOT_FINITE
        moving = problem.changes(self._q)[0]
        if moving and status is not Status.CONVERGED:
            moving = problem.changes(self._history[0][None])[0]
        return Status.TIME_DEPENDENT if moving else status

    def failure(self, result: Equilibrium) -> SolveError:
        """The error where it ended in vain."""
        if result.status is Status.TIME_DEPENDENT:
            return changing(result)
        title = result.system.title
        if self._is_pushed:
            return NoEquilibrium(
                f"{capital(title)} has no equilibrium near the guess: some motion has no stiffness, and"
                " a force acts along it. Is a support missing among the conditions at the ends?",
                result,
            )
        return SolveError(
            f"Newton's method failed on {title}: {result.status} Residual"
            f" {float(result.residual):.3g}. Try another `guess`, or raises=False to look at it.",
            result,
        )

    def _arguments(self) -> tuple[Array, ...]:
        return self._problem.point(self._q, self._one).arguments

    def _advance(self) -> Status | None:
        """One step, and how it ends if it does."""
        arguments, variation = self._arguments(), self._engine.sparse
        K = variation.stiffness(arguments)
        if not np.isfinite(K.data).all():
            return Status.NOT_FINITE
        tangent = SparseTangent(K, lambda V: variation.stiffness_along(arguments, V))
        sizes = np.maximum(self._problem.sizes(self._q, self._one), abs(K) @ np.abs(self._q[0]))
        step = -tangent.step(self._residual[0])
        push = (abs(K) @ np.abs(step))[None]
        small = bool(settled(self._residual, push, sizes)[0])
        rounded = bool(settled(self._residual, push, sizes, LEFT_OVER)[0])
        if tangent.is_pushed(self._residual[0]) and not small:
            self._is_pushed = True
            return Status.STALLED
        if not small and self._searched(tangent, step):
            return None
        if small or rounded:
            return self._polished(tangent, K, step, sizes)
        return None if self._hidden(tangent, step) else Status.STALLED

    def _searched(self, tangent: SparseTangent, step: Array) -> bool:
        """Go the longest share of a step that lowers the residual, if there is one."""
        with np.errstate(all="ignore"):
            gain, self._q, self._residual = shortened(
                self._problem.equations, self._q, self._residual, step[None], tangent.weight[None],
                self._one, crosses=self._problem.crosses,
            )  # fmt: skip
        return bool(gain[0] < 1)

    def _hidden(self, tangent: SparseTangent, step: Array) -> bool:
        """Go a step to where the residual is rounding, if the step after it is shorter by far."""
        trial = self._q + step[None]
        residual = self._problem.equations(trial, self._one)
        sizes = self._problem.sizes(trial, self._one)
        if not (np.abs(residual) <= LEFT_OVER * sizes).all():
            return False
        if tangent.length(tangent.step(residual[0])) > ENOUGH * tangent.length(step):
            return False
        self._q, self._residual = trial, residual
        return True

    def _polished(self, tangent: SparseTangent, K: Any, step: Array, sizes: Array) -> Status:
        """Regain the digits that the matrix lost, by steps with it while they shrink, and judge them.

        The forces are summed point by point, which is more accurate than the matrix of many elements.
        """
        for _ in range(POLISH):
            trial = self._q + step[None]
            residual = self._problem.equations(trial, self._one)
            ahead = -tangent.step(residual[0])
            if not tangent.length(ahead) < tangent.length(step) / 2:
                break
            self._q, self._residual, step = trial, residual, ahead
        push = (abs(K) @ np.abs(step))[None]
        energy = abs(float(self._residual[0] @ step))
        lost = energy > ACCURATE**2 * float(self._problem.work(self._q, self._one)[0])
        known = bool((push <= ACCURATE * sizes + NOTHING).all()) and not lost
        return Status.CONVERGED if known else Status.STALLED
