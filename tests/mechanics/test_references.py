"""Where systems are linearized and rest: inputs that nobody gave, conditions on them, honest reasons."""

from __future__ import annotations

import random

import pytest
import sympy

import routh as rt
from routh import at, ddt, diff, integral, norm2, rotation, vector
from routh.mechanics.forms.vanish import vanishes
from routh.results import Input

L, R, J, rho, EI, Om = rt.parameters("L R J rho EI Omega")
theta, x = rt.coordinates("theta x")
u, P = rt.inputs("u P")
s = rt.space("s", 0, L)
w = rt.field("w", s)
CLAMPED = [at(w, s, 0), at(diff(w, s), s, 0)]


def numbers(e):
    """The expression at a point that is the same for every symbol of one name."""
    return float(e.subs({x: random.Random(str(x)).uniform(0.3, 0.9) for x in e.atoms(sympy.Symbol)}))


def test_matrices_keep_inputs_that_are_not_given():
    """By the second route: K and D + G are slopes of the equations of motion at the reference."""
    a = rt.parameter("a")
    system = rt.System(
        kinetic=ddt(theta) ** 2 * (1 + u) / 2 + ddt(x) ** 2 / 2 + u * ddt(theta) * ddt(x) * x,
        potential=u * theta**3 + sympy.cos(theta) * x + P * x**2,
        forces={theta: P * sympy.sin(x)},
    )
    linear = rt.linear_equations(system, {theta: a, x: 2 * a}, simplify=0)
    still = {q.rate.rate: 0 for q in (theta, x)} | {q.rate: 0 for q in (theta, x)}
    residual = rt.equations(system, simplify=0).residual
    for i in range(2):
        for j, q in enumerate((theta, x)):
            for matrix, by in ((linear.K + linear.H, q), (linear.D + linear.G, q.rate)):
                slope = residual[i].diff(by).subs(still).subs({theta: a, x: 2 * a})
                assert numbers(matrix[i, j]) == pytest.approx(numbers(slope), rel=1e-12, abs=1e-12)
        left = residual[i].subs(still).subs({theta: a, x: 2 * a})
        assert numbers(linear.residual[i]) == pytest.approx(numbers(left), rel=1e-12)
    assert {s.base for s in linear.K.atoms(Input)} == {u, P}
    given = rt.linear_equations(system, {theta: a, x: 2 * a, u: 0, P: 0}, simplify=0)
    assert not given.K.atoms(Input)


def column(load):
    return rt.System(
        kinetic=integral(rho / 2 * ddt(w) ** 2, s),
        potential=integral(EI / 2 * diff(w, s, 2) ** 2 - load / 2 * diff(w, s) ** 2, s),
        constraints=CLAMPED,
    )


def test_a_load_that_is_an_input_stays_in_the_linear_equations_of_a_column():
    fixed = rt.parameter("P")
    as_input, as_parameter = (
        rt.linear_equations(column(load), {w: 0}, simplify=0).rows for load in (P, fixed)
    )
    for one, other in zip(as_input, as_parameter, strict=True):
        assert one.expression.xreplace({P: fixed}) == other.expression
    assert (
        rt.linear_equations(column(P), {w: 0, P: 0}, simplify=0).partial[0].coefficient(diff(w, s, 2))
        == 0
    )


def test_the_deviation_of_an_input_that_stays_has_a_name_of_its_own():
    c = rt.parameter("c")
    row = rt.linear_equations(column(P), {w: c * s**2}, simplify=0).partial[0]
    named = {x.name: x for x in row.expression.free_symbols}
    assert row.coefficient(diff(w, s, 2)) == P
    assert row.coefficient(named["dP"]) == 2 * c
    given = rt.linear_equations(column(P), {w: c * s**2, P: 3}, simplify=0).partial[0]
    assert given.coefficient(P) == 2 * c  # its own deviation


def hub(**more):
    r = rotation(theta) @ vector(R + s, w)
    return rt.System(
        kinetic=J / 2 * ddt(theta) ** 2 + integral(rho / 2 * norm2(ddt(r)), s),
        potential=integral(EI / 2 * diff(w, s, 2) ** 2, s),
        constraints=CLAMPED,
        **more,
    )


