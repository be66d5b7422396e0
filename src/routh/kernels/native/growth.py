"""What a period does to small motions about rests: collocation at Gauss points, a thread a point."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from routh.arrays import Array
from routh.kernels.engine import Engine
from routh.kernels.native.program import Program
from routh.kernels.native.written import c_function, entry, runtime

STAGES = 4
"""Gauss points of a step."""


class Growth:
    """Hamilton's equations about rests, compiled when they are first run.

    `second` is a function of t, q, v, a, p, u and multipliers, of scalars alone: L_vv, L_vq, L_qq and
    the slopes of the forces by q and v.
    """

    def __init__(self, second: Any, n: int) -> None:
        self.n = n
        self.effort = int(second.n_instructions()) + (STAGES * 2 * n) ** 3 // (3 * STAGES)
        self._source = _source(second, n)

    @cached_property
    def _program(self) -> Program:
        return Program(self._source)

    def __call__(
        self, still: list[Array], edges: Array, number: int, engine: Engine = Engine.C
    ) -> Array:
        """(K, 2n, 2n): fundamental matrices over rising times (K, cells + 1), in so many equal steps
        from one to the next; `still` are stacks of q to the multipliers.
        """
        count = len(edges)
        kept = [np.ascontiguousarray(each, dtype=float) for each in (*still, edges)]
        sizes = np.array([edges.shape[1] - 1, number], dtype=np.int64)
        grown = np.empty((count, 2 * self.n, 2 * self.n))
        self._program.run("growth", count, [*kept, sizes, grown], engine.target)
        return grown


def _source(second: Any, n: int) -> str:
    """The derivatives, the method, and an entry that takes a point over its period."""
    sizes = [int(second.nnz_in(k)) for k in range(1, 7)]
    given = ", ".join(f"const double *a{k}" for k in range(1, 7))
    passed = ", ".join(f"a{k}" for k in range(1, 7))
    body, results = [], []
    for k in range(5):
        pattern = second.sparsity_out(k)
        places = list(zip(pattern.row(), pattern.get_col(), strict=True))
        body.append(f"double B{k}[N][N] = {{{{0.0}}}}, r{k}[{max(1, len(places))}];")
        results += [f"B{k}[{i}][{j}] = r{k}[{at}];" for at, (i, j) in enumerate(places)]
    names = ", ".join(f"r{k}" for k in range(5))
    blocks = ", ".join(f"B{k}" for k in range(5))
    lines = "\n".join([*body, f"second(&t, {passed}, {names});", *results])
    loads = "\n".join(
        f"double a{k}[{max(1, size)}]; LOAD(a{k}, A{k}, {size});" for k, size in enumerate(sizes, 1)
    )
    matrix = f"""ROUTH_APART void growth_matrix(double t, {given}, double A[D][D])
{{
{lines}
gauss_canonical({blocks}, A);
}}
"""
    run = f"""{loads}
double X[D][D], A[STAGES][D][D];
for (int i = 0; i < D; i++)
    for (int j = 0; j < D; j++) X[i][j] = i == j ? 1.0 : 0.0;
const long long cells = SIZES[0], number = SIZES[1];
for (long long cell = 0; cell < cells; cell++) {{
    const double start = EDGES[AT(cell, cells + 1)];
    const double h = (EDGES[AT(cell + 1, cells + 1)] - start) / number;
    for (long long k = 0; k < number; k++) {{
        for (int s = 0; s < STAGES; s++)
            growth_matrix(start + h * k + h * gauss_nodes[s], {passed}, A[s]);
        gauss_step(A, h, X);
    }}
}}
for (int i = 0; i < D; i++)
    for (int j = 0; j < D; j++) GROWN[AT(i * D + j, D * D)] = X[i][j];
"""
    arrays = [f"const double *A{k}" for k in range(1, 7)]
    arrays += ["const double *EDGES", "SHARED const long long *SIZES", "double *GROWN"]
    head = f"#define N {n}\n" + runtime("gauss")
    return head + c_function(second, "second") + matrix + entry("growth", arrays, run)
