"""The matrices of a linear model on its own motions, where soft ones do not drown in stiff ones.

Rounding in the entries of a matrix is a share of the stiffest thing in it, which a soft support or a
slow mode may be far below: many elements and polynomials of high order amplify it by the fourth power
of their number and more. On the motions themselves energies are summed part by part, so that a part
that a motion does not strain adds nothing.

    V^T M V, ..., V^T K V,    V: the approximate eigenvectors of K x = w^2 M x

The vectors come in levels. Those of the assembled matrices are right for the stiffest motions; these
are taken out, each softer one losing what it strains of them, and what is left is solved again with
the energies summed anew. The result is a graded matrix, soft motions first, with small entries beside
its diagonal and each entry as accurate as its own row and column let expect.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy.linalg

from routh.analysis.linear import LinearModel
from routh.analysis.routhian import reduced, turning_directions
from routh.kernels.batch import Array
from routh.kernels.kernel import Point, kernel

LEVEL = 1e-4
"""Share of the stiffest w^2 above which motions belong to one level: rounding of the stiffest, 1e-16,
is then 1e-12 of the softest in it."""

LEVELS = 12
"""Levels at most: their product is below the smallest share that doubles can tell, squared."""

Project = Callable[[Array], tuple[Array, Array, Array]]
"""From directions (r, k) to their M, C and K, (k, k) each."""


@dataclass(frozen=True, eq=False)
class OwnMatrices:
    """M, D, G, K, H on the approximate eigenvectors V of K x = w^2 M x, softest first.

    Attributes:
        M, D, G, K, H: (N, r, r) as in a linear model, for `eta = V x`; the diagonal of M is 1 where
            there is mass.
        V: (N, r, r) the motions, in the coordinates eta of the linear model.
        noise: (N, r) the energy `x^T K x` of what the last bits of each motion leave open: a diagonal
            entry of K that is not well above it is rounding, as of a motion without stiffness.
    """

    M: Array
    D: Array
    G: Array
    K: Array
    H: Array
    V: Array
    noise: Array


def own_matrices(linear: LinearModel) -> OwnMatrices:
    """The matrices of a dense linear model on its own motions, for every point of its batch.

    Points without a linear model have NaN. The matrices of a model at constant momenta are those of
    Routh's reduction, made of the energies of all motions. Parts that are zero by structure (no
    damping, nothing circulatory) stay exactly zero.
    """
    stacked = linear.reference.conditions.stacked
    Z, turning = stacked(linear.Z), _turning(linear)
    point = linear.reference.point(linear.at_time or 0.0)
    engine, r = kernel(linear.system), Z.shape[-1]
    found = [np.full((len(Z), r, r), np.nan) for _ in range(4)]
    noise = np.full((len(Z), r), np.nan)
    for k in np.flatnonzero(np.isfinite(stacked(linear.K)).all(axis=(1, 2))).tolist():
        here = Point(*(x[k : k + 1] for x in point.arguments))

        def project(X: Array, here: Point = here, k: int = k) -> tuple[Array, Array, Array]:
            directions = np.concatenate([turning[k], Z[k] @ X], axis=1)
            M, C, K = (Y[0] for Y in engine.projected(here, directions[None]))
            return _at_constant_momenta(M, C, K, turning.shape[2])

        V = own_motions(project, r)
        for X, value in zip(found, (*project(V), V), strict=True):
            X[k] = value
        noise[k] = _noise(project, V)
    M, C, K, V = found
    damped, gyroscopic, circulatory = (
        stacked(getattr(linear, name)).any(axis=(1, 2), keepdims=True) for name in "DGH"
    )
    return OwnMatrices(
        M=_symmetric(M),
        D=_symmetric(C) * damped,
        G=(C - _symmetric(C)) * gyroscopic,
        K=_symmetric(K),
        H=(K - _symmetric(K)) * circulatory,
        V=V,
        noise=noise,
    )


def _noise(project: Project, V: Array) -> Array:
    """(r,) the energies of changes of the last bits of each motion, the largest of a few."""
    generator = np.random.default_rng(1831)
    bits = (np.finfo(float).eps * V * generator.choice([-1.0, 1.0], V.shape) for _ in range(3))
    return np.asarray(np.max([np.abs(np.diagonal(project(X)[2])) for X in bits], axis=0))


def _symmetric(X: Array) -> Array:
    return np.asarray(X + X.swapaxes(1, 2)) / 2


def _turning(linear: LinearModel) -> Array:
    """(N, n, k): the directions that a model at constant momenta has lost; k is 0 for any other."""
    whole = linear.unreduced
    stacked = linear.reference.conditions.stacked
    if whole is None:
        return np.zeros((*stacked(linear.Z).shape[:2], 0))
    Z = stacked(whole.Z)
    return np.asarray(Z @ turning_directions(Z, linear.reference.turning))


def _at_constant_momenta(M: Array, C: Array, K: Array, k: int) -> tuple[Array, Array, Array]:
    """M, C and K without the first k directions, whose momenta are kept."""
    if not k:
        return M, C, K
    found = reduced(M[None], C[None], K[None], k)
    return found[0][0], found[1][0], found[2][0]


def own_motions(project: Project, r: int) -> Array:
    """(r, r): the motions of one model whose energies along given directions are known."""
    soft, stiff = np.eye(r), np.zeros((r, 0))
    for _ in range(LEVELS if r else 0):
        soft = soft @ _vectors(*_mass_and_stiffness(project, soft))
        K = _mass_and_stiffness(project, soft)[1]
        squares = np.abs(np.diagonal(K))
        high = squares > LEVEL * squares.max(initial=0.0)
        if high.all() or not high.any():
            break
        above, below = np.flatnonzero(high), np.flatnonzero(~high)
        strain = scipy.linalg.lstsq(K[np.ix_(above, above)], K[np.ix_(above, below)])[0]
        stiff = np.concatenate([soft[:, above], stiff], axis=1)
        soft = soft[:, below] - soft[:, above] @ strain
    return np.concatenate([soft, stiff], axis=1)


def _mass_and_stiffness(project: Project, X: Array) -> tuple[Array, Array]:
    M, _, K = project(X)
    return (M + M.T) / 2, (K + K.T) / 2


def _vectors(M: Array, K: Array) -> Array:
    """(k, k): eigenvectors of `K x = w^2 M x`, softest first, of unit mass.

    Where some direction has no mass they are those of K, in units in which mass or stiffness is one:
    any positive measure separates soft from stiff.
    """
    mass, stiffness = (np.abs(np.diagonal(X)) for X in (M, K))
    size = np.where(mass > 0, mass, np.where(stiffness > 0, stiffness, 1.0)) ** -0.5
    M, K = (size[:, None] * X * size for X in (M, K))
    try:
        squares, X = scipy.linalg.eigh(K, M)
    except scipy.linalg.LinAlgError:
        squares, X = scipy.linalg.eigh(K)
    return np.asarray((size[:, None] * X)[:, np.argsort(np.abs(squares), kind="stable")])
