"""A column under its load: the straight branch, where it buckles, and the bent branch far beyond.

The exact curvature energy is written with the angle theta(s) of the axis. A cantilever buckles at
P = pi^2 EI / (4 L^2); on the bent branch the load is P = EI/L^2 K(k)^2 with k = sin(alpha/2), alpha the
angle at the tip (Euler's elastica). Runs in two seconds.
"""

from __future__ import annotations

import numpy as np
from scipy.special import ellipk

import routh as rt
from routh import at, cos, ddt, diff, integral

# Declare
L, rho, EI, P = rt.parameters("L rho EI P")
s = rt.space("s", 0, L)
theta = rt.field("theta", s)
column = rt.System(
    kinetic=integral(rho / 2 * ddt(theta) ** 2, s),
    potential=[integral(EI / 2 * diff(theta, s) ** 2, s), P * integral(cos(theta), s)],
    constraints=[at(theta, s, 0)],
    name="column",
)

# Solve
slender = rt.discretize(column, {theta: 16})
straight = rt.equilibrium(slender, {"L": 1, "rho": 1, "EI": 1, "P": 1})
branch = rt.follow(straight, P, 6)
buckled = branch.points[0]
bent = branch.switch(buckled)
tip = at(theta, s, L)
angle = np.abs(bent.rest[tip])
exact = ellipk(np.sin(angle / 2) ** 2) ** 2

# Show
if __name__ == "__main__":
    print(branch)
    print(f"buckling at P = {buckled.value:.12f}, exactly {np.pi**2 / 4:.12f}")
    print(f"bent branch: the load is exact to {np.abs(bent.at / exact - 1).max():.1e}")
    rt.plot([branch, bent], shown=tip).figure.savefig("column.png", dpi=150)
    print("The bifurcation diagram is in column.png.")
