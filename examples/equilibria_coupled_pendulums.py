"""Two pendulums joined by a spring: six equilibria, and a proof that there is no seventh.

Supports D apart, rods of length l with masses m at their ends, a spring of stiffness k between the
rods at the distance a from the supports, unstretched when both hang. Only (0, 0) is stable (A3 of
docs/worked_examples.md). The spring has no direction where its ends meet: at such places there are no
equations, and the proof says so. Draws the landscape with them on it. Runs in three seconds.
"""

from __future__ import annotations

import routh as rt
from routh import cos, ddt, sin, sqrt

# Declare
th1, th2 = rt.coordinates("theta1 theta2")
m, l, g, k, a, D = rt.parameters("m l g k a D")
spring = sqrt((a * cos(th2) - a * cos(th1)) ** 2 + (D + a * sin(th2) - a * sin(th1)) ** 2)
pendulums = rt.System(
    kinetic=m * l**2 * (ddt(th1) ** 2 + ddt(th2) ** 2) / 2,
    potential=-m * g * l * (cos(th1) + cos(th2)) + k * (spring - D) ** 2 / 2,
    name="coupled pendulums",
)

# Solve
every = rt.equilibria(pendulums, {"m": 1, "l": 1, "g": 9.81, "k": 50, "a": 0.6, "D": 0.8}, certify=True)

# Show
if __name__ == "__main__":
    print(every)
    rt.plot(every).figure.savefig("coupled_pendulums.png", dpi=150)
    print("The landscape is in coupled_pendulums.png.")
