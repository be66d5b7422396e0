"""Many points of one system: by the engine as it is, and by code compiled for this machine, in one run.

Four pendulums in a chain with springs and dampers, a stiffness of its own for each point: rests, linear
models, eigenvalues and verdicts. Processor time of a point, on one core and on all that are allowed
(`OMP_NUM_THREADS`); beside it `numpy.linalg.eigvals` of the state matrices alone. What compiling takes,
and from how many points on it pays.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import ExitStack
from itertools import pairwise
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Any
from unittest.mock import patch

import numpy as np

import routh as rt
from routh.kernels.native.compiler import Compiler, compiler
from routh.kernels.native.crew import cores

LINKS, POINTS, REPEATS = 4, 20_000, 3
VERBS = ("equilibrium", "linearize", "modes", "stability")
TARGET = 20.0
"""How many times quicker all four together are to be on one core."""


def chain(links: int) -> rt.System:
    """Pendulums in a chain, with a spring and a damper at each joint."""
    angles = rt.coordinates(" ".join(f"a{k}" for k in range(1, links + 1)))
    m, l, g, k, c = rt.parameters("m l g k c")
    x, y, T, V = 0, 0, 0, 0
    for angle in angles:
        x, y = x + l * rt.sin(angle), y - l * rt.cos(angle)
        T, V = T + m * (rt.ddt(x) ** 2 + rt.ddt(y) ** 2) / 2, V + m * g * y
    V += k * angles[0] ** 2 / 2 + sum(k * (a - b) ** 2 / 2 for a, b in pairwise(angles))
    return rt.System(kinetic=T, potential=V, dissipation=sum(c * rt.ddt(a) ** 2 / 2 for a in angles))


def values(count: int) -> dict[str, Any]:
    """A stiffness for each point."""
    return {"m": 1.0, "l": 1.0, "g": 9.81, "k": np.linspace(0.5, 30, count), "c": 0.1}


def timed(call: Callable[[], Any]) -> tuple[float, float, Any]:
    """Seconds of the processor, seconds by the clock, and what came of it."""
    start, clock = process_time(), perf_counter()
    found = call()
    return process_time() - start, perf_counter() - clock, found


def each(system: rt.System, engine: str, count: int) -> tuple[list[float], list[float], list[Any]]:
    """Seconds of each verb, of the processor and by the clock, and their results."""
    given = values(count)
    found: list[Any] = []
    calls: list[Callable[[], Any]] = [
        lambda: rt.equilibrium(system, given, guess={"a1": 0.3}, raises=False, engine=engine),
        lambda: rt.linearize(found[0], engine=engine),
        lambda: rt.modes(found[1], engine=engine),
        lambda: rt.stability(found[1], engine=engine),
    ]
    work, clock = [], []
    for call in calls:
        *seconds, result = timed(call)
        work.append(seconds[0])
        clock.append(seconds[1])
        found.append(result)
    return work, clock, found


def best(system: rt.System, engine: str, count: int) -> tuple[list[float], list[float], list[Any]]:
    """The shortest of several runs, verb by verb."""
    runs = [each(system, engine, count) for _ in range(REPEATS)]
    work, clock = ([min(column) for column in zip(*(r[k] for r in runs), strict=True)] for k in (0, 1))
    return work, clock, runs[-1][2]


def compiling(system: rt.System) -> tuple[float, int]:
    """Seconds by the clock that the compiler takes for all four verbs, and how often it is called."""
    spent: list[float] = []
    make = Compiler.make

    def watched(self: Compiler, source: str) -> bytes:
        _, seconds, made = timed(lambda: make(self, source))
        spent.append(seconds)
        return made

    with TemporaryDirectory() as empty, ExitStack() as back:  # a shelf without anything on it
        back.enter_context(patch.object(Compiler, "make", watched))
        back.enter_context(patch.dict(os.environ, {"XDG_CACHE_HOME": empty}))
        each(system, "c", 10)
    return sum(spent), len(spent)


def main() -> None:
    """Print the tables."""
    system = chain(LINKS)
    each(system, "casadi", 10)
    today, clock, plain = best(system, "casadi", POINTS)
    linear = plain[1]
    A = np.zeros((POINTS, 2 * LINKS, 2 * LINKS))
    A[:, :LINKS, LINKS:] = np.eye(LINKS)
    A[:, LINKS:, :LINKS] = -np.linalg.solve(linear.M, linear.K)
    A[:, LINKS:, LINKS:] = -np.linalg.solve(linear.M, linear.D)
    library = min(timed(lambda: np.linalg.eigvals(A))[0] for _ in range(REPEATS))
    print(f"{LINKS} links, {POINTS} points, microseconds of the processor a point")
    if compiler() is None:
        print("  no compiler of C here:", [f"{1e6 * t / POINTS:.1f}" for t in today])
        return
    took, calls = compiling(system)
    compiled, wall, found = best(system, "c", POINTS)
    for verb, before, after in zip(VERBS, today, compiled, strict=True):
        print(f"  {verb:12s} {1e6 * before / POINTS:7.2f} {1e6 * after / POINTS:7.2f} in C,", end="")
        print(f" {before / after:5.1f} times")
    before, after = (1e6 * sum(one) / POINTS for one in (today, compiled))
    print(f"  {'together':12s} {before:7.2f} {after:7.2f} in C, {before / after:5.1f} times", end="")
    print(f" (target {TARGET:g})")
    print(f"  numpy.linalg.eigvals alone {1e6 * library / POINTS:.2f}")
    rates = POINTS / sum(wall), POINTS / sum(clock)
    print(f"  {rates[0]:.3g} points/s by the clock on {cores()} cores, {rates[1]:.3g} before")
    saved = (sum(clock) - sum(wall)) / POINTS
    print(f"  compiling {took:.2f} s ({calls} programs), paid for by {took / saved:.0f} points")
    same = [
        np.abs(plain[0].q - found[0].q).max(),
        np.abs(plain[2].eigenvalues - found[2].eigenvalues).max(),
    ]
    print(f"  rests differ by {same[0]:.1e}, eigenvalues by {same[1]:.1e},", end="")
    print(f" verdicts at {np.sum(plain[3].reason != found[3].reason)} points")


if __name__ == "__main__":
    main()
