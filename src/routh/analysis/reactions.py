"""The forces of constraints: on the coordinates, and on a point."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import sympy

from routh.analysis.given.reading import own_expression
from routh.analysis.motion.trajectory import Trajectory
from routh.analysis.rest.result import Equilibrium
from routh.arrays import Array
from routh.errors import DeclarationError, DerivationError, a_kind, capital, listed, shortened
from routh.kernels.kernel import kernel
from routh.language.calculus import as_vector
from routh.language.names import vector_by_name
from routh.language.symbols import Coordinate
from routh.language.system import System
from routh.language.walk import leaves

ALL = 1e-6
"""Share of the forces that may be left when they are put together to one force at a point."""


def constraint_forces(result: Trajectory | Equilibrium, *, at: Any = None, of: Any = None) -> Array:
    """The forces with which constraints act on a system, along a motion or at an equilibrium.

    Arguments:
        result: what `simulate` or `equilibrium` returned.
        at: a point as a vector: the force on it, in its components. That is the one force there
            which does the same virtual work along the coordinates that move the point.
        of: which constraints: numbers counted from 0, or the expressions themselves; all if not given.
            Of constraints that depend on each other only their sum is determined; what one of them
            does is then by the multipliers of least norm.

    Returns:
        (..., n) the generalized forces -J^T multipliers, or (..., d) the force on a point of d
        components. Along a motion there is an axis of times before the last.

    Raises:
        DerivationError: the forces are not those of a single force at the point; name with `of` the
            constraints that act there.

    Example:
        >>> from routh import coordinates, ddt, System, vector, equilibrium
        >>> x, y = coordinates("x y")
        >>> bob = System(
        ...     kinetic=ddt(x) ** 2 + ddt(y) ** 2, potential=20 * y, constraints=[(x**2 + y**2 - 4) / 2]
        ... )
        >>> constraint_forces(equilibrium(bob, {}, guess={y: -1}), at=vector(x, y)) + 0.0
        array([ 0., 20.])
    """
    if not isinstance(result, (Trajectory, Equilibrium)):
        raise DerivationError(
            "constraint_forces needs a Trajectory or an Equilibrium, as simulate(...) and"
            f" equilibrium(...) return them. Got {a_kind(result)}."
        )
    system = result.system
    engine, point = kernel(system), result.point()
    chosen = _chosen(system, of)
    with np.errstate(all="ignore"):
        J = engine.constraint_jacobian(point)[:, chosen]
        forces = -np.einsum("kcn,kc->kn", J, point.multipliers[:, chosen])
    if at is not None:
        what = "The point `at` which a force acts"
        place = as_vector(vector_by_name(system, at, what), what)
        forces = _at_point(system, place, point, forces)
    steps = (len(result.t),) if isinstance(result, Trajectory) else ()
    return np.asarray(forces.reshape(*result.conditions.shape, *steps, forces.shape[1]))


def _chosen(system: System, of: Any) -> list[int]:
    """The places of the constraints that were asked for."""
    if not system.constraints:
        raise DerivationError(f"{capital(system.title)} has no constraints, so none of them acts.")
    if of is None:
        return list(range(len(system.constraints)))
    given = list(of) if isinstance(of, Sequence) and not isinstance(of, str) else [of]
    places = []
    for each in given:
        if isinstance(each, (int, np.integer)) and 0 <= each < len(system.constraints):
            places.append(int(each))
        elif isinstance(each, sympy.Expr) and each in system.constraints:
            places.append(system.constraints.index(each))
        else:
            raise DeclarationError(
                f"`of` must name constraints of {system.title}, by number below"
                f" {len(system.constraints)} or by expression. Got {each!r}."
            )
    return places


def _at_point(system: System, at: sympy.MatrixBase, point: Any, forces: Array) -> Array:
    """(N, d): the force at a point that does the same work."""
    components = [own_expression(system, r, "The point of a force") for r in at]
    moving = {s for s in leaves(components) if isinstance(s, Coordinate)}
    if any(s.order for s in moving) or not moving:
        raise DeclarationError(
            "The point of a force must move with coordinates, and contain no velocities. Got"
            f" {shortened(list(at))}."
        )
    places = [k for k, q in enumerate(system.coordinates) if q in moving]
    slopes = kernel(system).slopes(components, point)[0][..., places].swapaxes(1, 2)
    known = np.asarray(np.isfinite(slopes).all(axis=(1, 2)) & np.isfinite(forces).all(axis=1))
    result = np.full((len(forces), len(components)), np.nan)
    inverse = np.linalg.pinv(slopes[known], rcond=1e-12)
    result[known] = np.einsum("kdn,kn->kd", inverse, forces[known][:, places])
    left = np.einsum("knd,kd->kn", slopes[known], result[known]) - forces[known][:, places]
    if np.abs(left).max(initial=0) > ALL * np.abs(forces[known]).max(initial=0):
        raise DerivationError(
            f"The constraint forces on {listed(system.coordinates[k] for k in places)} are not those of"
            " a single force at this point. Name with `of` the constraints that act there."
        )
    return result
