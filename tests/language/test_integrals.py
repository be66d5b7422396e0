"""Integrals over rigid bodies: rules against quadrature with many digits, and what a system makes of them."""

from __future__ import annotations

import math

import mpmath
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

import routh as rt
from depth import cases
from routh.language.matter.closing import value_of
from routh.language.matter.cubature import cubature
from sampling import assert_same

L, R, rho, g, k = rt.parameters("L R rho g k")
s = rt.space("s", 0, L)
theta, X = rt.coordinates("theta X")
VALUES = {L: 1.3, R: 0.7, rho: 2.1, g: 9.81, k: 1.9, theta: 0.4, X: 0.2}


def by_mpmath(integral: sympy.Integral) -> mpmath.mpf:
    """The integral over one space at VALUES by tanh-sinh quadrature."""
    ((u, start, end),) = (tuple(each) for each in integral.limits)
    f = sympy.lambdify(u, integral.function.xreplace(VALUES), "mpmath")
    with mpmath.workdps(30):
        return mpmath.quad(f, [mpmath.mpf(float(x.xreplace(VALUES))) for x in (start, end)])


CLOSED = {
    "a polynomial": rho * (1 + s / L) ** 3 * s,
    "waves": sympy.sin(sympy.pi * s / L) ** 3 * sympy.cos(2 * sympy.pi * s / L) * s**2,
    "a phase that moves": sympy.cos(theta + k * s) * s,
    "growth": sympy.exp(-k * s / L + theta) * s**2,
    "a root": s**2 * sympy.sqrt(1 + s / L),
    "a logarithm": s**2 / (1 + s / L),
    "a power below the line": s / (2 - s / L) ** 2,
    "a half circle": s**3 * sympy.sqrt(L**2 - s**2),
    "attraction by a rod": 1 / sympy.sqrt((X - s) ** 2 + R**2),
    "moments of it": s**3 / sympy.sqrt((X - s) ** 2 + R**2),
    "a stretched length": s**2 * (1 + s**2 + X**2) ** sympy.Rational(3, 2),
    "a narrow bell": rho * sympy.exp(-200 * (s - X) ** 2 + theta),
    "its third power": s**2 * (4 * L**2 - 4 * s**2) ** sympy.Rational(3, 2),
}


@pytest.mark.parametrize("density", CLOSED.values(), ids=CLOSED)
def test_rules_agree_with_quadrature(density):
    found = value_of(rt.integral(density, s))
    assert not found.has(sympy.Integral, sympy.Float)
    assert abs(found.xreplace(VALUES).evalf(20) - by_mpmath(rt.integral(density, s))) < 1e-14


SUMMED = {
    "a bell": (rho * sympy.exp(-((s / L) ** 2)), 1e-14),
    "a hyperbola": (1 / sympy.sqrt(L**2 + s**2), 1e-14),
    "growth and waves": (sympy.exp(s / L) * sympy.sin(sympy.pi * s / L), 1e-14),
}


@pytest.mark.parametrize(("density", "off"), SUMMED.values(), ids=SUMMED)
def test_sums_over_gauss_points_agree_with_quadrature(density, off):
    found = value_of(rt.integral(density, s))
    assert abs(found.xreplace(VALUES).evalf(20) - by_mpmath(rt.integral(density, s))) < off


@pytest.mark.parametrize("height", [100, sympy.Rational(1, 50)])
@pytest.mark.parametrize("bend", [10**4, 10**6, 10**10])
def test_a_spike_between_points_is_found(bend, height):
    """1 + height sqrt(pi/bend), the ends of the bell being far: by sums, without the rule for bells."""
    x = sympy.Symbol("x")
    density = 1 + height * sympy.exp(-bend * (x - sympy.Rational(3, 10)) ** 2)
    found = cubature(density, [(x, sympy.S.Zero, sympy.S.One)])
    assert abs(float(found) - float(1 + height * sympy.sqrt(sympy.pi / bend))) < 1e-11


