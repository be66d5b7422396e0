"""Motions between two places: exact solutions, several of them, and none."""

from __future__ import annotations

import numpy as np
import pytest

import routh as rt
from routh import cos, ddt
from routh.lecture.derive import derive

x, y, theta = rt.coordinates("x y theta")
m, k, g, c = rt.parameters("m k g c")

SPRING = rt.System(kinetic=m * ddt(x) ** 2 / 2, potential=k * x**2 / 2)
BALL = rt.System(kinetic=m * (ddt(x) ** 2 + ddt(y) ** 2) / 2, potential=m * g * y)
PENDULUM = rt.System(kinetic=ddt(theta) ** 2 / 2, potential=-cos(theta))
V = {"m": 1.3, "k": 2.1}


def test_a_free_particle_goes_straight():
    free = rt.System(kinetic=m * ddt(x) ** 2 / 2)
    found = rt.between(free, {"m": 2.0}, {x: 1.0}, {x: 4.0}, 1.5)
    assert found.v == pytest.approx(2.0, rel=1e-11)


def test_a_ball_flies_along_the_parabola_that_gets_there():
    a, b, T = np.array([0.0, 1.0]), np.array([7.0, 0.5]), 1.8
    found = rt.between(BALL, {"m": 1, "g": 9.81}, {x: a[0], y: a[1]}, {x: b[0], y: b[1]}, T)
    exact = (b - a) / T + np.array([0.0, 9.81 * T / 2])
    assert found.v[0] == pytest.approx(exact, rel=1e-10)
    assert found.q[-1] == pytest.approx(b, rel=1e-10)
    assert found.completed


@pytest.mark.parametrize("T", [0.7, 2.0, 4.1, 9.0])
def test_an_oscillator_beyond_its_conjugate_places(T):
    a, b, w = 0.3, 0.8, np.sqrt(2.1 / 1.3)
    found = rt.between(SPRING, V, {x: a}, {x: b}, T)
    assert found.v[0, 0] == pytest.approx(w * (b - a * np.cos(w * T)) / np.sin(w * T), rel=1e-9)


def test_at_a_conjugate_place_there_is_no_motion_elsewhere():
    half = np.pi / np.sqrt(2.1 / 1.3)
    with pytest.raises(rt.SolveError, match="meet again near the end, a conjugate place"):
        rt.between(SPRING, V, {x: 0.3}, {x: 0.8}, half)


def test_at_a_conjugate_place_one_of_many_motions_is_told_as_such():
    T = np.pi * np.sqrt(1.3 / 2.1)  # half a period takes every motion from x to -x
    found = rt.between(SPRING, V, {x: 0.4}, {x: -0.4}, T)
    assert "Its end is a conjugate place" in found.message
    other = rt.simulate(SPRING, V, {x: 0.4, ddt(x): found.v[0, 0] + 1.0}, [0, T])
    assert other.q[-1] == pytest.approx(found.q[-1], abs=1e-8)  # it is indeed one of many
    assert "conjugate" not in rt.between(SPRING, V, {x: 0.4}, {x: -0.4}, 0.9 * T).message
    told = derive(rt.action(found))
    assert "Its end is a conjugate place" in str(told["Motion"])
    assert "It is the end itself" in str(told["Second variation"])
    assert "Beyond the first of them" not in str(told)


def test_a_pendulum_has_several_ways_and_the_guess_chooses():
    starts = {
        round(float(rt.between(PENDULUM, {}, {theta: 0}, {theta: 1.0}, 6.0, guess=given).v[0, 0]), 6)
        for given in ({ddt(theta): 1.9}, {ddt(theta): -1.0})
    }
    assert len(starts) == 2
    for v in starts:  # a second route: each start, run by itself, gets there
        run = rt.simulate(PENDULUM, {}, {theta: 0, ddt(theta): v}, [0, 6.0], rtol=1e-11)
        assert run.q[-1, 0] == pytest.approx(1.0, abs=1e-4)  # the start has six digits
    round_ = rt.between(PENDULUM, {}, {theta: 0}, {theta: 1.0 + 2 * np.pi}, 6.0)
    assert round_.v.min() > 0
    assert round_.q[-1, 0] == pytest.approx(1.0 + 2 * np.pi, rel=1e-10)


def test_where_the_straight_way_leads_to_none_others_are_tried():
    found = rt.between(PENDULUM, {}, {theta: 0.2}, {theta: 1.0}, 4.0)
    assert found.q[-1, 0] == pytest.approx(1.0, rel=1e-9)
    assert np.ptp(found.energy) < 1e-9


