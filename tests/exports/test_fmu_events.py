"""Events in units: what `simulate` finds, both kinds and both versions find at the same times."""

from __future__ import annotations

import re
import shutil
import subprocess
import zipfile

import numpy as np
import pytest
import sympy
from test_fmu import KINDS, VERSIONS, opened

import routh as rt
from depth import mostly_slow
from routh import ddt, event
from routh.errors import Status

fmpy = pytest.importorskip("fmpy")
pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="no compiler of C here")

g = rt.parameter("g", 9.81)


def bouncing():
    """A ball that bounces, whose highest points are watched, until it comes to a wall."""
    x, y = rt.coordinate("x"), rt.coordinate("y")
    system = rt.System(kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2, potential=g * y)
    events = [
        event(y, direction=-1, change={ddt(y): -0.8 * ddt(y)}, name="bounce"),
        event(ddt(y), direction=-1, name="top"),
        event(x - 2, stop=True, name="wall"),
    ]
    return system, events, {y: 1.0, ddt(x): 1.0}, 3.0


def held():
    """A pendulum with a constraint that hits a wall: what is changed is put onto the constraint."""
    x, y = rt.coordinate("x"), rt.coordinate("y")
    system = rt.System(
        kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2, potential=g * y, constraints=[x**2 + y**2 - 1]
    )
    events = [event(x + 0.3, direction=-1, change={ddt(x): -0.5 * ddt(x)}, name="hit")]
    return system, events, {x: 1.0, y: 0.0}, 2.0


def slack():
    """It is thrown up until the rod would push: an event on the multiplier."""
    x, y = rt.coordinate("x"), rt.coordinate("y")
    system = rt.System(
        kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2, potential=g * y, constraints=[x**2 + y**2 - 1]
    )
    events = [event(system.multipliers[0], stop=True, name="slack")]
    return system, events, {x: 0.0, y: -1.0, ddt(x): 6.0}, 2.0


def cradle():
    """Three balls of which one comes: touching ones hand the blow on at one time."""
    x, z, w = (rt.coordinate(name) for name in "xzw")
    system = rt.System(kinetic=(ddt(x) ** 2 + ddt(z) ** 2 + ddt(w) ** 2) / 2)
    events = [
        event(z - x - 1, direction=-1, change={ddt(x): ddt(z), ddt(z): ddt(x)}, name="first"),
        event(w - z - 1, direction=-1, change={ddt(z): ddt(w), ddt(w): ddt(z)}, name="second"),
    ]
    return system, events, {x: -1.5, z: 0.0, w: 1.0, ddt(x): 1.0}, 1.0


def ways():
    """Rising, falling and both, what is zero at the start, time, and an expression that only dips."""
    x = rt.coordinate("x")
    system = rt.System(kinetic=ddt(x) ** 2 / 2, potential=(2 * np.pi) ** 2 * x**2 / 2)
    events = [
        event(x, direction=1, name="rising"),
        event(x, direction=-1, name="falling"),
        event(x - 0.5, name="both"),
        event(x - 0.99999, name="dip"),
        event(x - 0.99998, direction=-1, name="dip back"),
        event(rt.t - 0.7, name="time"),
    ]
    return system, events, {ddt(x): 2 * np.pi}, 1.6


PAIRS = [(version, watched) for version in VERSIONS for watched in (True, False)]
CASES = {make.__name__: make for make in (bouncing, held, slack, cradle, ways)}


def told(words):
    """The names and times of events in a log, in order, those of one time by name."""
    found = []
    for text in words:
        event_at = re.search(r"The event (.*) at t = ([-\d.e]+)\.'", text)
        end = re.search(r"The motion ends at t = ([-\d.e]+): (.*)\.'", text)
        if event_at:
            found.append((float(event_at[2]), event_at[1]))
        if end:
            found.append((float(end[1]), end[2]))
    return found


def run(path, kind, until, **options):
    said = []
    found = fmpy.simulate_fmu(
        str(path), fmi_type=kind, stop_time=until, output_interval=until / 20,
        relative_tolerance=1e-10, debug_logging=True, logger=lambda *words: said.append(str(words[-1])),
        **options,
    )  # fmt: skip
    return found, told(said)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", mostly_slow(CASES, "bouncing", "slack"))