@pytest.mark.parametrize(
    ("f", "corners"),
    [
        (1 / (1 + 10**8 * (s - 0.4) ** 2 + s**5), [0.39, 0.3999, 0.4, 0.4001, 0.41]),
        (1 + sympy.tanh(10**6 * (s - 0.4)), [0.399, 0.4 - 1e-5, 0.4, 0.4 + 1e-5, 0.401]),
        (sympy.sqrt(sympy.Abs(s - 0.4)), [0.4]),
        (sympy.sin(300 * s**2) + sympy.cosh(s) * sympy.acos(s / 2), [k / 20 for k in range(1, 20)]),
    ],
)
def test_what_is_steep_is_divided(f, corners):
    found = cubature(f, [(s, sympy.S.Zero, sympy.S.One)])
    by_parts = mpmath.quad(sympy.lambdify(s, f, "mpmath"), [0, *corners, 1])
    assert abs(float(found) - float(by_parts)) < 2e-11


UNSAFE = [
    (sympy.cos(theta * s), r"`theta` in it cannot be taken out.*Expand it in powers of what moves"),
    (1 / sympy.sqrt(1 + s**4 + X**2), r"`X` in it cannot be taken out as a factor"),
    (sympy.exp(-k * s**4), r"`L` and `k` in it cannot.*Write numbers for them into it"),
]


@pytest.mark.parametrize(("density", "message"), UNSAFE)
def test_no_sum_is_made_for_values_that_are_not_known(density, message):
    """So many points as serve one value of a symbol give nonsense for another."""
    with pytest.raises(rt.DeclarationError, match=message):
        rt.System(kinetic=rt.ddt(theta) ** 2, potential=rt.integral(density, s))


def test_symbols_that_are_factors_stay_outside_of_sums():
    """int over 0 <= x, y <= 1 of (L + X y) exp(-x^4 - x^4 y^4)."""
    x, y = rt.space("x", 0, 1), rt.space("y", 0, 1)
    found = value_of(rt.integral(sympy.exp(-(x**4) * (1 + y**4)) * (L + X * y), [x, y]))
    by_mpmath = [
        mpmath.quad(lambda x, y, k=k: mpmath.exp(-(x**4) * (1 + y**4)) * y**k, [0, 1], [0, 1])
        for k in (0, 1)
    ]
    assert abs(float(found.xreplace(VALUES)) - float(1.3 * by_mpmath[0] + 0.2 * by_mpmath[1])) < 1e-11


def test_a_mass_near_a_rod_is_attracted_as_by_hand():
    """q'' = 1/sqrt(q^2 + a^2) - 1/sqrt((1 - q)^2 + a^2), also for small a."""
    x, q, a = rt.space("x", 0, 1), rt.coordinate("q"), rt.parameter("a")
    V = rt.integral(-1 / rt.sqrt((q - x) ** 2 + a**2), x)
    found = rt.dynamics(rt.System(kinetic=rt.ddt(q) ** 2 / 2, potential=V), {a: 0.01}, {q: 0.2}).a
    assert found[0] == pytest.approx(1 / math.hypot(0.2, 0.01) - 1 / math.hypot(0.8, 0.01), rel=1e-12)


@pytest.mark.parametrize("density", [1 / s, 1 / (s - L / 2), s**-2])
def test_what_diverges_is_told(density):
    with pytest.raises(rt.DeclarationError, match=r"could not be worked out.*places where it is infin"):
        rt.System(kinetic=rt.integral(density, s) * rt.ddt(theta) ** 2)


def rod():
    """A rod that hangs on one end, as an integral over its points."""
    r = rt.vector(s * rt.sin(theta), -s * rt.cos(theta))
    T, V = rt.integral(rho / 2 * rt.norm2(rt.ddt(r)), s), rt.integral(rho * g * r[1], s)
    return rt.System(kinetic=T, potential=V, name="rod")


def test_a_compound_pendulum_is_an_integral():
    """omega^2 = m g a/I with a = L/2 and I = m L^2/3: 3 g/(2 L)."""
    eq = rt.equations(rod())
    assert str(eq) == "theta: rho*L**3*theta''/3 + rho*g*L**2*sin(theta)/2 = 0"
    values = {"L": 1.3, "rho": 2.1, "g": 9.81}
    linear = rt.linearize(rt.equilibrium(rod(), values, guess={"theta": 0.0}))
    assert linear.K[0, 0] / linear.M[0, 0] == pytest.approx(3 * 9.81 / (2 * 1.3), rel=1e-12)


