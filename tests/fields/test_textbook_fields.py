"""Partial equations, conditions at ends, rests and linear rows of the examples with fields, as a textbook prints them.

C5 is the turning T-structure, C7 the hub with an arm, C8 the turning beam, C9 the beam on a base that accelerates; and
the string that moves along itself. What is printed is read back and compared with the book's own rows.
"""

import numpy as np
import pytest
import sympy

import routh as rt
from reading_rows import read, vocabulary
from routh import at, cos, cosh, ddt, diff, energies, integral, norm2, rotation, sin, sinh, t, vector
from routh.language.walk import unfold
from routh.results import Field
from sampling import assert_same

L, R, J, rho, EI, m, a, N, v, Om = rt.parameters("L R J rho EI m a N v Omega")
s = rt.space("s", 0, L)
w = rt.field("w", s)
theta, u = rt.coordinate("theta"), rt.input("u")
CLAMPED = [at(w, s, 0), at(diff(w, s), s, 0)]
BENDING = integral(EI / 2 * diff(w, s, 2) ** 2, s)
FREE = [
    "geometric, w(0): w(0) = 0",
    "geometric, w_s(0): w_s(0) = 0",
    "natural, w(L): EI*w_sss(L) = 0",
    "natural, w_s(L): EI*w_ss(L) = 0",
]


def assert_printed(found, lines, books):
    """Lines that lead the rows are printed like this, and each says what the book says."""
    assert str(found).splitlines()[: len(lines)] == lines
    assert_said(found, lines, books)


def assert_said(found, lines, books):
    words = vocabulary(found.system, found.where)
    for line, book in zip(lines, books, strict=True):
        left, right = line.partition(": ")[2].split(" = ")
        assert right == "0"
        assert_same(with_shapes(read(left, words) - book), sympy.S.Zero, digits=20)


def with_shapes(value):
    """The value with a polynomial of the place for every field, and its integrals taken."""
    put = {}
    for f in value.atoms(Field):
        if f.end is None:
            shape = (1 + f.order) * f.space ** (2 + f.order) / 3 + f.space * (3 - f.order) + f.order
            put[f] = shape.diff(f.space, f.slope)
    return value.xreplace(put).doit()


# C7, C8, the moving string, C9 ------------------------------------------------------------------------


def test_c7_the_hub_with_an_arm():
    r = rotation(theta) @ vector(R + s, w)
    hub = rt.System(
        kinetic=J / 2 * ddt(theta) ** 2 + integral(rho / 2 * norm2(ddt(r)), s),
        potential=BENDING, forces={theta: u}, constraints=CLAMPED,
    )  # fmt: skip
    turn, speed = ddt(theta, 2), ddt(theta)
    heavy = (J + integral(rho * ((R + s) ** 2 + w**2), s)) * speed
    momentum = heavy + integral(rho * (R + s) * ddt(w), s)
    bent = rho * ddt(w, 2) + rho * (R + s) * turn + EI * diff(w, s, 4)
    found = rt.equations(hub)
    assert_printed(
        found,
        [
            "ordinary, theta: (J + rho*L**2*R + rho*L**3/3 + rho*L*R**2 + rho*Integral(w**2, (s, 0,"
            " L)))*theta'' + rho*Integral((R + s)*w_tt, (s, 0, L)) + 2*rho*theta'*Integral(w*w_t,"
            " (s, 0, L)) - u = 0",
            "partial, w: rho*w_tt + rho*(R + s)*theta'' - rho*theta'**2*w + EI*w_ssss = 0",
        ],
        [ddt(momentum) - u, bent - rho * w * speed**2],
    )
    assert [str(row) for row in found.boundary] == FREE
    linear = rt.linear_equations(hub, {theta: 0, w: 0})
    inertia = J + rho * ((R + L) ** 3 - R**3) / 3
    assert_printed(
        linear,
        [
            "ordinary, theta: (J + rho*L**3/3 + rho*L**2*R + rho*L*R**2)*theta''"
            " + rho*Integral((R + s)*w_tt, (s, 0, L)) - u = 0",
            "partial, w: rho*w_tt + rho*(R + s)*theta'' + EI*w_ssss = 0",
        ],
        [inertia * turn + integral(rho * (R + s) * ddt(w, 2), s) - u, bent],
    )
    rest = rt.equilibrium_equations(hub)
    assert str(rest).splitlines()[-1] == "solution if u = 0: theta = 0, w = 0"
    values = {"L": 1.5, "R": 0.3, "J": 0.5, "rho": 1.2, "EI": 4}
    modes = rt.modes(rt.linearize(rt.equilibrium(rt.discretize(hub, {w: 12}), values, inputs={u: 0})))
    exact = [0, 5.72035891239293, 19.9378009411611]
    np.testing.assert_allclose(modes.frequencies[:3], exact, rtol=1e-10)


