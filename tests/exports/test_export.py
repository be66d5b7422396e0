"""The verb and the command: what is written where, what each file says, and what is refused."""

from __future__ import annotations

import subprocess
import sys

import pytest

import routh as rt
from routh import ddt
from routh.errors import WriteError
from routh.exports.export import WRITERS
from ten_systems import MODELS, ten

EVERY = [(suffix, what) for suffix, choice in WRITERS.items() for what in choice]
OF_TEXT = [(suffix, what) for suffix, what in EVERY if suffix not in (".casadi", ".fmu")]


def spring(**more):
    x, k, F = rt.coordinate("x"), rt.parameter("k", 4.0, unit="N/m"), rt.input("F")
    parts = {"kinetic": ddt(x) ** 2 / 2, "potential": k * x**2 / 2, "forces": {x: F}, "name": "spring"}
    return rt.System(**parts | more)


@pytest.mark.parametrize(("suffix", "what"), OF_TEXT)
def test_every_file_says_what_it_is(suffix, what, tmp_path):
    model = rt.load(MODELS / "cart_pole.toml")
    text = rt.export(model, tmp_path / f"pole{suffix}", what=what)[0].read_text()
    head = " ".join(text.split())
    assert "cart-pole" in head
    assert "The inverted pendulum on a cart, the first problem of control." in head
    assert f"Routh {rt.__version__}" in head
    assert "[m/s^2]" in head
    if suffix != ".tex":
        for line in ("0 x [m]", "1 theta [rad]", "0 F [N]", "g = 9.81"):
            assert line in head.replace("% ", "").replace("# ", "").replace("* ", "")
    assert (
        text == rt.export(model, tmp_path / f"pole{suffix}", what=what, overwrite=True)[0].read_text()
    )


def test_a_casadi_file_has_a_text_beside(tmp_path):
    paths = rt.export(spring(), tmp_path / "spring.casadi", what="index 1")
    assert [path.name for path in paths] == ["spring.casadi", "spring.txt"]
    assert "arguments: t, x, z, u, p" in paths[1].read_text()


@pytest.mark.parametrize(("suffix", "what"), OF_TEXT)
def test_files_that_are_there_stay_unless_it_is_said(suffix, what, tmp_path):
    path = tmp_path / f"spring{suffix}"
    path.write_text("mine")
    with pytest.raises(
        rt.DeclarationError, match=r"is there already\. Choose another name, or say overwrite=True"
    ):
        rt.export(spring(), path, what=what)
    assert path.read_text() == "mine"
    rt.export(spring(), path, what=what, overwrite=True)
    assert path.read_text() != "mine"


def test_a_header_that_is_there_keeps_all_from_being_written(tmp_path):
    (tmp_path / "spring.h").write_text("mine")
    with pytest.raises(rt.DeclarationError, match=r"`spring\.h` is there already"):
        rt.export(spring(), tmp_path / "spring.c")
    assert not (tmp_path / "spring.c").exists()


def test_paths_that_cannot_be_are_refused(tmp_path):
    with pytest.raises(rt.DeclarationError, match="There is no folder"):
        rt.export(spring(), tmp_path / "no" / "spring.c")
    with pytest.raises(rt.DeclarationError, match=r"Got 'spring\.cc'\. Did you mean `.c`"):
        rt.export(spring(), "spring.cc")
    with pytest.raises(rt.DeclarationError, match="Did you mean `jax`"):
        rt.export(spring(), "spring.py", what="jacks")
    with pytest.raises(rt.DeclarationError, match="Got an int"):
        rt.export(spring(), 3)
    with pytest.raises(rt.DeclarationError, match=r"Choose another, like 'my_spring.c'"):
        rt.export(spring(), tmp_path / "my spring.c")
    with pytest.raises(rt.DeclarationError, match=r"'numpy\.py' means something else there"):
        rt.export(spring(), tmp_path / "numpy.py")
    with pytest.raises(rt.DeclarationError, match=r"like 'model_3.m'"):
        rt.export(spring(), tmp_path / "3.m")
    (tmp_path / "folder.c").mkdir()
    with pytest.raises(rt.DeclarationError, match="is a folder"):
        rt.export(spring(), tmp_path / "folder.c")
    assert [path.name for path in tmp_path.iterdir()] == ["folder.c"]


