"""Roots of the equations of rest, by Newton's method, and what makes them rests.

A root is none where the energy does not exist, where doubles lose a force, where a force is left on
what turns, or where the equations change with time.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from routh.analysis.rest.problem import PROBES, Problem
from routh.analysis.rest.underflow import LEAST_MOVE, underflowed
from routh.arrays import Array, Mask, Selected
from routh.errors import Status
from routh.kernels.engine import Engine
from routh.numerics.solving.newton import SMALL_MOVE, Solution, found, newton


def solve(
    problem: Problem,
    start: Array,
    *,
    max_steps: int = 100,
    unit: Array | None = None,
    engine: Engine = Engine.CASADI,
) -> Solution:
    """Newton's method on the equations, at several times together where they change."""
    with np.errstate(all="ignore"):
        problem = problem.without_stray(start)
    roots = _compiled_roots(problem, start, max_steps, unit, engine)
    if roots is None:
        roots = _roots(problem, start, max_steps, unit)
        roots = _with_energy(problem, roots, np.arange(len(start)))
    solution = _above_underflow(problem, roots, unit)
    if not problem.given.may_change_in_time(problem.engine):
        return solution
    held = found(solution.status)
    moving = problem.changes(solution.x)
    lost = np.flatnonzero(moving & ~held)
    moving[lost] = False if problem.turning or not len(lost) else problem.changes(start)[lost]
    solution = _undriven(problem, solution, held & ~moving)
    chosen = np.flatnonzero(moving)
    # what turns would have to be held at every time; what holds at some times says nothing of all
    if problem.turning or problem.given.timeless.twin is None:
        return _without(solution, chosen, Status.TIME_DEPENDENT)
    return _at_all_times(problem, start, solution, chosen) if len(chosen) else solution


def _undriven(problem: Problem, solution: Solution, steady: Mask) -> Solution:
    """The solution with forces that are left on what turns, which some of the points must not have."""
    left = problem.left_on_turning(solution.x)
    status, residual = solution.status.copy(), solution.residual.copy()
    status[steady & left.any(axis=1)] = Status.DRIVEN
    residual[:, : problem.n] = np.maximum(np.abs(residual[:, : problem.n]), left)
    return replace(solution, status=status, residual=residual)


def _at_all_times(problem: Problem, start: Array, solution: Solution, chosen: Selected) -> Solution:
    """The solution with some points solved again, at several times together."""
    with np.errstate(all="ignore"):
        again = newton(
            lambda x, index: problem.equations(x, chosen[index], PROBES),
            lambda x, index: problem.tangent(x, chosen[index], PROBES),
            start[chosen],
            # at time zero: the angle of a fast drive is known to few digits later, which is no excuse
            sizes=lambda x, index: np.tile(problem.sizes(x, chosen[index], 0.0), len(PROBES)),
            crosses=lambda x, there, index: problem.crosses(x, there, chosen[index]),
        )
    width = start.shape[1]
    x, residual, tangent = solution.x.copy(), solution.residual.copy(), solution.tangent.copy()
    x[chosen], tangent[chosen] = again.x, again.tangent[:, :width]
    residual[chosen] = np.abs(again.residual.reshape(len(chosen), -1, width)).max(axis=1)
    status = solution.status.copy()
    status[chosen] = again.status
    still = problem.changes(x)[chosen]
    status[chosen[still | ~found(again.status)]] = Status.TIME_DEPENDENT
    return replace(solution, x=x, residual=residual, tangent=tangent, status=status)


def _compiled_roots(
    problem: Problem, start: Array, max_steps: int, unit: Array | None, engine: Engine
) -> Solution | None:
    """Roots with an energy by compiled code, but for points that it leaves; None if not for these."""
    if not problem.is_plain:
        return None
    with np.errstate(all="ignore"):
        least = None if unit is None else SMALL_MOVE * unit
        rests = problem.engine.rests(problem.point(start, np.arange(len(start))), engine, least)
    if rests is None:
        return None
    status = np.full(len(start), Status.CONVERGED, dtype=object)
    left = np.flatnonzero(~rests.plain)
    if not len(left):
        return Solution(rests.x, rests.residual, rests.tangent, status, rests.history, compiled=True)
    others = newton(
        lambda x, some: problem.equations(x, left[some]),
        lambda x, some: problem.tangent(x, left[some]),
        start[left],
        max_steps=max_steps,
        unit=unit,
        sizes=lambda x, some: problem.sizes(x, left[some]),
        crosses=lambda x, there, some: problem.crosses(x, there, left[some]),
    )
    length = max(len(rests.history), len(others.history))
    history = _lengthened(rests.history, length)
    history[:, left] = _lengthened(others.history, length)
    rests.x[left], rests.residual[left] = others.x, others.residual
    rests.tangent[left], status[left] = others.tangent, others.status
    every = Solution(rests.x, rests.residual, rests.tangent, status, history, compiled=True)
    return _with_energy(problem, every, left)


