"""A thin disc rolls: upright it is stable above a speed, v^2 > g R / 3.

Velocity constraints: the point of the disc that touches the ground is at rest. They leave where the
disc is and which way it heads free, and hold how it rolls. The linear model about straight rolling
gives the wobble, omega^2 = (12 v^2 / R^2 - 4 g / R) / 5, and a simulation shows it. Takes a second.
"""

import numpy as np

import routh as rt
from routh import cross, ddt, norm2, rotation, vector

x, y, psi, theta, phi = rt.coordinates("x y psi theta phi")  # contact, heading, lean, spin
m, R, g = rt.parameters("m R g")
frame = rotation(psi, vector(0, 0, 1)) @ rotation(theta, vector(1, 0, 0))
centre = vector(x, y, 0) + frame @ vector(0, 0, R)
omega = rt.angular_velocity(frame) + vector(0, ddt(phi), 0)
slip = ddt(centre) + cross(frame @ omega, frame @ vector(0, 0, -R))
J = m * R**2 / 4
disc = rt.System(
    kinetic=m / 2 * norm2(ddt(centre)) + J / 2 * (omega[0] ** 2 + 2 * omega[1] ** 2 + omega[2] ** 2),
    potential=m * g * centre[2],
    constraints=[slip[0], slip[1]],
    name="rolling disc",
)

values = {"m": 1, "R": 0.5, "g": 9.81}
speeds = np.array([0.8, 1.2, 1.4, 2.0])
rolling = rt.equilibrium(disc, values, speeds={x: speeds, phi: speeds / 0.5})
modes = rt.modes(rt.linearize(rolling))

start = rt.consistent(disc, values, {ddt(x): 2.0, ddt(phi): 4.0, theta: 0.05}, keep=[theta, ddt(phi)])
motion = rt.simulate(disc, values, start, np.linspace(0, 6, 601))

if __name__ == "__main__":
    for v, verdict in zip(speeds, modes.stability.verdict, strict=True):
        print(f"v = {v} m/s: {verdict}")
    print(motion)
    turned = frame @ rotation(phi, vector(0, 1, 0))
    coin = {"disc": R, "at": centre, "rotation": turned, "axis": "y"}
    film = rt.animate(
        motion,
        points={"contact": vector(x, y, 0)},
        bodies=[coin],
        arrows={"omega": (centre, frame @ omega)},
    )
    film.save("rolling_disc.html")
