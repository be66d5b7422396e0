"""Systems of very many coordinates, as elements make them: sparse matrices and the lowest modes.

Nothing of size n x n is ever dense here, so memory grows with n. What needs dense matrices (stability,
state spaces, following branches) is asked of the same system with fewer functions.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse import linalg

from routh.analysis.given.conditions import Conditions
from routh.analysis.rest import diagnosis
from routh.analysis.rest.problem import Problem
from routh.analysis.rest.result import Equilibrium
from routh.analysis.time.timeless import autonomous
from routh.arrays import Array
from routh.errors import DerivationError, NoEquilibrium, SolveError, Status, capital
from routh.kernels.kernel import Kernel
from routh.language.system import System
from routh.numerics.solving.newton import ENOUGH, HALVINGS, POLISH
from routh.numerics.solving.settled import ACCURATE, LEFT_OVER, NOTHING, settled
from routh.numerics.solving.sparse_tangents import SparseTangent
from routh.numerics.spectra.sparse_pencil import MORE, lowest_pairs

LARGE = 500
"""Coordinates beyond which matrices are sparse: dense ones then take longer to solve."""

STEPS = 50
"""Newton steps after which a solve gives up."""


MOST_RIGID = 6
"""Rigid motions of a structure that are looked for."""

GAP = 1e12
"""How much larger the first square with stiffness is than what rounding leaves of rigid motions: the
square of the error of a vector."""

SOFT = 1e-13
"""Pivots this much smaller than the largest belong to motions without stiffness."""


def is_large(system: System) -> bool:
    """Whether a system gets sparse matrices: many coordinates, made of fields."""
    return bool(system.shapes) and len(system.coordinates) > LARGE


def refuse_large(system: System) -> None:
    """Refuse a system with sparse matrices for a verb that needs dense ones."""
    if is_large(system):
        raise DerivationError(
            f"{capital(system.title)} has {len(system.coordinates)} coordinates, and above {LARGE}"
            " matrices are sparse: equilibrium, linearize, modes(linear, count=...) and pictures work"
            " on it. For everything else discretize it with fewer functions."
        )


def refuse_other_sums(engine: Kernel) -> None:
    """Refuse a large system whose parts are no plain sums, or which has constraints."""
    system = engine.system
    if engine.assembly is None or system.constraints:
        raise DerivationError(
            f"{capital(system.title)} has {len(system.coordinates)} coordinates, and above {LARGE}"
            " matrices are sparse. This works for energies that are sums of densities, with linear"
            " conditions at the ends whose factors are numbers. Expected fewer functions, or an energy"
            " without running integrals and functions of integrals."
        )


def large_equilibrium(engine: Kernel, given: Conditions, q: Array) -> Equilibrium:
    """A position of rest by Newton's method with sparse tangents, for one point."""
    if given.shape or given.turning:
        raise DerivationError(
            f"{capital(engine.system.title)} has more than {LARGE} coordinates: its rest is found for"
            " one set of values at a time. Loop over them, or take fewer functions."
        )
    refuse_other_sums(engine)
    return _Descent(engine, given, q).result()


class _Descent:
    """Newton's method with sparse tangents on one point, judged as `numerics.newton` judges."""

    def __init__(self, engine: Kernel, given: Conditions, q: Array) -> None:
        self._engine, self._given = engine, given
        self._problem = Problem(engine, given, q)
        self._q, self._one = q, np.zeros(1, dtype=np.intp)
        self._residual = self._problem.equations(q, self._one)
        self._history = [q[0]]

    def result(self) -> Equilibrium:
        """Where it ends."""
        status = Status.TOO_MANY_STEPS
        for _ in range(STEPS):
            if not np.isfinite(self._residual).all():
                status = Status.NOT_FINITE
                break
            ended = self._advance()
            self._history.append(self._q[0])
            if ended is not None:
                status = ended
                break
        found = Equilibrium(
            system=self._engine.system,
            conditions=self._given,
            q=self._q[0],
            multipliers=np.zeros(0),
            residual=np.abs(self._residual).max(initial=0.0),
            status=status,
            free=(),
            tangent=self._engine.sparse.stiffness(self._arguments()),
            history=np.array(self._history),
        )
        _refuse_moving(self._engine, found)
        return found

    def _arguments(self) -> tuple[Array, ...]:
        return self._problem.point(self._q, self._one).arguments

    def _advance(self) -> Status | None:
        """One step, and how it ends if it does."""
        arguments, variation = self._arguments(), self._engine.sparse
        K = variation.stiffness(arguments)
        if not np.isfinite(K.data).all():
            return Status.NOT_FINITE
        tangent = SparseTangent(K, lambda V: variation.stiffness_along(arguments, V))
        sizes = np.maximum(self._problem.sizes(self._q, self._one), abs(K) @ np.abs(self._q[0]))
        step = -tangent.step(self._residual[0])
        push = (abs(K) @ np.abs(step))[None]
        small = bool(settled(self._residual, push, sizes)[0])
        rounded = bool(settled(self._residual, push, sizes, LEFT_OVER)[0])
        if tangent.is_pushed(self._residual[0]) and not small:
            raise NoEquilibrium(_unsupported(self._engine.system))
        if not small and self._searched(tangent, step):
            return None
        if small or rounded:
            return self._polished(tangent, K, step, sizes)
        return None if self._hidden(tangent, step) else Status.STALLED

    def _searched(self, tangent: SparseTangent, step: Array) -> bool:
        """Go the longest of some shares of a step that reduces the residual, if there is one."""
        before = tangent.size(self._residual[0])
        for share in 0.5 ** np.arange(HALVINGS):
            trial = self._q + share * step[None]
            with np.errstate(all="ignore"):
                residual = self._problem.equations(trial, self._one)
                better = tangent.size(residual[0]) < before
            if better and not self._problem.crosses(self._q, trial, self._one)[0]:
                self._q, self._residual = trial, residual
                return True
        return False

    def _hidden(self, tangent: SparseTangent, step: Array) -> bool:
        """Go a step to where the residual is rounding, if the step after it is shorter by far."""
        trial = self._q + step[None]
        residual = self._problem.equations(trial, self._one)
        sizes = self._problem.sizes(trial, self._one)
        if not (np.abs(residual) <= LEFT_OVER * sizes).all():
            return False
        if tangent.length(tangent.step(residual[0])) > ENOUGH * tangent.length(step):
            return False
        self._q, self._residual = trial, residual
        return True

    def _polished(self, tangent: SparseTangent, K: Any, step: Array, sizes: Array) -> Status:
        """Regain the digits that the matrix lost, by steps with it while they shrink, and judge them.

        The forces are summed point by point, which is more accurate than the matrix of many elements.
        """
        for _ in range(POLISH):
            trial = self._q + step[None]
            residual = self._problem.equations(trial, self._one)
            ahead = -tangent.step(residual[0])
            if not tangent.length(ahead) < tangent.length(step) / 2:
                break
            self._q, self._residual, step = trial, residual, ahead
        push = (abs(K) @ np.abs(step))[None]
        energy = abs(float(self._residual[0] @ step))
        lost = energy > ACCURATE**2 * float(self._problem.work(self._q, self._one)[0])
        known = bool((push <= ACCURATE * sizes + NOTHING).all()) and not lost
        return Status.CONVERGED if known else Status.STALLED


