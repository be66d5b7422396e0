"""Which motions are to be trusted: power balances, second runs, what holds still."""

from __future__ import annotations

from dataclasses import replace

import mpmath
import numpy as np
import pytest

import routh as rt
from routh import cos, ddt, log, norm2, sin, vector
from routh.analysis.motion import together, trust

TIMES = np.linspace(0, 4, 41)


# --- what nothing moves


@pytest.mark.parametrize(
    ("push", "mass"), [(0.9, 1), (-0.999999, 1e-3), (1e-12, 1), (0.0, 1), (3e5, 1e6), (0.9, 1e6)]
)
def test_a_block_that_friction_holds_is_not_doubtful(push, mass):
    x, u = rt.coordinate("x"), rt.input("u")
    static = max(1.0, 1.5 * abs(push))
    block = rt.System(
        kinetic=mass * ddt(x) ** 2 / 2, forces={x: u}, friction=rt.friction(ddt(x), static=static)
    )
    motion = rt.simulate(block, {}, {}, TIMES, inputs={u: push})
    assert motion.completed, motion.message
    assert motion.status is rt.Status.FINISHED
    assert np.abs(motion.q).max() <= 1e-12 * max(abs(push) / mass, 1e-300) * TIMES[-1] ** 2


def test_a_block_held_on_an_incline_beside_a_spring():
    x, y = rt.coordinates("x y")
    held = rt.System(
        kinetic=(ddt(x) ** 2 + 0.1 * ddt(y) ** 2) / 2,
        potential=9.81 * sin(0.2) * x + 5 * y**2,
        friction=rt.friction(ddt(x), static=3),
    )
    for start in ({}, {y: 0.01}):
        motion = rt.simulate(held, {}, start, TIMES)
        assert motion.completed, motion.message
    np.testing.assert_allclose(motion.q[:, 1], 0.01 * np.cos(10 * motion.t), atol=1e-9)


def test_what_constraints_hold_is_not_doubtful():
    x, y, u = *rt.coordinates("x y"), rt.input("u")
    hung = rt.System(
        kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2,
        potential=9.81 * y,
        constraints=[x, y],
        forces={x: u * cos(rt.t)},
    )
    motion = rt.simulate(hung, {}, {}, TIMES, inputs={u: 3})
    assert motion.completed, motion.message


def test_a_held_block_does_not_hide_a_false_motion():
    """Beside what is held a pendulum moves, and a crude run of it is doubtful as it is alone."""
    x, a = rt.coordinates("x a")
    pendulum = ddt(a) ** 2 / 2, -9.81 * cos(a)
    alone = rt.System(kinetic=pendulum[0], potential=pendulum[1])
    beside = rt.System(
        kinetic=pendulum[0] + ddt(x) ** 2 / 2, potential=pendulum[1] + 1e3 * x, constraints=[x]
    )
    crude = {"method": "DOP853", "rtol": 1e-2, "atol": 1e-2}
    for system in (alone, beside):
        motion = rt.simulate(system, {}, {a: 3.0}, np.linspace(0, 60, 61), **crude)
        assert motion.status is rt.Status.DOUBTFUL
        assert "do not trust it" in motion.message


# --- what is not finite


@pytest.mark.parametrize("size", [1e60, 1e100])
def test_an_energy_that_overflows_is_no_balance(size):
    """The motion itself is right; nothing is known of its energy."""
    x = rt.coordinate("x")
    heavy = rt.System(kinetic=1e200 * ddt(x) ** 2 / 2, potential=1e200 * x**2 / 2)
    motion = rt.simulate(heavy, {}, {x: size}, TIMES)
    assert motion.status is rt.Status.DOUBTFUL
    assert not motion.completed
    assert "not finite" in motion.message


def test_an_energy_without_a_value_is_no_balance():
    x, c = rt.coordinate("x"), rt.parameter("c")
    odd = rt.System(kinetic=ddt(x) ** 2 / 2, potential=x**2 / 2 + log(1 - c))
    motion = rt.simulate(odd, {"c": [2.0, 0.5]}, {x: 1}, TIMES)
    assert motion.status.tolist() == [rt.Status.DOUBTFUL, rt.Status.FINISHED]
    assert "not finite" in motion.message[0]
    assert motion.message[1] == "Reached the last time."