@pytest.mark.parametrize("speeds", [None, {theta: Om}])
def test_a_hub_with_a_torque_rests_if_there_is_no_torque(speeds):
    found = rt.equilibrium_equations(hub(forces={theta: u}), speeds=speeds, simplify=0)
    assert found.required == (u,)
    assert found.solutions == ({theta: 0, w: 0},)
    assert "solution if u = 0: theta = 0, w = 0" in str(found)
    linear = rt.linear_equations(hub(forces={theta: u}), {theta: 0, w: 0}, simplify=0)
    assert [row.expression for row in linear.residual] == [-u]


def test_a_cart_with_a_force_rests_if_there_is_none_and_a_falling_mass_never():
    m, g = rt.parameters("m g")
    cart = rt.System(kinetic=m * ddt(x) ** 2 / 2, forces={x: u})
    assert str(rt.equilibrium_equations(cart, simplify=0)).endswith("solution if u = 0: every position")
    falling = rt.equilibrium_equations(
        rt.System(kinetic=m * ddt(x) ** 2 / 2, potential=m * g * x), simplify=0
    )
    assert not falling.solutions
    assert falling.remark == "There is no equilibrium unless m*g = 0."
    m, g = rt.parameters("m g", positive=True)
    falling = rt.equilibrium_equations(
        rt.System(kinetic=m * ddt(x) ** 2 / 2, potential=m * g * x), simplify=0
    )
    assert falling.remark == "The equations contradict each other: there is no equilibrium."


def test_a_pendulum_on_a_driven_cart():
    m, g = rt.parameters("m g")
    place = vector(x + sympy.sin(theta), -sympy.cos(theta))
    system = rt.System(kinetic=m / 2 * norm2(ddt(place)), potential=m * g * place[1], forces={x: u})
    found = rt.equilibrium_equations(system, simplify=0)
    assert found.required == (u,)
    assert {solution[theta] for solution in found.solutions} == {0, sympy.pi}


def rod(end):
    """A rod with a potential of the displacement of its end."""
    return rt.System(
        kinetic=integral(rho / 2 * ddt(w) ** 2, s),
        potential=integral(EI / 2 * diff(w, s) ** 2, s) + end(at(w, s, L)),
        constraints=[at(w, s, 0)],
    )


def test_the_reason_why_there_is_no_closed_form_is_the_true_one():
    # sin w(L) = 1/2 is not linear, and zero does not solve it: there are equilibria all the same
    bent = rt.equilibrium_equations(rod(lambda end: -sympy.cos(end) - end / 2), simplify=0)
    assert bent.remark == "The equations are not of a kind that is solved in closed form."
    found = rt.equilibrium(rt.discretize(rod(lambda end: -sympy.cos(end) - end / 2), {w: 4}),
                           {"EI": 1, "L": 1, "rho": 1})  # fmt: skip
    assert found.converged
    hurried = rt.equilibrium_equations(rod(lambda end: -end), solve=1e-9, simplify=0)
    assert hurried.remark == "None was found with the work of solve=1e-09; raise it."
    assert rt.equilibrium_equations(rod(lambda end: -end), simplify=0).solutions


@pytest.mark.slow
def test_the_reason_of_discrete_systems_is_the_true_one():
    system = rt.System(kinetic=ddt(x) ** 2 / 2, potential=x**2 / 2 + sympy.exp(sympy.sin(x)))
    hurried = rt.equilibrium_equations(system, solve=1e-9, simplify=0)
    assert hurried.remark == "None was found with the work of solve=1e-09; raise it."
    assert (
        "None was found by rules or by SymPy"
        in rt.equilibrium_equations(system, solve=5, simplify=0).remark
    )


def test_products_in_which_a_factor_cancels_vanish():
    a, b = rt.parameters("a b")
    sum_ = sympy.sin(a) ** 2 + sympy.cos(a) ** 2 - 1
    assert vanishes(b * sympy.sqrt(a) * sum_)
    assert vanishes(b * (a * sum_) ** 2 / (1 + b))
    assert not vanishes(b * (sum_ + sympy.Rational(1, 10**20)))
    assert vanishes(sympy.expand(10**40 * a * sum_))
    assert not vanishes(sympy.Float("1e-30") * a)
