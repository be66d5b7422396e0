"""Eigenvalues of symmetric matrices by plane rotations: small beside large ones, with all their digits.

Jacobi's method finds the eigenvalues of a matrix S A S, S diagonal, to an accuracy that depends on A
alone (J. Demmel and K. Veselic, SIAM J. Matrix Anal. Appl. 13, 1992): a soft motion beside a stiff one
keeps its digits, where methods that reduce the matrix first lose them to the largest entry.
"""

from __future__ import annotations

import numpy as np

from routh.arrays import Array
from routh.numerics import levels

SWEEPS = 40
"""More than matrices need: convergence is quadratic, five to ten sweeps."""


def jacobi(A: Array) -> tuple[Array, Array]:
    """(n,) eigenvalues, ascending, and (n, n) orthonormal vectors of one symmetric matrix."""
    A = np.array(A, dtype=float)
    n = len(A)
    U = np.eye(n)
    rounds = _rounds(n)
    for _ in range(SWEEPS):
        turned = [_rotated(A, U, pairs) for pairs in rounds]
        if not any(turned):
            break
    values = np.diagonal(A).copy()
    order = np.argsort(values, kind="stable")
    return values[order], U[:, order]


def _rounds(n: int) -> list[tuple[list[int], list[int]]]:
    """All pairs once, in rounds of disjoint ones, as in a tournament."""
    players = [*range(n), -1] if n % 2 else list(range(n))
    rounds = []
    for _ in range(len(players) - 1):
        half = len(players) // 2
        pairs = zip(players[:half], reversed(players[half:]), strict=True)
        met = [(min(a, b), max(a, b)) for a, b in pairs if min(a, b) >= 0]
        rounds.append(([a for a, _ in met], [b for _, b in met]))
        players = [players[0], players[-1], *players[1:-1]]
    return rounds


def _rotated(A: Array, U: Array, pairs: tuple[list[int], list[int]]) -> bool:
    """Rotate disjoint pairs until their entries vanish; False where all were small already."""
    i, j = (np.array(side, dtype=int) for side in pairs)
    a, b, c = A[i, i], A[j, j], A[i, j]
    slight = 4 * levels.EPS * np.sqrt(len(A))  # what rounding of sums of n terms has left there
    large = np.abs(c) > slight * np.sqrt(np.abs(a)) * np.sqrt(np.abs(b))
    if not large.any():
        return False
    i, j, a, b, c = i[large], j[large], a[large], b[large], c[large]
    with np.errstate(over="ignore"):
        ratio = (b - a) / (2 * c)
        t = np.where(ratio >= 0, 1.0, -1.0) / (np.abs(ratio) + np.sqrt(1 + ratio**2))
    cos = 1 / np.sqrt(1 + t**2)
    sin = t * cos
    for X, axis in ((A, 0), (A, 1), (U, 1)):
        x, y = (X[i], X[j]) if axis == 0 else (X[:, i].T, X[:, j].T)
        first, second = cos[:, None] * x - sin[:, None] * y, sin[:, None] * x + cos[:, None] * y
        if axis == 0:
            X[i], X[j] = first, second
        else:
            X[:, i], X[:, j] = first.T, second.T
    A[i, i], A[j, j] = a - t * c, b + t * c
    A[i, j] = A[j, i] = 0.0
    return True
