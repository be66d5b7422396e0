"""Functions without a formula, like EI(s) and a shape W(s): what is derived with them is what is derived
with the formula put in before.
"""

from __future__ import annotations

import pytest
import sympy

import routh as rt
from routh import at, ddt, diff, integral

L = rt.parameter("L")
s = rt.space("s", 0, L)
w = rt.field("w", s)
x = rt.coordinate("x")
EI, N, V, W = sympy.symbols("EI N V W", cls=sympy.Function)

FORMULAS = {
    EI: lambda z: 2 - z**2 / 3,
    N: sympy.cos,
    V: lambda z: z**4 - sympy.sin(z),
    W: lambda z: z**2 * sympy.exp(-z),
}
ENDS = {
    "free": [],
    "clamped": [at(w, s, 0), at(diff(w, s), s, 0)],
    "sliding": [at(diff(w, s), s, 0), at(diff(w, s), s, L)],
}


def known(e):
    """The expression with the formulas in the place of the functions."""
    for name, formula in FORMULAS.items():
        e = e.replace(name, formula)
    return e.doit()


def beam(ends, functions):
    EI, N, V = functions
    return rt.System(
        kinetic=integral(ddt(w) ** 2 * (1 + N(s) ** 2) / 2, s),
        potential=integral(EI(s) / 2 * diff(w, s, 2) ** 2 + N(s) / 2 * diff(w, s) ** 2 + w**4, s)
        + V(at(w, s, L)),
        constraints=ends,
    )


VERBS = {
    "equations": lambda system, W: rt.equations(system, simplify=0),
    "linear_equations": lambda system, W: rt.linear_equations(system, {w: W(s)}, simplify=0),
    "about zero": lambda system, W: rt.linear_equations(system, {w: 0}, simplify=0),
    "equilibrium_equations": lambda system, W: rt.equilibrium_equations(system, simplify=0, solve=0),
}


@pytest.mark.parametrize("ends", ENDS)
@pytest.mark.parametrize("verb", VERBS)
def test_rows_with_functions_are_those_with_formulas(verb, ends):
    unknown = VERBS[verb](beam(ENDS[ends], (EI, N, V)), W).rows
    written = VERBS[verb](beam(ENDS[ends], [FORMULAS[f] for f in (EI, N, V)]), FORMULAS[W]).rows
    assert [(row.kind, row.of) for row in unknown] == [(row.kind, row.of) for row in written]
    for one, other in zip(unknown, written, strict=True):
        turn = -1 if one.sign != other.sign else 1  # a first term may be positive as a formula alone
        gap = known(one.expression) - turn * other.expression
        symbols = sorted(gap.atoms(sympy.Symbol), key=str)
        point = {y: sympy.Rational(3 + 2 * k, 10 + k) for k, y in enumerate(symbols)}
        # rounding of a sum of terms of size one or ten
        assert abs(float(gap.xreplace(point).evalf(30))) < 1e-20


def test_residuals_of_unknown_shapes_are_the_equations_of_rest():
    system = beam(ENDS["clamped"], (EI, N, V))
    rows = rt.equilibrium_equations(system, solve=0, simplify=0).rows
    left = rt.linear_equations(system, {w: W(s)}, simplify=0).residual
    assert [str(row.of) for row in left] == [str(row.of) for row in rows]
    straight = beam(ENDS["clamped"], (EI, N, lambda z: z**2))
    assert rt.linear_equations(straight, {w: 0}, simplify=0).residual == ()


def test_slopes_are_printed_like_those_of_fields():
    system = beam(ENDS["free"], (EI, N, V))
    found = rt.equations(system, simplify=0.2)
    assert "EI_s(L)*w_ss(L)" in str(found)
    assert "(EI(s)*w_ss)_ss" in str(found)
    assert "2*EI_s(s)*w_sss" in str(found.expanded)
    assert "V'(w(L))" in str(found)
    assert r"\mathit{EI}'(L)" in found.latex()
    for word in ("Derivative", "Subs"):
        assert word not in str(found) + str(rt.linear_equations(system, {w: W(s)}, simplify=0))
    assert "frac{d" not in found.latex()


def test_unknown_potentials_of_coordinates():
    system = rt.System(kinetic=ddt(x) ** 2 / 2, potential=V(x), dissipation=N(ddt(x)))
    linear = rt.linear_equations(system, {x: 0}, simplify=0)
    assert str(linear) == "M = [1]\nD = [N''(0)]\nK = [V''(0)]"
    assert known(linear.K[0]) == 0
    assert known(linear.D[0]) == -1
    assert known(linear.residual[0]) == -1


@pytest.mark.parametrize("verb", ["discretize", "equilibrium", "simulate"])
def test_numbers_need_formulas(verb):
    calls = {
        "discretize": lambda: rt.discretize(beam([], (EI, N, V)), {w: 4}),
        "equilibrium": lambda: rt.equilibrium(rt.System(kinetic=ddt(x) ** 2, potential=V(x)), {}),
        "simulate": lambda: rt.simulate(
            rt.System(kinetic=ddt(x) ** 2, potential=V(rt.t) * x), {}, {x: 1}, [0, 1]
        ),
    }
    with pytest.raises(rt.DeclarationError, match=f"{verb} computes numbers.*without a formula"):
        calls[verb]()


def test_a_function_of_a_place_and_of_a_field_is_refused():
    system = rt.System(
        kinetic=integral(ddt(w) ** 2, s), potential=integral(EI(s, w) * diff(w, s) ** 2, s)
    )
    with pytest.raises(rt.DeclarationError, match=r"of a place and of a field"):
        rt.equations(system, simplify=0)
