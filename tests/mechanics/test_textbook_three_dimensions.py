"""Tops and pendulums in space, as a textbook prints them: Hamilton's function, the Routhian, Furuta's pendulum."""

import numpy as np
import pytest
import sympy

import problems
import routh as rt
from book import assert_rates, assert_rows, assert_says, names
from routh import cos, ddt, norm2, rotation, sin, vector


@pytest.fixture(scope="module")
def top():
    return problems.heavy_top()


def amended(p, p_phi, p_psi):
    """The amended potential: what the momenta store, and the weight."""
    A, C, mgl, theta = p.A, p.C, p.mgl, p.theta
    turn = (p_phi - p_psi * cos(theta)) ** 2 / (2 * A * sin(theta) ** 2)
    return turn + p_psi**2 / (2 * C) + mgl * cos(theta)


def test_the_heavy_top_in_momenta(top):
    found = rt.hamiltonian(top.system)
    p_theta, p_phi, p_psi = found.momenta
    A, C, theta = top.A, top.C, top.theta
    phi_rate = (p_phi - p_psi * cos(theta)) / (A * sin(theta) ** 2)
    assert_rates(
        found,
        [
            "H = mgl*cos(theta) + p_psi**2/(2*C) + p_theta**2/(2*A)"
            " + (p_phi - p_psi*cos(theta))**2/(2*A*sin(theta)**2)",
            "theta' = p_theta/A",
            "phi' = (p_phi - p_psi*cos(theta))/(A*sin(theta)**2)",
            "psi' = p_psi/C - (p_phi - p_psi*cos(theta))*cos(theta)/(A*sin(theta)**2)",
            "p_phi' = 0",
            "p_psi' = 0",
        ],
        [
            p_theta**2 / (2 * A) + amended(top, p_phi, p_psi),
            p_theta / A, phi_rate, p_psi / C - phi_rate * cos(theta), 0, 0,
        ],
        *found.momenta,
    )  # fmt: skip
    force = -amended(top, p_phi, p_psi).diff(theta)
    line = next(line for line in str(found).splitlines() if line.startswith("p_theta' = "))
    assert_says(line, names(top.system, *found.momenta), force, right=True)
    book = (p_phi - p_psi * cos(theta)) * (p_phi * cos(theta) - p_psi) / (A * sin(theta) ** 3)
    assert sympy.simplify(force - book - top.mgl * sin(theta)) == 0


def test_the_heavy_top_by_its_routhian(top):
    found = rt.routhian(top.system, [top.phi, top.psi])
    p_phi, p_psi = (found.momenta[q] for q in (top.phi, top.psi))
    lines = str(found).splitlines()
    assert lines == [
        "R = A*theta'**2/2 - mgl*cos(theta) - (p_phi - p_psi*cos(theta))**2/(2*A*sin(theta)**2)"
        " - p_psi**2/(2*C)",
        "phi' = (p_phi - p_psi*cos(theta))/(A*sin(theta)**2)",
        "psi' = p_psi/C - (p_phi - p_psi*cos(theta))*cos(theta)/(A*sin(theta)**2)",
    ]
    A, theta = top.A, top.theta
    known = names(top.system, p_phi, p_psi)
    V = amended(top, p_phi, p_psi)
    assert_says(lines[0], known, A * ddt(theta) ** 2 / 2 - V, right=True)
    (row,) = str(rt.equations(found.system)).splitlines()
    assert row == (
        "theta: A*theta'' - mgl*sin(theta)"
        " - (p_phi - p_psi*cos(theta))*(p_phi*cos(theta) - p_psi)/(A*sin(theta)**3) = 0"
    )
    assert_says(row, names(found.system, p_phi, p_psi), A * ddt(theta, 2) + V.diff(theta))


