"""Julia: its text is read back, for there is no Julia here that would run it.

The straight-line functions and the helpers of one line are translated into Python, line by line, and held
to what `dynamics` and others give. What is the same for all systems, the solving of the equations with
matrices and the projection, is not run: the test does these steps by itself, and of the text only
brackets and ends of blocks are counted.
"""

from __future__ import annotations

import re
import runpy
from types import SimpleNamespace

import numpy as np
import pytest
import sympy
from rounds import (
    PLACES,
    every_word,
    given_subject,
    hold_linear,
    hold_points,
    motion,
    numbers,
    signals,
)

import routh as rt
from ten_systems import SOME, ten

BEFORE = """
import numpy as np
from numpy import abs, arcsinh as asinh, ceil, copysign, cosh, exp, expm1, floor, hypot, isinf, log, log1p
from numpy import arccos as acos, arccosh as acosh, arcsin as asin, arctanh as atanh, sin, cos, tan, sign
from numpy import fmod as rem, maximum as max, minimum as min, sinh, sqrt, tanh
NaN, Inf = np.nan, np.inf
def isinteger(x): return float(x).is_integer()
def atan(*x): return np.arctan2(*x) if len(x) == 2 else np.arctan(*x)
def zeros(rows, columns=1): return np.zeros((rows, columns))
"""
HELPER = re.compile(r"(\w+\([\w, ]+\)) = (.+) \? (.+) : (.+)")
BLOCK = re.compile(r"^function (\w+)\(([\w, ]+)\)\n(.*?)^end$", re.MULTILINE | re.DOTALL)
LINE = re.compile(r"    (\w+(\[\d+, \d+\])? = .+|return [\w, ]+)")


def expression(text):
    """A line of Julia in Python: arrays are counted from zero, and words for logic."""

    def place(found):
        places = [int(k) - 1 for k in found[1].split(", ")]
        assert min(places) >= 0
        return f"[{', '.join(map(str, places))}]"

    text = re.sub(r"\[(\d+(?:, \d+)?)\]", place, text)
    for julia, python in (("&&", "and"), ("||", "or"), ("!is", "not is"), (" ^ ", " ** ")):
        text = text.replace(julia, python)
    return text.replace("Float64(", "np.float64(")


def functions(text, folder):
    """The functions that are straight lines, in Python."""
    lines = [BEFORE]
    for head, condition, then, other in HELPER.findall(text):
        parts = map(expression, (then, condition, other))
        lines.append("def {}: return {} if {} else {}".format(head, *parts))
    for name, given, body in BLOCK.findall(text):
        own = body.splitlines()
        if name in ("solve_", "solved", "project") or "solved(t" in body:
            continue
        assert all(LINE.fullmatch(line) for line in own), name
        lines += [f"def {name}({given}):", *map(expression, own)]
    (folder / "translated.py").write_text("\n".join(lines) + "\n")
    return SimpleNamespace(**runpy.run_path(str(folder / "translated.py")))


class Model:
    """What the text computes; equations with matrices are solved here."""

    def __init__(self, own, n):
        self.own, self.n, self.matrices, self.energies = own, n, own.matrices, own.energies

    def _solved(self, at, right=None):
        M, f, P, J, gamma = self.matrices(*at)
        c = len(J)
        right = np.vstack([f, -gamma]) if right is None else right
        return np.linalg.solve(np.block([[M, P], [J, np.zeros((c, c))]]), right)

    def rate(self, *at):
        if hasattr(self.own, "rate"):
            return self.own.rate(*at).ravel()
        return np.concatenate([at[1][self.n :], self._solved(at)[: self.n, 0]])

    def linear(self, *at):
        if hasattr(self.own, "linear"):
            return self.own.linear(*at)
        by_x, by_u = self.own.slopes(*at, self._solved(at).ravel())
        n, y = self.n, -self._solved(at, np.hstack([by_x, by_u]))
        A = np.vstack([np.hstack([np.zeros((n, n)), np.eye(n)]), y[:n, : 2 * n]])
        return A, np.vstack([np.zeros((n, by_u.shape[1])), y[:n, 2 * n :]])


