"""Ensembles: many motions at once are those that they are one by one."""

from __future__ import annotations

import os
import signal
import threading
from itertools import pairwise

import numpy as np
import pytest

import routh as rt
from routh.analysis.motion.together import CLOSER
from routh.errors import Status
from routh.kernels.engine import Engine
from routh.kernels.native import ensemble
from routh.kernels.native.compiler import compiler

pytestmark = pytest.mark.skipif(compiler() is None, reason="no compiler of C on this machine")

TIMES = np.linspace(0, 2, 21)


def double_pendulum(**more):
    a, b, (m, l) = rt.coordinate("a"), rt.coordinate("b"), rt.parameters("m l")
    x, y = l * rt.sin(a), -l * rt.cos(a)
    X, Y = x + l * rt.sin(b), y - l * rt.cos(b)
    T = m * sum(rt.ddt(each) ** 2 for each in (x, y, X, Y)) / 2
    return rt.System(kinetic=T, potential=9.81 * m * (y + Y), **more)


def run(system=None, count=6, engine="c", times=TIMES, **more):
    random = np.random.default_rng(1)
    values = {"m": random.uniform(1, 2, size=count), "l": 1.0}
    start = {"a": random.normal(size=count), "b": 0.4, "b'": random.normal(size=(2, 1))}
    system = double_pendulum() if system is None else system
    return rt.simulate(
        system, {**values, **more.pop("values", {})}, start, times, engine=engine, **more
    )


def test_an_ensemble_is_its_runs():
    fast, slow = run(), run(engine="casadi")
    assert fast.q.shape == slow.q.shape == (2, 6, 21, 2)
    assert (fast.engine == Engine.C).all()
    assert (slow.engine == Engine.CASADI).all()
    np.testing.assert_allclose(fast.q, slow.q, rtol=1e-7, atol=1e-7)
    np.testing.assert_allclose(fast.v, slow.v, rtol=1e-7, atol=1e-6)
    np.testing.assert_allclose(fast.energy, slow.energy, rtol=1e-7)
    np.testing.assert_allclose(fast.energy_moved, slow.energy_moved, rtol=0.05)
    assert (fast.status == Status.FINISHED).all()
    assert fast.completed.all()
    assert fast.energy_error.max() < 1e-7
    assert str(fast) == str(slow)
    assert fast.statistics[0, 0].methods == ("DOP853",)


def test_one_of_a_batch_has_the_same_bits_alone():
    whole = run()
    values = {name: float(value[1, 3]) for name, value in whole.values.items()}
    start = dict(zip(["a", "b", "a'", "b'"], [*whole.q[1, 3, 0], *whole.v[1, 3, 0]], strict=True))
    alone = rt.simulate(whole.system, values, start, TIMES, engine="c")
    np.testing.assert_array_equal(alone.q, whole.q[1, 3])
    np.testing.assert_array_equal(alone.v, whole.v[1, 3])
    assert alone.engine is Engine.C
    assert alone.status is Status.FINISHED
    np.testing.assert_array_equal(alone.a, whole.a[1, 3])


def test_the_same_motion_at_other_times():
    whole = run()
    some = whole(TIMES[[3, 11, 20]])
    np.testing.assert_array_equal(some.q, whole.q[:, :, [3, 11, 20]])
    between = whole([0.0, 0.05, 0.15])
    exact = run(times=[0.0, 0.05, 0.15, 2.0], rtol=1e-12)
    np.testing.assert_allclose(between.q, exact.q[:, :, :3], rtol=1e-7, atol=1e-8)


@pytest.mark.parametrize("engine", ["c", "casadi"])
def test_the_last_outputs_alone(engine):
    whole, last = run(count=2, engine=engine), run(count=2, engine=engine, keep="last")
    np.testing.assert_array_equal(last.q, whole.q[:, :, [0, -1]])
    np.testing.assert_array_equal(last.v, whole.v[:, :, [0, -1]])
    np.testing.assert_array_equal(last(TIMES).q, whole.q)
    np.testing.assert_allclose(last.energy_moved, whole.energy_moved, rtol=0.01)
    assert last.completed.all()
    with pytest.raises(rt.DeclarationError, match="`keep` must be"):
        run(keep="lasst")