@pytest.fixture(scope="module")
def beam():
    shorter = vector(R + s + energies.foreshortening(w), w)
    return rt.System(
        kinetic=integral(rho / 2 * norm2(ddt(rotation(Om * t) @ shorter)), s),
        potential=BENDING, constraints=CLAMPED,
    )  # fmt: skip


def test_c8_the_turning_beam_is_stiffened_by_its_own_pull(beam):
    pull = rho * Om**2 * (R * (L - s) + (L**2 - s**2) / 2)
    row = rho * ddt(w, 2) - rho * Om**2 * w - diff(pull * diff(w, s), s) + EI * diff(w, s, 4)
    found = rt.linear_equations(beam, {w: 0})
    lines = ["partial, w: rho*w_tt - rho*Omega**2*w - (N(s)*w_s)_s + EI*w_ssss = 0"]
    assert_printed(found, lines, [row])
    assert str(found).splitlines()[1:] == [*FREE, "where N(s) = rho*Omega**2*(L - s)*(L + 2*R + s)/2"]
    ((_, meant),) = found.where
    assert_same(meant, pull)
    stiff = rt.System(
        lagrangian=integral(rho / 2 * (ddt(w) ** 2 + Om**2 * w**2) - pull / 2 * diff(w, s) ** 2, s)
        - BENDING,
        constraints=CLAMPED,
    )
    values = {"L": 1, "R": 0, "rho": 1, "EI": 1, "Omega": 2}
    first = rt.modes(rt.linearize(rt.equilibrium(rt.discretize(stiff, {w: 12}), values))).frequencies[0]
    assert first**2 == pytest.approx(13.1174132493387, rel=1e-10)


def test_c8_the_full_equations_of_the_turning_beam(beam):
    assert str(rt.equations(beam, simplify=0.2)).splitlines() == [
        "partial, w: rho*w_tt - 2*rho*Omega*u_t - rho*Omega**2*w - (N(s)*w_s)_s + EI*w_ssss = 0",
        *FREE,
        "where u(s) = Integral(w_s(sigma)**2, (sigma, 0, s))/2",
        "where N(s) = rho*Integral(u_tt(sigma) + 2*Omega*w_t(sigma) - Omega**2*u(sigma), (sigma, s, L))"
        " + rho*Omega**2*(L - s)*(L + 2*R + s)/2",
    ]


def test_the_moving_string():
    string = rt.System(
        kinetic=integral(rho / 2 * (ddt(w) + v * diff(w, s)) ** 2, s),
        potential=integral(N / 2 * diff(w, s) ** 2, s),
        constraints=[at(w, s, 0), at(w, s, L)],
    )
    lines = [
        "partial, w: rho*w_tt + 2*rho*v*w_ts - (N - rho*v**2)*w_ss = 0",
        "geometric, w(0): w(0) = 0",
        "geometric, w(L): w(L) = 0",
    ]
    row = rho * (ddt(w, 2) + 2 * v * ddt(diff(w, s)) + v**2 * diff(w, s, 2)) - N * diff(w, s, 2)
    for found in (rt.equations(string), rt.linear_equations(string, {w: 0})):
        assert_printed(found, lines, [row, at(w, s, 0), at(w, s, L)])
    values = {"L": 1.5, "rho": 0.4, "N": 10, "v": 3}
    slender = rt.equilibrium(rt.discretize(string, {w: 16}), values)
    c = np.sqrt(10 / 0.4)
    exact = np.arange(1, 4) * np.pi * (c**2 - 9) / (c * 1.5)  # k pi (c^2 - v^2) / (c L)
    np.testing.assert_allclose(rt.modes(rt.linearize(slender)).frequencies[:3], exact, rtol=1e-9)


