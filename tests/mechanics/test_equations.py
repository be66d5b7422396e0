"""Symbolic equations: parts, conserved quantities, steps, text and LaTeX."""

from __future__ import annotations

import cProfile
import gc
import sys

import pytest
import sympy

import problems
import routh as rt
from routh import cos, ddt, norm2, sin, t, vector
from routh.mechanics.forms import work
from routh.mechanics.forms.tidy import Tidy
from routh.mechanics.forms.vanish import vanishes
from routh.mechanics.forms.work import Work
from routh.mechanics.lagrange import PARTS
from sampling import assert_same


def test_parts_of_the_kinetic_energy():
    p = problems.rotating_table()
    eq = rt.equations(p.system, simplify=0)
    x, y, m, W = p.x, p.y, p.m, p.Omega
    assert_same(eq.T2, m * (ddt(x) ** 2 + ddt(y) ** 2) / 2)
    assert_same(eq.T1, m * W * (x * ddt(y) - y * ddt(x)))
    assert_same(eq.T0, m * W**2 * (x**2 + y**2) / 2)
    assert_same(eq.A, m * sympy.eye(2))
    assert_same(eq.B, vector(-m * W * y, m * W * x))
    assert_same(eq.C, 2 * eq.T0)
    assert_same(eq.residual, eq.M * vector(ddt(x, 2), ddt(y, 2)) + eq.h - eq.Q)


def test_energy_of_the_pendulum_is_kept():
    p = problems.pendulum()
    (kept,) = rt.equations(p.system, simplify=0).conserved
    assert kept.name == "energy"
    T = p.m * p.l**2 * ddt(p.theta) ** 2 / 2
    assert_same(kept.expression, T - p.m * p.g * p.l * cos(p.theta))
    assert "const" in kept._repr_latex_()


def test_momentum_of_the_trolley_is_kept_unless_it_is_pushed():
    p = problems.crane_trolley()
    free = rt.System(kinetic=p.system.kinetic, potential=p.system.potential)
    names = [c.name for c in rt.equations(free, simplify=0).conserved]
    assert names == ["momentum of X", "energy"]
    momentum = rt.equations(free, simplify=0).conserved[0].expression
    assert_same(momentum, (p.M + p.m) * ddt(p.X) + p.m * p.l * cos(p.th) * ddt(p.th))
    assert rt.equations(p.system, simplify=0).conserved == ()


def test_conserved_quantities_are_constant_along_the_equations():
    """Their time derivative vanishes when accelerations follow from the residual."""
    p = problems.rotating_table()
    system = rt.System(kinetic=p.system.kinetic, potential=p.k1 * p.x**2 + p.k2 * p.y**2)
    eq = rt.equations(system, simplify=0)
    (kept,) = eq.conserved
    assert kept.name == "Jacobi integral"
    accelerations = eq.M.LUsolve(eq.Q - eq.h)
    follow = dict(zip([ddt(q, 2) for q in system.coordinates], accelerations, strict=True))
    assert vanishes(sympy.expand(ddt(kept.expression).xreplace(follow)))


def test_driven_systems_keep_no_energy():
    p = problems.accelerated_pendulum()
    assert rt.equations(p.system, simplify=0).conserved == ()


def test_relativistic_mass_is_not_quadratic_and_still_has_equations():
    x = rt.coordinate("x")
    m, c, k = rt.parameters("m c k")
    T = m * c**2 * (1 - sympy.sqrt(1 - ddt(x) ** 2 / c**2))
    eq = rt.equations(rt.System(kinetic=T, potential=k * x**2 / 2), simplify=0)
    assert_same(eq.M[0], m * (1 - ddt(x) ** 2 / c**2) ** sympy.Rational(-3, 2))
    assert_same(eq.T2 + eq.T1 + eq.T0, T)


def test_constraints_bring_multipliers_with_the_sign_of_the_conventions():
    """M a + h + J^T multipliers = Q: B4, `m x'' = -lambda x`."""
    x, y = rt.coordinates("x y")
    m, l, g = rt.parameters("m l g")
    phi = (x**2 + y**2 - l**2) / 2
    eq = rt.equations(
        rt.System(kinetic=m / 2 * norm2(ddt(vector(x, y))), potential=m * g * y, constraints=[phi]),
        simplify=0,
    )
    (force,) = eq.multipliers
    assert_same(eq.residual, vector(m * ddt(x, 2) + force * x, m * ddt(y, 2) + m * g + force * y))
    assert sympy.Matrix([[x, y]]) == eq.J
    assert str(eq).splitlines()[2] == "lambda1: x**2/2 + y**2/2 - l**2/2 = 0"


