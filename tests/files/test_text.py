"""Expressions read from text and written as text: meaning, messages, places, limits."""

from __future__ import annotations

import itertools
import random
import string
import sys
from contextlib import suppress
from typing import Any

import pytest
import sympy
from hypothesis import assume, given
from hypothesis import strategies as st
from sympy import Float, Integer, Rational, cos, exp, log, pi, sin, sqrt, tan

import routh as rt
from depth import cases, draws
from routh import at, cross, ddt, diff, dot, integral, let, norm2, rotation, t, vector
from routh.files.text import TextError, parse, write
from sampling import assert_same

theta, phi, x, y = rt.coordinates("theta phi x y")
theta1 = rt.coordinate("theta1")
x1 = rt.coordinate("x1")
m, g, l, k, Omega, lam = (rt.parameter(name) for name in ("m", "g", "l", "k", "Omega", "lambda"))
L = rt.parameter("L")
F = rt.input("F")
s = rt.space("s", 0, L)
z = rt.space("z", 0, 1)
w = rt.field("w", s)
v = rt.field("v", z)
a = let("a", x * sin(theta))
r = vector(l * sin(theta), -l * cos(theta))
p = vector(x, y, l)
c = let("c", vector(x * y, y**2))
NAMES: dict[str, Any] = {
    "theta": theta, "phi": phi, "x": x, "y": y, "theta1": theta1, "x1": x1, "m": m, "g": g, "l": l,
    "k": k, "Omega": Omega, "lambda": lam, "L": L, "F": F, "s": s, "z": z, "w": w, "v": v, "a": a,
    "r": r, "p": p, "c": c, "two": 2,
}  # fmt: skip

MEANINGS: list[tuple[str, Any]] = [
    ("1", Integer(1)),
    ("007", Integer(7)),
    ("2.5", Float(2.5)),
    (".5", Float(0.5)),
    ("2.", Float(2.0)),
    ("1e-3", Float(1e-3)),
    ("1.5E+2", Float(150.0)),
    ("0.0", Integer(0)),
    ("1/3", Rational(1, 3)),
    ("two*x", 2 * x),
    ("pi", pi),
    ("π/2", pi / 2),
    ("t", t),
    ("x", x),
    ("θ", theta),
    ("θ₁", theta1),
    ("x₁", x1),
    ("Ω*t", Omega * t),
    ("λ", lam),
    ("theta'", theta.rate),
    ("theta''", theta.rate.rate),
    ("θ₁′", theta1.rate),
    ("F'", F.rate),
    ("(x*y)'", x.rate * y + x * y.rate),
    ("x'^2", x.rate**2),
    ("x^2'", Integer(1)),  # the prime is that of the number 2
    ("x^2", x**2),
    ("x**2", x**2),
    ("x^y^2", x ** (y**2)),
    ("2^3^2", Integer(512)),
    ("-x^2", -(x**2)),
    ("(-x)^2", x**2),
    ("2^-1", Rational(1, 2)),
    ("x^-2", 1 / x**2),
    ("2^-x^2", 2 ** (-(x**2))),
    ("--x", x),
    ("+x", x),
    ("x--y", x + y),
    ("x*-y", -x * y),
    ("x - y - m", x - y - m),
    ("x/y/m", x / y / m),
    ("x/y*m", x / y * m),
    ("x + y*m^2", x + y * m**2),
    ("(x + y)*m", (x + y) * m),
    ("-(x + y)*m", -(x + y) * m),
    ("m*l^2*theta'^2/2", m * l**2 * theta.rate**2 / 2),
    ("m*g*l*(1 - cos(theta))", m * g * l * (1 - cos(theta))),
    ("x\n  + y", x + y),
    ("4^(1/2)", Integer(2)),
    ("9^64", Integer(9) ** 64),
    ("x^64", x**64),
    ("sin(x)", sin(x)),
    ("cos (x)", cos(x)),
    ("tan(x)", tan(x)),
    ("asin(x)", sympy.asin(x)),
    ("acos(x)", sympy.acos(x)),
    ("atan(x)", sympy.atan(x)),
    ("atan2(y, x)", sympy.atan2(y, x)),
    ("sinh(x) + cosh(x) + tanh(x)", sympy.sinh(x) + sympy.cosh(x) + sympy.tanh(x)),
    ("exp(-x^2)", exp(-(x**2))),
    ("log(x)", log(x)),
    ("sqrt(x^2 + y^2)", sqrt(x**2 + y**2)),
    ("abs(x)", sympy.Abs(x)),
    ("abs(-3)", Integer(3)),
    ("sign(x)", sympy.sign(x)),
    ("min(x, y)", sympy.Min(x, y)),
    ("max(x, y, 1)", sympy.Max(x, y, 1)),
    ("max(2, 3)", Integer(3)),
    ("sin(pi/6)", Rational(1, 2)),
    ("ddt(x*y)", ddt(x * y)),
    ("ddt(r)", ddt(r)),
    ("r'", ddt(r)),
    ("a", a),
    ("a'", ddt(a)),
    ("c_2", c[1]),
    ("[x, y]", vector(x, y)),
    ("(x, y)", vector(x, y)),
    ("[x]", vector(x)),
    ("r[1]", r[0]),
    ("r[2]'", ddt(r[1])),
    ("r'[1]", ddt(r)[0]),
    ("[x, y] + r", vector(x, y) + r),
    ("2*[x, y]/m", vector(2 * x / m, 2 * y / m)),
    ("-r", -r),
    ("r*m - [x, y]*2", m * r - 2 * vector(x, y)),
    ("norm2(r')", norm2(ddt(r))),
    ("dot(r, [1, 2])", dot(r, vector(1, 2))),
    ("cross(p, [0, 0, 1])", cross(p, vector(0, 0, 1))),
    ("rotate(theta, [1, 0])", rotation(theta) * vector(1, 0)),
    ("rotate(theta, p, [0, 0, 1])", rotation(theta, vector(0, 0, 1)) * p),
    ("w", w),
    ("w'", ddt(w)),
    ("diff(w, s)", diff(w, s)),
    ("diff(w', s, 2)", diff(ddt(w), s, 2)),
    ("diff(x^2*y, x)", 2 * x * y),
    ("diff(theta'^2, theta')", 2 * theta.rate),
    ("at(w, s, L)", at(w, s, L)),
    ("at(diff(w, s), s, 0)", at(diff(w, s), s, 0)),
    ("at(v, z, 1)", at(v, z, 1)),
    ("at(z*v, z, 1)", at(v, z, 1)),
    ("integral(w'^2, s)", integral(ddt(w) ** 2, s)),
    ("integral(diff(w, s)^2/2, s, upto=s)", integral(diff(w, s) ** 2 / 2, s, upto=s)),
    ("integral(m*integral(w, s, upto=s), s)", integral(m * integral(w, s, upto=s), s)),
    ("integral([w, s], s)", integral(vector(w, s), s)),
]


