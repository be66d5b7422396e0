"""From the energies of a planar n-link pendulum to its natural frequencies: who needs how long.

Each measurement runs in a process of its own, cold, without the imports, and must find the same
lowest frequency. Side by side:

* Routh: energies written with named intermediates, `equilibrium`, `linearize`, `modes`;
* SymPy: `LagrangesMethod` and its `linearize`, cut after a minute;
* CasADi by hand: the whole Hessian of L, and products of the Hessian with unit vectors.

Usage: python benchmarks/pendulum_chain.py [--quick]
"""

from __future__ import annotations

import json
import subprocess
import sys
import time

SIZES = (2, 5, 10, 20, 50, 100)
GROWTH = (50, 100, 200, 500)
CUT = 60.0
GRAVITY = 9.81


def load_sympy() -> None:
    """SymPy imports some of its modules only at the first sum; imports are not measured."""
    import sympy

    sympy.Symbol("a") + 1


def by_routh(n: int) -> tuple[float, float]:
    import routh as rt
    from routh import cos, ddt, norm2, sin, vector

    rt.equilibrium, rt.linearize, rt.modes  # noqa: B018  (loads the engine)
    load_sympy()
    start = time.perf_counter()
    angles = rt.coordinates(" ".join(f"theta{k}" for k in range(n)))
    m, l, g = rt.parameters("m l g")
    r = vector(0, 0)
    kinetic, potential = [], []
    for k, theta in enumerate(angles):
        r = rt.let(f"r{k}", r + l * vector(sin(theta), -cos(theta)))
        kinetic.append(m / 2 * norm2(ddt(r)))
        potential.append(m * g * r[1])
    chain = rt.System(kinetic=kinetic, potential=potential)
    rest = rt.equilibrium(chain, {"m": 1, "l": 1, "g": GRAVITY})
    frequencies = rt.modes(rt.linearize(rest)).frequencies
    return time.perf_counter() - start, float(frequencies[0])


def by_sympy(n: int) -> tuple[float, float]:
    import numpy as np
    import sympy
    from sympy.physics.mechanics import LagrangesMethod, dynamicsymbols

    load_sympy()
    start = time.perf_counter()
    q = list(dynamicsymbols(f"q:{n}"))
    m, l, g = sympy.symbols("m l g", positive=True)
    t = dynamicsymbols._t
    x = y = T = V = sympy.S.Zero
    for angle in q:
        x, y = x + l * sympy.sin(angle), y - l * sympy.cos(angle)
        T += m * (x.diff(t) ** 2 + y.diff(t) ** 2) / 2
        V += m * g * y
    method = LagrangesMethod(T - V, q)
    method.form_lagranges_equations()
    rates = [angle.diff(t) for angle in q]
    still = dict.fromkeys([*q, *rates, *(rate.diff(t) for rate in rates)], 0)
    A, _, _ = method.linearize(q_ind=q, qd_ind=rates, op_point=still, A_and_B=True)
    numbers = np.array(A.subs({m: 1, l: 1, g: GRAVITY}).tolist(), dtype=float)
    frequencies = np.sort(np.abs(np.linalg.eigvals(numbers).imag))
    return time.perf_counter() - start, float(frequencies[0])


def _chain_in_casadi(n: int):
    import casadi

    q, v = casadi.SX.sym("q", n), casadi.SX.sym("v", n)
    y = vx = vy = T = V = casadi.SX(0)
    for k in range(n):
        s, c = casadi.sin(q[k]), casadi.cos(q[k])
        y = y - c
        vx, vy = vx + c * v[k], vy + s * v[k]
        T += (vx**2 + vy**2) / 2
        V += GRAVITY * y
    return q, v, T - V


def by_casadi_whole(n: int) -> tuple[float, float]:
    import casadi
    import numpy as np
    import scipy.linalg

    start = time.perf_counter()
    q, v, L = _chain_in_casadi(n)
    z = casadi.vertcat(q, v)
    H = casadi.Function("H", [z], [casadi.hessian(L, z)[0]])(np.zeros(2 * n)).full()
    w2 = scipy.linalg.eigh(-H[:n, :n], H[n:, n:], eigvals_only=True)
    return time.perf_counter() - start, float(np.sqrt(w2[0]))


