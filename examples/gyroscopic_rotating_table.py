"""A mass between springs on a turning table: gyroscopic, damped, swept over the speed.

The position is written in space, so time is in the energy; it cancels in the model. Known answer
at Omega = 2 rad/s: eigenvalues -0.106957670918338 +- 2.89577260810507i and
-0.143042329081662 +- 7.03714445307369i (A6 of docs/worked_examples.md). Stable up to
Omega = sqrt(2 k1/m): above it the dynamic potential has no minimum in x. Runs in a second.
"""

from __future__ import annotations

import numpy as np

import routh as rt
from routh import ddt, norm2, rotation, t, vector

# Declare
x, y = rt.coordinates("x y")
m, k1, k2, c, Omega = rt.parameters("m k1 k2 c Omega")
r = rotation(Omega * t) @ vector(x, y)
table = rt.System(
    kinetic=m / 2 * norm2(ddt(r)),
    potential=k1 * x**2 + k2 * y**2,
    dissipation=c / 2 * ddt(x) ** 2,
    name="turning table",
)

# Solve: an array among the values adds a leading axis to every result
speeds = np.linspace(0, 6, 13)
rest = rt.equilibrium(table, {"m": 1, "k1": 10, "k2": 15, "c": 0.5, "Omega": speeds})
modes = rt.modes(rt.linearize(rest))

# Show
if __name__ == "__main__":
    print(rt.linear_equations(table, {x: 0, y: 0}))
    for speed, frequencies, verdict in zip(
        speeds, modes.frequencies, modes.stability.verdict, strict=True
    ):
        print(f"Omega = {speed:4.1f}   frequencies {frequencies.round(4)} rad/s   {verdict}")
