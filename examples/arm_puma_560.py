"""A robot arm of six joints, the Puma 560: torques that hold it, its mass matrix, torques of a move.

The table is Denavit and Hartenberg's, with masses, centres and moments of inertia after Armstrong,
Khatib and Burdick (1986) as P. Corke's "Robotics, Vision and Control" has them; the motors behind their
gears are one more kinetic energy. Known answer there, at (0, 45, 180, 0, 45, 0) degrees: gravity loads
31.6399, 6.0351 and 0.0283 N m at shoulder, elbow and wrist, inertia 3.6594 kg m^2 at the waist.
"""

from __future__ import annotations

import numpy as np

import routh as rt
from routh.models import Parts, chain, dh

# Declare
q = rt.coordinates("q1 q2 q3 q4 q5 q6")
right = rt.pi / 2
arm = chain(
    [
        dh(q[0], alpha=right, inertia=(0, 0.35, 0)),
        dh(q[1], a=0.4318, mass=17.4, centre=(-0.3638, 0.006, 0.2275), inertia=(0.13, 0.524, 0.539)),
        dh(q[2], a=0.0203, alpha=-right, d=0.15005, mass=4.8, centre=(-0.0203, -0.0141, 0.07),
           inertia=(0.066, 0.086, 0.0125)),
        dh(q[3], alpha=right, d=0.4318, mass=0.82, centre=(0, 0.019, 0),
           inertia=(0.0018, 0.0013, 0.0018)),
        dh(q[4], alpha=-right, mass=0.34, inertia=(0.0003, 0.0004, 0.0003)),
        dh(q[5], mass=0.09, centre=(0, 0, 0.032), inertia=(0.00015, 0.00015, 0.00004)),
    ],
    gravity=(0, 0, -9.81),
)  # fmt: skip
rotors = [200e-6 * 62.6111**2, 200e-6 * 107.815**2, 200e-6 * 53.7063**2,
          33e-6 * 76.0364**2, 33e-6 * 71.923**2, 33e-6 * 76.686**2]  # fmt: skip
motors = Parts(kinetic=tuple(J / 2 * rt.ddt(x) ** 2 for J, x in zip(rotors, q, strict=True)))
system = (arm.parts + motors).system(name="Puma 560", coordinates=list(q))

# Solve
there = np.array([0, np.pi / 4, np.pi, 0, np.pi / 4, 0])
hold = rt.inverse_dynamics(system, {}, there)
masses = rt.dynamics(system, {}, there).M

# a move of two seconds along a polynomial that starts and ends at rest, all its torques in one call
t = np.linspace(0, 2, 201)
s = t / 2
start = np.zeros(6)
path = start + np.multiply.outer(s**3 * (10 - 15 * s + 6 * s**2), there - start)
speed = np.multiply.outer(30 * s**2 * (1 - s) ** 2 / 2, there - start)
push = np.multiply.outer((60 * s - 180 * s**2 + 120 * s**3) / 4, there - start)
torques = rt.inverse_dynamics(system, {}, path, speed, push)
back = rt.dynamics(system, {}, path, speed, forces=torques).a

# Show
if __name__ == "__main__":
    print(system)
    print("torques that hold it:", np.round(hold, 4) + 0.0)
    print("masses:", np.round(masses, 4) + 0.0, sep="\n")
    print("largest torques of the move:", np.round(np.abs(torques).max(axis=0), 2))
    print(f"the accelerations come back to {np.abs(back - push).max():.1e}")
