"""The Hamiltonian side: Legendre transforms, canonical equations, their linear model, Routh, Appell."""

from __future__ import annotations

import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

import routh as rt
from depth import cases
from routh.language.symbols import momentum
from routh.mechanics.forms.vanish import vanishes

RELATIVISTIC = {"m0": 1.5, "c": 3.0}


def random_system(seed, forces=False, gyroscopic=True):
    """Two coordinates with a mass matrix that depends on them, T1, V and forces if asked for."""
    draw = np.random.default_rng(seed)
    q = rt.coordinates("a b")
    v = sympy.Matrix([x.rate for x in q])
    c = [sympy.Float(x) for x in draw.uniform(-1, 1, 20)]
    A = sympy.Matrix(
        [
            [3 + c[0] * rt.sin(q[1]), c[1] * rt.cos(q[0])],
            [c[1] * rt.cos(q[0]), 2 + c[2] * q[0] ** 2 / 4],
        ]
    )
    T = (v.T * A * v)[0] / 2
    if gyroscopic:
        T += c[3] * q[1] * v[0] + c[4] * rt.sin(q[0]) * v[1]
    V = 2 * q[0] ** 2 + q[1] ** 2 + c[5] * q[0] * q[1] + c[6] * q[0] ** 3 / 3
    if not forces:
        return rt.System(kinetic=T, potential=V), q
    Q = {q[0]: -(v[0] / 5 + c[7] * v[1] * q[0]) + c[8] * q[1] / 3, q[1]: -v[1] / 7 - c[9] * q[0] / 2}
    return rt.System(kinetic=T, potential=V, forces=Q, dissipation=(v[0] - v[1]) ** 2 / 8), q


def oracle():
    """The example of mathematics.md (e)."""
    q1, q2 = rt.coordinates("q1 q2")
    v = sympy.Matrix([q1.rate, q2.rate])
    half = sympy.Rational(1, 2)
    A = sympy.Matrix([[3 + q1**2 + rt.sin(q2) / 2, half + q2], [half + q2, 2 + rt.cos(q1)]])
    T = (v.T * A * v)[0] / 2 + q2 * (2 + q1) * v[0] + (-3 * q1 + q2**2) * v[1]
    V = 2 * q1**2 + q2**2 + q1 * q2 / 2 + q1**3
    Q = {q1: -(v[0] / 5 + v[1] * q1) + q2 / 3, q2: -v[1] / 7 - q1 / 2}
    return rt.System(kinetic=T, potential=V, forces=Q), (q1, q2)


ORACLE = [0.0432118456958631 + 0.435363495787626j, -0.101987355899945 + 2.16025520331499j]


def pairs_of(eigenvalues):
    return sorted((s for s in np.asarray(eigenvalues) if s.imag > 0), key=lambda s: -s.real)


# --- Legendre transforms


@pytest.mark.slow
def test_energy_and_coenergy_of_a_relativistic_mass():
    x, (m0, c) = rt.coordinate("x"), rt.parameters("m0 c")
    v = rt.ddt(x)
    found = rt.legendre(m0 * c**2 * (1 - rt.sqrt(1 - v**2 / c**2)), v)
    (h,) = found.conjugates
    numbers = {m0: 1.5, c: 3, v: 2}
    assert float(found.slopes[0].subs(numbers)) == pytest.approx(4.02492235949962, rel=1e-14)
    assert float(found.f.subs(numbers)) == pytest.approx(3.43769410125095, rel=1e-14)
    at = {m0: 1.5, c: 3, h: 4.02492235949962}
    assert float(found.transform.subs(at)) == pytest.approx(4.61215061774830, rel=1e-13)
    assert found({m0: 1.5, c: 3, h: 4.02492235949962}) == pytest.approx(4.61215061774830, rel=1e-13)
    exact = rt.sqrt(h**2 * c**2 + m0**2 * c**4) - m0 * c**2
    assert sympy.simplify((found.transform - exact).subs({m0: 1.5, c: 3, h: 1.1})) == pytest.approx(0)
    difference = sympy.series(found.f - found.written, v, 0, 6).removeO()
    assert sympy.simplify(difference + m0 * v**4 / (4 * c**2)) == 0
    assert sympy.simplify(found.hessian[0] - m0 * (1 - v**2 / c**2) ** sympy.Rational(-3, 2)) == 0


def test_a_relativistic_oscillator_moves_alike_in_both_forms_and_keeps_its_energy():
    x, (m0, c, k) = rt.coordinate("x"), rt.parameters("m0 c k")
    system = rt.System(lagrangian=m0 * c**2 * (1 - rt.sqrt(1 - rt.ddt(x) ** 2 / c**2)) - k * x**2 / 2)
    values, times = {"m0": 1.0, "c": 1.0, "k": 1.0}, np.linspace(0, 8, 81)
    one = rt.simulate(system, values, {x: 2.0}, times)
    other = rt.simulate(system, values, {x: 2.0}, times, form="hamilton")
    assert np.abs(one.q - other.q).max() < 1e-7
    assert np.abs(other.v).max() < 1
    H = np.sqrt(other.momenta[:, 0] ** 2 + 1) - 1 + other.q[:, 0] ** 2 / 2
    assert np.abs(H - 2).max() < 1e-7


@pytest.mark.slow
def test_energy_and_coenergy_of_springs():
    e, (k, k3) = rt.coordinate("e"), rt.parameters("k k3")
    found = rt.legendre(k * e**2 / 2 + k3 * e**4 / 4, e, names="f")
    (f,) = found.conjugates
    at = {k: 10, k3: 4, e: 0.5}
    assert float(found.slopes[0].subs(at)) == 5.5
    assert float(found.f.subs(at)) == 1.3125
    assert float(found.written.subs(at)) == 1.4375
    assert found({k: 10, k3: 4, f: 5.5}) == pytest.approx(1.4375, rel=1e-14)
    assert float(found.transform.subs({k: 10, k3: 4, f: 5.5})) == pytest.approx(1.4375, rel=1e-12)
    linear = rt.legendre(k * e**2 / 2, e, names="f")
    assert (
        sympy.expand(linear.transform.subs(linear.conjugates[0], k * e) - linear.f) == 0
    )  # both alike


