"""Motion: the 5-link pendulum against what people write today, and the cost of a step of a chain.

Ten seconds of the 5-link pendulum from 1.5 rad, 101 outputs, rtol = atol = 1e-9, in four ways:

* SymPy's `LagrangesMethod`, lambdified with common subexpressions, and SciPy's `solve_ivp` (DOP853);
* CasADi written by hand, `integrator(..., "cvodes", ...)` as it comes (BDF);
* the same with the Adams method and functional iteration, the best one can choose here;
* Routh, `simulate(system, values, start, times)`.

Cold is from writing the energies on, without imports; warm is the best of several calls once all is
made. The error is that of the last angle, against a run at rtol = 1e-13: equal tolerances do not mean
equal errors. The last table is a hanging chain of n masses in Cartesian coordinates, with n
constraints: cost per step, projection included, and how it grows.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from time import perf_counter
from typing import Any

import casadi
import numpy as np
import sympy
from scipy.integrate import solve_ivp
from sympy.physics.mechanics import dynamicsymbols

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from equilibria import textbook_pendulum

import problems
import routh as rt
from routh import ddt, norm2, vector

LINKS = 5
TIMES = np.linspace(0, 10, 101)
START = np.concatenate([np.full(LINKS, 1.5), np.zeros(LINKS)])
TOLERANCE = 1e-9
COLD, WARM, GROWTH = 30, 1.5, 1.2

Run = Callable[[], np.ndarray]


def sympy_and_scipy() -> Run:
    """What the textbook says."""
    t = dynamicsymbols._t
    method, q = textbook_pendulum(LINKS)
    method.form_lagranges_equations()
    names = sympy.symbols(f"a:{LINKS}"), sympy.symbols(f"b:{LINKS}")
    by_name = dict(zip([e.diff(t) for e in q], names[1], strict=True))
    by_name |= dict(zip(q, names[0], strict=True))
    M, f = (e.subs(by_name) for e in (method.mass_matrix, method.forcing))
    function = sympy.lambdify([*names[0], *names[1]], [M, f], cse=True)

    def rate(_t: float, x: np.ndarray) -> np.ndarray:
        M, f = function(*x)
        return np.concatenate([x[LINKS:], np.linalg.solve(M, f)[:, 0]])

    def run() -> np.ndarray:
        options = {"rtol": TOLERANCE, "atol": TOLERANCE, "t_eval": TIMES}
        return solve_ivp(rate, (0, 10), START, method="DOP853", **options).y[:, -1]

    return run


def casadi_by_hand(**options: Any) -> Run:
    """Energies, gradient, mass matrix and integrator in CasADi."""
    q, v = casadi.SX.sym("q", LINKS), casadi.SX.sym("v", LINKS)
    y = vx = vy = L = 0
    for k in range(LINKS):
        y = y - casadi.cos(q[k])
        vx, vy = vx + casadi.cos(q[k]) * v[k], vy + casadi.sin(q[k]) * v[k]
        L += (vx**2 + vy**2) / 2 - 9.81 * y
    p = casadi.gradient(L, v)
    M = casadi.jacobian(p, v)
    right = casadi.gradient(L, q) - casadi.jtimes(p, q, v)
    D, LT, order = casadi.ldl(M)
    a = casadi.ldl_solve(right, D, LT, order)
    dae = {"x": casadi.vertcat(q, v), "ode": casadi.vertcat(v, a)}
    tolerances = {"reltol": TOLERANCE, "abstol": TOLERANCE}
    integrator = casadi.integrator("run", "cvodes", dae, 0, TIMES[1:], tolerances | options)
    return lambda: np.array(integrator(x0=START)["xf"])[:, -1]


def by_routh() -> Run:
    """The energies, and simulate."""
    p = problems.pendulum_chain(LINKS)
    start = dict.fromkeys(p.angles, 1.5)

    def run() -> np.ndarray:
        options = {"rtol": TOLERANCE, "atol": TOLERANCE}
        motion = rt.simulate(p.system, p.values, start, TIMES, **options)
        return np.concatenate([motion.q[-1], motion.v[-1]])

    return run


def timed(make: Callable[[], Run], repeats: int, *, colds: int = 3) -> tuple[float, float, np.ndarray]:
    """Seconds cold (the best of several from scratch) and warm, and the final state."""
    cold = []
    for _ in range(colds):
        begin = perf_counter()
        run = make()
        final = run()
        cold.append(perf_counter() - begin)
    warm = []
    for _ in range(repeats):
        begin = perf_counter()
        run()
        warm.append(perf_counter() - begin)
    return min(cold), min(warm), final


def pendulum() -> None:
    """The first table, and its ratios."""
    p = problems.pendulum_chain(LINKS)
    exact = rt.simulate(p.system, p.values, dict.fromkeys(p.angles, 1.5), TIMES, rtol=1e-13).q[-1]
    adams = {"linear_multistep_method": "adams", "nonlinear_solver_iteration": "functional"}
    ways = {
        "SymPy + solve_ivp": timed(sympy_and_scipy, 3, colds=1),
        "CasADi cvodes": timed(casadi_by_hand, 20),
        "CasADi cvodes, Adams": timed(lambda: casadi_by_hand(**adams), 20),
        "Routh": timed(by_routh, 20),
    }
    print(f"10 s of the {LINKS}-link pendulum, rtol = {TOLERANCE:g}")
    print(f"{'':24}{'cold ms':>10}{'warm ms':>10}{'error':>10}")
    for name, (cold, warm, final) in ways.items():
        error = abs(final[LINKS - 1] - exact[-1])
        print(f"{name:24}{1e3 * cold:10.1f}{1e3 * warm:10.2f}{error:10.1e}")
    cold, warm, _ = ways["Routh"]
    against = ways["SymPy + solve_ivp"]
    print(f"cold, SymPy / Routh: {against[0] / cold:.0f} (target {COLD})")
    print(f"warm, SymPy / Routh: {against[1] / warm:.1f}")
    for name in ("CasADi cvodes", "CasADi cvodes, Adams"):
        print(f"warm, Routh / {name}: {warm / ways[name][1]:.2f} (target {WARM})")


def hanging_chain(n: int) -> tuple[rt.System, dict[Any, float]]:
    """n masses on rods, hung up at the origin and started level."""
    names = [rt.coordinates(f"x{k} y{k}") for k in range(n)]
    points = [vector(0, 0), *(vector(*pair) for pair in names)]
    system = rt.System(
        kinetic=[norm2(ddt(r)) / 2 for r in points[1:]],
        potential=[9.81 * r[1] for r in points[1:]],
        constraints=[(norm2(b - a) - 1) / 2 for a, b in pairwise(points)],
    )
    return system, {x: k + 1.0 for k, (x, _) in enumerate(names)}


def chain() -> None:
    """The second table, and its exponent."""
    print("\nchain in Cartesian coordinates, n masses, n constraints")
    print(f"{'n':>6}{'start ms':>12}{'steps':>8}{'us a step':>12}{'us a step and mass':>20}")
    cost = {}
    for n in (10, 50, 200, 1000):
        system, start = hanging_chain(n)
        times = np.linspace(0, 0.3, 4)
        begin = perf_counter()
        rt.simulate(system, {}, start, times[:2] / 100)
        made = perf_counter() - begin
        best = np.inf
        for _ in range(3):
            motion = rt.simulate(system, {}, start, times)
            spent = motion.statistics
            best = min(best, spent.run_seconds / spent.steps)
        cost[n] = best
        print(f"{n:6}{1e3 * made:12.0f}{spent.steps:8}{1e6 * best:12.0f}{1e6 * best / n:20.1f}")
    growth = np.log(cost[1000] / cost[50]) / np.log(1000 / 50)
    print(f"growth from 50 to 1000: n^{growth:.2f} (target n^{GROWTH})")


if __name__ == "__main__":
    pendulum()
    chain()