def test_keplers_motion_keeps_energy_and_momentum():
    planet = rt.System(kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2, potential=-1 / rt.sqrt(x**2 + y**2))
    found = rt.between(planet, {}, {x: 1, y: 0}, {x: -0.2, y: 1.1}, 1.3)
    turn = found[x * ddt(y) - y * ddt(x)]
    assert np.ptp(turn) < 1e-10
    assert np.ptp(found.energy) < 1e-10
    # Lambert: the time from the areas of the two-body problem, by Kepler's equation
    energy, h = found.energy[0], turn[0]
    a = -1 / (2 * energy)
    e = np.sqrt(1 - h**2 / a)
    r, rate = np.hypot(*found.q.T), (found.q * found.v).sum(axis=1)
    E = np.unwrap(np.arctan2(rate / (e * np.sqrt(a)), (1 - r / a) / e))
    M = E - e * np.sin(E)
    assert (M[-1] - M[0]) * a**1.5 == pytest.approx(1.3, rel=1e-9)


def test_forces_damping_time_and_inputs_count():
    u = rt.input("u")
    pushed = rt.System(
        kinetic=ddt(x) ** 2 / 2, potential=2 * x**2, dissipation=c * ddt(x) ** 2 / 2, forces={x: u}
    )
    found = rt.between(
        pushed, {"c": 0.3}, {x: 0.1}, {x: -0.4}, 1.7, inputs={u: cos(2 * rt.t)}, time=0.5
    )
    assert found.t[[0, -1]] == pytest.approx([0.5, 2.2])
    assert found.q[-1, 0] == pytest.approx(-0.4, rel=1e-9)
    v = found.v[0, 0]
    run = rt.simulate(
        pushed, {"c": 0.3}, {x: 0.1, ddt(x): v}, [0.5, 2.2], inputs={u: cos(2 * rt.t)}, rtol=1e-11
    )
    assert run.q[-1, 0] == pytest.approx(-0.4, rel=1e-8)


def test_motions_that_part_quickly_are_found():
    hill = rt.System(kinetic=ddt(x) ** 2 / 2, potential=-8 * x**2)
    T, r = 4.0, 4.0
    found = rt.between(hill, {}, {x: 1.0}, {x: 2.0}, T)
    assert found.v[0, 0] == pytest.approx(r * (2 - np.cosh(r * T)) / np.sinh(r * T), rel=1e-9)


def test_what_is_missing_or_wrong_is_told():
    def go(**given):
        plain = {"start": {x: 0, y: 0}, "end": {x: 1, y: 0}, "duration": 1.0}
        return rt.between(BALL, {"m": 1, "g": 9.81}, **(plain | given))

    with pytest.raises(rt.DeclarationError, match="`end` lacks `y`"):
        go(end={x: 1})
    with pytest.raises(rt.DeclarationError, match="`start` is a place: the velocities are"):
        go(start={x: 0, y: 0, ddt(x): 1})
    with pytest.raises(rt.DeclarationError, match="which is no coordinate"):
        go(end={x: 1, y: 0, ddt(x): 1})
    with pytest.raises(rt.DeclarationError, match="`duration` must be a positive number"):
        go(duration=-1.0)
    with pytest.raises(rt.DeclarationError, match=r"`guess` holds velocities at the start\. Got `x`"):
        go(guess={x: 1.0})
    with pytest.raises(rt.DeclarationError, match="one motion at a time"):
        go(start={x: [0, 1], y: 0})
    rod = rt.System(kinetic=BALL.kinetic, potential=BALL.potential, constraints=[x**2 + y**2 - 1])
    with pytest.raises(rt.DerivationError, match="without constraints"):
        rt.between(rod, {"m": 1, "g": 1}, {x: 0, y: -1}, {x: 1, y: 0}, 1.0)


@pytest.mark.slow
def test_what_is_not_found_ends_after_a_bounded_search():
    planet = rt.System(kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2, potential=-1 / rt.sqrt(x**2 + y**2))
    with pytest.raises(rt.SolveError, match="No motion of the system from `start` to `end`"):
        rt.between(planet, {}, {x: 1, y: 0}, {x: -1, y: 0}, np.pi)
    with pytest.raises(rt.SolveError, match="its pieces miss each other by"):
        rt.between(PENDULUM, {}, {theta: 0}, {theta: 1.0}, 50.0)


def test_a_motion_that_cannot_begin_is_told_as_simulate_does():
    loose = rt.System(kinetic=ddt(x) ** 2 / 2, potential=x**2 / 2 + (x - y) ** 2)
    with pytest.raises(rt.SolveError, match="do not determine the acceleration of `y`"):
        rt.between(loose, {}, {x: 0, y: 0}, {x: 1, y: 1}, 1.0)
