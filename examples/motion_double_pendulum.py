"""The double pendulum swings: motion, its energy, how far to trust it, and an animation.

Two masses on rods, let go from the horizontal. The motion is chaotic, so the question is how long a
computed one is worth anything: `check=True` runs it again at a hundredth of the tolerance. At t = 10
the angles are -0.568474664 and -0.526393728 (30-digit integration). Takes a second.
"""

import numpy as np

import routh as rt
from routh import cos, ddt, norm2, sin, vector

one, two = rt.coordinates("theta1 theta2")
m, l, g = rt.parameters("m l g")
r1 = l * vector(sin(one), -cos(one))
r2 = r1 + l * vector(sin(two), -cos(two))
pendulum = rt.System(
    kinetic=m / 2 * (norm2(ddt(r1)) + norm2(ddt(r2))),
    potential=m * g * (r1[1] + r2[1]),
    name="double pendulum",
)

values = {"m": 1, "l": 1, "g": 9.81}
times = np.linspace(0, 10, 501)
motion = rt.simulate(pendulum, values, {one: np.pi / 2, two: np.pi / 2}, times, check=True)

if __name__ == "__main__":
    print(motion)
    print("angles at t = 10:", motion.q[-1])
    rt.plot(motion).figure.savefig("double_pendulum.png")
    rt.plot(motion, against=one).figure.savefig("double_pendulum_phase.png")
    film = rt.animate(motion, points=[r1, r2], lines=[[vector(0, 0), r1, r2]])
    print("saved:", film.save("double_pendulum.html"))
