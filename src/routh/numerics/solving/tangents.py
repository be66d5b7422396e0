"""Stacks of slopes with the units taken out, and the shortest steps that they ask for."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from routh.arrays import Array, Mask, Selected
from routh.numerics.rank import ROUNDING

Projected = Callable[[int, Array, Array], tuple[Array, Array]]
"""Of the number of a point, U and V (n, d): `U^T slopes V` with more digits than the slopes have, and
the absolute sum of what is added up in it."""

SENSIBLE = 1e8
"""A solve that magnifies the scaled residual more has met a singular matrix, or a soft one."""

NULL_CUT = 1e-11
"""Singular values of the balanced tangent below this are zero, unless a force says otherwise."""

ROUNDED = 64 * np.finfo(float).eps
"""Singular values below this are rounding of the slopes, and smaller forces that of forces."""

BALANCED = 1e3
"""Entries of slopes with a unit diagonal up to which they are balanced well enough to be solved."""

PASSES = 4
"""Times that rows and columns of others are divided by the roots of their largest entries (Ruiz 2001);
each halves the exponents."""

FLAT = 1e-10
"""In a given metric, the share of the largest singular value below which a direction is left alone."""


class Tangents:
    """Slopes (N, m, n) to be solved, once or several times.

    Arguments:
        slopes: (N, m, n).
        metric: (n,) lengths in which steps are shortest. If not given, units are taken out.
        flat: with a metric, the share of the largest singular value below which a direction is left
            alone.
        projected: the slopes along some directions with more digits, where there is such a thing.
    """

    def __init__(
        self,
        slopes: Array,
        metric: Array | None = None,
        flat: float = FLAT,
        projected: Projected | None = None,
    ) -> None:
        self._metric = metric if slopes.shape[1] == slopes.shape[2] else None
        self._projected = projected
        self._flat = flat
        if self._metric is not None:
            self._unit = np.nan_to_num(slopes * np.outer(self._metric, self._metric))
            self._rows = self._columns = np.broadcast_to(1 / self._metric, slopes.shape[::2])
        else:
            self._unit, self._rows, self._columns = equilibrated(slopes)
        self._idle = ~slopes.any(axis=2)
        self._parts: dict[int, tuple[Array, Array, Array]] = {}

    @property
    def weight(self) -> Array:
        """(N, m): what makes forces and torques count alike, zero where nothing has slopes."""
        return np.where(self._idle, 0.0, 1 / self._rows)

    def alike(self, forces: Array) -> Array:
        """(N, m): the force in each row that counts as much as the largest of some forces (N, m).

        Rows without slopes have no units to compare with, and no such force.
        """
        largest = (forces * self.weight).max(axis=1, keepdims=True, initial=0.0)
        return np.where(self._idle, 0.0, self._rows * largest)

    def length(self, step: Array) -> Array:
        """(N,): how long steps are, with the units taken out."""
        return np.asarray(np.linalg.norm(step * self._columns, axis=1))

    def step(self, residual: Array, around: Array, soft: Mask | None) -> Array:
        """(N, n): the shortest least-squares solutions of `slopes @ step = residual`.

        A plain solve where it gives something sensible, else by singular values, leaving out
        directions along which there is no stiffness. `around` (N, m) are the forces that are about;
        `soft` (N,) says where a soft direction was followed, and is told. None: no soft ones.
        """
        count, m, n = self._unit.shape
        step = np.zeros((count, n))
        if not count:
            return step
        right = residual / self._rows
        if self._metric is not None:
            inverse = np.linalg.pinv(self._unit, rcond=self._flat)
            return np.asarray(np.einsum("knm,km->kn", inverse, right) / self._columns)
        singular = np.ones(count, dtype=bool)
        if m == n:
            step = self._plain(right)
            size = np.abs(right).max(axis=1, keepdims=True)
            singular = ~(np.abs(step) <= SENSIBLE * size).all(axis=1)
        some = np.flatnonzero(singular)
        if self._projected is not None:
            for k in some.tolist():
                step[k] = self._by_points(k, right[k], self._projected)
        elif len(some):
            beside = (around / self._rows)[some]
            step[some] = self._along_stiff(some, right[some], beside, soft)
        return step / self._columns

    def _plain(self, right: Array) -> Array:
        try:
            return np.asarray(np.linalg.solve(self._unit, right[..., None])[..., 0], dtype=float)
        except np.linalg.LinAlgError:
            step = np.full(self._columns.shape, np.inf)
            plain = np.linalg.det(self._unit) != 0
            step[plain] = np.linalg.solve(self._unit[plain], right[plain][..., None])[..., 0]
            return step

    def _along_stiff(self, some: Selected, right: Array, around: Array, soft: Mask | None) -> Array:
        """The shortest solution by singular values of balanced slopes.

        Between NULL_CUT and ROUNDED a direction may be soft, or rigid with rounding for its stiffness.
        There a force that is more than rounding of the forces around decides that it is soft.
        """
        U, sizes, V = np.linalg.svd(self._unit[some], full_matrices=False)
        along = np.einsum("kmi,km->ki", U, right)
        firm = sizes > NULL_CUT * sizes[:, :1]
        kept = firm.copy()
        if soft is not None:
            forces = np.linalg.norm(right, axis=1) + np.linalg.norm(around, axis=1)
            pushed = soft[some, None] | (np.abs(along) > ROUNDED * forces[:, None])
            kept |= (sizes > ROUNDED * sizes[:, :1]) & pushed
            soft[some] |= (kept & ~firm).any(axis=1)
        shares = np.divide(along, sizes, out=np.zeros_like(along), where=kept)
        return np.asarray(np.einsum("kin,ki->kn", V, shares))

    def _by_points(self, k: int, right: Array, projected: Projected) -> Array:
        """The same for one point with the stiffness along soft directions taken from more digits."""
        if k not in self._parts:
            self._parts[k] = np.linalg.svd(self._unit[k], full_matrices=False)
        U, sizes, V = self._parts[k]
        along = U.T @ right
        firm = sizes * SENSIBLE > sizes[0]
        shares = np.divide(along, sizes, out=np.zeros_like(along), where=firm)
        some = np.flatnonzero(~firm)
        if len(some):
            left, ahead = U[:, some] / self._rows[k][:, None], V[some].T / self._columns[k][:, None]
            inner, terms = projected(k, left, ahead)
            Q, inner_sizes, R = np.linalg.svd(inner)
            # V has rounding of stiff directions in it: eps over their stiffness, squared times it
            spilled = (ROUNDED / 4 * sizes[0]) ** 2 / sizes[firm].min(initial=sizes[0])
            rounding = ROUNDED * float(np.abs(terms).max()) + spilled
            real = inner_sizes > rounding
            inside = np.divide(Q.T @ along[some], inner_sizes, out=np.zeros(len(some)), where=real)
            shares[some] = inside @ R
        return np.asarray(shares @ V)


def equilibrated(X: Array) -> tuple[Array, Array, Array]:
    """Slopes (N, m, n) with the units taken out of rows and columns, and these two scales.

    The square of the first rows is brought to a diagonal of ones, which undoes any change of units of
    the unknowns and of their equations. Further rows, and all of a point where entries beside the
    diagonal are much larger, get entries up to one.
    """
    m, n = X.shape[1:]
    columns = _natural(np.abs(X[:, :n])) if m >= n else _largest(X, axis=1)
    unit = X / columns[:, None, :]
    rows = columns
    if m == n:
        unit = unit / columns[:, :, None]
    else:
        rows = _largest(unit, axis=2)
        unit = unit / rows[:, :, None]
    wild = np.flatnonzero(~(np.abs(unit).max(axis=(1, 2), initial=0.0) <= BALANCED))
    if not len(wild):
        return unit, rows, columns
    rows, columns = rows.copy(), columns.copy()
    for _ in range(PASSES):
        each = unit[wild]
        down, across = np.sqrt(_largest(each, axis=2)), np.sqrt(_largest(each, axis=1))
        unit[wild] = each / (down[:, :, None] * across[:, None, :])
        rows[wild], columns[wild] = rows[wild] * down, columns[wild] * across
    return unit, rows, columns


def _largest(X: Array, axis: int) -> Array:
    size = np.abs(X).max(axis=axis, initial=0.0)
    return np.where(size == 0, 1.0, size)


def _natural(extent: Array) -> Array:
    """(N, n): the roots of the diagonals of slopes; the other unknowns say it where one is zero.

    There what is rounding beside the largest entry of its row is left out.
    """
    size = np.sqrt(np.diagonal(extent, axis1=1, axis2=2))
    if size.all():
        return size
    known = size > 0
    real = np.where(extent >= ROUNDING * extent.max(axis=2, keepdims=True), extent, 0.0)
    beside = np.where(known[:, :, None], real / np.where(known, size, 1.0)[:, :, None], 0.0)
    from_others = beside.max(axis=1, initial=0.0)
    alone = np.sqrt(_largest(real, axis=2))
    return np.where(known, size, np.where(from_others > 0, from_others, alone))
