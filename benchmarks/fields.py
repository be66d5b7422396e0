"""Fields: a cantilever with twelve polynomials, and with ten thousand Hermite degrees of freedom.

* Twelve polynomials: from writing the energies to natural frequencies, cold, without imports; the error
  of the first four, and the time against the same Ritz method written by hand with NumPy.
* Hermite elements: discretization, assembly and the first twenty modes, against a code written by hand
  with SciPy (element matrices in closed form, COO assembly, `eigsh` with shift and inversion), side by
  side in one run; the error of the first frequency of each, and how peak memory grows.
* Motion: three seconds of a hub with a flexible arm whose modes ring, by "modal" and by "Adams", side
  by side; the error is that of the angle at the end, against DOP853 at rtol = 1e-12 (with 12 functions
  against "modal" at 1e-11).
"""

from __future__ import annotations

import tracemalloc
from time import perf_counter
from typing import Any

import numpy as np
from numpy.polynomial import legendre
from scipy import linalg, sparse
from scipy.sparse.linalg import eigsh

import routh as rt
from routh import at, ddt, diff, integral, norm2, rotation, vector

EXACT = np.array([1.8751040687119611664, 4.6940911329741745764, 7.8547574382376125649,
                  10.995540734875466991]) ** 2  # fmt: skip
FEW, MODES = 12, 20
ACCURACY, RATIO, GROWTH = 1e-10, 3.0, 1.2
QUICK, QUICKER = 1.0, 4.0


def cantilever() -> tuple[rt.System, Any]:
    """Energies of a clamped beam."""
    L, rho, EI = rt.parameters("L rho EI")
    s = rt.space("s", 0, L)
    w = rt.field("w", s)
    T, V = rt.energies.euler_bernoulli(w, rho, EI)
    return rt.System(kinetic=T, potential=V, constraints=[at(w, s, 0), at(diff(w, s), s, 0)]), w


def with_routh(size: Any, count: int | None = None) -> np.ndarray:
    """Frequencies from the energies on."""
    beam, w = cantilever()
    return solved(rt.discretize(beam, {w: size}), count)


def solved(discrete: rt.System, count: int | None = None) -> np.ndarray:
    """Compilation, rest, assembly and modes of a discretized system that is new."""
    rest = rt.equilibrium(discrete, {"L": 1, "rho": 1, "EI": 1})
    return rt.modes(rt.linearize(rest), count=count).frequencies


def ritz_by_hand() -> np.ndarray:
    """What a person would write: Legendre polynomials, integrated twice from the clamped end."""
    x, weights = legendre.leggauss(FEW + 4)
    functions = [legendre.legint(unit, 2, lbnd=-1) for unit in np.eye(FEW)]
    w = np.stack([legendre.legval(x, f) for f in functions], axis=1)
    bent = np.stack([legendre.legval(x, legendre.legder(f, 2)) for f in functions], axis=1) * 4
    M, K = ((X.T * weights / 2) @ X for X in (w, bent))
    return 1 / np.sqrt(linalg.eigh(M, K, eigvals_only=True)[::-1])


def elements_by_hand(count: int) -> np.ndarray:
    """Hermite elements with SciPy."""
    h = 1 / count
    a, b, c, d, e, f = 156, 22 * h, 54, 13 * h, 4 * h * h, 3 * h * h
    m = np.array([[a, b, c, -d], [b, e, d, -f], [c, d, a, -b], [-d, -f, -b, e]]) * h / 420
    a, b, c, d = 12, 6 * h, 4 * h * h, 2 * h * h
    k = np.array([[a, b, -a, b], [b, c, -b, d], [-a, -b, a, -b], [b, d, -b, c]]) / h**3
    places = 2 * np.arange(count)[:, None] + np.arange(4)
    rows, columns = np.repeat(places, 4, axis=1).ravel(), np.tile(places, 4).ravel()
    n = 2 * count + 2
    M, K = (
        sparse.coo_array((np.tile(x.ravel(), count), (rows, columns)), shape=(n, n)).tocsc()[2:, 2:]
        for x in (m, k)
    )
    squares = eigsh(sparse.csc_matrix(K), MODES, sparse.csc_matrix(M), sigma=0, which="LM")[0]
    return np.sqrt(np.abs(np.sort(squares)))


def best(run: Any, repeats: int) -> float:
    """The shortest of several times."""
    times = []
    for _ in range(repeats):
        start = perf_counter()
        run()
        times.append(perf_counter() - start)
    return min(times)


def peak(run: Any) -> float:
    """Peak memory in MB of what Python allocates."""
    tracemalloc.start()
    run()
    found = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    return found


