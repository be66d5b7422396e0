"""Many motions at once: the explicit method of order 8 around one system's equations, all of it in C.

A run takes the same steps, bit by bit, whatever else is in the batch, whichever outputs are asked for
and however many threads work on it. Runs of a batch stand side by side in the registers of a processor
(`lanes.h`); one run alone is compiled for itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import casadi
import numpy as np
from numpy.typing import NDArray

from routh.arrays import Array
from routh.kernels.engine import Engine, Unsupported
from routh.kernels.instructions.effort import effort
from routh.kernels.native.program import Program
from routh.kernels.native.written import FORMS, SIDE_BY_SIDE, c_function, header, runtime

GOING, ARRIVED, STUCK = range(3)
"""States of a run; stuck is where no step is small enough, or something is not finite."""

FACTS = ("first", "off", "kinetic", "least", "most", "whole", "work")
"""Numbers of energies along a run, in the order of `ensemble.h`."""

LANES = 8
"""Runs side by side in a batch: what the widest registers hold; where they are shorter two or four of
them take their place."""

LOT = 10**7
"""Instructions of x' times steps of a run before Ctrl-C is looked for: some 0.1 s of one core."""

KNOWN = {*FORMS, casadi.OP_INPUT, casadi.OP_OUTPUT, casadi.OP_CONST}
"""Instructions that can be written out."""

ARRAYS = (
    "const double *P", "const double *U", "const double *TOLERANCES", "SHARED const double *TIMES",
    "SHARED const double *BOUNDS", "SHARED const long long *SIZES", "double *NOW", "double *X",
    "double *FACTS_", "long long *COUNTS_", "double *STATES",
)  # fmt: skip


class Ensemble:
    """The equations of one motion with the method around them, compiled when they are first run.

    `rate` and `energy` are functions of t, x, p, u, k of scalars alone, which do not use k. `watch`
    gives values and rates of what is watched, with x' as one more argument, for events that count in
    `directions`; runs in which one may have happened are stuck.
    """

    def __init__(
        self,
        rate: Any,
        energy: Any,
        n: int,
        works: bool,
        watch: Any = None,
        directions: Sequence[int] = (),
    ) -> None:
        self.n, self.size, self.events = n, int(rate.nnz_out(0)), len(directions)
        self.effort = effort(rate)
        self._parts = rate, energy, works, watch, directions
        self._programs: dict[int, Program] = {}
        refuse_unwritten(rate, energy, *([] if watch is None else [watch]))

    def program(self, lanes: int) -> Program:
        """What is compiled, for so many runs side by side; each has the same digits in all of them."""
        if lanes not in self._programs:
            self._programs[lanes] = Program(_source(*self._parts, self.n, lanes), lanes)
        return self._programs[lanes]

    def begin(
        self,
        x: Array,
        given: tuple[Array, Array],
        tolerances: Array,
        times: Array,
        last: float,
        longest: float,
        engine: Engine = Engine.C,
        gap: float = np.inf,
    ) -> Runs:
        """Runs at their start, (N, size), which is the first of the times.

        Events are looked for four times at least within every `gap`.
        """
        return Runs(self, x, (*given, tolerances), times, (last, longest, gap), engine)


class Compiled(Protocol):
    """Equations with a method around them."""

    n: int
    size: int
    events: int
    effort: int

    def program(self, lanes: int) -> Program:
        """What is compiled for so many runs side by side, or fewer, with an entry `ensemble`."""


