"""The wheel, installed as a person would: without extras and with each of them, and tried."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text("utf-8")
INSTALLED = re.search(r'pip install "routh\[([\w,]+)\]"', README)[1]
ENVIRONMENT = {
    name: value
    for name, value in os.environ.items()
    if name not in ("PYTHONDONTWRITEBYTECODE", "PYTHONHOME", "PYTHONPATH", "VIRTUAL_ENV")
} | {"MPLBACKEND": "Agg"}
BROUGHT = {"": set(), "plot": {"plot"}, "rigor": {"rigor"}, "control": {"control", "plot"}}
"""What works with an extra: python-control itself needs matplotlib."""

UNREACHABLE = ("No matching distribution found", "Could not find a version", "Connection")

TRIED = """
import routh as rt

theta, torque = rt.coordinate("theta"), rt.input("u")
system = rt.System(kinetic=rt.ddt(theta)**2/2, potential=-rt.cos(theta), forces={theta: torque})
rest = rt.equilibrium(system, {}, inputs={torque: 0})
linear = rt.linearize(rest)
tried = {
    "plot": lambda: rt.plot(rt.equilibria(system, {}, inputs={torque: 0})),
    "rigor": lambda: print(rt.equilibria(system, {}, inputs={torque: 0}, certify=True)),
    "control": lambda: rt.state_space(linear).control(),
    "data": lambda: rest.to_pandas(),
}
print(rt.__version__, rt.modes(linear).frequencies)
assert isinstance(rest, rt.results.Equilibrium)
for noun in rt.results.__all__:
    getattr(rt.results, noun)
for extra, call in tried.items():
    try:
        call()
        print(extra, "works")
    except rt.RouthError as error:
        print(extra, "lacks:", error)
"""


def run(command: list[object], at: Path, *, code: int = 0) -> str:
    """What a command says; it must end with this code and without a traceback."""
    words = [str(word) for word in command]
    done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=at, env=ENVIRONMENT)
    said = done.stdout + done.stderr
    assert done.returncode == code, said
    assert "Traceback" not in said
    return said


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel, built from the tree."""
    at = tmp_path_factory.mktemp("wheel")
    run([sys.executable, "-m", "venv", at / "builder"], at)
    build = [at / "builder" / "bin" / "python", "-m", "pip", "wheel", "--no-deps", "-w", at, ROOT]
    done = subprocess.run(build, capture_output=True, text=True, check=False, env=ENVIRONMENT)
    if done.returncode and any(words in done.stderr for words in UNREACHABLE):
        pytest.skip("hatchling, which builds the wheel, cannot be had on this machine")
    assert not done.returncode, done.stderr
    shutil.rmtree(at / "builder")
    return next(at.glob("*.whl"))


@pytest.fixture
def installed(wheel, tmp_path):
    """Installs the wheel with extras into a new environment, and gives the folder of its programs."""

    def install(extras: str) -> Path:
        run([sys.executable, "-m", "venv", tmp_path / "env"], tmp_path)
        programs = tmp_path / "env" / "bin"
        named = f"{wheel}[{extras}]" if extras else wheel
        run([programs / "python", "-m", "pip", "install", "--quiet", "--no-compile", named], tmp_path)
        return programs

    yield install
    shutil.rmtree(tmp_path / "env", ignore_errors=True)


@pytest.mark.slow
def test_the_wheel_holds_stubs_pages_and_models(wheel):
    names = ZipFile(wheel).namelist()
    for name in (
        "routh/__init__.pyi",
        "routh/results.pyi",
        "routh/py.typed",
        "routh/display/report/vendor/katex.js",
        "routh/display/pictures/player.html",
        "routh/display/pictures/plane_player.js",
        "routh/display/pictures/space/space_player.js",
        "routh/files/models/pendulum.toml",
        "routh/studio/page/index.html",
        "routh/studio/page/vendor/preact.js",
    ):
        assert name in names


@pytest.mark.slow
@pytest.mark.parametrize("extras", list(BROUGHT))
def test_what_an_environment_lacks_is_said_and_all_else_works(installed, tmp_path, extras):
    programs = installed(extras)
    said = run([programs / "python", "-c", TRIED], tmp_path)
    for extra in ("plot", "rigor", "control"):
        if extra in BROUGHT[extras]:
            assert f"{extra} works" in said
        else:
            assert re.search(rf'{extra} lacks: .*pip install "routh\[{extra}\]"', said)
    routh = programs / "routh"
    run([routh, "new", "swing.toml"], tmp_path)
    assert "frequency" in run([routh, "modes", "swing.toml"], tmp_path)
    assert "double_pendulum" in run([routh, "examples"], tmp_path)
    run([routh, "report", "swing.toml", "-o", "swing.md"], tmp_path)
    drawn = "plot" in BROUGHT[extras]
    page = run([routh, "report", "swing.toml"], tmp_path, code=int(not drawn))
    assert (tmp_path / "swing.html").exists() == drawn
    if not drawn:
        assert page.strip().endswith('pip install "routh[plot]".')
        assert len(page.strip().splitlines()) == 1


@pytest.mark.slow
def test_the_install_line_of_the_readme_makes_its_next_section_work(installed, tmp_path):
    programs = installed(INSTALLED)
    section = README.partition("## Without Python")[2].partition("\nA model is")[0]
    commands = [line.partition("#")[0].split() for line in re.findall(r"    (routh .*)", section)]
    assert len(commands) == 3
    for _, *words in commands:
        run([programs / "routh", *words], tmp_path)
    code = "\n".join(re.findall(r"```python\n(.*?)```", README, re.DOTALL))
    assert "Proven complete" in run([programs / "python", "-c", code], tmp_path)