def test_what_was_written_is_kept_and_shown():
    system = rod()
    assert system.as_written["kinetic"][0].has(sympy.Integral)
    assert not system.kinetic[0].has(sympy.Integral)
    assert system.changed(name="other").as_written == system.as_written
    lecture = str(rt.derive(system)["Energies"])
    assert "Integral(-rho*g*s*cos(theta), (s, 0, L)) = -rho*g*L**2*cos(theta)/2" in lecture
    assert "int" in system._repr_markdown_()


def test_a_disc_in_cartesian_places_is_a_pendulum():
    """It hangs on its rim: I = 3/2 m R^2, m = rho pi R^2."""
    x = rt.space("x", -R, R)
    y = rt.space("y", -rt.sqrt(R**2 - x**2), rt.sqrt(R**2 - x**2))
    r = rt.rotation(theta) @ rt.vector(x + R, y)
    T, V = rt.integral(rho / 2 * rt.norm2(rt.ddt(r)), [x, y]), rt.integral(rho * g * r[1], [y, x])
    assert rt.integral(rt.integral(rho / 2 * rt.norm2(rt.ddt(r)), y), x) == T
    eq = rt.equations(rt.System(kinetic=T, potential=V))
    assert str(eq) == "theta: 3*pi*rho*R**4*theta''/2 + pi*rho*g*R**3*cos(theta) = 0"


def test_a_tetrahedron_by_three_spaces():
    """Its volume is a^3/6, and the integral of x^2 + y^2 over it is a^5/30."""
    x = rt.space("x", 0, L)
    y = rt.space("y", 0, L - x)
    z = rt.space("z", 0, L - x - y)
    assert_same(value_of(rt.integral(1, [x, y, z])), L**3 / 6)
    assert_same(value_of(rt.integral(x**2 + y**2, [z, x, y])), L**5 / 30)


def test_a_named_integral_is_seen_through():
    J = rt.let("J", rt.integral(rho * s**2, s))
    eq = rt.equations(rt.System(kinetic=J / 2 * rt.ddt(theta) ** 2))
    assert str(eq) == "theta: rho*L**3*theta''/3 = 0"


def test_a_running_integral_of_places_is_worked_out():
    """The mass from the start to s, integrated: rho L^2/2."""
    mass = rt.integral(rho, s, upto=s)
    assert_same(value_of(rt.integral(mass, s)), rho * L**2 / 2)


def test_a_force_along_a_rigid_body_does_its_work():
    """Drag rho v per length on a rod that turns: the torque is rho omega L^3/3."""
    r = rt.vector(s * rt.sin(theta), -s * rt.cos(theta))
    drag = rt.force(-rho * rt.ddt(r), at=r)
    eq = rt.equations(rt.System(kinetic=rt.ddt(theta) ** 2 / 2, forces=[drag]))
    assert str(eq) == "theta: theta'' + rho*L**3*theta'/3 = 0"


def test_fields_and_a_rigid_area_live_in_one_system():
    w, x, y = rt.field("w", s), rt.space("x", 0, R), rt.space("y", 0, R)
    hub = rt.integral(rho / 2 * (x**2 + y**2) * rt.ddt(theta) ** 2, [x, y])
    beam = rt.integral(rho / 2 * (rt.ddt(w) + s * rt.ddt(theta)) ** 2, s)
    bent = rt.integral(k / 2 * rt.diff(w, s, 2) ** 2, s)
    clamped = [rt.at(w, s, 0), rt.at(rt.diff(w, s), s, 0)]
    system = rt.System(kinetic=[hub, beam], potential=bent, constraints=clamped)
    assert_same(system.kinetic[0], rho * R**4 / 3 * rt.ddt(theta) ** 2)
    assert system.kinetic[1] == beam
    values = {"L": 1, "R": 2, "rho": 3, "k": 1}
    M = rt.linearize(rt.equilibrium(rt.discretize(system, {w: 2}), values)).M
    assert M[0, 0] == pytest.approx(3 * 2 * 16 / 3 + 1, rel=1e-12)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: rt.integral(1, []), r"goes over different spaces.*Got none"),
        (lambda: rt.integral(1, [s, s]), r"goes over different spaces"),
        (lambda: rt.integral(1, [s, L]), r"goes over different spaces"),
        (lambda: rt.integral(1, [s], upto=s), r"without `upto`"),
        (lambda: rt.space("x", 0, -rt.parameter("a", positive=True)), r"must end behind its start"),
        (lambda: rt.field("w", rt.space("y", 0, s)), r"fixed ends. Those of `y` depend on `s`"),
        (
            lambda: rt.System(kinetic=rt.integral(s * rt.ddt(X) ** 2, rt.space("y", 0, 1))),
            r"still varies along `s`. Integrate over all places",
        ),
    ],
)
def test_mistakes_are_told(make, message):
    with pytest.raises(rt.DeclarationError, match=message):
        make()


