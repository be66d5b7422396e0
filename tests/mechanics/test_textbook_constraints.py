"""Final forms of examples with constraints, as a textbook prints them, beside the book's own formulas.

B3 and B4 are the pendulum by length and angle and in Cartesian coordinates, B7 and B8 the double pendulum and the
crane in Cartesian coordinates. Numbers are those of the worked examples.
"""

import numpy as np
import pytest
import sympy

import routh as rt
from book import assert_rows, assert_says, names
from rolling import disc, sleigh
from routh import cos, ddt, sin
from routh.files.text import parse
from sampling import assert_same

m, g, l, l0, M = rt.parameters("m g l l0 M")
length, th = rt.coordinates("l theta")
X, x, y = rt.coordinates("X x y")

B3 = rt.System(
    kinetic=m / 2 * (ddt(length) ** 2 + length**2 * ddt(th) ** 2),
    potential=-m * g * length * cos(th),
    constraints=[length - l0],
)
B4 = rt.System(
    kinetic=m / 2 * (ddt(x) ** 2 + ddt(y) ** 2),
    potential=m * g * y,
    constraints=[(x**2 + y**2 - l0**2) / 2],
)


def solved(system):
    """What the chapter says of accelerations and multipliers, by name."""
    formulas = rt.derive(system)["Motion with constraints"].formulas
    ends = {*(q.name + "''" for q in system.coordinates), *(s.name for s in system.multipliers)}
    sides = (formula.text.split(" = ") for formula in formulas if "\n" not in formula.text)
    return {left: right for left, *right in sides if left in ends and len(right) == 1}


def numbers(system, said, point):
    known = names(system)
    return [float(parse(right[0], known).subs(point)) for right in said.values()]


def test_b3_the_multiplier_is_the_tension_of_the_rod():
    (lam,) = B3.multipliers
    assert_rows(
        rt.equations(B3),
        [
            "l: m*l'' - m*l*theta'**2 - m*g*cos(theta) + lambda1 = 0",
            "theta: m*l**2*theta'' + 2*m*l*l'*theta' + m*g*l*sin(theta) = 0",
            "lambda1: l - l0 = 0",
        ],
        [
            m * ddt(length, 2) - m * length * ddt(th) ** 2 - m * g * cos(th) + lam,
            m * length**2 * ddt(th, 2)
            + 2 * m * length * ddt(length) * ddt(th)
            + m * g * length * sin(th),
            length - l0,
        ],
    )
    said = solved(B3)
    assert said == {
        "l''": ["0"],
        "theta''": ["-2*l'*theta'/l - g*sin(theta)/l"],
        "lambda1": ["m*l*theta'**2 + m*g*cos(theta)"],
    }
    at = {m: 2, l0: 1.5, length: 1.5, th: 0.6, ddt(length): 0, ddt(th): 1.2, g: 9.81}
    expected = [0, -3.69276177600353, 20.5130847645279]
    np.testing.assert_allclose(numbers(B3, said, at), expected, rtol=1e-13)


def test_b3_rests_and_small_motions():
    rest = rt.equilibrium_equations(B3)
    assert str(rest).splitlines() == [
        "lambda1 - m*g*cos(theta) = 0",
        "m*g*l*sin(theta) = 0",
        "l - l0 = 0",
        "solution: l = l0, theta = 0, lambda1 = m*g",
        "solution: l = l0, theta = pi, lambda1 = -m*g",
    ]
    small = ("theta'' + g/l0*theta = 0", "theta'' - g/l0*theta = 0")
    for solution, row in zip(rest.solutions, small, strict=True):
        linear = rt.linear_equations(B3, solution)
        assert not any(linear.residual)
        assert rt.derive(linear)["Equations of small motions"].formulas[-1].text == row