def test_events_are_those_of_simulate(tmp_path, name, version):
    """CVODE of FMPy keeps 1e-10 per step, hence a thousand times that; logs have nine digits."""
    from fmpy.validation import validate_fmu

    system, events, start, until = CASES[name]()
    known = rt.simulate(
        system, {}, start, np.linspace(0, until, 21), events=events, rtol=1e-11, progress=False
    )
    expected = [(each.t, str(each.event)) for each in known.events]
    assert expected
    path = rt.export(system, tmp_path / "unit.fmu", what=version, start=start, events=events)[0]
    assert validate_fmu(str(path)) == []
    modes = [{}] if version == "2.0" else [{}, {"use_event_mode": True, "early_return_allowed": True}]
    for kind in KINDS:
        for options in modes if kind == "CoSimulation" else [{}]:
            found, times = run(path, kind, until, **options)
            if kind == "ModelExchange":  # whoever integrates looks for crossings at its steps alone
                missed = [each for each in expected if each[1].startswith("dip")]
                expected_here = [each for each in expected if each not in missed]
                times = [each for each in times if not each[1].startswith("dip")]
            else:
                expected_here = expected
            assert [each[1] for each in times] == [each[1] for each in expected_here]
            close = 2e-7 if kind == "ModelExchange" else 2e-9
            at = [each[0] for each in times], [each[0] for each in expected_here]
            np.testing.assert_allclose(*at, atol=close)
            if known.status is not Status.EVENT:
                last = [found[n][-1] for n in found.dtype.names[1 : 1 + 2 * len(system.coordinates)]]
                state = np.concatenate([known.q[-1], known.v[-1]])
                np.testing.assert_allclose(last, state, atol=100 * close * np.abs(state).max())


@pytest.mark.parametrize("pair", mostly_slow(PAIRS, ("3.0", True), ("2.0", False)))
def test_sources_compile_without_a_warning(tmp_path, pair):
    version, watched = pair
    system, events, *_ = held()
    path = rt.export(system, tmp_path / "held.fmu", what=version, events=events if watched else None)[0]
    with zipfile.ZipFile(path) as archive:
        archive.extractall(tmp_path)
    words = [
        "gcc",
        "-std=c99",
        "-O2",
        "-Wall",
        "-Wextra",
        "-Wno-unused-parameter",
        "-Werror",
        "-fPIC",
        "-shared",
        "-o",
        "unit.so",
    ]
    subprocess.run([*words, f"fmi{version[0]}.c", "-lm"], cwd=tmp_path / "sources", check=True)


def ball(factor):
    y = rt.coordinate("y")
    system = rt.System(kinetic=ddt(y) ** 2 / 2, potential=g * y)
    return system, y, event(y, direction=-1, change={ddt(y): factor * ddt(y)}, name="bounce")


@pytest.mark.parametrize("kind", mostly_slow(KINDS, "CoSimulation"))
@pytest.mark.parametrize("factor", [-0.5, 0])
def test_a_motion_ends_where_events_pile_up(tmp_path, kind, factor):
    """Bounces of a half end after (1 + 2 sum 0.5^k) times the fall; without any, at the first."""
    system, y, bounce = ball(factor=factor)
    fall = float(np.sqrt(2 / 9.81))
    known = rt.simulate(system, {}, {y: 1.0}, [0.0, 3.0], events=[bounce], progress=False)
    assert known.status is Status.PILED_UP
    path = rt.export(system, tmp_path / "ball.fmu", start={y: 1.0}, events=[bounce])[0]
    _, times = run(path, kind, 3.0)
    assert times[-1][1] == "events pile up, or leave nothing to go on with"
    close = 1e-5 if kind == "CoSimulation" else 1e-3  # CVODE would fall through soon after
    assert times[-1][0] == pytest.approx(fall * (1 if factor == 0 else 3), abs=close)


@pytest.mark.parametrize("version", mostly_slow(VERSIONS, "3.0"))
@pytest.mark.parametrize("kind", KINDS)
def test_an_event_that_is_no_number_ends_in_the_error_of_the_unit(tmp_path, kind, version):
    system, y, _ = ball(factor=-1)
    watched = event(sympy.sqrt(y - 0.5) + 1, name="root")
    path = rt.export(system, tmp_path / "ball.fmu", what=version, start={y: 1.0}, events=watched)[0]
    said = []
    with pytest.raises(Exception, match="failed with status 3"):
        fmpy.simulate_fmu(
            str(path), fmi_type=kind, stop_time=1.0, output_interval=0.1,
            logger=lambda *words: said.append(str(words)),
        )  # fmt: skip
    assert any(re.search(r"The event root is not a number at t = 0\.[34]", words) for words in said), (
        said
    )


