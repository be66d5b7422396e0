"""Final forms of the worked examples, word by word as a textbook prints them.

Where the texts of each are pinned, and the model or script in examples/ (labels: docs/worked_examples.md; there is no C6):

| example | texts | example to run |
|---|---|---|
| A1, B1 pendulum | test_textbook, test_textbook_rests | pendulum |
| A2 double pendulum | test_textbook (also its four linear models), test_textbook_rests | double_pendulum |
| A3 coupled pendulums | test_textbook | coupled_pendulums |
| A4 rotating mass | test_textbook, test_textbook_rests, test_textbook_energies (F3) | rotating_mass |
| A5 accelerated pendulum | test_textbook, test_textbook_rests, test_textbook_energies (F4) | accelerated_pendulum |
| A6 turning table, C4 in momenta | test_textbook, test_textbook_energies | turning_table, table_with_springs |
| A7 Newton's iterates | test_textbook_rests | coupled_pendulums |
| B2 elastic pendulum | test_textbook, test_textbook_rests | elastic_pendulum |
| B3, B4 held pendulum | test_textbook_constraints | length_angle_pendulum, cartesian_pendulum |
| B5 inclined plane | test_textbook | inclined_plane |
| B6 pushed pendulum | test_textbook, test_textbook_rests | pushed_pendulum |
| B7 double pendulum, absolute | test_textbook, test_textbook_rests | double_pendulum_absolute |
| B7 in Cartesian coordinates | test_textbook_constraints | cartesian_double_pendulum |
| B8 cranes | test_textbook, test_textbook_rests | prescribed_crane, crane, hoisting_crane |
| B8 in Cartesian coordinates | test_textbook_constraints | reeled_crane |
| C1 hub with two links | test_textbook, test_textbook_rests | two_link_hub, tip_mass_hub, rod_arm_hub |
| C2 accelerated arm | test_textbook, test_textbook_rests | accelerated_arm, accelerated_hub |
| C3 rheonomic systems | test_textbook_rests | accelerated_table |
| C5 T-structure | test_textbook_fields, test_fields | t_structure |
| C7 hub with an arm | test_textbook_fields | hub_beam |
| C8 rotating beam | test_textbook_fields, test_shown_rows | rotating_beam |
| C9 shaken beam | test_textbook_fields, test_shown_rows | shaken_beam |
| C10 mixed terms | test_shown_rows | graded_foundation |
| moving string | test_textbook_fields | moving_string |
| D1 mass, D2 spring | test_textbook_energies | relativistic_particle, hardening_spring |
| D3 rods | test_textbook, test_textbook_energies | two_rod_arm |
| D4 virtual work | test_textbook_energies | inclined_plane, pushed_pendulum |
| D5 Rayleigh function | test_textbook_energies | tuned_mass_damper |
| D6 action | test_textbook_energies | action_oscillator |
| D7 split of matrices | test_textbook_energies | circulatory_forces |
| D8 friction | test_textbook_energies | stick_slip |
| bead on a hoop | test_textbook, test_textbook_rests | bead_on_hoop |
| spherical pendulum | test_textbook, test_textbook_three_dimensions | spherical_pendulum |
| heavy top | test_textbook, test_textbook_three_dimensions | spinning_top, hamilton_heavy_top |
| Furuta's pendulum | test_textbook_three_dimensions | furuta_pendulum |
| rolling disc, sleigh | test_textbook_constraints | rolling_disc |
| double pendulum's H | test_textbook_energies, test_quadratic_inverse | double_pendulum |
"""

from pathlib import Path

import pytest
import sympy

import problems
import routh as rt

