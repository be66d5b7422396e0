"""Equations of higher order straight from the Lagrangian, and periodic motions."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ellipk

import routh as rt


def test_the_double_pendulum_up_to_third_order():
    q1, q2 = rt.coordinates("q1 q2")
    m1, m2, l1, l2, g = rt.parameters("m1 m2 l1 l2 g")
    r1 = rt.vector(l1 * rt.sin(q1), -l1 * rt.cos(q1))
    r2 = r1 + rt.vector(l2 * rt.sin(q1 + q2), -l2 * rt.cos(q1 + q2))
    system = rt.System(
        kinetic=[m1 / 2 * rt.norm2(rt.ddt(r1)), m2 / 2 * rt.norm2(rt.ddt(r2))],
        potential=m1 * g * r1[1] + m2 * g * r2[1],
    )
    found = rt.expand(system, {q1: 0, q2: 0}, 3)
    assert all(sympy.simplify(row) == 0 for row in found[2])
    e1, e2 = found.deviations
    d1, d2, s1, s2 = e1.rate, e2.rate, e1.rate.rate, e2.rate.rate
    first = -m2 * l1 * l2 * (e2**2 * s1 + e2**2 * s2 / 2 + 2 * e2 * d1 * d2 + e2 * d2**2)
    first += -(m1 + m2) * g * l1 * e1**3 / 6 - m2 * g * l2 * (e1 + e2) ** 3 / 6
    second = m2 * l1 * l2 * (-(e2**2) * s1 / 2 + e2 * d1**2) - m2 * g * l2 * (e1 + e2) ** 3 / 6
    assert sympy.expand(found[3][0] - first) == 0
    assert sympy.expand(found[3][1] - second) == 0


def elastic_pendulum():
    l, theta = rt.coordinates("l theta")
    m, k, l0, g = rt.parameters("m k l0 g")
    r = rt.vector(l * rt.sin(theta), -l * rt.cos(theta))
    return (
        rt.System(kinetic=m * rt.norm2(rt.ddt(r)) / 2, potential=m * g * r[1] + k * (l - l0) ** 2 / 2),
        (l, theta),
    )


def test_the_elastic_pendulum_with_numbers():
    system, (l, theta) = elastic_pendulum()
    m, k, l0, g = (next(p for p in system.parameters if p.name == n) for n in ("m", "k", "l0", "g"))
    le = l0 + m * g / k
    found = rt.expand(system, {l: le, theta: 0}, 3)
    assert [sympy.simplify(row) for row in found.residual] == [0, 0]
    e, d, s = (0.1, 0.2), (-0.3, 0.4), (0.5, -0.6)
    at = {m: 1, k: 40, l0: 1, g: 9.81}
    for own, a, b, c in zip(found.deviations, e, d, s, strict=True):
        at |= {own: a, own.rate: b, own.rate.rate: c}
    numbers = {1: (4.5, 1.5127919625), 2: (-0.00304, -0.25209), 3: (-0.016, -0.04628787)}
    for degree, expected in numbers.items():
        assert [float(row.subs(at)) for row in found[degree]] == pytest.approx(expected, rel=1e-9)


@settings(max_examples=4, deadline=None)
@given(st.integers(0, 2**32 - 1))
@pytest.mark.slow
def test_expansions_are_taylor_series_of_the_residual(seed):
    """Parts from L one order higher against derivatives of the full equations, along a moving point."""
    draw = np.random.default_rng(seed)
    q = rt.coordinates("a b")
    v = [x.rate for x in q]
    c = [sympy.Rational(int(x), 10) for x in draw.integers(-9, 10, 10)]
    T = (3 + c[0] * rt.sin(q[1])) * v[0] ** 2 / 2 + v[1] ** 2 + c[1] * rt.cos(q[0]) * v[0] * v[1]
    T += c[2] * q[1] * rt.cos(rt.t) * v[0]
    V = q[0] ** 2 + q[1] ** 2 + c[3] * q[0] ** 3 + c[4] * rt.cos(q[0] * q[1])
    D = (1 + c[5] * q[0]) * v[1] ** 2 / 4
    system = rt.System(kinetic=T, potential=V, dissipation=D, forces={q[0]: c[6] * q[1] ** 2 * v[1]})
    about = {q[0]: rt.sin(rt.t) / 3, q[1]: sympy.Rational(1, 5)}
    found = rt.expand(system, about, 3, simplify=0)
    E = rt.equations(system, simplify=0).residual
    small = sympy.Symbol("small")
    table = {}
    for x, e in zip(q, found.deviations, strict=True):
        for k, (one, other) in enumerate(
            zip((x, x.rate, x.rate.rate), (e, e.rate, e.rate.rate), strict=True)
        ):
            table[one] = sympy.diff(about[x], rt.t, k) + small * other
    numbers = {rt.t: sympy.Rational(2, 5)}
    for k, e in enumerate(found.deviations):
        numbers |= {e: c[7] + k, e.rate: c[8] - k, e.rate.rate: c[9] + sympy.Rational(k, 2)}
    for i in range(2):
        along = E[i].subs(table, simultaneous=True).subs(numbers)
        for degree in range(1, 4):
            taylor = sympy.diff(along, small, degree).subs(small, 0) / sympy.factorial(degree)
            mine = found[degree][i].subs(numbers)
            assert float(mine) == pytest.approx(float(taylor), rel=1e-9, abs=1e-10)
        assert float(found.residual[i].subs(numbers)) == pytest.approx(
            float(along.subs(small, 0)), abs=1e-10
        )


def test_expansions_in_numbers_are_those_in_symbols():
    system, (l, theta) = elastic_pendulum()
    values = {"m": 1.0, "k": 40.0, "l0": 1.0, "g": 9.81}
    found = rt.expand(rt.equilibrium(system, values, guess={l: 1.2}), order=3)
    e, d, s = (0.1, 0.2), (-0.3, 0.4), (0.5, -0.6)
    numbers = {1: (4.5, 1.5127919625), 2: (-0.00304, -0.25209), 3: (-0.016, -0.04628787)}
    for degree, expected in numbers.items():
        assert found(degree, e, d, s) == pytest.approx(expected, rel=1e-9)
    third = found.tensor(3).toarray().reshape(4, 4, 4)
    assert third == pytest.approx(third.transpose(2, 1, 0))
    L = sympy.Add(*system.lagrangian_terms)
    z = (l, theta, l.rate, theta.rate)
    at = {p: values[p.name] for p in system.parameters} | {
        l: 1 + 9.81 / 40,
        theta: 0,
        l.rate: 0,
        theta.rate: 0,
    }
    exact = [[[float(L.diff(a, b, c).subs(at)) for c in z] for b in z] for a in z]
    assert third == pytest.approx(np.array(exact), abs=1e-12)
    with pytest.raises(rt.DeclarationError, match="has parts of degree 1, 2, 3"):
        found(4, e, d, s)


def test_a_discretized_beam_expands_in_numbers():
    """A beam with ends that cannot come nearer: stretching makes a cubic force, nothing quadratic."""
    L, EI, EA = rt.parameters("L EI EA")
    x = rt.space("x", 0, L)
    w = rt.field("w", x)
    stretch = rt.integral(rt.diff(w, x) ** 2 / 2, x) / L
    beam = rt.System(
        kinetic=rt.integral(rt.ddt(w) ** 2 / 2, x),
        potential=rt.integral(EI * rt.diff(w, x, 2) ** 2 / 2, x) + EA * L / 2 * stretch**2,
        constraints=[rt.at(w, x, 0), rt.at(w, x, L)],
    )
    system = rt.discretize(beam, {w: 8})
    rest = rt.equilibrium(system, {"L": 1.0, "EI": 1.0, "EA": 12.0})
    found = rt.expand(rest, order=3)
    eta = 0.1 * np.arange(1.0, 1 + len(system.coordinates))
    zero = np.zeros_like(eta)
    assert np.abs(found(2, eta, zero, zero)).max() < 1e-10
    assert np.abs(found(3, eta, zero, zero)).max() > 1e-3
    form = rt.normal_form(rest)
    assert form.frequencies[0] == pytest.approx(np.pi**2, rel=1e-6)
    # w = A sin(pi x): a'' + pi^4 a + EA pi^4/4 a^3 = 0, so omega grows by 3 EA pi^2/32 A^2
    point = rt.simulate(
        system,
        {"L": 1.0, "EI": 1.0, "EA": 12.0},
        dict(zip(system.coordinates, form.shapes[:, 0], strict=True)),
        [0, 1e-9],
    )
    A = float(point.field("w", [0.5])[0, 0])
    assert form.shift[0] / A**2 == pytest.approx(3 * 12 * np.pi**2 / 32, rel=1e-5)


def test_a_stretched_beam_expands_into_partial_equations():
    L, EI, EA, rho = rt.parameters("L EI EA rho")
    x = rt.space("x", 0, L)
    w, u = rt.field("w", x), rt.field("u", x)
    strain = rt.diff(u, x) + rt.diff(w, x) ** 2 / 2
    beam = rt.System(
        kinetic=rt.integral(rho * (rt.ddt(w) ** 2 + rt.ddt(u) ** 2) / 2, x),
        potential=rt.integral(EI * rt.diff(w, x, 2) ** 2 / 2 + EA * strain**2 / 2, x),
        constraints=[rt.at(w, x, 0), rt.at(rt.diff(w, x), x, 0), rt.at(u, x, 0)],
    )
    found = rt.expand(beam, {w: 0, u: 0}, 3)
    rows = str(found)
    for row in (
        "partial, w: EI*w_xxxx + rho*w_tt = 0",
        "partial, w: -EA*u_x*w_xx - EA*u_xx*w_x = 0",
        "partial, u: -EA*w_x*w_xx = 0",
        "natural, w(L): -EA*u_x(L)*w_x(L) = 0",
        "partial, w: -3*EA*w_x**2*w_xx/2 = 0",
        "natural, w(L): -EA*w_x(L)**3/2 = 0",
    ):
        assert row in rows
    with pytest.raises(rt.DerivationError, match="with a reference other than zero"):
        rt.expand(beam, {w: 1, u: 0}, 2)


def test_products_of_integrals_and_coordinates_have_the_degree_of_the_whole():
    l, EI, EA, rho, m = rt.parameters("l EI EA rho m")
    s, q = rt.space("s", 0, l), rt.coordinate("q")
    w = rt.field("w", s)
    T = rt.integral(rho * rt.ddt(w) ** 2 / 2, s)
    bend = rt.integral(EI * rt.diff(w, s, 2) ** 2 / 2, s)
    stretched = rt.System(
        kinetic=T, potential=bend + EA / (8 * l) * rt.integral(rt.diff(w, s) ** 2, s) ** 2
    )
    found = rt.expand(stretched, {w: 0}, 3)
    assert "EA" not in " ".join(map(str, found[1]))
    assert found[2] == ()
    assert "EA" in " ".join(map(str, found[3]))
    coupled = rt.System(
        kinetic=T + m * q.rate**2 / 2, potential=bend + q**2 / 2 + m * rt.sin(q) * rt.integral(w, s)
    )
    rows = " ".join(map(str, rt.expand(coupled, {w: 0, q: 0}, 1)[1]))
    assert "m*q''" in rows
    assert "Integral" in rows or "int" in rows  # m q times the integral of w stays
    curved = rt.System(kinetic=T, potential=rt.integral(EI * (1 - rt.cos(rt.diff(w, s))), s))
    assert rt.expand(curved, {w: 0}, 3)[3]


def test_parts_of_fields_keep_their_forcing_and_their_conditions():
    L, EI, EA, m = rt.parameters("L EI EA m")
    s, q, u = rt.space("s", 0, L), rt.coordinate("q"), rt.input("u")
    w = rt.field("w", s)
    T = rt.integral(rt.ddt(w) ** 2 / 2, s)
    forced = rt.System(
        kinetic=T,
        constraints=[rt.at(w, s, 0)],
        potential=rt.integral(EI * rt.diff(w, s) ** 2 / 2 - u * w, s) - u * rt.at(w, s, L),
    )
    left = [str(row) for row in rt.expand(forced, {w: 0}, 1).residual]
    assert left == ["partial, w: -u = 0", "natural, w(L): u = 0"]
    tied = rt.System(
        kinetic=T + m * q.rate**2 / 2,
        constraints=[rt.at(w, s, 0), rt.at(w, s, L) - q],
        potential=rt.integral(EI * rt.diff(w, s) ** 2 / 2 + EA * rt.diff(w, s) ** 4 / 4, s),
    )
    cubic = [str(row) for row in rt.expand(tied, {w: 0, q: 0}, 3)[3]]
    assert "ordinary, q: EA*w_s(L)**3 = 0" in cubic
    assert not any(row.startswith("natural") for row in cubic)


def test_singular_references_are_told():
    x = rt.coordinate("x")
    with pytest.raises(rt.DerivationError, match="put together of pieces"):
        rt.expand(
            rt.System(kinetic=x.rate**2, potential=sympy.Abs(x) ** 3), {x: sympy.Rational(1, 2)}, 2
        )
    for V in (rt.sqrt(x), rt.log(x), 1 / x):
        with pytest.raises(rt.DerivationError, match="has no derivatives at the reference"):
            rt.expand(rt.System(kinetic=x.rate**2, potential=V), {x: 0}, 2)


def test_orders_that_cannot_be():
    system, (l, theta) = elastic_pendulum()
    for order in (0, 1.5, True):
        with pytest.raises(rt.DeclarationError, match="must be a whole number, 1 or more"):
            rt.expand(system, {l: 1, theta: 0}, order)
    with pytest.raises(rt.DeclarationError, match=r"too many to write out .* Ask for a lower order"):
        rt.expand(system, {l: 1, theta: 0}, 80)
    with pytest.raises(rt.DeclarationError, match=r"has parts of degree 1, 2. Got 3"):
        rt.expand(system, {l: 1, theta: 0}, 2)[3]
    held = rt.System(kinetic=l.rate**2 + theta.rate**2, constraints=[l**2 + theta**2 - 1])
    with pytest.raises(rt.DerivationError, match="has constraints"):
        rt.expand(held, {l: 1, theta: 0})


# --- normal forms


def test_frequencies_that_change_with_amplitude_are_those_of_the_textbook():
    x, theta = rt.coordinates("x theta")
    a, b = 0.3, 0.2
    duffing = rt.System(kinetic=x.rate**2 / 2, potential=x**2 / 2 + a * x**3 / 3 + b * x**4 / 4)
    found = rt.normal_form(rt.equilibrium(duffing, {}))
    assert found.shift == pytest.approx([3 * b / 8 - 5 * a**2 / 12])
    again = rt.normal_form(rt.expand(rt.equilibrium(duffing, {}), order=3))
    assert again.shift == pytest.approx(found.shift)
    swing = rt.System(kinetic=theta.rate**2 / 2, potential=-rt.cos(theta))
    assert rt.normal_form(rt.equilibrium(swing, {})).shift == pytest.approx([-1 / 16])
    assert "softens" in str(rt.normal_form(rt.equilibrium(swing, {})))


def test_normal_forms_against_periodic_motions():
    """Two coupled coordinates with inertia that depends on them: the remainder is of fourth order."""
    x, y = rt.coordinates("x y")
    system = rt.System(
        kinetic=((1 + x**2 / 2) * x.rate**2 + 2 * (1 + x / 3) * y.rate**2) / 2,
        potential=x**2 / 2 + 3 * y**2 + x**2 * y / 2 + x**4 / 5 + x**3 / 6,
    )
    rest = rt.equilibrium(system, {})
    form = rt.normal_form(rest)
    left = []
    for A in (0.08, 0.04):
        shape = form.shapes[:, 0] * A
        found = rt.periodic_motion(
            system, {}, {x: shape[0], y: shape[1]}, 2 * np.pi / form.frequencies[0]
        )
        amplitude = (found.motion[x].max() - found.motion[x].min()) / 2
        left.append(abs(2 * np.pi / found.period - form.frequency(0, amplitude)))
    assert left[0] < 1e-5
    assert np.log2(left[0] / left[1]) == pytest.approx(4, abs=0.5)


def test_velocities_of_odd_degree_count_too():
    """A magnetic term x^2 y': the second harmonic that it drives is out of phase."""
    x, y = rt.coordinates("x y")
    system = rt.System(
        kinetic=(x.rate**2 + y.rate**2) / 2 + x**2 * y.rate, potential=x**2 / 2 + 3 * y**2
    )
    assert rt.normal_form(rt.equilibrium(system, {})).shift[0] == pytest.approx(-0.5, rel=1e-9)


