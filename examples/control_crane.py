"""A crane for control engineers: trolley, rope, load, a force on the trolley; A, B, C, D.

Known answers: a rigid-body mode and omega^2 = g (M + m)/(M l) = 9.156 (B8 of
docs/worked_examples.md). Outputs are any expressions, here the load's position and the trolley's
acceleration. Runs in a second.
"""

from __future__ import annotations

import routh as rt
from routh import cos, ddt, norm2, sin, vector

# Declare
X, theta = rt.coordinates("X theta")
F = rt.input("F")
M, m, l = rt.parameters("M m l")
g = rt.parameter("g", 9.81, unit="m/s^2")
load = vector(X + l * sin(theta), -l * cos(theta))
crane = rt.System(
    kinetic=[M * ddt(X) ** 2 / 2, m / 2 * norm2(ddt(load))],
    potential=m * g * load[1],
    forces={X: F},
    name="crane",
)

# Solve
rest = rt.equilibrium(crane, {"M": 5, "m": 2, "l": 1.5})
linear = rt.linearize(rest)
modes = rt.modes(linear)
A, B, C, D = rt.state_space(linear, outputs=[load[0], ddt(X, 2)])

# Show
if __name__ == "__main__":
    print(rest)
    print(modes)
    for name, matrix in zip("ABCD", (A, B, C, D), strict=True):
        print(f"{name} =\n{matrix}")
