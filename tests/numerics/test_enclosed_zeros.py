"""Intervals that hold a zero, from bounds alone."""

import numpy as np

from routh.numerics.enclosed_zeros import joined, zeros
from routh.numerics.intervals import Strip

FINEST = 2.0**-50


def _finest(member, _):
    return np.full(len(member), FINEST)


def test_each_member_has_its_own_zero_to_the_last_bits():
    roots = np.array([0.3, -0.7])

    def bounds(member, a, b):
        return Strip(a - roots[member], b - roots[member], np.zeros(len(a)))

    found = zeros(bounds, -np.ones(2), np.ones(2), _finest, most=400)
    for own, root in zip(found, roots, strict=True):
        ((lo, hi),) = joined(own, lambda _: 2 * FINEST)
        assert lo <= root <= hi
        assert hi - lo <= 4 * FINEST


def test_what_is_zero_all_along_has_no_place():
    def bounds(member, a, b):
        return Strip(np.zeros(len(a)), np.zeros(len(b)), np.zeros(len(a)))

    assert zeros(bounds, -np.ones(1), np.ones(1), _finest, most=400) == [[]]


def test_more_than_can_be_told_apart_stays_long():
    def bounds(member, a, b):
        return Strip(-np.ones(len(a)), np.ones(len(b)), np.zeros(len(a)))

    (found,) = zeros(bounds, -np.ones(1), np.ones(1), _finest, most=10)
    assert joined(found, lambda _: 2 * FINEST) == [(-1.0, 1.0)]


def test_whole_numbers_are_found_likewise():
    def bounds(member, a, b):
        return Strip(2.5 * a, 2.5 * b, np.zeros(len(a)))

    (found,) = zeros(bounds, -np.ones(1), np.ones(1), _finest, most=400, whole=True)
    places = [(lo + hi) / 2 for lo, hi in joined(found, lambda _: 2 * FINEST)]
    np.testing.assert_allclose(places, [-0.8, -0.4, 0.0, 0.4, 0.8], atol=1e-14)
