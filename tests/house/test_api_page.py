"""The user's page runs as it stands, and gives the numbers in its comments."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import routh as rt

PAGE = Path(__file__).parents[1] / "api_page.py"


def sections() -> dict[int, list[ast.stmt]]:
    """The statements of each numbered section; 0 holds the imports."""
    text = PAGE.read_text(encoding="utf-8")
    starts = [
        k for k, line in enumerate(text.splitlines(), 1) if line[:2] == "# " and line[2].isdigit()
    ]
    found: dict[int, list[ast.stmt]] = {}
    for statement in ast.parse(text).body:
        found.setdefault(sum(start < statement.lineno for start in starts), []).append(statement)
    return found


@cache
def run(upto: int) -> dict:
    """The namespace after the sections up to one, each of which is run once."""
    known = dict(run(upto - 1)) if upto else {"__name__": "page"}
    exec(compile(ast.Module(sections()[upto], []), str(PAGE), "exec"), known)
    return known


def test_section_1_double_pendulum():
    page = run(1)
    np.testing.assert_allclose(page["modes"].frequencies, [2.476136102, 4.952272205], rtol=1e-9)
    assert page["modes"].stability.verdict is rt.Verdict.STABLE
    assert page["rest"].status is rt.Status.CONVERGED
    assert len(page["every"]) == 4
    motion = page["motion"]
    assert motion.completed
    assert motion.energy_error < 1e-7  # rtol is 1e-9, and the run is chaotic
    r2 = motion[page["r2"][0]]
    th1, th2 = motion.q.T
    np.testing.assert_allclose(r2, 1.2 * np.sin(th1) + 0.8 * np.sin(th1 + th2), atol=1e-12)
    assert sum(v is rt.Verdict.STABLE for v in page["every"].stability.verdict) == 1


def test_section_2_turning_table():
    page = run(2)
    assert page["linear"].G.shape == (401, 2, 2)
    at_two = page["modes"].eigenvalues[200]
    expected = [-0.106957670918338 + 2.89577260810507j, -0.143042329081662 + 7.03714445307369j]
    np.testing.assert_allclose(at_two[::2], expected, rtol=1e-12)


def test_section_3_hanging_in_cartesian_coordinates():
    page = run(3)
    assert page["hang"].multipliers == pytest.approx([13.08], rel=1e-12)
    frequencies = rt.modes(rt.linearize(page["hang"])).frequencies
    assert frequencies == pytest.approx([np.sqrt(9.81 / 1.5)], rel=1e-12)
    motion = page["motion"]
    assert motion.constraint_error < 1e-15 * 10
    y = motion.q[:, 1]
    tension = motion.multipliers[:, 0] * 1.5
    height = 2 * 9.81 * (-1.2 - y)  # fallen through, m v^2 / 2
    expected = 2 * height / 1.5 - 2 * 9.81 * y / 1.5
    np.testing.assert_allclose(tension, expected, rtol=1e-7)


def test_section_4_pushed_pendulum():
    page = run(4)
    assert page["leaning"].q == pytest.approx([0.201117383996941], rel=1e-12)
    w2 = 6.67453202687483
    np.testing.assert_allclose(page["A"], [[0, 1], [-w2, 0]], rtol=1e-12)
    tilt = np.cos(0.201117383996941)
    np.testing.assert_allclose(page["B"], [[0], [tilt / (2 * 1.5)]], rtol=1e-12)
    np.testing.assert_allclose(page["C"], [[1.5 * tilt, 0]], rtol=1e-12)
    assert page["D"].tolist() == [[0]]


def test_section_5_hub_and_beam():
    page = run(5)
    arm, slender = page["arm"], page["slender"]
    assert [row.kind.name for row in rt.equations(arm).boundary] == ["GEOMETRIC"] * 2 + ["NATURAL"] * 2
    rest = rt.equilibrium(slender, page["values"])
    frequencies = rt.modes(rt.linearize(rest)).frequencies[:4]
    expected = [0, 5.72035891239293, 19.9378009411611, 51.4088434964009]
    np.testing.assert_allclose(frequencies, expected, rtol=1e-10)


def test_section_6_shaken_base(capsys):
    run(6)
    said = capsys.readouterr().out
    assert "`theta`" in said
    assert "cos(nu*t)" in said
