"""FMUs: validated and run by FMPy, held to `simulate` and to differences; bad numbers end in sentences."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import zipfile
from functools import cache

import numpy as np
import pytest
from rounds import motion

import routh as rt
from routh import cos, ddt, sin
from routh.language.requirements import Requirement
from ten_systems import NAMES, ten

fmpy = pytest.importorskip("fmpy")
pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="no compiler of C here")

VERSIONS = ("3.0", "2.0")
KINDS = ("ModelExchange", "CoSimulation")


@pytest.fixture(scope="module")
def unit(tmp_path_factory):
    """Makes the unit of one of the ten systems, once."""

    @cache
    def made(name, version="3.0"):
        given = ten(name)
        path = tmp_path_factory.mktemp("fmu") / f"{name}.fmu"
        rt.export(given.system, path, what=version, values=given.values, start=given.start)
        return str(path)

    return made


def states_of(path):
    described = fmpy.read_model_description(path)
    return [v.name for v in described.modelVariables if v.causality == "output" and v.start is not None]


def last(path, until, tolerance=1e-9, **options):
    """The last state, by FMPy."""
    names = states_of(path)
    found = fmpy.simulate_fmu(
        path,
        stop_time=until,
        output_interval=until / 10,
        relative_tolerance=tolerance,
        output=names,
        **options,
    )
    assert found["time"][-1] == pytest.approx(until)
    return np.array([found[name][-1] for name in names])


QUICK = ("cart_pole", "cartesian_pendulum")


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(
    "name", [n if n in QUICK else pytest.param(n, marks=pytest.mark.slow) for n in NAMES]
)
def test_the_motion_is_that_of_simulate(unit, name, version):
    """FMPy's CVODE keeps its tolerance per step, hence a thousand times it; DOP853 is nearer."""
    from fmpy.validation import validate_fmu

    given, path, known = ten(name), unit(name, version), motion(name)
    assert validate_fmu(path) == []
    state = np.concatenate([known.q[-1], known.v[-1]])
    size = np.abs(state).max()
    for kind, close in zip(KINDS, (1e-5, 1e-7), strict=True):
        found = last(path, given.until, fmi_type=kind, start_values=dict(given.inputs))
        np.testing.assert_allclose(found, state, atol=close * size)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("kind", KINDS)
def test_parameters_and_starts_are_changed_from_outside(unit, kind, version):
    given = ten("cart_pole")
    changed = {"l": 0.8, "m": 0.3}
    known = rt.simulate(
        given.system,
        {**given.values, **changed},
        {"theta": 1.0},
        [0.0, 1.0],
        inputs={"F": -0.5},
        rtol=1e-11,
    )
    starts = {**changed, "theta": 1.0, "x_dot": 0.0, "F": -0.5}
    found = last(unit("cart_pole", version), 1.0, fmi_type=kind, start_values=starts)
    expected = np.concatenate([known.q[-1], known.v[-1]])
    np.testing.assert_allclose(found, expected, atol=1e-5 * np.abs(expected).max())


BAD = {
    "not a number": ({"l": float("nan")}, "l must be a finite number. Got nan."),
    "no mass": ({"m": 0.0, "M": 0.0}, "The accelerations are not determined at t = 0"),
}


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("case", BAD)
def test_bad_parameters_end_in_the_error_of_the_unit(unit, case, kind, version):
    values, sentence = BAD[case]
    names = [p.name for p in ten("cart_pole").system.parameters]
    values = {name: value for name, value in values.items() if name in names}
    said = []
    with pytest.raises(Exception, match="failed with status 3"):
        last(
            unit("cart_pole", version), 0.1, fmi_type=kind, start_values=values,
            logger=lambda *words: said.append(str(words)),
        )  # fmt: skip
    assert any(sentence in words for words in said), said


def opened(path, kind="ModelExchange", stop=None):
    """A unit of 3.0 that is initialized."""
    described = fmpy.read_model_description(path)
    folder = fmpy.extract(path)
    made = fmpy.fmi3.FMU3Model if kind == "ModelExchange" else fmpy.fmi3.FMU3Slave
    model = made(
        guid=described.guid,
        unzipDirectory=folder,
        modelIdentifier=described.modelExchange.modelIdentifier,
        instanceName="one",
    )
    model.instantiate()
    model.enterInitializationMode(startTime=0.0, stopTime=stop)
    return model, {v.name: v.valueReference for v in described.modelVariables}, described


