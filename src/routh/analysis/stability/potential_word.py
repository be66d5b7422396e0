"""What the potential is called whose curvature is K: the dynamic one, or an effective one.

Without forces and prescribed motion beyond steady turning `K = -L_qq`, the curvature of `V - T0`. On an
accelerated base `dF/dt` adds to it, with F = L_vq: forces of inertia that have a potential of their
own. Forces outside of V add `-Q_q`. Then the minimum is that of the sum, not of V - T0.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from routh.analysis.linear.linear_model import LinearModel
from routh.kernels.kernel import kernel
from routh.language.walk import prescribed
from routh.numerics import levels

DYNAMIC: Final = "dynamic potential"


def potential_word(linear: LinearModel) -> str:
    """What to call it, and what makes it more than V - T0."""
    system = linear.system
    moved = prescribed([*system.kinetic, *system.lagrangian])
    added = ["prescribed motion"] * bool(moved) + ["forces"] * bool(system.forces)
    if not added or not linear.is_holonomic or _is_dynamic(linear):
        return DYNAMIC
    verb = "adds" if added == ["prescribed motion"] else "add"
    return f"effective potential (V - T0 and what {' and '.join(added)} {verb} to it)"


def _is_dynamic(linear: LinearModel) -> bool:
    """Whether K is -L_qq on the admissible motions, multipliers included, at every point."""
    place = linear.place
    bent = kernel(linear.system).derivatives(place.point)["L_qq"]
    K, Z = linear.reference.conditions.stacked(linear.K), place.Z
    terms = np.abs(Z).swapaxes(1, 2) @ np.abs(bent) @ np.abs(Z) + np.abs(K)
    off = np.abs(K + Z.swapaxes(1, 2) @ bent @ Z)
    return not (off > levels.DISTANT * terms).any()
