"""Rests and linear rows of the worked examples as a textbook prints them, each beside the book's numbers.

Newton's iterates (A7), and the linear equations of systems whose matrices change with time (C3), in general.
"""

import numpy as np
import pytest
import sympy

import problems
import routh as rt
from book import assert_rows
from routh import ddt, norm2, rotation, t, vector
from sampling import assert_same

RESTS = {
    "pendulum": ["m*g*l*sin(theta) = 0", "solution: theta = 0", "solution: theta = pi"],
    "double_pendulum": [
        "m2*g*l2*sin(theta1 + theta2) + (m1 + m2)*g*l1*sin(theta1) = 0",
        "m2*g*l2*sin(theta1 + theta2) = 0",
        "solution: theta1 = 0, theta2 = 0",
        "solution: theta1 = pi, theta2 = pi",
        "solution: theta1 = pi, theta2 = 0",
        "solution: theta1 = 0, theta2 = pi",
    ],
    "rotating_spring_mass": [
        "k*x - m*Omega**2*(x + a) = 0",
        "solution if k != m*Omega**2: x = m*Omega**2*a/(k - m*Omega**2)",
    ],
    "accelerated_pendulum": [
        "m*l*(g*sin(theta) - A*cos(theta)) = 0",
        "solution: theta = atan2(A, g)",
        "solution: theta = atan2(A, g) + pi",
    ],
    "elastic_pendulum": [
        "k*(l - l0) - m*g*cos(theta) = 0",
        "m*g*l*sin(theta) = 0",
        "solution if -1 <= -k*l0/(m*g) <= 1: l = 0, theta = acos(-k*l0/(m*g))",
        "solution if -1 <= -k*l0/(m*g) <= 1: l = 0, theta = -acos(-k*l0/(m*g))",
        "solution: theta = 0, l = l0 + m*g/k",
        "solution: theta = pi, l = l0 - m*g/k",
    ],
    "pushed_pendulum": [
        "l*(m*g*sin(theta) - F*cos(theta)) = 0",
        "solution: theta = atan2(F, m*g)",
        "solution: theta = pi + atan2(F, m*g)",
    ],
    "accelerating_arm": ["k*phi + m*Omega*l**2 = 0", "solution: phi = -m*Omega*l**2/k"],
    "bead_on_hoop": [
        "m*R*(g - R*omega**2*cos(theta))*sin(theta) = 0",
        "solution if -1 <= g/(R*omega**2) <= 1: theta = acos(g/(R*omega**2))",
        "solution if -1 <= g/(R*omega**2) <= 1: theta = -acos(g/(R*omega**2))",
        "solution: theta = 0",
        "solution: theta = pi",
    ],
}


@pytest.fixture(scope="module")
def rests():
    made = {name: getattr(problems, name)() for name in RESTS}
    return {name: (p, rt.equilibrium_equations(p.system)) for name, p in made.items()}


@pytest.mark.parametrize("name", RESTS)
def test_the_conditions_of_rest_and_their_solutions(rests, name):
    """Every solution leaves nothing of Lagrange's equations with all velocities and accelerations zero."""
    problem, found = rests[name]
    assert str(found).splitlines() == RESTS[name]
    system = problem.system
    written = rt.equations(system, simplify=0).residual
    still = {ddt(q, k): 0 for q in system.coordinates for k in (1, 2)}
    at = {p: problem.values[p.name] for p in system.parameters} | dict.fromkeys(system.inputs, 4)
    if name in ("elastic_pendulum", "bead_on_hoop"):
        at |= {p: {"k": 5, "omega": 5}[p.name] for p in system.parameters if p.name in ("k", "omega")}
    for solution in found.solutions:
        left = written.subs(still).subs(solution).subs(at | {t: 0.7}).evalf(30)
        assert max(abs(complex(e)) for e in left) < 1e-12


def test_rests_of_the_examples_in_numbers(rests):
    expected = {
        "rotating_spring_mass": 0.0878048780487805,
        "accelerated_pendulum": 0.296778873080397,
        "pushed_pendulum": 0.201117383996941,
        "accelerating_arm": -1.5 * 0.8**2 * 2.5 / 20,
    }
    for name, number in expected.items():
        problem, found = rests[name]
        values = {p: problem.values[p.name] for p in problem.system.parameters}
        (value, *_) = found.solutions[0].values()
        here = value.subs(values | dict.fromkeys(problem.system.inputs, 4))
        assert float(here) == pytest.approx(number, rel=1e-12)


