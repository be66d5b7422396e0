"""Newton's method, damped, on equations with known roots, without roots, and with bad numbers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from depth import cases
from routh.errors import Status
from routh.numerics.solving.damping import HALVINGS, damped, shortened
from routh.numerics.solving.newton import found as is_root
from routh.numerics.solving.newton import newton
from routh.numerics.solving.tangents import equilibrated

SEEDS = st.integers(0, 10**6)
SIZES = st.integers(1, 5)

# A batch -----------------------------------------------------------------------------------------


def test_batch_of_square_roots():
    target = np.linspace(0.1, 100, 50)
    found = newton(
        lambda x, k: x**2 - target[k, None],
        lambda x, k: 2 * x[..., None],
        np.ones((50, 1)),
    )
    np.testing.assert_allclose(found.x[:, 0], np.sqrt(target), rtol=1e-15)
    assert set(found.status) == {Status.CONVERGED}


def test_each_point_has_its_own_outcome():
    """x^2 + c = 0: two roots, none, a double root, and NaN."""
    c = np.array([-4.0, 4.0, 0.0, np.nan])
    found = newton(lambda x, k: x**2 + c[k, None], lambda x, k: 2 * x[..., None], np.full((4, 1), 3.0))
    expected = [Status.CONVERGED, Status.STALLED, Status.DEGENERATE, Status.NOT_FINITE]
    assert list(found.status) == expected
    assert found.x[0, 0] == 2.0
    assert abs(found.x[2, 0]) < 1e-4  # a double root is only known to the root of rounding


def test_steps_are_damped_where_the_full_step_overshoots():
    """atan: undamped Newton diverges from |x| > 1.39."""
    found = newton(
        lambda x, k: np.arctan(x), lambda x, k: 1 / (1 + x[..., None] ** 2), np.array([[20.0]])
    )
    assert found.x[0, 0] == pytest.approx(0, abs=1e-15)


def test_a_direction_without_slope_is_left_at_the_guess():
    """r = (x - 1, 0): the second unknown is free."""
    found = newton(
        lambda x, k: np.stack([x[:, 0] - 1, 0 * x[:, 0]], axis=1),
        lambda x, k: np.broadcast_to(np.diag([1.0, 0.0]), (len(x), 2, 2)),
        np.array([[5.0, 7.0]]),
    )
    np.testing.assert_array_equal(found.x, [[1.0, 7.0]])
    assert found.status[0] is Status.CONVERGED


def test_more_equations_than_unknowns():
    """Only the common root counts."""
    both = newton(
        lambda x, k: np.stack([x[:, 0] ** 2 - 1, x[:, 0] - 1], axis=1),
        lambda x, k: np.stack([2 * x, np.ones_like(x)], axis=1),
        np.array([[3.0], [-2.0]]),
    )
    assert both.x[0, 0] == pytest.approx(1, rel=1e-14)
    assert both.status[0] is Status.CONVERGED


def bent(seed, n, count):
    """Random equations A (x - root) + bent terms, which vanish at known roots, and their slopes.

    A is far from singular and the terms only add to its diagonal, so that there is no other root.
    """
    rng = np.random.default_rng(seed)
    skew = rng.normal(size=(count, n, n))
    A = np.eye(n) * rng.uniform(0.5, 2.0, (count, 1, n)) + (skew - skew.swapaxes(1, 2)) / 4
    root, bend = rng.normal(size=(count, n)) * 3, rng.uniform(0, 2, (count, n))

    def equations(x, k):
        d = x - root[k]
        return np.einsum("kij,kj->ki", A[k], d) + bend[k] * d**3

    def tangent(x, k):
        d = x - root[k]
        return A[k] + np.einsum("ki,ij->kij", 3 * bend[k] * d**2, np.eye(n))

    return root, equations, tangent, root + rng.normal(size=(count, n)) * rng.choice([0.1, 1, 30])


@given(SEEDS, SIZES, st.integers(1, 6))
@cases(40)
def test_random_equations_with_one_root_each(seed, n, count):
    root, equations, tangent, guess = bent(seed, n, count)
    found = newton(equations, tangent, guess)
    assert set(found.status) == {Status.CONVERGED}
    np.testing.assert_allclose(found.x, root, rtol=1e-9, atol=1e-9)


@given(SEEDS, SIZES, st.floats(1e-12, 1e12), st.floats(1e-12, 1e12))
@cases(25)
def test_other_units_of_rows_and_unknowns_change_nothing(seed, n, force, length):
    _, equations, tangent, guess = bent(seed, n, 1)
    extent = np.abs(tangent(guess, np.zeros(1, dtype=int))[0])

    def sizes(x, k):
        return np.abs(x) @ extent.T + 1.0

    here = newton(equations, tangent, guess, sizes=sizes)
    there = newton(
        lambda x, k: force * equations(x / length, k),
        lambda x, k: force / length * tangent(x / length, k),
        length * guess,
        sizes=lambda x, k: force * sizes(x / length, k),
    )
    assert is_root(here.status) == is_root(there.status)
    np.testing.assert_allclose(there.x / length, here.x, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_guess_where_nothing_is_defined_says_so(bad):
    found = newton(lambda x, k: x * bad, lambda x, k: x[..., None] * 0 + 1, np.ones((2, 1)))
    assert set(found.status) == {Status.NOT_FINITE}


def test_slopes_that_are_no_numbers_say_so():
    found = newton(lambda x, k: x - 1, lambda x, k: np.full((len(x), 1, 1), np.nan), np.zeros((1, 1)))
    assert found.status[0] is Status.NOT_FINITE


@pytest.mark.parametrize("function", [np.exp, np.cosh, lambda x: x**2 + 1])
def test_without_a_root_none_is_claimed(function):
    h = 1e-6
    with np.errstate(over="ignore"):  # steps that overshoot are shortened
        found = newton(
            lambda x, k: function(x),
            lambda x, k: ((function(x + h) - function(x - h)) / (2 * h))[..., None],
            np.array([[0.7]]),
        )
    assert not is_root(found.status)[0]


def test_a_jump_through_zero_is_no_root():
    found = newton(
        lambda x, k: np.where(x < 0.3, -1.0, 1.0) + 0.1 * (x - 0.3),
        lambda x, k: np.full((len(x), 1, 1), 0.1),
        np.array([[5.0]]),
    )
    assert not is_root(found.status)[0]


def test_equations_that_are_flat_everywhere_stay_where_they_are():
    found = newton(lambda x, k: 0 * x + 1, lambda x, k: 0 * x[..., None], np.array([[5.0]]))
    assert found.x[0, 0] == 5
    assert not is_root(found.status)[0]


# The step ----------------------------------------------------------------------------------------


def search(function, x, step, **more):
    x, step = np.atleast_2d(x).astype(float), np.atleast_2d(step).astype(float)
    left = function(x)
    every = np.arange(len(x))
    return shortened(lambda z, k: function(z), x, left, step, np.ones_like(left), every, **more)


@given(SEEDS, st.integers(1, 5), st.integers(1, 4))
@cases(40)
def test_a_shortened_step_is_the_longest_share_that_lowers_the_residual(seed, count, n):
    rng = np.random.default_rng(seed)
    x, step = rng.normal(size=(count, n)), rng.normal(size=(count, n)) * 10 ** rng.uniform(-3, 3)
    target = rng.normal(size=(count, n))

    def equations(z, k):
        return np.sin(z) - target[k]

    every = np.arange(count)
    before = equations(x, every)
    gain, there, left = shortened(equations, x, before, step, np.ones_like(x), every)
    shares = 0.5 ** np.arange(HALVINGS)
    trials = x + shares[:, None, None] * step
    after = np.linalg.norm(np.sin(trials) - target, axis=2)
    better = after < np.linalg.norm(before, axis=1)
    for k in range(count):
        if not better[:, k].any():
            assert gain[k] == 1
            np.testing.assert_array_equal(there[k], x[k])
            continue
        first = int(np.argmax(better[:, k]))
        np.testing.assert_array_equal(there[k], trials[first, k])
        np.testing.assert_array_equal(left[k], equations(there, every)[k])
        assert gain[k] == pytest.approx(after[first, k] / np.linalg.norm(before[k]), rel=1e-12)


def test_only_the_whole_step_where_that_is_said():
    gain, there, _ = search(
        np.arctan, [[3.0], [3.0]], [[-30.0], [-30.0]], whole=np.array([True, False])
    )
    assert gain[0] == 1
    assert there[0, 0] == 3
    assert gain[1] < 1


def test_no_share_of_a_step_leads_across_what_is_kept_apart():
    def parted(x, there, k):
        return (x[:, 0] > 0) != (there[:, 0] > 0)

    _, there, _ = search(lambda z: z + 5, [[3.0]], [[-8.0]], crosses=parted)
    assert there[0, 0] == 1  # 3 - 8/4: the longest share on the same side


def test_what_is_not_finite_is_no_gain():
    def function(z):
        with np.errstate(all="ignore"):
            return np.log(z)

    gain, there, _ = search(function, [[3.0]], [[-4.0]])
    assert there[0, 0] == 1
    assert gain[0] == 0


# One system --------------------------------------------------------------------------------------


def solve(slopes, residual):
    return np.linalg.solve(slopes, residual)


def within(level):
    return lambda _, residual: bool(np.abs(residual).max(initial=0) <= level)


@given(SEEDS, SIZES)
@cases(40)
def test_one_system_with_a_known_root(seed, n):
    root, equations, tangent, guess = bent(seed, n, 1)
    one = np.zeros(1, dtype=int)

    def look(x):
        return equations(x[None], one)[0], tangent(x[None], one)[0]

    found = damped(look, solve, guess[0], holds=within(1e-10), most=200)
    assert found.held
    np.testing.assert_allclose(found.x, root[0], atol=1e-8)
    np.testing.assert_array_equal(found.residual, look(found.x)[0])
    np.testing.assert_array_equal(found.slopes, look(found.x)[1])


def test_the_slopes_are_whatever_the_solve_takes():
    """Here the place itself, so that nothing is differentiated where a step was refused."""
    solved = []

    def cheap(x, residual):
        solved.append(x)
        return residual * (1 + x**2)

    found = damped(lambda x: (np.arctan(x), x), cheap, np.array([20.0]), holds=within(1e-15), most=50)
    assert found.held
    assert abs(found.x[0]) < 1e-15
    assert len(solved) < 12


def test_the_shortest_of_many_solutions_where_the_solve_says_so():
    def look(x):
        return np.array([x @ x - 4]), 2 * x[None]

    def shortest(slopes, residual):
        return np.linalg.lstsq(slopes, residual, rcond=None)[0]

    found = damped(look, shortest, np.array([3.0, 4.0]), holds=within(1e-14), most=50)
    np.testing.assert_allclose(found.x, [1.2, 1.6], rtol=1e-14)


def test_it_ends_without_a_root_where_nothing_helps():
    found = damped(
        lambda x: (x**2 + 1, np.diag(2 * x)), solve, np.array([3.0]), holds=within(1e-9), most=200
    )
    assert not found.held
    assert abs(found.residual[0]) >= 1


def test_it_ends_where_the_solve_has_no_step():
    found = damped(lambda x: (x - 1, None), lambda *_: None, np.zeros(2), holds=within(0.0), most=9)
    assert not found.held
    np.testing.assert_array_equal(found.x, 0)


def test_steps_are_counted():
    found = damped(lambda x: (x**2, np.diag(2 * x)), solve, np.array([1.0]), holds=within(0.0), most=3)
    assert not found.held
    assert found.x[0] == 0.125


def test_a_whole_step_or_none():
    def look(x):
        return np.arctan(x), np.diag(1 / (1 + x**2))

    found = damped(look, solve, np.array([20.0]), holds=within(1e-9), most=50, halvings=1)
    assert not found.held
    assert found.x[0] == 20


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_bad_numbers_at_the_guess_end_it_there(bad):
    found = damped(lambda x: (x * bad, None), solve, np.ones(1), holds=within(np.inf), most=9)
    assert not found.held
    assert found.x[0] == 1


def test_a_step_beyond_where_the_equations_exist_is_shortened():
    def look(x):
        with np.errstate(all="ignore"):
            return np.log(x), np.diag(1 / x)

    found = damped(look, solve, np.array([100.0]), holds=within(1e-14), most=50)
    assert found.held
    assert found.x[0] == pytest.approx(1, rel=1e-14)


def test_units_are_taken_out_of_each_point_alone():
    """A wild neighbour in the batch changes no digit of a tame point."""
    tame, wild = np.array([[2.0, 0.3], [0.7, 3.0]]), np.array([[1e-9, 1.0], [1.0, 1e-9]])
    alone, together = equilibrated(tame[None]), equilibrated(np.stack([tame, wild]))
    for one, both in zip(alone, together, strict=True):
        np.testing.assert_array_equal(one[0], both[0])
    np.testing.assert_allclose(np.abs(together[0][1]).max(), 1.0)
