"""Amplitudes, least periods and distances of periodic motions, against exact solutions."""

import mpmath
import numpy as np
import pytest
import sympy

import routh as rt
from routh import cos, ddt, sin, t

x, theta = rt.coordinates("x theta")
PENDULUM = rt.System(kinetic=ddt(theta) ** 2 / 2, potential=-cos(theta))
POL = rt.System(kinetic=ddt(x) ** 2 / 2, potential=x**2 / 2, forces={x: (1 - x**2) * ddt(x)})


def driven(w, **more):
    return rt.System(
        kinetic=ddt(x) ** 2 / 2, potential=x**2 / 2, dissipation=ddt(x) ** 2 / 10, forces={x: cos(w * t)}, **more
    )  # fmt: skip


@pytest.mark.parametrize("w", [0.7, 2.3])
def test_amplitudes_of_expressions_are_as_exact_as_the_motion(w):
    motion = rt.periodic_motion(driven(w), {}, {x: 0.1}, 2 * np.pi / w)
    A = 1 / np.hypot(1 - w**2, 0.2 * w)
    exact = {x: A, ddt(x): A * w, ddt(x, 2): A * w**2, x**2: A**2 / 2, x**3: A**3, x + 7: A}
    for e, value in exact.items():
        np.testing.assert_allclose(motion.amplitude(e), value, rtol=1e-11)
    # at a kink the place of the extreme counts to first order: the curve between samples has 1e-8
    np.testing.assert_allclose(motion.amplitude(sympy.Abs(x)), A / 2, rtol=1e-7)
    # x cos(w t) is A cos(w t - d) cos(w t), half of whose range is A/2
    np.testing.assert_allclose(motion.amplitude(x * cos(w * t)), A / 2, rtol=1e-11)
    # a spike much narrower than the distance of 201 samples, with its top at x = 0
    spike = rt.exp(-((200 * x / A) ** 2))
    np.testing.assert_allclose(motion.amplitude(spike), 1 / 2, rtol=1e-9)


def test_amplitudes_of_the_pendulum():
    angle = 2.5
    exact = float(4 * mpmath.ellipk(mpmath.sin(mpmath.mpf(angle) / 2) ** 2))
    motion = rt.periodic_motion(PENDULUM, {}, {theta: angle}, 1.02 * exact)
    np.testing.assert_allclose(motion.period, exact, rtol=1e-11)
    np.testing.assert_allclose(motion.amplitude(theta), angle, rtol=1e-11)
    np.testing.assert_allclose(motion.amplitude(ddt(theta)), 2 * np.sin(angle / 2), rtol=1e-11)
    np.testing.assert_allclose(motion.amplitude(sin(theta)), 1, rtol=1e-11)


@pytest.mark.slow
def test_amplitudes_of_a_family_are_those_it_was_followed_along():
    motion = rt.periodic_motion(PENDULUM, {}, {theta: 2.5}, 11.0)
    family = rt.follow(motion, "amplitude", 2.55)
    np.testing.assert_allclose(family.amplitudes(theta), family.at, rtol=1e-9)


def test_an_unstable_motion_is_read_piece_by_piece():
    # about the upright pendulum a whole period grows errors by exp(2 pi 3) = 1e8
    w = 1.0
    balanced = rt.System(kinetic=ddt(x) ** 2 / 2, potential=-9 * x**2 / 2, forces={x: cos(w * t)})
    motion = rt.periodic_motion(balanced, {}, {x: -0.1}, 2 * np.pi / w)
    np.testing.assert_allclose(motion.amplitude(x), 1 / 10, rtol=1e-8)


@pytest.mark.parametrize("times", [1, 2, pytest.param(6, marks=pytest.mark.slow)])
def test_a_multiple_of_the_least_period_is_told(times):
    motion = rt.periodic_motion(PENDULUM, {}, {theta: 1.0}, times * 6.7)
    np.testing.assert_allclose(motion.period, times * 6.699975664, rtol=1e-8)
    assert motion.multiple == times
    assert (f"{times} times its least period 6.6999" in str(motion)) == (times > 1)


