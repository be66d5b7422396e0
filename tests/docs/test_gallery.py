"""The gallery shows every model and every script, and what it plays is a page that runs."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "docs" / "_ext"))

from routh_book.cells import read_page  # noqa: E402
from routh_book.executing import execute  # noqa: E402
from routh_book.gallery import model_page, script_page, sources, told  # noqa: E402
from routh_book.gallery_kinds import MODELS, SCRIPTS, every  # noqa: E402

FILES = {
    "models": {path.stem for path in (ROOT / "examples" / "models").glob("*.toml")},
    "scripts": {path.stem for path in (ROOT / "examples").glob("*.py")},
}


@pytest.mark.parametrize(("folder", "kinds"), [("models", MODELS), ("scripts", SCRIPTS)])
def test_everything_has_one_kind_a_title_and_words(folder, kinds):
    names = every(kinds)
    assert sorted(names) == sorted(FILES[folder])
    for name in names:
        title, words = told(folder, name)
        assert title
        assert words, name


def test_sources_are_of_models_and_scripts_that_there_are():
    found = sources()
    assert set(found) <= FILES["models"] | FILES["scripts"]
    assert found["double_pendulum"].startswith("A2, double pendulum: Alijani")
    page = (ROOT / "docs" / "worked_examples.md").read_text("utf-8")
    labels = set(re.findall(r"^\| ([A-F]\d+)", page.partition("Which model file")[2], re.MULTILINE))
    assert len(labels) > 25


@pytest.mark.parametrize(
    ("page", "name"), [(model_page, "pendulum"), (script_page, "rheonomic_accelerated_pendulum")]
)
def test_a_page_of_the_gallery_draws_and_says_something(tmp_path, page, name):
    path = tmp_path / f"{name}.md"
    path.write_text(page(name), "utf-8")
    read = read_page(path)
    done = execute(read)
    assert read.made
    assert any("<svg" in each.value or each.figures for each in done)
    assert any(each.printed for each in done)
