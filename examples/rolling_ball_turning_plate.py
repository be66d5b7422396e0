"""A ball rolls on a plate that turns: it goes in circles, and does not fly off.

A quaternion for the ball, two velocity constraints: where it touches, it moves with the plate. By the
equations of Gibbs and Appell no coordinate of the rotation is left. With the moment of inertia k m r^2
the velocity of the centre turns at k/(1 + k) times the rate of the plate: 2/7 of it for a solid ball,
2/5 for a hollow one, wherever it starts. Takes seconds.
"""

import numpy as np

import routh as rt
from routh import ddt, dot

# Declare
x, y = rt.coordinates("x y")
m, r, k, Omega = rt.parameters("m r k Omega")
R = rt.quaternion("e")
w = rt.angular_velocity(R, "space")
ball = rt.System(
    kinetic=m / 2 * (ddt(x) ** 2 + ddt(y) ** 2) + k * m * r**2 / 2 * dot(w, w),
    constraints=[ddt(x) - r * w[1] + Omega * y, ddt(y) + r * w[0] - Omega * x, *R.constraints],
    name="ball on a turning plate",
)

# Solve
found = rt.gibbs_appell(ball, dict(zip(("wx", "wy", "wz"), w, strict=True)))
values = {"m": 1, "r": 0.05, "k": np.array([2 / 5, 2 / 3]), "Omega": 3}
start = R.start(spin=[14, 0, 0]) | {x: 0.3, ddt(y): 0.2}
motion = rt.simulate(ball, values, start, np.linspace(0, 8, 161))
heading = np.unwrap(np.arctan2(motion["y'"], motion["x'"]))
rates = (heading[..., -1] - heading[..., 0]) / 8

# Show
if __name__ == "__main__":
    print(found)
    for name, rate in zip(("solid", "hollow"), rates, strict=True):
        print(f"a {name} ball circles at {rate:.10f} rad/s, {rate / 3:.10f} of the plate's rate")