@pytest.mark.parametrize(
    "name",
    [n if n in QUICK else pytest.param(n, marks=pytest.mark.slow) for n in NAMES],
)
def test_directional_derivatives_are_those_of_differences(unit, name):
    """Every unknown by every known: states, inputs, parameters and time."""
    model, places, described = opened(unit(name))
    kinds = {v.name: v for v in described.modelVariables}
    for key, value in ten(name).inputs.items():
        model.setFloat64([places[key]], [value])
    model.exitInitializationMode()
    unknowns = [
        places[v.name]
        for v in described.modelVariables
        if v.causality in ("output", "local") and v.start is None
    ]
    knowns = [
        places[v.name]
        for v in described.modelVariables
        if v.start is not None or v.causality == "independent"
    ]
    random = np.random.default_rng(3)
    for vr in knowns:
        if vr:
            value = model.getFloat64([vr])[0]
            model.setFloat64([vr], [value + (0.05 * random.normal() if not value else 0.0)])
    assert kinds["time"].causality == "independent"
    for vr in knowns:
        exact = np.array(model.getDirectionalDerivative(unknowns, [vr], [1.0]))
        value = model.getFloat64([vr])[0]
        h, ends = 1e-6 * max(1.0, abs(value)), []
        for s in (1, -1):
            model.setTime(value + s * h) if not vr else model.setFloat64([vr], [value + s * h])
            ends.append(np.array(model.getFloat64(unknowns)))
        model.setTime(value) if not vr else model.setFloat64([vr], [value])
        slopes = (ends[0] - ends[1]) / (2 * h)
        size = np.abs(np.array(model.getFloat64(unknowns))).max() + np.abs(slopes).max()
        np.testing.assert_allclose(exact, slopes, rtol=1e-5, atol=1e-7 * size)
    model.terminate()
    model.freeInstance()


def test_the_state_of_a_unit_is_kept_and_given_back(unit):
    model, places, _ = opened(unit("cart_pole"), "CoSimulation")
    model.exitInitializationMode()
    model.doStep(0.0, 0.2)
    kept = model.getFMUState()
    words = model.serializeFMUState(kept)
    model.doStep(0.2, 0.3)
    every = list(places.values())
    first = model.getFloat64(every)
    for state in (kept, model.deserializeFMUState(words)):
        model.setFMUState(state)
        model.doStep(0.2, 0.3)
        assert model.getFloat64(every) == first
        model.freeFMUState(state)
    model.reset()
    assert model.getFloat64([places["theta"]]) == [0.4]
    model.freeInstance()


def test_constraints_are_kept_in_both_kinds(unit):
    """Twenty seconds: without projection CVODE drifts off by far more."""
    path = unit("cartesian_pendulum")
    for kind, close in zip(KINDS, (1e-4, 1e-10), strict=True):
        found = fmpy.simulate_fmu(
            path, fmi_type=kind, stop_time=20.0, output_interval=0.5, relative_tolerance=1e-6
        )
        length = np.hypot(found["x"], found["y"])
        assert np.abs(length - 1.5).max() < close
        assert np.abs(found["x"] * found["x_dot"] + found["y"] * found["y_dot"]).max() < 10 * close
    with pytest.raises(Exception, match="failed with status 3"):
        last(path, 0.1, start_values={"x": 0.0, "y": 0.0}, fmi_type="CoSimulation")