@pytest.mark.parametrize(("text", "meaning"), MEANINGS)
def test_text_means_the_expression_built_in_python(text: str, meaning: Any) -> None:
    assert parse(text, NAMES) == meaning


@pytest.mark.parametrize("meaning", [meaning for _, meaning in MEANINGS])
def test_every_meaning_is_written_and_read_back(meaning: Any) -> None:
    assert_same(_masked(parse(write(meaning), NAMES)), _masked(meaning))


BAD = [
    ("", 1, "Expected an expression. Got nothing"),
    ("  ", 1, "Got nothing"),
    ("m*g*cos(thta1)", 9, r"`thta1` is no name of this model. Did you mean `theta1`\?"),
    ("e^x", 1, r"Write exp\(1\)"),
    ("2 theta", 3, r"write 2\*theta"),
    ("2theta", 2, r"write 2\*theta"),
    ("x y", 3, r"write x\*y"),
    ("2(x)", 2, r"write 2\*\(...\)"),
    ("(x)(y)", 4, "An operator is missing"),
    ("x(y)", 1, r"`x` is a name, no function: write x\*\(...\)"),
    ("sin", 1, r"`sin` is a function. Write sin\(x\)"),
    ("sin x", 1, "`sin` is a function"),
    ("sin^2(x)", 1, "`sin` is a function"),
    ("sine(x)", 1, r"`sine` is no function of the language. Did you mean `sin`\?"),
    ("ln(x)", 1, r"no function of the language. Write log\(x\)"),
    ("sin()", 1, "`sin` needs 1 argument. Got 0"),
    ("sin(x, y)", 1, "`sin` needs 1 argument. Got 2"),
    ("atan2(x)", 1, r"`atan2` needs 2 arguments. Got 1. Write atan2\(y, x\)"),
    ("diff(x)", 1, "`diff` needs 2 to 3 arguments"),
    ("sin(r)", 5, "`sin` needs a scalar here. Got a vector of 2 components"),
    ("norm2(x)", 7, "`norm2` needs a vector here"),
    ("dot(r, x)", 8, "`dot` needs a vector here"),
    ("dot(r, p)", 1, "two vectors of equal length. Got 2 and 3"),
    ("cross(r, r)", 1, "vectors of three components"),
    ("rotate(x, p)", 1, "a vector of 2 components. Got 3. In space give an axis"),
    ("rotate(x, p, [0, 0, 0])", 1, "not all zero"),
    ("r + 1", 3, "terms of one kind. Got a vector of 2 components and a scalar"),
    ("r*r", 2, r"Write dot\(a, b\) or cross\(a, b\)"),
    ("x/r", 2, "Dividing by a vector"),
    ("r^2", 2, r"Write norm2\(r\)"),
    ("r[0]", 2, "from 1 to 2. Got 0"),
    ("r[3]", 2, "from 1 to 2. Got 3"),
    ("r[x]", 2, "from 1 to 2. Got x"),
    ("x[1]", 2, "A scalar has no components"),
    ("[r, x]", 1, "components of a vector are scalars"),
    ("x = y", 3, "holds no `=`. Write a - b"),
    ("x == y", 3, "compares nothing"),
    ("x < y", 3, "compares nothing"),
    ("x >= y", 3, "compares nothing"),
    ("x % 2", 3, "no remainder"),
    ("x!", 2, "no factorial"),
    ("r @ r", 3, r"dot\(a, b\)"),
    ("lambda x: x", 9, "colon"),
    ("x: y", 2, "colon"),
    ('"x"', 1, "Text in quotes"),
    ("'x'", 1, "A prime stands behind"),
    ("\\theta", 1, "backslash"),
    ("x.real", 2, "no attributes"),
    ("x # y", 3, "comment"),
    ("x; y", 2, "One text is one expression"),
    ("{x}", 1, "Braces"),
    ("$x$", 1, "LaTeX"),
    ("|x|", 1, r"write abs\(x\)"),
    ("x²", 2, r"x\^2"),
    ("m·g", 2, r"with \*"),
    ("x − y", 3, "plain minus sign"),
    ("x\x00", 2, r"The character '\\x00' is not understood"),
    ("x +", 4, "Expected a number, a name or a parenthesis. Got the end"),
    ("x * / y", 5, "Got `/`"),
    ("(x", 1, r"`\(` is never closed: `\)` is missing"),
    ("[x, y", 1, r"`\[` is never closed"),
    ("x)", 2, r"`\)` closes nothing"),
    ("x, y", 2, r"Write a vector as \[x, y\]"),
    ("(x]", 3, "Got `]`"),
    ("()", 2, r"Got `\)`"),
    ("at(w, s, 3)", 1, "an end of the space `s`, 0 or L"),
    ("at(w, x, 0)", 1, "needs a space"),
    ("integral(w, x)", 1, "integrates over a space"),
    ("integral(v, s)", 1, "varies along `z`"),
    ("integral(w, s, until=s)", 16, "takes no argument named `until`"),
    ("sin(upto=x)", 5, "takes no argument named `upto`"),
    ("integral(w, s, upto=s, s)", 1, "`integral` needs 2 to 3 arguments. Got 4"),
    ("integral(w, upto=s, s)", 13, "`upto=...` is the last of the 3 arguments of `integral`"),
    ("integral(w, s, s, upto=s)", 19, "`upto=...` is the last of the 3 arguments of `integral`"),
    ("diff(v, s)", 1, "lives on `z`"),
    ("diff(x, 2)", 1, "with respect to a symbol"),
    ("diff(w, s, 9)", 1, "from 0 to 4. Got 9"),
    ("1e999999", 1, "between 1e-300 and 1e300"),
    ("9" * 301, 1, "at most 300 digits"),
    ("9^9^9^9", 4, "at most 300 digits"),
    ("((9^64)^64)^64", 8, "at most 300 digits"),
    ("2^(2^(2^(2^2)))", 2, "at most 300 digits"),
    ("10^10^10", 3, "at most 300 digits"),
    ("exp(10^6*log(2))", 1, "at most 300 digits"),
    ("at(2^(z*10^12), z, 1)", 1, "at most 300 digits"),
    ("0^-1", 2, "divides by zero"),
    ("x/(2 - 2)", 2, "divides by zero"),
    ("(-8)^(1/3)", 5, "not real"),
    ("sqrt(-2)", 1, "not real"),
    ("log(0)", 1, "no real value at 0"),
    ("asin(2)", 1, "no real value at 2"),
    ("tan(pi/2)", 1, "no finite real value"),
    ("x^65", 2, "at most 64 in size. Got 65"),
    ("(x^64)^64", 7, "at most 64 in size. Got 4096"),
    ("x^(10^30)", 2, "at most 64"),
    ("(" * 10**6, 1, "at most 20000 characters"),
    ("-" * 10**6, 1, "at most 20000 characters"),
    ("(" * 3000, 101, "at most 200 levels"),
    ("-" * 3000, 201, "at most 200 levels"),
    ("+".join("x" * 3000), 4001, "at most 4000 numbers, names and signs"),
    ("sin(" * 60 + "x" + ")" * 60, 157, "at most 20 functions and powers inside each other"),
    ("(x*sin(y*x))" + "'" * 60, None, "derivatives here are too long"),
    ("rotate(x, " * 60 + "[x, y]" + ")" * 60, None, "at most 5000"),
]


