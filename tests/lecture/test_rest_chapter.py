"""The chapters on equilibrium: terms that add up to the conditions, and Newton's iterates."""

from __future__ import annotations

import numpy as np
import pytest
import sympy

import problems
import routh as rt
from holding import value as reading
from routh.lecture.derive import derive
from routh.lecture.linearized.rest_chapter import residuals
from routh.lecture.linearized.rest_terms import potential_of, rest_terms
from routh.mechanics.forms.chapter import Table
from routh.mechanics.solution_domain import existence
from sampling import assert_same

w = rt.parameter("w")
SYSTEMS = {
    "accelerated pendulum": (problems.accelerated_pendulum().system, {}),
    "turning spring": (problems.rotating_spring_mass().system, {}),
    "follower load": (problems.ziegler(True).system, {}),
    "prescribed crane": (problems.crane_prescribed().system, {}),
    "hill": (problems.gyroscopic_top_of_a_hill().system, {}),
    "conical pendulum": (problems.spherical_pendulum().system, {"phi": w}),
}
SLOW = [pytest.param("conical pendulum", marks=pytest.mark.slow)]


def pendulum_in_x_and_y():
    x, y = rt.coordinates("x y")
    m, l, g = rt.parameters("m l g")
    return rt.System(
        kinetic=m * (rt.ddt(x) ** 2 + rt.ddt(y) ** 2) / 2,
        potential=m * g * y,
        constraints=[(x**2 + y**2 - l**2) / 2],
    )


@pytest.mark.parametrize("name", [*list(SYSTEMS)[:-1], *SLOW])
def test_terms_add_up_to_the_conditions(name):
    system, speeds = SYSTEMS[name]
    found = rt.equilibrium_equations(system, speeds=speeds or None, solve=0)
    terms = rest_terms(system, found.speeds)
    for k in range(len(system.coordinates)):
        left = terms.momentum_rate[k] + terms.slope[k] + terms.damping[k] + terms.push[k]
        assert_same(left - terms.force[k], found.residual[k])


def test_terms_with_constraints_add_up():
    system = pendulum_in_x_and_y()
    found = rt.equilibrium_equations(system, solve=0)
    terms = rest_terms(system, {})
    rows = [terms.slope[k] + terms.push[k] for k in range(2)]
    assert_same(sympy.Matrix([*rows, *terms.held]), sympy.Matrix(found.residual))


def test_a5_has_the_rate_of_t1():
    p = problems.accelerated_pendulum()
    chapter = derive(rt.equilibrium_equations(p.system))
    assert chapter.title == "Accelerated pendulum: equilibrium"
    texts = [str(f) for f in chapter["Terms"].formulas]
    assert texts[0] == "d/dt dT1/dv + dV*/dq = 0"
    assert "d/dt dT1/dtheta' = -m*A*l*cos(theta)" in texts
    assert "theta = atan2(A, g)" in [str(f) for f in chapter["Solutions"].formulas]
    assert r"\frac{d}{dt} \frac{\partial T_1}{\partial \dot{\theta}}" in chapter.latex()


def test_inputs_enter_the_rate_of_t1():
    p = problems.crane_prescribed()
    terms = rest_terms(p.system, {})
    m, (theta,) = p.m, p.system.coordinates
    x_c, r = p.xc, p.r
    wanted = m * (r * rt.ddt(x_c, 2) + rt.ddt(r) * rt.ddt(x_c)) * rt.cos(theta)
    assert_same(terms.momentum_rate[0], wanted)


def test_steady_motion_is_told_with_its_speeds():
    p = problems.spherical_pendulum()
    found = rt.equilibrium_equations(p.system, speeds={"phi": w}, solve=0)
    assert found.speeds == {p.phi: w}
    chapter = derive(found)
    assert chapter.title == "Spherical pendulum: steady motion"
    assert str(chapter["Energies"].formulas[0]) == "phi' = w"


def iterates(chapter):
    (table,) = (step for step in chapter["Newton's method"].steps if isinstance(step, Table))
    return [[float(str(cell)) for cell in row] for row in table.rows]


def test_a7_iterates_are_those_of_newton_and_raphson():
    """The source's numbers: the first iterate, and the norms of the residuals."""
    p = problems.coupled_pendulums()
    rest = rt.equilibrium(p.system, p.values, guess={"theta1": 0.3, "theta2": -0.2})
    rows = iterates(derive(rest))
    assert rows[1][1:3] == pytest.approx([-0.112959551810791, -0.0600883044369771], rel=1e-9)
    norms = [row[-1] for row in rows[:4]]
    assert norms == pytest.approx([15.575, 2.0792, 2.4784e-2, 2.5974e-8], rel=1e-4)


def test_residuals_are_those_of_the_equations():
    p = problems.double_pendulum()
    rest = rt.equilibrium(p.system, p.values, guess={"theta1": 0.2, "theta2": 0.1})
    q = np.array([[0.4, -0.3]])
    rows = rt.equilibrium_equations(p.system, simplify=0, solve=0).residual
    put = {x: p.values[x.name] for x in p.system.parameters}
    put |= dict(zip(p.system.coordinates, q[0].tolist(), strict=True))
    wanted = [float(row.xreplace(put)) for row in rows]
    assert residuals(rest, q)[0] == pytest.approx(wanted, rel=1e-12)


