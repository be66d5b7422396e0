"""Linear models along a motion that its outputs do not show: kicks between them, jumps of masses."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from routh.analysis.motion.trajectory import Trajectory
from routh.analysis.time.segments import Segment
from routh.errors import DerivationError
from routh.kernels.engine import Point
from routh.kernels.kernel import kernel

SHOWN = 5
"""Outputs within a narrow window from which on they show what happens in it."""

JUMPS = 1e-9
"""Share by which matrices differ that jump."""


def refuse_unseen(motion: Trajectory) -> None:
    """Refuse a linear model whose matrices change between the outputs, or have no finite rate.

    Raises:
        DerivationError: they do.
    """
    if not kernel(motion.system).matrices_depend_on_time:
        return
    for run, flow in enumerate(motion.flows):
        plain = max((each.longest for each in flow.segments), default=np.inf)
        for segment in flow.segments:
            if segment.longest < plain:
                _refuse_hidden(motion, segment)
        for left, right in pairwise(flow.segments):
            if right.start > left.end and left.end <= motion.t[-1]:
                _refuse_infinite(motion, run, left.end, right.start)


def _refuse_hidden(motion: Trajectory, segment: Segment) -> None:
    """A narrow window without outputs in it."""
    inside = int(((motion.t >= segment.start) & (motion.t <= segment.end)).sum())
    if inside >= SHOWN or segment.start > motion.t[-1]:
        return
    raise DerivationError(
        f"The linear model of {motion.system.title} changes between t = {segment.start:.10g} and"
        f" {segment.end:.10g}, where the motion has {inside} outputs: matrices at the outputs do not"
        " show it. Simulate with more output times there, or ask for variations=True, whose"
        " motion.transition has it in it."
    )


def _refuse_infinite(motion: Trajectory, run: int, before: float, after: float) -> None:
    """Masses, or slopes of momenta, that jump have no rate."""
    k = int(np.searchsorted(motion.t, before, side="right")) - 1
    row = run * len(motion.t) + k
    arguments = [each[[row, row]] for each in motion.point().arguments]
    arguments[0] = np.array([[before], [after]])
    found = kernel(motion.system).second_derivatives(Point(*arguments))
    for name in ("L_vv", "L_vq"):
        jump = np.abs(np.diff(found[name], axis=0)).max(initial=0)
        if jump > JUMPS * np.abs(found[name]).max(initial=1e-300):
            raise DerivationError(
                f"Masses or momenta of {motion.system.title} jump at t = {before:.10g}, so that the"
                " rates in its linear model are not finite. Linearize the motion before and behind it,"
                " or write the jump smooth."
            )
