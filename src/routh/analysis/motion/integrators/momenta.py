"""Runs by Hamilton's equations, in coordinates and momenta."""

from __future__ import annotations

import numpy as np

from routh.analysis.motion.event_watch import Watch
from routh.analysis.motion.flow import MovingSystem
from routh.analysis.motion.integrators.base import Leg, Run
from routh.analysis.motion.integrators.integrate import integrate
from routh.analysis.motion.progress import Tick
from routh.analysis.motion.settings import Settings
from routh.arrays import Array
from routh.errors import SolveError, listed, quoted
from routh.language.system import System
from routh.mechanics.transforms.ambiguity import why_ambiguous
from routh.numerics.rank import undetermined

RETURNED = 1e-6
"""Velocities come back from their momenta to this; those of another branch are off by far more."""

SMALL = 1e-6
"""Velocities below are compared as if they were this large."""


def by_momenta(
    flow: MovingSystem,
    times: Array,
    x: Array,
    settings: Settings,
    watch: Watch | None,
    tick: Tick,
    legs: tuple[Leg, ...] = (),
) -> Run:
    """A run of the canonical equations from a state (q, v), told in coordinates and velocities.

    There is nothing to watch: events read coordinates and velocities.
    """
    _refuse_ambiguous(flow.motion.system, flow.parameters)
    _refuse_massless(flow, float(times[0]), x)
    canonical, state = flow.canonical(float(times[0]), x)
    _refuse_other_branch(canonical, float(times[0]), state, x)
    canonical.begin()
    run = integrate(canonical, times, state, settings, watch, tick, legs)
    run.x = _with_velocities(canonical, run.t, run.x)
    if run.stuck is not None:
        when, where = run.stuck
        run.stuck = (when, _with_velocities(canonical, np.array([when]), where[None])[0])
    flow.evaluations = canonical.evaluations
    samples = canonical.samples
    if samples:
        moments = np.array([moment for moment, _ in samples])
        states = _with_velocities(canonical, moments, np.stack([own for _, own in samples]))
        flow.samples = list(zip(moments.tolist(), states, strict=True))
    return run


def _refuse_ambiguous(system: System, p: Array) -> None:
    reason = why_ambiguous(system, dict(zip(system.parameters, p, strict=True)))
    if reason:
        raise SolveError(
            f"{reason} Different velocities may have the same momenta. Leave out"
            ' form="hamilton": Lagrange\'s equations need none.'
        )


def _refuse_massless(flow: MovingSystem, t: float, x: Array) -> None:
    """Constraints may hold what has no mass, and its velocity follows from no momentum."""
    loose = undetermined(flow.run("matrices", t, x)[0])
    if loose.any():
        names = [q for q, moved in zip(flow.motion.system.coordinates, loose, strict=True) if moved]
        raise SolveError(
            f"The momenta of {flow.motion.system.title} do not determine the velocity of"
            f" {quoted(names)} at the start: no mass acts along {'it' if len(names) == 1 else 'them'}."
            ' Leave out form="hamilton": in Lagrange\'s equations constraints may hold what has none.'
        )


def _refuse_other_branch(canonical: MovingSystem, t: float, state: Array, x: Array) -> None:
    """Velocities that the momenta at the start give back must be those of the start."""
    n = canonical.motion.n
    back = _with_velocities(canonical, np.array([t]), state[None])[0][n : 2 * n]
    v = x[n : 2 * n]
    if not np.abs(back - v).max(initial=0.0) <= RETURNED * max(np.abs(v).max(initial=0.0), SMALL):
        raise SolveError(
            "The momenta at the start do not give back its velocities: expected"
            f" {listed(f'{each:.6g}' for each in v)}, got {listed(f'{each:.6g}' for each in back)}."
            ' Other velocities have the same momenta, or none were found. Leave out form="hamilton".'
        )


def _with_velocities(canonical: MovingSystem, t: Array, x: Array) -> Array:
    """States (q, v, ...) of states (q, p, ...)."""
    n = canonical.motion.n
    found = x.copy()
    if len(t):
        found[:, n : 2 * n] = canonical.along("velocities", t, x)[0][..., 0]
    return found


FORMS = {"lagrange": integrate, "hamilton": by_momenta}
"""What a run integrates: coordinates and velocities, or coordinates and momenta."""