def test_c9_the_beam_on_a_base_that_accelerates():
    beam = rt.System(
        kinetic=[integral(rho / 2 * (ddt(w) + a * t) ** 2, s), m / 2 * (ddt(at(w, s, L)) + a * t) ** 2],
        potential=BENDING, constraints=CLAMPED,
    )  # fmt: skip
    tip = at(w, s, L)
    assert_printed(
        rt.equations(beam),
        [
            "partial, w: rho*w_tt + EI*w_ssss + rho*a = 0",
            *FREE[:2],
            "natural, w(L): m*w_tt(L) - EI*w_sss(L) + m*a = 0",
            FREE[3],
        ],
        [
            rho * (ddt(w, 2) + a) + EI * diff(w, s, 4), *CLAMPED,
            m * (ddt(tip, 2) + a) - EI * diff(w, s, 3).at_end(1), EI * diff(w, s, 2).at_end(1),
        ],
    )  # fmt: skip
    rest = rt.equilibrium_equations(beam)
    assert str(rest).splitlines() == [
        "partial, w: EI*w_ssss + rho*a = 0",
        *FREE[:2],
        "natural, w(L): EI*w_sss(L) - m*a = 0",
        FREE[3],
        "solution: w = (m + rho*L)*a*s**3/(6*EI) - rho*a*s**4/(24*EI) - (2*m + rho*L)*L*a*s**2/(4*EI)",
    ]
    shape = rest.solutions[0][w]
    assert_same(shape.subs(s, L), -rho * a * L**4 / (8 * EI) - m * a * L**3 / (3 * EI))
    numbers = {rho: 1.2, EI: 4, m: 0.5, a: 3, L: 1.5}
    found = [shape.subs(s, L), shape.diff(s).subs(s, L), shape.subs(s, L / 2)]
    expected = [-0.99140625, -0.928125, -0.333544921875]
    np.testing.assert_allclose([float(e.subs(numbers)) for e in found], expected, rtol=1e-13)


# C5 ---------------------------------------------------------------------------------------------------

l1, l2, rho1, rho2, EI1, EI2 = rt.parameters("l1 l2 rho1 rho2 EI1 EI2")
x1, x2, x3 = (rt.space(f"x{k}", 0, end) for k, end in ((1, l1), (2, l2), (3, l2)))
w1, w2, w3 = (rt.field(f"w{k}", x) for k, x in ((1, x1), (2, x2), (3, x3)))
tip, slope = at(w1, x1, l1), at(diff(w1, x1), x1, l1)
ARMS = (
    (vector(x1, w1), rho1, EI1, x1, w1),
    (vector(l1, tip) + rotation(slope) @ vector(-w2, x2), rho2, EI2, x2, w2),
    (vector(l1, tip) + rotation(slope) @ vector(w3, -x3), rho2, EI2, x3, w3),
)
VALUES = {"rho1": 1.2, "rho2": 0.8, "EI1": 3, "EI2": 2, "l1": 1, "l2": 0.7, "Omega": 0.9}


@pytest.fixture(scope="module")
def structure():
    return rt.System(
        kinetic=[integral(d / 2 * norm2(ddt(rotation(Om * t) @ r)), x) for r, d, _, x, _ in ARMS],
        potential=[integral(k / 2 * diff(f, x, 2) ** 2, x) for _, _, k, x, f in ARMS],
        constraints=[c for *_, x, f in ARMS for c in (at(f, x, 0), at(diff(f, x), x, 0))],
        name="T-structure",
    )


@pytest.fixture(scope="module")
def rest(structure):
    return rt.equilibrium_equations(structure, solve=20.0)


