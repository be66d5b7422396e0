"""`routh fit`: estimates from a file of measurements, and sentences about bad files."""

from __future__ import annotations

import json

import numpy as np
import pytest

import routh as rt
from routh.cli.main import main
from routh.files.measured_csv import measured_csv

MODEL = """
[coordinates]
x = {start = 1.0}
[parameters]
k = 3.8
[energy]
kinetic = "x'^2/2"
potential = "k*x^2/2"
"""


def files(tmp_path, text):
    (tmp_path / "spring.toml").write_text(MODEL)
    (tmp_path / "data.csv").write_text(text)
    return [str(tmp_path / "spring.toml"), str(tmp_path / "data.csv")]


def test_estimates_are_those_of_the_function(tmp_path, monkeypatch, capsys):
    t = np.linspace(0, 3, 13)
    read = np.cos(2 * t) + 0.01 * np.sin(40 * t)
    text = "# a spring\nt,x\n" + "\n".join(
        f"{a!r},{b!r}" for a, b in zip(t.tolist(), read.tolist(), strict=True)
    )
    given = files(tmp_path, text)
    monkeypatch.setattr("sys.argv", ["routh", "fit", *given, "--unknown", "k", "--json"])
    with pytest.raises(SystemExit, match="0"):
        main()
    (row,) = json.loads(capsys.readouterr().out)["fit"]
    x, k = rt.coordinate("x"), rt.parameter("k")
    own = rt.System(kinetic=rt.ddt(x) ** 2 / 2, potential=k * x**2 / 2)
    found = rt.fit(own, {"t": t, "x": read}, {"k": 3.8}, start={"x": 1.0})
    assert row["estimate"] == pytest.approx(found["k"], rel=1e-9)
    assert row["standard error"] == pytest.approx(found.errors[0], rel=1e-9)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("t,x\n", "must have a line of names"),
        ("t,x\n0,1,2\n", "line 2: expected 2 numbers"),
        ("t,x\n0,1\n1,one\n", "line 3: `x` must be a number"),
        ("t,t\n0,1\n", "a name of its own"),
    ],
)
def test_bad_files_are_told(tmp_path, text, said):
    with pytest.raises(rt.DeclarationError, match=said):
        measured_csv(files(tmp_path, text)[1])


def test_a_file_that_is_not_there_is_told(tmp_path):
    with pytest.raises(rt.DeclarationError, match="cannot be read"):
        measured_csv(tmp_path / "none.csv")


def test_empty_cells_were_not_measured(tmp_path):
    found = measured_csv(files(tmp_path, "t,x\n0,\n1,0.5-0.5j\n")[1])
    assert np.isnan(found["x"][0])
    assert found["x"][1] == 0.5 - 0.5j
