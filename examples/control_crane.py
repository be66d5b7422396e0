"""A crane for control engineers: trolley, rope, load, a force on the trolley; A, B, C, D.

Known answers: a rigid-body mode and omega^2 = g (M + m)/(M l) = 9.156 (B8 of
docs/worked_examples.md). Outputs are any expressions, here the load's position and the trolley's
acceleration. Then the load is brought to rest above the origin from 0.6 rad by what is measured of the
trolley alone: an observer runs along with the nonlinear crane and estimates the load, and a regulator
feeds the estimate back. The loop has the eigenvalues of both. Runs in a second or two.
"""

from __future__ import annotations

import numpy as np

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

# Regulate by the trolley's position alone
seen = rt.state_space(linear, outputs=[X])
regulator = rt.lqr(seen, {load[0]: 10.0, X: 1.0}, {F: 0.01})
watch = rt.observer(seen, {ddt(X): 1.0, ddt(theta): 1.0}, {X: 1e-4})
loop = watch.loop(regulator)
motion = rt.simulate(loop.closed, {"M": 5, "m": 2, "l": 1.5}, {theta: 0.6}, np.linspace(0, 10, 1001))
missed = motion[theta] - motion[loop.estimates[theta]]

# Show
if __name__ == "__main__":
    print(rest)
    print(modes)
    for name, matrix in zip("ABCD", (A, B, C, D), strict=True):
        print(f"{name} =\n{matrix}")
    print(loop)
    print(f"closed loop: {loop.stability.verdict}; estimates end {abs(missed[-1]):.1e} rad off")
    axes = rt.plot(motion, shown=[theta, loop.estimates[theta]])
    axes.figure.savefig("control_crane.png", dpi=120)
