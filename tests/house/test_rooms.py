"""The rooms of the tests are the rooms of the house, and no module of it is too long to read."""

from __future__ import annotations

import sys
from collections import Counter
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HOUSE = ROOT / "src" / "routh"
TESTS = ROOT / "tests"

ELSEWHERE = {
    "analysis/motion/integrators": "motion",
    "analysis/motion/rubbing": "motion",
    "analysis/motion/starts": "motion",
    "display/notebook": "display",
    "display/pictures": "display",
    "display/pictures/space": "display",
    "display/report": "display",
    "exports/fmu": "exports",
    "files/urdf": "files",
    "kernels/graphs": "kernels",
    "kernels/instructions": "kernels",
    "kernels/moving": "kernels",
    "kernels/native": "kernels",
    "kernels/sums": "kernels",
    "language/contact": "motion",
    "language/matter": "language",
    "lecture/lagrangian": "lecture",
    "lecture/linearized": "lecture",
    "lecture/transformed": "lecture",
    "lecture/varied": "lecture",
    "mechanics/forms": "mechanics",
    "mechanics/ritz": "fields",
    "mechanics/ritz/bases": "fields",
    "mechanics/transforms": "mechanics",
    "studio/answers": "studio",
    "numerics/curves": "numerics",
    "numerics/exponential": "numerics",
    "numerics/linear_systems": "control",
    "numerics/solving": "numerics",
    "numerics/spectra": "numerics",
}
"""Rooms without a folder of tests, and where they are tested; every other one has a folder of its name."""

OF_NO_ROOM = {"docs", "house"}
"""What is said of the house as a whole, and of the site."""

HALLS = {"analysis"}
"""What holds nothing but rooms."""

LONGEST = 440
"""Lines of a module. One idea is told in 50 to 300; think at 300, split by 400."""


def rooms():
    """Every package of the house, by its path."""
    found = {path.parent.relative_to(HOUSE) for path in HOUSE.rglob("__init__.py")} - {Path()}
    return sorted(str(room) for room in found)


@pytest.mark.parametrize("room", [room for room in rooms() if room not in HALLS])
def test_every_room_has_its_tests(room):
    folder = TESTS / ELSEWHERE.get(room, Path(room).name)
    assert list(folder.glob("test_*.py")), folder


def test_every_folder_of_tests_is_a_room():
    folders = {path.name for path in TESTS.iterdir() if any(path.glob("test_*.py"))}
    assert folders - {Path(room).name for room in rooms()} == OF_NO_ROOM


def test_rooms_that_are_tested_elsewhere_are_there():
    assert set(ELSEWHERE) <= set(rooms())


def test_no_two_modules_have_one_name():
    modules = [path.name for path in HOUSE.rglob("*.py") if path.name != "__init__.py"]
    tests = [path.name for path in TESTS.rglob("test_*.py")]
    for names in (modules, tests):
        assert [name for name, times in Counter(names).items() if times > 1] == []


def test_no_module_is_too_long_to_read():
    long = {
        str(path.relative_to(HOUSE)): lines
        for path in HOUSE.rglob("*.py")
        if (lines := len(path.read_text("utf-8").splitlines())) > LONGEST
    }
    assert long == {}


def test_what_opens_a_room_imports_nothing():
    """But for the house itself and the models, whose names people import."""
    opens = [path for path in HOUSE.rglob("__init__.py") if "import" in path.read_text("utf-8")]
    assert {path.parent for path in opens} <= {HOUSE, HOUSE / "models"}


@pytest.fixture(scope="module")
def graph():
    """What each module imports of the house, also within functions and for types alone."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "path", [str(ROOT / "benchmarks"), *sys.path])
        map_of_rooms = import_module("rooms")
    return map_of_rooms.imports(map_of_rooms.modules())


def test_there_are_no_rings_of_imports(graph):
    left = {name: set(below) - {name} for name, below in graph.items()}
    while free := [name for name, below in left.items() if not below & left.keys()]:
        for name in free:
            del left[name]
    assert not left


def test_rooms_do_not_go_through_the_public_face(graph):
    faces = {"routh", "routh.results"}
    through = {name for name, below in graph.items() if below & faces} - faces
    verbs = {name for name in graph if name.startswith("routh.cli.verbs_of_")}
    answers = {name for name in through if name.startswith("routh.studio.answers.")}
    assert through | {"routh.cli.verbs_of_studio"} == verbs | answers | {
        "routh.display.report.findings"
    }