@pytest.mark.slow
def test_matrix_forms_of_a_spring_and_of_a_rigid_body():
    e1, e2 = e = rt.coordinates("e1 e2")
    K = sympy.Matrix([[5, 2], [2, 3]])
    found = rt.legendre((sympy.Matrix(e).T * K * sympy.Matrix(e))[0] / 2, [e1, e2], names="f1 f2")
    f = sympy.Matrix(found.conjugates)
    assert sympy.expand(found.transform - (f.T * K.inv() * f)[0] / 2) == 0
    q1, q2 = rt.coordinates("q1 q2")
    m1, m2, l1, l2 = rt.parameters("m1 m2 l1 l2")
    elbow = rt.vector(l1 * rt.cos(q1), l1 * rt.sin(q1))
    turned = rt.vector(rt.cos(q1 + q2), rt.sin(q1 + q2))
    c1, c2 = elbow / 2, elbow + l2 / 2 * turned
    arm = rt.System(
        kinetic=[
            m1 * rt.norm2(rt.ddt(c1)) / 2 + m1 * l1**2 / 24 * rt.ddt(q1) ** 2,
            m2 * rt.norm2(rt.ddt(c2)) / 2 + m2 * l2**2 / 24 * rt.ddt(q1 + q2) ** 2,
        ]
    )
    G = rt.equations(arm, simplify=0).M
    assert (
        sympy.simplify(G[0, 0] - (m1 * l1**2 / 3 + m2 * (l1**2 + l2**2 / 3 + l1 * l2 * rt.cos(q2))))
        == 0
    )
    assert sympy.simplify(G[0, 1] - m2 * (l2**2 / 3 + l1 * l2 * rt.cos(q2) / 2)) == 0
    assert sympy.simplify(G[1, 1] - m2 * l2**2 / 3) == 0


@pytest.mark.slow
@cases(25)
@given(st.integers(0, 2**32 - 1))
def test_a_transform_done_twice_gives_back_what_was_there(seed):
    draw = np.random.default_rng(seed)
    x, y = rt.coordinates("x y")
    B = draw.uniform(-1, 1, (2, 2))
    W = sympy.Matrix(2, 2, [sympy.Rational(round(1000 * w), 1000) for w in (B @ B.T + np.eye(2)).flat])
    z = sympy.Matrix([x, y])
    f = (z.T * W * z)[0] / 2 + sympy.Rational(1, 3) * x
    once = rt.legendre(f, [x, y], names="f g", simplify=0)
    twice = rt.legendre(once.transform, list(once.conjugates), names="r s", simplify=0)
    back = twice.transform.subs(dict(zip(twice.conjugates, (x, y), strict=True)))
    assert sympy.expand(back - f) == 0


BAD_TRANSFORMS = {
    "nothing quadratic": (lambda x, v, m: (m * v, v), rt.DerivationError, "`m*x'` are singular"),
    "a number": (lambda x, v, m: (m * v**2, 3), rt.DeclarationError, "transforms by symbols"),
    "not contained": (lambda x, v, m: (m * v**2, x), rt.DeclarationError, "`x` is not contained"),
    "twice": (lambda x, v, m: (m * v**2, [v, v]), rt.DeclarationError, "different symbols"),
}


@pytest.mark.parametrize("case", BAD_TRANSFORMS)
def test_bad_transforms(case):
    make, error, sentence = BAD_TRANSFORMS[case]
    x, m = rt.coordinate("x"), rt.parameter("m")
    f, by = make(x, rt.ddt(x), m)
    with pytest.raises(error) as caught:
        rt.legendre(f, by)
    assert sentence in str(caught.value)


WIDE = {
    "a quartic": (lambda q: q**4 / 4, 2.0, 0.75 * 2 ** (4 / 3)),
    "a logarithm": (lambda q: q * rt.log(q) - q, 2.0, np.exp(2.0)),
    "a root": (lambda q: q ** sympy.Rational(3, 2), 2.0, 32 / 27),
    "an absolute value": (lambda q: sympy.Abs(q) ** 3 / 3, 4.0, 16 / 3),
    "a barrier": (lambda q: -rt.log(1 - q), 50.0, 50 - 1 - np.log(50.0)),
    "tiny": (lambda q: sympy.Float("9.109e-31") * q**2 / 2, 1e-24, 1e-48 / (2 * 9.109e-31)),
}


@pytest.mark.parametrize("case", WIDE)
def test_numbers_of_transforms_over_many_sizes(case):
    make, conjugate, expected = WIDE[case]
    q = rt.coordinate("q")
    found = rt.legendre(make(q), q)
    assert found({found.conjugates[0]: conjugate}) == pytest.approx(expected, rel=1e-10)


def test_a_float_does_not_cost_the_closed_form():
    q = rt.coordinate("q")
    found = rt.legendre(2.0 * 9.0 * (1 - rt.sqrt(1 - rt.ddt(q) ** 2 / 9.0)), rt.ddt(q))
    assert found.is_explicit
    at = {found.conjugates[0]: 5.0}
    assert float(found.transform.subs(at)) == pytest.approx(np.sqrt(25 * 9 + 4 * 81) - 18, rel=1e-12)


