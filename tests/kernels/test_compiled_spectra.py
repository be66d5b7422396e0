"""Eigenvalues by compiled code: those of LAPACK and of many digits, or left to a closer look."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import routh as rt
from depth import draws
from routh.kernels.compiled import eigenvalues, in_c
from routh.kernels.engine import Engine
from routh.kernels.native.compiler import compiler
from routh.kernels.native.eigenvalues import sized
from routh.kernels.native.program import Program
from routh.kernels.native.written import entry, runtime
from routh.numerics.spectra.pencil import spectrum

pytestmark = pytest.mark.skipif(compiler() is None, reason="no compiler of C on this machine")

SIDE = 6

_ALL = Program(
    sized(3)
    + runtime("dense", "symmetric", "eigen")
    + entry(
        "general",
        ["const double *A", "double *values", "int *found"],
        """
double a[36], real[6], imag[6];
LOAD(a, A, 36);
found[id] = eigenvalues(6, a, real, imag);
for (int k = 0; k < 6; k++) { values[AT(2 * k, 12)] = real[k]; values[AT(2 * k + 1, 12)] = imag[k]; }
""",
    )
    + entry(
        "even",
        ["const double *A", "double *values", "double *vectors", "int *found"],
        """
double a[36], v[6], u[36];
LOAD(a, A, 36);
found[id] = symmetric_eigen(6, a, v, u);
STORE(values, v, 6); STORE(vectors, u, 36);
""",
    )
    + entry(
        "solved",
        ["const double *A", "double *B", "int *regular"],
        """
double a[36], b[12]; int order[6];
LOAD(a, A, 36); LOAD(b, B, 12);
regular[id] = lu_factors(6, a, order);
if (regular[id]) lu_solve(6, a, order, 2, b);
STORE(B, b, 12);
""",
    )
)


def general(A):
    values, found = np.empty((len(A), SIDE), dtype=complex), np.empty(len(A), dtype=np.int32)
    _ALL.run("general", len(A), [A, values, found])
    return values, found != 0


def off(A, s):
    """How near A - s is to a singular matrix: the backward error of an eigenvalue."""
    return np.linalg.svd(A[:, None] - s[..., None, None] * np.eye(SIDE), compute_uv=False)[..., -1]


def orthogonal(random, count):
    return np.linalg.qr(random.normal(size=(count, SIDE, SIDE)))[0]


def kinds(random, count):
    """Matrices of every sort: any, graded, defective, with double eigenvalues, zero rows, Frank's."""
    A = random.normal(size=(count, SIDE, SIDE))
    Q = orthogonal(random, count)
    jordan = np.diag([2.0, 2, 2, -1, -1, 0.5]) + np.diag([1.0, 1, 0, 1, 0], 1)
    yield "any", A
    yield "graded", A * 10.0 ** random.integers(-6, 7, size=(count, SIDE, 1))
    yield "defective", Q @ jordan @ Q.swapaxes(1, 2)
    yield "double", Q @ np.diag([3.0, 3, 1, 1, -2, -2]) @ Q.swapaxes(1, 2)
    yield "skew", A - A.swapaxes(1, 2)
    yield "sparse", np.where(random.random(A.shape) < 0.3, A, 0.0)
    yield "cyclic", np.broadcast_to(np.roll(np.eye(SIDE), 1, axis=0), A.shape).copy()
    yield "zero", np.zeros_like(A)


@settings(max_examples=draws(3, 30))
@given(seed=st.integers(0, 2**32 - 1))
def test_eigenvalues_are_those_of_a_matrix_nearby(seed):
    for name, matrices in kinds(np.random.default_rng(seed), 40):
        values, found = general(matrices)
        assert found.all() or (name == "sparse" and found.mean() > 0.8)  # nilpotent ones go in circles
        A, values = matrices[found], values[found]
        size = np.maximum(np.linalg.norm(A, axis=(1, 2)), 1e-300)[:, None]
        assert (off(A, values) <= 1e-14 * size).all(), name
        np.testing.assert_allclose(
            values.sum(axis=1) / size[:, 0], np.trace(A, axis1=1, axis2=2) / size[:, 0], atol=1e-13
        )
        upper = values.imag > 0
        beside = np.roll(values, -1, axis=1)
        assert (beside[upper] == values[upper].conj()).all()  # conjugates are exact
        assert (upper.sum(axis=1) == (values.imag < 0).sum(axis=1)).all()


def test_eigenvalues_have_the_digits_of_doubles():
    A = np.random.default_rng(1).normal(size=(4, SIDE, SIDE))
    with mpmath.workdps(40):
        for matrix, values in zip(A, general(A)[0], strict=True):
            exact = np.array([complex(s) for s in mpmath.eig(mpmath.matrix(matrix.tolist()))[0]])
            distance = np.abs(values[:, None] - exact)
            assert distance.min(axis=1).max() < 1e-13
            assert distance.min(axis=0).max() < 1e-13


