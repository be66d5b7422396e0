"""A linear model: its matrices, and what is read off them."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from routh.analysis.linear.along import LinearAlong
from routh.analysis.linear.canonical import CanonicalModel, canonical_model
from routh.analysis.linear.constant_momenta import kept_momenta, without_cyclic
from routh.analysis.linear.descriptor import Descriptor, descriptor
from routh.analysis.linear.own_motions import OwnMatrices, Place, own_matrices, with_noise
from routh.analysis.rest.result import Equilibrium
from routh.arrays import Array
from routh.errors import (
    DerivationError,
    a_kind,
    listed,
)
from routh.kernels.engine import Engine
from routh.language.symbols import Coordinate, Input
from routh.language.system import System
from routh.recorded import Recorded
from routh.shown import as_html


@dataclass(frozen=True, eq=False, repr=False)
class LinearModel(Recorded):
    """`M eta'' + (D + G) eta' + (K + H) eta = B u` about an equilibrium; D, K symmetric, G, H skew.

    Attributes:
        M, D, G, K, H: (..., r, r) mass, damping, gyroscopic, stiffness, circulatory matrix. Sparse
            matrices of SciPy for one point of a discretized system with very many coordinates.
        B: (..., r, p) input matrix; `inputs` names its columns, a derivative of an input being an
            input of its own.
        Z: (..., n, r) basis of the admissible displacements: the coordinates move by `Z eta`, or by
            `Z eta + Y u` where inputs move constraints. Without constraints it is the unit matrix.
        Y: (..., n, p) how inputs carry the coordinates along.
        R, W: (..., k, r) velocity constraints that are left, `R eta' + W eta + S u = 0`, in their
            order, held by forces along R: then `M eta'' + (D + G) eta' + (K + H) eta + R^T mu = B u`,
            mu being the deviations of their multipliers. k is 0 without any.
        S: (..., k, p) how inputs enter them.
        reference: the equilibrium.
        time: the time at which matrices that depend on time were frozen, or None.
        held: (..., n, k) displacements of what turns, where its momenta are held, or None.
        engine: what evaluated the matrices, "casadi", "c" or "cuda".
    """

    reference: Equilibrium
    M: Annotated[Any, "*batch r r"]
    D: Annotated[Any, "*batch r r"]
    G: Annotated[Any, "*batch r r"]
    K: Annotated[Any, "*batch r r"]
    H: Annotated[Any, "*batch r r"]
    B: Annotated[Array, "*batch r p"]
    Z: Annotated[Any, "*batch n r"]
    Y: Annotated[Array, "*batch n p"]
    R: Annotated[Array, "*batch k r"]
    W: Annotated[Array, "*batch k r"]
    S: Annotated[Array, "*batch k p"]
    inputs: tuple[Input, ...]
    time: float | None = None
    held: Annotated[Array, "*batch n turning"] | None = None
    engine: Engine = Engine.CASADI

    @property
    def system(self) -> System:
        """The system it is the model of."""
        return self.reference.system

    @property
    def coordinates(self) -> tuple[Coordinate, ...]:
        """The coordinates of the system, the rows of Z."""
        return self.system.coordinates

    @property
    def displacements(self) -> tuple[str, ...]:
        """The names of eta: the coordinates where Z is the unit matrix, else eta1, eta2 and so on."""
        names = tuple(q.name for q in self.coordinates)
        if self.is_sparse or (
            self.Z.shape[-1] == len(names) and bool(np.all(np.eye(len(names)) == self.Z))
        ):
            return names
        letter = "eta"
        while any(name.startswith(letter) for name in names):
            letter += "_"
        return tuple(f"{letter}{k + 1}" for k in range(self.Z.shape[-1]))

    @property
    def shape(self) -> tuple[int, ...]:
        """The batch shape, `()` for one point."""
        return self.reference.conditions.shape

    @property
    def is_sparse(self) -> bool:
        """Whether the matrices are sparse, as for systems of very many coordinates."""
        return not isinstance(self.M, np.ndarray)

    @property
    def is_holonomic(self) -> bool:
        """Whether no velocity constraints are left, so that the matrices alone are the model."""
        return not self.R.shape[-2]

    @cached_property
    def descriptor(self) -> Descriptor:
        """The full form in all coordinates and multipliers, before admissible motions are chosen."""
        return descriptor(self.reference, self.inputs, self.time)

    @cached_property
    def canonical(self) -> CanonicalModel:
        """The linear model of Hamilton's equations, in coordinates and momenta.

        Raises:
            DerivationError: there are constraints, or the matrix depends on time.
        """
        return canonical_model(self.reference)

    @cached_property
    def keeps_momenta(self) -> Annotated[NDArray[np.bool_], "*batch"]:
        """(...) where the momenta of what turns in a steady motion stay constant."""
        if not self.is_holonomic or not self.reference.turning:
            return np.zeros(self.shape, dtype=bool)
        stacked, fold = self.reference.conditions.stacked, self.reference.conditions.folded
        M, D, G, K, H, Z = (stacked(getattr(self, name)) for name in "MDGKHZ")
        return fold(kept_momenta(M, D + G, K + H, Z, self.reference.turning))

    @cached_property
    def at_constant_momenta(self) -> LinearModel:
        """The model without the coordinates that turn in a steady motion, by Routh's reduction.

        Their momenta are held; `B` keeps the rows of what is left. It is the model itself about a
        rest, or where at some point damping or stiffness acts on what turns (`keeps_momenta`).
        """
        if not np.all(self.keeps_momenta):
            return self
        stacked, fold = self.reference.conditions.stacked, self.reference.conditions.folded
        M, D, G, K, H, Z = (stacked(getattr(self, name)) for name in "MDGKHZ")
        M, C, K, Y, held = without_cyclic(M, D + G, K + H, Z, self.reference.turning)
        return replace(
            self,
            M=fold(symmetric(M)),
            D=fold(symmetric(C) * stacked(self.D).any(axis=(1, 2), keepdims=True)),
            G=fold(skew(C)),
            K=fold(symmetric(K)),
            H=fold(skew(K) * stacked(self.H).any(axis=(1, 2), keepdims=True)),
            B=fold(Y.swapaxes(1, 2) @ Z @ stacked(self.B)),
            Z=fold(Y),
            R=self.R[..., : Y.shape[2]],
            W=self.W[..., : Y.shape[2]],
            held=fold(held),
        )

    @cached_property
    def own(self) -> OwnMatrices:
        """The matrices as they are judged: in their own units, or along their own motions."""
        stacked = self.reference.conditions.stacked
        M, D, G, K, H = (stacked(getattr(self, name)) for name in "MDGKH")
        return own_matrices(self.place, (M, D, G, K, H))

    @cached_property
    def own_with_noise(self) -> OwnMatrices:
        """The same, with bounds that contain the rounding of the energies at every point."""
        return with_noise(self.place, self.own)

    @property
    def place(self) -> Place:
        """Where the matrices are evaluated."""
        stacked = self.reference.conditions.stacked
        Z = stacked(self.Z)
        held = np.zeros((*Z.shape[:2], 0)) if self.held is None else stacked(self.held)
        return Place(self.reference, Z, held, self.time or 0.0)

    def chosen(self, index: NDArray[np.intp]) -> LinearModel:
        """Some points of the batch as a batch of one axis."""
        stacked = self.reference.conditions.stacked
        matrices: dict[str, Any] = {name: stacked(getattr(self, name))[index] for name in "MDGKHBZYRWS"}
        held = None if self.held is None else stacked(self.held)[index]
        return replace(self, reference=self.reference.chosen(index), held=held, **matrices)

    def single(self, k: int) -> LinearModel:
        """One point of the batch alone, by its number."""
        reference = self.reference.single(k)
        one = self.chosen(np.array([k]))
        matrices: dict[str, Any] = {name: getattr(one, name)[0] for name in "MDGKHBZYRWS"}
        held = None if one.held is None else one.held[0]
        return replace(self, reference=reference, held=held, **matrices)

    def __repr__(self) -> str:
        return f"LinearModel({self.system.title}, M {self.M.shape}, inputs {listed(self.inputs)})"

    def __str__(self) -> str:
        head = f"Linear model of {self.system.title}"
        if self.time is not None:
            head += f", frozen at t = {self.time:g}"
        if self.is_sparse:
            return f"{head}, {self.M.shape[-1]} degrees of freedom, sparse matrices."
        if self.shape:
            return f"{head}, {self.M.shape[-1]} degrees of freedom, batch of shape {self.shape}."
        lines = [f"{head}: M eta'' + (D + G) eta' + (K + H) eta = B u"]
        if not self.is_holonomic:
            lines[0] += " - R^T mu, R eta' + W eta + S u = 0"
        for name in "MDGKHBRWS":
            matrix = getattr(self, name)
            if name in "MK" or matrix.any():
                rows = np.array2string(matrix, precision=8, suppress_small=True, prefix=" " * 4)
                rows = re.sub(r"-(?=0\.[ \]])", " ", rows)  # what is shown as zero has no sign
                lines.append(f"{name} = {rows}")
        return "\n".join(lines)

    _repr_html_ = as_html


def constant_model(given: object, verb: str) -> LinearModel:
    """What was given, if it is a linear model with constant matrices."""
    if isinstance(given, LinearModel):
        return given
    if isinstance(given, LinearAlong):
        raise DerivationError(
            f"{verb} needs constant matrices, and those along a motion depend on time: eigenvalues of"
            " frozen ones decide nothing. floquet judges periodic motions; motion.transition, with"
            " variations=True, is what small changes really do."
        )
    raise DerivationError(
        f"{verb} needs a LinearModel, as linearize(...) returns it. Got {a_kind(given)}."
    )


def symmetric(matrix: Array) -> Array:
    """The symmetric part."""
    part = matrix + matrix.swapaxes(-1, -2)
    part /= 2
    return part


def skew(matrix: Array) -> Array:
    """The skew part."""
    part = matrix - matrix.swapaxes(-1, -2)
    part /= 2
    return part
