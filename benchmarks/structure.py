"""What long runs keep: energy, momenta and constraints of the variational method and of DOP853.

Five systems in coordinates with constraints, from the same start over the same time: a pendulum and a
double pendulum in Cartesian coordinates, a heavy symmetric top and a free rigid satellite about its
middle axis (the tennis racket) by quaternions, and a chain of five links. DOP853 is projected onto the
constraints after each step. Each row has the largest change of the energy, over the energy that moves
about, in the first tenth of the run and in the whole; the largest change of the momenta that symmetries
keep; the largest violation of the constraints and of their rates; evaluations or steps, and seconds.

    python benchmarks/structure.py          # the whole table, some minutes
    python benchmarks/structure.py 0.1      # a tenth of each time
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import sympy

import routh as rt
from routh import ddt

OUTPUTS = 2001


@dataclass(frozen=True)
class Case:
    """A system with its start, how long it runs, and what its symmetries keep."""

    name: str
    system: rt.System
    start: dict[sympy.Symbol, float]
    time: float
    kept: Sequence[sympy.Expr] = ()


def links(name: str, count: int, time: float) -> Case:
    """Equal masses on rigid links, let go from the horizontal, g = 1."""
    q = rt.coordinates(" ".join(f"x{k} y{k}" for k in range(1, count + 1)))
    places = [(sympy.S.Zero, sympy.S.Zero), *zip(q[::2], q[1::2], strict=True)]
    system = rt.System(
        kinetic=sum(ddt(x) ** 2 for x in q) / 2,
        potential=sum(q[1::2]),
        constraints=[(b[0] - a[0]) ** 2 + (b[1] - a[1]) ** 2 - 1 for a, b in pairwise(places)],
    )
    return Case(name, system, {x: k for k, x in enumerate(q[::2], 1)}, time)


def body(
    name: str, moments: Sequence[float], weight: float, spin: Sequence[float], time: float
) -> Case:
    """A rigid body about a fixed point by a quaternion, tilted, its weight on the third axis."""
    R = rt.quaternion("e")
    omega = rt.angular_velocity(R)
    L = rt.vector(*(own * w for own, w in zip(moments, omega, strict=True)))
    system = rt.System(
        kinetic=rt.dot(L, omega) / 2, potential=weight * R[2, 2], constraints=R.constraints
    )
    tilt = rt.rotation(sympy.Float(0.5), axis=rt.vector(1, 0, 0))
    space = R * L
    kept = (space[2], L[2]) if weight else tuple(space)
    return Case(name, system, R.start(tilt, spin), time, kept)


CASES: dict[str, Callable[[], Case]] = {
    "pendulum": lambda: links("pendulum", 1, 5000.0),
    "double pendulum": lambda: links("double pendulum", 2, 1000.0),
    "heavy top": lambda: body("heavy top", (1.0, 1.0, 0.5), 1.0, (0.0, 0.0, 5.0), 1000.0),
    "satellite": lambda: body("satellite", (1.0, 2.0, 3.0), 0.0, (0.01, 1.0, 0.0), 2000.0),
    "chain": lambda: links("chain", 5, 200.0),
}


@dataclass(frozen=True)
class Drift:
    """What a run kept: changes of the energy early and in all, of momenta, and of the constraints."""

    early: float
    whole: float
    momenta: float
    phi: float
    phi_rate: float
    cost: str


def drift(case: Case, method: str, rtol: float, share: float = 1.0, outputs: int = OUTPUTS) -> Drift:
    """One run of a case, over a share of its time."""
    times = np.linspace(0, share * case.time, outputs)
    motion = rt.simulate(case.system, {}, case.start, times, method=method, rtol=rtol)
    if not motion.completed:
        raise SystemExit(f"{case.name} by {method}: {motion.message}")
    off = np.abs(motion.energy - motion.energy[0]) / motion.energy_moved
    momenta = [float(np.abs(value - value[0]).max()) for value in map(motion.__getitem__, case.kept)]
    spent = motion.statistics
    return Drift(
        early=float(off[: outputs // 10].max()),
        whole=float(off.max()),
        momenta=max(momenta, default=0.0),
        phi=float(motion.constraint_error),
        phi_rate=float(motion.constraint_rate_error),
        cost=f"{spent.steps} steps, {spent.run_seconds:.1f} s",
    )


def main(share: float) -> None:
    heads = ("energy, first tenth", "energy, all", "momenta", "phi", "phi'", "cost")
    print(f"{'':34s}" + "".join(f"{head:>21s}" for head in heads))
    for make in CASES.values():
        case = make()
        for method, rtol in (("variational", 1e-6), ("DOP853", 1e-6), ("DOP853", 1e-10)):
            own = drift(case, method, rtol, share)
            numbers = (own.early, own.whole, own.momenta, own.phi, own.phi_rate)
            print(
                f"{case.name:16s}{method:>12s}{rtol:6.0e}"
                + "".join(f"{x:21.1e}" for x in numbers)
                + f"   {own.cost}",
                flush=True,
            )


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 1.0)
