"""Runs by Hamilton's equations, in coordinates and momenta."""

from __future__ import annotations

import numpy as np

from routh.analysis.flow import MovingSystem
from routh.analysis.integration import integrate
from routh.analysis.progress import Tick
from routh.analysis.run import Leg, Run
from routh.analysis.settings import Settings
from routh.kernels.batch import Array


def by_momenta(
    flow: MovingSystem,
    times: Array,
    x: Array,
    settings: Settings,
    tick: Tick,
    legs: tuple[Leg, ...] = (),
) -> Run:
    """A run of the canonical equations from a state (q, v), told in coordinates and velocities."""
    canonical, state = flow.canonical(float(times[0]), x)
    canonical.begin()
    run = integrate(canonical, times, state, settings, None, tick, legs)
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


def _with_velocities(canonical: MovingSystem, t: Array, x: Array) -> Array:
    """States (q, v, ...) of states (q, p, ...)."""
    n = canonical.motion.n
    found = x.copy()
    if len(t):
        found[:, n : 2 * n] = canonical.along("velocities", t, x)[0][..., 0]
    return found
