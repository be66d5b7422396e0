"""The chapter on linear equations: its terms against numbers, its conditions against verdicts."""

from __future__ import annotations

import dataclasses
import itertools
from functools import cache

import numpy as np
import pytest
import sympy
from sympy import ImmutableDenseMatrix as Matrix

import problems
import routh as rt
from routh import cos, ddt, norm2, sin, t, vector
from routh.language.symbols import Coordinate
from routh.lecture.derive import derive
from routh.lecture.lagrangian.admissible_basis import admissible_basis
from routh.lecture.linearized.array_steps import lettered, named, rows_of
from routh.lecture.linearized.characteristic import characteristic
from routh.lecture.linearized.linear_terms import OnReference
from routh.lecture.linearized.matrix_letters import MatrixLetters
from routh.lecture.linearized.routh_array import routh_arrays
from routh.lecture.linearized.second_derivatives import (
    input_derivatives,
    on_reference,
    second_derivatives,
)
from routh.lecture.linearized.small_motions import admissible, small_motions
from routh.lecture.linearized.stability_sections import stability_sections
from routh.mechanics.forms.chapter import Formula, Table
from sampling import assert_same


def declared_positive(problem, *free):
    """The problem with all parameters positive but some."""
    own = {
        p: rt.parameter(p.name, positive=True) for p in problem.system.parameters if p.name not in free
    }
    system = problem.system
    parts = {
        part: [e.xreplace(own) for e in getattr(system, part)]
        for part in ("kinetic", "potential", "lagrangian", "dissipation", "constraints")
        if getattr(system, part)
    }
    if system.forces:
        parts["forces"] = [
            dataclasses.replace(
                force,
                at=tuple(e.xreplace(own) for e in force.at),
                components=tuple(e.xreplace(own) for e in force.components),
            )
            for force in system.forces
        ]
    return rt.System(**parts, name=system.name)


def cartesian_pendulum():
    x, y = rt.coordinates("x y")
    m, l, g = (rt.parameter(name, positive=True) for name in "mlg")
    return rt.System(
        kinetic=m * (ddt(x) ** 2 + ddt(y) ** 2) / 2,
        potential=m * g * y,
        constraints=[(x**2 + y**2 - l**2) / 2],
        name="pendulum in x and y",
    )


def steady_top():
    top = problems.heavy_top()
    theta0, Omega, sigma = rt.parameters("theta0 Omega sigma")
    return top.system, {"theta": theta0, "phi": Omega * t, "psi": sigma * t}


def vibrating():
    theta = rt.coordinate("theta")
    m, l, g, a, w = rt.parameters("m l g a w")
    r = vector(l * sin(theta), l * cos(theta) + a * cos(w * t))
    return rt.System(kinetic=m / 2 * norm2(ddt(r)), potential=m * g * r[1], name="vibrating base")


def slow(name, *long):
    """A case that takes long, marked as such."""
    return pytest.param(name, marks=pytest.mark.slow) if name in long else name


A5 = problems.accelerated_pendulum()
REFERENCES = {
    "pendulum": (problems.pendulum().system, {"theta": 0}),
    "double pendulum": (problems.double_pendulum().system, {"theta1": 0, "theta2": sympy.pi}),
    "accelerated": (A5.system, {"theta": sympy.atan2(A5.A, A5.g)}),
    "ziegler": (problems.ziegler(True).system, {"phi1": 0, "phi2": 0}),
    "rope": (problems.crane_rope().system, {"X": 0, "theta": 0}),
    "prescribed": (problems.crane_prescribed().system, {"theta": sympy.Rational(1, 5)}),
    "constraint": (cartesian_pendulum(), {"x": 0, "y": -rt.parameter("l", positive=True)}),
    "top": steady_top(),
    "vibrating": (vibrating(), {"theta": 0}),
}


@cache
def told(name):
    """The chapter on one of the references."""
    system, about = REFERENCES[name]
    return derive(rt.linear_equations(system, about))


LONG = ("double pendulum", "ziegler", "rope", "prescribed", "top")
"""References whose second derivatives take seconds to shorten."""