@pytest.mark.parametrize("name", SOME)
def test_the_text_is_that_of_dynamics(name, tmp_path):
    given = ten(name)
    text = rt.export(given.system, tmp_path / f"{name}.jl", values=given.values)[0].read_text("utf-8")
    model = Model(functions(text, tmp_path), len(given.system.coordinates))
    hold_points(name, model)
    hold_linear(name, model)
    defaults = re.search(r"const DEFAULTS = Float64\[(.*)\]", text)[1]
    np.testing.assert_array_equal(np.array(defaults.split(", "), dtype=float), numbers(name))
    names = re.search(r"const STATES = String\[(.*)\]", text)[1]
    states = (*given.system.coordinates, *given.system.velocities)
    assert names == ", ".join(f'"{s}"' for s in states)


@pytest.mark.parametrize("name", ["double_pendulum", "cartesian_pendulum", "dc_motor"])
def test_energies_and_constraints_are_those_of_a_motion(name, tmp_path):
    given, found = ten(name), motion(name)
    text = rt.export(given.system, tmp_path / f"{name}.jl", values=given.values)[0].read_text("utf-8")
    own = functions(text, tmp_path)
    x = np.concatenate([found.q[-1], found.v[-1]])
    at = given.until, x, signals(name, given.inputs), numbers(name)
    np.testing.assert_allclose(own.energies(*at)[0, 0], found.energy[-1], rtol=1e-10, atol=1e-9)
    if given_subject(name).functions.c:
        assert np.abs(np.vstack(own.held(*at))).max() < 1e-8


@pytest.mark.parametrize("name", SOME)
def test_brackets_and_blocks_are_closed(name, tmp_path):
    given = ten(name)
    text = rt.export(given.system, tmp_path / f"{name}.jl", values=given.values)[0].read_text("utf-8")
    code = [line for line in text.splitlines() if not line.startswith("#")]
    for line in code:
        bare = re.sub(r'"[^"]*"', "", line)
        assert all(bare.count(a) == bare.count(b) for a, b in ("()", "[]", "{}"))
    begins = [line for line in code if re.match(r"\s*(module|function|if)\b", line)]
    ends = [line for line in code if re.match(r"\s*end\b", line)]
    assert len(begins) == len(ends)
    assert code[-1] == f"end # module {name}"
    assert not re.search(r"COUNT|PLACES", text)


def test_words_and_names(tmp_path):
    x, end, root = rt.coordinate("θ"), rt.parameter("end", 2.0), rt.parameter("sqrt_", 3.0)
    force = every_word(x) - 11 * sympy.erf(x)
    system = rt.System(kinetic=root * rt.ddt(x) ** 2 / 2, forces={x: force * end})
    text = rt.export(system, tmp_path / "words.jl")[0].read_text("utf-8")
    assert "θ, here theta" in text
    assert "end, here end_ = 2.0" in text
    assert "sqrt_, here sqrt__ = 3.0" in text  # sqrt_ is a helper
    model = Model(functions(text, tmp_path), 1)
    p = [system.parameters[k].default for k in range(2)]
    for place in PLACES:
        found = model.rate(0.0, np.array([place, 0.0]), np.array([]), np.array(p))
        expected = rt.dynamics(system, {}, {x: place}).a[0]
        assert found[1] == pytest.approx(expected, rel=1e-12)


def test_what_julia_lacks_is_said(tmp_path):
    x = rt.coordinate("x")
    system = rt.System(kinetic=rt.ddt(x) ** 2 / 2, forces={x: every_word(x)})
    with pytest.raises(rt.DerivationError, match="Julia has no `erf`"):
        rt.export(system, tmp_path / "words.jl")
    with pytest.raises(rt.DeclarationError, match=r"'rate\.jl' means something else there"):
        rt.export(system, tmp_path / "rate.jl")
    assert not list(tmp_path.iterdir())
