"""Steps in modal coordinates by compiled code.

Where an engine is not asked for, a run begins without, and is carried on by compiled code once it has
evaluated so often that compiling would have paid: how often a run evaluates is not known before. That
is counted, so that a run that is made again changes over at the same step.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from routh.analysis.motion.flow import MovingSystem
from routh.analysis.motion.settings import Settings
from routh.arrays import Array
from routh.kernels.engine import Engine
from routh.kernels.motion_engine import Rounds, Settled, Step
from routh.numerics.exponential import going_round as laid_out
from routh.numerics.exponential.linear_part import KEPT, NODES, PLACES, LinearPart
from routh.numerics.steppers import TIGHTEST


class ModalInC:
    """The steps of one run; what a length of steps takes is laid out once for each linear part."""

    def __init__(self, flow: MovingSystem, settings: Settings) -> None:
        self._flow, self._engine = flow, settings.engine
        atol = np.zeros(flow.motion.size) + settings.atol + settings.noise
        self._tolerances = max(settings.rtol, TIGHTEST), atol
        self._part: LinearPart | None = None
        self._steps: dict[float, Step] = {}

    def rounds(self) -> laid_out.Rounds | None:
        """What goes round in the next step, if it is to be compiled code."""
        flow = self._flow
        compiled = flow.motion.rounds(self._engine, flow.evaluations, NODES)
        return None if compiled is None else partial(self._settled, compiled)

    def _settled(
        self, compiled: Rounds, t: float, x: Array, h: float, part: LinearPart
    ) -> Settled | None:
        """One step."""
        flow, step = self._flow, self._step(compiled, part, h)
        signals: tuple[Array, ...] = ()
        if not flow.compiled:
            u = flow.signals(np.concatenate([[t], t + h * PLACES]))
            signals = u[0], u[1:].T
        found, evaluations = step(t, x, h, signals)
        flow.evaluations += evaluations
        flow.engine = Engine.C
        return found

    def _step(self, compiled: Rounds, part: LinearPart, h: float) -> Step:
        flow = self._flow
        if part is not self._part:
            self._part, self._linear = part, laid_out.linear_numbers(part)
            self._steps.clear()
        if h not in self._steps:
            if len(self._steps) >= KEPT:
                del self._steps[next(iter(self._steps))]
            self._steps[h] = compiled.step(
                (flow.parameters, flow.signals(np.zeros(1))[0], flow.all_scales),
                laid_out.RULE,
                (laid_out.SETTLED, laid_out.ROUNDS),
                self._tolerances,
                self._linear,
                laid_out.step_numbers(part, h),
            )
        return self._steps[h]
