"""How far a study is, as a terminal and a notebook show it."""

import io
import sys
import types

import pytest

from routh.studies import sweep_progress
from routh.studies.sweep_progress import how_far, shown_points


@pytest.fixture(autouse=True)
def at_once(monkeypatch):
    monkeypatch.setattr(sweep_progress, "PATIENCE", -1.0)
    monkeypatch.setattr(sweep_progress, "PAUSE", 0.0)


def test_points_rate_and_time_left_are_told():
    assert how_far(1000, 4000, 20.0) == "1,000 of 4,000 points, 20 a second, 0:02:30 left"
    assert how_far(10, 10**6, 0.25).startswith("10 of 1,000,000 points, 0.25 a second, 46 days")
    assert how_far(0, 10, 0.0).endswith("? left")


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize("width", ["120", "80"])
def test_a_terminal_shows_them_and_is_clean_afterwards(monkeypatch, width):
    seen = Terminal()
    monkeypatch.setattr(sys, "stderr", seen)
    for name, value in {"COLUMNS": width, "TERM": "xterm"}.items():
        monkeypatch.setenv(name, value)
    with shown_points(4000, 1000, shown=True) as tick:
        tick(500)
        tick(2500)
    assert "4,000 of 4,000 points, " in seen.getvalue()
    assert "0:00:00 left" in seen.getvalue()
    assert (sweep_progress.HINT in seen.getvalue()) == (width == "120")
    assert "\x1b[2K" in seen.getvalue()


def test_a_notebook_shows_them_without_further_packages(monkeypatch):
    said = []
    shell = types.ModuleType("IPython")
    shell.get_ipython = type("ZMQInteractiveShell", (), {})
    shell.display = types.ModuleType("IPython.display")
    line = types.SimpleNamespace(update=lambda data, raw: said.append(data["text/plain"]))
    shell.display.display = lambda *_, **__: line
    monkeypatch.setitem(sys.modules, "IPython", shell)
    monkeypatch.setitem(sys.modules, "IPython.display", shell.display)
    with shown_points(4000, 0, shown=True) as tick:
        tick(1000)
    assert said[0].startswith("[#####...............] 1,000 of 4,000 points, ")
    assert said[-1] == ""


def test_who_does_not_look_sees_nothing(capsys):
    with shown_points(4000, 0, shown=True) as tick:
        tick(1000)
    assert capsys.readouterr().err == ""
