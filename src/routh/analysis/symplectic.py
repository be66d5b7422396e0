"""Long conservative runs by a variational method, in equal steps."""

from __future__ import annotations

from time import perf_counter

import numpy as np

from routh.analysis.flow import MovingSystem
from routh.analysis.integration import Run
from routh.analysis.progress import Tick
from routh.errors import DeclarationError, DerivationError, Status, capital
from routh.kernels.batch import Array
from routh.kernels.kernel import kernel
from routh.kernels.variational import variational
from routh.language.system import System

EVEN = 1e-9
"""Share of a step by which the times of the outputs may be uneven."""

SOLVED = 1e-9
"""Newton steps larger than this share of the position mean that the step is too large."""

TRIED = 40
"""Outputs at the beginning over which the step is found."""

FINEST = 2**16
"""Steps between two outputs beyond which no smaller ones are tried."""


def refuse_driven(system: System, times: Array) -> None:
    """Refuse what a variational method does not preserve: forces, time, uneven steps."""
    found = []
    if system.forces:
        found.append("`forces`")
    if system.dissipation:
        found.append("`dissipation`")
    if kernel(system).depends_on_time or system.inputs:
        found.append("time or inputs in the energies or constraints")
    if not all(system.is_holonomic):
        found.append("velocity constraints")
    if found:
        raise DerivationError(
            f'method="variational" is for conservative systems. {capital(system.title)} has'
            f' {", ".join(found)}. Use method="auto".'
        )
    gaps = np.diff(times)
    if (np.abs(gaps - gaps.mean()) > EVEN * gaps.mean()).any():
        raise DeclarationError(
            'method="variational" takes equal steps, so `times` must be evenly spaced, like'
            f" np.linspace(0, 10, 101). Got gaps from {gaps.min():g} to {gaps.max():g}."
        )


def variational_run(flow: MovingSystem, times: Array, x: Array, rtol: float, tick: Tick) -> Run:
    """The run through all output times, with as many steps between two as the tolerance asks for.

    The number is found on the way through the first outputs: from each to the next, twice as many must
    not change the state by more than the tolerance, compared with its largest entry.
    """
    engine = variational(flow.motion.system)
    gap = float((times[-1] - times[0]) / (len(times) - 1))
    n = flow.motion.n
    p = flow.parameters

    def stepped(z: Array, steps: int) -> Array:
        z = z.copy()
        z[-1] = 0.0
        return np.array(engine.steps(steps)(z, p, gap / steps))[:, 0]

    state = np.append(x[: 2 * n], 0.0)
    count, trial = 1, state
    for _ in range(min(len(times) - 1, TRIED)):
        coarse, fine = stepped(trial, count), stepped(trial, 2 * count)
        while not _close(coarse, fine, rtol) and count < FINEST:
            count *= 2
            coarse, fine = fine, stepped(trial, 2 * count)
        trial = fine
    run = Run(times, np.full((len(times), len(x)), np.nan), Status.FINISHED, ["variational"], 0, [])
    run.x[0] = x
    reached = 1
    began = perf_counter()
    try:
        for k in range(1, len(times)):
            new = stepped(state, count)
            if not np.isfinite(new).all() or new[-1] > SOLVED:
                run.status, run.stuck = Status.STUCK, (float(times[k - 1]), run.x[k - 1])
                break
            state = new
            run.x[k, : 2 * n] = state[: 2 * n]
            reached += 1
            run.steps += count
            flow.sample(float(times[k]), run.x[k])
            tick(float(times[k]))
    except KeyboardInterrupt:
        run.status = Status.INTERRUPTED
    run.seconds = perf_counter() - began
    run.t, run.x = times[:reached], run.x[:reached]
    return run


def _close(coarse: Array, fine: Array, rtol: float) -> bool:
    if not (np.isfinite(coarse).all() and np.isfinite(fine).all()) or fine[-1] > SOLVED:
        return False
    return bool(np.abs(coarse - fine).max() <= rtol * np.abs(fine).max())
