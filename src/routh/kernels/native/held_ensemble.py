"""Many motions under constraints at once: the explicit method of order 8 with projection, in C.

What is redundant, or comes near to a singular place, is given up: others go on with it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import casadi
import numpy as np

from routh.arrays import Array
from routh.kernels.engine import Engine, Unsupported
from routh.kernels.instructions.effort import effort
from routh.kernels.native.ensemble import ARRAYS, Runs
from routh.kernels.native.program import Program
from routh.kernels.native.written import c_function, entry, runtime

LARGEST = 30
"""Coordinates and constraints up to which the saddle point is solved as a dense matrix: what is solved
run by run is sparse."""

GIVEN = "const double *t, const double *x, const double *p, const double *u"

RUN = """
if (COUNTS_[AT(STATE, COUNTS)] != GOING) return;
Lot e;
ensemble_load(&e, 0, id, count, RUN_ARRAYS);
e.r.last = BOUNDS[0];
e.r.longest = BOUNDS[1];
METHOD(&e, count, TIMES, SIZES[0], SIZES[1], STATES);
ensemble_store(&e, 0, count, RUN_ARRAYS);
"""
"""One run, taken on by a METHOD, in one lane."""


@dataclass(frozen=True)
class SaddleParts:
    """Functions of t, x, p, u, k of scalars alone.

    `saddle`, `places` and `velocities` give a scaled matrix and a right side: of motion, of moves of q
    and of changes of v. `places` is None where only velocities are held. `power` takes a and the
    multipliers too, and is None where nothing does work.
    """

    saddle: Any
    places: Any
    velocities: Any
    power: Any
    n: int
    c: int


class HeldEnsemble:
    """The equations of one motion under constraints, compiled when they are first run.

    Raises:
        Unsupported: there are too many, or they contain what C has no word for here.
    """

    def __init__(self, parts: SaddleParts, rate: Any, energy: Any) -> None:
        if parts.n + parts.c > LARGEST:
            raise Unsupported("many constraints")
        self.n, self.size, self.events = parts.n, int(rate.nnz_out(0)), 0
        self.effort = effort(rate)
        self._source = _source(parts, energy, self.size)

    @cached_property
    def _program(self) -> Program:
        return Program(self._source)

    def program(self, lanes: int) -> Program:  # noqa: ARG002 - one lane does for any number
        """What is compiled: run by run."""
        return self._program

    def begin(
        self,
        x: Array,
        given: tuple[Array, Array, Array],
        tolerances: Array,
        times: Array,
        last: float,
        longest: float,
    ) -> Runs:
        """Runs at their start, (N, size); given are parameters, signals and scales."""
        p, u, k = given
        own = np.concatenate([p, k], axis=1), u, tolerances
        return Runs(self, x, own, times, (last, longest, np.inf), Engine.C)


def _source(parts: SaddleParts, energy: Any, size: int) -> str:
    parameters, signals, scales = (int(parts.saddle.nnz_in(k)) for k in (2, 3, 4))
    held = parts.places.size1_out(1) - parts.n if parts.places else 0
    numbers = {
        "LANES": 1, "SIZE": size, "N": parts.n, "C": parts.c, "H": held, "EVENTS": 0,
        "WORKS": int(parts.power is not None), "PARAMETERS": parameters + scales,
        "SCALES": parameters, "SIGNALS": signals,
    }  # fmt: skip
    matrices = [_by_rows(each) for each in (parts.saddle, parts.places, parts.velocities) if each]
    texts = [
        "\n".join(f"#define {name} {value}" for name, value in numbers.items()),
        runtime("dense", "lanes", "dop853", "ensemble", "saddle"),
        *(_apart(each, each.name()) for each in matrices),
        _apart(parts.power, "power") if parts.power else "",
        c_function(energy, "energy"),
        f"ROUTH_APART void motion_rate({GIVEN}, double *f)",
        "{\nsaddle_rate(*t, x, p, u, p + SCALES, f);\n}",
        f"ROUTH_APART void motion_energy({GIVEN}, double *two)",
        "{\nenergy(t, x, p, u, p + SCALES, two, two + 1);\n}\n",
        entry("ensemble", ARRAYS, RUN.replace("METHOD", "held_run")),
    ]
    return "\n".join(texts)


def _apart(function: Any, name: str) -> str:
    """A function that is called from several places, and not repeated there."""
    text = c_function(function, name)
    return text.replace(f"ROUTH void {name}(", f"ROUTH_APART void {name}(", 1)


def _by_rows(function: Any) -> Any:
    """The same function, with all entries of its matrix, row by row, and of its right side."""
    arguments = [casadi.SX.sym(f"z{k}", function.sparsity_in(k)) for k in range(function.n_in())]
    A, b = function(*arguments)
    return casadi.Function(function.name(), arguments, [casadi.densify(A.T), casadi.densify(b)])
