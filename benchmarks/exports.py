"""How long exports take, and how quickly exported C and NumPy run beside sympy.lambdify with cse.

Run with: python benchmarks/exports.py. C is called through ctypes in a loop of its own, so that what is
measured is the function and not the call; lambdify and NumPy are called from Python, one state each.
"""

from __future__ import annotations

import ctypes
import importlib.util
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

import numpy as np
import sympy

import routh as rt

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from ten_systems import ten

NAMES = ("double_pendulum", "cart_pole", "rotating_table")
LOOP = """
#include "NAME.h"
double many(int count, double *x, const double *u, const double *p)
{
    double rate[NAME_states], sum = 0.0;
    for (int i = 0; i < count; i++) {
        x[0] += 1e-9;
        NAME_rate(0.0, x, u, p, rate);
        sum += rate[NAME_states - 1];
    }
    return sum;
}
"""


def seconds(call, count):
    """The best of five times of one call."""
    best = np.inf
    for _ in range(5):
        start = perf_counter()
        for _ in range(count):
            call()
        best = min(best, (perf_counter() - start) / count)
    return best


def by_lambdify(system):
    """x' by SymPy: M and f written out, lambdified with cse, and a solve by NumPy."""
    start = perf_counter()
    found = rt.equations(system, simplify=0)
    symbols = [rt.t, *system.coordinates, *system.velocities, *system.inputs, *system.parameters]
    plain = {s: sympy.Symbol(f"s{k}") for k, s in enumerate(symbols)}
    M, f = (sympy.Matrix(e).xreplace(plain) for e in (found.M, found.Q - found.h))
    function = sympy.lambdify([list(plain.values())], [M, f], cse=True)
    made = perf_counter() - start
    n = len(system.coordinates)

    def rate(numbers):
        M, f = function(numbers)
        return np.concatenate([numbers[1 + n : 1 + 2 * n], np.linalg.solve(M, f)[:, 0]])

    return rate, made


def in_c(folder, name, x, u, p):
    """Seconds of one call of the exported function."""
    (folder / "many.c").write_text(LOOP.replace("NAME", name))
    words = [shutil.which("gcc") or "cc", "-std=c99", "-O2", "-fPIC", "-shared", f"{name}.c", "many.c"]
    subprocess.run([*words, "-lm", "-o", "many.so"], cwd=folder, check=True)
    many = ctypes.CDLL(str(folder / "many.so")).many
    pointers = [each.ctypes.data_as(ctypes.c_void_p) for each in (x, u, p)]
    count = 200_000
    return seconds(lambda: many(count, *pointers), 1) / count


def row(name, place):
    """One line of the table."""
    given = ten(name)
    system, times = given.system, []
    for suffix in (".c", ".py"):
        start = perf_counter()
        path = rt.export(system, place / f"{name}{suffix}", values=given.values)[0]
        times.append(perf_counter() - start)
    found = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    states = (*system.coordinates, *system.velocities)
    x = np.array([given.start.get(str(s), 0.0) for s in states])
    u = np.array([float(given.inputs.get(str(s), 0.0)) for s in system.inputs])
    p = np.array([given.values[s.name] for s in system.parameters], dtype=float)
    rate, made = by_lambdify(system)
    numbers = np.concatenate([[0.0], x, u, p])
    np.testing.assert_allclose(module.rate(0.0, x, u, p), rate(numbers), rtol=1e-9, atol=1e-9)
    numpy = seconds(lambda: module.rate(0.0, x, u, p), 2000)
    sympys = seconds(lambda: rate(numbers), 2000)
    c = in_c(place, name, x.copy(), u, p)
    many = np.tile(x, (10_000, 1))
    stacked = seconds(lambda: module.rate(0.0, many, u, p), 3) / len(many)
    return (
        f"{name:16} {times[0]:6.3f} {times[1]:6.3f} {made:8.3f}   {1e6 * c:6.3f} {1e6 * numpy:6.1f}"
        f" {1e6 * stacked:10.2f} {1e6 * sympys:8.1f}   {sympys / c:5.0f}"
    )


def main() -> None:
    print("                 seconds to write         microseconds of one x'              C beside")
    print("system               .c    .py lambdify        C  NumPy NumPy, 1e4 lambdify   lambdify")
    for name in NAMES:
        with tempfile.TemporaryDirectory() as folder:
            print(row(name, Path(folder)))


if __name__ == "__main__":
    main()
