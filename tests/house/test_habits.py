"""What is said in two places of the project is the same in both."""

from __future__ import annotations

import re
import tomllib
from itertools import chain
from pathlib import Path

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def test_pre_commit_runs_what_make_lint_runs():
    recipe = (ROOT / "Makefile").read_text("utf-8").partition("\nlint:")[2].partition("\n\n")[0]
    said = re.findall(r"\t\$\(BIN\)/(.+)", recipe)
    hooks = re.findall(r"entry: \.venv/bin/(.+)", (ROOT / ".pre-commit-config.yaml").read_text("utf-8"))
    assert sorted(hooks) == sorted(said)
    assert len(said) == 4


def test_the_citation_names_the_version_and_the_licence_of_the_metadata():
    lines = (ROOT / "CITATION.cff").read_text("utf-8").splitlines()
    assert f"version: {PROJECT['version']}" in lines
    assert f"license: {PROJECT['license']}" in lines
    keywords = [line.removeprefix("  - ") for line in lines[lines.index("keywords:") + 1 :]]
    assert keywords == PROJECT["keywords"]


def test_every_extra_stands_in_the_readme_and_no_other():
    page = (ROOT / "README.md").read_text("utf-8")
    said = page.partition("The extras are ")[2].partition(";")[0]
    assert set(re.findall(r"`(\w+)` \(", said)) == set(PROJECT["optional-dependencies"])


def test_every_dependency_has_its_row_of_reasons():
    table = (ROOT / "CONTRIBUTING.md").read_text("utf-8").partition("## Dependencies")[2]
    given = [*PROJECT["dependencies"], *chain.from_iterable(PROJECT["optional-dependencies"].values())]
    for requirement in given:
        name = re.split(r"[<>=!~\[ ]", requirement)[0].replace("-", "[-_]")
        assert re.search(rf"^\|[^|]*\b{name}\b[^|]*\|", table, re.MULTILINE), requirement
