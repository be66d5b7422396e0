"""Classical problems with the energies of their textbooks, shared by the tests.

Each function makes fresh symbols and returns a `Problem`: the system, values for it, and the
coordinates by name. Labels like A2 are explained in docs/worked_examples.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sympy

import routh as rt
from routh import cos, ddt, norm2, rotation, sin, sqrt, t, vector


@dataclass(frozen=True)
class Problem:
    system: rt.System
    values: dict[str, Any]
    symbols: dict[str, Any]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self.symbols[name]


def _problem(system: rt.System, values: dict[str, Any], **symbols: Any) -> Problem:
    return Problem(system, values, {**{p.name: p for p in system.parameters}, **symbols})


def pendulum() -> Problem:
    """A1, B1: from the position of the mass."""
    theta = rt.coordinate("theta")
    m, l, g = rt.parameters("m l g")
    r = l * vector(sin(theta), -cos(theta))
    system = rt.System(kinetic=m / 2 * norm2(ddt(r)), potential=m * g * r[1], name="pendulum")
    return _problem(system, {"m": 2.0, "l": 1.5, "g": 9.81}, theta=theta)


def double_pendulum() -> Problem:
    """A2: the second angle is relative to the first link."""
    th1, th2 = rt.coordinates("theta1 theta2")
    m1, m2, l1, l2, g = rt.parameters("m1 m2 l1 l2 g")
    r1 = l1 * vector(sin(th1), -cos(th1))
    r2 = r1 + l2 * vector(sin(th1 + th2), -cos(th1 + th2))
    system = rt.System(
        kinetic=m1 / 2 * norm2(ddt(r1)) + m2 / 2 * norm2(ddt(r2)),
        potential=m1 * g * r1[1] + m2 * g * r2[1],
        name="double pendulum",
    )
    values = {"m1": 1, "m2": 0.5, "l1": 1.2, "l2": 0.8, "g": 9.81}
    return _problem(system, values, th1=th1, th2=th2)


def coupled_pendulums() -> Problem:
    """A3: two pendulums joined by a spring at height a, with supports D apart."""
    th1, th2 = rt.coordinates("theta1 theta2")
    m, l, g, k, a, D = rt.parameters("m l g k a D")
    length = sqrt((a * cos(th2) - a * cos(th1)) ** 2 + (a * sin(th2) - a * sin(th1) + D) ** 2)
    system = rt.System(
        kinetic=m * l**2 * (ddt(th1) ** 2 + ddt(th2) ** 2) / 2,
        potential=m * g * l * (2 - cos(th1) - cos(th2)) + k * (length - D) ** 2 / 2,
        name="coupled pendulums",
    )
    values = {"m": 1, "l": 1, "g": 9.81, "k": 50, "a": 0.6, "D": 0.8}
    return _problem(system, values, th1=th1, th2=th2)


def rotating_spring_mass() -> Problem:
    """A4: a mass on a spring along an arm that turns at constant rate."""
    x = rt.coordinate("x")
    m, k, a, Omega = rt.parameters("m k a Omega")
    r = (a + x) * vector(cos(Omega * t), sin(Omega * t))
    system = rt.System(kinetic=m / 2 * norm2(ddt(r)), potential=k * x**2 / 2, name="rotating spring")
    return _problem(system, {"m": 1, "k": 50, "a": 0.4, "Omega": 3}, x=x)


def accelerated_pendulum() -> Problem:
    """A5: a pendulum whose support accelerates uniformly; x points down."""
    theta = rt.coordinate("theta")
    m, l, g, A = rt.parameters("m l g A")
    r = vector(l * cos(theta), l * sin(theta) - A * t**2 / 2)
    system = rt.System(
        kinetic=m / 2 * norm2(ddt(r)), potential=-m * g * r[0], name="accelerated pendulum"
    )
    return _problem(system, {"m": 2, "l": 1.2, "g": 9.81, "A": 3}, theta=theta)


def rotating_table() -> Problem:
    """A6: a mass between four springs on a turning table, a damper in the left spring."""
    x, y = rt.coordinates("x y")
    m, k1, k2, c1, Omega, R = rt.parameters("m k1 k2 c1 Omega R")
    left, right = sqrt((R + x) ** 2 + y**2), sqrt((R - x) ** 2 + y**2)
    low, top = sqrt((R + y) ** 2 + x**2), sqrt((R - y) ** 2 + x**2)
    r = rotation(Omega * t) @ vector(x, y)
    system = rt.System(
        kinetic=m / 2 * norm2(ddt(r)),
        potential=[
            k1 * ((left - R) ** 2 + (right - R) ** 2) / 2,
            k2 * ((top - R) ** 2 + (low - R) ** 2) / 2,
        ],
        dissipation=c1 / 2 * ddt(left) ** 2,
        name="rotating table",
    )
    values = {"m": 1, "Omega": 2, "k1": 10, "k2": 15, "c1": 0.5, "R": 0.7}
    return _problem(system, values, x=x, y=y)


def elastic_pendulum() -> Problem:
    """B2."""
    l, th = rt.coordinates("l theta")
    m, k, l0, g = rt.parameters("m k l0 g")
    system = rt.System(
        kinetic=m * (ddt(l) ** 2 + l**2 * ddt(th) ** 2) / 2,
        potential=-m * g * l * cos(th) + k * (l - l0) ** 2 / 2,
        name="elastic pendulum",
    )
    return _problem(system, {"m": 1, "k": 40, "l0": 1, "g": 9.81}, length=l, th=th)


def inclined_plane() -> Problem:
    """B5: gravity as a force by virtual work."""
    v = rt.coordinate("v")
    m, g, slope = rt.parameters("m g slope")
    height = vector(0, -v * sin(slope))
    system = rt.System(
        kinetic=m * ddt(v) ** 2 / 2,
        forces=[rt.force(vector(0, -m * g), at=height)],
        name="inclined plane",
    )
    return _problem(system, {"m": 2, "g": 9.81, "slope": 0.3}, v=v)


def pushed_pendulum() -> Problem:
    """B6: a horizontal force F on the mass."""
    theta, F = rt.coordinate("theta"), rt.input("F")
    m, l, g = rt.parameters("m l g")
    tip = l * vector(sin(theta), -cos(theta))
    system = rt.System(
        kinetic=m / 2 * norm2(ddt(tip)),
        potential=m * g * tip[1],
        forces=[rt.force(vector(F, 0), at=tip)],
        name="pushed pendulum",
    )
    return _problem(system, {"m": 2, "l": 1.5, "g": 9.81}, theta=theta, F=F, tip=tip)


def double_pendulum_absolute() -> Problem:
    """B7, polar: equal masses and lengths, both angles against the vertical."""
    p1, p2 = rt.coordinates("phi1 phi2")
    m, l, g = rt.parameters("m l g")
    r1 = l * vector(sin(p1), -cos(p1))
    r2 = r1 + l * vector(sin(p2), -cos(p2))
    system = rt.System(
        kinetic=[m / 2 * norm2(ddt(r1)), m / 2 * norm2(ddt(r2))],
        potential=[m * g * r1[1], m * g * r2[1]],
    )
    return _problem(system, {"m": 1.5, "l": 1.2, "g": 9.81}, p1=p1, p2=p2)


def crane_prescribed() -> Problem:
    """B8 (i): trolley position and rope length are prescribed functions of time, inputs here."""
    th = rt.coordinate("theta")
    xc, length = rt.inputs("x_c r")
    m, g = rt.parameters("m g")
    r = vector(xc + length * sin(th), -length * cos(th))
    system = rt.System(kinetic=m / 2 * norm2(ddt(r)), potential=m * g * r[1], name="crane")
    return _problem(system, {"m": 2, "g": 9.81}, th=th, xc=xc, r=length)


def crane_trolley() -> Problem:
    """B8 (ii): trolley with mass, rope of constant length, a force on the trolley."""
    X, th = rt.coordinates("X theta")
    F = rt.input("F")
    M, m, l, g = rt.parameters("M m l g")
    r = vector(X + l * sin(th), -l * cos(th))
    system = rt.System(
        kinetic=M * ddt(X) ** 2 / 2 + m / 2 * norm2(ddt(r)), potential=m * g * r[1], forces={X: F}
    )
    return _problem(system, {"M": 5, "m": 2, "l": 1.5, "g": 9.81}, X=X, th=th, F=F)


def crane_rope() -> Problem:
    """B8 with trolley mass and prescribed rope length, in polar coordinates."""
    X, th = rt.coordinates("X theta")
    F, r = rt.inputs("F r")
    M, m, g = rt.parameters("M m g")
    load = vector(X + r * sin(th), -r * cos(th))
    system = rt.System(
        kinetic=M * ddt(X) ** 2 / 2 + m / 2 * norm2(ddt(load)), potential=m * g * load[1], forces={X: F}
    )
    return _problem(system, {"M": 5, "m": 2, "g": 9.81}, X=X, th=th, F=F, r=r)


def crane_hoist() -> Problem:
    """B8 (iii): trolley, free rope length with a hoist force, and angle."""
    X, r, th = rt.coordinates("X r theta")
    F, Fh = rt.inputs("F F_h")
    M, m, g = rt.parameters("M m g")
    load = vector(X + r * sin(th), -r * cos(th))
    system = rt.System(
        kinetic=M * ddt(X) ** 2 / 2 + m / 2 * norm2(ddt(load)),
        potential=m * g * load[1],
        forces={X: F, r: Fh},
    )
    return _problem(system, {"M": 5, "m": 2, "g": 9.81}, X=X, r=r, th=th, F=F, Fh=Fh)


def hub_arm_printed() -> Problem:
    """C1 with the energies as the source prints them: no real mechanism, but a good engine test."""
    p1, p2 = rt.coordinates("p1 p2")
    m, l, R, Om, k = rt.parameters("m l R Omega k")
    d1, d2 = ddt(p1), ddt(p2)
    half = sympy.Rational(1, 2)
    T2 = half * m * (2 * l**2 * d1**2 + l**2 * d2**2 + l**2 * d1 * (d1 + d2) * cos(p2))
    T1 = half * m * (
        4 * l**2 * Om * d1 + 2 * l**2 * Om * d2 + 2 * R * l * Om * d1 * cos(p1)
        + l**2 * Om * (2 * d1 + d2) * cos(p2) + R * l * Om * (d1 + d2) * cos(p1 + p2)
    )  # fmt: skip
    T0 = half * m * Om**2 * (
        2 * l**2 + R**2 + 2 * R * l * cos(p1) + l**2 * cos(p2) + R * l * cos(p1 + p2)
    )  # fmt: skip
    system = rt.System(kinetic=[T2, T1, T0], potential=k * (p1**2 + p2**2) / 2, name="hub and arm")
    return _problem(system, {"m": 1, "l": 1, "R": 0.5, "Omega": 2, "k": 3}, p1=p1, p2=p2)


def hub_arm(kind: str) -> Problem:
    """C1 from geometry: "tip" one tip mass (singular M), "points" C1b, "rods" C1c with tip mass."""
    p1, p2 = rt.coordinates("p1 p2")
    m, l, R, Om, k = rt.parameters("m l R Omega k")

    def e(angle: sympy.Expr) -> sympy.Expr:
        return vector(cos(Om * t + angle), sin(Om * t + angle))

    elbow = R * e(0) + l * e(p1)
    tip = elbow + l * e(p1 + p2)
    if kind == "tip":
        kinetic = [m / 2 * norm2(ddt(tip))]
    elif kind == "points":
        kinetic = [m / 2 * norm2(ddt(elbow)), m / 2 * norm2(ddt(tip))]
    else:
        rods = [((R * e(0) + elbow) / 2, Om + ddt(p1)), ((elbow + tip) / 2, Om + ddt(p1) + ddt(p2))]
        kinetic = [m / 2 * (norm2(ddt(c)) + l**2 / 12 * w**2) for c, w in rods]
        kinetic.append(rt.parameter("m_t") / 2 * norm2(ddt(tip)))
    system = rt.System(kinetic=kinetic, potential=k * (p1**2 + p2**2) / 2, name="hub and arm")
    values = {"m": 1, "l": 1, "R": 0.5, "Omega": 2, "k": 3}
    return _problem(system, values | ({"m_t": 1} if kind == "rods" else {}), p1=p1, p2=p2)


def accelerating_arm(with_hub: bool = False) -> Problem:
    """C2 and C2b: an arm on a drive of constant angular acceleration Omega, hub radius R or none."""
    ph = rt.coordinate("phi")
    m, l, k, Om = rt.parameters("m l k Omega")
    drive = Om * t**2 / 2
    if with_hub:
        R = rt.parameter("R")
        r = R * vector(cos(drive), sin(drive)) + l * vector(cos(drive + ph), sin(drive + ph))
        kinetic = m / 2 * norm2(ddt(r))
    else:
        kinetic = m * l**2 * (Om * t + ddt(ph)) ** 2 / 2
    system = rt.System(kinetic=kinetic, potential=k * ph**2 / 2, name="accelerating arm")
    values = {"m": 1.5, "l": 0.8, "k": 20, "Omega": 2.5} | ({"R": 0.3} if with_hub else {})
    return _problem(system, values, ph=ph)


def planar_arm() -> Problem:
    """D3: a planar two-link arm of uniform rods, relative angles, no gravity."""
    q1, q2 = rt.coordinates("q1 q2")
    m1, m2, l1, l2 = rt.parameters("m1 m2 l1 l2")
    c1 = l1 / 2 * vector(cos(q1), sin(q1))
    c2 = 2 * c1 + l2 / 2 * vector(cos(q1 + q2), sin(q1 + q2))
    w1, w2 = ddt(q1), ddt(q1) + ddt(q2)
    system = rt.System(
        kinetic=[
            m1 / 2 * norm2(ddt(c1)) + m1 * l1**2 / 24 * w1**2,
            m2 / 2 * norm2(ddt(c2)) + m2 * l2**2 / 24 * w2**2,
        ]
    )
    return _problem(system, {"m1": 1.5, "m2": 0.7, "l1": 1.1, "l2": 0.6}, q1=q1, q2=q2)


def pendulum_chain(n: int) -> Problem:
    """n links with point masses, absolute angles, positions as named intermediates."""
    angles = rt.coordinates(" ".join(f"theta{k}" for k in range(1, n + 1)))
    m, l, g = rt.parameters("m l g")
    r = vector(0, 0)
    kinetic, potential = [], []
    for k, theta in enumerate(angles, 1):
        r = rt.let(f"r{k}", r + l * vector(sin(theta), -cos(theta)))
        kinetic.append(m / 2 * norm2(ddt(r)))
        potential.append(m * g * r[1])
    system = rt.System(kinetic=kinetic, potential=potential, name=f"{n}-link pendulum")
    return _problem(system, {"m": 1, "l": 1, "g": 9.81}, angles=angles)


def bead_on_hoop() -> Problem:
    """A bead on a hoop that turns about its vertical diameter: pitchfork at omega^2 = g / R."""
    theta = rt.coordinate("theta")
    m, R, g, omega = rt.parameters("m R g omega")
    r = rotation(omega * t, axis=vector(0, 0, 1)) @ (R * vector(sin(theta), 0, -cos(theta)))
    system = rt.System(kinetic=m / 2 * norm2(ddt(r)), potential=m * g * r[2], name="bead on a hoop")
    return _problem(system, {"m": 1, "R": 1.2, "g": 9.81, "omega": 0.5}, theta=theta)


def ziegler(damped: bool) -> Problem:
    """Ziegler's column: masses 2 m and m, springs c, a load P that follows the second link."""
    phi1, phi2 = rt.coordinates("phi1 phi2")
    m, l, c, P, d = rt.parameters("m l c P d")
    r1 = l * vector(cos(phi1), sin(phi1))
    r2 = r1 + l * vector(cos(phi2), sin(phi2))
    loss = d / 2 * ddt(phi1) ** 2 + d / 2 * (ddt(phi2) - ddt(phi1)) ** 2
    system = rt.System(
        kinetic=m * norm2(ddt(r1)) + m / 2 * norm2(ddt(r2)),
        potential=c / 2 * phi1**2 + c / 2 * (phi2 - phi1) ** 2,
        dissipation=loss if damped else None,
        forces=[rt.force(-P * vector(cos(phi2), sin(phi2)), at=r2)],
        name="Ziegler's column",
    )
    values = {"m": 1, "l": 1, "c": 1, "P": 0.1} | ({"d": 1e-5} if damped else {})
    return _problem(system, values, phi1=phi1, phi2=phi2)


