"""A verdict, its reason and the eigenvalues do not depend on the units of the coordinates."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
import sympy

import routh as rt
from depth import draws, mostly_slow
from routh import ddt

KINDS = ("passive", "damped", "gyroscopic", "circulatory", "massless", "constrained")


def symmetric(generator, n, lowest):
    """A random symmetric matrix with entries in sixteenths, `lowest` being where its spectrum begins."""
    root = generator.integers(-16, 17, (n, n)) / 16
    X = root @ root.T
    return X + (lowest - np.linalg.eigvalsh(X)[0]) * np.eye(n)


def skew(generator, n):
    X = generator.integers(-16, 17, (n, n)) / 8
    return X - X.T


def matrices(generator, kind, n):
    """M, D, G, K, H of a random linear system of a class."""
    none = np.zeros((n, n))
    M = symmetric(generator, n, 0.5)
    K = symmetric(generator, n, generator.choice([0.5, 0.5, -0.3]))
    D, G, H = none, none, none
    if kind == "damped" or generator.random() < 0.3:
        rank = generator.integers(1, n + 1)
        B = generator.integers(-8, 9, (n, rank)) / 8
        D = B @ B.T
    if kind == "gyroscopic":
        G = skew(generator, n) * generator.choice([1.0, 4.0])
    if kind == "circulatory":
        H = skew(generator, n) / 4
    if kind == "massless":
        M = M.copy()
        M[0], M[:, 0] = 0.0, 0.0
        K = symmetric(generator, n, 0.5)
    return M, D, G, K, H


def system(matrices, units, constraint=None):
    """The linear system with those matrices; coordinate i is counted in units of `units[i]`."""
    M, D, G, K, H = matrices
    n = len(M)
    y = list(rt.coordinates(" ".join(f"y{k}" for k in range(n))))
    q = [sympy.Float(float(u)) * x for u, x in zip(units, y, strict=True)]
    v = [ddt(x) for x in q]

    def form(X, a, b):
        return sum(sympy.Float(float(X[i, j])) * a[i] * b[j] for i in range(n) for j in range(n))

    forces = {
        y[i]: sum(-sympy.Float(float(units[i] * H[i, j])) * q[j] for j in range(n))
        for i in range(n)
        if H[i].any()
    }
    held = (
        [sum(sympy.Float(float(c)) * x for c, x in zip(constraint, q, strict=True))]
        if constraint is not None
        else []
    )
    # L_v q part -q^T G v / 2 gives G v in the equations
    gyro = form(G, v, q) / 2
    return rt.System(
        lagrangian=form(M, v, v) / 2 + gyro - form(K, q, q) / 2,
        dissipation=form(D, v, v) / 2 if D.any() else 0,
        forces=forces,
        constraints=held,
    )


def judged(of):
    return rt.stability(rt.linearize(rt.equilibrium(of, {})))


def exact(matrices, constraint=None):
    """The eigenvalues with 40 digits."""
    M, D, G, K, H = (mpmath.matrix(X.tolist()) for X in matrices)
    C, S = D + G, K + H
    n = M.rows
    if constraint is not None:
        k = int(np.argmax(np.abs(constraint)))
        Z = mpmath.zeros(n, n - 1)
        others = [i for i in range(n) if i != k]
        for column, i in enumerate(others):
            Z[i, column] = 1
            Z[k, column] = -mpmath.mpf(float(constraint[i])) / mpmath.mpf(float(constraint[k]))
        M, C, S = (Z.T * X * Z for X in (M, C, S))
        n -= 1
    return M, C, S


def largest_real_part(M, C, S):
    """The largest real part of the finite eigenvalues, by the pencil reversed: mu = 1 / (s - a)."""
    n = M.rows
    shift = mpmath.mpf("0.7390851332151607")
    # P(s) with s = shift + 1/mu: mu^2 P(shift) + mu P'(shift) + M
    P = M * shift**2 + C * shift + S
    slope = 2 * shift * M + C
    inverse = P**-1
    A = mpmath.zeros(2 * n, 2 * n)
    for i in range(n):
        A[i, n + i] = 1
    low, high = -(inverse * M), -(inverse * slope)
    for i in range(n):
        for j in range(n):
            A[n + i, j], A[n + i, n + j] = low[i, j], high[i, j]
    found = mpmath.eig(A, left=False, right=False)
    return max(mpmath.re(shift + 1 / mu) for mu in found if abs(mu) > mpmath.mpf(10) ** -15)


def turned(generator, *matrices):
    """The same in other coordinates, so that nothing special is along any of them."""
    n = len(matrices[0])
    P = np.linalg.qr(generator.normal(size=(n, n)))[0] @ np.diag(generator.uniform(0.5, 2, n))
    return [P.T @ X @ P for X in matrices]


def hidden(generator, what):
    """M, D, G, K, H of a system with something special, and the name of the reason it must have."""
    zero = np.zeros((3, 3))
    eye, G = np.eye(3), np.array([[0, 1.0, 0], [-1, 0, 0], [0, 0, 0]])
    K, loss = np.diag([1.0, 2.0, 3.0]), np.diag([1.0, 0, 0.5])
    coupled = K + np.array([[0, 0, 0.5], [0, 0, 0], [0.5, 0, 0]])
    weak = 10 ** generator.uniform(-6, 0)
    double = np.array([[4.0, 0, 0], [weak, 4, 0], [0, 0, 9]])
    case = {
        "a free motion": ("FREE", eye, zero, zero, np.diag([0, 1.0, 3]), zero),
        "a free motion with turning": ("FREE", eye, zero, G, np.diag([0, 2.0, 1]), zero),
        "a direction without mass": ("MINIMUM", np.diag([1.0, 1, 0]), zero, zero, coupled, zero),
        "a mode that is not damped": ("PARTIAL_DAMPING", eye, loss, zero, K, zero),
        "weak negative damping": ("FLUTTER", eye, np.diag([1.0, -weak / 1e4, 1]), zero, K, zero),
        "equal modes that grow": ("FLUTTER", eye, -0.1 * eye, zero, np.diag([1.0, 1, 3]), zero),
        "a defective root": ("MARGINAL", eye, zero, zero, (double + double.T) / 2, (double - double.T) / 2),
        "three scales": ("MINIMUM", eye, zero, zero, np.diag([1.0, 1e6 / weak, 1e12]), zero),
    }  # fmt: skip
    name, *matrices = case[what]
    M, D, G, K, H = turned(generator, *matrices)
    M, D, K = ((X + X.T) / 2 for X in (M, D, K))
    return name, (M, D, (G - G.T) / 2, K, (H - H.T) / 2)


HIDDEN = (
    "a free motion", "a free motion with turning", "a direction without mass", "a mode that is not damped",
    "weak negative damping", "equal modes that grow", "a defective root", "three scales",
)  # fmt: skip


def check_hidden(seed, what):
    generator = np.random.default_rng(seed)
    name, of = hidden(generator, what)
    for units in (np.ones(3), 10 ** generator.uniform(-12, 12, 3)):
        assert judged(system(of, units)).reason.name == name, (seed, what, units)


@pytest.mark.parametrize("what", HIDDEN)
def test_what_no_coordinate_shows(what):
    """Zeros that are left by sums of rounded numbers, in coordinates that show nothing special."""
    for seed in range(draws(2, 6)):
        check_hidden(seed, what)


@pytest.mark.slow
@pytest.mark.parametrize("what", HIDDEN)
def test_what_no_coordinate_shows_two_hundred_times(what):
    for seed in range(200):
        check_hidden(1000 + seed, what)


def compared(seed, kind):
    """One system at unit scale, in other units, and with 40 digits."""
    generator = np.random.default_rng(seed)
    n = int(generator.integers(2, 5))
    of = matrices(generator, kind, n)
    constraint = generator.choice([-1.0, 0.5, 1.0, 2.0], n) if kind == "constrained" else None
    plain = judged(system(of, np.ones(n), constraint))
    units = 10 ** generator.uniform(-12, 12, n)
    other = judged(system(of, units, constraint))
    return of, constraint, plain, other


def check(seed, kind):
    of, constraint, plain, other = compared(seed, kind)
    if other.verdict is not rt.Verdict.UNDECIDED:
        assert other.reason is plain.reason, (seed, kind, str(plain), str(other))
        size = np.abs(plain.eigenvalues).max()
        a, b = (np.sort_complex(np.round(x.eigenvalues / size, 6)) for x in (plain, other))
        np.testing.assert_allclose(a, b, atol=1e-5)
    with mpmath.workdps(40):
        growth = largest_real_part(*exact(of, constraint))
    for found in (plain, other):
        if found.verdict is rt.Verdict.UNSTABLE:
            assert growth > 0, (seed, kind, str(found))
        elif found.verdict is rt.Verdict.ASYMPTOTICALLY_STABLE:
            assert growth < 0, (seed, kind, str(found))
        elif found.verdict is rt.Verdict.STABLE:
            assert abs(growth) < mpmath.mpf(10) ** -12, (seed, kind, str(found))
    return plain.verdict is rt.Verdict.UNDECIDED, other.verdict is rt.Verdict.UNDECIDED


@pytest.mark.parametrize("kind", mostly_slow(KINDS, "gyroscopic", "constrained"))
def test_verdicts_in_random_units(kind):
    open_ones = sum(check(seed, kind)[1] for seed in range(draws(3, 8)))
    assert open_ones == 0


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_verdicts_in_random_units_of_a_thousand_systems(kind):
    open_ones = sum(check(1000 + seed, kind)[1] for seed in range(170))
    assert open_ones <= 3


def pair(sign, damping=0.0):
    """Two masses with a stiff spring between them, a soft one to the ground, and damping of their sum."""
    x, y = rt.coordinates("x y")
    k = rt.parameter("k")
    return rt.System(
        kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2,
        potential=k / 2 * (x - y) ** 2 + sign * (x**2 + y**2) / 2,
        dissipation=damping * (ddt(x) + ddt(y)) ** 2 / 2,
    )


@pytest.mark.parametrize("k", [1e11, 1e16, 1e20])
def test_a_soft_spring_decides_beside_a_stiff_one(k):
    for sign, name in ((1, "MINIMUM"), (-1, "NO_MINIMUM")):
        found = rt.stability(rt.linearize(rt.equilibrium(pair(sign), {"k": k})))
        assert found.reason.name == name
        assert found.curvature == pytest.approx(sign, rel=1e-12)


def test_weak_growth_of_a_soft_motion_beside_a_stiff_one_is_growth():
    """With s = (x + y)/2 damped by -c (2 s')^2/2 the soft motion grows at c."""
    found = rt.stability(rt.linearize(rt.equilibrium(pair(1, damping=-1e-6), {"k": 1e12})))
    assert found.verdict is rt.Verdict.UNSTABLE
    assert found.growth == pytest.approx(1e-6, rel=1e-6)


def test_a_freedom_that_rounding_may_hide_says_so():
    found = rt.stability(rt.linearize(rt.equilibrium(pair(1), {"k": 1e30})))
    assert found.verdict is rt.Verdict.UNDECIDED
    assert "Rounding does not tell a stiffness below omega^2 = " in found.sentence
    assert found.blur > 1
