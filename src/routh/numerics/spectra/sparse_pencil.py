"""The lowest eigenvalues of `M s^2 + C s + K` for sparse matrices, each one of the whole problem.

Those nearest to zero come from the inverse of K, and are taken once more on the space of their vectors,
on which the matrices are known with more digits. That space has other eigenvalues too, which are those
of nothing. So what is listed was found on the whole problem: near zero by the inverse; the fast partner
of an overdamped mode, far from zero, by Newton's method, or not at all.

Damping inside a material crowds the eigenvalues of ever higher modes at one place, and the inverse does
not tell them apart. Then the space of the undamped modes is taken, and Newton's method confirms.

Rounding in assembled bending matrices is amplified by n^4; with the energy summed point by point on
their own space the lowest modes lose n^2.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy

from routh.arrays import Array, Complex
from routh.numerics.spectra.pencil import spectrum

Project = Callable[[Array], list[Array]]
"""From a basis V (n, k) to V^T M V, V^T C V and V^T K V."""

MORE = 4
"""Eigenvalues that are found beyond those asked for, so that no pair is split."""

ITERATIONS = 200
"""Restarts of the inverse: eigenvalues that stand apart take ten, a crowd takes thousands."""

SAME = 0.1
"""Share of itself by which an eigenvalue of the rounded matrices may be off: many elements leave as
little as one digit of the lowest. Neighbours are told apart by taking the nearest."""

STEPS = 50
"""Newton's steps."""

SETTLED = 1e-8
"""Relative step at which Newton's method, which squares it, has all digits."""

ROUNDED = 1e-3
"""Relative step that may be rounding of the matrices, where steps do not shrink any more."""


def lowest_pairs(
    M: Any,
    C: Any,
    K: Any,
    solve: Callable[[Array], Array],
    project: Project,
    undamped: Callable[[int], Array],
    count: int,
) -> tuple[Complex, Complex]:
    """The lowest eigenvalues (2 count), in pairs, and their vectors (n, 2 count).

    A mode counts by its natural frequency, the root of the product of its pair. A slow real eigenvalue
    whose partner was not found stands beside NaN; fewer modes than asked for are what was found.

    `solve` applies the inverse of K, `project` gives the matrices on a space, and `undamped` so many
    vectors of the lowest modes without C.
    """
    try:
        known, V = _nearest(M, C, solve, 2 * count + MORE)
        known, V = _with_partners(M, C, K, project, known, V)
    except scipy.sparse.linalg.ArpackNoConvergence:
        known, V = _from_undamped(M, C, K, project, undamped(count + MORE), count)
    values, vectors = _on_space(project, V, known)[:2]
    modes = _pairs(values, known)[:count]
    places = np.array([place for mode in modes for place in mode], dtype=int)
    unknown = complex(np.nan, np.nan)
    return (
        np.where(places < 0, unknown, values[places]),
        np.where(places < 0, unknown, vectors[:, places]),
    )


def _nearest(M: Any, C: Any, solve: Callable[[Array], Array], count: int) -> tuple[Complex, Array]:
    """The eigenvalues nearest to zero, and a real basis (n, k) of the space of their vectors."""
    n = M.shape[0]

    def inverse(x: Array) -> Array:
        return np.concatenate([x[n:], solve(-(M @ x[:n] + C @ x[n:]))])

    operator = scipy.sparse.linalg.LinearOperator((2 * n, 2 * n), matvec=inverse, dtype=float)
    start = np.random.default_rng(1831).standard_normal(2 * n)
    inverses, vectors = scipy.sparse.linalg.eigs(
        operator, k=count, which="LM", v0=start, maxiter=ITERATIONS
    )
    return 1 / inverses, _basis(vectors[:n])


def _basis(vectors: Complex) -> Array:
    """A real orthonormal basis of the space of some vectors and their conjugates."""
    both = np.concatenate([vectors.real, vectors.imag], axis=1)
    both = both / np.maximum(np.linalg.norm(both, axis=0), 1e-300)
    basis, sizes, _ = np.linalg.svd(both, full_matrices=False)
    return np.asarray(basis[:, sizes > 1e-9 * sizes[0]])


def _on_space(project: Project, V: Array, known: Complex) -> tuple[Complex, Complex, int]:
    """The eigenvalues on the space of V and their vectors; first those that are known, how many."""
    m, c, k = project(V)
    found = spectrum(m[None], c[None], k[None], vectors=True)
    assert found.vectors is not None
    values, vectors = found.values[0], V @ found.vectors[0]
    left = ~np.isnan(values.real)
    first: list[int] = []
    for s in known:
        distance = np.where(left, np.abs(values - s), np.inf)
        place = int(np.argmin(distance))
        if distance[place] <= SAME * abs(s):
            left[place] = False
            first.append(place)
    order = [*first, *np.flatnonzero(left)]
    return values[order], vectors[:, order], len(first)