def gyroscopic_top_of_a_hill(damped: bool = False) -> Problem:
    """x'' + g y' - k1 x = 0, y'' - g x' - k2 y = 0: held by gyroscopic forces if g is large enough."""
    x, y = rt.coordinates("x y")
    g, k1, k2, d = rt.parameters("g k1 k2 d")
    system = rt.System(
        lagrangian=(ddt(x) ** 2 + ddt(y) ** 2) / 2
        - g / 2 * (x * ddt(y) - y * ddt(x))
        + (k1 * x**2 + k2 * y**2) / 2,
        dissipation=d / 2 * (ddt(x) ** 2 + ddt(y) ** 2) if damped else None,
        name="gyroscopic hill",
    )
    values = {"g": 2.5, "k1": 1, "k2": 1} | ({"d": 0.01} if damped else {})
    return _problem(system, values, x=x, y=y)


def buckling_chain(n: int) -> Problem:
    """n hinged links with springs c in the inner hinges under a load P along the line of the ends.

    Coordinates are the angles of the first n - 1 links; the last closes the height to zero.
    """
    heights = rt.coordinates(" ".join(f"y{k}" for k in range(1, n)))
    m, l, c, P = rt.parameters("m l c P")
    y = [sympy.S.Zero, *heights, sympy.S.Zero]
    angles = [rt.let(f"a{k}", rt.asin((y[k + 1] - y[k]) / l)) for k in range(n)]
    shortening = sum(l * (1 - cos(a)) for a in angles)
    system = rt.System(
        kinetic=[m / 2 * ddt(h) ** 2 for h in heights],
        potential=[c / 2 * (angles[k + 1] - angles[k]) ** 2 for k in range(n - 1)] + [-P * shortening],
        name=f"{n}-link column",
    )
    return _problem(system, {"m": 1, "l": 1, "c": 1, "P": 0.1}, heights=heights)


