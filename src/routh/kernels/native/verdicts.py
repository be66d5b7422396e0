"""What energy decides of stacks of small linear models, a thread a point.

Points near a bound, and all that energy leaves open, are told, and left to `analysis/stability`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from routh.arrays import Array
from routh.kernels.engine import Engine, Point
from routh.kernels.native.choice import chosen
from routh.kernels.native.program import Program
from routh.kernels.native.written import c_function, entry, header, runtime

MOST = 16
"""Coordinates up to which a thread has room for a model of its own."""

HEADERS = ("lanes", "dense", "symmetric", "dense_by_side")

_NAMES = ("t", "q", "v", "a", "p", "u", "multipliers")


@dataclass(frozen=True, eq=False)
class Structure:
    """What energy decides, for each of N points.

    Attributes:
        kind: (N,) 0 nothing for sure, 1 a minimum, 2 one with complete damping, 3 no minimum, and
            nothing that holds against it, 4 none with complete damping.
        falls: (N,) in how many directions the potential falls.
        least, blur: (N,) the least curvature and its bound.
    """

    kind: NDArray[np.int32]
    falls: NDArray[np.int32]
    least: Array
    blur: Array


class StructureInC:
    """The matrices of one system and what follows from them, compiled when first asked for.

    `function` gives the rows of M, C and K at a point, `balance` and `sizes` what is left of the
    equations there, and the absolute sum of what is added up in them.
    """

    def __init__(self, function: Any, balance: Any, sizes: Any, trials: int) -> None:
        self._n, self._trials = function.nnz_in(1), trials
        self._instructions = function.n_instructions()
        self._program = Program(_source(function, balance, sizes, trials))

    def pays(self, engine: Engine, count: int) -> bool:
        """Whether so many points are for compiled code."""
        evaluations = (self._trials + 1) * count
        return 0 < self._n <= MOST and chosen(engine, self._instructions, evaluations).compiles

    def __call__(
        self,
        point: Point,
        moved: Sequence[tuple[Array, Array]],
        units: Array,
        matrices: Sequence[Array],
        engine: Engine = Engine.C,
    ) -> Structure:
        """Of M, D, G, K and H in units (N, n) of their own, at a point.

        `moved` are the factors by which p and q are moved in each trial.
        """
        given = [np.ascontiguousarray(x, dtype=float) for x in (*point.arguments, units, *matrices)]
        table = np.concatenate([np.concatenate(factors) for factors in moved])
        count = len(point.q)
        kind, falls = np.zeros((2, count), dtype=np.int32)
        least, blur = np.empty((2, count))
        self._program.run("structure", count, [*given, table, kind, falls, least, blur], engine.target)
        return Structure(kind, falls, least, blur)


def _source(function: Any, balance: Any, added: Any, trials: int) -> str:
    n = function.nnz_in(1)
    sizes = {name: function.nnz_in(k) for k, name in enumerate(_NAMES)}
    arrays = [f"const double *{name.upper()}_" for name in _NAMES]
    arrays += [f"const double *{name}_" for name in ("units", *"MDGKH")]
    arrays += ["SHARED const double *moved", "int *kind", "int *falls", "double *least", "double *blur"]
    loads = [
        f"double {name}[{max(1, size)}]; LOAD({name}, {name.upper()}_, {size});"
        for name, size in sizes.items()
    ]
    loads += [f"double units[{n}]; LOAD(units, units_, {n});"]
    seen = _SEEN.replace("TRIALS", str(trials))
    seen = seen.replace("PARAMETERS", str(sizes["p"])).replace("PLACES", str(max(1, sizes["p"])))
    seen = "\n".join([*loads, seen])
    matrices = [f"double {name}[{n * n}]; LOAD({name}, {name}_, {n * n});" for name in "MDGKH"]
    names = ", ".join(each.split("*")[1] for each in arrays)
    head = f"#define COORDINATES {n}\n"
    parts = [head, runtime(*HEADERS), c_function(function, "matrices")]
    parts += [c_function(balance, "balance"), c_function(added, "added_up")]
    parts += [header("structure"), header("energy_by_side")]
    body = "\n".join([*matrices, seen, _BODY])
    together = _TOGETHER.replace("SEEN", seen).replace("ALONE", f"structure_at(id, count, {names});")
    return "\n".join(parts) + entry("structure", arrays, body, together)


_SEEN = """
double here[3][C_ * C_], there[3][C_ * C_], noise[3][C_ * C_], moved_q[C_], moved_p[PLACES];
double left[C_], added[C_], reach[C_];
matrices(t, q, v, a, p, u, multipliers, here[0], here[1], here[2]);
balance(t, q, v, a, p, u, multipliers, left);
added_up(t, q, v, a, p, u, multipliers, added);
position_bounds(here[2], left, added, reach);
for (int m = 0; m < 3; m++)
    for (int k = 0; k < C_ * C_; k++) noise[m][k] = 0;
for (int trial = 0; trial < TRIALS; trial++) {
    const double *by = moved + trial * (PARAMETERS + C_);
    for (int k = 0; k < PARAMETERS; k++) moved_p[k] = p[k] * by[k];
    for (int k = 0; k < C_; k++) {
        const double bits = by[PARAMETERS + k] - 1, far = fmax(fabs(bits * q[k]), reach[k]);
        moved_q[k] = bits > 0 ? q[k] + far : q[k] - far;
    }
    matrices(t, moved_q, v, a, moved_p, u, multipliers, there[0], there[1], there[2]);
    for (int m = 0; m < 3; m++)
        for (int i = 0; i < C_; i++)
            for (int j = 0; j < C_; j++) {
                const int k = i * C_ + j;
                const double size = fabs(there[m][k] - here[m][k]) * units[i] * units[j];
                noise[m][k] = size > noise[m][k] || size != size ? size : noise[m][k];
            }
}
"""

_BODY = """
int count_ = 0; double least_ = NAN, blur_ = NAN;
kind[id] = by_energy(M, D, G, K, H, noise, &count_, &least_, &blur_);
falls[id] = count_; least[id] = least_; blur[id] = blur_;
"""

_TOGETHER = """
const double *given[5] = {M_, D_, G_, K_, H_};
lanes X[5][C_ * C_], all_noise[3][C_ * C_], curvature, bound;
const long long first = id;
for (int l = 0; l < LANES; l++) {
    const long long id = first + (l < some ? l : 0);
    SEEN
    for (int k = 0; k < C_ * C_; k++) {
        for (int m = 0; m < 3; m++) all_noise[m][k][l] = noise[m][k];
        for (int m = 0; m < 5; m++) X[m][k][l] = given[m][AT(k, C_ * C_)];
    }
}
const marks held = minima(X, all_noise, &curvature, &bound);
for (int l = 0; l < some; l++) {
    const long long id = first + l;
    if (!held[l]) {
        ALONE
        continue;
    }
    kind[id] = (int)held[l];
    falls[id] = 0; least[id] = curvature[l]; blur[id] = bound[l];
}
"""
