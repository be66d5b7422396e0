"""A pendulum whose support accelerates uniformly: it leans back, and swings faster.

Kinetic energy from the position in space, which contains A t^2/2. Known answers: it rests at
tan(theta) = A/g and K = m l sqrt(g^2 + A^2); with g = 9.81, A = 3, l = 1.2 that is 0.296778873080397
rad and omega^2 = 8.54872066452051 (A5 of docs/worked_examples.md; the printed formula lacks
d/dt L_vq and gives 7.82). Runs in a second.
"""

from __future__ import annotations

import routh as rt
from routh import atan, cos, ddt, norm2, sin, t, vector

# Declare
theta = rt.coordinate("theta")
m, l, g, A = rt.parameters("m l g A")
r = vector(l * sin(theta) - A * t**2 / 2, -l * cos(theta))
pendulum = rt.System(kinetic=m / 2 * norm2(ddt(r)), potential=m * g * r[1], name="accelerated pendulum")

# Solve
symbolic = rt.linear_equations(pendulum, {theta: atan(A / g)})
rest = rt.equilibrium(pendulum, {"m": 1, "l": 1.2, "g": 9.81, "A": 3})
modes = rt.modes(rt.linearize(rest))

# Show
if __name__ == "__main__":
    print(rt.equations(pendulum))
    print(symbolic)
    print(rest)
    print(modes)
