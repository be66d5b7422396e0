"""Whether a motion has enough outputs to be drawn by straight lines between them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from routh.arrays import Array

if TYPE_CHECKING:
    from routh.analysis.motion.phases import StickSlip
    from routh.analysis.motion.trajectory import Trajectory

VISIBLE = 0.04
"""Share of its range by which a curve may bulge out between two outputs."""

OFTEN = 0.02
"""Share of the outputs at which that must happen: corners of a motion are drawn as corners."""


def too_few(motion: Trajectory | StickSlip) -> str:
    """A warning where lines between the outputs miss the motion, or nothing.

    Between two outputs a step h apart a coordinate bulges out by h |v1 - v0|/8, as a cubic through both
    with both velocities does.
    """
    h = np.diff(motion.t)
    reach, names = _seen(motion)
    moving = reach > 1e-9 * (1 + np.abs(motion.q).max(axis=0, initial=0.0))
    if len(h) < 1 or not moving.any():
        return ""
    bulge = (h[:, None] * np.abs(np.diff(motion.v, axis=0)))[:, moving] / (8 * reach[moving])
    each = np.sort(bulge, axis=0)[-max(1, int(OFTEN * len(h)))]
    worst = int(np.argmax(each))
    if each[worst] <= VISIBLE:
        return ""
    name = np.array(names)[moving][worst]
    needed = int(np.ceil(len(h) * np.sqrt(each[worst] / VISIBLE) / 100) * 100) + 1
    return (
        f"The motion is drawn with {len(motion.t)} points, too few for how fast `{name}` changes: lines"
        f" between them miss it by {100 * each[worst]:.0f} % of its range. Some {needed} would do."
    )


def _seen(motion: Trajectory | StickSlip) -> tuple[Array, list[str]]:
    """(n,) the range of each coordinate, and its name; amplitudes of a field are seen together."""
    system = motion.system
    reach, names = np.ptp(motion.q, axis=0), [str(q) for q in system.coordinates]
    for shape in system.shapes:
        own = [system.coordinates.index(q) for q in shape.coordinates]
        reach[own] = reach[own].max(initial=0.0)
        for k in own:
            names[k] = str(shape.field)
    return reach, names
