"""Trojan asteroids: the equilateral Lagrange point of two heavy bodies, held by gyroscopic forces.

Two bodies of masses 1 - mu and mu circle each other at unit rate; a small third one rests in the
turning frame at (1/2 - mu, sqrt(3)/2). The dynamic potential has a maximum there, yet it is stable
for mu below Routh's critical ratio (1 - sqrt(23/27))/2 = 0.0385209 (E. J. Routh, 1875). Position in
space, so time is in the energy and cancels. Runs in a second.
"""

from __future__ import annotations

import numpy as np

import routh as rt
from routh import ddt, norm2, rotation, sqrt, t, vector

# Declare
x, y = rt.coordinates("x y")
mu = rt.parameter("mu")
r = vector(x, y)
heavy, light = vector(-mu, 0), vector(1 - mu, 0)
trojan = rt.System(
    kinetic=norm2(ddt(rotation(t) @ r)) / 2,
    potential=[-(1 - mu) / sqrt(norm2(r - heavy)), -mu / sqrt(norm2(r - light))],
    name="Trojan asteroid",
)

# Solve: from the Sun and Jupiter (mu = 0.000954) to beyond the critical ratio
ratios = np.array([0.000954, 0.0121506, 0.0385, 0.0386, 0.1])
rest = rt.equilibrium(trojan, {"mu": ratios}, guess={x: 0.4, y: 0.9})
modes = rt.modes(rt.linearize(rest))

# Show
if __name__ == "__main__":
    judged = modes.stability
    for ratio, place, why in zip(ratios, rest.q, judged.sentence, strict=True):
        print(f"mu = {ratio:.6f} at {place.round(6)}: {why}")
