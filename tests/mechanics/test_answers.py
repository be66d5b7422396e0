"""It always answers: systems as graphs, quasi-velocities, Hamiltonians that have no closed form."""

from __future__ import annotations

import numpy as np
import pytest
import sympy

import problems
import routh as rt
from routh import cos, ddt, dot, exp, sin, t
from routh.analysis.motion.flow import MovingSystem
from routh.kernels.motion import motion
from routh.language.evaluation import Evaluation
from routh.mechanics.forms.inverse import adjugate, determinant, is_singular
from routh.mechanics.forms.tidy import Tidy
from routh.mechanics.forms.vanish import vanishes


def numbers(matrix, here):
    """A matrix in numbers; each branch of its graph once."""
    at = Evaluation(here, 30)
    return np.array([float(at(entry)) for entry in matrix]).reshape(matrix.shape)


def kernel_accelerations(system, here):
    """By the compiled kernel, which differentiates the energies by itself."""
    p = np.array([here[s] for s in system.parameters])
    x = np.array([here[s] for s in (*system.coordinates, *system.velocities)])
    flow = MovingSystem(motion(system, (), False, False), p, np.zeros(len(system.signals)), None)
    own = np.zeros(flow.motion.size)
    own[: len(x)] = x
    n = len(system.coordinates)
    return flow.rate(float(here.get(t, 0.0)), own)[n : 2 * n]


# --- systems as graphs


@pytest.fixture(scope="module")
def vehicle():
    return rt.System(**problems.rolling_vehicle_parts())


def test_a_system_is_made_without_multiplying_out(monkeypatch):
    def refuse(*_arguments, **_options):
        raise AssertionError("expand was called")

    parts = problems.rolling_vehicle_parts()
    for owner in (sympy, sympy.Expr):
        monkeypatch.setattr(owner, "expand", refuse)
    monkeypatch.setattr(sympy.Expr, "diff", refuse)  # which goes through trees
    assert len(rt.System(**parts).constraints) == 5


@pytest.mark.slow
def test_equations_of_composed_rotations_are_those_of_the_kernel(vehicle):
    eq = rt.equations(vehicle, simplify=0)
    draw = np.random.default_rng(5)
    here = {s: draw.uniform(0.3, 1.2) for s in vehicle.parameters}
    here |= {s: draw.uniform(-0.6, 0.6) for s in (*vehicle.coordinates, *vehicle.velocities)}
    M, J = numbers(eq.M, here), numbers(eq.J, here)
    right = np.concatenate([numbers(eq.Q - eq.h, here)[:, 0], -numbers(eq.gamma, here)[:, 0]])
    c = len(J)
    a = np.linalg.solve(np.block([[M, J.T], [J, np.zeros((c, c))]]), right)[: len(M)]
    assert kernel_accelerations(vehicle, here) == pytest.approx(a, rel=1e-8, abs=1e-8)
    assert all(kind.name == "NONHOLONOMIC" for kind in eq.kinds)


@pytest.mark.slow
def test_equations_of_composed_rotations_are_told_by_names_of_their_parts(vehicle):
    eq = rt.equations(vehicle, simplify=0)
    assert len(str(eq)) < 100_000  # huge as a tree
    assert [kept.name for kept in eq.conserved] == ["energy"]


X, Y = rt.coordinates("x y")
A, B = ddt(X), ddt(Y)

LINEAR = {
    "as it is": A - 2 * B * sin(X) + cos(t),
    "a product of sums without velocities": (1 + X) ** 3 * (A + Y * B) - exp(X) * A,
    "squares that cancel": (A + B) ** 2 - (A - B) ** 2 - 4 * A * B + A,
    "pieces of positions": sympy.Max(X, 0) * A - sympy.Abs(Y) * B,
    "an intermediate": rt.let("u", A * sin(Y)) - B,
}

