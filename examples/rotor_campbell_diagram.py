"""A disc at the end of a shaft: forward and backward whirl, critical speeds, Campbell diagram.

Deflections x, y and tilts alpha, beta of the disc, whose spin Omega couples them gyroscopically. With
these numbers an unbalance meets forward whirl at exactly 20 rad/s:
(k1 - m Omega^2) (k2 - (J_d - J_p) Omega^2) = k3^2. Runs in two seconds.
"""

from __future__ import annotations

import numpy as np

import routh as rt
from routh import ddt

# Declare
x, y, alpha, beta = rt.coordinates("x y alpha beta")
m, J_d, J_p, k1, k2, k3, Omega = rt.parameters("m J_d J_p k1 k2 k3 Omega")
rotor = rt.System(
    kinetic=m / 2 * (ddt(x) ** 2 + ddt(y) ** 2)
    + J_d / 2 * (ddt(alpha) ** 2 + ddt(beta) ** 2)
    - J_p * Omega / 2 * (alpha * ddt(beta) - beta * ddt(alpha)),
    potential=k1 / 2 * (x**2 + y**2) + k2 / 2 * (alpha**2 + beta**2) + k3 * (x * alpha + y * beta),
    name="overhung rotor",
)

# Solve
values = {"m": 2, "J_d": 0.05, "J_p": 0.09, "k1": 900, "k2": 20, "k3": -60}
speeds = np.linspace(0.1, 60, 120)
rest = rt.equilibrium(rotor, values | {"Omega": speeds})
modes = rt.modes(rt.linearize(rest), track=True)
critical = modes.critical_speeds(Omega)

# Show
if __name__ == "__main__":
    for k, turn in enumerate(modes.whirl(x, y)[-1]):
        print(f"mode {k + 1} whirls {'forward' if turn > 0 else 'backward'}")
    print("critical speeds in rad/s:", critical.round(6))
    rt.plot(modes, against=Omega, rpm=True).figure.savefig("rotor.png", dpi=150)
    print("The Campbell diagram is in rotor.png.")