def spherical_pendulum() -> Problem:
    """Polar angle from below and azimuth; turning steadily it is the conical pendulum."""
    theta, phi = rt.coordinates("theta phi")
    m, l, g = rt.parameters("m l g")
    r = l * vector(sin(theta) * cos(phi), sin(theta) * sin(phi), -cos(theta))
    system = rt.System(kinetic=m / 2 * norm2(ddt(r)), potential=m * g * r[2], name="spherical pendulum")
    return _problem(system, {"m": 1, "l": 1.2, "g": 9.81}, theta=theta, phi=phi)


def heavy_top() -> Problem:
    """A symmetric top with a fixed point, by Euler's angles."""
    theta, phi, psi = rt.coordinates("theta phi psi")
    A, C, mgl = rt.parameters("A C mgl")
    spin = ddt(psi) + ddt(phi) * cos(theta)
    system = rt.System(
        kinetic=A / 2 * (ddt(theta) ** 2 + ddt(phi) ** 2 * sin(theta) ** 2) + C / 2 * spin**2,
        potential=mgl * cos(theta),
        name="heavy top",
    )
    return _problem(system, {"A": 1, "C": 0.5, "mgl": 2}, theta=theta, phi=phi, psi=psi)


def three_bodies() -> Problem:
    """Three bodies that attract each other, in a frame that turns at Omega."""
    q = rt.coordinates("x1 y1 x2 y2 x3 y3")
    G, Omega = rt.parameters("G Omega")
    masses = rt.parameters("m1 m2 m3")
    place = [vector(q[2 * k], q[2 * k + 1]) for k in range(3)]
    pairs = ((0, 1), (0, 2), (1, 2))
    system = rt.System(
        kinetic=[
            m / 2 * norm2(ddt(rotation(Omega * t) @ r)) for m, r in zip(masses, place, strict=True)
        ],
        potential=[-G * masses[i] * masses[j] / sqrt(norm2(place[i] - place[j])) for i, j in pairs],
        name="three bodies",
    )
    values = {"G": 1, "Omega": 1, "m1": 1, "m2": 2, "m3": 3}
    return _problem(system, values, q=q)