NOT_LINEAR = {
    "a product": (A * B, "is not linear in the velocities: `y'` is left"),
    "a square": (A**2 - 1, "is not linear in the velocities: `x'`"),
    "a wave": (sin(A) - B, "is not linear"),
    "a modulus": (sympy.sqrt(A**2) - B, "is not linear"),
    "a tiny square": (A + sympy.Float("1e-30") * B**2, "is not linear"),
    "a square where nobody looks": (A + B**2 * exp(-(10**6) * X**2), "is not linear"),
    "identity of waves": (
        (cos(Y) * A) ** 2 + (sin(Y) * A) ** 2 - A**2 + B, "could not be shown to be linear"
    ),
    "a fraction that divides": ((A**2 - B**2) / (A - B), "could not be shown to be linear"),
}  # fmt: skip


@pytest.mark.parametrize("case", LINEAR)
def test_constraints_that_are_linear(case):
    assert rt.System(kinetic=A**2 + B**2, constraints=[LINEAR[case]]).constraints


@pytest.mark.parametrize("case", NOT_LINEAR)
def test_constraints_that_are_not_linear_or_not_shown_to_be(case):
    phi, sentence = NOT_LINEAR[case]
    with pytest.raises(rt.DeclarationError) as caught:
        rt.System(kinetic=A**2 + B**2, constraints=[phi])
    assert sentence in str(caught.value)


def test_a_narrow_spike_is_not_zero():
    """Evaluated to 1e-43000 at the points that are tried, and absorbed beside 1: told all the same."""
    one = sin(X) ** 2 + cos(X) ** 2 - 1
    assert vanishes(one)
    assert vanishes(X * one)
    assert not vanishes(one + exp(-1000 * X**2))
    assert not vanishes(exp(-(10**5) * (X - 3) ** 2))
    spiked = rt.System(kinetic=A**2 / 2, potential=exp(-(10**5) * (X - 3) ** 2))
    assert [kept.name for kept in rt.equations(spiked, simplify=0).conserved] == [
        "energy"
    ]  # no momentum


# --- fractions and inverses


def test_fractions_in_lowest_terms_keep_their_value():
    a, b, m = rt.coordinate("a"), rt.coordinate("b"), rt.parameter("m")
    cases = {
        (1 - cos(a) ** 2) / sin(a): sin(a),
        m * sin(a + b) / (sin(a) * cos(b) + cos(a) * sin(b)): m,
        sin(3 * a) / sin(a): 4 * cos(a) ** 2 - 1,
        (a**2 - b**2) / (a - b): a + b,
    }
    for given, expected in cases.items():
        assert Tidy(1.0)(given) == expected
    long = (sin(a) + m * cos(b) + b) ** 8 / (1 + sin(a) * sin(b)) ** 3
    assert Tidy(1e-4)(long) == long  # too long for so many products
    assert vanishes(Tidy(1.0)(long) - long)


@pytest.mark.parametrize("seed", range(3))
def test_inverses_by_minors(seed):
    draw = np.random.default_rng(seed)
    n = int(draw.integers(2, 6))
    symbols = rt.coordinates("a b c")
    entry = lambda: symbols[int(draw.integers(3))] * int(draw.integers(1, 9)) ** 2 + draw.integers(5)  # noqa: E731
    rows = [
        [sympy.S.Zero if draw.random() < 0.3 else sympy.sympify(entry()) for _ in range(n)]
        for _ in range(n)
    ]
    M = sympy.ImmutableDenseMatrix(rows) + sympy.eye(n) * 200
    here = {s: draw.uniform(0.2, 0.9) for s in symbols}
    inverse = numbers(adjugate(M), here) / float(Evaluation(here, 30)(determinant(M)))
    assert inverse @ numbers(M, here) == pytest.approx(np.eye(n), abs=1e-12)
    assert not is_singular(M)
    twice = M.tolist()
    twice[0] = [2 * e for e in twice[-1]]
    assert is_singular(sympy.ImmutableDenseMatrix(twice))


# --- quasi-velocities