def test_exact_resonances_have_no_modes_by_themselves():
    x, y = rt.coordinates("x y")
    apart = rt.System(
        kinetic=(x.rate**2 + y.rate**2) / 2, potential=x**2 / 2 + 2 * y**2 + x**3 / 3 + x**4 / 4
    )
    assert rt.normal_form(rt.equilibrium(apart, {})).shift == pytest.approx([3 / 8 - 5 / 12, 0])
    one = rt.System(kinetic=(x.rate**2 + y.rate**2) / 2, potential=(x**2 + y**2) / 2 + (x + y) ** 4 / 4)
    three = rt.System(
        kinetic=(x.rate**2 + y.rate**2) / 2, potential=(x**2 + 9 * y**2) / 2 + x**3 * y / 2 + x**4 / 4
    )
    assert np.isnan(rt.normal_form(rt.equilibrium(one, {})).shift).all()
    found = rt.normal_form(rt.equilibrium(three, {}))
    assert np.isnan(found.shift[0])
    assert "in exact resonance" in str(found)
    shaken = rt.System(kinetic=x.rate**2 / 2, potential=x**2 / 2 + rt.cos(rt.t) * x**4 / 4)
    with pytest.raises(rt.DerivationError, match="contain time"):
        rt.normal_form(rt.equilibrium(shaken, {}))
    rubbed = rt.System(kinetic=x.rate**2 / 2, potential=x**2 / 2, forces={x: -(x.rate**3)})
    with pytest.raises(rt.DerivationError, match="has damping"):
        rt.normal_form(rt.equilibrium(rubbed, {}))


