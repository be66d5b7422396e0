"""Least squares between bounds, against closed forms and SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import least_squares as of_scipy

from routh.errors import Status
from routh.numerics.solving.least_squares import least_squares

WIDE = np.full(2, np.inf)


def rosenbrock(x):
    r = np.array([10 * (x[1] - x[0] ** 2), 1 - x[0]])
    return r, np.array([[-20 * x[0], 10.0], [-1.0, 0.0]])


def test_rosenbrock_is_found_whatever_the_units():
    found = least_squares(rosenbrock, np.array([-1.2, 1.0]), -WIDE, WIDE)
    assert found.status is Status.CONVERGED
    assert np.allclose(found.x, 1, rtol=1e-9)
    units = np.array([1e-6, 1e5])

    def scaled(x):
        r, J = rosenbrock(x * units)
        return r, J * units

    other = least_squares(scaled, np.array([-1.2, 1.0]) / units, -WIDE, WIDE)
    assert np.allclose(other.x * units, 1, rtol=1e-9)
    assert other.evaluations == found.evaluations


@pytest.mark.parametrize(("low", "high"), [([1.5, -9], [9, 9]), ([-9, -9], [0.5, 0.1])])
def test_bounds_hold_as_those_of_scipy(low, high):
    low, high = np.array(low, dtype=float), np.array(high, dtype=float)
    start = (low + high) / 2
    found = least_squares(rosenbrock, start, low, high)
    other = of_scipy(
        lambda x: rosenbrock(x)[0], start, bounds=(low, high), xtol=1e-15, ftol=1e-15, gtol=1e-15
    )
    assert found.held.any()
    assert found.r @ found.r == pytest.approx(2 * other.cost, rel=1e-6)
    assert np.allclose(found.x, other.x, atol=1e-5)


def test_what_residuals_do_not_see_stays():
    def line(x):
        return np.array([x[0] + x[1] - 3, 2 * (x[0] + x[1]) - 6]), np.array([[1.0, 1.0], [2.0, 2.0]])

    found = least_squares(line, np.array([1.0, 0.0]), -WIDE, WIDE)
    assert found.x == pytest.approx([2, 1])


def test_slopes_that_are_rounding_move_nothing():
    def line(x):
        return np.array([x[0] - 3, 2 * x[0] - 7]), np.array([[1.0, 1e-17], [2.0, -3e-18]])

    found = least_squares(line, np.array([1.0, 5.0]), -WIDE, WIDE)
    assert found.x == pytest.approx([3.4, 5.0])


def test_where_there_is_no_answer_steps_are_shorter():
    def log(x):
        if x[0] <= 0:
            return None
        return np.log(x) - 3.0, np.diag(1 / x)

    found = least_squares(log, np.array([300.0]), np.array([-np.inf]), np.array([np.inf]))
    assert found.x == pytest.approx(np.exp(3.0), rel=1e-9)
