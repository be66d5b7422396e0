"""A kite that pumps: it reels out a tether in loops with much lift, and is reeled in with little.

A soft kite of 19.8 m^2 on a straight tether of mass, in a wind by the logarithmic law; the drum of the
winch turns with the length that is out. One law steers in both phases: the direction to fly is that of
Hopf's normal form about a point of the sky, whose limit cycle is a circle. The torque is linear in the
speed of reeling. Nothing is lost on the way: what the winch delivers is the work of the air less the
growth of the energy, to 1e-8. Mass, area, lift and drag of the kite that reels out are those of
R. van der Vlugt et al., Renewable Energy 131 (2019). It takes two seconds or so.
"""

from __future__ import annotations

import numpy as np
import sympy

import routh as rt
from routh.models import kite, tether, winch

# Declare
x, y, z, length = rt.coordinates("x y z length")
lift, drag, roll, torque = rt.inputs("lift drag roll torque")
g, rho, mass, density, whole, radius, inertia = 9.81, 1.225, 19.6, 0.01, 400.0, 0.3, 1.5
ground, r = rt.vector(0, 0, 0), rt.vector(x, y, z)


def wind(height):
    return kite.wind(height, 9.0, roughness=0.03)


wing = kite.point_mass(
    r, mass=mass, area=19.8, density=rho, lift=lift, drag=drag, gravity=g, wind=wind(z), roll=roll
)
line, _ = tether.segmented("n", ground, r, 1, length=length, density=density, gravity=g, rods=True)
blown = tether.drag(ground, r, diameter=0.004, density=rho, coefficient=1.1, wind=wind)
drum = winch.drum(
    length, radius=radius, inertia=inertia, torque=torque, density=density, whole=whole
)  # fmt: skip
system = (wing + line + blown + drum).system(name="pumping kite")

# Fly: out to 180 m, in to 160 m, each until its event
v = rt.ddt(r)
off, up = y / length, z / length - 0.5
inwards = 1 - (off**2 + up**2) / 0.15**2
aim = rt.vector(0, inwards * off - up, inwards * up + off)
size = sympy.sqrt(rt.norm2(v) * rt.norm2(aim))
steering = 0.4 * rt.dot(rt.cross(v, aim), r) / (length * size)
PHASES = {
    "out": ({lift: 0.59, drag: 0.164}, 4500 + 500 * (length.rate - 3), winch.reeled_out(length, 180)),
    "in": ({lift: 0.2, drag: 0.1}, 1800 + 500 * (length.rate + 4), winch.reeled_in(length, 160)),
}
begin = {x: 137.6, y: 27.9, z: 76.7, length: 160.0, z.rate: 20.0}
motions, energies = {}, {}
for phase, (setting, pull, end) in PHASES.items():
    laws = {**setting, roll: steering, torque: -radius * pull}
    state = rt.consistent(system, {}, begin, inputs=laws)
    motion = rt.simulate(system, {}, state, [0, 60], inputs=laws, events=end, rtol=1e-11)
    motions[phase] = motion
    names = [*system.coordinates, *system.velocities]
    begin = dict(zip(names, [*motion.q[-1], *motion.v[-1]], strict=True))

# Balance: by Gauss's rule along each motion, and by the energies as one writes them down
nodes, weights = np.polynomial.legendre.leggauss(12)
speed = length.rate
energy = (
    (mass / 2 + density * length / 6) * rt.norm2(v)
    + density * length / 6 * (speed**2 + rt.dot(v, r) * speed / length)
    + (inertia / radius**2 + density * (whole - length)) / 2 * speed**2
    + (mass + density * length / 2) * g * z
)
for phase, motion in motions.items():
    panels = np.linspace(0, motion.t[-1], 61)
    half = np.diff(panels)[:, None] / 2
    times = (panels[:-1, None] + half * (nodes + 1)).ravel()
    between = motion(times)

    def total(power, between=between, half=half):
        return float(((weights * half).ravel() * between[power]).sum())

    delivered = total(PHASES[phase][1] * speed)
    air = total((wing + blown).power)
    passed = total(density * speed)
    growth, taken = (float(np.diff(motion[e][[0, -1]])[0]) for e in (energy, density * length))
    energies[phase] = {"delivered": delivered, "air": air, "growth": growth}
    energies[phase]["error"] = (delivered - (air - growth)) / abs(air)
    energies[phase]["mass"] = passed - taken
duration = sum(float(motion.t[-1]) for motion in motions.values())
power = sum(each["delivered"] for each in energies.values()) / duration

# Show
if __name__ == "__main__":
    for phase, motion in motions.items():
        print(motion.message)
        print("; ".join(f"{name} {value:.6g}" for name, value in energies[phase].items()))
    print(f"{power:.4g} W over the cycle of {duration:.4g} s")
