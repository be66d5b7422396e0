"""The command `routh`: every verb, every way to be wrong, codes for scripts."""

from __future__ import annotations

import csv
import gc
import io
import json
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from pydantic import BaseModel, Field

import routh as rt

MODELS = Path(__file__).parents[2] / "examples" / "models"


class Mode(BaseModel, extra="forbid"):
    mode: int
    frequency: float
    damping: float | None
    real: float
    imaginary: float
    second_real: float | None = Field(alias="second real")
    converged: bool | None = None
    shape: dict[str, tuple[float, float]]


class Modes(BaseModel, extra="forbid"):
    status: str
    message: str
    modes: list[Mode]
    verdict: str
    why: str


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("double_pendulum", "bead_on_hoop", "turning_table", "hub_beam", "quarter_car"):
        shutil.copy(MODELS / f"{name}.toml", tmp_path)
    return tmp_path


def test_a_new_model_is_fine_and_is_not_written_over(routh, folder):
    code, out, _ = routh("new", "swing.toml")
    assert code == 0
    assert "routh report swing.toml" in out
    assert routh("check", "swing.toml")[:2] == (
        0, "System(pendulum: 1 coordinate theta; parameters c, g, l, m) is fine.\n",
    )  # fmt: skip
    code, _, err = routh("new", "swing.toml")
    assert code == 1
    assert "is there already. Choose another name, or say --force." in err
    assert routh("new", "swing.toml", "--force")[0] == 0


def test_equations_as_text_latex_and_json(routh):
    code, out, _ = routh("equations", "bead_on_hoop.toml")
    assert code == 0
    assert out.startswith("theta: ")
    assert r"\ddot{\theta}" in routh("equations", "bead_on_hoop.toml", "--latex")[1]
    found = json.loads(routh("equations", "hub_beam.toml", "--json")[1])
    assert any(line.startswith("natural, w(L)") for line in found["equations"])


def test_equations_with_friction_are_those_of_slip(routh, folder):
    shutil.copy(MODELS / "block_on_belt.toml", folder)
    code, out, _ = routh("equations", "block_on_belt.toml")
    assert code == 0
    assert out.startswith("While every contact slips forwards:")
    assert "F_c" in out


def test_equilibria_with_verdicts(routh):
    code, out, _ = routh("equilibria", "double_pendulum.toml", "--json")
    said = json.loads(out)
    rows = said["equilibria"]
    assert (code, said["status"]) == (0, "searched")
    assert [row["verdict"] for row in rows].count("stable") == 1
    assert len(rows) == 4
    assert "stable" in routh("equilibria", "double_pendulum.toml")[1]


def test_modes_follow_a_schema_and_parameters_can_be_given(routh):
    code, out, _ = routh("modes", "double_pendulum.toml", "--json")
    said = Modes.model_validate_json(out)
    found = said.modes
    assert code == 0
    assert (said.verdict, found[0].real) == ("stable", 0)
    assert found[0].imaginary == found[0].frequency
    assert found[0].shape["theta2"][0] / found[0].shape["theta1"][0] > 0
    assert found[0].frequency == pytest.approx(2.4761361022, rel=1e-9)
    scaled = json.loads(routh("modes", "double_pendulum.toml", "--json", "--p.g", "39.24")[1])
    assert scaled["modes"][0]["frequency"] == pytest.approx(2 * found[0].frequency, rel=1e-12)
    shown = routh("modes", "hub_beam.toml", "--count", "3")[1]
    assert "5.72036" in shown
    assert "rigid-body freedom" in shown


def test_modes_tell_what_changes_the_critical_one_most(routh):
    """By the units of g and lengths: frequencies go as sqrt(g/l), whichever masses."""
    code, out, _ = routh("modes", "double_pendulum.toml", "--sensitivity", "--json")
    assert code == 0
    told = json.loads(out)
    ranked = told["sensitivity"]["parameters"]
    assert told["sensitivity"]["mode"] == 1
    assert ranked[0]["parameter"] == "g"
    assert ranked[0]["relative"] == pytest.approx(0.5)
    first, w = told["modes"][0], told["modes"][0]["frequency"]
    values = rt.load(MODELS / "double_pendulum.toml").values
    lengths = sum(values[name] * first[f"frequency by {name}"] for name in ("l1", "l2"))
    assert lengths == pytest.approx(-w / 2)
    people = routh("modes", "double_pendulum.toml", "--sensitivity")[1]
    assert "What changes mode 1, s = " in people
    table = routh("modes", "double_pendulum.toml", "--sensitivity", "--csv")[1].splitlines()
    assert "frequency by g" in table[0].split(",")