@pytest.mark.slow
def test_a_rolling_ball_in_euler_angles():
    """(1 + k) m r^2 wy' = F r, the textbook's equation, where all angles have dropped out."""
    m, r, k, F = *rt.parameters("m r k"), rt.input("F")
    x, y = rt.coordinates("x y")
    R = rt.euler_angles("zxz", *rt.coordinates("phi theta psi"))
    w = rt.angular_velocity(R, "space")
    ball = rt.System(
        kinetic=m / 2 * (ddt(x) ** 2 + ddt(y) ** 2) + k * m * r**2 / 2 * dot(w, w),
        constraints=[ddt(x) - r * w[1], ddt(y) + r * w[0]],
        forces={x: F},
    )
    found = rt.gibbs_appell(ball, {"wx": w[0], "wy": w[1], "wz": w[2]})
    wx, wy, wz = (u.rate for u in found.quasi)
    expected = [(1 + k) * m * r**2 * wx, (1 + k) * m * r**2 * wy - F * r, k * m * r**2 * wz]
    for row, own in zip(found.residual, expected, strict=True):
        assert sympy.expand(row - own) == 0
    assert sympy.expand(found.velocities[0] - r * found.quasi[1]) == 0


def awkward(seed):
    """Two velocity constraints with time and all positions in them, and one quasi-velocity."""
    draw = np.random.default_rng(seed)
    number = lambda: sympy.Rational(int(draw.integers(-16, 17)), 16)  # noqa: E731
    q = rt.coordinates("q0 q1 q2")
    v = [ddt(each) for each in q]

    def smooth(*symbols):
        a, b = (sum((number() * s for s in symbols), number()) for _ in range(2))
        return (sin(a), cos(a), exp(a / 4), a * b)[int(draw.integers(4))]

    system = rt.System(
        kinetic=sum((1 + smooth(*q) ** 2) * each**2 for each in v) / 2,
        potential=sum(each**2 for each in q) + smooth(*q, t),
        dissipation=v[2] ** 2 * (1 + q[0] ** 2) / 8,
        forces={each: smooth(*q, t, *v) for each in q},
        constraints=[v[i] - smooth(*q, t) * v[2] - smooth(*q, t) for i in range(2)],
    )
    return system, {"u": 2 * v[2] + smooth(*q, t) / 8 * v[0]}


def rolling_disc():
    """A disc by yaw, lean and spin as a product of rotations, with angular velocity R^T R'."""
    ex, ey, ez = rt.vector(1, 0, 0), rt.vector(0, 1, 0), rt.vector(0, 0, 1)
    x, y, yaw, lean, spin = rt.coordinates("x y yaw lean spin")
    m, r, J, g = rt.parameters("m r J g")
    frame = rt.rotation(yaw, ez) @ rt.rotation(lean, ex)
    R = frame @ rt.rotation(spin, ey)
    turn = R.T @ ddt(R)
    w = rt.vector(turn[2, 1], turn[0, 2], turn[1, 0])
    centre = rt.vector(x, y, 0) + frame @ rt.vector(0, 0, r)
    slip = ddt(centre) + R @ rt.cross(w, R.T @ (frame @ rt.vector(0, 0, -r)))
    system = rt.System(
        kinetic=m / 2 * rt.norm2(ddt(centre)) + J / 2 * (w[0] ** 2 + w[2] ** 2) + J * w[1] ** 2,
        potential=m * g * centre[2],
        constraints=[slip[0], slip[1]],
    )
    return system, {"a": ddt(yaw), "b": ddt(lean), "c": ddt(spin)}


