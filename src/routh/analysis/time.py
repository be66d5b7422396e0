"""Whether something changes in time, decided by looking at several times.

Time is often written into energies and cancels: in a frame that turns at constant rate, on a base
that accelerates uniformly. No simplification finds this out as surely as evaluation does.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from routh.kernels.batch import Array
from routh.kernels.kernel import Kernel, Point

PROBES = (0.0, 0.37, 1.93, 23.1, 311.0)
"""Times that are compared. Their spread shows drives from a turn a day to many a millisecond; at
the largest, terms like t^2/2 still leave eleven digits."""

CHANGE = 1e-8
"""Share of the size of a quantity by which it must change to count as changing: far above the
rounding that is left where time cancels, far below any drive that matters."""

NOISE_RATE = 1e-3
"""1/s: the least rate at which a system is taken to move, when stiffness and gyroscopic forces
cancel and their rounding has nothing else to be compared with."""

Blocks = dict[str, Array]
"""The blocks M, D + G, K + H, B and J of a linear model, as stacks."""


def changes(samples: Array, size: Array) -> NDArray[np.bool_]:
    """Which entries differ between probes: samples of shape (probes, ...), size of shape (...)."""
    spread: Array = np.max(samples, axis=0) - np.min(samples, axis=0)
    return np.asarray(spread > CHANGE * size)


def blocks(engine: Kernel, point: Point) -> Blocks:
    """The linear model of the whole system at rest, and J."""
    M, C, K = engine.matrices(point, at_rest=True)
    B = engine.input_columns(point)[..., list(engine.acting)]
    return {"M": M, "D + G": C, "K + H": K, "B": B, "J": engine.constraint_jacobian(point)}


def varying(samples: list[Blocks]) -> list[str]:
    """The names of the blocks that differ from time to time."""
    sizes = _sizes(samples[0])
    stacks = {name: np.stack([sample[name] for sample in samples]) for name in sizes}
    return [name for name, stack in stacks.items() if stack.size and changes(stack, sizes[name]).any()]


def _sizes(given: Blocks) -> Blocks:
    """How large the entries of each block could be, from the rows of all of them.

    Where C or K cancels, its size follows from the others: C^2 is compared with M K.
    """
    row = {name: np.abs(block).max(axis=2, initial=0) for name, block in given.items()}
    M, C, K = row["M"], row["D + G"], row["K + H"]
    row["D + G"] = np.maximum.reduce([C, np.sqrt(M * K), NOISE_RATE * M])
    inertial = np.divide(C**2, M, out=np.zeros_like(C), where=M > 0)
    row["K + H"] = np.maximum.reduce([K, inertial, NOISE_RATE**2 * M])
    return {
        name: np.broadcast_to(size[:, :, None], given[name].shape)
        if name in ("B", "J")
        else np.sqrt(size[:, :, None] * size[:, None, :])
        for name, size in row.items()
    }


@lru_cache(maxsize=64)
def cancels(engine: Kernel) -> bool:
    """Whether time cancels at rest for whatever positions and values, so that none need be probed.

    Decided at random positions and values: an identity holds there, anything else does not.
    """
    points = [_anywhere(engine, time) for time in PROBES]
    with np.errstate(all="ignore"):
        rest = np.stack([engine.rest(point) for point in points])
        tangent = np.abs(engine.tangent(points[0])).max(axis=2)
        samples = [blocks(engine, point) for point in points]
        if not np.isfinite(rest).all() or not all(
            np.isfinite(X).all() for s in samples for X in s.values()
        ):
            return False
        size = np.maximum(np.abs(rest).max(axis=0), tangent)
        return not changes(rest, size).any() and not varying(samples)


def _anywhere(engine: Kernel, time: float) -> Point:
    """Three random points at rest with constant inputs, the same ones for every time."""
    generator = np.random.default_rng(1831)
    system = engine.system
    n, count = len(system.coordinates), 3
    q, p = (generator.uniform(0.2, 0.9, (count, k)) for k in (n, len(system.parameters)))
    level = np.array([signal.order == 0 for signal in engine.signals], dtype=float)
    return Point(
        t=np.full((count, 1), time),
        q=q,
        v=np.zeros((count, n)),
        a=np.zeros((count, n)),
        p=p,
        u=generator.uniform(0.2, 0.9, (count, len(level))) * level,
        multipliers=generator.uniform(0.2, 0.9, (count, len(system.constraints))),
    )
