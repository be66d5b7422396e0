"""Whether densities that are no polynomials were evaluated at enough points."""

from __future__ import annotations

import numpy as np

from routh.analysis.flexibility import refuse_stiff_functions
from routh.analysis.steady import Equilibrium
from routh.errors import DerivationError, capital
from routh.kernels.batch import Array
from routh.kernels.kernel import kernel
from routh.mechanics.quadrature import finer

ENOUGH = 1e-8
"""Share of the matrices and of the forces by which twice as many points may change them."""


def _largest(X: Array) -> Array:
    return np.asarray(np.abs(X).max(axis=(1, 2), initial=0.0))


def refuse_few_points(reference: Equilibrium) -> None:
    """Refuse an equilibrium whose densities ask for more points than they got.

    The forces and the matrices there are evaluated with twice as many.
    """
    system = reference.system
    if all(rule.exact for rule in system.rules.values()):
        return
    found = np.atleast_1d(np.asarray(reference.converged)).reshape(-1)
    if not found.any():
        return
    refuse_stiff_functions(reference)
    point = reference.point()
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
    off = float(np.nanmax(np.fmax.reduce([*off_X, off_E]), initial=0.0))
    if off > ENOUGH:
        counts = ", ".join(f"{rule.per_cell} along `{space}`" for space, rule in system.rules.items())
        raise DerivationError(
            f"{capital(system.title)} is discretized with too few points: twice as many change its"
            f" equations by {off:.1e}. It has {counts} in each cell. Ask for more with"
            " discretize(..., points=...); where properties jump, put a node there with"
            " Elements((0, ..., 1))."
        )
