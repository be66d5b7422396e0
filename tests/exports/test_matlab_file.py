"""MATLAB: run by Octave, all ten systems in one call, and held to what `dynamics` and others give."""

from __future__ import annotations

import shutil
import subprocess

import numpy as np
import pytest
from rounds import PLACES, RESTS, every_word, linear, numbers, points, signals

import routh as rt
from ten_systems import NAMES, ten

OCTAVE = shutil.which("octave-cli") or shutil.which("octave")
pytestmark = pytest.mark.skipif(OCTAVE is None, reason="no Octave here")


def column(array):
    return "[" + "; ".join(repr(float(x)) for x in np.ravel(array)) + "]"


def run(folder, lines):
    """What Octave prints, as numbers line by line."""
    (folder / "script.m").write_text("1;\n" + "\n".join(lines) + "\n")
    words = [OCTAVE, "--no-gui", "--norc", "--quiet", "script.m"]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return [line for line in done.stdout.splitlines() if line.strip()]


def shown(what):
    return f"printf('%.17g ', {what}); printf('\\n');"


def test_ten_systems_in_octave(tmp_path):
    lines, told = [], []
    for name in NAMES:
        given = ten(name)
        rt.export(given.system, tmp_path / f"{name}.m", values=given.values)
        lines.append(f"m = {name}();")
        for t, x, u, M, rate, _ in points(name):
            at = f"{t}, {column(x)}, {column(u)}, m.defaults"
            lines += [shown(f"m.rate({at})"), shown(f"m.matrices({at})'")]
            told += [(name, rate), (name, M)]
    for (name, expected), line in zip(told, run(tmp_path, lines), strict=True):
        found = np.array(line.split(), dtype=float)
        np.testing.assert_allclose(
            found, expected.ravel(), rtol=1e-8, atol=1e-8 * np.abs(expected).max(), err_msg=name
        )


def test_linear_models_in_octave(tmp_path):
    """Eigenvalues about rests, beside two zeros for each constraint."""
    lines, known = [], []
    for name in RESTS:
        given, (rest, about) = ten(name), linear(name)
        rt.export(given.system, tmp_path / f"{name}.m", values=given.values)
        x = np.concatenate([rest.q, np.zeros(len(rest.q))])
        u = signals(name, RESTS[name].get("inputs", {}))
        lines += [f"m = {name}(); A = m.linear(0, {column(x)}, {column(u)}, {column(numbers(name))});"]
        lines += [shown("A'")]
        known.append(np.linalg.eigvals(rt.state_space(about).A))
    for expected, line in zip(known, run(tmp_path, lines), strict=True):
        flat = np.array(line.split(), dtype=float)
        own = np.linalg.eigvals(flat.reshape(int(np.sqrt(len(flat))), -1))
        for one in expected:
            assert np.abs(own - one).min() < 1e-7 * np.abs(expected).max()


def test_a_motion_projection_and_singular_equations_in_octave(tmp_path):
    """Equal steps of Runge and Kutta keep the pendulum near; a projection puts it where it belongs."""
    given = ten("cartesian_pendulum")
    rt.export(given.system, tmp_path / "bob.m", values=given.values)
    found = rt.simulate(given.system, given.values, given.start, [0, 1.0], progress=False)
    lines = [
        "m = bob(); x = [0.9; -1.2; 0.8; 0.6]; h = 1e-3; f = @(x) m.rate(0, x, [], m.defaults);",
        "for k = 1:1000",
        "k1 = f(x); k2 = f(x + h/2*k1); k3 = f(x + h/2*k2); k4 = f(x + h*k3);",
        "x = x + h/6*(k1 + 2*k2 + 2*k3 + k4);",
        "end",
        shown("x"),
        "y = m.project(0, x + 1e-3, [], m.defaults); y = m.project(0, y, [], m.defaults);",
        "y = m.project(0, y, [], m.defaults);",
        "[phi, phi_rate] = m.held(0, y, [], m.defaults);",
        shown("[phi; phi_rate]"),
        "try, f(zeros(4, 1)); disp('no'); catch e, disp(e.message); end",
    ]
    state, off, said = run(tmp_path, lines)
    last = np.concatenate([found.q[-1], found.v[-1]])
    np.testing.assert_allclose(np.array(state.split(), dtype=float), last, atol=1e-7)
    assert np.abs(np.array(off.split(), dtype=float)).max() < 1e-11
    assert "do not determine" in said


def test_words_and_names_in_octave(tmp_path):
    x, lam, end = rt.coordinate("θ"), rt.parameter("end", 2.0), rt.parameter("hypot", 3.0)
    system = rt.System(kinetic=lam * rt.ddt(x) ** 2 / 2, forces={x: every_word(x) * end})
    path = rt.export(system, tmp_path / "words.m")[0]
    text = path.read_text()
    assert "end, here end_ = 2.0" in text
    assert "hypot, here hypot_ = 3.0" in text
    lines = ["m = words();", *(shown(f"m.rate(0, [{place}; 0], [], m.defaults)") for place in PLACES)]
    for place, line in zip(PLACES, run(tmp_path, lines), strict=True):
        expected = rt.dynamics(system, {}, {x: place}).a[0]
        assert float(line.split()[1]) == pytest.approx(expected, rel=1e-12)