def test_velocity_constraints_act_by_d_alembert():
    """A knife edge: J = dphi/dv, so no derivative of phi by the angle appears."""
    x, y, th = rt.coordinates("x y theta")
    m, J = rt.parameters("m J")
    edge = ddt(x) * sin(th) - ddt(y) * cos(th)
    eq = rt.equations(
        rt.System(
            kinetic=m * (ddt(x) ** 2 + ddt(y) ** 2) / 2 + J * ddt(th) ** 2 / 2, constraints=[edge]
        ),
        simplify=0,
    )
    assert sympy.Matrix([[sin(th), -cos(th), 0]]) == eq.J
    assert_same(eq.residual[2], J * ddt(th, 2))


def test_text_and_latex():
    p = problems.pendulum()
    eq = rt.equations(p.system)
    assert str(eq) == "theta: m*l**2*theta'' + m*g*l*sin(theta) = 0"
    assert eq.latex() == (
        "\\begin{aligned}\n"
        "m l^{2} \\ddot{\\theta} + m g l \\sin{\\left(\\theta \\right)} &= 0\n"
        "\\end{aligned}"
    )
    assert eq._repr_latex_().startswith("$\\displaystyle")
    assert eq.text("M") == "M = [m*l**2]"
    assert eq.latex("M") == r"M = \left[\begin{matrix}m l^{2}\end{matrix}\right]"
    assert eq.text("T0") == "T0 = 0"
    assert eq.latex("V") == r"V = - m g l \cos{\left(\theta \right)}"
    for part in PARTS:
        assert eq.text(part).startswith(part)
        assert " = " in eq.latex(part)
    with pytest.raises(rt.DeclarationError, match=r"no part `momentum`.*Did you mean `momenta`\?"):
        eq.text("momentum")
    (kept,) = eq.conserved
    assert str(kept).startswith("energy: ")
    assert kept.latex().endswith(r"= \text{const}")


def test_linear_equations_of_the_double_pendulum():
    p = problems.double_pendulum()
    m1, m2, l1, l2, g = p.m1, p.m2, p.l1, p.l2, p.g
    for th1, th2 in ((0, 0), (sympy.pi, 0), (sympy.pi, sympy.pi), (0, sympy.pi)):
        linear = rt.linear_equations(p.system, {p.th1: th1, p.th2: th2}, simplify=0)
        c1, c2, c12 = cos(th1), cos(th2), cos(th1 + th2)
        M12 = m2 * (l2**2 + c2 * l1 * l2)
        M = sympy.Matrix(
            [[m1 * l1**2 + m2 * (l1**2 + l2**2 + 2 * c2 * l1 * l2), M12], [M12, m2 * l2**2]]
        )
        lower = c12 * m2 * g * l2
        K = sympy.Matrix([[c1 * (m1 + m2) * g * l1 + lower, lower], [lower, lower]])
        assert_same(linear.M, M)
        assert_same(linear.K, K)
        assert linear.residual == sympy.zeros(2, 1)
    assert "K = [" in str(linear)
    assert linear._repr_latex_().startswith("$")


def test_linear_equations_about_a_symbolic_point_and_with_inputs_held():
    p = problems.pushed_pendulum()
    angle = sympy.atan2(p.F, p.m * p.g)
    linear = rt.linear_equations(p.system, {p.theta: angle, p.F: p.F}, simplify=0)
    assert_same(linear.K[0], p.l * sympy.sqrt((p.m * p.g) ** 2 + p.F**2))


def test_spinning_frame():
    """psi(t) arbitrary: Coriolis, centrifugal and Euler terms ."""
    x, y = rt.coordinates("x y")
    psi = rt.input("psi")
    m, k1, k2 = rt.parameters("m k1 k2")
    r = rt.rotation(psi) @ vector(x, y)
    system = rt.System(kinetic=m / 2 * norm2(ddt(r)), potential=k1 * x**2 + k2 * y**2)
    linear = rt.linear_equations(system, {x: 0, y: 0, psi: psi}, simplify=0)
    w, a = ddt(psi), ddt(psi, 2)
    K = sympy.Matrix([[2 * k1 - m * w**2, -m * a], [m * a, 2 * k2 - m * w**2]])
    assert_same(linear.K + linear.H, K)
    assert_same(linear.D + linear.G, sympy.Matrix([[0, -2 * m * w], [2 * m * w, 0]]))


