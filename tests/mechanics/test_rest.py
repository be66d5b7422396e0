"""Equations of equilibrium in symbols, and their solutions in closed form."""

from __future__ import annotations

import random

import numpy as np
import pytest
import sympy

import problems
import routh as rt
from routh import ddt, rotation, sqrt, vector
from sampling import assert_same


def solutions(problem, unknown, **speeds):
    found = rt.equilibrium_equations(problem.system, **speeds)
    return found, [s[unknown] for s in found.solutions]


def test_a4_spring_on_a_turning_arm():
    p = problems.rotating_spring_mass()
    _, (x,) = solutions(p, p.x)
    m, k, a, Omega = (p.symbols[n] for n in ("m", "k", "a", "Omega"))
    assert_same(x, Omega**2 * m * a / (k - Omega**2 * m))


def test_a5_both_positions_under_acceleration():
    p = problems.accelerated_pendulum()
    _, (leaning, opposite) = solutions(p, p.theta)
    A, g = p.symbols["A"], p.symbols["g"]
    assert_same(leaning, sympy.atan2(A, g))
    assert_same(opposite - leaning, sympy.pi)


def test_b2_elastic_pendulum_hangs_and_stands():
    p = problems.elastic_pendulum()
    found = rt.equilibrium_equations(p.system, simplify=0)
    m, k, g, l0 = (p.symbols[n] for n in ("m", "k", "g", "l0"))
    hanging = [s for s in found.solutions if s[p.th] == 0]
    standing = [s for s in found.solutions if s[p.th] == sympy.pi]
    assert_same(hanging[0][p.length], l0 + m * g / k)
    assert_same(standing[0][p.length], l0 - m * g / k)


def test_b6_pushed_pendulum():
    p = problems.pushed_pendulum()
    _, (leaning, _) = solutions(p, p.theta)
    assert leaning == sympy.atan2(p.F, p.symbols["g"] * p.symbols["m"])


def test_bead_on_a_hoop():
    p = problems.bead_on_hoop()
    found, values = solutions(p, p.theta)
    g, R, omega = (p.symbols[n] for n in ("g", "R", "omega"))
    assert set(values) == {
        0, sympy.pi, sympy.acos(g / (R * omega**2)), -sympy.acos(g / (R * omega**2))
    }  # fmt: skip
    assert "solution: theta = pi" in str(found)
    assert r"\sin" in found.latex()


def test_conical_pendulum():
    p = problems.spherical_pendulum()
    Omega = rt.parameter("Omega")
    _, values = solutions(p, p.theta, speeds={p.phi: Omega})
    g, l = p.symbols["g"], p.symbols["l"]
    assert sympy.acos(g / (Omega**2 * l)) in values


@pytest.mark.parametrize(
    "make",
    [problems.double_pendulum, problems.elastic_pendulum, problems.bead_on_hoop,
     problems.accelerated_pendulum, problems.double_pendulum_absolute],
)  # fmt: skip
def test_solutions_are_equilibria(make):
    """Each closed form, as numbers, is where Newton's method stays."""
    p = make()
    found = rt.equilibrium_equations(p.system)
    assert found.solutions
    values = p.values | ({"omega": 4.0} if "omega" in p.values else {})
    at = {q: values[q.name] for q in p.system.parameters}
    for solution in found.solutions:
        guess = {q: complex(e.subs(at).evalf()) for q, e in solution.items()}
        if any(abs(z.imag) > 1e-12 for z in guess.values()):
            continue
        start = {q: z.real for q, z in guess.items()}
        if any(q.name == "l" and abs(z) < 1e-9 for q, z in start.items()):
            continue  # the pole of polar coordinates
        rest = rt.equilibrium(p.system, values, guess=start)
        np.testing.assert_allclose(rest.q, [start[q] for q in p.system.coordinates], atol=1e-9)


