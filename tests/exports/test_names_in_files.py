"""Names that files could not have: words of languages, macros, long ones, and labels that would be code."""

from __future__ import annotations

import shutil
import subprocess

import numpy as np
import pytest
from test_c_files import COMPILER, Compiled
from test_matlab_file import OCTAVE, column, run, shown
from test_python_module import read

import routh as rt
from routh import ddt
from routh.exports import reserved_words
from routh.exports.subject import subject
from routh.exports.target_names import LONGEST, names_of
from routh.language.symbols import Parameter

LONG = ["n" * 200, "n" * 199 + "m", "n" * 63 + "_2"]
OWN = """N C U H LARGEST SINGULAR STATES INPUTS EVENTS ENDS CHANGES TOKEN NAMES ROUTH SIZE LANES q p x_out w1 M f
rate matrices solve y1 I i e ans NULL EOF M_PI FP_NAN HUGE_VAL bool do events λ é _a __a"""


def is_welcome(word):
    """Whether a system takes it: `t` and `sin` mean something in every formula."""
    try:
        return bool(rt.parameter(word))
    except rt.DeclarationError:
        return False


@pytest.fixture(scope="module")
def named():
    """A force that all parameters are in."""
    every = {*OWN.split(), *LONG, *reserved_words.C, *reserved_words.PYTHON, *reserved_words.MATLAB}
    words = sorted(word for word in every if is_welcome(word))
    numbers = np.random.default_rng(1).uniform(1, 2, size=len(words))
    parameters = [rt.parameter(word, x) for word, x in zip(words, numbers, strict=True)]
    x, y = rt.coordinates("x_ y_")
    force = sum((k % 7 - 3) * p * (x if k % 2 else y + 1) for k, p in enumerate(parameters))
    system = rt.System(
        kinetic=(ddt(x) ** 2 + 2 * ddt(y) ** 2) / 2, forces={x: force}, constraints=[x**2 + y**2 - 1]
    )
    state = np.array([0.3, -0.7, 0.2, 0.1])
    at = rt.dynamics(system, {}, state[:2], state[2:])
    p = np.array([p.default for p in system.parameters])
    return system, state, p, np.concatenate([state[2:], at.a])


@pytest.mark.skipif(COMPILER is None, reason="no compiler of C here")
@pytest.mark.parametrize("standard", ["c99", "gnu17"])
def test_names_in_c(named, standard, tmp_path):
    system, state, p, rate = named
    rt.export(system, tmp_path / "named.c")
    words = [COMPILER, f"-std={standard}", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared", "named.c"]
    subprocess.run([*words, "-lm", "-o", "named.so"], cwd=tmp_path, check=True)
    model = Compiled(tmp_path / "named.so", "named", subject(system, {}, None, "export"))
    np.testing.assert_allclose(model.rate(0.0, state, np.zeros(0), p), rate, rtol=1e-12)


def test_names_in_numpy(named, tmp_path):
    system, state, p, rate = named
    module = read(rt.export(system, tmp_path / "named.py")[0])
    np.testing.assert_allclose(module.rate(0.0, state, (), p), rate, rtol=1e-12)
    assert max(map(len, module.PARAMETERS)) == LONGEST


@pytest.mark.skipif(OCTAVE is None, reason="no Octave here")
def test_names_in_octave(named, tmp_path):
    system, state, _, rate = named
    rt.export(system, tmp_path / "named.m")
    line = run(tmp_path, ["m = named();", shown(f"m.rate(0, {column(state)}, [], m.defaults)")])[0]
    np.testing.assert_allclose(np.array(line.split(), dtype=float), rate, rtol=1e-12)


@pytest.mark.skipif(shutil.which("gcc") is None, reason="no compiler of C here")
def test_names_in_a_unit(named, tmp_path):
    """No macro of the unit is in the way of a name in the equations."""
    fmpy = pytest.importorskip("fmpy")
    path = rt.export(named[0], tmp_path / "named.fmu", start={"y_": -1.0})[0]
    described = fmpy.read_model_description(str(path), validate=True)
    assert len({v.name for v in described.modelVariables}) == len(described.modelVariables)


def test_long_names_are_cut_and_told_apart():
    made = names_of([Parameter(name) for name in LONG], []).words.values()
    assert len({*made}) == len(LONG)
    assert max(map(len, made)) == LONGEST


@pytest.mark.parametrize("suffix", [".py", ".m", ".jl", ".mo", ".c", ".tex"])
def test_a_label_of_several_lines_stays_a_comment(suffix, tmp_path):
    x, k = rt.coordinate("x"), rt.parameter("k", 1.0, unit="N\nboo()\r\nboo() */ boo()")
    system = rt.System(kinetic=ddt(x) ** 2 / 2, potential=k * x**2, name="one\nboo()")
    text = rt.export(system, tmp_path / f"spring{suffix}")[0].read_text("utf-8")
    lines = [line for line in text.splitlines() if "boo()" in line]
    assert lines
    assert not [line for line in lines if line.startswith("boo()")]
    if suffix == ".c":
        assert text.index("boo() * / boo()") < text.index("*/")


@pytest.mark.parametrize("name", ["math", "stdio"])
def test_a_header_is_not_called_as_one_of_the_library(name, tmp_path):
    x = rt.coordinate("x")
    with pytest.raises(rt.DeclarationError, match=f"like '{name}_model.c'"):
        rt.export(rt.System(kinetic=ddt(x) ** 2 / 2), tmp_path / f"{name}.c")
