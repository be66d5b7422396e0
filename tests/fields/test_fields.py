"""Systems with fields: the worked examples C5 to C10, closed forms, reading, sparse systems, mistakes."""

from __future__ import annotations

import numpy as np
import pytest
import sympy
from scipy.optimize import brentq
from scipy.special import ellipe, ellipeinc, ellipk, ellipkinc

import routh as rt
from routh import at, cos, ddt, diff, integral, norm2, rotation, sin, t, vector
from routh.kernels.engine import Point
from routh.kernels.graphs.balance import Balance
from routh.kernels.graphs.graph import Graph
from routh.kernels.kernel import kernel
from routh.language.walk import unfold
from routh.results import Field
from sampling import assert_same

L, R, J, rho, EI, m, a, P, Om = rt.parameters("L R J rho EI m a P Om")
s = rt.space("s", 0, L)
w = rt.field("w", s)
CLAMPED = [at(w, s, 0), at(diff(w, s), s, 0)]
BENDING = integral(EI / 2 * diff(w, s, 2) ** 2, s)


def frequencies(system, values, **sizes):
    fields = {f.name: f for f in system.fields}
    discrete = rt.discretize(system, {fields[name]: n for name, n in sizes.items()})
    return rt.modes(rt.linearize(rt.equilibrium(discrete, values))).frequencies


def rows(group):
    return {str(row.of): row.expression for row in group}


# C5: the rotating T-structure -----------------------------------------------------------------------

L1, L2, RHO1, RHO2, EI1, EI2 = rt.parameters("l1 l2 rho1 rho2 EI1 EI2")
X1, X2, X3 = (rt.space(f"x{k}", 0, length) for k, length in ((1, L1), (2, L2), (3, L2)))
W1, W2, W3 = (rt.field(f"w{k}", x) for k, x in ((1, X1), (2, X2), (3, X3)))
TIP, SLOPE = at(W1, X1, L1), at(diff(W1, X1), X1, L1)
JOINT = vector(L1, TIP)
ARMS = (
    (vector(X1, W1), RHO1, EI1, X1, W1),
    (JOINT + rotation(SLOPE) @ vector(-W2, X2), RHO2, EI2, X2, W2),
    (JOINT + rotation(SLOPE) @ vector(W3, -X3), RHO2, EI2, X3, W3),
)
T_STRUCTURE = rt.System(
    kinetic=[integral(d / 2 * norm2(ddt(rotation(Om * t) @ r)), x) for r, d, _, x, _ in ARMS],
    potential=[integral(k / 2 * diff(f, x, 2) ** 2, x) for _, _, k, x, f in ARMS],
    constraints=[c for *_, x, f in ARMS for c in (at(f, x, 0), at(diff(f, x), x, 0))],
    name="T-structure",
)
T_VALUES = {"rho1": 1.2, "rho2": 0.8, "EI1": 3, "EI2": 2, "l1": 1, "l2": 0.7, "Om": 0.9}
T_NUMBERS = {p: T_VALUES[p.name] for p in (L1, L2, RHO1, RHO2, EI1, EI2, Om)}


@pytest.fixture(scope="module")
def t_rest():
    return rt.equilibrium_equations(T_STRUCTURE, solve=20.0, simplify=0)


@pytest.fixture(scope="module")
def t_linear():
    shape = sympy.cos(X2) * X2**2  # any shape serves for the coefficients
    return rt.linear_equations(
        T_STRUCTURE, {W1: 0, W2: shape, W3: -shape.xreplace({X2: X3})}, simplify=0.5
    )


@pytest.mark.slow
def test_c5_the_equilibrium_shape_is_found_in_closed_form(t_rest):
    (solution,) = t_rest.solutions
    assert solution[W1] == 0
    b = (RHO2 * Om**2 / EI2) ** sympy.Rational(1, 4)
    # examples.md: w2* = c1 sin(b x) + c2 cos(b x) + c3 cosh(b x) + c4 sinh(b x) + l1
    c = (-0.265094569609532, -0.429877545518528, -0.570122454481472, 0.265094569609532)
    expected = (
        c[0] * sin(b * X2) + c[1] * cos(b * X2) + c[2] * rt.cosh(b * X2) + c[3] * rt.sinh(b * X2) + L1
    )
    for place in (0.1, 0.35, 0.7):
        at_place = T_NUMBERS | {X2: place, X3: place}
        assert float(unfold(solution[W2]).subs(at_place)) == pytest.approx(
            float(expected.subs(at_place)), abs=1e-14
        )
        assert float(unfold(solution[W3]).subs(at_place)) == pytest.approx(
            -float(expected.subs(at_place)), abs=1e-14
        )
    assert [str(name) for name in t_rest.named] == ["beta", "Delta", "c1", "c2", "c3"]