@pytest.mark.slow
def test_bad_numbers_of_a_transform():
    x, m = rt.coordinate("x"), rt.parameter("m")
    found = rt.legendre(m * rt.ddt(x) ** 2 / 2, rt.ddt(x))
    with pytest.raises(rt.DeclarationError, match=r"The numbers lack `p_x`. Got: m"):
        found({m: 1.0})
    bounded = rt.legendre(m * rt.sqrt(1 + rt.ddt(x) ** 2), rt.ddt(x))
    with pytest.raises(rt.SolveError, match=r"No x' was found whose conjugates are 3"):
        bounded({m: 1.0, bounded.conjugates[0]: 3.0})
    with pytest.raises(rt.DeclarationError, match="`names` must hold 1 names"):
        rt.legendre(m * rt.ddt(x) ** 2, rt.ddt(x), names="a b")


# --- canonical equations


def accelerating_base():
    theta, (m, l, A, g) = rt.coordinate("theta"), rt.parameters("m l A g")
    r = rt.vector(l * rt.sin(theta) - A * rt.t**2 / 2, -l * rt.cos(theta))
    system = rt.System(kinetic=m * rt.norm2(rt.ddt(r)) / 2, potential=m * g * r[1])
    return system, theta, {"m": 2, "l": 1.2, "A": 3, "g": 9.81}


def test_the_pendulum_on_an_accelerating_base():
    system, theta, values = accelerating_base()
    found = rt.hamiltonian(system, simplify=0)
    (p,) = found.momenta
    at = {s: values[s.name] for s in system.parameters} | {rt.t: 0.5, theta: 0.3, p: 1.4}
    # with p + m l A t cos(theta): the base goes against theta, so L_v has the other sign
    assert float(found.H.subs(at)) == pytest.approx(-20.6768230994523, rel=1e-13)
    assert float(found.q_rates[0].subs(at)) == pytest.approx(1.68028172251812, rel=1e-13)
    assert float(found.p_rates[0].subs(at)) == pytest.approx(-5.17012181883841, rel=1e-13)
    assert not found.is_energy
    point = found(values, {theta: 0.3}, {theta: 1.4}, 0.5)
    assert pytest.approx(-20.6768230994523, rel=1e-13) == point.H
    assert point.v == pytest.approx([1.68028172251812], rel=1e-13)
    assert point.p_rate == pytest.approx([-5.17012181883841], rel=1e-13)


def test_frozen_eigenvalues_of_a_moving_reference_are_refused_and_the_right_ones_found():
    system, theta, values = accelerating_base()
    rest = rt.equilibrium(system, values)
    linear = rt.linearize(rest)
    with pytest.raises(rt.DerivationError, match=r"depend on time: `L_vq`.*frozen matrix are wrong"):
        _ = linear.canonical
    assert linear.K[0, 0] == pytest.approx(2 * 1.2 * np.hypot(9.81, 3), rel=1e-12)
    A = rt.hamiltonian(system, simplify=0).matrix({theta: float(rest.q[0])})
    frozen = A.subs({s: values[s.name] for s in system.parameters} | {rt.t: 0.7})
    wrong = -complex(sympy.Matrix(frozen).det())
    assert -wrong == pytest.approx(9.81 / 1.2 * np.cos(rest.q[0]), rel=1e-9)  # the trap


def test_energy_or_jacobi_integral():
    x, (m, k, Om, a) = rt.coordinate("x"), rt.parameters("m k Omega a")
    turning = rt.System(kinetic=m * (rt.ddt(x) ** 2 + Om**2 * (a + x) ** 2) / 2, potential=k * x**2 / 2)
    found = rt.hamiltonian(turning, simplify=0)
    assert not found.is_energy
    assert (
        sympy.simplify(
            found.energy - (m * rt.ddt(x) ** 2 / 2 - m * Om**2 * (a + x) ** 2 / 2 + k * x**2 / 2)
        )
        == 0
    )
    assert found.balance == 0
    still = rt.hamiltonian(
        rt.System(kinetic=m * rt.ddt(x) ** 2 / 2, potential=k * x**2 / 2), simplify=0
    )
    assert still.is_energy
    assert str(still) == "H = k*x**2/2 + p_x**2/(2*m)\nx' = p_x/m\np_x' = -k*x"
    assert r"\dot{p}_{x}" in still._repr_latex_()


def test_the_rate_of_the_hamiltonian_is_the_power_of_forces_and_of_time():
    x, (m, k, c) = rt.coordinate("x"), rt.parameters("m k c")
    u = rt.input("u")
    system = rt.System(
        kinetic=m * rt.ddt(x) ** 2 / 2,
        potential=k * rt.cos(rt.t) * x**2 / 2,
        dissipation=c * rt.ddt(x) ** 2 / 2,
        forces={x: u},
    )
    found = rt.hamiltonian(system, simplify=0)
    v = rt.ddt(x)
    expected = v * (u - c * v) - k * rt.sin(rt.t) * x**2 / 2
    assert sympy.simplify(found.balance - expected) == 0
    assert "u" in str(found.p_rates[0])


@pytest.mark.parametrize("seed", range(6))
def test_canonical_equations_agree_with_lagrange_at_random_points(seed):
    system, q = random_system(seed, forces=True)
    found = rt.hamiltonian(system, simplify=0)
    draw = np.random.default_rng(100 + seed)
    state, p = draw.uniform(-1, 1, 2), draw.uniform(-1, 1, 2)
    point = found({}, dict(zip(q, state, strict=True)), dict(zip(q, p, strict=True)))
    at = dict(zip(q, state, strict=True)) | dict(zip(found.momenta, p, strict=True))
    assert pytest.approx(float(found.H.subs(at)), rel=1e-12) == point.H
    assert point.v == pytest.approx([float(e.subs(at)) for e in found.q_rates], rel=1e-10)
    assert point.p_rate == pytest.approx([float(e.subs(at)) for e in found.p_rates], rel=1e-10)
    # Lagrange: p' = d/dt L_v with the accelerations of M a + h = Q
    eq = rt.equations(system, simplify=0)
    here = dict(zip(q, state, strict=True)) | dict(zip(system.velocities, point.v, strict=True))
    number = lambda matrix: np.array(matrix.subs(here), dtype=float)  # noqa: E731
    a = np.linalg.solve(number(eq.M), number(eq.Q - eq.h)[:, 0])
    rates = dict(zip([v.rate for v in system.velocities], a, strict=True))
    p_rate = [float(rt.ddt(e).subs(rates).subs(here)) for e in eq.momenta]
    assert point.p_rate == pytest.approx(p_rate, rel=1e-9, abs=1e-10)


