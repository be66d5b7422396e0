"""LaTeX: the formulas are those that are printed elsewhere, and everything that opens is closed.

There is no LaTeX here that would set the document.
"""

from __future__ import annotations

import re

import pytest
import sympy

import routh as rt
from routh import ddt, sin
from routh.language.walk import unfold
from routh.mechanics.forms import printing
from routh.mechanics.forms.printing import latex
from ten_systems import NAMES, ten

SHORT = ["cart_pole", "cartesian_pendulum", "rotating_table", "dc_motor", "friction", "moving_base"]


def written(name, folder):
    given = ten(name)
    return rt.export(given.system, folder / f"{name}.tex", values=given.values)[0].read_text("utf-8")


def is_closed(text):
    """Braces, environments and \\left are closed, in their order."""
    text = re.sub(r"^%.*\n", "", text, flags=re.MULTILINE)
    open_ones = []
    for sign in re.findall(
        r"\\begin\{\w+\*?\}|\\end\{\w+\*?\}|\\left\b|\\right\b|\\[\[\]]|(?<!\\)[{}]", text
    ):
        if sign.startswith(r"\begin") or sign in ("{", r"\left", r"\["):
            open_ones.append(sign.replace("begin", "end"))
            continue
        pairs = {"}": "{", r"\right": r"\left", r"\]": r"\["}
        if not open_ones or open_ones.pop() != pairs.get(sign, sign):
            return False
    return not open_ones


@pytest.mark.parametrize("name", SHORT)
def test_formulas_are_those_of_equations(name, tmp_path):
    text, eq = written(name, tmp_path), rt.equations(ten(name).system)
    rows = eq.latex().splitlines()[1:-1]
    assert len(rows) == len(eq.index3)
    for row in rows:
        assert f"\n{row.removesuffix(' ' + chr(92) * 2)}" in text
    assert f"The Rayleigh function is\n\\[ {latex(eq.D)} \\]" in text or eq.D == 0
    assert (r"\subsection*{Constraints}" in text) == bool(len(eq.phi))
    if eq.system.lagrangian:
        assert f"The Lagrangian is\n\\[ {latex(eq.L)} \\]" in text
        assert "kinetic" not in text
    else:
        T = unfold(sympy.Add(*eq.system.kinetic))
        forms = [latex(T), latex(eq.T2 + eq.T1 + eq.T0)]
        assert any(f"The kinetic energy is\n\\[ {form} \\]" in text for form in forms)
        assert f"The potential energy is\n\\[ {latex(eq.V)} \\]" in text or eq.V == 0
    assert is_closed(text)


@pytest.mark.parametrize("name", [name for name in NAMES if name not in (*SHORT, "beam", "kite")])
def test_longer_ones_are_closed(name, tmp_path):
    text = written(name, tmp_path)
    assert is_closed(text)
    for p in ten(name).system.parameters:
        assert f"{latex(p)} & \\text{{parameter}} & " in text


def test_braces_that_stay_open_are_seen():
    assert is_closed(r"\[ \left(\frac{a}{b}\right) \]")
    assert not is_closed(r"\[ \left(\frac{a}{b}\right \]}")
    assert not is_closed(r"\begin{array} { \end{array} }")


def test_letters_units_and_laws(tmp_path):
    theta, k, F = rt.coordinate("θ"), rt.parameter("k_1", 2.0, unit="N*m/rad^2"), rt.input("F")
    parts = {"kinetic": ddt(theta) ** 2 / 2, "potential": k * sin(theta) ** 2, "forces": {theta: F}}
    system = rt.System(**parts, name="50 % & more_")
    text = rt.export(system, tmp_path / "a b.tex", inputs={F: -3 * theta})[0].read_text("utf-8")
    assert r"\section*{50 \% \& more\_}" in text
    assert r"θ, here \theta" in text
    assert "k_1, here k_{1} = 2.0  [N*m/rad^2]" in text
    assert r"k_{1} & \text{parameter} & \text{2.0} & \text{N*m/rad\^{}2}" in text
    assert r"F & \text{input} &" in text
    assert "F &= - 3 \\theta" in text
    assert is_closed(text)


def test_parts_that_have_names_have_one_meaning(tmp_path, monkeypatch):
    """Names are shared by all formulas: each that is used is explained, and once."""
    monkeypatch.setattr(printing, "LONG", 50)
    text = written("double_pendulum", tmp_path)
    assert is_closed(text)
    told = re.findall(r"^(z_\{\d+\}) &= ", text, flags=re.MULTILINE)
    assert told
    assert len(told) == len(set(told))
    assert set(re.findall(r"z_\{\d+\}", text)) == set(told)
    assert all(text.count(name) > 2 for name in told)


def test_discretized_systems_are_refused(tmp_path):
    with pytest.raises(rt.DeclarationError, match=r"`beam` is discretized.*system\.continuous"):
        written("beam", tmp_path)
