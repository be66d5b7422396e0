"""What constraints do to the equations: their Jacobian, their accelerations, and their kinds.

A holonomic constraint phi(q, t) = 0 acts along J = dphi/dq. A velocity constraint phi(q, v, t) = 0,
linear in v, acts along J = dphi/dv by d'Alembert's principle; it is never added to the Lagrangian.
Differentiated until accelerations appear, both read `J a + gamma = 0`.
"""

from __future__ import annotations

from enum import Enum
from functools import lru_cache
from itertools import chain

import sympy
from sympy import ImmutableDenseMatrix as Matrix

from routh.language.calculus import ddt
from routh.language.derivation import explicit_rate, partial, partials
from routh.language.symbols import Input
from routh.language.system import System
from routh.language.walk import leaves, replaced, unfold
from routh.mechanics.forms.vanish import vanishes


class ConstraintKind(Enum):
    """What a constraint holds."""

    HOLONOMIC = "holonomic: it holds positions"
    INTEGRABLE = "integrable: it holds velocities that are the rate of a position"
    NONHOLONOMIC = "nonholonomic: it holds velocities and leaves positions free"

    def __str__(self) -> str:
        return self.value


def multiplier_symbols(system: System) -> tuple[sympy.Symbol, ...]:
    """A symbol for the multiplier of each constraint."""
    return system.multipliers


def constraint_jacobian(system: System) -> Matrix:
    """(c, n): dphi/dq, or dphi/dv where the constraint contains velocities."""
    rows = [
        partials(phi, system.coordinates if holonomic else system.velocities)
        for phi, holonomic in zip(map(unfold, system.constraints), system.is_holonomic, strict=True)
    ]
    return Matrix(len(rows), len(system.coordinates), [entry for row in rows for entry in row])


def constraint_accelerations(system: System) -> Matrix:
    """(c, 1): gamma, what is left of the differentiated constraints without accelerations."""
    still = {velocity.rate: sympy.S.Zero for velocity in system.velocities}
    return Matrix(
        len(system.constraints),
        1,
        [
            replaced(ddt(unfold(phi), 2 if holonomic else 1), still)
            for phi, holonomic in zip(system.constraints, system.is_holonomic, strict=True)
        ],
    )


@lru_cache(maxsize=64)
def constraint_kinds(system: System) -> tuple[ConstraintKind, ...]:
    """The kind of each constraint.

    A velocity constraint `A v + b = 0` is recognized as integrable where it is itself the rate of a
    function of position and time: dA_i/dq_j = dA_j/dq_i and dA_i/dt = db/dq_i. One that becomes such a
    rate only after multiplication with a factor, or together with others, is not.
    """
    return tuple(
        ConstraintKind.HOLONOMIC if holonomic else _velocity_kind(system, unfold(phi))
        for phi, holonomic in zip(system.constraints, system.is_holonomic, strict=True)
    )


def _velocity_kind(system: System, phi: sympy.Expr) -> ConstraintKind:
    if any(isinstance(s, Input) for s in leaves([phi])):
        return ConstraintKind.NONHOLONOMIC
    q = system.coordinates
    A = partials(phi, system.velocities)
    b = replaced(phi, dict.fromkeys(system.velocities, sympy.S.Zero))
    curls = (partial(A[i], q[j]) - partial(A[j], q[i]) for i in range(len(q)) for j in range(i))
    drifts = (explicit_rate(A[i]) - partial(b, q[i]) for i in range(len(q)))
    exact = all(map(vanishes, chain(curls, drifts)))
    return ConstraintKind.INTEGRABLE if exact else ConstraintKind.NONHOLONOMIC