def test_an_elastic_pendulum_tuned_two_to_one_exchanges_energy():
    system, (l, theta) = elastic_pendulum()
    values = {"m": 1.0, "l0": 1.0, "g": 9.81, "k": 3 * 9.81}  # sqrt(k/m) = 2 sqrt(g/le) at le = 4/3
    rest = rt.equilibrium(system, values, guess={l: 1.3})
    form = rt.normal_form(rest)
    assert form.frequencies[1] == pytest.approx(2 * form.frequencies[0])
    assert [(each.modes, each.kind) for each in form.resonances] == [((0, 1), "1:2 resonance")]
    assert np.isnan(form.shift[0])
    # bounces become swings and come back
    motion = rt.simulate(
        system, values, {l: float(rest.q[0]) + 0.1, theta: 0.005}, np.linspace(0, 60, 1201)
    )
    swings = np.abs(motion[theta])
    early = swings[:100].max()
    peak = int(np.argmax(swings))
    assert swings[peak] > 20 * early
    assert swings[peak:].min() < 0.1 * swings[peak]


def test_normal_forms_that_do_not_exist():
    x, y = rt.coordinates("x y")
    damped = rt.System(kinetic=x.rate**2, potential=x**2, dissipation=x.rate**2)
    with pytest.raises(rt.DerivationError, match="has damping, gyroscopic or circulatory terms"):
        rt.normal_form(rt.equilibrium(damped, {}))
    saddle = rt.System(kinetic=x.rate**2 + y.rate**2, potential=x**2 - y**2)
    with pytest.raises(rt.DerivationError, match="is no minimum of the potential"):
        rt.normal_form(rt.equilibrium(saddle, {}))
    with pytest.raises(rt.DeclarationError, match="needs an Equilibrium"):
        rt.normal_form(3)


