"""Chapters on what repeats and on what lies beyond linear equations, by second routes."""

from __future__ import annotations

import re

import numpy as np
import pytest
import sympy
from scipy.integrate import solve_ivp

import routh as rt
from holding import value
from routh import cos, ddt
from routh.lecture.derive import derive
from routh.lecture.transformed.expansion_chapter import deviations
from routh.lecture.transformed.polynomials import energy_part, equation_part
from routh.mechanics.forms.chapter import Table

x, y, theta = rt.coordinates("x y theta")
a, q, c, m, k, k3 = rt.parameters("a q c m k k3")

MATHIEU = rt.System(kinetic=ddt(x) ** 2 / 2, potential=(a - 2 * q * cos(2 * rt.t)) * x**2 / 2)
DUFFING = rt.System(kinetic=m * ddt(x) ** 2 / 2, potential=k * x**2 / 2 + k3 * x**4 / 4)


def entries(formula):
    """The numbers of a matrix that is printed."""
    text = formula.text.partition("=")[2]
    return np.array([float(n) for n in re.findall(r"-?\d[\d.e+-]*", text)])


def test_mathieus_equation_from_its_linear_equation_to_its_verdict():
    chapter = derive(rt.floquet(MATHIEU, {"a": 0.5, "q": 0.1}, np.pi))
    row = chapter["Small motions"].formulas[0].text
    known = {"a": 0.5, "q": 0.1, "t": 0.3, "e_x": 0.7, "e_x''": -0.2}
    exact = -0.2 + (0.5 - 0.2 * np.cos(0.6)) * 0.7
    assert value(row.partition(" = ")[0], known) == pytest.approx(exact, rel=1e-12)

    def rate(t, z):
        return [z[1], -(0.5 - 0.2 * np.cos(2 * t)) * z[0]]

    runs = [solve_ivp(rate, (0, np.pi), z, rtol=1e-11, atol=1e-12).y[:, -1] for z in np.eye(2)]
    printed = next(f for f in chapter["What a period does"].formulas if f.text.startswith("X(T)"))
    assert entries(printed).reshape(2, 2) == pytest.approx(np.array(runs).T, abs=2e-6)  # six digits
    trace = next(f for f in chapter["Multipliers"].formulas if f.text.startswith("tr"))
    assert entries(trace)[0] == pytest.approx(np.trace(np.array(runs)), abs=2e-5)
    assert chapter["Verdict"].steps[-1] == "Verdict: stable."
    assert "< 2" in str(chapter)


def test_growth_and_decay_are_told_with_their_reasons():
    tongue = derive(rt.floquet(MATHIEU, {"a": 1.0, "q": 0.3}, np.pi))
    assert "by period doubling (m real and negative" in str(tongue["Verdict"].steps)
    lossy = MATHIEU.changed(dissipation=c * ddt(x) ** 2 / 2)
    damped = derive(rt.floquet(lossy, {"a": 0.5, "q": 0.1, "c": 0.05}, np.pi))
    assert "deviations die out" in str(damped)
    found = next(f for f in damped["What a period does"].formulas if f.text.startswith("det"))
    assert entries(found)[0] == pytest.approx(np.exp(-0.05 * np.pi), rel=1e-5)  # Liouville


def test_a_chart_is_plotted_and_not_derived():
    chart = rt.floquet(MATHIEU, {"a": [0.5, 1.0], "q": 0.1}, np.pi)
    with pytest.raises(rt.DeclarationError, match="derive explains floquet at one point"):
        derive(chart)


def test_a_periodic_motion_begins_with_how_it_was_found():
    swing = rt.System(kinetic=ddt(theta) ** 2 / 2, potential=-cos(theta))
    chapter = derive(rt.periodic_motion(swing, {}, {theta: 1.0}, 6.5))
    period = next(f for f in chapter["The motion"].formulas if f.text.startswith("T = "))
    assert period.text == "T = 6.699975664"
    assert "2 of them are 1 because the motion can be shifted in time" in str(chapter["Verdict"].steps)
    assert "said of the orbit" in chapter["Verdict"].steps[-1]  # its period depends on how far it goes
    other = rt.periodic_motion(swing, {}, {theta: 1.1}, 6.6)
    assert abs(float(other.period) - 6.699975664) > 0.01


