"""A sparse matrix of slopes to be solved, with its soft directions from more digits than it has.

Where directions are softer than 1e-8 of the others, their stiffness is summed point by point; the
matrix of many elements has lost it. Where its rounding hides the residual of soft parts, steps count
by the length of the next one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy

from routh.arrays import Array
from routh.numerics.solving.tangents import ROUNDED

Projected = Callable[[Array], tuple[Array, Array]]
"""Of V (n, d): `V^T slopes V` with more digits than the slopes have, and the absolute sum of what is
added up in it."""

SOFTEST = 10
"""Directions that are taken from more digits: rigid motions are six at most."""

ROUNDS = 4
"""Inverse iterations that find them: each turns them by the ratio of their stiffness to the others'."""


class SparseTangent:
    """Slopes (n, n), units taken out by a diagonal of ones.

    Rounding of the entries of many stiff elements hides the stiffness of soft supports. Along the
    softest directions it is taken anew; the rest of the matrix has no share in them.
    """

    def __init__(self, slopes: Any, projected: Projected) -> None:
        diagonal = np.sqrt(np.abs(slopes.diagonal()))
        self._scale = np.where(diagonal > 0, diagonal, 1.0)
        inverse = scipy.sparse.diags_array(1 / self._scale)
        unit = scipy.sparse.csc_matrix(inverse @ slopes @ inverse)
        self._factors = _factors(unit)
        self._V: Array | None = None
        if abs(unit - unit.T).max() <= ROUNDED:
            self._find_soft(projected)

    def _find_soft(self, projected: Projected) -> None:
        n = len(self._scale)
        V = np.random.default_rng(1831).standard_normal((n, min(SOFTEST, n)))
        for _ in range(ROUNDS):
            V = np.linalg.qr(self._factors.solve(V))[0]
        inner, terms = projected(V / self._scale[:, None])
        self._stiffness, Q = np.linalg.eigh((inner + inner.T) / 2)
        self._V = V @ Q
        largest = float(np.abs(self._stiffness).max())
        # V has rounding of the other directions in it: eps over their stiffness, squared times it
        spilled = (ROUNDED / 4) ** 2 / max(largest, ROUNDED)
        self._real = np.abs(self._stiffness) > ROUNDED * float(np.abs(terms).max()) + spilled

    def step(self, residual: Array) -> Array:
        """(n,): the solution of `slopes @ step = residual`; none along directions without stiffness."""
        right = residual / self._scale
        V = self._V
        if V is None:
            return np.asarray(self._factors.solve(right) / self._scale)
        along = V.T @ right
        step = self._factors.solve(right - V @ along)
        step -= V @ (V.T @ step)
        step += V @ np.divide(along, self._stiffness, out=np.zeros_like(along), where=self._real)
        return np.asarray(step / self._scale)

    def is_pushed(self, residual: Array) -> bool:
        """Whether a force acts along a direction without stiffness."""
        if self._V is None:
            return False
        right = residual / self._scale
        rigid = self._V[:, ~self._real].T @ right
        return bool(np.linalg.norm(rigid) > ROUNDED * np.linalg.norm(right))

    @property
    def weight(self) -> Array:
        """(n,): what takes the units out of forces."""
        return np.asarray(1 / self._scale)

    def length(self, step: Array) -> float:
        """How long a step is, with the units taken out."""
        return float(np.linalg.norm(step * self._scale))


def _factors(unit: Any) -> Any:
    """Triangular factors; a singular matrix gets a stiffness of rounding."""
    try:
        factors = scipy.sparse.linalg.splu(unit)
        if np.abs(factors.U.diagonal()).min() > 0:
            return factors
    except RuntimeError:
        pass
    return scipy.sparse.linalg.splu(
        scipy.sparse.csc_matrix(unit + ROUNDED * scipy.sparse.eye_array(unit.shape[0]))
    )