ROWS = [
    "partial, w1: rho1*w1_tt - rho1*Omega**2*w1 + EI1*w1_x1x1x1x1 = 0",
    "partial, w2: rho2*w2_tt + rho2*x2*w1_ttx1(l1) + 2*rho2*Omega*w1_t(l1)"
    " - 2*rho2*Omega*(w2*)*w1_tx1(l1) - rho2*Omega**2*w2 + EI2*w2_x2x2x2x2 = 0",
    "partial, w3: rho2*w3_tt + rho2*x3*w1_ttx1(l1) - 2*rho2*Omega*w1_t(l1)"
    " - 2*rho2*Omega*(w3*)*w1_tx1(l1) - rho2*Omega**2*w3 + EI2*w3_x3x3x3x3 = 0",
]
ENDS = [
    "geometric, w1(0): w1(0) = 0",
    "geometric, w1_x1(0): w1_x1(0) = 0",
    "natural, w1(l1): 2*rho2*l2*w1_tt(l1) - rho2*(Integral((w2*), (x2, 0, l2)) - Integral((w3*), (x3, 0,"
    " l2)))*w1_ttx1(l1) - 2*rho2*Omega*(Integral(w2_t, (x2, 0, l2)) - Integral(w3_t, (x3, 0, l2)))"
    " - 2*rho2*Omega**2*l2*w1(l1) + rho2*Omega**2*(Integral((w2*), (x2, 0, l2)) - Integral((w3*), (x3, 0,"
    " l2)))*w1_x1(l1) - EI1*w1_x1x1x1(l1) = 0",
    "natural, w1_x1(l1): rho2*(2*l2**3/3 + Integral((w2*)**2, (x2, 0, l2)) + Integral((w3*)**2, (x3, 0,"
    " l2)))*w1_ttx1(l1) - rho2*(Integral((w2*), (x2, 0, l2)) - Integral((w3*), (x3, 0, l2)))*w1_tt(l1)"
    " + rho2*(Integral(x2*w2_tt, (x2, 0, l2)) + Integral(x3*w3_tt, (x3, 0, l2)))"
    " + 2*rho2*Omega*(Integral((w2*)*w2_t, (x2, 0, l2)) + Integral((w3*)*w3_t, (x3, 0, l2)))"
    " + rho2*Omega**2*(Integral((w2*), (x2, 0, l2)) - Integral((w3*), (x3, 0, l2)))*w1(l1)"
    " - rho2*Omega**2*l1*(Integral((w2*), (x2, 0, l2)) - Integral((w3*), (x3, 0, l2)))*w1_x1(l1)"
    " + EI1*w1_x1x1(l1) = 0",
    *(line for k in (2, 3) for line in (
        f"geometric, w{k}(0): w{k}(0) = 0",
        f"geometric, w{k}_x{k}(0): w{k}_x{k}(0) = 0",
        f"natural, w{k}(l2): EI2*w{k}_x{k}x{k}x{k}(l2) = 0",
        f"natural, w{k}_x{k}(l2): EI2*w{k}_x{k}x{k}(l2) = 0",
    )),
]  # fmt: skip
SHAPE = [
    "where (w2*) = l1 + c1*sin(beta*x2) - c1*sinh(beta*x2) + c2*cos(beta*x2) + c3*cosh(beta*x2)",
    "where (w3*) = c1*sinh(beta*x3) - l1 - c1*sin(beta*x3) - c2*cos(beta*x3) - c3*cosh(beta*x3)",
    "where c1 = -l1*(sin(l2*beta)*cosh(l2*beta) + cos(l2*beta)*sinh(l2*beta))/Delta",
    "where c2 = l1*(sin(l2*beta)*sinh(l2*beta) - cos(l2*beta)*cosh(l2*beta) - 1)/Delta",
    "where c3 = -l1*(sin(l2*beta)*sinh(l2*beta) + cos(l2*beta)*cosh(l2*beta) + 1)/Delta",
    "where Delta = 2*cos(l2*beta)*cosh(l2*beta) + 2",
    "where beta = (rho2/EI2)**(1/4)*sqrt(Abs(Omega))",
]


