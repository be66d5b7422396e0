"""The derivatives of a linear model in all coordinates and multipliers, the rest moving along.

Admissible motions are not chosen: their basis would move as well. Eigenvalues and answers of the full
form are those of the reduced one. Without constraints the model may be taken along motions of its own,
which stay as they are: soft ones beside stiff ones keep their digits there.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from routh.analysis.given.protocols import Found
from routh.analysis.sensitivities.moved_rest import LEFT, Moves, point_at, times_of
from routh.arrays import Array, Mask
from routh.kernels.engine import Kernel, Point
from routh.kernels.kernel import kernel

Blocks = dict[str, Array]


@dataclass(frozen=True, eq=False)
class PencilSlopes:
    """Derivatives of the matrices of a descriptor, (N, P, size, size), and of B for every signal.

    `known` (N, P) says where there are such, the same at all times.
    """

    M: Array
    C: Array
    K: Array
    B: Array
    known: Mask


def pencil_slopes(rest: Found, moved: Moves, V: Array | None = None) -> PencilSlopes:
    """The derivatives of the linear model by each knob, along V where V (N, n, n) is given."""
    engine = kernel(rest.system)
    each, known = [], moved.known.copy()
    for k in range(len(moved.knobs)):
        found = [
            _turned(engine, point_at(rest, time), moved.at(k, engine, time), V)
            for time in times_of(rest)
        ]
        for other in found[1:]:
            known[:, k] &= _alike(found[0], other)
        each.append(_descriptor(rest, found[0]))
    M, C, K, B = (np.stack(column, axis=1) for column in zip(*each, strict=True))
    return PencilSlopes(M, C, K, B, known)


def _turned(engine: Kernel, point: Point, turn: Point, V: Array | None) -> Blocks:
    """How the blocks change."""
    about = engine.in_motion if turn.v.any() else engine.about(point)
    found = about.turned(point.arguments, turn.arguments, V)
    if V is None:
        return found
    across = V.swapaxes(1, 2)
    return found | {name: across @ found[name] for name in ("M", "D + G", "K + H", "B")}


def _alike(found: Blocks, other: Blocks) -> Mask:
    """(N,) where two sets of blocks are the same but for rounding."""
    result = np.ones(len(found["M"]), dtype=bool)
    for name, X in found.items():
        size = np.abs(X).max(axis=(1, 2), initial=0)
        result &= np.abs(X - other[name]).max(axis=(1, 2), initial=0) <= LEFT * size
    return result


def _descriptor(rest: Found, by: Blocks) -> tuple[Array, Array, Array, Array]:
    """The blocks of one knob in the places that `linear.descriptor` has them in."""
    J = by["J"]
    count, c, n = J.shape
    none, corner = np.zeros((count, n, c)), np.zeros((count, c, c))
    holonomic = np.array(rest.system.is_holonomic, dtype=bool)[:, None]
    return (
        np.block([[by["M"], none], [none.swapaxes(1, 2), corner]]),
        np.block([[by["D + G"], none], [np.where(holonomic, 0.0, J), corner]]),
        np.block([[by["K + H"], by["push"]], [by["W"], corner]]),
        np.concatenate([by["B"], -by["phi_u"]], axis=1),
    )