def test_numbers_come_in_batches():
    system, q = random_system(1)
    found = rt.hamiltonian(system, simplify=0)
    point = found({}, {q[0]: np.linspace(0, 1, 5)}, {q[1]: 0.3})
    assert point.H.shape == (5,)
    assert point.v.shape == (5, 2)
    single = found({}, {q[0]: 0.25}, {q[1]: 0.3})
    assert point.v[1] == pytest.approx(single.v, rel=1e-14)


def test_brackets():
    r, phi = rt.coordinates("r phi")
    m, k = rt.parameters("m k")
    orbit = rt.System(kinetic=m * (rt.ddt(r) ** 2 + r**2 * rt.ddt(phi) ** 2) / 2, potential=-k / r)
    found = rt.hamiltonian(orbit, simplify=0)
    p_r, p_phi = found.momenta
    assert found.poisson(r, p_r) == 1
    assert found.poisson(r, phi) == 0
    assert found.poisson(p_phi, found.H) == 0
    assert sympy.simplify(found.poisson(r, found.H) - p_r / m) == 0
    f, g, h = r * p_r, p_phi**2 * r, rt.cos(phi) * p_r
    jacobi = (
        found.poisson(f, found.poisson(g, h))
        + found.poisson(g, found.poisson(h, f))
        + found.poisson(h, found.poisson(f, g))
    )
    assert sympy.simplify(jacobi) == 0
    assert sympy.simplify(found.poisson(m * rt.ddt(phi) * r**2, r)) == 0  # velocities become momenta


def test_a_coordinate_without_inertia_has_no_momentum():
    x, y = rt.coordinates("x y")
    m, k = rt.parameters("m k")
    light = rt.System(kinetic=m * rt.ddt(x) ** 2 / 2, potential=k * (x - y) ** 2 / 2)
    with pytest.raises(rt.DerivationError, match=r"no Hamiltonian: `y'` enter L at most linearly"):
        rt.hamiltonian(light, simplify=0)
    both = rt.System(kinetic=m * (rt.ddt(x) + rt.ddt(y)) ** 2 / 2, potential=k * (x - y) ** 2 / 2)
    with pytest.raises(rt.DerivationError, match="no Hamiltonian: its mass matrix is singular"):
        rt.hamiltonian(both, simplify=0)


def test_a_singular_mass_matrix_of_many_coordinates_is_told():
    q = rt.coordinates("a b c d e f")
    system = rt.System(kinetic=sum(x.rate for x in q) ** 2 / 2, potential=sum(x**2 for x in q))
    with pytest.raises(rt.DerivationError, match="no Hamiltonian: its mass matrix is singular"):
        rt.hamiltonian(system, simplify=0)


def test_inputs_count_at_the_point_where_they_are_given():
    x, u = rt.coordinate("x"), rt.input("u")
    found = rt.hamiltonian(rt.System(kinetic=x.rate**2 / 2 + u * x.rate), simplify=0)
    point = found({}, {}, {x: 1.0}, 3.0, inputs={u: 0.5, rt.ddt(u): 0.2})
    assert point.v == pytest.approx([0.5])
    assert point.p_rate == pytest.approx([0.0])


@pytest.mark.slow
def test_fast_relativistic_momenta_are_reached():
    x = rt.coordinate("x")
    system = rt.System(lagrangian=9 * (1 - rt.sqrt(1 - x.rate**2 / 9)) - x**2 / 2)
    for p in (1.0, 1e2, 1e3):
        point = rt.hamiltonian(system, simplify=0)({}, {}, {x: p})
        assert point.v[0] == pytest.approx(3 * p / np.sqrt(p**2 + 9), rel=1e-9)


def test_a_transform_without_closed_form_is_done_in_numbers():
    x, y = rt.coordinates("x y")
    v, w = rt.ddt(x), rt.ddt(y)
    odd = rt.System(lagrangian=v**2 / 2 + w**2 + (v**4 + v**2 * w**2) / 8 - (x**2 + y**2) / 2)
    found = rt.hamiltonian(odd, simplify=0.2)
    assert not found.is_explicit
    point = found({}, {x: 0.3, y: -0.2}, {x: 0.7, y: 0.4})
    slopes = [float(e.subs({v: point.v[0], w: point.v[1]})) for e in found.definitions]
    assert slopes == pytest.approx([0.7, 0.4], rel=1e-12)
    assert point.p_rate == pytest.approx([-0.3, 0.2])
    with pytest.raises(rt.DerivationError, match=r"has no closed form.*Numbers do"):
        _ = found.q_rates
    assert "p_x' = -x" in str(found)
    times = np.linspace(0, 5, 51)
    one = rt.simulate(odd, {}, {x: 0.5, w: 0.4}, times)
    other = rt.simulate(odd, {}, {x: 0.5, w: 0.4}, times, form="hamilton")
    assert np.abs(one.q - other.q).max() < 1e-7


# --- motion


@cases(10)
@given(st.integers(0, 2**32 - 1))
def test_both_forms_move_alike(seed):
    system, q = random_system(seed, forces=True)
    start = {q[0]: 0.4, q[1].rate: 0.5}
    times = np.linspace(0, 3, 31)
    one = rt.simulate(system, {}, start, times)
    other = rt.simulate(system, {}, start, times, form="hamilton")
    assert np.abs(one.q - other.q).max() < 1e-6
    assert np.abs(one.v - other.v).max() < 1e-6
    assert other.energy_error < 1e-6


