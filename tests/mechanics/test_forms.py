"""The unique form, the shapes that it is written in, and what it decides."""

import os
import random
import subprocess
import sys
from itertools import pairwise

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

import problems
import routh as rt
from routh import cos, exp, sin, sqrt, tan
from routh.language.evaluation import Evaluation
from routh.mechanics.forms.laurent import TooLongError, Work
from routh.mechanics.forms.one_piece import is_one_piece
from routh.mechanics.forms.printing import LONG, latex, named, text, text_rows
from routh.mechanics.forms.term_kinds import kind_of
from routh.mechanics.forms.tidy import Tidy
from routh.mechanics.forms.unique import Reader
from routh.mechanics.forms.vanish import Decided, decided
from routh.mechanics.forms.writing_effort import effort

X, Y, Z = rt.coordinates("x y z")
M, L, G = rt.parameters("m l g")
A, B = (rt.parameter(name, positive=True) for name in "ab")
SYMBOLS = (X, Y, Z, *(q.rate for q in (X, Y, Z)), X.rate.rate, M, L, G, A, B, rt.t)


def drawn(pick: random.Random, depth: int) -> sympy.Expr:
    """A random expression of what mechanics makes."""
    if depth == 0 or pick.random() < 0.15:
        number = sympy.Rational(pick.randint(-5, 5), pick.randint(1, 4))
        return pick.choice([*SYMBOLS, *SYMBOLS, number])
    a, b = drawn(pick, depth - 1), drawn(pick, depth - 1)
    angle = pick.choice([X, X - Y, 2 * Y + rt.t * M, Z.rate, a])
    return pick.choice(
        [
            lambda: a + b, lambda: a - b, lambda: a * b, lambda: a * b, lambda: a**2,
            lambda: sin(angle), lambda: cos(angle), lambda: tan(X), lambda: exp(a) * b,
            lambda: a / (1 + b**2), lambda: sqrt(X**2 + Y**2) ** pick.choice([1, -1, 3]),
            lambda: sqrt(A * B**3), lambda: sympy.cosh(X) * a,
        ]
    )()  # fmt: skip


def assert_same_value(a: sympy.Expr, b: sympy.Expr, seed: int) -> None:
    pick = random.Random(seed)
    at = Evaluation({s: pick.uniform(0.2, 0.9) for s in SYMBOLS}, 50)
    x, y = at(a), at(b)
    assert (x is None) == (y is None)
    if x is not None:
        assert abs(x - y) <= 1e-30 * (1 + abs(x))


@given(st.integers(0, 10**6))
def test_a_form_keeps_its_value_and_is_not_longer(seed):
    given_ = drawn(random.Random(seed), 4)
    found = Tidy(1.0)(given_)
    assert effort(found) <= effort(given_)
    assert_same_value(found, given_, seed)


@given(st.integers(0, 10**6))
def test_two_writings_of_one_function_have_one_form(seed):
    """Multiplied out, with half angles, over a common denominator: the difference is shown to be zero."""
    given_ = drawn(random.Random(seed), 3)
    other = sympy.expand(given_, trig=True)
    for each in (sympy.expand(given_), other, sympy.together(given_)):
        try:
            assert not Reader(Work(200_000))(given_ - each).above
        except TooLongError:  # said, not guessed
            continue