@pytest.mark.slow
def test_multiples_of_driven_motions_respect_the_drive():
    w = 1.3
    T = 2 * np.pi / w
    assert rt.periodic_motion(driven(w), {}, {x: 0.1}, T).multiple == 1
    assert rt.periodic_motion(driven(w), {}, {x: 0.1}, 3 * T).multiple == 3
    # Duffing: of the motions after three drives some are answers to each, one takes all three
    hard = rt.System(
        kinetic=ddt(x) ** 2 / 2,
        potential=x**2 / 2 + x**4 / 4,
        dissipation=ddt(x) ** 2 / 1000,
        forces={x: 2 * cos(6 * t)},
    )
    small, large = (rt.periodic_motion(hard, {}, {x: g}, np.pi) for g in (0.05, 2.0))
    assert (small.multiple, large.multiple) == (3, 1)
    assert large.amplitude(x) > 20 * small.amplitude(x)
    # cos(2t) with the period of cos(t): half of it is a period of the drive, and of the motion
    assert rt.periodic_motion(driven(2), {}, {x: 0.1}, 2 * np.pi).multiple == 2


@pytest.mark.slow
def test_symmetric_motions_are_no_multiples():
    # x and y on a lemniscate: y repeats twice while x goes once
    y = rt.coordinate("y")
    T = (ddt(x) ** 2 + ddt(y) ** 2) / 2
    eight = rt.System(kinetic=T, potential=(x**2 + 4 * y**2) / 2 + x**4 / 100)
    motion = rt.periodic_motion(eight, {}, {x: 1.0, y: 0.0}, 6.2)
    assert motion.multiple == 1


def test_a_motion_far_from_the_guess_is_told():
    near = rt.periodic_motion(POL, {}, {x: 2.0}, 6.6)
    far = rt.periodic_motion(POL, {}, {x: 0.3}, 6.6)
    assert near.is_near_guess
    assert near.distance < 0.05
    assert not far.is_near_guess
    assert "another motion than that of the guess" in str(far)
    assert "another motion" not in str(near)
    np.testing.assert_allclose([near.period, far.period], 6.663286859323130, rtol=1e-10)


def test_a_period_far_from_the_one_given_is_told():
    # from x = 1 the period 4.5 leads to the motion of period 6.7, or to none
    try:
        found = rt.periodic_motion(PENDULUM, {}, {theta: 1.0}, 4.3)
    except rt.SolveError:
        return
    assert found.is_near_guess == (2 / 3 <= found.period / 4.3 <= 3 / 2)
    assert ("another motion" in str(found)) == (not found.is_near_guess)


@pytest.mark.parametrize("turns", [1, 4, 8])
def test_periods_that_are_multiples_of_the_nodes_are_motions(turns):
    drag, stiff = sympy.Rational(1, 5), sympy.Rational(17, 10)
    system = rt.System(
        kinetic=ddt(x) ** 2 / 2,
        potential=stiff * x**2 / 2,
        dissipation=drag * ddt(x) ** 2 / 2,
        forces={x: rt.cos(2 * rt.t)},
    )
    found = rt.periodic_motion(system, {}, {x: 0.5}, turns * np.pi)
    assert found.amplitude(x) == pytest.approx(1 / np.hypot(1.7 - 4, 0.4), rel=1e-9)
    assert found.multiple == turns


def test_a_shorter_period_that_is_not_shown_is_not_denied():
    system = rt.System(
        kinetic=ddt(x) ** 2 / 2,
        potential=x**2,
        dissipation=ddt(x) ** 2 / 10,
        forces={x: sympy.Max(rt.sin(rt.t), -rt.sin(rt.t))},
    )
    assert rt.periodic_motion(system, {}, {x: 1.0}, 2 * np.pi).multiple is None
