"""100,000 parameter sets of a gyroscopic system with four coordinates: linear models, eigenvalues.

Side by side in one run: Routh's `equilibrium`, `linearize` and `modes` on arrays, a Python loop
over a CasADi function written by hand for the same matrices, and `numpy.linalg.eigvals` alone on
the stack of state matrices.

Usage: python benchmarks/batch.py [number of parameter sets]
"""

from __future__ import annotations

import sys
import time

import casadi
import numpy as np

import routh as rt
from routh import ddt, norm2, rotation, sin, t, vector

LOOP = 5_000
"""Points that the Python loop is timed on; its time is proportional."""


def rotor(turning: bool) -> rt.System:
    """Two masses on springs of unequal stiffness in a turning frame, coupled and damped.

    Either from positions in space, where time stays in the energies and must cancel in the model,
    or with velocities seen from the frame, where it is worked out.
    """
    q = rt.coordinates("x1 y1 x2 y2")
    m, k1, k2, kc, c, Omega = rt.parameters("m k1 k2 kc c Omega")
    first, second = vector(*q[:2]), vector(*q[2:])
    if turning:
        velocities = [ddt(rotation(Omega * t) @ r) for r in (first, second)]
    else:
        velocities = [ddt(r) + Omega * vector(-r[1], r[0]) for r in (first, second)]
    return rt.System(
        kinetic=[m / 2 * norm2(v) for v in velocities],
        potential=[
            *(k1 * r[0] ** 2 / 2 + k2 * r[1] ** 2 / 2 for r in (first, second)),
            k1 * sin(q[0]) ** 4 + kc / 2 * norm2(first - second),
        ],
        dissipation=c / 2 * sum(ddt(x) ** 2 for x in q),
    )


def rotor_by_hand() -> casadi.Function:
    """M, C and K of the same system, from a Lagrangian written in CasADi with time worked out."""
    q, v, p = casadi.SX.sym("q", 4), casadi.SX.sym("v", 4), casadi.SX.sym("p", 6)
    m, k1, k2, kc, c, W = casadi.vertsplit(p)
    T = V = D = 0
    for x, y, vx, vy in ((q[0], q[1], v[0], v[1]), (q[2], q[3], v[2], v[3])):
        T += m / 2 * ((vx - W * y) ** 2 + (vy + W * x) ** 2)
        V += k1 * x**2 / 2 + k2 * y**2 / 2
        D += c / 2 * (vx**2 + vy**2)
    V += k1 * casadi.sin(q[0]) ** 4 + kc / 2 * ((q[0] - q[2]) ** 2 + (q[1] - q[3]) ** 2)
    L = T - V
    g_v = casadi.gradient(L, v)
    M, F = casadi.jacobian(g_v, v), casadi.jacobian(g_v, q)
    C = F - F.T + casadi.hessian(D, v)[0]
    K = -casadi.hessian(L, q)[0]
    return casadi.Function("rotor", [q, v, p], [M, C, K])


def timed(work):
    start = time.perf_counter()
    result = work()
    return result, time.perf_counter() - start


def best(work, repeats: int = 3):
    """The result and the best time of some runs."""
    times = []
    for _ in range(repeats):
        result, seconds = timed(work)
        times.append(seconds)
    return result, min(times)


def main(count: int) -> None:
    generator = np.random.default_rng(1)
    ranges = {
        "m": (1, 2),
        "k1": (10, 30),
        "k2": (10, 30),
        "kc": (1, 5),
        "c": (0.1, 0.5),
        "Omega": (0, 2),
    }
    values = {name: generator.uniform(*ends, count) for name, ends in ranges.items()}
    print(f"{count} parameter sets, four coordinates, gyroscopic and damped; best of three runs\n")

    by_hand = rotor_by_hand()
    rows = np.stack([values[name] for name in ranges], axis=1)
    zero = np.zeros(4)
    looped, loop_time = best(lambda: [[X.full() for X in by_hand(zero, zero, p)] for p in rows[:LOOP]])
    loop_time *= count / LOOP
    show("Python loop over CasADi by hand: linear models", loop_time, count)

    M, C, K = (np.array([each[k] for each in looped]) for k in range(3))
    for turning, how in ((False, "time worked out"), (True, "time left in the energies")):
        system = rotor(turning)
        rest, rest_time = best(lambda s=system: rt.equilibrium(s, values))
        linear, linear_time = best(lambda r=rest: rt.linearize(r))
        modes, modes_time = best(lambda x=linear: rt.modes(x))
        np.testing.assert_allclose(linear.M[:LOOP], M, atol=1e-12)
        np.testing.assert_allclose((linear.D + linear.G)[:LOOP], C, atol=1e-11)
        np.testing.assert_allclose((linear.K + linear.H)[:LOOP], K, atol=1e-11)
        A = np.zeros((count, 8, 8))
        A[:, :4, 4:] = np.eye(4)
        A[:, 4:, :4] = -np.linalg.solve(linear.M, linear.K + linear.H)
        A[:, 4:, 4:] = -np.linalg.solve(linear.M, linear.D + linear.G)
        eigen, eigen_time = best(lambda A=A: np.linalg.eigvals(A))
        np.testing.assert_allclose(
            np.abs(modes.eigenvalues).max(axis=1), np.abs(eigen).max(axis=1), rtol=1e-9
        )
        print(f"\nRouth with {how}")
        show("  equilibria", rest_time, count)
        show("  linear models", linear_time, count)
        show("  eigenvalues in pairs", modes_time, count)
        show("  numpy.linalg.eigvals alone on that stack", eigen_time, count)
        print(f"  linear models: loop / Routh {loop_time / linear_time:.0f} (target 30)")
        together = (linear_time + modes_time) / eigen_time
        print(f"  linear models and eigenvalues: Routh / eigvals alone {together:.2f} (target 1.2)")


def show(what: str, seconds: float, count: int) -> None:
    print(f"{what:50} {seconds:8.3f} s {count / seconds:12.0f} points/s")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
