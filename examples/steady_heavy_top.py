"""A heavy top in steady precession, given its two momenta, and why it is stable.

Euler's angles: theta from the vertical, phi precession, psi spin; the last two are cyclic. At rates
Omega and omega3 (about the axis) A Omega^2 cos(theta) - C omega3 Omega + m g l = 0. Routh's theorem:
stable where the potential at constant momenta has a minimum. Runs in a second.
"""

from __future__ import annotations

import routh as rt
from routh import cos, ddt, sin

# Declare
theta, phi, psi = rt.coordinates("theta phi psi")
A, C, mgl = rt.parameters("A C mgl")
top = rt.System(
    kinetic=A / 2 * (ddt(theta) ** 2 + ddt(phi) ** 2 * sin(theta) ** 2)
    + C / 2 * (ddt(psi) + ddt(phi) * cos(theta)) ** 2,
    potential=mgl * cos(theta),
    name="heavy top",
)

# Solve
steady = rt.equilibrium(
    top, {"A": 1, "C": 0.5, "mgl": 2}, momenta={phi: 7, psi: 10}, guess={theta: 0.8}
)
linear = rt.linearize(steady)

# Show
if __name__ == "__main__":
    print(steady)
    print(rt.stability(linear))
    print(rt.modes(linear))
