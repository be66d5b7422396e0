"""A newcomer follows the site alone: the install line, the first steps, a first own model with mistakes."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "docs/_ext"))

from routh_book.cells import read_page  # noqa: E402

PAGES = [ROOT / "docs/start" / name for name in ("install.md", "first_steps.md", "own_model.md")]
OWN = {
    name: value
    for name, value in os.environ.items()
    if name not in ("PYTHONDONTWRITEBYTECODE", "PYTHONHOME", "PYTHONPATH", "VIRTUAL_ENV")
} | {"MPLBACKEND": "Agg", "COLUMNS": "92", "NO_COLOR": "1"}


def run(words, folder, code=0):
    done = subprocess.run(words, cwd=folder, env=OWN, capture_output=True, text=True, check=False)
    assert done.returncode == code, f"{words}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    """An environment with what the install line of the site brings."""
    asked = re.search(r'pip install "routh(\[[\w,]+\])"', PAGES[0].read_text("utf-8"))[1]
    place = tmp_path_factory.mktemp("newcomer")
    run([sys.executable, "-m", "venv", "own"], place)
    programs = place / "own/bin"
    install = [programs / "python", "-m", "pip", "install", "--quiet", f"{ROOT}{asked}"]
    done = subprocess.run(install, env=OWN, capture_output=True, text=True, check=False)
    if done.returncode and re.search("No matching distribution|Could not find|Connection", done.stderr):
        pytest.skip("no package index is within reach")
    assert done.returncode == 0, done.stderr
    return programs


@pytest.mark.slow
@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_the_site_alone_leads_a_newcomer(path, programs, tmp_path):
    """Models are written, lines typed and scripts run as the page shows them, by what was installed."""
    script = ""
    for cell in read_page(path).cells:
        if cell.kind == "model":
            (tmp_path / cell.argument).write_text(cell.code + "\n", "utf-8")
        elif cell.kind == "terminal":
            lines = [line.strip().removeprefix("$ ").split() for line in cell.code.splitlines() if line]
            for k, (program, *words) in enumerate(lines):
                code = int(cell.options.get("code", "0")) if k == len(lines) - 1 else 0
                run([programs / program, *words], tmp_path, code)
        elif "raises" not in cell.options:
            script += cell.code + "\n"
    (tmp_path / "typed.py").write_text(script, "utf-8")
    run([programs / "python", "typed.py"], tmp_path)