def two_bar_truss() -> Problem:
    """A shallow truss that snaps through: two springs k from the ends of the base 2 a to the top."""
    x = rt.coordinate("x")
    m, k, a, h, F = rt.parameters("m k a h F")
    stretch = sqrt(a**2 + x**2) - sqrt(a**2 + h**2)
    system = rt.System(
        kinetic=m / 2 * ddt(x) ** 2, potential=k * stretch**2 + F * x, name="two-bar truss"
    )
    return _problem(system, {"m": 1, "k": 100, "a": 1, "h": 0.3, "F": 0}, x=x)


def overhung_rotor() -> Problem:
    """A disc at the end of a shaft: deflections x, y and tilts, with the gyroscopic moment of its spin."""
    x, y, alpha, beta = rt.coordinates("x y alpha beta")
    m, Jd, Jp, k1, k2, k3 = rt.parameters("m J_d J_p k1 k2 k3")
    Omega = rt.parameter("Omega", unit="rad/s")
    system = rt.System(
        lagrangian=m / 2 * (ddt(x) ** 2 + ddt(y) ** 2)
        + Jd / 2 * (ddt(alpha) ** 2 + ddt(beta) ** 2)
        - Jp * Omega / 2 * (alpha * ddt(beta) - beta * ddt(alpha))
        - k1 / 2 * (x**2 + y**2)
        - k2 / 2 * (alpha**2 + beta**2)
        - k3 * (x * alpha + y * beta),
        name="overhung rotor",
    )
    values = {"m": 2, "J_d": 0.05, "J_p": 0.09, "k1": 900, "k2": 20, "k3": -60, "Omega": 10.0}
    return _problem(system, values, x=x, y=y, alpha=alpha, beta=beta)