@pytest.mark.slow
def test_c5_about_its_own_shape_nothing_is_left_and_nothing_is_hidden(t_rest):
    found = rt.linear_equations(T_STRUCTURE, t_rest.solutions[0], simplify=0)
    assert found.residual == ()
    names = [line.split(" = ")[0] for line in str(found).splitlines() if line.startswith("where")]
    assert names == [f"where {name}" for name in ("(w2*)", "(w3*)", "c1", "c2", "c3", "Delta", "beta")]
    assert "not shown" not in str(found) + found.latex()
    row = next(row for row in found.partial if row.of == W2)
    factor = unfold(row.coefficient(SLOPE.rate)).subs(T_NUMBERS | {X2: 0.35})
    assert float(factor) == pytest.approx(-2 * 0.8 * 0.9 * -0.00346513727048943, rel=1e-12)


def test_c5_rows_about_shapes_that_have_only_names():
    found = rt.linear_equations(T_STRUCTURE, {W1: 0, W2: "w2*", W3: "w3*"}, simplify=0)
    assert [str(row) for row in found.partial] == [
        "partial, w1: rho1*w1_tt - rho1*Om**2*w1 + EI1*w1_x1x1x1x1 = 0",
        "partial, w2: rho2*w2_tt + rho2*x2*w1_ttx1(l1) + 2*rho2*Om*w1_t(l1)"
        " - 2*rho2*Om*(w2*)*w1_tx1(l1) - rho2*Om**2*w2 + EI2*w2_x2x2x2x2 = 0",
        "partial, w3: rho2*w3_tt + rho2*x3*w1_ttx1(l1) - 2*rho2*Om*w1_t(l1)"
        " - 2*rho2*Om*(w3*)*w1_tx1(l1) - rho2*Om**2*w3 + EI2*w3_x3x3x3x3 = 0",
    ]
    left = {str(row.of): row.formula.text for row in found.residual}
    assert left["w2"] == "-rho2*Om**2*(w2*) + rho2*Om**2*l1 + EI2*(w2*)_x2x2x2x2"
    assert left["w2_x2(l2)"] == "EI2*(w2*)_x2x2(l2)"


def test_c5_time_that_is_up_is_the_reason_and_not_the_kind_of_equations():
    found = rt.equilibrium_equations(T_STRUCTURE, solve=0.3, simplify=0)
    assert found.remark == "None was found with the work of solve=0.3; raise it."


def test_c5_the_shape_and_the_frequencies_of_the_discretized_structure():
    slender = rt.discretize(T_STRUCTURE, {W1: 12, W2: 12, W3: 12})
    rest = rt.equilibrium(slender, T_VALUES)
    np.testing.assert_allclose(
        rest.field(W2, [0.35, 0.7]), [-0.00346513727048943, -0.00978643013759327], rtol=1e-10
    )
    assert rest.field(diff(W2, X2), 0.7)[0] == pytest.approx(-0.0186445600422383, rel=1e-10)
    np.testing.assert_allclose(rest.field(W3, [0.35, 0.7]), -rest.field(W2, [0.35, 0.7]), atol=1e-15)
    assert rest[integral(W2, X2)] == pytest.approx(-0.00273983855186651, rel=1e-10)
    assert rest[integral(W2**2, X2)] == pytest.approx(1.72128459211546e-5, rel=1e-10)
    exact = [2.04460465787154, 7.21499122584510, 11.3838341213786, 31.9318704682406,
             57.6210100727333, 71.0989905278257]  # fmt: skip
    modes = rt.modes(rt.linearize(rest))
    np.testing.assert_allclose(modes.frequencies[:6], exact, rtol=1e-10)
    assert modes.stability.verdict is rt.Verdict.STABLE


@pytest.mark.slow
def test_c5_all_coefficients_of_the_arms(t_linear):
    shape = t_linear.about[W2]
    Wd, ald = TIP.rate, SLOPE.rate
    expected = {
        (W2, W2): RHO2 * Om**2,
        (W2.rate, W2.rate): RHO2,
        (diff(W2, X2, 2), diff(W2, X2, 2)): -EI2,
        (W2, Wd): -RHO2 * Om,
        (W2, ald): -RHO2 * L1 * Om + 2 * RHO2 * Om * shape,
        (W2.rate, TIP): RHO2 * Om,
        (W2.rate, SLOPE): -RHO2 * L1 * Om,
        (W2.rate, ald): RHO2 * X2,
    }
    found = {frozenset(pair): value for pair, value in t_linear.second_derivatives[X2].items()}
    own = {pair for pair in found if any(f.base == W2 and f.end is None for f in pair)}
    assert own == {frozenset(pair) for pair in expected}
    for pair, value in expected.items():
        assert_same(found[frozenset(pair)], value)