@cases(6)
@given(st.integers(0, 2**32 - 1))
def test_flows_without_forces_are_symplectic_and_others_are_not(seed):
    system, q = random_system(seed)
    motion = rt.simulate(system, {}, {q[0]: 0.4, q[1].rate: 0.5}, [0, 3], form="hamilton")
    assert motion.symplectic_error < 1e-8  # of steps with a tolerance of 1e-11
    damped, q = random_system(seed, forces=True)
    assert rt.simulate(damped, {}, {q[0]: 0.4}, [0, 3]).symplectic_error > 1e-3


def test_forms_that_cannot_be():
    x, y = rt.coordinates("x y")
    held = rt.System(kinetic=rt.ddt(x) ** 2 + rt.ddt(y) ** 2, constraints=[x**2 + y**2 - 1])
    free = rt.System(kinetic=rt.ddt(x) ** 2, potential=x**2)
    with pytest.raises(rt.DeclarationError, match=r'`form` must be "lagrange" or "hamilton". Got 3'):
        rt.simulate(free, {}, {x: 1.0}, [0, 1], form=3)
    with pytest.raises(rt.DeclarationError, match="without events"):
        rt.simulate(free, {}, {x: 1.0}, [0, 1], form="hamilton", events=rt.event(x))
    with pytest.raises(rt.DeclarationError, match="has constraints"):
        _ = rt.simulate(held, {}, {x: 1.0}, [0, 1]).symplectic_error


# --- linear models


@pytest.mark.slow
def test_the_oracle_of_the_canonical_linear_model():
    system, (q1, q2) = oracle()
    linear = rt.linearize(rt.equilibrium(system, {}))
    found = linear.canonical
    assert pairs_of(found.eigenvalues) == pytest.approx(ORACLE, rel=1e-12)
    symbolic = rt.hamiltonian(system, simplify=0).matrix({q1: 0, q2: 0})
    assert pytest.approx(np.array(symbolic, dtype=float), abs=1e-14) == found.A
    assert pairs_of(rt.modes(linear).eigenvalues) == pytest.approx(ORACLE, rel=1e-12)
    assert not found.is_hamiltonian
    # second derivatives of H itself, by differences with 40 digits
    H = rt.hamiltonian(system, simplify=0)
    z = [q1, q2, *H.momenta]
    step = sympy.Float("1e-12", 60)

    def value(shift):
        point = {x: sympy.Float(0, 60) + shift.get(x, 0) for x in z}
        return H.H.xreplace(point).evalf(60)

    second = np.zeros((4, 4))
    for i, a in enumerate(z):
        for j, b in enumerate(z):
            corners = [
                s * t * value({a: s * step, b: t * step} if a != b else {a: (s + t) * step})
                for s in (1, -1)
                for t in (1, -1)
            ]
            second[i, j] = float(sum(corners) / (4 * step**2))
    assert found.Hqq == pytest.approx(second[:2, :2], abs=1e-9)
    assert found.Hqp == pytest.approx(second[:2, 2:], abs=1e-9)
    assert found.Hpp == pytest.approx(second[2:, 2:], abs=1e-9)
    assert [str(p) for p in found.momenta] == ["p_q1", "p_q2"]


def test_the_turning_table_in_momenta():
    x, y = rt.coordinates("x y")
    m, k1, k2, Om = rt.parameters("m k1 k2 Omega")
    u = rt.ddt(x) - Om * y, rt.ddt(y) + Om * x
    table = rt.System(kinetic=m * (u[0] ** 2 + u[1] ** 2) / 2, potential=k1 * x**2 + k2 * y**2)
    H = rt.hamiltonian(table, simplify=0)
    p1, p2 = H.momenta
    expected = (p1**2 + p2**2) / (2 * m) + Om * (y * p1 - x * p2) + k1 * x**2 + k2 * y**2
    assert sympy.expand(H.H - expected) == 0
    linear = rt.linearize(rt.equilibrium(table, {"m": 1, "k1": 10, "k2": 15, "Omega": 2}))
    found = linear.canonical
    assert found.is_hamiltonian
    n = 2
    form = np.block([[np.zeros((n, n)), np.eye(n)], [-np.eye(n), np.zeros((n, n))]])
    assert form @ found.A == pytest.approx((form @ found.A).T)  # which index order as printed breaks
    assert pairs_of(found.eigenvalues)[0].imag > 0
    assert sorted(abs(found.eigenvalues.imag)) == pytest.approx(
        sorted(abs(rt.modes(linear).eigenvalues.imag)), rel=1e-12
    )


@pytest.mark.parametrize("seed", range(5))
def test_linear_models_of_both_forms_have_the_same_eigenvalues(seed):
    system, _ = random_system(seed, forces=True)
    linear = rt.linearize(rt.equilibrium(system, {}))
    mine = np.sort_complex(linear.canonical.eigenvalues)
    other = np.sort_complex(rt.modes(linear).eigenvalues)
    assert mine == pytest.approx(other, rel=1e-9, abs=1e-11)


def test_a_discretized_beam_in_hamiltonian_form():
    L, EI, rho = rt.parameters("L EI rho")
    x = rt.space("x", 0, L)
    w = rt.field("w", x)
    beam = rt.System(
        kinetic=rt.integral(rho * rt.ddt(w) ** 2 / 2, x),
        potential=rt.integral(EI * rt.diff(w, x, 2) ** 2 / 2, x),
        constraints=[rt.at(w, x, 0), rt.at(rt.diff(w, x), x, 0)],
    )
    system = rt.discretize(beam, {w: 6})
    values = {"L": 1.0, "EI": 1.0, "rho": 1.0}
    linear = rt.linearize(rt.equilibrium(system, values))
    lowest = np.sort(abs(linear.canonical.eigenvalues.imag))[0]
    assert lowest == pytest.approx(3.5160152685, rel=1e-7)  # the first root of a cantilever, Ritz
    assert linear.canonical.is_hamiltonian
    start = {system.coordinates[0]: 0.1}
    times = np.linspace(0, 0.2, 21)
    one = rt.simulate(system, values, start, times)
    other = rt.simulate(system, values, start, times, form="hamilton")
    assert np.abs(one.q - other.q).max() < 1e-7
    assert other.symplectic_error < 1e-7


