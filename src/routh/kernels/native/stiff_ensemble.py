"""Many motions of stiff equations at once: the implicit method Radau IIA of order 5, in C.

The steps of a run depend on where it pauses, as the past of a step is then forgotten: pauses come after
the same number of steps in all runs.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import casadi
import numpy as np

from routh.arrays import Array
from routh.kernels.engine import Engine, Unsupported
from routh.kernels.instructions.effort import effort
from routh.kernels.native.ensemble import ARRAYS, Runs
from routh.kernels.native.held_ensemble import GIVEN, RUN
from routh.kernels.native.program import Program
from routh.kernels.native.written import c_function, entry, runtime

LARGEST = 24
"""Numbers of a state up to which all stages are solved for at once, as one dense matrix."""


class StiffEnsemble:
    """The equations of one motion with the implicit method around them, compiled when first run.

    `rate`, `slope` and `energy` are functions of t, x, p, u, k of scalars alone, which do not use k.

    Raises:
        Unsupported: the state is too large, or they contain what C has no word for here.
    """

    def __init__(self, rate: Any, slope: Any, energy: Any, n: int, works: bool) -> None:
        self.n, self.size, self.events = n, int(rate.nnz_out(0)), 0
        if self.size > LARGEST or not slope.is_a("SXFunction"):
            raise Unsupported("a large state")
        self.effort = effort(rate)
        self._source = _source(rate, slope, energy, (n, works))

    @cached_property
    def _program(self) -> Program:
        return Program(self._source)

    def program(self, lanes: int) -> Program:  # noqa: ARG002 - one lane does for any number
        """What is compiled: run by run."""
        return self._program

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
        return Runs(self, x, (*given, tolerances), times, (last, longest, np.inf), Engine.C)


def _source(rate: Any, slope: Any, energy: Any, kind: tuple[int, bool]) -> str:
    size, parameters, signals = (int(rate.nnz_in(k)) for k in (1, 2, 3))
    numbers = {
        "LANES": 1, "SIZE": size, "N": kind[0], "WORKS": int(kind[1]), "SIGNALS": signals,
        "PARAMETERS": parameters, "EVENTS": 0,
    }  # fmt: skip
    arguments = [casadi.SX.sym(f"z{k}", slope.sparsity_in(k)) for k in range(slope.n_in())]
    by_rows = casadi.Function("slope", arguments, [casadi.densify(slope(*arguments).T)])
    texts = [
        "\n".join(f"#define {name} {value}" for name, value in numbers.items()),
        runtime("dense", "lanes", "dop853", "ensemble", "radau"),
        *(
            c_function(each, name)
            for each, name in ((rate, "rate"), (by_rows, "slope"), (energy, "energy"))
        ),
        f"ROUTH_APART void motion_rate({GIVEN}, double *f)\n{{\nrate(t, x, p, u, x, f);\n}}",
        f"ROUTH_APART void motion_slope({GIVEN}, double *J)\n{{\nslope(t, x, p, u, x, J);\n}}",
        f"ROUTH_APART void motion_energy({GIVEN}, double *two)",
        "{\nenergy(t, x, p, u, x, two, two + 1);\n}\n",
        entry("ensemble", ARRAYS, RUN.replace("METHOD", "stiff_run")),
    ]
    return "\n".join(texts)
