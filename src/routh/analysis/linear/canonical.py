"""The linear model of Hamilton's equations, from second derivatives of the Lagrangian."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

import numpy as np

from routh.analysis.pieces.kinks import smooth_at
from routh.analysis.rest.result import Equilibrium
from routh.arrays import Array, Complex
from routh.errors import DerivationError, capital, quoted
from routh.kernels.blocks import Blocks, differing
from routh.kernels.engine import Kernel, Point
from routh.kernels.kernel import kernel
from routh.language.symbols import Momentum, momentum
from routh.language.system import System
from routh.recorded import Recorded
from routh.shown import as_html


@dataclass(frozen=True, eq=False)
class CanonicalModel(Recorded):
    """`x' = A x` for the deviations x = (dq, dp) of coordinates and momenta.

    `A = [[H_pq, H_pp], [-H_qq + Q_q + Q_v H_pq, -H_qp + Q_v H_pp]]`, with H_qp = H_pq^T and Q the
    forces that are not in H, damping included.

    Attributes:
        system: the system.
        A: (..., 2n, 2n) the matrix.
        Hqq, Hqp, Hpp: (..., n, n) second derivatives of H.
        Qq, Qv: (..., n, n) slopes of the forces.
    """

    system: System
    A: Annotated[Array, "*batch 2*n 2*n"]
    Hqq: Annotated[Array, "*batch n n"] = field(repr=False)
    Hqp: Annotated[Array, "*batch n n"] = field(repr=False)
    Hpp: Annotated[Array, "*batch n n"] = field(repr=False)
    Qq: Annotated[Array, "*batch n n"] = field(repr=False)
    Qv: Annotated[Array, "*batch n n"] = field(repr=False)

    @property
    def momenta(self) -> tuple[Momentum, ...]:
        """The momenta, in the order of the coordinates."""
        return tuple(momentum(q) for q in self.system.coordinates)

    @property
    def is_hamiltonian(self) -> bool:
        """Whether no force is left outside of H, so that I A is symmetric."""
        return not (self.Qq.any() or self.Qv.any())

    @property
    def eigenvalues(self) -> Annotated[Complex, "*batch 2*n"]:
        """(..., 2n) eigenvalues of A, those that grow first."""
        found: Complex = np.linalg.eigvals(self.A).astype(complex)
        order = np.argsort(-found.real, axis=-1, kind="stable")
        return np.take_along_axis(found, order, axis=-1)

    _repr_html_ = as_html


def canonical_model(reference: Equilibrium) -> CanonicalModel:
    """The linear model of Hamilton's equations about an equilibrium.

    Raises:
        DerivationError: there are constraints, or the matrix depends on time.
    """
    system = reference.system
    if system.constraints:
        raise DerivationError(
            f"{capital(system.title)} has constraints; the linear model in momenta is for systems"
            " without. Use the matrices of linearize."
        )
    engine = kernel(system)
    given = reference.conditions
    # time that drops out of Lagrange's equations need not drop out of momenta: it must not be written
    if engine.depends_on_time or given.may_change_in_time(engine):
        _refuse_moving(reference)
    parts = canonical_blocks(engine.second_derivatives(reference.point()))
    broken = smooth_at(engine, reference.point(), order=1).broken
    for part in parts.values():
        part[broken] = np.nan  # one point with a kink has no linear model that this could be asked of
    return CanonicalModel(system, **{name: given.folded(part) for name, part in parts.items()})


def canonical_blocks(found: dict[str, Array]) -> dict[str, Array]:
    """A and what it is made of, from second derivatives of L and the slopes of the forces."""
    M, F, Lqq, Qq, Qv = found.values()
    Hpp = 1 / M if M.shape[-1] == 1 else np.linalg.inv(M)
    Hpp = (Hpp + Hpp.swapaxes(1, 2)) / 2
    Hpq = -Hpp @ F
    Hqq = -Lqq + F.swapaxes(1, 2) @ Hpp @ F
    Hqp = Hpq.swapaxes(1, 2)
    A = np.concatenate(
        [
            np.concatenate([Hpq, Hpp], axis=2),
            np.concatenate([-Hqq + Qq + Qv @ Hpq, -Hqp + Qv @ Hpp], axis=2),
        ],
        axis=1,
    )
    return {"A": A, "Hqq": Hqq, "Hqp": Hqp, "Hpp": Hpp, "Qq": Qq, "Qv": Qv}


def outside(blocks: dict[str, Array]) -> Array:
    """(N, 2n, 2n): I A + A^T I^T with the symplectic form I, what forces outside of H make of it."""
    X = blocks["Qq"] + blocks["Qv"] @ blocks["Hqp"].swapaxes(1, 2)
    Y = blocks["Qv"] @ blocks["Hpp"]
    top = np.concatenate([X - X.swapaxes(1, 2), Y], axis=2)
    below = np.concatenate([-Y.swapaxes(1, 2), np.zeros_like(Y)], axis=2)
    return np.concatenate([top, below], axis=1)


def _refuse_moving(reference: Equilibrium) -> None:
    """A matrix that depends on time has eigenvalues that decide nothing."""

    def second(own: Kernel, point: Point) -> Blocks:
        return own.second_derivatives(point)

    def sizes(found: Blocks) -> Blocks:
        return {name: np.full_like(x, np.abs(x).max(initial=0)) for name, x in found.items()}

    def apart(found: Blocks, other: Blocks, share: float) -> list[str]:
        return differing(found, other, share, sizes)

    moving = reference.conditions.timeless.blocks(reference.point(0.0), second, apart)
    if moving:
        raise DerivationError(
            f"Hamilton's equations of {reference.system.title} about its equilibrium depend on time:"
            f" {quoted(moving)} {'changes' if len(moving) == 1 else 'change'} although the"
            " position does not, since the momenta at rest do. Eigenvalues of a frozen matrix are"
            " wrong; the matrices of linearize, from which the momenta are eliminated, are right."
        )
