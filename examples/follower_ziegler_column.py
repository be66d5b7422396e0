"""Ziegler's column: two links under a load that follows the second one, with and without damping.

Masses 2 m and m at the ends of links of length l, springs c in the hinges, load P. Undamped it
flutters from P l/c = 7/2 - sqrt(2) = 2.0857864 on, with vanishing equal damping from 41/28 = 1.4642857
on: damping destabilizes (H. Ziegler, 1952). The force is no gradient. Runs in two seconds.
"""

from __future__ import annotations

import numpy as np

import routh as rt
from routh import cos, ddt, norm2, sin, vector

# Declare
phi1, phi2 = rt.coordinates("phi1 phi2")
m, l, c, P, d = rt.parameters("m l c P d")
r1 = l * vector(cos(phi1), sin(phi1))
r2 = r1 + l * vector(cos(phi2), sin(phi2))
column = {
    "kinetic": m * norm2(ddt(r1)) + m / 2 * norm2(ddt(r2)),
    "potential": c / 2 * phi1**2 + c / 2 * (phi2 - phi1) ** 2,
    "forces": [rt.force(-P * vector(cos(phi2), sin(phi2)), at=r2)],
}
free = rt.System(**column, name="Ziegler's column")
damped = rt.System(
    **column,
    dissipation=d / 2 * (ddt(phi1) ** 2 + (ddt(phi2) - ddt(phi1)) ** 2),
    name="Ziegler's column, damped",
)

# Solve
values = {"m": 1, "l": 1, "c": 1, "P": 0.1}
onsets = [
    rt.follow(rt.equilibrium(free, values), P, 3).points[0],
    rt.follow(rt.equilibrium(damped, values | {"d": 1e-4}), P, 3).points[0],
]

# Show
if __name__ == "__main__":
    for onset in onsets:
        print(onset)
    loads = rt.equilibrium(damped, values | {"d": 0.05, "P": np.linspace(0, 3, 301)})
    rt.plot(rt.modes(rt.linearize(loads))).figure.savefig("ziegler_column.png", dpi=150)
    print("The root locus is in ziegler_column.png.")
