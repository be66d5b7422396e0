"""How changes of the start and of the parameters grow along a motion."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from routh.analysis.motion.trajectory import Trajectory
from routh.errors import SolveError
from routh.language.walk import leaves
from routh.numerics.steppers import StuckError

VARIED = 0.1
"""Share of the tolerance of a motion for its variational equations."""


def with_variations(motion: Trajectory) -> Trajectory:
    """The motion with how changes of its start and its parameters grow along it.

    Raises:
        SolveError: the variational equations could not be integrated.
    """
    found = []
    for flow, x in zip(motion.flows, motion.flow_states, strict=True):
        try:
            _, by_start, by_others = flow.varied(x[0], motion.t, VARIED * motion.rtol)
            found.append((by_start, by_others[:, :, :-1]))
        except StuckError:
            raise SolveError(
                f"The variational equations of {motion.system.title} could not be integrated to"
                f" t = {motion.t[-1]:g}: the motion grows without bound, is too stiff for them, or an"
                " input is a Python function. Ask for less time, or write the input as an expression."
            ) from None
    fold = motion.conditions.folded
    state, by_values = (fold(np.stack(each)) for each in zip(*found, strict=True))
    bound = leaves(motion.system.constraints)
    moving = [k for k, p in enumerate(motion.system.parameters) if p in bound]
    by_values[..., moving] = np.nan  # the start would have to move along with the constraint
    return replace(motion, varied=(state, by_values))
