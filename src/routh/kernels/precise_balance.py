"""The equations of a rest or steady motion with many digits: is a force zero, or lost by doubles?"""

from __future__ import annotations

from collections.abc import Sequence

import casadi

from routh.kernels.engine import Precise
from routh.kernels.graphs.balance import Balance
from routh.kernels.graphs.graph import graph_of
from routh.kernels.instructions.digits import ManyDigits
from routh.language.system import System


class PreciseBalance:
    """Some of the equations of one system about a rest, or about a steady motion.

    Arguments:
        system: the system.
        at_rest: whether nothing moves, so that velocities drop out of the graphs.
        without_constant: whether forces that contain no coordinate or multiplier count as zero.
    """

    def __init__(self, system: System, at_rest: bool, *, without_constant: bool = False) -> None:
        self._graph = graph_of(system)
        balance = Balance(self._graph, at_rest)
        self._column = casadi.SX(balance.column)
        if without_constant:
            rows = range(self._column.numel())
            self._column[[row for row in rows if not balance.varies_with_position(row)]] = 0.0

    def forces(self, rows: Sequence[int], digits: int, gap: int | None = None) -> Precise:
        """Some rows of the equations: one output, (rows, 1)."""
        chosen = casadi.vertcat(*(self._column[row] for row in rows))
        return ManyDigits(self._graph.function("forces", [chosen]), digits, gap)

    def forces_and_slopes(self, rows: Sequence[int], digits: int) -> Precise:
        """The same, and their slopes by coordinates and multipliers, (rows, n + c)."""
        chosen = casadi.vertcat(*(self._column[row] for row in rows))
        unknowns = casadi.vertcat(self._graph.q, self._graph.multipliers)
        slopes = casadi.jacobian(chosen, unknowns)
        return ManyDigits(self._graph.function("slopes", [chosen, slopes]), digits)