def _lengthened(history: Array, length: int) -> Array:
    """A history that keeps its last places up to a length."""
    return np.concatenate([history, np.repeat(history[-1:], length - len(history), axis=0)])


def _roots(problem: Problem, start: Array, max_steps: int, unit: Array | None) -> Solution:
    """Newton's method; with constraints the equations of what turns are kept, for its multipliers.

    Where they cannot be met, the others are met alone, and what is left on what turns is seen.
    """
    plain = newton(
        problem.equations,
        problem.tangent,
        start,
        max_steps=max_steps,
        unit=unit,
        sizes=problem.sizes,
        crosses=problem.crosses,
        work=problem.work if problem.is_sum else None,
        along=problem.along,
    )
    if not problem.turning or problem.width == problem.n:
        return plain
    whole = _whole_roots(problem, start, max_steps, unit)
    met = np.flatnonzero(found(whole.status))
    x, residual, status = plain.x.copy(), plain.residual.copy(), plain.status.copy()
    x[met], residual[met] = whole.x[met], whole.residual[met, : start.shape[1]]
    status[met] = whole.status[met]
    slopes = plain.tangent.copy()
    slopes[met] = problem.tangent(x[met], met)
    return replace(plain, x=x, residual=residual, status=status, tangent=slopes)


def _whole_roots(problem: Problem, start: Array, max_steps: int, unit: Array | None) -> Solution:
    """Newton's method on all equations, and on what turns staying where it began."""
    held = np.eye(start.shape[1])[problem.turning]

    def equations(x: Array, index: Selected) -> Array:
        moved = x - problem.began(index, x.shape[1])
        return np.concatenate(
            [problem.balance(x, index, PROBES[0], whole=True), moved @ held.T], axis=1
        )

    def tangent(x: Array, index: Selected) -> Array:
        slopes = problem.slopes(x, index, PROBES[0], whole=True)
        rows = np.broadcast_to(held, (len(x), *held.shape))
        return np.concatenate([slopes, rows], axis=1)

    def sizes(x: Array, index: Selected) -> Array:
        moved = np.abs(x) + np.abs(problem.began(index, x.shape[1]))
        return np.concatenate([problem.sizes(x, index, whole=True), moved @ held.T], axis=1)

    return newton(
        equations,
        tangent,
        start,
        max_steps=max_steps,
        unit=unit,
        sizes=sizes,
        crosses=problem.crosses,
    )


def _with_energy(problem: Problem, solution: Solution, among: Selected) -> Solution:
    """The solution without those of some points where forces balance but the energy does not exist."""
    held = among[found(solution.status[among])]
    return _without(solution, held[~problem.has_energy(solution.x[held], held)], Status.NOT_FINITE)


def _above_underflow(problem: Problem, solution: Solution, unit: Array | None) -> Solution:
    """The solution without points where forces vanish because doubles lose them.

    Not in steady motion, where speeds that were rounded leave forces of rounding, nor for bodies,
    which are judged by energies.
    """
    if problem.turning or problem.engine.system.shapes:
        return solution
    n, width = problem.n, problem.width
    held = np.flatnonzero(solution.status == Status.CONVERGED)
    x, tangent = solution.x[held, :width], solution.tangent[held][:, :n, :width]
    reach = np.abs(x) + LEAST_MOVE * (1.0 if unit is None else unit[:width])
    with np.errstate(all="ignore"):
        scale = np.einsum("kmn,kn->km", np.abs(tangent), reach)
        residual = solution.residual[held][:, :n]
        point = problem.point(solution.x[held], held)
        lost = held[underflowed(problem.engine, point, residual, scale, reach)]
    return _without(solution, lost, Status.UNDERFLOW)


def _without(solution: Solution, lost: Selected, why: Status) -> Solution:
    """The solution with another status at some points."""
    if not len(lost):
        return solution
    status = solution.status.copy()
    status[lost] = why
    return replace(solution, status=status)