def test_damping_beyond_all_numbers_ends_in_a_sentence():
    x = rt.coordinate("x")
    held = rt.System(kinetic=ddt(x) ** 2 / 2, dissipation=1e200 * ddt(x) ** 2 / 2)
    motion = rt.simulate(held, {}, {x: 1, ddt(x): 1.0}, [0, 1])
    assert not motion.completed
    assert "Stopped at t = 0" in motion.message


def test_an_unknown_balance_is_told():
    x, F = rt.coordinate("x"), rt.input("F")
    led = rt.System(kinetic=ddt(x) ** 2 / 2, potential=x**2 - F * x)
    motion = rt.simulate(led, {}, {x: 1}, TIMES, inputs={F: lambda s: np.sin(3 * s)})
    assert motion.completed
    assert "power balance is not known" in motion.message


@pytest.mark.parametrize(("rtol", "allowed"), [(1e-13, 1e-8), (1e-9, 1e-5), (1e-7, 1e-3), (0.1, 0.01)])
def test_the_rule_of_the_power_balance(rtol, allowed):
    """1e4 rtol, 1e-8 at least and 1 % at most, of the energy that moves about; made up to both sides."""
    motion = rt.simulate(anharmonic(), {}, {"x": 1.0}, TIMES)
    ledger = motion.ledger()
    assert ledger.size == pytest.approx(0.5, rel=0.02)  # kinetic energy and range of the potential
    for share, wrong in ((0.98, False), (1.02, True)):
        balance = np.zeros_like(TIMES)
        balance[11] = -share * allowed * ledger.size
        text = trust.unbalanced([replace(ledger, balance=balance)], rtol)
        assert bool(text) == wrong
    # two phases that are off by half as much are as bad, compared with the larger one
    balance = np.full_like(TIMES, 0.51 * allowed * ledger.size)
    half = replace(ledger, balance=balance)
    assert trust.unbalanced([half, replace(half, size=0.0)], rtol)
    assert not trust.unbalanced([half], rtol)


# --- a second run


def anharmonic() -> rt.System:
    x = rt.coordinate("x")
    return rt.System(kinetic=ddt(x) ** 2 / 2, potential=x**4 / 4)


def exact_anharmonic(times, size):
    """x'' = -x^3 from rest at a size: size cn(size t | 1/2)."""
    return np.array([float(size * mpmath.ellipfun("cn", size * t, m=0.5)) for t in times])


@pytest.mark.parametrize(
    ("rtol", "method"),
    [(1e-4, "DOP853"), (1e-6, "Adams"), pytest.param(1e-9, "auto", marks=pytest.mark.slow)],
)
def test_a_second_run_is_compared_with_what_was_asked(rtol, method):
    """Long enough, errors pass a hundred times rtol of the range, though they are far from 1 %.

    The exact solution says whether they do.
    """
    seen = set()
    for last in (2.0, 30.0, 600.0):
        times = np.linspace(0, last, 61)
        exact = exact_anharmonic(times, 1.5)
        plain = rt.simulate(anharmonic(), {}, {"x": 1.5}, times, rtol=rtol, atol=1e-12, method=method)
        motion = rt.simulate(
            anharmonic(), {}, {"x": 1.5}, times, rtol=rtol, atol=1e-12, method=method, check=True
        )
        error = np.abs(plain.q[:, 0] - exact).max()
        assert np.abs(motion.global_error[:, 0]).max() == pytest.approx(error, rel=0.2, abs=1e-10)
        asked = error / (3.0 * rtol + 1e-12)
        if asked > 120:  # a fifth more than the rule, for what the finer run is off
            assert motion.status is rt.Status.DOUBTFUL
            assert "differs by" in motion.message
        elif asked < 15:  # velocities are less exact than positions
            assert motion.completed, motion.message
        seen.add(motion.completed)
    assert True in seen


