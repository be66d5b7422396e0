"""A pendulum in Cartesian coordinates: a constraint, its force, and a rod that can only pull.

A mass on a thread of length l is thrown up from the lowest point. The thread is a constraint; its
multiplier times l is the tension, m v^2 / l - m g y / l. Where it vanishes the thread goes slack, and
the constrained motion ends: at the height y = l (w - 2) / 3 with w = v0^2 / (g l). Takes a second.
"""

import numpy as np

import routh as rt
from routh import ddt, norm2, vector

x, y = rt.coordinates("x y")
m, l, g = rt.parameters("m l g")
r = vector(x, y)
bob = rt.System(
    kinetic=m / 2 * norm2(ddt(r)),
    potential=m * g * y,
    constraints=[(norm2(r) - l**2) / 2],
    name="mass on a thread",
)

values = {"m": 2, "l": 1.5, "g": 9.81}
w = 3.5
slack = rt.event(norm2(ddt(r)) - g * y, direction=-1, stop=True, name="slack")
start = {y: -1.5, ddt(x): np.sqrt(w * 9.81 * 1.5)}
motion = rt.simulate(bob, values, start, np.linspace(0, 5, 501), events=[slack])
tension = rt.constraint_forces(motion, at=r)

if __name__ == "__main__":
    print(motion)
    print("tension at the start:", np.linalg.norm(tension[0]), "= (w + 1) m g =", (w + 1) * 2 * 9.81)
    print("slack at the height:", motion.q[-1, 1], "= l (w - 2) / 3 =", 1.5 * (w - 2) / 3)
