"""What may have lost its smallest eigenvalues is found whether or not a determinant tells."""

from __future__ import annotations

import numpy as np
import pytest

from routh.numerics.spectra import own


@pytest.mark.parametrize("n", [1, 2, 3, 5, 8, 9])
@pytest.mark.parametrize("even", [True, False])
def test_suspects_do_not_depend_on_the_way(n, even, monkeypatch):
    random = np.random.default_rng(n)
    A = random.normal(size=(300, n, n))
    A = A + A.swapaxes(1, 2) if even else A
    values = 10.0 ** random.uniform(-12, 0, size=(300, n))
    Q = np.linalg.qr(random.normal(size=(300, n, n)))[0]
    X = np.concatenate([A, (Q * values[:, None]) @ Q.swapaxes(1, 2), np.zeros((1, n, n))])
    quick = own.suspects(np.broadcast_to(np.eye(n), X.shape), X)
    monkeypatch.setattr(own, "FEW", 0)
    np.testing.assert_array_equal(quick, own.suspects(np.broadcast_to(np.eye(n), X.shape), X))
