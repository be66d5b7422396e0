"""The verb `sweep` of the command with --over: a study into a store."""

import json
import shutil
from pathlib import Path

import pytest

xarray = pytest.importorskip("xarray")
pytest.importorskip("zarr")

WORDS = (
    "sweep",
    "turning_table.toml",
    "--over",
    "Omega",
    "0",
    "6",
    "4",
    "--over",
    "c",
    "0.1",
    "1",
    "3",
)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    models = Path(__file__).parents[2] / "examples" / "models"
    shutil.copy(models / "turning_table.toml", tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_study_goes_into_a_store_and_says_how_points_ended(routh, folder):
    code, said, _ = routh(*WORDS, "--log", "c", "--to", "table.zarr", "--json")
    assert code == 0
    assert json.loads(said)["study"] == [{"status": "converged", "points": 12}]
    with xarray.open_zarr(folder / "table.zarr", consolidated=False, decode_cf=False) as found:
        assert dict(found.verdict.sizes) == {"Omega": 4, "c": 3}
        assert found.c.values[1] == pytest.approx(0.1**0.5, rel=1e-12)
        assert found.Omega.units == "rad/s"


@pytest.mark.parametrize(("more", "sentence"), [
    ((), "give --to, like --to rotor.zarr"),
    (("--log", "k", "--to", "a.zarr"), "--log has `k`, which --over does not vary"),
    (("--find", "verdikt", "--to", "a.zarr"), "Did you mean `verdict`"),
])  # fmt: skip
def test_what_is_wrong_is_told(routh, more, sentence):
    code, _, told = routh(*WORDS, *more)
    assert code == 1
    assert sentence in " ".join(told.split())