def test_c5_field_equations(t_linear):
    partial, shape = rows(t_linear.partial), t_linear.about[W2]
    Wd, ald, aldd = TIP.rate, SLOPE.rate, SLOPE.rate.rate
    assert_same(partial["w1"], RHO1 * ddt(W1, 2) - RHO1 * Om**2 * W1 + EI1 * diff(W1, X1, 4))
    own = RHO2 * ddt(W2, 2) - RHO2 * Om**2 * W2 + EI2 * diff(W2, X2, 4)
    coupled = 2 * RHO2 * Om * Wd - 2 * RHO2 * Om * shape * ald + RHO2 * X2 * aldd
    assert_same(partial["w2"], own + coupled)
    own = RHO2 * ddt(W3, 2) - RHO2 * Om**2 * W3 + EI2 * diff(W3, X3, 4)
    shape3 = -shape.xreplace({X2: X3})
    coupled = -2 * RHO2 * Om * Wd - 2 * RHO2 * Om * shape3 * ald + RHO2 * X3 * aldd
    assert_same(partial["w3"], own + coupled)


def test_c5_boundary_rows_at_the_joint(t_linear):
    found = rows(t_linear.boundary)
    shape = t_linear.about[W2]
    shape3 = -shape.xreplace({X2: X3})
    Wd, Wdd, ald, aldd = TIP.rate, TIP.rate.rate, SLOPE.rate, SLOPE.rate.rate
    I2, I3 = integral(shape, X2), integral(shape3, X3)
    shear = EI1 * diff(W1, X1, 3).at_end(1)
    for sign, f, x, I in ((1, W2, X2, I2), (-1, W3, X3, I3)):
        shear += RHO2 * (
            L2 * (Om**2 * TIP - Wdd)
            + sign * (2 * Om * integral(ddt(f), x) + Om * L2**2 * ald + I * (aldd - Om**2 * SLOPE))
        )
    moment = -EI1 * diff(W1, X1, 2).at_end(1)
    for sign, f, x, g, I in ((1, W2, X2, shape, I2), (-1, W3, X3, shape3, I3)):
        moment += RHO2 * (
            sign * (I * (Wdd - Om**2 * TIP) - Om * L2**2 * Wd + L1 * Om**2 * I * SLOPE)
            - (L2**3 / 3 + integral(g**2, x)) * aldd
            - integral(x * ddt(f, 2), x)
            - 2 * Om * integral(g * ddt(f), x)
        )
    for name, expected in (("w1(l1)", shear), ("w1_x1(l1)", moment)):
        assert_same_with_integrals(found[name], -expected)  # inertia is positive
    kinds = [row.kind.name for row in t_linear.boundary]
    assert kinds.count("GEOMETRIC") == 6
    assert kinds.count("NATURAL") == 6


def assert_same_with_integrals(one, other):
    """Equality of linear rows with integrals, by putting polynomials in for fields and coordinates."""
    put = {}
    for f in (one - other).atoms(Field):
        if f.end is None:
            shape = (1 + f.order) * f.space ** (2 + f.order) + f.space * (3 - f.order)
            put[f] = shape.diff(f.space, f.slope)
    assert_same((one - other).xreplace(put).doit(), sympy.S.Zero)


# C7 and C8 ------------------------------------------------------------------------------------------


def hub_with_arm():
    hub, u = rt.coordinate("theta"), rt.input("u")
    r = rotation(hub) @ vector(R + s, w)
    arm = rt.System(
        kinetic=J / 2 * ddt(hub) ** 2 + integral(rho / 2 * norm2(ddt(r)), s),
        potential=BENDING,
        forces={hub: u},
        constraints=CLAMPED,
    )
    return arm, hub, u


def test_c7_the_full_nonlinear_equations():
    arm, hub, u = hub_with_arm()
    found = rt.equations(arm, simplify=0)
    td, tdd = ddt(hub), ddt(hub, 2)
    pde = rho * ddt(w, 2) + rho * (R + s) * tdd - rho * w * td**2 + EI * diff(w, s, 4)
    assert_same(found.partial[0].expression, pde)
    momentum = (J + integral(rho * ((R + s) ** 2 + w**2), s)) * td + integral(rho * (R + s) * ddt(w), s)
    assert_same_with_integrals(found.ordinary[0].expression, ddt(momentum) - u)
    assert [str(row) for row in found.boundary] == [
        "geometric, w(0): w(0) = 0",
        "geometric, w_s(0): w_s(0) = 0",
        "natural, w(L): EI*w_sss(L) = 0",
        "natural, w_s(L): EI*w_ss(L) = 0",
    ]
    assert r"\ddot{w}" in found.latex()