def test_residuals_with_multipliers_that_fit_best_vanish_at_the_end():
    system = pendulum_in_x_and_y()
    rest = rt.equilibrium(system, {"m": 2, "l": 1.5, "g": 9.81}, guess={"x": 0.3, "y": -1})
    rows = iterates(derive(rest))
    assert rows[-1][-1] < 1e-12
    assert "multipliers that fit q best" in str(derive(rest))
    assert "lambda1 = 13.08" in str(derive(rest)["Result"].formulas[1])


def test_batch_tells_of_its_first_point():
    p = problems.pendulum()
    rest = rt.equilibrium(p.system, {**p.values, "m": [1.0, 2.0]})
    chapter = derive(rest)
    assert "Of the 2 points of the batch this is the first" in str(chapter["Values"].steps[0])
    assert "m = 1" in str(chapter["Values"].formulas[0])
    assert "m = 2" in str(derive(rest.single(1))["Values"].formulas[0])


def test_point_that_was_not_found_says_so():
    x = rt.coordinate("x")
    hopeless = rt.System(kinetic=rt.ddt(x) ** 2 / 2, potential=rt.exp(x))
    rest = rt.equilibrium(hopeless, {}, raises=False)
    assert "No equilibrium was found" in str(derive(rest)["Result"].steps[0])


def test_discretized_body_is_told_in_numbers():
    beam = rt.System(
        kinetic=rt.integral(rt.ddt(field_w) ** 2 / 2, along),
        potential=rt.integral(rt.diff(field_w, along, 2) ** 2 / 2 + field_w, along),
        constraints=[rt.at(field_w, along, 0), rt.at(rt.diff(field_w, along), along, 0)],
        name="cantilever",
    )
    rest = rt.equilibrium(rt.discretize(beam, {field_w: 3}), {})
    chapter = derive(rest)
    assert [section.title for section in chapter] == ["Newton's method", "Result"]


along = rt.space("s", 0, 1)
field_w = rt.field("w", along)


def test_a_solution_is_told_with_where_it_exists():
    theta = rt.coordinate("theta")
    m, R, g, omega = (rt.parameter(name, positive=True) for name in ("m", "R", "g", "omega"))
    hoop = rt.System(
        kinetic=m * R**2 * (rt.ddt(theta) ** 2 + omega**2 * rt.sin(theta) ** 2) / 2,
        potential=-m * g * R * rt.cos(theta),
    )
    found = rt.equilibrium_equations(hoop)
    told = [str(f) for f in derive(found)["Solutions"].formulas]
    assert told[0] == "theta = acos(g/(R*omega**2)), if g <= R*omega**2"
    assert told[-2:] == ["theta = 0", "theta = pi"]  # these exist everywhere
    assert "solution if g <= R*omega**2: theta = acos(g/(R*omega**2))" in str(found)


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        ("acos(a)", ["-1 <= a <= 1"]),
        ("acos(p/q)", ["p <= q"]),
        ("asin(-p/q)", ["p <= q"]),
        ("acos(1/2)", []),
        ("sqrt(1 - p**2/q**2)", ["q**2 >= p**2"]),
        ("sqrt(p)", []),
        ("1/sqrt(p - q)", ["p > q"]),
        ("p*a/(p - q)", ["p != q"]),
        ("a/p", []),
        ("atan2(a, p)", []),
        ("sqrt(a**2 + p)", []),
    ],
)
def test_where_solutions_exist(value, wanted):
    names = {"a": rt.parameter("a"), **{x: rt.parameter(x, positive=True) for x in "pq"}}
    e = sympy.parse_expr(value, local_dict=names)
    assert [str(each) for each in existence([e])] == wanted
    put = {names["a"]: 0.3, names["p"]: 0.4, names["q"]: 2.0}
    is_real = sympy.N(e.subs(put)).is_real
    assert is_real or wanted == ["p > q"]  # of these numbers that one alone is not so


def test_an_accelerated_base_has_an_effective_potential():
    p = problems.accelerated_pendulum()
    found = rt.equilibrium_equations(p.system)
    terms = rest_terms(p.system, {})
    theta = p.system.coordinates[0]
    assert_same(terms.inertia_potential.diff(theta), terms.momentum_rate[0])
    whole = str(derive(found)["Terms"].formulas[-1])
    assert whole.startswith("V* + W = ")
    A, g, l, m = (x for name in "Aglm" for x in p.system.parameters if x.name == name)
    wanted = -m * l * (g * rt.cos(theta) + A * rt.sin(theta))
    assert_same(wanted.diff(theta), found.residual[0])
    put = {**{str(x): 0.7 + k / 3 for k, x in enumerate((A, g, l, m))}, "theta": 0.4}
    value = float(wanted.subs({x: put[x.name] for x in (A, g, l, m, theta)}))
    assert reading(whole.partition(" = ")[2], put) == pytest.approx(value)
    assert "W" not in str(derive(rt.equilibrium_equations(problems.pendulum().system))["Terms"])


def test_slopes_without_a_potential_have_none():
    x, y = rt.coordinates("x y")
    assert potential_of([y, -x], (x, y)) is None
    assert_same(potential_of([y * rt.cos(x), rt.sin(x) + y], (x, y)), y * rt.sin(x) + y**2 / 2)
