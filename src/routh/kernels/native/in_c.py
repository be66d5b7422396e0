"""One function on stacks of points, compiled: a `Batched` with the same digits, on all cores."""

from __future__ import annotations

from typing import Any

import numpy as np

from routh.arrays import Array
from routh.kernels.engine import Engine
from routh.kernels.graphs.batch import patterns_of
from routh.kernels.native.program import Program
from routh.kernels.native.written import c_function, entry, runtime


class InC:
    """A function of stacks of arguments, (N, size) each, compiled when it is first called."""

    def __init__(self, function: Any, engine: Engine = Engine.C) -> None:
        self._patterns = patterns_of(function)
        self._program, self._engine = Program(_source(function)), engine

    def __call__(self, *arguments: Array) -> list[Array]:
        """The results, dense, of shape (N, rows, columns) each."""
        kept = [np.ascontiguousarray(argument, dtype=float) for argument in arguments]
        count = len(kept[0])
        nonzeros = [np.empty((count, pattern.count)) for pattern in self._patterns]
        self._program.run("stack", count, [*kept, *nonzeros], self._engine)
        return [pattern.dense(each) for pattern, each in zip(self._patterns, nonzeros, strict=True)]


def _source(function: Any) -> str:
    """The C of a function, and of an entry that loads and stores what it takes and gives."""
    sizes = [function.nnz_in(k) for k in range(function.n_in())]
    results = [function.nnz_out(k) for k in range(function.n_out())]
    arrays = [f"const double *A{k}" for k in range(len(sizes))]
    arrays += [f"double *R{k}" for k in range(len(results))]
    body = [f"double a{k}[{max(1, size)}]; LOAD(a{k}, A{k}, {size});" for k, size in enumerate(sizes)]
    body += [f"double r{k}[{max(1, size)}];" for k, size in enumerate(results)]
    names = [f"a{k}" for k in range(len(sizes))] + [f"r{k}" for k in range(len(results))]
    body += [f"function({', '.join(names)});"]
    body += [f"STORE(R{k}, r{k}, {size});" for k, size in enumerate(results)]
    return runtime() + c_function(function, "function") + entry("stack", arrays, "\n".join(body))