@pytest.fixture(scope="module")
def cable(tmp_path_factory):
    """A mass that pays a cable out, which is not longer than it is: 1 - x must not fall below zero."""
    x, m = rt.coordinate("x"), rt.parameter("m", 2.0, positive=True)
    F, whole = rt.parameter("F", 3.0), rt.parameter("whole", 1.0)
    system = rt.System(
        kinetic=m * ddt(x) ** 2 / 2,
        forces={x: F * whole},
        requirements=[
            Requirement(whole - 0.5, "What is left of the cable", True, ""),
            Requirement(whole - x, "The cable on the drum", False, "the drum is empty"),
        ],
        name="cable",
    )
    path = tmp_path_factory.mktemp("cable")
    return system, {v: rt.export(system, path / f"cable{v[0]}.fmu", what=v)[0] for v in VERSIONS}


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("kind", KINDS)
def test_requirements_end_motions(cable, kind, version):
    """x = F t^2 / (2 m) is 1 at sqrt(4/3): there `simulate` ends too."""
    system, paths = cable
    end = float(np.sqrt(4 / 3))
    known = rt.simulate(system, {}, {}, np.linspace(0, 3, 31), progress=False)
    assert known.events[0].t == pytest.approx(end, rel=1e-9)
    said = []
    found = fmpy.simulate_fmu(
        str(paths[version]), fmi_type=kind, stop_time=3.0, output_interval=0.1,
        relative_tolerance=1e-9, debug_logging=True, logger=lambda *words: said.append(str(words)),
    )  # fmt: skip
    assert found["time"][-1] < 1.21
    told = next(words for words in said if "the drum is empty" in words)
    assert float(re.search(r"t = ([\d.]+)", told)[1]) == pytest.approx(end, rel=1e-6)


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"m": -1.0}, "The parameter m must be positive. Got -1."),
        ({"whole": 0.25}, "What is left of the cable must be positive: whole - 0.5. It is -0.25."),
        ({"x": 2.0}, "The cable on the drum must not be negative: whole - x. It is -1."),
    ],
)
def test_what_parameters_and_starts_must_keep_is_said(cable, values, sentence):
    said = []
    with pytest.raises(Exception, match="failed with status 3"):
        fmpy.simulate_fmu(
            str(cable[1]["3.0"]), start_values=values, stop_time=0.1, fmi_type="CoSimulation",
            logger=lambda *words: said.append(str(words)),
        )  # fmt: skip
    assert any(sentence in words for words in said), said


def test_parameters_are_looked_at_when_they_are_changed_on_the_way(cable):
    """And a step that goes beyond the end that was said is an error, as the standard wants it."""
    for values, stop in (({"m": -1.0}, None), ({"whole": 0.25}, None), ({}, 0.15)):
        model, places, _ = opened(str(cable[1]["3.0"]), "CoSimulation", stop)
        model.exitInitializationMode()
        model.doStep(0.0, 0.1)
        for name, value in values.items():
            model.setFloat64([places[name]], [value])
        with pytest.raises(Exception, match="failed with status 3"):
            model.doStep(0.1, 0.1)
        model.freeInstance()


def test_two_units_many_steps_and_a_second_run(unit):
    """Ten thousand steps end where one does; units do not know of each other; reset begins anew."""
    known = motion("double_pendulum")
    state = np.concatenate([known.q[-1], known.v[-1]])
    path, places = unit("double_pendulum"), None
    models = []
    for _ in range(2):
        model, places, _ = opened(path, "CoSimulation")
        models.append(model)
    models[1].setFloat64([places["l1"]], [0.7])
    for model in models:
        model.exitInitializationMode()
    for k in range(10000):
        models[0].doStep(2e-4 * k, 2e-4)
        if not k % 1000:
            models[1].doStep(2e-4 * k, 0.2)
    names = states_of(path)
    every = [[places[name] for name in names]]
    first = models[0].getFloat64(*every)
    np.testing.assert_allclose(first, state, atol=1e-6 * np.abs(state).max())
    assert np.abs(np.array(models[1].getFloat64(*every)) - state).max() > 0.1
    models[0].reset()
    models[0].enterInitializationMode(startTime=0.0)
    models[0].exitInitializationMode()
    models[0].doStep(0.0, 2.0)
    np.testing.assert_allclose(models[0].getFloat64(*every), state, atol=1e-6 * np.abs(state).max())
    for model in models:
        model.freeInstance()


