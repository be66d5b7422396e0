"""Whether something changes in time, decided by looking at several times.

Time is often written into energies and cancels: in a frame that turns at constant rate, on a base
that accelerates uniformly. No simplification finds this out as surely as evaluation does.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from routh.analysis.kinks import pieces
from routh.kernels.batch import Array
from routh.kernels.kernel import Kernel, Point

PROBES = tuple(float(time) for time in np.exp(-4.1 + 0.7 * np.arange(16)))
"""Times that are compared, 0.017 s to 600 s. No period fits all their differences."""

CERTAIN = 1e3
"""How many times rounding a difference must be to count as a change."""

NOISE_RATE = 1e-3
"""1/s: the least rate at which a system is taken to move, when stiffness and gyroscopic forces
cancel and their rounding has nothing else to be compared with."""

Blocks = dict[str, Array]
"""The blocks M, D + G, K + H, B, J and W of a linear model, as stacks."""


def changing(evaluate: Callable[[float], Blocks], sizes: Blocks) -> dict[str, NDArray[np.bool_]]:
    """Which entries differ between the probes by more than rounding.

    Rounding is measured: each probe is evaluated again one and two units in the last place of the
    time later. It is at least what `sizes` of the entries let expect. A pulse that is over between
    two probes is not seen.
    """
    surely_above: Blocks = {}
    surely_below: Blocks = {}
    for time in PROBES:
        later = np.nextafter(time, np.inf)
        near = [evaluate(t) for t in (time, float(later), float(np.nextafter(later, np.inf)))]
        for name, here in near[0].items():
            noise = np.finfo(float).eps * sizes[name]
            for other in near[1:]:
                noise = np.maximum(noise, np.abs(other[name] - here))
            low, high = here - CERTAIN / 2 * noise, here + CERTAIN / 2 * noise
            surely_above[name] = np.maximum(surely_above.get(name, low), low)
            surely_below[name] = np.minimum(surely_below.get(name, high), high)
    return {name: np.asarray(surely_above[name] > surely_below[name]) for name in surely_above}


def blocks(engine: Kernel, point: Point) -> Blocks:
    """The linear model of the whole system about a rest or a steady motion, and its constraints.

    `J dq' + W dq = 0` for velocity constraints, `J dq = 0` for the others, whose rows of W are J too.
    B has a column for every signal.
    """
    M, C, K = engine.matrices(point)
    B = engine.about(point).input_columns(point.arguments)
    J, W = engine.constraint_slopes(point)
    return {"M": M, "D + G": C, "K + H": K, "B": B, "J": J, "W": W}


def changing_blocks(engine: Kernel, point_at: Callable[[float], Point]) -> list[str]:
    """The names of the blocks of the linear model that change with time."""
    point = point_at(PROBES[0])
    rate = np.maximum(NOISE_RATE, np.abs(point.v).max(axis=1, keepdims=True, initial=0))
    sizes = block_sizes(blocks(engine, point), rate)
    found = changing(lambda time: blocks(engine, point_at(time)), sizes)
    return [name for name, mask in found.items() if mask.any()]


def changing_rest(engine: Kernel, point_at: Callable[[float], Point]) -> NDArray[np.bool_]:
    """(N,) at which points the equations change with time."""
    point = point_at(PROBES[0])
    balance = engine.about(point).residual
    size = np.abs(engine.tangent(point)).max(axis=2, initial=0)
    size = np.maximum(size, np.abs(balance(point.arguments)))
    if not point.at_rest:  # inertial forces that cancel leave their rounding
        M = np.abs(engine.matrices(point)[0])
        fastest = np.abs(point.v).max(axis=1, keepdims=True)
        pull = fastest * np.einsum("kij,kj->ki", M, np.abs(point.v))
        pull += fastest**2 * np.diagonal(M, axis1=1, axis2=2)
        size[:, : pull.shape[1]] += pull
    found = changing(lambda time: {"E": balance(point_at(time).arguments)}, {"E": size})
    return np.asarray(found["E"].any(axis=1))


def block_sizes(given: Blocks, rate: Array | float = NOISE_RATE) -> Blocks:
    """How large the entries of each block could be, from the rows of all of them.

    Where C or K cancels, its size follows from the others: C^2 is compared with M K. `rate` in 1/s is
    the least at which something is taken to move.
    """
    row = {name: np.abs(block).max(axis=2, initial=0) for name, block in given.items()}
    M, C, K = row["M"], row["D + G"], row["K + H"]
    row["D + G"] = np.maximum.reduce([C, np.sqrt(M * K), rate * M])
    inertial = np.divide(C**2, M, out=np.zeros_like(C), where=M > 0)
    row["K + H"] = np.maximum.reduce([K, inertial, rate**2 * M])
    return {
        name: np.broadcast_to(size[:, :, None], given[name].shape)
        if name in ("B", "J", "W")
        else np.sqrt(size[:, :, None] * size[:, None, :])
        for name, size in row.items()
    }


@lru_cache(maxsize=64)
def cancels(engine: Kernel) -> bool:
    """Whether time cancels at rest for whatever positions and values, so that none need be probed.

    Decided at random positions and values: an identity holds there, anything else does not. What
    is put together of pieces may be another thing elsewhere.
    """
    if pieces(engine.system):
        return False
    with np.errstate(all="ignore"):
        first = blocks(engine, _anywhere(engine, PROBES[0]))
        if not all(np.isfinite(block).all() for block in first.values()):
            return False
        return not changing_rest(engine, lambda time: _anywhere(engine, time)).any() and not (
            changing_blocks(engine, lambda time: _anywhere(engine, time))
        )


@lru_cache(maxsize=64)
def autonomous(engine: Kernel) -> bool:
    """Whether time cancels in the equations of motion for whatever positions, velocities and values."""
    if not engine.depends_on_time:
        return True
    if pieces(engine.system):
        return False

    def at(time: float) -> Point:
        point = _anywhere(engine, time)
        generator = np.random.default_rng(1877)
        v, a = (generator.uniform(0.2, 0.9, point.v.shape) for _ in range(2))
        return replace(point, v=v, a=a)

    with np.errstate(all="ignore"):
        first = engine.residual(at(PROBES[0]))
        if not np.isfinite(first).all():
            return False
        M, C, K = (np.abs(X).max(axis=2) for X in engine.matrices(at(PROBES[0])))
        sizes = {"E": np.maximum.reduce([np.abs(first), M, C, K])}
        return not changing(lambda time: {"E": engine.residual(at(time))}, sizes)["E"].any()


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
