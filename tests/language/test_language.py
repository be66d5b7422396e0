"""Symbols, derivatives, vectors, intermediates, forces and the system they make."""

from __future__ import annotations

import copy

import numpy as np
import pytest
import sympy
from sympy.physics.mechanics import LagrangesMethod, dynamicsymbols

import problems
import routh as rt
from routh import cos, cross, ddt, diff, dot, let, norm2, rotation, sin, t, vector
from routh.kernels.kernel import kernel
from routh.language.walk import leaves, lets, unfold
from sampling import assert_same, point

x, y = rt.coordinates("x y")
m, k = rt.parameters("m k")
u = rt.input("u")


FUNCTIONS = [sympy.Function(name, real=True)(t) for name in ("fx", "fy", "fu")]
VALUES = [0.4, 0.7, 0.3]


def function_of_time(expression):
    """The same with SymPy functions of t in place of signals, for a second route to ddt."""
    words = {}
    for symbol, f in zip((x, y, u), FUNCTIONS, strict=True):
        for order in range(4):
            words[ddt(symbol, order)] = f.diff(t, order) if order else f
    return expression.xreplace(words)


@pytest.mark.parametrize(
    "expression",
    [
        x**2 * sin(y) / (1 + x**2),
        sympy.exp(x * t) * u * ddt(x) ** 3,
        sympy.sqrt(1 + x**2 + y**2) ** sympy.Rational(3, 2),
        x**y + sympy.atan2(y, 1 + x**2),
        sympy.Abs(x) * sympy.sinh(y) + sympy.log(2 + cos(x)),
        sympy.Piecewise((x**2, y > 0), (x * t, True)),
        sympy.Max(x, y) * sympy.asinh(x) + sympy.acosh(2 + y**2),
        m * k * ddt(u) + 3,
    ],
)
def test_ddt_is_the_chain_rule(expression):
    expected = function_of_time(expression).diff(t)
    for order in (1, 2):
        got = function_of_time(ddt(expression, order))
        at = {f.diff(t, n): v + n for f, v in zip(FUNCTIONS, VALUES, strict=True) for n in (3, 2, 1)}
        at |= dict(zip(FUNCTIONS, VALUES, strict=True)) | {t: 0.3, m: 2, k: 3}
        assert abs(sympy.N((got - expected).doit().xreplace(at))) < 1e-12
        expected = expected.diff(t)


def test_velocities_print_with_primes_and_dots():
    theta = rt.coordinate("theta_1")
    assert str(ddt(theta, 2)) == "theta_1''"
    assert sympy.latex(ddt(theta)) == r"\dot{\theta}_{1}"
    assert sympy.latex(ddt(theta, 2) * m) == r"m \ddot{\theta}_{1}"
    assert sympy.pretty(ddt(theta)) == "θ̇₁"
    assert sympy.latex(rt.coordinate("q", latex=r"\xi")) == r"\xi"
    assert sympy.latex(ddt(rt.coordinate("q", latex=r"\xi"))) == r"\dot{\xi}"


def test_coordinates_of_one_name_differ_and_parameters_of_one_name_do_not():
    assert rt.coordinate("x") != x
    assert rt.parameter("m") == m
    assert rt.parameter("m", 2.0) != m
    assert ddt(x) == ddt(x)
    assert copy.deepcopy(x) is x


def test_two_systems_may_share_names():
    first, second = problems.pendulum(), problems.pendulum()
    assert first.system != second.system
    for p in (first, second):
        assert rt.equilibrium(p.system, p.values).converged


def test_system_is_frozen_hashable_and_prints_itself():
    a = rt.System(kinetic=m * ddt(x) ** 2 / 2, potential=k * x**2, forces={x: u}, name="cart")
    b = rt.System(kinetic=m * ddt(x) ** 2 / 2, potential=k * x**2, forces={x: u}, name="cart")
    assert a == b
    assert hash(a) == hash(b)
    assert a != rt.System(kinetic=m * ddt(x) ** 2 / 2, potential=k * x**2, name="cart")
    assert repr(a) == "System(cart: 1 coordinate x; parameters k, m; inputs u)"
    with pytest.raises(AttributeError, match="frozen"):
        a.name = "other"
    with pytest.raises(AttributeError, match="frozen"):
        del a.name
    assert kernel(a) is kernel(b)


def test_coordinates_come_in_the_order_declared_or_given():
    T = (ddt(y) ** 2 + ddt(x) ** 2) / 2
    assert rt.System(kinetic=T).coordinates == (x, y)
    swapped = rt.System(kinetic=T, potential=k * x**2 + 3 * k * y**2, coordinates=[y, x])
    linear = rt.linearize(rt.equilibrium(swapped, {"k": 1}))
    np.testing.assert_allclose(linear.K, np.diag([6, 2]))


def test_default_values_are_used():
    g = rt.parameter("g", 9.81, unit="m/s^2")
    system = rt.System(kinetic=ddt(x) ** 2 / 2, potential=g * (x**2 / 2 - x))
    rest = rt.equilibrium(system, {})
    assert rest.q == pytest.approx([1])
    assert rest.values["g"] == 9.81
    assert rt.equilibrium(system, {g: 2.0}).values["g"] == 2.0