STEPS = {
    "a step": (sympy.Piecewise((s, s < 0.4), (3, True)), [0.4]),
    "a window": (sympy.Piecewise((rho, (s > 0.2) & (s <= 0.9)), (sympy.cos(s), True)), [0.2, 0.9]),
    "a kink": (sympy.Abs(s - 0.3) * sympy.exp(s**3), [0.3]),
    "the largest": (sympy.Max(s, sympy.Rational(1, 2), 1 - s) ** 2, [0.5]),
    "a unit step": (sympy.Heaviside(s - 0.3) * s, [0.3]),
    "outside": (sympy.Piecewise((s, s < 2), (3, True)), []),
}


@pytest.mark.parametrize(("density", "corners"), STEPS.values(), ids=STEPS)
def test_steps_divide_the_integral(density, corners):
    found = value_of(sympy.Integral(density, (s, 0, sympy.Float(1.3))))
    f = sympy.lambdify(s, density.xreplace(VALUES), "mpmath")
    assert float(found.xreplace(VALUES)) == pytest.approx(
        float(mpmath.quad(f, [0, *corners, 1.3])), rel=1e-12
    )


def test_a_step_along_one_of_two_spaces():
    """y for x < 0 and 2 y for x > 0, both of length L, y from 0 to 1: L/2 + L."""
    x, y = rt.space("x", -L, L), rt.space("y", 0, 1)
    step = sympy.Piecewise((1, x < 0), (2, True))
    assert_same(value_of(rt.integral(step * y, [x, y])), 3 * L / 2)
    with pytest.raises(rt.DeclarationError, match=r"steps where `R > x`.*for each piece and add them"):
        value_of(rt.integral(sympy.Piecewise((1, x < R), (2, True)), [x, y]))
    with pytest.raises(rt.DeclarationError, match=r"steps where .*must be linear in one space"):
        value_of(rt.integral(sympy.Piecewise((1, x < y), (2, True)), [x, y]))
    with pytest.raises(rt.DeclarationError, match=r"`theta` in it cannot be taken out"):
        value_of(rt.integral(sympy.Piecewise((1, theta < 1), (x, True)), [x, y]))


def test_bounds_that_cross_are_told():
    x = rt.space("x", 0, 3)
    y = rt.space("y", 0, 1 - x)
    with pytest.raises(
        rt.DeclarationError, match=r"`y` must end behind.*0 to 1 - x over `x`: the bounds"
    ):
        rt.System(kinetic=rt.integral(rho * rt.ddt(theta) ** 2, [x, y]))


numbers = st.integers(-4, 4)


@cases(25)
@given(
    st.lists(st.tuples(numbers, st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=4),
    st.tuples(numbers, st.integers(1, 3), numbers, st.integers(1, 3)),
)
def test_random_polynomials_on_random_boxes(terms, box):
    a, width, c, height = box
    x, y = rt.space("x", a, a + width), rt.space("y", c, c + height)
    density = sympy.Add(*(n * x**i * y**j for n, i, j in terms))
    exact = value_of(sympy.Integral(density, (y, *y.bounds), (x, *x.bounds)))
    summed = cubature(density, [(y, *y.bounds), (x, *x.bounds)])
    size = sum(abs(n) * 7.0 ** (i + j) for n, i, j in terms) * 9 + 1
    assert exact.is_Rational
    assert abs(float(exact) - float(summed)) < 1e-13 * size
