"""The folder of the studio: models in it are read and written, and nothing else is reached."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from routh.errors import DeclarationError, RouthError
from routh.studio.folder import LARGEST, Folder


@pytest.fixture
def folder(tmp_path):
    """A folder with models, and secrets beside and within it."""
    inside = tmp_path / "models"
    (inside / "deep").mkdir(parents=True)
    (inside / ".git").mkdir()
    for path in ("swing.toml", "deep/robot.urdf", ".hidden.toml", ".git/config.toml", "notes.txt"):
        (inside / path).write_text(f'name = "{path}"\n')
    (tmp_path / "secret.toml").write_text("secret")
    (tmp_path / "models_beside").mkdir()
    (tmp_path / "models_beside" / "secret.toml").write_text("secret")
    (inside / "link.toml").symlink_to(tmp_path / "secret.toml")
    (inside / "way_out").symlink_to(tmp_path)
    (inside / "inner.toml").symlink_to(inside / "swing.toml")
    (inside / "unhidden.toml").symlink_to(inside / ".hidden.toml")
    os.mkfifo(inside / "pipe.toml")
    return Folder.at(inside)


OUTSIDE = [
    "../secret.toml", "../models_beside/secret.toml", "deep/../../secret.toml", "./../secret.toml",
    "/etc/passwd", "/etc/hosts.toml", "//secret.toml", "..\\secret.toml", "deep\\..\\..\\secret.toml",
    "C:\\secret.toml", "C:secret.toml", "\\\\host\\share\\secret.toml", "way_out/secret.toml",
    "link.toml", "swing.toml\x00", "swing.toml\x00.txt", "sw\ning.toml", "..", ".", "", "/", "deep/",
    "~/secret.toml/../x.toml", ".hidden.toml", ".git/config.toml", "deep/.hidden.toml", "unhidden.toml",
    "notes.txt", "swing", "swing.toml/", "swing.toml.bak", " swing.toml", "swing.toml ", "deep//robot.urdf",
    "..%2fsecret.toml/../../secret.toml", "%2e%2e/../secret.toml", "\u2024\u2024/../secret.toml",
    "\ud800.toml", "swing\u2028.toml", "x" * 2000 + ".toml", "swing.toml:stream", "file:///etc/passwd.toml", "models/../../secret.toml",
    "CON.toml", "nul.toml", "deep/com1.x.toml", "deep./robot.urdf",
]  # fmt: skip


@pytest.mark.parametrize("path", OUTSIDE, ids=repr)
def test_nothing_outside_is_read_or_written(folder, tmp_path, path):
    before = {each: each.read_bytes() for each in tmp_path.rglob("*") if each.is_file()}
    with pytest.raises(DeclarationError):
        folder.open({"path": path})
    with pytest.raises(DeclarationError):
        folder.save({"path": path, "text": "gone", "over": True})
    after = {each: each.read_bytes() for each in tmp_path.rglob("*") if each.is_file()}
    assert after == before


@pytest.mark.parametrize("path", ["%2e%2e/secret.toml", "..%2fsecret.toml", "%2e%2e%2fsecret.toml"])
def test_names_are_taken_as_they_are_written(folder, tmp_path, path):
    with pytest.raises(RouthError):
        folder.open({"path": path})
    assert (tmp_path / "secret.toml").read_text() == "secret"


@pytest.mark.parametrize("path", [None, 3, ["swing.toml"], {"path": "swing.toml"}, True])
def test_what_is_no_text_is_no_path(folder, path):
    with pytest.raises(DeclarationError, match="is a text like"):
        folder.open({"path": path})


def test_models_are_listed_opened_and_saved(folder):
    assert folder.files() == {"files": ["deep/robot.urdf", "inner.toml", "swing.toml"]}
    assert folder.open({"path": "deep/robot.urdf"})["text"] == 'name = "deep/robot.urdf"\n'
    assert folder.open({"path": "inner.toml"})["path"] == "swing.toml"
    assert folder.save({"path": "new.toml", "text": "x = 1\n"}) == {"path": "new.toml"}
    assert (folder.root / "new.toml").read_text() == "x = 1\n"


def test_what_is_there_is_written_over_only_when_said(folder):
    with pytest.raises(DeclarationError, match="is there already"):
        folder.save({"path": "swing.toml", "text": "gone"})
    with pytest.raises(DeclarationError, match="is there already"):
        folder.save({"path": "swing.toml", "text": "gone", "over": "yes"})
    folder.save({"path": "swing.toml", "text": "new", "over": True})
    assert folder.open({"path": "swing.toml"})["text"] == "new"


def test_a_pipe_is_neither_waited_for_nor_replaced(folder):
    for ask in (folder.open, folder.save):
        with pytest.raises(DeclarationError):
            ask({"path": "pipe.toml", "text": "x", "over": True})


def test_what_is_too_long_or_no_text_is_refused(folder):
    (folder.root / "long.toml").write_text("#" * (LARGEST + 1))
    (folder.root / "raw.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(DeclarationError, match="characters at most"):
        folder.open({"path": "long.toml"})
    with pytest.raises(DeclarationError, match="no text in UTF-8"):
        folder.open({"path": "raw.toml"})
    with pytest.raises(DeclarationError, match="characters at most"):
        folder.save({"path": "more.toml", "text": "#" * (LARGEST + 1)})
    with pytest.raises(DeclarationError, match="characters at most"):
        folder.save({"path": "more.toml", "text": "half a character: \ud800"})
    with pytest.raises(DeclarationError, match="There is no folder"):
        folder.save({"path": "nowhere/more.toml", "text": "#"})
    assert not Path(folder.root / "more.toml").exists()