def test_the_rule_is_a_hundred_times():
    """A wrong first run, made up: just below and just beyond a hundred times rtol of the range."""
    times = np.linspace(0, 2, 21)
    motion = rt.simulate(anharmonic(), {}, {"x": 1.0}, times, check=True, rtol=1e-6, atol=1e-15)
    assert motion.coarser is not None
    states = np.array([x[:2] for _, x in motion.flows[0].samples])
    span = np.ptp(states, axis=0)
    for share, word in ((0.99, ""), (1.01, "`x'` differs")):
        error = np.zeros((21, 2))
        error[7, 1] = -share * 100 * (1e-6 * span[1] + 1e-15)
        text = trust.contradicted(motion.flows, ["x", "x'"], error, 1e-6, 1e-15)
        assert text.startswith(word)
        assert bool(text) == bool(word)


def test_quantities_that_do_not_move_are_not_compared_by_rounding():
    """A planar motion in space: z is zero but for rounding, and has no range."""
    x, y, z = rt.coordinates("x y z")
    r = vector(x, y, z)
    tilted = (x + y + z) / 3
    well = rt.System(kinetic=norm2(ddt(r)) / 2, potential=norm2(r) / 2 + tilted**2)
    start = {x: 1.0, y: -1.0, z: 0.0}  # in the plane where tilted stays zero
    motion = rt.simulate(well, {}, start, TIMES, check=True)
    assert motion.completed, motion.message


def test_check_with_a_last_digit_to_spare_only():
    with pytest.raises(rt.DeclarationError, match="check=True runs again at a hundredth of rtol"):
        rt.simulate(anharmonic(), {}, {"x": 1.0}, [0, 1], check=True, rtol=1e-12)
    with pytest.raises(rt.DeclarationError, match="`rtol` must be 1e-13 or more"):
        rt.simulate(anharmonic(), {}, {"x": 1.0}, [0, 1], rtol=1e-15)


def test_check_and_variations_are_both_there():
    """x'' = -x^3: the growth along itself is the velocity and the acceleration over those at first."""
    times = np.linspace(0, 3, 31)
    motion = rt.simulate(anharmonic(), {}, {"x": 1.0, "x'": 0.5}, times, check=True, variations=True)
    assert motion.global_error is not None
    assert motion.completed
    along = np.stack([motion.v[:, 0], motion.a[:, 0]], axis=1)
    np.testing.assert_allclose(motion.transition @ along[0], along, atol=1e-8)
    alone = rt.simulate(anharmonic(), {}, {"x": 1.0, "x'": 0.5}, times, variations=True)
    np.testing.assert_allclose(motion.transition, alone.transition, atol=1e-7)


def test_events_that_only_one_of_two_runs_meets_are_told():
    """A ceiling at the exact top of a throw, give or take less than the coarse run is off."""
    x = rt.coordinate("x")
    thrown = rt.System(kinetic=ddt(x) ** 2 / 2, potential=x**4 / 4)
    top = 1.0 - 1e-7
    motion = rt.simulate(
        thrown, {}, {x: -1.0}, [0, 20], events=rt.event(x - top, direction=1), rtol=1e-4, check=True
    )
    assert motion.coarser is not None
    counts = [len(each.events) for each in (motion, motion.coarser)]
    assert motion.completed == (counts[0] == counts[1] and "differs" not in motion.message)


# --- closer runs


def light_cart_pole(mass=1e-6) -> rt.System:
    X, theta = rt.coordinates("X theta")
    pole = vector(X + sin(theta), -cos(theta))
    return rt.System(kinetic=mass / 2 * ddt(X) ** 2 + norm2(ddt(pole)) / 2, potential=9.81 * pole[1])


