"""Three bodies that attract each other and turn like one: five configurations, up to rotation.

Three lie on a line (Euler, 1767), two are equilateral triangles (Lagrange, 1772) with
Omega^2 side^3 = G (m1 + m2 + m3). In the turning frame each can be rotated, so each is a family of
dimension one; they are told apart by walking along them. Runs in five seconds.
"""

from __future__ import annotations

import numpy as np

import routh as rt
from routh import ddt, norm2, rotation, sqrt, t, vector

# Declare
q = rt.coordinates("x1 y1 x2 y2 x3 y3")
G, Omega = rt.parameters("G Omega")
masses = rt.parameters("m1 m2 m3")
places = [vector(q[2 * k], q[2 * k + 1]) for k in range(3)]
bodies = rt.System(
    kinetic=[m / 2 * norm2(ddt(rotation(Omega * t) @ r)) for m, r in zip(masses, places, strict=True)],
    potential=[
        -G * masses[i] * masses[j] / sqrt(norm2(places[i] - places[j]))
        for i, j in ((0, 1), (0, 2), (1, 2))
    ],
    name="three bodies",
)

# Solve
values = {"G": 1, "Omega": 1, "m1": 1, "m2": 2, "m3": 3}
every = rt.equilibria(bodies, values, within=dict.fromkeys(q, (-3, 3)))
corners = every.q.reshape(-1, 3, 2)
sides = np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2)

# Show
if __name__ == "__main__":
    for sizes, why in zip(sides, every.stability.sentence, strict=True):
        print("sides", sizes.round(6), why)
