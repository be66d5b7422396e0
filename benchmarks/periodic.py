"""What repeats: a monodromy matrix against differences, and a stability chart against a loop.

* The 5-link pendulum over one second from 0.5 rad: the matrix of growth (10 x 10) from
  `simulate(..., variations=True)`, against central differences of the same flow (20 runs of SciPy's
  `solve_ivp`, DOP853, on the equations that Routh compiled). Errors against a run at rtol = 1e-12.
* The shaken pendulum, upside down: a chart of drive amplitude and frequency in one call of `floquet`,
  against a Python loop over `solve_ivp` (DOP853, rtol = 1e-9) on the equation written by hand, timed on
  a part of the points and scaled up.
"""

from __future__ import annotations

import sys
from pathlib import Path
from time import perf_counter

import numpy as np
from scipy.integrate import solve_ivp

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import problems
import routh as rt

LINKS = 5
SIDE = 200
PART = 400
"""Points of the chart that the loop is timed on."""


def growth() -> None:
    problem = problems.pendulum_chain(LINKS)
    system, values = problem.system, problem.values
    start = dict.fromkeys(system.coordinates, 0.5)
    times = [0.0, 1.0]
    rt.simulate(system, values, start, times, variations=True)  # compiled once, as for users who go on
    began = perf_counter()
    motion = rt.simulate(system, values, start, times, variations=True)
    ours = perf_counter() - began
    exact = rt.simulate(system, values, start, times, variations=True, rtol=1e-12).transition[-1]
    flow = motion.flows[0]
    n = 2 * LINKS
    x0 = np.concatenate([motion.q[0], motion.v[0], np.zeros(flow.motion.size - n)])

    def end(x: np.ndarray) -> np.ndarray:
        return solve_ivp(flow.rate, (0, 1), x, method="DOP853", rtol=1e-9, atol=1e-12).y[:n, -1]

    began = perf_counter()
    h = 1e-5
    found = np.empty((n, n))
    for k in range(n):
        step = np.zeros_like(x0)
        step[k] = h
        found[:, k] = (end(x0 + step) - end(x0 - step)) / (2 * h)
    theirs = perf_counter() - began
    size = np.abs(exact).max()
    errors = [float(np.abs(each - exact).max() / size) for each in (motion.transition[-1], found)]
    print(f"monodromy of the {LINKS}-link pendulum: Routh {1e3 * ours:.1f} ms, error {errors[0]:.1e};")
    print(f"  differences of solve_ivp {1e3 * theirs:.1f} ms, error {errors[1]:.1e}")
    print(f"  ratio of time {theirs / ours:.1f}, of error {errors[1] / errors[0]:.0f}")
    assert theirs > ours
    assert errors[0] < errors[1]


def chart() -> None:
    theta = rt.coordinate("theta")
    l, g, A, w = rt.parameters("l g A w")
    r = rt.vector(l * rt.sin(theta), -l * rt.cos(theta) + A * rt.cos(w * rt.t))
    system = rt.System(kinetic=rt.norm2(rt.ddt(r)) / 2, potential=g * r[1], name="shaken pendulum")
    amplitude, speed = np.meshgrid(np.linspace(0.001, 0.3, SIDE), np.linspace(5, 100, SIDE))
    values = {"l": 1.0, "g": 9.81, "A": amplitude, "w": speed}
    began = perf_counter()
    found = rt.floquet(system, values, 2 * np.pi / speed, guess={theta: np.pi})
    ours = perf_counter() - began
    rng = np.random.default_rng(1)
    rows, columns = rng.integers(0, SIDE, (2, PART))
    began = perf_counter()
    wrong = 0
    for i, j in zip(rows, columns, strict=True):
        a, f = amplitude[i, j], speed[i, j]

        def rate(t: float, x: np.ndarray, a: float = a, f: float = f) -> np.ndarray:
            k = -(9.81 - a * f**2 * np.cos(f * t))
            return np.array([x[1], -k * x[0], x[3], -k * x[2]])

        last = solve_ivp(rate, (0, 2 * np.pi / f), [1, 0, 0, 1], method="DOP853", rtol=1e-9, atol=1e-12)
        y = last.y[:, -1]
        unstable = abs(y[0] + y[3]) > 2 * (1 + 1e-7)
        wrong += unstable != (found.verdict[i, j] is rt.Verdict.UNSTABLE)
    theirs = (perf_counter() - began) * SIDE**2 / PART
    print(f"chart of {SIDE} x {SIDE} points: Routh {ours:.1f} s, loop over solve_ivp {theirs:.0f} s")
    print(f"  ratio {theirs / ours:.0f}; {wrong} of {PART} verdicts differ")
    assert theirs > 5 * ours
    assert wrong <= PART // 100


if __name__ == "__main__":
    growth()
    chart()
