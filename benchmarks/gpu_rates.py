"""Points, motions and charts on an NVIDIA GPU: what its kernels do a second, and what the verbs give.

`machines.py --gpu` prints it. Kernels are timed by events of the device while the verbs run; the rest
is the way there and back, and what NumPy does around it on one core. Beside it: all cores of the same
machine by compiled C, and the integrator of JAX on the same GPU where JAX is installed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from time import perf_counter
from typing import Any
from unittest.mock import patch

import numpy as np

import routh as rt
from routh.kernels.native.crew import cores
from routh.kernels.native.gpu import GpuProgram, devices

POINTS = {2: 1_000_000, 4: 1_000_000, 8: 200_000}
"""Points by number of links; as many as fit with what the verbs keep of each."""

RUNS = {2: 500_000, 5: 100_000, 10: 20_000}
"""Motions by number of links."""

SPAN, RTOL = 10.0, 1e-9
TARGETS = {4: 1e8, 8: 1.5e7}
TARGET_RUNS = 7e5


@contextmanager
def watched() -> Iterator[dict[str, float]]:
    """Seconds of kernels by name, by events of the device."""
    cupy, spent = devices(), {}
    launch = GpuProgram.launch

    def timed(self: GpuProgram, name: str, count: int, there: Sequence[Any]) -> None:
        begin, end = cupy.cuda.Event(), cupy.cuda.Event()
        begin.record()
        launch(self, name, count, there)
        end.record()
        end.synchronize()
        seconds = cupy.cuda.get_elapsed_time(begin, end) / 1e3
        spent[name] = spent.get(name, 0.0) + seconds

    with patch.object(GpuProgram, "launch", timed):
        yield spent


def pendulums(links: int, joints: bool) -> rt.System:
    """Pendulums in a chain, with a spring and a damper at each joint or without."""
    angles = rt.coordinates(" ".join(f"a{k}" for k in range(1, links + 1)))
    m, l, g, k, c = rt.parameters("m l g k c")
    x, y, T, V = 0, 0, 0, 0
    for angle in angles:
        x, y = x + l * rt.sin(angle), y - l * rt.cos(angle)
        T, V = T + m * (rt.ddt(x) ** 2 + rt.ddt(y) ** 2) / 2, V + m * g * y
    if not joints:
        return rt.System(kinetic=T, potential=V)
    V += k * angles[0] ** 2 / 2 + sum(k * (a - b) ** 2 / 2 for a, b in pairwise(angles))
    return rt.System(kinetic=T, potential=V, dissipation=sum(c * rt.ddt(a) ** 2 / 2 for a in angles))


def point_verbs(system: rt.System, count: int, engine: str) -> tuple[Any, ...]:
    """Rests, linear models, eigenvalues and verdicts with a stiffness for each point."""
    given = {"m": 1.0, "l": 1.0, "g": 9.81, "k": np.linspace(0.5, 30, count), "c": 0.1}
    rest = rt.equilibrium(system, given, guess={"a1": 0.3}, raises=False, engine=engine)
    linear = rt.linearize(rest, engine=engine)
    return rest, linear, rt.modes(linear, engine=engine), rt.stability(linear, engine=engine)


def clocked(call: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds by the clock, and what came of it."""
    start = perf_counter()
    found = call()
    return perf_counter() - start, found


def points() -> None:
    """The table of points."""
    print("Rest, linear model, all eigenvalues and verdict: points a second")
    print(f"  {'links':>5} {'points':>9} {'kernels':>9} {'verbs':>9} {f'C, {cores()} cores':>12}")
    for links, count in POINTS.items():
        system = pendulums(links, joints=True)
        point_verbs(system, 100, "cuda"), point_verbs(system, 100, "c")
        with watched() as spent:
            there, found = clocked(lambda s=system, n=count: point_verbs(s, n, "cuda"))
        here, plain = clocked(lambda s=system, n=count: point_verbs(s, n, "c"))
        rates = [count / sum(spent.values()), count / there, count / here]
        print(f"  {links:5d} {count:9d} " + " ".join(f"{rate:9.2e}" for rate in rates), end="")
        target = f", target {TARGETS[links]:.1e}" if links in TARGETS else ""
        off = np.abs(found[2].eigenvalues - plain[2].eigenvalues).max()
        same = int((found[3].reason != plain[3].reason).sum())
        print(f"   eigenvalues differ by {off:.1e}, verdicts at {same} points{target}")
        shares = ", ".join(f"{name} {1e9 * t / count:.1f} ns" for name, t in spent.items())
        print(f"        a point: {shares}")


