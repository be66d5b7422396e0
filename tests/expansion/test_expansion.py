"""Equations of higher order straight from the Lagrangian, and normal forms."""

from __future__ import annotations

import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

import routh as rt
from depth import cases


def test_the_double_pendulum_up_to_third_order():
    q1, q2 = rt.coordinates("q1 q2")
    m1, m2, l1, l2, g = rt.parameters("m1 m2 l1 l2 g")
    r1 = rt.vector(l1 * rt.sin(q1), -l1 * rt.cos(q1))
    r2 = r1 + rt.vector(l2 * rt.sin(q1 + q2), -l2 * rt.cos(q1 + q2))
    system = rt.System(
        kinetic=[m1 / 2 * rt.norm2(rt.ddt(r1)), m2 / 2 * rt.norm2(rt.ddt(r2))],
        potential=m1 * g * r1[1] + m2 * g * r2[1],
    )
    found = rt.expand(system, {q1: 0, q2: 0}, 3, simplify=0)
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


@pytest.mark.slow
def test_the_elastic_pendulum_with_numbers():
    system, (l, theta) = elastic_pendulum()
    m, k, l0, g = (next(p for p in system.parameters if p.name == n) for n in ("m", "k", "l0", "g"))
    le = l0 + m * g / k
    found = rt.expand(system, {l: le, theta: 0}, 3, simplify=0)
    assert [sympy.simplify(row) for row in found.residual] == [0, 0]
    e, d, s = (0.1, 0.2), (-0.3, 0.4), (0.5, -0.6)
    at = {m: 1, k: 40, l0: 1, g: 9.81}
    for own, a, b, c in zip(found.deviations, e, d, s, strict=True):
        at |= {own: a, own.rate: b, own.rate.rate: c}
    numbers = {1: (4.5, 1.5127919625), 2: (-0.00304, -0.25209), 3: (-0.016, -0.04628787)}
    for degree, expected in numbers.items():
        assert [float(row.subs(at)) for row in found[degree]] == pytest.approx(expected, rel=1e-9)


@cases(4)
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
    found = rt.expand(beam, {w: 0, u: 0}, 3, simplify=0)
    rows = str(found)
    for row in (
        "partial, w: rho*w_tt + EI*w_xxxx = 0",
        "partial, w: -EA*u_x*w_xx - EA*u_xx*w_x = 0",
        "partial, u: -EA*w_x*w_xx = 0",
        "natural, w(L): -EA*u_x(L)*w_x(L) = 0",
        "partial, w: -3*EA*w_x**2*w_xx/2 = 0",
        "natural, w(L): -EA*w_x(L)**3/2 = 0",
    ):
        assert row in rows
    with pytest.raises(rt.DerivationError, match="with a reference other than zero"):
        rt.expand(beam, {w: 1, u: 0}, 2, simplify=0)


@pytest.mark.slow
def test_products_of_integrals_and_coordinates_have_the_degree_of_the_whole():
    l, EI, EA, rho, m = rt.parameters("l EI EA rho m")
    s, q = rt.space("s", 0, l), rt.coordinate("q")
    w = rt.field("w", s)
    T = rt.integral(rho * rt.ddt(w) ** 2 / 2, s)
    bend = rt.integral(EI * rt.diff(w, s, 2) ** 2 / 2, s)
    stretched = rt.System(
        kinetic=T, potential=bend + EA / (8 * l) * rt.integral(rt.diff(w, s) ** 2, s) ** 2
    )
    found = rt.expand(stretched, {w: 0}, 3, simplify=0)
    assert "EA" not in " ".join(map(str, found[1]))
    assert found[2] == ()
    assert "EA" in " ".join(map(str, found[3]))
    coupled = rt.System(
        kinetic=T + m * q.rate**2 / 2, potential=bend + q**2 / 2 + m * rt.sin(q) * rt.integral(w, s)
    )
    rows = " ".join(map(str, rt.expand(coupled, {w: 0, q: 0}, 1, simplify=0)[1]))
    assert "m*q''" in rows
    assert "Integral" in rows or "int" in rows  # m q times the integral of w stays
    curved = rt.System(kinetic=T, potential=rt.integral(EI * (1 - rt.cos(rt.diff(w, s))), s))
    assert rt.expand(curved, {w: 0}, 3, simplify=0)[3]


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
    left = [str(row) for row in rt.expand(forced, {w: 0}, 1, simplify=0).residual]
    assert left == ["partial, w: -u = 0", "natural, w(L): -u = 0"]
    tied = rt.System(
        kinetic=T + m * q.rate**2 / 2,
        constraints=[rt.at(w, s, 0), rt.at(w, s, L) - q],
        potential=rt.integral(EI * rt.diff(w, s) ** 2 / 2 + EA * rt.diff(w, s) ** 4 / 4, s),
    )
    cubic = [str(row) for row in rt.expand(tied, {w: 0, q: 0}, 3, simplify=0)[3]]
    assert "ordinary, q: EA*w_s(L)**3 = 0" in cubic
    assert not any(row.startswith("natural") for row in cubic)


def test_singular_references_are_told():
    x = rt.coordinate("x")
    with pytest.raises(rt.DerivationError, match="put together of pieces"):
        rt.expand(
            rt.System(kinetic=x.rate**2, potential=sympy.Abs(x) ** 3),
            {x: sympy.Rational(1, 2)},
            2,
            simplify=0,
        )
    for V in (rt.sqrt(x), rt.log(x), 1 / x):
        with pytest.raises(rt.DerivationError, match="has no derivatives at the reference"):
            rt.expand(rt.System(kinetic=x.rate**2, potential=V), {x: 0}, 2, simplify=0)


def test_orders_that_cannot_be():
    system, (l, theta) = elastic_pendulum()
    for order in (0, 1.5, True):
        with pytest.raises(rt.DeclarationError, match="must be a whole number, 1 or more"):
            rt.expand(system, {l: 1, theta: 0}, order, simplify=0)
    with pytest.raises(rt.DeclarationError, match=r"too many to write out .* Ask for a lower order"):
        rt.expand(system, {l: 1, theta: 0}, 80, simplify=0)
    with pytest.raises(rt.DeclarationError, match=r"has parts of degree 1, 2. Got 3"):
        rt.expand(system, {l: 1, theta: 0}, 2, simplify=0)[3]
    held = rt.System(kinetic=l.rate**2 + theta.rate**2, constraints=[l**2 + theta**2 - 1])
    with pytest.raises(rt.DerivationError, match="has constraints"):
        rt.expand(held, {l: 1, theta: 0}, simplify=0)


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
