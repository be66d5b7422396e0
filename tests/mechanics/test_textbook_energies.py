"""Energies, transforms and forces as a textbook prints them: D1 to D8, and the Hamiltonians of C4, F3 and F4.

Each text stands beside the formula of the book, or beside the numbers of the worked examples.
"""

import numpy as np
import pytest
import sympy

import problems
import routh as rt
from book import assert_rates, assert_rows, assert_says, names
from routh import cos, ddt, sin, sqrt, t

x, e = rt.coordinates("x e")
m, k, beta = rt.parameters("m k beta")
v = ddt(x)


def test_d1_energy_and_co_energy_of_a_mass():
    newton = rt.legendre(m * v**2 / 2, v, names="h")
    assert str(newton) == "h = m*x'\nf* = h**2/(2*m)"
    m0, c = rt.parameters("m0 c", positive=True)
    found = rt.legendre(m0 * c**2 * (1 - sqrt(1 - v**2 / c**2)), v, names="h")
    assert str(found).splitlines() == [
        "h = c*m0*x'/sqrt(c**2 - x'**2)",
        "f* = c*(sqrt(h**2 + c**2*m0**2) - c*m0)",
    ]
    (h,) = found.conjugates
    known = {"m0": m0, "c": c, "h": h, "x": x}
    book = sqrt(h**2 * c**2 + m0**2 * c**4) - m0 * c**2
    assert_says(str(found).splitlines()[1], known, book, right=True)
    assert float(book.subs({m0: 1.5, c: 3, h: 4.02492235949962})) == pytest.approx(4.61215061774830)
    particle = rt.System(lagrangian=m0 * c**2 * (1 - sqrt(1 - v**2 / c**2)) - k * x**2 / 2)
    own = rt.hamiltonian(particle)
    assert str(own).splitlines() == [
        "H = c*(sqrt(p_x**2 + c**2*m0**2) - c*m0) + k*x**2/2",
        "x' = c*p_x/sqrt(p_x**2 + c**2*m0**2)",
        "p_x' = -k*x",
    ]
    (p,) = own.momenta
    assert float(own.q_rates[0].subs({m0: 1.5, c: 3, p: 4.02492235949962})) == pytest.approx(2)


def test_d2_energy_and_co_energy_of_a_spring():
    assert str(rt.legendre(k * e**2 / 2, e, names="f")) == "f = k*e\nf* = f**2/(2*k)"
    k3, k11, k12, k22 = rt.parameters("k3 k11 k12 k22")
    hard = rt.derive(rt.legendre(k * e**2 / 2 + k3 * e**4 / 4, e, names="f"))
    assert [hard["Transform"].formulas[0].text, hard["Energy and co-energy"].formulas[-1].text] == [
        "F* = f*e - F = k*e**2/2 + 3*k3*e**4/4",
        "F* - F = k3*e**4/2",
    ]
    assert hard["Conjugates"].formulas[1].text == "f = dF/de = k*e + k3*e**3"
    at = {k: 10, k3: 4, e: sympy.Rational(1, 2)}
    assert [float(each.subs(at)) for each in (k * e + k3 * e**3, k * e**2 / 2 + 3 * k3 * e**4 / 4)] == [
        5.5, 1.4375,
    ]  # fmt: skip
    e1, e2 = rt.coordinates("e1 e2")
    pair = rt.legendre((k11 * e1**2 + 2 * k12 * e1 * e2 + k22 * e2**2) / 2, [e1, e2], names="f1 f2")
    line = "f* = (2*k12*f1*f2 - k11*f2**2 - k22*f1**2)/(2*k12**2 - 2*k11*k22)"
    assert str(pair).splitlines()[2] == line
    f = sympy.Matrix(pair.conjugates)
    book = (f.T * sympy.Matrix([[k11, k12], [k12, k22]]).inv() * f)[0] / 2
    known = {s.name: s for s in (k11, k12, k22, *pair.conjugates)}
    assert_says(line, known, book, right=True)


def test_d3_the_mass_matrix_of_rigid_bodies():
    """Gtot = Jl^T m Jl + Jw^T Gc Jw of two uniform rods."""
    p = problems.planar_arm()
    found = rt.equations(p.system)
    assert found.text("M").splitlines() == [
        "M = [m2*l1*(l2*cos(q2) + l1) + m1*l1**2/3 + m2*l2**2/3, m2*l2*(3*l1*cos(q2) + 2*l2)/6]",
        "    [m2*l2*(3*l1*cos(q2) + 2*l2)/6, m2*l2**2/3]",
    ]
    m1, m2, l1, l2, q1, q2 = p.m1, p.m2, p.l1, p.l2, p.q1, p.q2
    c1 = sympy.Matrix([cos(q1), sin(q1)]) * l1 / 2
    c2 = 2 * c1 + sympy.Matrix([cos(q1 + q2), sin(q1 + q2)]) * l2 / 2
    book = sympy.zeros(2, 2)
    for mass, length, c, turn in ((m1, l1, c1, [[1, 0]]), (m2, l2, c2, [[1, 1]])):
        Jl, Jw = c.jacobian([q1, q2]), sympy.Matrix(turn)
        book += mass * Jl.T * Jl + Jw.T * Jw * mass * length**2 / 12
    assert sympy.simplify(found.M - book) == sympy.zeros(2, 2)


