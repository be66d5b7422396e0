"""What the matrices and the eigenvalues of a linear model are: the facts that verdicts stand on.

All of them are judged in units of their own and against bounds of their own rounding (`own_motions`).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from routh.analysis.linear.own_motions import OwnMatrices
from routh.arrays import Array, Complex, Mask
from routh.numerics import levels
from routh.numerics.spectra.accuracy import radii
from routh.numerics.spectra.own import graded_squares, signs
from routh.numerics.spectra.pencil import SPREAD, soft_squares, spectrum


class Roots:
    """What the eigenvalues (N, k) say, each (N,); `sure` (N, k) bounds what rounding makes of them.

    `zero` means that one is zero, `slow` that one is zero to rounding.
    """

    def __init__(self, values: Complex, sure: Array) -> None:
        known = ~np.isnan(values.real)
        lowest = np.where(known, values.real, -np.inf)
        with np.errstate(invalid="ignore"):
            self.growing: Mask = np.any(known & (values.real > sure), axis=1)
            top = known & (values.real == lowest.max(axis=1, initial=-np.inf)[:, None])
            self.leaving: Mask = self.growing & np.any(top & (values.imag == 0), axis=1)
            self.decaying: Mask = np.all(~known | (values.real < -sure), axis=1)
            self.on_axis: Mask = np.all(~known | (np.abs(values.real) <= sure), axis=1)
            self.zero: Mask = np.any(values == 0, axis=1)
            self.slow: Mask = np.any(known & (np.abs(values) <= sure), axis=1)
            self.unstable: NDArray[np.intp] = np.sum(known & (values.real > sure), axis=1)
        self.values, self.sure = values, sure
        self.growth: Array = lowest.max(axis=1, initial=-np.inf)


def errors(own: OwnMatrices, values: Complex, among: Mask) -> Array:
    """(N, k): beyond which real parts and distances of eigenvalues are no rounding.

    Computed for the points of `among`; for the others zero.
    """
    found = np.zeros(values.shape)
    index = np.flatnonzero(among & np.isfinite(own.M + own.K).all(axis=(1, 2)))
    for part in np.array_split(index, max(len(index) // 512, 1)):
        if len(part):
            at = own.chosen(part)
            bounds = at.mass_bound, at.damping_bound, at.stiffness_bound
            found[part] = levels.MULTIPLE * radii(values[part], at.M, at.C, at.S, bounds)
    return found


class Facts:
    """What the matrices are, for each of N points.

    Attributes:
        damped, gyroscopic, circulatory: D, G, H are not zero.
        massive: M is positive definite; nonnegative: it has no negative direction.
        minimum: K is positive definite.
        falls: in how many directions the potential falls: negative eigenvalues of K.
        flat: in how many it may be flat: eigenvalues of K that are zero to rounding.
        massless: in how many directions there is no mass, to rounding.
        complete: D is positive definite; passive: it has no negative direction.
        fed: the trace of M^-1 D is negative, M being positive definite: all eigenvalues add up to a
            positive number.
    """

    def __init__(self, own: OwnMatrices) -> None:
        self.damped, self.gyroscopic, self.circulatory = (
            np.asarray(X.any(axis=(1, 2))) for X in (own.D, own.G, own.H)
        )
        self.finite: Mask = np.all(np.isfinite(own.M + own.C + own.S), axis=(1, 2))
        negative, self.massless = self._signs(own.M, own.mass_bound)
        self.massive: Mask = self.finite & (negative == 0) & (self.massless == 0)
        self.nonnegative: Mask = self.finite & (negative == 0)
        self.falls, self.flat = self._signs(own.K, own.stiffness_bound)
        self.minimum: Mask = self.finite & (self.falls == 0) & (self.flat == 0)
        negative, missing = self._signs(own.D, own.damping_bound)
        self.passive: Mask = self.finite & (negative == 0)
        self.complete: Mask = self.passive & (missing == 0)
        self.fed: Mask = self._fed(own)

    def _fed(self, own: OwnMatrices) -> Mask:
        """(N,) where tr(M^-1 D) is below zero by more than rounding."""
        found = self.massive & self.damped
        inverse = np.linalg.inv(own.M[found])
        terms = np.sum(inverse * own.D[found], axis=(1, 2))
        size = np.abs(inverse) * (own.damping_bound + levels.COMPONENT * np.abs(own.D))[found]
        found[found] = terms < -levels.MULTIPLE * np.sum(size, axis=(1, 2))
        return found

    def _signs(self, X: Array, blurred: Array) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        finite = self.finite[:, None, None]
        return signs(np.where(finite, X, 0.0), np.where(finite, blurred, 0.0))


def curvature(own: OwnMatrices, massive: Mask) -> tuple[Array, Array]:
    """(N,) the least omega^2 of K x = omega^2 M x where M is positive definite, and its bounds."""
    least, bound = np.full((2, len(massive)), np.nan)
    plain = massive & ~own.seen_closely
    if plain.any():
        M, K, E = own.M[plain], own.K[plain], own.stiffness_bound[plain]
        L = np.linalg.cholesky(M)
        A = np.linalg.solve(L, np.linalg.solve(L, K).swapaxes(1, 2))
        values, U = np.linalg.eigh((A + A.swapaxes(1, 2)) / 2)
        x = np.abs(np.linalg.solve(L.swapaxes(1, 2), U[:, :, :1]))
        soft = np.abs(values[:, 0]) < SPREAD**2 * np.abs(values).max(axis=1)
        for k in np.flatnonzero(soft):
            values[k] = soft_squares(M[k], K[k])[0]
        least[plain], bound[plain] = values[:, 0], (x.swapaxes(1, 2) @ E @ x)[:, 0, 0]
    for k in np.flatnonzero(massive & own.seen_closely):
        values, bounds, _ = graded_squares(own.M[k], own.K[k], own.stiffness_bound[k])
        least[k], bound[k] = values[0], bounds[0]
    return least, bound


def semisimple(own: OwnMatrices, roots: Roots, among: Mask, circulatory: Mask) -> Mask:
    """(N,) where imaginary eigenvalues that coincide have as many vectors, so that nothing grows.

    Eigenvalues coincide where their errors overlap; as many vectors are there if M s^2 + C s + K in
    their middle lacks as much rank, but for their distance and rounding. Under circulatory forces that
    says nothing: the weakest moves two that coincide off the axis. Only points of `among` are looked
    at; the others are False.
    """
    mask = among.copy()
    rates, sure = np.abs(roots.values[:, ::2].imag), roots.sure[:, ::2]
    order = np.argsort(rates, axis=1)  # NaN, what is not known, comes last
    rates, sure = (np.take_along_axis(X, order, axis=1) for X in (rates, sure))
    near = np.diff(rates, axis=1) <= sure[:, 1:] + sure[:, :-1]
    for k in np.flatnonzero(among & near.any(axis=1)).tolist():
        clusters = np.split(rates[k], np.flatnonzero(~near[k]) + 1)
        together = [each for each in clusters if len(each) > 1]
        mask[k] = not circulatory[k] and all(_has_vectors(own, k, each) for each in together)
    return mask


def _has_vectors(own: OwnMatrices, k: int, rates: Array) -> bool:
    """Whether a cluster of frequencies of one point has as many vectors as members."""
    s = 1j * rates.mean()
    M, C, S = own.M[k], own.C[k], own.S[k]
    blurred = own.mass_bound[k] * abs(s) ** 2 + own.damping_bound[k] * abs(s) + own.stiffness_bound[k]
    slope = np.linalg.norm(2 * s * M + C, 2)
    width = np.abs(rates - rates.mean()).max() * slope + np.linalg.norm(blurred, 2)
    sizes = np.linalg.svd(M * s**2 + C * s + S, compute_uv=False)
    return bool(np.sum(sizes <= levels.MULTIPLE * width) >= len(rates))


def pervasive(own: OwnMatrices, among: Mask) -> Mask:
    """(N,) where every mode feels the damping: no vector x has both
    `(M s^2 + G s + K) x = 0` for some s and `D x = 0`.

    Only points of `among` are looked at; the others are False.
    """
    mask = among.copy()
    index = np.flatnonzero(among)
    if not len(index):
        return mask
    M, D, G, K = (getattr(own, name)[index] for name in "MDGK")
    values = spectrum(M, G, K, vectors=False).values
    motion, size = _dynamic(values, M[:, None], G[:, None], K[:, None])
    felt = D[:, None] / (size[..., :, None] * size[..., None, :])
    felt = felt / np.maximum(np.abs(felt).max(axis=(2, 3), keepdims=True), 1e-300)
    both = np.concatenate([motion, felt], axis=2)
    known = np.isfinite(both).all(axis=(2, 3))
    least = np.linalg.svd(np.nan_to_num(both), compute_uv=False)[..., -1]
    bounds = (X[index][:, None] for X in (own.mass_bound, own.damping_bound, own.stiffness_bound))
    blurred = np.nan_to_num(_sum(values, *bounds) / (size[..., :, None] * size[..., None, :]))
    doubt = levels.REACH + levels.MULTIPLE * np.linalg.norm(blurred, axis=(2, 3))
    mask[index] = (~known | (least > doubt)).all(axis=1)
    return mask


def _dynamic(s: Complex, M: Array, C: Array, K: Array) -> tuple[Complex, Array]:
    """`M s^2 + C s + K` over the sizes of what it is the sum of, and the sizes of the coordinates."""
    size = np.sqrt(np.diagonal(_sum(s, np.abs(M), np.abs(C), np.abs(K)), axis1=-2, axis2=-1))
    size = np.where(size == 0, 1.0, size)
    s = s[..., None, None]
    with np.errstate(invalid="ignore"):  # an eigenvalue that is not there is NaN
        return (M * s**2 + C * s + K) / (size[..., :, None] * size[..., None, :]), size


def _sum(s: Complex, M: Array, C: Array, K: Array) -> Array:
    """`M |s|^2 + C |s| + K`, for bounds of the parts."""
    size = np.abs(s)[..., None, None]
    return np.asarray(M * size**2 + C * size + K)
