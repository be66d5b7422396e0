"""What a period does to small motions about rests: collocation at Gauss points, a thread a point."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import casadi
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
    """The derivatives, the method, and an entry that takes points over their periods."""
    before, after = _split(second)
    sizes = [int(second.nnz_in(k)) for k in range(1, 7)]
    arrays = [f"const double *A{k}" for k in range(1, 7)]
    arrays += ["const double *EDGES", "SHARED const long long *SIZES", "double *GROWN"]
    head = f"#define N {n}\n" + runtime("lanes", "gauss")
    written = c_function(before, "before") + c_function(after, "after") + _matrix(after)
    run = _run(sizes, int(before.nnz_out(0)))
    return head + written + entry("growth", arrays, f"const int some = 1;\n{run}", run)


def _split(second: Any) -> tuple[Any, Any]:
    """What of the derivatives does not change with time, and they themselves with it at hand."""
    given = second.sx_in()
    results = second.call(given)
    entries = casadi.cse(casadi.vertcat(*(x for each in results for x in each.nonzeros())))
    still = casadi.vertcat(*given[1:])
    left, names, kept = casadi.extract_parametric(entries, still, {})
    before = casadi.Function("before", given[1:], [casadi.densify(casadi.vertcat(*kept))])
    found, first = [], 0
    for each in results:
        found.append(casadi.SX(each.sparsity(), left[first : first + each.nnz()]))
        first += each.nnz()
    return before, casadi.Function("after", [*given, casadi.vertcat(*names)], found)


_GIVEN = [f"a{k}" for k in range(1, 7)]
"""Names of q to the multipliers in C."""


def _matrix(after: Any) -> str:
    """A of x' = A x at a time, for one lane."""
    given = ", ".join(f"const double *{name}" for name in (*_GIVEN, "kept"))
    body, results = [], []
    for k in range(5):
        pattern = after.sparsity_out(k)
        places = list(zip(pattern.row(), pattern.get_col(), strict=True))
        body.append(f"double B{k}[N][N] = {{{{0.0}}}}, r{k}[{max(1, len(places))}];")
        results += [f"B{k}[{i}][{j}] = r{k}[{at}];" for at, (i, j) in enumerate(places)]
    names = ", ".join(f"r{k}" for k in range(5))
    blocks = ", ".join(f"B{k}" for k in range(5))
    lines = "\n".join([*body, f"after(&t, {', '.join(_GIVEN)}, kept, {names});", *results])
    return f"""ROUTH_APART void growth_matrix(double t, {given}, lanes A[D][D], int lane)
{{
{lines}
double found[D][D];
gauss_canonical({blocks}, found);
for (int i = 0; i < D; i++)
    for (int j = 0; j < D; j++) LANE(A[i][j], lane) = found[i][j];
}}
"""


def _run(sizes: list[int], kept: int) -> str:
    """A period of `some` points, as many as there are lanes at most; lanes without one are idle."""
    stores = "\n".join(
        f"double a{k}[LANES][{max(1, size)}];" for k, size in enumerate([*sizes, kept], 1)
    ).replace("a7[", "kept[")
    loads = "\n".join(f"LOAD(a{k}[lane], A{k}, {size});" for k, size in enumerate(sizes, 1))
    own = ", ".join(f"{name}[lane]" for name in (*_GIVEN, "kept"))
    return f"""{stores}
const long long first = id, cells = SIZES[0], number = SIZES[1];
double start[LANES];
const lanes none = {{0.0}};
lanes h = none, X[D][D], A[STAGES][D][D];
for (int lane = 0; lane < some; lane++) {{
    const long long id = first + lane;
    {loads}
    before({own});
}}
for (int i = 0; i < D; i++)
    for (int j = 0; j < D; j++) {{
        X[i][j] = none + (i == j ? 1.0 : 0.0);
        for (int s = 0; s < STAGES; s++) A[s][i][j] = none;
    }}
for (long long cell = 0; cell < cells; cell++) {{
    for (int lane = 0; lane < some; lane++) {{
        const long long id = first + lane;
        start[lane] = EDGES[AT(cell, cells + 1)];
        LANE(h, lane) = (EDGES[AT(cell + 1, cells + 1)] - start[lane]) / number;
    }}
    for (long long k = 0; k < number; k++) {{
        for (int lane = 0; lane < some; lane++)
            for (int s = 0; s < STAGES; s++) {{
                const double length = LANE(h, lane);
                const double t = start[lane] + length * k + length * gauss_nodes[s];
                growth_matrix(t, {own}, A[s], lane);
            }}
        gauss_advance(A, h, X);
    }}
}}
for (int lane = 0; lane < some; lane++) {{
    const long long id = first + lane;
    for (int i = 0; i < D; i++)
        for (int j = 0; j < D; j++) GROWN[AT(i * D + j, D * D)] = LANE(X[i][j], lane);
}}
"""