def test_d4_forces_by_virtual_work():
    p = problems.pushed_pendulum()
    work = rt.derive(p.system)["Virtual work"]
    assert [formula.text for formula in work.formulas] == [
        "F_at = [F, 0]",
        "delta W = F_at . delta p",
        "dp/dtheta . F_at = [l*cos(theta), l*sin(theta)] . [F, 0] = l*F*cos(theta)",
        "Q_theta = l*F*cos(theta)",
    ]
    assert_says(work.formulas[-1].text, names(p.system), p.F * p.tip[0].diff(p.theta), right=True)
    assert rt.equations(p.system).text("V") == "V = -m*g*l*cos(theta)"  # -m g . r


def test_d5_the_rayleigh_function():
    x1, x2 = rt.coordinates("x1 x2")
    D = beta / 2 * (ddt(x2) - ddt(x1)) ** 2
    system = rt.System(
        kinetic=m / 2 * (ddt(x1) ** 2 + ddt(x2) ** 2), potential=k / 2 * (x2 - x1) ** 2, dissipation=D
    )
    assert_rows(
        rt.equations(system),
        [
            "x1: m*x1'' + beta*(x1' - x2') + k*(x1 - x2) = 0",
            "x2: m*x2'' + beta*(x2' - x1') + k*(x2 - x1) = 0",
        ],
        [
            m * ddt(x1, 2) - beta * (ddt(x2) - ddt(x1)) - k * (x2 - x1),
            m * ddt(x2, 2) + beta * (ddt(x2) - ddt(x1)) + k * (x2 - x1),
        ],
    )
    power = rt.derive(system)["What is conserved"].formulas[-1].text
    assert power.startswith("d/dt E = ")
    assert_says(power, names(system), -2 * D, right=True)


def test_d6_the_action_is_stationary_and_no_minimum():
    swinging = rt.System(kinetic=m / 2 * v**2, potential=k / 2 * x**2)
    free = rt.System(kinetic=m / 2 * v**2)  # the action of the co-energy alone would give this
    assert str(rt.equations(swinging)) == "x: m*x'' + k*x = 0"
    assert str(rt.equations(free)) == "x: m*x'' = 0"
    motion = rt.simulate(swinging, {"m": 1, "k": 1}, {x: 0.0, v: 1.0}, np.linspace(0, 4, 201))
    found = rt.action(motion)
    first, second, third = str(found).splitlines()
    assert first == "The system from t = 0 to 4: S = 0.2473395619."
    assert float(first.split()[-1][:-1]) == pytest.approx(np.sin(8) / 4, abs=1e-9)  # of L = cos(2 t)/2
    assert second.startswith("Stationary:")
    assert third == (
        "A saddle: it falls in 1 direction; motions from the start meet again at t = 3.14159."
    )
    variation = str(rt.derive(found)["Second variation"])
    assert "-0.38315" in variation
    assert np.pi**2 / 16 - 1 == pytest.approx(-0.38315, abs=1e-5)  # of sin(pi t/4): T/4 (pi^2/T^2 - 1)


def test_d7_symmetric_and_skew_parts():
    q = rt.coordinates("q1 q2")
    C, K = sympy.Matrix([[2, 5], [1, 3]]), sympy.Matrix([[10, -4], [2, 7]])
    a, rate, place = (sympy.Matrix([ddt(c, order) for c in q]) for order in (2, 1, 0))
    pull = -(C * rate + K * place)
    system = rt.System(kinetic=sum(ddt(c) ** 2 for c in q) / 2, forces=dict(zip(q, pull, strict=True)))
    assert_rows(
        rt.equations(system),
        [
            "q1: q1'' + 2*q1' + 5*q2' + 10*q1 - 4*q2 = 0",
            "q2: q2'' + q1' + 3*q2' + 2*q1 + 7*q2 = 0",
        ],
        a - pull,
    )
    linear = rt.linear_equations(system, dict.fromkeys(q, 0))
    assert str(linear).splitlines() == [
        "M = [1, 0]", "    [0, 1]", "D = [2, 3]", "    [3, 3]", "G = [0, 2]", "    [-2, 0]",
        "K = [10, -1]", "    [-1, 7]", "H = [0, -3]", "    [3, 0]",
    ]  # fmt: skip
    assert (linear.D + linear.G, linear.K + linear.H) == (C, K)