def test_the_normal_form_of_duffing():
    rest = rt.equilibrium(DUFFING, {"m": 1.0, "k": 4.0, "k3": 2.0})
    chapter = derive(rt.normal_form(rest))
    (line,) = chapter["Backbone curves"].formulas
    assert line.text == "omega1 = 2 + 0.375*A^2"  # 3 k3/(8 m omega)
    assert "quadratic terms vanish" in str(chapter["Second order"].steps)
    two, three, four = (f.text for f in chapter["Equations of the amplitudes"].formulas)
    assert value(two.partition(" = ")[2], {"a1": 2.0, "a1'": 3.0}) == pytest.approx(-3.5)
    assert (three, four) == ("L^(3) = 0", "L^(4) = -0.5*a1**4")


def coupled():
    return rt.System(
        kinetic=(ddt(x) ** 2 + (1 + x) * ddt(y) ** 2) / 2,
        potential=2 * x**2 + 3.1 * y**2 + 0.7 * x**2 * y + 0.3 * x**3 + x * y + 0.2 * y**4,
    )


def test_steps_of_a_normal_form_solve_the_homological_equation():
    found = rt.normal_form(rt.equilibrium(coupled(), {}))
    for k, steps in enumerate(found.steps):
        w, shape = found.frequencies[k], found.shapes[:, k]
        assert found.K @ steps.mean == pytest.approx(-steps.mean_force, abs=1e-12)
        dynamic = found.K - 4 * w**2 * found.M
        assert dynamic @ steps.cosine == pytest.approx(-steps.cosine_force, abs=1e-11)
        # a second route to the whole of second order: harmonics of the residual along the mode
        phase = 2 * np.pi * np.arange(8) / 8
        e = 1e-4
        along = [
            found.expansion(2, e * shape * np.cos(p), -e * w * shape * np.sin(p), -e * w**2 * shape * np.cos(p))
            for p in phase
        ]  # fmt: skip
        assert np.mean(along, axis=0) / e**2 == pytest.approx(steps.mean_force, rel=1e-8)
    chapter = derive(found)
    assert len(chapter["Backbone curves"].formulas) == 2
    assert "which the homological equation removes" in str(chapter["Second order"].steps)


def test_forces_of_a_normal_form_act_from_the_right_side():
    """x'' + 4 x + 3 x^2 = 0 has f = -3 cos^2 2t along x = cos 2t (Nayfeh and Mook, section 2.3)."""
    quadratic = rt.System(kinetic=ddt(x) ** 2 / 2, potential=2 * x**2 + x**3)
    chapter = derive(rt.normal_form(rt.equilibrium(quadratic, {})))
    assert [f.text for f in chapter["What can be transformed away"].formulas] == [
        "M x'' + K x = f", "(K - Omega^2 M) u = f"
    ]  # fmt: skip
    force, u = (f.text.partition(" = ")[2] for f in chapter["Second order"].formulas)
    assert force == "[-1.5] + [-1.5]*cos(4*t)"
    assert u == "[-0.375] + [0.125]*cos(4*t)"  # -1.5/4 and -1.5/(4 - 16)
    # with u = (-3 + cos 4 t)/8 the product 6 x u leaves 6 (-3/8 + 1/16) cos 2 t on the left side
    (table,) = (step for step in chapter["Third order"].steps if isinstance(step, Table))
    push, mass, shift = (float(str(cell)) for cell in table.rows[0][1:])
    assert push == pytest.approx(6 * (3 / 8 - 1 / 16))
    assert shift == pytest.approx(-push / (2 * 2 * mass))
    # published: omega = omega0 - 5 alpha^2 A^2 / (12 omega0^3) for x'' + omega0^2 x + alpha x^2 = 0
    assert shift == pytest.approx(-5 * 9 / (12 * 8))


def test_an_exact_resonance_is_kept_and_said():
    exact = rt.System(
        kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2, potential=x**2 / 2 + 2 * y**2 + x**2 * y / 3
    )
    chapter = derive(rt.normal_form(rt.equilibrium(exact, {})))
    assert "in 1:2 resonance: it cannot be removed" in str(chapter)
    assert "1:2 resonance of modes 1, 2" in str(chapter["Resonances"].steps)


