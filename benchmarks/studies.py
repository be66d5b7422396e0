"""A million points of a rotor, end to end into a store: the rate, and the memory that it takes.

python benchmarks/studies.py            # 1000 x 1000 points
python benchmarks/studies.py 200        # 200 x 200
"""

from __future__ import annotations

import resource
import sys
import tempfile
from pathlib import Path
from time import perf_counter

import numpy as np

import routh as rt
from routh import ddt

MOST_MEMORY = 1.0
"""Gigabytes that the process may take at most."""


def rotor() -> rt.System:
    """A mass on two springs in a frame that turns, with damping inside and outside."""
    (x, y), (k, c, d, Omega) = rt.coordinates("x y"), rt.parameters("k c d Omega")
    vx, vy = ddt(x) - Omega * y, ddt(y) + Omega * x
    inside, outside = ddt(x) ** 2 + ddt(y) ** 2, vx**2 + vy**2
    return rt.System(
        kinetic=(vx**2 + vy**2) / 2,
        potential=k * (x**2 + 1.2 * y**2) / 2,
        dissipation=c * inside / 2 + d * outside / 2,
        name="rotor",
    )


def main(side: int) -> None:
    over = {"Omega": np.linspace(0, 600, side), "k": np.geomspace(1e4, 1e6, side)}
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "rotor.zarr"
        began = perf_counter()
        study = rt.sweep(
            rotor(), {"c": 20.0, "d": 5.0}, over=over, find=["eigenvalues", "verdict"], to=place
        )
        seconds = perf_counter() - began
        size = sum(each.stat().st_size for each in place.rglob("*") if each.is_file())
        unstable = float((study.verdict == 2).mean())
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2
    print(f"{side**2:,} points in {seconds:.0f} s: {side**2 / seconds:,.0f} points a second")
    print(f"store {size / 1e6:.0f} MB, {unstable:.1%} unstable, memory at most {memory:.2f} GB")
    assert memory < MOST_MEMORY


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