@pytest.mark.parametrize("name", [slow(name, *LONG) for name in REFERENCES])
def test_terms_add_up_to_the_matrices(name):
    system, about = REFERENCES[name]
    linear = rt.linear_equations(system, about, simplify=0)
    at = on_reference(system, linear.about)
    rates = {x: value for x, value in at.items() if isinstance(x, Coordinate) and x.order}
    of, place = second_derivatives(system, rates), OnReference(at, MatrixLetters(system))
    F = place.here(of.L_vq)
    assert_same(place.here(of.L_vv), linear.M)
    C = place.rate(of.L_vv) + F - F.T + place.here(of.D_vv) - place.here(of.Q_v)
    assert_same(Matrix(C), Matrix(linear.D + linear.G))
    K = place.rate(of.L_vq) - place.here(of.L_qq) + place.here(of.D_vq) - place.here(of.Q_q)
    assert_same(Matrix(K + place.here(of.J_q)), Matrix(linear.K + linear.H))
    for k, u in enumerate(linear.inputs):
        by = input_derivatives(system, u, rates)
        column = place.rate(by.L_vu) + place.here(by.L_v_below) - place.here(by.L_qu)
        column = column + place.here(by.D_vu) - place.here(by.Q_u) + place.here(by.J_u)
        assert_same(Matrix(-column), Matrix(linear.B[:, k]))


def test_pendulum_is_told_as_in_a_lecture():
    chapter = told("pendulum")
    assert chapter.title == "Pendulum: the linear equations"
    rows = [str(f) for f in chapter["Equations of small motions"].formulas]
    assert rows[-1] == "theta'' + g/l*theta = 0"
    assert str(chapter["Conditions of stability"].formulas[0]) == "g*l > 0"
    assert r"\ddot{\theta}" in chapter.latex()


def test_accelerated_base_has_the_rate_of_f_in_its_stiffness():
    chapter = told("accelerated")
    texts = [str(f) for f in chapter["Stiffness and circulatory forces"].formulas]
    assert texts[0] == "K + H = dF/dt - L_qq"
    assert any(line.startswith("dF/dt = ") for line in texts)
    assert "theta'' + sqrt(g**2 + A**2)/l*theta = 0" in str(chapter)


def test_constraints_are_told_with_multipliers_and_basis():
    chapter = told("constraint")
    texts = [str(f) for f in chapter["Constraints"].formulas]
    assert "lambda1 = m*g/l" in texts
    assert str(chapter["Equations of small motions"].formulas[-1]) == "x'' + g/l*x = 0"


def test_input_on_the_right_side():
    p = problems.crane_trolley()
    chapter = derive(rt.linear_equations(p.system, {"X": 0, "theta": 0}))
    assert "(M + m)*X'' + m*l*theta'' = F" in str(chapter)
    assert "no force brings `X` back" in str(chapter["Conditions of stability"].steps[0])


def test_matrices_that_change_in_time_have_no_polynomial():
    chapter = told("vibrating")
    assert [section.title for section in chapter][-1] == "Stability"
    assert "Floquet" in str(chapter["Stability"].steps[0])


def test_basis_of_admissible_motions_is_one():
    a, b = rt.parameters("a b")
    J = Matrix([[a, b, 1, 0], [b, a, 0, 2], [a + b, a + b, 1, 2]])  # the last is the sum
    Z, kept = admissible_basis(J)
    assert Z.shape == (4, 2)
    assert_same(J * Z, sympy.zeros(3, 2))
    assert Z[kept, :] == sympy.eye(2)


def polynomial_of(system, about):
    linear = rt.linear_equations(system, about)
    full = small_motions(linear)
    motions = admissible(linear, full)[0] if linear.multipliers else full
    return characteristic(motions)


@pytest.mark.slow
def test_a6_polynomial_has_the_numbers_of_the_source():
    p = problems.rotating_table()
    system = declared_positive(p)
    found = polynomial_of(system, {"x": 0, "y": 0})
    put = {x: sympy.nsimplify(p.values[x.name]) for x in system.parameters}
    assert [c.xreplace(put) for c in found] == [1, sympy.Rational(1, 2), 58, 13, 416]