# --- periodic motions


def pendulum():
    theta = rt.coordinate("theta")
    return rt.System(kinetic=theta.rate**2 / 2, potential=-rt.cos(theta)), theta


@pytest.mark.parametrize("amplitude", [0.3, 1.0, 2.0, 3.0])
def test_the_period_of_a_pendulum(amplitude):
    system, theta = pendulum()
    exact = 4 * ellipk(np.sin(amplitude / 2) ** 2)
    found = rt.periodic_motion(system, {}, {theta: amplitude}, 1.02 * exact)
    assert found.period == pytest.approx(exact, rel=1e-12)
    assert found.amplitude(theta) == pytest.approx(amplitude, rel=1e-6)
    assert found.floquet.determinant == pytest.approx(1, abs=1e-8)
    assert found.floquet.multipliers == pytest.approx([1, 1], abs=1e-3)  # a double one


def test_the_backbone_of_a_pendulum_has_the_cubic_coefficient():
    """omega = 1 - A^2/16 + ...: the remainder falls with the fourth power of the amplitude."""
    system, theta = pendulum()
    left = []
    for A in (0.4, 0.2, 0.1):
        T = rt.periodic_motion(system, {}, {theta: A}, 2 * np.pi).period
        left.append(2 * np.pi / T - (1 - A**2 / 16))
    order = np.log2(np.array(left[:-1]) / np.array(left[1:]))
    assert order == pytest.approx([4, 4], abs=0.05)


