"""What the matrices and the eigenvalues of a linear model are: the facts that verdicts stand on."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from routh.analysis.linear import LinearModel
from routh.kernels.batch import Array
from routh.numerics.pairs import Complex
from routh.numerics.pencil import spectrum
from routh.numerics.rank import definite, nullity, scaled

Mask = NDArray[np.bool_]

ZERO = 1e-9
"""Real parts below this share of their own eigenvalue decide nothing."""

LOST = 1e-13
"""Real parts below this share of the largest eigenvalue are rounding of that one."""

DOUBLE = 1e-6
"""Imaginary eigenvalues closer than this share of themselves may be a double root that grows."""

DEFECTIVE = 1e-5
"""Singular values at such a pair above this share mean that a vector is missing."""

REACHED = 1e-9
"""Share of the damping that a mode must feel to be reached."""


class Roots:
    """What the eigenvalues (N, k) say, each (N,)."""

    def __init__(self, values: Complex) -> None:
        known = ~np.isnan(values.real)
        size = np.where(known, np.abs(values), 0.0)
        largest = size.max(axis=1, initial=0.0)
        lowest = np.where(known, values.real, -np.inf)
        # A real part counts when it is no rounding of its own eigenvalue or of the largest one.
        sure = np.maximum(ZERO * size, LOST * largest[:, None])
        with np.errstate(invalid="ignore"):
            self.growing: Mask = (known & (values.real > sure)).any(axis=1)
            top = known & (values.real == lowest.max(axis=1, initial=-np.inf)[:, None])
            self.leaving: Mask = self.growing & (top & (values.imag == 0)).any(axis=1)
            self.decaying: Mask = (~known | (values.real < -sure)).all(axis=1)
            self.zero: Mask = (values == 0).any(axis=1)
            self.unstable: NDArray[np.intp] = np.sum(known & (values.real > sure), axis=1)
        self.values = values
        self.on_axis: Mask = (~known | (values.real == 0)).all(axis=1)
        self.growth: Array = lowest.max(axis=1, initial=-np.inf)


class Facts:
    """What the matrices are, for each of N points.

    Attributes:
        damped, gyroscopic, circulatory: D, G, H are not zero.
        massive: M is positive definite; nonnegative: it has no negative direction.
        minimum: K is positive definite.
        falls: in how many directions the potential falls: negative eigenvalues of K.
        complete: D is positive definite; passive: it has no negative direction.
    """

    def __init__(self, linear: LinearModel) -> None:
        stacked = linear.reference.conditions.stacked
        M, D, G, K, H = (stacked(getattr(linear, name)) for name in "MDGKH")
        self.damped, self.gyroscopic, self.circulatory = (
            np.asarray(X.any(axis=(1, 2))) for X in (D, G, H)
        )
        self.massive = _definite(M)
        self.nonnegative: Mask = _falls(M) == 0
        self.minimum = _definite(K)
        # of one mind with the zero eigenvalues
        self.minimum[self.minimum] = nullity(K[self.minimum]) == 0
        self.falls = _falls(K)
        self.complete = _definite(D)
        self.passive: Mask = _falls(D) == 0


def _definite(X: Array) -> Mask:
    mask = np.asarray(np.isfinite(X).all(axis=(1, 2)))
    mask[mask] = definite(X[mask])
    return mask


def _falls(X: Array) -> NDArray[np.intp]:
    """(N,) the number of negative eigenvalues of symmetric matrices, after scaling the units out."""
    values = np.linalg.eigvalsh(scaled(np.nan_to_num(X)))
    return np.asarray(np.sum(values <= -1e-12 * X.shape[-1], axis=1))


def semisimple(linear: LinearModel, values: Complex, among: Mask) -> Mask:
    """(N,) where imaginary eigenvalues that coincide have as many vectors, so that nothing grows.

    Only points of `among` are looked at; the others are False.
    """
    mask = among.copy()
    stacked = linear.reference.conditions.stacked
    M, C, K = (stacked(X) for X in (linear.M, linear.D + linear.G, linear.K + linear.H))
    rates = np.sort(np.abs(values[:, ::2].imag), axis=1)  # NaN, what is not known, comes last
    with np.errstate(invalid="ignore"):
        near = np.diff(rates, axis=1) <= DOUBLE * rates[:, 1:]
    for k in np.flatnonzero(among & near.any(axis=1)):
        for cluster in np.split(rates[k], np.flatnonzero(~near[k]) + 1):
            if len(cluster) > 1:
                motion, _ = _dynamic(np.array([1j * cluster.mean()]), M[k], C[k], K[k])
                sizes = np.linalg.svd(motion[0], compute_uv=False)
                mask[k] &= bool(np.sum(sizes <= DEFECTIVE) >= len(cluster))
    return mask


def pervasive(linear: LinearModel, among: Mask) -> Mask:
    """(N,) where every mode feels the damping: no vector x has both
    `(M s^2 + G s + K) x = 0` for some s and `D x = 0`.

    Only points of `among` are looked at; the others are False.
    """
    mask = among.copy()
    index = np.flatnonzero(among)
    if not len(index):
        return mask
    stacked = linear.reference.conditions.stacked
    M, D, G, K = (stacked(getattr(linear, name))[index] for name in "MDGK")
    values = spectrum(M, G, K, vectors=False).values
    motion, size = _dynamic(values, M[:, None], G[:, None], K[:, None])
    felt = D[:, None] / (size[..., :, None] * size[..., None, :])
    felt = felt / np.maximum(np.abs(felt).max(axis=(2, 3), keepdims=True), 1e-300)
    both = np.concatenate([motion, felt], axis=2)
    known = np.isfinite(both).all(axis=(2, 3))
    least = np.linalg.svd(np.nan_to_num(both), compute_uv=False)[..., -1]
    mask[index] = (~known | (least > REACHED)).all(axis=1)
    return mask


def _dynamic(s: Complex, M: Array, C: Array, K: Array) -> tuple[Complex, Array]:
    """`M s^2 + C s + K` over the sizes of what it is the sum of, and the sizes of the coordinates."""
    s = s[..., None, None]
    parts = np.abs(M) * np.abs(s) ** 2 + np.abs(C) * np.abs(s) + np.abs(K)
    size = np.sqrt(parts.max(axis=-1))
    size = np.where(size == 0, 1.0, size)
    return (M * s**2 + C * s + K) / (size[..., :, None] * size[..., None, :]), size
