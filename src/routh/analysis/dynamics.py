"""The equations of motion in numbers at given states, forwards and backwards.

    M a + h + J^T multipliers = Q,      J a + gamma = 0

`dynamics` gives the accelerations for forces, `inverse_dynamics` the forces for accelerations: what the
motors of a robot arm have to do, and with v = a = 0 what holds it against gravity.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Annotated, Any

import numpy as np

from routh.analysis.given.conditions import Conditions, columns_of, conditions
from routh.analysis.given.engines import checked_engine
from routh.analysis.given.numbers import Numbers, number
from routh.arrays import Array
from routh.errors import DeclarationError, SolveError
from routh.kernels.engine import Kernel, Point
from routh.kernels.kernel import kernel
from routh.language.gates import checked_numeric, checked_system
from routh.language.system import System
from routh.recorded import Recorded
from routh.shown import as_html


@dataclass(frozen=True, eq=False)
class Dynamics(Recorded):
    """The equations of motion at given states, `M a + h + J^T multipliers = Q` and `J a + gamma = 0`.

    Attributes:
        system: the system.
        conditions: values of parameters and inputs.
        q, v: (..., n) the states.
        M: (..., n, n) the mass matrix L_vv.
        h: (..., n) what d/dt L_v - L_q + D_v is without accelerations: velocities, weight, damping.
        Q: (..., n) the generalized forces, with those that were given.
        J, gamma: (..., c, n) and (..., c) of the constraints, velocity constraints included.
        a: (..., n) the accelerations; NaN where they do not follow.
        multipliers: (..., c) of the constraints, of least norm where those are redundant.
    """

    system: System
    conditions: Conditions = field(repr=False)
    q: Annotated[Array, "*batch n"]
    v: Annotated[Array, "*batch n"]
    M: Annotated[Array, "*batch n n"] = field(repr=False)
    h: Annotated[Array, "*batch n"] = field(repr=False)
    Q: Annotated[Array, "*batch n"] = field(repr=False)
    J: Annotated[Array, "*batch c n"] = field(repr=False)
    gamma: Annotated[Array, "*batch c"] = field(repr=False)
    a: Annotated[Array, "*batch n"]
    multipliers: Annotated[Array, "*batch c"] = field(repr=False)

    _repr_html_ = as_html


def dynamics(
    system: System,
    values: Numbers,
    q: Any = None,
    v: Any = None,
    *,
    forces: Any = None,
    inputs: Numbers | None = None,
    time: float = 0.0,
    engine: str = "auto",
) -> Dynamics:
    """M, h, Q, accelerations and multipliers of a system at given states.

    Arguments:
        system: the system.
        values: numbers for its parameters, by symbol or name; arrays broadcast to a batch.
        q: coordinates, by symbol or name, zero if not given; or an array (..., n) in the order of the
            coordinates. A batch of states is one call.
        v: velocities in the same ways, by coordinate.
        forces: generalized forces beside those of the system, in the same ways.
        inputs: numbers for inputs and their derivatives.
        time: the time.
        engine: "casadi", or "c": written out as C and compiled on this machine, for all its cores. That
            takes a moment, once and for all runs to come; "auto" does so where there are so many states
            that it pays, and a compiler. The digits are the same. "cuda" does it on an NVIDIA GPU
            (extra `gpu`), where functions like sines differ in the last digit.

    Raises:
        DeclarationError: the system has friction or fields, or something is missing or unknown.
        DerivationError: "c" was asked for, and there is no compiler.
        SolveError: the accelerations at a single state do not follow, as where a mass is zero.

    Example:
        >>> from routh import coordinate, ddt, cos, System
        >>> theta = coordinate("theta")
        >>> pendulum = System(kinetic=ddt(theta) ** 2 / 2, potential=-9.81 * cos(theta))
        >>> dynamics(pendulum, {}, {theta: [0.0, 1.5707963267948966]}).a.round(6)
        array([[ 0.  ],
               [-9.81]])
    """
    by = checked_engine(engine)
    given, point, found = _at("dynamics", system, values, inputs, time, q=q, v=v, forces=forces)
    system = given.system
    functions = kernel(system)
    push = columns_of(system, given.count, found["forces"])
    with np.errstate(all="ignore"):
        M, h, Q, a = functions.dynamics(point, push, by)
        J, gamma, a, multipliers = _solved(functions, point, M, Q - h, a)
    a[~np.isfinite(a).all(axis=1)] = np.nan
    result = Dynamics(
        system,
        given,
        *(given.folded(each) for each in (point.q, point.v, M, h, Q, J, gamma, a, multipliers)),
    )
    if not given.shape and not np.isfinite(a).all():
        raise SolveError(
            f"The accelerations of {system.title} do not follow at this state: its mass matrix is"
            " singular along the admissible motions, or something is not finite.",
            result,
        )
    return result


def inverse_dynamics(
    system: System,
    values: Numbers,
    q: Any = None,
    v: Any = None,
    a: Any = None,
    *,
    inputs: Numbers | None = None,
    time: float = 0.0,
) -> Array:
    """The generalized forces that give a system these accelerations, `M a + h - Q`.

    They come beside the forces that the system has. With v = a = 0, as when nothing else is given, they
    hold it where it is: gravity compensation. Constraints are taken to carry nothing; with them any
    J^T multipliers may be added, and the motion is the same.

    Arguments:
        system: the system.
        values: numbers for its parameters, by symbol or name; arrays broadcast to a batch.
        q: coordinates, by symbol or name, zero if not given; or an array (..., n) in the order of the
            coordinates.
        v: velocities in the same ways, by coordinate.
        a: accelerations in the same ways, by coordinate.
        inputs: numbers for inputs and their derivatives.
        time: the time.

    Returns:
        (..., n) the forces, in the order of the coordinates.

    Example:
        >>> from routh import coordinate, ddt, cos, System
        >>> theta = coordinate("theta")
        >>> pendulum = System(kinetic=ddt(theta) ** 2 / 2, potential=-9.81 * cos(theta))
        >>> inverse_dynamics(pendulum, {}, {theta: 1.5707963267948966}).round(6)
        array([9.81])
    """
    given, point, _ = _at("inverse_dynamics", system, values, inputs, time, q=q, v=v, a=a)
    engine = kernel(given.system)
    with np.errstate(all="ignore"):
        residual = engine.in_motion.residual(point.arguments)[:, : len(given.system.coordinates)]
    return given.folded(residual)


def _at(
    verb: str, system: System, values: Numbers, inputs: Numbers | None, time: float, **states: Any
) -> tuple[Conditions, Point, dict[str, dict[Any, Array]]]:
    """Where the equations are evaluated, and what was given by coordinate."""
    system = _numeric(checked_system(system, verb), verb)
    when = float(number(time, "`time`"))
    read = {name: _by_coordinate(system, value, name) for name, value in states.items()}
    given, found = conditions(system, values, inputs, **read)
    engine = kernel(given.system)
    columns = {name: columns_of(given.system, given.count, part) for name, part in found.items()}
    zero = np.zeros((given.count, len(given.system.coordinates)))
    point = Point(
        t=np.full((given.count, 1), when),
        q=columns["q"],
        v=columns["v"],
        a=columns.get("a", zero),
        p=given.p,
        u=given.signals_at(engine, 0.0),
        multipliers=np.zeros((given.count, len(given.system.constraints))),
    )
    return given, point, found


@lru_cache(maxsize=64)
def _numeric(system: System, verb: str) -> System:
    """The system, if numbers can be computed for it; looked at once, as calls may be many."""
    return checked_numeric(system, verb)


def _by_coordinate(system: System, value: Any, name: str) -> Any:
    """A mapping as it is, and an array (..., n) as one."""
    if value is None or hasattr(value, "keys"):
        return value
    stack = number(value, f"`{name}`")
    n = len(system.coordinates)
    if not stack.ndim or stack.shape[-1] != n:
        raise DeclarationError(
            f"`{name}` must map coordinates to numbers, or be an array whose last axis has the {n}"
            f" coordinates of {system.title}. Got shape {stack.shape}."
        )
    return {q: stack[..., k] for k, q in enumerate(system.coordinates)}


def _solved(
    engine: Kernel, point: Point, M: Array, right: Array, a: Array | None
) -> tuple[Array, Array, Array, Array]:
    """J, gamma, the accelerations and the multipliers."""
    N, n = right.shape
    if point.multipliers.shape[1]:
        J, gamma = engine.constraint_jacobian(point), engine.constraint_accelerations(point)
    else:
        J, gamma = np.zeros((N, 0, n)), np.zeros((N, 0))
        if a is not None:
            return J, gamma, a, gamma
    pairs = [_saddle(*each) for each in zip(M, J, right, gamma, strict=True)]
    return J, gamma, np.array([a for a, _ in pairs]), np.array([one for _, one in pairs])


SINGULAR = 1e-12
"""Share of the largest singular value of the scaled saddle point below which others are rounding."""


def _saddle(M: Array, J: Array, right: Array, gamma: Array) -> tuple[Array, Array]:
    """The accelerations of one state, NaN where they do not follow, and multipliers of least norm.

    Coordinates count by their masses and constraints by their slopes, whatever the units.
    """
    n, c = J.shape[1], J.shape[0]
    nothing = np.full(n, np.nan), np.full(c, np.nan)
    if not all(np.isfinite(each).all() for each in (M, J, right, gamma)):
        return nothing
    masses = np.abs(np.diagonal(M))
    s = 1 / np.sqrt(np.where(masses > 0, masses, 1.0))
    steep = np.linalg.norm(J * s, axis=1)
    r = 1 / np.where(steep > 0, steep, 1.0)
    held = r[:, None] * J * s
    K = np.block([[s[:, None] * M * s, held.T], [held, np.zeros((c, c))]])
    U, sizes, V = np.linalg.svd(K)
    rank = int((sizes > SINGULAR * sizes.max(initial=0)).sum())
    if np.abs(V[rank:, :n]).max(initial=0) > np.sqrt(SINGULAR):
        return nothing
    side = np.concatenate([s * right, -r * gamma])
    if np.abs(U[:, rank:].T @ side).max(initial=0) > np.sqrt(SINGULAR) * np.abs(side).max(initial=0):
        return nothing
    solved = V[:rank].T @ ((U[:, :rank].T @ side) / sizes[:rank])
    a = s * solved[:n]
    return a, np.linalg.pinv(J.T, rcond=SINGULAR) @ (right - M @ a)
