"""Names in LaTeX: one symbol looks like one, and like no other."""

from __future__ import annotations

import pytest
import sympy

import routh as rt
from routh.files.text import parse
from routh.language.latex_names import dotted, latex_name
from routh.language.notation import no_mathematics
from routh.mechanics.forms.printing import latex, text

NAMES = {
    "m": "m",
    "m1": "m_{1}",
    "x_b": "x_{b}",
    "k_c2": "k_{c2}",
    "theta1": r"\theta_{1}",
    "kappa": r"\kappa",
    "mass": r"\mathrm{mass}",
    "mass2": r"\mathrm{mass}_{2}",
    "Omega_max": r"\Omega_{\mathrm{max}}",
    "k_alpha1": r"k_{\alpha_{1}}",
    "m_1_2": "m_{1,2}",
    "EI": r"\mathit{EI}",
    "xhat": r"\hat{x}",
    "xdot": r"\mathrm{xdot}",
    "vertical": r"\mathrm{vertical}",
    "x__2": r"\mathrm{x\_\_2}",
    "θ": r"\theta",
    "ω1": r"\omega_{1}",
    "µ": r"\mu",
    "Λ": r"\Lambda",
    "é": r"\text{é}",
    "x_é": r"x_{\text{é}}",
    "Α": r"\mathrm{A}",
}


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_set_as_one_symbol(name):
    assert latex_name(name) == NAMES[name]
    for symbol in (rt.parameter(name), rt.coordinate(name), sympy.Symbol(name)):
        assert latex(symbol) == NAMES[name]
    if "\\_" not in NAMES[name]:
        assert no_mathematics(NAMES[name]) == ""  # what is let in as `latex` is what is made here


def test_names_that_differ_look_different():
    names = [n for n in NAMES if n not in ("θ", "µ")]  # which are theta and mu
    assert len({latex_name(name) for name in names}) == len(names)
    power = latex(sympy.Symbol("x") ** 2)
    assert latex_name("x__2") != power
    assert latex_name("xdot") != latex(rt.coordinate("x").rate)


def test_dots_stand_over_the_letter_and_not_over_its_index():
    assert latex(rt.coordinate("mass_1").rate) == r"\dot{\mathrm{mass}}_{1}"
    assert latex(rt.coordinate("x", latex=r"\hat{x_1}").rate.rate) == r"\ddot{\hat{x_1}}"
    assert dotted("x_{1}", 4) == "{x_{1}}^{(4)}"


@pytest.mark.parametrize("name", ["sin", "sqrt", "abs", "min", "pi", "t"])
@pytest.mark.parametrize("declare", [rt.parameter, rt.coordinate, rt.input])
def test_names_with_a_meaning_are_refused(name, declare):
    with pytest.raises(rt.DeclarationError, match=f"must not be `{name}`.*like {name}_0"):
        declare(name)


def test_letters_of_people_are_not_numbers():
    E, I, e, lam = rt.parameters("E I e lambda")
    x = rt.coordinate("x")
    row = E * I * e**2 * lam * sympy.E * sympy.exp(x)
    names = {s.name: s for s in (E, I, e, lam, x)}
    assert sympy.expand(parse(text(row), names) - row) == 0
    assert latex(sympy.exp(x) * e**2) == r"e^{2} \mathrm{e}^{x}"
    assert latex(sympy.E * e) == r"\mathrm{e} e"
    assert text(sympy.I * I) == "sqrt(-1)*I"
    assert latex(sympy.I * I) == r"\mathrm{i} I"


def test_words_stand_apart_from_other_factors():
    mass, radius, m, x = rt.parameters("mass radius m x")
    assert latex(mass * radius**2 * x) == r"\mathrm{mass} \, \mathrm{radius}^{2} \, x"
    assert latex(m * mass + radius * x) == r"m \, \mathrm{mass} + \mathrm{radius} \, x"
    assert latex(rt.parameter("mass_1") * x / 2) == r"\frac{\mathrm{mass}_{1} \, x}{2}"
    assert latex(m * sympy.sin(mass)) == r"m \sin{\left(\mathrm{mass} \right)}"
    assert latex(m * sympy.exp(x)) == r"m \mathrm{e}^{x}"


def test_functions_are_called_as_symbols_are():
    s = rt.space("s", 0, 1)
    assert latex(sympy.Function("EI")(s) ** 2) == r"\mathit{EI}^{2}{\left(s \right)}"
    assert latex(sympy.Function("load_1")(s)) == r"\mathrm{load}_{1}{\left(s \right)}"