def test_models_in_momenta_are_without_constraints():
    x, y = rt.coordinates("x y")
    held = rt.System(
        kinetic=rt.ddt(x) ** 2 + rt.ddt(y) ** 2, potential=y, constraints=[x**2 + y**2 - 1]
    )
    linear = rt.linearize(rt.equilibrium(held, {}, guess={x: 0.0, y: -1.0}))
    with pytest.raises(rt.DerivationError, match="has constraints; the linear model in momenta"):
        _ = linear.canonical
    shown = rt.hamiltonian(held, simplify=0)
    assert len(shown.multipliers) == 1
    assert str(shown.multipliers[0]) in str(shown.p_rates[0])


# --- Routh


def heavy_top():
    theta, phi, psi = rt.coordinates("theta phi psi")
    A, C, m, g, s = rt.parameters("A C m g s")
    T = A / 2 * (rt.ddt(theta) ** 2 + rt.sin(theta) ** 2 * rt.ddt(phi) ** 2)
    T += C / 2 * (rt.ddt(psi) + rt.cos(theta) * rt.ddt(phi)) ** 2
    return rt.System(kinetic=T, potential=m * g * s * rt.cos(theta)), (theta, phi, psi)


@pytest.mark.slow
def test_the_heavy_top_by_its_routhian():
    top, (theta, phi, psi) = heavy_top()
    reduced = rt.routhian(top, [phi, psi], simplify=0)
    values = {"A": 0.02, "C": 0.01, "m": 1.0, "g": 9.81, "s": 0.1}
    spin = ((0.02 - 0.01) * 16 * np.cos(0.6) + 0.981) / (0.01 * 4)  # steady precession at 0.6 rad
    turning = rt.equilibrium(top, values, guess={theta: 0.6}, speeds={phi: 4.0, psi: spin})
    at = turning.q[0]
    assert at == pytest.approx(0.6, abs=1e-9)
    momenta = {}
    for q, name in ((phi, "p_phi"), (psi, "p_psi")):
        expression = rt.equations(top, simplify=0).momenta[top.coordinates.index(q)]
        momenta[name] = float(turning[expression])
    rest = rt.equilibrium(reduced.system, values | momenta, guess={theta: at})
    assert rest.q[0] == pytest.approx(at, abs=1e-9)
    speeds = {q: float(rest[v]) for q, v in reduced.velocities.items()}
    assert [speeds[phi], speeds[psi]] == pytest.approx([4.0, spin], rel=1e-9)
    nutation = rt.modes(rt.linearize(rest)).frequencies[0]
    whole = rt.modes(rt.linearize(turning).at_constant_momenta)
    assert nutation == pytest.approx(whole.frequencies[0], rel=1e-8)
    assert rt.stability(rt.linearize(rest)).verdict is rt.Verdict.STABLE


@pytest.mark.slow
def test_the_sleeping_top_loses_stability_where_the_textbook_says():
    theta, phi, psi = rt.coordinates("theta phi psi")
    top, (theta, phi, psi) = heavy_top()
    reduced = rt.routhian(top, [phi, psi], simplify=0)
    A, C, mgs = 0.02, 0.01, 9.81 * 0.1
    critical = np.sqrt(4 * A * mgs) / C
    values = {"A": A, "C": C, "m": 1.0, "g": 9.81, "s": 0.1}
    for share, below in ((0.98, True), (1.02, False)):
        p = C * share * critical
        small = 1e-3
        U = [  # p_phi = p_psi for the sleeping top
            float(
                -reduced.R.subs({theta.rate: 0, theta: x}).subs(
                    {s: (values | {"p_phi": p, "p_psi": p})[s.name] for s in reduced.system.parameters}
                )
            )
            for x in (small, 2 * small)
        ]
        assert (U[1] < U[0]) == below
    assert set(reduced.momenta) == {phi, psi}


@pytest.mark.slow
def test_motion_of_the_reduced_system_is_that_of_the_whole():
    top, (theta, phi, psi) = heavy_top()
    reduced = rt.routhian(top, [phi, psi], simplify=0)
    values = {"A": 0.02, "C": 0.01, "m": 1.0, "g": 9.81, "s": 0.1}
    times = np.linspace(0, 1, 51)
    start = {theta: 0.5, theta.rate: 0.2, phi.rate: 3.0, psi.rate: 100.0}
    whole = rt.simulate(top, values, start, times)
    p = {"p_phi": whole.momenta[0, 1], "p_psi": whole.momenta[0, 2]}
    assert np.abs(whole.momenta[:, 1:] - whole.momenta[0, 1:]).max() < 1e-7
    part = rt.simulate(reduced.system, values | p, {theta: 0.5, theta.rate: 0.2}, times)
    assert np.abs(part.q[:, 0] - whole.q[:, 0]).max() < 1e-6
    assert part[reduced.velocities[psi]] == pytest.approx(whole[psi.rate], rel=1e-6)