def test_the_cycle_of_van_der_pol():
    x, mu = rt.coordinate("x"), rt.parameter("mu")
    system = rt.System(kinetic=x.rate**2 / 2, potential=x**2 / 2, forces={x: mu * (1 - x**2) * x.rate})
    found = rt.periodic_motion(system, {"mu": 1.0}, {x: 2.0}, 6.5)
    assert found.period == pytest.approx(6.6632868593231, rel=1e-11)
    assert found.floquet.multipliers[0] == pytest.approx(1, abs=1e-7)
    assert abs(found.floquet.multipliers[1]) == pytest.approx(8.597e-4, rel=1e-3)


def test_a_driven_oscillator_answers_as_the_linear_theory_says():
    x = rt.coordinate("x")
    system = rt.System(
        kinetic=x.rate**2 / 2,
        potential=2 * x**2,
        dissipation=0.3 * x.rate**2 / 2,
        forces={x: 0.5 * rt.cos(1.5 * rt.t)},
    )
    found = rt.periodic_motion(system, {}, {x: 0.1}, 2 * np.pi / 1.5)
    answer = 0.5 / (4 - 1.5**2 + 0.3j * 1.5)
    assert found.start == pytest.approx([answer.real, -1.5 * answer.imag], rel=1e-8)
    assert found.floquet.verdict is rt.Verdict.ASYMPTOTICALLY_STABLE
    assert "repeats after" in str(found)