def test_multipliers_are_unknowns():
    x, y = rt.coordinates("x y")
    m, l, g = rt.parameters("m l g")
    bob = rt.System(
        kinetic=m / 2 * (ddt(x) ** 2 + ddt(y) ** 2),
        potential=m * g * y,
        constraints=[(x**2 + y**2 - l**2) / 2],
    )
    found = rt.equilibrium_equations(bob, simplify=0)
    assert [str(u) for u in found.unknowns] == ["x", "y", "lambda1"]
    assert len(found.solutions) == 2
    assert all(s[x] == 0 and vanishes_with(s, y, l) for s in found.solutions)


def vanishes_with(solution, y, l):
    return sympy.expand(solution[y] ** 2 - l**2) == 0


def test_no_seconds_no_solutions():
    p = problems.bead_on_hoop()
    assert rt.equilibrium_equations(p.system, solve=0, simplify=0).solutions == ()
    with pytest.raises(rt.DeclarationError, match="`solve` is how much work to spend on solutions"):
        rt.equilibrium_equations(p.system, solve=-1, simplify=0)
    with pytest.raises(rt.DeclarationError, match=r"`speeds` has `phi`, which is no coordinate"):
        rt.equilibrium_equations(p.system, speeds={"phi": 1}, simplify=0)


def test_hard_equations_are_shown_without_solutions():
    p = problems.coupled_pendulums()
    found = rt.equilibrium_equations(p.system, solve=0.3, simplify=0)
    assert found.residual.shape == (2, 1)
    values = {q: p.values[q.name] for q in p.system.parameters}
    there = {p.th1: 1.04424882443229, p.th2: -1.04424882443229}
    assert np.abs(np.array(found.residual.subs(values).subs(there), dtype=float)).max() < 1e-12


def test_only_angles_are_turned_back():
    x = rt.coordinate("x")
    system = rt.System(kinetic=ddt(x) ** 2 / 2, potential=(x - 3 * rt.pi) ** 2)
    assert rt.equilibrium_equations(system, simplify=0).solutions == ({x: 3 * sympy.pi},)


def test_time_and_what_is_not_cyclic_have_no_solutions():
    x = rt.coordinate("x")
    shaken = rt.System(kinetic=ddt(x) ** 2 / 2, potential=x**2 / 2 + x * rt.sin(rt.t))
    assert rt.equilibrium_equations(shaken, simplify=0).solutions == ()
    spring = rt.System(kinetic=ddt(x) ** 2 / 2, potential=x**2 / 2)
    with pytest.raises(rt.DerivationError, match=r"`x` cannot move on at a constant rate"):
        rt.equilibrium_equations(spring, speeds={"x": 1}, simplify=0)
    with pytest.raises(rt.DeclarationError, match=r"The rate of `x` must be constant"):
        rt.equilibrium_equations(spring, speeds={x: rt.t}, simplify=0)


# -- Forces of rounding size -----------------------------------------------------------------------


def _arm(unit=1.0):
    """Two links, the first axis vertical; the angle about it in other units if asked for."""
    a, b = rt.coordinates("a b")
    t1, t2 = rt.inputs("t1 t2")
    R = rotation(unit * a, vector(0, 0, 1)) @ rotation(b, vector(0, 1, 0))
    r = R @ vector(0.5, 0, 0)
    T = rt.rigid_body(1.3, (0.1, 0.2, 0.2), r, R)
    return rt.System(kinetic=T, potential=1.3 * 9.81 * r[2], forces={a: t1, b: t2}), (a, b), (t1, t2)


