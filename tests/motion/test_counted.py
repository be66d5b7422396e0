"""Runs depend on nothing but what is asked: no clock, no other outputs, no call before."""

from __future__ import annotations

import signal
import sys
from itertools import pairwise

import casadi
import numpy as np
import pytest
import sympy

import problems
import routh as rt
from routh import cos, ddt, norm2, sin, vector
from routh.analysis.motion.flow import MovingSystem
from routh.analysis.motion.integrators import cvodes as compiled
from routh.kernels.instructions.effort import effort
from routh.kernels.motion import motion as compiled_motion


def henon_heiles():
    x, y = rt.coordinates("x y")
    return (
        rt.System(
            kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2,
            potential=(x**2 + y**2) / 2 + x**2 * y - y**3 / 3,
        ),
        {},
        {x: 0.1, ddt(y): 0.5},
        20.0,
    )


def chain():
    p = problems.pendulum_chain(5)
    return p.system, p.values, dict.fromkeys(p.angles, 1.5), 3.0


def long_chain():
    p = problems.pendulum_chain(12)  # beyond what is written out entry by entry
    return p.system, p.values, dict.fromkeys(p.angles, 0.7), 0.5


def turning_stiff():
    """Van der Pol's oscillator, by Adams at first or by BDF, as the eigenvalues say."""
    x = rt.coordinate("x")
    system = rt.System(
        kinetic=ddt(x) ** 2 / 2, potential=x**2 / 2, forces={x: 30 * (1 - x**2) * ddt(x)}
    )
    return system, {}, {x: 2.0}, 60.0


def jumping():
    x = rt.coordinate("x")
    return (
        rt.System(kinetic=ddt(x) ** 2 / 2, potential=x**2 / 2, forces={x: -sympy.sign(x) / 3}),
        {},
        {x: 2.0},
        12.0,
    )


def driven():
    theta = rt.coordinate("theta")
    tip = vector(sin(theta) + sin(5 * rt.t) / 10, -cos(theta))
    return rt.System(kinetic=norm2(ddt(tip)) / 2, potential=9.81 * tip[1]), {}, {theta: 2.0}, 5.0


def hung():
    x, y = rt.coordinates("x y")
    system = rt.System(
        kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2, potential=9.81 * y, constraints=[(x**2 + y**2 - 1) / 2]
    )
    return system, {}, {x: 0.6, y: -0.8}, 3.0


def light():
    X, theta = rt.coordinates("X theta")
    pole = vector(X + sin(theta), -cos(theta))
    system = rt.System(kinetic=1e-6 / 2 * ddt(X) ** 2 + norm2(ddt(pole)) / 2, potential=9.81 * pole[1])
    return system, {}, {theta: np.pi / 2}, 1.0


CASES = {
    each.__name__: each
    for each in (henon_heiles, chain, long_chain, turning_stiff, jumping, driven, hung, light)
}
SHORT = 7
"""Stops of a leg that make a run of many legs."""


def run(case, *, outputs=17, **options):
    system, values, start, last = case()
    times = np.linspace(0, last, outputs)
    return rt.simulate(system, values, start, times, progress=False, **options)


def same(one, other):
    assert np.array_equal(one.t, other.t)
    for name in ("q", "v", "work"):
        assert np.array_equal(getattr(one, name), getattr(other, name)), name
    assert one.status is other.status
    assert one.statistics.methods == other.statistics.methods
    assert one.statistics.steps == other.statistics.steps


def wild_clock():
    """A clock that stands still, leaps by a day, or goes backwards."""
    draw = np.random.default_rng(7)
    now = [0.0]

    def read():
        now[0] += draw.choice([0.0, 1e-9, 1e-3, 86400.0, -3.0])
        return now[0]

    return read


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("stops", [compiled.MANY, SHORT])
def test_no_clock_decides(name, stops, monkeypatch):
    monkeypatch.setattr(compiled, "MANY", stops)
    quiet = run(CASES[name])
    clock = wild_clock()
    for module in [m for key, m in sys.modules.items() if key.startswith("routh.") and m]:
        for reader in ("perf_counter", "monotonic", "process_time", "time"):
            if getattr(module, reader, None) is getattr(sys.modules["time"], reader):
                monkeypatch.setattr(module, reader, clock)
    same(run(CASES[name]), quiet)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("stops", [compiled.MANY, SHORT])
