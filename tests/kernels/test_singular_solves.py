"""A linear system that is singular gives NaN, never what stood in memory before."""

import casadi
import numpy as np
import pytest

from routh.kernels.graphs.batch import Batched
from routh.kernels.moving.in_place import InPlace


def solver():
    A, b = casadi.MX.sym("A", 2, 2), casadi.MX.sym("b", 2)
    return casadi.Function("solver", [A, b], [casadi.solve(A, b, "qr")])


SINGULAR, UNIT = [1.0, 2.0, 2.0, 4.0], [1.0, 0.0, 0.0, 1.0]


@pytest.mark.parametrize("count", [1, 3, 64, 1000])
def test_points_that_fail_are_nan_and_the_others_as_they_are(count):
    matrices = np.array([UNIT] * count)
    matrices[count // 2] = SINGULAR
    right = np.arange(2.0 * count).reshape(count, 2)
    (found,) = Batched(solver())(matrices, right)
    expected = right.copy()
    expected[count // 2] = np.nan
    np.testing.assert_array_equal(found[..., 0], expected)


def test_a_call_in_place_keeps_nothing_of_the_one_before():
    A, b = np.array(UNIT), np.array([3.0, 4.0])
    place = InPlace(solver(), [A, b])
    place.run()
    np.testing.assert_array_equal(place.results[0], b)
    A[:] = SINGULAR
    place.run()
    assert np.isnan(place.results[0]).all()
