"""Derivations and exports: what is read, kept or handed on."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import numpy as np
import pytest
from asking import ask, parts, text_of

import routh as rt
from routh.errors import DeclarationError, RouthError
from routh.studio.bench import Bench


def made(tmp_path: Path, name: str, what: str, **about) -> tuple[str, bytes]:
    bench = Bench(keep=tmp_path)
    bench.desk = "desk"
    told = ask("export", text_of(name), bench, what=what, **about)
    assert told["url"].startswith("/made/desk/")
    assert told["url"].endswith(told["name"])
    content = (tmp_path / told["url"].removeprefix("/made/")).read_bytes()
    assert len(content) == told["size"]
    return told["name"], content


def test_chapters_come_one_after_the_other_and_are_those_of_derive() -> None:
    every = parts("derivation", text_of("bead_on_hoop"))
    assert [len(part["chapters"]) for part in every] == [1, 2, 3, 4, 5]
    assert [part["done"] for part in every] == [False] * 4 + [True]
    first = every[-1]["chapters"][0]
    own = rt.derive(rt.equations(rt.load(text_of("bead_on_hoop")).system))
    assert [step["title"] for step in first["steps"]] == [section.title for section in own]
    formulas = [b["latex"] for s in first["steps"] for b in s["blocks"] if b["kind"] == "formula"]
    assert formulas == [f.latex for section in own for f in section.formulas]
    assert all(chapter["words"] == "" for chapter in every[-1]["chapters"])


def test_fields_have_their_partial_equation_and_end_conditions() -> None:
    told = ask("derivation", text_of("hub_beam"))
    first = told["chapters"][0]
    written = json.dumps(first)
    assert "EI" in written
    assert "end" in " ".join(step["title"].lower() for step in first["steps"])


def test_a_chapter_that_is_not_written_says_why() -> None:
    chapters = ask("derivation", text_of("stick_slip"))["chapters"]
    rest = next(c for c in chapters if c["key"] == "rest")
    assert rest["steps"] == []
    assert "does not slip at rest" in rest["words"]


def test_an_exported_module_has_the_numbers_of_the_sliders(tmp_path) -> None:
    name, content = made(tmp_path, "double_pendulum", "python", values={"l2": 1.25})
    assert name == "double_pendulum.py"
    assert b"1.25" in content
    space: dict = {}
    exec(compile(content, name, "exec"), space)
    assert any(callable(value) for value in space.values())


@pytest.mark.parametrize(
    ("what", "suffix", "holds"),
    [
        ("c", ".zip", None), ("latex", ".tex", b"\\begin{document}"), ("julia", ".jl", b"module"),
        ("matlab", ".m", b"function"), ("modelica", ".mo", b"model"), ("markdown", ".md", b"# double"),
        ("toml", ".toml", b"l2 = {value = 1.25"), ("animation", ".html", b"<html"),
    ],
)  # fmt: skip
def test_each_export_is_a_file_of_its_kind(tmp_path, what, suffix, holds) -> None:
    name, content = made(tmp_path, "double_pendulum", what, values={"l2": 1.25})
    assert name == f"double_pendulum{suffix}"
    if suffix == ".zip":
        names = zipfile.ZipFile(io.BytesIO(content)).namelist()
        assert names == ["double_pendulum.c", "double_pendulum.h", "double_pendulum_test.c"]
    else:
        assert holds in content


@pytest.mark.slow
def test_a_report_is_a_page(tmp_path) -> None:
    pytest.importorskip("matplotlib")
    name, content = made(tmp_path, "bead_on_hoop", "report")
    assert name.endswith(".html")
    assert b"Equations of motion" in content


@pytest.mark.parametrize(
    "name",
    [
        "bead_on_hoop",
        *(pytest.param(name, marks=pytest.mark.slow) for name in ("stick_slip", "spinning_top")),
    ],
)
def test_a_notebook_runs_and_finds_what_the_page_found(tmp_path, name) -> None:
    pytest.importorskip("matplotlib").use("Agg")
    file, content = made(tmp_path, name, "notebook")
    sheets = json.loads(content)["cells"]
    assert file.endswith(".ipynb")
    assert {s["cell_type"] for s in sheets} == {"code", "markdown"}
    space: dict = {}
    for sheet in sheets:
        if sheet["cell_type"] == "code":
            exec("".join(sheet["source"]), space)
    told = ask("motion", text_of(name))
    assert np.allclose(space["motion"].q[-1][0], told["columns"][0]["values"][-1], rtol=1e-6, atol=1e-9)
    if name == "bead_on_hoop":
        assert len(space["rests"]) == len(ask("rests", text_of(name))["rests"])


def test_a_script_is_python_that_prints(tmp_path) -> None:
    name, content = made(tmp_path, "hub_beam", "script")
    compile(content, name, "exec")
    assert b'rt.discretize(model.system, {"w": 8})' in content
    assert b"print(modes)" in content


def test_what_is_not_exported_is_refused(tmp_path) -> None:
    with pytest.raises(DeclarationError, match=r"`what` must be one of.*Did you mean `report`"):
        made(tmp_path, "double_pendulum", "reprt")
    with pytest.raises(RouthError, match="friction"):
        made(tmp_path, "stick_slip", "c")
