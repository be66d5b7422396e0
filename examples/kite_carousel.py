"""A kite that a carousel throws: trimmed flight, the pull of its tether, a model for its control.

Written in the frame of the turning arm, flight round and round is a rest: `equilibrium` trims it, the
multiplier of the tether is its tension, and `linearize` gives A and B for the roll of the kite and the
reeling of the tether. Figures of a model aircraft of 1.2 kg on 6 m of line; the same kite in steady
crosswind flight is in tests/test_kites.py.
"""

from __future__ import annotations

import numpy as np
import sympy

import routh as rt
from routh.models import kite, tether

# Declare
place = rt.coordinates("x y z")
Omega, radius, m, A, rho, CL, CD, g = rt.parameters("Omega radius m A rho CL CD g")
roll, length = rt.inputs("roll length")
arm, turn = kite.carousel(Omega * rt.t, radius)
r = sympy.ImmutableDenseMatrix(turn * (rt.vector(radius, 0, 0) + rt.vector(*place)))
flying = kite.point_mass(
    r, mass=m, area=A, density=rho, lift=CL, drag=CD, gravity=g, roll=roll, towards=r - arm
)
system = (flying + tether.rigid(arm, r, length)).system(name="carousel kite")

# Solve
values = {"Omega": 1.3, "radius": 2.0, "m": 1.2, "A": 0.3, "rho": 1.2, "CL": 0.8, "CD": 0.1, "g": 9.81}
fixed = {roll: 0.0, length: 6.0}
trim = rt.equilibrium(system, values, guess={"x": 4.0, "y": -1.0, "z": -4.0}, inputs=fixed)
tension = trim.multipliers[0] * 6.0
linear = rt.linearize(trim)
modes = rt.modes(linear)
speeds = np.linspace(0.9, 2.4, 31)
lifted = rt.equilibrium(
    system, values | {"Omega": speeds}, guess={"x": 4.0, "y": -1.0, "z": -4.0}, inputs=fixed
)

# Show
if __name__ == "__main__":
    print(trim)
    print(f"tension {tension:.4g} N")
    print(modes.stability)
    print(linear)
    for speed, z in zip(speeds[::6], lifted.q[::6, 2], strict=True):
        print(f"Omega = {speed:.2f} rad/s: the kite is {-z:.2f} m below the end of the arm")
