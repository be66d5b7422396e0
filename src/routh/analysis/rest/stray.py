"""Forces of rounding size on coordinates that nothing holds: no reason against an equilibrium.

Torques of gravity compensation that were computed in doubles leave 1e-16 on a vertical axis. Forces
on different coordinates have different units, so they are compared as force / sqrt(M_ii), which a
change of the units of one coordinate leaves as it is.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from routh.arrays import Array
from routh.errors import quoted
from routh.kernels.engine import Kernel, Point
from routh.mechanics.turns import turns

STRAY = 64 * float(np.finfo(float).eps)
"""Share of the largest force below which one on a free coordinate is rounding of what was given: a few
dozen operations with numbers of the size of that force."""


def stray(engine: Kernel, point: Point) -> NDArray[np.bool_]:
    """(N, n) which equations consist of a constant force that is rounding beside the other forces.

    Only equations without any coordinate or multiplier are looked at. Where no other force acts, there
    is nothing that could have been rounded, and a small force is one.
    """
    about = engine.about(point)
    n = point.q.shape[1]
    none = np.zeros((len(point.q), n), dtype=bool)
    constant = [k for k in range(n) if not about.varies_with_position(k)]
    if not constant:
        return none
    E = about.residual(point.arguments)[:, :n]
    acting = [k for k in constant if E[:, k].any()]
    if not acting:
        return none
    with np.errstate(all="ignore"):
        inertia = np.diagonal(engine.matrices(point)[0], axis1=1, axis2=2)
        weight = np.where(inertia > 0, 1 / np.sqrt(np.where(inertia > 0, inertia, 1.0)), 0.0)
        others = weight * _sizes(engine, point)
    others[:, acting] = 0.0  # a force that was rounded measures no other
    largest = np.nan_to_num(others, nan=0.0, posinf=0.0).max(axis=1, keepdims=True)
    small = (weight > 0) & (weight * np.abs(E) <= STRAY * largest)
    none[:, acting] = small[:, acting] & (E[:, acting] != 0)
    return none


def _sizes(engine: Kernel, point: Point) -> Array:
    """(N, n): the forces in each equation.

    What inputs and parameters exert, and what stiffness makes of the position, or of one radian for an
    angle.
    """
    n = point.q.shape[1]
    slopes = engine.about(point).slopes(point.arguments)
    angle = np.array([turn is not None for turn in turns(engine.system)])
    reach = np.where(angle, 1.0, np.abs(point.q))
    size = np.einsum("kmn,kn->km", np.abs(engine.tangent(point)[:, :n, :n]), reach)
    for name, numbers in (("u", point.u), ("p", point.p)):
        size += np.einsum("kmn,kn->km", np.abs(slopes[name][:, :n]), np.abs(numbers))
    return np.asarray(size)


def said(engine: Kernel, point: Point) -> str:
    """Names the forces that were taken for rounding at one point, as a sentence or nothing."""
    taken = np.flatnonzero(stray(engine, point)[0])
    if not len(taken):
        return ""
    force = engine.about(point).residual(point.arguments)[0]
    listed = ", ".join(f"{-force[k]:.3g}" for k in taken)
    one = len(taken) == 1
    return (
        f" {'A force of' if one else 'Forces of'} {listed} on"
        f" {quoted(engine.system.coordinates[k] for k in taken)}, rounding beside the other forces,"
        f" {'was' if one else 'were'} taken for zero."
    )