def test_rolling_disc_polynomial_has_the_roots_of_the_model():
    """Velocity constraints border the determinant: a skate with a spring, x' sin = y' cos."""
    x, y, phi = rt.coordinates("x y phi")
    system = rt.System(
        kinetic=(ddt(x) ** 2 + ddt(y) ** 2 + ddt(phi) ** 2) / 2,
        potential=2 * phi**2,
        constraints=[sin(phi) * ddt(x) - cos(phi) * ddt(y)],
        name="skate",
    )
    found = polynomial_of(system, dict.fromkeys(("x", "y", "phi"), 0))
    linear = rt.linearize(rt.equilibrium(system, {}))
    values = rt.modes(linear).eigenvalues
    roots = np.sort(np.abs(np.roots([float(c) for c in found])))
    assert roots[-len(values) :] == pytest.approx(np.sort(np.abs(values)), abs=1e-7)


def held(steps, values):
    """Where all conditions hold, for arrays of values."""
    relations = [step.text for step in steps if isinstance(step, Formula)]
    names = {name: sympy.Symbol(name) for name in values}
    parsed = [sympy.parse_expr(text, local_dict=names) for text in relations]
    every = [sympy.lambdify(list(names.values()), relation)(*values.values()) for relation in parsed]
    return np.all(np.broadcast_arrays(*every), axis=0)


CASES = {
    "rotating table": (
        problems.rotating_table, ("Omega",), {}, {"x": 0, "y": 0}, rt.Verdict.ASYMPTOTICALLY_STABLE
    ),
    "column with dampers": (
        lambda: problems.ziegler(True), ("P",), {"d": (0.1, 2)}, {"phi1": 0, "phi2": 0},
        rt.Verdict.ASYMPTOTICALLY_STABLE,
    ),
    "column without": (
        lambda: problems.ziegler(False), ("P",), {}, {"phi1": 0, "phi2": 0}, rt.Verdict.STABLE
    ),
    "upper double pendulum": (
        problems.double_pendulum, ("g",), {"g": (-9, 9)}, {"theta1": 0, "theta2": 0}, rt.Verdict.STABLE
    ),
    "hill": (
        problems.gyroscopic_top_of_a_hill, (), {"g": (1, 5)}, {"x": 0, "y": 0}, rt.Verdict.STABLE
    ),
    "spinning spring": (
        problems.bead_on_hoop, ("omega",), {"g": (1, 5)}, {"theta": 0}, rt.Verdict.STABLE
    ),
}  # fmt: skip


LENGTHY = ("rotating table", "column with dampers", "upper double pendulum")
"""Systems whose equations take seconds to shorten."""


@pytest.mark.parametrize("name", [slow(name, *LENGTHY) for name in CASES])
def test_conditions_hold_where_the_verdict_says_so(name):
    make, free, ranges, about, good = CASES[name]
    system = declared_positive(make(), *free)
    generator = np.random.default_rng(18)
    values = {p.name: generator.uniform(*ranges.get(p.name, (0.3, 4)), 60) for p in system.parameters}
    motions = small_motions(rt.linear_equations(system, about))
    sections = dict(stability_sections(motions, MatrixLetters(system)))
    verdicts = rt.stability(rt.linearize(rt.equilibrium(system, values, guess=about))).verdict
    expected = verdicts == good
    assert 3 < expected.sum() < 57
    assert held(sections["Conditions of stability"], values).tolist() == expected.tolist()


def test_array_in_letters_counts_roots():
    values = [1, 3, 7, 9, 11, 4, 2]
    given = sympy.symbols("k0:7")
    letters = named(given)
    array, fractions = lettered(letters, rows_of(given))
    put = {x.name: sympy.Integer(v) for x, v in zip(letters, values, strict=True)}
    for each in fractions:
        left, right = each.text.split(" = ")
        put[left] = sympy.parse_expr(right, local_dict=put)
    column = [sympy.parse_expr(str(e), local_dict=put) for e in array.column]
    ((exact, _),) = routh_arrays(values)
    assert column == list(exact.column)


def test_array_in_letters_of_an_even_polynomial():
    letters = [x if not k % 2 else sympy.S.Zero for k, x in enumerate(sympy.symbols("a0:7"))]
    array, fractions = lettered(letters, "abcdefgh")
    # (x + 1)(x + 2)(x + 5) with x = s^2: imaginary and different, the column is positive
    put = dict(zip(("a0", "a2", "a4", "a6"), map(sympy.Integer, (1, 8, 17, 10)), strict=True))
    for each in fractions:
        left, right = each.text.split(" = ")
        put[left] = sympy.parse_expr(right, local_dict=put)
    assert all(sympy.parse_expr(str(e), local_dict=put) > 0 for e in array.column)