@pytest.mark.parametrize(
    ("given_", "expected"),
    [
        (sin(X) ** 2 + cos(X) ** 2, "1"),
        (sin(X) * cos(Y) - cos(X) * sin(Y), "sin(x - y)"),
        (1 / (1 + sin(X) ** 2) - 1 / (2 - cos(X) ** 2), "0"),
        (sqrt(X**2 + Y**2) ** 3 / (X**2 + Y**2), "sqrt(x**2 + y**2)"),
        (tan(X) - sin(2 * X) / (1 + cos(2 * X)), "0"),
        ((X**2 - Y**2) / (X - Y), "x + y"),
        (sympy.cosh(X) ** 2 - sympy.sinh(X) ** 2, "1"),
        ((sympy.cosh(X) + sympy.sinh(X)) * sympy.cosh(X) - 1 - sympy.sinh(X) ** 2, "sinh(2*x)/2"),
        (M * (A - abs(L)) * abs(L) / L**2 + M - M * A * abs(L) / L**2, "0"),
        (Y * sqrt(A + cos(X)) + B * Y * sqrt(A + cos(X)), "(b + 1)*y*sqrt(cos(x) + a)"),
        ((A - 1) / sqrt(A) - sqrt(A) + 1 / sqrt(A), "0"),
        (sqrt(6) - sqrt(2) * sqrt(3), "0"),
        ((A * X + A * Y) / (2 * A * X + 2 * A * Y), "1/2"),
        (sin(X) / (1 + cos(X)) - tan(X / 2), "0"),
        (M * X.rate**2 + 2 * M * X.rate * Y.rate + M * Y.rate**2, "m*(x' + y')**2"),
        (M * G * L * sin(X) - M * L**2 * rt.t**2 * sin(X) * cos(X), "m*l*(g - l*t**2*cos(x))*sin(x)"),
        (sympy.Float("0.1") * X + sympy.Float("0.2") * X * cos(Y) ** 2 + sympy.Float("0.2") * X * sin(Y) ** 2, "0.3*x"),
    ],
)  # fmt: skip
def test_what_a_person_would_write(given_, expected):
    assert text(Tidy(1.0)(given_)) == expected


def test_equations_of_a_double_pendulum_as_a_textbook_prints_them():
    assert str(rt.equations(problems.double_pendulum().system)).splitlines() == [
        "theta1: theta1''*(2*m2*l1*l2*cos(theta2) + m2*l2**2 + (m1 + m2)*l1**2)"
        " + m2*l2*theta2''*(l1*cos(theta2) + l2)"
        " - m2*l1*l2*theta2'*(2*theta1' + theta2')*sin(theta2)"
        " + m2*g*l2*sin(theta1 + theta2) + (m1 + m2)*g*l1*sin(theta1) = 0",
        "theta2: m2*l2*theta1''*(l1*cos(theta2) + l2) + m2*l2**2*theta2''"
        " + m2*l1*l2*theta1'**2*sin(theta2) + m2*g*l2*sin(theta1 + theta2) = 0",
    ]


SAME_TEXT = """
import routh as rt, problems
for make in (problems.double_pendulum, problems.rotating_table, problems.three_bodies):
    print(rt.equations(make().system))
print(rt.hamiltonian(problems.bead_on_hoop().system))
print(rt.equilibrium_equations(problems.bead_on_hoop().system))
"""