@pytest.mark.parametrize(("text", "column", "message"), BAD, ids=[repr(b[0][:30]) for b in BAD])
def test_bad_text_is_refused_with_a_sentence_and_its_place(
    text: str, column: Any, message: str
) -> None:
    with pytest.raises(TextError, match=message) as caught:
        parse(text, NAMES)
    error = caught.value
    assert error.line == 1
    assert column in (None, error.column)
    assert error.caret.endswith("^")
    assert len(str(error)) < 800


def test_no_text_is_refused() -> None:
    with pytest.raises(TextError, match=r"Expected a text\. Got 3"):
        parse(3, NAMES)  # type: ignore[arg-type]


def test_message_shows_the_line_and_a_caret_below_the_place() -> None:
    with pytest.raises(TextError) as caught:
        parse("m*g*cos(thta1)", NAMES, what="potential")
    assert str(caught.value) == (
        "`potential`, line 1, column 9: `thta1` is no name of this model. Did you mean `theta1`?\n"
        "    m*g*cos(thta1)\n"
        "            ^"
    )


def test_place_counts_from_where_the_text_begins_in_its_file() -> None:
    with pytest.raises(TextError) as first:
        parse("nought + x", NAMES)
    moved = first.value.moved(7, 12)
    assert (moved.line, moved.column) == (7, 12)
    with pytest.raises(TextError) as second:
        parse("x +\n\ty*nought\n+ m", NAMES)
    error = second.value.moved(7, 12)
    assert (error.line, error.column) == (8, 4)
    assert (error.source, error.caret) == ("\ty*nought", "\t  ^")