def test_the_motion_at_other_times_is_the_same_bit_by_bit(name, stops, monkeypatch):
    monkeypatch.setattr(compiled, "MANY", stops)
    motion = run(CASES[name])
    last = motion.t[-1]
    between = np.linspace(0, last, 234)[1:-1] * 0.9991
    dense = motion(np.union1d(motion.t, between))
    rows = np.isin(dense.t, motion.t)
    assert np.array_equal(dense.q[rows], motion.q)
    assert np.array_equal(dense.v[rows], motion.v)
    few = motion(motion.t[[2, 7]])
    assert np.array_equal(few.q, motion.q[[2, 7]])
    # two outputs closer than CVODES tells apart, the second one along the tangent
    near = 1e-13 * last
    close = motion([motion.t[5], motion.t[5] + near])
    assert np.array_equal(close.q[0], motion.q[5])
    np.testing.assert_allclose(close.q[1] - close.q[0], near * close.v[0], atol=4e-15)


@pytest.mark.parametrize("form", ["lagrange", "hamilton"])
def test_identical_calls_construct_once(form, monkeypatch):
    made = []
    original = casadi.integrator

    def counted(*arguments):
        made.append(1)
        return original(*arguments)

    monkeypatch.setattr(casadi, "integrator", counted)
    case = chain()  # the same system in all calls

    motions = [run(lambda: case, form=form) for _ in range(4)]
    assert len(made) == 1
    for motion in motions[1:]:
        same(motion, motions[0])


def test_legs_are_as_good_as_one():
    """Restarts cost steps, and no accuracy."""
    whole = run(henon_heiles, method="Adams")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiled, "MANY", SHORT)
        legs = run(henon_heiles, method="Adams")
    exact = run(henon_heiles, rtol=1e-13)
    for motion in (whole, legs):
        np.testing.assert_allclose(motion.q, exact.q, atol=2e-8)
    assert legs.statistics.steps > whole.statistics.steps


def test_effort_is_that_of_the_graph():
    """Twice the links, at least twice the instructions; linear solves and inner calls count."""
    systems = [problems.pendulum_chain(n).system for n in (2, 5, 10, 20, 40)]
    sizes = [compiled_motion(system, (), False, False).effort for system in systems]
    assert all(b > 2 * a for a, b in pairwise(sizes[1:]))
    x = casadi.SX.sym("x", 3)
    inner = casadi.Function("inner", [x], [casadi.sin(x) * casadi.cos(x)])
    y = casadi.MX.sym("y", 3)
    outer = casadi.Function("outer", [y], [casadi.solve(casadi.MX.eye(3) + inner(y) @ y.T, y)])
    assert effort(outer) > effort(inner)


def test_ctrl_c_within_a_compiled_run_keeps_what_was_reached(monkeypatch):
    """A run of minutes, pressed while compiled code runs; what it kept is the motion, bit by bit."""
    reached, calls = MovingSystem.reached, []

    def pressed_in_the_third_leg(*arguments):
        calls.append(1)
        if len(calls) == 3:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0.05)  # of this process
        return reached(*arguments)

    def press(*_):
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(MovingSystem, "reached", pressed_in_the_third_leg)
    system, values, start, _ = henon_heiles()
    times = np.concatenate([np.linspace(0, 100, 101), [1e7]])  # the last one is far away
    monkeypatch.setattr(compiled, "MANY", 50)
    before = signal.signal(signal.SIGVTALRM, press)
    try:
        motion = rt.simulate(system, values, start, times, method="Adams", progress=False)
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
    assert motion.status is rt.Status.INTERRUPTED
    assert not motion.completed
    assert 100 < len(motion.t) < len(times)
    assert "Interrupted at t = " in motion.message
    again = motion(motion.t[: len(motion.t) // 2 + 1])
    assert np.array_equal(again.q, motion.q[: len(again.t)])


def test_bursts_between_stops_are_followed(monkeypatch):
    """With few steps allowed from stop to stop, stops are put closer; the motion stays as exact."""
    monkeypatch.setattr(compiled, "WORK", 1)
    monkeypatch.setattr(compiled, "FEW", 40)  # less than a start takes
    motion = run(henon_heiles, method="Adams")
    exact = run(henon_heiles, rtol=1e-13)
    np.testing.assert_allclose(motion.q, exact.q, atol=2e-8)
    dense = motion(np.union1d(motion.t, np.linspace(0, 20, 77)))
    assert np.array_equal(dense.q[np.isin(dense.t, motion.t)], motion.q)


def test_a_compiled_run_with_many_outputs_goes_in_legs():
    system, values, start, _ = henon_heiles()
    times = np.linspace(0, 50, 2 * compiled.MANY + 2)
    motion = rt.simulate(system, values, start, times)
    assert motion.completed
    exact = rt.simulate(system, values, start, [0, 50], rtol=1e-13)
    np.testing.assert_allclose(motion.q[-1], exact.q[-1], atol=1e-7)
