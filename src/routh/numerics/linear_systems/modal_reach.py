"""Which motions exp(s t) of x' = A x inputs B reach: the test of Popov, Belevitch and Hautus, in sizes.

An eigenvalue s is reached if no w with w^H A = s w^H is orthogonal to B. Of a simple one the size is
the cosine between w and the nearest combination of inputs; of one that several motions share, there
are as many sizes as directions w. What is seen of outputs C is the same of A^T and C^T.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from routh.arrays import Array, Complex

SAME = 1e-9
"""Eigenvalues closer than this share of the largest one are one, and their motions a common space."""

NOT_REACHED = 1e-9
"""A cosine below this is rounding."""


@dataclass(frozen=True)
class ModalReach:
    """How eigenvalues are reached: `share` (n,), and `motions`, (place, w, v) of those that are not.

    w is a left eigenvector that is orthogonal to all inputs, v what moves by itself with it.
    """

    share: Array
    motions: tuple[tuple[int, Complex, Complex], ...]


def modal_reach(A: Array, B: Array, eigenvalues: Complex) -> ModalReach:
    """The reach of each eigenvalue (n,) of A (n, n) by the columns of B (n, p), in the units given."""
    n = len(A)
    sizes = np.linalg.norm(B, axis=0)
    columns = B[:, sizes > 0] / sizes[sizes > 0]
    largest = float(np.linalg.norm(A, 2)) if n else 0.0
    share = np.zeros(n)
    motions = []
    left = list(range(n))
    while left:
        s = eigenvalues[left[0]]
        group = [k for k in left if abs(eigenvalues[k] - s) <= SAME * max(largest, abs(s))]
        left = [k for k in left if k not in group]
        W, V = _null_spaces(A - s * np.eye(n), SAME * largest, len(group))
        turned, found, _ = np.linalg.svd(W.conj().T @ columns)
        sizes_of = np.zeros(W.shape[1])
        sizes_of[: len(found)] = np.minimum(found, 1.0)
        for j, k in enumerate(group):
            share[k] = sizes_of[min(j, len(sizes_of) - 1)]
        for j in np.flatnonzero(sizes_of <= NOT_REACHED).tolist():
            w = W @ turned[:, j]
            motions.append((group[min(j, len(group) - 1)], w, _moving(w, V)))
    return ModalReach(share, tuple(motions))


def _null_spaces(shifted: Complex, rounding: float, most: int) -> tuple[Complex, Complex]:
    """Left and right null vectors of A - s, one at least and as many as the eigenvalue is multiple."""
    U, values, Vh = np.linalg.svd(shifted)
    count = min(max(int((values <= rounding).sum()), 1), most)
    return U[:, len(U) - count :], Vh[len(U) - count :].conj().T


def _moving(w: Complex, V: Complex) -> Complex:
    """The motion among V that is seen along w; where none is (a drift), what w pushes."""
    seen = w.conj() @ V
    if np.linalg.norm(seen) > SAME**0.5:
        return np.asarray(V @ seen.conj())
    half = len(w) // 2
    pushed = np.concatenate([w[half:], np.zeros(len(w) - half)])[: len(w)]
    found = V @ (V.conj().T @ pushed)
    return np.asarray(found if np.linalg.norm(found) > SAME**0.5 else V[:, 0])
