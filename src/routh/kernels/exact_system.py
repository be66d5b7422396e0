"""The equations of a system in ball arithmetic: every result encloses the exact one.

The same graphs as everywhere, but no number of the model is rounded: those that doubles cannot hold
become arguments, given as balls, so that CasADi has nothing inexact to fold. So do expressions of
numbers, and velocities at rest. A number that looks as if it had been rounded is refused. The
instructions of the graph are then carried out on balls. Values of parameters are the doubles they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import casadi
import sympy
from flint import arb

from routh.errors import DerivationError
from routh.kernels.graphs.balance import Balance
from routh.kernels.graphs.graph import Graph
from routh.kernels.graphs.lower import SX
from routh.kernels.graphs.second_variation import second_variation
from routh.kernels.instructions.balls import SHORT, Ball, Program, ball_of
from routh.language.system import System


class ExactSystem:
    """The balance and the second variation of a system, as functions of its coordinates.

    About a rest or a steady motion, with parameters p, inputs u and velocities v as the doubles they
    are. Velocities are arguments also where they are zero: put into the graph, they would let CasADi
    fold constants.
    """

    def __init__(
        self, system: System, p: Sequence[float], u: Sequence[float], v: Sequence[float]
    ) -> None:
        self._numbers: dict[sympy.Basic, SX] = {}
        if system.shapes:
            raise DerivationError(
                f"No proof: {system.title} is discretized, and its equations are sums over points with"
                " numbers that are rounded."
            )
        self._graph = Graph(system, self._constant)
        self._column = Balance(self._graph, at_rest=False).column
        self._given = [[arb(float(x)) for x in xs] for xs in (p, u, v)]

    def _constant(self, number: sympy.Basic) -> SX:
        """Short whole numbers and halves as they are, others as arguments."""
        if number.is_Rational and number.q in (1, 2) and abs(number.p) <= SHORT:
            return casadi.SX(float(number))
        if number not in self._numbers:
            ball_of(number)
            self._numbers[number] = casadi.SX.sym(f"c{len(self._numbers)}")
        return self._numbers[number]

    def _program(self, outputs: Sequence[SX]) -> Program:
        symbols = casadi.vertcat(*self._numbers.values()) if self._numbers else casadi.SX(0, 1)
        constants = [ball_of(number) for number in self._numbers]
        p, u, v = self._given
        still = [arb(0)] * len(v)
        fixed = [[arb(0)], None, v, still, p, u, [], constants]
        return Program(self._graph.function("exact", outputs, [symbols]), fixed)

    @cached_property
    def _balance(self) -> Program:
        return self._program([self._column])

    @cached_property
    def _slopes(self) -> Program:
        return self._program([casadi.jacobian(self._column, self._graph.q)])

    @cached_property
    def _matrices(self) -> Program:
        return self._program(second_variation(self._graph, at_rest=False))

    def balance(self, q: list[Ball]) -> list[Ball]:
        """The equations of rest over a box of positions."""
        return [row[0] for row in self._balance(q)[0]]

    def slopes(self, q: list[Ball]) -> list[list[Ball]]:
        """Their derivatives by the coordinates over a box."""
        return self._slopes(q)[0]

    def matrices(self, q: list[Ball]) -> list[list[list[Ball]]]:
        """M, C and K over a box."""
        return self._matrices(q)
