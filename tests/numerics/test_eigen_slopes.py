"""Derivatives of eigenvalues and vectors of pencils against differences with many digits."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

from routh.numerics.spectra.eigen_slopes import eigen_slopes


def slopes(M, C, K, dM, dC, dK, values):
    n = len(M)
    vectors = [np.linalg.svd(M * s**2 + C * s + K)[2][-1].conj() for s in values]
    one = np.array([[int(np.argmax(np.abs(x))) for x in vectors]])
    along = tuple(np.array(X, dtype=float)[None, None] for X in (dM, dC, dK))
    at = tuple(np.array(X, dtype=float)[None] for X in (M, C, K))
    row = np.array([values], dtype=complex)
    return eigen_slopes(at, along, row, row, np.eye(n)[None], one), one[0]


@pytest.mark.parametrize("seed", range(6))
def test_random_pencils(seed):
    generator = np.random.default_rng(seed)
    n = 3
    M, C, K, dM, dC, dK = generator.normal(size=(6, n, n))
    M, K = M @ M.T + np.eye(n), K @ K.T + 3 * np.eye(n) + dK / 4
    companion = np.block([[np.zeros((n, n)), np.eye(n)], [-np.linalg.solve(M, np.hstack([K, C]))]])
    values = np.linalg.eigvals(companion)
    found, one = slopes(M, C, K, dM, dC, dK, values)
    h = mpmath.mpf(10) ** -15
    with mpmath.workdps(50):
        for k, s in enumerate(values):
            ends, shapes = [], []
            for sign in (1, -1):
                own = [
                    mpmath.matrix(X.tolist()) + sign * h * mpmath.matrix(dX.tolist())
                    for X, dX in ((M, dM), (C, dC), (K, dK))
                ]

                def determinant(z, own=own):
                    return mpmath.det(own[0] * z**2 + own[1] * z + own[2])

                root = mpmath.findroot(determinant, mpmath.mpc(s), tol=mpmath.mpf(10) ** -80)
                ends.append(root)
                P = own[0] * root**2 + own[1] * root + own[2]
                others = [j for j in range(n) if j != one[k]]
                A = mpmath.matrix([[P[i, j] for j in others] for i in range(n - 1)])
                b = mpmath.matrix([-P[i, int(one[k])] for i in range(n - 1)])
                shapes.append(dict(zip(others, mpmath.lu_solve(A, b), strict=True)))
            slope = complex((ends[0] - ends[1]) / (2 * h))
            assert found.values[0, k, 0] == pytest.approx(slope, rel=1e-9)
            for j in shapes[0]:
                exact = complex((shapes[0][j] - shapes[1][j]) / (2 * h))
                assert found.vectors[0, j, k, 0] == pytest.approx(exact, rel=1e-8, abs=1e-10)
            assert found.vectors[0, one[k], k, 0] == pytest.approx(0.0, abs=1e-12)


def test_units_of_coordinates_do_not_matter():
    generator = np.random.default_rng(5)
    M, C, K = (
        np.diag([1.0, 2.0]),
        np.array([[0.1, 0.3], [-0.2, 0.2]]),
        np.array([[3.0, 1.0], [1.0, 4.0]]),
    )
    dM, dC, dK = generator.normal(size=(3, 2, 2))
    companion = np.block([[np.zeros((2, 2)), np.eye(2)], [-np.linalg.solve(M, np.hstack([K, C]))]])
    values = np.linalg.eigvals(companion)
    plain, _ = slopes(M, C, K, dM, dC, dK, values)
    d = np.diag([1e-6, 1e5])
    scaled, _ = slopes(*(d @ X @ d for X in (M, C, K, dM, dC, dK)), values)
    np.testing.assert_allclose(scaled.values, plain.values, rtol=1e-9)


def test_a_block_of_jordan_is_defective_and_a_double_root_is_not():
    none, one = np.zeros((2, 2)), np.eye(2)
    jordan, _ = slopes(one, none, [[4.0, 1.0], [0.0, 4.0]], none, none, one, [2j, 2j, -2j, -2j])
    assert jordan.defective.all()
    assert not jordan.groups
    double, _ = slopes(one, none, 4 * one, none, none, [[1, 2], [2, 1]], [2j, 2j, -2j, -2j])
    assert not double.defective.any()
    parts = np.linalg.eigvals(double.groups[0].slopes[0])
    np.testing.assert_allclose(sorted(parts.imag), [-0.25, 0.75], atol=1e-12)


def test_vectors_that_rounding_hides_are_lost():
    """Two soft motions beside a stiff one: entries do not tell them apart."""
    K = 1e15 * np.ones((3, 3)) + np.diag([1.0, 2.0, 3.0])
    none = np.zeros((3, 3))
    found, _ = slopes(np.eye(3), none, K, none, none, np.eye(3), [1.2j, 1.6j])
    assert found.lost.all()
    assert np.isnan(found.values).all()
    assert not found.defective.any()