def _unsupported(system: System) -> str:
    return (
        f"{capital(system.title)} has no equilibrium near the guess: some motion has no stiffness, and"
        " a force acts along it. Is a support missing among the conditions at the ends?"
    )


def _factors(matrix: Any) -> Any:
    """Triangular factors of a sparse matrix, or None where it is singular to rounding."""
    try:
        factors = linalg.splu(sparse.csc_matrix(matrix))
    except RuntimeError:
        return None
    pivots = np.abs(factors.U.diagonal())
    return None if pivots.min() <= SOFT * pivots.max() / matrix.shape[0] else factors


def _refuse_moving(engine: Kernel, found: Equilibrium) -> None:
    """No equilibrium whose equations change with time."""
    if not engine.depends_on_time or found.status is not Status.CONVERGED:
        return
    rows = found.conditions.timeless.rows(found.point(0.0))[0]
    if rows.any():
        raise NoEquilibrium(diagnosis.changes_with_time(found.conditions.timeless, rows), found)


Matrices = tuple[Any, Any, Any, Any, Any]


def large_matrices(engine: Kernel, reference: Equilibrium) -> Matrices:
    """M, D, G, K and H, sparse."""
    refuse_other_sums(engine)
    M, C, K = engine.sparse.matrices(reference.point().arguments)
    if not autonomous(engine):
        raise DerivationError(
            f"The linear model of {engine.system.title} may depend on time: it is in the energies or"
            " forces, and does not drop out. Take fewer functions, and see what changes; at_time="
            " freezes it."
        )
    none = sparse.csr_array(M.shape)
    damped, circulatory = engine.forces_depend_on_velocity, engine.forces_depend_on_position
    D = (C + C.T) / 2 if damped else none
    H = (K - K.T) / 2 if circulatory else none
    return (M + M.T) / 2, D, (C - C.T) / 2, (K + K.T) / 2, H


def lowest(
    engine: Kernel, reference: Equilibrium, matrices: tuple[Any, Any, Any], count: int
) -> tuple[NDArray[np.complex128], NDArray[np.complex128]]:
    """The eigenvalues of `M s^2 + C s + K` nearest to zero, in pairs, and vectors (n, 2 count)."""
    M, C, K = matrices
    if 2 * count + MORE >= M.shape[0]:
        raise DerivationError(
            f"`count` must be well below half the number of coordinates, {M.shape[0]}. Got {count}."
        )
    arguments = reference.point().arguments
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


def _real_pairs(
    m: Array, k: Array, V: Array, count: int
) -> tuple[NDArray[np.complex128], NDArray[np.complex128]]:
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
    M, K = sparse.csc_matrix(M), sparse.csc_matrix(K)
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
        inverse = linalg.LinearOperator(K.shape, matvec=factors.solve, dtype=float)
    try:
        squares, vectors = linalg.eigsh(K, count, M, sigma=shift, which="LM", v0=start, OPinv=inverse)
    except (RuntimeError, linalg.ArpackError) as error:
        raise SolveError(
            f"The lowest modes of {title} were not found by the sparse eigensolver, which said: {error}"
        ) from error
    return squares, vectors