def test_an_orbit_of_henon_and_heiles():
    """The straight orbit along y: its period from the energy integral."""
    x, y = rt.coordinates("x y")
    system = rt.System(
        kinetic=(x.rate**2 + y.rate**2) / 2,
        potential=(x**2 + y**2) / 2 + x**2 * y - y**3 / 3,
    )
    found = rt.periodic_motion(system, {}, {y: 0.35}, 6.4)
    assert found.start[[0, 2]] == pytest.approx([0, 0], abs=1e-9)
    E = found.energy
    roots = np.sort(np.roots([-1 / 3, 1 / 2, 0, -E]).real)
    low, high = roots[0], roots[1]
    third = roots[2]
    # T = 2 int dy / sqrt(2 (E - V)), by the angle of y between its turns
    angle, weight = np.polynomial.legendre.leggauss(60)
    angle = (angle + 1) * np.pi / 2
    place = (high + low) / 2 + (high - low) / 2 * np.cos(angle)
    period = 2 * np.sum(weight * np.pi / 2 / np.sqrt(2 / 3 * (third - place)))
    assert found.period == pytest.approx(period, rel=1e-9)
    assert found.floquet.determinant == pytest.approx(1, abs=1e-8)


def test_a_family_along_amplitude_and_energy():
    system, theta = pendulum()
    first = rt.periodic_motion(system, {}, {theta: 0.2}, 6.3)
    branch = rt.follow(first, "amplitude", 2.5)
    assert branch.at[-1] == pytest.approx(2.5)
    assert branch.periods == pytest.approx(4 * ellipk(np.sin(branch.at / 2) ** 2), rel=1e-10)
    by_energy = rt.follow(first, "energy", 0.5)
    assert by_energy.at[-1] == pytest.approx(0.5)
    turned = np.arccos(-by_energy.at)
    assert by_energy.periods == pytest.approx(4 * ellipk(np.sin(turned / 2) ** 2), rel=1e-9)


def duffing(damping=0.1):
    x, (w, F) = rt.coordinate("x"), rt.parameters("w F")
    system = rt.System(
        kinetic=x.rate**2 / 2,
        potential=x**2 / 2 + x**4 / 20,
        dissipation=damping * x.rate**2 / 2,
        forces={x: F * rt.cos(w * rt.t)},
    )
    return system, x, w


@pytest.mark.slow
def test_the_jump_of_a_duffing_oscillator():
    system, x, w = duffing()
    start = rt.periodic_motion(system, {"w": 0.6, "F": 0.3}, {x: 0.4}, 2 * np.pi / 0.6)
    branch = rt.follow(start, w, 2.5, period=2 * rt.pi / w)
    folds = [point.value for point in branch.points if point.kind == "fold"]
    assert len(folds) == 2
    assert folds[1] < folds[0]
    # at a fold a multiplier is one; between the folds the motion is unstable
    for point in branch.points:
        assert point.motion.floquet.multipliers[0] == pytest.approx(1, abs=1e-3)
    words = [str(v) for v in branch.verdicts]
    assert words[0] == words[-1] == "asymptotically stable"
    assert "unstable" in words
    again = rt.periodic_motion(system, {"w": 2.5, "F": 0.3}, {x: -0.05}, 2 * np.pi / 2.5)
    assert branch.motions[-1].start == pytest.approx(again.start, abs=1e-7)
    assert "fold at" in str(branch)


def test_period_doubling_is_located():
    """A pendulum shaken sideways swings symmetrically, and so on; here a softening one doubles."""
    x, F = rt.coordinate("x"), rt.parameter("F")
    system = rt.System(
        kinetic=x.rate**2 / 2,
        potential=-(x**2) / 2 + x**4 / 4,
        dissipation=0.3 * x.rate**2 / 2,
        forces={x: F * rt.cos(1.2 * rt.t)},
    )
    start = rt.periodic_motion(system, {"F": 0.1}, {x: 0.9}, 2 * np.pi / 1.2)
    branch = rt.follow(start, F, 0.35)
    doubled = [point for point in branch.points if point.kind == "period doubling"]
    assert doubled
    assert doubled[0].motion.floquet.multipliers.real.min() == pytest.approx(-1, abs=1e-5)
    before = rt.periodic_motion(system, {"F": doubled[0].value - 0.002}, dict(
        zip((x, x.rate), doubled[0].motion.start, strict=True)), 2 * np.pi / 1.2)  # fmt: skip
    after = rt.periodic_motion(system, {"F": doubled[0].value + 0.002}, dict(
        zip((x, x.rate), doubled[0].motion.start, strict=True)), 2 * np.pi / 1.2)  # fmt: skip
    assert before.floquet.verdict is rt.Verdict.ASYMPTOTICALLY_STABLE
    assert after.floquet.verdict is rt.Verdict.UNSTABLE


