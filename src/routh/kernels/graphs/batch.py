"""Calling CasADi functions on arrays, without conversions and without zeros.

CasADi keeps columns side by side, so a stack of N rows is in memory what CasADi calls a matrix of
N columns: nothing is copied on the way in, and only nonzeros are computed on the way out.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy

from routh.arrays import Array

CHUNK = 512
"""Points that one call evaluates: enough to forget the call, few enough to stay in the cache."""

SIZES = tuple(2**k for k in range(10))
"""Numbers of points, up to CHUNK, for which a call is kept; a smaller last part is filled up."""


class Batched:
    """A CasADi function of stacks of arguments, each of shape (N, size)."""

    def __init__(self, function: Any) -> None:
        self._function = function
        self._made: dict[int, Any] = {}
        self._patterns = patterns_of(function)
        self._own = _Own()

    def _of(self, size: int) -> Any:
        """The function of so many points at once, made once for each size."""
        if size not in self._made:
            self._made[size] = self._function if size == 1 else self._function.map(size)
        return self._made[size]

    def __call__(self, *arguments: Array) -> list[Array]:
        """The results, dense, of shape (N, rows, columns) each."""
        count = len(arguments[0])
        if count == 1:
            return self._at_one(arguments)
        kept = [np.ascontiguousarray(argument, dtype=float) for argument in arguments]
        nonzeros = [np.empty((count, pattern.count)) for pattern in self._patterns]
        if count in SIZES:
            self._run(count, kept, nonzeros)
        else:
            self._in_parts(kept, nonzeros)
        pairs = zip(self._patterns, nonzeros, strict=True)
        return [pattern.dense(values) for pattern, values in pairs]

    def _at_one(self, arguments: Sequence[Array]) -> list[Array]:
        """The same at one point: most calls are such, and laying out memory would outlast them.

        Each thread has a place of its own to write to.
        """
        place = self._own.place
        if place is None:
            place = self._own.place = _Place(self._function, self._patterns)
        nonzeros = place(arguments)
        return [pattern.dense(each) for pattern, each in zip(self._patterns, nonzeros, strict=True)]

    def _in_parts(self, kept: list[Array], nonzeros: list[Array]) -> None:
        """Evaluate many points by chunks, and the last ones beside copies of the very last."""
        count = len(kept[0])
        whole = count - count % CHUNK
        for start in range(0, whole, CHUNK):
            part = slice(start, start + CHUNK)
            self._run(CHUNK, [x[part] for x in kept], [x[part] for x in nonzeros])
        if count > whole:
            size = next(size for size in SIZES if size >= count - whole)
            filled = [np.empty((size, x.shape[1])) for x in nonzeros]
            last = np.minimum(np.arange(whole, whole + size), count - 1)
            self._run(size, [x[last] for x in kept], filled)
            for x, values in zip(nonzeros, filled, strict=True):
                x[whole:] = values[: count - whole]

    def _run(self, size: int, arguments: list[Array], results: list[Array]) -> None:
        """Evaluate so many points at once, or one by one where some of them fail: those are NaN."""
        if _run(self._of(size), arguments, results):
            return
        for k in range(size):
            _run(self._of(1), [x[k : k + 1] for x in arguments], [x[k : k + 1] for x in results])

    def sparse(self, *arguments: Array) -> list[Any]:
        """The results at one point as sparse matrices."""
        nonzeros = [np.empty((1, pattern.count)) for pattern in self._patterns]
        _run(self._of(1), [np.ascontiguousarray(x, dtype=float) for x in arguments], nonzeros)
        return [
            scipy.sparse.csc_array((values[0], pattern.rows, pattern.starts), shape=pattern.shape)
            for pattern, values in zip(self._patterns, nonzeros, strict=True)
        ]


class Mapped:
    """A CasADi function at one point, mapped over stacks of its last argument."""

    def __init__(self, function: Any) -> None:
        self._function = function

    def __call__(self, point: Sequence[Array], seeds: Array) -> list[Array]:
        """The results, of shape (rows, number of seeds) each."""
        fixed = list(range(len(point)))
        mapped = self._function.map("mapped", "serial", len(seeds), fixed, [])
        patterns = patterns_of(self._function)
        nonzeros = [np.empty((len(seeds), pattern.count)) for pattern in patterns]
        _run(mapped, [np.ascontiguousarray(x, dtype=float) for x in (*point, seeds)], nonzeros)
        pairs = zip(patterns, nonzeros, strict=True)
        return [pattern.dense(values)[..., 0].T for pattern, values in pairs]


class _Place:
    """A function at one point, with arguments and results that stay where they are in memory."""

    def __init__(self, function: Any, patterns: Sequence[_Pattern]) -> None:
        self._arguments = [np.zeros((1, function.nnz_in(k))) for k in range(function.n_in())]
        self._results = [np.zeros((1, pattern.count)) for pattern in patterns]
        self._buffer, self._run = _laid_out(function, self._arguments, self._results)

    def __call__(self, arguments: Sequence[Array]) -> list[Array]:
        """The nonzeros of the results, (1, count) each."""
        for own, argument in zip(self._arguments, arguments, strict=True):
            own[...] = argument
        self._run()
        if self._buffer.ret():
            return [np.full_like(result, np.nan) for result in self._results]
        return [result.copy() for result in self._results]


class _Own(threading.local):
    """What each thread keeps for itself."""

    place: _Place | None = None


class _Pattern:
    """Where the nonzeros of a result stand: asked of CasADi once, as asking outlasts a small call."""

    def __init__(self, sparsity: Any) -> None:
        self.shape: tuple[int, int] = sparsity.shape
        self.count: int = sparsity.nnz()
        self.rows = np.array(sparsity.row(), dtype=int)
        self.starts = np.array(sparsity.colind(), dtype=int)
        self._places = self.rows * self.shape[1] + np.array(sparsity.get_col(), dtype=int)
        self._full: bool = sparsity.is_dense()

    def dense(self, nonzeros: Array) -> Array:
        """The matrices of shape (N, rows, columns) that have these nonzeros, of shape (N, count)."""
        rows, columns = self.shape
        if self._full:
            return nonzeros.reshape(len(nonzeros), columns, rows).swapaxes(1, 2)
        dense = np.zeros((len(nonzeros), rows * columns))
        dense[:, self._places] = nonzeros
        return dense.reshape(len(nonzeros), rows, columns)


def patterns_of(function: Any) -> list[_Pattern]:
    """Where the nonzeros of each result stand."""
    return [_Pattern(function.sparsity_out(k)) for k in range(function.n_out())]


def _run(function: Any, arguments: Sequence[Array], results: Sequence[Array]) -> bool:
    """Evaluate into the results, and whether that went well; all arrays are contiguous.

    Where it did not, because a linear system in it is singular, all of them are NaN.
    """
    buffer, run = _laid_out(function, arguments, results)
    run()
    failed = bool(buffer.ret())
    for result in results if failed else ():
        result.fill(np.nan)
    return not failed


def _laid_out(function: Any, arguments: Sequence[Array], results: Sequence[Array]) -> Any:
    """The buffer of a function on these arrays, which must outlive it, and what evaluates it."""
    buffer, run = function.buffer()
    for k, argument in enumerate(arguments):
        if argument.size:
            buffer.set_arg(k, argument.data)
    for k, result in enumerate(results):
        if result.size:
            buffer.set_res(k, result.data)
    return buffer, run
