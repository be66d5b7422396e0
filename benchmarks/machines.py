"""Many points of one system: by the engine as it is, and by code compiled for this machine, in one run.

Two, four and eight pendulums in a chain with springs and dampers, a stiffness of its own for each of
them: rests, linear models, eigenvalues and verdicts. Processor time of a point on one core; beside it
`numpy.linalg.eigvals` of the state matrices alone. What compiling takes, and from how many points on it
pays. How many times quicker, by the clock, all cores that are allowed (`OMP_NUM_THREADS`) are than one:
in compiled code alone, and in the verbs with what is done around it in Python.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import ExitStack
from itertools import pairwise
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Any
from unittest.mock import patch

import gpu_rates
import numpy as np

import routh as rt
from routh.kernels.native.compiler import Compiler, compiler
from routh.kernels.native.crew import cores
from routh.kernels.native.program import Program

LINKS, POINTS, REPEATS = (2, 4, 8), 20_000, 5
VERBS = ("equilibrium", "linearize", "modes", "stability")


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


def eigenvalues_alone(linear: Any) -> float:
    """Seconds that NumPy takes for the eigenvalues of all state matrices."""
    count, n = linear.M.shape[:2]
    A = np.zeros((count, 2 * n, 2 * n))
    A[:, :n, n:] = np.eye(n)
    A[:, n:, :n] = -np.linalg.solve(linear.M, linear.K)
    A[:, n:, n:] = -np.linalg.solve(linear.M, linear.D)
    return min(timed(lambda: np.linalg.eigvals(A))[0] for _ in range(REPEATS))


def inside(system: rt.System, count: int) -> float:
    """Seconds by the clock that compiled code itself takes for all four verbs."""
    spent: list[float] = []
    run = Program.run

    def watched(self: Program, *given: Any) -> None:
        spent.append(timed(lambda: run(self, *given))[1])

    with patch.object(Program, "run", watched):
        each(system, "c", count)
    return sum(spent)


def on(threads: int, call: Callable[[], float]) -> float:
    """The least of several runs on so many cores."""
    with patch.dict(os.environ, {"OMP_NUM_THREADS": str(threads)}):
        return min(call() for _ in range(REPEATS))


def table(links: int, allowed: int) -> None:
    """Print what a chain of so many links takes."""
    system = chain(links)
    each(system, "casadi", 10)
    took, calls = compiling(system)
    with patch.dict(os.environ, {"OMP_NUM_THREADS": "1"}):
        today, clock, plain = best(system, "casadi", POINTS)
        compiled, wall, found = best(system, "c", POINTS)
    library = eigenvalues_alone(plain[1])
    print(f"{links} links, {POINTS} points, microseconds of one core a point")
    for verb, before, after in zip(VERBS, today, compiled, strict=True):
        print(f"  {verb:12s} {1e6 * before / POINTS:7.2f} {1e6 * after / POINTS:7.2f} in C,", end="")
        print(f" {before / after:5.1f} times")
    before, after = (1e6 * sum(one) / POINTS for one in (today, compiled))
    print(f"  {'together':12s} {before:7.2f} {after:7.2f} in C, {before / after:5.1f} times;", end="")
    print(f" numpy.linalg.eigvals alone {1e6 * library / POINTS:.2f}")
    saved = (sum(clock) - sum(wall)) / POINTS
    print(f"  compiling {took:.2f} s ({calls} programs), paid for by {took / saved:.0f} points")
    if allowed > 1:
        code = [on(threads, lambda: inside(system, POINTS)) for threads in (1, allowed)]
        verbs = [on(threads, lambda: sum(each(system, "c", POINTS)[1])) for threads in (1, allowed)]
        print(
            f"  {allowed} cores: compiled code {code[0] / code[1]:.2f} times as quick as one,", end=""
        )
        print(f" verbs {verbs[0] / verbs[1]:.2f} times, {POINTS / verbs[1]:.3g} points/s")
    same = [
        np.abs(plain[0].q - found[0].q).max(),
        np.abs(plain[2].eigenvalues - found[2].eigenvalues).max(),
    ]
    print(f"  rests differ by {same[0]:.1e}, eigenvalues by {same[1]:.1e},", end="")
    print(f" verdicts at {np.sum(plain[3].reason != found[3].reason)} points")


def main() -> None:
    """Print the tables."""
    if "--gpu" in sys.argv[1:]:
        gpu_rates.main()
        return
    if compiler() is None:
        print("no compiler of C here: all is done by CasADi")
        return
    allowed = cores()
    for links in LINKS:
        table(links, allowed)


if __name__ == "__main__":
    main()