def chain(n):
    """n masses in a row, the first one tied to the wall, the last one damped."""
    x = rt.coordinates(" ".join(f"x{k}" for k in range(1, n + 1)))
    m, c, k = (rt.parameter(name, positive=True) for name in "mck")
    stretches = [x[0], *(b - a for a, b in itertools.pairwise(x))]
    return rt.System(
        kinetic=[m * ddt(each) ** 2 / 2 for each in x],
        potential=[k * each**2 / 2 for each in stretches],
        dissipation=c * ddt(x[-1]) ** 2 / 2,
        name="chain",
    )


def test_chain_with_one_damper_decays_by_its_array():
    chapter = derive(rt.linear_equations(chain(3), dict.fromkeys(("x1", "x2", "x3"), 0)))
    (table,) = (step for step in chapter["Routh's array"].steps if isinstance(step, Table))
    column = [row[1] for row in table.rows]
    assert list(map(str, column)) == [
        "m**3", "c*m**2", "k*m**2", "c*k*m", "k**2*m", "c*k**2", "k**3"
    ]  # fmt: skip
    assert "all motions decay" in str(chapter["Conditions of stability"].steps[-1])


def test_singular_mass_makes_no_claim_about_minors():
    """A massless place between two springs: one of the two roots s^2 is missing."""
    x, y = rt.coordinates("x y")
    m, k = (rt.parameter(name, positive=True) for name in "mk")
    c = rt.parameter("c")
    system = rt.System(kinetic=m * ddt(x) ** 2 / 2, potential=k * (x - y) ** 2 / 2 + c * y**2 / 2)
    chapter = derive(rt.linear_equations(system, {"x": 0, "y": 0}))
    said = chapter["Conditions of stability"]
    assert "M is singular" in str(said.steps[0])
    assert "positive definite" not in str(said.steps)
    # s^2 = -k c / (m (k + c)): stable also where both c and k + c are negative
    (condition,) = (formula.text for formula in said.formulas)
    for value, wanted in ((1.0, True), (-0.5, False), (-3.0, True)):
        held_there = sympy.parse_expr(condition, local_dict={"c": value, "k": 1.0, "m": 1.0})
        assert bool(held_there) == wanted


def test_negative_square_may_be_zero():
    x, y = rt.coordinates("x y")
    k = rt.parameter("k")
    system = rt.System(kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2, potential=k * (x**2 - y**2) / 2)
    steps = derive(rt.linear_equations(system, {"x": 0, "y": 0}))["Conditions of stability"].steps
    assert steps[-1] == "It is unstable where this is not zero."


@pytest.mark.parametrize("name", ["pendulum", "accelerated", "constraint", "vibrating"])
def test_latex_has_its_braces(name):
    made = told(name).latex()
    assert made.count("{") == made.count("}")
    assert made.count(r"\left") == made.count(r"\right")
    assert made.count(r"\begin") == made.count(r"\end")


def test_gain_beside_loss_is_no_case_for_lagrange_and_dirichlet():
    """Damping and its opposite leave a polynomial in s^2, and yet something grows."""
    x, y = rt.coordinates("x y")
    c = rt.parameter("c")
    system = rt.System(
        kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2,
        potential=(x**2 + y**2) / 2,
        dissipation=c * (ddt(x) ** 2 - ddt(y) ** 2) / 2,
    )
    chapter = derive(rt.linear_equations(system, {"x": 0, "y": 0}))
    assert "Lagrange and Dirichlet" not in str(chapter)
    rest = rt.equilibrium(system, {"c": 0.3})
    assert rt.modes(rt.linearize(rest)).eigenvalues.real.max() == pytest.approx(0.15)


def test_a_determinant_that_vanishes_is_not_called_long():
    x, y = rt.coordinates("x y")
    k = rt.parameter("k")
    system = rt.System(kinetic=(ddt(x) + ddt(y)) ** 2 / 2, potential=k * (x + y) ** 2 / 2)
    chapter = derive(rt.linear_equations(system, {"x": 0, "y": 0}))
    assert "vanishes whatever s is" in str(chapter["Characteristic polynomial"])
    assert "too long" not in str(chapter)


