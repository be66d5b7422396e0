"""Steps of exponential collocation in C: the forces at the nodes of one, all nodes side by side."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from routh.arrays import Array
from routh.kernels.instructions.effort import effort
from routh.kernels.motion_engine import Settled, Step
from routh.kernels.native.program import Program
from routh.kernels.native.tape import Tape, tape_text
from routh.kernels.native.written import entry, header, runtime

ARRAYS = (
    "const double *NUMBERS", "const double *RULE", "const int *ROWS", "const double *CONSTANTS",
    "double *W", "const double *X", "double *GIVEN", "double *LATER", "const double *ATOL",
    "const double *LINEAR", "const double *WEIGHTS", "double *FORCES_", "double *END", "double *TOLD",
)  # fmt: skip

BODY = """
Linear own;
Tape rate;
rate.rows = ROWS;
rate.constants = CONSTANTS;
rate.count = (long long)NUMBERS[5];
rate.w = W;
own.shapes = LINEAR;
own.inverse = own.shapes + N * N;
own.w = own.inverse + N * N;
own.d = own.w + N;
own.free_nodes = WEIGHTS;
own.free_end = own.free_nodes + 4 * N * LANES;
own.nodes = own.free_end + 4 * N;
own.end = own.nodes + (2 * N + 1) * LANES * LANES;
own.tails = own.end + (2 * N + 1) * LANES;
own.sums = own.tails + (2 * N + 1) * (LANES + 1) * 2;
TOLD[2] = 1;
TOLD[3] = step_rounds(
    &own, &rate, NUMBERS[0], NUMBERS[1], NUMBERS[2], X, GIVEN, LATER, ATOL, RULE, RULE + LANES,
    NUMBERS[3], (int)NUMBERS[4], FORCES_, END, TOLD);
"""


class StepRounds:
    """The rate of a motion with the rounds of a step around it, compiled when it is first called.

    `rate` is a function of t, x, p, u, k of scalars alone; `nodes` is the number of places in a step.
    """

    def __init__(self, rate: Any, n: int, nodes: int) -> None:
        self.tape, self.effort = Tape(rate), effort(rate)
        self.n, self.nodes, self.size = n, nodes, int(rate.nnz_out(0))

    @cached_property
    def program(self) -> Program:
        """What is compiled: short, and the same for all systems of so many coordinates."""
        numbers = {"SIZE": self.size, "N": self.n, "LANES": self.nodes}
        defined = "\n".join(f"#define {name} {value}" for name, value in numbers.items())
        tapes = tape_text(tape_one=1, tape_lanes=self.nodes)
        return Program(
            "\n".join([defined, runtime(), tapes, header("rounds"), entry("rounds", ARRAYS, BODY)])
        )

    def step(
        self,
        given: tuple[Array, Array, Array],
        rule: Array,
        rounds: tuple[float, int],
        tolerances: tuple[float, Array],
        linear: Array,
        weights: Array,
    ) -> Step:
        """Steps of one length by one linear part, under parameters, signals and scales."""
        return _Step(self, given, (rule, linear, weights), rounds, tolerances)


class _Step:
    """Steps of one length by one linear part, with all that they need in place."""

    def __init__(
        self,
        of: StepRounds,
        given: tuple[Array, Array, Array],
        fixed: tuple[Array, Array, Array],
        rounds: tuple[float, int],
        tolerances: tuple[float, Array],
    ) -> None:
        tape, lanes = of.tape, of.nodes
        starts = tape.inputs
        rule, linear, weights = fixed
        self._signals = slice(starts[3], starts[4])
        self._start = np.concatenate([np.zeros(starts[2]), *given])
        self._later = np.tile(self._start[:, None], lanes)
        self._numbers = np.array([0.0, 0.0, tolerances[0], *rounds, len(tape.rows)])
        self._x, self._end, self._told = np.empty(of.size), np.empty(of.size), np.empty(4)
        self._forces = np.empty((of.size - of.n, lanes))
        arrays = [
            self._numbers, rule, tape.rows, tape.constants, tape.room(lanes), self._x, self._start,
            self._later, tolerances[1], linear, weights, self._forces, self._end, self._told,
        ]  # fmt: skip
        self._run = of.program.bound("rounds", arrays)

    def __call__(
        self, t: float, x: Array, h: float, signals: Sequence[Array] = ()
    ) -> tuple[Settled | None, int]:
        """What its rounds settle at, if they do, and the evaluations of x' that they took.

        `signals` are those at the start and at the nodes (signals, nodes), where they change.
        """
        self._numbers[:2] = t, h
        self._x[:] = x
        if signals:
            self._start[self._signals], self._later[self._signals] = signals
        self._run()
        error, gain, evaluations, unsettled = self._told.tolist()
        if unsettled:
            return None, int(evaluations)
        return Settled(self._forces.copy(), self._end.copy(), error, gain), int(evaluations)
