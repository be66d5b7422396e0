"""The bench of a worker: models are kept, moved values are checked, files have names of their own."""

from __future__ import annotations

import math
import re

import pytest

from routh.errors import DeclarationError
from routh.files.examples import example_text
from routh.studio.bench import FOUND, MODELS, MOST_FUNCTIONS, Bench

PENDULUM = example_text("pendulum")
BEAM = example_text("hub_beam")


@pytest.fixture
def bench():
    return Bench()


def test_the_last_texts_are_kept_and_older_ones_go(bench):
    first = bench.model(PENDULUM)
    assert bench.model(PENDULUM) is first
    for k in range(MODELS):
        bench.model(f"{PENDULUM}\n# {k}\n")
    assert bench.model(PENDULUM) is not first


def test_findings_are_kept_by_text_values_and_sizes(bench):
    first = bench.findings(PENDULUM)
    assert bench.findings(PENDULUM, {}, {}) is first
    assert bench.findings(PENDULUM, dict(first.values)) is first  # the same numbers, said
    moved = bench.findings(PENDULUM, {"l": 2.5})
    assert moved is not first
    assert moved.values == first.values | {"l": 2.5}
    assert moved.model is first.model
    for k in range(FOUND):
        bench.findings(PENDULUM, {"l": 3.0 + k})
    assert bench.findings(PENDULUM) is not first


def test_fields_are_made_coordinates_once_for_all_values(bench):
    one, two = bench.findings(BEAM), bench.findings(BEAM, {"EI": 5.0})
    assert one.system is two.system
    more = bench.findings(BEAM, sizes={"w": 5})
    assert len(more.system.coordinates) == 1 + 5
    assert bench.findings(BEAM, {"EI": 5.0}, {"w": 5}).system is more.system
    assert bench.findings(BEAM).system is one.system


@pytest.mark.parametrize("value", [math.nan, math.inf, "2", None, True, [1.0], {}])
def test_a_value_is_a_finite_number(bench, value):
    with pytest.raises(DeclarationError, match="`l` must be a finite number"):
        bench.findings(PENDULUM, {"l": value})


@pytest.mark.parametrize("size", [0, -1, 2.5, MOST_FUNCTIONS + 1, "3", None, True])
def test_a_size_is_a_number_of_functions(bench, size):
    with pytest.raises(DeclarationError, match="`w` takes 1 to"):
        bench.findings(BEAM, sizes={"w": size})


def test_names_that_are_not_there_are_told(bench):
    with pytest.raises(DeclarationError, match=re.escape("no parameter `EJ`")):
        bench.findings(BEAM, {"EJ": 1.0})
    with pytest.raises(DeclarationError, match="no field `v`"):
        bench.findings(BEAM, sizes={"v": 3})


@pytest.mark.parametrize("text", [None, 3, ["x"]])
def test_what_is_no_text_is_no_model(bench, text):
    with pytest.raises(DeclarationError, match="needs the `text` of a model"):
        bench.model(text)


def test_a_text_of_one_line_is_no_path(bench, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "swing.toml").write_text(PENDULUM)
    with pytest.raises(DeclarationError, match="is no TOML"):
        bench.model("swing.toml")


@pytest.mark.parametrize(
    "name",
    ["swing.html", "../../swing.html", "/etc/passwd", ".hidden", "a b\x00c", "", "..", "héllo.c"],
)
def test_a_file_stays_in_its_folder_whatever_it_is_called(tmp_path, name):
    bench = Bench(keep=tmp_path)
    bench.desk = "desk-of-test"
    made = bench.made(name, "text")
    assert made["size"] == 4
    assert re.fullmatch(r"/made/desk-of-test/[\w-]{32}/[\w.-]+", made["url"])
    path = tmp_path / made["url"].removeprefix("/made/")
    assert path.read_text() == "text"
    assert path.resolve().is_relative_to(tmp_path)
    assert bench.made(name, "text")["url"] != made["url"]


def test_progress_is_told_now_and_then(monkeypatch):
    now, told = [0.0], []
    monkeypatch.setattr("routh.studio.bench.time.monotonic", lambda: now[0])
    bench = Bench(lambda done, words: told.append((done, words)))
    for k in range(100):
        now[0] = k / 100
        bench.progress(k / 100, "on the way")
    assert 8 <= len(told) <= 10
    assert told[0] == (0.0, "on the way")