def test_c7_the_linear_equations_and_frequencies():
    arm, hub, u = hub_with_arm()
    found = rt.linear_equations(arm, {hub: 0, w: 0}, simplify=0)
    pde = rho * ddt(w, 2) + EI * diff(w, s, 4) + rho * (R + s) * ddt(hub, 2)
    assert_same(found.partial[0].expression, pde)
    inertia = J + rho * ((R + L) ** 3 - R**3) / 3
    expected = inertia * ddt(hub, 2) + integral(rho * (R + s) * ddt(w, 2), s) - u
    assert_same_with_integrals(found.ordinary[0].expression, expected)
    assert [row.expression for row in found.residual] == [-u]
    assert rt.linear_equations(arm, {hub: 0, w: 0, u: 0}, simplify=0).residual == ()
    values = {"L": 1.5, "R": 0.3, "J": 0.5, "rho": 1.2, "EI": 4}
    exact = [0, 5.72035891239293, 19.9378009411611, 51.4088434964009]
    np.testing.assert_allclose(frequencies(arm, values, w=14)[:4], exact, rtol=1e-12)


def test_c8_centrifugal_stiffening_is_found_from_the_kinematics():
    r = rotation(Om * t) @ vector(R + s + rt.energies.foreshortening(w), w)
    beam = rt.System(
        kinetic=integral(rho / 2 * norm2(ddt(r)), s), potential=BENDING, constraints=CLAMPED
    )
    found = rt.linear_equations(beam, {w: 0}, simplify=0)
    tension = rho * Om**2 * (R * (L - s) + (L**2 - s**2) / 2)
    table = found.second_derivatives[s]
    assert_same(table[diff(w, s), diff(w, s)], -tension)
    pde = rho * ddt(w, 2) - rho * Om**2 * w - diff(tension * diff(w, s), s) + EI * diff(w, s, 4)
    assert_same(found.partial[0].expression, pde)


# C9, C10 and the oracle of a random table -------------------------------------------------------------


def shaken():
    return rt.System(
        kinetic=[integral(rho / 2 * (ddt(w) + a * t) ** 2, s), m / 2 * (ddt(at(w, s, L)) + a * t) ** 2],
        potential=BENDING,
        constraints=CLAMPED,
    )


def test_c9_tip_mass_on_an_accelerating_base():
    (solution,) = rt.equilibrium_equations(shaken(), simplify=0).solutions
    tip = -rho * a * L**4 / (8 * EI) - m * a * L**3 / (3 * EI)
    assert_same(solution[w].xreplace({s: L}), tip)
    assert_same(EI * solution[w].diff(s, 2).xreplace({s: 0}), -(rho * a * L**2 / 2 + m * a * L))
    values = {"rho": 1.2, "EI": 4, "m": 0.5, "a": 3, "L": 1.5}
    rest = rt.equilibrium(rt.discretize(shaken(), {w: 3}), values)
    np.testing.assert_allclose(rest.field(w, [0.75, 1.5]), [-0.333544921875, -0.99140625], rtol=1e-13)
    assert rest.field(diff(w, s), 1.5)[0] == pytest.approx(-0.928125, rel=1e-13)
    row = rows(rt.equations(shaken(), simplify=0).boundary)["w(L)"]
    assert_same(row, m * (a + ddt(at(w, s, L), 2)) - EI * diff(w, s, 3).at_end(1))


def test_c10_signs_of_mixed_terms():
    beam = rho * ddt(w) ** 2 / 2 - EI * diff(w, s, 2) ** 2 / 2
    tension, f = sympy.sin(s) * s, sympy.exp(2 * t)
    for extra, left in (
        (tension * w * diff(w, s), tension.diff(s) * w),
        (f * w * ddt(w), f.diff(t) * w),
    ):
        system = rt.System(lagrangian=integral(beam + extra, s))
        expected = rho * ddt(w, 2) + EI * diff(w, s, 4) + left
        assert_same(rt.equations(system, simplify=0).partial[0].expression, expected)
        assert_same(rt.linear_equations(system, {w: 0}, simplify=0).partial[0].expression, expected)


# Nonlinear shapes -------------------------------------------------------------------------------------


def test_a_cantilever_bends_like_the_elastica():
    theta = rt.field("theta", s)
    beam = rt.System(
        kinetic=integral(rho / 2 * ddt(theta) ** 2, s),
        potential=[integral(EI / 2 * diff(theta, s) ** 2, s), -P * integral(sin(theta), s)],
        constraints=[at(theta, s, 0)],
    )
    rest = rt.equilibrium(rt.discretize(beam, {theta: 20}), {"L": 1, "EI": 1, "P": 5, "rho": 1})
    alpha = np.sqrt(5.0)  # sqrt(P L^2 / EI)

    def amplitude(k):
        return np.arcsin(1 / (k * np.sqrt(2)))

    k = brentq(
        lambda k: ellipk(k**2) - ellipkinc(amplitude(k), k**2) - alpha,
        np.sqrt(0.5) + 1e-12, 1 - 1e-12, xtol=1e-15,
    )  # fmt: skip
    down = 1 - 2 / alpha * (ellipe(k**2) - ellipeinc(amplitude(k), k**2))
    out = np.sqrt(2 * (2 * k**2 - 1)) / alpha
    # the complete integrals lose a digit or two beside k = 1
    assert rest[at(theta, s, L)] == pytest.approx(np.arcsin(2 * k**2 - 1), rel=1e-13)
    assert rest[integral(sin(theta), s)] == pytest.approx(down, rel=1e-12)
    assert rest[integral(cos(theta), s)] == pytest.approx(out, rel=1e-12)


