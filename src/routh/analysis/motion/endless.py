"""Runs that would take more steps than can be taken, foreseen from the slopes at their start."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from routh.analysis.motion.flow import MovingSystem
from routh.analysis.motion.settings import Settings
from routh.arrays import Array
from routh.errors import DeclarationError

NEARBY = 1e-6
"""Share of the position or velocity by which it is moved to see how accelerations change."""

GLANCE, ITERATIONS = 2, 30
"""Iterations of the power method at a glance, and where it matters: a fifth may still be missing."""

DOUBT = 1e-3
"""A glance suffices where it finds less than this share of the steps that are too many."""

RESOLVED, STABLE = 10.0, 0.3
"""Steps that a radian of the fastest oscillation takes at the default tolerance, at least, and an
explicit method for each decay time of what decays fastest."""

MOST_STEPS = 1e11
"""Steps that no run takes: days of the quickest one."""

MANY = 500
"""Coordinates beyond which a run is refused that would take very long: there are shorter ways."""

MOST_WORK = 5e9
"""Instructions that a run with so many coordinates may be foreseen to take; some tens of seconds."""


def refuse_endless(flow: MovingSystem, t: float, x: Array, settings: Settings) -> None:
    """Refuse a run that would have to follow more than can be followed.

    Without damping every oscillation stays, and steps follow the fastest of them. What is damped an
    implicit method passes over, but in large systems each of its steps takes too long. Those are
    refused earlier, unless the method was chosen by name.

    Raises:
        DeclarationError: says how fast it is, and what to do.
    """
    large = settings.free and flow.motion.n > MANY
    damped = flow.motion.damped
    if damped and not large:
        return
    span = settings.last - t
    with np.errstate(all="ignore"):
        if not large and RESOLVED * _frequency(flow, t, x, GLANCE) * span < DOUBT * MOST_STEPS:
            return
        frequency = _frequency(flow, t, x, ITERATIONS)
        decay = _fastest(flow, t, x, flow.motion.n, ITERATIONS) if damped else 0.0
    steps = max(RESOLVED * frequency, STABLE * decay) * span
    long = large and 2 * steps * flow.motion.effort > MOST_WORK
    if not (steps > MOST_STEPS or long):  # nor where slopes are no numbers: the run says so
        return
    fast = (
        f"What decays fastest in {flow.motion.system.title} does so with {decay:.2g} 1/s"
        if STABLE * decay > RESOLVED * frequency
        else f"The fastest oscillation of {flow.motion.system.title} has {frequency:.2g} rad/s"
        + ("" if damped else ", and nothing damps it")
    )
    less = (
        "Take fewer functions or elements, or a shorter time; modes shows which motions are fast. Or"
        " name a method, which then runs as long as it takes, until Ctrl-C."
        if large
        else "Ask for a shorter time."
    )
    raise DeclarationError(
        f"{fast}: from t = {t:g} to {settings.last:g} that takes some {steps:.0e} steps or more. {less}"
    )


def _frequency(flow: MovingSystem, t: float, x: Array, iterations: int) -> float:
    """The largest frequency about a state, in rad/s."""
    return float(np.sqrt(_fastest(flow, t, x, 0, iterations)))


def frequencies(rates: Callable[[Array], Array], scales: Array, x: Array) -> Array:
    """(N,): the largest frequencies about states (N, size) at a glance; `rates` gives x'."""
    with np.errstate(all="ignore"):
        return np.asarray(np.sqrt(_fastest_of(rates, scales, x, 0, GLANCE)))


def surely_ends(frequency: Array, span: float) -> NDArray[np.bool_]:
    """(N,): which of undamped runs need no closer look."""
    return np.asarray(RESOLVED * frequency * span < DOUBT * MOST_STEPS)


def _fastest(flow: MovingSystem, t: float, x: Array, first: int, iterations: int) -> float:
    """How much accelerations change with positions (first = 0) or velocities (first = n), at most."""

    def rates(states: Array) -> Array:
        return np.stack([flow.rate(t, state) for state in states])

    return float(_fastest_of(rates, flow.scales[None], x[None], first, iterations)[0])


def _fastest_of(
    rates: Callable[[Array], Array], scales: Array, x: Array, first: int, iterations: int
) -> Array:
    """The same for many states, (N,).

    By the power method, from neighbours that move against each other; 0 where nothing changes.
    """
    n = scales.shape[1]
    places = slice(first, first + n)
    size = np.maximum(_largest(x[:, places]), 1e-3 * _largest(scales))
    a = rates(x)[:, n : 2 * n]
    move = scales * np.where(np.arange(n) % 2, -1.0, 1.0)
    found = np.zeros(len(x))
    still = np.zeros(len(x), dtype=bool)
    for _ in range(iterations):
        length = _largest(move)
        still |= ~((length > 0) & (length < np.inf))
        move = move / np.where(still, 1.0, length)[:, None] * NEARBY * size[:, None]
        nearby = x.copy()
        nearby[:, places] += move
        change = rates(nearby)[:, n : 2 * n] - a
        found = np.linalg.norm(change / scales, axis=1) / np.linalg.norm(move / scales, axis=1)
        move = change
    return np.where(still, 0.0, found)


def _largest(stack: Array) -> Array:
    return np.asarray(np.abs(stack).max(axis=1, initial=0))
