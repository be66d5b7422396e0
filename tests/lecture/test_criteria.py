"""Criteria of stability against the roots themselves, and what is known of signs."""

from __future__ import annotations

import numpy as np
import pytest
import sympy
from hypothesis import assume, given
from hypothesis import strategies as st

import routh as rt
from routh.lecture.linearized.criteria import hurwitz, leading_minors, real_negative
from routh.lecture.linearized.signs import Condition, Signs

half = st.integers(-6, 3).map(lambda k: sympy.Rational(k, 2))


@given(st.lists(st.tuples(half, half), min_size=1, max_size=3), st.lists(half, max_size=2))
def test_hurwitz_is_positive_where_all_roots_are_on_the_left(pairs, alone):
    x = sympy.Symbol("x")
    whole = sympy.prod([(x - a) ** 2 + b**2 for a, b in pairs] + [x - a for a in alone])
    coefficients = sympy.Poly(whole, x).all_coeffs()
    on_the_left = all(a < 0 for a, _ in pairs) and all(a < 0 for a in alone)
    assert all(e > 0 for e in hurwitz(coefficients)) == on_the_left


@given(st.lists(st.integers(-12, 12), min_size=1, max_size=4))
def test_real_negative_is_positive_where_roots_are_such_and_different(values):
    x = sympy.Symbol("x")
    f = sympy.Poly([1, *values], x)
    roots = sympy.real_roots(f)
    wanted = len(set(roots)) == len(values) and all(root < 0 for root in roots)
    assert all(e > 0 for e in real_negative(f.all_coeffs())) == wanted


@given(st.lists(st.integers(1, 12), min_size=1, max_size=4, unique=True))
def test_real_negative_roots_are_recognized(sizes):
    x = sympy.Symbol("x")
    f = sympy.Poly(sympy.prod(x + size for size in sizes), x)
    assert all(e > 0 for e in real_negative(f.all_coeffs()))


@given(st.lists(st.integers(-3, 3), min_size=6, max_size=6))
def test_leading_minors_are_those_of_sylvester(entries):
    a, b, c, d, e, f = entries
    matrix = sympy.Matrix([[a, b, c], [b, d, e], [c, e, f]])
    least = np.linalg.eigvalsh(np.array(matrix, dtype=float))[0]
    assume(abs(least) > 1e-9)
    assert all(minor > 0 for minor in leading_minors(matrix)) == (least > 0)


def test_factors_of_known_sign_are_left_out():
    m, k = (rt.parameter(name, positive=True) for name in "mk")
    c = rt.parameter("c")
    found = Signs().settled([m * k * c, c**2 * (k - m * c)])
    assert found.broken is None
    assert [condition.sides for condition in found.open] == [(c, 0, ">"), (k, m * c, ">")]


def test_mass_that_is_positive_makes_its_factor_so():
    m, l, g = rt.parameters("m l g")
    signs = Signs()
    signs.learn(m * l**2)
    assert [c.expression for c in signs.settled([m * g * l]).open] == [g * l]


def test_a_condition_that_is_never_met_is_named():
    m, k = (rt.parameter(name, positive=True) for name in "mk")
    found = Signs().settled([m, -m * k])
    assert (found.broken, found.sign) == (-m * k, -1)
    assert Signs().settled([sympy.S.Zero]).sign == 0


def test_conditions_that_exclude_each_other_have_no_sign_of_their_own():
    k = rt.parameter("k")
    found = Signs().settled([k, -k])
    assert (found.broken, found.sign) == (-k, None)
    assert Signs().settled([-(k**2)]).unless_zero


def test_even_powers_must_not_be_zero():
    x, y = rt.parameters("x y")
    found = Signs().settled([x**2 * y])
    assert set(found.open) == {Condition(x, "!="), Condition(y)}


def test_conditions_that_others_imply_are_left_out():
    m, c = (rt.parameter(name, positive=True) for name in "mc")
    k, d = rt.parameters("k d")
    found = Signs().settled([2 * k * m - c**2, k, k * m - 4 * c**2])
    assert [condition.sides for condition in found.open] == [(k * m, 4 * c**2, ">")]
    found = Signs().settled([d, d**2 + 2 * k * m, k])
    assert [condition.expression for condition in found.open] == [d, k]


def test_conditions_that_contradict_each_other_are_seen():
    a, b, c, k = rt.parameters("a b c k")
    assert Signs().settled([a - b, b - c, c - a]).is_contradictory
    assert Signs().settled([k - 3, 2 - k, a]).is_contradictory
    assert Signs().settled([a - 1, b - 1, 1 - a * b]).is_contradictory
    assert not Signs().settled([a - b, b - c, a - c]).is_contradictory
    assert not Signs().settled([k - 2, 3 - k]).is_contradictory


@given(st.lists(st.tuples(*[st.integers(-3, 3)] * 4), min_size=2, max_size=4))
def test_what_is_left_of_conditions_says_the_same(rows):
    """By points: where what is left holds, all hold; and nowhere what contradicts itself."""
    p = sympy.Symbol("p", positive=True)
    x, y = rt.parameters("x y")
    given_ = [a * x + b * y + c * p + d * x * y for a, b, c, d in rows]
    assume(all(e != 0 for e in given_))
    conditions = tuple(dict.fromkeys(map(Condition, given_)))
    found = Signs().compared(conditions)
    for here in np.random.default_rng(3).uniform(-2, 2, (40, 3)):
        put = {x: here[0], y: here[1], p: abs(here[2]) + 0.01}
        all_met = all(c.is_met(put) for c in conditions)
        if found.is_contradictory:
            assert not all_met
        else:
            assert all_met == all(c.is_met(put) for c in found.open)


@pytest.mark.parametrize("root", [2, sympy.Rational(1, 3)])
def test_signs_hold_at_numbers(root):
    """What is left of a condition is positive at numbers exactly where the condition is."""
    m = rt.parameter("m", positive=True)
    a, b = rt.parameters("a b")
    whole = m**3 * (a - root * b) * (a + b) ** 2 / b
    (first, *others) = sorted(Signs().settled([whole]).open, key=lambda c: c.relation)
    for x, y in ((1, 2), (-1, 2), (3, 1), (3, -1), (-3, -1)):
        put = {a: x, b: y, m: sympy.Rational(7, 5)}
        kept = first.expression.subs(put) != 0 and all(c.expression.subs(put) > 0 for c in others)
        assert bool(whole.subs(put) > 0) == bool(kept)