def test_parts_of_the_lagrangian_in_amplitudes_are_those_of_the_lagrangian():
    found = rt.normal_form(rt.equilibrium(coupled(), {}))
    names = [sympy.Symbol(n) for n in ("a1", "a2", "b1", "b2")]
    draw = np.random.default_rng(4).uniform(-0.5, 0.5, 4)
    numbers = dict(zip(names, draw, strict=True))
    deviation, rate = found.shapes @ draw[:2], found.shapes @ draw[2:]
    s = sympy.Symbol("s")
    system = coupled()
    xs, ys = system.coordinates
    L = sympy.Add(*system.kinetic) - sympy.Add(*system.potential)
    line = {xs: s * deviation[0], ys: s * deviation[1], xs.rate: s * rate[0], ys.rate: s * rate[1]}
    moved = sympy.Poly(sympy.expand(L.subs(line)), s)
    for degree in (2, 3, 4):
        own = energy_part(found.expansion, degree, names, found.shapes)
        assert float(own.subs(numbers)) == pytest.approx(
            float(moved.coeff_monomial(s**degree)), rel=1e-4
        )  # factors have six digits


def test_expansions_add_up_to_the_equations():
    swing = rt.System(
        kinetic=m * ddt(theta) ** 2 / 2, potential=-k * cos(theta), dissipation=c * ddt(theta) ** 2 / 2
    )
    chapter = derive(rt.expand(swing, {theta: 0}))
    (whole,) = chapter["Together"].formulas
    e = 0.01
    known = {"m": 1.3, "k": 2.0, "c": 0.4, "e_theta": e, "e_theta'": 0.02, "e_theta''": 0.03}
    exact = 1.3 * 0.03 + 0.4 * 0.02 + 2.0 * np.sin(e)
    assert value(whole.text.partition(" = ")[0], known) == pytest.approx(exact, abs=2.0 * e**5 / 100)
    assert "Nothing is of degree 2." in chapter["Together"].steps
    numbers = derive(rt.expand(rt.equilibrium(swing, {"m": 1.3, "k": 2.0, "c": 0.4}), order=3))
    assert "L^(4) = 0.0833333*e_theta**4" in str(numbers)
    assert [f.text for f in numbers["Together"].formulas] == [
        "1.3*e_theta'' + 0.4*e_theta' + 2*e_theta - 0.333333*e_theta**3 = 0"
    ]
    assert whole.text.endswith(" - k*e_theta**3/6 = 0")  # the lowest degree first


def test_expansions_in_numbers_have_the_parts_of_those_in_symbols():
    system = coupled()
    a, b = system.coordinates
    numeric = rt.expand(rt.equilibrium(system, {}), order=3)
    symbolic = rt.expand(system, {a: 0, b: 0}, order=3)
    eta = deviations(system.coordinates)
    own = [*symbolic.deviations, *(e.rate for e in symbolic.deviations)]
    own += [e.rate.rate for e in symbolic.deviations]
    here = np.random.default_rng(2).uniform(-1, 1, len(eta)).tolist()
    for degree in (1, 2, 3):
        part = equation_part(numeric, degree, eta)
        for found, row in zip(part, symbolic[degree], strict=True):
            wanted = float(row.subs(dict(zip(own, here, strict=True))))
            assert float(found.subs(dict(zip(eta, here, strict=True)))) == pytest.approx(
                wanted, rel=1e-5
            )
    assert "Together" in [section.title for section in derive(numeric)]


def test_an_expansion_of_a_field_lists_its_rows():
    s = rt.space("s", 0, 1)
    w = rt.field("w", over=s)
    slope = rt.diff(w, s)
    string = rt.System(
        kinetic=rt.integral(ddt(w) ** 2 / 2, s),
        potential=rt.integral(slope**2 / 2 + slope**4 / 4, s),
        constraints=[rt.at(w, s, 0), rt.at(w, s, 1)],
    )
    chapter = derive(rt.expand(string, {w: 0}))
    assert "Degree 2 adds nothing." in chapter["Equations by degree"].steps
    assert any("w_ss" in f.text for f in chapter["Equations by degree"].formulas)
