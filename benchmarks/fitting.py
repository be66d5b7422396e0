"""A fit by exact derivatives against SciPy's `least_squares` with differences, on the same equations.

A double pendulum with damping: four parameters and two angles of the start from two angles over five
seconds, with noise. Both minimize the same sum of squares of motions by `simulate` at rtol = 1e-9 from
the same guesses; SciPy's method is its trust region ("trf") with two-point differences. Each is run
once before it is timed, so that both find everything compiled.
"""

from __future__ import annotations

from time import perf_counter

import numpy as np
from scipy.optimize import least_squares

import routh as rt
from routh import cos, ddt, sin, vector

a, b = rt.coordinates("a b")
m, l1, l2, c = rt.parameters("m l1 l2 c")
TRUE = {"m": 0.8, "l1": 1.0, "l2": 0.7, "c": 0.05, "a": 0.6, "b": -0.3}
GUESS = {"m": 0.9, "l1": 1.02, "l2": 0.72, "c": 0.08, "a": 0.58, "b": -0.28}
DEVIATION = 0.005


def pendulum() -> rt.System:
    r1 = l1 * vector(sin(a), -cos(a))
    r2 = r1 + l2 * vector(sin(b), -cos(b))
    kinetic = rt.norm2(ddt(r1)) / 2 + m * rt.norm2(ddt(r2)) / 2
    dissipation = c * (ddt(a) ** 2 + (ddt(b) - ddt(a)) ** 2) / 2
    return rt.System(kinetic=kinetic, potential=9.81 * (r1[1] + m * r2[1]), dissipation=dissipation)


def main() -> None:
    system, times, rng = pendulum(), np.linspace(0, 5, 101), np.random.default_rng(1)
    names = list(TRUE)

    def angles(x):
        given = dict(zip(names, x, strict=True))
        start = {key: given.pop(key) for key in ("a", "b")}
        return rt.simulate(system, given, start, times, progress=False).q

    seen = angles(list(TRUE.values())) + DEVIATION * rng.normal(size=(101, 2))
    data = {"t": times, "a": seen[:, 0], "b": seen[:, 1]}
    scatter = {"a": DEVIATION, "b": DEVIATION}

    def ours():
        return rt.fit(system, data, GUESS, deviations=scatter)

    def theirs():
        return least_squares(lambda x: ((angles(x) - seen) / DEVIATION).ravel(), list(GUESS.values()))

    taken = []
    for run in (ours, theirs):
        run()
        began = perf_counter()
        found = run()
        taken.append((perf_counter() - began, found))
    (fast, fit), (slow, other) = taken
    cost = (fit.misfit * fit.freedom, 2 * other.cost)
    apart = np.abs(fit.x - other.x) / fit.errors
    print(f"routh.fit: {fast:.2f} s, {fit.evaluations} evaluations, sum of squares {cost[0]:.6f}")
    print(f"scipy, differences: {slow:.2f} s, {other.nfev} steps, sum of squares {cost[1]:.6f}")
    print(f"ratio {slow / fast:.1f}; estimates differ by {apart.max():.1e} standard errors at most")


if __name__ == "__main__":
    main()