def test_what_is_zero_at_the_start_and_goes_on_happens_at_once(tmp_path):
    system, y, bounce = ball(factor=-1)
    for velocity, count in ((-1.0, 1), (1.0, 0), (0.0, 1)):
        start = {y: 0.0, ddt(y): velocity}
        known = rt.simulate(system, {}, start, [0.0, 0.05], events=[bounce], progress=False)
        assert len(known.events) == count
        name = tmp_path / "ball.fmu"
        path = rt.export(system, name, start=start, events=[bounce], overwrite=True)[0]
        found, times = run(path, "CoSimulation", 0.05)
        assert len([each for each in times if each[1] == "bounce"]) == count
        last = np.array([found["y"][-1], found["y_dot"][-1]])
        np.testing.assert_allclose(last, [known.q[-1, 0], known.v[-1, 0]], atol=1e-9)


def test_events_follow_inputs_that_jump_and_the_state_of_a_unit_has_them(tmp_path):
    """An input is another number between two steps: what it passes happens there."""
    x, F = rt.coordinate("x"), rt.input("F")
    system = rt.System(kinetic=ddt(x) ** 2 / 2, forces={x: F})
    watched = event(F - 1, direction=1, change={ddt(x): 5}, name="push")
    path = str(rt.export(system, tmp_path / "pushed.fmu", events=[watched])[0])
    model, places, _ = opened(path, "CoSimulation")
    model.exitInitializationMode()
    model.doStep(0.0, 0.5)
    kept = model.getFMUState()
    for _ in range(2):
        model.setFMUState(kept)
        assert model.getFloat64([places["event_1_count"]]) == [0.0]
        model.setFloat64([places["F"]], [2.0])
        model.doStep(0.5, 0.5)
        found = model.getFloat64(
            [places[n] for n in ("event_1_count", "event_1_time", "x_dot", "event_1")]
        )
        np.testing.assert_allclose(found, [1.0, 0.5, 6.0, 1.0], rtol=1e-9)
    model.freeFMUState(kept)
    model.reset()
    model.enterInitializationMode(startTime=0.0)
    model.exitInitializationMode()
    model.doStep(0.0, 1.0)
    assert model.getFloat64([places["event_1_count"], places["x"]]) == [0.0, 0.0]
    model.freeInstance()


def test_what_events_watch_is_differentiated_through_multipliers(tmp_path):
    system, events, start, _ = slack()
    path = str(rt.export(system, tmp_path / "slack.fmu", start=start, events=events)[0])
    model, places, _ = opened(path)
    model.exitInitializationMode()
    for known in ("x", "y", "x_dot", "y_dot", "g"):
        exact = model.getDirectionalDerivative([places["event_1"]], [places[known]], [1.0])[0]
        value, ends = model.getFloat64([places[known]])[0], []
        for h in (1e-5, -1e-5):
            model.setFloat64([places[known]], [value + h])
            ends.append(model.getFloat64([places["event_1"]])[0])
        model.setFloat64([places[known]], [value])
        assert exact == pytest.approx((ends[0] - ends[1]) / 2e-5, rel=1e-7, abs=1e-7)
    model.freeInstance()


def test_a_model_file_brings_its_ends_along(tmp_path):
    file = tmp_path / "fall.toml"
    file.write_text(
        """name = "fall"
[coordinates]
y = {start = 1.0}
[parameters]
g = 9.81
[energy]
kinetic = "y'^2/2"
potential = "g*y"
[analysis.motion]
until = 2.0
ends = ["y"]
"""
    )
    path = rt.export(rt.load(file), tmp_path / "fall.fmu")[0]
    _, times = run(path, "CoSimulation", 2.0)
    assert times == [(pytest.approx(np.sqrt(2 / 9.81), abs=1e-9), "y = 0")]


def test_what_cannot_be_watched_is_refused(tmp_path):
    system, y, bounce = ball(factor=-1)
    with pytest.raises(rt.DeclarationError, match=r"Events go into files `?\.fmu"):
        rt.export(system, tmp_path / "ball.m", events=[bounce])
    with pytest.raises(rt.DeclarationError, match="`events` lists what event"):
        rt.export(system, tmp_path / "ball.fmu", events=[y])
    with pytest.raises(rt.DeclarationError, match="contains the acceleration"):
        rt.export(system, tmp_path / "ball.fmu", events=[event(ddt(y, 2))])
    assert not list(tmp_path.iterdir())
