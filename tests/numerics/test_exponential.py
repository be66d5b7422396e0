"""Exponential collocation: weights by mpmath, linear systems to rounding, its order, its failures."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
import scipy

from routh.numerics.exponential import collocation
from routh.numerics.exponential.collocation import Collocation, SecondOrder
from routh.numerics.exponential.linear_part import NODES
from routh.numerics.exponential.oscillators import FAST, Oscillators
from routh.numerics.steppers import StuckError

KINDS = {
    "no force": (0.0, 0.0),
    "nearly none": (1e-9, 0.0),
    "slow": (4.0, 0.0),
    "growing": (-4.0, 0.0),
    "damped": (30.0, 1.0),
    "overdamped": (30.0, 9.0),
    "just slow": ((FAST - 1) ** 2, 0.0),
    "just fast": ((FAST + 1) ** 2, 3.0),
    "fast and slow root": (1e4, 200.0),
    "one root zero": (0.0, 150.0),
}


@pytest.mark.parametrize("kind", KINDS)
def test_weights_are_the_integrals_of_answers_times_legendre_polynomials(kind):
    own = Oscillators.nearest(*(np.array([each]) for each in KINDS[kind]))
    w, d = mpmath.mpf(own.w[0]), mpmath.mpf(own.d[0])
    r = mpmath.sqrt(mpmath.mpc(w - d**2))

    def answer(time):
        return (mpmath.exp(-d * time) * (mpmath.sin(r * time) / r if r else time)).real

    c = mpmath.mpf(0.7)
    found = own.forced(1.0, np.array([0.7]), NODES)[0, 0, 0]
    size = 1 / max(1.0, np.abs(own.roots).max())
    for k in (0, 1, NODES - 1):
        pieces = mpmath.linspace(0, c, 12)
        exact = mpmath.quad(
            lambda time, k=k: answer(c - time) * mpmath.legendre(k, 2 * time - 1), pieces
        )
        assert abs(found[k] - exact) < 3e-15 * size * max(1, mpmath.exp(-c * mpmath.re(-d + r)) ** -1)
    moved = scipy.linalg.expm(0.7 * np.array([[0, 1], [-own.w[0], -2 * own.d[0]]]))
    scale = np.array([[1, max(1, own.w[0]) ** -0.5], [max(1, abs(own.w[0])) ** 0.5, 1]])
    off = np.abs(own.free(np.array([0.7]))[..., 0, 0] - moved) / scale
    assert off.max() < 1e-12 * max(1, np.abs(moved).max())


def test_nearly_critical_damping_is_put_apart():
    own = Oscillators.nearest(np.array([1e4, 1e4]), np.array([99.99, -100.0]))
    gap = np.abs(own.roots[0] - own.roots[1])
    assert (gap > 0.3 * np.abs(own.roots[0])).all()
    assert own.d == pytest.approx([94.868, -94.868], abs=1e-3)


def linear_system(rng, n, damping):
    A, B = rng.normal(size=(2, n, n))
    M = A @ A.T + n * np.eye(n)
    K = B @ np.diag(10.0 ** rng.uniform(0, 6, n)) @ B.T
    return M, K, damping * (M + 1e-4 * K)


@pytest.mark.parametrize("damping", [0.0, 0.05])
@pytest.mark.parametrize("seed", range(4))
def test_linear_systems_under_polynomial_forces_are_exact_in_steps_of_any_length(seed, damping):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 7))
    M, K, C = linear_system(rng, n, damping)
    force = rng.normal(size=n)
    inverse = np.linalg.inv(M)

    def rates(times, states):
        q, v = states[:, :n], states[:, n : 2 * n]
        a = (times[:, None] ** 2 * force - q @ K - v @ C) @ inverse
        return np.concatenate([v, a, 3 * times[:, None] ** 2], axis=1)

    x = np.concatenate([rng.normal(size=2 * n), [0.0]])
    size = 2 * n + 4  # q, v, the sum of 3 t^2, and 1, t, t^2
    A = np.zeros((size, size))
    A[:n, n : 2 * n] = np.eye(n)
    A[n : 2 * n] = inverse @ np.hstack([-K, -C, np.zeros((n, 3)), force[:, None]])
    A[2 * n, -1] = 3.0
    A[2 * n + 2, 2 * n + 1], A[2 * n + 3, 2 * n + 2] = 1.0, 2.0
    exact = scipy.linalg.expm(1.7 * A) @ np.concatenate([x, [1.0, 0.0, 0.0]])
    run = Collocation(SecondOrder(rates, lambda *_: (M, K, C), n, 1e-9, 1e-12), 0.0, x, 1.7)
    run.begin(0.0, x, 1.7)
    while run.t < 1.7:
        run.advance()
    assert run.steps <= 3
    speed = np.abs(exact[n : 2 * n]).max()
    np.testing.assert_allclose(run.x[:n], exact[:n], atol=2e-11 * np.abs(exact[:n]).max())
    assert run.x[-1] == pytest.approx(1.7**3, rel=1e-14)
    np.testing.assert_allclose(run.x[n : 2 * n], exact[n : 2 * n], atol=2e-11 * speed)


def stiff_and_soft(count):
    """A soft spring that hardens, beside a stiff one that it pushes and is pushed by."""

    def rates(_times, states):
        x, y, u, v = states.T
        return np.stack([u, v, -x - x**3 - x * y, -(count**2) * y - x**2 / 2 + u**2], axis=1)

    def linear(_t, state):
        x, y, *_ = state
        return np.eye(2), np.array([[1 + 3 * x**2 + y, x], [x, count**2]]), np.zeros((2, 2))

    return rates, linear


def run(longest, rtol, last=4.0, count=30.0):
    rates, linear = stiff_and_soft(count)
    own = SecondOrder(rates, linear, 2, rtol, 1e-14, longest)
    stepper = Collocation(own, 0.0, np.array([1.0, 0.0, 0.0, 0.0]), last)
    stepper.begin(0.0, stepper.x, longest)
    while stepper.t < last:
        stepper.advance()
    return stepper


def test_it_has_its_order(monkeypatch):
    monkeypatch.setattr(collocation, "SETTLED", 1e-11)
    rates, _ = stiff_and_soft(30.0)
    exact = scipy.integrate.solve_ivp(
        lambda t, x: rates(t, x[None])[0], (0, 4), [1.0, 0, 0, 0], "DOP853", rtol=1e-13, atol=1e-14
    ).y[:, -1]
    errors = [np.abs(run(h, 0.5).x - exact).max() for h in (1.0, 0.5)]
    assert run(1.0, 0.5).steps == 4
    assert 1e-8 < errors[0] < 1e-2
    assert errors[0] / errors[1] > 2.0**NODES


def test_steps_do_not_follow_the_quickest_oscillator():
    slow, quick = (run(np.inf, 1e-9, count=count) for count in (30.0, 3e4))
    assert quick.steps < 2 * slow.steps
    assert quick.x[0] == pytest.approx(slow.x[0], abs=1e-2)


def test_between_steps_it_is_as_exact_as_at_their_ends():
    rates, linear = stiff_and_soft(30.0)
    stepper = Collocation(
        SecondOrder(rates, linear, 2, 1e-10, 1e-13), 0.0, np.array([1.0, 0.0, 0.0, 0.0]), 4.0
    )
    while stepper.t < 2:
        stepper.advance()
    before, start = stepper.t, stepper.x
    stepper.advance()
    inside = stepper.inside()
    assert np.abs(inside(stepper.t) - stepper.x).max() < 1e-13
    middle = 0.37 * before + 0.63 * stepper.t
    assert np.abs(inside(middle) - stepper.to(before, start, middle)).max() < 1e-10


def test_what_is_not_finite_or_has_no_mass_is_stuck():
    def rates(times, states):
        return np.concatenate([states[:, 1:], np.where(times > 0.5, np.nan, 0.0)[:, None]], axis=1)

    def linear(*_):
        return np.eye(1), np.eye(1), np.zeros((1, 1))

    own = SecondOrder(rates, linear, 1, 1e-9, 1e-12)
    stepper = Collocation(own, 0.0, np.array([1.0, 0.0]), 1.0)
    with pytest.raises(StuckError, match="too small"):
        stepper.to(0.0, stepper.x, 1.0)
    massless = SecondOrder(rates, lambda *_: (-np.eye(1), np.eye(1), np.eye(1)), 1, 1e-9, 1e-12)
    with pytest.raises(StuckError, match="not positive definite"):
        Collocation(massless, 0.0, np.array([1.0, 0.0]), 1.0).advance()
