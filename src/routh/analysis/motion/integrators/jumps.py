"""What happens to a motion where something prescribed in time jumps: momenta stay what they are."""

from __future__ import annotations

import numpy as np

from routh.analysis.motion.flow import MovingSystem
from routh.arrays import Array
from routh.numerics.solving.damping import damped
from routh.numerics.steppers import StuckError

MOST_STEPS = 20
"""Newton steps to the velocities behind a jump; one is enough where L is quadratic in them."""

MET = 1e-12
"""Share of the largest momentum by which they may be off."""

HELD = 1e-6
"""Share of the position by which a constraint may jump."""


def passed(flow: MovingSystem, before: float, after: float, x: Array) -> Array:
    """The state behind a jump in time, from that just before it.

    Positions stay. So do momenta L_v, as forces are finite; velocities change where
    masses or other terms of the momenta jump. What the energy changes by is work. The few last bits of
    time in which the jump lies count half to each side: to a short pulse they may be many.

    Raises:
        StuckError: a constraint jumps, or no velocities have these momenta.
    """
    n = flow.motion.n
    x = x + (after - before) / 2 * flow.rate(before, x)
    if flow.motion.in_momenta:
        new = _on_constraints(flow, after, x)
        ends = [_with_velocities(flow, time, own) for time, own in ((before, x), (after, new))]
    else:
        new = _kept(flow, before, after, x)
        ends = [x, new]
    if flow.motion.works:
        energies = [
            float(flow.run("energy", time, own)[0][0, 0])
            for time, own in zip((before, after), ends, strict=True)
        ]
        new[2 * n] += energies[1] - energies[0]
    return new + (after - before) / 2 * flow.rate(after, new)


def _with_velocities(flow: MovingSystem, t: float, x: Array) -> Array:
    n = flow.motion.n
    found = x.copy()
    found[n : 2 * n] = flow.run("velocities", t, x)[0][:, 0]
    return found


def _kept(flow: MovingSystem, before: float, after: float, x: Array) -> Array:
    """The state with the velocities that have the same momenta behind the jump, on the constraints."""
    n = flow.motion.n
    new = x.copy()
    p = flow.run("momenta", before, x)[0][:, 0]
    later = flow.run("momenta", after, x)[0][:, 0]
    met = MET * float(np.abs([p, later]).max(initial=0))

    def look(v: Array) -> tuple[Array, Array]:
        new[n : 2 * n] = v
        off = flow.run("momenta", after, new)[0][:, 0] - p
        return off, flow.run("matrices", after, new)[0]

    found = damped(
        look,
        lambda M, off: np.asarray(np.linalg.solve(M, off)),
        x[n : 2 * n],
        holds=lambda _, off: bool(np.abs(off).max(initial=0) <= met),
        most=MOST_STEPS,
    )
    if not found.held:
        raise StuckError("no velocities have the momenta before a jump")
    new[n : 2 * n] = found.x
    return _on_constraints(flow, after, new)


def _on_constraints(flow: MovingSystem, after: float, x: Array) -> Array:
    """A copy of the state, on the constraints behind the jump; positions stay."""
    if not flow.motion.c:
        return x.copy()
    n = flow.motion.n
    moved = flow.projected(after, x)
    if np.abs(moved[:n] - x[:n]).max() > HELD * max(float(np.abs(x[:n]).max()), 1e-300):
        raise StuckError("a constraint jumps")
    return moved
