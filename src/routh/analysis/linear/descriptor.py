"""The linear model in all coordinates and multipliers: the full form of a constrained system."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from routh.analysis.pieces.kinks import smooth_at
from routh.analysis.rest.result import Equilibrium
from routh.arrays import Array
from routh.kernels.blocks import blocks
from routh.kernels.kernel import kernel
from routh.language.symbols import Input
from routh.recorded import Recorded
from routh.shown import as_html


@dataclass(frozen=True, eq=False, repr=False)
class Descriptor(Recorded):
    """`M x'' + C x' + K x = B u` for x = (deviations of q, deviations of the multipliers).

    The upper n rows are the equations of motion, `M = [[M, 0], [0, 0]]`, and K has J^T beside the
    stiffness with the multiplier-weighted Hessian of the constraints (less Q_multipliers where forces
    depend on those of constraints). Of the lower c rows those of a
    holonomic constraint are J in K; those of a velocity constraint J in C and dphi/dq in K.

    Attributes:
        M, C, K: (..., n + c, n + c).
        B: (..., n + c, p) for the inputs of the linear model.
        inputs: what the columns of B belong to.
    """

    M: Annotated[Array, "*batch size size"]
    C: Annotated[Array, "*batch size size"]
    K: Annotated[Array, "*batch size size"]
    B: Annotated[Array, "*batch size p"]
    inputs: tuple[Input, ...]

    @property
    def pencil(
        self,
    ) -> tuple[Annotated[Array, "*batch 2*size 2*size"], Annotated[Array, "*batch 2*size 2*size"]]:
        """E and A of the same as `E y' = A y + ...` for y = (x, x'), both (..., 2n + 2c, 2n + 2c)."""
        one, zero = np.broadcast_to(np.eye(self.M.shape[-1]), self.M.shape), np.zeros_like(self.M)
        return np.block([[one, zero], [zero, self.M]]), np.block([[zero, one], [-self.K, -self.C]])

    def __repr__(self) -> str:
        return f"Descriptor(M {self.M.shape}, B {self.B.shape})"

    _repr_html_ = as_html


def descriptor(reference: Equilibrium, inputs: Sequence[Input], time: float | None) -> Descriptor:
    """The full form about an equilibrium."""
    engine = kernel(reference.system)
    point = reference.point(time or 0.0)
    M, C, K, B, J, slope = blocks(engine, point).values()
    broken = smooth_at(engine, point, order=1).broken
    for part in (M, C, K, B):
        part[broken] = np.nan
    count, c, n = J.shape
    by_u = engine.about(point).slopes(point.arguments)["u"][:, n:]
    holonomic = np.array(reference.system.is_holonomic, dtype=bool)[:, None]
    none = np.zeros((count, n, c))
    corner = np.zeros((count, c, c))
    places = [engine.signals.index(u) for u in inputs]
    fold = reference.conditions.folded
    return Descriptor(
        M=fold(np.block([[M, none], [none.swapaxes(1, 2), corner]])),
        C=fold(np.block([[C, none], [np.where(holonomic, 0.0, J), corner]])),
        K=fold(np.block([[K, engine.tangent(point)[:, :n, n:]], [slope, corner]])),
        B=fold(np.concatenate([B, -by_u], axis=1)[..., places]),
        inputs=tuple(inputs),
    )