def test_parameters_keep_their_unit_and_latex_name():
    stiffness = rt.parameter("k_c", 2, unit="N/m", latex=r"\kappa")
    assert (stiffness.default, stiffness.unit) == (2.0, "N/m")
    assert sympy.latex(stiffness * x) == r"\kappa x"
    assert str(stiffness * x) == "k_c*x"


def test_vectors_and_rotations():
    a, b = vector(1, 2, 3), vector(x, y, 0)
    assert dot(a, b) == x + 2 * y
    assert cross(a, b) == vector(-3 * y, 3 * x, y - 2 * x)
    assert norm2(b) == x**2 + y**2
    plane, space = rotation(x), rotation(x, vector(0, 0, 2))
    assert_same(plane, space[:2, :2])
    turn = rotation(x, vector(1, 2, 2))
    assert_same(turn.T * turn, sympy.eye(3))
    assert_same(turn * vector(1, 2, 2), vector(1, 2, 2))
    assert rotation(sympy.pi / 2, vector(1, 0, 0)) @ vector(0, 1, 0) == vector(0, 0, 1)


def test_intermediates_stay_one_symbol_and_are_seen_through():
    s = let("s", sin(x) * y)
    assert s.is_Symbol
    assert ddt(s).is_Symbol
    assert str(ddt(s)) == "s'"
    assert unfold(ddt(s)) == ddt(sin(x) * y)
    assert_same(unfold(ddt(s**2 + t * s, 2)), ddt((sin(x) * y) ** 2 + t * sin(x) * y, 2))
    assert_same(unfold(diff(s**2 * x, x)), (sin(x) ** 2 * y**2 * x).diff(x))
    assert_same(unfold((s * x).diff(x)), (sin(x) * y * x).diff(x))
    assert leaves([ddt(s)]) == {x, y, ddt(x), ddt(y)}
    r = let("r", vector(x, s))
    assert [str(c) for c in r] == ["r_1", "r_2"]
    assert unfold(norm2(ddt(r))) == ddt(x) ** 2 + ddt(sin(x) * y) ** 2


@pytest.mark.slow
def test_a_long_chain_of_intermediates_needs_no_recursion_and_stays_linear():
    chain = problems.pendulum_chain(1500).system
    assert len(lets(chain.kinetic)) == 2 * 1500
    small = sum(len(e.args) for e in problems.pendulum_chain(10).system.kinetic)
    large = sum(len(e.args) for e in problems.pendulum_chain(100).system.kinetic)
    assert large == 10 * small


def test_chain_with_and_without_intermediates_agree():
    n = 4
    named = problems.pendulum_chain(n)
    plain = rt.System(
        kinetic=[unfold(e) for e in named.system.kinetic],
        potential=[unfold(e) for e in named.system.potential],
    )
    at = [
        point(s, named.values, [0.3, -0.2, 0.5, 0.1], [1, -1, 0.5, 2], [0.1] * 4)
        for s in (named.system, plain)
    ]
    np.testing.assert_allclose(
        kernel(named.system).residual(at[0]), kernel(plain).residual(at[1]), rtol=1e-13
    )
    assert_same(rt.equations(named.system, simplify=0).M, rt.equations(plain, simplify=0).M)


def test_a_force_and_its_potential_agree():
    """A constant force by virtual work is the gradient of -F . r, also in a turning frame."""
    p = problems.rotating_table()
    push = vector(2, -3)
    r = rotation(p.Omega * t) @ vector(p.x, p.y)
    forced = rt.System(kinetic=p.system.kinetic, forces=[rt.force(push, at=r)])
    stored = rt.System(kinetic=p.system.kinetic, potential=-dot(push, r))
    values = {"m": 2, "Omega": 1.5}
    at = [point(s, values, [0.2, 0.3], [1, -1], [0.5, 2], time=0.7) for s in (forced, stored)]
    np.testing.assert_allclose(
        kernel(forced).residual(at[0]), kernel(stored).residual(at[1]), rtol=1e-12
    )
    for a, b in zip(
        kernel(forced).matrices(at[0]),
        kernel(stored).matrices(at[1]),
        strict=True,
    ):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12)


def test_a_force_at_a_named_point_is_that_at_the_point():
    theta, F = rt.coordinate("theta"), rt.input("F")
    tip = m * vector(sin(theta), -cos(theta))
    T = ddt(theta) ** 2 / 2
    named = rt.System(kinetic=T, forces=[rt.force(vector(F, 0), at=let("tip", tip))])
    plain = rt.System(kinetic=T, forces=[rt.force(vector(F, 0), at=tip)])
    assert rt.equations(named, simplify=0).Q == rt.equations(plain, simplify=0).Q
    rest = [rt.linearize(rt.equilibrium(s, {"m": 2}, guess={theta: 1})) for s in (named, plain)]
    np.testing.assert_allclose(rest[0].B, rest[1].B, rtol=1e-15)