def test_what_depends_on_a_piece_is_not_kept():
    """V is zero for x > 0, and pi^2 k x^2 for x < 0; the factor of time is 1 until t = pi."""
    x, y = rt.coordinates("x y")
    m, k = rt.parameters("m k")
    T = m * (rt.ddt(x) ** 2 + rt.ddt(y) ** 2) / 2
    jump = sympy.atan2(y, x) - sympy.atan(y / x)
    assert sympy.N(jump.subs({x: -1, y: 1})) > 3
    beside = rt.equations(rt.System(kinetic=T, potential=k * x**2 * jump**2), simplify=0)
    assert [kept.name for kept in beside.conserved] == ["momentum of y", "energy"]
    later = k * (x**2 + y**2) * sympy.acos(sympy.cos(rt.t)) / rt.t
    assert not rt.equations(rt.System(kinetic=T, potential=later), simplify=0).conserved


def test_vanishing_is_decided_by_evaluation():
    x, y = rt.coordinates("x y")
    assert vanishes(sin(x) ** 2 + cos(x) ** 2 - 1)
    assert vanishes(sympy.cos(x + y) - cos(x) * cos(y) + sin(x) * sin(y))
    assert not vanishes(x * sympy.Float("1e-20"))
    assert not vanishes(sympy.Function("f")(x))


def test_simplification_keeps_to_its_budget():
    symbols = rt.coordinates("a b c")
    hard = sum(
        sympy.sqrt(1 + sin(x) * cos(y) + x * y) / (1 + sympy.exp(x - y) * sin(x + y))
        for x in symbols
        for y in symbols
        if x != y
    )
    tidy = Tidy(0.001)
    while not tidy.spent:  # each expression has a share, all together have a few
        assert tidy(hard) == hard
    assert_same(Tidy(1.0)(hard), hard)
    assert Tidy(0.0)(sin(t) ** 2 + cos(t) ** 2) == sin(t) ** 2 + cos(t) ** 2


def test_a_budget_is_spent_at_the_same_place_every_time():
    """Nothing of a form depends on a clock, or on what SymPy has done before."""
    p = problems.three_bodies()
    first = rt.equations(p.system, simplify=0.03)
    sympy.simplify(sympy.sin(sympy.Symbol("x")) ** 2 + sympy.cos(sympy.Symbol("x")) ** 2)
    assert rt.equations(p.system, simplify=0.03).residual == first.residual


def test_budgets_within_budgets_and_under_a_profiler():
    x = sympy.Symbol("x")
    reached = []
    with Work(0.001).spend():
        with Work(10.0).spend():
            sympy.simplify(sympy.sqrt(x**2 + 2 * x + 1) / (1 + sympy.sin(x) * sympy.tan(x)))
        reached.append("behind")
    assert not reached  # the outer budget ends the inner one
    profile = cProfile.Profile()
    profile.enable()
    try:
        assert Tidy(1.0)(sympy.sin(x) ** 2 + sympy.cos(x) ** 2) == 1
    finally:
        profile.disable()
    assert sys.getprofile() is None


@pytest.mark.parametrize(
    "make", [problems.double_pendulum, problems.rotating_table, problems.crane_hoist]
)
def test_simplification_does_not_change_the_meaning(make):
    p = make()
    assert_same(
        rt.equations(p.system, simplify=0).residual, rt.equations(p.system, simplify=1).residual
    )


def test_a_budget_never_ends_inside_the_garbage_collector():
    """Callbacks of the collector run anywhere; an exception raised in one would be lost and reported."""
    called = []

    def callback(phase, info):
        called.append(phase)

    gc.callbacks.append(callback)
    try:
        with Work(0.0).spend():
            gc.collect()
            called.append("after")
    finally:
        gc.callbacks.remove(callback)
    assert called[-1] == "after"
    reached = False
    with Work(0.0).spend():
        sympy.simplify(sympy.Symbol("x") ** 2)
        reached = True
    assert not reached


def test_what_sympy_loads_is_not_counted(monkeypatch):
    """A module that `simplify` loads would be paid for by the first formula, or never be there in time."""
    loaded = []
    monkeypatch.setattr(work, "import_module", lambda name: loaded.append((name, sys.getprofile())))
    with Work(1.0).spend():
        loaded.append("body")
    assert loaded == [("sympy.physics.units", None), "body"]