def test_modes_of_fields_say_whether_they_are_converged(routh):
    found = Modes.model_validate_json(routh("modes", "hub_beam.toml", "--json")[1]).modes
    assert found[1].converged
    assert not found[-1].converged
    assert "no" in routh("modes", "hub_beam.toml")[1].split()
    assert all(x.converged is None for x in Modes.model_validate_json(
        routh("modes", "double_pendulum.toml", "--json")[1]).modes)  # fmt: skip


def test_the_linear_model(routh):
    found = json.loads(routh("linearize", "turning_table.toml", "--json")[1])
    assert found["G"] == [[0, -4], [4, 0]]
    assert found["coordinates"] == ["x", "y"]
    said = routh("linearize", "turning_table.toml")[1]
    assert "eta = (x, y)\nM = [1  0]\n    [0  1]\n" in said
    assert r"G = \begin{bmatrix}0 & -4 \\ 4 & 0\end{bmatrix}" in routh(
        "linearize", "turning_table.toml", "--latex")[1]  # fmt: skip
    table = routh("modes", "turning_table.toml", "--latex")[1]
    assert table.startswith(r"\begin{tabular}{llllll}")
    assert "stable." not in table


def test_a_motion_as_a_table(routh):
    code, out, _ = routh("simulate", "quarter_car.toml", "--until", "1", "--csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert code == 0
    energies = ["kinetic", "potential", "energy"]
    assert list(rows[0]) == ["t", "x_b", "x_w", "z", "x_b'", "x_w'", *energies]
    assert len(rows) == 501
    assert float(rows[-1]["t"]) == 1
    last = {name: float(x) for name, x in rows[-1].items()}
    assert last["kinetic"] == pytest.approx(150 * last["x_b'"] ** 2 + 20 * last["x_w'"] ** 2, rel=1e-12)
    assert last["energy"] == pytest.approx(last["kinetic"] + last["potential"], rel=1e-12)
    assert "Reached the last time" in routh("simulate", "double_pendulum.toml", "--until", "1")[1]


def test_branches_and_sweeps(routh):
    out = routh("follow", "bead_on_hoop.toml", "omega", "6", "--p.omega", "0.5", "--json")[1]
    found = json.loads(out)
    (point,) = found["points"]
    assert found["branch"][0] == {"omega": 0.5, "theta": 0.0, "verdict": "stable"}
    assert found["branch"][-1]["omega"] == pytest.approx(6)
    assert point["kind"] == "branch"
    assert point["omega"] == pytest.approx((9.81 / 1.2) ** 0.5, rel=1e-9)
    rows = list(csv.DictReader(io.StringIO(routh(
        "sweep", "turning_table.toml", "Omega", "0", "2", "--points", "3", "--csv")[1])))  # fmt: skip
    assert [float(row["Omega"]) for row in rows] == [0, 1, 2]
    assert float(rows[2]["mode 1"]) == pytest.approx(2.89577260810507, rel=1e-12)


def test_a_report_is_written_and_its_place_said(routh, folder):
    shutil.copy(MODELS / "pendulum.toml", folder)
    code, out, _ = routh("report", "pendulum.toml", "-o", "long.html", "--p.l", "3")
    assert code == 0
    assert str(folder / "long.html") in out
    page = (folder / "long.html").read_text(encoding="utf-8")
    assert "routh report pendulum.toml -o long.html --p.l 3" in page


def test_examples_are_listed_and_copied(routh, folder):
    assert "double_pendulum" in routh("examples")[1]
    assert routh("examples", "copy", "crane")[0] == 0
    assert (folder / "crane.toml").is_file()
    code, _, err = routh("examples", "copy", "crain")
    assert code == 1
    assert "Did you mean `crane`?" in err
    assert "is there already" in routh("examples", "copy", "crane")[2]
    assert "knows list, copy and run" in routh("examples", "dance")[2]


def test_the_schema_is_one(routh):
    found = json.loads(routh("schema")[1])
    assert found["title"] == "ModelPart"
    assert "energy" in found["required"]


MISTAKES = {
    "no such file": (("modes", "nope.toml"), 1, "There is no model file 'nope.toml'"),
    "no such parameter": (
        ("modes", "double_pendulum.toml", "--p.m", "2"), 1, "`--p` has `m`, which is no parameter of `double pendulum`",
    ),
    "a parameter of text": (("modes", "double_pendulum.toml", "--p.m1", "two"), 2, "two"),
    "a parameter with a sign": (
        ("modes", "double_pendulum.toml", "--p", "l1=2"), 2, "Got --p l1=2. Did you mean --p.l1 2?",
    ),
    "a parameter with a blank": (
        ("modes", "double_pendulum.toml", "--p", "l1", "2"), 2, "Did you mean --p.l1 2?",
    ),
    "no such verb": (("frobnicate",), 2, "frobnicate"),
    "no model": (("modes",), 2, "model"),
    "a file without its option": (("report", "double_pendulum.toml", "out.html"), 2, "with -o"),
    "a word too many": (("simulate", "double_pendulum.toml", "5"), 2, "takes MODEL beside options."),
    "no such option": (("follow", "double_pendulum.toml", "l1", "3", "--along", "z"), 2, "knows no option --along."),
    "an option that is nearly one": (("modes", "double_pendulum.toml", "--jsno"), 2, "Did you mean --json?"),
    "no such swept parameter": (
        ("sweep", "turning_table.toml", "omega", "0", "1"), 1, "Did you mean `Omega`?",
    ),
    "no folder for a report": (
        ("report", "double_pendulum.toml", "-o", "no/where.html"), 1, "There is no folder 'no'",
    ),
    "no time": (("simulate", "double_pendulum.toml", "--until", "0"), 1, "a time above zero, and at most 1e+09. Got 0."),
    "no points": (
        ("sweep", "turning_table.toml", "Omega", "0", "1", "--points", "1"), 1, "two at least, and 100000 at most. Got 1.",
    ),
    "a parameter that is no number": (
        ("check", "double_pendulum.toml", "--p.g", "nan"), 1, "`g` in `--p` must be finite. Got nan",
    ),
    "a sweep to nowhere": (
        ("sweep", "turning_table.toml", "Omega", "0", "nan"), 1, "from one finite number to another. Got 0 to nan",
    ),
    "two forms at once": (("modes", "double_pendulum.toml", "--json", "--csv"), 1, "Choose one of"),
    "matrices in a table": (("linearize", "double_pendulum.toml", "--csv"), 1, "This is no table"),
    "a model where there is no folder": (("new", "no/where.toml"), 1, "There is no folder 'no'"),
    "a folder for a model": (("check", "."), 1, "'.' is a folder. Give the path of a model file in it."),
    "no count": (("modes", "double_pendulum.toml", "--count", "0"), 1, "one at least. Got 0"),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_are_sentences_with_codes(routh, mistake):
    words, expected, sentence = MISTAKES[mistake]
    code, out, err = routh(*words)
    assert code == expected
    assert sentence in " ".join((out + err).split())
    assert "Traceback" not in out + err


BASE = '[coordinates]\nx = {start = 1}\n[parameters]\n%s\n[energy]\nkinetic = "m/2*x\'^2"\n'

UNFIT = {
    "no value": (BASE % "m = {}" + 'potential = "x^2"\n', "no value for m. Write m = 1.0 under [parameters]"),
    "a start off a constraint": (
        'constraints = ["x^2 - 4"]\n' + BASE % "m = 1" + 'potential = "x^2"\n', "violates constraint 1, `x**2 - 4`, by -3",
    ),
    "nothing that carries": (BASE % "m = 1" + 'potential = "(x - y)^2"\n', "`y` is no name"),
    "velocities in a potential": (
        BASE % "m = 1" + "potential = \"x*x'\"\n", "line 5, `energy`: `potential` contains",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", UNFIT)
def test_models_that_cannot_move_are_not_fine(routh, folder, case):
    text, sentence = UNFIT[case]
    (folder / "unfit.toml").write_text(text, encoding="utf-8")
    code, out, err = routh("check", "unfit.toml")
    assert code == 1
    assert sentence in " ".join((out + err).split())


def test_both_roots_of_an_overdamped_mode_are_told(routh, folder):
    text = BASE % "m = 1" + 'potential = "x^2/2"\ndissipation = "5/2*x\'^2"\n'
    (folder / "slow.toml").write_text(text, encoding="utf-8")
    (mode,) = json.loads(routh("modes", "slow.toml", "--json")[1])["modes"]
    assert mode["real"] == pytest.approx((-5 + 21**0.5) / 2)
    assert mode["second real"] == pytest.approx((-5 - 21**0.5) / 2)
    routh("report", "slow.toml")
    assert "-0.208712, -4.79129" in (folder / "slow.html").read_text(encoding="utf-8")


def test_a_sweep_says_where_it_is_unstable(routh, folder):
    shutil.copy(MODELS / "ziegler_column.toml", folder)
    said = json.loads(
        routh("sweep", "ziegler_column.toml", "P", "1", "3", "--points", "3", "--json")[1]
    )
    rows = said["sweep"]
    assert said["status"] == "converged"
    assert [row["verdict"] for row in rows] == ["stable", "stable", "unstable"]
    assert rows[2]["growth"] > 0.1


def test_help_does_not_load_the_engine():
    script = (
        "import routh.cli.main, sys; print([m for m in ('casadi', 'matplotlib') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("words", [("schema",), ("modes", "nothing.toml")])
def test_the_collector_of_garbage_is_left_as_it_was(routh, words):
    before = gc.get_threshold()
    routh(*words)
    assert gc.get_threshold() == before


def test_a_broken_model_shows_the_place(routh, folder):
    text = (folder / "double_pendulum.toml").read_text(encoding="utf-8")
    (folder / "broken.toml").write_text(text.replace("m1*g*r1[2]", "m1*g*r1[2"), encoding="utf-8")
    code, _, err = routh("check", "broken.toml")
    assert code == 1
    row = next(k for k, line in enumerate(text.splitlines(), 1) if "m1*g*r1[2]" in line)
    column = text.splitlines()[row - 1].index("r1[2]") + 3
    assert f"`energy.potential.1`, line {row}, column {column}: `[` is never closed" in err
    assert "^" in err


def test_what_is_said_about_angles_is_checked(routh, folder):
    text = (folder / "turning_table.toml").read_text(encoding="utf-8")
    (folder / "odd.toml").write_text(
        text.replace("x = {start = 0.2,", "x = {start = 0.2, periodic = true,"), encoding="utf-8"
    )
    code, _, err = routh("check", "odd.toml")
    assert code == 1
    assert "`x` is said to be periodic, but the equations do not repeat in it" in err
    assert routh("check", "double_pendulum.toml")[0] == 0


def test_the_installed_command_answers(folder):
    command = Path(sys.executable).with_name("routh")
    run = subprocess.run([command, "--help"], capture_output=True, text=True, check=True)
    assert "report" in run.stdout
    bad = subprocess.run([command, "check", "nope.toml"], capture_output=True, text=True, check=False)
    assert bad.returncode == 1
    assert bad.stderr.startswith("There is no model file")


def test_a_mistake_is_told_as_the_readme_shows_it(routh, folder):
    routh("new", "swing.toml")
    written = (folder / "swing.toml").read_text("utf-8")
    (folder / "swing.toml").write_text(written.replace("-cos(theta)", "-cos(thta)"), "utf-8")
    code, _, err = routh("modes", "swing.toml")
    page = (Path(__file__).parents[2] / "README.md").read_text("utf-8")
    assert code == 1
    assert textwrap.indent(err.strip(), "    ") in page


def test_an_option_that_is_not_alike_is_not_proposed(routh):
    _, out, err = routh("follow", "double_pendulum.toml", "l1", "3", "--along", "z")
    assert "Did you mean" not in out + err
    assert "--no-json" not in out + err


def test_the_command_is_a_module_too(folder):
    words = [sys.executable, "-m", "routh", "schema", "--help"]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert "JSON Schema of model files" in done.stdout
