"""A bead on a hoop that turns about its vertical diameter: the pitchfork, and both branches.

The bead rests at the bottom until omega^2 = g/R; above it the bottom is unstable and the bead rests at
cos(theta) = g/(omega^2 R), where it oscillates with the frequency omega sin(theta) (textbook problem).
Position in space, so time is in the energy and cancels. Runs in two seconds.
"""

from __future__ import annotations

import routh as rt
from routh import cos, ddt, norm2, rotation, sin, t, vector

# Declare
theta = rt.coordinate("theta")
m, R, g, omega = rt.parameters("m R g omega")
r = rotation(omega * t, axis=vector(0, 0, 1)) @ (R * vector(sin(theta), 0, -cos(theta)))
hoop = rt.System(kinetic=m / 2 * norm2(ddt(r)), potential=m * g * r[2], name="bead on a hoop")

# Solve
bottom = rt.equilibrium(hoop, {"m": 1, "R": 1.2, "g": 9.81, "omega": 0.5})
straight = rt.follow(bottom, omega, 6)
(pitchfork,) = straight.of(rt.Kind.BRANCH)
tilted = straight.switch(pitchfork)

# Show
if __name__ == "__main__":
    print(rt.equilibrium_equations(hoop))
    print(straight)
    print(tilted)
    rt.plot([straight, tilted]).figure.savefig("bead_on_hoop.png", dpi=150)
    print("The bifurcation diagram is in bead_on_hoop.png.")
