"""Which rows of a matrix depend on each other, whatever the units of rows and columns.

They are those in the null space of J^T after rows and columns are evened out; the projector onto it
falls into blocks, one for each set of rows that depend on each other, and none else is named. Above
300 unknowns a look at pivots comes first.

The rank of constraints is judged here alone, by `RANK` on evened slopes: what is said of redundant
constraints, their multipliers of least norm, the displacements that they allow and the coordinates they
leave independent must not disagree. `numerics/rank` is about stiffness and inertia, which are cleaned
of rounding first and have a level of their own.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from routh.arrays import Array
from routh.numerics import levels

RANK = 1e-10
"""Singular values of an evened matrix below this share are zero: rows at a position that is known to
rounding depend on each other to a few digits less than that."""

TAKES_PART = 1e-9
"""A row whose share in every combination that vanishes is below this takes part in none."""

SURE = 1e-8
"""Pivots of J J^T above this share leave no doubt: vanishing ones are rounding."""

SWEEPS = 12
"""Divisions of rows and columns by the roots of their sizes; each halves what is uneven, in decades."""


@dataclass(frozen=True, eq=False)
class Dependence:
    """The rank of the rows of a matrix (c, n), and the combinations of rows that vanish.

    Attributes:
        rank: how many rows are independent.
        null: (c, c - rank) combinations `null^T J = 0`, of rows in sizes of their own.
        groups: the places of rows that depend on each other; a row without entries is alone.
    """

    rank: int
    null: Array
    groups: tuple[tuple[int, ...], ...]

    @property
    def lacking(self) -> int:
        """How many rows are too many."""
        return int(self.null.shape[1])


def evened(J: Array) -> tuple[Array, Array, Array]:
    """J (..., c, n) with rows and columns of unit size, and the two scales it was divided by.

    Ruiz (2001): rows and columns are divided by the roots of their largest entries, over and over.
    """
    rows, columns = np.ones(J.shape[:-1]), np.ones((*J.shape[:-2], J.shape[-1]))
    unit = np.array(J, dtype=float)
    for _ in range(SWEEPS):
        size = np.abs(unit)
        r, k = (np.sqrt(size.max(axis=axis, initial=0)) for axis in (-1, -2))
        r, k = np.where(r > 0, r, 1.0), np.where(k > 0, k, 1.0)
        unit = unit / r[..., :, None] / k[..., None, :]
        rows, columns = rows * r, columns * k
    return unit, rows, columns


def dependence(J: Array) -> Dependence:
    """Which rows of J (c, n) depend on each other; none where it is not finite."""
    if not J.size or not np.isfinite(J).all():
        nothing = J.size == 0 and len(J) > 0
        null = np.eye(len(J)) if nothing else np.zeros((len(J), 0))
        groups = tuple((k,) for k in range(len(J))) if nothing else ()
        return Dependence(len(J) - null.shape[1], null, groups)
    unit, _, _ = evened(J)
    U, sizes, _ = np.linalg.svd(unit)
    rank = int(nonzero(sizes))
    null = U[:, rank:]
    # the null space is known to rounding over the least size that is not zero
    known = 100 * levels.EPS * sizes[0] / sizes[rank - 1] if rank else 0.0
    return Dependence(rank, null, _groups(null, max(TAKES_PART, known)))


def ranks(J: Array) -> NDArray[np.intp]:
    """(N,): how many rows of matrices J (N, c, n) are independent."""
    if not J.shape[1] or not J.shape[2]:
        return np.zeros(len(J), dtype=np.intp)
    return nonzero(np.asarray(np.linalg.svd(evened(J)[0], compute_uv=False), dtype=float))


def nonzero(sizes: Array) -> NDArray[np.intp]:
    """How many singular values (..., k), the largest first, of evened matrices are not zero."""
    return np.asarray(np.sum(sizes > RANK * sizes[..., :1], axis=-1))


def _groups(null: Array, least: float) -> tuple[tuple[int, ...], ...]:
    """Rows that the vanishing combinations link with each other.

    The projector onto the combinations has an entry between two rows only if some combination that
    cannot be split contains both.
    """
    linked = np.abs(null @ null.T) > least / 10
    inside = np.abs(null).max(axis=1, initial=0) > least
    left = [int(k) for k in np.flatnonzero(inside)]
    groups = []
    while left:
        group, new = set[int](), {left[0]}
        while new:
            group |= new
            new = {k for k in left if linked[k, list(new)].any()} - group
        groups.append(tuple(sorted(group)))
        left = [k for k in left if k not in group]
    return tuple(groups)


def surely_independent(J: Array) -> bool:
    """Whether the rows of a large sparse J (c, n) are independent, quickly; False where it is unclear.

    The pivots of J J^T, rows of J having unit length: one of them vanishes if rows are dependent.
    """
    sizes = np.linalg.norm(J, axis=1, keepdims=True)
    if not len(J) or not (sizes > 0).all():
        return not len(J)
    rows = scipy.sparse.csc_array(J / sizes)
    try:
        pivots = np.abs(scipy.sparse.linalg.splu(scipy.sparse.csc_matrix(rows @ rows.T)).U.diagonal())
    except RuntimeError:  # exactly singular
        return False
    return bool(pivots.min() > SURE * pivots.max())


def inverse(J: Array, cut: float = RANK) -> Array:
    """(n, c): the pseudo-inverse of J (c, n), the rank being judged with units taken out."""
    unit, rows, columns = evened(J)
    return np.asarray(np.linalg.pinv(unit, rcond=cut) / columns[:, None] / rows)


def independent_rows(J: Array) -> list[int]:
    """As many places of rows of J (c, n) as it has rank, far from dependent: pivoting."""
    unit, _, _ = evened(J)
    rank = dependence(J).rank
    left, chosen = unit.copy(), list[int]()
    for _ in range(rank):
        sizes = (left**2).sum(axis=1)
        sizes[chosen] = 0.0
        k = int(np.argmax(sizes))
        direction = left[k] / np.sqrt(sizes[k])
        left = left - np.outer(left @ direction, direction)
        chosen.append(k)
    return sorted(chosen)
