"""A hub with a flexible arm: one ordinary and one partial differential equation, from one energy.

The hub turns by theta, the arm deflects by w(s, t). Its equations and conditions at the ends are
derived, and its frequencies computed: 0, 5.72035891239293, 19.9378009411611, 51.4088434964009 rad/s
(exact, from the characteristic equation). Then the hub is driven through a quarter turn, and the arm
swings after it. Runs in two seconds.
"""

from __future__ import annotations

import numpy as np

import routh as rt
from routh import at, ddt, diff, integral, norm2, pi, rotation, sin, t, vector

# Declare
L, R, J, rho, EI = rt.parameters("L R J rho EI")
theta, torque = rt.coordinate("theta"), rt.input("u")
s = rt.space("s", 0, L)
w = rt.field("w", s)
r = rotation(theta) @ vector(R + s, w)
arm = rt.System(
    kinetic=J / 2 * ddt(theta) ** 2 + integral(rho / 2 * norm2(ddt(r)), s),
    potential=integral(EI / 2 * diff(w, s, 2) ** 2, s),
    forces={theta: torque},
    constraints=[at(w, s, 0), at(diff(w, s), s, 0)],
    name="hub with a flexible arm",
)

# Solve
values = {"L": 1.5, "R": 0.3, "J": 0.5, "rho": 1.2, "EI": 4}
slender = rt.discretize(arm, {w: 8})
modes = rt.modes(rt.linearize(rt.equilibrium(slender, values)), count=4, converged=1e-10)
push = 0.435 * sin(pi * t / 4)  # as if the arm were rigid: a quarter turn in eight seconds
motion = rt.simulate(slender, values, {}, np.linspace(0, 8, 201), inputs={torque: push})

# Show
if __name__ == "__main__":
    print(rt.equations(arm))
    print(rt.linear_equations(arm, {theta: 0, w: 0}))
    print(modes)
    print(
        f"turned by {motion[theta][-1]:.4f}; the tip is {motion[at(w, s, L)][-1]:.4f} m beside the line"
    )
    rt.plot(motion, shown=r).figure.savefig("arm.png", dpi=150)
    rt.animate(motion, lines=[[vector(0, 0), r]], points={"tip": at(r, s, L)}).save("arm.html")
    print("Snapshots are in arm.png, the motion in arm.html.")