def test_long_lines_are_cut_around_the_place() -> None:
    with pytest.raises(TextError) as caught:
        parse("x + " * 500 + "nought" + " + x" * 300, NAMES)
    error = caught.value
    assert error.column == 2001
    assert error.source[len(error.caret) - 1 :].startswith("nought")
    assert len(error.source) <= 120


@pytest.mark.parametrize(
    "text",
    ["__import__('os')", "__import__", "eval(x)", "exec(x)", "open(x)", "x.__class__", "lambda: x", "x if y else l",
     "[x for x in y]", "print(x)", "'os'", "f'{x}'", "sympify(x)", "x.subs(x, y)", "globals()", "x := y"],
)  # fmt: skip
def test_nothing_is_executed(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(*arguments: Any, **options: Any) -> None:
        raise AssertionError(arguments)

    for name in ("eval", "exec", "open", "compile", "print"):
        monkeypatch.setattr(f"builtins.{name}", forbidden)
    try:
        parse(text, NAMES)
    except TextError as error:
        caught = error
    monkeypatch.undo()
    assert caught.sentence


def test_vectors_of_names_and_their_rates_are_read_back() -> None:
    assert parse(write(ddt(c)), NAMES) == ddt(c)
    assert write(a) == "a"
    assert write(ddt(a)) == "a'"


def test_integral_to_the_end_is_written_as_a_difference() -> None:
    tail = sympy.Integral(w, (s, s, L))
    assert write(2 * tail) == "2*(integral(w, s) - integral(w, s, upto=s))"


@pytest.mark.parametrize(
    "foreign", [sympy.I, sympy.oo, sympy.gamma(x), sympy.Integral(x, x), sympy.eye(2)]
)
def test_what_has_no_text_is_refused(foreign: Any) -> None:
    with pytest.raises(rt.DeclarationError, match=r"text|finite"):
        write(foreign)


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (x / 2, "x/2"), (-3 * x / (2 * y), "-3*x/(2*y)"), (1 / x**2, "1/x^2"), (1 / sqrt(x), "1/sqrt(x)"),
        ((-2) ** x, "(-2)^x"), (x ** Rational(2, 3), "x^(2/3)"), (-m * (x + y) * (x + 1), "-m*(x + 1)*(x + y)"), (sympy.Mul(-1, x + y, x + 1), "-1*(x + 1)*(x + y)"),
        (sin(x) ** 2, "sin(x)^2"), (at(ddt(diff(w, s)), s, L), "at(diff(w', s), s, L)"), (Float(0.1), "0.1"),
        (exp(1), "exp(1)"), (x - 1, "x - 1"), ((x + 1) ** (y + 1), "(x + 1)^(y + 1)"), (Rational(1, 2) ** x, "(1/2)^x"),
    ],
)  # fmt: skip
def test_written_form(expression: Any, text: str) -> None:
    assert write(expression) == text
    assert parse(text, NAMES) == expression


