"""The equations of a periodic motion: pieces of a period that fit together."""

from __future__ import annotations

from functools import partial

import numpy as np
import sympy

from routh.analysis.motion.flow import MovingSystem
from routh.analysis.motion.settings import FEWEST
from routh.analysis.time.periods import refuse_other_period
from routh.analysis.time.segments import segments, shifted
from routh.arrays import Array
from routh.errors import DeclarationError
from routh.kernels.engine import Point
from routh.kernels.kernel import kernel
from routh.kernels.motion import motion as compiled
from routh.language.symbols import parameter
from routh.language.system import System
from routh.numerics.steppers import StuckError

RTOL = 1e-12
"""Tolerance of the flow and of its variational equations."""

BITS, KICKED = 64, 1e-9
"""Units in the last place of time around a node, and the share by which momenta may change there."""

UNFOLD = "unfold_"
"""The damping that is added to a conservative system as an unknown, and comes out as zero."""


class Shooting:
    """The equations of a periodic motion: pieces that fit together, a phase, and what is held.

    The unknowns are the states at the starts of the pieces, then the period (where it is free) and the
    damping that unfolds a conservative system.
    """

    def __init__(self, system: System, values: dict[str, float], turning: int, kind: str) -> None:
        self.kind = kind
        self.system = system
        self.turning = turning
        own = system
        if kind == "conservative":
            mu = parameter(UNFOLD)
            damping = mu / 2 * sympy.Add(*(v**2 for v in system.velocities))
            own = system.changed(dissipation=[*system.dissipation, damping])
            values = values | {UNFOLD: 0.0}
        self.own = own
        self.values = values
        self.names = [p.name for p in own.parameters]
        self.engine = compiled(own, (), baumgarte=False, redundant=False)
        self.n = 2 * len(system.coordinates)

    def flow(self, values: dict[str, float], period: float) -> MovingSystem:
        """The motion with its numbers, in segments where time drives it."""
        p = np.array([values[name] for name in self.names])
        flow = MovingSystem(self.engine, p, np.zeros(0), None)
        if self.kind == "driven":
            flow.segments = segments(self.own, (), p, 0.0, period, period / FEWEST)
            flow.later = partial(shifted, self.own, (), p)
        return flow

    def pieces(
        self, nodes: Array, period: float, values: dict[str, float]
    ) -> list[tuple[Array, Array, Array, Array]]:
        """For each piece its end, growth by its start, by the parameters and time, and final rate."""
        found = []
        flow = self.flow(values, period)
        h = period / len(nodes)
        for k, node in enumerate(nodes):
            x = np.zeros(self.engine.size)
            x[: self.n] = node
            if self.kind == "driven":
                _refuse_kicked(flow, k * h, period, x)
            times = np.array([k * h, (k + 1) * h])
            states, by_start, by_others = flow.varied(x, times, RTOL)
            rate = flow.rate(float(times[1]), states[-1])[: self.n]
            found.append((states[-1][: self.n], by_start[-1], by_others[-1], rate))
        return found

    def system_of(
        self, nodes: Array, period: float, values: dict[str, float]
    ) -> tuple[Array, Array, Array, Array]:
        """Gaps, and their slopes by the nodes, the period and the parameters."""
        count, n = nodes.shape
        each = self.pieces(nodes, period, values)
        gaps = np.concatenate([each[k][0] - nodes[(k + 1) % count] for k in range(count)])
        by_nodes = np.zeros((count * n, count * n))
        by_period = np.zeros(count * n)
        by_values = np.zeros((count * n, len(self.names)))
        for k, (_, by_start, by_others, rate) in enumerate(each):
            rows = slice(k * n, (k + 1) * n)
            by_nodes[rows, rows] += by_start
            after = (k + 1) % count
            by_nodes[rows, after * n : (after + 1) * n] -= np.eye(n)
            by_period[rows] = rate / count + by_others[:, -1] * k / count
            by_values[rows] = by_others[:, :-1]
        return gaps, by_nodes, by_period, by_values

    def monodromy(self, nodes: Array, period: float, values: dict[str, float]) -> Array:
        """What a period does to deviations of q and v at the start."""
        grown = np.eye(self.n)
        for _, by_start, _, _ in self.pieces(nodes, period, values):
            grown = by_start @ grown
        return grown

    def energy(self, state: Array, values: dict[str, float]) -> tuple[float, Array]:
        """V . L_v - L at a state, and its slopes by q and v."""
        n = self.n // 2
        q, v = state[None, :n], state[None, n:]
        p = np.array([[values[name.name] for name in self.system.parameters]])
        none = np.zeros((1, 0))
        point = Point(np.zeros((1, 1)), q, v, np.zeros_like(q), p, none, none)
        engine = kernel(self.system)
        found = {name: each[0] for name, each in engine.derivatives(point).items()}
        energy = float(found["L_v"] @ v[0] - engine.lagrangian(point)[0])
        return energy, np.concatenate([found["L_vq"].T @ v[0] - found["L_q"], found["L_vv"] @ v[0]])

    def is_period(self, period: float, values: dict[str, float]) -> bool:
        """Whether the drive has this period."""
        try:
            self.refuse_other_period(period, values)
        except DeclarationError:
            return False
        return True

    def refuse_other_period(self, period: float, values: dict[str, float]) -> None:
        """Refuse a period that is none of the drive."""
        p = np.array([[values[each.name] for each in self.system.parameters]])
        refuse_other_period(self.system, p, np.array([period]))

    @property
    def phase(self) -> int:
        """The unknown that is held at zero to choose where an autonomous motion starts: a velocity."""
        return self.n // 2 + self.turning


def _refuse_kicked(flow: MovingSystem, t: float, period: float, x: Array) -> None:
    """Refuse masses that jump where pieces of the motion meet: velocities jump with them.

    Raises:
        StuckError: they do.
    """
    near = BITS * float(np.spacing(period))
    before, after = (flow.run("momenta", time, x)[0] for time in ((t - near) % period, t + near))
    if np.abs(after - before).max(initial=0) > KICKED * np.abs(after).max(initial=1e-300):
        raise StuckError("velocities jump with the masses in time")