def test_a_nonlinear_condition_at_an_end_stays_a_constraint():
    x = rt.coordinate("x")
    beam = rt.System(
        kinetic=[integral(rho / 2 * ddt(w) ** 2, s), m / 2 * ddt(x) ** 2],
        potential=[BENDING, 50 * (x - 1) ** 2 / 2],
        constraints=[*CLAMPED, x**2 + at(w, s, L) ** 2 - 1],
    )
    slender = rt.discretize(beam, {w: 4})
    assert len(slender.constraints) == 1
    rest = rt.equilibrium(slender, {"L": 1, "rho": 1, "EI": 1, "m": 1}, guess={x: 0.9, w: 0.4 * s**2})
    tip = rest[at(w, s, L)]
    assert rest.q[0] ** 2 + tip**2 == pytest.approx(1, abs=1e-14)
    natural = [row for row in rt.equations(beam, simplify=0).boundary if row.kind.name == "NATURAL"]
    assert any("lambda3" in str(row) for row in natural)


# Discretized systems -----------------------------------------------------------------------------------


def random_hybrid():
    """Hub, two spaces, end values in densities, damping, distributed and end forces, an input."""
    q, u = rt.coordinate("q"), rt.input("u")
    z = rt.field("z", rt.space("x", 0, 1))
    x = z.space
    tip = at(w, s, L)
    return rt.System(
        kinetic=[
            integral(rho / 2 * (ddt(w) + s * ddt(q) + 0.3 * ddt(z).at_end(1)) ** 2, s),
            integral((1 + x) / 2 * ddt(z) ** 2 + 0.1 * sin(q) * ddt(z) * ddt(tip), x),
            J / 2 * ddt(q) ** 2 + m / 2 * ddt(tip) ** 2,
        ],
        potential=[BENDING, integral(diff(z, x) ** 2 / 2 + z**4 + tip * z, x), cos(q) + q**2],
        dissipation=[integral(0.1 * ddt(diff(w, s, 2)) ** 2, s), 0.2 * ddt(tip) ** 2],
        forces=[
            rt.force(vector(w * ddt(w), u * s), at=vector(q * s, w)),
            rt.force(vector(-P * at(diff(w, s), s, L)), at=vector(tip)),
        ],
        constraints=[*CLAMPED, at(z, x, 0)],
    )


def test_sums_of_small_engines_are_the_whole_engine():
    system = random_hybrid()
    z = next(f for f in system.fields if f.name == "z")
    slender = rt.discretize(system, {w: 3, z: 2})
    engine = kernel(slender)
    assert engine.is_sum
    generator = np.random.default_rng(7)
    n, count = len(slender.coordinates), 3
    sizes = (1, n, n, n, len(slender.parameters), len(slender.signals), 0)
    point = Point(*(generator.uniform(0.2, 0.9, (count, k)) for k in sizes))
    whole = Balance(Graph(slender), at_rest=False)
    parts = engine.in_motion
    arguments = point.arguments
    np.testing.assert_allclose(parts.residual(arguments), whole.residual(arguments), rtol=1e-11)
    np.testing.assert_allclose(parts.lagrangian(arguments), whole.lagrangian(arguments), rtol=1e-12)
    np.testing.assert_allclose(
        parts.input_columns(arguments), whole.input_columns(arguments), atol=1e-13
    )
    for one, other in zip(parts.matrices(arguments), whole.variation.matrices(arguments), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-11 * np.abs(other).max())
    one, other = parts.slopes(arguments), whole.slopes(arguments)
    for name in "puv":
        np.testing.assert_allclose(
            one[name], other[name], atol=1e-11 * np.abs(other[name]).max(initial=1)
        )
    assert parts.idle == whole.idle
    assert parts.acting == whole.acting


def test_bounds_may_be_swept():
    beam = rt.System(kinetic=integral(rho / 2 * ddt(w) ** 2, s), potential=BENDING, constraints=CLAMPED)
    lengths = np.array([0.5, 1.0, 2.0])
    found = frequencies(beam, {"L": lengths, "rho": 1, "EI": 1}, w=8)[:, 0]
    np.testing.assert_allclose(found * lengths**2, 1.875104068711961**2, rtol=1e-12)