def _with_partners(
    M: Any, C: Any, K: Any, project: Project, known: Complex, V: Array
) -> tuple[Complex, Array]:
    """The eigenvalues with real ones far from zero, and a space that has the vectors of all."""
    values, vectors, sure = _on_space(project, V, known)
    slow = int((values[:sure].imag == 0).sum())
    rough = [k for k in range(sure, len(values)) if values[k].imag == 0][:slow]
    found = _confirmed(M, C, K, values[rough], vectors[:, rough], values[:sure])
    if not found:
        return known, V
    shapes = np.array([x for _, x in found]).T
    return np.concatenate([known, [s for s, _ in found]]), _basis(np.concatenate([V, shapes], axis=1))


def _from_undamped(
    M: Any, C: Any, K: Any, project: Project, V: Array, count: int
) -> tuple[Complex, Array]:
    """The eigenvalues of the lowest modes by natural frequency, and a space that has their vectors."""
    values, vectors, _ = _on_space(project, V, np.zeros(0, dtype=complex))
    modes = _pairs(values, values)[: count + 1]
    places = [place for mode in modes for place in mode if place >= 0]
    nothing = np.zeros(0, dtype=complex)
    found = _confirmed(M, C, K, values[places], vectors[:, places], nothing)
    shapes = np.array([x for _, x in found]).reshape(-1, len(V)).T
    return np.array([s for s, _ in found], dtype=complex), _basis(np.concatenate([V, shapes], axis=1))


def _confirmed(
    M: Any, C: Any, K: Any, rough: Complex, vectors: Complex, known: Complex
) -> list[tuple[complex, Complex]]:
    """New eigenvalues of the whole problem, and their vectors, near those that some space has."""
    found: list[tuple[complex, Complex]] = []
    for s, x in zip(rough, vectors.T, strict=True):
        ended = _newton(M, C, K, complex(s), x)
        if ended is None or (np.abs(known - ended[0]) <= ROUNDED * np.abs(known)).any():
            continue
        if not any(_is_same(ended, other) for other in found):
            found.append(ended)
    return found


def _is_same(one: tuple[complex, Complex], other: tuple[complex, Complex]) -> bool:
    """Whether two eigenvalues are one; a double one has two vectors."""
    (s, x), (r, y) = one, other
    along = abs(np.vdot(x, y)) / (np.linalg.norm(x) * np.linalg.norm(y))
    return abs(s - r) <= ROUNDED * abs(r) and bool(along > 0.9)


def _newton(M: Any, C: Any, K: Any, s: complex, x: Complex) -> tuple[complex, Complex] | None:
    """An eigenvalue and its vector near a guess, by Newton's method on `P(s) x = 0`.

    On its way it stays on its side of the axis. It ends where steps do not shrink any more because of
    rounding in the matrices.
    """
    x = x / x[np.argmax(np.abs(x))]
    side, last = np.sign(s.real), np.inf
    for _ in range(STEPS):
        try:
            factors = scipy.sparse.linalg.splu(
                scipy.sparse.csc_matrix(M * s**2 + C * s + K, dtype=complex)
            )
        except RuntimeError:  # singular to the last digit: this is one
            return s, x
        y = factors.solve((2 * s * M + C) @ x)
        place = int(np.argmax(np.abs(y)))
        step = complex(x[place] / y[place])
        s, x = s - step, y / y[place]
        size = abs(step) / abs(s)
        if not np.isfinite(size) or s.real * side < 0:
            return None
        if size <= SETTLED or last / 2 <= size <= ROUNDED:
            return s, x
        last = size
    return None


def _pairs(values: Complex, known: Complex) -> list[tuple[int, int]]:
    """The places of modes among the first, known ones, by rising natural frequency; -1: no partner.

    Real ones go in pairs, the slowest with the fastest.
    """
    values = values[: len(known)]
    real = np.flatnonzero(values.imag == 0)
    real = real[np.argsort(np.abs(values[real]), kind="stable")]
    half = len(real) // 2
    modes = [(int(real[i]), int(real[-1 - i])) for i in range(half)]
    modes += [(int(k), -1) for k in real[half : len(real) - half]]
    for k in np.flatnonzero(values.imag > 0):
        modes.append((int(k), int(np.argmin(np.abs(values - values[k].conj())))))
    squares = [abs(values[i] * values[j if j >= 0 else i]) for i, j in modes]
    return [modes[k] for k in np.argsort(squares, kind="stable")]