def motions() -> None:
    """The table of motions."""
    print(f"Motions of {SPAN:g} s at rtol {RTOL:g}: runs a second")
    print(f"  {'links':>5} {'runs':>9} {'kernels':>9} {'simulate':>9} {f'C, {cores()} cores':>12}")
    for links, count in RUNS.items():
        system = pendulums(links, joints=False)

        def go(number: int, engine: str, system: rt.System = system, links: int = links) -> Any:
            start = {f"a{k}": 0.5 for k in range(2, links + 1)} | {"a1": np.linspace(0.2, 1.0, number)}
            given = {"m": 1.0, "l": 1.0, "g": 9.81}
            return rt.simulate(
                system, given, start, times=[0, SPAN], rtol=RTOL, method="DOP853", engine=engine
            )

        go(10, "cuda"), go(10, "c")
        with watched() as spent:
            there, found = clocked(lambda n=count, go=go: go(n, "cuda"))
        less = count // 10
        here, plain = clocked(lambda n=less, go=go: go(n, "c"))
        rates = [count / sum(spent.values()), count / there, less / here]
        print(f"  {links:5d} {count:9d} " + " ".join(f"{rate:9.2e}" for rate in rates), end="")
        print(f"   the first ends {np.abs(found.q[0, -1] - plain.q[0, -1]).max():.1e} apart", end="")
        print(f", target {TARGET_RUNS:.1e}" if links == 5 else "")


def by_jax(links: int = 5, count: int = 10_000) -> None:
    """The same motions by JAX's `odeint` under `vmap`, with dynamics written for it by hand."""
    try:
        import jax
        import jax.numpy as jnp
        from jax.experimental.ode import odeint
    except ImportError:
        print("  JAX is not installed here")
        return
    jax.config.update("jax_enable_x64", True)
    row = jnp.arange(links)
    below = links - jnp.maximum(row[:, None], row[None, :])  # links that hang on both

    def rate(x: Any, _: Any) -> Any:
        a, w = x[:links], x[links:]
        between = a[:, None] - a[None, :]
        M = below * jnp.cos(between)
        h = (below * jnp.sin(between)) @ (w * w) + 9.81 * jnp.diag(below) * jnp.sin(a)
        return jnp.concatenate([w, jnp.linalg.solve(M, -h)])

    start = jnp.tile(jnp.array([0.5] * links + [0.0] * links), (count, 1))
    start = start.at[:, 0].set(jnp.linspace(0.2, 1.0, count))
    run = jax.jit(jax.vmap(lambda x: odeint(rate, x, jnp.array([0.0, SPAN]), rtol=RTOL, atol=RTOL)[-1]))
    compiling, _ = clocked(lambda: run(start).block_until_ready())
    seconds, _ = clocked(lambda: run(start).block_until_ready())
    print(f"  JAX odeint, {links} links: {count / seconds:.2e} runs/s on {jax.devices()[0]}", end="")
    print(f" (compiling {compiling - seconds:.1f} s)")


def charts(side: int = 1000) -> None:
    """A chart of a shaken pendulum."""
    x, (A, c) = rt.coordinate("x"), rt.parameters("A c")
    system = rt.System(
        kinetic=rt.ddt(x) ** 2 / 2,
        potential=-(c + A * rt.cos(2 * rt.t)) * rt.cos(x),
        dissipation=0.05 * rt.ddt(x) ** 2,
    )
    grid = np.meshgrid(np.linspace(0, 4, side), np.linspace(-1, 5, side))
    given = dict(zip(("A", "c"), grid, strict=True))
    rt.floquet(system, {"A": [0.1, 0.2], "c": 1.0}, np.pi, engine="cuda")
    with watched() as spent:
        there, found = clocked(lambda: rt.floquet(system, given, np.pi, engine="cuda"))
    here, plain = clocked(lambda: rt.floquet(system, given, np.pi, engine="c"))
    off = np.abs(found.monodromy - plain.monodromy).max()
    print(f"Floquet chart of {side} x {side}: kernels {sum(spent.values()):.2f} s,", end="")
    print(f" floquet {there:.2f} s,", end="")
    print(f" C on {cores()} cores {here:.2f} s; they differ by {off:.1e}")


def main() -> None:
    """Print the tables."""
    cupy = devices()
    print(cupy.cuda.runtime.getDeviceProperties(0)["name"].decode(), "and its host")
    points()
    motions()
    by_jax()
    charts()


if __name__ == "__main__":
    main()
