"""What the states of a state-space model are: their units, their names, and how coordinates move."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import matrix_balance, solve_triangular

from routh.analysis.linear.spectrum import linear_spectrum
from routh.analysis.linear.state_space import StateSpace
from routh.arrays import Array, Complex
from routh.errors import DeclarationError, a_kind, quoted

SHOWN = 3
"""Coordinates of a motion that are named."""

MOVES = 0.1
"""Share of the largest, in units of their masses, above which a coordinate is named."""


@dataclass(frozen=True)
class OwnStates:
    """One point of a model in units of its own: x = T z, with eigenvalues s (n,) of A.

    Displacements are measured by mass, and rates by the quickest motion. `moves` (n_q, n) is how the
    coordinates move with z, and `sizes` (n_q,) the units they are compared in.
    """

    T: Array
    eigenvalues: Complex
    moves: Array
    sizes: Array
    names: tuple[str, ...]

    def described(self, s: complex, z: Complex) -> str:
        """A motion in words: how fast, and which coordinates move in which ratio."""
        moved = self.moves @ z
        weight = np.abs(moved) / self.sizes
        order = np.argsort(-weight, kind="stable")
        chosen = sorted(k for k in order[:SHOWN] if weight[k] > MOVES * weight[order[0]])
        if not chosen:
            return f"the motion with s = {_complex(s)} 1/s"
        alike = [k for k in chosen if weight[k] >= (1 - 1e-6) * weight[order[0]]]
        ratio = moved[chosen] / moved[alike[0]]
        which = f"in which {quoted(self.names[k] for k in chosen)} move{'s' * (len(chosen) == 1)}"
        if len(chosen) > 1:
            real = np.abs(ratio.imag).max() <= 1e-6
            sizes = [f"{r.real:.3g}" if real else f"{abs(r):.3g}" for r in ratio]
            which += f" as {' : '.join(sizes)}"
        return f"the motion with s = {_complex(s)} 1/s, {which}"


def _complex(s: complex) -> str:
    if abs(s.imag) <= 1e-12 * abs(s):
        return f"{s.real:.6g}"
    if abs(s.real) <= 1e-12 * abs(s):
        return f"{s.imag:.6g}i"
    return f"{s.real:.6g}{s.imag:+.6g}i"


def checked_space(given: object, verb: str) -> StateSpace:
    """What was given, if it is a state-space model with finite matrices at some point."""
    if isinstance(given, StateSpace):
        return given
    raise DeclarationError(
        f"{verb} needs a StateSpace, as state_space(linear) returns it. Got {a_kind(given)}."
    )


def stacks(space: StateSpace) -> tuple[Array, Array, Array, Array]:
    """A, B, C, D as stacks (N, ...)."""
    count = int(np.prod(space.A.shape[:-2], dtype=int))
    A, B, C, D = (X.reshape(count, *X.shape[-2:]) for X in space)
    return A, B, C, D


def single_space(space: StateSpace, k: int) -> StateSpace:
    """One point of a batch alone, by its number."""
    linear = None if space.linear is None else space.linear.single(k)
    A, B, C, D = (X[k] for X in stacks(space))
    return replace(space, A=A, B=B, C=C, D=D, linear=linear)


def slowest_first(A: Array) -> Complex:
    """(..., n): eigenvalues of A (..., n, n), the slowest decay first; NaN where A is not known."""
    rows = A.reshape(-1, *A.shape[-2:])
    values = np.full(rows.shape[:2], np.nan, dtype=complex)
    for k in np.flatnonzero(np.isfinite(rows).all(axis=(1, 2))):
        found = np.linalg.eigvals(rows[k]).astype(complex)
        values[k] = found[np.lexsort((found.imag, -found.real))]
    return values.reshape(A.shape[:-1])


def spectra(space: StateSpace) -> Complex:
    """(N, n): the eigenvalues of A at all points, in pairs; exact zeros where the model knows them."""
    if space.linear is not None:
        found = linear_spectrum(space.linear, vectors=False).values
        if found.shape[-1] == space.A.shape[-1]:
            return found
    A = stacks(space)[0]
    values = np.full(A.shape[:2], np.nan, dtype=complex)
    for k in np.flatnonzero(np.isfinite(A).all(axis=(1, 2))):
        values[k] = _sorted(np.linalg.eigvals(A[k]))
    return values


def own_states(space: StateSpace, k: int, eigenvalues: Complex) -> OwnStates:
    """Point k of a model in its own units."""
    linear = space.linear
    if linear is None:
        return _balanced(space, k, eigenvalues, tuple(f"x{j + 1}" for j in range(space.A.shape[-1])))
    if not linear.is_holonomic:
        return _balanced(space, k, eigenvalues, tuple(map(str, linear.coordinates)))
    own = linear.own
    root = np.linalg.cholesky(own.M[k])
    V = own.V[k] @ solve_triangular(root, np.eye(len(root)), lower=True).T
    quickest = float(np.abs(eigenvalues).max(initial=0)) or 1.0
    r = len(V)
    T = np.zeros((2 * r, 2 * r))
    T[:r, :r], T[r:, r:] = V / quickest, V
    Z = linear.reference.conditions.stacked(linear.Z)[k]
    moves = np.concatenate([Z @ V, np.zeros((len(Z), r))], axis=1)
    sizes = np.linalg.norm(Z @ V, axis=1)
    return OwnStates(T, eigenvalues, moves, _nonzero(sizes), tuple(map(str, linear.coordinates)))


def _balanced(space: StateSpace, k: int, s: Complex, names: tuple[str, ...]) -> OwnStates:
    """In units that balance A, which are powers of two."""
    A = stacks(space)[0][k]
    scale = np.asarray(matrix_balance(A, permute=False, separate=True)[1][0])
    T = np.diag(scale)
    moves = np.eye(len(A)) * scale
    if space.linear is not None:
        Z = space.linear.reference.conditions.stacked(space.linear.Z)[k]
        moves = np.concatenate([Z, np.zeros((len(Z), len(A) - Z.shape[1]))], axis=1) * scale
    return OwnStates(T, s, moves, _nonzero(np.linalg.norm(moves, axis=1)), names)


def _nonzero(sizes: Array) -> Array:
    return np.where(sizes > 0, sizes, 1.0)


def _sorted(values: Complex) -> Complex:
    """By frequency and then by decay, so that conjugate ones are neighbours."""
    return values[np.lexsort((values.imag, values.real, np.round(np.abs(values.imag), 12)))]
