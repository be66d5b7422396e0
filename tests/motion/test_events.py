"""Events: located, simultaneous, at the start, in dips, in batches; and what they leave behind."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
import sympy
from scipy.special import ellipk

import routh as rt
from routh import ddt, sin, t

x, y = rt.coordinates("x y")
BALL = rt.System(kinetic=ddt(y) ** 2 / 2, potential=10 * y, name="ball")
FREE = rt.System(kinetic=ddt(x) ** 2 / 2, name="free")
FLOOR = rt.event(y, direction=-1, change={ddt(y): -ddt(y)}, name="floor")
BOB = rt.System(
    kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2, potential=9.81 * y, constraints=[(x**2 + y**2 - 1) / 2]
)


def test_events_are_located_and_velocities_change():
    bounce = rt.event(y, direction=-1, change={ddt(y): -0.8 * ddt(y)}, name="bounce")
    motion = rt.simulate(BALL, {}, {y: 1}, np.linspace(0, 3, 301), events=[bounce])
    fall = np.sqrt(0.2)
    exact = fall * (1 + 2 * np.cumsum([0, *(0.8**k for k in range(1, 6))]))
    np.testing.assert_allclose([each.t for each in motion.events], exact, rtol=1e-12)
    assert motion.q.min() > -1e-9
    assert motion.energy_error < 1e-12  # what impacts take is counted
    assert motion.events[0].after[1] == pytest.approx(-0.8 * motion.events[0].before[1])


def test_a_stopping_event_ends_the_motion_there():
    motion = rt.simulate(BOB, {}, {x: 1}, np.linspace(0, 10, 101), events=rt.event(x, stop=True))
    quarter = ellipk(0.5) / np.sqrt(9.81)
    assert motion.t[-1] == pytest.approx(quarter, rel=1e-9)
    assert motion.q[-1] == pytest.approx([0, -1], abs=1e-12)
    assert motion.status is rt.Status.EVENT
    assert "Stopped by an event: `x` at t = 0.59196" in motion.message
    assert motion.completed
    with pytest.raises(rt.DeclarationError, match=r"The motion is known from t = 0 to 0.591"):
        motion([2.0])


def test_an_event_that_never_happens_is_said():
    motion = rt.simulate(BALL, {}, {y: 1}, [0, 0.1], events=[rt.event(y - 5, name="ceiling")])
    assert motion.completed
    assert motion.message == "Reached the last time. The event `ceiling` did not happen."


def test_in_a_batch_the_rows_after_a_stop_are_not_there():
    heights = np.array([1.0, 20.0, 1e3])
    stop = rt.event(y, direction=-1, stop=True)
    motion = rt.simulate(BALL, {}, {y: heights}, np.linspace(0, 5, 6), events=[stop])
    for k, height in enumerate(heights):
        exact = height - 5 * motion.t**2
        known = np.isfinite(motion.q[k, :, 0])
        assert known.sum() == (exact > -1e-9).sum()
        np.testing.assert_allclose(motion.q[k, known, 0], exact[known], atol=1e-9)
    assert [status.name for status in motion.status] == ["EVENT", "EVENT", "FINISHED"]
    assert motion.events[0][0].t == pytest.approx(np.sqrt(0.2))


def test_simultaneous_events_all_happen():
    two = rt.System(kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2, potential=10 * (x + y))
    walls = [rt.event(q, direction=-1, change={ddt(q): -ddt(q)}) for q in (x, y)]
    motion = rt.simulate(two, {}, {x: 1, y: 1}, np.linspace(0, 5, 51), events=walls)
    np.testing.assert_allclose(motion.q[:, 0], motion.q[:, 1], atol=1e-9)
    assert motion.q.min() > -1e-9
    assert len(motion.events) == 12
    stop = [walls[0], rt.event(y, direction=-1, stop=True)]
    assert rt.simulate(two, {}, {x: 1, y: 1}, np.linspace(0, 5, 51), events=stop).t[
        -1
    ] == pytest.approx(np.sqrt(0.2))


def test_a_change_that_does_not_turn_the_motion_round_goes_on():
    times = np.linspace(0, 10, 11)
    kick = rt.event(t - 3.3, change={ddt(x): 2 * ddt(x)})
    curtain = rt.event(x - 5, change={ddt(x): ddt(x) / 2})
    assert rt.simulate(FREE, {}, {ddt(x): 1}, times, events=[kick]).q[-1] == pytest.approx([16.7])
    assert rt.simulate(FREE, {}, {ddt(x): 1}, times, events=[curtain]).q[-1] == pytest.approx([7.5])


def test_bounces_that_pile_up_end_the_run():
    bounce = rt.event(y, direction=-1, change={ddt(y): -0.5 * ddt(y)}, name="bounce")
    motion = rt.simulate(BALL, {}, {y: 1}, np.linspace(0, 3, 31), events=[bounce])
    assert motion.status is rt.Status.PILED_UP
    assert motion.t[-1] == motion.events[-1].t == pytest.approx(3 * np.sqrt(0.2), rel=1e-5)
    assert not motion.completed
    dead = rt.event(y, direction=-1, change={ddt(y): 0}, name="clay")
    motion = rt.simulate(BALL, {}, {y: 1}, np.linspace(0, 3, 31), events=[dead])
    assert motion.status is rt.Status.PILED_UP
    assert motion.t[-1] == pytest.approx(np.sqrt(0.2))


def test_events_do_not_depend_on_the_scale_of_time():
    fast = rt.System(kinetic=ddt(y) ** 2 / 2, potential=1e18 * y)
    motion = rt.simulate(fast, {}, {y: 1.0}, np.linspace(0, 5e-9, 51), events=[FLOOR])
    slow = rt.simulate(rt.System(kinetic=ddt(y) ** 2 / 2, potential=y), {}, {y: 1.0}, np.linspace(0, 5, 51),
                       events=[FLOOR])  # fmt: skip
    np.testing.assert_allclose(motion.q, slow.q, atol=1e-9)
    assert len(motion.events) == len(slow.events) == 2
    assert motion.completed


@pytest.mark.slow
def test_dips_and_many_crossings_within_a_long_step_are_seen():
    """A free flight is one step of any length."""
    waves = rt.simulate(
        FREE, {}, {ddt(x): 1}, np.linspace(0, 100, 1001), events=[rt.event(sin(10 * x + 0.5))]
    )
    assert len(waves.events) == 318
    dip = rt.event((x - 50.3) * (x - 50.4), stop=True)
    assert rt.simulate(FREE, {}, {ddt(x): 1}, np.linspace(0, 100, 11), events=[dip]).t[
        -1
    ] == pytest.approx(50.3)
    out = rt.event((x - 50.3) * (x - 50.4), direction=1, stop=True)
    assert rt.simulate(FREE, {}, {ddt(x): 1}, np.linspace(0, 100, 11), events=[out]).t[
        -1
    ] == pytest.approx(50.4)
    touch = rt.simulate(
        FREE, {}, {ddt(x): 1}, np.linspace(0, 100, 11), events=[rt.event((x - 50.3) ** 2 + 1e-9)]
    )
    assert not touch.events


def test_what_starts_at_zero_and_goes_the_watched_way_happens_at_once():
    stop = rt.event(y, direction=-1, stop=True)
    motion = rt.simulate(BALL, {}, {}, np.linspace(0, 1, 11), events=[stop])
    assert motion.status is rt.Status.EVENT
    assert motion.t.tolist() == [0]
    thrown = rt.simulate(BALL, {}, {ddt(y): 5}, np.linspace(0, 3, 31), events=[stop])
    assert thrown.t[-1] == pytest.approx(1.0)
    wall = rt.event(x, direction=-1, change={ddt(x): -ddt(x)})
    assert rt.simulate(FREE, {}, {ddt(x): -1}, [0, 1], events=[wall]).q[-1] == pytest.approx([1.0])


def test_an_impact_with_constraints_leaves_consistent_velocities():
    wall = rt.event(x, direction=-1, change={ddt(x): -ddt(x)}, name="wall")
    motion = rt.simulate(BOB, {}, {x: 1}, np.linspace(0, 3, 301), events=[wall])
    assert motion.q[:, 0].min() > -1e-9
    assert motion.constraint_error < 1e-14
    assert motion.constraint_rate_error < 1e-13
    assert len(motion.events) == 3
    assert motion.energy_error < 1e-7  # interpolated within steps


def test_an_event_at_an_output_and_at_the_last_time():
    passing = rt.event(x - 5)
    motion = rt.simulate(FREE, {}, {ddt(x): 1}, np.linspace(0, 10, 11), events=[passing])
    assert len(motion.events) == 1
    np.testing.assert_allclose(motion.q[:, 0], motion.t, atol=1e-12)
    last = rt.simulate(FREE, {}, {ddt(x): 1}, np.linspace(0, 5, 6), events=[passing])
    assert last.completed
    assert last.q[-1] == pytest.approx([5.0])


SPRING = rt.System(kinetic=ddt(x) ** 2 / 2, potential=x**2 / 2, name="spring")


@pytest.mark.parametrize("watched", [rt.sqrt(x - 0.9), rt.log(x - 0.5)])
def test_an_event_that_ceases_to_be_a_number_ends_the_run_with_a_sentence(watched):
    motion = rt.simulate(
        SPRING, {}, {x: 1}, np.linspace(0, 2, 21), events=rt.event(watched, name="gone")
    )
    assert motion.status is rt.Status.FAILED
    assert "The event `gone` is not a number at t = " in motion.message
    assert 0.3 < motion.t[-1] < 1.1


def test_a_pole_is_no_zero():
    motion = rt.simulate(SPRING, {}, {x: 1}, np.linspace(0, 2, 21), events=rt.event(1 / (x - 0.5)))
    assert motion.completed
    assert not motion.events


def test_a_change_that_is_no_number_ends_the_run_with_a_sentence():
    bad = rt.event(x - 0.9, change={ddt(x): rt.log(x - 5)}, name="bad")
    motion = rt.simulate(SPRING, {}, {x: 1}, np.linspace(0, 2, 21), events=bad)
    assert motion.status is rt.Status.FAILED
    assert "The event `bad` at t = 0.451027 makes `x'` nan" in motion.message
    assert motion.t[-1] == pytest.approx(0.4)


def test_work_of_events_that_coincide_is_counted_once():
    ball = rt.System(kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2)
    walls = [rt.event(q - 1, change={ddt(q): -ddt(q) / 2}) for q in (x, y)]
    motion = rt.simulate(ball, {}, {ddt(x): 1, ddt(y): 1}, np.linspace(0, 3, 31), events=walls)
    assert motion.v[-1] == pytest.approx([-0.5, -0.5])
    assert motion.work[-1] == pytest.approx(-0.75)
    assert motion.completed


def test_balls_that_touch_hand_a_blow_on():
    """Newton's cradle: the last one flies off."""
    for count in (3, 5):
        q = rt.coordinates(" ".join(f"b{k}" for k in range(count)))
        balls = rt.System(kinetic=sum(ddt(each) ** 2 for each in q) / 2)
        hits = [
            rt.event(b - a, direction=-1, change={ddt(a): ddt(b), ddt(b): ddt(a)}, name=f"hit{k}")
            for k, (a, b) in enumerate(pairwise(q))
        ]
        motion = rt.simulate(balls, {}, {q[0]: -1, ddt(q[0]): 1}, np.linspace(0, 2, 21), events=hits)
        np.testing.assert_allclose(motion.q[-1], [0] * (count - 1) + [1], atol=1e-9)
        assert [each.event.name for each in motion.events] == [f"hit{k}" for k in range(count - 1)]
        assert motion.energy_error < 1e-12


@pytest.mark.parametrize("above", [1e-9, 1e-13, 1e-15])
def test_an_event_that_is_hardly_reached_does_not_stop_the_motion(above):
    x = rt.coordinate("x")
    oscillator = rt.System(kinetic=x.rate**2 / 2, potential=x**2 / 2)
    motion = rt.simulate(oscillator, {}, {x: 1.0}, [0, 10, 20], events=rt.event(x - 1 + above))
    assert motion.status is rt.Status.FINISHED


def test_a_pole_beside_a_branch_is_no_event():
    x = rt.coordinate("x")
    free = rt.System(kinetic=x.rate**2 / 2)
    pole = rt.event(sympy.Piecewise((1, x < 1), (1 / (1 - x), True)))
    motion = rt.simulate(free, {}, {x: 0.0, x.rate: 1.0}, [0, 1.5, 3], events=pole)
    assert motion.status is rt.Status.FINISHED
    assert not motion.events