def test_b4_in_cartesian_coordinates():
    (lam,) = B4.multipliers
    assert_rows(
        rt.equations(B4),
        [
            "x: m*x'' + lambda1*x = 0",
            "y: m*y'' + m*g + lambda1*y = 0",
            "lambda1: x**2/2 + y**2/2 - l0**2/2 = 0",
        ],
        [m * ddt(x, 2) + lam * x, m * ddt(y, 2) + m * g + lam * y, (x**2 + y**2 - l0**2) / 2],
    )
    chapter = rt.derive(B4)
    held = [formula.text for formula in chapter["Constraints"].formulas]
    assert held[1:3] == ["phi1' = x*x' + y*y' = 0", "phi1'' = x*x'' + y*y'' + x'**2 + y'**2 = 0"]
    saddle = [f.text for f in chapter["Motion with constraints"].formulas if "[x'']" in f.text]
    assert [" ".join(line.split()) for line in saddle[0].splitlines()] == [
        "[m, 0, x] [x''] [0]",
        "[0, m, y] [y''] = [-m*g]",
        "[x, y, 0] [lambda1] [-x'**2 - y'**2]",
    ]
    said = solved(B4)
    assert_says(
        f"lambda1 = {said['lambda1'][0]}",
        names(B4),
        m * (ddt(x) ** 2 + ddt(y) ** 2 - g * y) / (x**2 + y**2),
        right=True,
    )
    angle, rate = 0.6, 1.2
    at = {
        m: 2, l0: 1.5, g: 9.81,
        x: 1.5 * np.sin(angle), y: -1.5 * np.cos(angle),
        ddt(x): 1.5 * rate * np.cos(angle), ddt(y): 1.5 * rate * np.sin(angle),
    }  # fmt: skip
    expected = [-5.79127945920252, -1.34491028608701, 13.6753898430186]
    np.testing.assert_allclose(numbers(B4, said, at), expected, rtol=1e-13)


def test_b4_rests_and_small_motions():
    rest = rt.equilibrium_equations(B4)
    assert str(rest).splitlines()[-2:] == [
        "solution: x = 0, y = l0, lambda1 = -m*g/l0",
        "solution: x = 0, y = -l0, lambda1 = m*g/l0",
    ]
    hanging = rt.linear_equations(B4, rest.solutions[1])
    assert str(hanging) == ("M = [m, 0]\n    [0, m]\nK = [m*g/l0, 0]\n    [0, m*g/l0]\nJ = [0, -l0]")
    assert not any(hanging.residual)
    assert rt.derive(hanging)["Equations of small motions"].formulas[-1].text == "x'' + g/l0*x = 0"
    free = rt.linear_equations(B4, {x: 0, y: -l0})
    assert_same(free.K.subs(free.multipliers[0], m * g / l0), hanging.K)
    values = {"m": 2, "g": 9.81, "l0": 1.5}
    found = rt.equilibrium(B4, values, guess={x: 0.1, y: -1.4})
    np.testing.assert_allclose(found.multipliers, [2 * 9.81 / 1.5], rtol=1e-12)
    assert rt.modes(rt.linearize(found)).frequencies ** 2 == pytest.approx([9.81 / 1.5], rel=1e-12)


def test_multipliers_of_a_reference_are_read_like_all_else():
    by_name = rt.linear_equations(B4, {"x": 0, "y": -l0, "lambda1": m * g / l0})
    assert str(by_name.K[0]) == "g*m/l0"
    with pytest.raises(rt.DeclarationError, match="`lambda1` contains `x`"):
        rt.linear_equations(B4, {x: 0, y: -l0, "lambda1": m * x})
    with pytest.raises(rt.DeclarationError, match="gives `lambda1` twice"):
        rt.linear_equations(B4, {x: 0, y: -l0, "lambda1": 1, B4.multipliers[0]: 1})
    with pytest.raises(rt.DeclarationError, match="`lambda2`, which is no coordinate"):
        rt.linear_equations(B4, {x: 0, y: -l0, "lambda2": 1})


def test_b7_the_double_pendulum_in_cartesian_coordinates():
    x1, y1, x2, y2 = rt.coordinates("x1 y1 x2 y2")
    system = rt.System(
        kinetic=m / 2 * sum(ddt(q) ** 2 for q in (x1, y1, x2, y2)),
        potential=m * g * (y1 + y2),
        constraints=[
            (x1**2 + y1**2 - l**2) / 2,
            ((x2 - x1) ** 2 + (y2 - y1) ** 2 - l**2) / 2,
        ],
    )
    found = rt.equations(system)
    lam1, lam2 = found.multipliers
    assert_rows(
        found,
        [
            "x1: m*x1'' + lambda1*x1 + lambda2*(x1 - x2) = 0",
            "y1: m*y1'' + m*g + lambda1*y1 + lambda2*(y1 - y2) = 0",
            "x2: m*x2'' + lambda2*(x2 - x1) = 0",
            "y2: m*y2'' + m*g + lambda2*(y2 - y1) = 0",
            "lambda1: x1**2/2 + y1**2/2 - l**2/2 = 0",
            "lambda2: (x1 - x2)**2/2 + (y1 - y2)**2/2 - l**2/2 = 0",
        ],
        [
            m * ddt(x1, 2) + lam1 * x1 - lam2 * (x2 - x1),
            m * ddt(y1, 2) + m * g + lam1 * y1 - lam2 * (y2 - y1),
            m * ddt(x2, 2) + lam2 * (x2 - x1),
            m * ddt(y2, 2) + m * g + lam2 * (y2 - y1),
            *system.constraints,
        ],
    )
    (p1, p2), (d1, d2), length = (0.5, -0.3), (0.8, -1.1), 1.2
    at = {
        m: 1.5, g: 9.81, l: length,
        x1: length * np.sin(p1), y1: -length * np.cos(p1),
        ddt(x1): length * d1 * np.cos(p1), ddt(y1): length * d1 * np.sin(p1),
    }  # fmt: skip
    at |= {x2: at[x1] + length * np.sin(p2), y2: at[y1] - length * np.cos(p2)}
    at |= {ddt(x2): at[ddt(x1)] + length * d2 * np.cos(p2)}
    at |= {ddt(y2): at[ddt(y1)] + length * d2 * np.sin(p2)}
    K, right = (np.array(e.subs(at), dtype=float) for e in (found.saddle, found.right_side))
    expected = [-7.81458954448636, -3.39399838907490, 1.55800361076142, -4.77339787940277,
                16.3127155051552, 6.59008917005659]  # fmt: skip
    np.testing.assert_allclose(np.linalg.solve(K, right)[:, 0], expected, rtol=1e-12)


