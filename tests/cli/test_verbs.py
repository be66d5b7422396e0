"""Verbs of the command beyond equations and modes: derivations, Hamiltonian, answers, periods, tables."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
from pathlib import Path

import numpy as np
import pytest

import routh as rt
from routh.mechanics.forms.chapter import Formula, Table, chapter

MODELS = Path(__file__).parents[2] / "examples" / "models"
NAMES = (
    "block_on_belt", "cart_pole", "cartesian_pendulum", "crane", "hub_beam", "pendulum", "quarter_car",
    "relativistic_particle", "rotating_mass", "shaken_beam", "shaken_pendulum", "turning_table",
)  # fmt: skip


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in NAMES:
        shutil.copy(MODELS / f"{name}.toml", tmp_path)
    return tmp_path


@pytest.fixture
def told(monkeypatch):
    """Derivations of one sentence, one formula and one table, and what they were asked to explain."""
    asked = []

    def explain(result):
        asked.append(type(result).__name__)
        steps = ["What is done.", Formula("M a = F", r"M a = F"), Table(("k", "x"), (("1", "2"),))]
        return chapter("A chapter", [("One", steps)])

    monkeypatch.setattr("routh.lecture.derive.chapter_of", explain)
    return asked


def table(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_a_derivation_is_printed_and_given_to_programs_step_by_step(routh, told):
    code, out, _ = routh("derive", "pendulum.toml")
    assert code == 0
    assert out.startswith("A chapter\n=========\n\nOne\n---\nWhat is done.\n    M a = F\n")
    found = json.loads(routh("derive", "pendulum.toml", "--json")[1])
    assert found["title"] == "A chapter"
    assert found["sections"][0]["steps"][:2] == [
        {"sentence": "What is done."}, {"formula": "M a = F", "latex": "M a = F"},
    ]  # fmt: skip
    assert found["sections"][0]["steps"][2]["table"] == [["k", "x"], ["1", "2"]]
    assert r"\[ M a = F \]" in routh("derive", "pendulum.toml", "--latex")[1]
    assert told == ["System"] * 3


def test_derivations_are_of_the_system_or_of_what_follows_from_it(routh, told):
    kinds = {"rest": "Equilibrium", "linear": "LinearModel", "modes": "Modes",
             "stability": "Stability", "hamiltonian": "Hamiltonian", "motion": "Action"}  # fmt: skip
    for what, kind in kinds.items():
        assert routh("derive", "pendulum.toml", what)[0] == 0
        assert told.pop() == kind
    assert routh("derive", "shaken_pendulum.toml", "floquet")[0] == 0
    assert told.pop() == "Floquet"
    code, _, err = routh("derive", "pendulum.toml", "lines")
    assert code == 2
    assert "linear" in err


def test_every_derivation_that_is_offered_is_written(routh):
    for what in ("rest", "linear", "modes", "stability", "hamiltonian", "motion"):
        code, out, err = routh("derive", "pendulum.toml", what)
        assert (code, err) == (0, ""), what
        assert "\n----" in out, what


def test_the_hamiltonian_of_a_moving_frame_is_not_the_energy(routh):
    code, out, _ = routh("hamiltonian", "rotating_mass.toml")
    assert code == 0
    assert out.startswith("p_x = m*x'\n")
    assert out.rstrip().endswith("H is T2 - T0 + V, which is not T + V.")
    fast = routh("hamiltonian", "relativistic_particle.toml")[1]
    assert fast.rstrip().endswith("H is v . L_v - L.")
    found = json.loads(routh("hamiltonian", "pendulum.toml", "--json")[1])
    assert (found["is_explicit"], found["is_energy"]) == (True, True)
    assert found["momenta"] == {"p_theta": "m*l**2*theta'"}
    assert found["equations"][0] == "theta' = p_theta/(m*l**2)"
    assert r"\dot{p}_{\theta}" in routh("hamiltonian", "pendulum.toml", "--latex")[1]
    code, _, err = routh("hamiltonian", "hub_beam.toml")
    assert code == 1
    assert "vary along a space" in err


def test_the_state_space_of_a_crane(routh):
    found = json.loads(routh("state-space", "crane.toml", "--json")[1])
    assert found["states"] == ["X", "theta", "X'", "theta'"]
    assert (found["inputs"], found["outputs"]) == (["F"], ["X", "theta"])
    np.testing.assert_allclose(found["A"][3], [0, -9.81 * 7 / (5 * 1.5), 0, 0], rtol=1e-12)
    np.testing.assert_allclose(np.ravel(found["B"])[2:], [1 / 5, -1 / 7.5], rtol=1e-12)
    said = routh("state-space", "crane.toml", "--of", "X + l*sin(theta)", "--of", "X'")[1]
    assert "y = (X + l*sin(theta), X')" in said.replace("l*sin(theta) + X", "X + l*sin(theta)")
    assert "C = [1  1.5  0  0]\n    [0    0  1  0]" in said
    held = routh("state-space", "cartesian_pendulum.toml")[1]
    assert "x = (eta1, eta1')" in held
    assert r"A = \begin{bmatrix}" in routh("state-space", "crane.toml", "--latex")[1]


def test_a_frequency_response_is_that_of_the_matrices(routh):
    words = ("response", "quarter_car.toml", "z", "--of", "x_b", "--from", "1", "--to", "100")
    code, out, _ = routh(*words, "--points", "3", "--csv")
    rows = table(out)
    assert code == 0
    assert list(rows[0]) == ["frequency", "x_b", "phase x_b", "real x_b", "imaginary x_b"]
    M, k, kt, c = np.diag([300.0, 40.0]), 20000.0, 180000.0, 1200.0
    C, K = c * np.array([[1, -1], [-1, 1]]), np.array([[k, -k], [-k, k + kt]])
    for row, w in zip(rows, (1, 10, 100), strict=True):
        x = np.linalg.solve(-(w**2) * M + 1j * w * C + K, [0, kt])[0]
        assert float(row["frequency"]) == pytest.approx(w, rel=1e-12)
        assert complex(float(row["real x_b"]), float(row["imaginary x_b"])) == pytest.approx(
            x, rel=1e-9
        )
        assert float(row["x_b"]) == pytest.approx(abs(x), rel=1e-9)
    said = routh(*words)[1]
    assert "Among these frequencies x_b answers most at 7." in said
    assert "z to x_b: 201 frequencies from 1 to 100 rad/s." in said


def test_a_response_is_about_the_modes_and_beside_resonances_if_no_frequencies_are_given(routh):
    found = json.loads(routh("response", "crane.toml", "--points", "3", "--json")[1])
    own = np.sqrt(9.81 * 7 / 7.5)  # (M + m) g/(M l), undamped
    w = [row["frequency"] for row in found["response"]]
    assert (w[0], w[2]) == pytest.approx((own / 10, own * 10), rel=1e-9)
    assert abs(np.log(w[1] / own)) > 0.5  # the middle would be the resonance
    assert all(isinstance(row["theta"], float) for row in found["response"])
    assert f"At {own:.6g} rad/s the input excites an undamped resonance" in found["remark"]
    assert found["verdict"] == "undecided"  # the crane may be anywhere
    there = routh("response", "crane.toml", "--points", "3", "--from", own / 10, "--to", own * 10)[1]
    assert "answers most" in there
    assert "without bound" in there  # who asks for the resonance gets it


def test_answers_about_an_unstable_equilibrium_are_said_to_be_formal(routh):
    said = "The equilibrium is unstable: no motion settles to these answers, which are formal."
    assert said in routh("response", "cart_pole.toml", "--points", "3")[1]
    found = json.loads(routh("response", "cart_pole.toml", "--points", "3", "--json")[1])
    assert (found["verdict"], found["remark"]) == ("unstable", said)
    assert said not in routh("response", "quarter_car.toml", "z", "--points", "3")[1]


def test_answers_of_fields_end_below_the_highest_converged_frequency(routh):
    found = json.loads(routh("response", "hub_beam.toml", "--points", "4", "--json")[1])
    assert found["outputs"] == ["theta", "w(L)"]
    rows = found["response"]
    assert rows[0]["frequency"] == pytest.approx(0.57204, rel=1e-4)  # a tenth of 5.7204 rad/s
    assert 40 < rows[-1]["frequency"] < 51.409
    assert all(isinstance(row["w(L)"], float) for row in rows)


def test_multipliers_of_a_pendulum_that_stands_upside_down(routh):
    code, out, _ = routh("floquet", "shaken_pendulum.toml", "--json")
    found = json.loads(out)
    assert code == 0
    assert found["verdict"] == "stable"
    assert found["period"] == pytest.approx(np.pi / 30)
    assert [row["size"] for row in found["multipliers"]] == pytest.approx([1, 1], rel=1e-9)
    assert "unstable" in routh("floquet", "shaken_pendulum.toml", "--p.A", "0.01")[1]
    same = json.loads(routh("floquet", "shaken_pendulum.toml", "4*pi/w/2", "--json")[1])
    assert same["multipliers"] == found["multipliers"]


def test_a_drive_that_leaves_no_rest_has_a_periodic_motion(routh, folder):
    (folder / "driven.toml").write_text(
        '[coordinates]\nx = {start = 1}\n[parameters]\nw = 2\n[inputs]\nF = {law = "sin(w*t)"}\n'
        '[energy]\nkinetic = "x\'^2/2"\npotential = "x^2/2"\ndissipation = "x\'^2/10"\n'
        '[[forces]]\non = "x"\nvalue = "F"\n[analysis]\nperiod = "2*pi/w"\n',
        encoding="utf-8",
    )
    code, out, _ = routh("floquet", "driven.toml")
    assert code == 0
    assert "About the periodic motion near the start, over a period of 3.14159 s" in out
    assert "asymptotically stable" in out
    found = json.loads(routh("floquet", "driven.toml", "--json")[1])
    assert found["multipliers"][0]["size"] == pytest.approx(np.exp(-0.1 * np.pi), rel=1e-6)


def test_a_motion_has_multipliers_and_friction_for_programs(routh):
    first = table(routh("simulate", "cartesian_pendulum.toml", "--until", "0.1", "--csv")[1])[0]
    assert list(first) == ["t", "x", "y", "x'", "y'", "kinetic", "potential", "energy", "lambda1"]
    assert float(first["lambda1"]) == pytest.approx(2 * 9.81 * 1.2 / 1.5**2, rel=1e-9)
    rows = table(routh("simulate", "block_on_belt.toml", "--until", "5", "--csv")[1])
    assert {"friction belt", "state belt"} <= set(rows[0])
    assert float(rows[-1]["state belt"]) == 0


def test_fields_are_told_by_places(routh):
    said = routh("equilibria", "shaken_beam.toml")[1]
    assert said.split()[:5] == ["w(0)", "w(0.375)", "w(0.75)", "w(1.125)", "w(1.5)"]
    assert "-0.991406" in said
    (row,) = json.loads(routh("equilibria", "shaken_beam.toml", "--json")[1])["equilibria"]
    assert "w_1" in row
    head = routh("simulate", "shaken_beam.toml", "--until", "0.1")[1].split()
    assert head[:5] == ["t", "w(0.375)", "w(0.75)", "w(1.125)", "w(1.5)"]


@pytest.mark.parametrize("name", ["hub_beam", "pendulum", "turning_table", "shaken_beam"])
def test_no_number_is_minus_zero(routh, name):
    for verb in ("equilibria", "linearize", "modes", "state-space"):
        for form in ((), ("--json",), ("--latex",)):
            said = routh(verb, f"{name}.toml", *form)[1]
            assert not re.search(r"-0(\.0*)?(?![\d.])", said), (verb, form)


UNFIT = {
    "no input": (("response", "pendulum.toml"), "The model has no input. Declare one under [inputs]"),
    "another input": (("response", "crane.toml", "G"), "`G` is no input of the model. Inputs: F."),
    "frequencies that fall": (
        ("response", "crane.toml", "--from", "3", "--to", "2"), "to a larger one, in rad/s. Got 3 to 2.",
    ),
    "no period": (("floquet", "pendulum.toml"), "Floquet multipliers belong to a period. Say it, like"),
    "a period that moves": (("floquet", "pendulum.toml", "theta"), "in parameters that have values"),
    "a negative period": (("floquet", "pendulum.toml", "1-2"), "A period is a time above zero. Got 1-2 = -1."),
    "an output of nothing": (("state-space", "crane.toml", "--of", "Y"), "`Y` is no name of this model"),
    "a chapter as a table": (("hamiltonian", "pendulum.toml", "--csv"), "This is no table"),
}  # fmt: skip


@pytest.mark.parametrize("case", UNFIT)
def test_what_cannot_be_answered_is_said(routh, case):
    words, sentence = UNFIT[case]
    code, out, err = routh(*words)
    assert code == 1
    assert sentence in " ".join((out + err).split())


def test_results_are_saved_beside_what_is_printed(routh, tmp_path):
    path = tmp_path / "swing.npz"
    code, out, _ = routh("simulate", "pendulum.toml", "--until", "1", "--csv", "--save", str(path))
    rows, found = table(out), rt.load_result(path)
    assert code == 0
    assert found.kind == "Trajectory"
    np.testing.assert_array_equal([float(row["t"]) for row in rows], found["t"])
    name = found.axes["coordinate"][0]
    np.testing.assert_array_equal([float(row[name]) for row in rows], found[name])
    for verb, kind in (("linearize", "LinearModel"), ("modes", "Modes"), ("state-space", "StateSpace")):
        routh(verb, "pendulum.toml", "--save", str(tmp_path / f"{verb}.json"))
        assert rt.load_result(tmp_path / f"{verb}.json").kind == kind
    routh(
        "response",
        "quarter_car.toml",
        "z",
        "--of",
        "x_b",
        "--points",
        "3",
        "--save",
        str(tmp_path / "r.mat"),
    )
    assert rt.load_result(tmp_path / "r.mat")["transfer"].shape == (3, 1)


def test_a_path_that_cannot_be_saved_to_is_told_before_the_work(routh, tmp_path):
    code, out, err = routh("simulate", "pendulum.toml", "--save", str(tmp_path / "nowhere" / "a.npz"))
    assert code != 0
    assert "There is no folder" in out + err
    code, out, err = routh("modes", "pendulum.toml", "--save", "a.xls")
    assert code != 0
    assert "The suffix of a file says its form" in out + err
