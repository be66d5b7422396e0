"""Systems that roll or glide without slipping, shared by the tests."""

from __future__ import annotations

import routh as rt
from routh import cos, cross, ddt, norm2, rotation, sin, vector


def disc() -> rt.System:
    """A thin uniform disc that rolls without slipping; x, y is the contact, theta the lean."""
    x, y, psi, theta, phi = rt.coordinates("x y psi theta phi")
    m, R, g = rt.parameters("m R g")
    frame = rotation(psi, vector(0, 0, 1)) @ rotation(theta, vector(1, 0, 0))
    centre = vector(x, y, 0) + frame @ vector(0, 0, R)
    turn = frame.T @ ddt(frame)
    w = vector(turn[2, 1], turn[0, 2] + ddt(phi), turn[1, 0])
    slip = ddt(centre) + cross(frame @ w, frame @ vector(0, 0, -R))
    inertia = m * R**2 / 4
    return rt.System(
        kinetic=m / 2 * norm2(ddt(centre)) + inertia / 2 * (w[0] ** 2 + 2 * w[1] ** 2 + w[2] ** 2),
        potential=m * g * centre[2],
        constraints=[slip[0], slip[1]],
        name="disc",
    )


def sleigh() -> rt.System:
    """Chaplygin's: a blade at x, y along psi, the centre of mass a ahead of it."""
    x, y, psi = rt.coordinates("x y psi")
    m, a, inertia = rt.parameters("m a I")
    mass = vector(x, y) + a * vector(cos(psi), sin(psi))
    return rt.System(
        kinetic=m / 2 * norm2(ddt(mass)) + inertia / 2 * ddt(psi) ** 2,
        constraints=[ddt(y) * cos(psi) - ddt(x) * sin(psi)],
        name="sleigh",
    )


DISC = {"m": 2.0, "R": 0.5, "g": 9.81}
