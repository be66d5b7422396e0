"""The equations of a periodic motion: pieces of a period that fit together.

They are the same for one motion (`periodic_motion`) and for a family of them (`family`), where
something is moved and is one more unknown.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from functools import partial

import numpy as np
import sympy

from routh.analysis.motion.flow import MovingSystem
from routh.analysis.motion.settings import FEWEST
from routh.analysis.periodic.lap import Lap
from routh.analysis.time.periods import refuse_other_period
from routh.analysis.time.segments import segments, shifted
from routh.arrays import Array
from routh.errors import DeclarationError
from routh.kernels.engine import Point
from routh.kernels.kernel import kernel
from routh.kernels.motion import motion as compiled
from routh.language.declaring import parameter
from routh.language.system import System
from routh.numerics.steppers import StuckError

RTOL = 1e-12
"""Tolerance of the flow and of its variational equations."""

BITS, KICKED = 64, 1e-9
"""Units in the last place of time around a node, and the share by which momenta may change there."""

UNFOLD = "unfold_"
"""The damping that is added to a conservative system as an unknown, and comes out as zero."""


class Regime(Enum):
    """What keeps a motion going, and so what is unknown of it beside its states."""

    DRIVEN = "time drives it: its period is that of the drive"
    AUTONOMOUS = "what is lost is fed in: it is alone, and its period is found"
    CONSERVATIVE = "nothing is lost: it is one of a family, with a period for each"

    @property
    def trivial(self) -> int:
        """How many multipliers are 1, by shifts in time and within a family."""
        return list(Regime).index(self)


class Shooting:
    """A system whose motions are run in pieces, each from its own start, with their variations.

    A conservative system gets a damping as an unknown more: motions of a family are not alone, and with
    it as many equations as unknowns are independent of each other. It comes out as zero.
    """

    def __init__(self, system: System, values: dict[str, float], turning: int, regime: Regime) -> None:
        self.regime = regime
        self.system = system
        self.turning = turning
        own = system
        if regime is Regime.CONSERVATIVE:
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
        if self.regime is Regime.DRIVEN:
            flow.segments = segments(self.own, (), p, 0.0, period, period / FEWEST)
            flow.later = partial(shifted, self.own, (), p)
        return flow

    def lap(self, nodes: Array, period: float, values: dict[str, float]) -> Lap:
        """One period, each piece run from the state where it begins, with its variations."""
        ends, by_starts, by_others, rates = [], [], [], []
        flow = self.flow(values, period)
        h = period / len(nodes)
        for k, node in enumerate(nodes):
            x = np.zeros(self.engine.size)
            x[: self.n] = node
            if self.regime is Regime.DRIVEN:
                _refuse_kicked(flow, k * h, period, x)
            times = np.array([k * h, (k + 1) * h])
            states, by_start, by_other = flow.varied(x, times, RTOL)
            ends.append(states[-1][: self.n])
            by_starts.append(by_start[-1])
            by_others.append(by_other[-1])
            rates.append(flow.rate(float(times[1]), states[-1])[: self.n])
        return Lap(nodes, *map(np.array, (ends, by_starts, by_others, rates)))

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


@dataclass(frozen=True, eq=False)
class Unknowns:
    """States at the starts of the pieces, the period, the damping that unfolds, and what is moved."""

    nodes: Array
    period: float
    mu: float = 0.0
    value: float = 0.0


@dataclass(frozen=True)
class Moved:
    """What is moved along a family: "amplitude", "energy" or a parameter, by its name.

    Where the period of a drive changes with a parameter, `period` is it and its slope.
    """

    name: str
    unit: float
    period: Callable[[float], tuple[float, float]] | None = None

    @property
    def is_parameter(self) -> bool:
        """Whether it is a number of the system."""
        return self.name not in ("amplitude", "energy")


class Equations:
    """All that must vanish for a motion to repeat, in units of its size, and its slopes.

    The rows are the gaps between the pieces; of an autonomous motion a velocity at the start, which
    says where it starts; of a conservative one what chooses it among its family. The columns are
    changes of the nodes in units of the motion, of the period in its own, of the damping that unfolds,
    and of what is moved in `moved.unit`.

    Arguments:
        shooting: the system.
        values: the numbers of its parameters.
        size: (2n,) of the motion.
        held: where the coordinate that swings most turns, unless something else chooses the motion.
        moved: along a family what is moved, else None.
    """

    def __init__(
        self,
        shooting: Shooting,
        values: dict[str, float],
        size: Array,
        held: float,
        moved: Moved | None = None,
    ) -> None:
        self._shooting, self._values, self._held = shooting, values, held
        self.moved = moved
        self._size = size

    def numbers(self, at: Unknowns) -> dict[str, float]:
        """The numbers of the parameters, also of the damping that unfolds."""
        found = dict(self._values)
        if self._shooting.regime is Regime.CONSERVATIVE:
            found[UNFOLD] = at.mu
        if self.moved is not None and self.moved.is_parameter:
            found[self.moved.name] = at.value
        return found

    def lap(self, at: Unknowns) -> Lap:
        """One period of the motion.

        Raises:
            StuckError: it cannot be run for a period.
        """
        return self._shooting.lap(at.nodes, at.period, self.numbers(at))

    def rows(self, at: Unknowns, lap: Lap) -> tuple[Array, Array]:
        """What must vanish (m,), and its slopes (m, unknowns)."""
        scale = np.tile(self._size, len(at.nodes))
        columns = self._columns(at, lap)
        A = np.hstack([lap.by_nodes * scale, *(column[:, None] for column in columns)]) / scale[:, None]
        off = lap.gaps / scale
        for gap, row in self._chosen(at, A.shape[1]):
            A = np.vstack([A, row])
            off = np.append(off, gap)
        return off, A

    def _columns(self, at: Unknowns, lap: Lap) -> list[Array]:
        """Slopes of the gaps by what is unknown beside the nodes."""
        regime, names = self._shooting.regime, self._shooting.names
        found = [] if regime is Regime.DRIVEN else [lap.by_period * at.period]
        if regime is Regime.CONSERVATIVE:
            found.append(lap.by_values[:, names.index(UNFOLD)])
        if self.moved is not None:
            column = np.zeros(at.nodes.size)
            if self.moved.is_parameter:
                column = lap.by_values[:, names.index(self.moved.name)] * self.moved.unit
            if self.moved.period is not None:
                column = column + lap.by_period * self.moved.period(at.value)[1] * self.moved.unit
            found.append(column)
        return found

    def _chosen(self, at: Unknowns, count: int) -> list[tuple[float, Array]]:
        """The phase of an autonomous motion, and what chooses one of a conservative family."""
        regime, shooting = self._shooting.regime, self._shooting
        along = "" if self.moved is None else self.moved.name
        found = [] if regime is Regime.DRIVEN else [self._held_at(at, count, shooting.phase, 0.0)]
        if regime is Regime.CONSERVATIVE and along == "energy":
            found.append(self._energy(at, count))
        elif regime is Regime.CONSERVATIVE:
            held = at.value if along == "amplitude" else self._held
            gap, row = self._held_at(at, count, shooting.turning, held)
            if self.moved is not None and along == "amplitude":
                row[-1] = -self.moved.unit / self._size[shooting.turning]
            found.append((gap, row))
        return found

    def _held_at(self, at: Unknowns, count: int, k: int, value: float) -> tuple[float, Array]:
        """Unknown k of the first node, held at a value."""
        row = np.zeros(count)
        row[k] = 1.0
        return (at.nodes[0, k] - value) / self._size[k], row

    def _energy(self, at: Unknowns, count: int) -> tuple[float, Array]:
        """The energy, which is what is moved."""
        assert self.moved is not None
        energy, slope = self._shooting.energy(at.nodes[0], self.numbers(at))
        row = np.zeros(count)
        row[: len(slope)] = slope * self._size / self.moved.unit
        row[-1] = -1.0
        return (energy - at.value) / self.moved.unit, row


def _refuse_kicked(flow: MovingSystem, t: float, period: float, x: Array) -> None:
    """Refuse masses that jump where pieces of the motion meet: velocities jump with them.

    Raises:
        StuckError: they do.
    """
    near = BITS * float(np.spacing(period))
    before, after = (flow.run("momenta", time, x)[0] for time in ((t - near) % period, t + near))
    if np.abs(after - before).max(initial=0) > KICKED * np.abs(after).max(initial=1e-300):
        raise StuckError("velocities jump with the masses in time")