def few() -> None:
    """Twelve polynomials."""
    found = with_routh(FEW)
    errors = np.abs(found[:4] / EXACT - 1)
    ours, theirs = best(lambda: with_routh(FEW), 5), best(ritz_by_hand, 5)
    print(f"{FEW} polynomials: {1e3 * ours:.1f} ms from the energies on, by hand {1e3 * theirs:.1f} ms")
    print("errors of the first four:", " ".join(f"{e:.0e}" for e in errors))
    met = errors[:2].max() < ACCURACY
    print(f"first two to {ACCURACY:.0e}: {'met' if met else 'MISSED'}\n")


def many() -> None:
    """Ten thousand degrees of freedom."""
    print(
        "            by hand   Routh: all   ratio  without declaring   ratio   error of omega_1    MB"
    )
    peaks = []
    for count in (1250, 2500, 5000):
        size = rt.Elements(count)
        beam, w = cantilever()
        theirs = best(lambda count=count: elements_by_hand(count), 3)
        every = best(lambda size=size: with_routh(size, MODES), 3)
        fresh = [rt.discretize(beam, {w: size}) for _ in range(3)]
        ours = best(lambda fresh=fresh: solved(fresh.pop(), MODES), 3)
        errors = [abs(f[0] / EXACT[0] - 1) for f in (elements_by_hand(count), with_routh(size, MODES))]
        peaks.append(peak(lambda size=size: with_routh(size, MODES)))
        print(
            f"{2 * count:8} {1e3 * theirs:7.0f} ms {1e3 * every:9.0f} ms {every / theirs:7.2f}"
            f" {1e3 * ours:15.0f} ms {ours / theirs:7.2f} {errors[0]:10.0e} {errors[1]:7.0e}"
            f" {peaks[-1]:5.0f}"
        )
    growth = np.log2(peaks[-1] / peaks[0]) / 2
    met = "met" if ours / theirs <= RATIO else "MISSED"
    print(f"assembly and modes of 10,000 within {RATIO:g} of the code by hand: {met}")
    print(f"memory grows like n^{growth:.2f}: {'met' if growth <= GROWTH else 'MISSED'}")


def hub(count: int) -> rt.System:
    """A hub with a flexible arm."""
    L, R, J, rho, EI = rt.parameters("L R J rho EI")
    theta = rt.coordinate("theta")
    s = rt.space("s", 0, L)
    w = rt.field("w", s)
    r = rotation(theta) @ vector(R + s, w)
    arm = rt.System(
        kinetic=J / 2 * ddt(theta) ** 2 + integral(rho / 2 * norm2(ddt(r)), s),
        potential=integral(EI / 2 * diff(w, s, 2) ** 2, s),
        constraints=[at(w, s, 0), at(diff(w, s), s, 0)],
    )
    return rt.discretize(arm, {w: count})


def ringing() -> None:
    """Motion in modal coordinates."""
    print("\nhub with a flexible arm, 3 s from w_1 = 0.1")
    print("functions   rtol    modal: steps  evaluations      s   error   Adams: steps      s   ratio")
    values = {"L": 1.5, "R": 0.3, "J": 0.5, "rho": 1.2, "EI": 4}
    times = np.linspace(0, 3, 101)
    for count in (4, 8, 12):
        arm = hub(count)

        def run(method: str, rtol: float, arm: rt.System = arm) -> Any:
            return rt.simulate(
                arm, values, {"w_1": 0.1}, times, method=method, rtol=rtol, progress=False
            )

        exact = run("modal", 1e-11).q[-1, 0] if count > 8 else run("DOP853", 1e-12).q[-1, 0]
        for rtol in (1e-6, 1e-9):
            ours = min((run("modal", rtol) for _ in range(2)), key=lambda m: m.statistics.seconds)
            theirs = run("Adams", rtol).statistics
            own = ours.statistics
            print(
                f"{count:9} {rtol:6.0e} {own.steps:15} {own.evaluations:12} {own.seconds:6.2f}"
                f" {abs(ours.q[-1, 0] - exact):7.0e} {theirs.steps:14} {theirs.seconds:6.2f}"
                f" {theirs.seconds / own.seconds:7.1f}"
            )
            if (count, rtol) == (8, 1e-9):
                met = own.seconds <= QUICK and theirs.seconds >= QUICKER * own.seconds
    said = "met" if met else "MISSED"
    print(f"8 functions at 1e-9 within {QUICK:g} s, {QUICKER:g} times as quick as Adams: {said}")


if __name__ == "__main__":
    few()
    many()
    ringing()
