"""Derivatives of the eigenvalues and eigenvectors of `M s^2 + C s + K` by parameters.

With the left and right null vectors y and x of P(s) = M s^2 + C s + K, and P_p = s^2 M_p + s C_p + K_p,

    ds/dp = -(y^H P_p x) / (y^H P' x),      P' = 2 s M + C        (Lancaster, 1964)
    P dx/dp + P' x ds/dp + P_p x = 0        with the entry that is 1 held

An eigenvalue of which m are equal, with m independent vectors X and Y, has no derivative: along one
line of parameters its parts move by the eigenvalues of -(Y^H P' X)^-1 Y^H P_p X, and these do not add
up from line to line. Where vectors are lacking, parts move by roots of the parameter.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from routh.arrays import Array, Complex, Mask
from routh.numerics.rank import balanced

SAME = 1e-8
"""Eigenvalues closer than this share of themselves are one: vectors of nearer ones are not known to
half of their digits."""

DEFECTIVE = 1e-6
"""Share of its terms below which y^H P' x is nothing: rounding splits a defective root by its square
root, and leaves 1e-8 of it."""

LOOSE = 1e-6
"""Share of an eigenvalue that a null vector may be off from one, of those that are said to be equal."""

UNKNOWN = 1e-12
"""Singular values below this share of the largest are rounding: a vector beside one is not known to
three digits."""

CHUNK = 200_000
"""Entries of matrices that are worked on at once."""


@dataclass(frozen=True, eq=False)
class Group:
    """Equal eigenvalues with as many vectors, at one point.

    Attributes:
        point: the number of the point.
        places: which of the eigenvalues asked for; there may be more of them.
        slopes: (P, m, m) along a line of parameters the sum of these, by its components, has the
            derivatives of the parts as eigenvalues.
    """

    point: int
    places: tuple[int, ...]
    slopes: Complex


@dataclass(frozen=True, eq=False)
class EigenSlopes:
    """What `eigen_slopes` finds of N points, k eigenvalues and P parameters.

    Attributes:
        values: (N, k, P) derivatives of eigenvalues; NaN of repeated and defective ones.
        vectors: (N, n, k, P) those of eigenvectors, scaled so that an entry stays 1.
        multiplicity: (N, k) how many eigenvalues are equal, 0 where there is none.
        defective: (N, k) where vectors are lacking.
        lost: (N, k) where rounding leaves no digits of the vectors.
        groups: the repeated eigenvalues that are not defective.
    """

    values: Complex
    vectors: Complex
    multiplicity: NDArray[np.intp]
    defective: Mask
    lost: Mask
    groups: tuple[Group, ...]


Matrices = tuple[Array, ...]
"""M, C and K."""


def eigen_slopes(
    at: Matrices,
    along: Matrices,
    values: Complex,
    among: Complex,
    basis: Array,
    one: NDArray[np.intp],
) -> EigenSlopes:
    """The derivatives of known eigenvalues (N, k) of M, C, K (N, m, m).

    Arguments:
        at: M, C and K.
        along: their derivatives, (N, P, m, m) each.
        values: the eigenvalues; NaN fills up.
        among: (N, all) all eigenvalues, those that are not asked for too.
        basis: (N, n, m) what vectors are told in: `basis @ x` for a null vector x.
        one: (N, k) which entry of each of these is 1.
    """
    N, k = values.shape
    P, m = along[0].shape[1], at[0].shape[-1]
    slopes = np.full((N, k, P), np.nan, dtype=complex)
    vectors = np.full((N, basis.shape[1], k, P), np.nan, dtype=complex)
    known = np.isfinite(values) & np.isfinite(sum(X.sum(axis=(1, 2)) for X in at))[:, None]
    multiplicity = _multiplicity(values, known, among)
    defective, lost = np.zeros((2, N, k), dtype=bool)
    plain = np.argwhere(multiplicity == 1)
    size = max(CHUNK // max(m * m, 1), 1)
    for start in range(0, len(plain), size):
        i, j = plain[start : start + size].T
        own = tuple(X[i] for X in at), tuple(X[i] for X in along)
        found = _simple(*own, values[i, j], basis[i, one[i, j]])
        slopes[i, j], changes, defective[i, j], lost[i, j] = found
        vectors[i, :, j] = basis[i] @ changes
    groups = []
    for n, places in _repeated(values, multiplicity):
        own = tuple(X[n] for X in at), tuple(X[n] for X in along)
        same = among[n][_near(among[n], values[n, places[0]])]
        scale = np.nanmax(np.abs(among[n]))
        matrices = _together(*own, same, scale)
        if matrices is None:
            defective[n, list(places)] = True
        else:
            groups.append(Group(n, places, matrices))
    return EigenSlopes(slopes, vectors, multiplicity, defective, lost, tuple(groups))


def _multiplicity(values: Complex, known: Mask, among: Complex) -> NDArray[np.intp]:
    """(N, k) how many eigenvalues are the same as each."""
    found = _near(values[:, :, None], among[:, None, :]).sum(axis=2)
    return np.where(known, found, 0)


def _near(s: Complex, other: Complex | complex) -> Mask:
    """Where two are the same; NaN is the same as none."""
    return np.asarray(np.abs(s - other) <= SAME * np.maximum(np.abs(s), np.abs(other)))


def _repeated(values: Complex, multiplicity: NDArray[np.intp]) -> list[tuple[int, tuple[int, ...]]]:
    """The points and places of eigenvalues that are equal."""
    found: dict[tuple[int, tuple[int, ...]], None] = {}
    for n, k in np.argwhere(multiplicity > 1):
        same = _near(values[n], values[n, k]) & (multiplicity[n] > 0)
        found[int(n), tuple(int(place) for place in np.flatnonzero(same))] = None
    return list(found)


def _null_spaces(
    at: Matrices, s: Complex
) -> tuple[Complex, Complex, Complex, Array, tuple[Array, Array]]:
    """P(s) in units of its own, its singular vectors on both sides, its values, and the units."""
    M, C, K = at
    each = s[..., None, None]
    P = M * each**2 + C * each + K
    # scaled by what it is the sum of: where that cancels, nothing but rounding would be blown up
    terms = np.abs(M) * np.abs(each) ** 2 + np.abs(C) * np.abs(each) + np.abs(K)
    _, rows, columns = balanced(terms)
    unit = P / rows[..., None] / columns[..., None, :]
    U, sizes, V = np.linalg.svd(unit)
    return unit, U, V, sizes, (rows, columns)


def _simple(
    at: Matrices, along: Matrices, s: Complex, pick: Array
) -> tuple[Complex, Complex, Mask, Mask]:
    """(n, P), (n, m, P), (n,) twice: slopes, those of the vectors, which are defective or lost.

    `pick` (n, m) is the row whose product with the vector is 1.
    """
    unit, U, V, sizes, (rows, columns) = _null_spaces(at, s)
    lost = np.zeros(len(s), dtype=bool)
    if sizes.shape[1] > 1:  # another direction vanishes as well, but for rounding
        lost = ~(sizes[:, -2] > UNKNOWN * sizes[:, 0])
    x, y = V[:, -1].conj() / columns, U[:, :, -1] / rows
    M, C, _ = at
    each = s[:, None, None]
    with np.errstate(invalid="ignore", divide="ignore"):
        x = x / np.einsum("ni,ni->n", pick, x)[:, None]
        change = np.einsum("nij,nj->ni", 2 * each * M + C, x)
        weight = np.einsum("ni,ni->n", y.conj(), change)
        terms = np.einsum(
            "ni,nij,nj->n", np.abs(y), 2 * np.abs(each) * np.abs(M) + np.abs(C), np.abs(x)
        )
        defective = ~(np.abs(weight) > DEFECTIVE * terms)
        pushed = _pushed(along, s, x[:, :, None])[..., 0]
        slopes = -np.einsum("ni,npi->np", y.conj(), pushed) / weight[:, None]
    slopes[defective | lost] = np.nan
    vectors = np.full((len(s), x.shape[1], pushed.shape[1]), np.nan, dtype=complex)
    some = np.flatnonzero(~defective & ~lost & np.isfinite(x).all(axis=1))
    if len(some):
        right = pushed[some] + change[some][:, None] * slopes[some][..., None]
        vectors[some] = _held(unit[some], rows[some], columns[some], right, pick[some], y[some])
    return slopes, vectors, defective & ~lost, lost


def _pushed(along: Matrices, s: Complex, X: Complex) -> Complex:
    """(n, P, m, vectors): P_p X."""
    M, C, K = along
    each = s[:, None, None, None]
    return np.asarray((each**2 * M + each * C + K) @ X[:, None])


def _held(
    unit: Complex, rows: Array, columns: Array, right: Complex, pick: Array, y: Complex
) -> Complex:
    """(n, m, P): the solutions of P dx = -right whose product with the row `pick` stays.

    P is bordered by its left null vector and by that row, and is regular then.
    """
    n, m = unit.shape[:2]
    bordered = np.zeros((n, m + 1, m + 1), dtype=complex)
    bordered[:, :m, :m] = unit
    left = y * rows
    bordered[:, :m, m] = left / np.linalg.norm(left, axis=1, keepdims=True)
    picked = pick / columns
    bordered[:, m, :m] = picked / np.abs(picked).max(axis=1, keepdims=True)
    sides = np.zeros((n, m + 1, right.shape[1]), dtype=complex)
    sides[:, :m] = -(right / rows[:, None]).swapaxes(1, 2)
    return np.asarray(np.linalg.solve(bordered, sides)[:, :m] / columns[..., None])


def _together(at: Matrices, along: Matrices, same: Complex, largest: float) -> Complex | None:
    """(P, m, m) of equal eigenvalues (m,) at one point; None where vectors are lacking."""
    s, many = same.mean(), len(same)
    if many > at[0].shape[-1]:
        return None
    _, U, V, sizes, (rows, columns) = _null_spaces(at, s)
    X, Y = V[-many:].conj().T / columns[:, None], U[:, -many:] / rows[:, None]
    M, C, _ = at
    weight = Y.conj().T @ (2 * s * M + C) @ X
    terms = np.abs(Y).T @ (2 * abs(s) * np.abs(M) + np.abs(C)) @ np.abs(X)
    least = np.linalg.svd(weight, compute_uv=False)[-1]
    if not least > DEFECTIVE * terms.max():
        return None
    off = np.linalg.solve(weight, np.diag(sizes[-many:].astype(complex)))
    if not np.abs(off).max() <= LOOSE * (abs(s) or largest):
        return None
    pushed = _pushed(tuple(X[None] for X in along), np.array([s]), X[None])[0]
    return np.asarray(-np.linalg.solve(weight[None], Y.conj().T @ pushed))