def test_torque_by_angle_and_by_rotation_matrix_agree():
    """About z both are tau; about the figure axis of Euler angles it is the spin's torque."""
    phi, theta, psi = rt.coordinates("phi theta psi")
    tau = rt.parameter("tau")
    ez, ex = vector(0, 0, 1), vector(1, 0, 0)
    R = rotation(phi, ez) @ rotation(theta, ex) @ rotation(psi, ez)
    T = ddt(phi) ** 2 + ddt(theta) ** 2 + ddt(psi) ** 2
    about_z = rt.equations(rt.System(kinetic=T, forces=[rt.torque(tau * ez, R)]), simplify=0).Q
    assert_same(about_z, vector(tau, 0, tau * cos(theta)))
    spin = rt.equations(rt.System(kinetic=T, forces=[rt.torque(tau * R @ ez, R)]), simplify=0).Q
    assert_same(spin, vector(tau * cos(theta), 0, tau))
    plane = rt.System(kinetic=T, forces=[rt.torque(tau, phi + 2 * psi)])
    assert_same(rt.equations(plane, simplify=0).Q, vector(tau, 0, 2 * tau))


def test_reading_dynamicsymbols_gives_what_sympy_derives():
    q1, q2, f = dynamicsymbols("q1 q2 f")
    M, l, g = sympy.symbols("M l g")
    d1, d2 = q1.diff(), q2.diff()
    L = M * l**2 * (2 * d1**2 + d2**2 + 2 * d1 * d2 * cos(q1 - q2)) / 2 + M * g * l * (
        2 * cos(q1) + cos(q2)
    )
    system = rt.System.from_dynamicsymbols(L, [q1, q2], forces={q1: f}, name="from sympy")
    assert [s.name for s in system.coordinates] == ["q1", "q2"]
    assert [s.name for s in system.inputs] == ["f"]
    assert [s.name for s in system.parameters] == ["g", "l", "M"]
    method = LagrangesMethod(L, [q1, q2])
    ours = rt.equations(system, simplify=0).residual
    theirs = method.form_lagranges_equations() - sympy.Matrix([f, 0])
    words = {
        f: system.inputs[0],
        M: system.parameters[2],
        l: system.parameters[1],
        g: system.parameters[0],
    }
    for old, new in zip((q1, q2), system.coordinates, strict=True):
        words |= {old: new, old.diff(): ddt(new), old.diff().diff(): ddt(new, 2)}
    assert_same(ours, theirs.xreplace(words))


def test_dynamicsymbols_with_a_prescribed_motion_and_bad_input():
    q, base = dynamicsymbols("q base")
    L = (q.diff() + base.diff()) ** 2 / 2 - q**2
    system = rt.System.from_dynamicsymbols(L, [q])
    assert rt.linear_equations(system, {system.coordinates[0]: 0}, simplify=0).inputs == (
        ddt(system.inputs[0], 2),
    )
    with pytest.raises(rt.DeclarationError, match="must list functions of time"):
        rt.System.from_dynamicsymbols(L, [sympy.Symbol("q")])
    with pytest.raises(rt.DeclarationError, match="which is no coordinate"):
        rt.System.from_dynamicsymbols(L, [q], forces={base: 1})


def test_terms_are_not_summed():
    system = rt.System(
        kinetic=[m * ddt(x) ** 2 / 2, m * ddt(y) ** 2 / 2], potential=[k * x**2, k * y**2]
    )
    assert len(system.lagrangian_terms) == 4


def test_none_means_not_given():
    x = rt.coordinate("x")
    bare = rt.System(kinetic=ddt(x) ** 2 / 2)
    assert rt.System(kinetic=ddt(x) ** 2 / 2, forces=None, dissipation=None) == bare


def test_the_rate_of_an_intermediate_knows_of_what_and_has_a_dot():
    theta = rt.coordinate("theta")
    r = rt.let("r", vector(sin(theta), cos(theta)))
    rate = ddt(r[0])
    assert (rate.rate_of, r[0].rate_of) == (r[0], None)
    p = rt.let("p", vector(theta, 0))
    assert p[0].vector == ("p", tuple(p))
    assert rt.let("h", sin(theta)).vector is None
    assert [sympy.latex(each) for each in (r[0], rate, ddt(r[0], 2))] == [
        "r_{1}", r"\dot{r}_{1}", r"\ddot{r}_{1}",
    ]  # fmt: skip


def test_forces_know_as_what_they_were_declared_and_are_equal_by_their_work():
    x, phi, u = *rt.coordinates("x phi"), rt.input("u")
    along = rt.force(vector(u, 0), at=vector(x, 0))
    assert along.origin.name == "POINT"
    assert rt.torque(u, phi).origin.name == "TORQUE"
    (given,) = rt.System(kinetic=ddt(x) ** 2, forces={x: u}).forces
    assert given.origin.name == "COORDINATE"
    assert given == rt.force([u], at=[x])
    rubbing = rt.friction(ddt(x), static=1).force(1)
    assert [f.origin.name for f in rubbing] == ["FRICTION"]
    chain = rt.variable_mass(x, vector(x), accretion="momentum", intake=vector(u))
    assert [f.origin.name for f in chain.forces] == ["ACCRETION", "INTAKE"]