@pytest.mark.slow
def test_what_cannot_be_reduced():
    top, (theta, phi, _) = heavy_top()
    with pytest.raises(rt.DerivationError, match="`theta` is not cyclic"):
        rt.routhian(top, theta, simplify=0)
    with pytest.raises(rt.DeclarationError, match=r"Got `fi`. Coordinates: theta, phi, psi"):
        rt.routhian(top, "fi", simplify=0)
    with pytest.raises(rt.DeclarationError, match="needs different coordinates"):
        rt.routhian(top, [phi, phi], simplify=0)
    x = rt.coordinate("x")
    with pytest.raises(rt.DerivationError, match="leaves at least one coordinate"):
        rt.routhian(rt.System(kinetic=rt.ddt(x) ** 2), x, simplify=0)
    y = rt.coordinate("y")
    damped = rt.System(
        kinetic=rt.ddt(x) ** 2 + rt.ddt(y) ** 2, potential=y**2, dissipation=(rt.ddt(x)) ** 2
    )
    with pytest.raises(rt.DerivationError, match="`x` is not cyclic"):
        rt.routhian(damped, x, simplify=0)
    pushed = rt.System(
        kinetic=(rt.ddt(x) ** 2 + rt.ddt(y) ** 2) / 2,
        potential=y**2,
        forces=[rt.force(rt.vector(1, 0), at=rt.vector(y, x))],
    )
    kept = rt.routhian(pushed, x, simplify=0)
    assert rt.equilibrium(kept.system, {"p_x": 1.0}).q == pytest.approx([0.5])
    quartic = rt.System(lagrangian=rt.ddt(x) ** 4 + rt.ddt(y) ** 2 - y**2)
    with pytest.raises(rt.DerivationError, match="quadratic in `x'`"):
        rt.routhian(quartic, x, simplify=0)


# --- Gibbs and Appell


def accelerations_by_multipliers(system, here):
    eq = rt.equations(system, simplify=0)
    K = np.array(eq.saddle.subs(here), dtype=float)
    right = np.array(eq.right_side.subs(here), dtype=float)[:, 0]
    return np.linalg.solve(K, right)[: len(system.coordinates)]


def check_against_multipliers(system, quasi, numbers, seed):
    """Accelerations of both forms at a random state that meets the constraints."""
    found = rt.gibbs_appell(system, quasi, simplify=0)
    draw = np.random.default_rng(seed)
    here = {s: numbers[s.name] for s in system.parameters}
    here |= {q: draw.uniform(0.2, 1.0) for q in system.coordinates}
    u = dict(zip(found.quasi, draw.uniform(-1, 1, len(found.quasi)), strict=True))
    v = [float(e.subs(here | u)) for e in found.velocities]
    state = here | dict(zip(system.velocities, v, strict=True))
    for phi in system.constraints:
        assert float(phi.subs(state)) == pytest.approx(0, abs=1e-12)
    a = accelerations_by_multipliers(system, state)
    still = {x.rate: 0 for x in found.quasi}
    M = np.array(found.M.subs(here | u), dtype=float)
    rest = np.array(found.residual.subs(still).subs(here | u), dtype=float)[:, 0]
    mine = np.linalg.solve(M, -rest)
    rates = dict(zip([w.rate for w in system.velocities], a, strict=True))
    other = [float(rt.ddt(e).subs(rates).subs(state)) for e in found.definitions.values()]
    assert mine == pytest.approx(other, rel=1e-9, abs=1e-10)
    slopes = [found.S.diff(x.rate) for x in found.quasi]
    for slope, U, row in zip(slopes, found.U, found.residual, strict=True):
        difference = (slope - U - row).subs(here | u | dict.fromkeys(still, 0.37))
        assert float(difference) == pytest.approx(0, abs=1e-10)
    return found


@pytest.mark.parametrize("seed", range(3))
def test_the_chaplygin_sleigh(seed):
    x, y, theta = rt.coordinates("x y theta")
    m, J, a, c = rt.parameters("m J a c")
    centre = rt.vector(x + a * rt.cos(theta), y + a * rt.sin(theta))
    sleigh = rt.System(
        kinetic=m * rt.norm2(rt.ddt(centre)) / 2 + J * rt.ddt(theta) ** 2 / 2,
        dissipation=c * rt.ddt(theta) ** 2 / 2,
        constraints=[-rt.ddt(x) * rt.sin(theta) + rt.ddt(y) * rt.cos(theta)],
    )
    forward = rt.ddt(x) * rt.cos(theta) + rt.ddt(y) * rt.sin(theta)
    numbers = {"m": 2.0, "J": 0.5, "a": 0.3, "c": 0.1}
    found = check_against_multipliers(sleigh, {"u": forward, "w": rt.ddt(theta)}, numbers, seed)
    u, w = found.quasi
    m_, a_ = m, a
    assert sympy.simplify(found.residual[0] - m_ * (u.rate - a_ * w**2)) == 0
    assert (
        sympy.simplify(found.residual[1] - ((J + m_ * a_**2) * w.rate + m_ * a_ * u * w + c * w)) == 0
    )
    assert "S = " in str(found)


@pytest.mark.parametrize("seed", [pytest.param(0, marks=pytest.mark.slow), 1])
def test_the_rolling_disc(seed):
    x, y, phi, theta, psi = rt.coordinates("x y phi theta psi")
    m, r, A, C, g = rt.parameters("m r A C g")
    height = r * rt.sin(theta)
    # the axis is (sin theta sin phi, -sin theta cos phi, cos theta); up the disc, at right angles to it
    # and to (cos phi, sin phi, 0), the centre is r*(-cos theta sin phi, cos theta cos phi, sin theta) away
    centre = rt.vector(x - r * rt.cos(theta) * rt.sin(phi), y + r * rt.cos(theta) * rt.cos(phi), height)
    spin = rt.ddt(psi) + rt.ddt(phi) * rt.cos(theta)
    T = m * rt.norm2(rt.ddt(centre)) / 2
    T += A / 2 * (rt.ddt(theta) ** 2 + rt.ddt(phi) ** 2 * rt.sin(theta) ** 2) + C / 2 * spin**2
    disc = rt.System(
        kinetic=T,
        potential=m * g * height,
        constraints=[
            rt.ddt(x) + r * rt.ddt(psi) * rt.cos(phi),
            rt.ddt(y) + r * rt.ddt(psi) * rt.sin(phi),
        ],
    )
    quasi = {"w1": rt.ddt(theta), "w2": rt.ddt(phi) * rt.sin(theta), "w3": spin}
    numbers = {"m": 1.5, "r": 0.4, "A": 0.06, "C": 0.12, "g": 9.81}
    found = check_against_multipliers(disc, quasi, numbers, seed)
    # what touches the ground is at rest, so that the centre goes as r*sqrt(w1^2 + w3^2)
    w1, _, w3 = found.quasi
    rolled = dict(zip(disc.velocities, found.velocities, strict=True))
    speed = rt.norm2(rt.ddt(centre)).xreplace(rolled)
    assert vanishes(speed - r**2 * (w1**2 + w3**2))


