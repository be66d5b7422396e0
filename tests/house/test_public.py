"""The public face: which names there are, and what importing them costs."""

from __future__ import annotations

import enum
import importlib
import inspect
import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from dataclasses import is_dataclass
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from typing import Protocol, get_overloads

import pytest
import sympy

import routh as rt
from routh.recorded import Recorded

MODELS = Path(__file__).parents[2] / "examples" / "models"

PUBLIC = """
    DeclarationError DerivationError Kind NoEquilibrium RouthError SolveError Status System Verdict
    acos asin atan atan2 cos cosh exp log pi sin sinh sqrt tan tanh
    coordinate coordinates input inputs parameter parameters t
    cross ddt diff dot event force let norm2 rotation torque vector
    Elements at discretize energies field integral space
    casadi_function export from_sympy linear_model load load_result report save
    angular_velocity damper euler_angles quaternion rigid_body rotation_matrix spring
    derive equations equilibrium_equations linear_equations
    equilibria equilibrium fit follow linearize modes plot stability stability_map state_space
    action animate between consistent constraint_forces drift dynamics inverse_dynamics simulate
    gibbs_appell hamiltonian legendre routhian
    friction reaction stick_zone variable_mass models
    expand floquet frequency_response normal_form periodic_motion sweep
    controllability lqr observability observer reduce
    __version__ results
"""


def test_public_names_are_these():
    assert sorted(rt.__all__) == sorted(PUBLIC.split())
    assert sorted(dir(rt)) == sorted(PUBLIC.split())
    elementary = set(PUBLIC.split("\n")[2].split())
    assert len(set(rt.__all__) - elementary) < 110


def test_every_public_name_can_be_had():
    for name in rt.__all__:
        assert getattr(rt, name) is not None


def test_unknown_names_get_the_nearest_one():
    assert not hasattr(rt, "linearise")
    with pytest.raises(AttributeError, match="Did you mean `linearize`"):
        rt.linearise
    with pytest.raises(AttributeError, match="Did you mean `Modes`"):
        rt.results.Mode
    with pytest.raises(AttributeError, match=r"has no attribute 'foo'\.$"):
        rt.foo


@pytest.mark.parametrize("said", ["routh.linearise", "routh.results.Mode"])
def test_python_adds_no_second_hint(said):
    command = [sys.executable, "-c", f"import routh, routh.results; {said}"]
    told = subprocess.run(command, capture_output=True, text=True, check=False).stderr
    assert told.count("Did you mean") == 1


def test_what_is_written_in_latex_is_written_whole():
    nouns = [getattr(rt.results, name) for name in rt.results.__all__]
    written = {noun.__name__: noun for noun in nouns if hasattr(noun, "latex")}
    assert {"Legendre", "Routhian", "Equations", "FieldEquations", "Chapter"} <= set(written)
    for name, noun in written.items():
        if not isinstance(inspect.getattr_static(noun, "latex"), property) and callable(noun.latex):
            assert "cap" not in inspect.signature(noun.latex).parameters, name


def test_results_are_frozen_dataclasses_but_for_two():
    nouns = [getattr(rt.results, name) for name in rt.results.__all__]
    apart = (enum.Enum, sympy.Basic, Protocol)  # words, symbols, and what several kinds have in common
    results = [noun for noun in nouns if not any(kind in noun.__mro__ for kind in apart)]
    assert len(results) > 50
    loose = [r for r in results if not (is_dataclass(r) and r.__dataclass_params__.frozen)]
    assert [r.__name__ for r in loose] == ["Taylor"]
    based = [r for r in results if len(set(r.__mro__) - {Recorded}) > 2]
    assert [r.__name__ for r in based] == ["Hamiltonian"]


def test_every_noun_of_results_is_a_class_that_has_no_other_public_path():
    assert dir(rt.results) == rt.results.__all__
    for name in rt.results.__all__:
        assert isinstance(getattr(rt.results, name), type), name
        assert not hasattr(rt, name), name


MISSING = [
    ("flint", "rt.equilibria(system, {}, certify=True)", "rigor"),
    ("flint", "rt.stability(rt.linearize(rt.equilibrium(system, {})), proven=True)", "rigor"),
    ("matplotlib", "rt.plot(rt.equilibria(system, {}))", "plot"),
    ("matplotlib", "rt.report(rt.load(MODEL), 'pendulum.html')", "plot"),
    ("zarr", "rt.sweep(system, {}, over={'q': [0.0]}, find=['q'])", "sweep"),
    ("control", "rt.state_space(rt.linearize(rt.equilibrium(system, {}))).control()", "control"),
    ("pandas", "rt.equilibrium(system, {}).to_pandas()", "data"),
    ("xarray", "rt.equilibrium(system, {}).save('rest.nc')", "data"),
    ("zarr", "rt.equilibrium(system, {}).save('rest.zarr')", "data"),
]
"""A package, a call that needs it, and the extra that brings it."""