def test_a_unit_is_the_same_file_each_time_and_stands_alone(tmp_path, cable):
    system, paths = cable
    again = rt.export(system, tmp_path / "cable3.fmu", what="3.0")[0]
    assert again.read_bytes() == paths["3.0"].read_bytes()
    with zipfile.ZipFile(again) as archive:
        archive.extractall(tmp_path / "out")
        said = archive.read("documentation/index.html").decode()
    assert "cable: a unit of FMI 3.0" in said
    assert "1  x&#x27;, here x_dot" in said
    words = [
        "gcc",
        "-std=c99",
        "-Wall",
        "-Wextra",
        "-Wno-unused-parameter",
        "-Werror",
        "-fPIC",
        "-shared",
    ]
    words += ["-o", "again.so", "fmi3.c", "-lm"]
    subprocess.run(words, cwd=tmp_path / "out" / "sources", check=True)


def test_names_are_words_and_units_are_those_of_the_base(tmp_path):
    """Greek letters, primes and clashes with what a unit has itself."""
    names = ("θ", "time", "energy")
    first, second, third = (rt.coordinate(name) for name in names)
    force, k = rt.input("mu"), rt.parameter("λ", 2.0, unit="N*m/rad")
    system = rt.System(
        kinetic=(ddt(first) ** 2 + ddt(second) ** 2 + ddt(third) ** 2) / 2,
        potential=k * (sin(first) ** 2 + cos(second) + third**2),
        forces={first: force},
    )
    path = rt.export(system, tmp_path / "letters.fmu")[0]
    described = fmpy.read_model_description(str(path), validate=True)
    assert [v.name for v in described.modelVariables[1:7]] == [
        "theta", "time_", "energy_", "theta_dot", "time_dot", "energy_dot",
    ]  # fmt: skip
    found = {v.name: v for v in described.modelVariables}
    assert found["theta"].description == "coordinate θ"
    assert found["lambda"].unit == "N*m/rad"
    with zipfile.ZipFile(path) as archive:
        text = archive.read("modelDescription.xml").decode()
    assert '<BaseUnit kg="1" m="2" s="-2" rad="-1"/>' in text


def test_what_cannot_become_a_unit_is_refused(tmp_path, monkeypatch):
    x, k = rt.coordinate("x"), rt.parameter("k")
    spring = rt.System(kinetic=ddt(x) ** 2 / 2, potential=k * x**2)
    with pytest.raises(rt.DeclarationError, match=r"number for each parameter.*lacks `k`"):
        rt.export(spring, tmp_path / "spring.fmu")
    with pytest.raises(rt.DeclarationError, match=r"like 'a_b\.fmu'"):
        rt.export(spring, tmp_path / "a b.fmu", values={"k": 1.0})
    with pytest.raises(rt.DeclarationError, match=r"one of `?3\.0"):
        rt.export(spring, tmp_path / "spring.fmu", what="1.0")
    with pytest.raises(rt.DeclarationError, match="`start` has `y`"):
        rt.export(spring, tmp_path / "spring.fmu", values={"k": 1.0}, start={"y": 1.0})
    with pytest.raises(rt.DeclarationError, match="one number"):
        rt.export(spring, tmp_path / "spring.fmu", values={"k": 1.0}, start={"x": [1.0, 2.0]})
    monkeypatch.setenv("PATH", os.devnull)
    monkeypatch.setattr("routh.kernels.native.compiler.find_spec", lambda _: None)
    with pytest.raises(rt.DerivationError, match=r'An FMU needs a compiler of C.*"spring\.c"'):
        rt.export(spring, tmp_path / "spring.fmu", values={"k": 1.0})
    assert not list(tmp_path.iterdir())


def test_a_model_file_brings_its_start_along(tmp_path):
    file = tmp_path / "swing.toml"
    file.write_text(
        """name = "swing"
[coordinates]
theta = {start = 0.5, rate = -0.25, unit = "rad"}
[parameters]
g = {value = 9.81, unit = "m/s^2"}
[energy]
kinetic = "theta'^2/2"
potential = "-g*cos(theta)"
"""
    )
    path = rt.export(rt.load(file), tmp_path / "swing.fmu")[0]
    found = {v.name: v for v in fmpy.read_model_description(str(path)).modelVariables}
    assert (float(found["theta"].start), float(found["theta_dot"].start)) == (0.5, -0.25)
    assert (found["theta_dot"].unit, found["der(theta_dot)"].unit) == ("rad/s", "rad/s^2")