@pytest.mark.slow
def test_modes_to_an_accuracy_say_what_it_was():
    beam = rt.System(kinetic=integral(rho / 2 * ddt(w) ** 2, s), potential=BENDING, constraints=CLAMPED)
    exact = np.array([1.8751040687119611664, 4.6940911329741745764, 7.8547574382376125649]) ** 2
    values = {"L": 1, "rho": 1, "EI": 1}
    for size, accuracy in ((3, 1e-8), (rt.Elements(4), 1e-6)):
        linear = rt.linearize(rt.equilibrium(rt.discretize(beam, {w: size}), values))
        found = rt.modes(linear, count=3, converged=accuracy)
        error = np.abs(found.frequencies / exact - 1).max()
        assert error < found.accuracy < accuracy
        assert "Converged to" in str(found)
    given = rt.discretize(beam, {w: [s**2 * (3 * L - s) / L**3]})
    linear = rt.linearize(rt.equilibrium(given, values))
    with pytest.raises(rt.DeclarationError, match="given functions"):
        rt.modes(linear, converged=1e-8)


@pytest.mark.slow
def test_given_functions_give_rayleigh_quotients():
    beam = rt.System(
        kinetic=integral(rho / 2 * ddt(w) ** 2, s),
        potential=BENDING,
        constraints=[at(w, s, 0), at(w, s, L)],
    )
    sines = [sin(k * sympy.pi * s / L) for k in (1, 2)]
    slender = rt.discretize(beam, {w: sines})
    assert slender.constraints == ()
    linear = rt.linearize(rt.equilibrium(slender, {"L": 2, "rho": 3, "EI": 5}))
    expected = np.array([1, 4]) * np.pi**2 / 4 * np.sqrt(5 / 3)
    np.testing.assert_allclose(rt.modes(linear).frequencies, expected, rtol=1e-12)


def test_a_motion_keeps_its_energy_and_starts_from_a_shape():
    beam = rt.System(kinetic=integral(rho / 2 * ddt(w) ** 2, s), potential=BENDING, constraints=CLAMPED)
    slender = rt.discretize(beam, {w: 5})
    values = {"L": 1, "rho": 1, "EI": 1}
    linear = rt.linearize(rt.equilibrium(slender, values))
    first = rt.modes(linear)
    period = 2 * np.pi / first.frequencies[0]
    shape = first.field(w, 0, [0.5, 1.0])
    b = 1.875104068711961
    ratio = (np.cosh(b) + np.cos(b)) / (np.sinh(b) + np.sin(b))
    exact = rt.cosh(b * s) - cos(b * s) - ratio * (rt.sinh(b * s) - sin(b * s))
    start = {w: 0.1 * exact / float(exact.subs(s, 1.0)), ddt(w): 0}
    motion = rt.simulate(slender, values, start, np.linspace(0, period, 5))
    assert motion.energy_error < 1e-6
    tip = motion[at(w, s, L)]
    np.testing.assert_allclose(tip, 0.1 * np.cos(np.linspace(0, 2 * np.pi, 5)), atol=2e-6)
    along = motion.field(w, [0.5, 1.0])
    assert along.shape == (5, 2)
    np.testing.assert_allclose(along[0] / 0.1, shape / shape[1], atol=1e-5)


def test_a_system_of_many_elements_has_sparse_matrices_and_right_modes():
    x = rt.coordinate("x")
    beam = rt.System(
        kinetic=[integral(rho / 2 * ddt(w) ** 2, s), m / 2 * ddt(x) ** 2],
        potential=[BENDING, x**2 / 2 * 100, (x - at(w, s, L)) ** 2 / 2 * 7],
        forces={w: P},
        constraints=CLAMPED,
    )
    values = {"L": 1, "rho": 1, "EI": 1, "m": 1, "P": 2}
    few, many = rt.discretize(beam, {w: 14}), rt.discretize(beam, {w: rt.Elements(400)})
    rests = [rt.equilibrium(system, values) for system in (few, many)]
    tips = [rest.field(w, [0.3, 1.0]) for rest in rests]
    np.testing.assert_allclose(tips[1], tips[0], rtol=1e-9)  # rounding grows like n^2
    linear = rt.linearize(rests[1])
    assert linear.is_sparse
    assert linear.M.nnz < 20 * len(many.coordinates)
    found = rt.modes(linear, count=6)
    reference = rt.modes(rt.linearize(rests[0])).frequencies[:6]
    np.testing.assert_allclose(found.frequencies, reference, rtol=1e-8)
    assert "sparse" in str(linear)
    assert "Lowest modes" in str(found)
    np.testing.assert_allclose(found.field(w, 0, [0.0]), 0, atol=1e-12)
    with pytest.raises(rt.DerivationError, match="fewer functions"):
        rt.stability(linear)


def test_free_free_beams_have_rigid_body_modes():
    free = rt.System(kinetic=integral(rho / 2 * ddt(w) ** 2, s), potential=BENDING)
    values = {"L": 1, "rho": 1, "EI": 1}
    exact = np.array([4.730040744862704, 7.853204624095838]) ** 2
    for size in (14, rt.Elements(300)):
        rest = rt.equilibrium(rt.discretize(free, {w: size}), values)
        found = rt.modes(rt.linearize(rest), count=4)
        assert found.frequencies[:2].tolist() == [0, 0]
        np.testing.assert_allclose(found.frequencies[2:], exact, rtol=1e-7)
        assert found.rigid[:2].all()