def test_a_driven_wheel_has_velocities_that_do_not_vanish():
    x, y = rt.coordinates("x y")
    m, V = rt.parameters("m V")
    pushed = rt.System(
        kinetic=m * (rt.ddt(x) ** 2 + rt.ddt(y) ** 2) / 2,
        constraints=[rt.ddt(y) - x * rt.ddt(x) - V * rt.cos(rt.t)],
    )
    found = rt.gibbs_appell(pushed, {"u": rt.ddt(x)}, simplify=0)
    (u,) = found.quasi
    assert sympy.simplify(found.velocities[1] - (x * u + V * rt.cos(rt.t))) == 0
    expected = m * ((1 + x**2) * u.rate + x * u**2 - x * V * rt.sin(rt.t))
    assert sympy.simplify(found.residual[0] - expected) == 0


def test_bad_quasi_velocities():
    x, y = rt.coordinates("x y")
    v, w = rt.ddt(x), rt.ddt(y)
    free = rt.System(kinetic=v**2 + w**2)
    with pytest.raises(rt.DeclarationError, match=r"leave 2 free: expected as many.*Got 1: u"):
        rt.gibbs_appell(free, {"u": v}, simplify=0)
    with pytest.raises(rt.DeclarationError, match="`u` must be linear in the velocities"):
        rt.gibbs_appell(free, {"u": v * w, "s": w}, simplify=0)
    with pytest.raises(rt.DerivationError, match="do not determine the velocities"):
        rt.gibbs_appell(free, {"u": v + w, "s": 2 * v + 2 * w}, simplify=0)
    with pytest.raises(rt.DeclarationError, match="`u` contains `b`, which the system does not"):
        rt.gibbs_appell(free, {"u": rt.parameter("b") * v, "s": w}, simplify=0)
    with pytest.raises(
        rt.DeclarationError, match="`velocity` contains `z'`, which the system does not"
    ):
        rt.gibbs_appell(free, {"u": v, "s": w}, simplify=0).partial_velocities(
            rt.vector(v, rt.ddt(rt.coordinate("z")))
        )
    with pytest.raises(rt.DeclarationError, match="has a name of the system"):
        rt.gibbs_appell(free, {"x": v, "s": w}, simplify=0)
    twice = rt.System(kinetic=v**2 + w**2, constraints=[x - y, 2 * x - 2 * y])
    with pytest.raises(rt.DeclarationError, match="leave 0 free"):
        rt.gibbs_appell(twice, {"u": v}, simplify=0)


def test_momenta_are_always_the_same_symbols():
    x = rt.coordinate("x")
    assert momentum(x) is momentum(x)
    assert momentum(x) != momentum(rt.coordinate("x"))


def test_what_hamiltonian_recommends_for_bodies_works():
    """No sentence sends to another that sends back."""
    s = rt.space("s", 0, 1)
    w = rt.field("w", s)
    body = rt.System(
        kinetic=rt.integral(rt.ddt(w) ** 2 / 2, s),
        potential=rt.integral(rt.diff(w, s, 2) ** 2 / 2, s),
        constraints=[rt.at(w, s, 0), rt.at(rt.diff(w, s), s, 0)],
    )
    with pytest.raises(
        rt.DeclarationError, match=r"discretize\(system, \{w: 12\}\): simulate\("
    ) as told:
        rt.hamiltonian(body, simplify=0)
    assert "hamiltonian(" not in str(told.value)
    made = rt.discretize(body, {w: 3})
    with pytest.raises(rt.DeclarationError, match=r'Numbers need none.*form="hamilton"') as told:
        rt.hamiltonian(made, simplify=0)
    assert "hamiltonian(" not in str(told.value)
    start, times = {made.coordinates[0]: 0.01}, np.linspace(0, 0.5, 3)
    by_momenta = rt.simulate(made, {}, start, times, form="hamilton")
    assert by_momenta.q == pytest.approx(rt.simulate(made, {}, start, times).q, abs=1e-7)
    with pytest.raises(
        rt.DeclarationError, match="gibbs_appell writes out the equations of coordinates"
    ):
        rt.gibbs_appell(body, {}, simplify=0)


def test_constraints_push_momenta_as_they_push_accelerations():
    """Along a motion m a = p' with the multipliers of that motion; a by exact centripetal acceleration."""
    x, y = rt.coordinates("x y")
    bob = rt.System(
        kinetic=(rt.ddt(x) ** 2 + rt.ddt(y) ** 2) / 2,
        potential=10 * y,
        constraints=[(x**2 + y**2 - 1) / 2],
    )
    made = rt.hamiltonian(bob, simplify=0)
    motion = rt.simulate(bob, {}, {y: -1.0, rt.ddt(x): 2.0}, [0, 0.1])
    at = {x: 0, y: -1, made.momenta[0]: 2, made.momenta[1]: 0}
    at[made.multipliers[0]] = float(motion.multipliers[0, 0])
    found = [float(e.subs(at)) for e in made.p_rates]
    assert found == pytest.approx([0, 4], abs=1e-9)  # v^2 / l towards the pivot