@pytest.mark.parametrize(
    "make",
    [
        lambda: awkward(0),
        pytest.param(lambda: awkward(1), marks=pytest.mark.slow),
        pytest.param(rolling_disc, marks=pytest.mark.slow),
    ],
)
def test_awkward_quasi_velocities_come_back_and_accelerate_as_the_kernel_says(make):
    system, quasi = make()
    found = rt.gibbs_appell(system, quasi, simplify=0.05)
    draw = np.random.default_rng(40)
    here = {
        s: draw.uniform(0.2, 0.9) for s in (*system.coordinates, *system.parameters, *found.quasi, t)
    }
    v = numbers(found.velocities, here)[:, 0]
    here |= dict(zip(system.velocities, v, strict=True))
    M = numbers(found.M, here)
    rest = numbers(found.residual, here | {u.rate: 0.0 for u in found.quasi})[:, 0]
    a = kernel_accelerations(system, here)
    rates = dict(zip([each.rate for each in system.velocities], a, strict=True))
    at = Evaluation(here | rates, 30)
    expected = [float(at(ddt(definition))) for definition in found.definitions.values()]
    assert np.linalg.solve(M, -rest) == pytest.approx(expected, rel=1e-8)


# --- Hamiltonians


def crowded(n):
    """Every velocity with every coordinate and time, so that M^-1 is long."""
    q = rt.coordinates(" ".join(f"q{k}" for k in range(n)))
    v = [ddt(each) for each in q]
    T = sum(each**2 for each in v)
    for j in range(n):
        inner = sum((1 + (j + k) % 3) * each for k, each in enumerate(q)) / 4 + t / 3
        T += sum((sin(inner + i) + exp(q[(i + j) % n] / 4)) * each for i, each in enumerate(v)) ** 2 / 2
    return rt.System(kinetic=T, potential=sum(each**2 for each in q))


@pytest.mark.parametrize("n", [2, 4, pytest.param(1, marks=pytest.mark.slow)])
def test_long_hamiltonians_come_back_in_symbols_or_in_numbers(n):
    system = crowded(n)
    found = rt.hamiltonian(system, simplify=0.05)
    draw = np.random.default_rng(n)
    q, p = draw.uniform(-1, 1, n), draw.uniform(-1, 1, n)
    point = found({}, dict(zip(system.coordinates, q, strict=True)), dict(zip(system.coordinates, p, strict=True)), 0.4)  # fmt: skip
    here = dict(zip(system.coordinates, q, strict=True)) | {t: 0.4}
    here |= dict(zip(system.velocities, point.v, strict=True))
    assert numbers(found.definitions, here)[:, 0] == pytest.approx(p, rel=1e-9)
    assert float(Evaluation(here, 30)(found.energy)) == pytest.approx(float(point.H), rel=1e-10)
    if found.H is not None:
        own = here | dict(zip(found.momenta, p, strict=True))
        assert float(Evaluation(own, 30)(found.H)) == pytest.approx(float(point.H), rel=1e-10)


def test_a_lagrangian_that_is_light_at_rest_has_numbers():
    """L = |v|^3/3: p = v |v|, H = 2 |p|^(3/2) / 3."""
    system = rt.System(lagrangian=sympy.Abs(A) ** 3 / 3 - X**2 / 2)
    found = rt.hamiltonian(system, simplify=0.1)
    point = found({}, {X: 0.3}, {X: -0.4})
    assert point.v == pytest.approx([-np.sqrt(0.4)], rel=1e-10)
    assert float(point.H) == pytest.approx(2 / 3 * 0.4**1.5 + 0.045, rel=1e-10)


@pytest.mark.parametrize(
    "L",
    [
        cos(A) - X**2 / 2,
        pytest.param(A**4 - A**2 - X**2, marks=pytest.mark.slow),
        pytest.param(A**3 - X**2, marks=pytest.mark.slow),
    ],
)
def test_momenta_that_belong_to_several_velocities_are_told(L):
    system = rt.System(lagrangian=L)
    found = rt.hamiltonian(system, simplify=0.1)
    assert found.is_ambiguous
    assert "L is not convex in x'" in str(found)
    with pytest.raises(rt.DerivationError, match="may have the same momenta"):
        found({}, {X: 0.3}, {X: 0.4})
    with pytest.raises(rt.DerivationError, match="may have the same momenta"):
        _ = found.q_rates
    with pytest.raises(rt.SolveError, match=r"may have the same momenta. Leave out form=.hamilton."):
        rt.simulate(system, {}, {X: 0.3, A: 0.4}, [0, 1], form="hamilton")