# What careful readers found -----------------------------------------------------------------------------


def beam(**more):
    parts = {
        "kinetic": integral(rho / 2 * ddt(w) ** 2, s), "potential": BENDING, "constraints": CLAMPED
    }  # fmt: skip
    return rt.System(**(parts | more))


UNIT = {"L": 1, "rho": 1, "EI": 1}


def test_a_torque_in_space_turns_a_rotation_made_of_a_field():
    tilt = rotation(at(diff(w, s), s, L), vector(0, 0, 1)) @ rotation(0.3, vector(1, 0, 0))
    loaded = beam(forces=[rt.torque(vector(0, 0, P), tilt)])
    rest = rt.equilibrium(rt.discretize(loaded, {w: 4}), UNIT | {"P": 0.01})
    assert rest[at(diff(w, s), s, L)] == pytest.approx(
        0.01, rel=1e-4
    )  # tau L / EI; cos(slope) is near 1


def test_a_step_in_stiffness_needs_a_node_there_and_is_then_exact():
    bent = EI * sympy.Piecewise((1, s < 2 * L / 5), (3, True))
    stepped = beam(potential=integral(bent / 2 * diff(w, s, 2) ** 2, s))
    with pytest.raises(
        rt.DerivationError, match=r"cannot follow its stiffness.*Elements.*nodes at 0\.4,"
    ):
        rt.modes(rt.linearize(rt.equilibrium(rt.discretize(stepped, {w: 4}), UNIT)))
    nodes = tuple(k / 20 for k in range(21))
    found = rt.modes(
        rt.linearize(rt.equilibrium(rt.discretize(stepped, {w: rt.Elements(nodes)}), UNIT)), count=2
    ).frequencies
    x, y = rt.space("x", 0, 0.4), rt.space("y", 0.4, 1)
    u, v = rt.field("u", x), rt.field("v", y)
    joined = rt.System(
        kinetic=[integral(ddt(u) ** 2 / 2, x), integral(ddt(v) ** 2 / 2, y)],
        potential=[integral(diff(u, x, 2) ** 2 / 2, x), integral(3 * diff(v, y, 2) ** 2 / 2, y)],
        constraints=[
            at(u, x, 0), at(diff(u, x), x, 0), at(u, x, 0.4) - at(v, y, 0.4),
            at(diff(u, x), x, 0.4) - at(diff(v, y), y, 0.4),
        ],
    )  # fmt: skip
    assert rt.discretize(joined, {u: 4, v: 4}).constraints == ()
    exact = frequencies(joined, {}, u=10, v=10)[:2]
    np.testing.assert_allclose(found, exact, rtol=2e-5)  # cubics: h^4 with h = 1/20


def test_a_jump_of_mass_is_integrated_and_too_few_points_are_refused():
    heavy = sympy.Piecewise((1, s < 2 * L / 5), (4, True))
    jumping = beam(kinetic=integral(rho * heavy / 2 * ddt(w) ** 2, s))
    nodes = tuple(k / 40 for k in range(41))
    found, expected = (
        rt.modes(
            rt.linearize(rt.equilibrium(rt.discretize(jumping, {w: n}), UNIT)), count=2
        ).frequencies
        for n in (12, rt.Elements(nodes))
    )
    np.testing.assert_allclose(found, expected, rtol=1e-5)  # what 12 polynomials leave
    with pytest.raises(rt.DerivationError, match="too few points"):
        rt.equilibrium(rt.discretize(beam(), {w: 12}, points=11), UNIT)


@pytest.mark.parametrize("what", ["damped", "turning"])
def test_large_systems_keep_their_digits_with_damping_and_turning(what):
    if what == "damped":
        system = beam(dissipation=integral(0.3 * ddt(w) ** 2, s))
        sizes = [{w: 14}, {w: rt.Elements(500)}]
    else:
        v = rt.field("v", s)
        r = rotation(Om * t) @ vector(w, v)
        system = rt.System(
            kinetic=integral(rho / 2 * norm2(ddt(r)), s),
            potential=[BENDING, integral(2 * EI / 2 * diff(v, s, 2) ** 2, s)],
            constraints=[*CLAMPED, at(v, s, 0), at(diff(v, s), s, 0)],
        )
        sizes = [{w: 12, v: 12}, {w: rt.Elements(300), v: rt.Elements(300)}]
    values = UNIT | ({} if what == "damped" else {"Om": 1.0})
    dense, large = (
        rt.modes(rt.linearize(rt.equilibrium(rt.discretize(system, size), values)), count=3)
        for size in sizes
    )
    assert large.linear.is_sparse
    np.testing.assert_allclose(large.eigenvalues, dense.eigenvalues, rtol=1e-8, atol=1e-9)


