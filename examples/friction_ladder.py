"""A ladder against a wall: when it stands, how it slides, and where it leaves the wall.

A uniform ladder of length 2 l, both ends rough. Friction is a coefficient times the normal force, which
is the force of a constraint: reaction(phi). It stands down to tan(angle) = (1 - mu1 mu2)/(2 mu1),
both contacts being at their limits there. A smooth ladder leaves the wall at two thirds of the height
at which it began to slide. Run time: two seconds.
"""

from __future__ import annotations

import numpy as np

import routh as rt
from routh import cos, ddt, sin

# Declare
x, y, angle = rt.coordinates("x y angle")  # its centre, and the angle with the floor
m, l, mu1, mu2 = rt.parameters("m l mu1 mu2")
floor, wall = y - l * sin(angle), x - l * cos(angle)
foot, top = ddt(x + l * cos(angle)), ddt(y + l * sin(angle))
ladder = rt.System(
    kinetic=m * (ddt(x) ** 2 + ddt(y) ** 2) / 2 + m * l**2 * ddt(angle) ** 2 / 6,
    potential=9.81 * m * y,
    constraints=[floor, wall],
    friction=[
        rt.friction(foot, coefficient=mu1, normal=rt.reaction(floor), name="foot"),
        rt.friction(top, coefficient=mu2, normal=rt.reaction(wall), name="top"),
    ],
    name="ladder",
)


# Solve
def leaning(begun, values, until):
    start = {x: values["l"] * np.cos(begun), y: values["l"] * np.sin(begun), angle: begun}
    return rt.simulate(ladder, values, start, np.linspace(0, until, 31))


rough = {"m": 10, "l": 1.5, "mu1": 0.3, "mu2": 0.4}
limit = np.arctan((1 - 0.3 * 0.4) / (2 * 0.3))
stands, slides = (leaning(limit + more, rough, 0.3) for more in (1e-6, -1e-6))
smooth = leaning(1.1, {**rough, "mu1": 0, "mu2": 0}, 3)

# Show
if __name__ == "__main__":
    print(f"limit {np.degrees(limit):.6f} degrees")
    print(f"a little above it: {stands.message}\nforces {stands.friction[0]}, {stands.normals[0]}")
    print(f"a little below it: foot and top are in states {slides.states[0]}")
    print(f"without friction: {smooth.message}")
    print(f"height of the top / that at the start: {np.sin(smooth.q[-1, 2]) / np.sin(1.1):.9f}")
