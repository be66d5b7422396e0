"""The matrices of a linear model of very many coordinates, sparse."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy

from routh.analysis.given.large import refuse_other_sums
from routh.analysis.rest.result import Equilibrium
from routh.kernels.blocks import row_sizes
from routh.kernels.engine import Kernel, Point

Matrices = tuple[Any, Any, Any, Any, Any]


def large_matrices(engine: Kernel, reference: Equilibrium, time: float) -> Matrices:
    """M, D, G, K and H at a time, sparse."""
    refuse_other_sums(engine)
    M, C, K = engine.sparse.matrices(reference.point(time).arguments)
    none = scipy.sparse.csr_array(M.shape)
    damped, circulatory = engine.forces_depend_on_velocity, engine.forces_depend_on_position
    D = (C + C.T) / 2 if damped else none
    H = (K - K.T) / 2 if circulatory else none
    return (M + M.T) / 2, D, (C - C.T) / 2, (K + K.T) / 2, H


def sparse_blocks(engine: Kernel, point: Point) -> dict[str, Any]:
    """The blocks of a linear model about a rest, as `kernels/blocks` has them, sparse but for B."""
    M, C, K = engine.sparse.matrices(point.arguments)
    B = engine.at_rest.input_columns(point.arguments)
    return {"M": M, "D + G": C, "K + H": K, "B": B}


def sparse_differing(found: dict[str, Any], other: dict[str, Any], share: float) -> list[str]:
    """The names of blocks that differ by more than a share of how large entries could be.

    Entries that are zero are not looked at: an entry that was and is not any more has changed.
    """
    rows = row_sizes({name: _largest(block) for name, block in found.items() if name != "B"})
    names = [name for name, size in rows.items() if _beyond(found[name], other[name], share, size)]
    size = np.abs(found["B"]).max(axis=2, initial=0)[..., None]
    inputs = [] if (np.abs(found["B"] - other["B"]) <= share * size).all() else ["B"]
    return names + inputs


def _largest(X: Any) -> Any:
    """(n,): the largest entry of each row."""
    return abs(X).max(axis=1).toarray().ravel()


def _beyond(X: Any, other: Any, share: float, size: Any) -> bool:
    """Whether an entry of sparse X is off by more than a share of sqrt(size_i size_j)."""
    bound = abs(X).sign()
    root = scipy.sparse.diags_array(np.sqrt(share * size))
    return not (abs(X - other) - root @ bound @ root).max() <= 0
