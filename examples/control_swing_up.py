"""A cart-pole swung up by pumping energy, and caught by a linear regulator near the top.

The energy of the pole as seen from the cart, E = m l^2 theta'^2/2 + m g l cos(theta), changes by
E' = -m l a theta' cos(theta) where the cart has the acceleration a. With
a = A tanh(k (E - m g l) theta' cos(theta)) it never falls while it is below m g l, that of rest at the
top, and does not pass it. The force that accelerates the cart so is a law in the state, and is less
than (M + m) A + 3.05 m g. Within 0.3 rad of upright an event ends the run, and another goes on with
the law of `lqr`, held within 8 N by a tanh that to first order changes nothing. That the pole is
caught from there is seen in the motion; that it stands is the verdict on the closed system. Takes a
second or two.
"""

from __future__ import annotations

import numpy as np

import routh as rt
from routh import cos, ddt, norm2, sin, tanh, vector

# Declare
x, theta = rt.coordinates("x theta")
F = rt.input("F")
M, m, l, g = rt.parameters("M m l g")
tip = vector(x + l * sin(theta), l * cos(theta))
cart_pole = rt.System(
    kinetic=[M / 2 * ddt(x) ** 2, m / 2 * norm2(ddt(tip))],
    potential=m * g * tip[1],
    forces={x: F},
    name="cart-pole",
)
values = {"M": 1, "m": 0.1, "l": 0.5, "g": 9.81}
A, k = 3.0, 0.5  # m/s^2 and s/J
LARGEST, NEAR = 8.0, 0.3  # N and rad

# Pump
turning = ddt(theta)
energy = m * l**2 * turning**2 / 2 + m * g * l * cos(theta)
a = A * tanh(k * (energy - m * g * l) * turning * cos(theta))
pumping = (M + m * sin(theta) ** 2) * a + m * sin(theta) * (g * cos(theta) - l * turning**2)
top = rt.event(cos(theta) - np.cos(NEAR), direction=1, stop=True, name="near the top")
pumped = rt.simulate(
    cart_pole, values, {theta: 3.0}, np.linspace(0, 20, 2001), inputs={F: pumping}, events=top
)

# Catch
handed_over = dict(zip((x, theta, ddt(x), turning), [*pumped.q[-1], *pumped.v[-1]], strict=True))
upright = rt.equilibrium(cart_pole, values, guess={theta: handed_over[theta]})
regulator = rt.lqr(rt.state_space(rt.linearize(upright)), {x: 1.0, theta: 10.0}, 0.1)
catching = LARGEST * tanh(regulator.laws[F] / LARGEST)
times = pumped.t[-1] + np.linspace(0, 8, 801)
caught = rt.simulate(cart_pole, values, handed_over, times, inputs={F: catching})

# Show
if __name__ == "__main__":
    import matplotlib.pyplot as plt

    print(pumped)
    print(caught)
    print(regulator)
    print(f"closed loop: {regulator.stability.verdict}; it ends at theta = {caught.q[-1, 1]:.1e} rad")
    figure, axes = plt.subplots(3, 1, sharex=True, figsize=(7, 7), layout="constrained")
    for motion, law, label in ((pumped, pumping, "pumping"), (caught, catching, "catching")):
        for axis, shown in zip(axes, (theta, x, law), strict=True):
            axis.plot(motion.t, motion[shown], label=label)
    for axis, label in zip(axes, ("theta in rad", "x in m", "F in N"), strict=True):
        axis.set_ylabel(label)
        axis.grid(alpha=0.3)
    axes[0].legend()
    axes[-1].set_xlabel("t in s")
    figure.savefig("control_swing_up.png", dpi=120)
