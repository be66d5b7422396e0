"""Runs step by step: projection after each step, and events within it.

DOP853 is explicit, of order 8; Radau implicit, of order 5, for stiff equations.

Projection, not tricks of index reduction: a one-step method has no past that a move would spoil, so
the nearest state in the kinetic metric after each step costs two solves of a matrix that is there
anyway, and drift stays at rounding.
"""

from __future__ import annotations

from dataclasses import dataclass

from routh.analysis.motion.flow import MovingSystem
from routh.analysis.motion.integrators.base import Leg, Passage
from routh.analysis.motion.integrators.stepping import Stepping
from routh.analysis.motion.settings import Options, Settings
from routh.arrays import Array
from routh.language.events import Event
from routh.language.system import System
from routh.numerics.steppers import Flow, OneStep, Stepper


@dataclass(frozen=True)
class RungeKutta:
    """A Runge-Kutta method of SciPy, which forgets its past: it may be moved between steps."""

    name: str
    stiff: RungeKutta | None
    implicit: bool
    nature: str = "goes step by step"
    takes_events: bool = True
    takes_projection: bool = True
    takes_functions: bool = True
    takes_momenta: bool = True
    equal_steps: bool = False

    def refuse(self, system: System, times: Array, events: tuple[Event, ...], options: Options) -> None:
        """Nothing."""

    def go(self, passage: Passage) -> None:
        """To the last output, or as far as it gets."""
        run, outputs = passage.run, passage.outputs
        if not run.legs:
            run.begin(Leg(self.name, outputs.now, outputs.latest, passage.settings.last))
        Stepping(self, passage).go()

    def stepper(self, flow: MovingSystem, settings: Settings, t: float, x: Array) -> Stepper:
        """A run from a state on."""
        atol = settings.atol + settings.noise
        equations = Flow(flow.rate, flow.slope, settings.rtol, atol, settings.longest)
        return OneStep(self.name, self.implicit, equations, t, x, settings.last)


RADAU = RungeKutta("Radau", stiff=None, implicit=True)
DOP853 = RungeKutta("DOP853", stiff=RADAU, implicit=False)