@pytest.mark.parametrize("unit", [1.0, 1e-6, 1e6])
def test_a_torque_of_rounding_size_is_no_reason_against_rest(unit):
    system, (a, b), (t1, t2) = _arm(unit)
    torque = -1.3 * 9.81 * 0.5 * np.cos(0.5)
    rest = rt.equilibrium(system, {}, inputs={t1: 1.7e-16 * unit, t2: torque}, guess={a: 0.1, b: 0.5})
    np.testing.assert_allclose(rest.q, [0.1, 0.5], rtol=1e-12)
    assert "on `a`, rounding beside the other forces, was taken for zero" in str(rest)
    found = rt.equilibria(system, {}, inputs={t1: 1.7e-16 * unit, t2: torque})
    assert len(found) == 2
    for more in (1e-9, 1.0):
        with pytest.raises(rt.NoEquilibrium, match="does not depend on any coordinate"):
            rt.equilibrium(system, {}, inputs={t1: more * unit, t2: torque}, guess={b: 0.5})


def test_a_tiny_force_that_acts_alone_is_one():
    x, f = rt.coordinate("x"), rt.input("f")
    with pytest.raises(rt.NoEquilibrium, match="force 1e-16 on `x`"):
        rt.equilibrium(rt.System(kinetic=ddt(x) ** 2 / 2, forces={x: f}), {}, inputs={f: 1e-16})


def test_positions_at_which_a_force_is_infinite_are_no_solutions():
    """The root in the length of the spring vanishes there, and it is divided by."""
    p = problems.coupled_pendulums()
    found = rt.equilibrium_equations(p.system, simplify=0)
    assert not any(value.has(sympy.acos) for each in found.solutions for value in each.values())


X = rt.coordinate("x")
C, L = rt.parameters("c l")


@pytest.mark.parametrize(
    ("force", "several"),
    [
        (sqrt(X + 3) - X - C, 2),
        (sqrt(X + 3) + X + C, 1),
        (X - C * X / sqrt(X**2 + L**2), 3),
        (X / sqrt(X**2 + L**2) - C, 1),
        (sqrt(X + C) - L, 1),
        (1 / sqrt(X) - C, 1),
    ],
)
def test_solutions_of_roots_hold_where_they_say_and_nowhere_else(force, several):
    """At many values of the parameters: what is said to be a solution is one, what is not is none."""
    system = rt.System(kinetic=rt.ddt(X) ** 2 / 2, forces={X: force})
    found = rt.equilibrium_equations(system, simplify=0)
    pick, held = random.Random(5), 0
    for _ in range(30):
        at = {s: sympy.Float(pick.uniform(-3.5, 3.5), 30) for s in (C, L)}
        told = 0
        for solution, needed in zip(found.solutions, found.nonnegative, strict=True):
            value = sympy.N(solution[X].subs(at), 30)
            says = value.is_real and all(sympy.N(e.subs(at), 30) >= 0 for e in needed)
            left = sympy.N(force.subs({X: value}).subs(at), 30)
            holds = value.is_real and left.is_real and abs(left) < 1e-20
            assert bool(says) == bool(holds)
            told += bool(says)
        held = max(held, told)
    assert held == several


def test_where_solutions_of_roots_hold_is_told():
    """Of sqrt(x + 3) = x + c there are two for 3 <= c <= 13/4, and one below."""
    found = rt.equilibrium_equations(
        rt.System(kinetic=rt.ddt(X) ** 2 / 2, forces={X: sqrt(X + 3) - X - C})
    )
    assert "solution if 13 >= 4*c, 1 >= sqrt(13 - 4*c): x = 1/2 - c - sqrt(13 - 4*c)/2" in str(found)
    assert "solution if 13 >= 4*c: x = sqrt(13 - 4*c)/2 - c + 1/2" in str(found)
    assert r"\text{if }" in found._repr_markdown_()
    for c, count in ((2.9, 1), (3.1, 2), (3.3, 0)):
        roots = np.roots([1, 2 * c - 1, c**2 - 3])
        true = [r for r in roots if abs(r.imag) < 1e-12 and r.real + c >= 0]
        says = [
            4 * c <= 13 and all(bool(sympy.N(e.subs({C: c})) >= 0) for e in needed)
            for needed in found.nonnegative
        ]
        assert sum(says) == len(true) == count