def test_the_spherical_pendulum_in_momenta_and_by_its_routhian():
    p = problems.spherical_pendulum()
    found = rt.hamiltonian(p.system)
    p_theta, p_phi = found.momenta
    m, l, g, theta = p.m, p.l, p.g, p.theta
    H = (p_theta**2 + p_phi**2 / sin(theta) ** 2) / (2 * m * l**2) - m * g * l * cos(theta)
    assert_rates(
        found,
        [
            "H = p_phi**2/(2*m*l**2*sin(theta)**2) - m*g*l*cos(theta) + p_theta**2/(2*m*l**2)",
            "theta' = p_theta/(m*l**2)",
            "phi' = p_phi/(m*l**2*sin(theta)**2)",
            "p_theta' = p_phi**2*cos(theta)/(m*l**2*sin(theta)**3) - m*g*l*sin(theta)",
            "p_phi' = 0",
        ],
        [H, H.diff(p_theta), H.diff(p_phi), -H.diff(theta), 0],
        p_theta, p_phi,
    )  # fmt: skip
    reduced = rt.routhian(p.system, p.phi)
    line = "R = m*l**2*theta'**2/2 + m*g*l*cos(theta) - p_phi**2/(2*m*l**2*sin(theta)**2)"
    assert str(reduced).splitlines()[0] == line
    own = reduced.momenta[p.phi]
    book = m * l**2 * ddt(theta) ** 2 / 2 - H.subs({p_theta: 0, p_phi: own})
    assert_says(line, names(p.system, own), book, right=True)


def furuta():
    phi, theta = rt.coordinates("phi theta")
    J, m, R, l, g = rt.parameters("J m R l g")
    u = rt.input("u")
    tip = rotation(phi, vector(0, 0, 1)) @ vector(R, l * sin(theta), -l * cos(theta))
    system = rt.System(
        kinetic=[J / 2 * ddt(phi) ** 2, m / 2 * norm2(ddt(tip))],
        potential=m * g * tip[2],
        forces={phi: u},
        name="Furuta pendulum",
    )
    return system, (phi, theta), (J, m, R, l, g), u


def test_furutas_pendulum():
    """Its equations, written out by hand."""
    system, (phi, theta), (J, m, R, l, g), u = furuta()
    d, w = ddt(phi), ddt(theta)
    assert_rows(
        rt.equations(system),
        [
            "phi: phi''*(m*(l**2*sin(theta)**2 + R**2) + J) + m*R*l*theta''*cos(theta)"
            " + m*l*theta'*(2*l*phi'*cos(theta) - R*theta')*sin(theta) - u = 0",
            "theta: m*R*l*phi''*cos(theta) + m*l**2*theta'' - m*l**2*phi'**2*sin(theta)*cos(theta)"
            " + m*g*l*sin(theta) = 0",
        ],
        [
            (J + m * R**2 + m * l**2 * sin(theta) ** 2) * ddt(phi, 2)
            + m * R * l * ddt(theta, 2) * cos(theta)
            + m * l**2 * sin(2 * theta) * d * w
            - m * R * l * w**2 * sin(theta)
            - u,
            m * R * l * ddt(phi, 2) * cos(theta)
            + m * l**2 * ddt(theta, 2)
            - m * l**2 * d**2 * sin(2 * theta) / 2
            + m * g * l * sin(theta),
        ],
    )
    upright = rt.linear_equations(system, {phi: 0, theta: sympy.pi})
    assert str(upright).splitlines() == [
        "M = [J + m*R**2, -m*R*l]", "    [-m*R*l, m*l**2]", "K = [0, 0]", "    [0, -m*g*l]",
        "B = [1]", "    [0]",
    ]  # fmt: skip
    at = {J: 0.02, m: 0.1, R: 0.3, l: 0.25, g: 9.81}
    M, K = (np.array(X.subs(at), dtype=float) for X in (upright.M, upright.K))
    fall = max(np.linalg.eigvals(np.linalg.solve(M, -K)).real)
    assert fall == pytest.approx(9.81 * (0.02 + 0.1 * 0.09) / (0.25 * 0.02), rel=1e-12)


def test_furutas_pendulum_by_its_routhian():
    system, (phi, theta), (J, m, R, l, g), _ = furuta()
    found = rt.routhian(system.changed(forces=None), phi)
    p = found.momenta[phi]
    lines = str(found).splitlines()
    assert lines == [
        "R = m*l**2*theta'**2/2 - (p_phi - m*R*l*theta'*cos(theta))**2/(2*m*(l**2*sin(theta)**2"
        " + R**2) + 2*J) + m*g*l*cos(theta)",
        "phi' = (p_phi - m*R*l*theta'*cos(theta))/(m*(l**2*sin(theta)**2 + R**2) + J)",
    ]
    inertia = J + m * R**2 + m * l**2 * sin(theta) ** 2
    pull = p - m * R * l * ddt(theta) * cos(theta)
    book = m * l**2 * ddt(theta) ** 2 / 2 - pull**2 / (2 * inertia) + m * g * l * cos(theta)
    known = names(system, p)
    assert_says(lines[0], known, book, right=True)
    assert_says(lines[1], known, pull / inertia, right=True)
