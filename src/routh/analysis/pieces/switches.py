"""Jumps of forces along a motion, where small deviations jump too and variational equations are wrong.

Where a force jumps (dry friction as `sign(v)`, the valley of `Abs(x)`), a neighbouring motion passes
the switch a little earlier or later, and deviations change at once by a saltation matrix that no
second derivative knows of.
"""

from __future__ import annotations

import numpy as np

from routh.analysis.pieces.crossings import crossings
from routh.analysis.pieces.kinks import Kinks, smooth_at
from routh.errors import DerivationError, quoted, shortened
from routh.kernels.engine import Kernel, Point


def jumps_along(engine: Kernel, point: Point) -> Kinks:
    """Where the equations of motion jump between neighbouring rows of a stack along a motion."""
    passed = crossings(engine.system, None, point)
    if passed is None:
        return Kinks(np.zeros(0, dtype=bool), ())
    return smooth_at(engine, passed, order=0)


def refuse_jumps(engine: Kernel, point: Point, what: str) -> None:
    """Refuse a motion along which a force jumps, where growth of deviations is asked for."""
    found = jumps_along(engine, point)
    if found.broken.any():
        raise DerivationError(
            f"{what} of {engine.system.title} is not known: along the motion forces jump where"
            f" {quoted(shortened(m, 60) for m in found.pieces[:2])} switches, and deviations jump with"
            " them, which its variational equations do not see. Write the force smooth, like"
            " tanh(50*x) for sign(x)."
        )
