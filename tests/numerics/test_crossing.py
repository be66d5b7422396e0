"""Where functions of one number cross zero: known roots, flat ones, jumps, poles and bad numbers."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from routh.numerics.solving.crossing import LAST_BITS, NARROW, crossing

PLACES = st.floats(-100.0, 100.0)
WIDTHS = st.floats(1e-3, 100.0)


def known_within(root: float, low: float, high: float) -> float:
    """What is promised by default: a share of the bracket, and the last bits of the place."""
    return 2 * NARROW * (high - low) + 4 * LAST_BITS * abs(root)


def counted(function):
    """The function, and how often it was looked at."""
    looks = []

    def look(x):
        looks.append(x)
        return function(x)

    return look, looks


@given(PLACES, WIDTHS, WIDTHS, st.floats(1e-3, 1e3), st.sampled_from([1.0, -1.0, 1e-200, -1e200]))
def test_known_roots_are_located_in_any_units(root, left, right, bend, unit):
    low, high = root - left, root + right

    def function(x):
        return unit * (x - root) * (1 + bend * (x - root) ** 2)

    assert abs(crossing(function, low, high) - root) <= known_within(root, low, high)


@given(PLACES, WIDTHS, WIDTHS)
def test_ends_in_either_order_give_one_place(root, left, right):
    def function(x):
        return math.expm1(min(x - root, 50.0))

    forwards = crossing(function, root - left, root + right)
    assert forwards == crossing(function, root + right, root - left)


@given(PLACES, WIDTHS, WIDTHS)
def test_known_ends_are_not_looked_at_again(root, left, right):
    low, high = root - left, root + right
    look, looks = counted(lambda x: math.atan(x - root))
    crossing(look, low, high, ends=(math.atan(low - root), math.atan(high - root)))
    assert low not in looks
    assert high not in looks


@given(PLACES, WIDTHS, WIDTHS, st.floats(1e-250, 1e250), st.floats(1e-250, 1e250))
def test_a_jump_is_bracketed_whatever_its_sides(place, left, right, below, above):
    low, high = place - left, place + right

    def function(x):
        return -below if x < place else above

    assert abs(crossing(function, low, high) - place) <= known_within(place, low, high)


@given(PLACES, WIDTHS, WIDTHS)
def test_a_pole_is_bracketed_and_seen_by_the_value(place, left, right):
    low, high = place - left, place + right

    def function(x):
        return 1 / (x - place) if x != place else math.inf

    found = crossing(function, low, high)
    assert abs(found - place) <= known_within(place, low, high)
    assert abs(function(found)) > 1e3 * max(1 / left, 1 / right)


@pytest.mark.parametrize("power", [3, 5, 9, 21])
def test_flat_functions_are_located_as_well(power):
    found = crossing(lambda x: (x - 0.3) ** power, -1.0, 2.0)
    assert abs(found - 0.3) <= known_within(0.3, -1.0, 2.0)


def test_a_function_that_is_zero_over_a_stretch_is_zero_where_it_says():
    def function(x):
        return min(x + 0.5, 0.0) + max(x - 0.5, 0.0)

    assert abs(crossing(function, -3.0, 2.0)) <= 0.5


@given(st.floats(1e-12, 1e-2))
def test_no_better_than_asked_for(width):
    look, looks = counted(lambda x: math.cos(x) - x)
    coarse = crossing(look, 0.0, 1.0, width=width)
    assert abs(coarse - 0.7390851332151607) <= width
    assert len(looks) <= 12


def test_ten_looks_at_a_smooth_function():
    look, looks = counted(lambda x: math.exp(-x) - 0.1 * x)
    crossing(look, 0.0, 10.0)
    assert len(looks) <= 14


@pytest.mark.parametrize(
    ("ends", "place"), [((0.0, 1.0), 0.0), ((-1.0, 0.0), 1.0), ((0.0, 0.0), 0.0), ((-0.0, 2.0), 0.0)]
)
def test_an_end_that_is_zero_is_the_crossing(ends, place):
    assert crossing(lambda _: 1.0, 0.0, 1.0, ends=ends) == place


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x**2 + 1,
        lambda x: -math.exp(x),
        lambda _: math.nan,
        lambda x: math.nan if x > 0.4 else -1.0,
        lambda x: math.nan if 0.3 < x < 0.7 else x - 0.5,
        lambda _: math.inf,
    ],
)
def test_nothing_is_claimed_without_a_change_of_sign_or_with_what_is_no_number(function):
    assert math.isnan(crossing(function, 0.0, 1.0))


def test_infinite_values_count_by_their_sign():
    assert crossing(lambda x: -math.inf if x < 0.3 else math.inf, 0.0, 1.0) == pytest.approx(0.3)
    assert crossing(lambda x: -1e-300 if x < 0.3 else math.inf, 0.0, 1.0) == pytest.approx(0.3)


def test_small_values_beside_huge_ones_keep_their_sign():
    found = crossing(lambda x: math.exp(x) - 1e-30, -700.0, 700.0)
    assert found == pytest.approx(math.log(1e-30), rel=1e-12)


def test_next_to_zero_all_exponents_count():
    assert crossing(lambda x: x - 1e-290, -1.0, 1.0, width=1e-300) == pytest.approx(1e-290, rel=1e-9)


def test_an_error_of_the_function_is_not_swallowed():
    def function(x):
        raise ValueError(f"no look at {x}")

    with pytest.raises(ValueError, match="no look at 0"):
        crossing(function, 0.0, 1.0)


def test_the_function_warns_as_it_would_alone():
    def function(x):
        return float(np.float64(x - 0.3) / np.abs(np.float64(x - 0.5)))

    with np.errstate(all="raise"), pytest.raises(FloatingPointError):
        crossing(function, 0.0, 1.0, ends=(-1.0, 1.0))