SMALL = {
    # name: (which solution, the matrices, omega^2 of the worked examples)
    "pendulum": (0, ["M = [m*l**2]", "K = [m*g*l]"], 9.81 / 1.5),
    "pendulum upright": (1, ["M = [m*l**2]", "K = [-m*g*l]"], -9.81 / 1.5),
    "rotating_spring_mass": (0, ["M = [m]", "K = [k - m*Omega**2]"], 41),
    "accelerated_pendulum": (0, ["M = [m*l**2]", "K = [m*l*sqrt(g**2 + A**2)]"], 8.54872066452051),
    "accelerated_pendulum upright": (
        1, ["M = [m*l**2]", "K = [-m*l*sqrt(g**2 + A**2)]"], -8.54872066452051,
    ),
    "elastic_pendulum": (
        2,
        ["M = [m, 0]", "    [0, m*(l0 + m*g/k)**2]", "K = [k, 0]", "    [0, (l0 + m*g/k)*m*g]"],
        7.87793615739811,
    ),
    "elastic_pendulum upright": (
        3,
        ["M = [m, 0]", "    [0, m*(l0 - m*g/k)**2]", "K = [k, 0]", "    [0, (m*g - k*l0)*m*g/k]"],
        -9.81 / (1 - 9.81 / 40),
    ),
    "pushed_pendulum": (
        0,
        ["M = [m*l**2]", "K = [l*sqrt(m**2*g**2 + F**2)]", "B = [m*g*l/sqrt(m**2*g**2 + F**2)]"],
        6.67453202687483,
    ),
    "accelerating_arm": (0, ["M = [m*l**2]", "K = [k]"], 20 / (1.5 * 0.8**2)),
}  # fmt: skip


@pytest.mark.parametrize("name", SMALL)
def test_linear_rows_about_a_rest_that_was_solved_for(rests, name):
    which, lines, square = SMALL[name]
    problem, found = rests[name.split()[0]]
    linear = rt.linear_equations(problem.system, found.solutions[which])
    assert str(linear).splitlines() == lines
    still = {ddt(u, k): 0 for u in problem.system.inputs for k in (1, 2)}
    assert all(sympy.simplify(e.subs(still)) == 0 for e in linear.residual)
    at = {p: problem.values[p.name] for p in problem.system.parameters}
    at |= dict.fromkeys(problem.system.inputs, 4)
    last = -1, -1
    assert float((linear.K[last] / linear.M[last]).subs(at)) == pytest.approx(square, rel=1e-12)


