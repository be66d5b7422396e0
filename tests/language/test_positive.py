"""Parameters that are declared positive: shorter formulas, values that keep to it, and model files."""

from __future__ import annotations

import numpy as np
import pytest
import sympy

import routh as rt
from routh import ddt

x = rt.coordinate("x")


def spring(**sign):
    m, k, g = rt.parameters("m k g", **sign)
    return rt.System(
        kinetic=m * ddt(x) ** 2 / 2,
        potential=k * sympy.sqrt(m**2) * x**2 / 2 - m * g * x + sympy.Abs(g) * x**2 / g,
    )


def test_roots_and_absolute_values_of_positive_parameters_do_not_appear():
    plain, short = rt.equations(spring(), simplify=0), rt.equations(spring(positive=True), simplify=0)
    assert "Abs" in str(plain)
    assert "Abs" not in str(short)
    assert "sqrt" not in str(short)
    numbers = {"m": 1.3, "k": 2.1, "g": 0.7, "x": 0.4, "x''": 0.9}
    values = [
        float(e.residual[0].subs({s: numbers[s.name] for s in e.residual.free_symbols if s != rt.t}))
        for e in (plain, short)
    ]
    assert values[0] == pytest.approx(values[1], rel=1e-14)


def test_an_equilibrium_and_a_hamiltonian_of_positive_parameters_are_short():
    theta = rt.coordinate("theta")
    m, g = rt.parameters("m g", positive=True)
    V = sympy.sqrt(g**2 * m**2) * sympy.cos(theta) + m * g * sympy.sin(theta)
    system = rt.System(kinetic=sympy.sqrt(m**2) * ddt(theta) ** 2 / 2, potential=V)
    found = {s[theta] for s in rt.equilibrium_equations(system, simplify=0).solutions}
    assert found == {sympy.pi / 4, -3 * sympy.pi / 4}
    assert not rt.hamiltonian(system, simplify=0).H.has(sympy.Abs, sympy.sqrt)


def test_a_positive_parameter_is_another_than_one_that_is_not():
    plain, positive = rt.parameter("m"), rt.parameter("m", positive=True)
    assert plain != positive
    assert positive == rt.parameter("m", positive=True)
    with pytest.raises(rt.DeclarationError, match="`m` stands for two parameters in one system"):
        rt.System(kinetic=plain * ddt(x) ** 2 / 2, potential=positive * x**2)
    with pytest.raises(rt.DeclarationError, match="another `m` than the one to differentiate by"):
        rt.diff(positive**2 * x, plain)


def test_values_are_given_by_name_or_by_symbol():
    m, k = rt.parameters("m k", positive=True)
    system = rt.System(kinetic=m * ddt(x) ** 2 / 2, potential=k * x**2 / 2)
    for values in ({"m": 2.0, "k": 8.0}, {m: 2.0, k: 8.0}, {rt.parameter("m"): 2.0, "k": 8.0}):
        rest = rt.equilibrium(system, values)
        assert rt.modes(rt.linearize(rest)).frequencies == pytest.approx([2.0], rel=1e-14)


BROKEN = {
    "negative": {"m": -1.0, "k": 1.0},
    "zero": {"m": 0.0, "k": 1.0},
    "in an array": {"m": np.array([1.0, 2.0, -3.0]), "k": 1.0},
    "zero in an array": {"m": np.linspace(0, 1, 5), "k": 1.0},
}


@pytest.mark.parametrize("case", BROKEN)
@pytest.mark.parametrize("verb", ["equilibrium", "simulate", "equilibria"])
def test_values_that_break_the_declaration_are_refused(case, verb):
    m, k = rt.parameter("m", positive=True), rt.parameter("k", nonnegative=True)
    system = rt.System(kinetic=m * ddt(x) ** 2 / 2, potential=k * x**2 / 2 + x**2)
    more = {"simulate": ({x: 1.0}, [0, 1])}.get(verb, ())
    with pytest.raises(rt.DeclarationError, match=r"`m` in `values` must be positive.*Got"):
        getattr(rt, verb)(system, BROKEN[case], *more)


