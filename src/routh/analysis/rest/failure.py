"""The error for a rest that was not found: which of the reasons there are, in a sentence."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from routh.analysis.given.required import beyond
from routh.analysis.given.where import not_finite, where
from routh.analysis.rest import diagnosis
from routh.analysis.rest.problem import PROBES
from routh.analysis.rest.result import Equilibrium
from routh.errors import NoEquilibrium, SolveError, Status, capital
from routh.kernels.engine import Point
from routh.kernels.kernel import kernel
from routh.numerics.solving.settled import LEFT_OVER


def failure(result: Equilibrium) -> SolveError:
    """The error for one point that failed."""
    if result.status is Status.TIME_DEPENDENT:
        return changing(result)
    system, engine = result.system, kernel(result.system)
    point = result.point(PROBES[0])
    about = engine.about(point)
    if result.status is Status.NOT_FINITE:
        return SolveError(not_finite(system, engine, point, guessed=True), result)
    if result.status is Status.UNDERFLOW:
        return SolveError(diagnosis.too_small(system, result.q), result)
    if result.status is Status.OUTSIDE:
        said = beyond(system, result.point())[1]
        title = capital(system.title)
        return SolveError(
            f"{title} has no equilibrium near the guess: where forces balance, at"
            f" {where(system, result.q)}, a part of it does not reach. {said}",
            result,
        )
    each = [np.abs(about.residual(result.point(time).arguments)[0]) for time in PROBES]
    rows = np.max(each, axis=0)
    turning = result.turning if result.status is Status.DRIVEN else ()
    unbalanced = diagnosis.unbalanced(system, about, rows, turning)
    if unbalanced:
        return NoEquilibrium(unbalanced, result)
    if (rows <= LEFT_OVER * about.sizes(point.arguments)[0]).all():
        return SolveError(diagnosis.digits_lost(system, result.q), result)
    away = _pushed_away(result, point)
    if away:
        return NoEquilibrium(away, result)
    J = engine.constraint_slopes(point)[1][0]
    phi = about.residual(point.arguments)[0, len(system.coordinates) :]
    text = diagnosis.unsolved(system, rows, result.q, result.status, J, phi)
    return SolveError(text, result)


def changing(result: Equilibrium) -> NoEquilibrium:
    """The error for one point at which the equations change with time, or may."""
    timeless = result.conditions.timeless
    rows = timeless.rows(result.point(0.0))[0]
    return NoEquilibrium(diagnosis.changes_with_time(timeless, rows), result)


def _pushed_away(result: Equilibrium, point: Point) -> str:
    """Says if a force acts along a motion that has no stiffness here nor elsewhere, or nothing."""
    if result.system.constraints or result.turning:
        return ""
    engine = kernel(result.system)
    E = engine.about(point).residual(point.arguments)[0]
    generator = np.random.default_rng(1831)
    reach = np.abs(result.history).max(axis=0)  # in units of its own for each coordinate
    reach = np.where(reach > 0, reach, reach.max(initial=0.0) or 1.0)
    elsewhere = point.q + generator.uniform(0.1, 0.3, (2, point.q.shape[1])) * reach
    places = [point, *(replace(point, q=q[None]) for q in elsewhere)]
    tangents = np.concatenate([engine.tangent(place) for place in places])
    return diagnosis.pushed_away(result.system, tangents, E)