TURNING = {
    "hub_arm_printed": (
        ["M = [3*m*l**2, m*l**2/2]", "    [m*l**2/2, m*l**2]",
         "K = [k + 3*m*Omega**2*R*l/2, m*Omega**2*R*l/2]",
         "    [m*Omega**2*R*l/2, k + (R + l)*m*Omega**2*l/2]"],
        [2, 70 / 11],
    ),
    "tip": (
        ["M = [4*m*l**2, 2*m*l**2]", "    [2*m*l**2, m*l**2]",
         "K = [k + 2*m*Omega**2*R*l, m*Omega**2*R*l]",
         "    [m*Omega**2*R*l, k + (R + l)*m*Omega**2*l]"],
        [59 / 35],
    ),
    "points": (
        ["M = [5*m*l**2, 2*m*l**2]", "    [2*m*l**2, m*l**2]",
         "K = [k + 3*m*Omega**2*R*l, m*Omega**2*R*l]",
         "    [m*Omega**2*R*l, k + (R + l)*m*Omega**2*l]"],
        [1.73970837453070, 44.2602916254693],
    ),
    "double_pendulum_absolute": (
        ["M = [2*m*l**2, m*l**2]", "    [m*l**2, m*l**2]", "K = [2*m*g*l, 0]", "    [0, m*g*l]"],
        [(2 - 2**0.5) * 9.81 / 1.2, (2 + 2**0.5) * 9.81 / 1.2],
    ),
    "crane_trolley": (
        ["M = [M + m, m*l]", "    [m*l, m*l**2]", "K = [0, 0]", "    [0, m*g*l]", "B = [1]", "    [0]"],
        [0, 9.81 * 7 / 7.5],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", TURNING)
def test_linear_rows_of_two_coordinates(name):
    """B7, B8 and C1, whose mass matrix is singular where the arm has one mass at its tip."""
    lines, squares = TURNING[name]
    kind = name in ("tip", "points")
    problem = problems.hub_arm(name) if kind else getattr(problems, name)()
    linear = rt.linear_equations(problem.system, dict.fromkeys(problem.system.coordinates, 0))
    assert str(linear).splitlines() == lines
    at = {p: sympy.nsimplify(problem.values[p.name]) for p in problem.system.parameters}
    z = sympy.Symbol("z")
    found = sympy.Poly((linear.K - z * linear.M).subs(at).det(), z).nroots()
    np.testing.assert_allclose([float(each) for each in sorted(found)], squares, rtol=1e-12)


def test_b8_the_hauled_rope_damps_or_drives():
    p = problems.crane_prescribed()
    linear = rt.linear_equations(p.system, {p.th: 0, p.r: p.r, p.xc: 0})
    assert str(linear).splitlines() == ["M = [m*r**2]", "D = [2*m*r*r']", "K = [m*g*r]", "B = [-m*r]"]
    assert linear.inputs == (ddt(p.xc, 2),)
    assert_same(linear.D[0], ddt(linear.M[0]))  # C comes from dM/dt


def test_c1_the_equations_of_the_arm_from_its_geometry():
    p = problems.hub_arm("points")
    lines = [
        "p1: m*l**2*p1''*(2*cos(p2) + 3) + m*l**2*p2''*(cos(p2) + 1) - m*l**2*p2'*(2*p1'"
        " + p2')*sin(p2) - 2*m*Omega*l**2*p2'*sin(p2) + k*p1 + m*Omega**2*R*l*(2*sin(p1)"
        " + sin(p1 + p2)) = 0",
        "p2: m*l**2*p1''*(cos(p2) + 1) + m*l**2*p2'' + m*l**2*p1'**2*sin(p2)"
        " + 2*m*Omega*l**2*p1'*sin(p2) + k*p2 + m*Omega**2*l*(R*sin(p1 + p2) + l*sin(p2)) = 0",
    ]
    m, l, R, Om, k = (p.symbols[name] for name in ("m", "l", "R", "Omega", "k"))
    p1, p2 = p.p1, p.p2
    first, both = Om + ddt(p1), Om + ddt(p1) + ddt(p2)
    cos = rt.cos
    elbow = m * (l**2 * first**2 + R**2 * Om**2 + 2 * R * l * Om * first * cos(p1)) / 2
    far = m * (
        R**2 * Om**2 + l**2 * first**2 + l**2 * both**2 + 2 * R * l * Om * first * cos(p1)
        + 2 * R * l * Om * both * cos(p1 + p2) + 2 * l**2 * first * both * cos(p2)
    ) / 2  # fmt: skip
    L = elbow + far - k * (p1**2 + p2**2) / 2
    assert_rows(rt.equations(p.system), lines, [ddt(L.diff(ddt(q))) - L.diff(q) for q in (p1, p2)])


def test_c2_with_a_hub_the_equation_contains_time():
    p = problems.accelerating_arm(with_hub=True)
    m, l, k, Om, R, ph = (p.symbols[name] for name in ("m", "l", "k", "Omega", "R", "ph"))
    book = m * l**2 * (ddt(ph, 2) + Om) + k * ph
    book += m * R * l * (Om * rt.cos(ph) + Om**2 * t**2 * rt.sin(ph))
    line = "phi: m*l**2*phi'' + k*phi + m*Omega*l*(R*(Omega*t**2*sin(phi) + cos(phi)) + l) = 0"
    assert_rows(rt.equations(p.system), [line], [book])
    remark = rt.equilibrium_equations(p.system).remark
    assert remark == "The equations contain time, and no solution was looked for."


@pytest.mark.slow
def test_a7_newtons_iterates():
    p = problems.coupled_pendulums()
    rest = rt.equilibrium(p.system, p.values, guess={p.th1: 0.3, p.th2: -0.2})
    section = rt.derive(rest)["Newton's method"]
    assert section.formulas[0].text == "q_new = q - (dr/dq)^-1 r"
    rows = [line.split() for line in section.text().splitlines() if line.strip()[:1].isdigit()]
    assert rows[:4] == [
        ["0", "0.3", "-0.2", "15.575"],
        ["1", "-0.1129595518", "-0.06008830444", "2.0792"],
        ["2", "0.001053415355", "0.0003497868176", "0.024784"],
        ["3", "-1.198149656e-09", "-4.814878972e-10", "2.5974e-08"],
    ]
    r = rt.equations(p.system, simplify=0).residual.subs({ddt(q, 2): 0 for q in p.system.coordinates})
    r = r.subs({s: sympy.Rational(str(p.values[s.name])) for s in p.system.parameters})
    q = sympy.Matrix([sympy.Rational(3, 10), -sympy.Rational(2, 10)])
    for row in rows[:4]:  # the formula with 40 digits
        at = dict(zip(p.system.coordinates, q, strict=True))
        left = r.subs(at).evalf(40)
        printed = [float(x) for x in row[1:]]
        np.testing.assert_allclose([*map(float, q), float(left.norm())], printed, rtol=5e-5)
        q = (q - r.jacobian(p.system.coordinates).subs(at).evalf(40).LUsolve(left)).evalf(40)


# C3 ---------------------------------------------------------------------------------------------------


def test_c3_the_linear_equations_of_a_rheonomic_system_in_general():
    """M q'' + (M' + f^T - f) q' + (f'^T + k) q = 0 with f_ij = d2T1/dq_i dv_j, all functions of time."""
    q = rt.coordinates("q1 q2")

    def square(name, symmetric):
        places = [(1, 1), (1, 2), (1, 2) if symmetric else (2, 1), (2, 2)]
        return sympy.Matrix(2, 2, [sympy.Function(f"{name}{i}{j}")(t) for i, j in places])

    M, f, k = square("m", True), square("f", False), square("k", True)
    x, v, a = (sympy.Matrix([ddt(c, order) for c in q]) for order in (0, 1, 2))
    system = rt.System(lagrangian=((v.T * M * v + 2 * x.T * f * v - x.T * k * x) / 2)[0])
    assert str(rt.equations(system)).splitlines() == [
        "q1: q1''*m11(t) + q2''*m12(t) + m11'(t)*q1' + q2'*(m12'(t) - f12(t) + f21(t))"
        " + q1*(f11'(t) + k11(t)) + q2*(f21'(t) + k12(t)) = 0",
        "q2: q1''*m12(t) + q2''*m22(t) + m22'(t)*q2' + q1'*(m12'(t) + f12(t) - f21(t))"
        " + q1*(f12'(t) + k12(t)) + q2*(f22'(t) + k22(t)) = 0",
    ]
    linear = rt.linear_equations(system, dict.fromkeys(q, 0))
    assert str(linear).splitlines()[-4:] == [
        "K = [f11'(t) + k11(t), f12'(t)/2 + f21'(t)/2 + k12(t)]",
        "    [f12'(t)/2 + f21'(t)/2 + k12(t), f22'(t) + k22(t)]",
        "H = [0, f21'(t)/2 - f12'(t)/2]",
        "    [f12'(t)/2 - f21'(t)/2, 0]",
    ]
    book = M * a + (M.diff(t) + f.T - f) * v + (f.diff(t).T + k) * x
    for mine, other in zip(rt.equations(system).residual, book, strict=True):
        assert sympy.expand(mine - other) == 0
    assert (linear.D + linear.G - M.diff(t) - f.T + f).expand() == sympy.zeros(2, 2)
    assert (linear.H - (f.T - f).diff(t) / 2).expand() == sympy.zeros(2, 2)  # half of the rate of G


def test_c3_a_table_that_turns_faster_and_faster():
    x, y = rt.coordinates("x y")
    m, k1, k2, alpha = rt.parameters("m k1 k2 alpha")
    r = rotation(alpha * t**2 / 2) @ vector(x, y)
    table = rt.System(kinetic=m / 2 * norm2(ddt(r)), potential=k1 * x**2 + k2 * y**2)
    w = alpha * t
    assert_rows(
        rt.equations(table),
        [
            "x: m*x'' - 2*m*alpha*t*y' + 2*k1*x - m*alpha*(alpha*t**2*x + y) = 0",
            "y: m*y'' + 2*m*alpha*t*x' + 2*k2*y + m*alpha*(x - alpha*t**2*y) = 0",
        ],
        [
            m * (ddt(x, 2) - 2 * w * ddt(y) - alpha * y - w**2 * x) + 2 * k1 * x,
            m * (ddt(y, 2) + 2 * w * ddt(x) + alpha * x - w**2 * y) + 2 * k2 * y,
        ],
    )
    assert str(rt.linear_equations(table, {x: 0, y: 0})).splitlines()[2:] == [
        "G = [0, -2*m*alpha*t]",
        "    [2*m*alpha*t, 0]",
        "K = [2*k1 - m*alpha**2*t**2, 0]",
        "    [0, 2*k2 - m*alpha**2*t**2]",
        "H = [0, -m*alpha]",
        "    [m*alpha, 0]",
    ]