def test_one_text_whatever_the_order_of_sets_is():
    """Seeds of hashes change the order in which SymPy goes through sets, as other machines do."""
    said = set()
    for seed in "01":
        paths = os.pathsep.join(path for path in sys.path if path)
        environment = os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": paths}
        ran = subprocess.run(
            [sys.executable, "-c", SAME_TEXT],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        said.add(ran.stdout)
    assert len(said) == 1


def test_a_zero_is_shown_or_found():
    assert decided(sin(X) ** 2 + cos(X) ** 2 - 1) is Decided.SHOWN_ZERO
    assert decided(sin(X) ** 2 - cos(X)) is Decided.SHOWN_OTHER
    assert decided(sympy.acos(X) + sympy.asin(X) - sympy.pi / 2) is Decided.FOUND_ZERO
    assert decided(sympy.atan(sympy.sinh(X)) - 2 * sympy.atan(exp(X)) + sympy.pi / 2).is_zero
    assert decided(sympy.log(X) - X) is Decided.FOUND_OTHER
    nested = sqrt(3 + 2 * sqrt(2)) - 1 - sqrt(2)
    assert decided(nested).is_zero
    assert decided((1 + X) ** 60 - 1) is Decided.FOUND_OTHER  # too long to be multiplied out


R = rt.parameter("R")
ROLLED = R * X / (R - L)


@pytest.mark.parametrize(
    "zero",
    [
        cos(X) + cos(X + 2 * sympy.pi / 3) + cos(X - 2 * sympy.pi / 3),
        cos(X + sympy.pi / 3) - cos(X) / 2 + sqrt(3) * sin(X) / 2,
        cos(2 * ROLLED) - 2 * cos(ROLLED) ** 2 + 1,
        cos(ROLLED + Y) - cos(ROLLED) * cos(Y) + sin(ROLLED) * sin(Y),
        sqrt(A**2 * cos(X) ** 2 + A**2 * sin(X) ** 2) - A,
        sqrt(A**2 + 2 * A * B + B**2) - A - B,
        (1 + A) / (sqrt(1 + B) + A * sqrt(1 + B)) - 1 / sqrt(1 + B),
    ],
)
def test_hidden_relations_are_not_taken_for_independence(zero):
    assert decided(zero).is_zero
    assert not decided(zero + X / 10**9).is_zero


@pytest.mark.parametrize(
    "other",
    [
        sqrt(1 - cos(X) ** 2) - sin(X),
        sqrt(1 + B) * (sqrt(X**2 + 2 * X * Y + Y**2) - X - Y),
    ],
)
def test_a_root_of_a_square_is_zero_on_one_side_only(other):
    assert not decided(other).is_zero


PIECES = [
    (sympy.atan2(Y, X) - sympy.atan(Y / X), {X: -1, Y: 1}),
    (sympy.atan(X) + sympy.atan(1 / X) - sympy.pi / 2, {X: -1}),
    (sympy.atan(tan(X / 2)) - X / 2, {X: 4}),
    (sympy.atan2(Y, X) + sympy.atan2(X, Y) - sympy.pi / 2, {X: -1, Y: -1}),
    (sqrt(1 - sin(X) ** 2) - cos(X), {X: 2}),
    (sqrt(2 + 2 * cos(X)) - 2 * cos(X / 2), {X: 4}),
    (sympy.asin(sin(X)) - X, {X: 2}),
    (sympy.acos(cos(X)) - X, {X: -1}),
    (sqrt(X**4 - 2 * X**2 + 1) - (1 - X**2), {X: 2}),
    (sqrt(X**2 - 6 * X + 9) + X - 3, {X: 4}),
    (sqrt(X**2 - 2000 * X + 10**6) + X - 1000, {X: 1001}),  # zero at all points that are tried
    (sqrt(M**2 + 2 * M * L + L**2) - M - L, {M: -1, L: -1}),
    (sqrt(M / L) * sqrt(M * L) - M, {M: -1, L: -1}),
    (sqrt(X**4 + X**2) - X * sqrt(1 + X**2), {X: -1}),
    (sqrt(1 + 1 / X**2) - sqrt(1 + X**2) / X, {X: -1}),
    (sqrt(X * (Y**2 - 2 * Y + 1)) - sqrt(X) * (1 - Y), {X: 1, Y: 2}),
]


@pytest.mark.parametrize(("other", "there"), PIECES)
def test_what_is_zero_on_one_piece_only_is_not_zero(other, there):
    assert abs(other.subs(there).evalf(30)) > 0.1
    assert not decided(other).is_zero


@pytest.mark.parametrize(
    "zero",
    [
        sqrt(X**2 - 1) ** 3 - (X**2 - 1) * sqrt(X**2 - 1),
        (sqrt(X + Y) - sqrt(X - Y)) * (sqrt(X + Y) + sqrt(X - Y)) - 2 * Y,
        sqrt(exp(2 * X) + 2 + exp(-2 * X)) - 2 * sympy.cosh(X),
        cos(2 * sympy.atan2(Y, X)) - (X**2 - Y**2) / (X**2 + Y**2),
        sqrt(A / B) * sqrt(A * B) - A,
    ],
)
def test_roots_of_known_sign_and_independent_roots_are_decided(zero):
    assert decided(zero).is_zero
    assert not decided(zero + X / 10**9).is_zero


def test_roots_are_independent_unless_a_product_of_radicands_is_a_square():
    """By numbers: one piece is where the sign of no root can be chosen apart from the others."""
    root = sqrt(X**2 - 1)
    assert is_one_piece(root + sqrt(X + Y) + sqrt(cos(X) + 2 * Y))
    assert not is_one_piece(root + sqrt(X + 1) * sqrt(X - 1))
    assert not is_one_piece(sqrt(1 - cos(X) ** 2) + X)
    assert not is_one_piece(sqrt(2 + 2 * cos(X)))
    assert not is_one_piece(sympy.atan2(X, Y) + sympy.atan2(Y, X))
    assert not is_one_piece(sqrt(X**2 + sqrt(Y)) + root)


def test_powers_with_numbers_below_hide_relations():
    hidden = sin(4 ** (X / 2)) - sin(2**X)
    assert abs(hidden.subs({X: 0.7}).evalf(30)) < 1e-25
    assert decided(hidden).is_zero


def test_angles_shifted_by_any_part_of_a_turn_beside_others():
    pick = random.Random(20)
    for below in (5, 24):
        shift = sympy.Rational(pick.randint(1, below - 1), below) * sympy.pi
        given_ = M * cos(X + shift) * cos(Y) + L * sin(Y - shift)
        assert_same_value(Tidy(0.2)(given_), given_, below)
    assert str(Tidy(1.0)(cos(Y) + cos(X + sympy.pi / 5))) == "cos(y) + cos(x + pi/5)"
    V = -M * G * cos(X + sympy.pi / 9) * cos(Y)
    system = rt.System(kinetic=M * (rt.ddt(X) ** 2 + rt.ddt(Y) ** 2) / 2, potential=V)
    assert "sin(x + pi/9)*cos(y)" in str(rt.equations(system))


@pytest.mark.parametrize(
    ("given_", "expected"),
    [
        ((1e-200 * X + Y) ** 2, "(1.0e-200*x + y)**2"),
        (1e-200 * X * 1e-200 * Y + X, "1.0e-400*x*y + x"),
        (-9.81 * M * cos(X + sympy.pi / 9), "-9.81*m*cos(x + pi/9)"),
        (9.81 * exp(X / 3) * Y, "9.81*y*exp(x/3)"),
        (9.81 * Y * X ** sympy.Rational(1, 3), "9.81*x**(1/3)*y"),
        (9.81 * sympy.log(X / 3) + 0.2 * X, "0.2*x + 9.81*log(x/3)"),
        (9.81 * cos(X / (3 * (M + L))) * Y, "9.81*y*cos(x/(3*(l + m)))"),
        (Y / 3 + 9.81 * sin(0.3 * X), "0.333333333333333*y + 9.81*sin(0.3*x)"),
        (9.81 * M * cos(X / 3 + 0.1), "9.81*m*cos(x/3 + 0.1)"),
        (9.81 * exp(X / 9.81) * M, "9.81*m*exp(0.101936799184506*x)"),
    ],
)
def test_decimals_lose_no_term_and_leave_fractions_in_angles(given_, expected):
    found = Tidy(1.0)(given_)
    assert str(found) == expected
    pick = random.Random(4)
    at = {s: sympy.Rational(pick.randint(20, 90), 70) for s in SYMBOLS}
    a, b = (sympy.N(e.xreplace(at), 40) for e in (given_, found))
    assert abs(a - b) <= 1e-14 * abs(a)


def test_one_square_root_is_shown_by_its_norm():
    assert decided(A * sqrt(X**2 + 1) + B) is Decided.SHOWN_OTHER


def test_the_root_of_an_absolute_value_is_another_function_than_the_value():
    root, value = sqrt(sympy.Abs(A)), sympy.Abs(A)
    assert not decided(root - value).is_zero
    for e in (
        sin(X * root) ** 2 + cos(X * root) * value,
        root**3 * B + root * X + value,
        B / root + B / value,
    ):
        assert_same_value(Tidy(1.0)(e), e, 3)
    assert decided(root**2 - value) is decided(value**2 - A**2) is Decided.SHOWN_ZERO


def test_names_that_count_the_same_stay_apart():
    first, other = rt.parameters("k2 k02")
    assert text(first * X + other * X) in ("k02*x + k2*x", "k2*x + k02*x")
    assert text(first - other) == "k2 - k02"


def test_a_rate_keeps_its_name_from_being_given():
    z1 = rt.coordinate("z1")
    part = A * z1.rate + B * sin(A * z1.rate) + B**2 * z1.rate**3
    long = sum(part**k * sin(k * X + part) for k in range(1, 60))
    assert "z1" not in {str(name) for name, _ in named([long])[1]}


def test_terms_come_as_people_write_them():
    F = rt.input("F")
    row = M * G * L * sin(X) - F + M * L**2 * X.rate.rate + B * X.rate - A * X
    assert text(row) == "m*l**2*x'' + b*x' + m*g*l*sin(x) - a*x - F"
    assert latex(row).startswith(r"m l^{2} \ddot{x} + b \dot{x}")
    assert text((A - B) * X.rate - X.rate * (B + A) * M) == "(a - b)*x' - (a + b)*m*x'"
    assert text(A * cos(X) - B) == "a*cos(x) - b"
    assert text(-A * cos(X) + B) == "b - a*cos(x)"


@pytest.mark.parametrize(
    ("given", "written"),
    [
        ((A + B) / L, r"\frac{a + b}{l}"),
        ((A + B) / (L + M), r"\frac{a + b}{m + l}"),
        ((A + B) * X / L, r"\frac{\left(a + b\right) x}{l}"),
        (-sin(X) * (A + B), r"- \left(a + b\right) \sin{\left(x \right)}"),
        (-(1 / L) * (A + B), r"- \frac{a + b}{l}"),
        ((A + B) ** 2 * X, r"x \left(a + b\right)^{2}"),
    ],
)
def test_brackets_stand_where_they_are_needed(given, written):
    assert latex(given) == written


def test_what_is_long_has_names_and_nothing_is_left_out():
    parts = [(X + k * Y) * sin(X + k) + sqrt(X**2 + k) for k in range(40)]
    long = sum(a * b for a, b in pairwise(parts)) + sum(p**3 for p in parts)
    assert sympy.count_ops(long) > LONG
    (short,), where = named([long])
    assert where
    for symbol, part in reversed(where):
        short = short.xreplace({symbol: part})
    assert_same_value(short, long, 3)
    lines = text_rows([("E: ", long, " = 0")]).splitlines()
    assert lines[0].startswith("E: ")
    assert lines[1] == "where"
    assert "not shown" not in text(long) + latex(long)


def test_terms_of_rows_and_of_fields_have_one_order_of_kinds():
    u, lambda1 = rt.input("u"), sympy.Symbol("lambda1", real=True)
    w = rt.field("w", rt.space("s", 0, 1))
    terms = [X.rate.rate * M, X.rate * X, X * w, M * G, lambda1 * X, u * X]
    assert [kind_of(term.atoms(sympy.Symbol)) for term in terms] == [0, 1, 2, 3, 4, 5]
    assert text(sum(reversed(terms[:2] + terms[3:]))) == "m*x'' + x*x' + m*g + lambda1*x + u*x"
    assert kind_of([w.rate.rate, X]) == kind_of([X.rate.rate])
