"""Why a run could not go on, and whether it can begin: the saddle-point matrix and its null space."""

from __future__ import annotations

import numpy as np

from routh.analysis.given.where import edge, not_finite, where
from routh.analysis.motion.flow import MovingSystem
from routh.arrays import Array
from routh.errors import SolveError, Status, quoted
from routh.kernels.engine import Point
from routh.kernels.kernel import kernel
from routh.numerics.rank import undetermined
from routh.numerics.solving.dependence import dependence, surely_independent

NEARLY = 1e-9
"""Below this share a run that got stuck has met a singular position."""


def is_redundant(flow: MovingSystem, t: float, x: Array) -> bool:
    """Whether constraints depend on each other at a start, after refusing what leaves it undetermined.

    Raises:
        SolveError: some acceleration is determined by nothing; names the coordinates.
    """
    motion = flow.motion
    rate = flow.rate(t, x)
    M, J = flow.run("matrices", t, x)
    if not (np.isfinite(M).all() and np.isfinite(J).all()):
        raise SolveError(_not_finite(flow, t, x))
    if np.isfinite(rate).all() and motion.n + motion.c > LARGE and surely_independent(J):
        return False
    lacking = dependence(J).lacking if motion.c else 0
    loose = undetermined(np.concatenate([M, J]))  # without mass, and no constraint holds it
    if loose.any():
        names = [q for q, moved in zip(motion.system.coordinates, loose, strict=True) if moved]
        raise SolveError(
            f"The equations of {motion.system.title} do not determine the acceleration of"
            f" {quoted(names)} at the start: no mass and no constraint acts along"
            f" {'it' if len(names) == 1 else 'them together'}. Give it a mass, or remove it."
        )
    if not lacking and not np.isfinite(rate).all():
        raise SolveError(_not_finite(flow, t, x))
    return bool(lacking)


JAMMED = 1e-4
"""Share of the least singular value without friction below which friction is what makes it small:
accelerations are then ten thousand times those of the weight, and steps end well before zero."""

LARGE = 300
"""Unknowns above which a look at the pivots of J J^T comes before the rank, which costs more."""


def why(flow: MovingSystem, t: float, x: Array) -> tuple[Status, str]:
    """The status and a sentence on why a run stopped at a state."""
    system = flow.motion.system
    n = flow.motion.n
    place = where(system, x[:n])
    rate = flow.rate(t, x)
    M, J = flow.run("matrices", t, x)
    if not np.isfinite(rate).all() and not (np.isfinite(M).all() and np.isfinite(J).all()):
        return Status.NOT_FINITE, f"Stopped at t = {t:.10g}. {_not_finite(flow, t, x)}"
    s = flow.scales
    if _is_jammed(flow, t, x):
        return Status.JAMMED, (
            f"Stopped at t = {t:.10g}, {place}: forces that depend on those of constraints, as"
            " friction does, grow without bounds there (Painleve)."
        )
    corner = np.zeros((len(J), len(J)))
    J = J * s
    J = J / np.maximum(np.linalg.norm(J, axis=1, keepdims=True), 1e-300)
    saddle = np.block([[s[:, None] * M * s, J.T], [J, corner]])
    values = np.linalg.svd(saddle, compute_uv=False)
    if values[-1] <= NEARLY * max(values[0], 1.0):  # at the start masses are one
        sizes, basis = np.linalg.svd(J)[1:] if len(J) else (np.zeros(0), np.eye(n))
        if len(J) and (sizes[-1] <= np.sqrt(NEARLY) * sizes[0] or len(sizes) >= n):
            weight = np.abs(np.linalg.svd(J)[0][:, -1])
            what = f"constraint {int(np.argmax(weight)) + 1} depends on the others there"
        else:
            free = basis[len(sizes) :].T
            least = np.linalg.svd(free.T @ (s[:, None] * M * s) @ free)[2][-1]
            name = system.coordinates[int(np.argmax(np.abs(free @ least) * s))]
            what = f"the mass matrix is singular there, along `{name}` most of all"
        return Status.SINGULAR, f"Stopped at t = {t:.10g} in a singular position, {place}: {what}."
    if not np.isfinite(rate).all():
        return Status.NOT_FINITE, f"Stopped at t = {t:.10g}. {_not_finite(flow, t, x)}"
    a = np.abs(rate[n : 2 * n]) / s
    name = system.coordinates[int(np.argmax(a))]
    return Status.STUCK, (
        f"Stopped at t = {t:.10g}, {place}: no step is small enough to go on, `{name}` accelerating"
        f" with {rate[n + int(np.argmax(a))]:.3g}.{_at_edge(flow, t, x)} Look there for a collision,"
        " a wall or a jump."
    )


def _is_jammed(flow: MovingSystem, t: float, x: Array) -> bool:
    """Whether the saddle point is singular by forces that depend on multipliers, and only by them."""
    (rub,) = flow.run("rubbing", t, x)
    if not rub.any():
        return False
    s = flow.scales
    M, J = flow.run("matrices", t, x)
    M, J, rub = s[:, None] * M * s, J * s, s[:, None] * rub
    sizes = np.maximum(np.linalg.norm(J, axis=1), 1e-300)
    J, rub = J / sizes[:, None], rub / sizes
    corner = np.zeros((len(J), len(J)))
    least = [
        np.linalg.svd(np.block([[M, push], [J, corner]]), compute_uv=False)[-1]
        for push in (J.T, J.T - rub)
    ]
    return bool(least[1] <= JAMMED * least[0])


EDGE = 1e-9
"""What is below this where a run got stuck has come to the edge of a power or a logarithm of it."""


def _at_edge(flow: MovingSystem, t: float, x: Array) -> str:
    """Names what has come to the edge of where a power or a logarithm of it exists."""
    system = flow.motion.system
    terms = [*system.kinetic, *system.potential, *system.lagrangian, *system.dissipation]
    terms += [f for each in system.forces for f in each.components]
    return edge(kernel(system), _point(flow, t, x), terms, EDGE)


def _not_finite(flow: MovingSystem, t: float, x: Array) -> str:
    """Names the energy term that is NaN or infinite."""
    n = flow.motion.n
    system = flow.motion.system
    signals = flow.run("signals", t, x)[0][:, 0]
    for signal, value in zip(system.signals, signals, strict=True):
        if not np.isfinite(value):
            return f"The law of `{signal}` is not finite at t = {t:.6g}, {where(system, x[:n])}."
    return not_finite(system, kernel(system), _point(flow, t, x), guessed=False)


def _point(flow: MovingSystem, t: float, x: Array) -> Point:
    n, c = flow.motion.n, flow.motion.c
    return Point(
        t=np.array([[t]]),
        q=x[None, :n],
        v=x[None, n : 2 * n],
        a=np.zeros((1, n)),
        p=flow.parameters[None],
        u=flow.run("signals", t, x)[0][:, 0][None],
        multipliers=np.zeros((1, c)),
    )