def rolling_vehicle_parts() -> dict[str, Any]:
    """The arguments of a System: a body on four wheels, two of them steered, that roll on a plane.

    Each wheel is turned by yaw, pitch, roll, steering and spin; its angular velocity is R^T R'.
    """
    ex, ey, ez = vector(1, 0, 0), vector(0, 1, 0), vector(0, 0, 1)
    x, y, z, yaw, pitch, roll = rt.coordinates("x y z yaw pitch roll")
    m, inertia, m_w, J_w, r, a, b, k, g = rt.parameters("m I m_w J_w r a b k g")

    def spin(R: Any) -> Any:
        W = R.T @ ddt(R)
        return vector(W[2, 1], W[0, 2], W[1, 0])

    centre = vector(x, y, z)
    body = rotation(yaw, ez) @ rotation(pitch, ey) @ rotation(roll, ex)
    T = [m / 2 * norm2(ddt(centre)), inertia / 2 * norm2(spin(body))]
    V = [m * g * z, k * (z**2 + pitch**2 + roll**2) / 2]
    constraints = []
    for i in range(4):
        R, front = body, i < 2
        if front:
            steer = rt.coordinate(f"steer{i + 1}")
            R = R @ rotation(steer, ez)
            V.append(k * steer**2 / 2)
        ahead = R @ ex
        R = R @ rotation(rt.coordinate(f"spin{i + 1}"), ey)
        hub = centre + body @ vector(a if front else -a, b * (-1) ** i, 0)
        T += [m_w / 2 * norm2(ddt(hub)), J_w / 2 * norm2(spin(R))]
        contact = ddt(hub) + R @ rt.cross(spin(R), R.T @ vector(0, 0, -r))
        constraints.append(rt.dot(contact, ahead))
        if i == 2:
            constraints.append(rt.dot(contact, body @ ey))
    return {"kinetic": T, "potential": V, "constraints": constraints, "name": "vehicle"}