@pytest.mark.parametrize("engine", ["c", "casadi"])
def test_expressions_alone_are_kept(engine, monkeypatch):
    whole = run(count=3, engine=engine)
    monkeypatch.setattr("routh.analysis.motion.in_parts.PART", 4 * 21 * 4 * 8)  # four runs in a part
    found = run(count=3, engine=engine, keep=["a", "b'", "a''"])
    assert found.kept.shape == (2, 3, 21, 3)
    np.testing.assert_array_equal(found.kept[..., 0], whole.q[..., 0])
    np.testing.assert_array_equal(found.kept[..., 1], whole.v[..., 1])
    np.testing.assert_array_equal(found.kept[..., 2], whole.a[..., 0])
    np.testing.assert_array_equal(found.q, whole.q[:, :, [0, -1]])
    np.testing.assert_array_equal(found.t, TIMES[[0, -1]])
    np.testing.assert_array_equal(found.engine, whole.engine)
    np.testing.assert_allclose(found.energy_moved, whole.energy_moved, rtol=1e-12)
    np.testing.assert_array_equal(found.energy, whole.energy[..., [0, -1]])
    assert found.completed.all()
    again = found(TIMES[3:5])
    np.testing.assert_array_equal(again.q, whole.q[:, :, 3:5])
    assert again.kept is None
    assert whole.kept is None


def test_a_function_keeps_what_it_returns(monkeypatch):
    seen = []

    def highest(motion):
        seen.append(motion.q.shape[0])
        return motion["b"].max(axis=-1)

    whole = run(count=5)
    monkeypatch.setattr("routh.analysis.motion.in_parts.PART", 3 * 21 * 4 * 8)
    found = run(count=5, keep=highest)
    assert seen == [3, 3, 2, 2]
    np.testing.assert_array_equal(found.kept, whole.q[..., 1].max(axis=-1))
    one = rt.simulate(
        double_pendulum(), {"m": 1.0, "l": 1.0}, {"a": 1.0}, TIMES, engine="c", keep=highest
    )
    assert one.q.shape == (2, 2)
    assert one.kept == one(TIMES).q[:, 1].max()
    assert one.status is Status.FINISHED
    with pytest.raises(rt.DeclarationError, match=r"here 3, and must return .* Got an array of shape"):
        run(count=5, keep=lambda motion: motion.q[0])
    with pytest.raises(rt.DeclarationError, match="Leave out one of them"):
        run(count=5, keep=highest, check=True)
    with pytest.raises(rt.DeclarationError, match="is 'aa', which is no name"):
        run(count=5, keep=["aa"])


def test_runs_that_ended_early_have_no_last_output(monkeypatch):
    x, k = rt.coordinate("x"), *rt.parameters("k")
    system = rt.System(kinetic=rt.ddt(x) ** 2 / 2, potential=-k * x**4 / 4)
    monkeypatch.setattr("routh.analysis.motion.in_parts.PART", 1)
    found = rt.simulate(
        system, {"k": [1.0, 0.0]}, {"x": 1.0, "x'": 1.0}, np.linspace(0, 3, 7), engine="c",
        keep=lambda motion: np.isfinite(motion.q[..., 0]).sum(axis=-1),
    )  # fmt: skip
    assert found.kept[0] < found.kept[1] == 7
    assert found.completed.tolist() == [False, True]
    assert np.isnan(found.q[0, -1]).all()
    np.testing.assert_allclose(found.q[1, -1], 4.0)


def test_what_is_kept_may_not_fit():
    many = {"count": 10**6, "times": np.linspace(0, 1e-3, 401)}
    with pytest.raises(rt.DeclarationError, match=r"802 numbers of each of 2,000,000.* 12.0 GiB"):
        run(**many, keep=["a", "b"])


