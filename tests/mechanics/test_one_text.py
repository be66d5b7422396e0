"""One function has one text: random writings of it, and those that once had two."""

import random

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy.simplify.fu import TR8

import problems
import routh as rt
from routh import cos, exp, sin, sqrt
from routh.language.evaluation import Evaluation
from routh.language.walk import leaves
from routh.mechanics.forms.laurent import TooLongError, Work
from routh.mechanics.forms.printing import text
from routh.mechanics.forms.tidy import RATE, Tidy, with_plus
from routh.mechanics.forms.unique import Reader
from routh.mechanics.forms.vanish import decided
from routh.mechanics.forms.writing_effort import effort
from routh.mechanics.forms.written_shapes import Shapes

X, Y, Z = rt.coordinates("x y z")
M, L, G, R = rt.parameters("m l g R")
A, B = (rt.parameter(name, positive=True) for name in "ab")
PI = sympy.pi
SYMBOLS = (X, Y, Z, X.rate, Y.rate, X.rate.rate, M, L, G, R, A, B, rt.t)
ANGLES = (X - Y, X, 2 * Y + rt.t * M, R * X / (R - L), X * (R - L) / L, Y + PI / 3, X - PI / 12)
BELOW = (1 + A, R - L, R**2 - L**2, sin(X), 1 + cos(X), 1 - cos(Y) ** 2, M + L * sin(X - Y) ** 2)


def drawn(pick: random.Random, depth: int) -> sympy.Expr:
    """A random expression of polynomials, waves, quotients and roots."""
    if depth == 0:
        return pick.choice([*SYMBOLS, sin(pick.choice(ANGLES)), cos(pick.choice(ANGLES))])
    a, b = drawn(pick, depth - 1), drawn(pick, depth - 1)
    return pick.choice(
        [
            lambda: a + b, lambda: a - b, lambda: a * b, lambda: a * b, lambda: a**2,
            lambda: cos(pick.choice(ANGLES)) ** 2 * a, lambda: a / pick.choice(BELOW),
            lambda: a * sqrt(X**2 + Y**2) ** pick.choice([1, -1, -3]),
        ]
    )()  # fmt: skip


def rewritten(given_: sympy.Expr, pick: random.Random) -> list[sympy.Expr]:
    """The same function: multiplied out, by addition theorems, over common denominators."""
    common = pick.choice([1 + A, cos(X), R - L])
    return [
        sympy.expand(given_),
        sympy.expand(given_, trig=True),
        TR8(given_),
        sympy.expand(given_ * common) / common,
    ]


def shape(given_: sympy.Expr) -> sympy.Expr:
    """The shortest shape, whatever it was written as."""
    work = Work(RATE)
    reader = Reader(work)
    return Shapes(reader, work).shortest(reader.canonical(reader.parts(given_)))


def assert_same_value(a: sympy.Expr, b: sympy.Expr, seed: int) -> None:
    pick = random.Random(seed)
    at = Evaluation({s: pick.uniform(0.2, 0.9) for s in SYMBOLS}, 50)
    x, y = at(a), at(b)
    assert x is not None
    assert abs(x - y) <= 1e-30 * (1 + abs(x))


@settings(max_examples=10)
@given(st.integers(0, 10**6))
def test_writings_by_identities_have_one_text(seed):
    pick = random.Random(seed)
    given_ = drawn(pick, 2)
    try:
        first = shape(given_)
        assert_same_value(given_, first, seed)
        for other in rewritten(given_, pick):
            assert text(shape(other)) == text(first)
    except TooLongError:  # said, not guessed
        return


ROLLED, GEARED = R * X / (R - L), X * (R - L) / L


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (sin(ROLLED) * cos(Y) + cos(ROLLED) * sin(Y), sin(ROLLED + Y), "sin(R*x/(R - l) + y)"),
        (2 * sin(ROLLED) * cos(ROLLED), sin(2 * ROLLED), "sin(2*R*x/(R - l))"),
        (cos(ROLLED - X), cos(L * X / (R - L)), "cos(l*x/(R - l))"),
        (2 * sin(ROLLED) * cos(GEARED), sin(ROLLED + GEARED) + sin(ROLLED - GEARED),
         "2*sin(R*x/(R - l))*cos(R*x/l - x)"),
        (cos(X / (R**2 - L**2)), cos((X / (R - L) + X / (R + L)) / 2 / R), "cos(x/(R**2 - l**2))"),
        (sin(X + PI / 6), sqrt(3) * sin(X) / 2 + cos(X) / 2, "sin(x + pi/6)"),
        (sin(X + 3 * PI / 8), cos(X - PI / 8), "sin(x + 3*pi/8)"),
        (A * sin(X + PI / 4) + A * cos(X + PI / 4), sqrt(2) * A * cos(X), "sqrt(2)*a*cos(x)"),
        (cos(2 * X - PI), 1 - 2 * cos(X) ** 2, "-cos(2*x)"),
        (sin(sin(X) + Y), sin(sin(X)) * cos(Y) + cos(sin(X)) * sin(Y), "sin(y + sin(x))"),
        (1 / (cos(X) ** 2 - 1), 2 / (cos(2 * X) - 1), "-1/sin(x)**2"),
        (A / (M + L * (1 - cos(2 * X - 2 * Y)) / 2), A / (M + L * sin(X - Y) ** 2),
         "a/(l*sin(x - y)**2 + m)"),
        (1 / (X - Y) - 2 * Y / (X**2 - Y**2), 1 / (X + Y), "1/(x + y)"),
        (sin(2 * X) / sin(X) ** 2, 2 * cos(X) / sin(X), "2*cos(x)/sin(x)"),
        (A / (Y - X) + A, A - A / (X - Y), "a/(y - x) + a"),
        (1 / (1 + exp(-X)), exp(X) / (1 + exp(X)), "exp(x)/(exp(x) + 1)"),
        (exp(X) * (sin(X) * cos(Y) - cos(X) * sin(Y)), exp(X) * sin(X - Y), "exp(x)*sin(x - y)"),
        (A - A * sympy.tanh(X) ** 2, A / sympy.cosh(X) ** 2, "a/cosh(x)**2"),
        (cos(X) * cos(2 * Y) ** 2, cos(X) * (1 + cos(4 * Y)) / 2, "cos(x)*cos(2*y)**2"),
        (A / (1 - X.rate**2) ** sympy.Rational(3, 2), A / sqrt(1 - X.rate**2) / (1 - X.rate) / (1 + X.rate),
         "a/(1 - x'**2)**(3/2)"),
        (Y / (A * sin(X) ** 2 + 2 * A * cos(X) ** 2), Y / (A + A * cos(X) ** 2), "y/(a*(cos(x)**2 + 1))"),
    ],
)  # fmt: skip
def test_two_writings_have_one_text(one, other, expected):
    assert_same_value(one, other, 4)
    assert [text(Tidy(1.0)(each)) for each in (one, other)] == [expected, expected]


