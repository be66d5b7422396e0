"""Whether densities that are no polynomials were evaluated at enough points."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from routh.analysis.given.large import is_large
from routh.analysis.rest.flexibility import refuse_stiff_functions
from routh.analysis.rest.result import Equilibrium
from routh.arrays import Array
from routh.errors import DerivationError, capital
from routh.kernels.kernel import kernel
from routh.mechanics.ritz.quadrature import finer

ENOUGH = 1e-8
"""Share of the matrices and of the forces by which twice as many points may change them."""


def refuse_few_points(reference: Equilibrium) -> None:
    """Refuse an equilibrium whose densities ask for more points than they got.

    The forces and the matrices there are evaluated with twice as many. Cells are as fine as what varies
    along the space asks for already (`resolve`); this is for what varies with the fields.
    """
    system = reference.system
    if all(rule.exact for rule in system.rules.values()):
        return
    found = np.atleast_1d(np.asarray(reference.converged)).reshape(-1)
    if not found.any():
        return
    if reference.q.any():  # what is at rest undeformed is so whatever its functions are
        refuse_stiff_functions(reference)
    off = _sparse_change(reference) if is_large(system) else _change(reference, found)
    if off > ENOUGH:
        counts = ", ".join(f"{rule.per_cell} along `{space}`" for space, rule in system.rules.items())
        raise DerivationError(
            f"{capital(system.title)} is discretized with too few points: twice as many change its"
            f" equations by {off:.1e}. It has {counts} in each cell. Ask for more with"
            " discretize(..., points=...); where properties jump, put a node there with"
            " Elements((0, ..., 1))."
        )


def _change(reference: Equilibrium, found: NDArray[np.bool_]) -> float:
    """The largest share by which twice as many points change the equations of those found."""
    system, point = reference.system, reference.point()
    engine, fine = kernel(system), kernel(finer(system))
    E, more_E = (each.about(point).residual(point.arguments)[found] for each in (engine, fine))
    ours, theirs = ([X[found] for X in each.matrices(point)] for each in (engine, fine))
    K = ours[2]
    n = point.q.shape[1]
    forces = np.einsum("kij,kj->ki", np.abs(K[..., :n]), np.abs(point.q[found]))
    with np.errstate(invalid="ignore", divide="ignore"):
        off_X = [_largest(Y - X) / _largest(X) for X, Y in zip(ours, theirs, strict=True)]
        size = forces.max(axis=1, initial=0.0)
        off_E = np.where(size > 0, np.abs(more_E - E).max(axis=1, initial=0.0) / size, 0.0)
    return float(np.nanmax(np.fmax.reduce([*off_X, off_E]), initial=0.0))


def _largest(X: Array) -> Array:
    return np.asarray(np.abs(X).max(axis=(1, 2), initial=0.0))


def _sparse_change(reference: Equilibrium) -> float:
    """The same for one point of a system of very many coordinates."""
    system, point = reference.system, reference.point()
    engine, fine = kernel(system), kernel(finer(system))
    E, more_E = (each.at_rest.residual(point.arguments)[0] for each in (engine, fine))
    ours, theirs = (each.sparse.matrices(point.arguments) for each in (engine, fine))
    sizes = [float(abs(X).max()) for X in ours]
    changes = [float(abs(Y - X).max()) for X, Y in zip(ours, theirs, strict=True)]
    shares = [change / size for change, size in zip(changes, sizes, strict=True) if size > 0]
    force = float((abs(ours[2]) @ np.abs(point.q[0])).max(initial=0.0))
    if force > 0:
        shares.append(float(np.abs(more_E - E).max(initial=0.0)) / force)
    return max(shares, default=0.0)
