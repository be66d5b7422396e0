"""The command tells the truth: status, sentences and codes of results that are not whole."""

from __future__ import annotations

import csv
import json
import shutil
import signal
import subprocess
import sys
import threading
from itertools import product
from pathlib import Path

import numpy as np
import pytest

import routh as rt

MODELS = Path(__file__).parents[2] / "examples" / "models"

LOG = (
    "[coordinates]\nx = {start = 1%s}\n[parameters]\nm = 1\nk = 1\n"
    '[energy]\nkinetic = "m/2*x\'^2"\npotential = "%s"\n'
)
WRITTEN = {
    "falls_in": LOG % ("", "log(x)"),  # reaches x = 0 at t = sqrt(pi/2), with infinite speed
    "falls": LOG % ("", "k*x"),
    "slope": LOG % (", range = [-2, 2]", "exp(k*x)"),
    "slope_proven": LOG % (", range = [-2, 2]", "exp(k*x)") + "[analysis]\nproof = true\n",
    "flat_proven": LOG % (", range = [-2, 2]", "x^4") + "[analysis]\nproof = true\n",
    "family": LOG % (", range = [-2, 2]", "m*0"),
    "spring": LOG % ("", "k*x^2/2"),
    "kink": LOG % ("", "k*x^2 + abs(x)"),
}
COPIED = ("double_pendulum", "bead_on_hoop", "elastic_pendulum", "hub_beam", "crane", "double_well",
          "block_on_belt", "pendulum", "cartesian_pendulum", "spherical_pendulum", "shaken_pendulum")  # fmt: skip


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in COPIED:
        shutil.copy(MODELS / f"{name}.toml", tmp_path)
    for name, text in WRITTEN.items():
        (tmp_path / f"{name}.toml").write_text(text, encoding="utf-8")
    return tmp_path


def test_a_motion_that_ends_early_says_so_everywhere(routh):
    ends = f"Stopped at t = {(np.pi / 2) ** 0.5:.6f}"  # of x'' = -1/x from rest at 1
    code, out, err = routh("simulate", "falls_in.toml", "--json")
    said = json.loads(out)
    assert (code, said["status"]) == (1, "stuck")
    assert said["message"].startswith(ends)
    assert said["motion"][-1]["t"] < 10
    assert err.startswith(ends)
    assert err.count("\n") == 1
    code, out, err = routh("simulate", "falls_in.toml", "--csv")
    first, *table = out.splitlines()
    assert code == 1
    assert first.startswith(f"# status: stuck. {ends}")
    assert list(next(csv.DictReader(table)).items())[:2] == [("t", "0.0"), ("x", "1.0")]
    assert err.startswith(ends)
    code, out, err = routh("simulate", "falls_in.toml")
    assert code == 1
    assert ends in out
    assert err.startswith(ends)


def test_a_motion_that_is_whole_has_a_status_and_a_plain_table(routh):
    code, out, err = routh("simulate", "spring.toml", "--json", "--until", "1")
    assert (code, json.loads(out)["status"], err) == (0, "finished", "")
    table = routh("simulate", "spring.toml", "--csv", "--until", "1")[1]
    assert table.startswith("t,x,x',kinetic,potential,energy\n0.0,1.0,0.0,0.0,0.5,0.5\n")


def test_a_doubtful_motion_is_not_done(routh, monkeypatch):
    from routh.results import Trajectory

    doubt = "its balance is off: do not trust it."
    monkeypatch.setattr(Trajectory, "_unbalanced", lambda *_: doubt)
    code, out, err = routh("simulate", "spring.toml", "--json", "--until", "1")
    assert (code, json.loads(out)["status"]) == (1, "doubtful")
    assert "do not trust it" in err


