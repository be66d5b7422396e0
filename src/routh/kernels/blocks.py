"""The blocks of a linear model, and how large their entries could be."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from routh.arrays import Array
from routh.kernels.engine import Engine, Kernel, Point

NOISE_RATE = 1e-3
"""1/s: the least rate at which a system is taken to move, when stiffness and gyroscopic forces
cancel and their rounding has nothing else to be compared with."""

Blocks = dict[str, Array]
"""The blocks M, D + G, K + H, B, J and W of a linear model, as stacks."""


def blocks(engine: Kernel, point: Point, by: Engine = Engine.CASADI) -> Blocks:
    """The linear model of the whole system about a rest or a steady motion, and its constraints.

    `J dq' + W dq = 0` for velocity constraints, `J dq = 0` for the others, whose rows of W are J too.
    B has a column for every signal.
    """
    M, C, K = engine.matrices(point, by)
    B = engine.about(point).input_columns(point.arguments)
    J, W = engine.constraint_slopes(point)
    return {"M": M, "D + G": C, "K + H": K, "B": B, "J": J, "W": W}


def block_sizes(given: Blocks, rate: Array | float = NOISE_RATE) -> Blocks:
    """How large the entries of each block could be, from the rows of all of them.

    Where C or K cancels, its size follows from the others: C^2 is compared with M K. `rate` in 1/s is
    the least at which something is taken to move.
    """
    row = row_sizes({name: np.abs(x).max(axis=2, initial=0) for name, x in given.items()}, rate)
    return {
        name: np.broadcast_to(size[:, :, None], given[name].shape)
        if name in ("B", "J", "W")
        else np.sqrt(size[:, :, None] * size[:, None, :])
        for name, size in row.items()
    }


def row_sizes(largest: Blocks, rate: Array | float = NOISE_RATE) -> Blocks:
    """How large the entries of each row could be, from the largest of each row of all blocks."""
    M, C, K = largest["M"], largest["D + G"], largest["K + H"]
    inertial = np.divide(C**2, M, out=np.zeros_like(C), where=M > 0)
    return {
        **largest,
        "D + G": np.maximum.reduce([C, np.sqrt(M * K), rate * M]),
        "K + H": np.maximum.reduce([K, inertial, rate**2 * M]),
    }


def differing(
    found: Blocks, other: Blocks, share: float, sizes: Callable[[Blocks], Blocks] = block_sizes
) -> list[str]:
    """The names of blocks that differ by more than a share of how large entries could be."""
    size = sizes(found)
    return [
        name for name in found if not (np.abs(found[name] - other[name]) <= share * size[name]).all()
    ]