WITHOUT_EXTRAS = f"""
import json
import sys

packages = ("control", "flint", "matplotlib", "pandas", "xarray", "zarr")
for package in packages:
    sys.modules[package] = None  # an import of it raises ModuleNotFoundError
import pydoc

import routh.results
from routh.results import *

nouns = [getattr(routh.results, noun).__name__ for noun in routh.results.__all__]
assert "Certificate" in pydoc.render_doc(routh.results)
for package in packages:
    del sys.modules[package]

import routh as rt

MODEL = {str(MODELS / "pendulum.toml")!r}
q = rt.coordinate("q")
system = rt.System(kinetic=rt.ddt(q) ** 2 / 2, potential=-rt.cos(q))
told = []
for package, call, _ in {MISSING!r}:
    sys.modules[package] = None
    try:
        exec(call)
        told.append("nothing")
    except rt.RouthError as error:
        told.append(f"{{type(error).__name__}} {{error}}")
    del sys.modules[package]
print(json.dumps({{"nouns": nouns, "told": told}}))
"""


@pytest.fixture(scope="module")
def without_extras(tmp_path_factory):
    """What an interpreter says that has no extras at first, and then lacks one at a time."""
    folder = tmp_path_factory.mktemp("without")
    run = [sys.executable, "-c", WITHOUT_EXTRAS]
    said = subprocess.run(run, capture_output=True, text=True, check=False, cwd=folder)
    assert not said.returncode, said.stderr
    assert not list(folder.iterdir())
    return json.loads(said.stdout)


def test_every_noun_of_results_can_be_had_without_extras(without_extras):
    assert without_extras["nouns"] == rt.results.__all__


@pytest.mark.parametrize("case", range(len(MISSING)), ids=[call for _, call, _ in MISSING])
def test_a_missing_package_is_named_with_its_extra(without_extras, case):
    said, extra = without_extras["told"][case], MISSING[case][2]
    assert f'pip install "routh[{extra}]"' in said
    assert said.startswith("MissingExtra")


def test_what_verbs_return_is_named_in_results():
    elsewhere = {"Any", "Array", "Axes", "Expr", "Matrix", "None", "Path"}
    known = elsewhere | set(rt.results.__all__) | set(rt.__all__)
    for name in rt.__all__:
        verb = getattr(rt, name)
        if inspect.isfunction(verb) and verb.__module__.startswith("routh."):
            said = [verb, *get_overloads(verb)]
            returned = {word for each in said for word in re.findall(r"\w+", _returned(each))}
            assert {word for word in returned if word[0].isupper()} <= known, name


def _returned(verb: Callable[..., object]) -> str:
    return str(inspect.get_annotations(verb)["return"])


def test_the_version_is_that_of_the_project():
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8"))
    assert rt.__version__ == project["project"]["version"]


def test_a_checkout_that_is_not_installed_knows_its_version(monkeypatch):
    def nowhere(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.setattr("importlib.metadata.version", nowhere)
    monkeypatch.delitem(sys.modules, "routh.version")
    assert importlib.import_module("routh.version").__version__ == rt.__version__


FRESH = """
import json
import sys

HEAVY = {"sympy", "numpy", "casadi", "scipy", "matplotlib", "rich", "pydantic", "control"}
PARTS = {f"scipy.{part}" for part in ("sparse", "special", "linalg", "optimize", "integrate")}
loaded = {}


def look(when):
    loaded[when] = sorted((HEAVY | PARTS) & set(sys.modules))


import routh as rt
import routh.results

look("import")
rt.System
look("System")
rt.equilibrium
look("equilibrium")
q = rt.coordinate("q")
rest = rt.equilibrium(rt.System(kinetic=rt.ddt(q) ** 2 / 2, potential=-rt.cos(q)), {})
str(rt.modes(rt.linearize(rest)))
look("modes")
print(json.dumps(loaded))
"""


@pytest.fixture(scope="module")
def loaded():
    """The heavy packages that a fresh interpreter has loaded after each step of a first session."""
    run = subprocess.run([sys.executable, "-c", FRESH], capture_output=True, text=True, check=True)
    return {when: set(found) for when, found in json.loads(run.stdout).items()}


def test_importing_loads_neither_the_engine_nor_plotting(loaded):
    assert loaded["import"] == set()
    assert loaded["System"] <= {"sympy"}
    assert "casadi" in loaded["equilibrium"]


def test_the_modes_of_a_pendulum_need_no_part_of_scipy(loaded):
    heavy = {name for name in loaded["modes"] if name.startswith("scipy.")}
    assert heavy | (loaded["modes"] & {"matplotlib", "rich", "pydantic"}) == set()