def test_a_multiplier_that_is_zero_is_so_beside_an_input_too():
    x, y, theta = rt.coordinates("x y theta")
    m, u = rt.parameter("m"), rt.input("u")
    skate = rt.System(
        kinetic=m * (ddt(x) ** 2 + ddt(y) ** 2 + ddt(theta) ** 2) / 2,
        constraints=[ddt(x) * sin(theta) - ddt(y) * cos(theta)],
        forces={x: u},
    )
    chapter = derive(rt.linear_equations(skate, about={x: 0, y: 0, theta: 0}))
    assert "lambda1 = 0" in chapter["Constraints"].text()
    rows = [row.text for row in chapter["Equations of small motions"].formulas]
    assert rows == ["m*x'' = u", "m*y'' - mu1 = 0", "m*theta'' = 0", "-y' = 0"]


def test_matrices_and_the_variable_give_way_to_letters_of_the_system():
    x, y = rt.coordinates("x y")
    M, K, s, eta = rt.parameters("M K s eta", positive=True)
    system = rt.System(
        kinetic=M * (ddt(x) ** 2 + ddt(y) ** 2) / 2,
        potential=K * x**2 / 2 + s * (x - y) ** 2 / 2,
        dissipation=eta * ddt(x) ** 2 / 2,
    )
    chapter = derive(rt.linear_equations(system, about={x: 0, y: 0}))
    remarks = chapter["Letters"].text()
    assert "The letter `M` belongs to the system: the mass matrix is written `M_mat`." in remarks
    assert "the variable of the characteristic polynomial is written `p`" in remarks
    assert chapter["Mass"].formulas[0].text.startswith("M_mat = L_vv = [M, 0]")
    assert chapter["Mass"].formulas[0].latex.startswith(r"{M_{\mathrm{mat}}} = L_{vv} =")
    determinant, polynomial = chapter["Characteristic polynomial"].formulas
    assert determinant.text == "det(M_mat*p**2 + D*p + K_mat) = 0"
    assert polynomial.text.startswith("M**2*p**4 + M*eta*p**3")
    assert "exp(p t)" in chapter["Characteristic polynomial"].text()
    rest = rt.equilibrium(system, {M: 2, K: 3, s: 1, eta: 1})
    model = derive(rt.linearize(rest)).text()
    assert "M_mat xi'' + (D + G) xi' + (K_mat + H) xi = B u" in model
    assert "M_mat = [2, 0]" in model
    assert "\n    M = [" not in model


def test_no_letters_are_told_of_where_none_gives_way():
    x = rt.coordinate("x")
    m, k = rt.parameters("m k")
    system = rt.System(kinetic=m * ddt(x) ** 2 / 2, potential=k * x**2 / 2)
    chapter = derive(rt.linear_equations(system, about={x: 0}))
    assert "Letters" not in [section.title for section in chapter]


def test_letters_of_the_array_are_none_of_the_coefficients():
    a0, c1, k = sympy.symbols("a0 c1 k")
    a = [a0, c1, k, a0 + k, c1 * k, k**2]
    array, fractions = lettered(named(a), rows_of(a))
    assert str(array.rows[0]) == "(b0, b2, b4)"
    assert fractions[0].text == "d0 = (b1*b2 - b0*b3)/b1"


def two_masses(dissipation, potential):
    m = rt.parameter("m", positive=True)
    a, b = rt.coordinates("a b")
    k, c = rt.parameter("k", 2.0), rt.parameter("c", 3.0, positive=True)
    system = rt.System(
        kinetic=m * (ddt(a) ** 2 + ddt(b) ** 2) / 2,
        potential=potential(a, b, k),
        dissipation=dissipation(ddt(a), ddt(b), c),
    )
    return derive(rt.linear_equations(system, {a: 0, b: 0}))["Conditions of stability"]


def test_conditions_that_cannot_be_met_together_are_told_as_such():
    """Two masses apart from each other, one of them fed by negative damping: unstable for every k."""
    told = two_masses(lambda v, w, c: c * v**2 - c * w**2 / 2, lambda a, b, k: k * (a**2 + b**2) / 2)
    assert "They cannot be met together" in str(told)
    assert told.steps[-1].startswith("It is unstable for every value of the parameters")
    for k in (-3.0, -0.2, 0.1, 5.0):  # m = 1, c = 3: the mode of b by itself
        assert max(np.roots([1, -3.0, k]).real) > 0