def test_outputs_that_do_not_fit_are_told_before():
    many = {"count": 10**6, "times": np.linspace(0, 1e-3, 101)}
    with pytest.raises(rt.DeclarationError, match=r'would take 7.5 GiB.*keep="last"'):
        run(**many)


def test_damping_inputs_and_time_do_work():
    a, F = rt.coordinate("x"), *rt.inputs("F")
    k, c = rt.parameters("k c")
    system = rt.System(
        kinetic=rt.ddt(a) ** 2 / 2, potential=k * a**2 / 2, dissipation=c * rt.ddt(a) ** 2 / 2,
        forces={a: F},
    )  # fmt: skip
    ask = ({"k": [4.0, 5.0, 6.0], "c": 0.1}, {"x": 1.0}, TIMES)
    given = {"inputs": {F: rt.cos(3 * rt.t)}}
    fast = rt.simulate(system, *ask, engine="c", **given)
    slow = rt.simulate(system, *ask, engine="casadi", **given)
    assert (fast.engine == "c").all()
    np.testing.assert_allclose(fast.q, slow.q, atol=1e-8)
    np.testing.assert_allclose(fast.work, slow.work, atol=1e-8)
    np.testing.assert_allclose(fast.inputs, slow.inputs, atol=1e-12)
    assert fast.energy_error.max() < 1e-7


def test_sensitivities_and_checks_of_an_ensemble():
    fast, slow = (
        run(count=1, variations=True, check=True),
        run(count=1, engine="casadi", variations=True),
    )
    np.testing.assert_allclose(fast.sensitivity, slow.sensitivity, rtol=1e-5, atol=1e-5)
    assert np.abs(fast.global_error).max() < 1e-6
    assert fast.completed.all()


def test_a_stiff_run_is_made_by_another_method():
    x, k, c = rt.coordinate("x"), *rt.parameters("k c")
    stiff = rt.System(
        kinetic=rt.ddt(x) ** 2 / 2, potential=k * x**2 / 2, dissipation=c * rt.ddt(x) ** 2 / 2
    )
    found = rt.simulate(stiff, {"k": 1.0, "c": [0.1, 1e6]}, {"x": 1.0}, TIMES, engine="c")
    assert found.engine.tolist() == ["c", "casadi"]
    assert found.statistics[1].methods == ("BDF",)
    np.testing.assert_allclose(found.q[1, :, 0], np.exp(-TIMES / 1e6), rtol=1e-8)
    again = found(TIMES[::5])
    np.testing.assert_array_equal(again.q, found.q[:, ::5])


def test_radau_is_the_same_method_by_every_engine():
    x, y = rt.coordinates("x y")
    system = rt.System(
        kinetic=(rt.ddt(x) ** 2 + rt.ddt(y) ** 2) / 2,
        potential=x**2 / 2 + x**4 / 4 + (y - x) ** 2 / 2,
        dissipation=1000 * (rt.ddt(y) - rt.ddt(x)) ** 2 + 0.05 * rt.ddt(x) ** 2,
    )
    ask = (system, {}, {"x": np.array([0.5, 1.0]), "y": 0.2}, np.linspace(0, 4, 9))
    ours, theirs = (
        rt.simulate(*ask, method="Radau", engine=name, rtol=1e-7, progress=False)
        for name in ("c", "casadi")
    )
    assert (ours.engine == "c").all()
    assert ours.statistics[0].methods == theirs.statistics[0].methods == ("Radau",)
    assert ours.statistics[0].steps < 1.4 * theirs.statistics[0].steps
    np.testing.assert_allclose(ours.q, theirs.q, atol=2e-7)
    np.testing.assert_allclose(ours.v, theirs.v, atol=2e-7)
    np.testing.assert_allclose(ours.work, theirs.work, atol=2e-7)
    dense = ours(np.union1d(ours.t, [0.3]))
    np.testing.assert_array_equal(dense.q[:, np.isin(dense.t, ours.t)], ours.q)