def test_b8_the_crane_in_cartesian_coordinates():
    F, r = rt.inputs("F r")
    system = rt.System(
        kinetic=M / 2 * ddt(X) ** 2 + m / 2 * (ddt(x) ** 2 + ddt(y) ** 2),
        potential=m * g * y,
        constraints=[((x - X) ** 2 + y**2 - r**2) / 2],
        forces={X: F},
    )
    found = rt.equations(system)
    (lam,) = found.multipliers
    assert_rows(
        found,
        [
            "X: M*X'' + lambda1*(X - x) - F = 0",
            "x: m*x'' + lambda1*(x - X) = 0",
            "y: m*y'' + m*g + lambda1*y = 0",
            "lambda1: y**2/2 + (X - x)**2/2 - r**2/2 = 0",
        ],
        [
            M * ddt(X, 2) - lam * (x - X) - F,
            m * ddt(x, 2) + lam * (x - X),
            m * ddt(y, 2) + m * g + lam * y,
            *system.constraints,
        ],
    )
    gamma = (ddt(x) - ddt(X)) ** 2 + ddt(y) ** 2 - ddt(r) ** 2 - r * ddt(r, 2)
    assert_same(found.gamma[0], gamma)
    angle, rate, R, dR = 0.4, -0.5, 1.5, -0.2
    at = {
        M: 5, m: 2, F: 3, g: 9.81, r: R, ddt(r): dR, ddt(r, 2): 0.1, X: 0, ddt(X): 0.3,
        x: R * np.sin(angle), y: -R * np.cos(angle),
        ddt(x): 0.3 + dR * np.sin(angle) + R * rate * np.cos(angle),
        ddt(y): -dR * np.cos(angle) + R * rate * np.sin(angle),
    }  # fmt: skip
    expected = {
        "X''": 1.93303345264017, "x''": -3.33258363160041,
        "y''": -1.92769847788334, "lambda1": 11.4104662245520,
    }  # fmt: skip
    said = solved(system)
    assert list(said) == list(expected)
    np.testing.assert_allclose(numbers(system, said, at), list(expected.values()), rtol=1e-12)


# Velocity constraints ---------------------------------------------------------------------------------


def test_the_sleigh():
    system = sleigh()
    x, y, psi = system.coordinates
    m, a, inertia = (next(p for p in system.parameters if p.name == name) for name in "maI")
    (lam,) = system.multipliers
    turn = [-a * (ddt(psi, 2) * sin(psi) + ddt(psi) ** 2 * cos(psi)),
            a * (ddt(psi, 2) * cos(psi) - ddt(psi) ** 2 * sin(psi))]  # fmt: skip
    assert_rows(
        rt.equations(system),
        [
            "x: m*x'' - m*a*psi''*sin(psi) - m*a*psi'**2*cos(psi) - lambda1*sin(psi) = 0",
            "y: m*y'' + m*a*psi''*cos(psi) - m*a*psi'**2*sin(psi) + lambda1*cos(psi) = 0",
            "psi: m*a*y''*cos(psi) - m*a*x''*sin(psi) + (I + m*a**2)*psi'' = 0",
            "lambda1: y'*cos(psi) - x'*sin(psi) = 0",
        ],
        [
            m * (ddt(x, 2) + turn[0]) - lam * sin(psi),
            m * (ddt(y, 2) + turn[1]) + lam * cos(psi),
            (inertia + m * a**2) * ddt(psi, 2) + m * a * (ddt(y, 2) * cos(psi) - ddt(x, 2) * sin(psi)),
            ddt(y) * cos(psi) - ddt(x) * sin(psi),
        ],
    )
    quasi = {"u": ddt(x) * cos(psi) + ddt(y) * sin(psi), "w": ddt(psi)}
    assert str(rt.gibbs_appell(system, quasi)).splitlines() == [
        "S = m*u'**2/2 + (I + m*a**2)*w'**2/2 + m*a*w*(u*w' - u'*w)",
        "u: m*u' - m*a*w**2 = 0",
        "w: (I + m*a**2)*w' + m*a*u*w = 0",
        "x' = u*cos(psi)",
        "y' = u*sin(psi)",
        "psi' = w",
    ]


