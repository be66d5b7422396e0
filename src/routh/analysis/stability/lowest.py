"""The lowest modes of systems of very many coordinates, from sparse matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy

from routh.analysis.linear.linear_model import LinearModel
from routh.arrays import Array, Complex
from routh.errors import DerivationError, SolveError, capital
from routh.kernels.kernel import kernel
from routh.numerics.spectra.sparse_pencil import MORE, lowest_pairs

MOST_RIGID = 6
"""Rigid motions of a structure that are looked for."""

GAP = 1e12
"""How much larger the first square with stiffness is than what rounding leaves of rigid motions: the
square of the error of a vector."""

SOFT = 1e-13
"""Pivots this much smaller than the largest belong to motions without stiffness."""


def lowest(linear: LinearModel, count: int) -> tuple[Complex, Complex]:
    """The eigenvalues of `M s^2 + C s + K` nearest to zero, in pairs, and vectors (n, 2 count)."""
    M, C, K = linear.M, linear.D + linear.G, linear.K + linear.H
    engine = kernel(linear.system)
    if 2 * count + MORE >= M.shape[0]:
        raise DerivationError(
            f"`count` must be well below half the number of coordinates, {M.shape[0]}. Got {count}."
        )
    arguments = linear.reference.point(linear.time or 0.0).arguments
    if not abs(C).sum() and not abs(K - K.T).sum():
        V = _conservative(M, K, count, engine.system.title)
        m, _, k = engine.sparse.projected(arguments, V)
        return _real_pairs(m, k, V, count)
    factors = _factors(K)
    if factors is None:
        raise DerivationError(
            f"{capital(engine.system.title)} has motions without stiffness beside gyroscopic or damping"
            " forces. Take fewer functions for its modes."
        )
    title = engine.system.title
    values, vectors = lowest_pairs(
        M,
        C,
        K,
        solve=factors.solve,
        project=lambda V: engine.sparse.projected(arguments, V),
        undamped=lambda more: _conservative(M, (K + K.T) / 2, more, title),
        count=count,
    )
    if len(values) < 2 * count:
        raise SolveError(
            f"Of the {count} lowest modes of {engine.system.title} {len(values) // 2} were found: the"
            " others of the sparse matrices are rounding. Ask for fewer, or take fewer functions."
        )
    return values, vectors


def _real_pairs(m: Array, k: Array, V: Array, count: int) -> tuple[Complex, Complex]:
    """The eigenvalues on the space of some vectors, with the energies summed point by point.

    Rounding in the entries of a matrix of many elements is amplified by the fourth power of their
    number; the bending at each point, which is squared here, loses the second power only.
    """
    squares, X = scipy.linalg.eigh((k + k.T) / 2, (m + m.T) / 2)
    squares[np.argsort(np.abs(squares))[: _rigid(squares)]] = 0.0
    chosen = np.sort(np.argsort(np.abs(squares), kind="stable")[:count])
    squares, X = squares[chosen], X[:, chosen]
    root = np.sqrt(np.abs(squares))
    first = np.where(squares < 0, root + 0j, 1j * root)
    values = np.stack([first, -first + 0], axis=1).ravel()
    return values, np.repeat((V @ X).astype(complex), 2, axis=1)


def _rigid(squares: Array) -> int:
    """How many of the lowest squares are what rounding leaves of rigid motions."""
    size = np.sort(np.abs(squares))[: MOST_RIGID + 1]
    apart = np.flatnonzero(size[:-1] * GAP < size[1:])
    return int(apart[-1]) + 1 if len(apart) else 0


def _conservative(M: Any, K: Any, count: int, title: str) -> Array:
    """(n, count): the vectors of the lowest squares of `K x = w2 M x`."""
    start = np.random.default_rng(1831).standard_normal(M.shape[0])
    M, K = scipy.sparse.csc_matrix(M), scipy.sparse.csc_matrix(K)
    factors = _factors(K)
    if factors is not None:
        return np.asarray(_squares(K, M, count, 0.0, start, title, factors)[1])
    # motions without stiffness: look from beside zero, then from nearer
    more = count + MOST_RIGID
    shift = -1e-9 * float(abs(K).sum(axis=0).max() / abs(M).sum(axis=0).max())
    squares, _ = _squares(K, M, more, shift, start, title)
    shift = -0.1 * float(np.abs(squares).max())
    return np.asarray(_squares(K, M, more, shift, start, title)[1])


def _squares(
    K: Any, M: Any, count: int, shift: float, start: Array, title: str, factors: Any = None
) -> tuple[Any, Any]:
    inverse = None
    if factors is not None:
        inverse = scipy.sparse.linalg.LinearOperator(K.shape, matvec=factors.solve, dtype=float)
    try:
        squares, vectors = scipy.sparse.linalg.eigsh(
            K, count, M, sigma=shift, which="LM", v0=start, OPinv=inverse
        )
    except (RuntimeError, scipy.sparse.linalg.ArpackError) as error:
        raise SolveError(
            f"The lowest modes of {title} were not found by the sparse eigensolver, which said: {error}"
        ) from error
    return squares, vectors


def _factors(matrix: Any) -> Any:
    """Triangular factors of a sparse matrix, or None where it is singular to rounding."""
    try:
        factors = scipy.sparse.linalg.splu(scipy.sparse.csc_matrix(matrix))
    except RuntimeError:
        return None
    pivots = np.abs(factors.U.diagonal())
    return None if pivots.min() <= SOFT * pivots.max() / matrix.shape[0] else factors