def test_branches_that_cannot_be_followed():
    system, theta = pendulum()
    first = rt.periodic_motion(system, {}, {theta: 0.2}, 6.3)
    with pytest.raises(
        rt.DeclarationError, match=r"are followed along amplitude, energy. Got 'amplitud'"
    ):
        rt.follow(first, "amplitud", 1.0)
    with pytest.raises(rt.DeclarationError, match=r"other than the present 0.2"):
        rt.follow(first, "amplitude", 0.2)
    with pytest.raises(rt.DeclarationError, match="is for driven systems"):
        rt.follow(first, "amplitude", 1.0, period=2 * rt.pi)


@pytest.mark.slow
def test_pictures_of_what_repeats():
    system, x, w = duffing()
    start = rt.periodic_motion(system, {"w": 0.9, "F": 0.3}, {x: 0.4}, 2 * np.pi / 0.9)
    assert len(rt.plot(rt.follow(start, w, 1.1, period=2 * rt.pi / w)).lines) >= 1
    theta, u = rt.coordinate("theta"), rt.input("u")
    forced = rt.System(
        kinetic=theta.rate**2 / 2,
        potential=-rt.cos(theta),
        dissipation=theta.rate**2 / 10,
        forces={theta: u},
    )
    answer = rt.frequency_response(
        rt.linearize(rt.equilibrium(forced, {})), u, theta, np.geomspace(0.1, 10, 50)
    )
    assert rt.plot(answer).get_xscale() == "log"
    assert rt.plot(answer, against="real").get_xlabel() == "real part"
    a, q = np.meshgrid(np.linspace(0, 3, 6), np.linspace(0, 1, 5))
    y, (pa, pq) = rt.coordinate("y"), rt.parameters("a q")
    mathieu = rt.System(kinetic=y.rate**2 / 2, potential=(pa - 2 * pq * rt.cos(2 * rt.t)) * y**2 / 2)
    axes = rt.plot(rt.floquet(mathieu, {"a": a, "q": q}, np.pi))
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("$a$", "$q$")
    with pytest.raises(rt.DeclarationError, match="over two parameters"):
        rt.plot(rt.floquet(mathieu, {"a": 1.0, "q": 0.1}, np.pi))
    plt.close("all")


def test_motions_that_do_not_repeat():
    x = rt.coordinate("x")
    damped = rt.System(kinetic=x.rate**2 / 2, potential=x**2 / 2, dissipation=x.rate**2 / 2)
    with pytest.raises(rt.SolveError, match=r"no motion|was found near the guess"):
        rt.periodic_motion(damped, {}, {x: 1.0}, 6.0)
    with pytest.raises(rt.DeclarationError, match="must be a positive number"):
        rt.periodic_motion(damped, {}, {x: 1.0}, 0.0)
    with pytest.raises(rt.DeclarationError, match="one motion at a time"):
        rt.periodic_motion(damped, {}, {x: np.array([1.0, 2.0])}, 6.0)
    free = rt.System(kinetic=x.rate**2 / 2)
    with pytest.raises(rt.DerivationError, match="`x` runs on without turning back"):
        rt.periodic_motion(free, {}, {x.rate: 1.0}, 1.0)
    system, _ = pendulum()
    with pytest.raises(rt.SolveError, match="The guess is a rest of the system: nothing moves"):
        rt.periodic_motion(system, {}, {}, 6.3)
    driven = rt.System(kinetic=x.rate**2 / 2, potential=2 * x**2, forces={x: rt.cos(3 * rt.t)})
    with pytest.raises(rt.DeclarationError, match=r"is not seen to have the period 2. Give the period"):
        rt.periodic_motion(driven, {}, {x: 0.1}, 2.0)


def test_gravity_may_be_a_force():
    theta = rt.coordinate("theta")
    system = rt.System(kinetic=theta.rate**2 / 2, forces={theta: -rt.sin(theta)})
    found = rt.periodic_motion(system, {}, {theta: 1.0}, 6.5)
    assert found.period == pytest.approx(4 * ellipk(np.sin(0.5) ** 2), rel=1e-11)