@settings(max_examples=draws(3, 30))
@given(seed=st.integers(0, 2**32 - 1))
def test_symmetric_matrices_and_linear_equations(seed):
    random = np.random.default_rng(seed)
    A = random.normal(size=(40, SIDE, SIDE))
    B, regular = random.normal(size=(40, SIDE, 2)), np.empty(40, dtype=np.int32)
    X = B.copy()
    _ALL.run("solved", 40, [A, X, regular])
    assert regular.all()
    left = np.abs(A @ X - B).max(axis=(1, 2))
    assert (left <= 1e-13 * np.abs(A).max(axis=(1, 2)) * np.abs(X).max(axis=(1, 2))).all()
    A = A + A.swapaxes(1, 2)
    A[::3] *= (10.0 ** random.integers(-4, 5, size=SIDE))[:, None] * np.eye(SIDE)
    A[::4, :, 2] = A[::4, 2] = 0.0
    values, U, found = np.empty((40, SIDE)), np.empty_like(A), np.empty(40, dtype=np.int32)
    _ALL.run("even", 40, [A, values, U, found])
    assert found.all()
    size = np.abs(A).max(axis=(1, 2))[:, None] + 1e-300
    np.testing.assert_allclose(values / size, np.linalg.eigvalsh(A) / size, atol=1e-14)
    np.testing.assert_allclose(U.swapaxes(1, 2) @ U, np.broadcast_to(np.eye(SIDE), U.shape), atol=1e-14)
    np.testing.assert_allclose((A @ U - U * values[:, None]) / size[..., None], 0, atol=1e-14)


def test_a_singular_matrix_is_told():
    A, B = np.zeros((1, SIDE, SIDE)), np.ones((1, SIDE, 2))
    regular = np.ones(1, dtype=np.int32)
    _ALL.run("solved", 1, [A, B, regular])
    assert not regular[0]


def pencils(random, count, n):
    """M, C and K of every class, among them some that take a closer look."""
    A, B, C = (random.normal(size=(count, n, n)) for _ in range(3))
    M, zero = A @ A.swapaxes(1, 2) + 0.5 * np.eye(n), np.zeros_like(A)
    K, skew = B @ B.swapaxes(1, 2), C - C.swapaxes(1, 2)
    loose = K * np.diag([*[1.0] * (n - 1), 0.0])  # some coordinate is free
    loose[:, -1] = loose[:, :, -1] = 0.0
    yield M, zero, K
    yield M, zero, B + B.swapaxes(1, 2)
    yield M, C @ C.swapaxes(1, 2) / 9, K
    yield M, skew, -K
    yield M, skew, B + B.swapaxes(1, 2)
    yield M, zero, B
    yield M, C, B
    yield M, C @ C.swapaxes(1, 2), loose
    yield M, zero, loose
    yield loose, C, K
    yield np.eye(n) + zero, np.eye(n) + zero, 5 * np.eye(n) + zero  # all of them double
    yield M, zero * np.nan, K


@settings(max_examples=draws(2, 30))
@given(seed=st.integers(0, 2**32 - 1), n=st.sampled_from([1, 2, 3, 4]))
def test_spectra_are_those_of_today_in_the_same_order_or_left_to_it(seed, n):
    for k, (M, C, K) in enumerate(pencils(np.random.default_rng(seed), 60, n)):
        values, plain = eigenvalues(M, C, K)
        expected = spectrum(M, C, K, vectors=False)
        assert not plain[expected.infinite > 0].any()
        assert not plain[expected.undetermined].any()
        if k in (0, 1):
            assert plain.mean() > 0.5
        if not plain.any():
            continue
        own, theirs = values[plain], expected.values[plain]
        size = np.abs(theirs).max(axis=1, keepdims=True)
        moved = 1e-15 * 1e3 / 1e-6  # rounding over how near to each other they may be
        np.testing.assert_allclose(own / size, theirs / size, atol=moved)
        assert ((own.imag == 0) == (theirs.imag == 0)).all()
    assert not plain.any()  # NaN


def test_what_is_compiled_is_counted():
    assert in_c(Engine.C, 1, 4)
    assert not in_c(Engine.C, 1, 17)
    assert not in_c(Engine.AUTO, 1000, 4)
    assert in_c(Engine.AUTO, 10**6, 4)
    assert not in_c(Engine.CASADI, 10**6, 4)


def rotor(count):
    """Two masses on a turning disc with springs and a damper: every kind of verdict along the speeds."""
    x, y = rt.coordinates("x y")
    k, c, w = rt.parameters("k c w")
    T = ((rt.ddt(x) - w * y) ** 2 + (rt.ddt(y) + w * x) ** 2) / 2
    D = c * (rt.ddt(x) ** 2 + rt.ddt(y) ** 2) / 2
    system = rt.System(kinetic=T, potential=(k * x**2 + 2 * k * y**2) / 2, dissipation=D)
    values = {"k": 1.0, "c": np.array([0.0, 0.1, 3.0])[:, None], "w": np.linspace(0, 2, count)}
    return rt.linearize(rt.equilibrium(system, values))


