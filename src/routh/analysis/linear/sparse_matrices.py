"""The matrices of a linear model of very many coordinates, sparse."""

from __future__ import annotations

from typing import Any

from scipy import sparse

from routh.analysis.given.large import refuse_other_sums
from routh.analysis.rest.result import Equilibrium
from routh.analysis.time.timeless import autonomous
from routh.errors import DerivationError
from routh.kernels.kernel import Kernel

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
