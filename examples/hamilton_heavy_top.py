"""The heavy top three ways: Lagrange, Hamilton, and reduced by its cyclic angles (Routh).

Precession and spin are cyclic: their momenta are kept, and what is left is one coordinate in an
effective potential. Steady precession at 0.6 rad is an equilibrium of the reduced system, and its
frequency is that of the nutation of the whole top.
"""

from __future__ import annotations

import numpy as np

import routh as rt
from routh import cos, ddt, sin

# Declare
theta, phi, psi = rt.coordinates("theta phi psi")
A, C, m, g, s = rt.parameters("A C m g s")
top = rt.System(
    kinetic=[
        A / 2 * (ddt(theta) ** 2 + sin(theta) ** 2 * ddt(phi) ** 2),
        C / 2 * (ddt(psi) + cos(theta) * ddt(phi)) ** 2,
    ],
    potential=m * g * s * cos(theta),
    name="heavy top",
)

# Solve
values = {"A": 0.02, "C": 0.01, "m": 1.0, "g": 9.81, "s": 0.1}
spin = ((0.02 - 0.01) * 4.0**2 * np.cos(0.6) + 0.981) / (0.01 * 4.0)
steady = rt.equilibrium(top, values, guess={theta: 0.6}, speeds={phi: 4.0, psi: spin})
hamilton = rt.hamiltonian(top)
reduced = rt.routhian(top, [phi, psi])
kept = {
    f"p_{q}": float(steady[p]) for q, p in zip(top.coordinates, rt.equations(top).momenta, strict=True)
}
momenta = {name: value for name, value in kept.items() if name != "p_theta"}
rest = rt.equilibrium(reduced.system, values | momenta, guess={theta: 0.6})
nutation = rt.modes(rt.linearize(rest)).frequencies[0]
start = {theta: 0.5, phi.rate: 4.0, psi.rate: spin}
motion = rt.simulate(top, values, start, np.linspace(0, 2, 201), form="hamilton")

# Show
if __name__ == "__main__":
    print(hamilton)
    print(reduced)
    print(f"nutation {nutation:.6g} rad/s about {rest.q[0]:.6g} rad")
    print(motion)
    print(f"the flow is symplectic to {motion.symplectic_error:.1e}")
