"""How the equations of a rest or steady motion change: with their unknowns, and with what is given.

The unknowns are positions, multipliers, and speeds where momenta are given in their place; then
`L_v - momentum` is among the equations. A coordinate that turns is held where it starts, in the place
of its equation, unless the `whole` of them is asked for.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from routh.analysis.given.knob import Knob
from routh.arrays import Array
from routh.kernels.engine import Kernel, Point


def by_unknowns(
    engine: Kernel, point: Point, turning: Sequence[int], held: Sequence[int], *, whole: bool = False
) -> Array:
    """(N, unknowns, unknowns): the derivative by positions, multipliers and the speeds `held`."""
    by_position = engine.tangent(point)
    n, width = point.q.shape[1], by_position.shape[2]
    if turning and not whole:
        by_position[:, turning] = np.eye(width)[list(turning)]
    if not held:
        return by_position
    by_speed = engine.in_motion.slopes(point.arguments)["v"][..., held]
    if not whole:
        by_speed[:, turning] = 0.0
    of = engine.derivatives(point)
    momenta = np.zeros((len(point.q), len(held), width + len(held)))
    momenta[..., :n] = of["L_vq"][:, held]
    momenta[..., width:] = of["L_vv"][:, held][..., held]
    return np.concatenate([np.concatenate([by_position, by_speed], axis=2), momenta], axis=1)


def by_knob(
    engine: Kernel, point: Point, knob: Knob, turning: Sequence[int], held: Sequence[int]
) -> Array:
    """(N, unknowns): the derivative by one of the conditions."""
    balance = knob.slope(engine, point)
    balance[:, turning] = 0.0
    if not held:
        return balance
    by = knob.of(engine, engine.momentum_slopes(point))[:, held]
    return np.concatenate([balance, by], axis=1)
