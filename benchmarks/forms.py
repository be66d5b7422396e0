"""Equations of motion in their final form, beside SymPy's own `simplify` of the same rows.

    python benchmarks/forms.py

Each line: seconds of processor time from the energies to the final form, operations of its rows, and
the same for `sympy.simplify` of the rows as differentiated, which is stopped after a minute for each
system. The forms are the same on every run; runs in other orders of hashes are compared.
"""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import subprocess
import sys
import time
from collections.abc import Callable

import sympy

import routh as rt
from routh import cos, ddt, norm2, rotation, sin, vector

PATIENCE = 60.0


def chain(n: int) -> rt.System:
    """Links with absolute angles, all parameters symbols."""
    theta, m, l = (
        make(" ".join(f"{name}{k}" for k in range(1, n + 1)))
        for make, name in ((rt.coordinates, "theta"), (rt.parameters, "m"), (rt.parameters, "l"))
    )
    g = rt.parameter("g")
    r, T, V = vector(0, 0), [], []
    for k in range(n):
        r = r + l[k] * vector(sin(theta[k]), -cos(theta[k]))
        T.append(m[k] / 2 * norm2(ddt(r)))
        V.append(m[k] * g * r[1])
    return rt.System(kinetic=T, potential=V)


def top() -> rt.System:
    """A heavy top in Euler angles."""
    phi, theta, psi = rt.coordinates("phi theta psi")
    A, C, m, g, l = rt.parameters("A C m g l")
    T = A / 2 * (ddt(theta) ** 2 + ddt(phi) ** 2 * sin(theta) ** 2)
    T += C / 2 * (ddt(psi) + ddt(phi) * cos(theta)) ** 2
    return rt.System(kinetic=T, potential=m * g * l * cos(theta))


def furuta() -> rt.System:
    """A pendulum on a turning arm, from the position of its mass."""
    phi, theta = rt.coordinates("phi theta")
    J, m, g, l, R, u = (*rt.parameters("J m g l R"), rt.input("u"))
    r = rotation(phi, vector(0, 0, 1)) @ vector(R, l * sin(theta), -l * cos(theta))
    T = J / 2 * ddt(phi) ** 2 + m / 2 * norm2(ddt(r))
    return rt.System(kinetic=T, potential=m * g * r[2], forces={phi: u})


def bicycle_sized() -> rt.System:
    """Three bodies with seven coordinates: a frame that yaws and leans, a fork, two wheels."""
    x, y, psi, phi, delta, a, b = rt.coordinates("x y psi phi delta alpha beta")
    m, m_f, J, I, w, h, g = rt.parameters("m m_f J I w h g")
    yaw, lean = rotation(psi, vector(0, 0, 1)), rotation(phi, vector(1, 0, 0))
    place = vector(x, y, 0) + yaw @ lean @ vector(0, 0, h)
    fork = place + yaw @ lean @ rotation(delta, vector(0, 0, 1)) @ vector(w, 0, -h / 2)
    T = m / 2 * norm2(ddt(place)) + m_f / 2 * norm2(ddt(fork)) + J / 2 * (ddt(phi) ** 2 + ddt(psi) ** 2)
    T += I / 2 * ((ddt(a) + ddt(psi) * sin(phi)) ** 2 + (ddt(b) + ddt(psi) * sin(phi)) ** 2)
    T += J / 2 * (ddt(delta) + ddt(psi) * cos(phi)) ** 2
    return rt.System(kinetic=T, potential=m * g * place[2] + m_f * g * fork[2])


SYSTEMS: dict[str, Callable[[], rt.System]] = {
    **{f"{n} links": (lambda n=n: chain(n)) for n in (2, 3, 4, 5)},
    "heavy top": top,
    "Furuta pendulum": furuta,
    "bicycle-sized": bicycle_sized,
}


def ours(name: str) -> tuple[float, int, str]:
    """Processor seconds, operations, and the text."""
    system = SYSTEMS[name]()
    before = time.process_time()
    found = rt.equations(system)
    spent = time.process_time() - before
    return spent, sum(sympy.count_ops(row) for row in found.residual), str(found)


def _simplified(name: str, answer: multiprocessing.Queue) -> None:  # type: ignore[type-arg]
    rows = rt.equations(SYSTEMS[name](), simplify=0).residual
    before = time.process_time()
    found = [sympy.simplify(row) for row in rows]
    answer.put((time.process_time() - before, sum(map(sympy.count_ops, found))))


def theirs(name: str) -> tuple[float, int] | None:
    """The same of `simplify`, None where it was stopped."""
    answer: multiprocessing.Queue = multiprocessing.Queue()  # type: ignore[type-arg]
    process = multiprocessing.Process(target=_simplified, args=(name, answer))
    process.start()
    process.join(PATIENCE)
    if process.is_alive():
        process.terminate()
        process.join()
        return None
    found: tuple[float, int] = answer.get()
    return found


def fingerprint() -> str:
    """Of all texts."""
    return hashlib.sha256("\n".join(ours(name)[2] for name in SYSTEMS).encode()).hexdigest()[:16]


def main() -> None:
    """Print a table."""
    if sys.argv[1:] == ["fingerprint"]:
        print(fingerprint())
        return
    ours("2 links")  # what is loaded is loaded
    print(f"{'':16} {'routh':>18} {'sympy.simplify':>26} {'ratio':>8}")
    for name in SYSTEMS:
        seconds, length, _ = ours(name)
        other = theirs(name)
        beside = (
            f"{other[0]:9.2f} s {other[1]:5} operations" if other else f"more than {PATIENCE:.0f} s"
        )
        ratio = f"{(other[0] if other else PATIENCE) / seconds:7.0f}"
        print(f"{name:16} {seconds:6.3f} s {length:5} operations {beside:>26} {ratio:>8}")
    texts = {
        subprocess.run(
            [sys.executable, __file__, "fingerprint"],
            env=os.environ | {"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }  # fmt: skip
    print("the same text in three orders of hashes:", "yes" if len(texts) == 1 else "NO")


if __name__ == "__main__":
    main()
