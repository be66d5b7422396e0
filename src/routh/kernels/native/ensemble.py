"""Many motions at once: the explicit method of order 8 around one system's equations, all of it in C.

A run takes the same steps whatever else is in the batch, whichever outputs are asked for and however
many threads work on it.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import casadi
import numpy as np
from numpy.typing import NDArray

from routh.arrays import Array
from routh.kernels.engine import Unsupported
from routh.kernels.instructions.effort import effort
from routh.kernels.native.program import Program
from routh.kernels.native.written import FORMS, c_function, entry, runtime

GOING, ARRIVED, STUCK = range(3)
"""States of a run; stuck is where no step is small enough, or something is not finite."""

FACTS = ("first", "off", "kinetic", "least", "most", "whole", "work")
"""Numbers of energies along a run, in the order of `ensemble.h`."""

LOT = 10**7
"""Instructions of x' times steps of a run before Ctrl-C is looked for: some 0.1 s of one core."""

KNOWN = {*FORMS, casadi.OP_INPUT, casadi.OP_OUTPUT, casadi.OP_CONST}
"""Instructions that can be written out."""

ARRAYS = (
    "const double *P", "const double *U", "const double *TOLERANCES", "const double *TIMES",
    "const double *BOUNDS", "const long long *SIZES", "double *NOW", "double *X", "double *FACTS_",
    "long long *COUNTS_", "double *STATES",
)  # fmt: skip


class Ensemble:
    """The equations of one motion with the method around them, compiled when they are first run.

    `rate` and `energy` are functions of t, x, p, u, k of scalars alone, which do not use k.
    """

    def __init__(self, rate: Any, energy: Any, n: int, works: bool) -> None:
        self.n, self.size = n, int(rate.nnz_out(0))
        self.effort = effort(rate)
        self._parts = rate, energy, works
        _refuse_unwritten(rate, energy)

    @cached_property
    def program(self) -> Program:
        """What is compiled."""
        rate, energy, works = self._parts
        return Program(_source(rate, energy, self.n, works))

    def begin(
        self,
        x: Array,
        given: tuple[Array, Array],
        tolerances: Array,
        times: Array,
        last: float,
        longest: float,
    ) -> Runs:
        """Runs at their start, (N, size), which is the first of the times."""
        return Runs(self, x, (*given, tolerances), times, (last, longest))


class Runs:
    """Runs of an ensemble; rows of arrays are runs.

    Attributes:
        x: (N, size) where they are.
        states: (N, T, size) the states at the outputs, NaN where they are not reached.
    """

    def __init__(
        self,
        of: Ensemble,
        x: Array,
        given: tuple[Array, Array, Array],
        times: Array,
        bounds: tuple[float, float],
    ) -> None:
        count = len(x)
        self._of = of
        self._given = [np.array(each, dtype=float, order="C") for each in given]
        self._times, self._bounds = np.array(times, dtype=float), np.array(bounds)
        self.x = np.array(x, dtype=float, order="C")
        self.states = np.full((count, len(times), of.size), np.nan)
        self.states[:, 0] = x
        self._now = np.zeros((count, 2))
        self._now[:, 0] = times[0]
        self._facts = np.zeros((count, len(FACTS) + 4 * of.n))
        self._facts[:, [FACTS.index(name) for name in ("first", "least", "most")]] = np.nan
        self._facts[:, len(FACTS) :] = np.nan
        self._counts = np.zeros((count, 4), dtype=np.int64)
        self._counts[:, 2] = 1

    def go(self, most: int) -> None:
        """So many steps of all that are going; Ctrl-C ends them between two lots of steps."""
        lot = max(1, LOT // self._of.effort)
        for done in range(0, most, lot):
            if not self.going.any():
                return
            sizes = np.array([len(self._times), min(lot, most - done)], dtype=np.int64)
            arrays = [
                *self._given, self._times, self._bounds, sizes,
                self._now, self.x, self._facts, self._counts, self.states,
            ]  # fmt: skip
            self._of.program.run("ensemble", len(self.x), arrays)

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
        low, high = np.split(self._facts[:, len(FACTS) :], 2, axis=1)
        return low, high


def _refuse_unwritten(*functions: Any) -> None:
    for function in functions:
        if not function.is_a("SXFunction"):
            raise Unsupported("equations with linear solves of their own")
        if _reads(function, 4):
            raise Unsupported("equations with scales")
        if any(_code(function, k) not in KNOWN for k in range(function.n_instructions())):
            raise Unsupported("a function that is not written in C here")


def _source(rate: Any, energy: Any, n: int, works: bool) -> str:
    """The equations, the method, and an entry that takes a run so many steps on."""
    size, parameters, signals = (int(rate.nnz_in(k)) for k in (1, 2, 3))
    given = "double t, const double *x, const double *p, const double *u"
    parts = [
        f"#define SIZE {size}\n#define N {n}\n#define WORKS {int(works)}",
        runtime("dop853", "ensemble"),
        c_function(rate, "rate"),
        c_function(energy, "energy"),
        f"ROUTH_APART void motion_rate({given}, double *f)\n{{\nrate(&t, x, p, u, x, f);\n}}",
        f"ROUTH_APART void motion_energy({given}, double *two)",
        "{\nenergy(&t, x, p, u, x, two, two + 1);\n}\n",
    ]
    body = f"""
if (COUNTS_[AT(STATE, COUNTS)] != GOING) return;
Dop853 r;
double p[{max(1, parameters)}], u[{max(1, signals)}], told[TOLD];
long long counts[COUNTS];
LOAD(p, P, {parameters});
LOAD(u, U, {signals});
LOAD(told, FACTS_, TOLD);
LOAD(counts, COUNTS_, COUNTS);
LOAD(r.x, X, SIZE);
r.t = NOW[AT(0, 2)];
r.h = NOW[AT(1, 2)];
r.rtol = TOLERANCES[AT(0, 2)];
r.atol = TOLERANCES[AT(1, 2)];
r.last = BOUNDS[0];
r.longest = BOUNDS[1];
r.evaluations = 0;
ensemble_run(&r, p, u, told, counts, STATES, TIMES, SIZES[0], SIZES[1], id, count);
NOW[AT(0, 2)] = r.t;
NOW[AT(1, 2)] = r.h;
STORE(X, r.x, SIZE);
STORE(FACTS_, told, TOLD);
STORE(COUNTS_, counts, COUNTS);
"""
    return "\n".join(parts) + entry("ensemble", ARRAYS, body)


def _reads(function: Any, place: int) -> bool:
    """Whether a function uses one of its arguments."""
    return any(
        _code(function, k) == casadi.OP_INPUT and function.instruction_input(k)[0] == place
        for k in range(function.n_instructions())
    )


def _code(function: Any, k: int) -> int:
    return int(function.instruction_id(k))