def test_d8_friction_with_stribecks_curve():
    Fs, Fc, vs = rt.parameters("F_s F_c v_s")
    contact = rt.friction(v, static=Fs, kinetic=Fc, stribeck=vs, viscous=beta)
    block = rt.System(kinetic=m / 2 * v**2, potential=k / 2 * x**2, friction=contact)
    curve = rt.derive(block)["Friction"].formulas[1].text
    assert curve == "F_slip = beta*x' + (F_s - F_c)*exp(-x'**2/v_s**2) + F_c"
    book = Fc + (Fs - Fc) * rt.exp(-((v / vs) ** 2)) + beta * v
    assert_says(curve, names(block), book, right=True)
    at = {Fs: 1.5, Fc: 1, vs: 0.1, beta: 0.4}
    for speed, force in ((0.05, 1.40940039153570), (0.3, 1.12006170490204), (2, 1.8)):
        assert float(book.subs(at | {v: speed})) == pytest.approx(force, rel=1e-13)
    for state, sign in ((1, 1), (-1, -1)):
        (row,) = rt.equations(block.phase(state)).residual
        assert sympy.simplify(row - (m * ddt(x, 2) + k * x + sign * book.subs(v, sign * v))) == 0
    assert str(rt.equations(block.phase(0))) == "x: m*x'' + k*x + lambda1 = 0\nlambda1: x' = 0"


# Hamiltonians -----------------------------------------------------------------------------------------


def test_c4_the_turning_table_in_momenta():
    x, y = rt.coordinates("x y")
    k1, k2, Om = rt.parameters("k1 k2 Omega")
    speed = (ddt(x) - Om * y) ** 2 + (ddt(y) + Om * x) ** 2
    table = rt.System(kinetic=m / 2 * speed, potential=k1 * x**2 + k2 * y**2)
    found = rt.hamiltonian(table)
    px, py = found.momenta
    assert_rates(
        found,
        [
            "H = k1*x**2 + k2*y**2 + Omega*(y*p_x - x*p_y) + (p_x**2 + p_y**2)/(2*m)",
            "x' = Omega*y + p_x/m",
            "y' = p_y/m - Omega*x",
            "p_x' = Omega*p_y - 2*k1*x",
            "p_y' = -2*k2*y - Omega*p_x",
        ],
        [
            (px**2 + py**2) / (2 * m) + Om * (y * px - x * py) + k1 * x**2 + k2 * y**2,
            px / m + Om * y, py / m - Om * x, Om * py - 2 * k1 * x, -Om * px - 2 * k2 * y,
        ],
        px, py,
    )  # fmt: skip


def test_f3_f4_hamiltonians_that_are_no_energy():
    p = problems.rotating_spring_mass()
    assert str(rt.hamiltonian(p.system)).splitlines() == [
        "H = k*x**2/2 - m*Omega**2*(x + a)**2/2 + p_x**2/(2*m)",
        "x' = p_x/m",
        "p_x' = m*Omega**2*(x + a) - k*x",
    ]
    p = problems.accelerated_pendulum()
    found = rt.hamiltonian(p.system)
    m, l, A, g, th = p.m, p.l, p.A, p.g, p.theta
    (own,) = found.momenta
    line = "H = (m*A*l*t*cos(theta) + p_theta)**2/(2*m*l**2) - m*g*l*cos(theta) - m*A**2*t**2/2"
    book = (own + m * l * A * t * cos(th)) ** 2 / (2 * m * l**2) - m * A**2 * t**2 / 2
    book -= m * g * l * cos(th)
    assert_rates(found, [line], [book], own)
    at = {m: 2, l: 1.2, A: 3, g: 9.81, t: 0.5, th: 0.3, own: 1.4}
    numbers = [-20.6768230994523, 1.68028172251812, 5.17012181883841]
    found = [float(each.subs(at)) for each in (book, book.diff(own), book.diff(th))]
    np.testing.assert_allclose(found, numbers, rtol=1e-13)


def test_the_double_pendulum_in_momenta():
    """The textbook's H: p^T M^-1 p / 2 + V with the determinant under the bar."""
    p = problems.double_pendulum_absolute()
    found = rt.hamiltonian(p.system)
    p1, p2 = found.momenta
    m, l, g = p.m, p.l, p.g
    c = cos(p.p1 - p.p2)
    lines = [
        "H = (p_phi1**2 - 2*p_phi1*p_phi2*cos(phi1 - phi2) + 2*p_phi2**2)/(2*m*l**2*(2"
        " - cos(phi1 - phi2)**2)) - m*g*l*(2*cos(phi1) + cos(phi2))",
        "phi1' = (p_phi1 - p_phi2*cos(phi1 - phi2))/(m*l**2*(2 - cos(phi1 - phi2)**2))",
        "phi2' = (2*p_phi2 - p_phi1*cos(phi1 - phi2))/(m*l**2*(2 - cos(phi1 - phi2)**2))",
    ]
    M = m * l**2 * sympy.Matrix([[2, c], [c, 1]])
    push = sympy.Matrix([p1, p2])
    rates = M.inv() * push
    H = (push.T * rates)[0] / 2 - m * g * l * (2 * cos(p.p1) + cos(p.p2))
    assert_rates(found, lines, [H, *rates], p1, p2)
    assert sympy.count_ops(found.H) <= 80
    both = rt.hamiltonian(problems.double_pendulum().system)
    assert sympy.count_ops(both.H) <= 80