def test_modes_and_verdicts_do_not_depend_on_the_engine():
    linear = rotor(101)
    own, theirs = (rt.modes(linear, engine=engine).eigenvalues for engine in ("c", "casadi"))
    np.testing.assert_allclose(own, theirs, atol=1e-8)
    own, theirs = (rt.stability(linear, engine=engine) for engine in ("c", "casadi"))
    assert (own.reason == theirs.reason).all()
    np.testing.assert_array_equal(own.index, theirs.index)
    np.testing.assert_array_equal(own.falling, theirs.falling)


def test_linear_models_have_the_same_digits():
    reference = rotor(50).reference
    own, theirs = (rt.linearize(reference, engine=engine) for engine in ("c", "casadi"))
    for name in "MDGKHBZ":
        np.testing.assert_array_equal(getattr(own, name), getattr(theirs, name))


def test_frequencies_that_are_alike_are_told_apart_by_real_parts():
    """s and -conj(s), whose frequencies rounding alone would order."""
    x, y = rt.coordinates("x y")
    (a,) = rt.parameters("a,")
    system = rt.System(
        kinetic=(rt.ddt(x) ** 2 + rt.ddt(y) ** 2) / 2, potential=(x**2 + y**2) / 2,
        forces={x: -a * y, y: a * x},
    )  # fmt: skip
    linear = rt.linearize(rt.equilibrium(system, {"a": np.linspace(0.1, 3, 200)}))
    for engine in ("c", "casadi"):
        found = rt.modes(linear, engine=engine).eigenvalues
        assert (found[:, 0].real < 0).all()
        assert (found[:, 2].real > 0).all()


def test_a_machine_without_compiler_says_so_or_does_without(monkeypatch, tmp_path):
    every = rt.coordinates("q1 q2 q3 q4 q5 q6 q7")  # nobody else asks for seven: nothing is loaded yet
    kinetic, potential = sum(rt.ddt(q) ** 2 for q in every), sum(rt.cosh(q) for q in every)
    system = rt.System(kinetic=kinetic, potential=rt.parameter("k") * potential)
    linear = rt.linearize(rt.equilibrium(system, {"k": np.linspace(1, 2, 3)}))
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("routh.kernels.native.compiler.find_spec", lambda _: None)
    assert not in_c(Engine.AUTO, 10**9, 4)
    assert rt.modes(linear).engine == "casadi"
    rest = linear.reference
    for ask in (
        lambda: rt.equilibrium(rest.system, rest.values, engine="c"),
        lambda: rt.linearize(rest, engine="c"),
        lambda: rt.modes(linear, engine="c"),
        lambda: rt.stability(linear, engine="c"),
    ):
        with pytest.raises(rt.DerivationError, match="needs a compiler of C"):
            ask()


@pytest.mark.parametrize("n", [1, 4, 5])
def test_a_spectrum_does_not_depend_on_the_points_beside_it(n):
    """Bits are those of the point alone, in whichever lane and beside whatever it was computed."""
    random = np.random.default_rng(4)
    M, C, K = (np.concatenate(parts) for parts in zip(*pencils(random, 7, n), strict=True))
    values, plain = eigenvalues(M, C, K)
    order = random.permutation(len(M))
    again, also = eigenvalues(M[order], C[order], K[order])
    np.testing.assert_array_equal(also, plain[order])
    np.testing.assert_array_equal(again[also], values[order][also])
    for k in range(0, len(M), 5):
        alone, also = eigenvalues(M[k : k + 1], C[k : k + 1], K[k : k + 1])
        assert also[0] == plain[k]
        if also[0]:
            np.testing.assert_array_equal(alone[0], values[k])


def strongly_damped(count, n, strength):
    """Half of the eigenvalues are much larger than the other half."""
    random = np.random.default_rng(n)
    A, B, C = (random.normal(size=(count, n, n)) for _ in range(3))
    M, K = (X @ X.swapaxes(1, 2) + 0.3 * np.eye(n) for X in (A, B))
    return M, strength * (C @ C.swapaxes(1, 2) / n + 0.05 * np.eye(n)), K


@pytest.mark.parametrize("strength", [30.0, 300.0, 3000.0])
@pytest.mark.parametrize("n", [1, 2, 4])
def test_small_eigenvalues_beside_large_ones_have_their_digits(n, strength):
    M, D, K = strongly_damped(200, n, strength)
    values, plain = eigenvalues(M, D, K)
    expected = spectrum(M, D, K, vectors=False).values
    assert plain.mean() > 0.98  # near the bound of what is wide nobody decides
    np.testing.assert_allclose(values[plain], expected[plain], rtol=1e-10)
    with mpmath.workdps(40):
        inverse = mpmath.matrix(M[0].tolist()) ** -1
        A = mpmath.zeros(2 * n)
        A[:n, n:] = mpmath.eye(n)
        A[n:, :n], A[n:, n:] = (-inverse * mpmath.matrix(X[0].tolist()) for X in (K, D))
        exact = np.array([complex(s) for s in mpmath.eig(A, left=False, right=False)])
    distance = np.abs(values[0][:, None] - exact)
    assert (distance.min(axis=1) <= 1e-12 * np.abs(values[0])).all()
    assert (distance.min(axis=0) <= 1e-12 * np.abs(exact)).all()
