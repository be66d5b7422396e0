"""The algebraic Riccati equation A^T S + S A - S B R^-1 B^T S + Q = 0, its solution that stabilizes.

SciPy finds it from the stable subspace of the Hamiltonian pencil (Van Dooren 1981), with its own
balancing; python-control, where Slycot is not installed, calls the same function. Newton's method
(Kleinman 1968) then takes the rounding of the subspace out.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import solve_continuous_are, solve_continuous_lyapunov

from routh.arrays import Array

STEPS = 4
"""Steps of Newton's method at most: each squares what is left."""

STABLE = 1e-12
"""Share of the quickest motion by which all must decay in a loop that is refined."""


def riccati(A: Array, B: Array, Q: Array, R: Array) -> tuple[Array, float]:
    """S (n, n), symmetric, and its residual beside the largest of the terms.

    Raises:
        numpy.linalg.LinAlgError: there is none that stabilizes, to rounding.
    """
    S = np.asarray(solve_continuous_are(A, B, Q, R))
    S = (S + S.T) / 2
    left = residual(A, B, Q, R, S)
    for _ in range(STEPS):
        gain = np.linalg.solve(R, B.T @ S)
        closed = A - B @ gain
        values = np.linalg.eigvals(closed)
        if not (values.real < -STABLE * np.abs(values).max(initial=0)).all():
            break  # the subspace was not that of a loop that decays, and has no cost
        better = np.asarray(solve_continuous_lyapunov(closed.T, -Q - gain.T @ R @ gain))
        better = (better + better.T) / 2
        now = residual(A, B, Q, R, better)
        if not now < left:
            break
        S, left = better, now
    return S, left


def residual(A: Array, B: Array, Q: Array, R: Array, S: Array) -> float:
    """The largest entry of the equation, beside what is added up in it, entry by entry in size."""
    quadratic = S @ B @ np.linalg.solve(R, B.T @ S)
    sum_of = A.T @ S + S @ A - quadratic + Q
    terms = np.abs(A.T) @ np.abs(S)
    most = terms + terms.T + np.abs(quadratic) + np.abs(Q)
    return float(np.abs(sum_of).max(initial=0) / max(float(most.max(initial=0)), 1e-300))
