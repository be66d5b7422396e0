"""The command, run in a folder of models that each file of tests makes for itself."""

from __future__ import annotations

import sys

import pytest

from routh.cli.main import main


@pytest.fixture
def routh(folder, monkeypatch, capsys):
    """Runs `routh` with some words: the code, and what it said on both streams."""

    def run(*words):
        monkeypatch.setattr(sys, "argv", ["routh", *map(str, words)])
        code = 0
        try:
            main()
        except SystemExit as stop:
            code = stop.code or 0
        said = capsys.readouterr()
        return code, said.out, said.err

    return run