ROWS = {
    "pendulum": [
        "theta: m*l**2*theta'' + m*g*l*sin(theta) = 0",
    ],
    "double_pendulum": [
        "theta1: theta1''*(2*m2*l1*l2*cos(theta2) + m2*l2**2 + (m1 + m2)*l1**2)"
        " + m2*l2*theta2''*(l1*cos(theta2) + l2) - m2*l1*l2*theta2'*(2*theta1'"
        " + theta2')*sin(theta2) + m2*g*l2*sin(theta1 + theta2) + (m1 + m2)*g*l1*sin(theta1) = 0",
        "theta2: m2*l2*theta1''*(l1*cos(theta2) + l2) + m2*l2**2*theta2''"
        " + m2*l1*l2*theta1'**2*sin(theta2) + m2*g*l2*sin(theta1 + theta2) = 0",
    ],
    "coupled_pendulums": [
        "theta1: m*l**2*theta1'' + k*D*a*(D*cos(theta1) - a*sin(theta1"
        " - theta2))/sqrt((a*cos(theta2) - a*cos(theta1))**2 + (a*sin(theta2) - a*sin(theta1)"
        " + D)**2) + k*a*(a*sin(theta1 - theta2) - D*cos(theta1)) + m*g*l*sin(theta1) = 0",
        "theta2: m*l**2*theta2'' + k*D*a*(a*sin(theta1 - theta2)"
        " - D*cos(theta2))/sqrt((a*cos(theta2) - a*cos(theta1))**2 + (a*sin(theta2)"
        " - a*sin(theta1) + D)**2) + k*a*(D*cos(theta2) - a*sin(theta1 - theta2))"
        " + m*g*l*sin(theta2) = 0",
    ],
    "rotating_spring_mass": [
        "x: m*x'' + k*x - m*Omega**2*(x + a) = 0",
    ],
    "accelerated_pendulum": [
        "theta: m*l**2*theta'' + m*l*(g*sin(theta) - A*cos(theta)) = 0",
    ],
    "rotating_table": [
        "x: m*x'' + c1*(x + R)*(x'*(x + R) + y*y')/(y**2 + (x + R)**2) - 2*m*Omega*y'"
        " + k1*R*(R - x)/sqrt(y**2 + (R - x)**2) - k1*R*(x + R)/sqrt(y**2 + (x + R)**2)"
        " - k2*R*x/sqrt(x**2 + (y + R)**2) - k2*R*x/sqrt(x**2 + (R - y)**2) + (2*k1 + 2*k2"
        " - m*Omega**2)*x = 0",
        "y: m*y'' + c1*y*(x'*(x + R) + y*y')/(y**2 + (x + R)**2) + 2*m*Omega*x'"
        " - k1*R*y/sqrt(y**2 + (x + R)**2) - k1*R*y/sqrt(y**2 + (R - x)**2) + k2*R*(R"
        " - y)/sqrt(x**2 + (R - y)**2) - k2*R*(y + R)/sqrt(x**2 + (y + R)**2) + (2*k1 + 2*k2"
        " - m*Omega**2)*y = 0",
    ],
    "elastic_pendulum": [
        "l: m*l'' - m*l*theta'**2 + k*(l - l0) - m*g*cos(theta) = 0",
        "theta: m*l**2*theta'' + 2*m*l*l'*theta' + m*g*l*sin(theta) = 0",
    ],
    "inclined_plane": [
        "v: m*v'' - m*g*sin(slope) = 0",
    ],
    "pushed_pendulum": [
        "theta: m*l**2*theta'' + m*g*l*sin(theta) - l*F*cos(theta) = 0",
    ],
    "double_pendulum_absolute": [
        "phi1: 2*m*l**2*phi1'' + m*l**2*phi2''*cos(phi1 - phi2) + m*l**2*phi2'**2*sin(phi1"
        " - phi2) + 2*m*g*l*sin(phi1) = 0",
        "phi2: m*l**2*phi1''*cos(phi1 - phi2) + m*l**2*phi2'' - m*l**2*phi1'**2*sin(phi1"
        " - phi2) + m*g*l*sin(phi2) = 0",
    ],
    "crane_prescribed": [
        "theta: m*r**2*theta'' + 2*m*r*r'*theta' + m*r*(g*sin(theta) + x_c''*cos(theta)) = 0",
    ],
    "crane_trolley": [
        "X: (M + m)*X'' + m*l*theta''*cos(theta) - m*l*theta'**2*sin(theta) - F = 0",
        "theta: m*l*X''*cos(theta) + m*l**2*theta'' + m*g*l*sin(theta) = 0",
    ],
    "crane_hoist": [
        "X: (M + m)*X'' + m*r''*sin(theta) + m*r*theta''*cos(theta)"
        " + m*theta'*(2*r'*cos(theta) - r*theta'*sin(theta)) - F = 0",
        "r: m*X''*sin(theta) + m*r'' - m*r*theta'**2 - m*g*cos(theta) - F_h = 0",
        "theta: m*X''*r*cos(theta) + m*r**2*theta'' + 2*m*r*r'*theta' + m*g*r*sin(theta) = 0",
    ],
    "hub_arm_printed": [
        "p1: m*l**2*p1''*(cos(p2) + 2) + m*l**2*p2''*cos(p2)/2 - m*l**2*p2'*(2*p1'"
        " + p2')*sin(p2)/2 - m*Omega*l**2*p2'*sin(p2) + k*p1 + m*Omega**2*R*l*(sin(p1)"
        " + sin(p1 + p2)/2) = 0",
        "p2: m*l**2*p1''*cos(p2)/2 + m*l**2*p2'' + m*l**2*p1'**2*sin(p2)/2"
        " + m*Omega*l**2*p1'*sin(p2) + k*p2 + m*Omega**2*l*(R*sin(p1 + p2) + l*sin(p2))/2 = 0",
    ],
    "accelerating_arm": [
        "phi: m*l**2*phi'' + k*phi + m*Omega*l**2 = 0",
    ],
    "planar_arm": [
        "q1: q1''*(m2*l1*(l2*cos(q2) + l1) + m1*l1**2/3 + m2*l2**2/3)"
        " + m2*l2*q2''*(3*l1*cos(q2) + 2*l2)/6 - m2*l1*l2*q2'*(2*q1' + q2')*sin(q2)/2 = 0",
        "q2: m2*l2*q1''*(3*l1*cos(q2) + 2*l2)/6 + m2*l2**2*q2''/3 + m2*l1*l2*q1'**2*sin(q2)/2 = 0",
    ],
    "bead_on_hoop": [
        "theta: m*R**2*theta'' + m*R*(g - R*omega**2*cos(theta))*sin(theta) = 0",
    ],
    "spherical_pendulum": [
        "theta: m*l**2*theta'' - m*l**2*phi'**2*sin(theta)*cos(theta) + m*g*l*sin(theta) = 0",
        "phi: m*l**2*phi''*sin(theta)**2 + m*l**2*phi'*theta'*sin(2*theta) = 0",
    ],
    "heavy_top": [
        "theta: A*theta'' + phi'*(C*psi' + (C - A)*phi'*cos(theta))*sin(theta) - mgl*sin(theta) = 0",
        "phi: phi''*((C - A)*cos(theta)**2 + A) + C*psi''*cos(theta) + theta'*(2*(A"
        " - C)*phi'*cos(theta) - C*psi')*sin(theta) = 0",
        "psi: C*phi''*cos(theta) + C*psi'' - C*phi'*theta'*sin(theta) = 0",
    ],
}


