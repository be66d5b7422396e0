"""Harmonic answers `(s^2 M + s C + K) x = f`, also where the matrix is singular to rounding.

A matrix that is singular because inertia and stiffness cancel is split by its null vectors: what is
driven is infinite in the outputs that show it, the rest is answered as in the limit of small damping.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from routh.arrays import Array, Complex
from routh.numerics.spectra.own_units import units

SUSPECT = 1e-9
"""Share of its terms below which the matrix is looked at closely."""

UNKNOWN = 100.0
"""Times its rounding that the least singular value must be: below, not two digits are known."""

CANCELLED = 1e-6
"""Share of the inertia that is left of a motion in resonance. A soft motion beside stiff ones has a
small singular value too, but there nothing cancels."""

KNOWN = 0.01
"""Share of an answer that rounding of the matrix may move."""

EXCITED = 1e-10
"""Share of the force below which it does not drive a motion in resonance."""


@dataclass(frozen=True)
class Answer:
    """The answer of one model at one s.

    Attributes:
        x: (n,) what is bounded of it; NaN where rounding has taken all its digits.
        shapes: (n, k) the motions that answer without bound, none where k is 0.
    """

    x: Complex
    shapes: Complex


def suspects(dynamic: Complex, terms: Array) -> NDArray[np.bool_]:
    """(...) where stacks of matrices may be singular to rounding, `terms` being what was added up.

    One solve with a right-hand side at random shows the least singular value to a factor.
    """
    d = 1 / np.sqrt(np.maximum(np.diagonal(terms, axis1=-2, axis2=-1), 1e-300))
    unit = d[..., :, None] * dynamic * d[..., None, :]
    side = np.random.default_rng(1877).uniform(0.5, 1.0, (unit.shape[-1], 1))
    found = np.ones(unit.shape[:-2], dtype=bool)
    known = np.isfinite(unit).all(axis=(-2, -1))
    some: Complex = unit[known]
    right = np.broadcast_to(side, (*some.shape[:-1], 1)).astype(complex)
    try:
        y = np.linalg.solve(some, right)
    except np.linalg.LinAlgError:
        return found
    size = np.linalg.norm(terms * d[..., :, None] * d[..., None, :], axis=(-2, -1))[known]
    with np.errstate(all="ignore"):
        found[known] = ~(np.linalg.norm(y, axis=(-2, -1)) * SUSPECT * size < np.linalg.norm(side))
    return found


def answer(M: Array, C: Array, K: Array, force: Complex, s: complex) -> Answer:
    """The answer where the matrix may be singular.

    The force is split: what drives the singular motions makes them grow without bound; the rest is
    answered as in the limit of small damping, without any of these motions.
    """
    if not all(np.isfinite(X).all() for X in (M, C, K, force)):
        return Answer(np.full(len(M), complex(np.nan, np.nan)), np.zeros((len(M), 0), complex))
    d = units(M[None], C[None], K[None])[0]
    M, C, K = (d[:, None] * X * d for X in (M, C, K))
    dynamic = s**2 * M + s * C + K
    U, sizes, Vh = np.linalg.svd(dynamic)
    f = d * force
    null = _singular(M, C, K, s, (U, sizes, Vh))
    left, right = U[:, null], Vh[null].conj().T
    slope = 2 * s * M + C
    within = left.conj().T @ slope @ right
    simple = bool(null.any()) and float(
        np.linalg.svd(within, compute_uv=False)[-1]
    ) > CANCELLED * float(np.linalg.norm(slope))
    push = left.conj().T @ f
    driven = bool(np.abs(push).max(initial=0) > EXCITED * np.linalg.norm(f))
    if driven:
        f = f - (slope @ right @ np.linalg.solve(within, push) if simple else left @ push)
    kept = ~null
    with np.errstate(divide="ignore", invalid="ignore"):
        x = Vh[kept].conj().T @ ((U[:, kept].conj().T @ f) / sizes[kept])
    if not np.isfinite(x).all() or (kept.all() and _lost(M, C, K, s, (sizes, x))):
        x = np.full(len(x), complex(np.nan, np.nan))
    if simple:
        x = x - right @ np.linalg.solve(within, left.conj().T @ (slope @ x))
    if not driven:
        return Answer(d * x, np.zeros((len(d), 0), complex))
    if simple:  # of motions of one frequency that which is driven
        right = right @ np.linalg.solve(within, push)[:, None]
        right = right / np.linalg.norm(right)
    return Answer(d * x, d[:, None] * right)


def _lost(M: Array, C: Array, K: Array, s: complex, parts: tuple[Array, Complex]) -> bool:
    """Whether rounding of the matrix alone may have moved the answer by more than a part of it."""
    sizes, x = parts
    moved = _terms(M, C, K, s) @ np.abs(x) * float(np.finfo(float).eps) / sizes[-1]
    return bool(np.linalg.norm(moved) > KNOWN * np.linalg.norm(x))


def _terms(M: Array, C: Array, K: Array, s: complex) -> Array:
    return np.asarray(abs(s) ** 2 * np.abs(M) + abs(s) * np.abs(C) + np.abs(K))


def _singular(
    M: Array, C: Array, K: Array, s: complex, parts: tuple[Complex, Array, Complex]
) -> NDArray[np.bool_]:
    """(n,) which singular values are zero to rounding because inertia and stiffness cancel."""
    U, sizes, Vh = parts
    rounding = float(np.finfo(float).eps) * np.linalg.norm(_terms(M, C, K, s))
    if s == 0:
        return np.asarray(sizes <= rounding)
    inertia = abs(s) ** 2 * np.abs(np.einsum("ik,ij,kj->k", U.conj(), M, Vh.conj()))
    told = inertia > UNKNOWN * rounding  # else a free motion, whose inertia rounding has taken
    return np.asarray((sizes <= UNKNOWN * rounding) & (sizes <= CANCELLED * inertia) & told)