class Runs:
    """Runs of an ensemble; rows of arrays are runs.

    Attributes:
        x: (N, size) where they are.
        states: (N, T, size) the states at the outputs, NaN where they are not reached.
    """

    def __init__(
        self,
        of: Compiled,
        x: Array,
        given: tuple[Array, Array, Array],
        times: Array,
        bounds: tuple[float, float, float],
        engine: Engine,
    ) -> None:
        count = len(x)
        self._of, self._engine = of, engine
        self._given = [np.array(each, dtype=float, order="C") for each in given]
        self._times, self._bounds = np.array(times, dtype=float), np.array(bounds)
        self.x = np.array(x, dtype=float, order="C")
        self.states = np.full((count, len(times), of.size), np.nan)
        self.states[:, 0] = x
        self._now = np.zeros((count, 2))
        self._now[:, 0] = times[0]
        self._facts = np.zeros((count, len(FACTS) + 4 * of.n + 2 * of.events))
        self._facts[:, [FACTS.index(name) for name in ("first", "least", "most")]] = np.nan
        self._facts[:, len(FACTS) :] = np.nan
        self._counts = np.zeros((count, 4), dtype=np.int64)
        self._counts[:, 2] = 1

    def go(self, most: int) -> None:
        """So many steps of all that are going; Ctrl-C ends them between two lots of steps."""
        lot = max(1, LOT // self._of.effort)
        alone = len(self.x) == 1 or self._engine.target is Engine.CUDA
        program = self._of.program(1 if alone else LANES)
        for done in range(0, most, lot):
            if not self.going.any():
                return
            sizes = np.array([len(self._times), min(lot, most - done)], dtype=np.int64)
            arrays = [
                *self._given, self._times, self._bounds, sizes,
                self._now, self.x, self._facts, self._counts, self.states,
            ]  # fmt: skip
            program.run("ensemble", len(self.x), arrays, self._engine.target)

    def give_up(self, which: NDArray[np.bool_]) -> None:
        """Take no further steps of some of them."""
        self._counts[which, 3] = STUCK

    @property
    def t(self) -> Array:
        """(N,) where they are."""
        return self._now[:, 0]

    @property
    def going(self) -> NDArray[np.bool_]:
        """(N,) which are neither there nor stuck."""
        return np.asarray(self._counts[:, 3] == GOING)

    @property
    def arrived(self) -> NDArray[np.bool_]:
        """(N,) which have reached the last output."""
        return np.asarray(self._counts[:, 3] == ARRIVED)

    @property
    def steps(self) -> NDArray[np.int64]:
        """(N,) their steps."""
        return self._counts[:, 0]

    @property
    def evaluations(self) -> NDArray[np.int64]:
        """(N,) their evaluations of x'."""
        return self._counts[:, 1]

    @property
    def energies(self) -> dict[str, Array]:
        """(N,) each: what is known of the energies along them."""
        return {name: self._facts[:, k] for k, name in enumerate(FACTS)}

    @property
    def ranges(self) -> tuple[Array, Array]:
        """(N, 2n) each: the least and the largest of q and v at the ends of all steps."""
        first, n = len(FACTS), self._of.n
        low, high = np.split(self._facts[:, first : first + 4 * n], 2, axis=1)
        return low, high


def refuse_unwritten(*functions: Any) -> None:
    """Refuse what cannot be written out.

    Raises:
        Unsupported: there is such a function.
    """
    for function in functions:
        if not function.is_a("SXFunction"):
            raise Unsupported("equations with linear solves of their own")
        if _reads(function, 4):
            raise Unsupported("equations with scales")
        if any(_code(function, k) not in KNOWN for k in range(function.n_instructions())):
            raise Unsupported("a function that is not written in C here")


def _source(
    rate: Any, energy: Any, works: bool, watch: Any, directions: Sequence[int], n: int, lanes: int
) -> str:
    """The equations, the method, and an entry that takes runs so many steps on."""
    size, parameters, signals = (int(rate.nnz_in(k)) for k in (1, 2, 3))
    sizes = {
        "LANES": lanes, "SIZE": size, "N": n, "WORKS": int(works), "PARAMETERS": parameters,
        "SIGNALS": signals, "EVENTS": len(directions),
    }  # fmt: skip
    given = "const lanes *t, const lanes *x, const lanes *p, const lanes *u"
    parts = [
        *(f"#define {name} {value}" for name, value in sizes.items()),
        runtime("lanes", "dop853", "ensemble"),
        c_function(rate, "rate", SIDE_BY_SIDE),
        c_function(energy, "energy", SIDE_BY_SIDE),
        f"ROUTH_APART void motion_rate({given}, lanes *f)\n{{\nrate(t, x, p, u, x, f);\n}}",
        f"ROUTH_APART void motion_energy({given}, lanes *two)",
        "{\nenergy(t, x, p, u, x, two, two + 1);\n}\n",
    ]
    if directions:
        listed = ", ".join(f"{float(each)}" for each in directions)
        parts += [
            f"#define DIRECTIONS {{{listed}}}",
            header("watch"),
            c_function(watch, "watch", SIDE_BY_SIDE),
            f"ROUTH_APART void motion_watched({given}, const lanes *f, lanes *values, lanes *rates)",
            "{\nwatch(t, x, p, u, x, f, values, rates);\n}\n",
        ]
    return "\n".join(parts) + _entry()


def _entry() -> str:
    """As `written.entry`, but for a queue of runs instead of one point after the other."""
    listed, names = ", ".join(ARRAYS), ", ".join(each.split("*")[1] for each in ARRAYS)
    return f"""#ifdef __CUDACC__
extern "C" __global__ void ensemble(long long count, {listed})
{{
const long long id = blockIdx.x * (long long)blockDim.x + threadIdx.x;
const volatile int never = 0;
if (id < count) ensemble_runs(id, id + 1, count, &never, {names});
}}
#else
ROUTH_OUTSIDE void
ensemble(long long begin, long long end, long long count, const volatile int *stop, {listed})
{{
ensemble_runs(begin, end, count, stop, {names});
}}
#endif
"""


def _reads(function: Any, place: int) -> bool:
    """Whether a function uses one of its arguments."""
    return any(
        _code(function, k) == casadi.OP_INPUT and function.instruction_input(k)[0] == place
        for k in range(function.n_instructions())
    )


def _code(function: Any, k: int) -> int:
    return int(function.instruction_id(k))
