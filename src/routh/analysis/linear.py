"""The linear model about an equilibrium, as arrays straight from second derivatives of L."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from routh.analysis.equilibrium import Equilibrium
from routh.analysis.time import PROBES, changes
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
    timed = engine.depends_on_time or reference.conditions.has_moving_inputs
    blocks = _blocks(engine, reference, PROBES[1] if timed else PROBES[0])
    varying = _varying(engine, reference, blocks) if timed else []
    if varying and at_time is None:
        raise DerivationError(
            f"The linear model of {reference.system.title} depends on time, although its"
            f" equilibrium does not: {quoted(varying)} {'changes' if len(varying) == 1 else 'change'}."
            " Eigenvalues of frozen matrices would be wrong; at_time= freezes them on purpose."
        )
    if varying and at_time is not None:
        blocks = _blocks(engine, reference, float(at_time))
    return _model(engine, reference, blocks, at_time if varying else None)


Blocks = dict[str, Array]

NOISE_RATE = 1e-3
"""1/s: a system without stiffness and gyroscopic forces is taken to be slower than this only if
its matrices change by more than CHANGE of what this rate would make of its masses."""


def _blocks(engine: Kernel, reference: Equilibrium, time: float) -> Blocks:
    """M, C, K, B of the whole system and J, stacked, at one time."""
    point = reference.point(time)
    M, C, K = engine.matrices(point, at_rest=True)
    B = engine.input_columns(point)[..., list(engine.acting)]
    return {"M": M, "D + G": C, "K + H": K, "B": B, "J": engine.constraint_jacobian(point)}


def _varying(engine: Kernel, reference: Equilibrium, blocks: Blocks) -> list[str]:
    """The names of the blocks that differ from time to time."""
    samples = [_blocks(engine, reference, time) for time in PROBES]
    sizes = _sizes(blocks)
    return [
        name
        for name, block in blocks.items()
        if block.size and changes(np.stack([s[name] for s in samples]), sizes[name]).any()
    ]


def _sizes(blocks: Blocks) -> Blocks:
    """How large the entries of each block could be, from the rows of all of them.

    Where C or K cancels, its size follows from the others: C^2 is compared with M K.
    """
    row = {name: np.abs(block).max(axis=2, initial=0) for name, block in blocks.items()}
    M, C, K = row["M"], row["D + G"], row["K + H"]
    row["D + G"] = np.maximum.reduce([C, np.sqrt(M * K), NOISE_RATE * M])
    with np.errstate(divide="ignore", invalid="ignore"):
        inertial = np.where(M > 0, C**2 / M, 0.0)
    row["K + H"] = np.maximum.reduce([K, inertial, NOISE_RATE**2 * M])
    return {
        name: np.broadcast_to(size[:, :, None], blocks[name].shape)
        if name in ("B", "J")
        else np.sqrt(size[:, :, None] * size[:, None, :])
        for name, size in row.items()
    }


def _model(
    engine: Kernel, reference: Equilibrium, blocks: Blocks, at_time: float | None
) -> LinearModel:
    M, C, K, B, J = blocks.values()
    Z = _admissible(J)
    if J.shape[1]:
        Zt = Z.swapaxes(1, 2)
        M, C, K, B = Zt @ M @ Z, Zt @ C @ Z, Zt @ K @ Z, Zt @ B
    lost = ~np.atleast_1d(reference.converged).reshape(-1)
    for block in (M, C, K, B):
        block[lost] = np.nan  # there is no equilibrium to have a linear model of
    D, G = _halves(C)
    K, H = _halves(K)
    if at_time is None:  # constant matrices: sym(C) = dM/dt + ..., skew(K) = dG/dt / 2 + ...
        D = D if engine.forces_depend_on_velocity else np.zeros_like(D)
        H = H if engine.forces_depend_on_position else np.zeros_like(H)
    fold = reference.conditions.folded
    return LinearModel(
        reference=reference, M=fold(_halves(M)[0]), D=fold(D), G=fold(G), K=fold(K), H=fold(H),
        B=fold(B), Z=fold(Z), inputs=tuple(engine.signals[k] for k in engine.acting),
        at_time=at_time,
    )  # fmt: skip


def _halves(matrix: Array) -> tuple[Array, Array]:
    """Symmetric and skew part."""
    transposed = matrix.swapaxes(-1, -2)
    return (matrix + transposed) / 2, (matrix - transposed) / 2


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
