"""Long conservative runs by a variational method, in equal steps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from routh.analysis.motion.flow import MovingSystem
from routh.analysis.motion.integrators.base import Passage
from routh.analysis.motion.progress import interrupts_wait
from routh.analysis.motion.settings import Options
from routh.arrays import Array
from routh.errors import DeclarationError, DerivationError, Status, capital
from routh.kernels.discrete_action import variational
from routh.kernels.kernel import kernel
from routh.language.events import Event
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


@dataclass(frozen=True)
class Variational:
    """A symplectic method of order 6, whose steps are those of a discrete action.

    The number of steps from one output to the next is found on the way through the first of them: twice
    as many must not change the state by more than the tolerance, compared with its largest entry. If
    the run then meets a place where its steps are too large, or loses energy, it is begun anew with
    twice as many.
    """

    name: str = "variational"
    nature: str = "takes equal steps"
    stiff: None = None
    takes_events: bool = False
    takes_projection: bool = True
    takes_functions: bool = False
    takes_momenta: bool = False
    equal_steps: bool = True

    def refuse(self, system: System, times: Array, events: tuple[Event, ...], options: Options) -> None:
        """What it does not preserve, and what has no part in equal steps."""
        _refuse_driven(system)
        _refuse_uneven(times)
        if events:
            raise DeclarationError(
                '`events` need steps of any size; method="variational" takes equal ones.'
            )
        given = {"atol": options.atol is not None, "stabilize": options.stabilize != "projection"}
        for option in (name for name, told in given.items() if told):
            raise DeclarationError(
                f'`{option}` has no part in method="variational": rtol sets its equal steps, and the'
                " constraints are met in each. Leave it out."
            )

    def go(self, passage: Passage) -> None:
        """To the last output, or as far as the equations can be solved."""
        flow, outputs, rtol = passage.flow, passage.outputs, passage.settings.rtol
        if flow.motion.redundant:
            raise DerivationError(
                'method="variational" needs constraints that do not depend on each other. Leave out'
                " those that follow from others."
            )
        passage.run.atol = 0.0  # rtol alone sets the steps
        times = outputs.times
        stepped = _stepper(flow, float((times[-1] - times[0]) / (len(times) - 1)))
        count = _steps_needed(stepped, outputs.latest[: 2 * flow.motion.n], len(times) - 1, rtol)
        for again in range(AGAIN + 1):
            _go_by(stepped, count, passage)
            good = passage.run.stuck is None and _lost(passage) < LOSS * rtol
            if good or count >= FINEST or again == AGAIN:
                return
            count *= 2
            _begin_anew(passage)


VARIATIONAL = Variational()


def _refuse_driven(system: System) -> None:
    """Refuse what a variational method does not preserve: forces and time."""
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


def _refuse_uneven(times: Array) -> None:
    gaps = np.diff(times)
    if (np.abs(gaps - gaps.mean()) > EVEN * gaps.mean()).any():
        raise DeclarationError(
            'method="variational" takes equal steps, so `times` must be evenly spaced, like'
            f" np.linspace(0, 10, 101). Got gaps from {gaps.min():g} to {gaps.max():g}."
        )


def _steps_needed(
    stepped: Callable[[Array, int], Array], start: Array, outputs: int, rtol: float
) -> int:
    """The steps from one output to the next, as the first outputs ask for them."""
    count, trial = 1, np.append(start, 0.0)
    for _ in range(min(outputs, TRIED)):
        coarse, fine = stepped(trial, count), stepped(trial, 2 * count)
        while not _close(coarse, fine, rtol) and count < FINEST:
            count *= 2
            coarse, fine = fine, stepped(trial, 2 * count)
        if not np.isfinite(fine).all():
            break
        trial = fine
    return count


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


def _go_by(stepped: Callable[[Array, int], Array], count: int, passage: Passage) -> None:
    """Through the outputs, with so many steps between them."""
    flow, outputs, run, n = passage.flow, passage.outputs, passage.run, passage.flow.motion.n
    state = np.append(outputs.latest[: 2 * n], 0.0)
    while outputs.waiting:
        new = stepped(state, count)
        if not np.isfinite(new).all() or new[-1] > SOLVED:
            run.status, run.stuck = Status.STUCK, (outputs.now, outputs.latest)
            return
        state = new
        reached = np.zeros(flow.motion.size)
        reached[: 2 * n] = state[: 2 * n]
        outputs.put(reached)
        run.steps += count
        flow.sample(outputs.now, reached)
        passage.tick(outputs.now)


def _begin_anew(passage: Passage) -> None:
    """Back to the start, as if nothing had happened."""
    flow, outputs, run = passage.flow, passage.outputs, passage.run
    flow.begin()
    outputs.begin()
    flow.sample(outputs.now, outputs.latest)
    run.status, run.stuck, run.steps = Status.FINISHED, None, 0


def _lost(passage: Passage) -> float:
    """The largest change of the energy along a run, over the energy that moves about."""
    outputs = passage.outputs
    t, x = outputs.times[: outputs.count], outputs.x[: outputs.count]
    whole, still = (each[:, 0, 0] for each in passage.flow.along("energy", t, x))
    size = np.abs(whole - still).max() + np.ptp(still)
    return float(np.ptp(whole) / size) if size > 0 else 0.0


def _close(coarse: Array, fine: Array, rtol: float) -> bool:
    if not (np.isfinite(coarse).all() and np.isfinite(fine).all()) or fine[-1] > SOLVED:
        return False
    return bool(np.abs(coarse - fine).max() <= rtol * np.abs(fine).max())
