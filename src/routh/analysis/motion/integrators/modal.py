"""Runs in modal coordinates: linear oscillations exactly, what couples them in long steps.

A discretized field has modes far above all that is asked of it, as many as it has functions. They
ring, and the steps of other methods follow the quickest of them. Here each mode of the masses and
stiffness at one state is carried exactly (`numerics.exponential`), so that steps follow what is left:
forces, and how masses and stiffness change on the way. Where that grows, the modes of the state that
was reached take over. Compiled code goes round within steps where that pays (`modal_in_c`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from routh.analysis.motion.flow import MovingSystem
from routh.analysis.motion.integrators.base import Leg, Passage
from routh.analysis.motion.integrators.modal_in_c import ModalInC
from routh.analysis.motion.integrators.one_step import DOP853
from routh.analysis.motion.integrators.stepping import Stepping
from routh.analysis.motion.integrators.stiffness import LARGEST
from routh.analysis.motion.settings import Options, Settings
from routh.arrays import Array
from routh.errors import DeclarationError, Status
from routh.language.events import Event
from routh.language.system import System
from routh.numerics.exponential.collocation import Collocation, SecondOrder
from routh.numerics.exponential.linear_part import LinearPart
from routh.numerics.steppers import Stepper, StuckError

TURNS = 1000.0
"""Radians that the quickest mode must turn within a run for its modes to be worth their making."""

COUPLED = 0.1
"""Share of the quickest frequency up to which damping may couple modes: it is not carried exactly."""


@dataclass(frozen=True)
class Modal:
    """Exponential collocation at Gauss nodes, in the modes of masses and stiffness."""

    name: str = "modal"
    nature: str = "carries modes of coordinates that nothing constrains"
    stiff: None = None
    takes_events: bool = True
    takes_projection: bool = False
    takes_functions: bool = True
    takes_momenta: bool = False
    equal_steps: bool = False

    def refuse(
        self, system: System, _times: Array, _events: tuple[Event, ...], _options: Options
    ) -> None:
        """Constraints, also where they are stabilized in another way."""
        if system.constraints:
            raise DeclarationError(
                f'method="modal" {self.nature}, and {system.title} has constraints: it cannot take'
                ' stabilize="projection" nor any other. Use method="DOP853", or "Radau" for stiff'
                " equations."
            )

    def go(self, passage: Passage) -> None:
        """To the last output; where steps do not settle, another method goes on if it may."""
        run, outputs, settings = passage.run, passage.outputs, passage.settings
        if not run.legs:
            run.begin(Leg(self.name, outputs.now, outputs.latest, settings.last))
        Stepping(self, passage).go()
        if run.status is Status.STUCK and settings.free and run.stuck is not None:
            outputs.now, outputs.latest = run.stuck
            run.status, run.stuck = Status.FINISHED, None
            run.begin(Leg(DOP853.name, outputs.now, outputs.latest, settings.last))

    def stepper(self, flow: MovingSystem, settings: Settings, t: float, x: Array) -> Stepper:
        """A run from a state on."""
        atol = settings.atol + settings.noise
        cut = settings.cut

        def held(times: Array, states: Array) -> Array:
            rates: Array = cut.held(flow, times, states)[0]
            return rates

        equations = SecondOrder(
            flow.rates if cut is None else held,
            flow.linear,
            flow.motion.n,
            settings.rtol,
            atol,
            settings.longest,
            None if cut is None else cut.basis,
            (lambda: None) if cut else ModalInC(flow, settings).rounds,
        )
        return Collocation(equations, t, x, settings.last)


MODAL = Modal()


def rings(flow: MovingSystem, t: float, x: Array, span: float) -> bool:
    """Whether fields that were discretized have modes that turn many times within the run."""
    motion = flow.motion
    if not motion.system.shapes or motion.c or motion.in_momenta or motion.size > LARGEST:
        return False
    M, K, C = flow.linear(t, x)
    try:
        modes = LinearPart.of(M, K, C)
    except StuckError:
        return False
    quickest = float(np.sqrt(np.abs(modes.oscillators.w).max()))
    coupling = modes.shapes.T @ C @ modes.shapes
    coupling -= np.diag(np.diagonal(coupling))
    return quickest * span > TURNS and float(np.linalg.norm(coupling, 2)) < COUPLED * quickest