def test_c5_the_shape_at_rest(rest):
    text = str(rest)
    for name in ("w2", "w3"):
        line = next(line for line in SHAPE if f"({name}*)" in line)
        assert f"{name} = {line.partition(' = ')[2]}" in text
    names = dict(line.removeprefix("where ").split(" = ") for line in SHAPE[2:])
    for name, meant in names.items():
        assert f"{name} = {meant}" in text
    numbers = {p: VALUES[p.name] for p in (l1, l2, rho1, rho2, EI1, EI2, Om)}
    b, c = 0.754460057809761, (-0.265094569609532, -0.429877545518528, -0.570122454481472)
    solution = rest.solutions[0]
    assert solution[w1] == 0
    for place in (0.2, 0.35, 0.7):
        book = 1 + c[0] * (sin(b * place) - sinh(b * place)) + c[1] * cos(b * place)
        book += c[2] * cosh(b * place)
        for field, x, sign in ((w2, x2, 1), (w3, x3, -1)):
            value = float(unfold(solution[field]).subs(numbers | {x: place}))
            assert value == pytest.approx(sign * float(book), abs=1e-14)
    at_tip = unfold(solution[w2]).subs(numbers | {x2: 0.7})
    assert float(at_tip) == pytest.approx(-0.00978643013759327, rel=1e-11)


@pytest.mark.slow
def test_c5_linear_rows_about_its_own_shape(structure, rest):
    found = rt.linear_equations(structure, rest.solutions[0])
    assert found.residual == ()
    assert str(found).splitlines() == [*ROWS, *ENDS, *SHAPE]


@pytest.mark.slow
def test_c5_linear_rows_say_what_the_book_says(structure):
    """About any shape: the three partial equations of the source, and the rows at the joint that it leaves out."""
    shape2 = cos(x2) * x2**2
    shape3 = -shape2.subs(x2, x3)
    found = rt.linear_equations(structure, {w1: 0, w2: shape2, w3: shape3}, simplify=0.5)
    said = {str(row.of): row.expression for row in (*found.partial, *found.boundary)}
    speed, turn = ddt(tip), ddt(slope)
    books = {"w1": rho1 * ddt(w1, 2) - rho1 * Om**2 * w1 + EI1 * diff(w1, x1, 4)}
    shear, moment = EI1 * diff(w1, x1, 3).at_end(1), -EI1 * diff(w1, x1, 2).at_end(1)
    for sign, f, x, shape in ((1, w2, x2, shape2), (-1, w3, x3, shape3)):
        own = rho2 * ddt(f, 2) - rho2 * Om**2 * f + EI2 * diff(f, x, 4)
        books[str(f)] = own + rho2 * (2 * Om * (sign * speed - shape * turn) + x * ddt(turn))
        first, second = integral(shape, x), integral(shape**2, x)
        shear += rho2 * (
            l2 * (Om**2 * tip - ddt(speed))
            + sign * (2 * Om * integral(ddt(f), x) + Om * l2**2 * turn)
            + sign * first * (ddt(turn) - Om**2 * slope)
        )
        moment += rho2 * (
            sign * (first * (ddt(speed) - Om**2 * tip + l1 * Om**2 * slope) - Om * l2**2 * speed)
            - (l2**3 / 3 + second) * ddt(turn)
            - integral(x * ddt(f, 2), x)
            - 2 * Om * integral(shape * ddt(f), x)
        )
    books |= {"w1(l1)": -shear, "w1_x1(l1)": -moment}
    for name, book in books.items():
        assert_same(with_shapes(said[name] - book), sympy.S.Zero, digits=20)
    lines = [line.replace("(w2*)", "(x2**2*cos(x2))") for line in (*ROWS, *ENDS[2:4])]
    lines = [line.replace("(w3*)", "(-x3**2*cos(x3))") for line in lines]
    words = vocabulary(structure)
    for line, name in zip(lines, ("w1", "w2", "w3", "w1(l1)", "w1_x1(l1)"), strict=True):
        left = read(line.partition(": ")[2].removesuffix(" = 0"), words)
        assert_same(with_shapes(left - books[name]), sympy.S.Zero, digits=20)