def test_runs_that_end_early_say_the_same_by_every_engine():
    x, k = rt.coordinate("x"), *rt.parameters("k")
    system = rt.System(kinetic=rt.ddt(x) ** 2 / 2, potential=-k * x**4 / 4)
    ask = (system, {"k": [1.0, 0.0]}, {"x": 1.0, "x'": 1.0}, np.linspace(0, 3, 7))
    fast, slow = (rt.simulate(*ask, engine=engine) for engine in ("c", "casadi"))
    assert fast.engine.tolist() == ["casadi", "c"]
    assert fast.message[0] == slow.message[0]
    np.testing.assert_array_equal(fast.q[0], slow.q[0])
    np.testing.assert_allclose(fast.q[1], slow.q[1], rtol=1e-9)


def test_a_power_balance_that_is_lost_is_won_back(monkeypatch):
    monkeypatch.setattr("routh.analysis.motion.together.BALANCED", 0.1)
    X, theta, (m, g) = rt.coordinate("X"), rt.coordinate("theta"), rt.parameters("m g")
    x, y = X + rt.sin(theta), -rt.cos(theta)
    T = (m * rt.ddt(X) ** 2 + rt.ddt(x) ** 2 + rt.ddt(y) ** 2) / 2
    system = rt.System(kinetic=T, potential=g * y)
    ask = (system, {"m": [1.0, 1e-2], "g": 9.81}, {"theta": np.pi / 2}, [0, 1.8, 4])
    found = rt.simulate(*ask, engine="c")
    assert (found.engine == "c").all()
    assert found.share == CLOSER
    assert found.energy_error.max() < 1e-7
    assert found.atol[0] > 10 * found.atol[1]
    named = rt.simulate(*ask, engine="c", method="DOP853")
    assert named.share == 1
    assert named.energy_error[1] > 10 * found.energy_error[1]
    np.testing.assert_array_equal(named.q[0], found.q[0])


@pytest.mark.parametrize(
    "more",
    [
        {"method": "Adams"},
        {"form": "hamilton"},
    ],
)  # fmt: skip
def test_what_compiled_code_does_not_take_goes_as_ever(more):
    found = run(count=2, **more)
    assert (found.engine == "casadi").all()


def test_more_coordinates_than_casadi_writes_out():
    q = rt.coordinates(" ".join(f"q{k}" for k in range(12)))
    pairs = list(pairwise(q))
    T = sum((1 + rt.cos(a - b) / 4) * rt.ddt(a) * rt.ddt(b) / 4 for a, b in pairs)
    T += sum(rt.ddt(each) ** 2 for each in q)
    system = rt.System(kinetic=T, potential=sum(1 - rt.cos(a - b) for a, b in pairs))
    ask = (system, {}, {"q0": [1.0, 0.5], "q3": -0.4}, [0, 0.5, 1])
    fast, slow = (rt.simulate(*ask, engine=engine) for engine in ("c", "casadi"))
    assert (fast.engine == "c").all()
    np.testing.assert_allclose(fast.q, slow.q, atol=1e-8)


EVENTS = {
    "stop": rt.event("a", stop=True, direction=1),
    "both": rt.event("b'"),
    "change": rt.event("b", direction=-1, change={"b'": 0.5 * rt.t}),
}


@pytest.mark.parametrize("which", [["stop"], ["both"], ["stop", "change"]])
def test_events_are_those_of_runs_one_by_one(which):
    events = [EVENTS[name] for name in which]
    fast, slow = (run(count=3, engine=engine, events=events) for engine in ("c", "casadi"))
    for k in np.ndindex(2, 3):
        assert len(fast.events[k]) == len(slow.events[k])
        assert fast.status[k] is slow.status[k]
        by_c = fast.engine[k] == "c"
        assert by_c == (not slow.events[k])
        if not by_c:
            assert [each.t for each in fast.events[k]] == [each.t for each in slow.events[k]]
            np.testing.assert_array_equal(fast.q[k], slow.q[k])
    np.testing.assert_allclose(fast.q, slow.q, atol=1e-7)


