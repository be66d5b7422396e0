"""A pendulum whose pivot is shaken: stability charts, the pendulum upside down, its backbone curve.

Eigenvalues of frozen matrices say nothing here; what a period does to small motions does. Shaken fast
enough (Kapitza: A w > sqrt(2 g l)) the pendulum stands upside down; shaken at twice its frequency it
cannot hang still. Left alone it swings more slowly the wider it swings: omega = omega0 (1 - A^2/16).
"""

from __future__ import annotations

import numpy as np

import routh as rt
from routh import cos, ddt, norm2, sin, t, vector

# Declare
theta = rt.coordinate("theta")
l, g, A, w = rt.parameters("l g A w")
bob = vector(l * sin(theta), -l * cos(theta) + A * cos(w * t))
shaken = rt.System(kinetic=norm2(ddt(bob)) / 2, potential=g * bob[1], name="shaken pendulum")
free = rt.System(kinetic=l**2 * ddt(theta) ** 2 / 2, potential=-g * l * cos(theta), name="pendulum")

# Solve
amplitude, speed = np.meshgrid(np.linspace(0.002, 0.3, 60), np.linspace(4, 100, 60))
values = {"l": 1.0, "g": 9.81, "A": amplitude, "w": speed}
hanging = rt.floquet(shaken, values, 2 * np.pi / speed)
standing = rt.floquet(shaken, values, 2 * np.pi / speed, guess={theta: np.pi})
kapitza = amplitude * speed > np.sqrt(2 * 9.81)
own = {"l": 1.0, "g": 9.81}
first = rt.periodic_motion(free, own, {theta: 0.1}, 2.0)
backbone = rt.follow(first, "amplitude", 2.5)
form = rt.normal_form(rt.equilibrium(free, own))

# Show
if __name__ == "__main__":
    print(hanging)
    print(standing)
    print(backbone)
    print(form)
    rt.plot(standing).figure.savefig("upside_down.png", dpi=150)
    rt.plot(backbone).figure.savefig("backbone.png", dpi=150)
    print("The chart is in upside_down.png, the backbone curve in backbone.png.")
