"""What the functions of discretized fields leave out of a motion, and the tolerance that goes with it.

Steps need not be finer than the functions are. These have frequencies, `omega_k`, which change by
`delta_k` with more functions, so that after a time T mode k is off by `min(1, delta_k T)` of what it
does. Its amplitude is that of the start, and what the forces at the start position would hold it at:

    error^2 = sum of (a_k min(1, delta_k T))^2 / sum of a_k^2,
    a_k^2 = y_k^2 + (y_k'/omega_k)^2 + (f_k/omega_k^2)^2

over the modes that swing within T, in coordinates y of unit mass about the undeformed position. It is
an estimate: that shapes change too is left out, and that a slow force does not make modes ring.
"""

from __future__ import annotations

import numpy as np

from routh.analysis.given.conditions import conditions
from routh.analysis.given.numbers import Numbers
from routh.analysis.motion.flow import MovingSystem
from routh.arrays import Array
from routh.kernels.kernel import kernel
from routh.kernels.motion import motion
from routh.language.system import System
from routh.mechanics.ritz.more_functions import finer
from routh.numerics.exponential.linear_part import LinearPart
from routh.numerics.steppers import StuckError

SHARE = 1e-3
"""Share of what the functions leave out that one step may err by: errors of many steps add up."""

LOOSEST = 1e-7
"""The largest tolerance that is chosen so."""

LOOKED = 33
"""Times of a run at which forces are looked at."""


def related_tolerance(error: float, tightest: float) -> float:
    """The tolerance of steps that goes with what the functions leave out."""
    return float(np.clip(SHARE * error, tightest, LOOSEST))


def basis_error(flow: MovingSystem, values: Numbers, x: Array, times: Array) -> float:
    """The share of the vibrations that functions leave out, estimated; 0 where that cannot be told."""
    system, span = flow.motion.system, float(times[-1] - times[0])
    n = flow.motion.n
    straight = _undeformed(system, x)
    try:
        modes = LinearPart.of(*flow.linear(float(times[0]), straight))
        better = _squares(finer(system), values, straight, system)
    except StuckError:
        return 0.0
    w, count = modes.oscillators.w[:-1], modes.count
    if len(better) < count:
        return 0.0
    swings = w * span**2 > 1
    omega, other = (np.sqrt(np.maximum(each[:count][swings], 0.0)) for each in (w, better))
    moments = np.linspace(times[0], times[-1], LOOKED)
    rates = flow.rates(moments, np.tile(straight, (LOOKED, 1)))
    pushed = np.abs(rates[:, n : 2 * n] @ modes.inverse.T).max(axis=0)[swings]
    y, v = ((modes.inverse @ each)[swings] for each in (x[:n] - straight[:n], x[n : 2 * n]))
    a = np.sqrt(y**2 + (v / omega) ** 2 + (pushed / omega**2) ** 2)
    off = a * np.minimum(1.0, np.abs(omega - other) * span)
    whole = float(np.linalg.norm(a))
    found = float(np.linalg.norm(off)) / whole if whole > 0 else 0.0
    return found if np.isfinite(found) else 0.0


def _undeformed(system: System, x: Array) -> Array:
    """The start without what fields do, and without velocities."""
    found = np.zeros(len(x))
    fields = {q for shape in system.shapes for q in shape.coordinates}
    for k, q in enumerate(system.coordinates):
        if q not in fields:
            found[k] = x[k]
    return found


def _squares(system: System, values: Numbers, straight: Array, before: System) -> Array:
    """The squares of frequencies of a system with other functions, at the same undeformed position."""
    given, _ = conditions(system, values)
    engine = motion(given.system, (), False, False)
    own = MovingSystem(engine, given.p[0], np.zeros(len(kernel(given.system).signals)), None)
    at = dict(zip(before.coordinates, straight, strict=False))
    x = np.zeros(engine.size)
    for k, q in enumerate(given.system.coordinates):
        x[k] = at.get(q, 0.0)
    return LinearPart.of(*own.scaled_at(0.0, x).linear(0.0, x)).oscillators.w[:-1]
