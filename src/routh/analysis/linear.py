"""The linear model about an equilibrium, as arrays straight from second derivatives of L."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from routh.analysis.equilibrium import Equilibrium
from routh.analysis.time import PROBES, Blocks, blocks, varying
from routh.errors import DerivationError, SolveError, quoted
from routh.kernels.batch import Array
from routh.kernels.kernel import Kernel, kernel
from routh.language.symbols import Coordinate, Input
from routh.language.system import System


@dataclass(frozen=True)
class LinearModel:
    """`M eta'' + (D + G) eta' + (K + H) eta = B u` about an equilibrium; D, K symmetric, G, H skew.

    Attributes:
        M, D, G, K, H: (..., r, r) mass, damping, gyroscopic, stiffness, circulatory matrix.
        B: (..., r, p) input matrix; `inputs` names its columns, a derivative of an input being an
            input of its own.
        Z: (..., n, r) basis of the admissible motions: the coordinates move by `Z eta`. Without
            constraints it is the unit matrix.
        reference: the equilibrium.
        at_time: the time at which matrices that depend on time were frozen, or None.
    """

    reference: Equilibrium = field(repr=False)
    M: Array
    D: Array
    G: Array
    K: Array
    H: Array
    B: Array
    Z: Array = field(repr=False)
    inputs: tuple[Input, ...]
    at_time: float | None = None

    @property
    def system(self) -> System:
        """The system it is the model of."""
        return self.reference.system

    @property
    def coordinates(self) -> tuple[Coordinate, ...]:
        """The coordinates of the system, the rows of Z."""
        return self.system.coordinates

    @property
    def shape(self) -> tuple[int, ...]:
        """The batch shape, `()` for one point."""
        return self.reference.conditions.shape

    def __str__(self) -> str:
        head = f"Linear model of {self.system.title}"
        if self.shape:
            return f"{head}, {self.M.shape[-1]} degrees of freedom, batch of shape {self.shape}."
        lines = [f"{head}: M eta'' + (D + G) eta' + (K + H) eta = B u"]
        for name in "MDGKHB":
            matrix = getattr(self, name)
            if name in "MK" or matrix.any():
                rows = np.array2string(matrix, precision=8, suppress_small=True, prefix=" " * 4)
                lines.append(f"{name} = {rows}")
        return "\n".join(lines)


def linearize(reference: Equilibrium, *, at_time: float | None = None) -> LinearModel:
    """The linear model about an equilibrium.

    With constraints it is the model on the admissible motions, `Z^T M Z` and so on, with the
    multiplier-weighted Hessian of the constraints in K. A point of a batch where no equilibrium was
    found has NaN for matrices.

    Arguments:
        reference: what `equilibrium` returned.
        at_time: where the matrices depend on time although the position does not, the time at
            which to freeze them. Eigenvalues of frozen matrices say nothing about stability.

    Raises:
        DerivationError: the matrices depend on time and `at_time` is not given.
    """
    if not isinstance(reference, Equilibrium):
        raise DerivationError(
            f"linearize needs an Equilibrium, as equilibrium(system, values) returns it. Got a"
            f" {type(reference).__name__}."
        )
    if not reference.conditions.shape and not reference.converged:
        raise SolveError(
            f"linearize needs an equilibrium that was found. Got one with status: {reference.status}",
            reference,
        )
    engine = kernel(reference.system)
    moving: list[str] = []
    if reference.conditions.may_change_in_time(engine):
        moving = varying([blocks(engine, reference.point(time)) for time in PROBES])
    if moving and at_time is None:
        raise DerivationError(
            f"The linear model of {reference.system.title} depends on time, although its"
            f" equilibrium does not: {quoted(moving)} {'changes' if len(moving) == 1 else 'change'}."
            " Eigenvalues of frozen matrices would be wrong; at_time= freezes them on purpose."
        )
    frozen = at_time if moving else None
    found = blocks(engine, reference.point(frozen or 0.0))
    return _model(engine, reference, found, frozen)


def _model(engine: Kernel, reference: Equilibrium, found: Blocks, at_time: float | None) -> LinearModel:
    """The blocks on the admissible motions, split into symmetric and skew parts."""
    M, C, K, B, J = found.values()
    Z = _admissible(J)
    if J.shape[1]:
        Zt = Z.swapaxes(1, 2)
        M, C, K, B = Zt @ M @ Z, Zt @ C @ Z, Zt @ K @ Z, Zt @ B
    lost = ~np.atleast_1d(reference.converged).reshape(-1)
    if lost.any():
        for block in (M, C, K, B):
            block[lost] = np.nan  # there is no equilibrium to have a linear model of
    # Constant matrices: sym(C) = dM/dt + sym(N_v) and skew(K) = dG/dt / 2 + skew(N_q), N = D_v - Q.
    damped = at_time is not None or engine.forces_depend_on_velocity
    circulatory = at_time is not None or engine.forces_depend_on_position
    fold = reference.conditions.folded
    return LinearModel(
        reference=reference,
        M=fold(_symmetric(M)),
        D=fold(_symmetric(C) if damped else np.zeros_like(C)),
        G=fold(_skew(C)),
        K=fold(_symmetric(K)),
        H=fold(_skew(K) if circulatory else np.zeros_like(K)),
        B=fold(B),
        Z=fold(Z),
        inputs=tuple(engine.signals[k] for k in engine.acting),
        at_time=at_time,
    )


def _symmetric(matrix: Array) -> Array:
    part = matrix + matrix.swapaxes(-1, -2)
    part /= 2
    return part


def _skew(matrix: Array) -> Array:
    part = matrix - matrix.swapaxes(-1, -2)
    part /= 2
    return part


def _admissible(J: Array) -> Array:
    """(N, n, r): an orthonormal basis of the null space of J, the same rank at every point."""
    count, c, n = J.shape
    if not c:
        return np.broadcast_to(np.eye(n), (count, n, n)).copy()
    _, values, rows = np.linalg.svd(J)
    ranks = np.sum(values > 1e-10 * values[:, :1], axis=1)
    if ranks.min() != ranks.max():
        raise DerivationError(
            "The rank of the constraints differs between the points of the batch"
            f" ({ranks.min()} to {ranks.max()}). Linearize these points one by one."
        )
    basis: Array = rows[:, ranks[0] :].swapaxes(1, 2)
    largest = np.take_along_axis(basis, np.abs(basis).argmax(axis=1)[:, None], axis=1)
    return basis * np.sign(largest)
