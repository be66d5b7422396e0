"""What one evaluation of a compiled function costs, counted and not timed.

How a run is divided, and whether it is begun at all, follows from this number: it is the same on every
machine, however busy.
"""

from __future__ import annotations

from typing import Any

import casadi
import numpy as np

CALL = 300
"""Instructions that take as long as a call and what an integrator does around it; measured."""


def effort(function: Any) -> int:
    """The instructions of a function, those of linear solves estimated from their fill, and its call.

    A scalar instruction takes a few nanoseconds.
    """
    return CALL + _instructions(function)


def _instructions(function: Any) -> int:
    if function.is_a("SXFunction"):
        return int(function.n_instructions())
    if not function.is_a("MXFunction"):  # an iteration, say
        return CALL
    total = 0
    for k in range(function.n_instructions()):
        node = function.instruction_MX(k)
        if node.is_call():
            total += _instructions(node.which_function())
        elif node.op() == casadi.OP_SOLVE:
            total += _solve(node.dep(1).sparsity())
        elif node.n_out() == 1 and not node.is_null():
            total += int(node.nnz())
    return total


def _solve(pattern: Any) -> int:
    """Products in a sparse factorization: the squares of the lengths of its columns."""
    factor = pattern.qr_sparse()[1]
    lengths = np.diff(np.array(factor.colind(), dtype=float))
    return int((lengths**2).sum())