def test_zero_is_nonnegative_and_less_is_not():
    k = rt.parameter("k", nonnegative=True)
    system = rt.System(kinetic=ddt(x) ** 2 / 2, potential=k * x**2 / 2 + x**2)
    assert rt.equilibrium(system, {"k": 0.0}).converged
    with pytest.raises(rt.DeclarationError, match=r"must be zero or positive.*Got -0.1"):
        rt.equilibrium(system, {"k": -0.1})


def test_branches_and_maps_keep_to_it():
    k, c = rt.parameters("k c", positive=True)
    system = rt.System(kinetic=ddt(x) ** 2 / 2, potential=k * x**2 / 2 + c * x**4)
    rest = rt.equilibrium(system, {"k": 1.0, "c": 1.0})
    for to in (0.0, -1.0):
        with pytest.raises(rt.DeclarationError, match="`to` must be positive"):
            rt.follow(rest, k, to)
    assert rt.follow(rest, k, 0.5).at.min() == pytest.approx(0.5)
    plane = {"k": np.linspace(-1, 1, 3), "c": np.linspace(0.1, 1, 3)}
    with pytest.raises(rt.DeclarationError, match="`k` in `values` must be positive"):
        rt.stability_map(system, plane)


def test_families_of_periodic_motions_keep_to_it():
    k = rt.parameter("k", positive=True)
    system = rt.System(kinetic=ddt(x) ** 2 / 2, potential=k * x**2 / 2 + x**4 / 4)
    motion = rt.periodic_motion(system, {"k": 1.0}, {x: 0.5}, 6.0)
    with pytest.raises(rt.DeclarationError, match="`to` must be positive"):
        rt.follow(motion, k, -1.0)


def test_defaults_and_words_are_checked():
    assert rt.parameter("m", 2, positive=True).default == 2.0
    with pytest.raises(rt.DeclarationError, match="default of parameter `m` must be positive"):
        rt.parameter("m", 0, positive=True)
    with pytest.raises(rt.DeclarationError, match="`positive` of parameter `m` must be True or False"):
        rt.parameter("m", positive="yes")


def test_assumptions_of_dynamicsymbols_are_kept():
    from sympy.physics.mechanics import dynamicsymbols

    q = dynamicsymbols("q")
    m, k = sympy.Symbol("m", positive=True), sympy.Symbol("k")
    system = rt.System.from_dynamicsymbols(m * q.diff() ** 2 / 2 - k * q**2 / 2, [q])
    assert {p.name: p.sign for p in system.parameters} == {"m": "positive", "k": ""}


MODEL = """
[coordinates]
x = {}
[parameters]
m = {value = 2, range = [0.5, 3]}
k = {value = 1, positive = true}
c = {value = 1, range = [0, 3]}
e = {value = 1, range = [0.5, 3], positive = false}
f = {value = 0, nonnegative = true}
[energy]
kinetic = "m*x'^2/2"
potential = "(k + c + e + f)*x^2/2"
"""


def test_model_files_declare_signs_and_a_range_above_zero_is_one():
    model = rt.load(MODEL)
    signs = {p.name: p.sign for p in model.system.parameters}
    assert signs == {"m": "positive", "k": "positive", "c": "", "e": "", "f": "nonnegative"}
    with pytest.raises(rt.DeclarationError, match=r"must be positive.*`positive = false` in a model"):
        rt.equilibrium(model.system, model.values | {"m": -1.0})
    assert rt.equilibrium(model.system, model.values | {"e": -0.5}).converged
    with pytest.raises(rt.DeclarationError, match="default of parameter `m` must be positive"):
        rt.load(MODEL.replace("m = {value = 2", "m = {value = -2"))


def test_signs_are_written_and_read_again(tmp_path):
    system = rt.load(MODEL).system
    again = rt.load(rt.save(system, tmp_path / "model.toml")).system
    assert again.parameters == system.parameters
    kept = rt.load(rt.save(rt.load(MODEL), tmp_path / "other.toml"))
    assert kept.system.parameters == system.parameters
    with pytest.raises(rt.DeclarationError, match="`k` in `values` must be positive"):
        rt.save(system, tmp_path / "bad.toml", values={"k": 0})