def test_damping_that_is_zero_and_gyroscopic_forces_are_conservative():
    theta, c = rt.coordinate("theta"), rt.parameter("c")
    system = rt.System(
        kinetic=theta.rate**2 / 2, potential=-rt.cos(theta), dissipation=c * theta.rate**2 / 2
    )
    found = rt.periodic_motion(system, {"c": 0.0}, {theta: 1.2}, 6.6)
    assert found.period == pytest.approx(4 * ellipk(np.sin(0.6) ** 2), rel=1e-11)
    x, y, B = *rt.coordinates("x y"), rt.parameter("B")
    turned = rt.System(
        kinetic=(x.rate**2 + y.rate**2) / 2,
        potential=x**2 / 2 + y**2 + x**4 / 4,
        forces={x: B * y.rate, y: -B * x.rate},
    )
    plain = rt.System(
        kinetic=(x.rate**2 + y.rate**2) / 2 + B * (y * x.rate - x * y.rate) / 2,
        potential=x**2 / 2 + y**2 + x**4 / 4,
    )
    one, two = (rt.periodic_motion(s, {"B": 0.5}, {x: 0.7}, 5.8) for s in (turned, plain))
    assert one.start[0] == pytest.approx(0.7)
    assert one.period == pytest.approx(two.period, rel=1e-9)


def test_a_central_force_is_undecided_by_its_symmetries():
    x, y = rt.coordinates("x y")
    system = rt.System(
        kinetic=(x.rate**2 + y.rate**2) / 2, potential=(x**2 + y**2) / 2 + (x**2 + y**2) ** 2 / 4
    )
    for amplitude in (0.5, 0.9, 1.3):
        found = rt.periodic_motion(system, {}, {x: amplitude}, 5.0)
        assert found.floquet.verdict is rt.Verdict.UNDECIDED


def test_a_start_in_full_swing_finds_its_turn():
    system, theta = pendulum()
    found = rt.periodic_motion(system, {}, {theta.rate: 1.0}, 6.5)
    assert abs(found.start[0]) == pytest.approx(np.pi / 3, rel=1e-9)
    assert found.period == pytest.approx(4 * ellipk(0.25), rel=1e-9)
    assert found.floquet.verdict is rt.Verdict.STABLE
    assert rt.floquet(found) is found.floquet


@pytest.mark.slow
def test_families_know_what_is_trivial():
    """Two coupled oscillators: the in-phase family is stable, and the verdict is no rounding noise."""
    x, y = rt.coordinates("x y")
    system = rt.System(
        kinetic=(x.rate**2 + y.rate**2) / 2,
        potential=(x**2 + y**2 + (x - y) ** 2) / 2 + x**4 / 8 + y**4 / 8,
    )
    first = rt.periodic_motion(system, {}, {x: 0.1, y: 0.1}, 2 * np.pi)
    branch = rt.follow(first, "amplitude", 0.8)
    assert {str(v) for v in branch.verdicts} == {"stable"}
    n = 2
    form = np.block([[np.zeros((n, n)), np.eye(n)], [-np.eye(n), np.zeros((n, n))]])
    grown = first.floquet.monodromy
    assert grown.T @ form @ grown == pytest.approx(form, abs=1e-8)
    back = rt.follow(first, "amplitude", 0.0)
    assert back.ended in ("It ends in a rest.", "It reached the end of the range.")


def test_a_drive_whose_period_changes_must_say_so():
    system, x, w = duffing()
    start = rt.periodic_motion(system, {"w": 0.6, "F": 0.3}, {x: 0.4}, 2 * np.pi / 0.6)
    with pytest.raises(rt.DeclarationError, match="changes with `w`: give it as period="):
        rt.follow(start, w, 0.8)
    along_force = rt.follow(start, "F", 0.4)
    assert along_force.at[-1] == pytest.approx(0.4)


def test_a_symmetric_motion_breaks_its_symmetry_at_a_branch_point():
    theta, F = rt.coordinate("theta"), rt.parameter("F")
    system = rt.System(
        kinetic=theta.rate**2 / 2,
        potential=-rt.cos(theta),
        dissipation=0.25 * theta.rate**2,
        forces={theta: F * rt.cos(2 * rt.t / 3)},
    )
    start = rt.periodic_motion(system, {"F": 0.9}, {theta: -1.5, theta.rate: -1.0}, 3 * np.pi)
    branch = rt.follow(start, F, 1.05)
    found = [point for point in branch.points if point.kind == "branch point"]
    assert len(found) == 1
    assert found[0].motion.floquet.multipliers.real.max() == pytest.approx(1, abs=1e-5)
