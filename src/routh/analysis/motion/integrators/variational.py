"""Long conservative runs by a variational method, in equal steps."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

import numpy as np

from routh.analysis.motion.flow import MovingSystem
from routh.analysis.motion.integrators.base import Run
from routh.analysis.motion.progress import Tick, interrupts_wait
from routh.arrays import Array
from routh.errors import DeclarationError, DerivationError, Status, capital
from routh.kernels.discrete_action import variational
from routh.kernels.kernel import kernel
from routh.language.system import System

EVEN = 1e-9
"""Share of a step by which the times of the outputs may be uneven."""

SOLVED = 1e-9
"""Newton steps larger than this share of the position mean that the step is too large."""

AGAIN = 6
"""How often a run is begun anew with steps half as large."""

LOSS = 1e3
"""So many times the tolerance may the energy swing."""

TRIED = 40
"""Outputs at the beginning over which the step is found."""

FINEST = 2**11
"""Steps between two outputs beyond which no smaller ones are tried."""


def refuse_driven(system: System, times: Array) -> None:
    """Refuse what a variational method does not preserve: forces, time, uneven steps."""
    found = []
    if system.forces:
        found.append("`forces`")
    if system.dissipation:
        found.append("`dissipation`")
    if kernel(system).depends_on_time or system.inputs:  # written: the action of a step has no time
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
    not change the state by more than the tolerance, compared with its largest entry. If the run then
    meets a place where its steps are too large, or loses energy, it is begun anew with twice as many.
    """
    try:
        return _found_run(flow, times, x, rtol, tick)
    except KeyboardInterrupt:  # while the step was being found
        flow.sample(float(times[0]), x)
        return Run(times[:1], x[None], Status.INTERRUPTED, ["variational"], 0, [])


def _found_run(flow: MovingSystem, times: Array, x: Array, rtol: float, tick: Tick) -> Run:
    """The run with the step found on the way."""
    stepped = _stepper(flow, float((times[-1] - times[0]) / (len(times) - 1)))
    count, trial = 1, np.append(x[: 2 * flow.motion.n], 0.0)
    began = perf_counter()
    for _ in range(min(len(times) - 1, TRIED)):
        coarse, fine = stepped(trial, count), stepped(trial, 2 * count)
        while not _close(coarse, fine, rtol) and count < FINEST:
            count *= 2
            coarse, fine = fine, stepped(trial, 2 * count)
        if not np.isfinite(fine).all():
            break
        trial = fine
    run = _run(flow, stepped, times, x, count, tick)
    for _ in range(AGAIN):
        good = run.stuck is None and _lost(flow, run) < LOSS * rtol
        if good or run.status is Status.INTERRUPTED or count >= FINEST:
            break
        count *= 2
        flow.begin()
        run = _run(flow, stepped, times, x, count, tick)
    run.seconds = perf_counter() - began
    return run


def _stepper(flow: MovingSystem, gap: float) -> Callable[[Array, int], Array]:
    """A function that gives the state one output later, by so many steps."""
    engine, p = variational(flow.motion.system), flow.parameters

    def stepped(state: Array, steps: int) -> Array:
        start = state.copy()
        start[-1] = 0.0
        try:
            with interrupts_wait():
                return engine.stepped(start, p, gap / steps, steps)
        except RuntimeError:  # a singular matrix on the way
            return np.full(len(state), np.nan)

    return stepped


def _run(
    flow: MovingSystem,
    stepped: Callable[[Array, int], Array],
    times: Array,
    x: Array,
    count: int,
    tick: Tick,
) -> Run:
    """One run with a number of steps between outputs."""
    n = flow.motion.n
    run = Run(times, np.zeros((len(times), len(x))), Status.FINISHED, ["variational"], 0, [])
    run.x[0] = x
    flow.sample(float(times[0]), x)
    state, reached = np.append(x[: 2 * n], 0.0), 1
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
    run.t, run.x = times[:reached], run.x[:reached]
    return run


def _lost(flow: MovingSystem, run: Run) -> float:
    """The largest change of the energy along a run, over the energy that moves about."""
    whole, still = (each[:, 0, 0] for each in flow.along("energy", run.t, run.x))
    size = np.abs(whole - still).max() + np.ptp(still)
    return float(np.ptp(whole) / size) if size > 0 else 0.0


def _close(coarse: Array, fine: Array, rtol: float) -> bool:
    if not (np.isfinite(coarse).all() and np.isfinite(fine).all()) or fine[-1] > SOLVED:
        return False
    return bool(np.abs(coarse - fine).max() <= rtol * np.abs(fine).max())
