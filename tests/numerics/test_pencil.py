"""Eigenvalue pencils on plain arrays."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
import scipy.linalg
from hypothesis import given
from hypothesis import strategies as st

from depth import cases
from routh.numerics.rank import definite
from routh.numerics.spectra.pairs import paired
from routh.numerics.spectra.pencil import spectrum, zero_roots


def one(M, C, K, vectors=False):
    found = spectrum(*(np.array([X], dtype=float) for X in (M, C, K)), vectors=vectors)
    values = found.values[0]
    return values[~np.isnan(values)], found


def distance(a, b):
    """How far two sets of eigenvalues are apart, each matched with its nearest."""
    apart = np.abs(a[:, None] - b)
    return max(apart.min(axis=0).max(), apart.min(axis=1).max())


@given(st.integers(0, 10**6), st.integers(1, 6), st.booleans())
@cases(40)
def test_spectrum_agrees_with_a_generalized_solver(seed, n, damped):
    generator = np.random.default_rng(seed)
    root = generator.normal(size=(n, n))
    M = root @ root.T + np.eye(n)
    C = generator.normal(size=(n, n)) if damped else np.zeros((n, n))
    K = generator.normal(size=(n, n)) + 3 * np.eye(n)
    E = np.block([[np.eye(n), np.zeros((n, n))], [np.zeros((n, n)), M]])
    A = np.block([[np.zeros((n, n)), np.eye(n)], [-K, -C]])
    expected = scipy.linalg.eigvals(A, E)
    values, found = one(M, C, K, vectors=True)
    assert distance(values, expected) < 1e-8 * np.abs(expected).max()
    for s, x in zip(values, found.vectors[0].T, strict=True):
        size = np.abs(s) ** 2 * np.abs(M).max() + np.abs(s) * np.abs(C).max() + np.abs(K).max()
        assert np.abs((M * s**2 + C * s + K) @ x).max() < 1e-9 * size * np.abs(x).max()


@given(st.integers(0, 10**6), st.integers(1, 3), st.integers(1, 2), st.booleans())
@cases(40)
def test_massless_directions_are_eliminated(seed, n, massless, gyroscopic):
    """Against the Schur complement written by hand, hidden by a random change of basis."""
    generator = np.random.default_rng(seed)
    k = n + massless
    M = np.zeros((k, k))
    M[:n, :n] = np.diag(generator.uniform(1, 2, n))
    root = generator.normal(size=(k, k))
    K = root @ root.T + np.eye(k)
    G = np.zeros((k, k))
    if gyroscopic and n > 1:
        G[0, 1], G[1, 0] = 1.5, -1.5
    condensed = K[:n, :n] - K[:n, n:] @ np.linalg.solve(K[n:, n:], K[n:, :n])
    expected = one(M[:n, :n], G[:n, :n], condensed)[0]
    P = np.eye(k) + 0.3 * generator.normal(size=(k, k))
    values, found = one(P.T @ M @ P, P.T @ G @ P, P.T @ K @ P)
    assert found.infinite[0] == 2 * massless
    assert len(values) == 2 * n
    assert distance(values, expected) < 1e-9 * np.abs(expected).max() * np.linalg.cond(P) ** 2


def test_zero_eigenvalues_are_zero():
    """A free mass with gyroscopic coupling: a double zero, which eigenvalue solvers blur to 1e-8."""
    values, _ = one(np.eye(2), [[0, 3], [-3, 0]], np.diag([0, 2]))
    assert np.sum(values == 0) == 2
    assert values[2] == pytest.approx(1j * np.sqrt(11), rel=1e-13)
    values, _ = one(np.eye(2), [[0, 3], [-3, 0]], np.zeros((2, 2)))
    assert np.sum(values == 0) == 2
    values, _ = one(np.diag([1.0, 2.0]), np.zeros((2, 2)), [[1, -1], [-1, 1]])
    assert values[:2].tolist() == [0, 0]


def test_many_free_systems_at_once_agree_with_one_by_one():
    """Carts with pendulums, damped at the hinge, the wheel, or gyroscopic: the zeros are exact."""
    generator = np.random.default_rng(3)
    count = 300
    a, b, g = generator.uniform(1, 2, (3, count))
    M = np.stack([np.stack([a + b, b], 1), np.stack([b, b], 1)], 1)
    K = np.zeros((count, 2, 2))
    K[:, 1, 1] = g
    C = np.zeros((count, 2, 2))
    C[:100, 1, 1] = 0.3
    C[100:200, 0, 0] = 0.3
    C[200:, 0, 1], C[200:, 1, 0] = 0.5, -0.5
    found = spectrum(M, C, K, vectors=True)
    zeros = np.sum(found.values == 0, axis=1)
    assert zeros.tolist() == [2] * 100 + [1] * 100 + [2] * 100
    assert zero_roots(M, C, K)[[0, 150, 250]].tolist() == [2, 1, -1]
    for k in (5, 150, 250):
        np.testing.assert_allclose(found.values[k], one(M[k], C[k], K[k])[0], rtol=1e-9, atol=1e-12)
        for s, vector in zip(found.values[k], found.vectors[k].T, strict=True):
            pencil = M[k] * s**2 + C[k] * s + K[k]
            assert np.abs(pencil @ vector).max() < 1e-9 * np.abs(vector).max()


def test_damper_without_mass_gives_one_root():
    values, found = one(np.diag([1.0, 0]), np.diag([0.0, 2]), np.diag([1.0, 1]))
    np.testing.assert_allclose(values, [1j, -1j, -0.5], atol=1e-14)
    assert found.infinite[0] == 1


def test_undetermined_motion_is_marked():
    found = spectrum(
        np.diag([1.0, 0])[None], np.zeros((1, 2, 2)), np.diag([1.0, 0])[None], vectors=False
    )
    assert found.undetermined.tolist() == [True]


def test_what_turns_out_singular_in_the_last_bit_is_marked():
    """Damping fifteen orders above all else, and singular: LAPACK ends in an error of its own."""
    M = np.array([[[-106644054.99905114, 0.0], [0.0, 67108864.0]]])
    C = np.array(
        [[[5942629249213885.0, -4714115888688513.0], [-4714115888688513.0, 3739571775393058.5]]]
    )
    K = np.array([[[4.710288745722154, 1.0623862917706153], [-3.736535813580636, -0.8427603149941137]]])
    assert spectrum(M, C, K, vectors=False).undetermined.tolist() == [True]


def test_units_do_not_matter():
    """Millimetres and tonnes: scaling coordinates and time scales eigenvalues and nothing else."""
    M, C = np.array([[4.0, 2], [2, 1]]), np.zeros((2, 2))
    K = np.array([[7.0, 2], [2, 9]])
    for a, b, tau in ((1, 1e-3, 1), (1e4, 1e-4, 1e-6), (1e-6, 1, 1e5)):
        P = np.diag([a, b])
        values, found = one(P @ M @ P / tau**2, P @ C @ P / tau, P @ K @ P)
        assert found.infinite[0] == 2
        assert abs(values[0]) == pytest.approx(tau * np.sqrt(59 / 35), rel=1e-10)


def test_pairs():
    values = np.array([[2 - 1j, -3, 0.5, 1j, 2 + 1j, -1j, 7, -1]])
    order = paired(values)[0]
    assert values[0][order].tolist() == [7, -3, 0.5, -1, 1j, -1j, 2 + 1j, 2 - 1j]
    repeated = np.array([[1j, 1j, -1j, -1j, -2.0]])
    order = paired(repeated)[0]
    assert repeated[0][order].tolist() == [1j, -1j, 1j, -1j, -2]


def test_definite_after_scaling():
    tiny = np.diag([1e-20, 1.0, 1e12])
    assert definite(tiny[None]).tolist() == [True]
    assert definite(np.array([[[1.0, 1], [1, 1]], [[2, 1], [1, 1]], [[0, 0], [0, 1]]])).tolist() == [
        False, True, False,
    ]  # fmt: skip


def test_eigenvalues_to_the_last_digits_by_mpmath():
    M, C, K = (
        np.array([[3.0, 1], [1, 2]]),
        np.array([[0.2, 1], [-1, 0.1]]),
        np.array([[5.0, 1], [1, 3]]),
    )
    mpmath.mp.dps = 40
    A = mpmath.matrix(4, 4)
    inverse = mpmath.matrix(M) ** -1
    for i in range(2):
        A[i, i + 2] = 1
        for j in range(2):
            A[i + 2, j] = -(inverse * mpmath.matrix(K))[i, j]
            A[i + 2, j + 2] = -(inverse * mpmath.matrix(C))[i, j]
    expected = np.array([complex(s) for s in mpmath.eig(A, left=False, right=False)])
    values, _ = one(M, C, K)
    np.testing.assert_allclose(np.sort_complex(values), np.sort_complex(expected), rtol=1e-13)


@pytest.mark.parametrize("vectors", [False, True])
def test_roots_that_all_but_coincide_are_found_where_qr_does_not_end(vectors):
    e = 1.22382493696819e-15  # LAPACK's QR gives up here
    K = np.array([[1.0, -e], [e, 1.0]])
    found = spectrum(np.eye(2)[None], np.zeros((1, 2, 2)), K[None], vectors=vectors)
    np.testing.assert_allclose(np.abs(found.values), 1, rtol=1e-14)
    np.testing.assert_allclose(np.sort(found.values.imag[0]), [-1, -1, 1, 1], rtol=1e-14)