def exact_cart_pole(times, mass=1e-6):
    """X and theta of the light cart-pole from rest at pi/2, by quadrature of the energy.

    No force acts along X, so (1 + mass) X' = -cos(theta) theta' and theta alone has the energy
    (1 - cos^2 / (1 + mass)) theta'^2 / 2 - 9.81 cos(theta) = 0. With theta = pi/2 - u^2 the time is a
    regular integral.
    """

    def rate(u):
        c = mpmath.sin(u * u)
        inertia = 1 - c * c / (1 + mpmath.mpf(mass))
        return 2 * mpmath.sqrt(inertia / (2 * mpmath.mpf(9.81) * mpmath.sinc(u * u)))

    end = mpmath.sqrt(mpmath.pi / 2)
    places = (mpmath.pi / 2 - k * mpmath.sqrt(mass) for k in (300, 30, 8, 2))
    sharp = [mpmath.sqrt(place) for place in places if place > 0]

    def passed(u):
        return mpmath.quad(rate, [0, *(s for s in sharp if s < u), u])

    quarter = passed(end)
    found = []
    for t in times:
        count = int(t / quarter)
        rest = mpmath.mpf(t) - count * quarter
        gone = rest if count % 2 == 0 else quarter - rest
        low, high = mpmath.mpf(0), end
        for _ in range(45):
            middle = (low + high) / 2
            low, high = (middle, high) if passed(middle) < gone else (low, middle)
        theta = (mpmath.pi / 2 - high * high) * (1 if count % 4 in (0, 3) else -1)
        found.append([(1 - mpmath.sin(theta)) / (1 + mpmath.mpf(mass)), theta])
    return np.array(found, dtype=float)


def test_the_light_cart_pole_at_default_settings():
    """RMS error below 1e-6; the sharp turns at theta = 0 have 4400 rad/s."""
    times = np.array([0, 0.4515, 0.9, 1.36])
    motion = rt.simulate(light_cart_pole(), {}, {"theta": np.pi / 2}, times)
    assert motion.completed
    error = motion.q - exact_cart_pole(times)
    assert np.sqrt((error**2).mean()) < 1e-7
    assert motion.energy_error < together.BALANCED * 1e-9


def test_the_sharpest_turns_of_the_light_cart_pole():
    """Whole quarters of its period, where theta passes zero at 4400 rad/s (references: 0.4515...)."""
    quarter = 0.451524535681659
    motion = rt.simulate(light_cart_pole(), {}, {"theta": np.pi / 2}, quarter * np.arange(5))
    turns = np.array([[0, np.pi / 2], [1, 0], [2, -np.pi / 2], [1, 0], [0, np.pi / 2]])
    turns[:, 0] /= 1 + 1e-6
    assert np.sqrt(((motion.q - turns) ** 2).mean()) < 1e-6


@pytest.mark.slow
@pytest.mark.parametrize("mass", [1e-2, 1e-4, 1e-6, 1e-7])
def test_light_cart_poles_over_ten_seconds(mass):
    times = np.linspace(0, 10, 15)
    motion = rt.simulate(light_cart_pole(mass), {}, {"theta": np.pi / 2}, times)
    assert motion.completed
    assert np.sqrt(((motion.q - exact_cart_pole(times, mass)) ** 2).mean()) < 1e-6


def test_a_closer_run_is_made_only_where_the_balance_asks_for_it():
    x = rt.coordinate("x")
    spring = rt.System(kinetic=ddt(x) ** 2 / 2, potential=x**2 / 2)
    plain = rt.simulate(spring, {}, {x: 1}, np.linspace(0, 50, 51))
    assert plain.statistics.methods == ("Adams",)
    named = rt.simulate(light_cart_pole(), {}, {"theta": np.pi / 2}, [0, 1.8], method="Adams")
    assert named.statistics.methods == ("Adams",)  # who names a method gets it, at the rtol given
    assert named.energy_error > together.BALANCED * 1e-9


def test_a_second_run_is_finer_than_the_first_really_was():
    """Near a collision the first run is made again at less; its error was then read as zero."""
    x, y = rt.coordinates("x y")
    orbit = rt.System(kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2, potential=-1 / rt.sqrt(x**2 + y**2))
    found = rt.simulate(orbit, {}, {x: 1.0, ddt(y): 0.1}, np.linspace(0, 20, 21), check=True)
    assert 1e-12 < np.abs(found.global_error).max() < 1e-3