def by_casadi_products(n: int) -> tuple[float, float]:
    import casadi
    import numpy as np
    import scipy.linalg

    start = time.perf_counter()
    q, v, L = _chain_in_casadi(n)
    z, seed = casadi.vertcat(q, v), casadi.SX.sym("seed", 2 * n)
    product = casadi.jtimes(casadi.gradient(L, z), z, seed)
    one = casadi.Function("product", [z, seed], [product])
    every = one.map("every", "serial", 2 * n, [0], [])
    H = every(np.zeros(2 * n), np.eye(2 * n)).full()
    w2 = scipy.linalg.eigh(-H[:n, :n], H[n:, n:], eigvals_only=True)
    return time.perf_counter() - start, float(np.sqrt(w2[0]))


WAYS = {
    "routh": by_routh,
    "sympy": by_sympy,
    "casadi whole": by_casadi_whole,
    "casadi products": by_casadi_products,
}


def measured(way: str, n: int, repeats: int = 3) -> float | None:
    """The best of some cold runs, or None where the time was cut."""
    best, lowest = None, None
    for _ in range(repeats):
        try:
            run = subprocess.run(
                [sys.executable, __file__, "--one", way, str(n)],
                capture_output=True, text=True, check=True, timeout=CUT + 15,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return None
        seconds, lowest = json.loads(run.stdout)
        if seconds > CUT:
            return None
        best = seconds if best is None else min(best, seconds)
    expected = _lowest(n)
    if lowest is None or abs(lowest - expected) > 1e-6 * expected:
        raise SystemExit(f"{way}, n = {n}: lowest frequency {lowest}, expected {expected}")
    return best


def _lowest(n: int) -> float:
    import numpy as np
    import scipy.linalg

    i = np.arange(n)
    M, K = n - np.maximum.outer(i, i).astype(float), np.diag(GRAVITY * (n - i))
    return float(np.sqrt(scipy.linalg.eigh(K, M, eigvals_only=True)[0]))


def shown(seconds: float | None) -> str:
    return f"> {CUT:.0f} s" if seconds is None else f"{1000 * seconds:.1f} ms"


def main(quick: bool) -> None:
    print("Planar n-link pendulum, from energies to frequencies, cold, best of three")
    print(
        "Targets: SymPy / Routh 150 at n = 5 and 800 at n = 10; share of the allowance 1 up to n = 50\n"
    )
    print(f"{'n':>5} {'Routh':>10} {'SymPy':>10} {'whole':>10} {'products':>10}   ratios")
    cut = False
    for n in SIZES[:3] if quick else SIZES:
        ours = measured("routh", n)
        sympy_time = None if cut else measured("sympy", n, repeats=1)
        cut = cut or sympy_time is None
        whole = measured("casadi whole", n) if n <= 200 else None
        products = measured("casadi products", n)
        assert ours is not None
        assert products is not None
        hand = min(t for t in (whole, products) if t is not None)
        against = f"> {CUT / ours:.0f}" if sympy_time is None else f"{sympy_time / ours:.0f}"
        print(
            f"{n:5d} {shown(ours):>10} {shown(sympy_time):>10} {shown(whole):>10} {shown(products):>10}"
            f"   SymPy / Routh {against}; Routh / CasADi by hand {ours / hand:.1f}; of the allowance"
            f" 2 x hand + 30 ms: {ours / (2 * hand + 0.03):.2f}"
        )
    if quick:
        return
    import numpy as np

    times = {n: measured("routh", n) for n in GROWTH}
    slope = np.polyfit(np.log(list(times)), np.log([t for t in times.values() if t]), 1)[0]
    print(
        f"\nGrowth of Routh's time between n = {GROWTH[0]} and {GROWTH[-1]}: n^{slope:.2f} (target 2.2)"
    )
    ours, hand = measured("routh", 1000, repeats=1), measured("casadi products", 1000, repeats=1)
    assert ours is not None
    assert hand is not None
    print(
        f"n = 1000: Routh {ours:.2f} s, CasADi products by hand {hand:.2f} s,"
        f" ratio {ours / hand:.2f} (target 3)"
    )


if __name__ == "__main__":
    if "--one" in sys.argv:
        print(json.dumps(WAYS[sys.argv[-2]](int(sys.argv[-1]))))
    else:
        main("--quick" in sys.argv)