def test_parts_of_a_turn_are_numbers():
    three = cos(X) + cos(X + 2 * PI / 3) + cos(X - 2 * PI / 3)
    assert Tidy(1.0)(three) == 0
    assert decided(three).is_shown
    assert Tidy(1.0)(sin(PI / 7) * cos(PI / 7) - sin(2 * PI / 7) / 2) == 0
    assert Tidy(1.0)(sin(X + PI / 8) * cos(X + PI / 8) - sin(2 * X + PI / 4) / 2) == 0
    assert_same_value(shape(sin(PI / 7) * cos(X + PI / 8)), sin(PI / 7) * cos(X + PI / 8), 2)


def test_what_is_nested_deeply_costs_what_is_counted():
    """Six sines in each other have a form of thousands of terms: it is given up before it is made."""
    nested: sympy.Expr = X
    for _ in range(6):
        nested = sin(nested) * nested + A
    work = Work(RATE // 10)
    with pytest.raises(TooLongError):
        Reader(work).canonical(Reader(work).parts(nested))
    assert Tidy(0.1)(nested) == nested


@pytest.mark.parametrize(
    ("given_", "expected"),
    [
        ("12345000.0*x*sin(y)**2 + 12345000.0*x*cos(y)**2", "12345000.0*x"),
        ("1.0e+20*x*sin(y)**2 + 1.0e+20*x*cos(y)**2", "1.0e+20*x"),
        ("0.1*x*sin(y)**2 + 0.1*x*cos(y)**2", "0.1*x"),
        ("x/(1 - 0.123456789*y**2)", "x/(1 - 0.123456789*y**2)"),
    ],
)
def test_decimals_stay_readable(given_, expected):
    names = {"x": X, "y": Y}
    read = sympy.parse_expr(given_, local_dict=names)
    assert text(Tidy(1.0)(read)) == expected


def test_sums_that_are_multiplied_have_a_plus():
    given_ = sympy.Mul(X.rate**2, -A - B) + sympy.Mul(Y, -A - B, -M - L) + sin(sympy.Mul(X, -A - B))
    assert text(with_plus(given_)) == "(a + b)*(m + l)*y - (a + b)*x'**2 - sin((a + b)*x)"
    assert_same_value(given_, with_plus(given_), 5)


def test_a_symbol_that_drops_out_is_gone_though_that_is_longer():
    turned = (X * cos(rt.t) - Y * sin(rt.t), X * sin(rt.t) + Y * cos(rt.t))
    given_ = (turned[0] ** 2 + turned[1] ** 2 + A) ** 6
    found = Tidy(1.0)(given_)
    assert effort(found) > 0
    assert rt.t not in leaves([found])
    assert_same_value(given_, found, 6)


def test_a_row_does_not_depend_on_other_rows():
    rows = list(rt.equations(problems.coupled_pendulums().system, simplify=0).residual)
    hidden = [
        X / (X**2 - Y**2),
        X / (X + Y),
        1 / sqrt((X + Y) ** 2 + 1),
        1 / sqrt(X * (X + 2 * Y) + Y**2 + 1),
    ]
    for some in (rows, hidden):
        together, backwards = Tidy(1.0), Tidy(1.0)
        alone = [Tidy(1.0)(row) for row in some]
        assert [together(row) for row in some] == alone
        assert [backwards(row) for row in reversed(some)] == alone[::-1]


@pytest.mark.slow
def test_time_drops_out_of_all_rows_of_a_kite_on_a_carousel():
    system = rt.load("examples/models/carousel_kite.toml").system
    found = rt.equations(system)
    assert not any(rt.t in leaves([row]) for row in found.residual)
    plain = rt.equations(system, simplify=0)
    pick = random.Random(3)
    at = Evaluation({s: pick.uniform(0.3, 0.9) for s in leaves(plain.residual)}, 40)
    for row, other in zip(found.residual, plain.residual, strict=True):
        assert abs(at(row) - at(other)) < 1e-30
