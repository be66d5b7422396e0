"""A thin disc rolls in circles: how far it leans, and whether it stays.

Where the disc touches the ground is written in axes that turn with its heading: there it rests while
the disc goes round, and x and y, which swing, are not needed. Heading and spin move on at constant
rates. From the equations of Gibbs and Appell, with turn u3 = psi' cos(theta) and spin
u2 = phi' + psi' sin(theta), R u3 (6 u2 - u3 tan(theta)) + 4 g sin(theta) = 0. Runs in a second.
"""

import numpy as np

import routh as rt
from routh import cross, ddt, norm2, rotation, vector

# Declare
xi, eta = rt.coordinates("xi eta")  # where it touches, ahead and aside
psi, theta, phi = rt.coordinates("psi theta phi")  # heading, lean, spin
m, R, g = rt.parameters("m R g")
turn = rotation(psi, vector(0, 0, 1))
frame = turn @ rotation(theta, vector(1, 0, 0))
centre = turn @ vector(xi, eta, 0) + frame @ vector(0, 0, R)
omega = rt.angular_velocity(frame) + vector(0, ddt(phi), 0)
slip = turn.T @ (ddt(centre) + cross(frame @ omega, frame @ vector(0, 0, -R)))
J = m * R**2 / 4
disc = rt.System(
    kinetic=m / 2 * norm2(ddt(centre)) + J / 2 * (omega[0] ** 2 + 2 * omega[1] ** 2 + omega[2] ** 2),
    potential=m * g * centre[2],
    constraints=[slip[0], slip[1]],
    name="disc that rolls in circles",
)

# Solve
values = {"m": 1, "R": 0.5, "g": 9.81}
turns = np.array([0.5, 1.0, 2.0])
steady = rt.equilibrium(disc, values, speeds={psi: turns, phi: 6.0}, guess={eta: -3 / turns})
verdicts = rt.stability(rt.linearize(steady)).verdict

# Show
if __name__ == "__main__":
    for each, q, verdict in zip(turns, steady.q, verdicts, strict=True):
        print(
            f"psi' = {each}: a circle of radius {abs(q[1]):.3f} m, leaning by {q[3]:.4f} rad, {verdict}"
        )