def test_declared_values_that_violate_a_condition_are_told():
    told = two_masses(
        lambda v, w, c: c * v**2 - c * w**2 / 2, lambda a, b, k: k * (a**2 + b**2 + (a - b) ** 2) / 2
    )
    assert [str(f) for f in told.formulas] == ["k*m > 4*c**2"]
    held = two_masses(
        lambda v, w, c: c * (v**2 + w**2), lambda a, b, k: (k * a**2 + (k - 3) * b**2) / 2
    )
    assert [str(f) for f in held.formulas] == ["k > 3", "k = 2", "k > 3"]
    assert "this one is violated:" in held.steps


def test_conditions_of_a_hoop_are_multiplied_out():
    theta = rt.coordinate("theta")
    R, g, w, m = (rt.parameter(name, positive=True) for name in ("R", "g", "omega", "m"))
    hoop = rt.System(
        kinetic=m * R**2 * (ddt(theta) ** 2 + w**2 * sin(theta) ** 2) / 2,
        potential=-m * g * R * cos(theta),
    )
    chapter = derive(rt.linear_equations(hoop, {theta: sympy.acos(g / (R * w**2))}))
    assert str(chapter["Conditions of stability"].formulas[0]) == "R*omega**2 > g"
    assert "g <= R*omega**2" in [str(f) for f in chapter["Reference"].formulas]


def held_twice():
    x, y = rt.coordinates("x y")
    m, g, l = rt.parameters("m g l")
    ring = x**2 + y**2 - l**2
    return rt.System(
        kinetic=m * (ddt(x) ** 2 + ddt(y) ** 2) / 2, potential=m * g * y, constraints=[ring / 2, ring]
    )


def test_multipliers_of_constraints_that_repeat_each_other_are_told_as_not_unique():
    system = held_twice()
    x, y = system.coordinates
    l = next(p for p in system.parameters if p.name == "l")
    chapter = derive(rt.linear_equations(system, {x: 0, y: -l}))
    assert "`lambda2` may have any value" in str(chapter["Constraints"])
    assert str(chapter["Equations of small motions"].formulas[-1]) == "x'' + g/l*x = 0"
    solutions = derive(rt.equilibrium_equations(system))["Solutions"]
    assert "`lambda2` may have any value" in str(solutions)
    rest = rt.equilibrium(system, {"m": 1, "g": 9.81, "l": 1}, guess={"x": 0.1, "y": -1})
    for told in (derive(rest)["Result"], derive(rt.linearize(rest))["Reference"]):
        assert "multipliers are those of least norm" in str(told)
        assert "-J^T lambda, is unique" in str(told)
    # whatever share the second one has, the force on the mass is its weight
    assert rest.multipliers @ [1, 2] == pytest.approx(9.81)


def test_a_letter_that_is_in_the_matrices_has_a_delta_before_its_deviation():
    p = problems.crane_prescribed()
    (theta,) = p.system.coordinates
    rows = derive(rt.linear_equations(p.system, {theta: sympy.Rational(1, 5)}))
    told = rows["Equations of small motions"]
    assert "but delta is before those of" in told.steps[0]
    assert "*delta r" in str(told.formulas[0])
    plain = derive(rt.linear_equations(problems.pendulum().system, {"theta": 0}))
    assert "delta" not in str(plain["Equations of small motions"])


def test_a_determinant_without_s_has_no_roots():
    x, y = rt.coordinates("x y")
    k = rt.parameter("k")
    massless = rt.System(kinetic=ddt(x) ** 2 / 2, potential=k * x * y)
    told = derive(rt.linear_equations(massless, {x: 0, y: 0}))["Characteristic polynomial"]
    assert "It does not contain s: no motion exp(s t) is free." in told.steps
    assert str(told.formulas[-1]).endswith("!= 0")


def test_letters_of_an_array_are_told_where_the_polynomial_has_none():
    x, y = rt.coordinates("x y")
    a, b, c, d = rt.parameters("a b c d")
    system = rt.System(
        kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2,
        forces={
            x: -a * ddt(x) - b * ddt(y) - 10 * x + 4 * y,
            y: -c * ddt(x) - d * ddt(y) - 2 * x - 7 * y,
        },
    )
    chapter = derive(rt.linear_equations(system, {x: 0, y: 0}))
    told = [str(f).partition(" = ")[0] for f in chapter["Routh's array"].formulas]
    assert told == ["a1", "a2", "a3", "b0", "c0"]
