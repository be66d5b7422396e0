"""The map is the house: pictures are drawn from the code, and paths that are mentioned exist."""

from __future__ import annotations

import re
import sys
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HOUSE = ROOT / "src" / "routh"
LAYERS = "analysis|cli|display|files|kernels|language|mechanics|models|numerics"


@pytest.fixture
def pictures(monkeypatch):
    monkeypatch.setattr(sys, "path", [str(ROOT / "docs"), *sys.path])
    return import_module("pictures")


def test_the_picture_of_the_rooms_is_drawn_from_the_code(pictures):
    assert (ROOT / "docs" / "rooms.svg").read_text("utf-8") == pictures.rooms(), (
        "The rooms have changed: python docs/pictures.py draws them anew."
    )


def test_every_room_is_in_the_picture(pictures):
    drawn = {room for _, rows in pictures.LAYERS for row in rows for room in row}
    drawn |= {inner for rooms in pictures.INSIDE.values() for inner in rooms}
    there = {str(path.parent.relative_to(HOUSE)) for path in HOUSE.rglob("__init__.py")}
    assert there - drawn == {".", "analysis", "display", "lecture"}  # they hold rooms and little else


def test_the_picture_of_the_ways_is_drawn_from_the_code(pictures):
    assert (ROOT / "docs" / "ways.svg").read_text("utf-8") == pictures.ways()


def test_paths_that_are_mentioned_exist():
    written = [*HOUSE.rglob("*.py"), *ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]
    lost = [
        (path.name, mentioned)
        for path in written
        if path.name != "CHANGELOG.md"  # what was said of former places stays said
        for mentioned in re.findall(
            rf"`(?:routh[./])?((?:{LAYERS})[./][a-z_./]+)`", path.read_text("utf-8")
        )
        if not _exists(mentioned.removesuffix(".py").replace(".", "/"))
    ]
    assert not lost


def _exists(place: str) -> bool:
    """Whether there is such a module or room, or a module with such a function."""
    inside = HOUSE / place
    return any(
        (inside.is_dir(), inside.with_suffix(".py").exists(), inside.parent.with_suffix(".py").exists())
    )
