"""A rotor on a shaft that is not quite round: a map of four million points, kept as it grows.

In the frame that turns with the shaft the disc has the stiffnesses k and k (1 + epsilon), damping c of
the shaft, which turns along, and d of the bearings, which stands still. By the determinant of the
static equations it diverges where (k - m Omega^2) (k (1 + epsilon) - m Omega^2) + (d Omega)^2 < 0: a
tongue about the critical speed, one percent wide, with its tip at m Omega = d (1 + 2/epsilon). A round
shaft flutters beyond Omega = (1 + d/c) sqrt(k/m), and this one nearly so. Runs in two seconds; as a
program it makes a map of 200 x 200, and `python study_unround_shaft.py 2000` all four million points:
three minutes of one core and half a gigabyte. Stop it when you like, and run it again: it goes on.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

import routh as rt
from routh import ddt

# Declare
x, y = rt.coordinates("x y")
m, c, d, epsilon = rt.parameters("m c d epsilon")
k, Omega = rt.parameter("k", unit="N/m"), rt.parameter("Omega", unit="rad/s")
standing = (ddt(x) - Omega * y) ** 2 + (ddt(y) + Omega * x) ** 2
turning = ddt(x) ** 2 + ddt(y) ** 2
rotor = rt.System(
    kinetic=m / 2 * standing,
    potential=k / 2 * (x**2 + (1 + epsilon) * y**2),
    dissipation=c / 2 * turning + d / 2 * standing,
    name="unround shaft",
)
values = {"m": 100, "c": 200, "d": 100, "epsilon": 0.02}


def least_damping(modes: Any) -> Any:
    """(N,) of all eigenvalues the largest real part, with its sign turned."""
    return -modes.eigenvalues.real.max(axis=-1)


def study(side: int, to: str | None = None) -> Any:
    """A map of side x side points."""
    over = {Omega: np.linspace(0, 600, side), k: np.geomspace(1e5, 1e8, side)}
    return rt.sweep(rotor, values, over=over, find=["eigenvalues", "region", least_damping], to=to)


# Solve
small = study(31)

# Show
if __name__ == "__main__":
    whole = study(int(sys.argv[1]) if len(sys.argv) > 1 else 200, "unround_shaft.zarr")
    words = whole.region.flag_meanings.split()
    near = whole.sel(Omega=300, k=8.95e6, method="nearest")
    print(f"Omega = {float(near.Omega):.4g}, k = {float(near.k):.4g}: {words[int(near.region) + 1]}")
    for code, word in enumerate(words, start=-1):
        if share := float((whole.region == code).mean()):
            print(f"{share:.2%} {word.replace('_', ' ')}")
    rt.plot(whole).figure.savefig("unround_shaft.png", dpi=150)
    print("The map is in unround_shaft.png, all numbers in unround_shaft.zarr.")