def test_count_takes_the_slowest_modes_and_converges_with_internal_damping():
    damped = beam(dissipation=integral(0.005 / 2 * ddt(diff(w, s, 2)) ** 2, s))
    linear = rt.linearize(rt.equilibrium(rt.discretize(damped, {w: 8}), UNIT))
    found = rt.modes(linear, count=2, converged=1e-8)
    exact = np.array([1.8751040687119611664, 4.6940911329741745764]) ** 2
    # s^2 + 0.005 omega^2 s + omega^2 = 0
    pairs = np.concatenate([np.roots([1, 0.005 * f**2, f**2]) for f in exact])
    for value in pairs:
        assert np.abs(found.eigenvalues - value).min() < 1e-7 * abs(value)
    assert found.eigenvectors.shape == (len(found.linear.coordinates), 4)


def test_two_beams_at_an_angle_are_joined_by_conditions():
    x = rt.space("x", 0, 1)
    u1, w1, u2, w2 = rt.field("u1", s), rt.field("w1", s), rt.field("u2", x), rt.field("w2", x)
    c, d = np.cos(0.3), np.sin(0.3)
    ends = {f: (at(f, s, L) if f.space == s else at(f, x, 0)) for f in (u1, w1, u2, w2)}
    bodies = [(u1, w1, s), (u2, w2, x)]
    frame = rt.System(
        kinetic=[integral((ddt(u) ** 2 + ddt(v) ** 2) / 2, y) for u, v, y in bodies],
        potential=[integral(50 * diff(u, y) ** 2 + diff(v, y, 2) ** 2 / 2, y) for u, v, y in bodies],
        constraints=[
            at(u1, s, 0), at(w1, s, 0), at(diff(w1, s), s, 0),
            ends[u1] - c * ends[u2] + d * ends[w2], ends[w1] - d * ends[u2] - c * ends[w2],
            at(diff(w1, s), s, L) - at(diff(w2, x), x, 0),
        ],
    )  # fmt: skip
    turned = rt.System(
        kinetic=frame.kinetic, potential=frame.potential,
        constraints=[
            *frame.constraints[:3], ends[u2] - c * ends[u1] - d * ends[w1],
            ends[w2] + d * ends[u1] - c * ends[w1], frame.constraints[5],
        ],
    )  # fmt: skip
    sizes = {"u1": 5, "w1": 6, "u2": 5, "w2": 6}
    one, other = (frequencies(system, {"L": 1}, **sizes)[:3] for system in (frame, turned))
    np.testing.assert_allclose(one, other, rtol=1e-6)  # spaces of functions differ a little


def test_a_motion_under_a_nonlinear_condition_starts_from_rest():
    x = rt.coordinate("x")
    held = rt.System(
        kinetic=[integral(rho / 2 * ddt(w) ** 2, s), ddt(x) ** 2 / 2],
        potential=[BENDING, (x - 1) ** 2 / 2],
        constraints=[*CLAMPED, (x + L - 1.2) ** 2 + at(w, s, L) ** 2 - 0.3**2],
    )
    motion = rt.simulate(rt.discretize(held, {w: 3}), UNIT | {"L": 1.5}, {}, np.linspace(0, 0.2, 5))
    assert motion.completed
    assert motion.constraint_error < 1e-12


@pytest.mark.slow
def test_closed_forms_have_no_poles_of_their_own_and_say_why_there_is_none():
    k = rt.parameter("k")
    bedded = beam(
        potential=[BENDING, integral(k / 2 * w**2 + P * w, s)],
        constraints=[at(w, s, 0), at(w, s, L)],
    )
    found = rt.equilibrium_equations(bedded, solve=10, simplify=0)
    (solution,) = found.solutions
    values = {EI: 1, k: 4, L: sympy.pi / 2, P: 1}
    middle = float(unfold(solution[w]).subs(values).subs(s, sympy.pi / 4))
    rest = rt.equilibrium(
        rt.discretize(bedded, {w: 12}), {"L": np.pi / 2, "rho": 1, "EI": 1, "k": 4, "P": 1}
    )
    assert middle == pytest.approx(rest.field(w, np.pi / 4)[0], rel=1e-10)
    assert [str(let) for let in found.named][:2] == ["beta", "Delta"]
    loose = beam(forces={w: 1}, constraints=[at(w, s, 0)])
    assert "contradict each other" in str(rt.equilibrium_equations(loose, simplify=0))
    arm, hub, _ = hub_with_arm()
    arm = rt.System(kinetic=arm.kinetic, potential=arm.potential, constraints=arm.constraints)
    found = rt.equilibrium_equations(arm, simplify=0)
    assert found.free == (hub,)
    assert found.solutions == ({hub: 0, w: 0},)
    assert rt.linear_equations(arm, found.solutions[0], simplify=0).residual == ()