def test_runs_without_an_event_stay_compiled():
    a = rt.coordinate("x")
    system = rt.System(kinetic=rt.ddt(a) ** 2 / 2, potential=a**2 / 2)
    rise = np.array([0.5, 1 - 1e-9, 1 - 1e-13, 1 + 1e-9, 1.5, 2.0, 3.0, 4.0, 5.0])
    start, times = {"x": 0.0, "x'": rise}, np.linspace(0, 7, 8)
    dips = [rt.event(1 - a, direction=-1), rt.event(5 - a, stop=True), rt.event(a + 9, stop=True)]
    fast, slow = (
        rt.simulate(system, {}, start, times, events=dips, engine=each) for each in ("c", "casadi")
    )
    assert [len(each) for each in fast.events] == [len(each) for each in slow.events]
    assert fast.engine[:2].tolist() == ["c", "c"]
    assert (fast.engine[3:] == "casadi").all()
    np.testing.assert_allclose(fast.q, slow.q, atol=1e-7)
    again = fast(times[:4])
    np.testing.assert_array_equal(again.q[:2], fast.q[:2, :4])


def test_an_event_that_begins_at_zero_is_no_number_or_goes_the_other_way():
    a = rt.coordinate("x")
    system = rt.System(kinetic=rt.ddt(a) ** 2 / 2, potential=a**2 / 2)
    ask = (system, {}, {"x": [0.0, 0.5], "x'": 1.0}, np.linspace(0, 2, 5))
    for event in (rt.event(a), rt.event(rt.sqrt(0.75 - a)), rt.event(a - 0.7, direction=-1)):
        fast, slow = (rt.simulate(*ask, events=[event], engine=each) for each in ("c", "casadi"))
        assert fast.message.tolist() == slow.message.tolist()
        assert [len(each) for each in fast.events] == [len(each) for each in slow.events]
    rising = rt.simulate(
        *ask[:3], np.linspace(0, 1, 5), events=[rt.event(a - 0.7, direction=-1)], engine="c"
    )
    assert (rising.engine == "c").all()  # it passes the other way


def test_a_narrow_pulse_goes_as_ever():
    x = rt.coordinate("x")
    pulse = rt.exp(-(((rt.t - 1) / 1e-4) ** 2))
    system = rt.System(kinetic=rt.ddt(x) ** 2 / 2, forces={x: pulse})
    found = rt.simulate(system, {}, {"x": [0.0, 1.0]}, [0, 2], engine="c")
    assert (found.engine == "casadi").all()


def test_auto_counts_work():
    assert (run(engine="auto").engine == "casadi").all()
    assert (run(engine="auto", count=200, times=[0, 3]).engine == "c").all()


def test_a_machine_without_compiler(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("routh.kernels.native.compiler.find_spec", lambda _: None)
    monkeypatch.setattr("routh.kernels.native.choice.pays", lambda *_: True)
    assert (run(engine="auto").engine == "casadi").all()
    with pytest.raises(rt.DerivationError, match="needs a compiler of C"):
        run(engine="c")


def test_a_start_without_mass_is_refused_in_the_same_words():
    x, m = rt.coordinate("x"), *rt.parameters("m")
    system = rt.System(kinetic=m * rt.ddt(x) ** 2 / 2, potential=x**2 / 2)
    said = []
    for engine in ("c", "casadi"):
        with pytest.raises(rt.RouthError) as error:
            rt.simulate(system, {"m": [1.0, 0.0]}, {"x": 1.0}, [0, 1], engine=engine)
        said.append(str(error.value))
    assert said[0] == said[1]


@pytest.mark.skipif(os.name == "nt", reason="signals are sent otherwise there")
def test_ctrl_c_keeps_what_is_there(monkeypatch):
    plain, begun = ensemble.Runs.go, threading.Event()

    def go(self, most):
        if begun.is_set():
            raise KeyboardInterrupt
        begun.set()
        plain(self, 5)

    monkeypatch.setattr(ensemble.Runs, "go", go)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        found = run(count=3)
    finally:
        signal.signal(signal.SIGINT, before)
    assert (found.status == Status.INTERRUPTED).all()
    assert 1 < len(found.t) < 21
    assert "Interrupted at t =" in found.message[0, 0]