def test_a_report_of_a_motion_that_ends_early_is_written_and_not_done(routh, folder):
    code, out, err = routh("report", "falls_in.toml", "-o", "page.md")
    assert code == 1
    assert "page.md" in out
    assert err.startswith("The motion of the report is not whole. Stopped at t = 1.2533")
    assert "Stopped at t = 1.2533" in (folder / "page.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["rocket", "stick_slip", "shaken_pendulum"])
def test_a_report_that_lacks_nothing_is_done(name):
    # no position balances a rocket, sticking holds no isolated one, a period judges what is shaken
    from routh.cli.outcome import of_report
    from routh.display.report.findings import Findings

    model = rt.load(MODELS / f"{name}.toml")
    found = Findings(model, model.values)
    assert of_report(found).code == 0
    if name == "stick_slip":
        assert "The other forces change with time" in found.rests


def test_what_is_shaken_is_judged_by_its_period(routh):
    code, out, err = routh("equilibria", "shaken_pendulum.toml", "--json")
    found = json.loads(out)["equilibria"]
    assert (code, err) == (0, "")
    assert [row["verdict"] for row in found] == ["stable", "stable"]  # A w = 6 > sqrt(2 g l) = 4.43
    assert found[0]["why"].startswith("By Floquet's theory of the linear equations, over a period")
    slow = json.loads(routh("equilibria", "shaken_pendulum.toml", "--p.w", "30", "--json")[1])
    upright = [row["verdict"] for row in slow["equilibria"] if abs(row["theta"]) > 3]
    assert upright == ["unstable"]  # A w = 3 (Kapitza)


def test_help_promises_no_table_where_there_is_none(routh):
    for verb in ("equations", "derive", "hamiltonian", "linearize", "state-space"):
        out = routh(verb, "--help")[1]
        assert "--json" in out
        assert "--csv" not in out
    assert "--csv" in routh("modes", "--help")[1]


def test_a_page_claims_nothing_of_what_is_not_there(folder):
    from routh.display.report.about_proof import proof_section
    from routh.display.report.findings import Findings
    from routh.display.report.page import Writer

    model = rt.load(folder / "falls_in.toml")
    said = Writer().items(proof_section(Findings(model, model.values)))
    assert '<span class="kind">not whole</span> The motion. Stopped at t = 1.2533' in said
    assert "The motion was integrated to a relative tolerance" not in said
    assert "Verdicts on stability rest" not in said  # there is no equilibrium to judge


EQUILIBRIA = {
    "double_pendulum": (0, "searched", "Found by a search: 512 starts brought no other. This is no proof"),
    "crane": (0, "near the guess", "To have all looked for, leave out `equilibria = false` under [analysis]."),
    "spherical_pendulum": (0, "near the guess", "With constant `speeds` not all are looked for."),
    "block_on_belt": (0, "near the guess", "With friction not all are looked for."),
    "hub_beam": (0, "near the guess", "With fields not all are looked for."),
    "falls": (1, "none", "The system has no equilibrium: the force 1 on `x` does not depend on any"),
    "slope": (1, "none", "No equilibrium was found in the ranges of the model: 2048 starts brought none."),
    "kink": (1, "unjudged", "The verdict on equilibrium 1 is unknown: The system has no linear model here"),
    "family": (0, "searched", "Found by a search"),
    "spring": (0, "near the guess", "there may be others. To have all looked for, give `x` a `range`"),
}  # fmt: skip


@pytest.mark.parametrize("name", EQUILIBRIA)
def test_a_list_of_equilibria_says_whether_it_is_whole(routh, name):
    expected, status, sentence = EQUILIBRIA[name]
    code, out, err = routh("equilibria", f"{name}.toml", "--json")
    said = json.loads(out)
    assert (code, said["status"]) == (expected, status)
    assert sentence in said["message"]
    assert err == (said["message"] + "\n" if code else "")
    assert (not said["equilibria"]) == (status == "none")
    code, out, err = routh("equilibria", f"{name}.toml")
    assert ("Nothing was found" in out + err, sentence in out + err) == (False, True)
    if status == "none":
        assert "Found by a search" not in out + err
        assert routh("equilibria", f"{name}.toml", "--csv")[1].startswith("# status: none. ")


def test_a_family_is_told_from_a_point(routh):
    (row,) = json.loads(routh("equilibria", "family.toml", "--json")[1])["equilibria"]
    assert row["family"] == 1
    assert "family" in routh("equilibria", "family.toml")[1]
    assert "family" not in routh("equilibria", "double_pendulum.toml")[1]


def test_a_steady_motion_is_told_with_its_rates(routh):
    said = json.loads(routh("equilibria", "spherical_pendulum.toml", "--json")[1])
    (row,) = said["equilibria"]
    # a conical pendulum: cos(theta) = g/(l phi'^2), with g = 9.81 and l = 1
    assert np.cos(row["theta"]) == pytest.approx(9.81 / row["phi'"] ** 2, rel=1e-12)
    assert said["message"].startswith("This is the steady motion near the guess of the model")


def test_a_proof_that_was_asked_for_in_vain_is_not_done(routh):
    pytest.importorskip("flint", reason="proofs need the extra `rigor`")
    code, out, _ = routh("equilibria", "flat_proven.toml", "--json")
    said = json.loads(out)
    assert (code, said["status"]) == (1, "unsure")
    assert said["message"].startswith(
        "These equilibria were found in the ranges of the model. Not proven"
    )
    code, out, _ = routh("equilibria", "slope_proven.toml", "--json")
    said = json.loads(out)["message"]
    assert code == 1
    assert said.startswith(
        "There is no equilibrium in the ranges of the model. The list is empty, and proven"
    )


def test_points_of_a_sweep_that_were_not_found_are_told(routh):
    words = ("sweep", "elastic_pendulum.toml", "k", "0", "3", "--points", "5")
    code, out, err = routh(*words, "--json")
    said = json.loads(out)
    rows = said["sweep"]
    assert (code, said["status"]) == (1, "incomplete")
    assert [row["status"] for row in rows] == ["stalled", *["converged"] * 4]
    assert (rows[0]["mode 1"], rows[0]["verdict"]) == (None, "")
    # along the spring: sqrt(k/m), with m = 1
    assert rows[4]["mode 2"] == pytest.approx(3**0.5, rel=1e-12)
    assert (
        err
        == "1 of 5 points has no modes. At k = 0: Stopped: no step reduces the residual any further.\n"
    )
    assert routh(*words, "--csv")[1].startswith("# status: incomplete. 1 of 5 points has no modes.")
    assert routh(*words)[0] == 1


def test_a_branch_says_how_it_ended(routh):
    words = ("follow", "bead_on_hoop.toml", "omega", "6", "--p.omega", "0.5", "--json")
    code, out, err = routh(*words)
    assert (code, json.loads(out)["status"], err) == (0, "reached", "")


@pytest.mark.slow
def test_a_branch_that_stops_is_not_done(routh):
    code, out, err = routh("follow", "elastic_pendulum.toml", "k", "0", "--json")
    said = json.loads(out)
    assert (code, said["status"]) == (1, "stopped")
    assert said["message"].startswith("It stopped at k = ")
    assert err == said["message"] + "\n"


def test_modes_and_matrices_have_a_status(routh):
    assert json.loads(routh("modes", "pendulum.toml", "--json")[1])["status"] == "converged"
    assert json.loads(routh("linearize", "pendulum.toml", "--json")[1])["status"] == "converged"
    assert json.loads(routh("equations", "pendulum.toml", "--json")[1])["status"] == "done"
    said = json.loads(routh("modes", "hub_beam.toml", "--json")[1])
    assert said["status"] == "partly converged"
    assert said["message"].startswith("4 of 9 modes are converged")


def test_a_refusal_is_json_too(routh):
    code, out, err = routh("modes", "falls.toml", "--json")
    said = json.loads(out)
    assert (code, said["status"]) == (1, "refused")
    assert said["message"] + "\n" == err


def test_a_model_that_does_not_move_is_not_fine(routh, monkeypatch):
    from routh import Status
    from routh.results import Trajectory

    monkeypatch.setattr(Trajectory, "status", Status.STUCK)
    code, out, err = routh("check", "spring.toml")
    assert (code, out) == (1, "")
    assert err.startswith("The model does not move from its start.")


def test_numbers_in_tables_are_never_cut(routh, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    out = routh("equilibria", "hub_beam.toml")[1]
    assert "…" not in out
    whole = routh("simulate", "double_pendulum.toml", "--until", "1")[1]
    assert "…" not in whole


def test_no_number_is_minus_zero(routh):
    assert "-0 " not in routh("modes", "double_pendulum.toml")[1].replace("\n", " ")


VERBS = (
    "check",
    "equations",
    "equilibria",
    "linearize",
    "modes",
    "simulate",
    "follow",
    "sweep",
    "report",
)
MORE = {"follow": ("g", "5"), "sweep": ("g", "1", "5")}


@pytest.mark.parametrize("verb", VERBS)
def test_an_interrupt_ends_with_130(routh, monkeypatch, verb):
    def interrupted(*what):
        raise KeyboardInterrupt

    monkeypatch.setattr("routh.files.loading.tomllib.loads", interrupted)
    code, out, err = routh(verb, "pendulum.toml", *MORE.get(verb, ()))
    assert (code, out) == (130, "")
    assert "Traceback" not in err


def test_a_motion_that_is_interrupted_is_kept_and_ends_with_130(routh, folder, monkeypatch):
    from routh.analysis.motion.integrators.cvodes import Multistep

    def interrupted(method, passage):
        raise KeyboardInterrupt

    monkeypatch.setattr(Multistep, "go", interrupted)
    code, out, err = routh("simulate", "pendulum.toml", "--json")
    said = json.loads(out)
    assert (code, said["status"], len(said["motion"])) == (130, "interrupted", 1)
    assert err.startswith("Interrupted at t = 0")
    code, out, err = routh("simulate", "pendulum.toml", "--csv")
    assert (code, out.startswith("# status: interrupted. Interrupted at t = 0")) == (130, True)
    code, _, err = routh("report", "pendulum.toml", "-o", "page.md")
    assert code == 130
    assert "Interrupted at t = 0" in err
    assert "Interrupted at t = 0" in (folder / "page.md").read_text(encoding="utf-8")


LONG = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # also where a shell has it ignored
from routh.analysis.motion.integrators.cvodes import Multistep
from routh.analysis.motion.integrators.one_step import RungeKutta
def telling(whole):
    def begun(*what):
        print("begun", file=sys.stderr, flush=True)
        return whole(*what)
    return begun
from routh.kernels.native.ensemble import Runs
for method in (Multistep, RungeKutta, Runs):
    method.go = telling(method.go)
from routh.cli.main import main
main()
"""


@pytest.mark.slow
@pytest.mark.parametrize("model", ["double_pendulum", "cartesian_pendulum"])
def test_ctrl_c_keeps_what_was_computed(folder, model):
    words = [sys.executable, "-c", LONG, "simulate", f"{model}.toml", "--until", "1e6", "--json"]
    run = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    end = threading.Timer(300, run.kill)  # a run that never begins ends the test all the same
    end.start()
    try:
        assert run.stderr.readline() == "begun\n"
        run.send_signal(signal.SIGINT)
        out, err = run.communicate(timeout=300)
    finally:
        end.cancel()
        run.kill()
    assert run.returncode == 130
    assert json.loads(out)["status"] == "interrupted"
    assert "motion" in json.loads(out)
    assert err.splitlines()[-1].startswith("Interrupted at t = ")


FEW = ("0", "-1", "nan", "1e308", "1e-308")
NUMBERS = (*FEW, "inf", "-inf", "-1e308", "1e154", "5e-324")
COUNTS = ("0", "-1", "1", "1000000000", "nan", "1e9")


def nasty(numbers):
    """Every verb with every argument that is no number to compute with."""
    for verb, x in product(("check", "equilibria", "linearize", "modes"), numbers):
        yield verb, "--p.m", x
    for x in numbers:
        yield "simulate", "--until", "0.01", "--p.m", x
        yield "simulate", "--until", x
        yield "follow", "m", x
        yield "sweep", "m", "1", x, "--points", "3"
        yield "sweep", "m", x, "1", "--points", "3"
    for x in COUNTS:
        yield "sweep", "m", "1", "2", "--points", x
        yield "sweep", "m", "1", "2", "--points", "2", "--count", x
        yield "modes", "--count", x
    yield from (("sweep", "m", "3", "3"), ("sweep", "m", "2", "1"), ("sweep", "zz", "1", "2"))
    yield from (("sweep", "m", "1", "1.0000000000000002"), ("follow", "zz", "1"), ("follow", "m", "1"))
    yield "sweep", "m", "-1e100", "1e100", "--points", "2"


def assert_answers(routh, name, numbers):
    for verb, *words in nasty(numbers):
        code, out, err = routh(verb, f"{name}.toml", *words)
        told = f"{verb} {words}: {code}\n{out}\n{err}"
        assert code in (0, 1, 2), told
        assert "Traceback" not in err, told
        assert "Warning" not in err, told
        assert (err != "") == (code == 1) or code == 2, told


def test_no_argument_gives_a_traceback(routh):
    assert_answers(routh, "spring", FEW)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["spring", "pendulum", "elastic_pendulum", "cartesian_pendulum", "block_on_belt"]
)
def test_no_argument_gives_a_traceback_in_any_model(routh, name):
    assert_answers(routh, name, NUMBERS)


BOUNDS = {
    (
        "simulate",
        "--until",
        "1e308",
    ): "`until` must be a time above zero, and at most 1e+09. Got 1e+308.",
    ("simulate", "--until", "-3"): "`until` must be a time above zero, and at most 1e+09. Got -3.\n",
    (
        "sweep",
        "m",
        "1",
        "2",
        "--points",
        "1000000000",
    ): "`points` must be two at least, and 100000 at most.",
    ("sweep", "m", "1", "2", "--points", "0"): "Got 0.",
    ("sweep", "m", "3", "3"): "A sweep goes from one finite number to another. Got 3 to 3.",
    (
        "modes",
        "--p.m",
        "1e308",
    ): "must be at most 1e+100 in size, since products of larger numbers overflow.",
}


@pytest.mark.parametrize("words", BOUNDS, ids=" ".join)
def test_bounds_are_sentences(routh, words):
    verb, *rest = words
    code, out, err = routh(verb, "spring.toml", *rest)
    assert (code, out) == (1, "")
    assert BOUNDS[words] in err


def test_bounds_hold_in_model_files_too(routh, folder):
    text = WRITTEN["spring"]
    for line, said in {
        "motion = {until = 1e308}": "`analysis.motion.until`: Expected a number less than or equal to 1000000000",
        "motion = {until = nan}": "`analysis.motion.until`: Expected a finite number",
        "motion = {until = 0}": "`analysis.motion.until`: Expected a number greater than 0",
        "motion = {outputs = 1_000_000_000}": "`analysis.motion.outputs`: Expected a number less than or equal to 100000",
    }.items():
        (folder / "odd.toml").write_text(f"{text}[analysis]\n{line}\n", encoding="utf-8")
        code, _, err = routh("simulate", "odd.toml")
        assert (code, said in err) == (1, True), err


def test_help_tells_the_codes(routh):
    said = " ".join(routh("--help")[1].split())
    assert "130 when interrupted" in said
    assert "1 when a model or a computation was refused or the result is not whole" in said


def test_a_fault_of_routh_is_a_sentence_with_its_own_code(routh, monkeypatch):
    monkeypatch.setattr("routh.files.loading.tomllib.loads", lambda text: 1 / 0)
    code, out, err = routh("modes", "pendulum.toml")
    assert (code, out) == (3, "")
    assert err.startswith(
        "Routh itself failed, with ZeroDivisionError: division by zero. This is a mistake"
    )
    monkeypatch.setenv("ROUTH_TRACEBACK", "1")
    with pytest.raises(ZeroDivisionError):
        routh("modes", "pendulum.toml")