@pytest.fixture(scope="module")
def rolling():
    return disc()


def test_the_rolling_disc_by_lagrange(rolling):
    """What does not slip is told in one line, though it was written by rotations."""
    found = rt.equations(rolling)
    lines = str(found).splitlines()
    assert lines[-2:] == ["lambda1: x' - R*phi'*cos(psi) = 0", "lambda2: y' - R*phi'*sin(psi) = 0"]
    assert lines[4] == (
        "phi: m*R**2*psi''*sin(theta)/2 + m*R**2*phi''/2 + m*R**2*psi'*theta'*cos(theta)/2"
        " - lambda1*R*cos(psi) - lambda2*R*sin(psi) = 0"
    )
    assert not any("lambda" in line for line in lines[2:4])
    known = names(rolling)
    for line, phi in zip(lines[-2:], rolling.constraints, strict=True):
        assert_says(line, known, phi)
    written = rt.equations(rolling, simplify=0)
    for line, row in zip(lines[2:5], written.residual[2:5], strict=True):
        assert_says(line, known, row)
    assert_same(found.J, written.J)


def test_the_rolling_disc_by_appell(rolling):
    """Rows of the thin disc about axes of its plane: lean, spin and turn."""
    psi, theta, phi = rolling.coordinates[2:]
    quasi = {"u1": ddt(theta), "u2": ddt(phi) + ddt(psi) * sin(theta), "u3": ddt(psi) * cos(theta)}
    found = rt.gibbs_appell(rolling, quasi)
    lines = str(found).splitlines()
    assert lines[1:] == [
        "u1: 5*m*R**2*u1'/4 - m*g*R*sin(theta)"
        " + m*R**2*u3*(u3*sin(theta) - 6*u2*cos(theta))/(4*cos(theta)) = 0",
        "u2: 3*m*R**2*u2'/2 + m*R**2*u1*u3 = 0",
        "u3: m*R**2*u3'/4 + m*R**2*u1*(2*u2*cos(theta) - u3*sin(theta))/(4*cos(theta)) = 0",
        "x' = R*u2*cos(psi) - R*u3*sin(theta)*cos(psi)/cos(theta)",
        "y' = R*u2*sin(psi) - R*u3*sin(psi)*sin(theta)/cos(theta)",
        "psi' = u3/cos(theta)",
        "theta' = u1",
        "phi' = u2 - u3*sin(theta)/cos(theta)",
    ]
    assert_moves_like(rolling, quasi, lines[1:4])


def assert_moves_like(system, quasi, lines):
    """The rows hold along a motion of the equations with multipliers."""
    values = {"m": 2.0, "R": 0.5, "g": 9.81}
    x, y, psi, theta, phi = system.coordinates
    start = {theta: 0.3, psi: 0.4, ddt(theta): 0.5, ddt(psi): -0.7, ddt(phi): 3.0}
    start |= {ddt(x): 1.5 * np.cos(0.4), ddt(y): 1.5 * np.sin(0.4)}
    motion = rt.simulate(system, values, start, [0, 1e-9])
    known = {p: values[p.name] for p in system.parameters}
    for k, q in enumerate(system.coordinates):
        known |= {q: motion.q[0, k], ddt(q): motion.v[0, k], ddt(q, 2): motion.a[0, k]}
    table = {p.name: p for p in (*system.parameters, *system.coordinates)}
    for name, own in quasi.items():
        for mark, value in (("", own), ("_rate", ddt(own))):
            table[name + mark] = sympy.Float(float(value.subs(known)))
    for line in lines:
        left = line.split(": ")[1].removesuffix(" = 0")
        for name in quasi:
            left = left.replace(f"{name}'", f"{name}_rate")
        assert abs(float(parse(left, table).subs(known))) < 1e-9