def _masked(value: Any) -> Any:
    """Integrals replaced by symbols, which random evaluation can give a value."""
    found = sorted(sympy.Matrix([value]).atoms(sympy.Integral), key=str)
    return value.xreplace({each: sympy.Symbol(f"I_{each}") for each in found})


LEAVES = st.sampled_from(
    [theta, theta.rate, x, y, m, l, t, a, ddt(a), F, F.rate, pi]
) | st.sampled_from(
    [
        at(w, s, L),
        at(ddt(w), s, 0),
        at(diff(w, s), s, L),
        integral(w * s, s),
        integral(ddt(w) ** 2 * m, s),
    ]
)
NUMBERS = st.integers(-20, 20).map(Integer) | st.fractions(-3, 3, max_denominator=9).map(
    lambda q: Rational(q.numerator, q.denominator)
)
DECIMALS = st.floats(0.1, 9.0).map(Float)


def _larger(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    positive = inner.map(lambda e: e**2 + 1)
    bounded = inner.map(sin)
    return st.one_of(
        st.tuples(inner, inner).map(lambda e: e[0] + e[1]),
        st.tuples(inner, inner).map(lambda e: e[0] * e[1]),
        st.tuples(inner, positive).map(lambda e: e[0] / e[1]),
        st.tuples(positive, st.sampled_from([2, 3, -1, -2, Rational(1, 2), Rational(-3, 2), x])).map(
            lambda e: e[0] ** e[1]
        ),
        st.tuples(
            st.sampled_from([sin, cos, sympy.atan, sympy.tanh, sympy.Abs, sympy.sign]), inner
        ).map(lambda e: e[0](e[1])),
        bounded.map(exp),
        positive.map(log),
        st.tuples(inner, positive).map(lambda e: sympy.atan2(e[0], e[1])),
    )


EXPRESSIONS = st.recursive(LEAVES | NUMBERS | DECIMALS, _larger, max_leaves=8)


def _agree(one: Any, other: Any) -> None:
    """Equal as they are, or to 13 digits at a point: decimals may be added in another order."""
    for mine, theirs in zip(sympy.Matrix([one]), sympy.Matrix([other]), strict=True):
        if mine == theirs:
            continue
        e, f = _masked(mine), _masked(theirs)
        symbols = sorted(e.free_symbols | f.free_symbols, key=str)
        place = {q: Float(0.3 + 0.07 * n) for n, q in enumerate(symbols)}
        first, second = (sympy.N(q.xreplace(place)) for q in (e, f))
        assert abs(first - second) <= 1e-11 * (1 + abs(first))


def _read_back(expression: Any) -> Any:
    """What was written, read again; constants whose digits cannot be bounded are refused on purpose."""
    try:
        return parse(write(expression), NAMES)
    except TextError as error:
        assume("300 digits" not in str(error))
        raise


@cases(150)
@given(EXPRESSIONS)
def test_scalars_are_written_and_read_back(expression: Any) -> None:
    if not expression.has(sympy.I, sympy.zoo, sympy.nan):
        _agree(_read_back(expression), expression)


@cases(30)
@given(st.lists(EXPRESSIONS, min_size=1, max_size=3))
def test_vectors_are_written_and_read_back(components: list[Any]) -> None:
    _agree(_read_back(vector(*components)), vector(*components))


@cases(40)
@given(st.recursive(st.sampled_from([w, w.rate, diff(w, s), diff(w, s, 2), s, m, x]), lambda e: st.one_of(
    st.tuples(e, e).map(lambda q: q[0] + q[1]), st.tuples(e, e).map(lambda q: q[0] * q[1]), e.map(cos),
    e.map(lambda q: integral(q, s, upto=s))), max_leaves=5))  # fmt: skip
def test_densities_are_written_and_read_back(density: Any) -> None:
    assert parse(write(integral(density, s)), NAMES) == integral(density, s)
    _agree(parse(write(at(density, s, L)), NAMES), at(density, s, L))


WORDS = [
    *NAMES, *["0", "1", "2", "9", "64", ".5", "1e300", "1e-300", "2.5", "99999999999", "pi", "t", "θ₁", "Ω"], *"+-*/^()[],='", "**", " ", "\n",
    *(f"{f}(" for f in ["sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "exp", "log", "sqrt", "abs", "sign", "min", "max", "ddt", "norm2", "dot", "cross", "rotate", "diff", "at", "integral"]), "upto=s", ", s)", ", x)", ")", ")", "^9", "^64", "<", "!", "__",
]  # fmt: skip
PIECES = [
    lambda n: "(" * n, lambda n: "-" * n + "x", lambda n: "9^" * n + "9", lambda n: "sin(" * n + "x" + ")" * n,
    lambda n: "x" + "'" * n, lambda n: "(" * n + "9" + "^64)" * n, lambda n: "x^" * n + "2",
    lambda n: "ddt(" * n + "x*sin(y)" + ")" * n, lambda n: "max(x, " * n + "y" + ")" * n,
    lambda n: "[" * n, lambda n: "9" * n, lambda n: "exp(" * n + "9" + ")" * n, lambda n: "1/" * n + "x",
    lambda n: "rotate(1, " * n + "r" + ")" * n, lambda n: "at(z^64*" * n + "z" + ", z, 1)" * n,
    lambda n: "sqrt(2+" * n + "2" + ")" * n, lambda n: "integral(w*" * n + "s" + ", s)" * n,
]  # fmt: skip


