"""Routh's array against the roots of the polynomial, and its special cases."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from routh.lecture.linearized.routh_array import routh_arrays, s

numbers = st.integers(-3, 3)
factors = st.one_of(
    st.tuples(st.just(1), numbers),
    st.tuples(st.just(1), numbers, numbers),
    st.tuples(st.just(1), st.just(0), numbers),
    st.tuples(st.just(1), st.just(0), numbers, st.just(0), numbers),
    st.tuples(st.integers(1, 3), numbers, numbers, numbers),
)
"""Factors with roots anywhere: on the axis, in opposite pairs, or on both sides."""


def growing(polynomial):
    """How many roots have positive real part, each factor with simple roots by itself."""
    count = 0
    for factor, power in polynomial.factor_list()[1]:
        exact = [Fraction(int(c.p), int(c.q)) for c in factor.all_coeffs()]
        roots = mpmath.polyroots(
            [mpmath.mpf(c.numerator) / c.denominator for c in exact], maxsteps=500, extraprec=400
        )
        count += power * sum(mpmath.re(root) > 1e-12 for root in roots)
    return count


@given(st.lists(factors, min_size=1, max_size=4))
def test_changes_of_sign_are_roots_with_positive_real_part(given_factors):
    whole = sympy.Poly(1, s)
    for factor in given_factors:
        whole *= sympy.Poly(list(factor), s)
    coefficients = whole.all_coeffs()
    while coefficients[-1] == 0:
        del coefficients[-1]
    if len(coefficients) > 1:
        arrays = routh_arrays(coefficients)
        assert sum(array.changes * power for array, power in arrays) == growing(whole)


@given(st.lists(st.integers(1, 9), min_size=3, max_size=7))
def test_array_of_letters_becomes_that_of_numbers(values):
    letters = sympy.symbols(f"a0:{len(values)}", positive=True)
    ((general, _),) = routh_arrays(letters)
    put = dict(zip(letters, values, strict=True))
    column = [sympy.fraction(sympy.cancel(e))[1].subs(put) for e in general.column]
    if 0 in column or 0 in [e.subs(put) for e in general.column]:
        return  # the array of these numbers is special
    ((own, _),) = routh_arrays(values)
    assert [e.subs(put) for e in general.column] == list(own.column)


def test_textbook_array():
    ((array, power),) = routh_arrays([1, 2, 3, 4, 5])
    assert power == 1
    assert array.rows == ((1, 3, 5), (2, 4), (1, 5), (-6,), (5,))
    assert array.changes == 2


def test_row_of_zeros_is_the_derivative_of_the_auxiliary_polynomial():
    # (s + 1)(s^2 + 4): the row of s^1 vanishes
    ((array, _),) = routh_arrays([1, 1, 4, 4])
    assert array.auxiliary == ((1, s**2 + 4),)
    assert array.column == (1, 1, 2, 4)
    assert array.changes == 0


def test_zero_in_the_first_column_becomes_a_small_number():
    ((array, _),) = routh_arrays([1, 1, 2, 2, 3])
    ((power, small),) = array.small
    assert power == 2
    assert small.is_positive
    assert array.changes == 2


def test_both_special_cases_together_split_the_polynomial():
    # a small number would move the roots i and -i that come with their opposites
    coefficients = [1, 1, 3, 3, 3, 2, 1]
    arrays = routh_arrays(coefficients)
    assert sum(array.changes * power for array, power in arrays) == growing(sympy.Poly(coefficients, s))
    product = sympy.prod(sympy.Poly(array.coefficients, s) ** power for array, power in arrays)
    assert product == sympy.Poly(coefficients, s)


@pytest.mark.parametrize("coefficients", [[1, 0, 5, 0, 4], [1, 0, 2, 0, 1], [1, 0, 0, 0, 1]])
def test_even_polynomials(coefficients):
    arrays = routh_arrays(coefficients)
    assert sum(array.changes * power for array, power in arrays) == growing(sympy.Poly(coefficients, s))


def test_rounding_is_a_row_of_zeros():
    """(s^2 + w^2)(s^2 + b s - c) with rounded coefficients has that array, as with whole numbers."""
    w2, b, c = 2.1403687, 0.30456936, 0.17926888
    a = [1.0, b, w2 - c, w2 * b, -w2 * c]
    given = [sympy.Rational(*float(x).as_integer_ratio()) for x in a]
    ((array, _),) = routh_arrays(given, rounding=1e-13)
    ((power, auxiliary),) = array.auxiliary
    assert power == 1
    roots = np.roots([float(x) for x in sympy.Poly(auxiliary, s).all_coeffs()])
    np.testing.assert_allclose(np.sort(roots.imag), [-(w2**0.5), w2**0.5], rtol=1e-12)
    assert array.changes == np.sum(np.roots(a).real > 1e-9) == 1


def test_a_small_entry_that_is_no_rounding_stays():
    """s^3 + s^2 + s + 1 + e has roots in the right half plane for every e > 0."""
    e = sympy.Rational(1, 10**9)
    ((array, _),) = routh_arrays([1, 1, 1, 1 + e], rounding=1e-13)
    assert not array.auxiliary
    assert array.changes == 2
