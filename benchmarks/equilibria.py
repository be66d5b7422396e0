"""All equilibria of the n-link pendulum: Routh against multi-start `scipy.optimize.root`.

SciPy gets the same starts as Routh, on functions that SymPy made and lambdified, in two ways:

* from the energies, by `sympy.physics.mechanics.LagrangesMethod` with velocities set to zero, which
  is what one writes for any system;
* from the gradient and the Hessian of the potential alone, by hand, which serves this system.

Routh's time is from writing the energies to the list with verdicts; "again" is without compiling.
"solve" compares one Newton solve alone, by hand against a batch. The last table is the cost of a proof.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import sympy
from scipy.optimize import root
from sympy.physics.mechanics import LagrangesMethod, dynamicsymbols

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import problems
import routh as rt
from routh.numerics.solving.starts import spread
from routh.results import Equilibria

TARGET = 20


def functions_by_hand(n: int) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Gradient and Hessian of the potential."""
    q = sympy.symbols(f"q:{n}")
    V = -sympy.Rational(981, 100) * sum((n - k) * sympy.cos(x) for k, x in enumerate(q))
    gradient, hessian = [V.diff(x) for x in q], sympy.hessian(V, q)
    return sympy.lambdify([q], gradient, cse=True), sympy.lambdify([q], hessian, cse=True)


def textbook_pendulum(n: int) -> tuple[LagrangesMethod, list[Any]]:
    """The n-link pendulum as one writes it for SymPy, with unit masses and lengths."""
    q = dynamicsymbols(f"q:{n}")
    t = dynamicsymbols._t
    x = y = kinetic = potential = sympy.S.Zero
    for angle in q:
        x, y = x + sympy.sin(angle), y - sympy.cos(angle)
        kinetic += (x.diff(t) ** 2 + y.diff(t) ** 2) / 2
        potential += sympy.Rational(981, 100) * y
    return LagrangesMethod(kinetic - potential, q), q


def functions_from_energies(n: int) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Lagrange's equations at rest and their Jacobian."""
    t = dynamicsymbols._t
    method, q = textbook_pendulum(n)
    rows = method.form_lagranges_equations()
    still = {e: 0 for angle in q for e in (angle.diff(t, 2), angle.diff(t))}
    names = sympy.symbols(f"p:{n}")
    rows = rows.subs(still).subs(dict(zip(q, names, strict=True)))
    return (
        sympy.lambdify([names], list(rows), cse=True),
        sympy.lambdify([names], rows.jacobian(names), cse=True),
    )


def by_scipy(n: int, starts: int, functions: Any) -> tuple[int, float, float]:
    """Number of equilibria, seconds in all, seconds in the solver."""
    begin = perf_counter()
    function, slopes = functions(n)
    made = perf_counter()
    found: list[np.ndarray] = []
    for start in (2 * spread(1, starts, n) - 1) * np.pi:
        solution = root(function, start, jac=slopes)
        if not solution.success:
            continue
        x = np.arctan2(np.sin(solution.x), np.cos(solution.x))
        way = [np.abs(np.arctan2(np.sin(x - y), np.cos(x - y))).max() for y in found]
        if not way or min(way) > 1e-6:
            found.append(x)
    return len(found), perf_counter() - begin, perf_counter() - made


def by_routh(n: int) -> tuple[Equilibria, float, float]:
    """The equilibria with their verdicts, seconds from the energies on, and seconds once more."""
    begin = perf_counter()
    p = problems.pendulum_chain(n)
    found = rt.equilibria(p.system, p.values)
    assert found.saturated
    assert found.stability is not None
    cold = perf_counter() - begin
    again = []
    for _ in range(5):
        begin = perf_counter()
        rt.equilibria(p.system, p.values)
        again.append(perf_counter() - begin)
    return found, cold, min(again)


def proof(name: str, problem: problems.Problem, **changed: float) -> None:
    """The cost of a certificate."""
    values = problem.values | changed
    rt.equilibria(problem.system, values)
    begin = perf_counter()
    rt.equilibria(problem.system, values)
    plain = perf_counter() - begin
    begin = perf_counter()
    found = rt.equilibria(problem.system, values, certify=True)
    both = perf_counter() - begin
    boxes = found.certificate.boxes
    cost = (both - plain) / boxes * 1e6
    said = "complete" if found.certificate.is_complete else "not proven"
    print(f"{name:28s} {len(found):4d} {boxes:7d} {1e3 * (both - plain):9.1f} {cost:8.0f}  {said}")


def solves(n: int) -> float:
    """Seconds for one solve in a batch of 4096 starts."""
    p = problems.pendulum_chain(n)
    guess = dict(zip(p.system.coordinates, (2 * spread(1, 4096, n).T - 1) * np.pi, strict=True))
    times = []
    for _ in range(3):
        begin = perf_counter()
        rt.equilibrium(p.system, p.values, guess=guess)
        times.append(perf_counter() - begin)
    return min(times) / 4096


def main() -> None:
    rt.equilibria(problems.pendulum_chain(2).system, problems.pendulum_chain(2).values)
    print(
        " n found starts  Routh ms (again)  energies + SciPy ms ratio   by hand + SciPy ms ratio  solve"
    )
    for n in (2, 3, 5, 6):
        ours, cold, warm = by_routh(n)
        count, general, _ = by_scipy(n, ours.starts, functions_from_energies)
        by_hand_count, by_hand, alone = by_scipy(n, ours.starts, functions_by_hand)
        assert len(ours) == 2**n
        each = alone / ours.starts / solves(n)
        notes = [f"SciPy lists {c}" for c in {count, by_hand_count} if c != 2**n]
        print(
            f"{n:2d} {len(ours):5d} {ours.starts:6d} {1e3 * cold:9.1f} ({1e3 * warm:5.1f})"
            f" {1e3 * general:16.0f} {general / cold:9.1f} {1e3 * by_hand:16.0f} {by_hand / cold:9.1f}"
            f" {each:8.1f}  {' '.join(notes)}"
        )
        if n == 5:
            for name, ratio in (("from the energies", general / cold), ("one solve", each)):
                print(f"   target {TARGET}, {name}: {'met' if ratio >= TARGET else 'missed'}")
    print("\nProofs                      found   boxes  ms beyond  us a box")
    proof("double pendulum", problems.double_pendulum())
    proof("coupled pendulums", problems.coupled_pendulums())
    proof("bead on a hoop, omega = 2", problems.bead_on_hoop(), omega=2.0)
    proof("bead on a hoop, omega = 4", problems.bead_on_hoop(), omega=4.0)
    for n in (3, 4, 5):
        proof(f"{n}-link pendulum", problems.pendulum_chain(n))


if __name__ == "__main__":
    main()