def _hostile(generator: random.Random) -> str:
    """Random characters, random words, valid text with faults, or nests."""
    kind = generator.randrange(5)
    if kind == 0:
        signs = string.printable + "θΩ₁²·−\x00\u2028"
        return "".join(generator.choice(signs) for _ in range(generator.randrange(60)))
    if kind == 1:
        return "".join(chr(generator.randrange(1, 0x3000)) for _ in range(generator.randrange(30)))
    if kind == 2:
        return "".join(generator.choice(WORDS) for _ in range(generator.randrange(1, 25)))
    if kind == 3:
        text = list(" + ".join(generator.choice(MEANINGS)[0] for _ in range(2)))
        text[generator.randrange(len(text))] = generator.choice(WORDS)
        return "".join(text)
    return generator.choice(PIECES)(generator.choice([1, 2, 3, 5, 10, 20, 60, 190, 1000, 10**5]))


def _fuzzed(count: int, seed: int) -> list[int]:
    """How many calls of Python functions each of so many hostile texts took, sorted."""
    generator = random.Random(seed)
    taken = []
    parse("at(diff(w, s)*integral(w, s), s, L) + (x + 1)^64", NAMES)  # loads parts of SymPy
    for _ in range(count):
        text, calls = _hostile(generator), itertools.count()
        sys.setprofile(lambda *_, calls=calls: next(calls))
        try:
            with suppress(TextError):
                parse(text, NAMES)
        finally:
            sys.setprofile(None)
        taken.append(next(calls))
    return sorted(taken)


def _assert_quick(taken: list[int]) -> None:
    assert taken[len(taken) // 2] < 20_000  # calls and returns; a few milliseconds
    assert taken[int(len(taken) * 0.999)] < 1_000_000


def test_hostile_text_is_answered_quickly_and_without_a_crash() -> None:
    _assert_quick(_fuzzed(draws(300, 1_000), 1))


@pytest.mark.slow
def test_much_hostile_text_is_answered_quickly_and_without_a_crash() -> None:
    _assert_quick(_fuzzed(100_000, 2))
