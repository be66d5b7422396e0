"""Balanced truncation of x' = A x + B u, y = C x + D u with all eigenvalues in the left half plane.

In balanced states what inputs reach and what outputs see is one diagonal matrix, that of the Hankel
values sigma; the last states are left out (Moore 1981), and the largest gain that is lost over all
frequencies is at most twice the sum of their sigma (Enns 1984, Glover 1984).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_continuous_lyapunov

from routh.arrays import Array


@dataclass(frozen=True)
class Balanced:
    """Hankel values (n,), and the states kept: x = right z, z = left x."""

    hankel: Array
    right: Array
    left: Array


def balanced_states(A: Array, B: Array, C: Array, order: int) -> Balanced:
    """Balanced states of a stable model, by square roots of its Gramians (Tombs, Postlethwaite)."""
    reach = _root(np.asarray(solve_continuous_lyapunov(A, -B @ B.T)))
    sight = _root(np.asarray(solve_continuous_lyapunov(A.T, -C.T @ C)))
    U, hankel, Vh = np.linalg.svd(sight.T @ reach)
    if order and hankel[order - 1] <= np.finfo(float).eps * len(A) * hankel[0]:
        return Balanced(hankel, np.zeros((len(A), 0)), np.zeros((0, len(A))))
    scale = 1 / np.sqrt(hankel[:order])
    return Balanced(hankel, reach @ Vh[:order].T * scale, (sight @ U[:, :order] * scale).T)


def _root(gramian: Array) -> Array:
    """X with X X^T = G; what rounding makes negative is zero."""
    values, vectors = np.linalg.eigh((gramian + gramian.T) / 2)
    return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0)))
