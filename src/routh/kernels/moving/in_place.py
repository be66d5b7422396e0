"""A compiled function whose arguments and results stay in one place of memory: the quickest call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from routh.arrays import Array


class InPlace:
    """One function of arrays that are shared with whoever writes into them.

    Attributes:
        run: evaluates the function at what the arguments are now.
        results: what it then has written, the nonzeros of each result column by column; NaN where it
            has a linear system to solve that is singular.
    """

    def __init__(self, function: Any, arguments: Sequence[Array]) -> None:
        self._arguments = arguments
        self._buffer, self._evaluate = function.buffer()
        solves = function.is_a("MXFunction")  # scalar functions have no way to fail
        self.run: Callable[[], None] = self._checked if solves else self._evaluate
        for k, argument in enumerate(arguments):
            if argument.size:
                self._buffer.set_arg(k, argument.data)
        self._patterns = [function.sparsity_out(k) for k in range(function.n_out())]
        self.results: list[Array] = [np.zeros(pattern.nnz()) for pattern in self._patterns]
        for k, result in enumerate(self.results):
            if result.size:
                self._buffer.set_res(k, result.data)

    def _checked(self) -> None:
        """Evaluate; a run that fails leaves what was there before, which is no result."""
        self._evaluate()
        if self._buffer.ret():
            for result in self.results:
                result.fill(np.nan)

    def dense(self) -> list[Array]:
        """The results as they are now, as matrices of their own."""
        found = []
        for (shape, rows, columns), values in zip(self._places, self.results, strict=True):
            matrix = np.zeros(shape)
            matrix[rows, columns] = values
            found.append(matrix)
        return found

    @cached_property
    def _places(self) -> list[tuple[tuple[int, int], Any, Any]]:
        """The shape of each result, and the rows and columns of its nonzeros."""
        return [
            (p.shape, np.array(p.row(), dtype=int), np.array(p.get_col(), dtype=int))
            for p in self._patterns
        ]