@pytest.mark.parametrize(("suffix", "what"), EVERY)
def test_systems_without_one_set_of_equations_are_refused(suffix, what, tmp_path):
    path = tmp_path / f"a{suffix}"
    x = rt.coordinate("x")
    rubbing = rt.System(kinetic=ddt(x) ** 2 / 2, friction=rt.friction(ddt(x), static=1), name="block")
    with pytest.raises(
        rt.DeclarationError, match=r"`block` has friction.*Export system.regularized\(0.01\)"
    ):
        rt.export(rubbing, path, what=what)
    with pytest.raises(rt.DeclarationError, match="cannot take a Python function along, and `F`"):
        rt.export(spring(), path, what=what, inputs={"F": lambda t: t})
    with pytest.raises(rt.DeclarationError, match="Did you mean `k`"):
        rt.export(spring(), path, what=what, values={"kk": 1.0})
    assert not path.exists()


def test_paths_that_cannot_be_written_are_refused(tmp_path):
    x = rt.coordinate("x")
    system = rt.System(kinetic=ddt(x) ** 2 / 2)
    with pytest.raises(rt.DeclarationError, match=r"Did you mean `\.c`\?"):
        rt.export(system, tmp_path / "spring.C")
    with pytest.raises(rt.DeclarationError, match=r"Did you mean `\.fmu`\?"):
        rt.export(system, tmp_path / "spring.FMU")
    with pytest.raises(WriteError, match="cannot be written: File name too long"):
        rt.export(system, tmp_path / f"{'x' * 300}.c")
    with pytest.raises(rt.DeclarationError, match=r"`overwrite` must be True or False\. Got 'yes'"):
        rt.export(system, tmp_path / "spring.c", overwrite="yes")
    assert not list(tmp_path.iterdir())


def test_fields_and_dependent_constraints_are_refused(tmp_path):
    continuous = ten("beam").system.continuous
    with pytest.raises(rt.DeclarationError, match=r"discretize\(system, \{w: 12\}\)"):
        rt.export(continuous, tmp_path / "beam.c")
    x, y = rt.coordinates("x y")
    twice = rt.System(
        kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2, constraints=[x - y, 2 * x - 2 * y], name="twice"
    )
    with pytest.raises(rt.DeclarationError, match="`twice` depend on each other wherever they hold"):
        rt.export(twice, tmp_path / "twice.c")
    where = rt.System(kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2, constraints=[x - y, x**2 - y**2])
    with pytest.raises(rt.DeclarationError, match="depend on each other wherever they hold"):
        rt.export(where, tmp_path / "where.c")


def command(folder, *words):
    line = [sys.executable, "-m", "routh", "export", *words]
    return subprocess.run(line, cwd=folder, capture_output=True, text=True, check=False)


def test_the_command_exports_a_model(tmp_path):
    model = str(MODELS / "dc_motor.toml")
    done = command(tmp_path, model, "motor.py", "--p.R", "0.7", "--laws")
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "motor.py").read_text()
    assert "routh export" in text
    assert "R = 0.7" in text
    assert "put in for the input U: 12" in text
    again = command(tmp_path, model, "motor.py")
    assert again.returncode == 1
    assert "say --force" in again.stderr
    begun = command(tmp_path, model, "motor.mo", "--start.phi", "0.25", "--start.phi'", "-1.5")
    assert begun.returncode == 0, begun.stderr
    text = (tmp_path / "motor.mo").read_text()
    assert 'phi(unit = "rad", start = 0.25' in text
    assert 'phi_dot(unit = "rad/s", start = -1.5' in text
    lost = command(tmp_path, model, "motor.mo", "--force", "--start.chi", "1")
    assert "`start` has `chi`" in lost.stderr
    wrong = command(tmp_path, model, "motor.pyx")
    assert "Did you mean `.py`" in wrong.stderr


def test_a_file_says_what_it_was_made_with(tmp_path):
    given = ten("cart_pole")
    start = {"theta": 0.4}
    path = rt.export(given.system, tmp_path / "pole.mo", values=given.values, start=start)[0]
    assert "with rt.export(system, 'pole.mo', values=..., start=...)" in path.read_text()