@pytest.mark.parametrize("name", ROWS)
def test_equations_of_motion(name):
    assert str(rt.equations(getattr(problems, name)().system)).splitlines() == ROWS[name]


def rests(p, *values):
    return dict(zip(p.system.coordinates, values, strict=True))


def test_linear_equations_of_the_double_pendulum_at_its_four_rests():
    p = problems.double_pendulum()
    texts = {
        (0, 0): "M = [m1*l1**2 + m2*(l1 + l2)**2, (l1 + l2)*m2*l2]\n"
        "    [(l1 + l2)*m2*l2, m2*l2**2]\n"
        "K = [m2*g*l2 + (m1 + m2)*g*l1, m2*g*l2]\n"
        "    [m2*g*l2, m2*g*l2]",
        (sympy.pi, 0): "M = [m1*l1**2 + m2*(l1 + l2)**2, (l1 + l2)*m2*l2]\n"
        "    [(l1 + l2)*m2*l2, m2*l2**2]\n"
        "K = [-m2*g*l2 - (m1 + m2)*g*l1, -m2*g*l2]\n"
        "    [-m2*g*l2, -m2*g*l2]",
        (sympy.pi, sympy.pi): "M = [m1*l1**2 + m2*(l1 - l2)**2, (l2 - l1)*m2*l2]\n"
        "    [(l2 - l1)*m2*l2, m2*l2**2]\n"
        "K = [m2*g*l2 - (m1 + m2)*g*l1, m2*g*l2]\n"
        "    [m2*g*l2, m2*g*l2]",
        (0, sympy.pi): "M = [m1*l1**2 + m2*(l1 - l2)**2, (l2 - l1)*m2*l2]\n"
        "    [(l2 - l1)*m2*l2, m2*l2**2]\n"
        "K = [(m1 + m2)*g*l1 - m2*g*l2, -m2*g*l2]\n"
        "    [-m2*g*l2, -m2*g*l2]",
    }
    for at, expected in texts.items():
        assert str(rt.linear_equations(p.system, rests(p, *at))) == expected


def test_linear_equations_of_coupled_pendulums_and_of_the_turning_table():
    p = problems.coupled_pendulums()
    assert str(rt.linear_equations(p.system, rests(p, 0, 0))) == (
        "M = [m*l**2, 0]\n    [0, m*l**2]\nK = [k*a**2 + m*g*l, -k*a**2]\n    [-k*a**2, k*a**2 + m*g*l]"
    )
    p = problems.rotating_table()
    found = rt.linear_equations(p.system, rests(p, 0, 0))
    assert str(found).splitlines()[:6] == [
        "M = [m, 0]", "    [0, m]", "D = [c1, 0]", "    [0, 0]", "G = [0, -2*m*Omega]",
        "    [2*m*Omega, 0]",
    ]  # fmt: skip
    R = next(s for s in p.system.parameters if s.name == "R")
    assert str(found.K.subs(R, sympy.Symbol("R", positive=True))) == (
        "Matrix([[-Omega**2*m + 2*k1, 0], [0, -Omega**2*m + 2*k2]])"
    )


def test_the_table_names_what_there_is():
    root = Path(__file__).parents[2]
    tests = {path.stem for path in (root / "tests").rglob("test_*.py")}
    runs = {path.stem for path in (root / "examples").rglob("*") if path.suffix in (".py", ".toml")}
    rows = [line.strip("| ").split(" | ") for line in __doc__.splitlines() if line.startswith("| ")][1:]
    for _, texts, examples in rows:
        assert {each.split()[0] for each in texts.split(", ")} <= tests
        assert set(examples.split(", ")) <= runs
